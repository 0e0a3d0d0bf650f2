/* SPDX-License-Identifier: MIT
 *
 * The state of every task and CPU, and the changes caused by one event. task_states.h updates this data. */
#ifndef TRACE_TASK_H
#define TRACE_TASK_H

#include "trace/comm_table.h"
#include "trace/event.h"
#include "trace/leave_reason.h"
#include "trace/trace_scope.h"

#define TASK_NONE         UINT32_MAX
#define TASK_PRIO_UNKNOWN INT32_MIN
#define TASK_CPUS_MAX     8192u /* maximum NR_CPUS of Linux; higher numbers are corrupt */

/* A mask has TASK_CPUS_MAX bits; NULL: all CPUs. */
static inline bool cpu_mask_has(const uint64_t *mask, uint32_t cpu)
{
	return !mask || (cpu < TASK_CPUS_MAX && mask[cpu / 64] >> cpu % 64 & 1);
}

enum task_state {
	TASK_UNKNOWN,  /* not seen yet, or unknown since a loss */
	TASK_RUNNING,  /* on task.cpu */
	TASK_RUNNABLE, /* waits for task.cpu */
	TASK_SLEEPING, /* blocked, stopped, parked: off any run queue */
	TASK_DEAD,
};

/* Why a task waits for a CPU. */
enum wait_cause {
	WAIT_WAKEUP,    /* was woken */
	WAIT_NEW,       /* was forked */
	WAIT_PREEMPTED, /* was switched out while runnable, R+ */
	WAIT_RUNNABLE,  /* the same with plain R: preempted on the way to user space, or yielded */
	WAIT_CAUSES
};

/* A task is one life of a PID: if the PID is used again, that is another task. Each CPU has its own idle task (PID 0).
 * The members that nearly every event reads come first, in one cache line. */
struct task {
	_Alignas(64) int32_t pid; /* latest PID: exec gives a thread the PID of its ended leader */
	int32_t prio;             /* latest kernel priority: lower is more urgent, 120 is nice 0; TASK_PRIO_UNKNOWN */
	uint32_t comm;            /* latest name: number in states.comms */
	uint32_t cpu;             /* CPU on which it runs, waits, or ran last; UINT32_MAX unknown */
	struct sched_comm shown;  /* its name in the latest event, empty if that event has no name */
	uint8_t state;            /* enum task_state: read with task_state_of() */
	uint8_t cause;            /* enum wait_cause, while runnable */
	bool is_idle;
	bool is_kernel;    /* by its name, or because it was in state I, which only kernel threads have */
	bool was_seen;     /* ran or was woken; false if only named by a migration */
	bool is_queued;    /* in its CPU's list, in its epoch */
	bool is_outside;   /* not followed: only its name and priority are known */
	uint32_t epoch;    /* of losses: the state of a task that is not running is valid only in this epoch */
	int32_t prio_was;  /* priority just before the latest event that showed it; differs from prio if it changed */
	uint64_t since_ns; /* start of the state */
	/* While runnable: */
	uint32_t next, previous; /* in the list of its CPU */
	int32_t waker_pid;       /* -1: not woken; 0: woken by an idle CPU, for example by its timer */
	uint32_t waking_cpu;
	uint32_t wait_migrations;
	uint32_t wait_wakeups; /* further ones, while it waits after a wakeup */
	uint32_t run;
	/* prio_seen_ns: the latest event that showed prio. prio_before_ns: time until which the previous priority is
	 * known to have held, which is the last event that showed it, or the change itself if it was recorded
	 * (sched_pi_setprio). */
	uint64_t prio_seen_ns, prio_before_ns;
	uint64_t born_ns, died_ns;
	bool is_born; /* its sched_wakeup_new was seen: born_ns */
	/* PID before it called exec, and time of the first event with the new one; 0: no such exec. */
	int32_t former_pid;
	uint64_t exec_ns;
};

