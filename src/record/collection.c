/* SPDX-License-Identifier: MIT */
#include "record/collection.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "capture/cpus.h"
#include "capture/dat_file.h"
#include "capture/session.h"
#include "capture/spool.h"
#include "record/collection_notice.h"
#include "record/host_facts.h"
#include "record/scratch.h"
#include "record/stack_symbols.h"
#include "record/survey_file.h"
#include "record/time_left.h"
#include "record/trace_losses.h"
#include "record/traced_command.h"
#include "runs/metadata.h"

/* As the original tool: what set-up stirred may come to rest before a recording, and what a run stirred before the
 * next one. */
enum { SETTLE_MS = 300, PAUSE_MS = 1000 };

enum { PROGRESS_MS = 1000 };

struct collection {
	const struct collection_request *request;
	struct collection_summary *summary;
	struct cpu_layout cpus;
	struct time_left time_left;
	unsigned int done, of;
};

/* One run on its way. */
struct recording {
	size_t index; /* of the workload in the request */
	unsigned int run;
	char trace_id[160];
	char dat_path[PATH_MAX], json_path[PATH_MAX];
	struct workload_request workload;
	struct workload_run *tasks;
	struct workload_result result;
	struct capture_session *session;
	struct spool *spool; /* with drain_ms */
	struct scratch scratch;
	double begin_s; /* of everything */
	double start_s, end_s;
	uint64_t events, switches;
	struct trace_losses losses;
};

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void tell_progress(const struct collection *collection, const struct recording *recording, uint64_t events)
{
	const struct collection_request *request = collection->request;
	double elapsed_s = seconds_of(CLOCK_MONOTONIC) - recording->begin_s;
	struct collection_progress progress = {
	    .workload = recording->workload.workload->name,
	    .run = recording->run + request->first_run,
	    .done = collection->done,
	    .of = collection->of,
	    .events_so_far = events,
	    .seconds_left_estimate =
		time_left_estimate(&collection->time_left, request, recording->index, recording->run, elapsed_s),
	};

	if (request->progress)
		request->progress(request->context, &progress);
}

/* How long to sleep at most while a run goes on; -1: until its end. */
static int look_every_ms(const struct collection_request *request, bool has_pidfd)
{
	int interval_ms = request->progress ? PROGRESS_MS : -1;

	if (request->drain_ms && (interval_ms < 0 || (int)request->drain_ms < interval_ms))
		interval_ms = (int)request->drain_ms;
	/* Kernels before 5.3 cannot tell of the end by themselves. */
	return !has_pidfd && interval_ms > 10 ? 10 : interval_ms;
}

static enum status drain_and_tell(const struct collection *collection, struct recording *recording, double *told_s,
				  struct error *err)
{
	enum status status = recording->spool ? spool_drain(recording->spool, err) : STATUS_OK;
	double now_s = seconds_of(CLOCK_MONOTONIC);

	if (now_s - *told_s >= PROGRESS_MS / 1000.0) {
		*told_s = now_s;
		tell_progress(collection, recording, capture_events_so_far(recording->session));
	}
	return status;
}

/* Returns when the run is over. What is done meanwhile is done on the tracer's own CPU, on a timer; where there is
 * nothing to do, nothing wakes up before the end. */
static enum status wait_for_end(const struct collection *collection, struct recording *recording, struct error *err)
{
	int fd = (int)syscall(SYS_pidfd_open, workload_leader(recording->tasks), 0);
	int interval_ms = look_every_ms(collection->request, fd >= 0);
	double told_s = seconds_of(CLOCK_MONOTONIC);
	enum status status = STATUS_OK;

	while (interval_ms > 0 && status == STATUS_OK && !workload_is_over(recording->tasks) &&
	       interrupt_signal() == 0) {
		struct pollfd wait[2] = {{.fd = fd, .events = POLLIN}, {.fd = interrupt_fd(), .events = POLLIN}};
		if (poll(wait, 2, interval_ms) == 0)
			status = drain_and_tell(collection, recording, &told_s, err);
	}
	if (fd >= 0)
		close(fd);
	return status == STATUS_OK ? workload_wait(recording->tasks, &recording->result, err) : status;
}

static enum status name_files(const struct collection *collection, struct recording *recording, struct error *err)
{
	char name[200];
	const char *directory = collection->request->raw_directory;

