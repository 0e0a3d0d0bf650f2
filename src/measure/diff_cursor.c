/* SPDX-License-Identifier: MIT */
#include "measure/diff_cursor.h"

#include "trace/event_words.h"

/* The lowest bits of a symbol are its kind. */
enum symbol_kind { SYMBOL_SWITCH, SYMBOL_WAKEUP, SYMBOL_NEW, SYMBOL_MIGRATE, SYMBOL_MARK, SYMBOL_LOST };
#define SYMBOL_KIND_BITS  3
#define SYMBOL_STATE_BITS 4
#define SYMBOL_TASK_BITS  28 /* more tasks than there are PIDs */
#define SYMBOL_CPU_BITS   14

/* The task on a CPU before its first compared task; treated like the idle task. */
static const struct sched_task not_seen = {.comm = {.bytes = "others", .length = 6}};

static bool is_wanted(const struct trace_diff *diff, const struct sched_task *task)
{
	return task_choice_has_named(diff->tasks_wanted, task->pid, &task->comm);
}

static bool has_wanted_task(const struct trace_diff *diff, const struct sched_event *event)
{
	if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW)
		return is_wanted(diff, &event->wakeup.task);
	if (event->kind == SCHED_MIGRATE)
		return is_wanted(diff, &event->migrate.task);
	return event->kind != SCHED_SWITCH || is_wanted(diff, &event->switched.prev) ||
	       is_wanted(diff, &event->switched.next);
}

bool diff_wants(const struct trace_diff *diff, const struct sched_event *event)
{
	if (event->kind > SCHED_MIGRATE && event->kind != SCHED_MARK && event->kind != SCHED_LOST)
		return false;
	if (event->kind != SCHED_SWITCH && event->kind != SCHED_LOST && !diff->all_events)
		return false;
	return pass_wants_cpu(&diff->pass, event->cpu) && has_wanted_task(diff, event);
}

enum status diff_cursor_open(struct trace_diff *diff, int run, uint32_t cpu, struct diff_cursor *cursor,
			     struct error *err)
{
	struct input *input = &diff->inputs[run];

	*cursor = (struct diff_cursor){.diff = diff, .run = run, .cpu = cpu, .is_over = true, .left = not_seen};
	if (!diff->runs[run].has_events)
		return STATUS_OK;
	if (input->kind != INPUT_DAT) {
		cursor->is_over = false;
		return input_source(input, &cursor->source, err);
	}
	for (size_t i = 0; i < input->trace.cpu_count; i++) {
		if (input->trace.cpus[i].cpu != cpu)
			continue;
		cursor->one = input->trace;
		cursor->one.cpus = &input->trace.cpus[i];
		cursor->one.cpu_count = 1;
		cursor->is_over = false;
		return sched_source_open_dat(&cursor->one, input->name, &cursor->source, err);
	}
	return STATUS_OK;
}

void diff_cursor_close(struct diff_cursor *cursor)
{
	sched_source_close(cursor->source);
	cursor->source = NULL;
}

static uint32_t pair_of(const struct diff_cursor *cursor, const struct sched_task *task)
{
	return task_match_find(&cursor->diff->match, cursor->run, task->pid, cursor->event.ts_ns);
}

static bool has_pair(const struct diff_cursor *cursor, const struct sched_task *task)
{
	return pair_of(cursor, task) != UINT32_MAX;
}

/* Joins the switch from a compared task to other tasks and the switch from these to the next compared task into one.
 * Returns true only for the second one; false also if the compared task that others had interrupted continues. */
static bool join_switches(struct diff_cursor *cursor)
{
	struct sched_event *event = &cursor->event;
	bool is_joined = !has_pair(cursor, &event->switched.prev);

	if (!is_joined) {
		cursor->left = event->switched.prev;
		cursor->left_state = event->switched.prev_state;
	}
	if (!has_pair(cursor, &event->switched.next))
		return false;
	if (is_joined) {
		event->switched.prev = cursor->left;
		event->switched.prev_state = cursor->left_state;
	}
	return event->switched.prev.pid != event->switched.next.pid ||
	       !leave_reason_is_runnable(
		   leave_reason_of(sched_source_leave_reasons(cursor->source), event->switched.prev_state));
}

/* For workload_only: true if the event is about a compared task. */
static bool is_of_compared_task(struct diff_cursor *cursor)
{
	switch (cursor->event.kind) {
	case SCHED_SWITCH:
		return join_switches(cursor);
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		return has_pair(cursor, &cursor->event.wakeup.task);
	case SCHED_MIGRATE:
		return has_pair(cursor, &cursor->event.migrate.task);
	case SCHED_LOST:
		cursor->left = not_seen;
		cursor->left_state = 0;
		return true;
	default:
		return true;
	}
}