/* Why the running task of a CPU is unknown. */
enum cpu_absence {
	CPU_UNKNOWN, /* no event has shown it yet, or events are missing */
	CPU_OUTSIDE, /* a task that the trace does not follow, or idle */
	CPU_OFFLINE, /* the CPU runs no task: hotplug */
	CPU_BETWEEN, /* one of two known tasks: the switch between them is missing (task_step.missing) */
	CPU_ABSENCES
};

struct task_cpu {
	bool seen;                        /* had an event in this run */
	bool late_start;                  /* counted from its first event: see task_states_late_start() */
	bool in_gap;                      /* events of this CPU are currently missing */
	uint8_t absence;                  /* enum cpu_absence, if current is TASK_NONE */
	bool hides_idle_ends;             /* a switch from its idle task was missing */
	bool hides_waiting;               /* events were lost since it was last idle: unknown tasks may wait for it */
	bool is_parked;                   /* its thread cpuhp/N is parked: see cpu_hotplug.h */
	uint32_t stopper;                 /* if CPU_OFFLINE: the stopper that takes the CPU offline, or TASK_NONE */
	uint32_t current;                 /* the running task, or TASK_NONE */
	uint64_t since_ns;                /* start of current, or of absence */
	bool since_cut;                   /* current started before since_ns: its beginning was not seen */
	uint64_t last_ns;                 /* its last event */
	uint64_t window_ns;               /* start of its time in this run */
	uint64_t absent_ns[CPU_ABSENCES]; /* time since window_ns without a current task, by reason */
	uint64_t hides_since_ns;          /* start of hides_waiting, if it is set */
	uint64_t hidden_ns;               /* time since window_ns with hides_waiting set, without the current period */
	uint32_t runnable_first;          /* tasks that wait for this CPU, in no order: task.next up to TASK_NONE */
	uint32_t runnable;                /* number of waiting tasks */
	uint32_t idle;                    /* its idle task, or TASK_NONE */
	/* Over all completed runs: */
	uint64_t observed_ns; /* sum of the window lengths */
	uint64_t observed_absent_ns[CPU_ABSENCES], observed_hidden_ns;
};

/* True if the CPU may run a task that waits for it: it hides the switches from its idle task. */
static inline bool task_cpu_may_be_busy(const struct task_cpu *cpu)
{
	return cpu->hides_idle_ends && cpu->current == cpu->idle && cpu->runnable > 0;
}

/* True if the running task is unknown although the CPU had events: some are missing. */
static inline bool task_cpu_lost_current(const struct task_cpu *cpu)
{
	return cpu->seen && cpu->current == TASK_NONE && (cpu->absence == CPU_UNKNOWN || cpu->absence == CPU_BETWEEN);
}

/* How long tasks that wait for the CPU may have been unknown, since its window began and up to ts_ns. */
static inline uint64_t task_cpu_hides_for(const struct task_cpu *cpu, uint64_t ts_ns)
{
	uint64_t since_ns = cpu->hides_since_ns > cpu->window_ns ? cpu->hides_since_ns : cpu->window_ns;

	return cpu->hides_waiting && ts_ns > since_ns ? ts_ns - since_ns : 0;
}

static inline bool task_cpu_is_offline(const struct task_cpu *cpu)
{
	return cpu->current == TASK_NONE && cpu->absence == CPU_OFFLINE;
}

/* Contradictions in a trace. Each is also a bit in task_step.changes. */
struct task_faults {
	uint64_t switches_from_other; /* a CPU switched from a task that was not running there */
	uint64_t switches_missing;    /* of those: the task waited for this CPU, so the switch to it is missing */
	uint64_t idle_ends_missing;   /* of those: the CPU was idle before */
	uint64_t on_two_cpus;         /* a task was switched in while it ran elsewhere */
	uint64_t runs_without_wakeup; /* a sleeping task was switched in; its wakeup is missing */
	uint64_t acts_of_dead;        /* a dead task ran or was woken: its PID was reused and the birth is missing */
	uint64_t migrations_from_elsewhere; /* a task was migrated from a CPU that it was not on */
	uint64_t losses;                    /* SCHED_LOST events */
	uint64_t false_waits;               /* see STEP_WAIT_FALSE */
};

