/* SPDX-License-Identifier: MIT */
#include "vm/plan/seed_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static bool parse_seed(const char *text, size_t length, uint32_t *seed)
{
	char digits[16];
	uint64_t value;

	if (length >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)length, text);
	if (!number_parse_u64(digits, &value) || value > SEED_MAX)
		return false;
	*seed = (uint32_t)value;
	return true;
}

static enum status add_seed(struct seed_list *list, uint32_t seed, struct error *err)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->seeds[i] == seed)
			return error_set(err, STATUS_USAGE, "--seeds", "%u is given twice", seed);
	if (list->count == SEED_LIST_MAX)
		return error_set(err, STATUS_USAGE, "--seeds", "more than %d seeds", SEED_LIST_MAX);
	list->seeds[list->count++] = seed;
	return STATUS_OK;
}

/* "7" or "1-10", of length bytes. */
static enum status parse_part(const char *text, size_t length, struct seed_list *list, struct error *err)
{
	const char *dash = memchr(text, '-', length);
	size_t first_length = dash ? (size_t)(dash - text) : length;
	uint32_t first, last;
	enum status status = STATUS_OK;

	bool valid = parse_seed(text, first_length, &first);
	last = first;
	if (valid && dash)
		valid = parse_seed(dash + 1, length - first_length - 1, &last);
	if (!valid || last < first) {
		error_set(err, STATUS_USAGE, "--seeds", "'%.*s' is neither a seed nor a range of seeds", (int)length,
			  text);
		return error_remedy(err, "seeds are numbers from 0 to %u: 1-10, or 1-3,7", SEED_MAX);
	}
	for (uint32_t seed = first; seed <= last && status == STATUS_OK; seed++)
		status = add_seed(list, seed, err);
	return status;
}

enum status seed_list_parse(const char *text, struct seed_list *list, struct error *err)
{
	enum status status = STATUS_OK;

	list->count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		status = parse_part(text, length, list, err);
		if (status != STATUS_OK || !text[length])
			return status;
		text += length + 1;
	}
}

void seed_list_write(const uint32_t *seeds, size_t count, struct buffer *out)
{
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;
		while (end < count && seeds[end] == seeds[end - 1] + 1)
			end++;
		buffer_printf(out, "%s%u", i ? "," : "", seeds[i]);
		if (end - i > 1)
			buffer_printf(out, "-%u", seeds[end - 1]);
		i = end;
	}
}