/* The number of the task or, with by_comm, of its name. */
static uint64_t task_symbol(const struct diff_cursor *cursor, const struct sched_task *task)
{
	uint32_t pair = pair_of(cursor, task);
	uint32_t mask = (1u << SYMBOL_TASK_BITS) - 1;
	if (cursor->diff->by_comm && pair < cursor->diff->match.pair_count)
		return (cursor->diff->match.pairs[pair].pool + 1) & mask;
	return pair & mask;
}

static uint64_t text_symbol(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	return hash << SYMBOL_KIND_BITS;
}

static uint64_t symbol_of(const struct diff_cursor *cursor)
{
	const struct sched_event *event = &cursor->event;
	uint64_t symbol;

	switch (event->kind) {
	case SCHED_SWITCH:
		symbol = task_symbol(cursor, &event->switched.prev) << SYMBOL_TASK_BITS |
			 task_symbol(cursor, &event->switched.next);
		symbol =
		    symbol << SYMBOL_STATE_BITS |
		    (uint64_t)leave_reason_of(sched_source_leave_reasons(cursor->source), event->switched.prev_state);
		return symbol << SYMBOL_KIND_BITS | SYMBOL_SWITCH;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		symbol = task_symbol(cursor, &event->wakeup.task) << SYMBOL_CPU_BITS | event->wakeup.target_cpu;
		return symbol << SYMBOL_KIND_BITS | (event->kind == SCHED_WAKEUP ? SYMBOL_WAKEUP : SYMBOL_NEW);
	case SCHED_MIGRATE:
		symbol = task_symbol(cursor, &event->migrate.task) << SYMBOL_CPU_BITS | event->migrate.from_cpu;
		symbol = symbol << SYMBOL_CPU_BITS | event->migrate.to_cpu;
		return symbol << SYMBOL_KIND_BITS | SYMBOL_MIGRATE;
	case SCHED_MARK:
		return text_symbol(event->mark.text, event->mark.length) | SYMBOL_MARK;
	default:
		return event->lost.count << SYMBOL_KIND_BITS | SYMBOL_LOST;
	}
}

enum status diff_cursor_next(struct diff_cursor *cursor, struct error *err)
{
	struct trace_diff *diff = cursor->diff;
	enum status status = STATUS_END;

	while (!cursor->is_over && (status = input_step(&diff->inputs[cursor->run], err)) == STATUS_OK &&
	       (status = sched_source_next(cursor->source, &cursor->event, err)) == STATUS_OK) {
		const struct sched_event *event = &cursor->event;
		if (event->ts_ns > diff->runs[cursor->run].to_ns) {
			cursor->is_over = true;
			return STATUS_END;
		}
		if (event->cpu != cursor->cpu || event->ts_ns < diff->runs[cursor->run].from_ns ||
		    !diff_wants(diff, event) || (diff->workload_only && !is_of_compared_task(cursor)))
			continue;
		cursor->symbol = symbol_of(cursor);
		cursor->read++;
		return STATUS_OK;
	}
	cursor->is_over = true;
	return status;
}

bool diff_cursors_part(const struct diff_cursor *a, const struct diff_cursor *b)
{
	const uint64_t next = ((UINT64_C(1) << SYMBOL_TASK_BITS) - 1) << (SYMBOL_STATE_BITS + SYMBOL_KIND_BITS);

	return !a->is_over && !b->is_over && a->event.kind == SCHED_SWITCH && b->event.kind == SCHED_SWITCH &&
	       a->event.switched.prev.pid != 0 && (a->symbol & ~next) == (b->symbol & ~next);
}

static uint32_t rank_of(const struct diff_cursor *cursor, const struct sched_task *task)
{
	uint32_t pair = pair_of(cursor, task);
	const struct task_pair *it = &cursor->diff->match.pairs[pair];

	return pair < cursor->diff->match.pair_count && it->pool_size > 1 ? it->rank : 0;
}

void diff_cursor_words(const struct diff_cursor *cursor, struct buffer *out)
{
	const struct sched_event *event = &cursor->event;
	uint32_t ranks[2] = {0};

	if (event->kind == SCHED_SWITCH) {
		ranks[0] = rank_of(cursor, &event->switched.prev);
		ranks[1] = rank_of(cursor, &event->switched.next);
	} else if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW) {
		ranks[0] = rank_of(cursor, &event->wakeup.task);
	} else if (event->kind == SCHED_MIGRATE) {
		ranks[0] = rank_of(cursor, &event->migrate.task);
	}
	event_words_add(cursor->source, event, ranks, out);
}
