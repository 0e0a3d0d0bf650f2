/* SPDX-License-Identifier: MIT
 *
 * One recording of picknext record: of a command, of processes, or of the whole machine. */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/session.h"
#include "record/watched_processes.h"

struct recording_request {
	char stem[PATH_MAX];                 /* STEM.dat and STEM.json are written */
	char directory[PATH_MAX];            /* that they lie in */
	int to_fd;                           /* >= 0: the trace is copied to this instead of being kept */
	const char *json;                    /* where the metadata goes; NULL: beside the trace, nowhere with to_fd */
	char **command;                      /* NULL-terminated; NULL without one */
	struct watched_processes *processes; /* count 0 for all */
	double duration_s;                   /* 0: until the end of what is traced, or a signal */
	double flight_s;                     /* 0: everything is kept */
	unsigned int drain_ms;               /* 0: only after the end */
	const char *name, *category;         /* labels for the dataset */
	struct capture_settings settings;    /* cpu_count is filled in */
};

enum recording_end { RECORDING_COMMAND, RECORDING_PROCESSES, RECORDING_DURATION, RECORDING_SIGNAL, RECORDING_FAILED };

struct recording_outcome {
	enum recording_end end;
	int command_code; /* exit status of the command, 128 + signal where one killed it; -1: none, or it runs on */
};

/* Records, and writes the files. After a signal they hold what was recorded until then (RECORDING_SIGNAL, STATUS_OK).
 * STATUS_SYSTEM where kernel or disk refuses. Nothing is left in tracefs. The caller has done interrupt_catch(). */
enum status recording_run(struct recording_request *request, struct recording_outcome *outcome, struct error *err);

#endif
