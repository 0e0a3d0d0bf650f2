/* SPDX-License-Identifier: MIT
 *
 * A trace with keys as text, fed to the rules as decoded events: tests/golden/rules/README has the form. Tasks and
 * groups are numbers; "12.v=3ms" sets a key of one, and each event shows the keys as they are then. */
#ifndef SUPPORT_RULE_TRACE_H
#define SUPPORT_RULE_TRACE_H

#include <inttypes.h>

#include "base/memory.h"
#include "rules/invariants/row.h"
#include "rules/rules.h"
#include "rules/virtual_time.h"
#include "support/sched_feed.h"
#include "support/unit.h"

enum { TRACE_WORDS = 40, TRACE_ENTITIES = 128, TRACE_CPUS = 4 };
#define MS UINT64_C(1000000)

/* A change that a test makes to a trace while it is read. */
struct trace_change {
	const char *lacks; /* a field, an event or NEEDS_EQUAL_CPUS that this trace does not have; NULL: none */
	int before_line;   /* of the case: another event comes there; 0: none */
	enum { CHANGE_LOSS, CHANGE_EXTENSION, CHANGE_OF_TASK } what;
	enum key_change of_task;
	int32_t pid;
};

struct trace_entity {
	struct rule_entity keys;
	bool has_deadline;
	uint32_t group; /* number of the group that it is in; 0: none */
	int32_t prio, static_prio;
	uint64_t cpus, shares;
	char name[SCHED_COMM_SIZE];
};

struct rule_trace {
	struct leave_reason_table outs;
	struct pass pass;
	struct rules_consumer consumer;
	struct invariants found;
	struct rules rules;
	struct trace_entity entities[TRACE_ENTITIES];
	int32_t running[TRACE_CPUS];
	uint64_t now_ns;
	struct key_events keys;
	struct key_mark mark;
	struct trace_change change;
	/* The latest decision, and how many there were; the latest break of each row. */
	struct rule_decision decision;
	uint32_t decisions, breaks;
	uint64_t broken_ns;
	char evidence[INVARIANTS_MAX][256];
	enum clock_stops stops; /* at the end */
	/* The line that is read. */
	const char *words[TRACE_WORDS];
	int word_count;
	char text[512];
};

/* --- Words --- */

/* "3ms", "-20us", "0x3", "7". */
static inline uint64_t trace_number(const char *text)
{
	char *end;
	const int64_t number = strtoll(text, &end, 0);
	const int64_t unit = strcmp(end, "us") == 0   ? 1000
			     : strcmp(end, "ms") == 0 ? 1000000
			     : strcmp(end, "s") == 0  ? 1000000000
						      : 1;

	if (end == text)
		fail_msg("no number: %s", text);
	return (uint64_t)(number * unit);
}

/* The value of KEY=VALUE on this line, or NULL. */
static inline const char *trace_value(const struct rule_trace *trace, const char *key)
{
	const size_t length = strlen(key);

	for (int i = 0; i < trace->word_count; i++)
		if (strncmp(trace->words[i], key, length) == 0 && trace->words[i][length] == '=')
			return trace->words[i] + length + 1;
	return NULL;
}

static inline uint64_t trace_get(const struct rule_trace *trace, const char *key, uint64_t otherwise)
{
	const char *value = trace_value(trace, key);

	return value ? trace_number(value) : otherwise;
}

static inline bool trace_has(const struct rule_trace *trace, const char *word)
{
	for (int i = 0; i < trace->word_count; i++)
		if (strcmp(trace->words[i], word) == 0)
			return true;
	return false;
}

/* The field's value, or 0 if the trace lacks the field. */
static inline uint64_t trace_field(const struct rule_trace *trace, const char *name, uint64_t value)
{
	return key_events_has(&trace->keys, name) ? value : 0;
}

static inline struct trace_entity *trace_entity(struct rule_trace *trace, uint64_t number)
{
	assert_true(number < TRACE_ENTITIES);
	struct trace_entity *entity = &trace->entities[number];
	if (!entity->keys.id)
		*entity = (struct trace_entity){
		    .keys = {.id = number, .weight = RULE_NICE_0_WEIGHT, .slice = 3 * MS, .on_rq = true},
		    .prio = 120,
		    .static_prio = 120,
		    .cpus = 15,
		    .name = "task"};
	return entity;
}

