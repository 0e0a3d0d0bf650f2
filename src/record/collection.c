/* SPDX-License-Identifier: MIT */
#include "record/collection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu_list.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_file.h"
#include "base/splitmix.h"
#include "record/command_subject.h"
#include "record/host_facts.h"
#include "record/read_back.h"
#include "record/recorder.h"
#include "record/scratch.h"
#include "record/trace_file.h"
#include "record/workload_subject.h"
#include "workloads/mix.h"

/* Settle times of collect_traces.py: before a run, between runs. In a deterministic guest only the previous run can
 * disturb the next one, and a pause costs half as much host time as a workload. */
enum { SETTLE_MS = 300, PAUSE_MS = 1000, GUEST_PAUSE_MS = 50 };
/* The random part of a settle time: at least a tick. */
enum { START_RANGE_US = 10000 };

/* SCHED_EXT (include/uapi/linux/sched.h); C libraries do not define it yet. */
enum { POLICY_EXT = 7 };

struct collection {
	const struct collection_request *request;
	struct collection_summary *summary;
	struct cpu_layout cpus;
	struct scheduler_session scheduler;
	struct collection_capture capture;
	struct capture_session *session; /* shared by all runs: setting up the key probes takes a second */
	double done_s;                   /* total time of the finished runs */
	unsigned int done, of;
};

struct run {
	struct collection *collection;
	unsigned int number; /* from 0 */
	char id[160];
	struct workload_subject subject;
	struct scratch scratch;
	struct trace_file file;
	struct run_role roles[MIX_ROLES_MAX];
	struct run_cgroup cgroups[MIX_GROUPS_MAX];
	double begin_s; /* start of this run, CLOCK_MONOTONIC */
};

/* --- Callbacks of the recorder --- */

/* Assumes that the remaining runs take the mean time of the finished ones. */
static double estimate_seconds_left(const struct run *run)
{
	const struct collection *collection = run->collection;
	double elapsed_s = clock_seconds(CLOCK_MONOTONIC) - run->begin_s;

	if (collection->done == 0)
		return -1;
	return fmax(collection->done_s / collection->done * (collection->of - collection->done) - elapsed_s, 0);
}

static void report_progress(void *context, const struct capture_session *session)
{
	const struct run *run = context;
	const struct collection *collection = run->collection;
	const struct collection_request *request = collection->request;
	struct collection_progress progress = {
	    .workload = run->subject.request.workload->name,
	    .run = run->number + request->first_run,
	    .done = collection->done,
	    .of = collection->of,
	    .events_so_far = session ? capture_events_so_far(session) : 0,
	    .seconds_left_estimate = request->untraced ? -1 : estimate_seconds_left(run),
	};

	if (request->progress)
		request->progress(request->context, &progress);
}

static void report_begin(void *context)
{
	const struct run *run = context;
	const struct collection_request *request = run->collection->request;

	if (run->collection->done == 0 && !request->untraced)
		read_back_check_clock(request->capture.clock);
}

static void mark_scheduler(const struct capture_session *session, const struct scheduler_state *state)
{
	char text[SCHEDULER_MARK_SIZE];

	scheduler_session_mark(state, text);
	/* Best effort: the metadata has it too. */
	if (session && state->state[0])
		(void)tracefs_write(session->directory, "trace_marker", text, NULL);
}

static void mark_start(void *context, const struct capture_session *session)
{
	const struct run *run = context;

	mark_scheduler(session, &run->collection->scheduler.before);
}

static void check_scheduler(void *context, const struct capture_session *session)
{
	const struct run *run = context;

	scheduler_session_after(&run->collection->scheduler);
	mark_scheduler(session, &run->collection->scheduler.after);
}

/* --- The metadata --- */

