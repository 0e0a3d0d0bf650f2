/* SPDX-License-Identifier: MIT
 *
 * The JSON beside a raw trace: labels, losses, and facts about the machine. */
#include <stdlib.h>
#include <string.h>

#include "runs/cpu_levels.h"
#include "runs/metadata.h"
#include "runs/run_fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void describe_facts(const struct run_metadata *metadata)
{
	char *facts[FACT_COUNT] = {0};

	environment_describe(metadata, facts);
	for (size_t i = 0; i < FACT_COUNT; i++)
		free(facts[i]);
}

static void describe_losses(const struct run_metadata *metadata)
{
	struct losses losses = {0};
	struct buffer text = {0};

	run_metadata_add_losses(metadata, &losses);
	if (losses.count > LOSS_CPUS_MAX + 1)
		abort();
	if (losses_any(&losses)) {
		losses_describe(&losses, &text);
		if (text.length == 0 || strlen(text.data) != text.length)
			abort();
	}
	losses_free(&losses);
	buffer_free(&text);
}

static void find_levels(const struct run_metadata *metadata)
{
	struct cpu_levels levels;

	cpu_levels_read(&metadata->host.topology, &levels);
	if (cpu_levels_of(&levels, &metadata->host.cpus_workload) >> CPU_LEVELS)
		abort();
	for (uint32_t a = 0; a < 4; a++)
		for (uint32_t b = 0; b < 4; b++)
			if (cpu_levels_between(&levels, a, b) != cpu_levels_between(&levels, b, a))
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run_metadata metadata;
	struct error err = {0};

	enum status status = run_metadata_parse((const char *)data, size, "fuzz.json", &metadata, &err);
	if (status != STATUS_OK && (strncmp(err.where, "fuzz.json", 9) != 0 || err.what[0] == '\0'))
		abort();
	/* A text with a NUL is refused. */
	if (status == STATUS_OK && metadata.workload_name && memchr(data, '\0', size))
		abort();
	if (status == STATUS_OK) {
		describe_facts(&metadata);
		describe_losses(&metadata);
		find_levels(&metadata);
	}
	run_metadata_free(&metadata);
	return 0;
}