/* NUMBER.KEY=VALUE */
static inline void trace_set_key(struct rule_trace *trace, const char *word)
{
	struct trace_entity *entity = trace_entity(trace, strtoul(word, NULL, 10));
	const char *key = strchr(word, '.') + 1, *value = strchr(word, '=') + 1;
	const int length = (int)(value - 1 - key);
	const struct {
		const char *name;
		uint64_t *to;
	} numbers[] = {{"v", &entity->keys.vruntime}, {"slice", &entity->keys.slice},    {"lag", &entity->keys.protect},
		       {"cpus", &entity->cpus},       {"shares", &entity->shares},       {"rw", &entity->keys.weight},
		       {"d", &entity->keys.deadline}, {"protect", &entity->keys.protect}};

	if (strncmp(key, "name=", 5) == 0) {
		snprintf(entity->name, sizeof(entity->name), "%s", value);
		return;
	}
	const uint64_t number = trace_number(value);
	entity->has_deadline |= key[0] == 'd' && length == 1;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (strncmp(key, numbers[i].name, (size_t)length) == 0 && !numbers[i].name[length]) {
			*numbers[i].to = number;
			return;
		}
	if (strncmp(key, "w=", 2) == 0)
		entity->keys.weight = number << RULE_WEIGHT_SHIFT;
	else if (strncmp(key, "prio=", 5) == 0)
		entity->prio = (int32_t)number;
	else if (strncmp(key, "static=", 7) == 0)
		entity->static_prio = (int32_t)number;
	else if (strncmp(key, "policy=", 7) == 0)
		entity->keys.policy = (uint32_t)number;
	else if (strncmp(key, "delayed=", 8) == 0)
		entity->keys.is_delayed = number;
	else if (strncmp(key, "in=", 3) == 0)
		entity->group = (uint32_t)number;
	else
		fail_msg("no key: %s", word);
}

/* --- What a kernel has --- */

struct trace_kernel {
	const char *name, *lacks; /* fields and events, separated by spaces */
	const char *features;     /* as delivered */
};

#define TRACE_BUDDIES "keys_pick.next_buddy keys_pick.last_buddy keys_pick.skip_buddy"
#define TRACE_FEATURES                                                                                                 \
	"PLACE_LAG,PLACE_DEADLINE_INITIAL,PLACE_REL_DEADLINE,RUN_TO_PARITY,PREEMPT_SHORT,NO_NEXT_BUDDY,DELAY_DEQUEUE," \
	"DELAY_ZERO,WAKEUP_PREEMPTION,NO_HRTICK,SIS_UTIL,WA_IDLE"
static const struct trace_kernel trace_kernels[] = {
    {"6.1",
     "keys_switch.prev_deadline keys_switch.next_deadline keys_switch.prev_vlag keys_switch.prev_delayed "
     "keys_switch.next_slice keys_switch.next_server keys_pick.curr_deadline keys_pick.curr_vlag "
     "keys_pick.curr_vprot keys_pick.curr_delayed keys_pick.curr_slice keys_pick.protect keys_pick.avg_vruntime "
     "keys_pick.avg_load keys_pick.zero_vruntime keys_pick.sum_shift keys_enqueue.deadline keys_enqueue.vlag "
     "keys_enqueue.slice keys_enqueue.delayed keys_enqueue.custom_slice keys_enqueue.nr_runnable "
     "keys_enqueue.p1_deadline keys_enqueue.p1_slice keys_enqueue.base_slice keys_yield.deadline "
     "keys_switch.next_load keys_yielded",
     "GENTLE_FAIR_SLEEPERS,START_DEBIT,NO_NEXT_BUDDY,LAST_BUDDY,WAKEUP_PREEMPTION,NO_HRTICK,SIS_UTIL,WA_IDLE"},
    {"6.12",
     TRACE_BUDDIES " keys_pick.curr_vprot keys_pick.protect keys_pick.sum_shift keys_pick.load "
		   "keys_enqueue.curr_vruntime keys_switch.next_load",
     TRACE_FEATURES},
    {"6.17",
     TRACE_BUDDIES " keys_pick.protect keys_pick.sum_shift keys_pick.load keys_enqueue.curr_vruntime "
		   "keys_switch.next_load",
     TRACE_FEATURES},
    {"7.3",
     "keys_switch.next_cfs keys_switch.prev_cfs keys_pick.load keys_pick.last_buddy keys_pick.skip_buddy "
     "keys_enqueue.curr_vruntime keys_enqueue.p1_vruntime keys_enqueue.p1_deadline keys_enqueue.p1_slice "
     "keys_enqueue.p1_shares keys_switch.prev_p1_weight",
     TRACE_FEATURES ",PICK_BUDDY"},
};

