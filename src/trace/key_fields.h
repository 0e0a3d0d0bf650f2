/* SPDX-License-Identifier: MIT
 *
 * The key events (--keys), a row per event and a row per field. Recorder, reader, help and fuzzing are made from them.
 * To add a field: its row here, then use its member (struct key_LIST_raw) in rules/key_events.c. */
#ifndef TRACE_KEY_FIELDS_H
#define TRACE_KEY_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/build.h"

/* The system of these events in a trace. */
#define KEY_EVENTS_SYSTEM "picknext"
#define KEY_EVENT_PICK    "keys_pick"
#define KEY_LEVELS_MAX    3 /* recorded levels of groups above a task */

/* Kinds of key events; several events may have the same kind. */
enum key_kind {
	KEY_NONE,
	KEY_SWITCH,
	KEY_PICK,    /* entry of the function that picks an entity of one queue */
	KEY_ENQUEUE, /* a task was put on a queue */
	KEY_RESCHED, /* a CPU is asked to reschedule */
	KEY_RESCHED_LAZY,
	KEY_TICK,
	KEY_YIELD,
	KEY_YIELDED,       /* the same task, after its yield */
	KEY_UNTHROTTLE,    /* throttling ends for a group */
	KEY_PLACE,         /* a CPU is chosen for a fair task */
	KEY_CHANGE,        /* a task gets other attributes, another group or affinity: enum key_change */
	KEY_THROTTLE,      /* throttling may begin for a group */
	KEY_GROUPS_CHANGE, /* attributes of a group are written */
	KEY_HOTPLUG,       /* a CPU comes or goes */
	KEY_KINDS
};

enum key_event_need {
	KEY_EVENT_NEEDED,   /* without it, no other key event is of use */
	KEY_EVENT_WANTED,   /* reported if it is missing */
	KEY_EVENT_OPTIONAL, /* only some kernels have it; not reported if it is missing */
};

/* The kernels whose events have a field, as bits. */
enum key_field_use {
	ON_CFS = 1,    /* CFS: entities have no deadlines */
	ON_EEVDF = 2,  /* EEVDF: entities have deadlines */
	ON_LEVELS = 4, /* a queue per group of tasks, not only one per CPU */
	NO_PICK = 8,   /* kernels in which keys_pick is impossible */
	MAY_LACK = 16, /* other kernels may have it, too; not reported if it is missing */
	LEVEL_1 = 32,  /* tasks are in groups */
	LEVEL_2 = 64,  /* groups are in groups */
	LEVEL_3 = 128, /* one more level of groups */
	IN_PICK = 256, /* the function that keys_pick records picks buddies itself; in other kernels, its caller does */
	SYMBOL = 512,  /* the field is a variable of the kernel, which may not let a probe read it */
	INTERRUPTIBLE =
	    1024, /* the event's function may be interrupted: kprobes of the interrupt miss while its own is at work */
};

/* Suffix of a function's name: the event is at its return. Its parameters are available there since Linux 6.9; what
 * they point to is read at the return. */
#define AT_RETURN "%return"

/* At the entry of a function. */
#ifdef __aarch64__
#define RETURN_ADDRESS "%lr"
#else
#define RETURN_ADDRESS "$stack0"
#endif

/* F(name, type, value, use, help). value: ROLE, or ROLE->MEMBER.MEMBER->MEMBER..., where a role is a parameter of the
 * function (record/tracefs/key_events.c). If there are several, separated by |, the first that the kernel has; "flat:"
 * is for kernels with one queue per CPU. "&TASK" is the offset of a task's entity, RETURN_ADDRESS
 * the caller's, $retval the result, @NAME a variable, \\N a number. "tracepoint:" is for
 * probes of the tracepoint.
 * use: enum key_field_use, 0: all kernels. An x64 is an address or a mask. */
/* clang-format off */

