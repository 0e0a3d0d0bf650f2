/* SPDX-License-Identifier: MIT */
#include "data/traces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "data/row_kind.h"

#define SHA256_SHOWN 12

static const char *tunable(const struct run_metadata *metadata, const char *name)
{
	for (size_t i = 0; i < metadata->host.tunable_count; i++)
		if (strcmp(metadata->host.tunables[i].name, name) == 0)
			return metadata->host.tunables[i].value;
	return "";
}

static void judge_labels(struct dataset_trace *trace)
{
	const struct run_metadata *metadata = &trace->run.metadata;
	const struct run_host *host = &metadata->host;
	const int cpus = CPU_COUNT(&host->cpus_workload);
	char failure[RUN_FAILURE_SIZE];

	trace->trace_id = xstrdup(trace->run.id);
	trace->has_labels = metadata->document && metadata->workload_name;
	run_scheduler_name(metadata, trace->scheduler);
	snprintf(trace->cpus, sizeof(trace->cpus), "%u", cpus > 0 ? (unsigned int)cpus : host->cpu_count);
	trace->kernel = host->kernel ? host->kernel : "";
	trace->base_slice_ns = tunable(metadata, "base_slice_ns");
	trace->failure = run_failure(metadata, failure) ? xstrdup(failure) : NULL;
	trace->rows_max = UINT64_MAX;
}

enum status dataset_trace_label(const char *directory, struct dataset_trace *trace, struct error *err)
{
	enum status status = run_read_metadata(&trace->run, directory, err);

	if (status == STATUS_OK)
		judge_labels(trace);
	return status;
}

static const struct dataset_trace *find_labelled(const struct traces *traces, const char *workload_type)
{
	for (size_t i = 0; i < traces->count; i++)
		if (traces->items[i].has_labels && strcmp(traces->items[i].run.workload, workload_type) == 0)
			return &traces->items[i];
	return NULL;
}

/* A run without metadata must not become a separate category: if that were held out, the test would have a workload
 * that is also trained. */
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

/* Adds a hash to names that also occur in other directories, so that no two runs have the same name. */
static enum status hash_trace(struct dataset_trace *trace, struct error *err)
{
	struct buffer id = {0};
	enum status status = sha256_file(trace->run.path, trace->sha256, err);

	if (status != STATUS_OK)
		return status;
	buffer_printf(&id, "%s-%.*s", trace->run.id, SHA256_SHOWN, trace->sha256);
	free(trace->trace_id);
	trace->trace_id = id.data;
	return STATUS_OK;
}

static enum status move_runs(struct run_list *list, bool has_hashes, struct traces *traces, struct error *err)
{
	const size_t room = traces->count + list->count;
	enum status status = STATUS_OK;

	traces->items = xreallocarray(traces->items, room, sizeof(*traces->items));
	for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
		struct dataset_trace *trace = &traces->items[traces->count++];
		*trace = (struct dataset_trace){.run = list->items[i]};
		list->items[i] = (struct run){0};
		judge_labels(trace);
		status = has_hashes ? hash_trace(trace, err) : STATUS_OK;
	}
	return status;
}

static void warn(void *context, const char *text)
{
	dataset_notice(context, MESSAGE_WARNING, "%s", text);
}

/* Describes the traces from first on by vm.json beside DIR/raw. */
static enum status describe_traces(const char *directory, struct traces *traces, size_t first, struct error *err)
{
	char parent[PATH_MAX];
	struct recorded_set set;
	enum status status = file_join(parent, sizeof(parent), directory, "..", err);

	if (status != STATUS_OK)
		return status;
	status = recorded_set_read(parent, &set, err);
	const char *version = json_member_text(set.document, "picknext_version", "");
	for (size_t i = first; i < traces->count && status == STATUS_OK; i++) {
		recorded_set_describe(&set, traces->items[i].run.facts);
		memcpy(traces->items[i].set_label, set.label, sizeof(set.label));
		char **picknext = &traces->items[i].run.facts[FACT_PICKNEXT];
		if (!*picknext && *version)
			*picknext = xstrdup(version);
	}
	recorded_set_free(&set);
	return status;
}

static enum status add_directory(const char *directory, const char *option, const struct dataset_request *request,
				 struct traces *traces, struct error *err)
{
	const struct run_list_options options = {
	    .option = option, .warning = warn, .context = (void *)(uintptr_t)request};
	struct run_list list = {0};
	const size_t first = traces->count;

	enum status status = run_list_find(directory, &options, &list, err);
	if (status == STATUS_OK)
		status = run_list_read_metadata(&list, err);
	if (status == STATUS_OK)
		status = move_runs(&list, request->kind->has_roles, traces, err);
	if (status == STATUS_OK)
		status = describe_traces(directory, traces, first, err);
	run_list_free(&list);
	return status;
}

static enum status add_directories(const struct dataset_request *request, struct traces *traces, struct error *err)
{
	char raw[PATH_MAX];
	enum status status = STATUS_OK;

