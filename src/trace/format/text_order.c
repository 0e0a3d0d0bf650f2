/* SPDX-License-Identifier: MIT */
#include "trace/format/text_order.h"

#include <stdlib.h>

#include "base/memory.h"

/* --- Parts --- */

/* How much of a text is read for events of another CPU, or of an earlier time: its beginning, and a few lines at one
 * place per PLACE_DISTANCE or more. */
#define BEGINNING      ((size_t)1 << 14)
#define PLACES_MAX     64
#define PLACE_DISTANCE ((size_t)1 << 16)
#define PLACE_BYTES    512
/* A step back that no correction of a clock makes. */
#define STEP_BACK_NS 1000000

/* The next event with a time. */
static bool next_timed(struct ftrace_text *text, struct ftrace_text_event *event)
{
	while (ftrace_text_next_event(text, event))
		if (event->kind != FTRACE_TEXT_LOST)
			return true;
	return false;
}

static bool is_step_back(const struct ftrace_text_event *last, const struct ftrace_text_event *event)
{
	return event->ts_ns < last->ts_ns && last->ts_ns - event->ts_ns > STEP_BACK_NS;
}

/* True if event begins another part of a text; last: the event before it. */
static bool begins_part(const struct ftrace_text_event *last, const struct ftrace_text_event *event)
{
	return is_step_back(last, event) || (event->ts_ns < last->ts_ns && event->cpu != last->cpu);
}

/* True if times go far back up to one of a few places further on, or if an event of another CPU than one_cpu (not
 * UINT32_MAX) follows there. Reads little of a long text. */
static bool has_part_further_on(const char *bytes, size_t length, uint32_t one_cpu)
{
	const size_t wanted = length / PLACE_DISTANCE + 1, places = wanted < PLACES_MAX ? wanted : PLACES_MAX;
	struct ftrace_text_event event, last = {0};
	size_t read = 0;

	for (size_t place = 1; place <= places; place++) {
		const size_t start = place < places ? length / places * place : length - PLACE_BYTES;
		const size_t end = start + PLACE_BYTES < length ? start + PLACE_BYTES : length;
		struct ftrace_text text;
		read = read < start ? start : read;
		ftrace_text_open(&text, bytes + read, read < end ? end - read : 0);
		while (next_timed(&text, &event)) {
			if ((one_cpu != UINT32_MAX && event.cpu != one_cpu) || is_step_back(&last, &event))
				return true;
			last = event;
		}
		read = read < end ? end : read;
	}
	return false;
}

/* True if the beginning has a step back, or events of one CPU that others follow, or if times go back further on. */
static bool may_have_parts(const char *bytes, size_t length)
{
	struct ftrace_text text;
	struct ftrace_text_event event, last;

	ftrace_text_open_beginning(&text, bytes, length, BEGINNING);
	if (!next_timed(&text, &event))
		return false;
	uint32_t one_cpu = event.cpu;
	last = event;
	do {
		if (begins_part(&last, &event))
			return true;
		if (event.cpu != one_cpu)
			one_cpu = UINT32_MAX;
		last = event;
	} while (next_timed(&text, &event));
	return length > BEGINNING && has_part_further_on(bytes, length, one_cpu);
}

static void add_part(struct text_order *order, const struct ftrace_text *whole, const char *start, uint64_t line,
		     uint32_t headers)
{
	if (order->part_count)
		order->parts[order->part_count - 1].end = start;
	order->parts = xreallocarray(order->parts, order->part_count + 1, sizeof(*order->parts));
	struct ftrace_text *part = &order->parts[order->part_count++];
	ftrace_text_open(part, start, (size_t)(whole->end - start));
	part->line = line;
	part->headers = headers;
	part->is_page = whole->is_page;
	part->form = FTRACE_FORMS;
}

/* A part begins after the last event of the one before, with the first event whose time is earlier. */
static void find_parts(struct text_order *order, const char *bytes, size_t length)
{
	struct {
		uint64_t ts_ns;
		size_t part;
	} cpus[TEXT_CPUS] = {{0}}; /* the last event of each */
	struct ftrace_text text;
	struct ftrace_text_event event, last = {0};
	const char *after_event = bytes;
	uint64_t line = 0;
	uint32_t headers = 0;

	ftrace_text_open(&text, bytes, length);
	while (next_timed(&text, &event) && order->part_count < TEXT_PARTS_MAX) {
		if (begins_part(&last, &event))
			add_part(order, &text, after_event, line, headers);
		if (event.cpu < TEXT_CPUS) {
			order->has_recordings |=
			    event.ts_ns < cpus[event.cpu].ts_ns && cpus[event.cpu].part != order->part_count;
			cpus[event.cpu].ts_ns = event.ts_ns;
			cpus[event.cpu].part = order->part_count;
		}
		last = event;
		after_event = text.at;
		line = text.line;
		headers = text.headers;
	}
}

/* --- Order --- */

/* A mark of lost events has no time: it gets that of the next event of its part, which it precedes. Many marks may
 * stand before one event: it is looked for once. */
static uint64_t time_after(const struct ftrace_text *part, struct text_next *next, uint64_t otherwise_ns)
{
	if (!next->timed_end || part->at >= next->timed_end) {
		struct ftrace_text rest = *part;
		struct ftrace_text_event event;
		next->timed_ns = next_timed(&rest, &event) ? event.ts_ns : UINT64_MAX;
		next->timed_end = rest.at;
	}
	return next->timed_ns == UINT64_MAX ? otherwise_ns : next->timed_ns;
}

