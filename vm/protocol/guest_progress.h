/* SPDX-License-Identifier: MIT
 *
 * The lines that the guest sends on port JOB_PROGRESS_PORT while it works:
 *
 *   hello RELEASE                                      the first line: the guest is up
 *   progress DONE OF RUN WORKLOAD EVENTS SECONDS_LEFT  runs done of all; the current run's number; -1: unknown
 *   sending NAME SIZE                                  a file begins
 *   trace NAME SIZE CRC32C                             the file is complete; checksum in hexadecimal
 *   problem TEXT                                       a warning for the user
 *   note TEXT                                          shown with -v
 *   clock NANOSECONDS                                  the guest's time since its kernel started
 *   done EXIT                                          the job has ended, the guest powers off next
 *
 * Any line shows that the guest is alive. Lines are untrusted input. */
#ifndef VM_PROTOCOL_GUEST_PROGRESS_H
#define VM_PROTOCOL_GUEST_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_LINE_MAX 512 /* bytes of a line, without its newline; longer ones are cut */

enum guest_line_kind {
	GUEST_LINE_UNKNOWN, /* none of the above, or malformed */
	GUEST_LINE_HELLO,
	GUEST_LINE_PROGRESS,
	GUEST_LINE_SENDING,
	GUEST_LINE_TRACE,
	GUEST_LINE_PROBLEM,
	GUEST_LINE_NOTE,
	GUEST_LINE_CLOCK,
	GUEST_LINE_DONE,
};

struct guest_line {
	enum guest_line_kind kind;
	uint32_t done, of, run; /* progress */
	uint64_t events;        /* progress */
	double seconds_left;    /* progress; < 0: not known */
	char name[256];         /* hello: release; progress: workload; sending, trace: file; all of [A-Za-z0-9_.+~-] */
	uint64_t size;          /* sending, trace; clock: nanoseconds */
	uint32_t checksum;      /* trace */
	int exit_status;        /* done: 0 to 255 */
	char text[GUEST_LINE_MAX + 1]; /* problem, note, unknown: unmodified; print it with base/escape.h */
};

void guest_line_parse(const char *bytes, size_t length, struct guest_line *line);

/* Splits the bytes of the port into lines. Starts zeroed. */
struct guest_lines {
	char bytes[GUEST_LINE_MAX + 1];
	size_t length;
};
/* Consumes bytes up to the end of a line: returns the count of consumed bytes, and sets *whole if line is complete. */
size_t guest_lines_add(struct guest_lines *lines, const char *bytes, size_t length, struct guest_line *line,
		       bool *whole);

/* Formats line as above into text (size bytes), newline included; returns its length. */
size_t guest_line_format(const struct guest_line *line, char *text, size_t size);

#endif
