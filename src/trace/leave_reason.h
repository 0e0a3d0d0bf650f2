/* SPDX-License-Identifier: MIT
 *
 * Why a task left its CPU, derived from the text that the trace's own print fmt renders for prev_state. The bits of a
 * state differ between kernels; the letters do not. */
#ifndef TRACE_LEAVE_REASON_H
#define TRACE_LEAVE_REASON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum leave_reason {
	LEAVE_RUNNABLE,  /* R: preempted on the way back to user space, or yielded; the state does not say which */
	LEAVE_PREEMPTED, /* R+: preempted inside the kernel */
	LEAVE_SLEEPING,  /* S: interruptible */
	LEAVE_UNINTERRUPTIBLE, /* D */
	LEAVE_IDLE,            /* I: a kernel thread without work (TASK_IDLE) */
	LEAVE_STOPPED,         /* T, t, P: stopped, traced, parked */
	LEAVE_DEAD,            /* X, Z: never runs again */
	LEAVE_UNKNOWN,         /* any other text: treated as sleeping */
	LEAVE_KINDS
};

/* "R", "R+", "S", "D", "I", "T", "X", "?" */
const char *leave_reason_letter(enum leave_reason out);

/* The task is still runnable: an involuntary switch. */
static inline bool leave_reason_is_runnable(enum leave_reason out)
{
	return out <= LEAVE_PREEMPTED;
}

/* The reasons for the raw values of prev_state in one trace. Each value is rendered once. */
#define LEAVE_REASON_CACHED 512
struct leave_reason_table {
	/* Renders a value like sched_state_text(). */
	void (*text)(const void *context, uint64_t prev_state, char *text, size_t size);
	const void *context;
	uint8_t known[LEAVE_REASON_CACHED]; /* enum leave_reason + 1, 0 if not yet rendered */
};

enum leave_reason leave_reason_render(struct leave_reason_table *table, uint64_t prev_state);

static inline enum leave_reason leave_reason_of(struct leave_reason_table *table, uint64_t prev_state)
{
	if (prev_state < LEAVE_REASON_CACHED && table->known[prev_state])
		return (enum leave_reason)(table->known[prev_state] - 1);
	return leave_reason_render(table, prev_state);
}

#endif
