/* SPDX-License-Identifier: MIT */
#include "sched/switch_out.h"

#include <string.h>

static const char letters[OUT_KINDS][3] = {"R", "R+", "S", "D", "I", "T", "X", "?"};

enum switch_out switch_out_of_text(const char *text, size_t length)
{
	if (length && memchr(text, '+', length))
		return OUT_PREEMPTED;
	switch (length ? text[0] : '\0') {
	case 'R':
		return OUT_RUNNABLE;
	case 'S':
		return OUT_SLEEPING;
	case 'D':
		return OUT_UNINTERRUPTIBLE;
	case 'I':
		return OUT_IDLE;
	case 'T':
	case 't':
	case 'P':
		return OUT_STOPPED;
	case 'X':
	case 'x':
	case 'Z':
		return OUT_DEAD;
	default:
		return OUT_UNKNOWN;
	}
}

const char *switch_out_letter(enum switch_out out)
{
	return letters[out];
}

enum switch_out switch_out_render(struct switch_out_table *table, uint64_t prev_state)
{
	char text[64] = "";

	table->text(table->context, prev_state, text, sizeof(text));
	enum switch_out out = switch_out_of_text(text, strlen(text));
	if (prev_state < SWITCH_OUT_CACHED)
		table->known[prev_state] = (uint8_t)(out + 1);
	return out;
}
