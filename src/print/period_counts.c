/* SPDX-License-Identifier: MIT */
#include "print/period_counts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/output_stream.h"
#include "measure/migration_periods.h"
#include "measure/migration_reader.h"
#include "print/analysis_print.h"

struct periods {
	struct output_stream sink;
	struct migration_periods periods;
	uint32_t *cpus;
	bool has_begun;
};

static enum status choose_cpus(struct periods *counting, const struct pass *pass, struct error *err)
{
	const struct sched_stream *stream = sched_source_stream(pass->run.source);
	const struct tracedat *trace = stream ? sched_stream_trace(stream) : NULL;
	uint32_t highest = 0;

	if (!(counting->periods.fields & (PERIOD_CPUS | PERIOD_CPU_PAIRS)))
		return STATUS_OK;
	if (!trace && pass->all_cpus) {
		error_set(err, STATUS_USAGE, pass->run.path, "a text trace does not record the number of CPUs");
		return error_remedy(err, "name the CPUs, such as --cpu 0-3");
	}
	for (size_t i = 0; trace && i < trace->cpu_count; i++)
		if (trace->cpus[i].cpu >= highest && trace->cpus[i].cpu < TASK_CPUS_MAX)
			highest = trace->cpus[i].cpu + 1;
	if (!trace)
		highest = TASK_CPUS_MAX;
	counting->cpus = xcalloc(highest + 1, sizeof(*counting->cpus));
	for (uint32_t cpu = 0; cpu < highest; cpu++)
		if (pass_wants_cpu(pass, cpu))
			counting->cpus[counting->periods.cpu_count++] = cpu;
	counting->periods.cpus = counting->cpus;
	return STATUS_OK;
}

/* The first period starts with the window. */
static enum status need_begun(struct periods *counting, const struct pass *pass, struct error *err)
{
	if (counting->has_begun)
		return STATUS_OK;
	counting->has_begun = true;
	enum status status = migration_periods_begin(&counting->periods, pass->states.window_ns, err);
	if (status == STATUS_OK)
		migration_periods_header(&counting->periods, 0, &counting->sink.pending);
	return status;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct periods *counting = context;

	if (pass->run.number)
		return error_set(err, STATUS_USAGE, NULL,
				 "--period takes one trace, since each trace has its own clock; run it once per trace");
	return choose_cpus(counting, pass, err);
}

static enum status check_reach(const struct periods *counting, uint64_t ts_ns, struct error *err)
{
	if (migration_periods_reach(&counting->periods, ts_ns))
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, NULL,
			 "--period makes more than a hundred million lines; use a longer period");
}

static enum status count_migration(void *context, const struct pass *pass, const struct migration *migration,
				   struct error *err)
{
	struct periods *counting = context;
	enum status status = need_begun(counting, pass, err);

	if (status == STATUS_OK)
		status = check_reach(counting, migration->ts_ns, err);
	if (status != STATUS_OK)
		return status;
	migration_periods_add(&counting->periods, migration, &counting->sink.pending);
	return output_stream_write_if_full(&counting->sink, err);
}

static enum status count_lost(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct periods *counting = context;

	(void)step;
	if (event->kind != SCHED_LOST)
		return STATUS_OK;
	enum status status = need_begun(counting, pass, err);
	if (status == STATUS_OK)
		status = check_reach(counting, event->ts_ns, err);
	if (status != STATUS_OK)
		return status;
	migration_periods_until(&counting->periods, event->ts_ns, &counting->sink.pending);
	/* A loss of unknown size counts as one. */
	migration_periods_lost(&counting->periods, event->lost.count_known ? event->lost.count : 1);
	return output_stream_write_if_full(&counting->sink, err);
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct periods *counting = context;
	enum status status = need_begun(counting, pass, err);

	if (status == STATUS_OK)
		status = check_reach(counting, pass->states.last_ns, err);
	if (status == STATUS_OK)
		migration_periods_end(&counting->periods, pass->states.last_ns, &counting->sink.pending);
	return status;
}

enum status period_counts_print(uint64_t period_ms, unsigned int fields, const struct pass_options *options,
				const struct operands *operands, struct pass *pass, struct error *err)
{
	struct periods counting = {.periods = {.period_ms = period_ms, .fields = fields}};
	struct migration_reader reader = {.consumer = {.pass = {.context = &counting,
								.begin = begin_trace,
								.step = count_lost,
								.end = end_trace,
								.warn = analysis_warn},
						       .take = count_migration}};
	char verdict[512];
	enum status status = output_stream_open(&counting.sink, options->output ? options->output : "-", err);

	if (status != STATUS_OK)
		return status;
	status = migration_reader_read(&reader, options, operands->items, operands->count, pass, err);
	migration_periods_free(&counting.periods);
	free(counting.cpus);
	if (status != STATUS_OK) {
		output_stream_discard(&counting.sink);
		return status;
	}
	pass_summary_text(pass, verdict, sizeof(verdict));
	message_info("%s", verdict);
	return output_stream_finish(&counting.sink, err);
}
