/* SPDX-License-Identifier: MIT
 *
 * The key events of a trace (picknext help events): what the kernel's structs held at a switch, at a pick, at an
 * enqueue. Fields that the trace lacks decide what the scheduler has. Input is hostile: the first damage is named, and
 * ends the reading. */
#ifndef RULES_KEY_EVENTS_H
#define RULES_KEY_EVENTS_H

#include "rules/queues.h"
#include "trace/event_rows.h"
#include "trace/key_fields.h"
#include "trace/key_mark.h"
#include "trace/stream.h"

/* kernel/sched/sched.h: WF_... */
enum wakeup_flags { WAKEUP_OF_FORK = 4, WAKEUP_OF_SLEEPER = 8, WAKEUP_WITH_HINT = 16, WAKEUP_HERE = 64 };

enum key_change {
	CHANGE_ATTRIBUTES, /* the task of the event asks for a policy, a slice, a budget or a priority */
	CHANGE_DONE,       /* it has got them, or was refused */
	CHANGE_NICE,
	CHANGE_GROUP, /* also at its exit, if it has an autogroup */
	CHANGE_AFFINITY,
};

/* Kernels with one queue per CPU: the cgroup of a task and those above it, by the addresses of their struct task_group.
 */
#define KEY_GROUPS_MAX 5
struct key_groups {
	uint32_t count; /* 0: not recorded */
	bool is_whole;  /* the last one is the root */
	uint64_t ids[KEY_GROUPS_MAX];
};

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
			int32_t next_static_prio;                   /* 120 + nice; 0: not recorded */
			bool has_prev_throttled, is_prev_throttled; /* recorded; a deadline task without budget */
			bool has_count;                             /* recorded: */
			uint32_t count;                             /* tasks of all classes on the queues, with next */
			bool has_class_counts;                      /* recorded: */
			uint32_t real_time_count, deadline_count;   /* tasks of the CPU that could run, with next */
			bool is_real_time_throttled;                /* those of the real-time class must not */
			struct key_groups prev_groups;
			bool has_server, is_served; /* recorded; the fair server has picked next, not its class */
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
			bool may_lack_budget; /* it may get another deadline before it is on the queue */
			uint64_t shares[RULE_DEPTH_MAX]; /* of the groups in task: cpu.weight; 0: not recorded */
			uint64_t base_slice_ns;          /* the tunable; 0: not recorded */
			int32_t static_prio;             /* 120 + nice; 0: not recorded */
			bool has_prio;
			int32_t prio; /* perhaps inherited */
			struct key_groups groups;
		} enqueued;
		struct key_yield yielded; /* KEY_YIELD, KEY_YIELDED */
		struct {
			uint64_t queue;
			bool is_last;   /* no group of its path is throttled any more */
			bool has_tasks; /* it is not empty, so that its group is put on the queue of its parent */
			uint64_t group; /* as in struct key_groups; 0: not recorded */
			uint64_t owner; /* the group in all kernels; 0: not recorded */
			uint64_t quota_ns, period_ns, burst_ns; /* 0: none, or not recorded */
			uint64_t share_ns;                      /* that a CPU takes at a time; 0: not recorded */
		} unthrottled;
		struct {
			enum key_change what;
			int32_t pid;         /* whose attributes; CHANGE_DONE: 0, it is of the event's task */
			uint32_t policy;     /* CHANGE_ATTRIBUTES: what is asked for */
			uint64_t runtime_ns; /* slice or budget; 0: as before, or none */
			bool is_refused;     /* CHANGE_DONE */
		} change;
		struct {
			uint64_t queue;
			int64_t left_ns; /* of the quota on this CPU */
			struct key_groups groups;
		} throttle;               /* it may get more quota instead */
		struct key_tick_raw tick; /* as recorded; 0: none, or not recorded */
		struct {
			int32_t pid;
			uint32_t previous, recent, flags, flips,
			    scan; /* members of the kernel's structs, or parameters */
			uint64_t cpus;
		} place;
	};
};

struct key_events {
	bool is_known;       /* the trace has switches and picks with keys */
	struct error damage; /* STATUS_CORRUPT: of a format, or of an event; nothing more is read */
	bool has_groups;     /* entities are on queues of groups */
	bool follow_switch;  /* the keys of a switch come after its sched_switch, else before; for the same next task */
	uint64_t se_offset;  /* of the entity in a task_struct; 0 before the first switch */
	const struct event_format_table *formats; /* of the trace */
	struct event_place type;
	struct {
		bool is_known;
		uint32_t id, length;
		struct event_place cpu, caller;
		struct event_place fields[KEY_FIELDS_MAX]; /* in the order of the rows; size 0: the trace lacks it */
	} layouts[KEY_ROWS];
};

/* True if the trace has this field: KEY_HAS(keys, SWITCH, switched, next_pid). */
#define KEY_HAS(keys, ROW, list, member)                                                                               \
	((keys)->layouts[KEY_ROW_##ROW].fields[offsetof(struct key_##list##_raw, member) / sizeof(uint64_t)].size != 0)

/* Finds the events and fields of a trace. stream NULL: a text trace, which has none. */
void key_events_begin(struct key_events *keys, const struct sched_stream *stream);
/* STATUS_CORRUPT, with the remedy, if a format or an event so far is damaged; path: of the trace. */
enum status key_events_check(const struct key_events *keys, const char *path, struct error *err);
/* The traits of the scheduler by the recorded fields. */
struct rule_traits key_events_traits(const struct key_events *keys);
/* True if the recorded function picks buddies of EEVDF; else its caller does, without asking it. */
static inline bool key_events_pick_buddies(const struct key_events *keys)
{
	return KEY_HAS(keys, PICK, pick, protect) && KEY_HAS(keys, PICK, pick, next_buddy);
}
/* Reads a record of the CPU. KEY_NONE if it is none of these events. */
enum key_kind key_events_read(struct key_events *keys, const struct ring_record *record, uint32_t cpu,
			      struct key_event *event);

/* The trace has this event, "keys_tick", or this field of one, "keys_pick.curr_slice". */
bool key_events_has(const struct key_events *keys, const char *name);

/* Applies the mark at the beginning of a recording. Without features, those of kernels as delivered stay. */
void key_events_apply_mark(const struct key_mark *mark, struct rule_traits *traits);

#endif
