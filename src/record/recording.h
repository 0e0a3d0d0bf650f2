/* SPDX-License-Identifier: MIT
 *
 * One recording of picknext record: of a command, of processes, or of the whole machine. */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include "record/process_subject.h"
#include "record/recording_output.h"
#include "record/tracefs/session.h"
#include "record/until.h"

struct recording_request {
	struct recording_output output;
	const char *json;                  /* path of the metadata; NULL: beside the trace, or none with to_fd */
	char **command;                    /* NULL-terminated; NULL: none */
	struct process_subject *processes; /* count 0: all */
	double duration_s;                 /* 0: until the subject ends, or a signal */
	double flight_s;                   /* 0: all events are kept */
	struct until *until;               /* with flight_s; NULL: no condition ends the recording */
	unsigned int drain_ms;             /* 0: only at the end */
	const char *name, *category;       /* labels in a dataset */
	const struct recipe *recipe;       /* recorded */
	const char *keys;                  /* value of --keys */
	struct capture_settings capture;
};

struct recording_outcome {
	bool by_signal;   /* a signal ended it; the files have the events until then */
	bool is_unmet;    /* it ended, but not by a signal, and met no condition of until */
	int command_code; /* exit code of the command; -1: none, or it is still running */
};

/* Records, and writes the files. STATUS_SYSTEM if tracing or writing fails. Nothing is left in tracefs. The caller has
 * called interrupt_catch(). */
enum status recording_run(struct recording_request *request, struct recording_outcome *outcome, struct error *err);

#endif
