/* SPDX-License-Identifier: MIT
 *
 * The lines that the guest sends on port JOB_PROGRESS_PORT while it works:
 *
 *   hello RELEASE                                      the first line: the guest is up
 *   progress DONE OF RUN WORKLOAD EVENTS SECONDS_LEFT  runs done of all; current run (from 0); -1: unknown
 *   sending NAME SIZE                                  starts to send a file
 *   trace NAME SIZE CRC32C                             has sent it; the checksum in hexadecimal
 *   problem TEXT                                       a warning for the user
 *   note TEXT                                          the same for -v
 *   clock NANOSECONDS                                  the guest's time since its kernel started
 *   done EXIT                                          the job has ended, the guest powers off next
 *
 * Any line at all shows that the guest is alive. Lines are hostile: a guest may send anything. */
#ifndef VM_PROTOCOL_GUEST_PROGRESS_H
#define VM_PROTOCOL_GUEST_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_LINE_MAX 512 /* bytes of a line, without its newline; longer ones are cut */

enum guest_line_kind {
	GUEST_LINE_UNKNOWN, /* nothing of the above, or not in its form */
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
	char text[GUEST_LINE_MAX + 1]; /* problem, note, unknown: as it came; show it through base/escape.h */
};

void guest_line_parse(const char *bytes, size_t length, struct guest_line *line);

/* Cuts what comes from the port into lines. Zero it to begin with. */
struct guest_lines {
	char bytes[GUEST_LINE_MAX + 1];
	size_t length;
};
/* Takes from bytes until a line is whole: returns how many bytes were taken, and *whole says whether line holds one. */
size_t guest_lines_add(struct guest_lines *lines, const char *bytes, size_t length, struct guest_line *line,
		       bool *whole);

/* Writes a line in the above form to text (size bytes), newline included; returns its length. */
size_t guest_line_format(const struct guest_line *line, char *text, size_t size);

#endif
