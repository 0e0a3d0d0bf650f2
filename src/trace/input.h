/* SPDX-License-Identifier: MIT
 *
 * A trace named on the command line: FILE, or - for standard input. The kind is detected from its bytes. Every command
 * that reads a trace uses this sequence:
 *
 *	status = input_open_dat(&input, operands.items[0], err);
 *	status = sched_stream_open(&input.trace, input.name, &stream, err);
 *	... for each event: status = input_step(&input, err);
 *	sched_stream_close(stream);
 *	input_close(&input); */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/file.h"
#include "runs/loss.h"
#include "trace/format/tracedat.h"
#include "trace/source.h"

enum input_kind {
	INPUT_DAT,   /* a trace.dat: trace is parsed */
	INPUT_TEXT,  /* the kernel's text trace: file has its bytes, for trace/format/ftrace_text.h */
	INPUT_OTHER, /* recognised by the caller of input_open_or(): file has its bytes */
};

#define INPUT_STANDARD "standard input"

/* A zeroed struct is closed. */
struct input {
	const char *name; /* for messages: the operand, or INPUT_STANDARD */
	enum input_kind kind;
	struct mapping file;
	struct tracedat trace; /* for INPUT_DAT */
	uint32_t steps;
	dev_t device; /* of the file; inode is 0 if unknown */
	ino_t inode;
};

/* Opens operand, a path or "-". A regular file is mapped. A pipe (or any other file that can be read only once) is
 * copied to an unnamed file in $TMPDIR or /tmp, which is mapped, so that memory use does not depend on its size.
 * operand must outlive *input. STATUS_UNSUPPORTED: not a trace (with a remedy); STATUS_CORRUPT: an inconsistent
 * trace.dat, one with pages that were never written, or an empty file; STATUS_SYSTEM: cannot be read, or the disk is
 * full; STATUS_INTERRUPTED: a signal. Needs no input_close() after a failure. */
enum status input_open(struct input *input, const char *operand, struct error *err);
/* The instance whose buffer is read of every trace.dat opened from now on; NULL: see tracedat_parse_instance(). Text
 * traces have none: STATUS_USAGE unless it is "". */
void input_choose_instance(const char *name);
/* Parses the mapped file as a trace.dat; for those that map it themselves. */
enum status input_parse_dat(struct input *input, struct error *err);
/* Like input_open(), but STATUS_UNSUPPORTED for a text trace. */
enum status input_open_dat(struct input *input, const char *operand, struct error *err);
/* Like input_open(), but also opens files of another kind that other() recognizes by their bytes. */
typedef bool input_recognizer(const void *bytes, size_t length);
enum status input_open_or(struct input *input, const char *operand, input_recognizer *other, struct error *err);
void input_close(struct input *input);
/* The typed events of a trace of either kind; the input must outlive *source. */
enum status input_source(const struct input *input, struct sched_source **source, struct error *err);

/* Call it for each event: releases the file's memory from time to time; STATUS_INTERRUPTED after a signal. */
#define INPUT_STEPS_MAX ((uint32_t)1 << 13) /* some 500 KiB of a trace.dat */
enum status input_release(struct input *input, struct error *err);
static inline enum status input_step(struct input *input, struct error *err)
{
	return ++input->steps < INPUT_STEPS_MAX ? STATUS_OK : input_release(input, err);
}

/* True if path is the input file, which must not be overwritten. */
bool input_is_file(const struct input *input, const char *path);
/* STATUS_USAGE if output is the same file as trace. */
enum status input_refuse_overwriting(const char *trace, const char *output, struct error *err);

/* Texts of warnings, for the caller to print; false if there is nothing to warn of. */
#define INPUT_WARNING_SIZE 2048
/* The trace has other buffers, which are not read, and no --instance chose the one that is; once per file. */
bool input_skipped_text(const struct input *input, char *text, size_t size);
/* The trace has events of followed tasks only: trace/trace_scope.h. */
bool input_followed_text(const struct input *input, char *text, size_t size);

#endif
