/* SPDX-License-Identifier: MIT */
#include "capture/global.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture/kernel_text.h"
#include "capture/tracefs.h"

static const char mask_file[] = "tracing_cpumask";

/* 1408 from "7 (expanded: 1408)", which buffer_size_kb says where nothing was traced since boot: the kernel expands
 * the buffer at the first use and never shrinks it again by itself, so that size is what stays. 0 otherwise. */
static uint64_t promised_size_kb(const char *line)
{
	static const char expanded[] = "(expanded:";
	const char *at = strstr(line, expanded);

	return at ? strtoull(at + sizeof(expanded) - 1, NULL, 10) : 0;
}

static enum status save_sizes(const char *tracefs, struct global_settings *settings, struct error *err)
{
	char file[64];
	char line[64];
	enum status status = tracefs_read_line(tracefs, "buffer_size_kb", line, sizeof(line), err);

	if (status != STATUS_OK)
		return status;
	uint64_t promised = promised_size_kb(line);
	settings->buffer_size_kb = calloc(settings->cpu_count, sizeof(uint64_t));
	if (!settings->buffer_size_kb)
		return error_system(err, ENOMEM, tracefs, "cannot save the buffer sizes");
	for (unsigned int cpu = 0; cpu < settings->cpu_count; cpu++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%u/buffer_size_kb", cpu);
		if (!tracefs_has(tracefs, file))
			continue;
		status = tracefs_read_line(tracefs, file, line, sizeof(line), err);
		if (status != STATUS_OK)
			return status;
		settings->buffer_size_kb[cpu] = promised ? promised : strtoull(line, NULL, 10);
	}
	return STATUS_OK;
}

static enum status save_words(const char *tracefs, struct global_settings *settings, struct error *err)
{
	char line[512];
	enum status status =
	    tracefs_read_line(tracefs, "tracing_on", settings->tracing_on, sizeof(settings->tracing_on), err);

	if (status == STATUS_OK)
		status = tracefs_read_line(tracefs, "current_tracer", settings->current_tracer,
					   sizeof(settings->current_tracer), err);
	if (status == STATUS_OK)
		status = tracefs_read_line(tracefs, "options/overwrite", line, sizeof(line), err);
	settings->overwrite = status == STATUS_OK && line[0] == '1';
	if (status == STATUS_OK)
		status = tracefs_read_line(tracefs, "trace_clock", line, sizeof(line), err);
	if (status == STATUS_OK && !marked_word(line, '[', ']', settings->clock, sizeof(settings->clock)))
		status = error_set(err, STATUS_UNSUPPORTED, tracefs, "trace_clock marks no clock: '%.100s'", line);
	if (status == STATUS_OK && tracefs_has(tracefs, mask_file))
		status = tracefs_read_line(tracefs, mask_file, settings->cpumask, sizeof(settings->cpumask), err);
	return status;
}

enum status global_save(const char *tracefs, unsigned int cpu_count, struct global_settings *settings,
			struct error *err)
{
	struct buffer text = {0};

	*settings = (struct global_settings){.cpu_count = cpu_count, .state.fd = -1};
	enum status status = save_words(tracefs, settings, err);

	if (status == STATUS_OK)
		status = tracefs_read(tracefs, "set_event", &settings->events, err);
	if (status == STATUS_OK)
		status = save_sizes(tracefs, settings, err);
	if (status == STATUS_OK) {
		global_text_write(settings, &text);
		status = text.failed ? error_system(err, ENOMEM, tracefs, "cannot save the settings")
				     : global_state_keep(&settings->state, &text, err);
	}
	buffer_free(&text);
	if (status != STATUS_OK)
		global_free(settings);
	return status;
}

void global_free(struct global_settings *settings)
{
	buffer_free(&settings->events);
	free(settings->buffer_size_kb);
	settings->buffer_size_kb = NULL;
}

/* "3,ffffffff" for 34 CPUs. */
static void all_cpus(unsigned int count, struct buffer *mask)
{
	for (unsigned int left = count; left;) {
		unsigned int bits = left % 32 ? left % 32 : 32;
		buffer_printf(mask, "%s%x", left == count ? "" : ",", bits == 32 ? UINT32_MAX : (1u << bits) - 1);
		left -= bits;
	}
}

enum status global_widen(const char *tracefs, struct global_settings *settings, struct error *err)
{
	static const char pids_file[] = "set_event_pid";
	struct buffer text = {0};
	enum status status = STATUS_OK;

	if (tracefs_has(tracefs, pids_file))
		status = tracefs_read(tracefs, pids_file, &text, err);
	if (status == STATUS_OK && text.length) {
		status = error_set(err, STATUS_SYSTEM, tracefs,
				   "the machine's own trace buffer is limited to some tasks (set_event_pid)");
		error_remedy(err, "leave --global out, or end that: echo >%s/%s", tracefs, pids_file);
	}
	buffer_clear(&text);
	all_cpus(settings->cpu_count, &text);
	if (status == STATUS_OK && text.failed)
		status = error_system(err, ENOMEM, tracefs, "cannot set up");
	if (status == STATUS_OK && settings->cpumask[0])
		status = tracefs_write(tracefs, mask_file, text.data, err);
	buffer_free(&text);
	if (status != STATUS_OK)
		global_restore(tracefs, settings, NULL);
	return status;
}

