/* SPDX-License-Identifier: MIT */
#include "record/trace_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/output_file.h"
#include "record/host_facts.h"
#include "record/read_back.h"
#include "record/tracefs/dat_file.h"
#include "record/until.h"

enum { DRAIN_MS_MAX = 60000 };

static struct trace_file *file_of(const struct recorder_sink *sink)
{
	return (struct trace_file *)(uintptr_t)sink;
}

static const char *shown_name(const struct trace_file *file)
{
	return file->shown[0] ? file->shown : file->path;
}

static enum status open_sink(struct recorder_sink *sink, struct capture_session *session, struct error *err)
{
	struct trace_file *file = file_of(sink);

	file->session = session;
	if (!file->drain_ms && file->flight_s == 0)
		return STATUS_OK;
	enum status status = spool_open(session, file->directory, &file->spool, err);
	if (status == STATUS_OK && file->until) {
		file->spool->takes_partial = true;
		until_begin(file->until, session, file->spool);
	}
	return status;
}

static int interval_ms(const struct recorder_sink *sink)
{
	return file_of(sink)->drain_ms ? (int)file_of(sink)->drain_ms : -1;
}

/* Frees the pages that will not be in the file, once in a while. A wait is noticed as soon as it is too long. */
static enum status forget_old(struct trace_file *file, uint64_t now_ns, struct error *err)
{
	static const double spare_s = 2;
	const double kept_s = file->flight_s + until_longest_s(file->until) + spare_s;
	const uint64_t kept_ns = (uint64_t)(kept_s * 1e9);

	if (file->until->moment.condition || now_ns < kept_ns || now_ns - file->forgotten_ns < 1000000000)
		return STATUS_OK;
	file->forgotten_ns = now_ns;
	return flight_forget(file->spool, now_ns - kept_ns, err);
}

static enum status drain(struct recorder_sink *sink, struct error *err)
{
	struct trace_file *file = file_of(sink);
	const uint64_t now_ns = file->until ? capture_now_ns(file->session) : 0;
	enum status status = file->drain_ms ? spool_drain(file->spool, err) : STATUS_OK;

	if (status == STATUS_OK && file->until)
		status = until_read(file->until, now_ns, err);
	return status == STATUS_OK && file->until ? forget_old(file, now_ns, err) : status;
}

/* As many seconds are kept after the wait as before it. */
static bool has_moment(const struct recorder_sink *sink)
{
	const struct until *until = file_of(sink)->until;

	return until && until->moment.condition &&
	       (double)(until->now_ns - until->moment.end_ns) >= file_of(sink)->flight_s * 1e9;
}

/* --- Losses --- */

/* Events dropped after the last drain: the buffer stayed full until the end, so they follow the last event of its
 * CPU. */
static void note_rest(const struct trace_survey *survey, unsigned int cpu, uint64_t lost, uint64_t now_us,
		      struct losses *losses)
{
	struct loss place = {.cpu = cpu, .events = lost, .before_ns = now_us * 1000};

	for (size_t i = 0; i < losses->count; i++)
		if (losses->items[i].cpu == cpu)
			place.events -= losses->items[i].events;
	for (size_t i = 0; i < survey->cpu_count; i++)
		if (survey->cpus[i].cpu == cpu)
			place.after_ns = survey->cpus[i].last_ts;
	if (place.events)
		losses_add_place(losses, &place);
}

/* Events that were overwritten before they were drained, in the file or before its beginning. */
static void add_overwritten(const struct trace_file *file, bool in_file, struct losses *losses)
{
	const struct losses *all = &file->until->losses;

	for (size_t i = 0; i < all->count; i++)
		if (in_file == (all->items[i].before_ns > file->flight.start_ns))
			losses_add_place(losses, &all->items[i]);
}

/* For a stopped session after its readout. Without a spool the survey shows when each buffer was full. Events that a
 * flight recording overwrote are not lost, unless it is drained. */
static void find_losses(struct trace_file *file)
{
	const struct capture_session *session = file->session;
	struct spool *spool = file->spool;
	const struct trace_survey *survey = &file->survey;
	struct losses *losses = &file->losses;

	*losses = (struct losses){0};
	if (spool) {
		*losses = spool->losses;
		spool->losses = (struct losses){0};
	}
	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++) {
		const struct ring_stats *stats = &session->stats[cpu];
		uint64_t lost = ring_stats_lost(stats) - (session->settings.overwrite ? stats->overrun : 0);
		if (lost)
			note_rest(survey, cpu, lost, stats->now_us, losses);
	}
	if (file->until)
		add_overwritten(file, true, losses);
	losses_sort(losses);
}

