/* SPDX-License-Identifier: MIT */
#include "rules/key_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/format/probe_format.h"

union raw {
	union key_members event;
	uint64_t all[KEY_FIELDS_MAX];
};

/* A field that is absent, or no number, gets size 0. */
static void bind(const struct event_format *format, const char *name, struct event_place *place)
{
	struct event_field field;

	if (event_format_field(format, name, &field, NULL) != STATUS_OK || field.array != FIELD_SINGLE ||
	    field.size > 8 || (field.size & (field.size - 1)) != 0)
		return;
	*place = (struct event_place){field.offset, field.size, field.is_signed, field.array};
}

static void bind_event(struct key_events *keys, enum key_row_number row, const struct event_format *format)
{
	keys->layouts[row].is_known = true;
	keys->layouts[row].id = format->id;
	bind(format, "common_type", &keys->type);
	bind(format, "cpu", &keys->layouts[row].cpu);
	bind(format, "caller", &keys->layouts[row].caller);
	for (size_t i = 0; i < key_event_rows[row].field_count; i++)
		bind(format, key_event_rows[row].fields[i].name, &keys->layouts[row].fields[i]);
}

/* The recorder omits no switches, and picks only if switches have the sums of their queues instead: what is missing
 * otherwise has a damaged name. */
static void check_rows(struct key_events *keys)
{
	enum key_row_number missing = KEY_ROWS;
	bool has_any = false;

	for (int row = 0; row < KEY_ROWS; row++)
		has_any |= keys->layouts[row].is_known;
	if (!keys->layouts[KEY_ROW_SWITCH].is_known)
		missing = KEY_ROW_SWITCH;
	else if (!keys->layouts[KEY_ROW_PICK].is_known && !KEY_HAS(keys, SWITCH, switched, nr))
		missing = KEY_ROW_PICK;
	if (has_any && missing != KEY_ROWS)
		error_set(&keys->damage, STATUS_CORRUPT, "events", "%s is missing, and others are there",
			  key_event_rows[missing].name);
}

void key_events_begin(struct key_events *keys, const struct sched_stream *stream)
{
	*keys = (struct key_events){.formats = stream ? &sched_stream_trace(stream)->events : NULL};
	for (int row = 0; stream && row < KEY_ROWS; row++) {
		const struct event_format *format =
		    event_format_find(keys->formats, KEY_EVENTS_SYSTEM, key_event_rows[row].name);
		if (!format)
			continue;
		if (probe_format_check(format, &keys->layouts[row].length, &keys->damage) != STATUS_OK)
			return;
		bind_event(keys, (enum key_row_number)row, format);
	}
	check_rows(keys);
	keys->is_known = keys->damage.status == STATUS_OK && KEY_HAS(keys, SWITCH, switched, prev) &&
			 KEY_HAS(keys, SWITCH, switched, next) && KEY_HAS(keys, SWITCH, switched, se_offset) &&
			 KEY_HAS(keys, SWITCH, switched, prev_vruntime) && keys->layouts[KEY_ROW_PICK].is_known;
	keys->has_groups = KEY_HAS(keys, SWITCH, switched, next_cfs);
	keys->follow_switch = KEY_HAS(keys, SWITCH, switched, after);
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
	const bool has_vprot = KEY_HAS(keys, PICK, pick, curr_vprot);

	return (struct rule_traits){
	    .has_deadline = KEY_HAS(keys, SWITCH, switched, prev_deadline),
	    .has_vprot = has_vprot,
	    .has_protect = has_vprot || KEY_HAS(keys, PICK, pick, curr_vlag),
	    .has_buddies = KEY_HAS(keys, PICK, pick, next_buddy),
	    .has_sum_shift = KEY_HAS(keys, PICK, pick, sum_shift),
	    /* Came with flat queues. */
	    .has_short_buddy = key_events_pick_buddies(keys) && !keys->has_groups,
	    /* The features of kernels as delivered, until key_events_apply_mark(). */
	    .run_to_parity = true,
	    .pick_buddy = key_events_pick_buddies(keys),
	};
}

static uint64_t queue_id(const struct key_events *keys, uint64_t cfs, uint32_t cpu)
{
	return keys->has_groups ? cfs : cpu + UINT64_C(1);
}

