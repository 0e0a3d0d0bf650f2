/* SPDX-License-Identifier: MIT */
#include "rules/key_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/build.h"
#include "trace/format/probe_format.h"

/* The fields of an entity: vruntime, weight (that of nice 0 is 1048576) and, with EEVDF, deadline. */
const struct key_event_row key_event_rows[KEY_KINDS] = {
    [KEY_SWITCH] =
	{"keys_switch",
	 HELP("at each sched_switch, just before or after it: vruntime, weight, deadline of prev_ and next_; "
	      "prev_vlag (lag at its dequeue), prev_on_rq (0: sleeps), prev_delayed (sleeps, but stays on "
	      "the queue), next_slice, next_policy, next_cpus (its affinity, a bit per CPU), next_load (weight "
	      "of its nice value, if weight is its share); addresses of tasks and of their queues (prev_cfs, "
	      "next_cfs), se_offset (of the entity in a task), prev_depth, next_depth (levels of groups), "
	      "prev_p1 to prev_p3 (entities of the groups, with their keys)")},
    [KEY_PICK] = {"keys_pick",
		  HELP("entry of pick_eevdf or pick_next_entity, once per level of groups: the queue (cfs, cpu), nr, "
		       "its sums (avg_vruntime, avg_load, zero_vruntime; CFS: load, min_vruntime), the running entity "
		       "(curr_, with curr_vlag or curr_vprot: protected), buddies, caller (schedule() or a wakeup)")},
    [KEY_ENQUEUE] =
	{"keys_enqueue",
	 HELP("a task was put on the queue of a cpu, by a wakeup, a fork, a migration or another priority: "
	      "its keys, slice, vlag, policy, and those of its groups (p1 to p3); nr_runnable (fair tasks of "
	      "the CPU that do not sleep); CFS: of the running task too (curr_)")},
    [KEY_RESCHED] = {"keys_resched", HELP("a cpu is asked to reschedule; the caller")},
    [KEY_TICK] = {"keys_tick", HELP("the tick of a cpu that runs a fair task")},
    [KEY_RESCHED_LAZY] = {"keys_resched_lazy",
			  HELP("the same as keys_resched, at the next tick or exit to user space")},
    [KEY_YIELD] = {"keys_yield",
		   HELP("a fair task on this cpu yields; EEVDF: its vruntime, weight and deadline before, and "
			"until when (exec_start) it was charged")},
    [KEY_YIELDED] = {"keys_yielded", HELP("EEVDF, from Linux 6.9 on: the same when it has yielded, and the sums of its "
					  "queue as in keys_pick")},
    [KEY_UNTHROTTLE] = {"keys_unthrottle",
			HELP("throttling ends for a group on this cpu: its queue "
			     "(cfs), the weight of what is on it (load), and how many groups of its path were "
			     "throttled (throttled)")},
    [KEY_SETATTR] = {"keys_setattr",
		     HELP("a policy is asked for, and a runtime: the slice of a fair task, the budget of a deadline "
			  "task")},
    [KEY_PLACE] = {"keys_place", HELP("a CPU is chosen for a fair task: its previous CPU (prev) and the one before "
				      "(recent), flags of the wakeup, cpus (its affinity), flips (how often it wakes "
				      "another one than last), scan (CPUs that the search may look at)")},
};

/* A field that is absent, or no number, gets size 0. */
static void bind(const struct event_format *format, const char *prefix, const char *name, struct event_place *place)
{
	struct event_field field;
	char whole[64];

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	if (event_format_field(format, whole, &field, NULL) != STATUS_OK || field.array != FIELD_SINGLE ||
	    field.size > 8 || (field.size & (field.size - 1)) != 0)
		return;
	*place = (struct event_place){field.offset, field.size, field.is_signed, field.array};
}

static void bind_entity(const struct event_format *format, const char *prefix, struct key_entity_fields *fields)
{
	bind(format, prefix, "vruntime", &fields->vruntime);
	bind(format, prefix, "weight", &fields->weight);
	bind(format, prefix, "deadline", &fields->deadline);
	bind(format, prefix, "slice", &fields->slice);
	bind(format, prefix, "vlag", &fields->vlag);
	bind(format, prefix, "vprot", &fields->vprot);
	bind(format, prefix, "on_rq", &fields->on_rq);
	bind(format, prefix, "delayed", &fields->delayed);
	bind(format, prefix, "policy", &fields->policy);
}