static inline bool trace_lists(const char *list, const char *event, const char *field)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", event, field ? "." : "", field ? field : "");
	const size_t length = strlen(name);
	for (const char *at = list; at && (at = strstr(at, name)); at++)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static inline void trace_set_fields(struct rule_trace *trace, const char *kernel_lacks)
{
	trace->keys = (struct key_events){.is_known = true};
	for (int i = 0; i < KEY_ROWS; i++) {
		const struct key_event_row *row = &key_event_rows[i];
		trace->keys.layouts[i].is_known =
		    !trace_lists(kernel_lacks, row->name, NULL) && !trace_lists(trace->change.lacks, row->name, NULL);
		for (size_t j = 0; j < row->field_count; j++)
			if (!trace_lists(kernel_lacks, row->name, row->fields[j].name) &&
			    !trace_lists(trace->change.lacks, row->name, row->fields[j].name))
				trace->keys.layouts[i].fields[j].size = 8;
	}
	trace->keys.has_groups = KEY_HAS(&trace->keys, SWITCH, switched, next_cfs);
}

static inline void trace_decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct rule_trace *trace = context;

	trace->decision = *decision;
	trace->decisions++;
	trace->breaks += decision->verdict == VERDICT_BREAKS;
	if (decision->verdict == VERDICT_BREAKS)
		trace->broken_ns = decision->ts_ns;
}

static inline void trace_broken(void *context, const struct sight *sight, const struct invariant_break *found)
{
	struct rule_trace *trace = context;
	struct buffer text = {.length = 0};

	invariant_add_evidence(found, &text);
	snprintf(trace->evidence[found->row], sizeof(trace->evidence[found->row]), "%s: %.*s", found->subject,
		 (int)text.length, (const char *)text.data);
	buffer_free(&text);
}

/* kernel NAME [cpus=N] [hz=N] [base=NS] [isolated=MASK] [cache=MASK] [granularity=NS] [rr=MS] [rt=US] [features=A,B] */
static inline void trace_begin(struct rule_trace *trace)
{
	const char *features = trace_value(trace, "features");
	size_t kernel = 0;

	while (kernel < sizeof(trace_kernels) / sizeof(*trace_kernels) &&
	       strcmp(trace_kernels[kernel].name, trace->words[1]) != 0)
		kernel++;
	assert_true(kernel < sizeof(trace_kernels) / sizeof(*trace_kernels));
	trace_set_fields(trace, trace_kernels[kernel].lacks);
	trace->outs = (struct leave_reason_table)FEED_OUTS;
	trace->pass.all_cpus = true;
	trace->consumer = (struct rules_consumer){
	    .context = trace, .decide = trace_decide, .broken = trace_broken, .invariants = &trace->found};
	task_states_begin(&trace->pass.states, &trace->outs, NULL);
	rules_begin_decoded(&trace->rules, &trace->consumer, &trace->pass, &trace->keys,
			    (uint32_t)trace_get(trace, "cpus", 1));
	trace->mark =
	    (struct key_mark){.hz = trace_get(trace, "hz", 250),
			      .base_slice_ns = trace_get(trace, "base", 3 * MS),
			      .wakeup_granularity_ns = trace_get(trace, "granularity", 0),
			      .isolated = trace_get(trace, "isolated", 0),
			      .shared_cache = trace_get(trace, "cache", 0),
			      .unequal_cpus = trace->change.lacks && strcmp(trace->change.lacks, NEEDS_EQUAL_CPUS) == 0,
			      .rr_slice_ms = trace_get(trace, "rr", 100),
			      .rt_runtime_us = trace_get(trace, "rt", 950000)};
	snprintf(trace->mark.features, sizeof(trace->mark.features), "%s",
		 features ? features : trace_kernels[kernel].features);
	rules_apply_mark(&trace->rules, &trace->mark);
}

