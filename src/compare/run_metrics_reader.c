/* SPDX-License-Identifier: MIT */
#include "compare/run_metrics_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/kernel_name.h"
#include "analysis/migration_feed.h"
#include "trace/pass.h"
#include "workloads/table.h"

static int compare_pids(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left;
	int32_t b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

/* The command, or the threads that record --pid was given. A flight recording begins after most of their children were
 * created, so it has no roots. */
static bool make_roots(struct recorded_run *run)
{
	const struct run_metadata *metadata = &run->metadata;
	const struct run_recording *recording = &metadata->recording;

	if (!metadata->document || recording->flight_s > 0)
		return true;
	run->roots = calloc(recording->thread_count + 1, sizeof(*run->roots));
	if (!run->roots)
		return false;
	if (metadata->command.pid)
		run->roots[run->root_count++] = metadata->command.pid;
	for (size_t i = 0; i < recording->thread_count; i++)
		run->roots[run->root_count++] = recording->threads[i];
	qsort(run->roots, run->root_count, sizeof(*run->roots), compare_pids);
	return true;
}

bool run_setting_make(struct recorded_run *run, struct run_setting *setting)
{
	const struct run_metadata *metadata = &run->metadata;
	const cpu_set_t *cpus = &metadata->host.cpus_workload;

	*setting = (struct run_setting){.throughput = metadata->work_per_second, .has_cpus = CPU_COUNT(cpus) > 0};
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			setting->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	run->has_metadata = metadata->document;
	run->host_wait_share = metadata->host_wait_share;
	return environment_describe(metadata, run->facts) && make_roots(run);
}

struct reading {
	struct recorded_run *run;
	struct run_metrics_scope scope;
	struct run_metrics_work *work;
	struct migration_feed feed;
	bool has_feed;
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot keep the figures of a run");
}

static bool take_fact(struct recorded_run *run, enum environment_fact fact, const char *text)
{
	if (run->facts[fact] || !*text)
		return true;
	run->facts[fact] = strdup(text);
	return run->facts[fact];
}

/* What nothing beside the trace says of where it was made, but it itself. */
static bool take_facts(struct recorded_run *run, const struct tracedat *trace)
{
	struct kernel_name kernel;

	kernel_name_parse(trace->uname, &kernel);
	return take_fact(run, FACT_KERNEL, kernel.release) && take_fact(run, FACT_ARCHITECTURE, kernel.machine) &&
	       take_fact(run, FACT_TRACE_CLOCK, trace->clock);
}

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;
	const struct sched_stream *stream = sched_source_stream(pass->run.source);

	reading->work = run_metrics_begin(&reading->scope);
	if (!reading->work || (stream && !take_facts(reading->run, sched_stream_trace(stream))))
		return no_memory(err);
	enum status status =
	    migration_feed_open(&reading->feed, stream ? sched_stream_trace(stream) : NULL, NULL, false, err);
	reading->has_feed = status == STATUS_OK;
	return status;
}

static void take_migrations(struct reading *reading, const struct pass *pass)
{
	struct migration migration;

	while (migrations_next(reading->feed.migrations, &migration))
		run_metrics_migration(reading->work, &pass->machine, &migration);
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *what, struct error *err)
{
	struct reading *reading = context;
	struct migration_moment moment;

	if (!run_metrics_step(reading->work, &pass->machine, event, what))
		return no_memory(err);
	if (!migration_moment_of(&pass->machine, event, what, &moment))
		return STATUS_OK;
	enum status status =
	    migration_feed_event(&reading->feed, sched_source_stream(pass->run.source), event, &moment, err);
	take_migrations(reading, pass);
	return status;
}

static enum status cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	struct reading *reading = context;

	return run_metrics_cut(reading->work, &pass->machine, slice) ? STATUS_OK : no_memory(err);
}

static enum status end(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	(void)err;
	migrations_end(reading->feed.migrations);
	take_migrations(reading, pass);
	return STATUS_OK;
}

static void take_quality(const struct pass *pass, struct recorded_run *run)
{
	const struct pass_summary *quality = &pass->summary;

	run->events = quality->events;
	run->grade = quality->grade;
	run->is_lossy = quality->lossy_runs || quality->truncated_runs || quality->lost_events;
	if (quality->grade != QUALITY_GOOD)
		snprintf(run->finding, sizeof(run->finding), "%s", quality->worst.text);
}

enum status run_read(struct recorded_run *run, const struct run_setting *setting, struct error *err)
{
	const struct workload *workload = workload_find(run->workload);
	struct reading reading = {.run = run,
				  .scope = {
				      .task_names = workload ? workload->task_names : NULL,
				      .roots = run->roots,
				      .root_count = run->root_count,
				      .cpus = setting->has_cpus ? setting->cpus : NULL,
				      .throughput = setting->throughput,
				  }};
	const struct pass_consumer consumer = {
	    .context = &reading, .begin = begin, .step = step, .cut = cut, .end = end};
	struct pass pass;
	enum status status = pass_read(NULL, &run->path, 1, &consumer, &pass, err);

	if (!run_metrics_end(reading.work, &pass.machine, status == STATUS_OK ? &run->metrics : NULL) &&
	    status == STATUS_OK)
		status = no_memory(err);
	if (status == STATUS_OK)
		take_quality(&pass, run);
	if (reading.has_feed)
		migration_feed_close(&reading.feed);
	pass_free(&pass);
	return status;
}