static void bind_path(const struct event_format *format, const char *prefix, struct key_path_fields *fields)
{
	char name[32];

	bind_entity(format, prefix, &fields->own);
	bind(format, prefix, "cfs", &fields->cfs);
	bind(format, prefix, "depth", &fields->depth);
	for (unsigned int i = 0; i < RULE_DEPTH_MAX - 1; i++) {
		snprintf(name, sizeof(name), "%sp%u", prefix, i + 1);
		bind(format, name, "", &fields->parents[i].id);
		bind(format, name, "_vruntime", &fields->parents[i].vruntime);
		bind(format, name, "_weight", &fields->parents[i].weight);
		bind(format, name, "_deadline", &fields->parents[i].deadline);
		bind(format, name, "_cfs", &fields->parents[i].cfs);
	}
}

static void bind_switch(struct key_events *keys, const struct event_format *format)
{
	bind(format, "", "prev", &keys->switched.prev);
	bind(format, "", "next", &keys->switched.next);
	bind(format, "", "se_offset", &keys->switched.se_offset);
	bind(format, "", "nr", &keys->switched.nr);
	bind(format, "", "next_pid", &keys->switched.next_pid);
	bind(format, "", "prev_dl_runtime", &keys->switched.budget);
	bind(format, "", "next_load", &keys->switched.next_load);
	bind(format, "", "next_cpus", &keys->switched.next_cpus);
	bind_path(format, "prev_", &keys->switched.prev_path);
	bind_path(format, "next_", &keys->switched.next_path); /* has no parents */
}

static void bind_sums(const struct event_format *format, struct key_sum_fields *sums)
{
	bind(format, "", "nr", &sums->nr);
	bind(format, "", "avg_vruntime", &sums->avg_vruntime);
	bind(format, "", "avg_load", &sums->avg_load);
	bind(format, "", "zero_vruntime", &sums->zero_vruntime);
	bind(format, "", "sum_shift", &sums->sum_shift);
	bind(format, "", "load", &sums->load);
}

static void bind_pick(struct key_events *keys, const struct event_format *format)
{
	bind(format, "", "cfs", &keys->picks.cfs);
	bind(format, "", "curr", &keys->picks.curr);
	bind(format, "", "protect", &keys->picks.protect);
	bind_sums(format, &keys->picks.sums);
	bind(format, "", "next_buddy", &keys->picks.next);
	bind(format, "", "last_buddy", &keys->picks.last);
	bind(format, "", "skip_buddy", &keys->picks.skip);
	bind_entity(format, "curr_", &keys->picks.running);
}

static void bind_enqueue(struct key_events *keys, const struct event_format *format)
{
	bind(format, "", "task", &keys->enqueued.task);
	bind(format, "", "pid", &keys->enqueued.pid);
	bind(format, "", "throttled", &keys->enqueued.throttled);
	bind(format, "", "curr_vruntime", &keys->enqueued.curr_vruntime);
	bind(format, "", "curr_exec_start", &keys->enqueued.curr_exec_start);
	bind(format, "", "clock_task", &keys->enqueued.clock_task);
	bind(format, "", "flags", &keys->enqueued.flags);
	bind(format, "", "cpus", &keys->enqueued.cpus);
	bind(format, "", "nr_runnable", &keys->enqueued.runnable);
	bind(format, "", "custom_slice", &keys->enqueued.custom_slice);
	bind(format, "", "dl_deadline", &keys->enqueued.dl_deadline);
	bind(format, "p1_", "shares", &keys->enqueued.shares[0]);
	bind(format, "p2_", "shares", &keys->enqueued.shares[1]);
	bind(format, "p3_", "shares", &keys->enqueued.shares[2]);
	bind_path(format, "", &keys->enqueued.path);
}

