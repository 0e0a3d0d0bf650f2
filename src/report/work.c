/* SPDX-License-Identifier: MIT */
#include "report/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/run_reader.h"
#include "report/chart/chart.h"

/* Fine enough for the shortest window of a timeline. */
#define SWITCH_RATE_PART_NS 50000u

struct report_run {
	const struct report_work *work;
	const struct run *run;
	struct run_account account; /* of this run */
	struct descendants descendants;
	uint64_t cpu_switches[RUN_ACCOUNT_CPUS];
	uint64_t causes[MIGRATION_CAUSES];
	struct switch_rate *rate;
	uint64_t duration_ns;
	struct comm_table comms; /* of its tasks; without slots */
};

static enum status begin_run(void *context, const struct pass *pass, struct error *err)
{
	struct report_run *reading = context;

	(void)pass;
	(void)err;
	reading->descendants.roots = reading->run->roots;
	reading->descendants.root_count = reading->run->root_count;
	reading->account.descendants = reading->work->has_roots ? &reading->descendants : NULL;
	return STATUS_OK;
}

static void count_migration(void *context, const struct pass *pass, const struct migration *migration)
{
	struct report_run *reading = context;

	if (trace_scope_is_part(pass->states.scope)) /* some are missing */
		return;
	reading->causes[migration->cause]++;
	run_account_migration(&reading->account, migration->cause, migration->from_cpu, migration->to_cpu,
			      pass_since_start(pass, migration->ts_ns));
}

static void count_switch(struct switch_rate *rate, uint64_t since_start_ns)
{
	while (since_start_ns / rate->part_ns >= SWITCH_RATE_PARTS) {
		for (size_t i = 0; i < SWITCH_RATE_PARTS / 2; i++)
			rate->parts[i] = rate->parts[2 * i] + rate->parts[2 * i + 1];
		memset(rate->parts + SWITCH_RATE_PARTS / 2, 0, SWITCH_RATE_PARTS / 2 * sizeof(*rate->parts));
		rate->part_ns *= 2;
	}
	rate->parts[since_start_ns / rate->part_ns]++;
	rate->switches++;
}

static enum status step_accounts(void *context, const struct pass *pass, const struct sched_event *event,
				 const struct task_step *what, struct error *err)
{
	struct report_run *reading = context;

	if (event->kind == SCHED_SWITCH) {
		count_switch(reading->rate, pass_since_start(pass, event->ts_ns));
		if (event->cpu < RUN_ACCOUNT_CPUS)
			reading->cpu_switches[event->cpu]++;
	}
	(void)err;
	descendants_step(&reading->descendants, &pass->states, what);
	run_account_step(&reading->account, &pass->states, event, what);
	return STATUS_OK;
}

static enum status count_cut_slice(void *context, const struct pass *pass, const struct task_slice *slice,
				   struct error *err)
{
	struct report_run *reading = context;

	(void)err;
	run_account_slice(&reading->account, &pass->states, slice);
	return STATUS_OK;
}

static enum status end_run(void *context, const struct pass *pass, struct error *err)
{
	struct report_run *reading = context;
	const struct comm_table *comms = &pass->states.comms;

	(void)err;
	reading->duration_ns = pass_end(pass);
	run_account_end(&reading->account, &pass->states, pass->states.last_ns, reading->duration_ns);
	reading->comms.comms = xcalloc(comms->count + 1, sizeof(*comms->comms));
	if (comms->count)
		memcpy(reading->comms.comms, comms->comms, comms->count * sizeof(*comms->comms));
	reading->comms.count = comms->count;
	return STATUS_OK;
}

enum status report_run_read(const struct report_work *work, struct run *run, struct input *input,
			    struct report_run **read, struct error *err)
{
	struct report_run *reading = *read = xcalloc(1, sizeof(*reading));

	reading->work = work;
	reading->run = run;
	reading->rate = xcalloc(1, sizeof(*reading->rate));
	reading->rate->part_ns = SWITCH_RATE_PART_NS;
	const struct run_listener listener = {.consumer = {.context = reading,
							   .step = step_accounts,
							   .cut = count_cut_slice,
							   .begin = begin_run,
							   .end = end_run},
					      .migration = count_migration};
	return run_read(run, input, &listener, err);
}

void report_run_free(struct report_run *read)
{
	if (!read)
		return;
	run_account_free(&read->account);
	descendants_free(&read->descendants);
	comm_table_free(&read->comms);
	free(read->rate);
	free(read);
}

void report_work_add(struct report_work *work, struct report_names *names, uint32_t set, const struct run *run,
		     struct report_run *read)
{
	if (work->runs++ == 0) {
		work->first_ns = read->duration_ns;
		for (size_t i = 0; i < RUN_ACCOUNT_CPUS; i++)
			if (read->rate->busiest < read->cpu_switches[i])
				read->rate->busiest = read->cpu_switches[i];
		work->first = read->rate;
		read->rate = NULL;
	}
	for (size_t cause = 0; cause < MIGRATION_CAUSES; cause++)
		work->causes[cause] += read->causes[cause];
	run_account_add(&work->account, &read->account);
	report_names_add(names, set, &read->account, &read->comms, work->has_roots,
			 run->known ? run->known->task_names : NULL);
	report_run_free(read);
}

