/* SPDX-License-Identifier: MIT
 *
 * A trace named on the command line: FILE, or - for standard input; its bytes say of which kind it is. Every command
 * that reads a trace begins and ends so:
 *
 *	status = input_open_dat(&input, operands.items[0], err);
 *	status = sched_stream_open(&input.trace, input.name, &stream, err);
 *	... for each event: status = input_step(&input, err);
 *	input_warn_losses(&input, stream);
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
	INPUT_DAT,   /* a trace.dat: trace is parsed */
	INPUT_TEXT,  /* the kernel's text trace: file has its bytes, for format/ftrace_text.h */
	INPUT_OTHER, /* recognised by the caller of input_open_or(): file has its bytes */
};

/* A zeroed one is closed. */
struct input {
	const char *name; /* for messages: the operand, or "standard input" */
	enum input_kind kind;
	struct mapping file;
	struct tracedat trace; /* of INPUT_DAT */
	uint32_t steps;
	dev_t device; /* of the file; inode is 0 if there is none */
	ino_t inode;
};

/* Opens operand, a path or "-". A regular file is mapped; a pipe (or any other file that can only be read once) is
 * copied to a nameless file in $TMPDIR, else /tmp, which is mapped, so that memory does not grow with it. operand
 * must outlive *input. STATUS_UNSUPPORTED: not a trace (with a remedy); STATUS_CORRUPT: a trace.dat that contradicts
 * itself, or an empty file; STATUS_SYSTEM: cannot be read, or the disk is full; STATUS_INTERRUPTED: a signal. Needs no
 * input_close() after a failure. */
enum status input_open(struct input *input, const char *operand, struct error *err);
/* The same, but STATUS_UNSUPPORTED for a text trace. */
enum status input_open_dat(struct input *input, const char *operand, struct error *err);
/* The same as input_open(), and also opens files of another kind that other() recognises by their bytes. */
typedef bool input_recognizer(const void *bytes, size_t length);
enum status input_open_or(struct input *input, const char *operand, input_recognizer *other, struct error *err);
void input_close(struct input *input);
/* The typed events of a trace of either kind; the input must outlive *source. */
enum status input_source(const struct input *input, struct sched_source **source, struct error *err);

/* To be called for each event: releases the file's memory from time to time, and returns STATUS_INTERRUPTED after a
 * signal. */
enum status input_step(struct input *input, struct error *err);

/* Whether path is the file being read, which must not be overwritten. */
bool input_is_file(const struct input *input, const char *path);
/* STATUS_USAGE if output is the same file as trace. */
enum status input_refuse_overwriting(const char *trace, const char *output, struct error *err);

/* Warns if the trace has buffers of instances, which are not read; once per file. */
void input_warn_skipped(const struct input *input);
/* Warns of lost events: how many, on which CPUs, between which times. Silent without a loss. */
void input_warn_loss(const struct input *input, const struct loss *loss);
/* The same for a stream that has ended. True if events were lost, so that a command can mark its results. */
bool input_warn_losses(const struct input *input, const struct sched_stream *stream);

#endif