	snprintf(recording->trace_id, sizeof(recording->trace_id), "%.128s_run%u", recording->workload.workload->name,
		 recording->run + collection->request->first_run);
	snprintf(name, sizeof(name), "%s.dat", recording->trace_id);
	enum status status = file_join(recording->dat_path, sizeof(recording->dat_path), directory, name, err);
	snprintf(name, sizeof(name), "%s.json", recording->trace_id);
	if (status == STATUS_OK)
		status = file_join(recording->json_path, sizeof(recording->json_path), directory, name, err);
	return status;
}

static enum status prepare(const struct collection *collection, struct recording *recording, struct error *err)
{
	const struct collection_request *request = collection->request;
	struct capture_settings settings = {
	    .buffer_size_kb = request->buffer_size_kb,
	    .clock = request->clock,
	    .global = request->global,
	    .migration_stacks = request->migration_stacks,
	    .cpu_count = collection->cpus.count,
	};
	enum status status = interrupt_check(err);

	if (status == STATUS_OK)
		status = name_files(collection, recording, err);
	if (status == STATUS_OK && recording->workload.workload->needs_scratch) {
		status = scratch_open(request, &recording->scratch, err);
		recording->workload.scratch = recording->scratch.path;
	}
	if (status == STATUS_OK)
		status = capture_open(&settings, &recording->session, err);
	if (status == STATUS_OK && collection->done == 0 && !survey_reads_clock(request->clock))
		collection_warn(request, SURVEY_CLOCK_WARNING, request->clock);
	if (status == STATUS_OK)
		status = workload_prepare(&recording->workload, &recording->tasks, err);
	if (status == STATUS_OK && request->drain_ms)
		status = spool_open(recording->session, request->raw_directory, &recording->spool, err);
	if (status == STATUS_OK && request->run_begins)
		request->run_begins(request->context, recording->trace_id);
	return status == STATUS_OK ? interrupt_sleep(SETTLE_MS, err) : status;
}

/* What was recorded until a signal came, marked by its name as incomplete: build does not take it. */
static void keep_interrupted(const struct recording *recording, struct error *err)
{
	char path[PATH_MAX];
	struct trace_survey survey;

	if (snprintf(path, sizeof(path), "%s.partial", recording->dat_path) >= (int)sizeof(path) ||
	    dat_file_save(recording->session, recording->spool, path, NULL) != STATUS_OK ||
	    survey_file(path, &survey, NULL) != STATUS_OK)
		return;
	error_remedy(err, "the %llu events until then are in %.300s", (unsigned long long)survey.events, path);
	trace_survey_free(&survey);
}

/* The traced window: nothing but the workload happens in it. */
static enum status record(const struct collection *collection, struct recording *recording, struct error *err)
{
	enum status status = capture_start(recording->session, err);

	recording->start_s = seconds_of(CLOCK_REALTIME);
	if (status == STATUS_OK)
		status = workload_start(recording->tasks, err);
	if (status == STATUS_OK)
		status = wait_for_end(collection, recording, err);
	/* Off in any case; the first failure is the one that is told. */
	enum status stopped = capture_stop(recording->session, status == STATUS_OK ? err : NULL);
	recording->end_s = seconds_of(CLOCK_REALTIME);
	if (status == STATUS_INTERRUPTED && stopped == STATUS_OK && err)
		keep_interrupted(recording, err);
	else if (status != STATUS_OK && recording->spool && err)
		dat_file_keep(recording->session, recording->spool, recording->dat_path, err);
	return status == STATUS_OK ? stopped : status;
}

static void tell_losses(const struct collection *collection, const struct recording *recording)
{
	collection_warn(
	    collection->request,
	    "%s: %llu events were lost (%s): the trace buffer was full; raise --buffer-size (now %llu KB per CPU)%s, "
	    "or shorten the run with --scale",
	    recording->trace_id, (unsigned long long)recording->losses.events, recording->losses.where,
	    (unsigned long long)collection->request->buffer_size_kb,
	    collection->request->drain_ms ? ", read it out more often with a smaller --drain"
					  : ", leave --no-drain out");
}

static enum status check_events(const struct collection *collection, struct recording *recording, struct error *err)
{
	uint64_t entries = 0;
	struct trace_survey survey;
	enum status status = survey_file(recording->dat_path, &survey, err);