/* Events that the kernel recorded, on all CPUs of a stopped session. */
static uint64_t recorded_events(const struct capture_session *session)
{
	uint64_t events = 0;

	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++)
		events += ring_stats_recorded(&session->stats[cpu]);
	return events;
}

/* --- Warnings --- */

static void warn_of_losses(const struct trace_file *file)
{
	struct buffer text = {0};

	losses_describe(&file->losses, &text);
	message_warning("%s: lost %s: the trace buffer was full; raise --buffer-size (now %llu KB per CPU)%s",
			shown_name(file), text.data, (unsigned long long)file->session->settings.buffer_size_kb,
			file->drain_ms       ? ", or read it out more often with a smaller --drain"
			: file->flight_s > 0 ? ""
					     : ", or leave out --drain 0");
	buffer_free(&text);
}

static void warn_of_losses_before(const struct trace_file *file)
{
	struct losses losses = {0};
	struct buffer text = {0};

	if (file->until)
		add_overwritten(file, false, &losses);
	losses_describe(&losses, &text);
	if (losses_any(&losses))
		message_warning(
		    "%s: lost %s, before the beginning of this file: a wait may not have been noticed; raise "
		    "--buffer-size (now %llu KB per CPU), or read it out more often with a smaller --drain",
		    shown_name(file), text.data, (unsigned long long)file->session->settings.buffer_size_kb);
	buffer_free(&text);
	losses_free(&losses);
}

/* Compares the kernel's count of events with that of the trace, except for a flight recording, which leaves out events
 * that the kernel counted. */
static void check_count(const struct trace_file *file)
{
	uint64_t recorded = recorded_events(file->session);

	if (file->flight_s == 0 && recorded != file->events)
		message_warning("%s: the kernel counted %llu events, %llu were read out", shown_name(file),
				(unsigned long long)recorded, (unsigned long long)file->events);
	if (file->session->was_off)
		message_warning("%s: another process cleared tracing_on before the end; later events are missing",
				shown_name(file));
}

static void warn_of_short_flight(const struct trace_file *file)
{
	const struct flight *flight = &file->flight;

	if (file->flight_s > 0 && flight->short_cpu >= 0)
		message_warning("%s: the buffer of CPU %d holds only the last %.3f s of the requested %g s; raise "
				"--buffer-size (now %llu KB per CPU)",
				shown_name(file), flight->short_cpu, (double)(flight->end_ns - flight->start_ns) / 1e9,
				file->flight_s, (unsigned long long)file->session->settings.buffer_size_kb);
}

/* --- Saving --- */

/* PATH.partial, which build ignores; an older file of this name becomes PATH.partial.old. */
static enum status partial_path(const struct trace_file *file, char path[PATH_MAX], struct error *err)
{
	bool kept;

	if (snprintf(path, PATH_MAX, "%s.partial", file->path) >= PATH_MAX)
		return error_system(err, ENAMETOOLONG, file->path, "cannot name the incomplete trace");
	return output_keep_old(path, &kept, err);
}

static enum status cut_flight(struct trace_file *file, struct error *err)
{
	struct until *until = file->until;
	const uint64_t now_ns = until ? capture_now_ns(file->session) : 0;
	enum status status = spool_take_rest(file->spool, err);

	if (status == STATUS_OK && until)
		status = until_read(until, now_ns, err);
	if (status == STATUS_OK)
		status = flight_cut(file->spool, file->flight_s,
				    until && until->moment.condition ? until->moment.since_ns : 0, &file->flight, err);
	if (status != STATUS_OK)
		dat_file_keep(file->session, file->spool, file->path, err);
	return status;
}

/* The kernel accepts a probe of a function that it has inlined, but the probe is never hit. */
static enum status check_keys(const struct trace_file *file, struct error *err)
{
	enum { SWITCHES_MIN = 10 }; /* the first switches may come without keys */

	if (!file->session->settings.keys || file->survey.key_switches || file->survey.switches < SWITCHES_MIN)
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, "--keys",
		  "the kernel recorded %llu switches but no keys: "
		  "it never calls the probed function",
		  (unsigned long long)file->survey.switches);
	return error_remedy(err, "omit --keys");
}

/* Events after the fault are in no count, so the file gets a name that marks it as incomplete. */
static enum status check_buffer(const struct trace_file *file, struct error *err)
{
	char path[PATH_MAX];

