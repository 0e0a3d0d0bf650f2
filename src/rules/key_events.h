/* SPDX-License-Identifier: MIT
 *
 * The key events of a trace (picknext help events): what the kernel's structs held at a switch, at a pick, at an
 * enqueue. Fields that the trace lacks decide what the scheduler has. Input is hostile: the first damage is named, and
 * ends the reading. */
#ifndef RULES_KEY_EVENTS_H
#define RULES_KEY_EVENTS_H

#include "rules/queues.h"
#include "trace/event_rows.h"
#include "trace/key_mark.h"
#include "trace/stream.h"

enum key_kind {
	KEY_NONE,
	KEY_SWITCH,
	KEY_PICK,    /* entry of the function that picks an entity of one queue */
	KEY_ENQUEUE, /* a task was put on a queue */
	KEY_RESCHED, /* a CPU is asked to reschedule */
	KEY_RESCHED_LAZY,
	KEY_TICK,
	KEY_YIELD,
	KEY_YIELDED,    /* the same task, when it has yielded */
	KEY_UNTHROTTLE, /* throttling ends for a group */
	KEY_SETATTR,    /* other scheduling attributes are asked for */
	KEY_PLACE,      /* a CPU is chosen for a fair task */
	KEY_KINDS
};

struct key_event_row {
	const char *name; /* in the system picknext */
	const char *help; /* when it is recorded, and its fields */
};
extern const struct key_event_row key_event_rows[KEY_KINDS]; /* from KEY_SWITCH on */

/* kernel/sched/sched.h: WF_... */
enum wakeup_flags { WAKEUP_OF_FORK = 4, WAKEUP_OF_SLEEPER = 8, WAKEUP_WITH_HINT = 16, WAKEUP_HERE = 64 };

/* A task that yields, before or after. */
struct key_yield {
	struct rule_entity task; /* id 0; deadline 0: the scheduler has none */
	uint64_t charged_ns;     /* until when it was charged, by the scheduler's clock; 0: not recorded */
	struct queue_sums sums;  /* after: of what waits beside it */
};

struct key_event {
	enum key_kind kind;
	uint32_t cpu;    /* whose queue it is about; not always that of the event */
	uint64_t caller; /* return address of a pick (schedule(), or the test of a wakeup) or a call to reschedule */
	union {
		struct {
			struct key_path prev, next;
			int32_t next_pid;
			bool has_budget;
			int64_t budget_ns;  /* of prev, a deadline task: what is left; 0 or less: it is throttled */
			uint64_t next_load; /* one queue per CPU: the weight of next's nice value; 0: not recorded */
			uint64_t next_cpus; /* on which next may run, of the first 64; 0: not recorded */
		} switched;
		struct key_pick pick;
		struct {
			struct key_path task;
			int32_t pid;
			bool is_throttled; /* a group of it is: neither is picked */
			bool has_current;  /* CFS: the keys of the running task, brought up to the clock */
			struct rule_entity current;
			uint32_t flags; /* enum wakeup_flags */
			uint64_t cpus;  /* on which it may run, of the first 64; 0: not recorded */
			bool has_custom_slice, is_custom_slice; /* recorded; it has asked for one */
			bool has_runnable;                      /* recorded: */
			uint32_t runnable;    /* the fair tasks of the CPU that do not sleep, as its queue counts */
			uint64_t deadline_ns; /* of a deadline task; 0: none, or not recorded */
			uint64_t shares[RULE_DEPTH_MAX]; /* of the groups in task: cpu.weight; 0: not recorded */
		} enqueued;
		struct key_yield yielded; /* KEY_YIELD, KEY_YIELDED */
		struct {
			uint64_t queue;
			bool is_last;   /* no group of its path is throttled any more */
			bool has_tasks; /* it is not empty, so that its group is put on the queue of its parent */
		} unthrottled;
		struct {
			int32_t pid;
			uint32_t policy;
			uint64_t runtime_ns; /* slice or budget; 0: as before, or none */
		} asked;
		struct {
			int32_t pid;
			uint32_t previous, recent, flags, flips,
			    scan; /* members of the kernel's structs, or parameters */
			uint64_t cpus;
		} place;
	};
};

/* Fields of an entity; size 0: not recorded. */
struct key_entity_fields {
	struct event_place vruntime, weight, deadline, slice, vlag, vprot, on_rq, delayed, policy;
};

/* The sums of a queue. */
struct key_sum_fields {
	struct event_place nr, avg_vruntime, avg_load, zero_vruntime, sum_shift, load;
};

struct key_path_fields {
	struct key_entity_fields own;
	struct event_place cfs, depth;
	struct {
		struct event_place id, vruntime, weight, deadline, cfs;
	} parents[RULE_DEPTH_MAX - 1];
};

struct key_events {
	bool is_known;       /* the trace has switches and picks with keys */
	struct error damage; /* STATUS_CORRUPT: of a format, or of an event; nothing more is read */
	bool has_groups;     /* entities are on queues of groups */
	uint64_t se_offset;  /* of the entity in a task_struct; 0 before the first switch */
	const struct event_format_table *formats; /* of the trace */
	struct event_place type;
	struct {
		bool is_known;
		uint32_t id, length;
		struct event_place cpu, caller;
	} layouts[KEY_KINDS];
	struct {
		struct event_place prev, next, se_offset, next_pid, budget, next_load, next_cpus;
		struct event_place nr; /* of the queue, only if no picks are recorded */
		struct key_path_fields prev_path, next_path;
	} switched;
	struct {
		struct event_place cfs, curr, protect, next, last, skip;
		struct key_sum_fields sums;
		struct key_entity_fields running;
	} picks;
	struct {
		struct event_place task, pid, throttled, curr_vruntime, curr_exec_start, clock_task;
		struct event_place flags, cpus, runnable, custom_slice, dl_deadline, shares[RULE_DEPTH_MAX - 1];
		struct key_path_fields path;
	} enqueued;
	struct {
		struct key_entity_fields before, after;
		struct event_place before_charged, after_charged;
		struct key_sum_fields sums;
	} yields;
	struct {
		struct event_place cfs, load, throttled;
	} unthrottled;
	struct {
		struct event_place pid, policy, runtime;
	} asked;
	struct {
		struct event_place pid, previous, recent, flags, flips, scan, cpus;
	} place;
};

/* Finds the events and fields of a trace. stream NULL: a text trace, which has none. */
void key_events_begin(struct key_events *keys, const struct sched_stream *stream);
/* STATUS_CORRUPT, with the remedy, if a format or an event so far is damaged; path: of the trace. */
enum status key_events_check(const struct key_events *keys, const char *path, struct error *err);
/* What the recorded fields say about the scheduler. */
struct rule_traits key_events_traits(const struct key_events *keys);
/* True if the recorded function picks buddies of EEVDF; else its caller does, without asking it. */
static inline bool key_events_pick_buddies(const struct key_events *keys)
{
	return keys->picks.protect.size && keys->picks.next.size;
}
/* Reads a record of the CPU. KEY_NONE if it is none of these events. */
enum key_kind key_events_read(struct key_events *keys, const struct ring_record *record, uint32_t cpu,
			      struct key_event *event);

/* What the mark at the beginning of a recording says. Without features, those of kernels as delivered stay. */
void key_events_apply_mark(const struct key_mark *mark, struct rule_traits *traits);

#endif