static inline void trace_end(struct rule_trace *trace)
{
	rules_free(&trace->rules);
	task_states_free(&trace->pass.states);
}

/* --- Events --- */

static inline struct sched_task trace_task(struct rule_trace *trace, int32_t pid)
{
	struct sched_task task = feed_task(pid ? trace_entity(trace, (uint64_t)pid)->name : "swapper", pid);

	task.prio = pid ? trace_entity(trace, (uint64_t)pid)->prio : 120;
	return task;
}

/* The queue of a group has its number and 2000, that of a CPU 1000. */
static inline uint64_t trace_queue(uint32_t group, uint32_t cpu)
{
	return group ? 2000 + group : 1000 + cpu;
}

static inline struct rule_entity trace_keys(struct rule_trace *trace, uint64_t number)
{
	const struct trace_entity *entity = trace_entity(trace, number);
	struct rule_entity keys = entity->keys;

	if (!entity->has_deadline)
		keys.deadline = keys.vruntime + cpu_to_virtual(keys.slice, keys.weight);
	return keys;
}

static inline struct key_path trace_path(struct rule_trace *trace, uint64_t number, uint32_t cpu, bool has_groups)
{
	struct key_path path = {.depth = 0};
	uint64_t at = number ? number : TRACE_ENTITIES - 1 - cpu; /* an idle task */

	do {
		const uint32_t group = trace_entity(trace, at)->group;
		if (path.levels == 0 || has_groups) {
			path.entities[path.depth] = trace_keys(trace, at);
			path.entities[path.depth].is_group = path.depth > 0;
			path.queues[path.depth++] = trace_queue(group, cpu);
		}
		path.levels++;
		at = group;
	} while (at && path.levels < RULE_DEPTH_MAX);
	return path;
}

static inline void trace_take(struct rule_trace *trace, struct sched_event *event, const struct key_event *keys)
{
	struct task_step step = {.changes = 0};

	event->ts_ns = trace->now_ns;
	event->context = SCHED_CONTEXT_TASK;
	event->common_pid = trace->running[event->cpu];
	if (keys)
		event->kind = SCHED_OTHER_EVENT;
	assert_int_equal(task_states_step(&trace->pass.states, event, &step, NULL), STATUS_OK);
	rules_take(&trace->rules, &trace->pass, event, &step, keys);
}

/* switch PREV NEXT STATE [on=0|1] [half=keys|event] [budget=NS] [throttled] [rt=N] [dl=N] [rt_throttled] [server]
 * [count=N] [served] [load=N]; without the fields of classes, one task of next's class runs. */