	if (capture_takes_events(file->session))
		return STATUS_OK;
	enum status status = partial_path(file, path, err);
	if (status == STATUS_OK && rename(file->path, path) < 0)
		status = error_system(err, errno, path, "cannot rename the incomplete trace to this name");
	if (status != STATUS_OK)
		return status;
	error_set(err, STATUS_LOST, shown_name(file),
		  "the kernel takes no more events into its trace buffer: after a fault of the buffer (dmesg has a "
		  "warning of kernel/trace/ring_buffer.c), or while another process holds the file trace open");
	/* A directory of a guest says nothing to its host. */
	const char *name = file->shown[0] ? strrchr(path, '/') + 1 : path;
	return error_remedy(err, "the %llu events until then are in %.300s; record again",
			    (unsigned long long)file->survey.events, name);
}

static enum status save_trace(struct trace_file *file, struct error *err)
{
	enum status status = file->flight_s > 0 ? cut_flight(file, err) : STATUS_OK;

	if (status == STATUS_OK)
		status = dat_file_save(file->session, file->spool, file->path, err);
	if (status == STATUS_OK)
		status = trace_read_back(file->path, &file->survey, err);
	file->events = file->survey.events;
	if (status == STATUS_OK)
		status = check_buffer(file, err);
	return status == STATUS_OK ? check_keys(file, err) : status;
}

/* Adds the buffer statistics of a stopped session. */
static void add_buffers(struct run_metadata *metadata, const struct capture_session *session)
{
	bool overwrites = session->settings.overwrite;

	metadata->buffers = xcalloc(session->settings.cpu_count + 1, sizeof(*metadata->buffers));
	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++) {
		const struct ring_stats *stats = &session->stats[cpu];
		if (!session->stats_texts[cpu].length)
			continue;
		/* Events that a flight recording overwrote are older than its start, so they are not lost. */
		metadata->buffers[metadata->buffer_count++] = (struct ring_stats){
		    .cpu = cpu,
		    .entries = ring_stats_recorded(stats),
		    .overrun = overwrites ? 0 : stats->overrun,
		    .has_overwritten = overwrites,
		    .overwritten = stats->overrun,
		    .commit_overrun = stats->commit_overrun,
		    .dropped_events = stats->dropped_events,
		};
	}
}

static void add_key_misses(struct run_metadata *metadata, const struct capture_session *session)
{
	const struct keys *keys = session->settings.keys;

	metadata->key_misses = xcalloc(KEY_ROWS, sizeof(*metadata->key_misses));
	for (size_t i = 0; keys && i < keys->count; i++)
		if (session->key_misses[i])
			metadata->key_misses[metadata->key_miss_count++] =
			    (struct run_scheduler_event){keys->events[i].name, session->key_misses[i]};
}

static void add_functions(struct run_metadata *metadata, const struct capture_session *session)
{
	const struct function_counts *counts = &session->functions;

	metadata->functions = xcalloc(counts->count + 1, sizeof(*metadata->functions));
	metadata->function_count = counts->count;
	for (size_t i = 0; i < counts->count; i++) {
		const struct function_count *one = &counts->items[i];
		const bool is_counted = !one->reason[0];
		metadata->functions[i] = (struct run_function){one->name, one->symbol, is_counted, one->executed,
							       is_counted ? NULL : one->reason};
	}
}

static enum status write_metadata(struct trace_file *file, const struct trace_window *window, struct error *err)
{
	struct host_facts host;
	if (!file->json[0])
		return STATUS_OK;
	if (file_same(file->path, file->json))
		return error_set(err, STATUS_USAGE, NULL, "--json names the trace itself; choose another file");
	host_facts_read(&host, file->cpus);
	struct run_metadata metadata = {
	    .trace_id = file->trace_id,
	    .start_s = window->start_s,
	    .duration_s = window->stopped_s - window->started_s,
	    .switches = file->survey.switches,
	    .events = file->events,
	    .lost_events = losses_events(&file->losses),
	    .losses = file->losses,
	    .buffer_size_kb = file->session->settings.buffer_size_kb,
	    .trace_clock = file->clock,
	    .keys = file->session->settings.keys ? "recorded" : "not recorded",
	    .drain_ms = file->drain_ms,
	    .drain_realtime = file->spool && file->spool->priority.was_used,
	    .host = host.host,
	};
	add_buffers(&metadata, file->session);
	add_key_misses(&metadata, file->session);
	add_functions(&metadata, file->session);
	if (file->actions->describe)
		file->actions->describe(file, window, &metadata);
	enum status status = run_metadata_write(&metadata, file->json, err);
	free(metadata.buffers);
	free(metadata.key_misses);
	free(metadata.functions);
	return status;
}