static int compare_counts(const void *a, const void *b)
{
	const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

/* Windows of this many parts, each half a window after the one before. Returns their number. */
static size_t count_windows(const struct switch_rate *rate, size_t run_parts, size_t parts, uint64_t *counts)
{
	size_t count = 0;

	for (size_t begin = 0; begin + parts <= run_parts; begin += parts / 2 + parts % 2) {
		counts[count] = 0;
		for (size_t i = begin; i < begin + parts; i++)
			counts[count] += rate->parts[i];
		count++;
	}
	return count;
}

/* The median of those that are not 0. */
static uint64_t median_count(const uint64_t *counts, size_t count)
{
	uint64_t *sorted = xcalloc(count + 1, sizeof(*sorted));
	size_t some = 0;

	for (size_t i = 0; i < count; i++)
		if (counts[i])
			sorted[some++] = counts[i];
	qsort(sorted, some, sizeof(*sorted), compare_counts);
	uint64_t median = some ? sorted[some / 2] : 0;
	free(sorted);
	return median;
}

uint64_t switch_rate_typical(const struct switch_rate *rate, uint64_t run_ns, uint64_t length_ns, uint64_t *from_ns)
{
	size_t run_parts = (size_t)(run_ns / rate->part_ns), parts = (size_t)(length_ns / rate->part_ns);

	run_parts = run_parts < SWITCH_RATE_PARTS ? run_parts : SWITCH_RATE_PARTS;
	parts = parts ? parts : 1;
	uint64_t *counts = xcalloc(run_parts + 1, sizeof(*counts));
	size_t count = count_windows(rate, run_parts, parts, counts), best = count / 2;
	uint64_t median = median_count(counts, count);
	for (size_t step = 0; step < count; step++) {
		size_t at = step % 2 ? count / 2 - (step + 1) / 2 : count / 2 + step / 2;
		uint64_t off = counts[at] > median ? counts[at] - median : median - counts[at];
		uint64_t best_off = counts[best] > median ? counts[best] - median : median - counts[best];
		best = off < best_off ? at : best;
	}
	*from_ns = (uint64_t)best * (parts / 2 + parts % 2) * rate->part_ns;
	free(counts);
	return median;
}

static enum status keep_slice(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	struct report_window *window = context;
	uint64_t start = pass_since_start(pass, slice->start_ns);
	uint64_t end = pass_since_start(pass, slice->end_ns);

	(void)err;
	if (end <= window->from_ns || start >= window->to_ns || end == start || window->is_full ||
	    pass->states.tasks[slice->task].is_idle)
		return STATUS_OK;
	window->slices = array_grow(window->slices, &window->capacity, window->count + 1, sizeof(*window->slices));
	window->slices[window->count++] = (struct report_slice){
	    .start_ns = start > window->from_ns ? start : window->from_ns,
	    .end_ns = end < window->to_ns ? end : window->to_ns,
	    .task = slice->task,
	    .comm = slice->comm,
	    .cpu = slice->cpu,
	    .how = slice->cpu < RUN_ACCOUNT_CPUS && start >= window->from_ns ? window->how[slice->cpu] : 0,
	};
	if (window->count == REPORT_SLICES_MAX && end < window->to_ns) {
		window->is_full = true;
		window->to_ns = end;
	}
	return STATUS_OK;
}

static enum status keep_slices(void *context, const struct pass *pass, const struct sched_event *event,
			       const struct task_step *what, struct error *err)
{
	struct report_window *window = context;

	for (unsigned int i = 0; i < what->slice_count; i++)
		keep_slice(context, pass, &what->slices[i], err);
	if (what->changes & STEP_RUN && event->cpu < RUN_ACCOUNT_CPUS)
		window->how[event->cpu] = 0;
	if (what->changes & STEP_WAIT && what->wait.cpu < RUN_ACCOUNT_CPUS)
		window->how[what->wait.cpu] = what->wait.cause <= WAIT_NEW ? CHART_WOKEN : 0;
	/* The end of the window cuts slices that still run. */
	return pass_since_start(pass, event->ts_ns) >= window->to_ns ? STATUS_END : STATUS_OK;
}

enum status report_window_read(struct report_window *window, struct input *input, uint64_t from_ns, uint64_t to_ns,
			       struct error *err)
{
	const struct pass_consumer consumer = {.context = window, .step = keep_slices, .cut = keep_slice};

	window->from_ns = from_ns;
	window->to_ns = to_ns;
	return pass_read_inputs(NULL, input, 1, &consumer, &window->pass, err);
}

void report_work_free(struct report_work *work)
{
	run_account_free(&work->account);
	free(work->first);
	free(work->window.slices);
	pass_free(&work->window.pass);
}