	if (status != STATUS_OK)
		return status;
	recording->events = survey.events;
	recording->switches = survey.switches;
	for (unsigned int cpu = 0; cpu < capture_cpu_count(recording->session); cpu++)
		entries += ring_stats_recorded(capture_stats(recording->session, cpu));
	if (entries != recording->events)
		collection_warn(collection->request, "%s: the kernel counted %llu events, %llu were read out",
				recording->trace_id, (unsigned long long)entries,
				(unsigned long long)recording->events);
	if (capture_was_off(recording->session))
		collection_warn(collection->request, "%s: %s", recording->trace_id, TRACE_LOSSES_WAS_OFF);
	if (recording->events == 0)
		collection_warn(
		    collection->request,
		    "No events captured in %s: the workload may have finished too quickly (raise --scale), or the "
		    "buffer may be too small (raise --buffer-size)",
		    recording->trace_id);
	trace_losses_find(recording->session, recording->spool, &survey, &recording->losses);
	trace_survey_free(&survey);
	if (recording->losses.events)
		tell_losses(collection, recording);
	if (recording->result.command_code)
		collection_warn(collection->request, "%s: the command ended with exit code %d; its trace is kept",
				recording->trace_id, recording->result.command_code);
	return STATUS_OK;
}

static struct run_work work_of(const struct collection *collection, const struct recording *recording)
{
	const struct workload_request *request = &recording->workload;
	const struct workload_result *result = &recording->result;
	const struct scratch *scratch = &recording->scratch;
	struct run_work work = {
	    .parameters = request->workload->parameters,
	    .scale = request->scale,
	    .loops = workload_effective_loops(request),
	    .timed_s = (double)NAN,
	    .tasks = result->tasks,
	    .work_done = result->work_done,
	    .work_unit = request->workload->work_unit,
	    .elapsed_s = result->elapsed_s,
	    .voluntary_switches = result->voluntary_switches,
	    .involuntary_switches = result->involuntary_switches,
	    .accelerator = collection->request->accelerator,
	};

	if (work.loops == 0 && !request->workload->command)
		work.timed_s = workload_effective_duration_s(request);
	if (scratch->kind[0]) {
		work.scratch.kind = scratch->kind;
		work.scratch.path = scratch->path;
		work.scratch.file_system = scratch->file_system[0] ? scratch->file_system : NULL;
	}
	return work;
}

static enum status write_metadata(const struct collection *collection, const struct recording *recording,
				  struct error *err)
{
	const struct workload *workload = recording->workload.workload;
	struct host_facts facts;

	host_facts_read(&facts, &collection->cpus);
	struct run_metadata metadata = {
	    .trace_id = recording->trace_id,
	    .workload_name = workload->name,
	    .category = workload->category,
	    .description = workload->description,
	    .start_s = recording->start_s,
	    .end_s = recording->end_s,
	    .events = recording->events,
	    .switches = recording->switches,
	    .buffer_size_kb = collection->request->buffer_size_kb,
	    .trace_clock = collection->request->clock,
	    .drain_ms = collection->request->drain_ms,
	    .host = facts.host,
	    .command = {.arguments = workload->command,
			.pid = has_kernel_pids() ? recording->result.command_pid : 0,
			.has_exit_code = true,
			.exit_code = recording->result.command_code},
	    .has_work = true,
	    .work = work_of(collection, recording),
	};
	enum status status = metadata_counts_set(&metadata, recording->session, &recording->losses)
				 ? run_metadata_write(&metadata, recording->json_path, err)
				 : error_system(err, ENOMEM, recording->json_path, "cannot write the metadata");
	metadata_counts_free(&metadata);
	return status;
}

/* The two files of the run. */
static enum status save(const struct collection *collection, struct recording *recording, struct error *err)
{
	enum status status = dat_file_save(recording->session, recording->spool, recording->dat_path, err);

	if (status == STATUS_OK && collection->request->migration_stacks)
		status = stack_symbols_store(recording->dat_path, err);
	if (status == STATUS_OK)
		status = check_events(collection, recording, err);
	return status == STATUS_OK ? write_metadata(collection, recording, err) : status;
}

/* Takes everything of a run away again, whether it went well or not. */
static enum status end_recording(struct recording *recording, struct error *err)
{
	enum status status = STATUS_OK;

	workload_end(recording->tasks);
	trace_losses_free(&recording->losses);
	spool_close(recording->spool);
	if (recording->session)
		status = capture_close(recording->session, err);
	scratch_close(&recording->scratch);
	return status;
}

static void add_up(struct collection *collection, const struct recording *recording)
{
	struct collection_summary *summary = collection->summary;

	summary->traces++;
	summary->switches += recording->switches;
	summary->events += recording->events;
	summary->lost += recording->losses.events;
	summary->lossy += recording->losses.events > 0;
	summary->failed += recording->result.command_code != 0;
	collection->done++;
	time_left_learn(&collection->time_left, collection->request, recording->index,
			seconds_of(CLOCK_MONOTONIC) - recording->begin_s);
	collection_inform(collection->request, "[%u/%u] %s: %llu switches, %llu events in %.2f s%s", collection->done,
			  collection->of, recording->trace_id, (unsigned long long)recording->switches,
			  (unsigned long long)recording->events, recording->end_s - recording->start_s,
			  recording->losses.events ? ", events lost" : "");
}

