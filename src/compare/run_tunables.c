/* SPDX-License-Identifier: MIT */
#include "compare/run_tunables.h"

#include <string.h>

#include "base/number.h"

/* A tunable with its value, or one of the words of the tunable "features": NAME, or NO_NAME if it is off. */
struct setting {
	const char *name, *value;
	size_t name_length;
	bool is_feature, is_off;
};

struct setting_cursor {
	const struct run_metadata *metadata;
	size_t next;          /* tunable */
	const char *features; /* the remaining words */
};

static bool next_feature(struct setting_cursor *cursor, struct setting *setting)
{
	const char *word = cursor->features ? cursor->features + strspn(cursor->features, " ") : "";
	size_t length = strcspn(word, " ");

	cursor->features = length ? word + length : NULL;
	if (!length)
		return false;
	bool is_off = strncmp(word, "NO_", 3) == 0;
	*setting = (struct setting){.name = word + (is_off ? 3 : 0),
				    .name_length = length - (is_off ? 3 : 0),
				    .is_feature = true,
				    .is_off = is_off};
	return true;
}

static bool next_setting(struct setting_cursor *cursor, struct setting *setting)
{
	while (!next_feature(cursor, setting)) {
		if (cursor->next == cursor->metadata->host.tunable_count)
			return false;
		const struct run_tunable *tunable = &cursor->metadata->host.tunables[cursor->next++];
		if (strcmp(tunable->name, "features") == 0) {
			cursor->features = tunable->value;
		} else if (strcmp(tunable->name, "preempt") != 0 && tunable->value) {
			*setting = (struct setting){
			    .name = tunable->name, .value = tunable->value, .name_length = strlen(tunable->name)};
			return true;
		}
	}
	return true;
}

static bool find_setting(const struct run *run, const struct setting *wanted, struct setting *found)
{
	struct setting_cursor cursor = {.metadata = &run->metadata};

	while (next_setting(&cursor, found))
		if (found->name_length == wanted->name_length && found->is_feature == wanted->is_feature &&
		    memcmp(found->name, wanted->name, wanted->name_length) == 0)
			return true;
	return false;
}

static bool has_same_value(const struct setting *a, const struct setting *b)
{
	return a->is_feature ? a->is_off == b->is_off : strcmp(a->value, b->value) == 0;
}

/* True if every run has it, and not all have the same value. */
static bool setting_differs(const struct run_sets *sets, const struct setting *setting)
{
	bool found_other = false;
	struct setting other;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));) {
		if (!find_setting(run, setting, &other))
			return false;
		found_other |= !has_same_value(setting, &other);
	}
	return found_other;
}

static bool is_new_value(const struct run_set *set, size_t at, const struct setting *value)
{
	struct setting other;

	for (size_t before = 0; before < at; before++)
		if (find_setting(&set->runs[before], value, &other) && has_same_value(value, &other))
			return false;
	return true;
}

/* Adds each distinct value of the setting in the runs of the set. */
static void add_values(const struct run_set *set, const struct setting *setting, struct buffer *out)
{
	struct setting value;

	for (size_t i = 0; i < set->count; i++) {
		if (!find_setting(&set->runs[i], setting, &value) || !is_new_value(set, i, &value))
			continue;
		buffer_text(out, i ? " or " : out->length ? " " : "");
		buffer_text(out, value.is_off ? "NO_" : "");
		buffer_add(out, value.name, value.name_length);
		if (!value.is_feature)
			buffer_printf(out, "=%s", value.value);
	}
}

/* True if the run has the setting, with a time below its tick, and no HRTICK. */
static bool is_below_tick(const struct run *run, const struct setting *setting)
{
	const struct setting hrtick = {.name = "HRTICK", .name_length = strlen("HRTICK"), .is_feature = true};
	struct setting found;
	uint64_t ns;

	return run->metadata.host.hz && find_setting(run, setting, &found) && number_parse_u64(found.value, &ns) &&
	       ns < 1000000000 / run->metadata.host.hz && !(find_setting(run, &hrtick, &found) && !found.is_off);
}

bool run_sets_tick_decides(const struct run_sets *sets)
{
	static const char *const slices[] = {"base_slice_ns", "min_granularity_ns"};

	for (size_t i = 0; i < sizeof(slices) / sizeof(*slices); i++) {
		const struct setting slice = {.name = slices[i], .name_length = strlen(slices[i])};
		struct setting first;
		bool decides = find_setting(&sets->items[0].runs[0], &slice, &first) && setting_differs(sets, &first);
		for (const struct run *run = NULL; decides && (run = run_sets_next(sets, run));)
			decides = is_below_tick(run, &slice);
		if (decides)
			return true;
	}
	return false;
}

void run_set_add_tunables(const struct run_sets *sets, size_t set, struct buffer *out)
{
	struct setting_cursor cursor = {.metadata = &sets->items[0].runs[0].metadata};
	struct setting setting;

	while (next_setting(&cursor, &setting))
		if (setting_differs(sets, &setting))
			add_values(&sets->items[set], &setting, out);
}