/* The queue from which an entity is picked; flat: the same in kernels with one queue per CPU. */
#define QUEUE_FIELDS(F, use, flat, queue) \
	F(nr, "u32", "flat:" flat "h_nr_queued|" queue "nr_queued|" queue "nr_running", use, "entities on the queue") \
	F(avg_vruntime, "s64", "flat:" flat "sum_w_vruntime|" queue "sum_w_vruntime|" queue "avg_vruntime", \
	  (use) | ON_EEVDF, "its sum of weight * (vruntime - zero_vruntime)") \
	F(avg_load, "u64", "flat:" flat "sum_weight|" queue "sum_weight|" queue "avg_load", (use) | ON_EEVDF, \
	  "its sum of weights") \
	F(zero_vruntime, "u64", "flat:" flat "zero_vruntime|" queue "zero_vruntime|" queue "min_vruntime", \
	  (use) | ON_EEVDF, "") \
	F(sum_shift, "u32", "flat:" flat "sum_shift|" queue "sum_shift", (use) | MAY_LACK, "by which sums reduce weights") \
	F(load, "u64", queue "load.weight", (use) | ON_CFS, "CFS: sum of weights, with the running one")

/* The entity of a parent group, and the queue that it is in. A task without this parent costs a page fault per field. */
#define PARENT_FIELDS(F, prefix, p, parent, use, help) \
	F(prefix##p, "x64", parent, (use) | ON_LEVELS, help) \
	F(prefix##p##_vruntime, "u64", parent "->vruntime", (use) | ON_LEVELS, NULL) \
	F(prefix##p##_weight, "u32", parent "->load.weight", (use) | ON_LEVELS, NULL) \
	F(prefix##p##_deadline, "u64", parent "->deadline", (use) | ON_LEVELS | ON_EEVDF, NULL) \
	F(prefix##p##_cfs, "x64", parent "->cfs_rq", (use) | ON_LEVELS, NULL)

#define LEVEL_FIELDS(F, prefix, task) \
	F(prefix##cfs, "x64", task "->se.cfs_rq", ON_LEVELS, "queue of the task") \
	F(prefix##depth, "u8", task "->se.depth", ON_LEVELS, "levels of groups") \
	PARENT_FIELDS(F, prefix, p1, task "->se.parent", LEVEL_1, "entity of its group; p2, p3: of the groups above; with their keys") \
	PARENT_FIELDS(F, prefix, p2, task "->se.parent->parent", LEVEL_2, NULL) \
	PARENT_FIELDS(F, prefix, p3, task "->se.parent->parent->parent", LEVEL_3, NULL)

/* Kernels with one queue per CPU: a cgroup and those above it, up to the root, which has none above. */
#define TASK_GROUP_FIELDS(F, prefix, own, help) \
	F(prefix##group, "x64", "flat:" own, MAY_LACK, help) \
	F(prefix##group1, "x64", "flat:" own "->parent", MAY_LACK, NULL) \
	F(prefix##group2, "x64", "flat:" own "->parent->parent", LEVEL_1 | MAY_LACK, NULL) \
	F(prefix##group3, "x64", "flat:" own "->parent->parent->parent", LEVEL_2 | MAY_LACK, NULL) \
	F(prefix##group4, "x64", "flat:" own "->parent->parent->parent->parent", LEVEL_3 | MAY_LACK, NULL)

/* The keys by which all kernels choose. */
#define ENTITY_FIELDS(F, prefix, entity) \
	F(prefix##vruntime, "u64", entity "vruntime", 0, "") \
	F(prefix##weight, "u32", entity "h_load.weight|" entity "load.weight", 0, "that of nice 0 is 1048576") \
	F(prefix##deadline, "u64", entity "deadline", ON_EEVDF, "EEVDF")

#define SWITCHED_FIELDS(F) \
	F(prev, "x64", "prev", 0, "address of the task that stops") \
	F(next, "x64", "next", 0, "address of the task that starts") \
	F(se_offset, "u16", "&TASK", 0, "offset of the entity in a task") \
	F(next_pid, "s32", "next->pid", 0, "") \
	F(after, "u8", "tracepoint:\\1", MAY_LACK, "1: the event follows its sched_switch") \
	ENTITY_FIELDS(F, prev_, "prev->se.") \
	F(prev_vlag, "s64", "prev->se.vlag", ON_EEVDF, "lag at its dequeue") \
	F(prev_on_rq, "u8", "prev->se.on_rq", 0, "0: it sleeps") \
	F(prev_delayed, "u8", "prev->se.sched_delayed", MAY_LACK, "it sleeps, but stays on the queue") \
	F(prev_dl_runtime, "s64", "prev->dl.runtime", MAY_LACK, "budget left, of a deadline task") \
	F(prev_throttled, "u8", "prev->dl.dl_throttled", MAY_LACK, "a deadline task without budget") \
	ENTITY_FIELDS(F, next_, "next->se.") \
	F(next_slice, "u32", "next->se.slice", ON_EEVDF, "") \
	F(next_policy, "u8", "next->policy", 0, "") \
	F(next_static_prio, "u8", "next->static_prio", MAY_LACK, "120 + nice") \
	F(next_load, "u32", "flat:next->se.load.weight", MAY_LACK, "weight of its nice value, if weight is its share") \
	F(next_cpus, "x64", "next->cpus_ptr->bits", MAY_LACK, "its affinity, a bit per CPU") \
	F(next_cfs, "x64", "next->se.cfs_rq", ON_LEVELS, "queue of the task") \
	F(next_depth, "u8", "next->se.depth", ON_LEVELS, "levels of groups") \
	F(nr_running, "u32", "next->se.cfs_rq->rq->nr_running", MAY_LACK, "tasks of all classes on the queues of the CPU") \
	F(rt_count, "u16", "next->se.cfs_rq->rq->rt.rt_nr_running", MAY_LACK, "real-time tasks of the CPU") \
	F(dl_count, "u16", "next->se.cfs_rq->rq->dl.dl_nr_running", MAY_LACK, "deadline tasks that are not throttled") \
	F(rt_throttled, "u8", "next->se.cfs_rq->rq->rt.rt_throttled", MAY_LACK, "they have used what they may; until 6.11") \
	F(next_server, "x64", "next->dl_server", MAY_LACK, "the server that has picked it; from 6.8 on") \
	LEVEL_FIELDS(F, prev_, "prev") \
	TASK_GROUP_FIELDS(F, prev_, "prev->sched_task_group", "kernels with one queue per CPU: its cgroup; prev_group1 to 4: those above") \
	QUEUE_FIELDS(F, NO_PICK, "next->se.cfs_rq->rq->cfs.", "next->se.cfs_rq->")

/* The running entity is a parameter, or a member of the queue. */
#define KEY_RUNNING(member) "entity" member "|queue->curr" member

#define PICK_FIELDS(F) \
	F(caller, "x64", RETURN_ADDRESS, 0, "schedule(), or the test of a wakeup") \
	F(cpu, "u16", "queue->rq->cpu", 0, "") \
	F(cfs, "x64", "queue", 0, "the queue") \
	F(curr, "x64", KEY_RUNNING(""), 0, "the running entity") \
	F(curr_vruntime, "u64", KEY_RUNNING("->vruntime"), 0, "") \
	F(curr_weight, "u32", KEY_RUNNING("->h_load.weight") "|" KEY_RUNNING("->load.weight"), 0, "") \
	F(curr_deadline, "u64", KEY_RUNNING("->deadline"), ON_EEVDF, "") \
	F(curr_slice, "u32", KEY_RUNNING("->slice"), ON_EEVDF, "") \
	F(curr_vlag, "s64", KEY_RUNNING("->vlag"), ON_EEVDF, "until Linux 6.16: its deadline if it is protected") \
	F(curr_vprot, "u64", KEY_RUNNING("->vprot"), MAY_LACK, "since: protected until this vruntime") \
	F(curr_on_rq, "u8", KEY_RUNNING("->on_rq"), 0, "") \
	F(curr_delayed, "u8", KEY_RUNNING("->sched_delayed"), MAY_LACK, "") \
	F(protect, "u8", "protect", MAY_LACK, "0: neither a protected slice nor a buddy counts") \
	QUEUE_FIELDS(F, 0, "queue->", "queue->") \
	F(next_buddy, "x64", "queue->next", MAY_LACK | IN_PICK, "") \
	F(last_buddy, "x64", "queue->last", MAY_LACK, "") \
	F(skip_buddy, "x64", "queue->skip", MAY_LACK, "")

#define ENQUEUED_FIELDS(F) \
	F(task, "x64", "task", 0, "its address") \
	F(pid, "s32", "task->pid", 0, "") \
	F(cpu, "u16", "rq->cpu", 0, "") \
	F(flags, "u32", "flags", 0, "of the wakeup") \
	ENTITY_FIELDS(F, , "task->se.") \
	F(vlag, "s64", "task->se.vlag", ON_EEVDF, "") \
	F(slice, "u32", "task->se.slice", ON_EEVDF, "") \
	F(delayed, "u8", "task->se.sched_delayed", MAY_LACK, "") \
	F(policy, "u8", "task->policy", 0, "") \
	F(prio, "s32", "task->prio", MAY_LACK, "its priority, perhaps inherited: from 100 on it is fair") \
	F(static_prio, "u8", "task->static_prio", MAY_LACK, "120 + nice") \
	F(custom_slice, "u8", "task->se.custom_slice", MAY_LACK, "it has asked for a slice") \
	F(cpus, "x64", "task->cpus_ptr->bits", MAY_LACK, "its affinity, a bit per CPU") \
	F(nr_runnable, "u32", "rq->cfs.h_nr_runnable", MAY_LACK, "fair tasks of the CPU that do not sleep") \
	F(dl_deadline, "u64", "task->dl.deadline", MAY_LACK, "of a deadline task") \
	F(dl_throttled, "u8", "task->dl.dl_throttled", MAY_LACK, "it gets another deadline before it is on the queue") \
	F(throttled, "u16", "task->se.cfs_rq->throttle_count", ON_LEVELS | MAY_LACK, "groups of its path that are throttled") \
	LEVEL_FIELDS(F, , "task") \
	TASK_GROUP_FIELDS(F, , "task->sched_task_group", "kernels with one queue per CPU: its cgroup; group1 to 4: those above") \
	F(p1_shares, "u32", "task->se.cfs_rq->tg->shares", LEVEL_1 | ON_LEVELS | MAY_LACK, "cpu.weight of its group; p2, p3: of the groups above") \
	F(p2_shares, "u32", "task->se.parent->cfs_rq->tg->shares", LEVEL_2 | ON_LEVELS | MAY_LACK, NULL) \
	F(p3_shares, "u32", "task->se.parent->parent->cfs_rq->tg->shares", LEVEL_3 | ON_LEVELS | MAY_LACK, NULL) \
	F(p1_slice, "u32", "task->se.parent->slice", LEVEL_1 | ON_LEVELS | ON_EEVDF, "slice of its group; p2, p3: of the groups above") \
	F(p2_slice, "u32", "task->se.parent->parent->slice", LEVEL_2 | ON_LEVELS | ON_EEVDF, NULL) \
	F(p3_slice, "u32", "task->se.parent->parent->parent->slice", LEVEL_3 | ON_LEVELS | ON_EEVDF, NULL) \
	F(base_slice, "u32", "@sysctl_sched_base_slice", ON_EEVDF | SYMBOL | MAY_LACK, "the tunable, in ns") \
	F(curr_vruntime, "u64", "rq->curr->se.vruntime", ON_CFS, "CFS: of the running task, as the rest") \
	F(curr_exec_start, "u64", "rq->curr->se.exec_start", ON_CFS, "until when it was charged") \
	F(clock_task, "u64", "rq->clock_task", ON_CFS, "the clock by which tasks are charged")

#define RESCHED_FIELDS(F) \
	F(cpu, "u16", "rq->cpu", 0, "") \
	F(caller, "x64", RETURN_ADDRESS, 0, "")

#define TICK_FIELDS(F) \
	F(cpu, "u16", "rq->cpu", 0, "") \
	F(server_runtime, "u64", "rq->fair_server.dl_runtime", MAY_LACK, "what the fair server may run in a period; from 6.12 on") \
	F(server_period, "u64", "rq->fair_server.dl_period", MAY_LACK, "") \
	F(owner, "x64", "rq->curr->se.cfs_rq->tg", MAY_LACK, "cgroup of the running task") \
	F(load, "u64", "rq->curr->se.cfs_rq->tg->load_avg.counter", MAY_LACK, "average load of that cgroup, of all CPUs") \
	F(part, "u64", "rq->curr->se.cfs_rq->tg_load_avg_contrib", MAY_LACK, "this CPU's part of it") \
	F(own, "u64", "rq->curr->se.cfs_rq->avg.load_avg", MAY_LACK, "the average load on this CPU as it is") \
	F(queued, "u64", "rq->curr->se.cfs_rq->load.weight", MAY_LACK, "weight of what is on the cgroup's queue here") \
	F(shares, "u64", "rq->curr->se.cfs_rq->tg->shares", MAY_LACK, "its cpu.weight") \
	F(weight, "u64", "rq->curr->se.parent->load.weight", LEVEL_1 | MAY_LACK, "which it has on this CPU")

#define YIELD_FIELDS(F) \
	F(cpu, "u16", "rq->cpu", 0, "") \
	F(vruntime, "u64", "rq->curr->se.vruntime", ON_EEVDF, "EEVDF, as the rest: before the yield") \
	F(weight, "u32", "rq->curr->se.h_load.weight|rq->curr->se.load.weight", ON_EEVDF, "") \
	F(deadline, "u64", "rq->curr->se.deadline", ON_EEVDF, "") \
	F(exec_start, "u64", "rq->curr->se.exec_start", ON_EEVDF, "until when it was charged")

/* The clock that the yield has read is the task's exec_start at its return. */
#define YIELDED_FIELDS(F) \
	F(cpu, "u16", "rq->cpu", 0, "") \
	ENTITY_FIELDS(F, , "rq->curr->se.") \
	F(exec_start, "u64", "rq->curr->se.exec_start", 0, "until when it was charged") \
	QUEUE_FIELDS(F, 0, "rq->cfs.", "rq->curr->se.cfs_rq->")

/* At the end of throttling: compilers inline its beginning. */
#define UNTHROTTLE_FIELDS(F) \
	F(cpu, "u16", "queue->rq->cpu", 0, "") \
	F(cfs, "x64", "queue", 0, "queue of the group") \
	F(load, "u64", "queue->load.weight", 0, "weight of what is on it") \
	F(throttled, "u16", "queue->throttle_count", 0, "groups of its path that were throttled") \
	F(group, "x64", "flat:queue->tg", MAY_LACK, "kernels with one queue per CPU: the group") \
	F(owner, "x64", "queue->tg", MAY_LACK, "the group, with its cpu.max and cpu.max.burst") \
	F(quota, "u64", "queue->tg->cfs_bandwidth.quota", MAY_LACK, NULL) \
	F(period, "u64", "queue->tg->cfs_bandwidth.period", MAY_LACK, NULL) \
	F(burst, "u64", "queue->tg->cfs_bandwidth.burst", MAY_LACK, NULL) \
	F(share_us, "u32", "@sysctl_sched_cfs_bandwidth_slice", SYMBOL | MAY_LACK, "so much quota a CPU takes at a time, in us")

#define SETATTR_FIELDS(F) \
	F(pid, "s32", "task->pid", 0, "") \
	F(policy, "u8", "attr->sched_policy", 0, "") \
	F(runtime, "u64", "attr->sched_runtime", 0, "slice of a fair task, budget of a deadline task")

/* At the return of the call. The event's common_pid is that of the caller. */
#define DONE_FIELDS(F) \
	F(result, "s32", "$retval", 0, "0, or why it was refused: -errno")

#define GROUP_FIELDS(F) \
	F(caller, "x64", RETURN_ADDRESS, 0, "")

#define CHANGE_FIELDS(F) \
	F(pid, "s32", "task->pid", 0, "")

#define THROTTLE_FIELDS(F) \
	F(cpu, "u16", "queue->rq->cpu", 0, "") \
	F(cfs, "x64", "queue", 0, "queue of the group") \
	F(left, "s64", "queue->runtime_remaining", MAY_LACK, "quota left on this CPU, in ns") \
	TASK_GROUP_FIELDS(F, , "queue->tg", "kernels with one queue per CPU: the group; group1 to 4: those above")

#define HOTPLUG_FIELDS(F) \
	F(cpu, "u16", "cpu", 0, "")

#define PLACE_FIELDS(F) \
	F(pid, "s32", "task->pid", 0, "") \
	F(prev, "u16", "prev_cpu", 0, "its previous CPU") \
	F(flags, "u32", "wake_flags", 0, "of the wakeup") \
	F(flips, "u32", "task->wakee_flips", MAY_LACK, "how often it wakes another one than last") \
	F(recent, "u16", "task->recent_used_cpu", MAY_LACK, "its CPU before the previous one") \
	F(cpus, "x64", "task->cpus_ptr->bits", MAY_LACK, "its affinity, a bit per CPU") \
	F(scan, "u32", "task->se.cfs_rq->rq->sd->shared->nr_idle_scan", MAY_LACK, "CPUs that the search may look at")

/* L(list, FIELDS): struct key_LIST_raw has a number per field. */
#define KEY_FIELD_LISTS(L) \
	L(switched, SWITCHED_FIELDS) \
	L(pick, PICK_FIELDS) \
	L(enqueued, ENQUEUED_FIELDS) \
	L(resched, RESCHED_FIELDS) \
	L(tick, TICK_FIELDS) \
	L(yield, YIELD_FIELDS) \
	L(yielded, YIELDED_FIELDS) \
	L(unthrottle, UNTHROTTLE_FIELDS) \
	L(setattr, SETATTR_FIELDS) \
	L(done, DONE_FIELDS) \
	L(group, GROUP_FIELDS) \
	L(change, CHANGE_FIELDS) \
	L(throttle, THROTTLE_FIELDS) \
	L(hotplug, HOTPLUG_FIELDS) \
	L(place, PLACE_FIELDS)

/* E(NAME, kind, name, list, functions, tracepoint, need, use, help).
 * functions: the first one that the kernel has and allows to probe is used, if a needed event then occurs: where
 * tracepoints are no static calls, compilers inline __traceiter_sched_switch, and psi_task_switch precedes it; tracepoint: if there is none, or NULL.
 * use: enum key_field_use, the kernels that have the event (0: all), and INTERRUPTIBLE. */
#define KEY_EVENT_ROWS(E) \
	E(SWITCH, KEY_SWITCH, "keys_switch", switched, "__traceiter_sched_switch|psi_task_switch", "sched_switch", KEY_EVENT_NEEDED, 0, \
	  "at each sched_switch, just before or after it: both tasks") \
	E(PICK, KEY_PICK, KEY_EVENT_PICK, pick, "__pick_eevdf|pick_eevdf|pick_next_entity", NULL, KEY_EVENT_WANTED, 0, \
	  "entry of pick_eevdf or pick_next_entity, once per level of groups: the queue and its running entity") \
	E(ENQUEUE, KEY_ENQUEUE, "keys_enqueue", enqueued, "wakeup_preempt|check_preempt_curr", NULL, KEY_EVENT_WANTED, 0, \
	  "a task was put on the queue of a cpu, by a wakeup, a fork, a migration or another priority") \
	E(RESCHED, KEY_RESCHED, "keys_resched", resched, "resched_curr", NULL, KEY_EVENT_WANTED, 0, \
	  "a cpu is asked to reschedule") \
	E(RESCHED_LAZY, KEY_RESCHED_LAZY, "keys_resched_lazy", resched, "resched_curr_lazy", NULL, KEY_EVENT_OPTIONAL, 0, \
	  "the same as keys_resched, at the next tick or exit to user space") \
	E(TICK, KEY_TICK, "keys_tick", tick, "task_tick_fair", NULL, KEY_EVENT_WANTED, 0, \
	  "the tick of a cpu that runs a fair task") \
	E(YIELD, KEY_YIELD, "keys_yield", yield, "yield_task_fair", NULL, KEY_EVENT_WANTED, 0, \
	  "a fair task on this cpu yields") \
	E(YIELDED, KEY_YIELDED, "keys_yielded", yielded, "yield_task_fair" AT_RETURN, NULL, KEY_EVENT_WANTED, ON_EEVDF, \
	  "EEVDF, from Linux 6.9 on: the same when it has yielded, and its queue") \
	E(SETATTR, KEY_CHANGE, "keys_setattr", setattr, "__sched_setscheduler", NULL, KEY_EVENT_WANTED, INTERRUPTIBLE, \
	  "a policy, a slice or a budget is asked for") \
	E(SETATTR_DONE, KEY_CHANGE, "keys_setattr_done", done, "__sched_setscheduler" AT_RETURN, NULL, KEY_EVENT_WANTED, INTERRUPTIBLE, \
	  "the task that asked has been answered") \
	E(NICE, KEY_CHANGE, "keys_nice", change, "reweight_task_fair|reweight_task|set_user_nice", NULL, KEY_EVENT_WANTED, 0, "a task gets a nice level") \
	E(REGROUP, KEY_CHANGE, "keys_regroup", change, "task_change_group_fair|sched_move_task", NULL, KEY_EVENT_OPTIONAL, 0, \
	  "a task moves to another group, or leaves its autogroup at its exit") \
	E(AFFINITY, KEY_CHANGE, "keys_affinity", change, "set_cpus_allowed_common", NULL, KEY_EVENT_WANTED, 0, \
	  "a task gets an affinity") \
	E(THROTTLE, KEY_THROTTLE, "keys_throttle", throttle, "throttle_cfs_rq", NULL, KEY_EVENT_OPTIONAL, 0, \
	  "a group on this cpu has used its quota, and is throttled unless it gets more") \
	E(SHARES, KEY_GROUPS_CHANGE, "keys_shares", group, "sched_group_set_shares", NULL, KEY_EVENT_OPTIONAL, INTERRUPTIBLE, \
	  "cpu.weight or the nice level of an autogroup is written") \
	E(IDLE_GROUP, KEY_GROUPS_CHANGE, "keys_idle_group", group, "sched_group_set_idle", NULL, KEY_EVENT_OPTIONAL, INTERRUPTIBLE, \
	  "cpu.idle is written; from Linux 5.15 on") \
	E(QUOTA, KEY_GROUPS_CHANGE, "keys_quota", group, "tg_set_cfs_bandwidth|tg_set_bandwidth", NULL, KEY_EVENT_OPTIONAL, \
	  INTERRUPTIBLE, "cpu.max is written") \
	E(CPU_COMES, KEY_HOTPLUG, "keys_cpu_comes", hotplug, "sched_cpu_activate", NULL, KEY_EVENT_OPTIONAL, 0, \
	  "tasks may run on a cpu again") \
	E(CPU_GOES, KEY_HOTPLUG, "keys_cpu_goes", hotplug, "sched_cpu_deactivate", NULL, KEY_EVENT_OPTIONAL, 0, \
	  "a cpu is taken offline") \
	E(PLACE, KEY_PLACE, "keys_place", place, "select_task_rq_fair", NULL, KEY_EVENT_WANTED, 0, \
	  "a CPU is chosen for a fair task") \
	E(UNTHROTTLE, KEY_UNTHROTTLE, "keys_unthrottle", unthrottle, "unthrottle_cfs_rq", NULL, KEY_EVENT_OPTIONAL, 0, \
	  "throttling ends for a group on this cpu")
/* clang-format on */

#define KEY_ROW_NUMBER(NAME, ...) KEY_ROW_##NAME,
enum key_row_number { KEY_EVENT_ROWS(KEY_ROW_NUMBER) KEY_ROWS };

/* The fields of one event: struct key_switched_raw { uint64_t prev, next, ...; }, and so on. */
#define KEY_NUMBER(name, ...) uint64_t name;
#define KEY_STRUCT(list, FIELDS)                                                                                       \
	struct key_##list##_raw {                                                                                      \
		FIELDS(KEY_NUMBER)                                                                                     \
	};
#define KEY_STRUCT_MEMBER(list, FIELDS) struct key_##list##_raw list;
KEY_FIELD_LISTS(KEY_STRUCT)
union key_members {
	KEY_FIELD_LISTS(KEY_STRUCT_MEMBER)
};
#define KEY_FIELDS_MAX (sizeof(union key_members) / sizeof(uint64_t))

struct key_field_row {
	const char *name, *type, *value;
	unsigned int use;
	const char *help; /* "": the name says it; NULL: not listed */
};

struct key_event_row {
	const char *name;
	enum key_kind kind;
	const char *functions, *tracepoint;
	const struct key_field_row *fields; /* in the order of the members of its struct */
	size_t field_count;
	enum key_event_need need;
	unsigned int use;
	const char *help;
};
extern const struct key_event_row key_event_rows[KEY_ROWS];

#endif
