/* SPDX-License-Identifier: MIT */
#include "data/build.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/ordered.h"
#include "data/dataset_files.h"
#include "data/lossy.h"
#include "data/metadata_write.h"
#include "data/notice.h"
#include "data/rows.h"
#include "data/split.h"
#include "data/traces.h"
#include "data/traces_verdict.h"
#include "trace/format/tracedat_layout.h"
#include "trace/format/tracedat_read.h"

struct build {
	const struct dataset_request *request;
	const struct dataset_listener *listener;
	struct traces traces;
	struct split split;
	struct output output;
	struct fallback fallback;
	size_t done; /* traces read */
};

static void warn_lossy(const struct build *build, const struct dataset_trace *trace)
{
	struct buffer text = {0};

	losses_describe(&trace->run.losses, &text);
	notice_warning(build->listener, "%s: lost %s; %s", trace->run.path, text.data ? text.data : "events",
		       build->request->allow_lossy ? "included, and listed in dataset_meta.json"
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
	if (!first || build->request->allow_lossy)
		return STATUS_OK;
	for (size_t i = 0; i < build->traces.count && lossy > 1; i++)
		if (losses_any(&build->traces.items[i].run.losses))
			warn_lossy(build, &build->traces.items[i]);
	return lossy_refuse(first->run.path, &first->run.losses, err);
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
	if (!first || build->request->allow_failed)
		return STATUS_OK;
	return run_refuse_failed(first->run.path, first->failure, failed, err);
}

static void report_progress(const struct build *build, const struct dataset_trace *trace)
{
	if (build->listener && build->listener->progress)
		build->listener->progress(trace->run.id, build->done, build->traces.count,
					  build->output.files[OUTPUT_ALL].rows);
}

static enum status hand_on(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
			   struct error *err)
{
	(void)context;
	(void)trace;
	return ordered_hand_on(rows, count, err);
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
		status = tracedat_parse(bytes, length, run->path, &input->trace, err);
	else if (length >= TRACEDAT_MAGIC_SIZE && memcmp(bytes, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE) == 0)
		status = error_set(err, STATUS_UNSUPPORTED, run->path,
				   "is a trace.dat with the extension of a text trace; rename it to .dat");
	if (status != STATUS_OK)
		file_unmap(&input->file);
	return status;
}

/* The rows of the trace have been read. */
static enum status judge_trace(struct build *build, const struct dataset_trace *trace, struct error *err)
{
	build->done++;
	if (losses_any(&trace->run.losses) && !build->request->allow_lossy)
		return lossy_refuse(trace->run.path, &trace->run.losses, err);
	trace_report_findings(build->listener, trace);
	if (losses_any(&trace->run.losses))
		warn_lossy(build, trace);
	return STATUS_OK;
}

static struct dataset_trace *trace_at(const struct build *build, size_t place)
{
	return &build->traces.items[build->split.order[place]];
}

/* Hands on the rows of a trace. */
static enum status make_rows(void *context, size_t place, void **result, struct error *err)
{
	const struct build *build = context;
	struct dataset_trace *trace = trace_at(build, place);
	struct input input;
	struct rows rows = {.trace = trace, .input = &input, .columns = build->request->columns, .put = hand_on};
	enum status status = open_trace(&trace->run, &input, err);

	(void)result;
	if (status != STATUS_OK)
		return status;
	status = rows_read(&rows, err);
	input_close(&input);
	return status;
}

static enum status take_rows(void *context, size_t place, const struct buffer *rows, uint64_t count, struct error *err)
{
	struct build *build = context;
	const struct dataset_trace *trace = trace_at(build, place);
	enum status status = output_rows(&build->output, trace->part, rows, count, err);

	report_progress(build, trace);
	return status;
}

static enum status take_trace(void *context, size_t place, void *result, enum status made, struct error *err)
{
	struct build *build = context;
	const struct dataset_trace *trace = trace_at(build, place);

	(void)result;
	report_progress(build, trace);
	return made == STATUS_OK ? judge_trace(build, trace, err) : made;
}

static void place_traces(struct build *build)
{
	size_t place = 0;

	for (size_t part = 0; part < SPLIT_PARTS; part++)
		for (size_t i = 0; i < build->split.count[part]; i++)
			build->traces.items[build->split.order[place++]].part = (enum split_part)part;
}

static enum status read_traces(struct build *build, struct error *err)
{
	const struct ordered_work work = {
	    .context = build,
	    .make = make_rows,
	    .take_rows = take_rows,
	    .take = take_trace,
	};

	place_traces(build);
	enum status status = ordered_run(&work, build->traces.count, build->request->jobs, err);
	if (status != STATUS_OK)
		return status;
	if (build->output.files[OUTPUT_ALL].rows > 0)
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, build->request->output_directory,
		  "none of %zu traces holds a sched_switch event", build->traces.count);
	return error_remedy(err,
			    "the workload may have ended too quickly or tracing was off; record again with picknext "
			    "collect");
}