static enum status one_run(struct collection *collection, size_t index, unsigned int run, struct error *err)
{
	const struct collection_request *request = collection->request;
	struct recording recording = {
	    .index = index,
	    .run = run,
	    .begin_s = seconds_of(CLOCK_MONOTONIC),
	    .workload = {.workload = request->workloads[index],
			 .scale = request->scale,
			 .duration_s = request->duration_s,
			 .fixed_work = request->fixed_work,
			 .cpus = collection->cpus.workload},
	};

	tell_progress(collection, &recording, 0);
	enum status status = prepare(collection, &recording, err);
	if (status == STATUS_OK)
		status = record(collection, &recording, err);
	if (status == STATUS_OK && request->run_ended)
		request->run_ended(request->context, recording.trace_id);
	if (status == STATUS_OK)
		status = save(collection, &recording, err);
	enum status ended = end_recording(&recording, status == STATUS_OK ? err : NULL);
	if (status != STATUS_OK || ended != STATUS_OK)
		return status != STATUS_OK ? status : ended;
	add_up(collection, &recording);
	if (request->trace_done)
		return request->trace_done(request->context, recording.trace_id, recording.dat_path,
					   recording.json_path, err);
	return STATUS_OK;
}

static enum status pause_between(const struct collection *collection, struct error *err)
{
	double scale = collection->request->scale < 1 ? collection->request->scale : 1;

	if (collection->done == collection->of)
		return STATUS_OK;
	return interrupt_sleep((unsigned int)(PAUSE_MS * scale), err);
}

static enum status all_runs(struct collection *collection, struct error *err)
{
	const struct collection_request *request = collection->request;

	for (size_t index = 0; index < request->workload_count; index++) {
		for (unsigned int run = 0; run < request->runs; run++) {
			enum status status = one_run(collection, index, run, err);
			if (status == STATUS_OK)
				status = pause_between(collection, err);
			if (status != STATUS_OK)
				return status;
		}
	}
	return STATUS_OK;
}

static void tell_conditions(const struct collection *collection, const char *tracefs)
{
	char workload[256];
	char tracer[32] = "no CPU of its own";

	cpu_list_text(&collection->cpus.workload, workload, sizeof(workload));
	if (collection->cpus.tracer_cpu >= 0)
		snprintf(tracer, sizeof(tracer), "CPU %d", collection->cpus.tracer_cpu);
	message_detail("tracing in %s, clock %s, %llu KB on each of %u CPUs", tracefs, collection->request->clock,
		       (unsigned long long)collection->request->buffer_size_kb, collection->cpus.count);
	message_detail("the workload runs on CPUs %s, the tracer has %s", workload, tracer);
}

/* A typing error is told before anything is set up. */
static enum status check_commands(const struct collection_request *request, struct error *err)
{
	for (size_t i = 0; i < request->workload_count; i++) {
		char *const *command = request->workloads[i]->command;
		if (command && traced_command_check(command[0], err))
			return err->status;
	}
	return STATUS_OK;
}

enum status collection_run(const struct collection_request *request, struct collection_summary *summary,
			   struct error *err)
{
	struct collection collection = {.request = request, .summary = summary};
	char tracefs[TRACEFS_PATH_SIZE];
	char text[512];
	int lock = -1;

	*summary = (struct collection_summary){0};
	collection.of = (unsigned int)request->workload_count * request->runs;
	/* Asked before anything is made, so that a refusal leaves no directory behind. */
	enum status status = tracefs_find(tracefs, sizeof(tracefs), err);
	if (status == STATUS_OK)
		status = check_commands(request, err);
	if (status == STATUS_OK)
		status = cpu_layout_read(&collection.cpus, err);
	if (status == STATUS_OK)
		status = file_make_directories(request->raw_directory, err);
	if (status == STATUS_OK)
		status = file_lock_directory(request->raw_directory, &lock, err);
	if (status != STATUS_OK)
		return status;
	prctl(PR_SET_NAME, "picknext");
	struct error refusal = {0};
	if (cpu_layout_pin(&collection.cpus, &refusal) != STATUS_OK) {
		error_text(&refusal, text, sizeof(text));
		collection_warn(request, "%s", text);
	}
	tell_conditions(&collection, tracefs);
	status = all_runs(&collection, err);
	cpu_layout_unpin(&collection.cpus);
	close(lock);
	return status;
}
