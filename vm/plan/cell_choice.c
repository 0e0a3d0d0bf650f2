/* SPDX-License-Identifier: MIT */
#include "vm/plan/cell_choice.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define SHARDS_MAX 1000000

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
