/* SPDX-License-Identifier: MIT
 *
 * All runs of one call of vm_run() in their order, as its process sees them: vm/launch/runs.c starts and ends them,
 * vm/launch/progress.c shows where they are. */
#ifndef VM_LAUNCH_SESSION_H
#define VM_LAUNCH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/launch/launch.h"
#include "vm/launch/run_process.h"
#include "vm/launch/time_left.h"

enum turn_state {
	TURN_OPEN,   /* to be made, perhaps by another process */
	TURN_EXISTS, /* the run was made before; to be judged in its turn */
	TURN_RUNS,   /* in a process of its own */
	TURN_CLOSED, /* this process has made it or left it out, or it is not chosen */
};

/* A run in the order of all, from its choice to its end. */
struct turn {
	size_t set; /* its index */
	uint32_t run;
	enum turn_state state;
	struct run_process process; /* TURN_RUNS */
	struct guest_line at;       /* its last line of progress */
	size_t part;                /* of its boot, and when that began: vm/launch/time_left.h */
	double part_begin_s;
};

struct session {
	struct launch *const *launches;
	size_t launch_count;
	const struct vm_watch *watch; /* all NULL: there is none */
	bool found;                   /* it has ended all */
	struct turn *turns;
	size_t turn_count, first_open;
	size_t needed; /* runs that did not exist at the start */
	size_t done;   /* boots of this process */
	bool has_waited;
	struct part_times times;  /* that they took: vm/launch/progress.c */
	double begin_s, report_s; /* when a line reports the progress next */
	unsigned int jobs, running;
	int forwarded;      /* the signal that was passed on, or 0 */
	struct error error; /* that ends all */
};

static inline struct launch *launch_of(const struct session *session, const struct turn *turn)
{
	return session->launches[turn->set];
}

/* The next running turn after this one (NULL: the first); NULL after the last one. */
static inline struct turn *next_running(const struct session *session, const struct turn *turn)
{
	for (size_t i = turn ? (size_t)(turn - session->turns) + 1 : session->first_open; i < session->turn_count; i++)
		if (session->turns[i].state == TURN_RUNS)
			return &session->turns[i];
	return NULL;
}

#endif
