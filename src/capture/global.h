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

struct global_settings {
	char tracing_on[8];
	char current_tracer[64];
	char clock[32];
	bool overwrite;
	struct buffer events;     /* the lines of set_event */
	uint64_t *buffer_size_kb; /* one a CPU */
	unsigned int cpu_count;
};

/* tracefs is the mount point; the settings are freed by global_restore(). */
enum status global_save(const char *tracefs, unsigned int cpu_count, struct global_settings *settings,
			struct error *err);
/* Puts everything back, going on after a failure; the first one is reported. */
enum status global_restore(const char *tracefs, struct global_settings *settings, struct error *err);

#endif