static inline void trace_switch(struct rule_trace *trace, uint32_t cpu)
{
	const int32_t out = atoi(trace->words[3]), in = atoi(trace->words[4]);
	const char *half = trace_value(trace, "half");
	struct sched_event event = {.cpu = cpu, .kind = SCHED_SWITCH};
	struct key_event keys = {.kind = KEY_SWITCH, .cpu = cpu};
	struct rule_entity *prev = &keys.switched.prev.entities[0];

	event.switched.prev = trace_task(trace, out);
	event.switched.next = trace_task(trace, in);
	event.switched.prev_state = (uint64_t)trace->words[5][0];
	keys.switched.prev = trace_path(trace, (uint64_t)out, cpu, true);
	keys.switched.next = trace_path(trace, (uint64_t)in, cpu, false);
	prev->on_rq = trace_get(trace, "on", strchr("Rp", trace->words[5][0]) || prev->is_delayed);
	prev->slice = 0;
	keys.switched.next_pid = in;
	keys.switched.has_budget = trace_value(trace, "budget");
	keys.switched.budget_ns = (int64_t)trace_get(trace, "budget", 0);
	keys.switched.is_prev_throttled = trace_has(trace, "throttled");
	keys.switched.next_cpus =
	    in ? trace_field(trace, "keys_switch.next_cpus", trace_entity(trace, (uint64_t)in)->cpus) : 0;
	keys.switched.next_load = trace_field(trace, "keys_switch.next_load", trace_get(trace, "load", 1024) << 10);
	keys.switched.next_static_prio = in ? trace_entity(trace, (uint64_t)in)->static_prio : 120;
	keys.switched.has_count = trace_value(trace, "count");
	keys.switched.count = (uint32_t)trace_get(trace, "count", 0);
	keys.switched.has_class_counts = key_events_has(&trace->keys, "keys_switch.rt_count");
	keys.switched.real_time_count =
	    (uint32_t)trace_get(trace, "rt", rule_class_of(&event.switched.next) == CLASS_REAL_TIME);
	keys.switched.deadline_count =
	    (uint32_t)trace_get(trace, "dl", rule_class_of(&event.switched.next) == CLASS_DEADLINE);
	keys.switched.is_real_time_throttled = trace_has(trace, "rt_throttled");
	keys.switched.is_served = trace_has(trace, "served");
	keys.switched.has_server = trace_has(trace, "server") || keys.switched.is_served;
	struct sched_event probe = {.cpu = cpu};
	if (!half || strcmp(half, "keys") == 0)
		trace_take(trace, &probe, &keys);
	if (!half || strcmp(half, "event") == 0)
		trace_take(trace, &event, NULL);
	trace->running[cpu] = in;
}

/* Adds an entity to the kernel's sums of its queue. */
static inline void trace_add_sums(struct rule_trace *trace, const struct rule_entity *entity, bool runs,
				  struct queue_sums *sums)
{
	const struct rule_traits *traits = &trace->rules.machine.traits;
	const uint64_t weight =
	    traits->has_deadline ? virtual_time_weight(traits, entity->weight, sums->shift) : entity->weight;

	sums->count++;
	if (runs && traits->has_deadline)
		return;
	sums->weight += weight;
	sums->weighted += (entity->vruntime - sums->zero) * weight;
}

static inline struct queue_sums trace_sums(struct rule_trace *trace, const struct rule_entity *running)
{
	const bool is_eevdf = trace->rules.machine.traits.has_deadline;
	struct queue_sums sums = {.has_weight = !trace_has(trace, "nosums"),
				  .has_keys = is_eevdf && key_events_has(&trace->keys, "keys_pick.avg_vruntime"),
				  .has_count = true};
	const char *at = trace_value(trace, "wait");

	while (at && *at) {
		const struct rule_entity waiting = trace_keys(trace, strtoul(at, NULL, 10));
		trace_add_sums(trace, &waiting, false, &sums);
		at += strcspn(at, ",");
		at += *at == ',';
	}
	if (running && running->on_rq)
		trace_add_sums(trace, running, true, &sums);
	return sums;
}

/* pick [test] [queue=GROUP] [run=NUMBER] [on=0] [wait=NUMBER,...] [next=N] [last=N] [skip=N] [unprotected] [nosums] */
static inline void trace_pick(struct rule_trace *trace, uint32_t cpu)
{
	const uint64_t running = trace_get(trace, "run", 0);
	struct sched_event event = {.cpu = cpu};
	struct key_event keys = {
	    .kind = KEY_PICK, .cpu = cpu, .caller = trace_get(trace, "caller", trace_has(trace, "test") ? 2 : 1)};

	keys.pick = (struct key_pick){.queue = trace_queue((uint32_t)trace_get(trace, "queue", 0), cpu),
				      .is_unprotected = trace_has(trace, "unprotected"),
				      .next = trace_get(trace, "next", 0),
				      .last = trace_get(trace, "last", 0),
				      .skip = trace_get(trace, "skip", 0)};
	if (running) {
		keys.pick.running = trace_keys(trace, running);
		keys.pick.running.on_rq = trace_get(trace, "on", 1);
		keys.pick.running.slice = trace_field(trace, "keys_pick.curr_slice", keys.pick.running.slice);
	}
	keys.pick.sums = trace_sums(trace, &keys.pick.running);
	trace_take(trace, &event, &keys);
}

