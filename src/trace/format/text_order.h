/* SPDX-License-Identifier: MIT
 *
 * The events of a text in the order of time. The kernel's own text is in this order. A file of several, such as
 * cat per_cpu/cpu?/trace makes, is in it part by part: the parts are merged. A few lines that stand too late are moved
 * up, by at most TEXT_ORDER_WINDOW lines. The lines of a CPU keep their order: if they go back from one part to the
 * next, or follow another header, the file has several recordings. Pure. */
#ifndef TRACE_FORMAT_TEXT_ORDER_H
#define TRACE_FORMAT_TEXT_ORDER_H

#include "trace/format/ftrace_text.h"

#define TEXT_ORDER_WINDOW 64
#define TEXT_ORDER_RING   128 /* a power of two above it */
#define TEXT_PARTS_MAX    1024
#define TEXT_CPUS         1024 /* others are not compared between recordings */

/* The next event of a part. */
struct text_next {
	struct ftrace_text_event event;
	bool has_event;
	/* The next event with a time, for marks of lost events before it; UINT64_MAX: there is none. */
	const char *timed_end; /* of its line */
	uint64_t timed_ns;
};

struct text_order {
	struct ftrace_text *parts; /* in the order of the file */
	size_t part_count;
	/* Results. */
	uint64_t moved;                              /* events that stood after later ones, and were moved up */
	uint64_t backwards_events, backwards_max_ns; /* whose time is before that of an earlier line of their CPU */
	uint64_t late_events, late_max_ns;           /* that stood too late to be moved: their time is changed */
	bool has_recordings;                         /* several ones, of the same CPUs */
	/* Private. */
	struct text_next *next;         /* of each part, if there are several */
	uint32_t *headers;              /* before the last event of each CPU, and 1 more; 0: it had none */
	bool is_over;                   /* the text has no further events */
	struct ftrace_text_event *ring; /* TEXT_ORDER_RING: events by time, count of them from first on */
	uint32_t first, count;
	uint64_t newest_ns; /* of all events in the ring and before */
	uint64_t last_ns;   /* of the last event that was returned */
};

/* The bytes must outlive *order. Reads them once more if their beginning, or one of a few places further on, is not in
 * order, or if it is of one CPU, and others follow. */
void text_order_open(struct text_order *order, const char *bytes, size_t length);
/* The next event, or NULL at the end; valid until the next call. Its time is not before the last one's. */
const struct ftrace_text_event *text_order_next(struct text_order *order);
/* The results of all parts in one. */
void text_order_sum(const struct text_order *order, struct ftrace_text *sum);
void text_order_free(struct text_order *order);

#endif
