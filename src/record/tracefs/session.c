/* SPDX-License-Identifier: MIT */
#include "record/tracefs/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/tracefs/cpus.h"
#include "record/tracefs/dynamic_events.h"
#include "record/tracefs/instance.h"
#include "trace/event_rows.h"
#include "trace/key_mark.h"

static enum status set_buffer_size(const struct capture_session *session, struct error *err)
{
	char text[32];
	uint64_t size_kb = session->settings.buffer_size_kb;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)size_kb);
	struct error refusal = {0};
	enum status status = tracefs_write(session->directory, "buffer_size_kb", text, &refusal);
	if (status == STATUS_OK)
		return STATUS_OK;
	if (refusal.errnum == ENOMEM || refusal.errnum == EINVAL) {
		error_system(err, refusal.errnum, session->directory,
			     "no memory for a trace buffer of %llu KB on each of %u CPUs", (unsigned long long)size_kb,
			     session->settings.cpu_count);
		return error_remedy(err, "give a smaller --buffer-size");
	}
	if (err)
		*err = refusal;
	return status;
}

static enum status enable_event(const struct capture_session *session, const struct capture_event *event,
				struct error *err)
{
	char file[256];
	char state[16];

	snprintf(file, sizeof(file), "events/%s/%s/enable", capture_system_directory(session, event->system),
		 event->name);
	if (!tracefs_has(session->directory, file)) {
		error_set(err, STATUS_SYSTEM, session->directory, "this kernel has no event %s:%s", event->system,
			  event->name);
		return error_remedy(err, "it was built without CONFIG_EVENT_TRACING");
	}
	enum status status = tracefs_write(session->directory, file, "1", err);
	if (status == STATUS_OK)
		status = tracefs_read_line(session->directory, file, state, sizeof(state), err);
	if (status == STATUS_OK && state[0] != '1')
		return error_set(err, STATUS_SYSTEM, session->directory, "event %s:%s stays off", event->system,
				 event->name);
	return status;
}

static enum status check_clock(const struct capture_session *session, const char *when, struct error *err)
{
	char line[512];
	char marked[32];
	enum status status = tracefs_read_line(session->directory, "trace_clock", line, sizeof(line), err);

	if (status != STATUS_OK)
		return status;
	if (marked_word(line, '[', ']', marked, sizeof(marked)) && strcmp(marked, session->clock) == 0)
		return STATUS_OK;
	return error_set(err, STATUS_SYSTEM, session->directory, "the trace clock %s is not '%s': %.200s", when,
			 session->clock, line);
}

static enum status set_clock(const struct capture_session *session, struct error *err)
{
	char line[512];
	struct error refusal = {0};
	enum status status = tracefs_write(session->directory, "trace_clock", session->clock, &refusal);

	if (status == STATUS_OK)
		return check_clock(session, "after setting it", err);
	if (refusal.errnum != EINVAL) {
		if (err)
			*err = refusal;
		return status;
	}
	status = tracefs_read_line(session->directory, "trace_clock", line, sizeof(line), err);
	if (status != STATUS_OK)
		return status;
	return error_set(err, STATUS_USAGE, "--clock", "this kernel has no trace clock '%s'; it has %.300s",
			 session->clock, line);
}

static enum status set_overwrite(const struct capture_session *session, struct error *err)
{
	char state[16];
	bool wanted = session->settings.overwrite;
	enum status status =
	    tracefs_write(session->directory, "trace_options", wanted ? "overwrite" : "nooverwrite", err);

	if (status == STATUS_OK)
		status = tracefs_read_line(session->directory, "options/overwrite", state, sizeof(state), err);
	if (status == STATUS_OK && state[0] != (wanted ? '1' : '0'))
		return error_set(err, STATUS_SYSTEM, session->directory,
				 "the kernel left the trace option overwrite at %s", wanted ? "off" : "on");
	return status;
}

enum status capture_add_tasks(const struct capture_session *session, const pid_t *pids, size_t count, struct error *err)
{
	struct buffer text = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count; i++)
		buffer_printf(&text, "%ld ", (long)pids[i]);
	/* The kernel waits for all CPUs at each write (10 ms and more), so one write adds all tasks. */
	if (count)
		status = tracefs_write(session->directory, "set_event_pid", text.data, err);
	buffer_free(&text);
	return status;
}

