/* SPDX-License-Identifier: MIT */
#include "trace/pass_runs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/ordered.h"
#include "runs/run_list.h"

/* The default trace. */
#define DEFAULT_TRACE "picknext.dat"

/* --- The traces of the operands --- */

/* The traces up to the first operand that has none: its error counts once the traces before it have been read. */
struct operands {
	struct run_list traces;
	enum status status;
	struct error err;
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot list so many traces");
}

static void add_trace(struct operands *operands, const char *path)
{
	run_list_add(&operands->traces)->path = xstrdup(path);
}

static enum status list_directory(const char *path, struct run_list *list, struct error *err)
{
	char raw[PATH_MAX];
	enum status status = run_directory_of(path, raw, err);

	if (status != STATUS_OK)
		return status;
	status = run_list_find(raw, NULL, list, err);
	if (status == STATUS_OK)
		return STATUS_OK;
	if (access(path, R_OK | X_OK) == 0)
		return error_remedy(err, "name a directory with traces, or with a directory raw of them");
	return error_remedy(err, "read it as its owner, or with sudo");
}

static enum status list_operands(char *const *paths, size_t count, struct operands *operands, struct error *err)
{
	if (count == 0 && access(DEFAULT_TRACE, F_OK) < 0) {
		error_set(err, STATUS_SYSTEM, DEFAULT_TRACE, "the default trace does not exist");
		return error_remedy(err, "name a trace, or record one with picknext record");
	}
	if (count == 0)
		add_trace(operands, DEFAULT_TRACE);
	for (size_t i = 0; i < count && operands->status == STATUS_OK; i++)
		if (file_is_directory(paths[i]))
			operands->status = list_directory(paths[i], &operands->traces, &operands->err);
		else
			add_trace(operands, paths[i]);
	return STATUS_OK;
}

/* --- One after the other --- */

static enum status read_in_order(struct pass *pass, const struct run_list *traces, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < traces->count && status == STATUS_OK; i++) {
		status = pass_read_trace(pass, traces->items[i].path, err);
		status = status == STATUS_OK ? status : pass_judge_failure(pass, status, err);
	}
	return status;
}

/* --- Side by side --- */

/* The pass over one trace. */
struct branch {
	struct pass pass;
	struct pass_consumer consumer;
};

struct reading {
	struct pass *pass;
	const struct run_list *traces;
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
	struct branch *branch = calloc(1, sizeof(*branch));

	if (!branch)
		return no_memory(err);
	*result = branch;
	if (!consumer->branches->make(consumer->context, &branch->consumer))
		return no_memory(err);
	enum status status = pass_begin(reading->pass->options, &branch->consumer, &branch->pass, err);
	return status == STATUS_OK ? pass_read_trace(&branch->pass, reading->traces->items[item].path, err) : status;
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

	if (!branch || !consumer->failed)
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

static enum status read_side_by_side(struct pass *pass, const struct run_list *traces, struct error *err)
{
	struct reading reading = {pass, traces};
	const struct ordered_work work = {
	    .context = &reading, .make = read_branch, .take = take_branch, .drop = drop_branch};

	return ordered_run(&work, traces->count, (unsigned int)pass->options->jobs, err);
}

enum status pass_read(const struct pass_options *options, char *const *paths, size_t count,
		      const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	struct operands operands = {0};
	const struct run_list *traces = &operands.traces;
	enum status status = pass_begin(options, consumer, pass, err);

	interrupt_catch();
	if (status == STATUS_OK)
		status = list_operands(paths, count, &operands, err);
	if (status == STATUS_OK)
		status = pass->options->jobs > 1 && consumer->branches && traces->count > 1
			     ? read_side_by_side(pass, traces, err)
			     : read_in_order(pass, traces, err);
	run_list_free(&operands.traces);
	if (status != STATUS_OK || operands.status == STATUS_OK)
		return status;
	if (err)
		*err = operands.err;
	return operands.status;
}
