/* SPDX-License-Identifier: MIT */
#include "report/workload_accounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "analysis/migration_feed.h"

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

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;
	const struct sched_stream *stream = sched_source_stream(pass->run.source);

	reading->work->descendants.roots = reading->runs[pass->run.number]->roots;
	reading->work->descendants.root_count = reading->runs[pass->run.number]->root_count;
	migration_feed_close(&reading->feed);
	return migration_feed_open(&reading->feed, stream ? sched_stream_trace(stream) : NULL, NULL, false, err);
}

static void take_migrations(struct reading *reading, const struct pass *pass)
{
	struct migration migration;

	while (migrations_next(reading->feed.migrations, &migration)) {
		reading->work->causes[migration.cause]++;
		run_account_migration(&reading->work->account, migration.cause, migration.from_cpu, migration.to_cpu,
				      pass_since_start(pass, migration.ts_ns));
	}
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *what, struct error *err)
{
	struct reading *reading = context;
	struct migration_moment moment;

	if (event->kind == SCHED_SWITCH && pass->run.number == 0 && event->cpu < RUN_ACCOUNT_CPUS)
		reading->cpu_switches[event->cpu]++;
	if (!descendants_step(&reading->work->descendants, &pass->machine, what) ||
	    !run_account_step(&reading->work->account, &pass->machine, event, what))
		return no_memory(err);
	if (!migration_moment_of(&pass->machine, event, what, &moment))
		return STATUS_OK;
	enum status status =
	    migration_feed_event(&reading->feed, sched_source_stream(pass->run.source), event, &moment, err);
	if (status == STATUS_OK)
		take_migrations(reading, pass);
	return status;
}

static enum status cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	struct reading *reading = context;

	return run_account_slice(&reading->work->account, &pass->machine, slice) ? STATUS_OK : no_memory(err);
}

static enum status end(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;
	struct report_work *work = reading->work;
	uint64_t duration = pass_end(pass);

	migrations_end(reading->feed.migrations);
	take_migrations(reading, pass);
	if (pass->run.number == 0) {
		work->first_ns = duration;
		for (size_t i = 0; i < RUN_ACCOUNT_CPUS; i++)
			if (work->first_switches < reading->cpu_switches[i])
				work->first_switches = reading->cpu_switches[i];
	}
	return run_account_end(&work->account, &pass->machine, pass->machine.last_ns, duration) ? STATUS_OK
												: no_memory(err);
}

enum status report_work_read(struct report_work *work, const struct recorded_run *const *runs, size_t count,
			     struct error *err)
{
	struct reading reading = {.work = work, .runs = runs};
	const struct pass_consumer consumer = {
	    .context = &reading, .step = step, .cut = cut, .begin = begin, .end = end};
	char **paths = calloc(count, sizeof(*paths));

	if (!paths)
		return no_memory(err);
	work->is_told = true;
	for (size_t i = 0; i < count; i++) {
		paths[i] = runs[i]->path;
		work->is_told = work->is_told && runs[i]->root_count;
	}
	work->account.descendants = work->is_told ? &work->descendants : NULL;
	work->first_path = paths[0];
	enum status status = pass_read(NULL, paths, count, &consumer, &work->pass, err);
	migration_feed_close(&reading.feed);
	free(paths);
	return status;
}

static enum status keep_slice(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	struct report_window *window = context;
	uint64_t start = pass_since_start(pass, slice->start_ns);
	uint64_t end = pass_since_start(pass, slice->end_ns);

	if (end <= window->from_ns || start >= window->to_ns || end == start || window->is_full ||
	    pass->machine.tasks[slice->task].is_idle)
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
	if (window->count == REPORT_SLICES_MOST && end < window->to_ns) {
		window->is_full = true;
		window->to_ns = end;
	}
	return STATUS_OK;
}

static enum status keep_slices(void *context, const struct pass *pass, const struct sched_event *event,
			       const struct task_step *what, struct error *err)
{
	struct report_window *window = context;
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < what->slice_count && status == STATUS_OK; i++)
		status = keep_slice(context, pass, &what->slices[i], err);
	if (what->what & STEP_RUN && event->cpu < RUN_ACCOUNT_CPUS)
		window->how[event->cpu] = 0;
	if (what->what & STEP_WAIT && what->wait.cpu < RUN_ACCOUNT_CPUS)
		window->how[what->wait.cpu] = what->wait.cause <= WAIT_NEW ? CHART_WOKEN : 0;
	/* What still runs then comes as cut by the end. */
	if (status == STATUS_OK && pass_since_start(pass, event->ts_ns) >= window->to_ns)
		return STATUS_END;
	return status;
}

enum status report_window_read(struct report_window *window, const char *trace, uint64_t from_ns, uint64_t to_ns,
			       struct error *err)
{
	char *path = (char *)trace;
	const struct pass_consumer consumer = {.context = window, .step = keep_slices, .cut = keep_slice};

	window->from_ns = from_ns;
	window->to_ns = to_ns;
	return pass_read(NULL, &path, 1, &consumer, &window->pass, err);
}

void report_work_free(struct report_work *work)
{
	run_account_free(&work->account);
	descendants_free(&work->descendants);
	free(work->window.slices);
	pass_free(&work->window.pass);
	pass_free(&work->pass);
}
