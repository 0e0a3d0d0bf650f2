/* SPDX-License-Identifier: MIT */
#include "vm/plan/cell_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sha256.h"

#define SHARDS_MAX 1000000

struct cell *cell_list_make(const struct set_runs *sets, size_t set_count, size_t *count)
{
	size_t rounds = 0, all = 0;

	for (size_t i = 0; i < set_count; i++) {
		all += sets[i].count;
		rounds = sets[i].count > rounds ? sets[i].count : rounds;
	}
	struct cell *cells = xcalloc(all ? all : 1, sizeof(*cells));
	*count = 0;
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < set_count; i++)
			if (round < sets[i].count)
				cells[(*count)++] = (struct cell){.set = i, .run = sets[i].runs[round]};
	return cells;
}

void cell_id_make(const char *set, const char *identity, uint32_t run, char id[CELL_ID_SIZE])
{
	struct sha256 hash;
	char text[SHA256_TEXT_SIZE];
	int length = snprintf(text, sizeof(text), "%u", run);

	sha256_begin(&hash);
	sha256_add(&hash, set, strlen(set) + 1);
	sha256_add(&hash, identity, strlen(identity) + 1);
	sha256_add(&hash, text, (size_t)length);
	sha256_end(&hash, text);
	snprintf(id, CELL_ID_SIZE, "%.*s", CELL_ID_SIZE - 1, text);
}

enum status cell_choice_parse(const char *text, struct cell_choice *choice, struct error *err)
{
	const char *slash = strchr(text, '/');
	char first[24];

	choice->only_missing = strcmp(text, "missing") == 0;
	if (strlen(text) == CELL_ID_SIZE - 1 && strspn(text, "0123456789abcdef") == CELL_ID_SIZE - 1)
		choice->id = text;
	if (choice->only_missing || choice->id)
		return STATUS_OK;
	if (slash && (size_t)(slash - text) < sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(slash - text), text);
		if (number_parse_u64(first, &choice->shard) && number_parse_u64(slash + 1, &choice->shards) &&
		    choice->shard > 0 && choice->shard <= choice->shards && choice->shards <= SHARDS_MAX)
			return STATUS_OK;
	}
	error_set(err, STATUS_USAGE, "--cells", "'%s' is no part of the cells", text);
	return error_remedy(err, "1/4 is the first of four parts, 4/4 the last; an ID of --plan is one cell");
}

bool cell_choice_is_all(const struct cell_choice *choice)
{
	return choice->shards == 0 && !choice->id;
}

bool cell_choice_has(const struct cell_choice *choice, size_t place, const char *id)
{
	return (choice->shards == 0 || place % choice->shards == choice->shard - 1) &&
	       (!choice->id || strcmp(choice->id, id) == 0) && !(choice->left_out && choice->left_out[place]);
}