static void bind_event(struct key_events *keys, enum key_kind kind, const struct event_format *format)
{
	keys->layouts[kind].is_known = true;
	keys->layouts[kind].id = format->id;
	bind(format, "", "common_type", &keys->type);
	bind(format, "", "cpu", &keys->layouts[kind].cpu);
	bind(format, "", "caller", &keys->layouts[kind].caller);
	if (kind == KEY_SWITCH)
		bind_switch(keys, format);
	if (kind == KEY_PICK)
		bind_pick(keys, format);
	if (kind == KEY_ENQUEUE)
		bind_enqueue(keys, format);
	if (kind == KEY_YIELD) {
		bind_entity(format, "", &keys->yields.before);
		bind(format, "", "exec_start", &keys->yields.before_charged);
	}
	if (kind == KEY_YIELDED) {
		bind_entity(format, "", &keys->yields.after);
		bind(format, "", "exec_start", &keys->yields.after_charged);
		bind_sums(format, &keys->yields.sums);
	}
	if (kind == KEY_UNTHROTTLE) {
		bind(format, "", "cfs", &keys->unthrottled.cfs);
		bind(format, "", "load", &keys->unthrottled.load);
		bind(format, "", "throttled", &keys->unthrottled.throttled);
	}
	if (kind == KEY_PLACE) {
		bind(format, "", "pid", &keys->place.pid);
		bind(format, "", "prev", &keys->place.previous);
		bind(format, "", "recent", &keys->place.recent);
		bind(format, "", "flags", &keys->place.flags);
		bind(format, "", "flips", &keys->place.flips);
		bind(format, "", "scan", &keys->place.scan);
		bind(format, "", "cpus", &keys->place.cpus);
	}
	if (kind == KEY_SETATTR) {
		bind(format, "", "pid", &keys->asked.pid);
		bind(format, "", "policy", &keys->asked.policy);
		bind(format, "", "runtime", &keys->asked.runtime);
	}
}

/* The recorder omits no switches, and picks only if switches have the sums of their queues instead: what is missing
 * otherwise has a damaged name. */
static void check_kinds(struct key_events *keys)
{
	enum key_kind missing = KEY_NONE;
	bool has_any = false;

	for (int kind = KEY_NONE + 1; kind < KEY_KINDS; kind++)
		has_any |= keys->layouts[kind].is_known;
	if (!keys->layouts[KEY_SWITCH].is_known)
		missing = KEY_SWITCH;
	else if (!keys->layouts[KEY_PICK].is_known && !keys->switched.nr.size)
		missing = KEY_PICK;
	if (has_any && missing != KEY_NONE)
		error_set(&keys->damage, STATUS_CORRUPT, "events", "%s is missing, and others are there",
			  key_event_rows[missing].name);
}

void key_events_begin(struct key_events *keys, const struct sched_stream *stream)
{
	*keys = (struct key_events){.formats = stream ? &sched_stream_trace(stream)->events : NULL};
	for (int kind = KEY_NONE + 1; stream && kind < KEY_KINDS; kind++) {
		const struct event_format *format =
		    event_format_find(keys->formats, KEY_EVENTS_SYSTEM, key_event_rows[kind].name);
		if (!format)
			continue;
		if (probe_format_check(format, &keys->layouts[kind].length, &keys->damage) != STATUS_OK)
			return;
		bind_event(keys, (enum key_kind)kind, format);
	}
	check_kinds(keys);
	keys->is_known = keys->damage.status == STATUS_OK && keys->switched.prev.size && keys->switched.next.size &&
			 keys->switched.se_offset.size && keys->switched.prev_path.own.vruntime.size &&
			 keys->layouts[KEY_PICK].is_known;
	keys->has_groups = keys->switched.next_path.cfs.size;
}

enum status key_events_check(const struct key_events *keys, const char *path, struct error *err)
{
	const struct error *damage = &keys->damage;

	if (damage->status == STATUS_OK)
		return STATUS_OK;
	error_set(err, damage->status, path, "the keys of the scheduler are damaged: %.200s: %.200s", damage->where,
		  damage->what);
	return error_remedy(err, "if it is a copy, copy it again, otherwise record it again");
}

