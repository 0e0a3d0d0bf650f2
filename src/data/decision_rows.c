/* SPDX-License-Identifier: MIT */
#include "data/decision_rows.h"

#include "trace/pass.h"

struct reading {
	struct rows *rows;
	struct decisions decisions;
};

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	(void)context;
	return pass_need_all_tasks(pass, "decisions", err);
}

static enum status add_event(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct reading *reading = context;
	const struct decision *decision = decisions_step(&reading->decisions, &pass->states, event, step);
	struct dataset_row row = {
	    .event = event,
	    .decision = decision,
	    .states = &pass->states,
	    .roles = &reading->rows->trace->roles,
	};

	return decision ? rows_add(reading->rows, &row, decision->listed, err) : STATUS_OK;
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	(void)err;
	rows_end_trace(reading->rows, pass);
	reading->rows->trace->counts.decisions = reading->decisions.counts;
	return STATUS_OK;
}

static enum status read(struct rows *rows, bool of_moves, struct error *err)
{
	const struct run_host *host = &rows->trace->run.metadata.host;
	struct reading reading = {
	    .rows = rows,
	    .decisions = {.tracer_cpu = rows->include_tracer ? -1 : host->tracer_cpu,
			  .include_tracer = rows->include_tracer,
			  .of_moves = of_moves},
	};
	const struct pass_consumer consumer = {
	    .context = &reading, .begin = begin_trace, .step = add_event, .end = end_trace};
	struct pass pass;

	const enum status status = pass_read_inputs(NULL, rows->input, 1, &consumer, &pass, err);
	pass_free(&pass);
	decisions_free(&reading.decisions);
	return status;
}

enum status pick_rows_read(struct rows *rows, struct error *err)
{
	return read(rows, false, err);
}

enum status move_rows_read(struct rows *rows, struct error *err)
{
	return read(rows, true, err);
}
