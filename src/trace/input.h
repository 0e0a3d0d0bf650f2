/* SPDX-License-Identifier: MIT
 *
 * A trace that is named on the command line: FILE, or - for standard input, of whatever kind its bytes say. What every
 * command that reads a trace begins with and ends with:
 *
 *	status = input_open_dat(&input, operands.items[0], err);
 *	status = sched_stream_open(&input.trace, input.name, &stream, err);
 *	... for each event: status = input_step(&input, err);
 *	input_tell_losses(&input, stream);
 *	sched_stream_close(stream);
 *	input_close(&input); */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/file.h"
#include "format/tracedat.h"
#include "runs/loss.h"
#include "sched/source.h"

enum input_kind {
	INPUT_DAT,  /* a trace.dat: trace is parsed */
	INPUT_TEXT, /* the kernel's text trace: file has its bytes, for format/ftrace_text.h */
	INPUT_CSV,  /* rows of a dataset: file has its bytes, for dataset/csv_read.h. Only of input_open_any() */
};

/* A zeroed one is closed. */
struct input {
	const char *name; /* for messages: the operand, or "standard input" */
	enum input_kind kind;
	struct mapping file;
	struct tracedat trace; /* of INPUT_DAT */
	uint32_t steps;
	dev_t device; /* of the file; inode 0 where there is none */
	ino_t inode;
};

/* Opens operand, a path or "-". A regular file is mapped; a pipe (or any other file that can only be read once) is
 * copied to a nameless file in $TMPDIR, else /tmp, and that is mapped, so that memory does not grow with it. operand
 * has to outlive *input. STATUS_UNSUPPORTED tells what the input seems to be where it is no trace, and what to do;
 * STATUS_CORRUPT a trace.dat that contradicts itself, or an input of zero bytes; STATUS_SYSTEM what cannot be read, or
 * a full disk; STATUS_INTERRUPTED after a signal. Needs no input_close() after a failure. */
enum status input_open(struct input *input, const char *operand, struct error *err);
/* The same for a command that needs a trace.dat: STATUS_UNSUPPORTED for a text trace. */
enum status input_open_dat(struct input *input, const char *operand, struct error *err);
/* The same as input_open() for a command that takes a dataset's CSV too. */
enum status input_open_any(struct input *input, const char *operand, struct error *err);
void input_close(struct input *input);
/* The typed events of a trace of either kind; the input must outlive *source. */
enum status input_source(const struct input *input, struct sched_source **source, struct error *err);

/* Called for each event: now and then lets go of the file's memory, and looks for a signal (STATUS_INTERRUPTED). */
enum status input_step(struct input *input, struct error *err);

/* Whether path is the very file that is read: it must not be written to. */
bool input_is_file(const struct input *input, const char *path);
/* STATUS_USAGE where output is the same file as trace. */
enum status input_spare(const char *trace, const char *output, struct error *err);

/* A warning where the trace has buffers of instances, which are not read. Said once of a file that is read again. */
void input_tell_skipped(const struct input *input);
/* One warning of what the trace lost: how much on which CPUs, and between which times. Nothing where nothing was. */
void input_tell_loss(const struct input *input, const struct loss *loss);
/* The same of a stream that has ended. True where something was lost, so that a command can mark its results. */
bool input_tell_losses(const struct input *input, const struct sched_stream *stream);

#endif