enum task_change {
	STEP_SLICE = 1,           /* slices[0..slice_count) ended */
	STEP_RUN = 1 << 1,        /* started began to run */
	STEP_WAIT = 1 << 2,       /* the start ended wait, whose beginning was seen; see step_ends_wait_alone() */
	STEP_WAKEUP = 1 << 3,     /* wakeup */
	STEP_SPURIOUS = 1 << 4,   /* with STEP_WAKEUP: the task was already running or runnable */
	STEP_MIGRATION = 1 << 5,  /* migration */
	STEP_LOSS = 1 << 6,       /* events are missing on event.cpu; slices[0] is the last task there, if known */
	STEP_SET_PRIO = 1 << 7,   /* the priority of prio_task was set by inheritance */
	STEP_FROM_OTHER = 1 << 8, /* this and the bits without a comment: see struct task_faults */
	STEP_ON_TWO_CPUS = 1 << 9,
	STEP_WITHOUT_WAKEUP = 1 << 10,
	STEP_ACT_OF_DEAD = 1 << 11,
	STEP_MIGRATED_FROM_ELSEWHERE = 1 << 12,
	STEP_SWITCH_MISSING = 1 << 13, /* missing; with STEP_FROM_OTHER unless the task before is not followed */
	STEP_ONLINE = 1 << 14,         /* offline is set: a CPU was offline until now */
	STEP_WAIT_LOST = 1 << 15, /* started has waited, or has yielded, for an unknown time because events were lost */
	/* The start ended what looks like a wait after a wakeup, but cannot be one: the task was woken again, or its
	 * CPU idled meanwhile and the clock may differ between CPUs. Its wakeup was recorded too late, after the run
	 * that it was of. wait is set; how long the task has waited is not known. */
	STEP_WAIT_FALSE = 1 << 16,
};

/* A time span in which a task ran on a CPU. end_ns >= start_ns. */
struct task_slice {
	uint32_t task, comm, cpu;
	enum leave_reason out; /* if !end_cut */
	/* It began before start_ns, or continued after end_ns: the CPU time is known, the length is not. A cut end is
	 * not a switch. */
	bool start_cut, end_cut;
	uint64_t start_ns, end_ns;
};

/* A complete wait for a CPU: its beginning was seen and no events were lost since. */
struct task_wait {
	uint32_t task, comm;
	uint32_t cpu; /* CPU on which it runs now */
	enum wait_cause cause;
	int32_t waker_pid;   /* see struct task */
	uint32_t waking_cpu; /* CPU that recorded the wakeup; if it was switched out, the CPU it left */
	uint32_t migrations; /* during the wait */
	uint64_t since_ns, end_ns;
};

/* A switch that is missing in the trace. It happened between since_ns and until_ns. */
struct task_missing_switch {
	uint32_t before, after; /* before is TASK_NONE if that task is not followed */
	uint32_t cpu;
	uint64_t since_ns, until_ns;
	bool ends_wait; /* the task waited since an event in the trace, for an unknown time: not a STEP_WAIT */
	enum wait_cause cause;
};

struct task_step {
	unsigned int changes; /* bits of enum task_change; another member is set only together with its bit */
	unsigned int slice_count;
	struct task_slice slices[2]; /* the last one is that of the task switched out */
	uint32_t started;
	uint32_t prio_task;
	struct task_wait wait;
	struct task_missing_switch missing;
	struct {
		uint32_t task, waker; /* waker TASK_NONE: unknown */
		uint32_t target_cpu;
		bool is_new; /* sched_wakeup_new */
	} wakeup;
	struct {
		uint32_t task, from_cpu, to_cpu;
		enum task_state state; /* of the task when it was moved */
	} migration;
	struct {
		uint32_t cpu;
		uint64_t since_ns;
	} offline;
};