struct rule_traits key_events_traits(const struct key_events *keys)
{
	return (struct rule_traits){
	    .has_deadline = keys->switched.prev_path.own.deadline.size,
	    .has_vprot = keys->picks.running.vprot.size,
	    .has_protect = keys->picks.running.vprot.size || keys->picks.running.vlag.size,
	    .has_buddies = keys->picks.next.size,
	    .has_sum_shift = keys->picks.sums.sum_shift.size,
	    /* Came with flat queues. */
	    .has_short_buddy = key_events_pick_buddies(keys) && !keys->has_groups,
	    /* As kernels are delivered, until key_events_apply_mark(). */
	    .run_to_parity = true,
	    .pick_buddy = key_events_pick_buddies(keys),
	};
}

static uint64_t value(const struct event_place *place, const struct ring_record *record)
{
	return place->size ? decode_number(place, record->data) : 0;
}

static uint64_t queue_id(const struct key_events *keys, uint64_t cfs, uint32_t cpu)
{
	return keys->has_groups ? cfs : cpu + UINT64_C(1);
}

static struct rule_entity read_entity(const struct key_entity_fields *fields, const struct ring_record *record,
				      uint64_t id)
{
	return (struct rule_entity){
	    .id = id,
	    .vruntime = value(&fields->vruntime, record),
	    .weight = value(&fields->weight, record),
	    .deadline = value(&fields->deadline, record),
	    .slice = value(&fields->slice, record),
	    .protect = value(fields->vprot.size ? &fields->vprot : &fields->vlag, record),
	    .policy = (uint32_t)value(&fields->policy, record),
	    .on_rq = fields->on_rq.size ? value(&fields->on_rq, record) != 0 : true,
	    .is_delayed = value(&fields->delayed, record) != 0,
	};
}

static void read_path(const struct key_events *keys, const struct key_path_fields *fields,
		      const struct ring_record *record, uint64_t task, uint32_t cpu, struct key_path *path)
{
	const uint64_t depth = value(&fields->depth, record);

	*path = (struct key_path){.depth = 1, .levels = (uint32_t)depth + 1};
	path->entities[0] = read_entity(&fields->own, record, task + keys->se_offset);
	path->queues[0] = queue_id(keys, value(&fields->cfs, record), cpu);
	for (uint32_t i = 0; i < depth && i < RULE_DEPTH_MAX - 1 && fields->parents[i].cfs.size; i++) {
		path->entities[i + 1] = (struct rule_entity){
		    .id = value(&fields->parents[i].id, record),
		    .vruntime = value(&fields->parents[i].vruntime, record),
		    .weight = value(&fields->parents[i].weight, record),
		    .deadline = value(&fields->parents[i].deadline, record),
		    .on_rq = true,
		    .is_group = true,
		};
		path->queues[i + 1] = value(&fields->parents[i].cfs, record);
		path->depth++;
	}
}

static void read_switch(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	keys->se_offset = value(&keys->switched.se_offset, record);
	read_path(keys, &keys->switched.prev_path, record, value(&keys->switched.prev, record), event->cpu,
		  &event->switched.prev);
	read_path(keys, &keys->switched.next_path, record, value(&keys->switched.next, record), event->cpu,
		  &event->switched.next);
	event->switched.next_pid = (int32_t)value(&keys->switched.next_pid, record);
	event->switched.has_budget = keys->switched.budget.size;
	event->switched.budget_ns = (int64_t)value(&keys->switched.budget, record);
	event->switched.next_load = value(&keys->switched.next_load, record);
	event->switched.next_cpus = value(&keys->switched.next_cpus, record);
}

static struct queue_sums read_sums(const struct key_events *keys, const struct key_sum_fields *sums,
				   const struct ring_record *record)
{
	const bool is_cfs = !keys->switched.prev_path.own.deadline.size;
	const struct event_place *weight = is_cfs ? &sums->load : &sums->avg_load;

	return (struct queue_sums){
	    .has_weight = weight->size,
	    .has_keys = !is_cfs && sums->avg_vruntime.size && sums->zero_vruntime.size,
	    .has_count = sums->nr.size,
	    .weight = value(weight, record),
	    .weighted = value(&sums->avg_vruntime, record),
	    .zero = value(&sums->zero_vruntime, record),
	    .count = (uint32_t)value(&sums->nr, record),
	    .shift = (unsigned int)value(&sums->sum_shift, record) % 64,
	};
}

