/* SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include "data/metadata.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/ordered.h"
#include "data/rows.h"
#include "trace/format/tracedat.h"
#include "trace/format/tracedat_layout.h"

#define PROGRESS_INTERVAL_NS 100000000u

static void warn_lossy(const struct build *build, const struct dataset_trace *trace)
{
	struct buffer text = {0};

	losses_describe(&trace->run.losses, &text);
	dataset_notice(build->request, MESSAGE_WARNING, "%s: lost %s; %s", trace->run.path,
		       text.data ? text.data : "events",
		       (build->request->allowed & ALLOW_LOSSY) ? "included, and listed in dataset_meta.json"
							       : "record it again with a larger --buffer-size");
	buffer_free(&text);
}

/* Checks the losses that the metadata report before the build starts, so that the user can record all these traces
 * again at once. */
static enum status check_known_losses(const struct build *build, struct error *err)
{
	const struct dataset_trace *first = NULL;
	size_t lossy = 0;

	for (size_t i = 0; i < build->traces.count; i++) {
		if (!losses_any(&build->traces.items[i].run.losses))
			continue;
		first = first ? first : &build->traces.items[i];
		lossy++;
	}
	if (!first || (build->request->allowed & ALLOW_LOSSY))
		return STATUS_OK;
	for (size_t i = 0; i < build->traces.count && lossy > 1; i++)
		if (losses_any(&build->traces.items[i].run.losses))
			warn_lossy(build, &build->traces.items[i]);
	return trace_refuse_lossy(first, err);
}

static enum status check_failed(const struct build *build, struct error *err)
{
	const struct dataset_trace *first = NULL;
	size_t failed = 0;

	for (size_t i = build->traces.count; i > 0; i--) {
		if (!build->traces.items[i - 1].failure)
			continue;
		first = &build->traces.items[i - 1];
		failed++;
	}
	if (!first || (build->request->allowed & ALLOW_FAILED))
		return STATUS_OK;
	return run_refuse_failed(first->run.path, first->failure, failed, err);
}

static void report_progress(struct build *build, const struct dataset_trace *trace)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	char id[256];

	if (now_ns - build->shown_at_ns < PROGRESS_INTERVAL_NS)
		return;
	build->shown_at_ns = now_ns;
	escape_line(trace->run.id, strlen(trace->run.id), id, sizeof(id));
	message_progress("trace %zu of %zu: %s, %" PRIu64 " rows", build->done + 1, build->to_do, id,
			 build->output.files[OUTPUT_ALL].rows);
}

/* NAME.txt is a text trace, NAME.dat a trace.dat, whatever is in them. */
static enum status open_trace(const struct run *run, struct input *input, struct error *err)
{
	*input = (struct input){.name = run->path, .kind = run->is_text ? INPUT_TEXT : INPUT_DAT};
	enum status status = file_map(run->path, &input->file, err);
	if (status != STATUS_OK)
		return status;
	const uint8_t *bytes = input->file.bytes;
	const size_t length = input->file.length;
	if (!run->is_text)
		status = input_parse_dat(input, err);
	else if (length >= TRACEDAT_MAGIC_SIZE && memcmp(bytes, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE) == 0)
		status = error_set(err, STATUS_UNSUPPORTED, run->path,
				   "is a trace.dat with the extension of a text trace; rename it to .dat");
	if (status != STATUS_OK)
		file_unmap(&input->file);
	return status;
}

static enum status read_rows(struct rows *rows, const struct build *build, struct error *err)
{
	struct input input;
	enum status status = open_trace(&rows->trace->run, &input, err);

	if (status != STATUS_OK)
		return status;
	rows->kind = build->request->kind;
	rows->input = &input;
	rows->columns = &build->columns;
	rows->include_tracer = build->request->include_tracer;
	rows->seed = build->request->seed;
	status = rows_read(rows, err);
	input_close(&input);
	return status;
}

/* --- The first pass --- */

static enum status survey_trace(void *context, size_t item, struct error *err)
{
	const struct build *build = context;
	struct rows rows = {.trace = &build->traces.items[item], .is_survey = true};
	enum status status = interrupt_check(err);

	return status == STATUS_OK ? read_rows(&rows, build, err) : status;
}

static enum status refuse_lossy(const struct build *build, const struct dataset_trace *trace, struct error *err)
{
	return losses_any(&trace->run.losses) && !(build->request->allowed & ALLOW_LOSSY)
		   ? trace_refuse_lossy(trace, err)
		   : STATUS_OK;
}

static enum status take_survey(void *context, size_t item, enum status made, struct error *err)
{
	struct build *build = context;
	const struct dataset_trace *trace = &build->traces.items[item];

	report_progress(build, trace);
	build->done++;
	return made == STATUS_OK ? refuse_lossy(build, trace, err) : made;
}

