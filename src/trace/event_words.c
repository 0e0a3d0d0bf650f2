/* SPDX-License-Identifier: MIT */
#include "trace/event_words.h"

#include <inttypes.h>

#include "base/escape.h"
#include "trace/comm_table.h"

static void add_task(const struct sched_task *task, uint32_t rank, struct buffer *out)
{
	comm_add_padded(&task->comm, 0, out);
	if (rank)
		buffer_printf(out, "#%" PRIu32, rank);
	buffer_printf(out, " [%" PRId32 "]", task->pid);
}

void event_words_add(const struct sched_source *source, const struct sched_event *event, const uint32_t ranks[2],
		     struct buffer *out)
{
	const uint32_t none[2] = {0};
	char state[32];

	ranks = ranks ? ranks : none;

	switch (event->kind) {
	case SCHED_SWITCH:
		sched_source_state_text(source, event->switched.prev_state, state, sizeof(state));
		add_task(&event->switched.prev, ranks[0], out);
		buffer_printf(out, " %s -> ", state);
		add_task(&event->switched.next, ranks[1], out);
		break;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		buffer_text(out, event->kind == SCHED_WAKEUP ? "wakes " : "starts ");
		add_task(&event->wakeup.task, ranks[0], out);
		buffer_printf(out, " for CPU %" PRIu32, event->wakeup.target_cpu);
		break;
	case SCHED_MIGRATE:
		buffer_text(out, "moves ");
		add_task(&event->migrate.task, ranks[0], out);
		buffer_printf(out, " from CPU %" PRIu32 " to %" PRIu32, event->migrate.from_cpu, event->migrate.to_cpu);
		break;
	case SCHED_MARK:
		buffer_text(out, "mark: ");
		escape_line_add(event->mark.text, event->mark.length, out);
		break;
	case SCHED_LOST:
		if (event->lost.count_known)
			buffer_printf(out, "%" PRIu64 " ", event->lost.count);
		buffer_text(out, "events lost here");
		break;
	default:
		buffer_text(out, "an event of another kind");
	}
}