static void read_pick(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	struct key_pick *pick = &event->pick;
	const uint64_t running = value(&keys->picks.curr, record);

	*pick = (struct key_pick){
	    .queue = queue_id(keys, value(&keys->picks.cfs, record), event->cpu),
	    .is_unprotected = keys->picks.protect.size && !value(&keys->picks.protect, record),
	    .sums = read_sums(keys, &keys->picks.sums, record),
	    .next = value(&keys->picks.next, record),
	    .last = value(&keys->picks.last, record),
	    .skip = value(&keys->picks.skip, record),
	};
	if (running)
		pick->running = read_entity(&keys->picks.running, record, running);
}

/* SCHED_NORMAL, SCHED_BATCH, SCHED_IDLE */
static bool is_fair_policy(uint32_t policy)
{
	return policy == 0 || policy == 3 || policy == 5;
}

static void read_enqueue(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	const uint64_t task = value(&keys->enqueued.task, record);
	const int64_t ran =
	    (int64_t)(value(&keys->enqueued.clock_task, record) - value(&keys->enqueued.curr_exec_start, record));

	read_path(keys, &keys->enqueued.path, record, task, event->cpu, &event->enqueued.task);
	if (!is_fair_policy(event->enqueued.task.entities[0].policy))
		event->enqueued.task.depth = event->enqueued.task.levels = 0;
	event->enqueued.pid = (int32_t)value(&keys->enqueued.pid, record);
	event->enqueued.is_throttled = value(&keys->enqueued.throttled, record) != 0;
	if (event->enqueued.is_throttled && event->enqueued.task.depth)
		event->enqueued.task.depth = event->enqueued.task.levels = 1; /* its groups are on no queue */
	event->enqueued.has_current = keys->enqueued.curr_vruntime.size;
	event->enqueued.current = (struct rule_entity){.vruntime = value(&keys->enqueued.curr_vruntime, record),
						       .slice = ran > 0 ? (uint64_t)ran : 0};
	event->enqueued.flags = (uint32_t)value(&keys->enqueued.flags, record);
	event->enqueued.cpus = value(&keys->enqueued.cpus, record);
	event->enqueued.has_custom_slice = keys->enqueued.custom_slice.size;
	event->enqueued.is_custom_slice = value(&keys->enqueued.custom_slice, record) != 0;
	event->enqueued.has_runnable = keys->enqueued.runnable.size;
	event->enqueued.runnable = (uint32_t)value(&keys->enqueued.runnable, record);
	event->enqueued.deadline_ns = value(&keys->enqueued.dl_deadline, record);
	event->enqueued.shares[0] = 0;
	for (uint32_t i = 0; i < RULE_DEPTH_MAX - 1; i++)
		event->enqueued.shares[i + 1] = value(&keys->enqueued.shares[i], record);
}

static void read_yield(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	event->yielded = (struct key_yield){
	    .task = read_entity(&keys->yields.before, record, 0),
	    .charged_ns = value(&keys->yields.before_charged, record),
	};
}

static void read_yielded(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	event->yielded = (struct key_yield){
	    .task = read_entity(&keys->yields.after, record, 0),
	    .charged_ns = value(&keys->yields.after_charged, record),
	    .sums = read_sums(keys, &keys->yields.sums, record),
	};
}

static void read_unthrottled(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	event->unthrottled.queue = value(&keys->unthrottled.cfs, record);
	event->unthrottled.is_last = value(&keys->unthrottled.throttled, record) == 1;
	event->unthrottled.has_tasks = value(&keys->unthrottled.load, record) != 0;
}

static void read_asked(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	event->asked.pid = (int32_t)value(&keys->asked.pid, record);
	event->asked.policy = (uint32_t)value(&keys->asked.policy, record);
	event->asked.runtime_ns = value(&keys->asked.runtime, record);
}

