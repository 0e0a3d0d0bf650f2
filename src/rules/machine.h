/* SPDX-License-Identifier: MIT
 *
 * The machine as the events of a trace with keys have shown it so far: its tasks, CPUs and queues. machine.c alone
 * writes it; picks and invariants read it. What it does not know is 0, and nothing is judged by that: keys that may
 * have changed since they were recorded have weight 0 (machine_keys()). src/rules/README.md has the list of what
 * changes a key. */
#ifndef RULES_MACHINE_H
#define RULES_MACHINE_H

#include "rules/class.h"
#include "rules/decision.h"
#include "rules/key_events.h"
#include "rules/seen.h"
#include "trace/key_mark.h"
#include "trace/leave_reason.h"
#include "trace/task_states.h"

/* How long CPUs of a trace stop while its clock goes on, as those of a guest whose host is busy. */
enum clock_stops {
	STOPS_NONE,
	STOPS_SHORT, /* a CPU takes long to see a wakeup, as if the CPUs of its guest take turns */
	STOPS_LONG,  /* a CPU misses ticks */
};

/* Words of the features in the mark at the beginning of a recording: FEATURE_PLACE_LAG and so on. */
/* clang-format off */
#define MACHINE_FEATURE_WORDS(F) \
	F(DELAY_DEQUEUE) \
	F(NO_DELAY_DEQUEUE) \
	F(DELAY_ZERO) \
	F(NO_HRTICK) \
	F(NO_NEXT_BUDDY) \
	F(PLACE_DEADLINE_INITIAL) \
	F(PLACE_LAG) \
	F(PLACE_REL_DEADLINE) \
	F(PREEMPT_SHORT) \
	F(SIS_PROP) \
	F(SIS_UTIL) \
	F(WAKEUP_PREEMPTION) \
	F(WA_IDLE)
/* clang-format on */
#define MACHINE_FEATURE_NUMBER(word) FEATURE_##word,
enum machine_feature { MACHINE_FEATURE_WORDS(MACHINE_FEATURE_NUMBER) MACHINE_FEATURES };

struct machine_task {
	int32_t pid;
	uint64_t entity;       /* the latest; 0: not known */
	uint64_t cpus;         /* its affinity, of the first 64 CPUs, as recorded last; 0: not known */
	uint64_t enqueued_ns;  /* when it was put on a queue last; 0: not seen */
	uint64_t deadline_ns;  /* of a deadline task at its latest wakeup, until it has run; 0: not known */
	uint64_t asked_ns;     /* the slice or budget that it has asked for and got last; 0: none */
	uint32_t asked_policy; /* and with which policy */
	uint64_t changed_ns;   /* when its attributes were changed last; 0: never */
	uint32_t open_changes; /* calls that change them and have not returned */
	/* A CPU may have been chosen for it before its affinity was changed: it goes there, and the kernel moves it on.
	 */
	bool may_be_outside;
	int32_t own_prio; /* its priority while it has inherited another one; else 0 */
};

struct machine_cpu {
	uint64_t root_queue;            /* 0: not seen yet */
	uint64_t tick_ns, fair_from_ns; /* the latest tick of a fair task; since when it runs them; 0: not known */
	bool has_arrival;               /* a task was put on its queue since the latest switch; its wakeup may follow */
	/* The task that runs. */
	int32_t pid;
	enum rule_class class;
	uint32_t policy;
	uint64_t cpus;               /* its affinity; 0: not recorded */
	bool was_woken, has_yielded; /* before, and since, it began to run */
	bool has_higher;             /* a task above the fair class was put on its queue since */
	uint64_t queue;              /* of the fair task; 0: none runs, or not known */
	struct rule_entity began;    /* its keys when it began to run; weight 0: not known */
	uint64_t began_ns;           /* since the start of the trace; 0: not known */
	uint64_t active_ns;          /* when it was seen last not to leave */
	bool has_other_weight;       /* a pick has shown it with another weight since */
	bool is_yielding;            /* it has yielded, and schedule() has not picked since */
	/* The first request to reschedule since it began. */
	bool is_asked;
	bool is_asked_late; /* after the pick that is to be judged */
	enum decision_cause cause;
	/* Since when it runs nothing but classes above the fair one, or nothing above it; 0: it does not. */
	uint64_t higher_since_ns, lower_since_ns;
};

/* Calls that change attributes, and have not returned; more at a time stay open. */
#define CHANGERS_MAX 16
struct changer {
	int32_t by, pid; /* 0: none */
	uint32_t policy; /* what it asks for */
	uint64_t runtime_ns;
};

struct machine {
	const struct key_events *keys;
	const struct pass *pass;
	struct rule_traits traits;
	struct key_mark mark;
	uint32_t features; /* a bit per enum machine_feature, of the mark */
	struct queues queues;
	uint64_t first_ns;        /* the trace's clock at its start */
	uint64_t now_ns;          /* since then */
	struct machine_cpu *cpus; /* allocated once, when the trace is opened */
	uint32_t cpu_count;
	uint32_t run;       /* number of the trace */
	uint64_t slice_max; /* of all tasks so far */
	enum clock_stops stops;
	bool has_shares;      /* weights of tasks were shares of their groups, which change at each tick */
	bool has_extension;   /* a scheduler of sched_ext is enabled */
	bool has_deep_groups; /* tasks are in more levels of groups than are recorded */
	bool has_idle_groups; /* cpu.idle */
	bool has_hotplug;     /* a CPU went off or on: domains are not those of the mark */
	struct changer changers[CHANGERS_MAX];
	uint64_t groups_changed_ns; /* when attributes of groups were written last; 0: never */
	struct id_map entity_ids, pid_ids;
	int32_t *pids;              /* by number in entity_ids */
	struct machine_task *tasks; /* by number in pid_ids */
	size_t pid_capacity;
	uint32_t task_capacity;
};

