/* SPDX-License-Identifier: MIT */
#include "data/traces.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/notice.h"

static enum status out_of_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot list the traces");
}

/* Moves the run's texts and losses to the trace. */
static void move_run(struct run *run, struct trace *trace)
{
	char failure[RUN_FAILURE_SIZE];

	trace->id = run->id;
	trace->path = run->path;
	trace->is_text = run->is_text;
	trace->has_metadata = run->metadata.document;
	trace->has_labels = run->metadata.document && run->metadata.workload_name;
	trace->workload_type = run->workload_type;
	trace->category = run->category;
	trace->kernel = run->metadata.host.kernel ? strdup(run->metadata.host.kernel) : NULL;
	run_scheduler_name(&run->metadata, trace->scheduler);
	trace->losses = run->losses;
	trace->failure = run_failure(&run->metadata, failure) ? strdup(failure) : NULL;
	run_metadata_free(&run->metadata);
	*run = (struct run){0};
}

enum status trace_take_labels(const char *directory, struct trace *trace, struct error *err)
{
	struct run run = {.id = trace->id, .path = trace->path, .is_text = trace->is_text};
	enum status status = run_read_metadata(&run, directory, err);

	move_run(&run, trace);
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

static enum status number_categories(struct traces *traces, struct error *err)
{
	char **names = calloc(traces->count, sizeof(*names));

	traces->categories = names;
	if (!names)
		return out_of_memory(err);
	for (size_t i = 0; i < traces->count; i++)
		names[i] = traces->items[i].category;
	qsort(names, traces->count, sizeof(*names), compare_texts);
	for (size_t i = 0; i < traces->count; i++)
		if (i == 0 || strcmp(names[i], names[traces->category_count - 1]) != 0)
			names[traces->category_count++] = names[i];
	for (size_t i = 0; i < traces->count; i++) {
		char **found =
		    bsearch(&traces->items[i].category, names, traces->category_count, sizeof(*names), compare_texts);
		traces->items[i].category_index = (size_t)(found - names);
	}
	return STATUS_OK;
}

static const struct trace *find_labelled(const struct traces *traces, const char *workload_type)
{
	for (size_t i = 0; i < traces->count; i++)
		if (traces->items[i].has_labels && strcmp(traces->items[i].workload_type, workload_type) == 0)
			return &traces->items[i];
	return NULL;
}

/* A run that lost its metadata must not become a category of its own: held out, it would be a test of what is trained.
 */
static enum status share_categories(struct traces *traces, struct error *err)
{
	for (size_t i = 0; i < traces->count; i++) {
		struct trace *trace = &traces->items[i];
		const struct trace *labelled = trace->has_labels ? NULL : find_labelled(traces, trace->workload_type);
		char *category = labelled ? strdup(labelled->category) : NULL;
		if (!labelled)
			continue;
		if (!category)
			return out_of_memory(err);
		free(trace->category);
		trace->category = category;
	}
	return STATUS_OK;
}

static enum status take_runs(struct run_list *list, struct traces *traces, struct error *err)
{
	traces->items = calloc(list->count, sizeof(*traces->items));
	if (!traces->items)
		return out_of_memory(err);
	for (size_t i = 0; i < list->count; i++)
		move_run(&list->items[i], &traces->items[traces->count++]);
	enum status status = share_categories(traces, err);
	return status == STATUS_OK ? number_categories(traces, err) : status;
}

enum status traces_find(const char *raw_directory, const char *option, const struct dataset_listener *listener,
			struct traces *traces, struct error *err)
{
	const struct run_list_options options = {
	    .option = option, .warning = warn, .context = (void *)(uintptr_t)listener};
	struct run_list list;

	*traces = (struct traces){0};
	enum status status = run_list_find(raw_directory, &options, &list, err);
	if (status != STATUS_OK)
		return status;
	status = run_list_read_metadata(&list, err);
	if (status == STATUS_OK)
		status = take_runs(&list, traces, err);
	run_list_free(&list);
	if (status != STATUS_OK)
		traces_free(traces);
	return status;
}

void trace_free(struct trace *trace)
{
	free(trace->id);
	free(trace->path);
	free(trace->workload_type);
	free(trace->category);
	free(trace->kernel);
	free(trace->failure);
	losses_free(&trace->losses);
}

void traces_free(struct traces *traces)
{
	for (size_t i = 0; i < traces->count; i++)
		trace_free(&traces->items[i]);
	free(traces->items);
	free(traces->categories);
	*traces = (struct traces){0};
}

void trace_report_findings(const struct dataset_listener *listener, const struct trace *trace)
{
	if (trace->failure)
		notice_warning(listener, "%s: %s", trace->path, trace->failure);
	if (trace->malformed_lines)
		notice_warning(listener, "%s: %" PRIu64 " malformed line%s skipped, first: line %" PRIu64, trace->path,
			       trace->malformed_lines, trace->malformed_lines == 1 ? "" : "s",
			       trace->first_malformed_line);
	if (trace->backward_steps)
		notice_warning(listener, "%s: time goes backwards at %" PRIu64 " switch%s, whose time_diff is negative",
			       trace->path, trace->backward_steps, trace->backward_steps == 1 ? "" : "es");
	if (trace->corrected_times)
		notice_warning(listener,
			       "%s: the trace clock went backwards at %" PRIu64 " event%s, by %" PRIu64
			       " ns at most; these events have the time of the event before",
			       trace->path, trace->corrected_times, trace->corrected_times == 1 ? "" : "s",
			       trace->max_corrected_ns);
	if (trace->skipped_buffers)
		notice_warning(listener, "%s: only its main buffer is read; instance buffers skipped: %" PRIu32,
			       trace->path, trace->skipped_buffers);
	if (trace->followed_only)
		notice_warning(listener,
			       "%s: record --pid followed some tasks: only switches to or from these are rows",
			       trace->path);
	if (trace->events == 0)
		notice_warning(listener, "%s: holds no sched_switch event", trace->path);
}
