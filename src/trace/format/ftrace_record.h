/* SPDX-License-Identifier: MIT
 *
 * The parts of one record of the kernel's text trace; ftrace_text.c finds the records. */
#ifndef TRACE_FORMAT_FTRACE_RECORD_H
#define TRACE_FORMAT_FTRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/find_byte.h"

/* Bytes within the trace; not terminated. */
struct ftrace_span {
	const char *bytes;
	size_t length;
};

struct ftrace_text_switch {
	struct ftrace_span timestamp; /* "12345.678901", as the trace writes it */
	uint64_t ts_ns;
	uint32_t cpu;
	struct ftrace_span prev_comm, next_comm;
	struct ftrace_span prev_state; /* "R+", "S", "D|K" */
	int32_t prev_pid, prev_prio, next_pid, next_prio;
};

#define FTRACE_TASK_COLUMN 16u /* the kernel prints "%16s-%-7d" */

struct ftrace_cursor {
	const char *at, *end;
};

/* The layouts of an event line that are read: see ftrace_take_column_head() and ftrace_take_free_head(). */
enum ftrace_layout {
	FTRACE_COLUMNS,  /* the kernel's own columns */
	FTRACE_BRACKETS, /* any with "[CPU] FLAGS SECONDS:", such as a name of other width */
	FTRACE_PERF,     /* perf script: "NAME PID [CPU] SECONDS: SYSTEM:EVENT:" */
	FTRACE_LATENCY,  /* latency format: "NAME-PID CPU..FLAGS MICROSECONDSus :", after any text */
};

/* The start of every event line: "TASK-PID [CPU] FLAGS SECONDS.FRACTION: NAME: ". */
struct ftrace_head {
	enum ftrace_layout layout;
	int32_t pid;             /* -1 if the columns are not the kernel's own and the PID is ambiguous */
	struct ftrace_span comm; /* the task's name; empty if unknown */
	uint32_t cpu;
	char interrupt;               /* the third of the flags, '.' for none; 0 if there are no flags */
	struct ftrace_span timestamp; /* empty if it is not in seconds */
	uint64_t ts_ns;
	bool has_time;            /* false: the clock counts something else; ts_ns is not set */
	struct ftrace_span event; /* empty if no name with a colon follows, for example in function traces */
	const char *payload;
};

static inline bool ftrace_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ftrace_is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* These are inline, because most of their arguments are constants: a text is then compared in a few instructions, and
 * a limit needs no division. Each removes the named element from the front; false if it is not there. */
static inline __attribute__((always_inline)) void ftrace_skip_spaces(struct ftrace_cursor *cursor)
{
	const char *at = cursor->at;

	while (at < cursor->end && ftrace_is_space(*at))
		at++;
	cursor->at = at;
}

static inline bool ftrace_take_text(struct ftrace_cursor *cursor, const char *wanted)
{
	size_t length = strlen(wanted);

	if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, wanted, length) != 0)
		return false;
	cursor->at += length;
	return true;
}

/* True if a number of so many digits fits into 64 bits; sum is its value modulo 2^64. 19 digits always fit. */
static inline bool ftrace_digits_fit(const char *digits, ptrdiff_t count, uint64_t sum)
{
	for (; count > 19 && *digits == '0'; count--)
		digits++;
	return count <= 19 || (count == 20 && *digits == '1' && sum >= UINT64_C(10000000000000000000));
}

/* Digits with a value up to max; false for a larger value. */
static inline bool ftrace_take_number(struct ftrace_cursor *cursor, uint64_t max, uint64_t *value)
{
	const char *start = cursor->at, *at = start;
	uint64_t sum = 0;
	unsigned int digit;

	while (at < cursor->end && (digit = (unsigned int)*at - '0') <= 9) {
		sum = sum * 10 + digit;
		at++;
	}
	cursor->at = at;
	*value = sum;
	return at > start && sum <= max && ftrace_digits_fit(start, at - start, sum);
}

/* The same with an optional minus sign, within the range of int32_t. */
static inline bool ftrace_take_signed(struct ftrace_cursor *cursor, int32_t *value)
{
	bool negative = ftrace_take_text(cursor, "-");
	uint64_t size;

	if (!ftrace_take_number(cursor, INT32_MAX, &size))
		return false;
	*value = negative ? -(int32_t)size : (int32_t)size;
	return true;
}

/* Finds the text; does not move the cursor. */
static inline bool ftrace_find_text(const struct ftrace_cursor *cursor, const char *wanted, const char **found)
{
	size_t length = strlen(wanted);

	for (const char *at = cursor->at;; at++) {
		at = find_byte(at, cursor->end, *wanted);
		if ((size_t)(cursor->end - at) < length)
			return false;
		if (memcmp(at, wanted, length) == 0) {
			*found = at;
			return true;
		}
	}
}

/* The kernel's own columns: the task name ends at byte 16, whatever bytes it contains. */
bool ftrace_take_column_head(struct ftrace_cursor cursor, struct ftrace_head *head);
/* Any other layout: looks for the first bracket with a CPU and a time after it, then for the latency format. */
bool ftrace_take_free_head(struct ftrace_cursor cursor, struct ftrace_head *head);
/* A line of either kind whose time has no decimals: it is not a time. */
bool ftrace_has_count(struct ftrace_cursor line);

/* The texts around the fields of events, in their order. */
enum ftrace_form_name { FTRACE_KERNEL, FTRACE_RAW, FTRACE_REPORT, FTRACE_OLD, FTRACE_FORMS };
struct ftrace_form {
	/* For a sched_switch. */
	const char *prev_comm, *prev_pid, *prev_prio, *prev_state, *next_comm, *next_pid, *next_prio, *end;
	/* For events about one task, and before the CPUs of a wakeup and a migration; NULL: only the kernel's
	 * "comm=NAME pid=NUMBER ...". */
	const char *comm, *pid, *prio, *target_cpu, *from_cpu, *to_cpu;
};
extern const struct ftrace_form ftrace_forms[FTRACE_FORMS];
/* The fields of a sched_switch, up to the end of the cursor: names, state and PIDs of event. */
bool ftrace_take_switch(struct ftrace_cursor cursor, enum ftrace_form_name form, struct ftrace_text_switch *event);

#endif
