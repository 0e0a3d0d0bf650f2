/* SPDX-License-Identifier: MIT */
#include "compare/run_facts.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "compare/earlier_workloads.h"

const struct run_field *compared_field(enum environment_fact fact)
{
	static const struct run_field earlier_workloads = {
	    .key = "earlier_workloads", .title = "earlier workloads in the guest", .effect = FACT_IF_KNOWN};

	return fact == FACT_EARLIER_WORKLOADS ? &earlier_workloads : environment_field(fact);
}

/* NULL: unknown. */
static const char *value_of(const struct run *run, enum environment_fact fact)
{
	return fact == FACT_EARLIER_WORKLOADS ? run->results->earlier_workloads : run->facts[fact];
}

static bool has_workload(const struct run_set *set, const char *workload)
{
	for (size_t i = 0; i < set->count; i++)
		if (run_is_of(&set->runs[i], workload))
			return true;
	return false;
}

static bool has_earlier(const struct run_set *set, size_t before, const struct run_set *shared,
			enum environment_fact fact)
{
	const char *value = value_of(&set->runs[before], fact);

	for (size_t i = 0; i < before; i++) {
		const char *other = value_of(&set->runs[i], fact);
		if (other && strcmp(value, other) == 0 && (!shared || has_workload(shared, set->runs[i].workload)))
			return true;
	}
	return false;
}

void run_set_fact(const struct run_set *set, const struct run_set *shared, enum environment_fact fact, char *text,
		  size_t size)
{
	size_t length = 0;

	snprintf(text, size, "unknown");
	for (size_t i = 0; i < set->count; i++) {
		const char *value = value_of(&set->runs[i], fact);
		if (!value || has_earlier(set, i, shared, fact) ||
		    (shared && !has_workload(shared, set->runs[i].workload)))
			continue;
		int more = snprintf(text + length, size - length, "%s%s", length ? ", " : "", value);
		if (more < 0 || (size_t)more >= size - length) {
			if (size > 4)
				memcpy(text + size - 4, "...", 4);
			return;
		}
		length += (size_t)more;
	}
}

/* True if any of its traces has metadata. */
static bool set_has_metadata(const struct run_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (run_has_metadata(&set->runs[i]))
			return true;
	return false;
}

/* Workloads that write no files have no scratch device, those of picknext no command; guests that picknext vm did not
 * start are not known, nor the topology of earlier versions. */
static bool must_be_known(const struct run_set *set, enum environment_fact fact)
{
	const enum fact_effect effect = compared_field(fact)->effect;

	return (effect == FACT_MATTERS || effect == FACT_OF_KERNEL) && set_has_metadata(set);
}

/* --- Earlier workloads --- */

/* NULL: not known, or the run is of another workload. */
static const char *earlier_of(const struct run *run, const char *workload)
{
	return run_is_of(run, workload) ? run->results->earlier_workloads : NULL;
}

/* The next of the distinct values of a workload in a set, from run *at on; NULL after the last one. */
static const char *next_earlier(const struct run_set *set, const char *workload, size_t *at)
{
	while (*at < set->count) {
		const size_t run = (*at)++;
		const char *value = earlier_of(&set->runs[run], workload), *before = NULL;
		for (size_t i = 0; value && i < run && !before; i++) {
			before = earlier_of(&set->runs[i], workload);
			before = before && strcmp(before, value) == 0 ? before : NULL;
		}
		if (value && !before)
			return value;
	}
	return NULL;
}

/* True if both sets have values, in the order of their runs, that are not the same. */
static bool earlier_differ(const struct run_set *first, const struct run_set *second, const char *workload)
{
	size_t at = 0, at_second = 0;
	const char *value = next_earlier(first, workload, &at), *other = next_earlier(second, workload, &at_second);

	if (!value || !other)
		return false;
	while (value && other && strcmp(value, other) == 0) {
		value = next_earlier(first, workload, &at);
		other = next_earlier(second, workload, &at_second);
	}
	return value || other;
}

/* The number of workloads whose earlier workloads differ, and the first of them. */
static size_t count_differing(const struct run_sets *sets, const char **first)
{
	size_t count = 0;

	for (size_t i = 0; i < sets->workload_count; i++) {
		bool differ = false;
		for (size_t set = 1; set < sets->count && !differ; set++)
			differ = earlier_differ(&sets->items[0], &sets->items[set], sets->workloads[i]);
		*first = differ && count == 0 ? sets->workloads[i] : *first;
		count += differ;
	}
	return count;
}

/* The number of workloads with which all values of a workload begin. */
static size_t count_common(const struct run_sets *sets, const char *workload)
{
	const char *first = NULL;
	size_t common = SIZE_MAX;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));) {
		const char *value = earlier_of(run, workload);
		first = first ? first : value;
		const size_t both = value ? earlier_workloads_common(first, value) : SIZE_MAX;
		common = both < common ? both : common;
	}
	return common;
}

