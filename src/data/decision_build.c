/* SPDX-License-Identifier: MIT */
#include "data/decision_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/ordered.h"
#include "data/decision_metadata.h"
#include "data/notice.h"
#include "data/weights.h"

#define PENDING_BYTES ((size_t)1 << 20)

struct decision_building {
	const struct decision_request *request;
	const struct dataset_listener *listener;
	struct decision_traces traces;
	struct split split;
	size_t *placed; /* index in traces of each trace that is not left out */
	size_t placed_count, done;
	struct output output;
	struct novelty novelty;
	/* The current trace: */
	const struct decision_trace *trace;
	struct decision_writer writer;
	struct buffer pending;
	uint64_t pending_rows;
};

static void report_progress(const struct decision_building *building, const struct decision_trace *trace)
{
	if (building->listener && building->listener->progress)
		building->listener->progress(trace->run.id, building->done, 2 * building->traces.count,
					     building->output.files[OUTPUT_ALL].rows);
}

static enum status check_failed(const struct decision_building *building, struct error *err)
{
	const struct decision_trace *first = NULL;
	char failure[RUN_FAILURE_SIZE];
	size_t failed = 0;

	for (size_t i = building->traces.count; i > 0; i--) {
		const struct decision_trace *trace = &building->traces.items[i - 1];
		if (!run_failure(&trace->run.metadata, failure))
			continue;
		first = trace;
		failed++;
	}
	if (!first || building->request->common.allow_failed)
		return STATUS_OK;
	return run_refuse_failed(first->run.path, failure, failed, err);
}

static enum status survey_trace(void *context, size_t item, void **result, struct error *err)
{
	const struct decision_building *building = context;
	enum status status = interrupt_check(err);

	(void)result;
	if (status != STATUS_OK)
		return status;
	return decision_trace_read(&building->traces.items[item], building->request->common.allow_lossy,
				   building->request->include_tracer, NULL, err);
}

static enum status count_surveyed(void *context, size_t item, void *result, enum status made, struct error *err)
{
	struct decision_building *building = context;

	(void)result;
	(void)err;
	report_progress(building, &building->traces.items[item]);
	building->done++;
	return made;
}

static enum status survey(struct decision_building *building, struct error *err)
{
	const struct ordered_work work = {.context = building, .make = survey_trace, .take = count_surveyed};

	return ordered_run(&work, building->traces.count, building->request->common.jobs, err);
}

static void report_left_out(const struct decision_building *building)
{
	uint64_t rows = 0;
	size_t traces = 0;

	for (size_t i = 0; i < building->traces.count; i++) {
		const struct decision_trace *trace = &building->traces.items[i];
		traces += trace->left_out;
		rows += trace->left_out ? trace->counts.decisions : 0;
	}
	if (traces)
		notice_information(building->listener,
				   "--max-rows-per-workload: %zu of %zu traces left out, with %" PRIu64 " rows", traces,
				   building->traces.count, rows);
}

/* Draws the group that is held out, and splits the traces that are not left out. */
static enum status make_split(struct decision_building *building, struct error *err)
{
	struct decision_traces *traces = &building->traces;
	const struct decision_request *request = building->request;
	enum status status = decision_traces_hold_out(traces, request->hold_out, request->common.seed, err);
	if (request->common.no_unseen_split && !request->hold_out)
		traces->unseen = SPLIT_NO_CATEGORY;
	size_t *group_of = xcalloc(traces->count + 1, sizeof(*group_of));

	building->placed = xcalloc(traces->count + 1, sizeof(*building->placed));
	for (size_t i = 0; i < traces->count; i++) {
		if (traces->items[i].left_out)
			continue;
		group_of[building->placed_count] = traces->items[i].group;
		building->placed[building->placed_count++] = i;
	}
	split_without(group_of, building->placed_count, traces->group_count, request->common.seed,
		      request->common.train_ratio, traces->unseen, &building->split);
	free(group_of);
	return status;
}

static enum status flush(struct decision_building *building, struct error *err)
{
	enum status status = STATUS_OK;

	if (building->pending_rows)
		status = output_rows(&building->output, building->trace->part, &building->pending,
				     building->pending_rows, err);
	buffer_clear(&building->pending);
	building->pending_rows = 0;
	report_progress(building, building->trace);
	return status == STATUS_OK ? interrupt_check(err) : status;
}