/* True if the wait was that of the stopper of a CPU that goes offline. The CPU counts as offline then, and no task
 * begins to run. */
static inline bool step_ends_wait_alone(const struct task_step *step)
{
	return (step->changes & (STEP_WAIT | STEP_RUN)) == STEP_WAIT;
}

/* The tasks whose state or priority the event may have changed; a task may occur twice. A task that runs without a
 * recorded switch to it (STEP_SWITCH_MISSING) is not included. Returns their number. */
#define STEP_TASKS_MAX 7
static inline unsigned int step_tasks(const struct task_step *step, uint32_t tasks[STEP_TASKS_MAX])
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < step->slice_count; i++)
		tasks[count++] = step->slices[i].task;
	if (step->changes & STEP_RUN)
		tasks[count++] = step->started;
	if (step_ends_wait_alone(step))
		tasks[count++] = step->wait.task;
	if (step->changes & STEP_WAKEUP)
		tasks[count++] = step->wakeup.task;
	if (step->changes & STEP_MIGRATION)
		tasks[count++] = step->migration.task;
	if (step->changes & STEP_SET_PRIO)
		tasks[count++] = step->prio_task;
	return count;
}

/* True if the task that a SCHED_SWITCH switched out went to sleep or ended. */
static inline bool step_leaves_asleep(const struct task_step *step)
{
	return step->slice_count && !leave_reason_is_runnable(step->slices[step->slice_count - 1].out);
}

/* Finds the name of a task that is running at the current event, which does not name it; false if it is not known. A
 * zeroed struct knows none. */
struct running_names {
	bool (*find)(const void *context, int32_t pid, struct sched_comm *comm);
	const void *context;
};

struct task_states {
	struct task *tasks;
	uint32_t task_count;
	struct task_cpu *cpus; /* by number; cpu_count is one more than the highest seen */
	uint32_t cpu_count;
	/* Highest CPU with an event in this run, plus one. The running task of CPUs above is unknown. A corrupt event
	 * may name any CPU. */
	uint32_t seen_cpus;
	struct comm_table comms;
	struct task_faults faults; /* over all runs */
	uint32_t run;              /* current run, from 0 */
	uint32_t epoch;
	uint32_t runnable;   /* tasks that wait, on all CPUs */
	uint32_t open_gaps;  /* number of CPUs in a gap; lists of runnable tasks are incomplete if not 0 */
	bool has_losses;     /* events of this run are missing up to now */
	bool all_start_late; /* set by the caller after task_states_begin(): late_start for every CPU, without gaps */
	uint64_t first_ns, last_ns; /* first and last event of this run */
	uint64_t window_ns;         /* start of the window: first_ns, or the time given to task_states_open_window() */
	struct leave_reason_table *leave_reasons;
	const struct trace_scope *scope;
	bool clocks_differ;             /* set by the caller, too: the CPUs may have separate clocks */
	struct running_names names;     /* set by the caller after task_states_begin() */
	const struct role_table *roles; /* roles of the tasks of this run, if the pass has computed them; else NULL */
	/* Internal. */
	bool has_begun, has_events;
	uint32_t task_capacity, cpu_capacity;
	uint64_t *slots; /* open addressing: PID << 32 | task number + 1, or 0 */
	uint32_t slot_mask, slots_used;
};

static inline enum task_state task_state_of(const struct task_states *states, const struct task *task)
{
	if (task->state != TASK_RUNNING && task->state != TASK_DEAD &&
	    (task->epoch != states->epoch || states->open_gaps))
		return TASK_UNKNOWN;
	return (enum task_state)task->state;
}

static inline const struct sched_comm *task_comm(const struct task_states *states, uint32_t task)
{
	return &states->comms.comms[states->tasks[task].comm];
}

#endif
