/* SPDX-License-Identifier: MIT
 *
 * What the parts of a recording share: recording.c runs it, recording_save.c writes its files. */
#ifndef RECORD_RECORDING_STATE_H
#define RECORD_RECORDING_STATE_H

#include "capture/cpus.h"
#include "capture/flight.h"
#include "capture/spool.h"
#include "record/recording.h"
#include "record/trace_losses.h"
#include "record/traced_command.h"
#include "sched/trace_survey.h"

struct recording {
	struct recording_request *request;
	struct recording_outcome *outcome;
	struct cpu_layout cpus;
	struct capture_session *session;
	struct spool *spool; /* with drain_ms or flight_s */
	struct traced_command command;
	int save_fd;           /* a signalfd of SIGUSR1 */
	unsigned int saved;    /* files so far, with flight_s */
	double start_s, end_s; /* Unix time */
	double began_s;        /* monotonic */
	struct flight flight;  /* with flight_s */
	struct trace_survey survey;
	struct trace_losses losses;
};

/* Writes what the stopped session holds to STEM.dat and STEM.json, STEM.N.dat for number N > 0, and tells about it. */
enum status recording_save(struct recording *recording, unsigned int number, struct error *err);
/* With to_fd: makes a directory for the trace that is to be saved; then copies it to its place, with signals doing
 * what they do by default; or takes away what is not to be kept. */
enum status recording_output_open(struct recording_request *request, struct error *err);
enum status recording_output_copy(const struct recording_request *request, struct error *err);
void recording_output_close(const struct recording_request *request);
/* The JSON beside it. */
enum status recording_metadata_write(const struct recording *recording, const char *trace_id, const char *path,
				     struct error *err);

#endif