static void describe_mix(const struct mix *mix, struct run *run, struct run_work *work)
{
	for (unsigned int i = 0; i < mix->role_count; i++) {
		const struct mix_role *role = &mix->roles[i];
		run->roles[i] = (struct run_role){
		    .name = role->name,
		    .tasks = role->count,
		    .policy = mix_policy_names[role->policy],
		    .nice = role->nice,
		    .priority = role->priority,
		    .slice_ns = role->slice_ns,
		    .cgroup = role->group[0] ? role->group : NULL,
		};
		if (CPU_COUNT(&role->cpus))
			mix_role_cpus(role, &run->collection->cpus.workload, &run->roles[i].cpus);
	}
	for (unsigned int i = 0; i < mix->group_count; i++) {
		const struct mix_group *group = &mix->groups[i];
		run->cgroups[i] = (struct run_cgroup){group->path, group->weight, group->quota_ns, group->period_ns};
	}
	work->roles = run->roles;
	work->role_count = mix->role_count;
	work->cgroups = run->cgroups;
	work->cgroup_count = mix->group_count;
}

static void describe_work(struct run *run, struct run_work *work)
{
	const struct workload_request *request = &run->subject.request;
	const struct workload_result *result = &run->subject.result;
	bool is_timed = !workload_effective_loops(request) && !request->workload->command;

	*work = (struct run_work){
	    .parameters = request->workload->parameters,
	    .scale = request->scale,
	    .loops = workload_effective_loops(request),
	    .timed_s = is_timed ? workload_effective_duration_s(request) : (double)NAN,
	    .tasks = result->tasks,
	    .work_done = result->work_done,
	    .work_unit = request->workload->work_unit,
	    .elapsed_s = result->elapsed_s,
	    .voluntary_switches = result->voluntary_switches,
	    .involuntary_switches = result->involuntary_switches,
	    .accelerator = run->collection->request->accelerator,
	};
	if (request->workload->mix)
		describe_mix(request->workload->mix, run, work);
	if (!run->scratch.kind[0])
		return;
	work->scratch.kind = run->scratch.kind;
	work->scratch.path = run->scratch.path;
	work->scratch.file_system = run->scratch.file_system[0] ? run->scratch.file_system : NULL;
}

static enum status judge_scheduler(struct trace_file *file, struct error *err)
{
	const struct run *run = file->context;

	(void)err;
	scheduler_session_judge(&run->collection->scheduler);
	return STATUS_OK;
}

static void describe_run(const struct trace_file *file, const struct trace_window *window,
			 struct run_metadata *metadata)
{
	struct run *run = file->context;
	const struct workload *workload = run->subject.request.workload;
	const struct workload_result *result = &run->subject.result;

	(void)window;
	metadata->workload_name = workload->name;
	metadata->category = workload->category;
	metadata->description = workload->description;
	metadata->has_work = true;
	if (run->collection->request->recipe)
		metadata->recipe = *run->collection->request->recipe;
	describe_work(run, &metadata->work);
	metadata->identity = run->collection->request->identity;
	metadata->is_deterministic = metadata->identity;
	metadata->seed = run->number + run->collection->request->first_run;
	metadata->scheduler = scheduler_session_describe(&run->collection->scheduler);
	if (workload->command) {
		metadata->command = (struct run_command){
		    .arguments = workload->command,
		    .pid = has_kernel_pids() ? result->command_pid : 0,
		    .has_exit_code = true,
		    .exit_code = result->command_code,
		};
		command_subject_hash(workload->command[0], metadata->command.program_sha256);
	}
}

/* --- One run --- */

static enum status name_files(struct run *run, struct error *err)
{
	char name[200];
	const struct collection_request *request = run->collection->request;
	struct trace_file *file = &run->file;

	snprintf(run->id, sizeof(run->id), "%.128s_run%u", run->subject.request.workload->name,
		 run->number + request->first_run);
	snprintf(file->trace_id, sizeof(file->trace_id), "%s", run->id);
	snprintf(name, sizeof(name), "%s.dat", run->id);
	enum status status = file_join(file->path, sizeof(file->path), request->raw_directory, name, err);
	snprintf(name, sizeof(name), "%s.json", run->id);
	if (status == STATUS_OK)
		status = file_join(file->json, sizeof(file->json), request->raw_directory, name, err);
	snprintf(file->directory, sizeof(file->directory), "%s", request->raw_directory);
	snprintf(file->shown, sizeof(file->shown), "%s", run->id);
	return status;
}