/* A new instance records all tasks. The first PID starts the list; later writes add to it. */
static enum status choose_tasks(const struct capture_session *session, struct error *err)
{
	enum status status = STATUS_OK;

	if (session->settings.pid_count == 0)
		return STATUS_OK;
	status = tracefs_write(session->directory, "options/event-fork", "1", err);
	return status == STATUS_OK
		   ? capture_add_tasks(session, session->settings.pids, session->settings.pid_count, err)
		   : status;
}

/* Copies marks from the machine's own trace_marker if the kernel supports it (6.16). The kernel visits the buffers
 * in order and stops at one that does not record, so this is set only while this buffer records. */
static enum status copy_marks(const struct capture_session *session, const char *whether, struct error *err)
{
	static const char option[] = "options/copy_trace_marker";

	if (!tracefs_has(session->directory, option))
		return STATUS_OK;
	return tracefs_write(session->directory, option, whether, err);
}

/* Switches tracing off and empties the buffer. Until Linux 6.6, the first use of any instance marks the machine's own
 * buffer as expanded, but only enabling events gives it the size shown as "7 (expanded: 1408)"; otherwise it would stay
 * at 7 KB for the next tracer. Disabling an empty set of events is enough. */
static enum status empty_buffer(const struct capture_session *session, struct error *err)
{
	static const struct {
		const char *file, *text;
	} rows[] = {{"tracing_on", "0"}, {"events/enable", "0"}, {"trace", ""}, {"current_tracer", "nop"}};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && status == STATUS_OK; i++)
		status = *rows[i].text ? tracefs_write(session->directory, rows[i].file, rows[i].text, err)
				       : tracefs_clear(session->directory, rows[i].file, err);
	return status;
}

/* A new instance inherits the options of the machine's own buffer. A stack with each event would double the size;
 * without `markers`, marks cannot be written. A kernel without one of the options needs no reset of it. */
static enum status reset_options(const struct capture_session *session, struct error *err)
{
	/* record-cmd gives sched_switch a second user; without one, the kernel does not call the function that
	 * keys_switch probes. */
	static const char *const options[] = {"nostacktrace", "nouserstacktrace", "markers", "record-cmd"};

	(void)err;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		tracefs_write(session->directory, "trace_options", options[i], NULL);
	return STATUS_OK;
}

static bool has_event(const char *tracefs, const char *system, const char *name)
{
	char directory[256];

	snprintf(directory, sizeof(directory), "events/%s/%s", system, name);
	return tracefs_has(tracefs, directory);
}

/* Until the first session has ended, those of keys_choose() are there. */
static enum status define_keys(const struct capture_session *session, struct error *err)
{
	const struct keys *keys = session->settings.keys;
	enum status status = STATUS_OK;

	for (size_t i = 0; keys && i < keys->count && status == STATUS_OK; i++)
		if (!has_event(session->tracefs, session->key_group, keys->events[i].name))
			status = dynamic_events_define(session->tracefs, session->key_group, keys->events[i].name,
						       &keys->events[i].probe, err);
	return status;
}

static enum status define_again(const struct capture_session *session, const char *name, const struct key_probe *probe,
				struct error *err)
{
	const struct capture_event event = {KEY_EVENTS_SYSTEM, name};
	char file[TRACEFS_PATH_SIZE];

	snprintf(file, sizeof(file), "events/%s/%s/enable", session->key_group, name);
	enum status status = tracefs_write(session->directory, file, "0", err);
	if (status == STATUS_OK)
		status = dynamic_events_remove_one(session->tracefs, session->key_group, name, err);
	if (status == STATUS_OK)
		status = dynamic_events_define(session->tracefs, session->key_group, name, probe, err);
	return status == STATUS_OK ? enable_event(session, &event, err) : status;
}

enum status capture_choose_levels(struct capture_session *session, unsigned int levels, struct error *err)
{
	const struct keys *keys = session->settings.keys;
	enum status status = STATUS_OK;

