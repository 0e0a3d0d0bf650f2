/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/diff.h"

/* The two of a CPU. */
struct both {
	struct diff_cursor cursors[2];
	bool in_prefix;
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, "diff", "out of memory");
}

static uint64_t since(const struct diff *diff, int run, uint64_t ts_ns)
{
	return ts_ns - diff->runs[run].from_ns;
}

/* The two cursors stand at the same place: how far apart are their times? */
static void note_times(struct both *both)
{
	struct diff *diff = both->cursors[0].diff;
	uint64_t times[2];

	for (int i = 0; i < 2; i++)
		times[i] = since(diff, i, both->cursors[i].event.ts_ns);
	uint64_t drift = times[0] > times[1] ? times[0] - times[1] : times[1] - times[0];
	if (drift > diff->drift_most_ns)
		diff->drift_most_ns = drift;
	if (both->cursors[0].event.ts_ns != both->cursors[1].event.ts_ns)
		diff->times_differ = true;
}

static enum status next_a(void *context, uint64_t *symbol, struct error *err)
{
	struct both *both = context;
	enum status status = diff_cursor_next(&both->cursors[0], err);

	*symbol = both->cursors[0].symbol;
	return status;
}

/* Read behind A's, so that in the prefix both are at hand here. */
static enum status next_b(void *context, uint64_t *symbol, struct error *err)
{
	struct both *both = context;
	struct diff_cursor *cursors = both->cursors;
	enum status status = diff_cursor_next(&cursors[1], err);

	*symbol = cursors[1].symbol;
	if (status == STATUS_OK && both->in_prefix && !cursors[0].is_over && cursors[0].symbol == *symbol)
		note_times(both);
	return status;
}

static enum status note_parting(struct diff_cpu *cpu, const struct both *both, struct error *err)
{
	struct diff_parting *parting = &cpu->parting;

	for (int i = 0; i < 2; i++) {
		struct buffer words = {0};
		parting->has[i] = !both->cursors[i].is_over;
		if (!parting->has[i])
			continue;
		parting->ts_ns[i] = both->cursors[i].event.ts_ns;
		diff_cursor_words(&both->cursors[i], &words);
		snprintf(parting->words[i], sizeof(parting->words[i]), "%s", words.data ? words.data : "");
		bool failed = words.failed;
		buffer_free(&words);
		if (failed)
			return no_memory(err);
	}
	return STATUS_OK;
}

/* As large as is quick: time is at most events * window. */
static uint32_t window_for(const struct diff *diff, const struct diff_cpu *cpu)
{
	const uint64_t many = 60000;

	if (diff->options->window)
		return (uint32_t)diff->options->window;
	return diff->runs[0].counts[cpu->cpu] > many || diff->runs[1].counts[cpu->cpu] > many ? 1000 : EDIT_WINDOW_MOST;
}

static enum status compare_cpu(struct diff *diff, struct agreement_reader *reader, struct diff_cpu *cpu,
			       struct error *err)
{
	struct both both = {.in_prefix = true};
	const struct agreement_source sources[2] = {{next_a, &both}, {next_b, &both}};
	enum status status = STATUS_OK;

	for (int run = 0; run < 2 && status == STATUS_OK; run++)
		status = diff_cursor_open(diff, run, cpu->cpu, &both.cursors[run], err);
	reader->window = window_for(diff, cpu);
	if (status == STATUS_OK)
		status = agreement_prefix(reader, sources, &cpu->agreement, err);
	both.in_prefix = false;
	if (status == STATUS_OK && cpu->agreement.parted)
		status = note_parting(cpu, &both, err);
	if (status == STATUS_OK)
		status = agreement_rest(reader, &cpu->agreement, err);
	for (int run = 0; run < 2; run++)
		diff_cursor_close(&both.cursors[run]);
	return status;
}

/* When the first event that is another happens: in the trace that goes on, where one ends. */
static uint64_t parting_time(const struct diff *diff, const struct diff_cpu *cpu)
{
	uint64_t earliest = UINT64_MAX;

	for (int i = 0; i < 2; i++)
		if (cpu->parting.has[i] && since(diff, i, cpu->parting.ts_ns[i]) < earliest)
			earliest = since(diff, i, cpu->parting.ts_ns[i]);
	return earliest;
}

static bool has_cpu(const struct diff *diff, uint32_t cpu)
{
	return diff->runs[0].counts[cpu] || diff->runs[1].counts[cpu];
}

static enum status choose_cpus(struct diff *diff, struct error *err)
{
	uint32_t count = 0;

	for (uint32_t cpu = 0; cpu < TASK_CPUS_MOST; cpu++)
		count += has_cpu(diff, cpu);
	diff->cpus = calloc((size_t)count + 1, sizeof(*diff->cpus));
	if (!diff->cpus)
		return no_memory(err);
	for (uint32_t cpu = 0; cpu < TASK_CPUS_MOST; cpu++)
		if (has_cpu(diff, cpu))
			diff->cpus[diff->cpu_count++].cpu = cpu;
	return STATUS_OK;
}

enum status diff_compare(struct diff *diff, struct error *err)
{
	struct agreement_reader reader;
	enum status status = choose_cpus(diff, err);

	if (!agreement_open(&reader, EDIT_WINDOW_MOST))
		status = no_memory(err);
	for (uint32_t i = 0; i < diff->cpu_count && status == STATUS_OK; i++) {
		struct diff_cpu *cpu = &diff->cpus[i];
		status = compare_cpu(diff, &reader, cpu, err);
		if (cpu->agreement.parted &&
		    (!diff->first || parting_time(diff, cpu) < parting_time(diff, diff->first)))
			diff->first = cpu;
	}
	agreement_close(&reader);
	return status;
}
