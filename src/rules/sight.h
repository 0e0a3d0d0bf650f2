/* SPDX-License-Identifier: MIT
 *
 * One event as invariants see it. The machine is still as it was before the event; the sight is what the event shows.
 */
#ifndef RULES_SIGHT_H
#define RULES_SIGHT_H

#include "rules/machine.h"
#include "rules/seen.h"

/* Kinds of sights, a bit each: for the rows that look at several. */
enum sight_kind {
	SEEN_OUT = 1, /* a switch, about the task that stops to run */
	SEEN_IN = 2,  /* the same, about the one that begins */
	SEEN_SWITCH = 3,
	SEEN_PICK = 8192,
	SEEN_ENQUEUE = 4, /* a task was put on a queue */
	SEEN_WOKEN = 8,   /* the wakeup is over, and with it its test */
	SEEN_ASKED = 16,  /* a CPU is asked to reschedule */
	SEEN_TICK = 32,
	SEEN_YIELD = 64, /* a task begins to yield */
	SEEN_YIELDED = 128,
	SEEN_MIGRATION = 256,
	SEEN_PLACE = 512, /* a CPU is chosen for a fair task */
	SEEN_UNTHROTTLE = 1024,
	SEEN_CHANGE = 2048, /* attributes of tasks or groups are changed, or a CPU goes off or on */
	SEEN_TIME = 4096,   /* any event, before it is looked at: what has waited for a time can be judged */
	SEEN_GIVEN = 16384, /* a task that was put on a queue anew has got what it, or another one, has asked for */
};

struct sight {
	enum sight_kind kind;
	const struct machine *machine;
	const struct task_states *states;
	uint32_t cpu;       /* whose queue it is about */
	uint32_t event_cpu; /* which has recorded it */
	const struct sched_event *event;
	const struct task_step *step; /* SEEN_MIGRATION */
	const struct key_event *keys; /* of key events; NULL: the event is one of the scheduler */
	const struct switch_sight *switched;
	const struct pick_sight *pick;
	enum decision_cause cause; /* SEEN_ASKED: of the request */
	/* SEEN_ENQUEUE, SEEN_WOKEN, SEEN_GIVEN; SEEN_ASKED: if it is open on the event's CPU */
	const struct wakeup *wakeup;
};

static inline const struct machine_cpu *sight_cpu(const struct sight *sight)
{
	return &sight->machine->cpus[sight->cpu];
}

static inline bool has_keys(const struct rule_entity *entity)
{
	return entity && entity->weight;
}

#endif
