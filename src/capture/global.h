/* SPDX-License-Identifier: MIT
 *
 * The machine's own trace settings, for kernels without instances: everything that a session changes, saved first
 * and put back afterwards. What the ring buffer held cannot be put back. */
#ifndef CAPTURE_GLOBAL_H
#define CAPTURE_GLOBAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "capture/global_state.h"

struct global_settings {
	char tracing_on[8];
	char current_tracer[64];
	char clock[32];
	char cpumask[2400]; /* as tracing_cpumask has it; "" where there is none */
	bool overwrite;
	struct buffer events;     /* the lines of set_event */
	uint64_t *buffer_size_kb; /* one a CPU; 0 for one that is not there */
	unsigned int cpu_count;
	struct global_state state;
};

/* tracefs is the mount point; the settings are freed by global_restore(). They are also kept in a file, for
 * global_repair(). STATUS_SYSTEM where another picknext is between the two. */
enum status global_save(const char *tracefs, unsigned int cpu_count, struct global_settings *settings,
			struct error *err);
/* Has all CPUs recorded. STATUS_SYSTEM with its remedy where the machine's own buffer is limited to some tasks
 * (set_event_pid). After a failure everything is put back. */
enum status global_widen(const char *tracefs, struct global_settings *settings, struct error *err);
/* Puts everything back, going on after a failure; the first one is reported. */
enum status global_restore(const char *tracefs, struct global_settings *settings, struct error *err);
/* Puts back what a picknext that was killed left changed. */
void global_repair(const char *tracefs);

/* The settings as a text of lines, and back. False where the text is not whole: then nothing had been changed yet.
 * What was read is freed with global_free(). */
void global_text_write(const struct global_settings *settings, struct buffer *text);
bool global_text_read(char *text, struct global_settings *settings);
void global_free(struct global_settings *settings);

#endif