	if (request->directory_count == 0 && request->raw_directory)
		return add_directory(request->raw_directory, "--raw-dir", request, traces, err);
	if (request->directory_count == 0) {
		status = file_join(raw, sizeof(raw), request->output_directory, "raw", err);
		return status == STATUS_OK ? add_directory(raw, "--raw-dir", request, traces, err) : status;
	}
	for (size_t i = 0; i < request->directory_count && status == STATUS_OK; i++) {
		status = run_directory_of(request->directories[i], raw, err);
		if (status == STATUS_OK)
			status = add_directory(raw, NULL, request, traces, err);
	}
	return status;
}

static int compare_ids(const void *left, const void *right)
{
	const struct dataset_trace *a = *(const struct dataset_trace *const *)left;
	const struct dataset_trace *b = *(const struct dataset_trace *const *)right;

	return strcmp(a->trace_id, b->trace_id);
}

static int compare_contents(const void *left, const void *right)
{
	const struct dataset_trace *a = *(const struct dataset_trace *const *)left;
	const struct dataset_trace *b = *(const struct dataset_trace *const *)right;
	const int order = strcmp(a->sha256, b->sha256);

	return order ? order : strcmp(a->set_label, b->set_label);
}

static bool has_contents_of(const struct dataset_trace *trace, const struct dataset_trace *other)
{
	return trace->sha256[0] && strcmp(trace->sha256, other->sha256) == 0;
}

/* Appends the label to the names of identical traces. sorted: by contents. If a fault has no effect, the run of its
 * kernel gives the same trace as another kernel; both are kept. */
static void name_by_label(struct dataset_trace *const *sorted, size_t count, const struct dataset_request *request)
{
	size_t same = 0;

	for (size_t i = 0; i < count; i++) {
		struct buffer id = {0};
		if (!(i && has_contents_of(sorted[i], sorted[i - 1])) &&
		    !(i + 1 < count && has_contents_of(sorted[i], sorted[i + 1])))
			continue;
		buffer_printf(&id, "%s-%s", sorted[i]->trace_id, sorted[i]->set_label);
		free(sorted[i]->trace_id);
		sorted[i]->trace_id = id.data;
		same++;
	}
	if (same)
		dataset_notice(
		    request, MESSAGE_INFO,
		    "%zu traces are identical to one with another label: they do not show how their kernels differ",
		    same);
}

/* STATUS_USAGE if two traces are equal. */
static enum status refuse_equal(struct dataset_trace **sorted, size_t count,
				int (*compare)(const void *left, const void *right), struct error *err)
{
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 1; i < count; i++) {
		if (compare(&sorted[i - 1], &sorted[i]) != 0)
			continue;
		error_set(err, STATUS_USAGE, sorted[i]->run.path, "is the same trace as %s, or has its name",
			  sorted[i - 1]->run.path);
		return error_remedy(err, "name each directory once (the same seed gives the same trace), or build a "
					 "dataset per directory");
	}
	return STATUS_OK;
}

static struct dataset_trace **list_traces(const struct traces *traces)
{
	struct dataset_trace **list = xcalloc(traces->count + 1, sizeof(struct dataset_trace *));

	for (size_t i = 0; i < traces->count; i++)
		list[i] = &traces->items[i];
	return list;
}

static enum status refuse_twins(const struct dataset_request *request, const struct traces *traces, struct error *err)
{
	struct dataset_trace **sorted = list_traces(traces);
	enum status status = STATUS_OK;

	if (traces->count && traces->items[0].sha256[0])
		status = refuse_equal(sorted, traces->count, compare_contents, err);
	if (status == STATUS_OK)
		name_by_label(sorted, traces->count, request);
	if (status == STATUS_OK)
		status = refuse_equal(sorted, traces->count, compare_ids, err);
	free(sorted);
	return status;
}

void traces_warn_shared(const struct dataset_request *request, const struct traces *traces)
{
	struct dataset_trace **sorted = list_traces(traces);
	size_t shared = 0, train = 0, tests = 0;

	qsort(sorted, traces->count, sizeof(struct dataset_trace *), compare_contents);
	for (size_t i = 0; i < traces->count; i++) {
		if (i == 0 || !has_contents_of(sorted[i], sorted[i - 1]))
			train = tests = 0;
		*(sorted[i]->part == SPLIT_TRAIN ? &train : &tests) += 1;
		if (i + 1 == traces->count || !has_contents_of(sorted[i + 1], sorted[i]))
			shared += train ? tests : 0;
	}
	free(sorted);
	if (shared)
		dataset_notice(request, MESSAGE_WARNING,
			       "%zu test traces are also in train.csv, under another label: a model trains on them",
			       shared);
}

enum status traces_find(const struct dataset_request *request, struct traces *traces, struct error *err)
{
	*traces = (struct traces){.unseen = SPLIT_UNSEEN};
	enum status status = add_directories(request, traces, err);
	if (status == STATUS_OK)
		status = refuse_twins(request, traces, err);
	if (status == STATUS_OK)
		share_categories(traces);
	return status;
}

void dataset_trace_free(struct dataset_trace *trace)
{
	run_free(&trace->run);
	free(trace->trace_id);
	free(trace->failure);
	role_table_free(&trace->roles);
}

void traces_free(struct traces *traces)
{
	for (size_t i = 0; i < traces->count; i++)
		dataset_trace_free(&traces->items[i]);
	free(traces->items);
	free(traces->groups);
	*traces = (struct traces){.unseen = SPLIT_UNSEEN};
}