static void read_place(struct key_events *keys, const struct ring_record *record, struct key_event *event)
{
	event->place.pid = (int32_t)value(&keys->place.pid, record);
	event->place.previous = (uint32_t)value(&keys->place.previous, record);
	event->place.recent = (uint32_t)value(&keys->place.recent, record);
	event->place.flags = (uint32_t)value(&keys->place.flags, record);
	event->place.flips = (uint32_t)value(&keys->place.flips, record);
	event->place.scan = (uint32_t)value(&keys->place.scan, record);
	/* Without one of these the rule is not known. */
	event->place.cpus = keys->place.scan.size && keys->place.flips.size && keys->place.recent.size
				? value(&keys->place.cpus, record)
				: 0;
}

/* An event is as long as its format describes it. */
static bool check_length(struct key_events *keys, int kind, const struct ring_record *record)
{
	const uint32_t length = keys->layouts[kind].length;

	if (record->length >= length && record->length <= length + PROBE_PADDING)
		return true;
	error_set(&keys->damage, STATUS_CORRUPT, key_event_rows[kind].name,
		  "an event has %" PRIu32 " bytes, and its format %" PRIu32, record->length, length);
	keys->is_known = false;
	return false;
}

/* A key event whose format has a damaged ID or name would seem to be missing, which looks like a broken rule. */
static void check_other(struct key_events *keys, uint64_t id)
{
	enum { TRACER_TYPES = 32 }; /* of the kernel's own records, such as raw marks: enum trace_type */
	const struct event_format *format = NULL;

	for (size_t i = 0; i < keys->formats->count && !format; i++)
		if (keys->formats->formats[i].id == id)
			format = &keys->formats->formats[i];
	if (format ? !text_span_is(format->system, KEY_EVENTS_SYSTEM) : id < TRACER_TYPES)
		return;
	error_set(&keys->damage, STATUS_CORRUPT, "events", "no %s has the ID %" PRIu64 " of an event",
		  format ? "key event that is known" : "format", id);
	keys->is_known = false;
}

enum key_kind key_events_read(struct key_events *keys, const struct ring_record *record, uint32_t cpu,
			      struct key_event *event)
{
	int kind = KEY_NONE + 1;

	event->kind = KEY_NONE;
	if (!keys->is_known || record->length < keys->type.offset + keys->type.size)
		return KEY_NONE;
	const uint64_t id = decode_number(&keys->type, record->data);
	while (kind < KEY_KINDS && !(keys->layouts[kind].is_known && keys->layouts[kind].id == id))
		kind++;
	if (kind == KEY_KINDS)
		check_other(keys, id);
	if (kind == KEY_KINDS || !check_length(keys, kind, record))
		return KEY_NONE;
	event->kind = (enum key_kind)kind;
	event->cpu = keys->layouts[kind].cpu.size ? (uint32_t)value(&keys->layouts[kind].cpu, record) : cpu;
	event->caller = value(&keys->layouts[kind].caller, record);
	if (kind == KEY_SWITCH)
		read_switch(keys, record, event);
	else if (kind == KEY_PICK)
		read_pick(keys, record, event);
	else if (kind == KEY_ENQUEUE)
		read_enqueue(keys, record, event);
	else if (kind == KEY_YIELD)
		read_yield(keys, record, event);
	else if (kind == KEY_YIELDED)
		read_yielded(keys, record, event);
	else if (kind == KEY_UNTHROTTLE)
		read_unthrottled(keys, record, event);
	else if (kind == KEY_SETATTR)
		read_asked(keys, record, event);
	else if (kind == KEY_PLACE)
		read_place(keys, record, event);
	if ((kind == KEY_ENQUEUE || kind == KEY_PLACE) && !keys->se_offset)
		event->kind = KEY_NONE;
	return event->kind;
}

void key_events_apply_mark(const struct key_mark *mark, struct rule_traits *traits)
{
	traits->wakeup_granularity_ns = mark->wakeup_granularity_ns;
	if (!mark->features[0])
		return;
	traits->run_to_parity = key_mark_has(mark, "RUN_TO_PARITY");
	/* Only if the recorded function picks buddies, see key_events_traits(). */
	traits->pick_buddy = traits->pick_buddy && key_mark_has(mark, "PICK_BUDDY");
}