/* enqueue PID [cpu=N] [sleeper] [fork] [runnable=N] [deadline=NS] [custom] [base=NS] [throttled] [clock=NS] */
static inline void trace_enqueue(struct rule_trace *trace, uint32_t cpu)
{
	const uint32_t target = (uint32_t)trace_get(trace, "cpu", cpu);
	const uint64_t pid = strtoul(trace->words[3], NULL, 10);
	const struct trace_entity *task = trace_entity(trace, pid);
	struct sched_event event = {.cpu = cpu};
	struct key_event keys = {.kind = KEY_ENQUEUE, .cpu = target};
	struct key_path path = trace_path(trace, pid, target, true);

	for (uint32_t i = 1; i < path.depth; i++)
		keys.enqueued.shares[i] = trace_field(trace, "keys_enqueue.p1_shares",
						      trace_entity(trace, path.entities[i].id)->shares << 10);
	if (task->prio < 100)
		path.depth = path.levels = 0;
	keys.enqueued.is_throttled = trace_has(trace, "throttled");
	if (keys.enqueued.is_throttled && path.depth)
		path.depth = path.levels = 1;
	keys.enqueued.task = path;
	keys.enqueued.pid = (int32_t)pid;
	keys.enqueued.flags = (trace_has(trace, "sleeper") ? (uint32_t)WAKEUP_OF_SLEEPER : 0) |
			      (trace_has(trace, "fork") ? (uint32_t)WAKEUP_OF_FORK : 0);
	keys.enqueued.cpus = trace_field(trace, "keys_enqueue.cpus", task->cpus);
	keys.enqueued.has_custom_slice = key_events_has(&trace->keys, "keys_enqueue.custom_slice");
	keys.enqueued.is_custom_slice = trace_has(trace, "custom");
	keys.enqueued.has_runnable = trace_value(trace, "runnable");
	keys.enqueued.runnable = (uint32_t)trace_get(trace, "runnable", UINT32_MAX);
	keys.enqueued.deadline_ns = trace_field(trace, "keys_enqueue.dl_deadline", trace_get(trace, "deadline", 0));
	keys.enqueued.base_slice_ns = trace_field(trace, "keys_enqueue.base_slice", trace_get(trace, "base", 3 * MS));
	keys.enqueued.static_prio = task->static_prio;
	keys.enqueued.has_prio = true;
	keys.enqueued.prio = task->prio;
	if (key_events_has(&trace->keys, "keys_enqueue.curr_vruntime") && trace->running[target]) {
		keys.enqueued.has_current = true;
		keys.enqueued.current = trace_keys(trace, (uint64_t)trace->running[target]);
		keys.enqueued.current.slice = trace_get(trace, "clock", 0);
	}
	trace_take(trace, &event, &keys);
}

/* place PID prev=CPU [recent=CPU] [sleeper] [fork] [hint] [flips=N] [scan=N] */
static inline void trace_place(struct rule_trace *trace, uint32_t cpu)
{
	const uint64_t pid = strtoul(trace->words[3], NULL, 10);
	struct sched_event event = {.cpu = cpu};
	struct key_event keys = {.kind = KEY_PLACE, .cpu = cpu};

	keys.place.pid = (int32_t)pid;
	keys.place.previous = (uint32_t)trace_get(trace, "prev", cpu);
	keys.place.recent = (uint32_t)trace_get(trace, "recent", keys.place.previous);
	keys.place.flags = (trace_has(trace, "sleeper") ? (uint32_t)WAKEUP_OF_SLEEPER : 0) |
			   (trace_has(trace, "fork") ? (uint32_t)WAKEUP_OF_FORK : 0) |
			   (trace_has(trace, "hint") ? (uint32_t)WAKEUP_WITH_HINT : 0);
	keys.place.flips = (uint32_t)trace_get(trace, "flips", 0);
	keys.place.scan = (uint32_t)trace_get(trace, "scan", 4);
	keys.place.cpus = trace_field(trace, "keys_place.cpus", trace_entity(trace, pid)->cpus);
	trace_take(trace, &event, &keys);
}