/* In a deterministic guest all seeds would start at the same distance from the ticks of the CPUs: what follows from it
 * would look like a property of the kernel. */
static unsigned int settle_us(const struct run *run)
{
	uint64_t random = run->subject.request.seed;

	if (!run->collection->request->identity)
		return SETTLE_MS * 1000;
	return SETTLE_MS * 1000 + (unsigned int)splitmix_below(&random, START_RANGE_US);
}

static enum status record_run(struct run *run, struct trace_window *window, struct error *err)
{
	const struct collection_request *request = run->collection->request;
	struct capture_settings capture = run->collection->capture.settings;
	const struct recorder_settings settings = {
	    .cpus = &run->collection->cpus,
	    .capture = request->untraced ? NULL : &capture,
	    .kept = &run->collection->session,
	    .subject = &run->subject.subject,
	    .sink = request->untraced ? NULL : &run->file.sink,
	    .settle_us = request->untraced ? 0 : settle_us(run),
	    .prepared = report_begin,
	    .started = run->collection->scheduler.is_known ? mark_start : NULL,
	    .stopping = run->collection->scheduler.is_known ? check_scheduler : NULL,
	    .progress = request->progress ? report_progress : NULL,
	    .context = run,
	};

	capture.key_levels = keys_levels(collection_group_levels(run->subject.request.workload));
	return recorder_run(&settings, window, err);
}

static void warn_of_run(const struct run *run)
{
	if (run->file.events == 0)
		message_warning(
		    "no events captured in %s: the workload may have finished too quickly (raise --scale), or "
		    "the buffer may be too small (raise --buffer-size)",
		    run->id);
	if (run->subject.result.command_code)
		message_warning("%s: the command ended with exit code %d; its trace is kept", run->id,
				run->subject.result.command_code);
}

static void add_up(const struct run *run, const struct trace_window *window)
{
	struct collection *collection = run->collection;
	struct collection_summary *summary = collection->summary;
	const struct trace_file *file = &run->file;
	double seconds = clock_seconds(CLOCK_MONOTONIC) - run->begin_s;

	summary->failed += run->subject.result.command_code != 0;
	collection->done++;
	collection->done_s += seconds;
	if (collection->request->untraced)
		return;
	summary->traces++;
	summary->switches += file->survey.switches;
	summary->events += file->events;
	summary->lost += losses_events(&file->losses);
	summary->lossy += losses_any(&file->losses);
	message_info("[%u/%u] %s: %llu switches, %llu events in %.2f s%s", collection->done, collection->of, run->id,
		     (unsigned long long)file->survey.switches, (unsigned long long)file->events,
		     window->stopped_s - window->started_s, losses_any(&file->losses) ? ", events lost" : "");
}

static enum status hand_over(const struct run *run, struct error *err)
{
	const struct collection_request *request = run->collection->request;
	const struct collection_run done = {
	    .id = run->id,
	    .dat_path = request->untraced ? NULL : run->file.path,
	    .json_path = request->untraced ? NULL : run->file.json,
	    .work = &run->subject.result,
	};

	return request->run_done ? request->run_done(request->context, &done, err) : STATUS_OK;
}

static enum status do_run(struct run *run, struct error *err)
{
	const struct collection_request *request = run->collection->request;
	struct workload_request *work = &run->subject.request;
	struct trace_window window;
	enum status status = name_files(run, err);

