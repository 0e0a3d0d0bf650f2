/* SPDX-License-Identifier: MIT
 *
 * The rules on several kernels while their guests run: each trace is judged when it arrives, and what a kernel
 * breaks and the first one keeps is printed at once (compare/rule_news.h). It needs keys. */
#ifndef CMD_VM_FIRST_WORD_H
#define CMD_VM_FIRST_WORD_H

#include "cmd/vm/vm_session.h"
#include "compare/comparison_rows.h"
#include "compare/rule_news.h"

enum trace_state {
	TRACE_AWAITED,
	TRACE_ARRIVED,
	TRACE_JUDGED,
	TRACE_REFUSED, /* it cannot be read, or is not to be trusted */
};

/* The traces of one workload and seed. */
struct seed_traces {
	char *name; /* of each file */
	uint32_t run;
	struct {
		enum trace_state state;
		char *path;
	} sets[COMPARISON_SETS_MAX];
};

/* Starts zeroed. */
struct first_word {
	const struct vm_session *session;
	struct rule_news news;
	struct seed_traces *traces;
	size_t count, capacity;
	uint32_t *ended; /* of each run of the session: the sets in which it has ended, a bit each */
};

/* After vm_session_open(). */
void first_word_begin(struct first_word *first, const struct vm_session *session);
/* Prints with message_info(). first must outlive the watch. */
struct vm_watch first_word_watch(struct first_word *first);
void first_word_free(struct first_word *first);

#endif