struct pass;

/* Starts the trace of the pass, with this many CPUs. Zero it first; keys and pass must outlive it. */
void machine_begin(struct machine *machine, const struct key_events *keys, uint32_t cpu_count, const struct pass *pass);
void machine_apply_mark(struct machine *machine, const struct key_mark *mark);
void machine_free(struct machine *machine);

/* --- What is known --- */

/* NULL if no event had its entity. */
const struct machine_task *machine_task_of(const struct machine *machine, int32_t pid);
/* The same as a number below task_capacity, for state of others by task; or ID_MAP_NONE. */
uint32_t machine_task_number(const struct machine *machine, int32_t pid);
/* The entity of a task, or 0; the PID of an entity, or 0: a group. */
uint64_t machine_entity_of(const struct machine *machine, int32_t pid);
int32_t machine_pid_of(const struct machine *machine, uint64_t entity);
/* The keys of an entity as they are: weight 0 if they are not known, or may have changed since. */
struct rule_entity machine_keys(const struct machine *machine, uint64_t entity);
/* The same if only the queue's candidates need it: with keys that may be older. */
struct rule_entity machine_last_keys(const struct machine *machine, uint64_t entity);
/* No attribute of the task has been changed since then, nor is being changed. */
bool machine_is_same_since(const struct machine *machine, int32_t pid, uint64_t since_ns);
/* A time of the trace's clock, since the start of the trace. */
uint64_t machine_since_start(const struct machine *machine, uint64_t ts_ns);
/* A system call of task by, which has not been answered, sets attributes of the task. */
bool machine_is_changed_by(const struct machine *machine, int32_t pid, int32_t by);
/* The priority of the task is its own, and the one that was seen last. */
bool machine_knows_prio(const struct machine *machine, const struct task *task);
/* A task that waits for the CPU is of a class above the fair one, or may be. */
bool machine_urgent_waits(const struct machine *machine, const struct task_states *states, uint32_t cpu);
/* The features are known, and have the word. */
bool machine_shows_feature(const struct machine *machine, enum machine_feature feature);
/* The same, and the kernel has EEVDF. */
bool machine_has_feature(const struct machine *machine, enum machine_feature feature);
/* They are known, and do not have it. */
bool machine_lacks_feature(const struct machine *machine, enum machine_feature feature);
uint64_t machine_tick_ns(const struct machine *machine); /* 0: not known */
bool machine_is_isolated(const struct machine *machine, uint32_t cpu);

/* The entity is that of the task, or of a group that it is in. */
bool machine_has_task(const struct machine *machine, int32_t pid, uint64_t entity);
/* Keys of groups may just be changing, as attributes of groups are written. */
bool machine_groups_change(const struct machine *machine);

/* "hog-217", or ? for TASK_NONE; "group of hog-217" for an entity that is no task, or "group 00a1b2" if no task of it
 * is known. */
#define RULES_LABEL_SIZE 48
void machine_label_task(const struct task_states *states, uint32_t task, char label[RULES_LABEL_SIZE]);
void machine_label_entity(const struct machine *machine, const struct task_states *states, uint64_t entity,
			  char label[RULES_LABEL_SIZE]);
/* The task of an entity, or TASK_NONE: a group, or unknown. */
uint32_t machine_task_state(const struct machine *machine, const struct task_states *states, uint64_t entity);

/* --- What happens; called by rules.c alone, after picks and invariants have seen the event --- */

/* The task of this PID has this entity. */
void machine_name_entity(struct machine *machine, uint64_t entity, int32_t pid);
void machine_switch(struct machine *machine, const struct switch_sight *sight);
void machine_enqueue(struct machine *machine, const struct key_event *keys);
void machine_pick(struct machine *machine, uint32_t cpu, const struct pick_level *pick);
void machine_ask(struct machine *machine, uint32_t cpu, enum decision_cause cause, bool is_late);
void machine_stay(struct machine *machine, uint32_t cpu); /* schedule() has picked the running task again */
/* is_judged: no events are missing. */
void machine_tick(struct machine *machine, uint32_t cpu, bool is_judged);
void machine_yield(struct machine *machine, uint32_t cpu);
void machine_migrate(struct machine *machine, int32_t pid);
void machine_set_prio(struct machine *machine, const struct sched_event *event);
/* by: the task that makes the change. */
void machine_change(struct machine *machine, const struct key_event *keys, int32_t by);
/* A CPU is chosen for the task. */
void machine_place(struct machine *machine, int32_t pid);
bool machine_may_be_outside(const struct machine *machine, int32_t pid);
void machine_unthrottle(struct machine *machine, const struct key_event *keys);
/* Events are missing. */
void machine_forget(struct machine *machine);

#endif