	for (size_t i = 0; keys && i < keys->count && status == STATUS_OK; i++) {
		const char *name = keys->events[i].name;
		struct buffer old = {0}, text = {0};
		key_probe_reduce(name, keys->events[i].probe.text, session->settings.key_levels, &old);
		key_probe_reduce(name, keys->events[i].probe.text, levels, &text);
		const struct key_probe probe = {keys->events[i].probe.type, text.data};
		if (strcmp(old.data, text.data) != 0)
			status = define_again(session, name, &probe, err);
		buffer_free(&old);
		buffer_free(&text);
	}
	session->settings.key_levels = levels;
	return status;
}

static enum status count_functions(struct capture_session *session, struct error *err)
{
	enum status status = function_counts_parse(session->settings.counted, &session->functions, err);

	return status == STATUS_OK ? function_counts_define(&session->functions, session->tracefs, session->directory,
							    session->key_group, err)
				   : status;
}

static enum status enable_events(const struct capture_session *session, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < session->settings.event_count && status == STATUS_OK; i++)
		status = enable_event(session, &session->settings.events[i], err);
	return status;
}

/* Records the kernel stack of each sched_migrate_task, which shows the function that moved the task. A CPU's stopper
 * thread (migration/N) moves tasks for other tasks: the stack of its sched_waking shows the requester. Triggers and
 * filter are removed with the instance. */
static enum status set_stacks(const struct capture_session *session, struct error *err)
{
#define STOPPERS "comm ~ \"migration/*\""
	static const struct {
		const char *file, *text;
	} rows[] = {
	    {"events/sched/sched_waking/filter", STOPPERS},
	    {"events/sched/sched_waking/trigger", "stacktrace if " STOPPERS},
	    {"events/sched/sched_migrate_task/trigger", "stacktrace"},
	};
	enum status status = STATUS_OK;

	for (size_t i = session->filter_waking ? 0 : 1; i < sizeof(rows) / sizeof(*rows); i++)
		if (status == STATUS_OK && session->settings.migration_stacks)
			status = tracefs_write(session->directory, rows[i].file, rows[i].text, err);
	/* Without CONFIG_STACKTRACE the trigger is unknown (EINVAL); without triggers the file does not exist. */
	if (status != STATUS_OK && err && (err->errnum == EINVAL || err->errnum == ENOENT))
		error_remedy(err, "this kernel records no stacks with events; omit --migration-stacks");
	return status;
}

/* remove_all() undoes these steps. set_clock is the last one: it clears the buffer of events with another clock's
 * times. */
static enum status set_up(const struct capture_session *session, struct error *err)
{
	static enum status (*const steps[])(const struct capture_session *session, struct error *err) = {
	    empty_buffer, set_buffer_size, set_overwrite, choose_tasks, reset_options,
	    define_keys,  enable_events,   set_stacks,    set_clock,
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && status == STATUS_OK; i++)
		status = steps[i](session, err);
	return status;
}

/* The events to record if settings.events is empty. */
static void choose_scheduler_events(struct capture_session *session)
{
	struct capture_settings *settings = &session->settings;

	session->own_events = xcalloc(SCHED_EVENT_ROWS, sizeof(*session->own_events));
	for (size_t i = 0; i < SCHED_EVENT_ROWS; i++) {
		const struct event_row *row = &event_rows[i];
		const struct capture_event event = {row->system, row->name};
		if (row->use != EVENT_EXTRA &&
		    (row->use != EVENT_OPTIONAL || has_event(session->tracefs, row->system, row->name)))
			session->own_events[settings->event_count++] = event;
	}
	settings->events = session->own_events;
}

static void replace_events(struct capture_session *session, struct capture_event *events)
{
	free(session->own_events);
	session->settings.events = session->own_events = events;
}

/* Migration stacks also need sched_waking: only that of stopper threads, unless --events has all of it. */
static enum status add_stack_events(struct capture_session *session, struct error *err)
{
	struct capture_settings *settings = &session->settings;
	const struct capture_event *events = settings->events;
	const size_t count = settings->event_count;
	size_t migrate = count;

