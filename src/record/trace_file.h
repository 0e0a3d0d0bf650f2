/* SPDX-License-Identifier: MIT
 *
 * The sink on disk: a trace.dat, and its metadata beside it. It reads the file back to count its events, and warns
 * about missing events. */
#ifndef RECORD_TRACE_FILE_H
#define RECORD_TRACE_FILE_H

#include <limits.h>

#include "record/recorder.h"
#include "record/tracefs/flight.h"
#include "record/tracefs/spool.h"
#include "runs/metadata.h"
#include "trace/trace_survey.h"

struct trace_file;

/* Callbacks of the user of a trace file. Each may be NULL. */
struct trace_file_actions {
	/* Fills in the names of the file: of the whole recording (number 0), or of a stretch. */
	enum status (*name)(struct trace_file *file, unsigned int number, struct error *err);
	/* Before the named files are written. */
	enum status (*replace)(struct trace_file *file, struct error *err);
	/* Fills in its part of the metadata; the other members are already set. */
	void (*describe)(const struct trace_file *file, const struct trace_window *window,
			 struct run_metadata *metadata);
	/* The files are written. */
	void (*saved)(const struct trace_file *file, const struct trace_window *window);
};

struct trace_file {
	struct recorder_sink sink;
	const struct trace_file_actions *actions;
	void *context; /* for the actions */
	const struct cpu_layout *cpus;
	char directory[PATH_MAX]; /* pages are spooled in its file system */
	char path[PATH_MAX];      /* "": nothing is kept */
	char json[PATH_MAX];      /* "": no metadata */
	char shown[PATH_MAX];     /* name in messages; "": path */
	char trace_id[NAME_MAX + 1];
	const char *clock;
	unsigned int drain_ms; /* 0: read out at the end only */
	double flight_s;       /* > 0: keep only the last seconds */
	struct until *until;   /* with flight_s and drain_ms: conditions that end the recording; NULL: none */

	/* While a session is open. */
	struct capture_session *session;
	struct spool *spool;
	unsigned int stretches;
	uint64_t forgotten_ns; /* with until: when pages were freed last */

	/* The file that was saved last: */
	uint64_t events;
	struct trace_survey survey; /* zero if nothing is kept */
	struct losses losses;       /* places, by time */
	struct flight flight;
};

/* The value of --drain, in milliseconds; 0: read out at the end only. NULL leaves *drain_ms. */
enum status trace_file_parse_drain(const char *value, unsigned int *drain_ms, struct error *err);
/* False, with STATUS_USAGE in err, if it cannot be the name of a trace clock (--clock). */
bool trace_file_is_clock(const char *name, struct error *err);

/* The caller has set the members up to flight_s; the others are zero. */
void trace_file_begin(struct trace_file *file);
void trace_file_free(struct trace_file *file);

#endif