static void note_novelty(struct decision_building *building, const struct decision *decision,
			 const struct sched_event *event)
{
	const struct sched_comm *prev_name = &event->switched.prev.comm, *next_name = &event->switched.next.comm;
	const struct role_table *roles = &building->trace->roles;
	const char *prev_role = decision->prev_known ? role_of(roles, decision->prev) : "idle";
	const char *next_role = role_of(roles, decision->chosen_task);
	const struct novelty_text names[] = {{prev_name->bytes, prev_name->length},
					     {next_name->bytes, next_name->length}};
	const struct novelty_text texts[] = {{prev_role, strlen(prev_role)}, {next_role, strlen(next_role)}};

	novelty_add(&building->novelty, building->trace->part, NOVELTY_NAME, &names[0], &names[1]);
	novelty_add(&building->novelty, building->trace->part, NOVELTY_ROLE, &texts[0], &texts[1]);
}

static enum status take_row(void *context, const struct decision *decision, const struct sched_event *event,
			    const struct task_states *states, struct error *err)
{
	struct decision_building *building = context;

	const struct decision_row row = {decision, event, states, &building->trace->roles};

	decision_add_row(&building->writer, &row, &building->pending);
	building->pending_rows++;
	note_novelty(building, decision, event);
	return building->pending.length >= PENDING_BYTES ? flush(building, err) : STATUS_OK;
}

static enum status write_trace(struct decision_building *building, struct decision_trace *trace, struct error *err)
{
	const struct decision_consumer consumer = {take_row, building};
	char weight[32];
	const struct trace_labels labels = {
	    .trace_id = trace->trace_id,
	    .workload = trace->run.workload,
	    .category = trace->run.category,
	    .kernel = trace->kernel,
	    .scheduler = trace->scheduler,
	    .base_slice_ns = trace->base_slice_ns,
	    .weight = weight,
	};

	snprintf(weight, sizeof(weight), "%.6g", trace->weight);
	building->trace = trace;
	decision_writer_begin(&building->writer, building->request->has_weights, &labels);
	enum status status = decision_trace_read(trace, building->request->common.allow_lossy,
						 building->request->include_tracer, &consumer, err);
	decision_writer_end(&building->writer);
	building->done++;
	return status == STATUS_OK ? flush(building, err) : status;
}

/* After the split. */
static void place_traces(struct decision_building *building)
{
	size_t place = 0;
	double min, max;

	for (unsigned int part = 0; part < SPLIT_PARTS; part++)
		for (size_t i = 0; i < building->split.count[part]; i++)
			building->traces.items[building->placed[building->split.order[place++]]].part =
			    (enum split_part)part;
	if (!building->request->has_weights)
		return;
	weights_set(&building->traces);
	weights_range(&building->traces, &min, &max);
	if (max > 0)
		notice_information(building->listener,
				   "--weights: each workload of a file counts the same, with weights of "
				   "%.3g to %.3g per row",
				   min, max);
}

static enum status write_traces(struct decision_building *building, struct error *err)
{
	enum status status = STATUS_OK;
	size_t place = 0;

	for (unsigned int part = 0; part < SPLIT_PARTS; part++)
		for (size_t i = 0; i < building->split.count[part] && status == STATUS_OK; i++) {
			struct decision_trace *trace =
			    &building->traces.items[building->placed[building->split.order[place++]]];
			status = write_trace(building, trace, err);
		}
	if (status != STATUS_OK || building->output.files[OUTPUT_ALL].rows > 0)
		return status;
	error_set(err, STATUS_UNSUPPORTED, building->request->common.output_directory,
		  "none of %zu traces holds a decision", building->traces.count);
	return error_remedy(err,
			    "decisions need sched_wakeup events besides sched_switch; record with picknext collect");
}