	session->filter_waking = true;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(events[i].system, "sched") != 0)
			continue;
		if (strcmp(events[i].name, "sched_migrate_task") == 0)
			migrate = i;
		if (strcmp(events[i].name, "sched_waking") == 0)
			session->filter_waking = false;
	}
	if (migrate == count) {
		error_set(err, STATUS_USAGE, NULL, "--migration-stacks needs sched_migrate_task among the events");
		return error_remedy(err, "add it to --events");
	}
	struct capture_event *list = xcalloc(count + 1, sizeof(*list));
	/* Events stay grouped by their system. */
	size_t added = session->filter_waking ? 1 : 0;
	memcpy(list, events, (migrate + 1) * sizeof(*list));
	if (added)
		list[migrate + 1] = (struct capture_event){"sched", "sched_waking"};
	memcpy(list + migrate + 1 + added, events + migrate + 1, (count - migrate - 1) * sizeof(*list));
	settings->event_count = count + added;
	replace_events(session, list);
	return STATUS_OK;
}

/* Key events belong to sched_switch events and are useless without them. */
static enum status add_key_events(struct capture_session *session, struct error *err)
{
	struct capture_settings *settings = &session->settings;
	size_t count = settings->event_count;
	bool has_switch = false;

	for (size_t i = 0; i < count; i++)
		has_switch = has_switch || strcmp(settings->events[i].name, "sched_switch") == 0;
	if (!has_switch) {
		error_set(err, STATUS_USAGE, NULL, "--keys needs sched_switch among the events");
		return error_remedy(err, "add it to --events");
	}
	struct capture_event *events = xcalloc(count + settings->keys->count, sizeof(*events));
	memcpy(events, settings->events, count * sizeof(*events));
	for (size_t i = 0; i < settings->keys->count; i++)
		events[count + i] = (struct capture_event){KEY_EVENTS_SYSTEM, settings->keys->events[i].name};
	settings->event_count = count + settings->keys->count;
	replace_events(session, events);
	return STATUS_OK;
}

enum status capture_choose_events(struct capture_settings *settings, const struct option_list *wanted,
				  struct event_names *names, struct error *err)
{
	char tracefs[TRACEFS_PATH_SIZE];
	struct buffer available = {0};
	enum status status = tracefs_find(tracefs, sizeof(tracefs), err);

	if (status != STATUS_OK || wanted->count == 0)
		return status;
	status = tracefs_read(tracefs, "available_events", &available, err);
	if (status == STATUS_OK)
		event_names_read(available.data, names);
	if (status == STATUS_OK)
		status = event_names_choose(names, wanted->items, wanted->count, err);
	buffer_free(&available);
	settings->events = names->all;
	settings->event_count = names->count;
	return status;
}

static enum status choose_events(struct capture_session *session, struct error *err)
{
	enum status status = STATUS_OK;

	if (session->settings.event_count == 0)
		choose_scheduler_events(session);
	if (session->settings.migration_stacks)
		status = add_stack_events(session, err);
	if (session->settings.keys && status == STATUS_OK)
		status = add_key_events(session, err);
	return status;
}

static enum status remove_all(const struct capture_session *session, struct error *err)
{
	enum status status = instance_remove(session->directory, err);

	/* The kernel does not remove events while an instance records them, so the instance is removed first. */
	if ((session->settings.keys || session->settings.counted) && status == STATUS_OK)
		status = dynamic_events_remove(session->tracefs, session->key_group, err);
	return status;
}

