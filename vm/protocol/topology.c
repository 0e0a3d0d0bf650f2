/* SPDX-License-Identifier: MIT */
#include "vm/protocol/topology.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const char option[] = "--topology";

static enum status refuse(const char *text, struct error *err)
{
	error_set(err, STATUS_USAGE, option, "'%s' is not KEY=NUMBER,...", text);
	return error_remedy(err, "keys: numa (1 to 8), llc (1 to 32), smt (1 to 4), distance (11 to 254); or big and "
				 "little (1 to 63)");
}

static bool parse_pair(const char *text, size_t length, struct topology *topology)
{
	const struct {
		const char *key;
		unsigned int *value, min, max;
	} keys[] = {{"numa=", &topology->numa, 1, 8}, {"llc=", &topology->llc, 1, 32},
		    {"smt=", &topology->smt, 1, 4},   {"distance=", &topology->distance, 11, 254},
		    {"big=", &topology->big, 1, 63},  {"little=", &topology->little, 1, 63}};
	char digits[16];
	uint64_t number;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const size_t key = strlen(keys[i].key);
		if (length <= key || length - key >= sizeof(digits) || strncmp(text, keys[i].key, key) != 0)
			continue;
		snprintf(digits, sizeof(digits), "%.*s", (int)(length - key), text + key);
		if (*keys[i].value || !number_parse_u64(digits, &number) || number < keys[i].min ||
		    number > keys[i].max)
			return false;
		*keys[i].value = (unsigned int)number;
		return true;
	}
	return false;
}

enum status topology_parse(const char *text, struct topology *topology, struct error *err)
{
	*topology = (struct topology){0};
	for (const char *at = text; at;) {
		const size_t length = strcspn(at, ",");
		if (!parse_pair(at, length, topology))
			return refuse(text, err);
		at = at[length] ? at + length + 1 : NULL;
	}
	if (!topology->big != !topology->little)
		return error_set(err, STATUS_USAGE, option, "big and little need each other, such as big=2,little=2");
	if (topology->big && topology_is_given(topology))
		return error_set(err, STATUS_USAGE, option, "big and little cannot be combined with numa, llc and smt");
	if (topology->distance && topology_nodes(topology) == 1)
		return error_set(err, STATUS_USAGE, option, "distance needs two or more nodes, such as numa=2");
	return STATUS_OK;
}

enum status topology_check(const struct topology *topology, unsigned int cpus, struct error *err)
{
	const unsigned int product = topology_caches(topology) * topology_core_cpus(topology);

	if (topology_has_kinds(topology) && cpus != topology->big + topology->little) {
		error_set(err, STATUS_USAGE, option, "%u workload CPUs are not big + little = %u", cpus,
			  topology->big + topology->little);
		return error_remedy(err, "give --cpus %u", topology->big + topology->little);
	}
	if (cpus % product == 0)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, option, "%u workload CPUs are not a multiple of numa * llc * smt = %u", cpus,
		  product);
	return error_remedy(err, "give --cpus %u", cpus < product ? product : cpus / product * product);
}

unsigned int topology_core_cpus(const struct topology *topology)
{
	return topology->smt ? topology->smt : 1;
}

unsigned int topology_nodes(const struct topology *topology)
{
	return topology->numa ? topology->numa : 1;
}

unsigned int topology_caches(const struct topology *topology)
{
	return topology_nodes(topology) * (topology->llc ? topology->llc : 1);
}

unsigned int topology_cache_cpus(const struct topology *topology, unsigned int cpus)
{
	return cpus / topology_caches(topology);
}

unsigned int topology_node_cpus(const struct topology *topology, unsigned int cpus)
{
	return cpus / topology_nodes(topology);
}