static void report_sample(const struct build *build)
{
	uint64_t rows = 0, taken = 0;

	for (size_t i = 0; i < build->traces.count; i++) {
		rows += build->traces.items[i].rows;
		taken += trace_rows_taken(&build->traces.items[i]);
	}
	if (taken < rows)
		dataset_notice(build->request, MESSAGE_INFO, "a sample of %" PRIu64 " of %" PRIu64 " rows is used",
			       taken, rows);
}

static enum status survey(struct build *build, struct error *err)
{
	const struct dataset_request *request = build->request;
	const struct ordered_work work = {.context = build, .make = survey_trace, .take = take_survey};

	build->to_do = build->traces.count;
	if (!request->kind->has_roles)
		return STATUS_OK;
	build->to_do *= 2;
	enum status status = ordered_run(&work, build->traces.count, request->jobs, err);
	if (status == STATUS_OK) {
		traces_limit_rows(&build->traces, request->workload_rows_max, request->trace_rows_max);
		report_sample(build);
	}
	return status;
}

/* --- The split --- */

static void place_traces(struct build *build)
{
	size_t place = 0;
	double min, max;

	for (size_t part = 0; part < SPLIT_PARTS; part++)
		for (size_t i = 0; i < build->split.count[part]; i++)
			build->traces.items[build->split.order[place++]].part = (enum split_part)part;
	if (!build->request->has_weights)
		return;
	traces_weigh(&build->traces, &min, &max);
	if (max > 0)
		dataset_notice(build->request, MESSAGE_INFO,
			       "--weights: each workload of a file counts the same, with weights of "
			       "%.3g to %.3g per row",
			       min, max);
}

static enum status make_split(struct build *build, struct error *err)
{
	const struct dataset_request *request = build->request;
	struct traces *traces = &build->traces;
	struct python_random random;

	python_random_seed(&random, request->seed);
	enum status status = traces_hold_out(traces, request->hold_out, request->no_unseen_split, &random, err);
	if (status != STATUS_OK)
		return status;
	size_t count, *like;
	size_t *strata = traces_strata(traces, request->kind->has_roles, &like, &count);
	split_traces(strata, like, traces->count, count, &random, request->train_ratio, &build->split);
	free(strata);
	free(like);
	place_traces(build);
	traces_warn_shared(request, traces);
	if (!request->kind->has_roles || (request->allowed & ALLOW_UNBALANCED))
		return STATUS_OK;
	return traces_refuse_unbalanced(traces, err);
}

/* --- The rows --- */

static struct dataset_trace *trace_at(const struct build *build, size_t place)
{
	return &build->traces.items[build->split.order[place]];
}

static enum status hand_on(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
			   struct error *err)
{
	(void)context;
	(void)trace;
	return ordered_hand_on(rows, count, err);
}

/* Passes the rows of a trace to the output. */
static enum status make_rows(void *context, size_t place, struct error *err)
{
	struct build *build = context;
	struct rows rows = {.trace = trace_at(build, place), .put = hand_on, .context = build};

	return read_rows(&rows, build, err);
}

static enum status take_rows(void *context, size_t place, const struct buffer *rows, uint64_t count, struct error *err)
{
	struct build *build = context;
	const struct dataset_trace *trace = trace_at(build, place);
	enum status status = output_rows(&build->output, trace->part, rows, count, err);

	report_progress(build, trace);
	return status;
}

/* Called after the rows of the trace were read. */
static enum status take_trace(void *context, size_t place, enum status made, struct error *err)
{
	struct build *build = context;
	const struct dataset_trace *trace = trace_at(build, place);

	report_progress(build, trace);
	build->done++;
	if (made == STATUS_OK)
		made = refuse_lossy(build, trace, err);
	if (made != STATUS_OK)
		return made;
	trace_report_findings(build->request, trace);
	if (losses_any(&trace->run.losses))
		warn_lossy(build, trace);
	return STATUS_OK;
}

static enum status read_traces(struct build *build, struct error *err)
{
	const struct dataset_request *request = build->request;
	const struct ordered_work work = {
	    .context = build,
	    .make = make_rows,
	    .take_rows = take_rows,
	    .take = take_trace,
	};

	enum status status = ordered_run(&work, build->traces.count, request->jobs, err);
	if (status != STATUS_OK || build->output.files[OUTPUT_ALL].rows > 0)
		return status;
	error_set(err, STATUS_UNSUPPORTED, request->output_directory, "none of %zu traces holds %s",
		  build->traces.count, request->kind->plural);
	return error_remedy(err, "%s", request->kind->remedy);
}

/* If test_seen.csv got no whole trace, moves the last training events there. */
static enum status fall_back(struct build *build, struct error *err)
{
	const struct output_file *files = build->output.files;

	if (build->request->kind->has_roles || files[SPLIT_TEST_SEEN].rows > 0 || files[SPLIT_TRAIN].rows == 0)
		return STATUS_OK;
	build->is_event_split = true;
	build->kept = split_share(files[SPLIT_TRAIN].rows, build->request->train_ratio);
	return output_cut_train(&build->output, build->kept, err);
}

