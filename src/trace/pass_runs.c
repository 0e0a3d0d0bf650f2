/* SPDX-License-Identifier: MIT */
#include "trace/pass_runs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/ordered.h"
#include "runs/run_list.h"

/* The default trace. */
#define DEFAULT_TRACE "picknext.dat"

/* --- The traces of the operands --- */

/* A trace, or why there is none: an error counts once the traces before it have been read. */
struct listed_trace {
	char *path;
	enum status status;
	struct error err;
};

struct listed_traces {
	struct listed_trace *items;
	size_t count;
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot list so many traces");
}

static void free_list(struct listed_traces *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

static bool add_trace(struct listed_traces *list, const char *path, enum status status, const struct error *err)
{
	struct listed_trace *grown = realloc(list->items, (list->count + 1) * sizeof(*grown));

	if (!grown)
		return false;
	list->items = grown;
	struct listed_trace *trace = &grown[list->count];
	*trace = (struct listed_trace){.path = strdup(path), .status = status};
	if (err)
		trace->err = *err;
	list->count += trace->path != NULL;
	return trace->path;
}

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool list_directory(struct listed_traces *list, const char *path)
{
	char raw[PATH_MAX];
	struct run_list runs = {0};
	struct error err = {0};
	enum status status = run_directory_of(path, raw, &err);
	bool listed = true;

	if (status != STATUS_OK)
		return add_trace(list, path, status, &err);
	status = run_list_find(raw, NULL, &runs, &err);
	if (status != STATUS_OK) {
		if (access(path, R_OK | X_OK) == 0)
			error_remedy(&err, "name a directory with traces, or with a directory raw of them");
		else
			error_remedy(&err, "read it as its owner, or with sudo");
		return add_trace(list, path, status, &err);
	}
	for (size_t i = 0; i < runs.count && listed; i++)
		listed = add_trace(list, runs.items[i].path, STATUS_OK, NULL);
	run_list_free(&runs);
	return listed;
}

static enum status list_operands(char *const *paths, size_t count, struct listed_traces *list, struct error *err)
{
	bool listed = true;

	if (count == 0 && access(DEFAULT_TRACE, F_OK) < 0) {
		error_set(err, STATUS_SYSTEM, DEFAULT_TRACE, "the default trace does not exist");
		return error_remedy(err, "name a trace, or record one with picknext record");
	}
	if (count == 0)
		listed = add_trace(list, DEFAULT_TRACE, STATUS_OK, NULL);
	for (size_t i = 0; i < count && listed; i++)
		listed = is_directory(paths[i]) ? list_directory(list, paths[i])
						: add_trace(list, paths[i], STATUS_OK, NULL);
	return listed ? STATUS_OK : no_memory(err);
}

/* --- One after the other --- */

static enum status read_in_order(struct pass *pass, const struct listed_traces *list, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
		const struct listed_trace *trace = &list->items[i];
		if (trace->status != STATUS_OK) {
			*err = trace->err;
			return trace->status;
		}
		status = pass_read_trace(pass, trace->path, err);
		status = status == STATUS_OK ? status : pass_judge_failure(pass, status, err);
	}
	return status;
}

/* --- Side by side --- */

/* The pass over one trace. */
struct branch {
	struct pass pass;
	struct pass_consumer consumer;
	bool was_listed;
};

struct reading {
	struct pass *pass;
	const struct listed_traces *list;
};

static void drop_branch(void *context, void *result)
{
	struct branch *branch = result;
	const struct reading *reading = context;

	if (!branch)
		return;
	if (branch->consumer.context)
		reading->pass->consumer->branches->drop(branch->consumer.context);
	pass_free(&branch->pass);
	free(branch);
}

static enum status read_branch(void *context, size_t item, void **result, struct error *err)
{
	const struct reading *reading = context;
	const struct pass_consumer *consumer = reading->pass->consumer;
	const struct listed_trace *trace = &reading->list->items[item];
	struct branch *branch = calloc(1, sizeof(*branch));

