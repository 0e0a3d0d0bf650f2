/* SPDX-License-Identifier: MIT */
#include "trace/leave_reason.h"

#include <string.h>

static const char letters[LEAVE_KINDS][3] = {"R", "R+", "S", "D", "I", "T", "X", "?"};

/* Classifies a state such as "S", "R+", "D|K" by its first letter; a plus sign takes precedence. */
static enum leave_reason leave_reason_of_text(const char *text, size_t length)
{
	if (length && memchr(text, '+', length))
		return LEAVE_PREEMPTED;
	switch (length ? text[0] : '\0') {
	case 'R':
		return LEAVE_RUNNABLE;
	case 'S':
		return LEAVE_SLEEPING;
	case 'D':
		return LEAVE_UNINTERRUPTIBLE;
	case 'I':
		return LEAVE_IDLE;
	case 'T':
	case 't':
	case 'P':
		return LEAVE_STOPPED;
	case 'X':
	case 'x':
	case 'Z':
		return LEAVE_DEAD;
	default:
		return LEAVE_UNKNOWN;
	}
}

const char *leave_reason_letter(enum leave_reason out)
{
	return letters[out];
}

enum leave_reason leave_reason_render(struct leave_reason_table *table, uint64_t prev_state)
{
	char text[64] = "";

	table->text(table->context, prev_state, text, sizeof(text));
	enum leave_reason out = leave_reason_of_text(text, strlen(text));
	if (prev_state < LEAVE_REASON_CACHED)
		table->known[prev_state] = (uint8_t)(out + 1);
	return out;
}
