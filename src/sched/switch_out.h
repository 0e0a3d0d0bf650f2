/* SPDX-License-Identifier: MIT
 *
 * Why a task left its CPU, from the text that the trace's own print fmt gives for prev_state. The bits behind the text
 * moved between kernels; the letters did not. */
#ifndef SCHED_SWITCH_OUT_H
#define SCHED_SWITCH_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum switch_out {
	OUT_RUNNABLE,        /* R: preempted on the way back to user space, or yielded; the state does not say which */
	OUT_PREEMPTED,       /* R+: preempted inside the kernel */
	OUT_SLEEPING,        /* S: interruptible */
	OUT_UNINTERRUPTIBLE, /* D */
	OUT_IDLE,            /* I: a kernel thread without work (TASK_IDLE) */
	OUT_STOPPED,         /* T, t, P: stopped, traced, parked */
	OUT_DEAD,            /* X, Z: never runs again */
	OUT_UNKNOWN,         /* any other text: taken for sleeping */
	OUT_KINDS
};

/* Of "S", "R+", "D|K": the first letter decides, a plus sign before it. */
enum switch_out switch_out_of_text(const char *text, size_t length);
/* "R", "R+", "S", "D", "I", "T", "X", "?" */
const char *switch_out_letter(enum switch_out out);

/* Still wants to run: involuntary. */
static inline bool switch_out_is_runnable(enum switch_out out)
{
	return out <= OUT_PREEMPTED;
}

/* What the raw values of prev_state mean in one trace: each value is rendered once. */
#define SWITCH_OUT_CACHED 512
struct switch_out_table {
	/* Renders a value as sched_state_text() does. */
	void (*text)(const void *context, uint64_t prev_state, char *text, size_t size);
	const void *context;
	uint8_t known[SWITCH_OUT_CACHED]; /* enum switch_out + 1, 0 where not yet rendered */
};

enum switch_out switch_out_render(struct switch_out_table *table, uint64_t prev_state);

static inline enum switch_out switch_out_of(struct switch_out_table *table, uint64_t prev_state)
{
	if (prev_state < SWITCH_OUT_CACHED && table->known[prev_state])
		return (enum switch_out)(table->known[prev_state] - 1);
	return switch_out_render(table, prev_state);
}

#endif