void run_set_add_earlier_workloads(const struct run_sets *sets, size_t set, struct buffer *out)
{
	const char *workload = NULL, *value;
	const size_t count = count_differing(sets, &workload);
	size_t at = 0, values = 0;

	if (count == 0)
		return;
	const size_t common = count_common(sets, workload);
	buffer_printf(out, "%s ", workload);
	for (; (value = next_earlier(&sets->items[set], workload, &at)); values++) {
		buffer_text(out, values ? " or " : "");
		earlier_workloads_add_place(value, common, out);
	}
	buffer_text(out, values ? "" : "unknown");
	if (count > 1)
		buffer_printf(out, "; %zu more workload%s", count - 1, count == 2 ? "" : "s");
}

/* Those of another build are its own: autogroup is off in Debian's 6.1 and on in its 6.12. */
static bool tunables_differ(const struct run_sets *sets)
{
	struct buffer text = {0};

	if (run_sets_kernel(sets) == RUN_SETS_KERNELS)
		return false;
	run_set_add_tunables(sets, 0, &text);
	bool differ = text.length > 0;
	buffer_free(&text);
	return differ;
}

bool run_sets_differ(const struct run_sets *sets, enum environment_fact fact)
{
	char texts[2][512];
	const char *first = NULL;

	if (fact == FACT_TUNABLES)
		return tunables_differ(sets);
	if (fact == FACT_EARLIER_WORKLOADS)
		return count_differing(sets, &first) > 0;
	for (size_t i = 1; i < sets->count; i++) {
		const struct run_set *const pair[] = {&sets->items[0], &sets->items[i]};
		bool counts = true;
		for (unsigned int side = 0; side < 2; side++) {
			run_set_fact(pair[side], pair[!side], fact, texts[side], sizeof(texts[side]));
			counts &= strcmp(texts[side], "unknown") != 0 || must_be_known(pair[side], fact);
		}
		if (counts && strcmp(texts[0], texts[1]) != 0)
			return true;
	}
	return false;
}

/* True if runs of one set differ in a fact, such as the CPU model if several machines recorded it. */
static bool runs_of_set_differ(const struct run_sets *sets, enum environment_fact fact)
{
	for (size_t i = 0; i < sets->count; i++) {
		const char *first = NULL;
		for (size_t j = 0; j < sets->items[i].count; j++) {
			const char *value = value_of(&sets->items[i].runs[j], fact);
			if (first && value && strcmp(value, first) != 0)
				return true;
			first = first ? first : value;
		}
	}
	return false;
}

bool run_sets_differ_besides_kernel(const struct run_sets *sets, enum environment_fact fact)
{
	if (compared_field(fact)->effect < FACT_OF_KERNEL && fact != FACT_TUNABLES)
		return false;
	return run_sets_differ(sets, fact) || (fact == FACT_CPU_MODEL && runs_of_set_differ(sets, fact));
}

static void describe_fact(const struct run_sets *sets, size_t set, size_t other, enum environment_fact fact, char *text,
			  size_t size)
{
	struct buffer earlier = {0};

	if (fact != FACT_EARLIER_WORKLOADS) {
		run_set_fact(&sets->items[set], &sets->items[other], fact, text, size);
		return;
	}
	run_set_add_earlier_workloads(sets, set, &earlier);
	snprintf(text, size, "%s", earlier.data);
	buffer_free(&earlier);
}

enum status run_sets_check_baseline(const struct run_sets *sets, struct error *err)
{
	char before[96], now[96] = "";

	for (enum environment_fact fact = 0; fact < COMPARED_FACTS; fact++) {
		if (compared_field(fact)->effect <= FACT_OF_KERNEL || !run_sets_differ(sets, fact))
			continue;
		for (size_t i = 1; i < sets->count && (i == 1 || strcmp(before, now) == 0); i++) {
			describe_fact(sets, 0, i, fact, before, sizeof(before));
			describe_fact(sets, i, 0, fact, now, sizeof(now));
		}
		error_set(err, STATUS_USAGE, sets->items[0].operand,
			  "the baseline was recorded in another way: %s (%.64s, now %.64s)",
			  compared_field(fact)->title, before, now);
		return error_remedy(err, "record the baseline again, with the same picknext, QEMU and options");
	}
	return STATUS_OK;
}

/* True if all runs have the fact. differs: not all have the same. */
static bool is_known(const struct run_sets *sets, enum environment_fact fact, bool *differs)
{
	const char *first = sets->items[0].runs[0].facts[fact];

	*differs = false;
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));) {
		const char *value = run->facts[fact];
		if (!value)
			return false;
		*differs |= strcmp(value, first) != 0;
	}
	return true;
}

enum run_sets_kernel run_sets_kernel(const struct run_sets *sets)
{
	bool differs;

	if (!is_known(sets, FACT_KERNEL, &differs) || differs || !is_known(sets, FACT_KERNEL_VERSION, &differs) ||
	    differs)
		return RUN_SETS_KERNELS;
	/* An image that was edited after it was linked keeps its build ID. */
	const bool has_build_id = is_known(sets, FACT_KERNEL_BUILD_ID, &differs), is_other_build = differs;
	const bool has_image = is_known(sets, FACT_KERNEL_IMAGE, &differs);
	if (has_build_id || has_image)
		return (has_build_id && is_other_build) || (has_image && differs) ? RUN_SETS_ONE_RELEASE
										  : RUN_SETS_ONE_KERNEL_IMAGE;
	return RUN_SETS_ONE_BUILD;
}

/* --- Tunables --- */

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
