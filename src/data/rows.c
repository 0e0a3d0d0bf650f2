/* SPDX-License-Identifier: MIT */
#include "data/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "measure/trace_identity.h"

#define FLUSH_BYTES (((size_t)256 << 10) - 4096)

static enum status flush(struct rows *rows, struct error *err)
{
	enum status status = rows->put(rows->context, rows->trace, &rows->pending, rows->pending_count, err);

	buffer_clear(&rows->pending);
	rows->pending_count = 0;
	return status == STATUS_OK ? interrupt_check(err) : status;
}

bool rows_want(struct rows *rows, uint32_t count)
{
	struct dataset_trace *trace = rows->trace;
	const uint32_t kind = count - 1;

	if (rows->is_survey) {
		trace->rows += count;
		trace->decisions[kind]++;
		return false;
	}
	if (trace->rows_max >= trace->rows)
		return true;
	/* Knuth's Algorithm S: selects decisions_taken decisions in all, each with the same probability. */
	const double left = (double)(trace->decisions[kind] - rows->seen[kind]++);
	const double drawn = (double)python_random_word(&rows->random) / 4294967296.0;
	if (drawn * left >= (double)(trace->decisions_taken[kind] - rows->taken[kind]))
		return false;
	rows->taken[kind]++;
	return true;
}

enum status rows_add(struct rows *rows, struct dataset_row *row, uint32_t items, struct error *err)
{
	enum status status = STATUS_OK;

	rows->trace->rows += !rows->kind->has_roles;
	if (rows->take)
		status = rows->take(rows->context, row, err);
	if (!rows->put || status != STATUS_OK)
		return status;
	row_writer_add(&rows->writer, row, items, &rows->pending);
	rows->pending_count++;
	return rows->pending.length < FLUSH_BYTES ? STATUS_OK : flush(rows, err);
}

enum status rows_take_findings(struct rows *rows, const struct sched_source *source, uint64_t events, struct error *err)
{
	struct dataset_trace *trace = rows->trace;
	const struct ftrace_text *text = sched_source_text(source);
	const uint64_t overwritten = sched_source_overwritten(source);

	sched_source_losses(source, &trace->run.losses);
	if (overwritten)
		losses_add(&trace->run.losses, &(struct loss){.cpu = LOSS_CPU_UNKNOWN, .events = overwritten});
	if (text) {
		trace->malformed_lines = text->malformed_lines;
		trace->first_malformed_line = text->first_malformed_line;
	} else {
		trace->corrected_times = sched_source_backwards(source, &trace->max_corrected_ns);
		trace->run.losses.incomplete = rows->input->trace.truncated;
		trace->skipped_buffers = rows->input->trace.skipped_buffers;
		trace->followed_only = rows->input->trace.followed_only;
	}
	const struct trace_identity identity = trace_identity_of_source(source, events, !trace->run.losses.incomplete);
	return trace_identity_check(&trace->run, &identity, err);
}

static enum status begin_pass(void *context, const struct pass *pass, struct error *err)
{
	return pass_need_all_tasks(pass, ((const struct rows *)context)->kind->plural, err);
}

static enum status end_pass(void *context, const struct pass *pass, struct error *err)
{
	struct rows *rows = context;

	rows->trace->switches = pass->trace.quality.switches;
	if (rows->is_survey)
		role_table_make(&rows->trace->roles, &pass->states);
	return rows_take_findings(rows, pass->run.source, pass->trace.quality.events, err);
}

enum status rows_read_pass(struct rows *rows,
			   enum status (*step)(void *context, const struct pass *pass, const struct sched_event *event,
					       const struct task_step *step, struct error *err),
			   struct error *err)
{
	const struct pass_consumer consumer = {.context = rows, .begin = begin_pass, .step = step, .end = end_pass};
	struct pass pass;
	const enum status status = pass_read_inputs(NULL, rows->input, 1, &consumer, &pass, err);

	pass_free(&pass);
	return status;
}

enum status rows_read(struct rows *rows, struct error *err)
{
	struct dataset_trace *trace = rows->trace;
	char weight[32];
	const struct trace_labels labels = {{
	    [LABEL_TRACE_ID] = trace->trace_id,
	    [LABEL_WORKLOAD] = trace->run.workload,
	    [LABEL_CATEGORY] = trace->run.category,
	    [LABEL_KERNEL] = trace->kernel,
	    [LABEL_SCHEDULER] = trace->scheduler,
	    [LABEL_BASE_SLICE] = trace->base_slice_ns,
	    [LABEL_SET] = trace->set_label,
	    [LABEL_WEIGHT] = weight,
	}};

	snprintf(weight, sizeof(weight), "%.6g", trace->weight);
	if (!rows->kind->has_roles || rows->is_survey) {
		trace->rows = 0;
		memset(trace->decisions, 0, sizeof(trace->decisions));
	}
	trace->counts = (union row_counts){.decisions.events = 0};
	rows->tracer_cpu = rows->include_tracer ? -1 : trace->run.metadata.host.tracer_cpu;
	/* Each trace has its own sample. */
	if (rows->kind->has_roles && trace->rows_max < trace->rows)
		python_random_seed(&rows->random, rows->seed ^ (int64_t)strtoul(trace->sha256 + 56, NULL, 16));
	if (rows->put)
		row_writer_begin(&rows->writer, rows->columns, &labels);
	enum status status = rows->kind->read(rows, err);
	if (status == STATUS_OK && rows->pending.length)
		status = flush(rows, err);
	buffer_free(&rows->pending);
	row_writer_free(&rows->writer);
	return status;
}