/* --- As text --- */

void global_text_write(const struct global_settings *settings, struct buffer *text)
{
	const char *events = settings->events.data ? settings->events.data : "";

	buffer_printf(text, "tracing_on %s\ncurrent_tracer %s\nclock %s\noverwrite %d\n", settings->tracing_on,
		      settings->current_tracer, settings->clock, settings->overwrite);
	if (settings->cpumask[0])
		buffer_printf(text, "cpumask %s\n", settings->cpumask);
	for (unsigned int cpu = 0; cpu < settings->cpu_count; cpu++)
		if (settings->buffer_size_kb[cpu])
			buffer_printf(text, "size %u %llu\n", cpu, (unsigned long long)settings->buffer_size_kb[cpu]);
	for (size_t length; *events; events += length + (events[length] == '\n')) {
		length = strcspn(events, "\n");
		buffer_printf(text, "event %.*s\n", (int)length, events);
	}
	buffer_text(text, "end\n");
}

static bool read_word(const char *line, const char *key, char *word, size_t size)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0 || line[length] != ' ')
		return false;
	snprintf(word, size, "%s", line + length + 1);
	return true;
}

static void read_size(const char *line, struct global_settings *settings)
{
	char numbers[64];
	uint64_t cpu;
	uint64_t size_kb;

	if (!read_word(line, "size", numbers, sizeof(numbers)))
		return;
	char *second = strchr(numbers, ' ');
	if (!second)
		return;
	*second = '\0';
	if (number_parse_u64(numbers, &cpu) && number_parse_u64(second + 1, &size_kb) && cpu < CPU_SETSIZE)
		settings->buffer_size_kb[cpu] = size_kb;
}

bool global_text_read(char *text, struct global_settings *settings)
{
	char word[512];
	char *rest = text;
	bool whole = false;

	*settings = (struct global_settings){.cpu_count = CPU_SETSIZE, .state.fd = -1};
	settings->buffer_size_kb = calloc(CPU_SETSIZE, sizeof(uint64_t));
	if (!settings->buffer_size_kb)
		return false;
	for (char *line = strtok_r(rest, "\n", &rest); line && !whole; line = strtok_r(NULL, "\n", &rest)) {
		read_word(line, "tracing_on", settings->tracing_on, sizeof(settings->tracing_on));
		read_word(line, "current_tracer", settings->current_tracer, sizeof(settings->current_tracer));
		read_word(line, "clock", settings->clock, sizeof(settings->clock));
		read_word(line, "cpumask", settings->cpumask, sizeof(settings->cpumask));
		if (read_word(line, "overwrite", word, sizeof(word)))
			settings->overwrite = word[0] == '1';
		if (read_word(line, "event", word, sizeof(word)))
			buffer_printf(&settings->events, "%s\n", word);
		read_size(line, settings);
		whole = strcmp(line, "end") == 0;
	}
	whole = whole && settings->clock[0] && settings->current_tracer[0] && settings->tracing_on[0] &&
		!settings->events.failed;
	if (!whole)
		global_free(settings);
	return whole;
}

/* --- Putting it back --- */

struct restoring {
	const char *tracefs;
	enum status status;
	struct error *err;
};

static void put(struct restoring *restoring, const char *file, const char *text)
{
	struct error failure = {0};

	if (tracefs_write(restoring->tracefs, file, text, &failure) == STATUS_OK || restoring->status != STATUS_OK)
		return;
	restoring->status = failure.status;
	if (restoring->err)
		*restoring->err = failure;
}

static void put_sizes(struct restoring *restoring, const struct global_settings *settings)
{
	char file[64];
	char text[32];

	for (unsigned int cpu = 0; cpu < settings->cpu_count; cpu++) {
		if (!settings->buffer_size_kb[cpu])
			continue;
		snprintf(file, sizeof(file), "per_cpu/cpu%u/buffer_size_kb", cpu);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)settings->buffer_size_kb[cpu]);
		put(restoring, file, text);
	}
}

/* set_event takes one event a write and adds it to those that are on. */
static void put_events(struct restoring *restoring, struct global_settings *settings)
{
	char *rest = settings->events.data;

	for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		put(restoring, "set_event", line);
}

enum status global_restore(const char *tracefs, struct global_settings *settings, struct error *err)
{
	struct restoring restoring = {.tracefs = tracefs, .err = err};

	put(&restoring, "tracing_on", "0");
	put(&restoring, "events/enable", "0");
	put(&restoring, "trace_clock", settings->clock);
	put(&restoring, "trace_options", settings->overwrite ? "overwrite" : "nooverwrite");
	tracefs_clear(tracefs, "trace", NULL);
	if (settings->cpumask[0])
		put(&restoring, mask_file, settings->cpumask);
	put_sizes(&restoring, settings);
	put(&restoring, "current_tracer", settings->current_tracer);
	put_events(&restoring, settings);
	put(&restoring, "tracing_on", settings->tracing_on);
	global_state_drop(&settings->state);
	global_free(settings);
	return restoring.status;
}

void global_repair(const char *tracefs)
{
	struct global_settings settings;
	struct global_state state;
	struct buffer text = {0};

	if (!global_state_take_over(&state, &text))
		return;
	if (global_text_read(text.data, &settings))
		global_restore(tracefs, &settings, NULL);
	global_state_drop(&state);
	buffer_free(&text);
}