/* Events of a CPU after another header are of another recording. */
static inline void note_headers(struct text_order *order, const struct ftrace_text *part, uint32_t cpu)
{
	if (cpu >= TEXT_CPUS || order->headers[cpu] == part->headers + 1)
		return;
	order->has_recordings |= order->headers[cpu] != 0;
	order->headers[cpu] = part->headers + 1;
}

/* The earliest event of all parts. */
static __attribute__((noinline)) bool next_of_parts(struct text_order *order, struct ftrace_text_event *event)
{
	struct text_next *earliest = NULL;

	for (size_t i = 0; i < order->part_count; i++) {
		struct text_next *next = &order->next[i];
		if (!next->has_event) {
			next->has_event = ftrace_text_next_event(&order->parts[i], &next->event);
			if (next->has_event && next->event.kind == FTRACE_TEXT_LOST)
				next->event.ts_ns = time_after(&order->parts[i], next, order->last_ns);
		}
		if (next->has_event && (!earliest || next->event.ts_ns < earliest->event.ts_ns))
			earliest = next;
	}
	if (!earliest)
		return false;
	*event = earliest->event;
	earliest->has_event = false;
	note_headers(order, &order->parts[earliest - order->next], event->cpu);
	return true;
}

static inline __attribute__((always_inline)) bool next_of_one(struct text_order *order, struct ftrace_text_event *event)
{
	if (!ftrace_text_next_event(order->parts, event))
		return false;
	if (event->kind == FTRACE_TEXT_LOST)
		event->ts_ns = order->newest_ns;
	note_headers(order, order->parts, event->cpu);
	return true;
}

static inline struct ftrace_text_event *event_at(struct text_order *order, uint32_t position)
{
	return &order->ring[(order->first + position) % TEXT_ORDER_RING];
}

/* Moves the last event up. An earlier line of the same CPU stays before it: the clock was corrected between them. */
static __attribute__((noinline, cold)) void move_up(struct text_order *order)
{
	uint32_t position = order->count - 1;
	struct ftrace_text_event event = *event_at(order, position);

	for (; position > 0; position--) {
		const struct ftrace_text_event *earlier = event_at(order, position - 1);
		if (earlier->ts_ns <= event.ts_ns)
			break;
		if (earlier->cpu == event.cpu) {
			order->backwards_events++;
			if (order->backwards_max_ns < earlier->ts_ns - event.ts_ns)
				order->backwards_max_ns = earlier->ts_ns - event.ts_ns;
			event.ts_ns = earlier->ts_ns;
			break;
		}
		*event_at(order, position) = *earlier;
	}
	order->moved += position < order->count - 1;
	*event_at(order, position) = event;
}

/* Reads an event into the ring. */
static inline bool add_next(struct text_order *order)
{
	struct ftrace_text_event *event = event_at(order, order->count);

	if (order->part_count > 1 ? !next_of_parts(order, event) : !next_of_one(order, event))
		return false;
	order->count++;
	if (event->ts_ns < order->newest_ns)
		move_up(order);
	else
		order->newest_ns = event->ts_ns;
	return true;
}

static __attribute__((noinline, cold)) void take_late(struct text_order *order, struct ftrace_text_event *event)
{
	order->late_events++;
	if (order->late_max_ns < order->last_ns - event->ts_ns)
		order->late_max_ns = order->last_ns - event->ts_ns;
	event->ts_ns = order->last_ns;
}

void text_order_open(struct text_order *order, const char *bytes, size_t length)
{
	*order = (struct text_order){.part_count = 1};
	order->parts = xcalloc(1, sizeof(*order->parts));
	ftrace_text_open(&order->parts[0], bytes, length);
	order->ring = xcalloc(TEXT_ORDER_RING, sizeof(*order->ring));
	if (may_have_parts(bytes, length))
		find_parts(order, bytes, length);
	order->next = xcalloc(order->part_count, sizeof(*order->next));
	order->headers = xcalloc(TEXT_CPUS, sizeof(*order->headers));
	while (order->count < TEXT_ORDER_WINDOW && add_next(order))
		;
}

void text_order_free(struct text_order *order)
{
	free(order->parts);
	free(order->next);
	free(order->headers);
	free(order->ring);
	*order = (struct text_order){0};
}

const struct ftrace_text_event *text_order_next(struct text_order *order)
{
	if (!order->is_over)
		order->is_over = !add_next(order);
	if (order->count == 0)
		return NULL;
	struct ftrace_text_event *event = event_at(order, 0);
	order->first++;
	order->count--;
	if (event->ts_ns < order->last_ns)
		take_late(order, event);
	order->last_ns = event->ts_ns;
	return event;
}

void text_order_sum(const struct text_order *order, struct ftrace_text *sum)
{
	*sum = (struct ftrace_text){.form = FTRACE_FORMS};
	for (size_t i = 0; i < order->part_count; i++) {
		const struct ftrace_text *part = &order->parts[i];
		sum->switches += part->switches;
		sum->other_events += part->other_events;
		sum->malformed_lines += part->malformed_lines;
		if (!sum->first_malformed_line)
			sum->first_malformed_line = part->first_malformed_line;
		sum->overwritten += part->overwritten;
		sum->form = sum->form == FTRACE_FORMS ? part->form : sum->form;
		for (size_t loss = 0; loss < part->loss_count; loss++)
			ftrace_text_add_loss(sum, &part->losses[loss]);
	}
}
