/* SPDX-License-Identifier: MIT */
#include "measure/exact_difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/comm_table.h"
#include "trace/event_words.h"
#include "trace/input.h"
#include "trace/source.h"

struct side {
	struct input input;
	struct sched_source *source;
	struct sched_event event;
	bool is_open, is_over;
};

static enum status open_side(struct side *side, const char *path, struct error *err)
{
	enum status status = input_open(&side->input, path, err);

	if (status != STATUS_OK)
		return status;
	side->is_open = true;
	return input_source(&side->input, &side->source, err);
}

static void close_side(struct side *side)
{
	sched_source_close(side->source);
	if (side->is_open)
		input_close(&side->input);
}

static enum status advance(struct side *side, struct error *err)
{
	enum status status = input_step(&side->input, err);

	if (status == STATUS_OK)
		status = sched_source_next(side->source, &side->event, err);
	side->is_over = status == STATUS_END;
	return side->is_over ? STATUS_OK : status;
}

static bool same_task(const struct sched_task *a, const struct sched_task *b)
{
	return a->pid == b->pid && a->prio == b->prio && comm_equal(&a->comm, &b->comm);
}

/* Compares the fields that a text trace has of an event. */
static bool same_text(const struct side *sides)
{
	const struct sched_event *a = &sides[0].event;
	const struct sched_event *b = &sides[1].event;
	char states[2][32];

	switch (a->kind) {
	case SCHED_SWITCH:
		for (int i = 0; i < 2; i++)
			sched_source_state_text(sides[i].source, sides[i].event.switched.prev_state, states[i],
						sizeof(states[i]));
		return same_task(&a->switched.prev, &b->switched.prev) &&
		       same_task(&a->switched.next, &b->switched.next) && strcmp(states[0], states[1]) == 0;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		return same_task(&a->wakeup.task, &b->wakeup.task) && a->wakeup.target_cpu == b->wakeup.target_cpu;
	case SCHED_MIGRATE:
		return same_task(&a->migrate.task, &b->migrate.task) && a->migrate.from_cpu == b->migrate.from_cpu &&
		       a->migrate.to_cpu == b->migrate.to_cpu;
	case SCHED_MARK:
		return a->mark.length == b->mark.length && memcmp(a->mark.text, b->mark.text, a->mark.length) == 0;
	case SCHED_LOST:
		return a->lost.count_known == b->lost.count_known && a->lost.count == b->lost.count;
	default:
		return true;
	}
}

static bool same_event(const struct side *sides)
{
	const struct sched_event *a = &sides[0].event;
	const struct sched_event *b = &sides[1].event;
	struct sched_stream *streams[2] = {sched_source_stream(sides[0].source), sched_source_stream(sides[1].source)};

	if (a->ts_ns != b->ts_ns || a->cpu != b->cpu || a->kind != b->kind)
		return false;
	if (!streams[0] || !streams[1] || a->kind == SCHED_LOST || a->kind == SCHED_GAP)
		return same_text(sides);
	const struct ring_record *records[2] = {sched_stream_record(streams[0]), sched_stream_record(streams[1])};
	return records[0]->length == records[1]->length &&
	       memcmp(records[0]->data, records[1]->data, records[0]->length) == 0;
}

static void describe(const struct side *side, char *text, size_t size)
{
	struct buffer words = {0};
	const struct sched_event *event = &side->event;

	if (side->is_over) {
		snprintf(text, size, "its end");
		return;
	}
	buffer_printf(&words, "%" PRIu64 ".%09u s, CPU %" PRIu32 ": ", event->ts_ns / 1000000000,
		      (unsigned int)(event->ts_ns % 1000000000), event->cpu);
	event_words_add(side->source, event, NULL, &words);
	snprintf(text, size, "%s", words.data ? words.data : "");
	buffer_free(&words);
}

static enum status find_difference(struct side *sides, struct exact_difference *difference, struct error *err)
{
	for (;; difference->events++) {
		for (int i = 0; i < 2; i++) {
			enum status status = advance(&sides[i], err);
			if (status != STATUS_OK)
				return status;
		}
		if (sides[0].is_over && sides[1].is_over)
			return STATUS_OK;
		if (sides[0].is_over || sides[1].is_over || !same_event(sides))
			break;
	}
	difference->found = true;
	describe(&sides[0], difference->a, sizeof(difference->a));
	describe(&sides[1], difference->b, sizeof(difference->b));
	if (strcmp(difference->a, difference->b) == 0)
		snprintf(difference->b, sizeof(difference->b), "the same in words; its other fields differ");
	return STATUS_OK;
}

enum status exact_difference_find(const char *path_a, const char *path_b, struct exact_difference *difference,
				  struct error *err)
{
	struct side sides[2] = {0};

	*difference = (struct exact_difference){0};
	enum status status = open_side(&sides[0], path_a, err);
	if (status == STATUS_OK)
		status = open_side(&sides[1], path_b, err);
	difference->is_text = sides[0].input.kind != INPUT_DAT || sides[1].input.kind != INPUT_DAT;
	if (status == STATUS_OK)
		status = find_difference(sides, difference, err);
	close_side(&sides[0]);
	close_side(&sides[1]);
	return status;
}
