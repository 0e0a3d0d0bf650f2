/* SPDX-License-Identifier: MIT
 *
 * Records of the scheduler's events, laid out as the formats in kernel_texts.h say. */
#ifndef SUPPORT_EVENT_RECIPE_H
#define SUPPORT_EVENT_RECIPE_H

#include <stdint.h>
#include <string.h>

#include "support/kernel_texts.h"
#include "support/page_recipe.h"

struct common_fields {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
};

struct switch_record {
	struct common_fields common;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};

/* sched_migrate_task goes on behind cpu. */
struct wakeup_record {
	struct common_fields common;
	char comm[16];
	int32_t pid, prio, cpu;
};

static inline void page_switch(struct page_recipe *page, uint32_t time_delta, const char *prev, int32_t prev_pid,
			       int64_t prev_state, const char *next, int32_t next_pid)
{
	struct switch_record record = {.common = {ID_SWITCH, 0, 0, prev_pid},
				       .prev_pid = prev_pid,
				       .prev_prio = 120,
				       .prev_state = prev_state,
				       .next_pid = next_pid,
				       .next_prio = 98};

	memcpy(record.prev_comm, prev, strnlen(prev, sizeof(record.prev_comm)));
	memcpy(record.next_comm, next, strnlen(next, sizeof(record.next_comm)));
	page_event(page, time_delta, &record, sizeof(record));
}

/* waker: the task that runs where the event is recorded. */
static inline void page_wakeup_by(struct page_recipe *page, uint32_t time_delta, uint16_t type, int32_t waker,
				  const char *comm, int32_t pid, int32_t cpu)
{
	struct wakeup_record record = {.common = {type, 0, 0, waker}, .pid = pid, .prio = 120, .cpu = cpu};

	memcpy(record.comm, comm, strnlen(comm, sizeof(record.comm)));
	page_event(page, time_delta, &record, sizeof(record));
}

static inline void page_wakeup(struct page_recipe *page, uint32_t time_delta, uint16_t type, const char *comm,
			       int32_t pid, int32_t cpu)
{
	page_wakeup_by(page, time_delta, type, 0, comm, pid, cpu);
}

#endif
