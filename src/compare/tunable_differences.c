/* SPDX-License-Identifier: MIT */
#include "compare/tunable_differences.h"

#include <string.h>

struct tunable {
	const char *name, *value;
	size_t name_length, value_length;
};

bool run_sets_same_kernel(const struct run_sets *sets)
{
	static const enum environment_fact facts[] = {FACT_KERNEL, FACT_KERNEL_VERSION};
	const struct recorded_run *first = &sets->items[0].runs[0];

	for (size_t set = 0; set < sets->count; set++)
		for (size_t i = 0; i < sets->items[set].count; i++)
			for (size_t f = 0; f < sizeof(facts) / sizeof(facts[0]); f++) {
				const char *a = first->facts[facts[f]];
				const char *b = sets->items[set].runs[i].facts[facts[f]];
				if (!a || !b || strcmp(a, b) != 0)
					return false;
			}
	return true;
}

/* The next of "base_slice_ns=1400000 features=PLACE_LAG NO_HRTICK preempt=none (full)": each feature is a tunable,
 * whose value is "" or "NO_". */
static bool next_tunable(const char **at, bool *in_features, struct tunable *tunable)
{
	while (**at) {
		const char *word = *at + strspn(*at, " ");
		size_t length = strcspn(word, " ");
		const char *equals = memchr(word, '=', length);
		*at = word + length;
		if (equals) {
			size_t name = (size_t)(equals - word);
			*in_features = name == strlen("features") && strncmp(word, "features", name) == 0;
			if (!*in_features) {
				*tunable = (struct tunable){word, equals + 1, name, length - name - 1};
				if (name != strlen("preempt") || strncmp(word, "preempt", name) != 0)
					return true;
				continue;
			}
			word = equals + 1;
			length -= name + 1;
		}
		if (!*in_features || length == 0)
			continue;
		size_t no = strncmp(word, "NO_", 3) == 0 ? 3 : 0;
		*tunable = (struct tunable){word + no, word, length - no, no};
		return true;
	}
	return false;
}

static bool find_tunable(const char *text, const struct tunable *wanted, struct tunable *found)
{
	bool in_features = false;

	while (next_tunable(&text, &in_features, found))
		if (found->name_length == wanted->name_length &&
		    memcmp(found->name, wanted->name, wanted->name_length) == 0)
			return true;
	return false;
}

/* Every run has it, and one otherwise. */
static bool differs(const struct run_sets *sets, const struct tunable *tunable)
{
	bool found_other = false;
	struct tunable other;

	for (size_t set = 0; set < sets->count; set++)
		for (size_t i = 0; i < sets->items[set].count; i++) {
			const char *text = sets->items[set].runs[i].facts[FACT_TUNABLES];
			if (!text || !find_tunable(text, tunable, &other))
				return false;
			found_other |= other.value_length != tunable->value_length ||
				       memcmp(other.value, tunable->value, other.value_length) != 0;
		}
	return found_other;
}

/* The values of a set are those of its first run, and of each that has others. */
static void add_values(const struct run_set *set, const struct tunable *tunable, struct buffer *out)
{
	struct tunable value, other;

	for (size_t i = 0; i < set->count; i++) {
		bool is_new = find_tunable(set->runs[i].facts[FACT_TUNABLES], tunable, &value);
		for (size_t before = 0; before < i && is_new; before++)
			is_new = !find_tunable(set->runs[before].facts[FACT_TUNABLES], tunable, &other) ||
				 other.value_length != value.value_length ||
				 memcmp(other.value, value.value, value.value_length) != 0;
		if (!is_new)
			continue;
		buffer_text(out, i ? " or " : out->length ? " " : "");
		bool is_feature = value.value + value.value_length == value.name;
		if (is_feature)
			buffer_add(out, value.value, value.value_length);
		buffer_add(out, value.name, value.name_length);
		if (is_feature)
			continue;
		buffer_text(out, "=");
		buffer_add(out, value.value, value.value_length);
	}
}

void run_set_tunables(const struct run_sets *sets, size_t set, struct buffer *out)
{
	const char *at = sets->items[0].runs[0].facts[FACT_TUNABLES];
	bool in_features = false;
	struct tunable tunable;

	while (at && next_tunable(&at, &in_features, &tunable))
		if (differs(sets, &tunable))
			add_values(&sets->items[set], &tunable, out);
}