static void report_part(const struct decision_building *building, enum split_part part)
{
	for (unsigned int target = 0; target < NOVELTY_TARGETS; target++) {
		const struct novelty_part it = novelty_part(&building->novelty, part, (enum novelty_target)target);
		if (!it.rows)
			return;
		double rows = (double)it.rows / 100;
		notice_information(building->listener,
				   "%s: %.1f %% of the rows have a %s that train.csv lacks; a constant gets %.1f %%, "
				   "the last successor %.1f %%",
				   output_names[part], (double)it.unseen_rows / rows, novelty_target_names[target],
				   (double)it.constant_right / rows, (double)it.successor_right / rows);
		if (novelty_is_trivial(&it))
			notice_warning(
			    building->listener,
			    "%s: trivial for %s: a constant or the last successor is right in more than 95 %%",
			    output_names[part], novelty_target_names[target]);
	}
}

static enum status install(struct decision_building *building, struct error *err)
{
	const struct decision_metadata metadata = {building->request, &building->traces, &building->split,
						   &building->output, &building->novelty};
	struct buffer text = {0};

	decision_metadata_write(&metadata, &text);
	enum status status = output_install(&building->output, &text, err);
	buffer_free(&text);
	return status;
}

static void report_files(const struct decision_building *building, const struct output_file *files)
{
	const struct dataset_listener *listener = building->listener;

	for (size_t i = 0; i < OUTPUT_CSV_FILES && listener && listener->file; i++)
		listener->file(output_names[i], files[i].rows, files[i].bytes);
	for (size_t group = 0; group < building->traces.group_count && listener && listener->category; group++) {
		uint64_t traces = 0, rows = 0;
		for (size_t i = 0; i < building->traces.count; i++) {
			const struct decision_trace *trace = &building->traces.items[i];
			if (trace->group != group || trace->left_out)
				continue;
			traces++;
			rows += trace->counts.decisions;
		}
		listener->category(building->traces.groups[group], traces, rows, group == building->traces.unseen);
	}
}

static enum status write_dataset(struct decision_building *building, struct dataset_summary *summary, struct error *err)
{
	struct output_file files[OUTPUT_CSV_FILES];
	enum status status = write_traces(building, err);

	if (status != STATUS_OK) {
		output_discard(&building->output);
		return status;
	}
	memcpy(files, building->output.files, sizeof(files));
	*summary = (struct dataset_summary){
	    .traces = building->placed_count,
	    .events = files[OUTPUT_ALL].rows,
	    .train_events = files[SPLIT_TRAIN].rows,
	    .test_seen_events = files[SPLIT_TEST_SEEN].rows,
	    .test_unseen_events = files[SPLIT_TEST_UNSEEN].rows,
	};
	status = install(building, err);
	if (status != STATUS_OK)
		return status;
	report_files(building, files);
	for (size_t i = 0; i < (size_t)SPLIT_PARTS; i++)
		if (files[i].rows == 0)
			notice_information(building->listener, "%s has no rows, only its header", output_names[i]);
	report_part(building, SPLIT_TEST_SEEN);
	report_part(building, SPLIT_TEST_UNSEEN);
	return STATUS_OK;
}

static enum status prepare(struct decision_building *building, struct error *err)
{
	const struct decision_request *request = building->request;
	struct buffer header = {0};
	enum status status = decision_traces_find(request->directories, request->directory_count, building->listener,
						  &building->traces, err);

	if (status == STATUS_OK)
		status = check_failed(building, err);
	if (status == STATUS_OK)
		status = survey(building, err);
	if (status == STATUS_OK && request->rows_max) {
		decision_traces_balance(&building->traces, request->rows_max);
		report_left_out(building);
	}
	if (status == STATUS_OK)
		status = make_split(building, err);
	if (status == STATUS_OK)
		place_traces(building);
	decision_add_header(request->has_weights, &header);
	if (status == STATUS_OK)
		status = output_begin(&building->output, request->common.output_directory, &header, err);
	buffer_free(&header);
	return status;
}

enum status decision_build(const struct decision_request *request, const struct dataset_listener *listener,
			   struct dataset_summary *summary, struct error *err)
{
	struct decision_building building = {.request = request, .listener = listener};

	*summary = (struct dataset_summary){0};
	enum status status = prepare(&building, err);
	if (status == STATUS_OK)
		status = write_dataset(&building, summary, err);
	free(building.placed);
	buffer_free(&building.pending);
	novelty_free(&building.novelty);
	split_free(&building.split);
	decision_traces_free(&building.traces);
	return status;
}