/* resched [cpu=N] [caller=N], tick [of=GROUP load=N part=N own=N shares=N weight=N], yield [ran=NS], yielded [ran=NS]
 * [wait=...], unthrottle GROUP [last] [empty], throttle GROUP [left=NS] [quota=NS period=NS burst=NS],
 * attributes|nice|group|affinity PID [policy=N] [runtime=NS], done, groups, hotplug: key events. */
static inline void trace_key(struct rule_trace *trace, uint32_t cpu, const char *kind)
{
	static const char *const changes[] = {"attributes", "done", "nice", "group", "affinity"};
	static const struct {
		const char *name;
		enum key_kind kind;
	} kinds[] = {{"resched", KEY_RESCHED},       {"tick", KEY_TICK},
		     {"yield", KEY_YIELD},           {"yielded", KEY_YIELDED},
		     {"unthrottle", KEY_UNTHROTTLE}, {"throttle", KEY_THROTTLE},
		     {"groups", KEY_GROUPS_CHANGE},  {"hotplug", KEY_HOTPLUG}};
	const uint64_t about = trace->word_count > 3 ? strtoul(trace->words[3], NULL, 10) : 0;
	struct sched_event event = {.cpu = cpu};
	struct key_event keys = {
	    .kind = KEY_NONE, .cpu = (uint32_t)trace_get(trace, "cpu", cpu), .caller = trace_get(trace, "caller", 3)};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kind, kinds[i].name) == 0)
			keys.kind = kinds[i].kind;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (strcmp(kind, changes[i]) == 0) {
			keys.kind = KEY_CHANGE;
			keys.change.what = (enum key_change)i;
			keys.change.pid = (int32_t)about;
			keys.change.policy = (uint32_t)trace_get(trace, "policy", 0);
			keys.change.runtime_ns = trace_get(trace, "runtime", 0);
		}
	if (keys.kind == KEY_NONE)
		fail_msg("no event: %s", kind);
	if (keys.kind == KEY_YIELD || keys.kind == KEY_YIELDED) {
		const struct rule_entity task = trace_keys(trace, (uint64_t)trace->running[cpu]);
		keys.yielded = (struct key_yield){.task = task, .charged_ns = 100 * MS + trace_get(trace, "ran", 0)};
		keys.yielded.task.id = 0;
		if (keys.kind == KEY_YIELDED)
			keys.yielded.sums = trace_sums(trace, NULL);
	} else if (keys.kind == KEY_UNTHROTTLE) {
		keys.unthrottled.queue = trace_queue((uint32_t)about, cpu);
		keys.unthrottled.is_last = trace_has(trace, "last");
		keys.unthrottled.has_tasks = !trace_has(trace, "empty");
		keys.unthrottled.owner = about;
		keys.unthrottled.quota_ns = trace_get(trace, "quota", 0);
		keys.unthrottled.period_ns = trace_get(trace, "period", 10 * MS);
		keys.unthrottled.burst_ns = trace_get(trace, "burst", 0);
		keys.unthrottled.share_ns = 5 * MS;
	} else if (keys.kind == KEY_THROTTLE) {
		keys.throttle.queue = trace_queue((uint32_t)about, cpu);
		keys.throttle.left_ns = (int64_t)trace_get(trace, "left", 0);
	} else if (keys.kind == KEY_TICK) {
		keys.tick.server_runtime = 50 * MS;
		keys.tick.server_period = 1000 * MS;
		keys.tick.owner = trace_get(trace, "of", 0);
		keys.tick.load = trace_get(trace, "load", 0);
		keys.tick.part = trace_get(trace, "part", 0);
		keys.tick.own = trace_get(trace, "own", keys.tick.part);
		keys.tick.queued = 1024 << RULE_WEIGHT_SHIFT;
		keys.tick.shares = trace_get(trace, "shares", 1024) << RULE_WEIGHT_SHIFT;
		keys.tick.weight = trace_get(trace, "weight", 0) << RULE_WEIGHT_SHIFT;
	}
	trace_take(trace, &event, &keys);
}