/* --- The result --- */

/* With few runs, rounding makes the training share differ from --train-ratio. */
static void report_share(const struct build *build)
{
	const size_t train = build->split.count[SPLIT_TRAIN], all = train + build->split.count[SPLIT_TEST_SEEN];
	const double share = all ? 100.0 * (double)train / (double)all : 0, asked = 100 * build->request->train_ratio;

	if (all && fabs(share - asked) >= 1)
		dataset_notice(
		    build->request, MESSAGE_INFO,
		    "train.csv has %.0f %% of the traces of train and test_seen (%zu of %zu), not %g %%: traces "
		    "stay whole, and the share of each group is rounded down, to at least one",
		    share, train, all, asked);
}

static void report_split(const struct build *build)
{
	const struct output_file *files = build->output.files;
	struct buffer text = {0};

	if (build_is_leaky(build)) {
		build_describe_leak(build, &text);
		dataset_notice(build->request, MESSAGE_WARNING, "leaky split: %s", text.data ? text.data : "");
		buffer_free(&text);
	} else
		report_share(build);
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++)
		if (files[i].rows == 0)
			dataset_notice(build->request, MESSAGE_INFO, "%s has no rows, only its header%s",
				       output_names[i],
				       i != SPLIT_TEST_UNSEEN                 ? ""
				       : build->traces.unseen != SPLIT_UNSEEN ? ""
				       : build->request->no_unseen_split      ? ": --no-unseen-split was given"
									      : ": fewer than three categories");
}

static void summarize_groups(const struct build *build, struct dataset_summary *summary)
{
	const struct traces *traces = &build->traces;

	summary->groups = xcalloc(traces->group_count + 1, sizeof(*summary->groups));
	for (; summary->group_count < traces->group_count; summary->group_count++) {
		struct dataset_group *group = &summary->groups[summary->group_count];
		group->name = xstrdup(traces->groups[summary->group_count]);
		group->is_unseen = summary->group_count == traces->unseen;
		for (size_t i = 0; i < traces->count; i++) {
			if (traces->items[i].group != summary->group_count)
				continue;
			group->traces++;
			group->rows += trace_rows_taken(&traces->items[i]);
		}
	}
}

/* Call it before the files are installed, which closes the output. */
static void summarize(const struct build *build, struct dataset_summary *summary)
{
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++) {
		summary->files[i].rows = build->output.files[i].rows;
		summary->files[i].bytes = build->output.files[i].bytes;
	}
	summary->leaky_fallback = build_is_leaky(build);
	summarize_groups(build, summary);
}

void dataset_summary_free(struct dataset_summary *summary)
{
	for (size_t i = 0; i < summary->group_count; i++)
		free(summary->groups[i].name);
	free(summary->groups);
	*summary = (struct dataset_summary){0};
}

static enum status write_dataset(struct build *build, struct dataset_summary *summary, struct error *err)
{
	struct buffer metadata = {0};
	enum status status = read_traces(build, err);

	if (status == STATUS_OK)
		status = fall_back(build, err);
	if (status != STATUS_OK) {
		output_discard(&build->output);
		return status;
	}
	summarize(build, summary);
	traces_report_verdict(build->request, &build->traces);
	report_split(build);
	build_add_metadata(build, &metadata);
	status = output_install(&build->output, &metadata, err);
	buffer_free(&metadata);
	if (status != STATUS_OK)
		dataset_summary_free(summary);
	return status;
}

static enum status prepare(struct build *build, struct error *err)
{
	const struct dataset_request *request = build->request;
	struct buffer header = {0};
	enum status status = traces_find(request, &build->traces, err);

	if (status != STATUS_OK)
		return status;
	traces_warn_unlabelled(request, &build->traces);
	if (!columns_find(&build->columns, "kernel"))
		traces_warn_kernels(request, &build->traces);
	traces_note_machines(request, &build->traces);
	status = check_known_losses(build, err);
	if (status == STATUS_OK)
		status = check_failed(build, err);
	if (status == STATUS_OK)
		status = survey(build, err);
	if (status == STATUS_OK)
		status = make_split(build, err);
	columns_add_header(&build->columns, &header);
	if (status == STATUS_OK)
		status = output_begin(&build->output, request->output_directory, &header, err);
	buffer_free(&header);
	return status;
}

enum status dataset_build(const struct dataset_request *request, struct dataset_summary *summary, struct error *err)
{
	struct build build = {.request = request, .columns = request->columns};

	*summary = (struct dataset_summary){0};
	if (request->has_weights)
		columns_add(&build.columns, &weight_column, 1);
	enum status status = prepare(&build, err);
	if (status == STATUS_OK)
		status = write_dataset(&build, summary, err);
	split_free(&build.split);
	traces_free(&build.traces);
	return status;
}