	if (status == STATUS_OK && work->workload->needs_scratch) {
		status = scratch_open(request->scratch, request->raw_directory, &run->scratch, err);
		work->scratch = run->scratch.path;
	}
	if (status == STATUS_OK)
		status = scheduler_session_before(&run->collection->scheduler, err);
	if (status == STATUS_OK)
		status = record_run(run, &window, err);
	scratch_close(&run->scratch);
	if (status != STATUS_OK)
		return status;
	if (!request->untraced)
		warn_of_run(run);
	add_up(run, &window);
	status = hand_over(run, err);
	return status == STATUS_OK ? scheduler_session_report(&run->collection->scheduler, run->id, err) : status;
}

/* The kernel or the machine lacks a feature that the mix needs: continue with the other workloads. */
static enum status skip_run(const struct run *run, const struct error *reason)
{
	struct collection *collection = run->collection;
	char text[1024];

	error_text(reason, text, sizeof(text));
	message_warning("%s is skipped: %s", run->id, text);
	collection->summary->skipped++;
	collection->done++;
	return STATUS_OK;
}

static enum status one_run(struct collection *collection, size_t index, unsigned int number, struct error *err)
{
	static const struct trace_file_actions actions = {.replace = judge_scheduler, .describe = describe_run};
	const struct collection_request *request = collection->request;
	struct workload_request work = collection_request_work(request, index);
	struct run run = {
	    .collection = collection,
	    .number = number,
	    .begin_s = clock_seconds(CLOCK_MONOTONIC),
	    .file = {.actions = &actions,
		     .cpus = &collection->cpus,
		     .clock = request->capture.clock,
		     .drain_ms = request->drain_ms},
	};

	work.cpus = collection->cpus.workload;
	work.seed = number + request->first_run;
	work.policy = scheduler_session_is_partial(&collection->scheduler) ? POLICY_EXT : 0;
	run.file.context = &run;
	trace_file_begin(&run.file);
	workload_subject_make(&run.subject, &work);
	report_progress(&run, NULL);
	struct error reason = {0};
	enum status status = do_run(&run, &reason);
	trace_file_free(&run.file);
	if (status == STATUS_UNSUPPORTED && work.workload->mix && request->workload_count > 1)
		return skip_run(&run, &reason);
	if (status != STATUS_OK)
		*err = reason;
	return status;
}

/* --- All of them --- */

static enum status pause_between(const struct collection *collection, struct error *err)
{
	const struct collection_request *request = collection->request;
	double scale = fmin(collection_request_work(request, 0).scale, 1);

	if (collection->done == collection->of || request->untraced)
		return STATUS_OK;
	return interrupt_sleep((unsigned int)((request->fixed_work ? GUEST_PAUSE_MS : PAUSE_MS) * scale), err);
}

static enum status all_runs(struct collection *collection, struct error *err)
{
	const struct collection_request *request = collection->request;

	for (size_t index = 0; index < request->workload_count; index++) {
		for (unsigned int number = 0; number < request->runs; number++) {
			enum status status = one_run(collection, index, number, err);
			if (status == STATUS_OK)
				status = pause_between(collection, err);
			if (status != STATUS_OK)
				return status;
		}
	}
	return STATUS_OK;
}

static enum status run_with_scheduler(struct collection *collection, struct error *err)
{
	const struct collection_request *request = collection->request;
	struct scheduler_session *scheduler = &collection->scheduler;
	enum status status = scheduler_session_begin(scheduler, &request->scheduler, &collection->cpus,
						     request->raw_directory, request->first_run, err);

	if (status == STATUS_OK)
		status = all_runs(collection, err);
	collection->summary->ejected = scheduler->count;
	snprintf(collection->summary->ejection, sizeof(collection->summary->ejection), "%s", scheduler->first);
	scheduler_session_end(scheduler);
	return status;
}