/* wakeup|waking|new PID [cpu=N], migrate PID FROM TO, setprio PID OLD NEW, lost, gap, extension: events of the
 * scheduler. False if it is none of these. */
static inline bool trace_scheduler_event(struct rule_trace *trace, uint32_t cpu, const char *kind)
{
	static const char enabled[] = "scheduler simple enabled 1";
	const int32_t pid = trace->word_count > 3 ? atoi(trace->words[3]) : 0;
	struct sched_event event = {.cpu = cpu, .kind = SCHED_EVENT_ROWS};

	if (strcmp(kind, "wakeup") == 0 || strcmp(kind, "waking") == 0 || strcmp(kind, "new") == 0) {
		event.kind = kind[0] == 'n' ? SCHED_WAKEUP_NEW : kind[3] == 'e' ? SCHED_WAKEUP : SCHED_WAKING;
		event.wakeup.task = trace_task(trace, pid);
		event.wakeup.target_cpu = (uint32_t)trace_get(trace, "cpu", cpu);
	} else if (strcmp(kind, "migrate") == 0) {
		event.kind = SCHED_MIGRATE;
		event.migrate.task = trace_task(trace, pid);
		event.migrate.from_cpu = (uint32_t)atoi(trace->words[4]);
		event.migrate.to_cpu = (uint32_t)atoi(trace->words[5]);
	} else if (strcmp(kind, "setprio") == 0) {
		event.kind = SCHED_PI_SETPRIO;
		trace_entity(trace, (uint64_t)pid)->prio = atoi(trace->words[5]);
		event.set_prio.task = trace_task(trace, pid);
		event.set_prio.old_prio = atoi(trace->words[4]);
	} else if (strcmp(kind, "lost") == 0 || strcmp(kind, "gap") == 0) {
		event.kind = kind[0] == 'l' ? SCHED_LOST : SCHED_GAP;
	} else if (strcmp(kind, "extension") == 0) {
		event.kind = SCHED_MARK;
		event.mark = (struct sched_text){enabled, sizeof(enabled) - 1};
	}
	if (event.kind == SCHED_EVENT_ROWS)
		return false;
	trace_take(trace, &event, NULL);
	return true;
}

/* --- Lines --- */

static inline void trace_split(struct rule_trace *trace, const char *line)
{
	snprintf(trace->text, sizeof(trace->text), "%s", line);
	trace->word_count = 0;
	for (char *word = strtok(trace->text, " \t"); word && trace->word_count < TRACE_WORDS;
	     word = strtok(NULL, " \t"))
		trace->words[trace->word_count++] = word;
}

/* A line that is neither empty, a comment nor an expected value: "kernel ...", "set NUMBER.KEY=VALUE...", or
 * "TIME CPU EVENT ...". A time with + is since the line before. */
static inline void trace_line(struct rule_trace *trace, const char *line)
{
	trace_split(trace, line);
	if (strcmp(trace->words[0], "kernel") == 0) {
		trace_begin(trace);
		return;
	}
	for (int i = 1; i < trace->word_count; i++)
		if (trace->words[i][0] >= '0' && trace->words[i][0] <= '9' && strchr(trace->words[i], '.'))
			trace_set_key(trace, trace->words[i]);
	if (strcmp(trace->words[0], "set") == 0)
		return;
	assert_true(trace->word_count > 2);
	const uint32_t cpu = (uint32_t)atoi(trace->words[1]);
	const uint64_t time_ns = trace_number(trace->words[0] + (trace->words[0][0] == '+'));
	const char *kind = trace->words[2];
	trace->now_ns = trace->words[0][0] == '+' ? trace->now_ns + time_ns : time_ns;
	if (strcmp(kind, "switch") == 0)
		trace_switch(trace, cpu);
	else if (strcmp(kind, "pick") == 0)
		trace_pick(trace, cpu);
	else if (strcmp(kind, "enqueue") == 0)
		trace_enqueue(trace, cpu);
	else if (strcmp(kind, "place") == 0)
		trace_place(trace, cpu);
	else if (!trace_scheduler_event(trace, cpu, kind))
		trace_key(trace, cpu, kind);
}

#endif
