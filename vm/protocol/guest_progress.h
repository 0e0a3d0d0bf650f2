/* SPDX-License-Identifier: MIT
 *
 * The lines that the guest sends on port JOB_PROGRESS_PORT while it works:
 *
 *   hello RELEASE                                      first of all: the guest is up
 *   progress DONE OF RUN WORKLOAD EVENTS SECONDS_LEFT  runs done of all; run (from 0) of WORKLOAD; -1: not known yet
 *   begin RUN                                          the tasks of RUN (NAME_run0) wait for its start
 *   end RUN                                            they are through; both not where time is instructions
 *   delivering NAME SIZE                               a file begins to leave
 *   trace NAME SIZE CRC32C                             it has left; the checksum in hexadecimal
 *   problem TEXT                                       something the user should be told
 *   note TEXT                                          the same for -v
 *   clock NANOSECONDS                                  of the guest's own time since its kernel started
 *   done EXIT                                          the job is over, the guest powers off next
 *
 * The launcher takes any line at all for the guest being alive. Lines are hostile: a guest may send anything. */
#ifndef VM_PROTOCOL_GUEST_PROGRESS_H
#define VM_PROTOCOL_GUEST_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_LINE_MOST 512 /* bytes of a line, without its newline; longer ones are cut */

enum guest_line_kind {
	GUEST_LINE_UNKNOWN, /* nothing of the above, or not in its form */
	GUEST_LINE_HELLO,
	GUEST_LINE_PROGRESS,
	GUEST_LINE_BEGIN,
	GUEST_LINE_END,
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
	char name[256];         /* hello: release; progress: workload; begin, end: run; delivering, trace: file; all of
				   [A-Za-z0-9_.+~-] */
	uint64_t size;          /* delivering, trace; clock: nanoseconds */
	uint32_t checksum;      /* trace */
	int exit_status;        /* done: 0 to 255 */
	char text[GUEST_LINE_MOST + 1]; /* problem, note, unknown: as it came; show it through base/escape.h */
};

void guest_line_parse(const char *bytes, size_t length, struct guest_line *line);

/* Cuts what comes from the port into lines. Zero it to begin with. */
struct guest_lines {
	char bytes[GUEST_LINE_MOST + 1];
	size_t length;
};
/* Takes from bytes until a line is whole: returns how many bytes were taken, and *whole says whether line holds one. */
size_t guest_lines_add(struct guest_lines *lines, const char *bytes, size_t length, struct guest_line *line,
		       bool *whole);

/* Writes a line in the above form to text (size bytes), newline included; returns its length. */
size_t guest_line_format(const struct guest_line *line, char *text, size_t size);

#endif