/* If splitting whole traces leaves test_seen.csv empty, the training events are divided. */
static enum status fall_back(struct build *build, struct error *err)
{
	const struct output_file *files = build->output.files;

	if (files[SPLIT_TEST_SEEN].rows > 0 || files[SPLIT_TRAIN].rows == 0)
		return STATUS_OK;
	build->fallback.used = true;
	build->fallback.kept = split_share(files[SPLIT_TRAIN].rows, build->request->train_ratio);
	return output_cut_train(&build->output, build->fallback.kept, err);
}

static enum status install(struct build *build, const struct metadata *metadata, struct error *err)
{
	struct buffer text = {0};

	metadata_write(metadata, &text);
	enum status status = output_install(&build->output, &text, err);
	buffer_free(&text);
	return status;
}

static void report_split(const struct build *build, const struct metadata *metadata)
{
	const struct output_file *files = build->output.files;
	struct buffer text = {0};

	if (fallback_is_leaky(&build->fallback, &build->output)) {
		fallback_describe(metadata, &text);
		notice_warning(build->listener, "leaky split: %s", text.data ? text.data : "");
		buffer_free(&text);
	}
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++)
		if (files[i].rows == 0)
			notice_information(build->listener, "%s has no rows, only its header%s", output_names[i],
					   i != SPLIT_TEST_UNSEEN                              ? ""
					   : build->split.unseen_category != SPLIT_NO_CATEGORY ? ""
					   : build->request->no_unseen_split ? ": --no-unseen-split was given"
									     : ": fewer than three categories");
}

static void report_result(const struct build *build, const struct output_file *files)
{
	const struct dataset_listener *listener = build->listener;

	for (size_t i = 0; i < OUTPUT_CSV_FILES && listener && listener->file; i++)
		listener->file(output_names[i], files[i].rows, files[i].bytes);
	for (size_t category = 0; category < build->traces.category_count && listener && listener->category;
	     category++) {
		uint64_t traces = 0;
		uint64_t events = 0;
		for (size_t i = 0; i < build->traces.count; i++) {
			if (build->traces.items[i].category_index != category)
				continue;
			traces++;
			events += build->traces.items[i].events;
		}
		listener->category(build->traces.categories[category], traces, events,
				   category == build->split.unseen_category);
	}
}

static void summarize(const struct build *build, struct dataset_summary *summary)
{
	const struct output_file *files = build->output.files;
	size_t unseen = build->split.unseen_category;

	*summary = (struct dataset_summary){
	    .traces = build->traces.count,
	    .events = files[OUTPUT_ALL].rows,
	    .train_events = files[SPLIT_TRAIN].rows,
	    .test_seen_events = files[SPLIT_TEST_SEEN].rows,
	    .test_unseen_events = files[SPLIT_TEST_UNSEEN].rows,
	    .leaky_fallback = fallback_is_leaky(&build->fallback, &build->output),
	};
	for (size_t i = 0; i < build->traces.count; i++) {
		summary->malformed_lines += build->traces.items[i].malformed_lines;
		summary->lossy_traces += losses_any(&build->traces.items[i].run.losses);
	}
	if (unseen != SPLIT_NO_CATEGORY)
		snprintf(summary->unseen_category, sizeof(summary->unseen_category), "%s",
			 build->traces.categories[unseen]);
}

/* Their labels come from their file names, which is right for traces of other tools alone. */
static void warn_unlabelled(const struct build *build)
{
	const struct dataset_trace *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < build->traces.count; i++) {
		const struct dataset_trace *trace = &build->traces.items[i];
		if (trace->run.is_text || trace->has_labels)
			continue;
		first = first ? first : trace;
		count++;
	}
	if (count)
		notice_warning(build->listener,
			       "%s: no metadata in %s.json, so its workload is '%s' and its category '%s'%s",
			       first->run.path, first->run.id, first->run.workload, first->run.category,
			       count > 1 ? "; other traces lack metadata too" : "");
}

