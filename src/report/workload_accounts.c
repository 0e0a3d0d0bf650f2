/* SPDX-License-Identifier: MIT */
#include "report/workload_accounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "trace/migration_feed.h"

struct reading {
	struct report_work *work;
	const struct recorded_run *const *runs;
	struct migration_feed feed;
	uint64_t cpu_switches[RUN_ACCOUNT_CPUS]; /* in the first run */
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot count so many tasks");
}

static enum status begin(void *context, const struct analysis *analysis, struct error *err)
{
	struct reading *reading = context;
	const struct sched_stream *stream = sched_source_stream(analysis->run.source);

	reading->work->descent.roots = reading->runs[analysis->run.number]->roots;
	reading->work->descent.root_count = reading->runs[analysis->run.number]->root_count;
	migration_feed_close(&reading->feed);
	return migration_feed_open(&reading->feed, stream ? sched_stream_trace(stream) : NULL, NULL, false, err);
}

static void take_migrations(struct reading *reading, const struct analysis *analysis)
{
	struct migration migration;

	while (migrations_next(reading->feed.migrations, &migration)) {
		reading->work->causes[migration.cause]++;
		run_account_migration(&reading->work->account, migration.cause, migration.from_cpu, migration.to_cpu,
				      analysis_since_start(analysis, migration.ts_ns));
	}
}

static enum status step(void *context, const struct analysis *analysis, const struct sched_event *event,
			const struct task_step *what, struct error *err)
{
	struct reading *reading = context;
	struct migration_moment moment;

	if (event->kind == SCHED_SWITCH && analysis->run.number == 0 && event->cpu < RUN_ACCOUNT_CPUS)
		reading->cpu_switches[event->cpu]++;
	if (!descent_step(&reading->work->descent, &analysis->machine, what) ||
	    !run_account_step(&reading->work->account, &analysis->machine, event, what))
		return no_memory(err);
	if (!migration_moment_of(&analysis->machine, event, what, &moment))
		return STATUS_OK;
	enum status status =
	    migration_feed_event(&reading->feed, sched_source_stream(analysis->run.source), event, &moment, err);
	if (status == STATUS_OK)
		take_migrations(reading, analysis);
	return status;
}

static enum status cut(void *context, const struct analysis *analysis, const struct task_slice *slice,
		       struct error *err)
{
	struct reading *reading = context;

	return run_account_slice(&reading->work->account, &analysis->machine, slice) ? STATUS_OK : no_memory(err);
}

static enum status end(void *context, const struct analysis *analysis, struct error *err)
{
	struct reading *reading = context;
	struct report_work *work = reading->work;
	uint64_t duration = analysis_end(analysis);

	migrations_end(reading->feed.migrations);
	take_migrations(reading, analysis);
	if (analysis->run.number == 0) {
		work->first_ns = duration;
		for (size_t i = 0; i < RUN_ACCOUNT_CPUS; i++)
			if (work->first_switches < reading->cpu_switches[i])
				work->first_switches = reading->cpu_switches[i];
	}
	return run_account_end(&work->account, &analysis->machine, analysis->machine.last_ns, duration)
		   ? STATUS_OK
		   : no_memory(err);
}

static const struct analysis_options whole = {0};

enum status report_work_read(struct report_work *work, const struct recorded_run *const *runs, size_t count,
			     struct error *err)
{
	struct reading reading = {.work = work, .runs = runs};
	const struct analysis_consumer consumer = {
	    .context = &reading, .step = step, .cut = cut, .begin = begin, .end = end};
	char **paths = calloc(count, sizeof(*paths));
	const struct operands traces = {.items = paths, .count = count};

	if (!paths)
		return no_memory(err);
	work->is_told = true;
	for (size_t i = 0; i < count; i++) {
		paths[i] = runs[i]->path;
		work->is_told = work->is_told && runs[i]->root_count;
	}
	work->account.descent = work->is_told ? &work->descent : NULL;
	work->first_path = paths[0];
	enum status status = analysis_read(&whole, &traces, &consumer, &work->analysis, err);
	migration_feed_close(&reading.feed);
	free(paths);
	return status;
}

static enum status keep_slice(void *context, const struct analysis *analysis, const struct task_slice *slice,
			      struct error *err)
{
	struct report_window *window = context;
	uint64_t start = analysis_since_start(analysis, slice->start_ns);
	uint64_t end = analysis_since_start(analysis, slice->end_ns);

	if (end <= window->from_ns || start >= window->to_ns || end == start || window->is_full ||
	    analysis->machine.tasks[slice->task].is_idle)
		return STATUS_OK;
	if (window->count == window->capacity) {
		uint32_t capacity = window->capacity ? window->capacity * 2 : 256;
		struct report_slice *slices = realloc(window->slices, capacity * sizeof(*slices));
		if (!slices)
			return no_memory(err);
		window->slices = slices;
		window->capacity = capacity;
	}
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

static enum status keep_slices(void *context, const struct analysis *analysis, const struct sched_event *event,
			       const struct task_step *what, struct error *err)
{
	struct report_window *window = context;
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < what->slice_count && status == STATUS_OK; i++)
		status = keep_slice(context, analysis, &what->slices[i], err);
	if (what->what & STEP_RUN && event->cpu < RUN_ACCOUNT_CPUS)
		window->how[event->cpu] = 0;
	if (what->what & STEP_WAIT && what->wait.cpu < RUN_ACCOUNT_CPUS)
		window->how[what->wait.cpu] = what->wait.cause <= WAIT_NEW ? CHART_WOKEN : 0;
	/* What still runs then comes as cut by the end. */
	if (status == STATUS_OK && analysis_since_start(analysis, event->ts_ns) >= window->to_ns)
		return STATUS_END;
	return status;
}

enum status report_window_read(struct report_window *window, const char *trace, uint64_t from_ns, uint64_t to_ns,
			       struct error *err)
{
	char *items[] = {(char *)trace, NULL};
	const struct operands one = {.items = items, .count = 1};
	const struct analysis_consumer consumer = {.context = window, .step = keep_slices, .cut = keep_slice};

	window->from_ns = from_ns;
	window->to_ns = to_ns;
	return analysis_read(&whole, &one, &consumer, &window->analysis, err);
}

void report_work_free(struct report_work *work)
{
	run_account_free(&work->account);
	descent_free(&work->descent);
	free(work->window.slices);
	analysis_free(&work->window.analysis);
	analysis_free(&work->analysis);
}