/* The kernel does not remove an instance while one of its files is open. */
static void abandon(void *context)
{
	const struct capture_session *session = context;

	(void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	remove_all(session, NULL);
}

static enum status make_instance(struct capture_session *session, struct error *err)
{
	/* Left over from a picknext that was killed. */
	instance_remove_stale(session->tracefs);
	enum status status =
	    instance_create(session->tracefs, session->directory, sizeof(session->directory), &session->lock, err);
	dynamic_events_name_group(session->directory, session->key_group);
	if (status == STATUS_OK)
		cleanup_add(&session->cleanup, abandon, session);
	return status;
}

/* Since 6.8 the page size belongs to the instance, which has these files like the top directory. */
static enum status read_page_layout(struct capture_session *session, struct error *err)
{
	bool own = tracefs_has(session->directory, "events/header_page");
	const char *directory = own ? session->directory : session->tracefs;
	enum status status = tracefs_read(directory, "events/header_page", &session->header_page, err);

	if (status == STATUS_OK)
		status = tracefs_read(directory, "events/header_event", &session->header_event, err);
	if (status == STATUS_OK)
		status =
		    ring_page_layout_parse((struct text_span){session->header_page.data, session->header_page.length},
					   (struct text_span){session->header_event.data, session->header_event.length},
					   &session->layout, err);
	session->page_size = session->layout.data_offset + session->layout.data_size;
	return status;
}

enum status capture_open(const struct capture_settings *settings, struct capture_session **result, struct error *err)
{
	struct capture_session *session = xcalloc(1, sizeof(*session));

	session->settings = *settings;
	session->lock = -1;
	snprintf(session->clock, sizeof(session->clock), "%s", settings->clock);
	session->stats = xcalloc(settings->cpu_count, sizeof(*session->stats));
	session->stats_texts = xcalloc(settings->cpu_count, sizeof(*session->stats_texts));
	enum status status = tracefs_find(session->tracefs, sizeof(session->tracefs), err);
	if (status == STATUS_OK)
		status = choose_events(session, err);
	if (status == STATUS_OK)
		status = make_instance(session, err);
	if (status == STATUS_OK)
		status = read_page_layout(session, err);
	if (status == STATUS_OK)
		status = set_up(session, err);
	if (status == STATUS_OK && settings->keys) {
		session->settings.key_levels = settings->keys->levels;
		status = capture_choose_levels(session, settings->key_levels, err);
	}
	if (status == STATUS_OK)
		status = count_functions(session, err);
	session->settings.pids = NULL; /* the kernel has them, and the caller may free them */
	if (status == STATUS_OK)
		*result = session;
	else
		capture_close(session, NULL);
	return status;
}

/* The kernel's current list: includes children created since the start, but no tasks that have ended. */
static enum status read_followed(const struct capture_session *session, struct buffer *pids, struct error *err)
{
	enum status status = tracefs_read(session->directory, "set_event_pid", pids, err);

	for (size_t i = 0; i < pids->length; i++)
		if (pids->data[i] < '0' || pids->data[i] > '9')
			pids->data[i] = ' ';
	return status;
}

static void read_key_misses(const struct capture_session *session, uint64_t missed[KEY_ROWS])
{
	const struct keys *keys = session->settings.keys;
	struct dynamic_count counts[KEY_ROWS];

	if (!keys || keys->storage.counts_faults)
		return;
	for (size_t i = 0; i < keys->count; i++)
		counts[i].name = keys->events[i].name;
	dynamic_events_count(session->tracefs, session->key_group, counts, keys->count);
	for (size_t i = 0; i < keys->count; i++)
		missed[i] = counts[i].missed;
}

/* Also written as a mark, for readers of the trace without its metadata. */
static void mark_key_misses(struct capture_session *session)
{
	const uint64_t *before = session->misses_before;
	char text[KEY_MARK_SIZE];
	uint64_t missed = 0;

	read_key_misses(session, session->key_misses);
	for (int i = 0; i < KEY_ROWS; i++) {
		session->key_misses[i] -= before[i] < session->key_misses[i] ? before[i] : session->key_misses[i];
		missed += session->key_misses[i];
	}
	if (!missed)
		return;
	key_mark_write_missed(missed, text);
	tracefs_write(session->directory, "trace_marker", text, NULL);
}

enum status capture_start(struct capture_session *session, struct error *err)
{
	enum status status = STATUS_OK;

	buffer_clear(&session->followed);
	cpus_offline_text(session->settings.cpu_count, session->offline_cpus, sizeof(session->offline_cpus));
	if (session->settings.pid_count)
		status = read_followed(session, &session->followed, err);
	read_key_misses(session, session->misses_before);
	function_counts_begin(&session->functions, session->tracefs, session->key_group);
	if (status == STATUS_OK)
		status = tracefs_write(session->directory, "tracing_on", "1", err);
	if (status == STATUS_OK && session->settings.keys)
		status = tracefs_write(session->directory, "trace_marker", session->settings.keys->mark, err);
	return status == STATUS_OK ? copy_marks(session, "1", err) : status;
}

static void stats_file(unsigned int cpu, char *file, size_t size)
{
	snprintf(file, size, "per_cpu/cpu%u/stats", cpu);
}

static enum status read_stats(struct capture_session *session, unsigned int cpu, struct error *err)
{
	char file[64];
	struct buffer *text = &session->stats_texts[cpu];

	stats_file(cpu, file, sizeof(file));
	buffer_clear(text);
	/* CPU numbers can have gaps. */
	if (!tracefs_has(session->directory, file))
		return STATUS_OK;
	enum status status = tracefs_read(session->directory, file, text, err);
	if (status == STATUS_OK && !ring_stats_parse(text->data, &session->stats[cpu]))
		return error_set(err, STATUS_UNSUPPORTED, session->directory, "%s cannot be parsed: '%.200s'", file,
				 text->data);
	return status;
}

enum status capture_stop(struct capture_session *session, struct error *err)
{
	char state[16] = "1";

	tracefs_read_line(session->directory, "tracing_on", state, sizeof(state), NULL);
	session->was_off = state[0] == '0';
	/* Best effort: the option ends with the instance. */
	copy_marks(session, "0", NULL);
	mark_key_misses(session);
	function_counts_end(&session->functions, session->tracefs, session->key_group);
	enum status status = tracefs_write(session->directory, "tracing_on", "0", err);

	for (unsigned int cpu = 0; cpu < session->settings.cpu_count && status == STATUS_OK; cpu++)
		status = read_stats(session, cpu, err);
	if (status == STATUS_OK)
		status = check_clock(session, "at the end", err);
	return status;
}

bool capture_takes_events(const struct capture_session *session)
{
	struct error err = {0};

	if (tracefs_write(session->directory, "tracing_on", "1", &err) == STATUS_OK)
		tracefs_write(session->directory, "trace_marker", "picknext: read out", &err);
	tracefs_write(session->directory, "tracing_on", "0", NULL);
	return err.errnum != EBADF;
}

void capture_count_again(const struct capture_session *session, unsigned int cpu, const struct ring_stats *stats)
{
	uint64_t now_us = session->stats[cpu].now_us;

	session->stats[cpu] = *stats;
	session->stats[cpu].now_us = now_us;
}

bool capture_stats_now(const struct capture_session *session, unsigned int cpu, struct ring_stats *stats)
{
	struct buffer text = {0};
	char file[64];

	stats_file(cpu, file, sizeof(file));
	bool read =
	    tracefs_read(session->directory, file, &text, NULL) == STATUS_OK && ring_stats_parse(text.data, stats);
	buffer_free(&text);
	return read;
}

uint64_t capture_now_ns(const struct capture_session *session)
{
	struct ring_stats stats;

	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++)
		if (capture_stats_now(session, cpu, &stats))
			return stats.now_us * 1000;
	return 0;
}