static enum status refuse_unseen(const struct build *build, struct error *err)
{
	const struct dataset_request *request = build->request;
	struct buffer names = {0};

	if (request->no_unseen_split)
		return error_set(err, STATUS_USAGE, "--unseen", "and --no-unseen-split are mutually exclusive");
	if (build->traces.category_count == 1)
		return error_set(err, STATUS_USAGE, "--unseen", "the traces are all of the category '%s'",
				 build->traces.categories[0]);
	error_set(err, STATUS_USAGE, "--unseen", "no trace is of the category '%s'", request->unseen);
	for (size_t i = 0; i < build->traces.category_count; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "", build->traces.categories[i]);
	if (names.data)
		error_remedy(err, "the categories are %s", names.data);
	buffer_free(&names);
	return err->status;
}

/* The category of --unseen, or STATUS_USAGE. */
static enum status find_unseen(const struct build *build, size_t *unseen, struct error *err)
{
	const struct traces *traces = &build->traces;

	for (*unseen = 0; *unseen < traces->category_count; ++*unseen)
		if (strcmp(traces->categories[*unseen], build->request->unseen) == 0)
			break;
	if (*unseen == traces->category_count || traces->category_count == 1 || build->request->no_unseen_split)
		return refuse_unseen(build, err);
	return STATUS_OK;
}

static enum status make_split(struct build *build, struct error *err)
{
	const struct traces *traces = &build->traces;
	const struct dataset_request *request = build->request;
	size_t unseen = SPLIT_NO_CATEGORY;

	if (request->unseen && find_unseen(build, &unseen, err) != STATUS_OK)
		return err->status;
	size_t *category_of = xcalloc(traces->count, sizeof(*category_of));
	for (size_t i = 0; i < traces->count; i++)
		category_of[i] = traces->items[i].category_index;
	if (request->unseen)
		split_without(category_of, traces->count, traces->category_count, request->seed, request->train_ratio,
			      unseen, &build->split);
	else
		split_traces(category_of, traces->count, traces->category_count, request->seed, request->train_ratio,
			     request->no_unseen_split, &build->split);
	free(category_of);
	return STATUS_OK;
}

static enum status write_dataset(struct build *build, struct dataset_summary *summary, struct error *err)
{
	const struct metadata metadata = {
	    build->request, &build->traces, &build->split, &build->output, &build->fallback,
	};
	struct output_file files[OUTPUT_CSV_FILES];
	enum status status = read_traces(build, err);

	if (status == STATUS_OK)
		status = fall_back(build, err);
	if (status != STATUS_OK) {
		output_discard(&build->output);
		return status;
	}
	/* Installing closes the output; its counts are reported afterwards. */
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++)
		files[i] = build->output.files[i];
	summarize(build, summary);
	traces_report_verdict(build->listener, &build->traces);
	report_split(build, &metadata);
	status = install(build, &metadata, err);
	if (status == STATUS_OK)
		report_result(build, files);
	return status;
}

enum status dataset_build(const struct dataset_request *request, const struct dataset_listener *listener,
			  struct dataset_summary *summary, struct error *err)
{
	struct build build = {.request = request, .listener = listener};
	struct buffer header = {0};
	char beside_output[PATH_MAX];
	const char *raw_directory = request->raw_directory;
	enum status status = STATUS_OK;

	*summary = (struct dataset_summary){0};
	if (!raw_directory) {
		status = file_join(beside_output, sizeof(beside_output), request->output_directory, "raw", err);
		raw_directory = beside_output;
	}
	if (status == STATUS_OK)
		status = traces_find(raw_directory, "--raw-dir", listener, &build.traces, err);
	if (status != STATUS_OK)
		return status;
	warn_unlabelled(&build);
	traces_warn_kernels(listener, &build.traces);
	status = check_known_losses(&build, err);
	if (status == STATUS_OK)
		status = check_failed(&build, err);
	if (status == STATUS_OK)
		status = make_split(&build, err);
	csv_add_header(&header, request->columns);
	if (status == STATUS_OK)
		status = output_begin(&build.output, request->output_directory, &header, err);
	buffer_free(&header);
	if (status == STATUS_OK)
		status = write_dataset(&build, summary, err);
	split_free(&build.split);
	traces_free(&build.traces);
	return status;
}
