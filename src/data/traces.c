/* SPDX-License-Identifier: MIT */
#include "data/traces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/notice.h"

static void judge_labels(struct dataset_trace *trace)
{
	const struct run_metadata *metadata = &trace->run.metadata;
	char failure[RUN_FAILURE_SIZE];

	trace->has_labels = metadata->document && metadata->workload_name;
	run_scheduler_name(metadata, trace->scheduler);
	trace->failure = run_failure(metadata, failure) ? xstrdup(failure) : NULL;
}

enum status dataset_trace_label(const char *directory, struct dataset_trace *trace, struct error *err)
{
	enum status status = run_read_metadata(&trace->run, directory, err);

	if (status == STATUS_OK)
		judge_labels(trace);
	return status;
}

static void warn(void *context, const char *text)
{
	notice_warning(context, "%s", text);
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void number_categories(struct traces *traces)
{
	char **names = xcalloc(traces->count, sizeof(*names));

	traces->categories = names;
	for (size_t i = 0; i < traces->count; i++)
		names[i] = traces->items[i].run.category;
	qsort(names, traces->count, sizeof(*names), compare_texts);
	for (size_t i = 0; i < traces->count; i++)
		if (i == 0 || strcmp(names[i], names[traces->category_count - 1]) != 0)
			names[traces->category_count++] = names[i];
	for (size_t i = 0; i < traces->count; i++) {
		char **found = bsearch(&traces->items[i].run.category, names, traces->category_count, sizeof(*names),
				       compare_texts);
		traces->items[i].category_index = (size_t)(found - names);
	}
}

static const struct dataset_trace *find_labelled(const struct traces *traces, const char *workload_type)
{
	for (size_t i = 0; i < traces->count; i++)
		if (traces->items[i].has_labels && strcmp(traces->items[i].run.workload, workload_type) == 0)
			return &traces->items[i];
	return NULL;
}

/* A run that lost its metadata must not become a category of its own: held out, it would be a test of what is trained.
 */
static void share_categories(struct traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		struct run *run = &traces->items[i].run;
		const struct dataset_trace *labelled =
		    traces->items[i].has_labels ? NULL : find_labelled(traces, run->workload);
		if (!labelled)
			continue;
		free(run->category);
		run->category = xstrdup(labelled->run.category);
	}
}

static void move_runs(struct run_list *list, struct traces *traces)
{
	traces->items = xcalloc(list->count, sizeof(*traces->items));
	for (size_t i = 0; i < list->count; i++) {
		struct dataset_trace *trace = &traces->items[traces->count++];
		trace->run = list->items[i];
		list->items[i] = (struct run){0};
		judge_labels(trace);
	}
	share_categories(traces);
	number_categories(traces);
}

enum status traces_find(const char *raw_directory, const char *option, const struct dataset_listener *listener,
			struct traces *traces, struct error *err)
{
	const struct run_list_options options = {
	    .option = option, .warning = warn, .context = (void *)(uintptr_t)listener};
	struct run_list list = {0};

	*traces = (struct traces){0};
	enum status status = run_list_find(raw_directory, &options, &list, err);
	if (status == STATUS_OK)
		status = run_list_read_metadata(&list, err);
	if (status == STATUS_OK)
		move_runs(&list, traces);
	run_list_free(&list);
	return status;
}

void dataset_trace_free(struct dataset_trace *trace)
{
	run_free(&trace->run);
	free(trace->failure);
}

void traces_free(struct traces *traces)
{
	for (size_t i = 0; i < traces->count; i++)
		dataset_trace_free(&traces->items[i]);
	free(traces->items);
	free(traces->categories);
	*traces = (struct traces){0};
}

void trace_report_findings(const struct dataset_listener *listener, const struct dataset_trace *trace)
{
	if (trace->failure)
		notice_warning(listener, "%s: %s", trace->run.path, trace->failure);
	if (trace->malformed_lines)
		notice_warning(listener, "%s: %" PRIu64 " malformed line%s skipped, first: line %" PRIu64,
			       trace->run.path, trace->malformed_lines, trace->malformed_lines == 1 ? "" : "s",
			       trace->first_malformed_line);
	if (trace->backward_steps)
		notice_warning(listener, "%s: time goes backwards at %" PRIu64 " switch%s, whose time_diff is negative",
			       trace->run.path, trace->backward_steps, trace->backward_steps == 1 ? "" : "es");
	if (trace->corrected_times)
		notice_warning(listener,
			       "%s: the trace clock went backwards at %" PRIu64 " event%s, by %" PRIu64
			       " ns at most; these events have the time of the event before",
			       trace->run.path, trace->corrected_times, trace->corrected_times == 1 ? "" : "s",
			       trace->max_corrected_ns);
	if (trace->skipped_buffers)
		notice_warning(listener, "%s: only its main buffer is read; instance buffers skipped: %" PRIu32,
			       trace->run.path, trace->skipped_buffers);
	if (trace->followed_only)
		notice_warning(listener,
			       "%s: record --pid followed some tasks: only switches to or from these are rows",
			       trace->run.path);
	if (trace->events == 0)
		notice_warning(listener, "%s: holds no sched_switch event", trace->run.path);
}
