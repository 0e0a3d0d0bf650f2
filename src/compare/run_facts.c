/* SPDX-License-Identifier: MIT */
#include "compare/run_facts.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "compare/earlier_workloads.h"
#include "compare/run_tunables.h"

const struct run_field *compared_field(enum environment_fact fact)
{
	static const struct run_field earlier_workloads = {
	    .key = "earlier_workloads", .title = "earlier workloads in the guest", .effect = FACT_IF_KNOWN};

	return fact == FACT_EARLIER_WORKLOADS ? &earlier_workloads : environment_field(fact);
}

bool run_sets_have_value(const struct run_sets *sets, enum environment_fact fact, const char *value)
{
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run->facts[fact] && strcmp(run->facts[fact], value) == 0)
			return true;
	return false;
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

static bool counts(const struct run *run, const struct run_set *shared, const char *workload)
{
	return (!workload || run_is_of(run, workload)) && (!shared || has_workload(shared, run->workload));
}

/* The next of the distinct values of a fact in a set, from run *at on; NULL after the last one. Only of runs of
 * workloads that shared has too, and of one workload; each may be NULL. */
static const char *next_value(const struct run_set *set, const struct run_set *shared, const char *workload,
			      enum environment_fact fact, size_t *at)
{
	while (*at < set->count) {
		const struct run *run = &set->runs[(*at)++], *before = set->runs;
		const char *value = value_of(run, fact), *other = NULL;
		if (!value || !counts(run, shared, workload))
			continue;
		for (; before < run; before++)
			if ((other = value_of(before, fact)) && strcmp(value, other) == 0 &&
			    counts(before, shared, workload))
				break;
		if (before == run)
			return value;
	}
	return NULL;
}

void run_set_fact(const struct run_set *set, const struct run_set *shared, enum environment_fact fact, char *text,
		  size_t size)
{
	size_t length = 0, at = 0;

	snprintf(text, size, "unknown");
	for (const char *value; (value = next_value(set, shared, NULL, fact, &at));) {
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

static const char *next_earlier(const struct run_set *set, const char *workload, size_t *at)
{
	return next_value(set, NULL, workload, FACT_EARLIER_WORKLOADS, at);
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
		const char *value = run_is_of(run, workload) ? run->results->earlier_workloads : NULL;
		first = first ? first : value;
		const size_t both = value ? earlier_workloads_common(first, value) : SIZE_MAX;
		common = both < common ? both : common;
	}
	return common;
}

static void add_earlier_workloads(const struct run_sets *sets, size_t set, struct buffer *out)
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

static bool earlier_workloads_differ(const struct run_sets *sets)
{
	const char *first = NULL;

	return count_differing(sets, &first) > 0;
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

/* --- The command line of the kernel --- */

static bool has_word(const char *text, const char *word, size_t length)
{
	for (const char *at = text; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
			return true;
	return false;
}

static void add_words_of(const struct run_sets *sets, size_t set, struct buffer *out)
{
	const char *line = sets->items[set].runs[0].facts[FACT_COMMAND_LINE];

	for (const char *at = line; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		const size_t length = strcspn(at, " ");
		bool is_common = true;
		for (size_t i = 0; i < sets->count; i++)
			is_common &= has_word(sets->items[i].runs[0].facts[FACT_COMMAND_LINE], at, length);
		if (is_common)
			continue;
		buffer_text(out, out->length ? " " : "");
		buffer_add(out, at, length);
	}
}

/* Adds the words of the kernel's command line of a set, by its first run, that another set lacks: they say more than
 * the hash over them. Nothing if no set has any, or if one is not known. */
static void add_differing_words(const struct run_sets *sets, size_t set, struct buffer *out)
{
	struct buffer all = {0};
	bool is_known = true;

	for (size_t i = 0; i < sets->count; i++) {
		is_known = is_known && sets->items[i].runs[0].facts[FACT_COMMAND_LINE];
		add_words_of(sets, i, &all);
	}
	if (is_known && all.length) {
		add_words_of(sets, set, out);
		buffer_text(out, out->length ? "" : "-");
	}
	buffer_free(&all);
}

/* --- Rows --- */

static bool is_emulated(const struct run_sets *sets)
{
	return run_sets_have_value(sets, FACT_ACCELERATOR, "tcg");
}

/* Facts that are shown in another way than by the values of the runs, or with an advice. */
static const struct fact_row {
	bool (*differ)(const struct run_sets *sets); /* NULL: the values of the sets */
	/* Adds nothing if the values say as much; NULL: they do. */
	void (*add_text)(const struct run_sets *sets, size_t set, struct buffer *out);
	const char *advice;
	bool (*applies)(const struct run_sets *sets); /* the advice; NULL: always */
} fact_rows[COMPARED_FACTS] = {
    [FACT_ACCELERATOR] = {.advice = "tcg translates each instruction, which takes many times as long: latencies, "
				    "slices and rates depend on the machine more than on the kernel.",
			  .applies = is_emulated},
    [FACT_ISOLATION] = {.advice = "Schedulers treat tasks with an affinity differently: record all sets with the same "
				  "choice, that of the kernel's own scheduler with --scheduler none."},
    [FACT_TUNABLES] = {.differ = tunables_differ,
		       .add_text = run_set_add_tunables,
		       .advice =
			   "A slice shorter than a tick (1 s / HZ) ends at a tick: below it, the tick decides how "
			   "long tasks run, and this setting changes deadlines and preemption by woken tasks only.",
		       .applies = run_sets_tick_decides},
    [FACT_SCALE] = {.advice = "The runs did different amounts of work: throughput includes how they start and end."},
    [FACT_MACHINE] = {.add_text = add_differing_words},
    [FACT_EARLIER_WORKLOADS] = {.differ = earlier_workloads_differ,
				.add_text = add_earlier_workloads,
				.advice = "They change the state in which a run begins: record all sets with the same "
					  "workloads, in the same order."},
};

const char *run_sets_fact_advice(const struct run_sets *sets, enum environment_fact fact)
{
	const struct fact_row *row = &fact_rows[fact];

	return !row->applies || row->applies(sets) ? row->advice : NULL;
}

/* The first digits show that hashes differ. */
static void shorten_hash(char *value)
{
	enum { HASH_MIN = 40, SHOWN = 12 };
	const size_t length = strlen(value);

	if (length >= HASH_MIN && strspn(value, "0123456789abcdef") == length)
		value[SHOWN] = '\0';
}

char *run_sets_fact_text(const struct run_sets *sets, size_t set, enum environment_fact fact)
{
	const struct run_set *shared = sets->count > 2 ? NULL : &sets->items[!set];
	char value[176];
	struct buffer text = {0};

	if (fact_rows[fact].add_text)
		fact_rows[fact].add_text(sets, set, &text);
	if (text.length)
		return text.data;
	run_set_fact(&sets->items[set], shared, fact, value, sizeof(value));
	shorten_hash(value);
	return xstrdup(value);
}

/* --- Differences --- */

bool run_sets_differ(const struct run_sets *sets, enum environment_fact fact)
{
	char texts[2][512];

	if (fact_rows[fact].differ)
		return fact_rows[fact].differ(sets);
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
	add_earlier_workloads(sets, set, &earlier);
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