static void free_results(struct trace_file *file)
{
	trace_survey_free(&file->survey);
	losses_free(&file->losses);
	file->survey = (struct trace_survey){0};
}

static enum status save_number(struct trace_file *file, unsigned int number, const struct trace_window *window,
			       struct error *err)
{
	enum status status = STATUS_OK;

	free_results(file);
	if (file->actions->name)
		status = file->actions->name(file, number, err);
	if (status == STATUS_OK && file->path[0] && file->actions->replace)
		status = file->actions->replace(file, err);
	if (status == STATUS_OK && file->path[0])
		status = save_trace(file, err);
	else if (status == STATUS_OK)
		file->events = recorded_events(file->session);
	if (status != STATUS_OK)
		return status;
	find_losses(file);
	if (!file->path[0])
		return STATUS_OK;
	if (losses_any(&file->losses))
		warn_of_losses(file);
	warn_of_losses_before(file);
	check_count(file);
	warn_of_short_flight(file);
	status = write_metadata(file, window, err);
	if (status == STATUS_OK && file->actions->saved)
		file->actions->saved(file, window);
	return status;
}

static enum status save_recording(struct recorder_sink *sink, const struct trace_window *window, struct error *err)
{
	return save_number(file_of(sink), 0, window, err);
}

static enum status save_stretch(struct recorder_sink *sink, const struct trace_window *window, struct error *err)
{
	struct trace_file *file = file_of(sink);

	return save_number(file, ++file->stretches, window, err);
}

/* Keeps an interrupted recording as PATH.partial, which build ignores. */
static void keep_interrupted(const struct trace_file *file, struct error *err)
{
	char path[PATH_MAX];
	struct trace_survey survey;

	if (partial_path(file, path, NULL) != STATUS_OK ||
	    dat_file_save(file->session, file->spool, path, NULL) != STATUS_OK ||
	    trace_read_back(path, &survey, NULL) != STATUS_OK)
		return;
	error_remedy(err, "the %llu events until then are in %.300s", (unsigned long long)survey.events, path);
	trace_survey_free(&survey);
}

static void keep_recording(struct recorder_sink *sink, enum status failed, struct error *failure)
{
	struct trace_file *file = file_of(sink);

	if (file->actions->name && file->actions->name(file, 0, NULL) != STATUS_OK)
		return;
	if (!file->path[0])
		return;
	if (failed == STATUS_INTERRUPTED)
		keep_interrupted(file, failure);
	else if (file->spool)
		dat_file_keep(file->session, file->spool, file->path, failure);
}

static void close_sink(struct recorder_sink *sink)
{
	struct trace_file *file = file_of(sink);

	if (file->until && file->spool)
		until_end(file->until);
	spool_close(file->spool);
	file->spool = NULL;
}

enum status trace_file_parse_drain(const char *value, unsigned int *drain_ms, struct error *err)
{
	size_t digits = value ? strspn(value, "0123456789") : 0;
	unsigned long given = value ? strtoul(value, NULL, 10) : 0;

	if (!value)
		return STATUS_OK;
	if (digits == 0 || (value[digits] && strcmp(value + digits, "ms") != 0) || given > DRAIN_MS_MAX)
		return error_set(err, STATUS_USAGE, "--drain", "expected 0 to %d milliseconds, not '%s'", DRAIN_MS_MAX,
				 value);
	*drain_ms = (unsigned int)given;
	return STATUS_OK;
}

bool trace_file_is_clock(const char *name, struct error *err)
{
	if (*name && strlen(name) <= 30 && !strpbrk(name, " []\n"))
		return true;
	error_set(err, STATUS_USAGE, "--clock", "'%s' is not the name of a trace clock", name);
	return false;
}

void trace_file_begin(struct trace_file *file)
{
	static const struct recorder_sink_actions actions = {
	    .open = open_sink,
	    .interval_ms = interval_ms,
	    .read = drain,
	    .is_done = has_moment,
	    .save = save_recording,
	    .save_stretch = save_stretch,
	    .keep = keep_recording,
	    .close = close_sink,
	};
	static const struct trace_file_actions none;

	file->sink.actions = &actions;
	if (!file->actions)
		file->actions = &none;
}

void trace_file_free(struct trace_file *file)
{
	free_results(file);
}