static void report_conditions(const struct collection *collection, const char *tracefs)
{
	const struct capture_settings *capture = &collection->request->capture;
	char workload[256];
	char tracer[32] = "no CPU of its own";

	cpu_list_text(&collection->cpus.workload, workload, sizeof(workload));
	if (collection->cpus.tracer_cpu >= 0)
		snprintf(tracer, sizeof(tracer), "CPU %d", collection->cpus.tracer_cpu);
	message_detail("tracing in %s, clock %s, %llu KB on each of %u CPUs", tracefs, capture->clock,
		       (unsigned long long)capture->buffer_size_kb, collection->cpus.count);
	message_detail("the workload runs on CPUs %s, the tracer has %s", workload, tracer);
}

/* Reports typing errors before anything is set up. */
static enum status check_commands(const struct collection_request *request, struct error *err)
{
	for (size_t i = 0; i < request->workload_count; i++) {
		char *const *command = request->workloads[i]->command;
		if (command && command_subject_check(command[0], err))
			return err->status;
	}
	return STATUS_OK;
}

/* Before the first run: refuses output paths that are directories, and reports how many runs will be replaced. */
static enum status check_files(const struct collection_request *request, struct error *err)
{
	struct run run = {.collection = &(struct collection){.request = request}};
	enum status status = STATUS_OK;
	unsigned int replaced = 0;

	if (access(request->raw_directory, F_OK) < 0)
		return STATUS_OK;
	for (size_t index = 0; index < request->workload_count; index++) {
		run.subject.request.workload = request->workloads[index];
		for (run.number = 0; run.number < request->runs && status == STATUS_OK; run.number++) {
			status = name_files(&run, err);
			if (status == STATUS_OK)
				status = output_check_directory(run.file.path, err);
			if (status == STATUS_OK)
				status = output_check_directory(run.file.json, err);
			replaced += status == STATUS_OK && access(run.file.path, F_OK) == 0;
		}
	}
	if (status == STATUS_OK && replaced)
		message_info("%u earlier run%s in %s will be replaced", replaced, replaced == 1 ? "" : "s",
			     request->raw_directory);
	return status;
}

/* Runs all checks before the directory is created, so that a failed check leaves none. */
static enum status prepare_directory(struct collection *collection, char *tracefs, int *lock, struct error *err)
{
	const struct collection_request *request = collection->request;
	enum status status = tracefs_find(tracefs, TRACEFS_PATH_SIZE, err);

	if (status == STATUS_OK)
		status = check_commands(request, err);
	if (status == STATUS_OK)
		status = check_files(request, err);
	if (status == STATUS_OK)
		status = collection_capture_choose(request, &collection->capture, err);
	if (status == STATUS_OK)
		status = file_make_directories(request->raw_directory, err);
	return status == STATUS_OK ? file_lock_directory(request->raw_directory, lock, err) : status;
}

static enum status run_traced(struct collection *collection, struct error *err)
{
	char tracefs[TRACEFS_PATH_SIZE];
	int lock = -1;
	enum status status = prepare_directory(collection, tracefs, &lock, err);

	if (status == STATUS_OK)
		status = tracer_begin(&collection->cpus, err);
	if (status == STATUS_OK) {
		report_conditions(collection, tracefs);
		status = run_with_scheduler(collection, err);
		if (collection->session) {
			const enum status closed = capture_close(collection->session, status == STATUS_OK ? err : NULL);
			status = status == STATUS_OK ? closed : status;
		}
		tracer_end(&collection->cpus);
	}
	collection_capture_free(&collection->capture);
	if (lock >= 0)
		close(lock);
	return status;
}

enum status collection_run(const struct collection_request *request, struct collection_summary *summary,
			   struct error *err)
{
	struct collection collection = {
	    .request = request, .summary = summary, .of = (unsigned int)(request->workload_count * request->runs)};

	*summary = (struct collection_summary){0};
	enum status status = scheduler_session_check(&request->scheduler, err);
	if (status == STATUS_OK && !request->untraced)
		return run_traced(&collection, err);
	if (status == STATUS_OK)
		status = cpu_layout_read(&collection.cpus, err);
	return status == STATUS_OK ? run_with_scheduler(&collection, err) : status;
}