uint64_t capture_events_so_far(const struct capture_session *session)
{
	uint64_t events = 0;

	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++) {
		struct ring_stats stats;
		if (capture_stats_now(session, cpu, &stats))
			events += ring_stats_recorded(&stats);
	}
	return events;
}

const char *capture_system_directory(const struct capture_session *session, const char *system)
{
	return strcmp(system, KEY_EVENTS_SYSTEM) == 0 ? session->key_group : system;
}

bool capture_followed(const struct capture_session *session, struct buffer *pids)
{
	if (session->settings.pid_count == 0)
		return false;
	buffer_text(pids, " ");
	buffer_add(pids, session->followed.data, session->followed.length);
	if (session->settings.overwrite) {
		struct buffer now = {0};
		read_followed(session, &now, NULL);
		buffer_add(pids, now.data, now.length);
		buffer_free(&now);
	}
	return true;
}

enum status capture_clear(struct capture_session *session, struct error *err)
{
	return tracefs_clear(session->directory, "trace", err);
}

enum status capture_close(struct capture_session *session, struct error *err)
{
	/* cleanup.run is NULL if capture_open() created no instance. */
	enum status status = session->cleanup.run ? remove_all(session, err) : STATUS_OK;

	cleanup_remove(&session->cleanup);
	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++)
		buffer_free(&session->stats_texts[cpu]);
	free(session->stats_texts);
	free(session->stats);
	free(session->own_events);
	function_counts_free(&session->functions);
	buffer_free(&session->followed);
	buffer_free(&session->header_page);
	buffer_free(&session->header_event);
	if (session->lock >= 0)
		close(session->lock);
	free(session);
	return status;
}
