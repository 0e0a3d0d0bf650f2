/* SPDX-License-Identifier: MIT */
#include "data/decision_traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "data/lossy.h"
#include "data/notice.h"
#include "data/python_random.h"
#include "trace/pass.h"

#define SHA256_SHOWN 12

const char *const hold_out_names[HOLD_OUT_KINDS] = {"category", "workload", "kernel", "scheduler", "cpus"};

static void warn(void *context, const char *text)
{
	notice_warning(context, "%s", text);
}

static const char *tunable(const struct run_metadata *metadata, const char *name)
{
	for (size_t i = 0; i < metadata->host.tunable_count; i++)
		if (strcmp(metadata->host.tunables[i].name, name) == 0)
			return metadata->host.tunables[i].value;
	return NULL;
}

static enum status label(struct decision_trace *trace, struct error *err)
{
	const struct run_metadata *metadata = &trace->run.metadata;
	const struct run_host *host = &metadata->host;
	int cpus = CPU_COUNT(&host->cpus_workload);
	const char *base_slice = tunable(metadata, "base_slice_ns");

	enum status status = sha256_file(trace->run.path, trace->sha256, err);
	if (status != STATUS_OK)
		return status;
	snprintf(trace->trace_id, sizeof(trace->trace_id), "%.*s-%.*s", NAME_MAX, trace->run.id, SHA256_SHOWN,
		 trace->sha256);
	run_scheduler_name(metadata, trace->scheduler);
	snprintf(trace->cpus, sizeof(trace->cpus), "%u", cpus > 0 ? (unsigned int)cpus : host->cpu_count);
	trace->kernel = host->kernel ? host->kernel : "";
	trace->base_slice_ns = base_slice ? base_slice : "";
	return STATUS_OK;
}

static enum status take_runs(struct run_list *list, struct decision_traces *traces, struct error *err)
{
	size_t room = traces->count + list->count;
	struct decision_trace *items = xreallocarray(traces->items, room, sizeof(*items));
	enum status status = STATUS_OK;

	traces->items = items;
	for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
		struct decision_trace *trace = &items[traces->count++];
		*trace = (struct decision_trace){.run = list->items[i]};
		list->items[i] = (struct run){0};
		status = label(trace, err);
	}
	return status;
}

static enum status add_directory(const char *directory, const struct dataset_listener *listener,
				 struct decision_traces *traces, struct error *err)
{
	const struct run_list_options options = {.warning = warn, .context = (void *)(uintptr_t)listener};
	struct run_list list = {0};
	char raw[PATH_MAX];

	enum status status = run_directory_of(directory, raw, err);
	if (status == STATUS_OK)
		status = run_list_find(raw, &options, &list, err);
	if (status == STATUS_OK)
		status = run_list_read_metadata(&list, err);
	if (status == STATUS_OK)
		status = take_runs(&list, traces, err);
	run_list_free(&list);
	return status;
}

static enum status refuse_twins(const struct decision_traces *traces, struct error *err)
{
	for (size_t i = 0; i < traces->count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct decision_trace *a = &traces->items[i], *b = &traces->items[j];
			if (strcmp(a->trace_id, b->trace_id) != 0)
				continue;
			error_set(err, STATUS_USAGE, a->run.path, "is the same trace as %s", b->run.path);
			return error_remedy(err, "name each directory once; the same seed gives the same trace");
		}
	return STATUS_OK;
}

enum status decision_traces_find(char *const *directories, size_t count, const struct dataset_listener *listener,
				 struct decision_traces *traces, struct error *err)
{
	enum status status = STATUS_OK;

	*traces = (struct decision_traces){.unseen = SPLIT_NO_CATEGORY};
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = add_directory(directories[i], listener, traces, err);
	if (status == STATUS_OK)
		status = refuse_twins(traces, err);
	if (status != STATUS_OK)
		decision_traces_free(traces);
	return status;
}

/* --- Groups --- */

