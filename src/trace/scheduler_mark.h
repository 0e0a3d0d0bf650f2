/* SPDX-License-Identifier: MIT
 *
 * The mark that picknext writes into a trace at the beginning and the end of a run under a sched_ext scheduler:
 * "scheduler simple enabled 1", "scheduler none disabled 1", with " partial" at the end if the scheduler has only tasks
 * that asked for it. */
#ifndef TRACE_SCHEDULER_MARK_H
#define TRACE_SCHEDULER_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULER_MARK_SIZE 256

struct scheduler_mark {
	bool is_enabled, has_all_tasks;
	char ops[128];
	uint64_t enable_seq;
};

void scheduler_mark_write(const struct scheduler_mark *mark, char text[SCHEDULER_MARK_SIZE]);
/* False if the text is not such a mark. */
bool scheduler_mark_read(const char *text, size_t length, struct scheduler_mark *mark);

#endif