/* Members of a raw event that begin with a prefix. */
#define ENTITY(raw, prefix, address)                                                                                   \
	{                                                                                                              \
		.id = (address), .vruntime = (raw)->prefix##vruntime, .weight = (raw)->prefix##weight,                 \
		.deadline = (raw)->prefix##deadline, .on_rq = true                                                     \
	}
#define GROUP(raw, prefix)                                                                                             \
	{                                                                                                              \
		(raw)->prefix##_cfs,                                                                                   \
		{                                                                                                      \
			.id = (raw)->prefix, .vruntime = (raw)->prefix##_vruntime, .weight = (raw)->prefix##_weight,   \
			.deadline = (raw)->prefix##_deadline, .on_rq = true, .is_group = true                          \
		}                                                                                                      \
	}
#define GROUPS(raw, prefix)                                                                                            \
	{                                                                                                              \
		GROUP(raw, prefix##1), GROUP(raw, prefix##2), GROUP(raw, prefix##3)                                    \
	}
/* The sums of a queue; EEVDF's are of what waits. */
#define SUMS(keys, ROW, list, raw)                                                                                     \
	{                                                                                                              \
		.has_weight = is_cfs(keys) ? KEY_HAS(keys, ROW, list, load) : KEY_HAS(keys, ROW, list, avg_load),      \
		.has_keys = !is_cfs(keys) && KEY_HAS(keys, ROW, list, avg_vruntime) &&                                 \
			    KEY_HAS(keys, ROW, list, zero_vruntime),                                                   \
		.has_count = KEY_HAS(keys, ROW, list, nr), .weight = is_cfs(keys) ? (raw)->load : (raw)->avg_load,     \
		.weighted = (raw)->avg_vruntime, .zero = (raw)->zero_vruntime, .count = (uint32_t)(raw)->nr,           \
		.shift = (unsigned int)(raw)->sum_shift % 64                                                           \
	}

struct group {
	uint64_t queue; /* that it is on; 0: not recorded */
	struct rule_entity entity;
};

static bool is_cfs(const struct key_events *keys)
{
	return !KEY_HAS(keys, SWITCH, switched, prev_deadline);
}

static struct key_path make_path(const struct rule_entity *task, uint64_t queue, uint64_t depth,
				 const struct group groups[KEY_LEVELS_MAX])
{
	struct key_path path = {.depth = 1, .levels = (uint32_t)depth + 1, .entities = {*task}, .queues = {queue}};

	for (uint32_t i = 0; groups && i < depth && i < KEY_LEVELS_MAX && groups[i].queue; i++) {
		path.entities[path.depth] = groups[i].entity;
		path.queues[path.depth++] = groups[i].queue;
	}
	return path;
}

/* The groups of an event: fields of its row from this one on. The root has no parent, which a field after it shows. */
static struct key_groups read_groups(const struct key_events *keys, enum key_row_number row, size_t first,
				     const uint64_t ids[KEY_GROUPS_MAX])
{
	const struct event_place *fields = &keys->layouts[row].fields[first];
	struct key_groups groups = {.count = 0};

	while (groups.count < KEY_GROUPS_MAX && fields[groups.count].size && ids[groups.count]) {
		groups.ids[groups.count] = ids[groups.count];
		groups.count++;
	}
	groups.is_whole = groups.count && groups.count < KEY_GROUPS_MAX && fields[groups.count].size;
	return groups;
}

#define READ_GROUPS(keys, ROW, list, raw, prefix)                                                                      \
	read_groups(keys, KEY_ROW_##ROW, offsetof(struct key_##list##_raw, prefix##group) / sizeof(uint64_t),          \
		    (const uint64_t[]){(raw)->prefix##group, (raw)->prefix##group1, (raw)->prefix##group2,             \
				       (raw)->prefix##group3, (raw)->prefix##group4})

static void read_switch(struct key_events *keys, const struct key_switched_raw *raw, struct key_event *event)
{
	keys->se_offset = raw->se_offset;
	struct rule_entity prev = ENTITY(raw, prev_, raw->prev + raw->se_offset);
	struct rule_entity next = ENTITY(raw, next_, raw->next + raw->se_offset);
	const struct group groups[] = GROUPS(raw, prev_p);

	prev.protect = raw->prev_vlag;
	prev.on_rq = raw->prev_on_rq || !KEY_HAS(keys, SWITCH, switched, prev_on_rq);
	prev.is_delayed = raw->prev_delayed;
	next.slice = raw->next_slice;
	next.policy = (uint32_t)raw->next_policy;
	event->switched.prev = make_path(&prev, queue_id(keys, raw->prev_cfs, event->cpu), raw->prev_depth, groups);
	event->switched.next = make_path(&next, queue_id(keys, raw->next_cfs, event->cpu), raw->next_depth, NULL);
	event->switched.next_pid = (int32_t)raw->next_pid;
	event->switched.has_budget = KEY_HAS(keys, SWITCH, switched, prev_dl_runtime);
	event->switched.budget_ns = (int64_t)raw->prev_dl_runtime;
	event->switched.next_load = raw->next_load;
	event->switched.next_cpus = raw->next_cpus;
	event->switched.next_static_prio = (int32_t)raw->next_static_prio;
	event->switched.has_prev_throttled = KEY_HAS(keys, SWITCH, switched, prev_throttled);
	event->switched.is_prev_throttled = raw->prev_throttled;
	event->switched.has_count = KEY_HAS(keys, SWITCH, switched, nr_running);
	event->switched.count = (uint32_t)raw->nr_running;
	event->switched.has_class_counts =
	    KEY_HAS(keys, SWITCH, switched, rt_count) && KEY_HAS(keys, SWITCH, switched, dl_count);
	event->switched.real_time_count = (uint32_t)raw->rt_count;
	event->switched.deadline_count = (uint32_t)raw->dl_count;
	event->switched.is_real_time_throttled = raw->rt_throttled;
	event->switched.has_server = KEY_HAS(keys, SWITCH, switched, next_server);
	event->switched.is_served = raw->next_server;
	event->switched.prev_groups = READ_GROUPS(keys, SWITCH, switched, raw, prev_);
}

static void read_pick(const struct key_events *keys, const struct key_pick_raw *raw, struct key_event *event)
{
	const struct rule_entity running = ENTITY(raw, curr_, raw->curr);

	event->pick = (struct key_pick){
	    .queue = queue_id(keys, raw->cfs, event->cpu),
	    .is_unprotected = KEY_HAS(keys, PICK, pick, protect) && !raw->protect,
	    .sums = SUMS(keys, PICK, pick, raw),
	    .next = raw->next_buddy,
	    .last = raw->last_buddy,
	    .skip = raw->skip_buddy,
	};
	if (!raw->curr)
		return;
	event->pick.running = running;
	event->pick.running.slice = raw->curr_slice;
	event->pick.running.protect = KEY_HAS(keys, PICK, pick, curr_vprot) ? raw->curr_vprot : raw->curr_vlag;
	event->pick.running.on_rq = raw->curr_on_rq || !KEY_HAS(keys, PICK, pick, curr_on_rq);
	event->pick.running.is_delayed = raw->curr_delayed;
}

/* By its priority, which may be inherited; else by SCHED_NORMAL, SCHED_BATCH, SCHED_IDLE. */
static bool is_fair(const struct key_events *keys, const struct key_enqueued_raw *raw)
{
	if (KEY_HAS(keys, ENQUEUE, enqueued, prio))
		return (int32_t)raw->prio >= 100;
	return raw->policy == 0 || raw->policy == 3 || raw->policy == 5;
}

static void read_enqueue(const struct key_events *keys, const struct key_enqueued_raw *raw, struct key_event *event)
{
	const int64_t ran = (int64_t)(raw->clock_task - raw->curr_exec_start);
	struct rule_entity task = ENTITY(raw, , raw->task + keys->se_offset);
	const struct group groups[] = GROUPS(raw, p);
	const uint64_t slices[] = {raw->p1_slice, raw->p2_slice, raw->p3_slice};
	struct key_path *path = &event->enqueued.task;

	task.protect = raw->vlag;
	task.slice = raw->slice;
	task.policy = (uint32_t)raw->policy;
	task.is_delayed = raw->delayed;
	*path = make_path(&task, queue_id(keys, raw->cfs, event->cpu), raw->depth, groups);
	for (uint32_t i = 1; i < path->depth; i++)
		path->entities[i].slice = slices[i - 1];
	if (!is_fair(keys, raw))
		path->depth = path->levels = 0;
	event->enqueued.is_throttled = raw->throttled;
	if (raw->throttled && path->depth)
		path->depth = path->levels = 1; /* its groups are on no queue */
	event->enqueued.pid = (int32_t)raw->pid;
	event->enqueued.has_current = KEY_HAS(keys, ENQUEUE, enqueued, curr_vruntime);
	event->enqueued.current =
	    (struct rule_entity){.vruntime = raw->curr_vruntime, .slice = ran > 0 ? (uint64_t)ran : 0};
	event->enqueued.flags = (uint32_t)raw->flags;
	event->enqueued.cpus = raw->cpus;
	event->enqueued.has_custom_slice = KEY_HAS(keys, ENQUEUE, enqueued, custom_slice);
	event->enqueued.is_custom_slice = raw->custom_slice;
	event->enqueued.has_runnable = KEY_HAS(keys, ENQUEUE, enqueued, nr_runnable);
	event->enqueued.runnable = (uint32_t)raw->nr_runnable;
	event->enqueued.deadline_ns = raw->dl_deadline;
	event->enqueued.may_lack_budget = raw->dl_throttled || !KEY_HAS(keys, ENQUEUE, enqueued, dl_throttled);
	event->enqueued.shares[0] = 0;
	event->enqueued.shares[1] = raw->p1_shares;
	event->enqueued.shares[2] = raw->p2_shares;
	event->enqueued.shares[3] = raw->p3_shares;
	event->enqueued.base_slice_ns = raw->base_slice;
	event->enqueued.static_prio = (int32_t)raw->static_prio;
	event->enqueued.has_prio = KEY_HAS(keys, ENQUEUE, enqueued, prio);
	event->enqueued.prio = (int32_t)raw->prio;
	event->enqueued.groups = READ_GROUPS(keys, ENQUEUE, enqueued, raw, );
}

static void read_yield(const struct key_yield_raw *raw, struct key_event *event)
{
	event->yielded = (struct key_yield){.task = ENTITY(raw, , 0), .charged_ns = raw->exec_start};
}

static void read_yielded(const struct key_events *keys, const struct key_yielded_raw *raw, struct key_event *event)
{
	event->yielded = (struct key_yield){
	    .task = ENTITY(raw, , 0), .charged_ns = raw->exec_start, .sums = SUMS(keys, YIELDED, yielded, raw)};
}

static void read_place(const struct key_events *keys, const struct key_place_raw *raw, struct key_event *event)
{
	event->place.pid = (int32_t)raw->pid;
	event->place.previous = (uint32_t)raw->prev;
	event->place.recent = (uint32_t)raw->recent;
	event->place.flags = (uint32_t)raw->flags;
	event->place.flips = (uint32_t)raw->flips;
	event->place.scan = (uint32_t)raw->scan;
	/* Without one of these the rule is not known. */
	event->place.cpus = KEY_HAS(keys, PLACE, place, scan) && KEY_HAS(keys, PLACE, place, flips) &&
				    KEY_HAS(keys, PLACE, place, recent)
				? raw->cpus
				: 0;
}

/* Only the fields of the row's list have values. */
static void read_change(enum key_row_number row, const union key_members *raw, struct key_event *event)
{
	static const enum key_change changes[KEY_ROWS] = {
	    [KEY_ROW_SETATTR] = CHANGE_ATTRIBUTES, [KEY_ROW_SETATTR_DONE] = CHANGE_DONE, [KEY_ROW_NICE] = CHANGE_NICE,
	    [KEY_ROW_REGROUP] = CHANGE_GROUP,      [KEY_ROW_AFFINITY] = CHANGE_AFFINITY,
	};

	memset(&event->change, 0, sizeof(event->change));
	event->change.what = changes[row];
	if (row == KEY_ROW_SETATTR) {
		event->change.pid = (int32_t)raw->setattr.pid;
		event->change.policy = (uint32_t)raw->setattr.policy;
		event->change.runtime_ns = raw->setattr.runtime;
	} else if (row == KEY_ROW_SETATTR_DONE) {
		event->change.is_refused = raw->done.result;
	} else {
		event->change.pid = (int32_t)raw->change.pid;
	}
}

static void read_kind(struct key_events *keys, enum key_row_number row, const union key_members *raw,
		      struct key_event *event)
{
	if (event->kind == KEY_SWITCH) {
		read_switch(keys, &raw->switched, event);
	} else if (event->kind == KEY_PICK) {
		read_pick(keys, &raw->pick, event);
	} else if (event->kind == KEY_ENQUEUE) {
		read_enqueue(keys, &raw->enqueued, event);
	} else if (event->kind == KEY_YIELD) {
		read_yield(&raw->yield, event);
	} else if (event->kind == KEY_YIELDED) {
		read_yielded(keys, &raw->yielded, event);
	} else if (event->kind == KEY_UNTHROTTLE) {
		event->unthrottled.queue = raw->unthrottle.cfs;
		event->unthrottled.is_last = raw->unthrottle.throttled == 1;
		event->unthrottled.has_tasks = raw->unthrottle.load;
		event->unthrottled.group = raw->unthrottle.group;
		event->unthrottled.owner = raw->unthrottle.owner;
		event->unthrottled.quota_ns = raw->unthrottle.quota;
		event->unthrottled.period_ns = raw->unthrottle.period;
		event->unthrottled.burst_ns = raw->unthrottle.burst;
		event->unthrottled.share_ns = raw->unthrottle.share_us * 1000;
	} else if (event->kind == KEY_THROTTLE) {
		event->throttle.queue = raw->throttle.cfs;
		event->throttle.left_ns = (int64_t)raw->throttle.left;
		event->throttle.groups = READ_GROUPS(keys, THROTTLE, throttle, &raw->throttle, );
	} else if (event->kind == KEY_TICK) {
		event->tick = raw->tick;
	} else if (event->kind == KEY_CHANGE) {
		read_change(row, raw, event);
	} else if (event->kind == KEY_PLACE) {
		read_place(keys, &raw->place, event);
	}
}

/* An event is as long as its format describes it. */
static bool check_length(struct key_events *keys, int row, const struct ring_record *record)
{
	const uint32_t length = keys->layouts[row].length;

	if (record->length >= length && record->length <= length + PROBE_PADDING)
		return true;
	error_set(&keys->damage, STATUS_CORRUPT, key_event_rows[row].name,
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

static uint64_t value(const struct event_place *place, const struct ring_record *record)
{
	return place->size ? decode_number(place, record->data) : 0;
}

enum key_kind key_events_read(struct key_events *keys, const struct ring_record *record, uint32_t cpu,
			      struct key_event *event)
{
	union raw raw;
	int row = 0;

	event->kind = KEY_NONE;
	if (!keys->is_known || record->length < keys->type.offset + keys->type.size)
		return KEY_NONE;
	const uint64_t id = decode_number(&keys->type, record->data);
	while (row < KEY_ROWS && !(keys->layouts[row].is_known && keys->layouts[row].id == id))
		row++;
	if (row == KEY_ROWS)
		check_other(keys, id);
	if (row == KEY_ROWS || !check_length(keys, row, record))
		return KEY_NONE;
	for (size_t i = 0; i < key_event_rows[row].field_count; i++)
		raw.all[i] = value(&keys->layouts[row].fields[i], record);
	event->kind = key_event_rows[row].kind;
	event->cpu = keys->layouts[row].cpu.size ? (uint32_t)value(&keys->layouts[row].cpu, record) : cpu;
	event->caller = value(&keys->layouts[row].caller, record);
	read_kind(keys, (enum key_row_number)row, &raw.event, event);
	if ((event->kind == KEY_ENQUEUE || event->kind == KEY_PLACE) && !keys->se_offset)
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

bool key_events_has(const struct key_events *keys, const char *name)
{
	const char *dot = strchr(name, '.');
	const size_t length = dot ? (size_t)(dot - name) : strlen(name);

	for (int i = 0; i < KEY_ROWS; i++) {
		const struct key_event_row *row = &key_event_rows[i];
		if (strlen(row->name) != length || memcmp(row->name, name, length) != 0)
			continue;
		if (!keys->layouts[i].is_known || !dot)
			return keys->layouts[i].is_known;
		for (size_t j = 0; j < row->field_count; j++)
			if (strcmp(row->fields[j].name, dot + 1) == 0)
				return keys->layouts[i].fields[j].size != 0;
	}
	return false;
}