static const char *value_of(const struct decision_trace *trace, enum hold_out what)
{
	switch (what) {
	case HOLD_OUT_WORKLOAD:
		return trace->run.workload;
	case HOLD_OUT_KERNEL:
		return trace->kernel;
	case HOLD_OUT_SCHEDULER:
		return trace->scheduler;
	case HOLD_OUT_CPUS:
		return trace->cpus;
	default:
		return trace->run.category;
	}
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void make_groups(struct decision_traces *traces, enum hold_out what)
{
	const char **groups = xcalloc(traces->count + 1, sizeof(*groups));

	traces->groups = groups;
	for (size_t i = 0; i < traces->count; i++)
		groups[i] = value_of(&traces->items[i], what);
	qsort(groups, traces->count, sizeof(*groups), compare_texts);
	for (size_t i = 0; i < traces->count; i++)
		if (i == 0 || strcmp(groups[i], groups[traces->group_count - 1]) != 0)
			groups[traces->group_count++] = groups[i];
	for (size_t i = 0; i < traces->count; i++) {
		const char *value = value_of(&traces->items[i], what);
		const char **found = bsearch(&value, groups, traces->group_count, sizeof(*groups), compare_texts);
		traces->items[i].group = (size_t)(found - groups);
	}
}

static enum status refuse_value(const struct decision_traces *traces, const char *value, struct error *err)
{
	struct buffer names = {0};

	for (size_t i = 0; i < traces->group_count; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "", traces->groups[i]);
	error_set(err, STATUS_USAGE, "--hold-out", "'%s' names none or several of: %s", value,
		  names.data ? names.data : "");
	buffer_free(&names);
	return STATUS_USAGE;
}

static enum status find_value(struct decision_traces *traces, const char *value, struct error *err)
{
	size_t matches = 0;

	for (size_t i = 0; i < traces->group_count; i++) {
		if (strcmp(traces->groups[i], value) == 0) {
			traces->unseen = i;
			return STATUS_OK;
		}
		if (strncmp(traces->groups[i], value, strlen(value)) == 0) {
			traces->unseen = i;
			matches++;
		}
	}
	return matches == 1 ? STATUS_OK : refuse_value(traces, value, err);
}

enum status decision_traces_hold_out(struct decision_traces *traces, const char *text, int64_t seed, struct error *err)
{
	bool is_given = text != NULL;
	size_t what = 0;
	struct python_random random;

	text = is_given ? text : hold_out_names[HOLD_OUT_CATEGORY];
	size_t length = strcspn(text, "=");

	while (what < HOLD_OUT_KINDS &&
	       (strlen(hold_out_names[what]) != length || memcmp(hold_out_names[what], text, length) != 0))
		what++;
	if (what == HOLD_OUT_KINDS)
		return error_set(
		    err, STATUS_USAGE, "--hold-out",
		    "'%s' is none of category, workload, kernel, scheduler, cpus, or one of these with =VALUE", text);
	make_groups(traces, (enum hold_out)what);
	if (text[length])
		return find_value(traces, text + length + 1, err);
	if (!is_given && traces->group_count < 3)
		return STATUS_OK;
	if (traces->group_count < 2)
		return error_set(err, STATUS_USAGE, "--hold-out", "all traces have the same %s", text);
	python_random_seed(&random, seed);
	traces->unseen = python_random_below(&random, traces->group_count);
	return STATUS_OK;
}

void decision_traces_balance(struct decision_traces *traces, uint64_t rows_max)
{
	for (size_t i = 0; i < traces->count; i++) {
		struct decision_trace *trace = &traces->items[i];
		uint64_t rows = 0;
		for (size_t j = 0; j < i; j++) {
			const struct decision_trace *earlier = &traces->items[j];
			if (!earlier->left_out && strcmp(earlier->kernel, trace->kernel) == 0 &&
			    strcmp(earlier->scheduler, trace->scheduler) == 0 &&
			    strcmp(earlier->run.workload, trace->run.workload) == 0)
				rows += earlier->counts.decisions;
		}
		trace->left_out = rows && rows + trace->counts.decisions > rows_max;
	}
}

void decision_traces_free(struct decision_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		role_table_free(&traces->items[i].roles);
		run_free(&traces->items[i].run);
	}
	free(traces->items);
	free(traces->groups);
	*traces = (struct decision_traces){.unseen = SPLIT_NO_CATEGORY};
}

/* --- A pass --- */

struct reading {
	struct decision_trace *trace;
	const struct decision_consumer *consumer;
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

	if (!decision || !reading->consumer)
		return STATUS_OK;
	return reading->consumer->take(reading->consumer->context, decision, event, &pass->states, err);
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	(void)err;
	if (reading->consumer)
		return STATUS_OK;
	reading->trace->counts = reading->decisions.counts;
	role_table_make(&reading->trace->roles, &pass->states);
	return STATUS_OK;
}

enum status decision_trace_read(struct decision_trace *trace, bool allow_lossy, bool include_tracer,
				const struct decision_consumer *consumer, struct error *err)
{
	const struct run_host *host = &trace->run.metadata.host;
	struct reading reading = {
	    .trace = trace,
	    .consumer = consumer,
	    .decisions = {.tracer_cpu = include_tracer ? -1 : host->tracer_cpu, .include_tracer = include_tracer},
	};
	const struct pass_consumer passed = {
	    .context = &reading, .begin = begin_trace, .step = add_event, .end = end_trace};
	struct pass pass;

	enum status status = pass_read(NULL, &trace->run.path, 1, &passed, &pass, err);
	bool is_lossy = losses_any(&trace->run.losses) || pass.summary.lossy_runs || pass.summary.truncated_runs;
	if (status == STATUS_OK && is_lossy && !allow_lossy)
		status = lossy_refuse(trace->run.path, &trace->run.losses, err);
	pass_free(&pass);
	decisions_free(&reading.decisions);
	return status;
}
