/* SPDX-License-Identifier: MIT */
#include "capture/global.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/kernel_text.h"
#include "capture/tracefs.h"

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
	return status;
}

enum status global_save(const char *tracefs, unsigned int cpu_count, struct global_settings *settings,
			struct error *err)
{
	*settings = (struct global_settings){.cpu_count = cpu_count};
	enum status status = save_words(tracefs, settings, err);

	if (status == STATUS_OK)
		status = tracefs_read(tracefs, "set_event", &settings->events, err);
	if (status == STATUS_OK)
		status = save_sizes(tracefs, settings, err);
	if (status != STATUS_OK) {
		buffer_free(&settings->events);
		free(settings->buffer_size_kb);
		settings->buffer_size_kb = NULL;
	}
	return status;
}

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
	put_sizes(&restoring, settings);
	put(&restoring, "current_tracer", settings->current_tracer);
	put_events(&restoring, settings);
	put(&restoring, "tracing_on", settings->tracing_on);
	buffer_free(&settings->events);
	free(settings->buffer_size_kb);
	settings->buffer_size_kb = NULL;
	return restoring.status;
}