	if (!branch)
		return no_memory(err);
	*result = branch;
	if (trace->status != STATUS_OK) {
		*err = trace->err;
		return trace->status;
	}
	branch->was_listed = true;
	if (!consumer->branches->make(consumer->context, &branch->consumer))
		return no_memory(err);
	enum status status = pass_begin(reading->pass->options, &branch->consumer, &branch->pass, err);
	return status == STATUS_OK ? pass_read_trace(&branch->pass, trace->path, err) : status;
}

static void add_summary(struct pass_summary *summary, const struct pass_summary *more)
{
	summary->runs += more->runs;
	summary->cpus = summary->cpus > more->cpus ? summary->cpus : more->cpus;
	summary->events += more->events;
	summary->duration_ns += more->duration_ns;
	summary->lost_events += more->lost_events;
	summary->lost_places += more->lost_places;
	summary->lost_unknown = summary->lost_unknown || more->lost_unknown;
	summary->lossy_runs += more->lossy_runs;
	summary->truncated_runs += more->truncated_runs;
	summary->followed_runs += more->followed_runs;
	summary->backward_events += more->backward_events;
	if (summary->backward_max_ns < more->backward_max_ns)
		summary->backward_max_ns = more->backward_max_ns;
	summary->malformed_lines += more->malformed_lines;
	if (more->grade <= summary->grade)
		return;
	summary->grade = more->grade;
	summary->worst = more->worst;
}

/* The pass is where it would be after reading the trace itself. */
static enum status add_pass(struct pass *pass, const struct branch *branch, struct task_map *map, struct error *err)
{
	const struct pass *more = &branch->pass;

	add_summary(&pass->summary, &more->summary);
	pass->run.path = more->run.path;
	pass->run.first_ns = more->run.first_ns;
	pass->trace = more->trace;
	pass->trace.quality.clock = ""; /* the trace is closed */
	pass->is_over = more->is_over;
	pass->is_open = more->is_open;
	pass->end_ns = more->end_ns;
	return task_states_add(&pass->states, &more->states, map, err);
}

static enum status join_branch(struct pass *pass, struct branch *branch, struct error *err)
{
	const struct pass_consumer *consumer = pass->consumer;
	struct task_map map;
	enum status status = add_pass(pass, branch, &map, err);

	if (status == STATUS_OK)
		status = consumer->branches->join(consumer->context, pass, branch->consumer.context, &map, err);
	if (status == STATUS_OK && consumer->end)
		status = consumer->end(consumer->context, pass, err);
	task_map_free(&map);
	pass->run.number++;
	return status;
}

/* err is what consumer->failed() has to show. */
static enum status join_failure(struct pass *pass, struct branch *branch, enum status made, struct error *err)
{
	const struct pass_consumer *consumer = pass->consumer;
	struct error failure;

	if (!branch || !branch->was_listed || !consumer->failed)
		return made;
	pass->run.path = branch->pass.run.path;
	if (branch->consumer.context &&
	    consumer->branches->join(consumer->context, pass, branch->consumer.context, NULL, &failure) != STATUS_OK) {
		*err = failure;
		return failure.status;
	}
	return pass_judge_failure(pass, made, err);
}

static enum status take_branch(void *context, size_t item, void *result, enum status made, struct error *err)
{
	const struct reading *reading = context;
	enum status status = made == STATUS_OK ? join_branch(reading->pass, result, err)
					       : join_failure(reading->pass, result, made, err);

	(void)item;
	drop_branch(context, result);
	return status;
}

static enum status read_side_by_side(struct pass *pass, const struct listed_traces *list, struct error *err)
{
	struct reading reading = {pass, list};
	const struct ordered_work work = {
	    .context = &reading, .make = read_branch, .take = take_branch, .drop = drop_branch};

	return ordered_run(&work, list->count, (unsigned int)pass->options->jobs, err);
}

enum status pass_read(const struct pass_options *options, char *const *paths, size_t count,
		      const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	struct listed_traces list = {0};
	enum status status = pass_begin(options, consumer, pass, err);

	interrupt_catch();
	if (status == STATUS_OK)
		status = list_operands(paths, count, &list, err);
	if (status == STATUS_OK)
		status = pass->options->jobs > 1 && consumer->branches && list.count > 1
			     ? read_side_by_side(pass, &list, err)
			     : read_in_order(pass, &list, err);
	free_list(&list);
	return status;
}
