/* SPDX-License-Identifier: MIT
 *
 * The definitions of events from the BTF of several schedulers, small and made here: the members that exist decide. */
#include "record/tracefs/key_events.h"
#include "support/btf_recipe.h"
#include "support/unit.h"

enum layout {
	CFS,             /* no deadlines, pick_next_entity(cfs_rq, curr) */
	EEVDF,           /* deadlines, pick_eevdf(cfs_rq) */
	FLAT,            /* one queue per CPU: h_load; vlag and vprot in a nameless union */
	TWO_PICKS,       /* EEVDF, pick_eevdf(cfs_rq) calls __pick_eevdf(cfs_rq, protect) */
	PICK_INLINED,    /* EEVDF whose pick was inlined */
	RENAMED,         /* EEVDF without vlag, and with members before the others */
	NO_TRACE_POINTER /* EEVDF without __traceiter_sched_switch */
};

/* BTF with the types in a fixed order, so that they can refer to later ones. */
struct kernel {
	struct btf_recipe recipe;
	struct btf btf;
};

enum {
	LONG = 1,
	LOAD,
	ENTITY,
	ENTITY_POINTER,
	QUEUE,
	QUEUE_POINTER,
	TASK,
	TASK_POINTER,
	RUN_QUEUE,
	RUN_QUEUE_POINTER,
	UNION,
	DEADLINE,
	GROUP,
	GROUP_POINTER
};

static void add_function(struct btf_recipe *recipe, const char *name, const char *const *names, const uint32_t *types,
			 uint32_t count)
{
	uint32_t prototype = btf_type(recipe, BTF_FUNC_PROTO, "", count, 0);

	for (uint32_t i = 0; i < count; i++) {
		btf_word(recipe, btf_string(recipe, names[i]));
		btf_word(recipe, types[i]);
	}
	btf_type(recipe, BTF_FUNC, name, 0, prototype);
}

static void add_members(struct btf_recipe *recipe, const char *name, uint32_t size, const char *const *names,
			const uint32_t *types, uint32_t count, uint32_t first_byte)
{
	btf_type(recipe, BTF_STRUCT, name, count, size);
	for (uint32_t i = 0; i < count; i++)
		btf_add_member(recipe, names[i], types[i], 8 * (first_byte + 16 * i));
}

static void add_structs(struct btf_recipe *recipe, enum layout layout)
{
	static const uint32_t numbers[] = {LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG};
	static const char *const cfs[] = {"load", "vruntime", "on_rq", "exec_start", "depth", "parent", "cfs_rq"};
	static const uint32_t cfs_types[] = {LOAD, LONG, LONG, LONG, LONG, ENTITY_POINTER, QUEUE_POINTER};
	static const char *const eevdf[] = {"load",   "vruntime",      "on_rq",    "exec_start", "depth", "parent",
					    "cfs_rq", "sched_delayed", "deadline", "slice",      "vlag"};
	static const uint32_t eevdf_types[] = {LOAD,          LONG, LONG, LONG, LONG, ENTITY_POINTER,
					       QUEUE_POINTER, LONG, LONG, LONG, LONG};
	static const char *const flat[] = {"load",   "vruntime",      "on_rq",    "exec_start", "depth", "parent",
					   "cfs_rq", "sched_delayed", "deadline", "slice",      "",      "h_load"};
	static const uint32_t flat_types[] = {LOAD,          LONG, LONG, LONG, LONG,  ENTITY_POINTER,
					      QUEUE_POINTER, LONG, LONG, LONG, UNION, LOAD};
	static const char *const cfs_queue[] = {"load", "nr_running", "min_vruntime", "curr",          "rq",
						"next", "last",       "skip",         "throttle_count"};
	static const char *const eevdf_queue[] = {
	    "load",          "nr_running",     "avg_vruntime",     "curr", "rq", "next", "zero_vruntime", "avg_load",
	    "h_nr_runnable", "throttle_count", "runtime_remaining"};
	static const char *const flat_queue[] = {"load",        "nr_queued", "sum_w_vruntime", "curr",
						 "rq",          "next",      "zero_vruntime",  "sum_weight",
						 "h_nr_queued", "sum_shift", "throttle_count", "runtime_remaining",
						 "tg"};
	static const uint32_t queue_types[] = {LOAD, LONG, LONG, ENTITY_POINTER, RUN_QUEUE_POINTER, LONG, LONG, LONG,
					       LONG, LONG, LONG, LONG,           GROUP_POINTER};

	btf_type(recipe, BTF_INT, "long", 0, 8);
	btf_word(recipe, 64);
	add_members(recipe, "load_weight", 16, (const char *const[]){"weight"}, numbers, 1, 0);
	if (layout == FLAT)
		add_members(recipe, "sched_entity", 192, flat, flat_types, 12, 0);
	else if (layout == CFS)
		add_members(recipe, "sched_entity", 112, cfs, cfs_types, 7, 0);
	else
		add_members(recipe, "sched_entity", 192, eevdf, eevdf_types, layout == RENAMED ? 10 : 11,
			    layout == RENAMED ? 64 : 0);
	btf_type(recipe, BTF_PTR, "", 0, ENTITY);
	if (layout == CFS)
		add_members(recipe, "cfs_rq", 144, cfs_queue, queue_types, 9, 0);
	else if (layout == FLAT)
		add_members(recipe, "cfs_rq", 208, flat_queue, queue_types, 13, 0);
	else
		add_members(recipe, "cfs_rq", 176, eevdf_queue, queue_types, 11, 0);
	btf_type(recipe, BTF_PTR, "", 0, QUEUE);
	btf_type(recipe, BTF_STRUCT, "task_struct", 5, 600);
	btf_add_member(recipe, "pid", LONG, 8 * 32);
	btf_add_member(recipe, "sched_task_group", GROUP_POINTER, 8 * 40);
	btf_add_member(recipe, "policy", LONG, 8 * 48);
	btf_add_member(recipe, "se", ENTITY, 8 * 64);
	btf_add_member(recipe, "dl", DEADLINE, 8 * 400);
	btf_type(recipe, BTF_PTR, "", 0, TASK);
	add_members(recipe, "rq", 600, (const char *const[]){"cpu", "curr", "clock_task", "cfs"},
		    (const uint32_t[]){LONG, TASK_POINTER, LONG, QUEUE}, 4, 0);
	btf_type(recipe, BTF_PTR, "", 0, RUN_QUEUE);
	btf_type(recipe, BTF_UNION, "", 2, 8);
	btf_add_member(recipe, "vlag", LONG, 0);
	btf_add_member(recipe, "vprot", LONG, 0);
	btf_type(recipe, BTF_STRUCT, "sched_dl_entity", 1 | UINT32_C(1) << 31, 16);
	btf_add_member(recipe, "dl_throttled", LONG, 1 << 24 | (8 * 12 + 3));
	add_members(recipe, "task_group", 24, (const char *const[]){"parent"}, (const uint32_t[]){GROUP_POINTER}, 1,
		    16);
	btf_type(recipe, BTF_PTR, "", 0, GROUP);
}

static void add_functions(struct btf_recipe *recipe, enum layout layout)
{
	static const char *const switch_names[] = {"__data", "preempt", "prev", "next", "prev_state"};
	static const uint32_t switch_types[] = {LONG, LONG, TASK_POINTER, TASK_POINTER, LONG};
	static const char *const enqueue_names[] = {"rq", "p", "flags"};
	static const uint32_t enqueue_types[] = {RUN_QUEUE_POINTER, TASK_POINTER, LONG};
	static const char *const pick_names[] = {"cfs_rq", "curr"};
	static const uint32_t pick_types[] = {QUEUE_POINTER, ENTITY_POINTER};
	static const uint32_t protect_types[] = {QUEUE_POINTER, LONG};

	if (layout == NO_TRACE_POINTER) {
		uint32_t prototype = btf_type(recipe, BTF_FUNC_PROTO, "", 5, 0);
		for (uint32_t i = 0; i < 5; i++) {
			btf_word(recipe, btf_string(recipe, switch_names[i]));
			btf_word(recipe, switch_types[i]);
		}
		uint32_t pointer = btf_type(recipe, BTF_PTR, "", 0, prototype);
		btf_type(recipe, BTF_TYPEDEF, "btf_trace_sched_switch", 0, pointer);
	} else {
		add_function(recipe, "__traceiter_sched_switch", switch_names, switch_types, 5);
	}
	add_function(recipe, layout == CFS ? "check_preempt_curr" : "wakeup_preempt", enqueue_names, enqueue_types, 3);
	if (layout == CFS)
		add_function(recipe, "pick_next_entity", pick_names, pick_types, 2);
	else if (layout == FLAT)
		add_function(recipe, "pick_eevdf", (const char *const[]){"cfs_rq", "protect"}, protect_types, 2);
	else if (layout == TWO_PICKS)
		add_function(recipe, "__pick_eevdf", (const char *const[]){"cfs_rq", "protect"}, protect_types, 2);
	else if (layout != PICK_INLINED)
		add_function(recipe, "pick_eevdf", pick_names, pick_types, 1);
	if (layout == FLAT)
		btf_type(recipe, BTF_ENUM, "preempt_wakeup_action", 0, 4);
	add_function(recipe, "resched_curr", enqueue_names, enqueue_types, 1);
	add_function(recipe, "yield_task_fair", enqueue_names, enqueue_types, 1);
	add_function(recipe, "throttle_cfs_rq", pick_names, pick_types, 1);
	add_function(recipe, "unthrottle_cfs_rq", pick_names, pick_types, 1);
	/* A parameter is found by its name. */
	const uint32_t attributes = btf_type(recipe, BTF_STRUCT, "sched_attr", 2, 56);
	btf_add_member(recipe, "sched_policy", LONG, 8 * 4);
	btf_add_member(recipe, "sched_runtime", LONG, 8 * 24);
	const uint32_t pointer = btf_type(recipe, BTF_PTR, "", 0, attributes);
	add_function(recipe, "select_task_rq_fair", (const char *const[]){"p", "prev_cpu", "wake_flags"},
		     (const uint32_t[]){TASK_POINTER, LONG, LONG}, 3);
	add_function(recipe, "__sched_setscheduler", (const char *const[]){"p", "attr"},
		     (const uint32_t[]){TASK_POINTER, pointer}, 2);
	add_function(recipe, "sched_cpu_activate", (const char *const[]){"cpu"}, (const uint32_t[]){LONG}, 1);
	add_function(recipe, "tg_set_bandwidth", (const char *const[]){"tg"}, (const uint32_t[]){LONG}, 1);
}

static void make_kernel(struct kernel *kernel, enum layout layout)
{
	btf_begin(&kernel->recipe);
	add_structs(&kernel->recipe, layout);
	add_functions(&kernel->recipe, layout);
	btf_end(&kernel->recipe);
	assert_int_equal(btf_open(kernel->recipe.bytes, kernel->recipe.length, &kernel->btf, NULL), STATUS_OK);
}

static const struct key_definition *find_event(const struct key_definitions *events, const char *name)
{
	for (size_t i = 0; i < events->count; i++)
		if (strcmp(events->events[i].name, name) == 0)
			return &events->events[i];
	return NULL;
}

/* Has the event's first probe this field, with exactly this value and type? */
static void assert_field(const struct key_definitions *events, const char *name, const char *field)
{
	const struct key_definition *event = find_event(events, name);

	assert_non_null(event);
	assert_non_null(event->probes[0].text);
	const char *found = strstr(event->probes[0].text, field);
	if (!found || found[-1] != ' ' || (found[strlen(field)] != ' ' && found[strlen(field)] != '\0'))
		fail_msg("%s has no '%s': %s", name, field, event->probes[0].text);
}

static void assert_no_field(const struct key_definitions *events, const char *name, const char *field)
{
	const struct key_definition *event = find_event(events, name);

	assert_non_null(event->probes[0].text);
	if (strstr(event->probes[0].text, field))
		fail_msg("%s has '%s': %s", name, field, event->probes[0].text);
}

static void make_levels(enum layout layout, bool has_pick, unsigned int levels, struct key_definitions *events)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));

	assert_non_null(kernel);
	make_kernel(kernel, layout);
	key_events_make(&kernel->btf, has_pick, levels, events);
	btf_close(&kernel->btf);
	free(kernel);
}

static void make_events(enum layout layout, bool has_pick, struct key_definitions *events)
{
	make_levels(layout, has_pick, KEY_LEVELS_MAX, events);
}

TEST(test_cfs)
{
	struct key_definitions events;

	make_events(CFS, true, &events);
	assert_string_equal(events.missing.data, "");
	/* se is at 64 of a task, vruntime at 16 of an entity. */
	assert_field(&events, "keys_switch", "prev_vruntime=+80($arg3):u64");
	assert_field(&events, "keys_switch", "next_vruntime=+80($arg4):u64");
	assert_field(&events, "keys_switch", "se_offset=\\64:u16");
	assert_field(&events, "keys_switch", "prev_p2_vruntime=+16(+80(+144($arg3))):u64");
	assert_no_field(&events, "keys_switch", "deadline");
	assert_no_field(&events, "keys_switch", "after");
	assert_field(&events, "keys_pick", "curr=$arg2:x64");
	assert_field(&events, "keys_pick", "skip_buddy=+112($arg1):x64");
	assert_field(&events, "keys_pick", "cpu=+0(+64($arg1)):u16");
	assert_field(&events, "keys_enqueue", "curr_exec_start=+112(+16($arg1)):u64");
	assert_field(&events, "keys_setattr", "runtime=+24($arg2):u64");
	assert_field(&events, "keys_switch", "prev_throttled=+412($arg3):b1@3/8");
	assert_no_field(&events, "keys_enqueue", "base_slice");
	assert_no_field(&events, "keys_yield", "vruntime");
	assert_no_field(&events, "keys_enqueue", "nr_runnable");
	assert_null(find_event(&events, "keys_yielded"));
	assert_int_equal(find_event(&events, "keys_pick")->probes[0].type, 'p');
	assert_int_equal(find_event(&events, "keys_pick")->probes[1].type, 'f');
	/* Interrupts come while its function runs. */
	assert_int_equal(find_event(&events, "keys_setattr")->probes[0].type, 'f');
	assert_int_equal(find_event(&events, "keys_setattr")->probes[1].type, 'p');
	assert_memory_equal(find_event(&events, "keys_pick")->probes[0].text, "pick_next_entity ", 17);
	key_events_free(&events);
}

/* A parent that a task does not have costs a page fault per field. */
TEST(test_only_levels_that_there_are)
{
	struct key_definitions events;

	for (unsigned int levels = 0; levels <= KEY_LEVELS_MAX; levels++) {
		make_levels(EEVDF, true, levels, &events);
		assert_field(&events, "keys_switch", "prev_depth=+128($arg3):u8");
		for (unsigned int parent = 1; parent <= KEY_LEVELS_MAX; parent++) {
			char name[32];
			snprintf(name, sizeof(name), " prev_p%u_deadline=", parent);
			assert_int_equal(strstr(find_event(&events, "keys_switch")->probes[0].text, name) != NULL,
					 parent <= levels);
			snprintf(name, sizeof(name), " p%u=", parent);
			assert_int_equal(strstr(find_event(&events, "keys_enqueue")->probes[0].text, name) != NULL,
					 parent <= levels);
		}
		assert_string_equal(events.missing.data, "");
		key_events_free(&events);
	}
}

TEST(test_eevdf)
{
	struct key_definitions events;

	make_events(EEVDF, true, &events);
	assert_string_equal(events.missing.data, "");
	assert_field(&events, "keys_switch", "prev_deadline=+192($arg3):u64");
	assert_field(&events, "keys_switch", "prev_delayed=+176($arg3):u8");
	assert_field(&events, "keys_pick", "curr=+48($arg1):x64");
	assert_field(&events, "keys_pick", "curr_vlag=+160(+48($arg1)):s64");
	assert_field(&events, "keys_pick", "avg_load=+112($arg1):u64");
	assert_no_field(&events, "keys_pick", "skip_buddy");
	assert_no_field(&events, "keys_pick", "load=+0");
	assert_no_field(&events, "keys_switch", "avg_load");
	assert_no_field(&events, "keys_enqueue", "curr_exec_start");
	assert_field(&events, "keys_yield", "vruntime=+80(+16($arg1)):u64");
	assert_field(&events, "keys_yield", "exec_start=+112(+16($arg1)):u64");
	assert_field(&events, "keys_yield", "weight=+64(+16($arg1)):u32");
	assert_field(&events, "keys_enqueue", "nr_runnable=+176($arg1):u32");
	assert_field(&events, "keys_unthrottle", "load=+0($arg1):u64");
	assert_field(&events, "keys_unthrottle", "throttled=+144($arg1):u16");
	assert_field(&events, "keys_place", "prev=$arg2:u16");
	assert_field(&events, "keys_place", "flags=$arg3:u32");
	assert_no_field(&events, "keys_place", "scan");
	assert_field(&events, "keys_enqueue", "p2_slice=+144(+80(+144($arg2))):u32");
	assert_field(&events, "keys_cpu_comes", "cpu=$arg1:u16");
	assert_field(&events, "keys_setattr_done", "result=$retval:s32");
	assert_memory_equal(find_event(&events, "keys_quota")->probes[0].text, "tg_set_bandwidth ", 17);
	key_events_free(&events);
}

/* A kernel that does not name variables still records the rest of the event. */
TEST(test_a_variable_may_be_refused)
{
	struct key_definitions events;

	make_events(EEVDF, true, &events);
	const struct key_probe *probes = find_event(&events, "keys_enqueue")->probes;
	for (int i = 0; i < 4; i++)
		assert_int_equal(strstr(probes[i].text, "base_slice=@sysctl_sched_base_slice:u32") != NULL, i < 2);
	assert_int_equal(probes[2].type, 'p');
	assert_null(probes[4].text);
	key_events_free(&events);
}

/* Events at a return: the same fields, with what they are then. */
TEST(test_what_a_yield_has_done_is_recorded_at_its_return)
{
	struct key_definitions events;

	make_events(EEVDF, true, &events);
	const struct key_definition *event = find_event(&events, "keys_yielded");
	assert_memory_equal(event->probes[0].text, "yield_task_fair%return ", 23);
	assert_int_equal(event->probes[0].type, 'p');
	assert_int_equal(event->probes[1].type, 'f');
	assert_field(&events, "keys_yielded", "exec_start=+112(+16($arg1)):u64");
	assert_field(&events, "keys_yielded", "avg_load=+112(+160(+16($arg1))):u64");
	assert_memory_equal(find_event(&events, "keys_yield")->probes[0].text, "yield_task_fair ", 16);
	key_events_free(&events);
}

/* 6.17: pick_eevdf() calls __pick_eevdf(), and so do wakeups. */
TEST(test_the_pick_of_wakeups_is_recorded)
{
	struct key_definitions events;

	make_events(TWO_PICKS, true, &events);
	assert_memory_equal(find_event(&events, "keys_pick")->probes[0].text, "__pick_eevdf ", 13);
	assert_field(&events, "keys_pick", "protect=$arg2:u8");
	assert_no_field(&events, "keys_pick", "next_buddy");
	key_events_free(&events);
}

TEST(test_flat_groups_have_one_queue_per_cpu)
{
	struct key_definitions events;

	make_events(FLAT, true, &events);
	assert_string_equal(events.missing.data, "");
	assert_field(&events, "keys_switch", "prev_weight=+240($arg3):u32");
	assert_no_field(&events, "keys_switch", "prev_p1");
	assert_no_field(&events, "keys_switch", "cfs=");
	assert_field(&events, "keys_unthrottle", "throttled=+160($arg1):u16");
	assert_field(&events, "keys_yielded", "avg_load=+160($arg1):u64");
	assert_field(&events, "keys_pick", "curr_vprot=+160(+48($arg1)):u64");
	assert_field(&events, "keys_pick", "nr=+128($arg1):u32");
	assert_field(&events, "keys_pick", "protect=$arg2:u8");
	assert_field(&events, "keys_pick", "next_buddy=+80($arg1):x64");
	key_events_free(&events);
}

/* Queues of groups show which group is throttled; if a CPU has one queue, the groups are recorded. */
TEST(test_quota_and_groups_of_throttling)
{
	struct key_definitions events;

	make_events(EEVDF, true, &events);
	assert_field(&events, "keys_throttle", "cfs=$arg1:x64");
	assert_field(&events, "keys_throttle", "left=+160($arg1):s64");
	assert_no_field(&events, "keys_throttle", "group");
	assert_no_field(&events, "keys_unthrottle", "group");
	assert_no_field(&events, "keys_enqueue", " group");
	key_events_free(&events);

	make_levels(FLAT, true, 2, &events);
	assert_field(&events, "keys_throttle", "left=+176($arg1):s64");
	assert_field(&events, "keys_throttle", "group=+192($arg1):x64");
	assert_field(&events, "keys_throttle", "group1=+16(+192($arg1)):x64");
	assert_field(&events, "keys_throttle", "group3=+16(+16(+16(+192($arg1)))):x64");
	assert_no_field(&events, "keys_throttle", "group4");
	assert_field(&events, "keys_unthrottle", "group=+192($arg1):x64");
	assert_no_field(&events, "keys_unthrottle", "group1");
	assert_field(&events, "keys_enqueue", "group=+40($arg2):x64");
	assert_field(&events, "keys_switch", "prev_group2=+16(+16(+40($arg3))):x64");
	key_events_free(&events);
}

TEST(test_without_the_pick_the_switch_has_the_queue)
{
	struct key_definitions events;

	make_events(PICK_INLINED, false, &events);
	assert_null(find_event(&events, "keys_pick")->probes[0].text);
	assert_non_null(strstr(find_event(&events, "keys_pick")->lacks, "pick_eevdf"));
	assert_field(&events, "keys_switch", "avg_load=+112(+160($arg4)):u64");
	key_events_free(&events);
	make_events(FLAT, false, &events);
	/* The queue of the CPU: cfs is at 48 of its struct rq. */
	assert_field(&events, "keys_switch", "avg_load=+160(+64(+160($arg4))):u64");
	key_events_free(&events);
}

TEST(test_what_a_kernel_lacks_is_named)
{
	struct key_definitions events;

	make_events(RENAMED, true, &events);
	assert_string_equal(events.missing.data, "keys_switch: prev_vlag; keys_pick: curr_vlag; keys_enqueue: vlag");
	assert_field(&events, "keys_switch", "prev_vruntime=+144($arg3):u64");
	assert_null(find_event(&events, "keys_tick")->probes[0].text);
	key_events_free(&events);
}

TEST(test_the_tracepoint_is_enough)
{
	struct key_definitions events;

	make_events(NO_TRACE_POINTER, true, &events);
	const struct key_definition *event = find_event(&events, "keys_switch");
	assert_int_equal(event->probes[0].type, 't');
	/* The first parameter of the callee is not an argument of the tracepoint. */
	assert_field(&events, "keys_switch", "prev=$arg2:x64");
	assert_field(&events, "keys_switch", "after=\\1:u8");
	assert_null(event->probes[1].text);
	key_events_free(&events);
}

TEST(test_reduced_events_are_those_of_fewer_levels)
{
	struct key_definitions all, few;

	for (enum layout layout = CFS; layout <= FLAT; layout++) {
		make_events(layout, true, &all);
		for (unsigned int levels = 0; levels <= KEY_LEVELS_MAX; levels++) {
			make_levels(layout, true, levels, &few);
			assert_int_equal(few.count, all.count);
			for (size_t i = 0; i < all.count; i++) {
				struct buffer text = {0};
				const char *name = all.events[i].name, *made = few.events[i].probes[0].text;
				assert_int_equal(!made, !all.events[i].probes[0].text);
				if (made) {
					key_probe_reduce(name, all.events[i].probes[0].text, levels, &text);
					assert_string_equal(text.data, made);
				}
				buffer_free(&text);
			}
			key_events_free(&few);
		}
		key_events_free(&all);
	}
}

/* Until Linux 5.13 a kprobe has a handler of faults, which counts them as missed hits. */
TEST(test_counts_of_faults_are_known)
{
	static const char *const members[] = {"flags", "fault_handler"};

	for (uint32_t count = 1; count <= 2; count++) {
		struct btf_recipe recipe;
		struct btf btf;
		struct key_definitions events;
		btf_begin(&recipe);
		btf_type(&recipe, BTF_INT, "long", 0, 8);
		btf_word(&recipe, 64);
		add_members(&recipe, "kprobe", 32, members, (const uint32_t[]){LONG, LONG}, count, 0);
		btf_end(&recipe);
		assert_int_equal(btf_open(recipe.bytes, recipe.length, &btf, NULL), STATUS_OK);
		key_events_make(&btf, true, 0, &events);
		assert_int_equal(events.counts_faults, count == 2);
		key_events_free(&events);
		btf_close(&btf);
	}
}

TEST(test_types_in_circles_end)
{
	struct btf_recipe recipe;
	struct btf btf;
	struct key_definitions events;

	btf_begin(&recipe);
	btf_type(&recipe, BTF_TYPEDEF, "loop", 0, 1);
	btf_type(&recipe, BTF_STRUCT, "sched_entity", 2, 8);
	btf_add_member(&recipe, "", 2, 0);
	btf_add_member(&recipe, "", 2, 0);
	btf_type(&recipe, BTF_FUNC, "resched_curr", 0, 1);
	btf_end(&recipe);
	assert_int_equal(btf_open(recipe.bytes, recipe.length, &btf, NULL), STATUS_OK);
	key_events_make(&btf, true, 0, &events);
	assert_null(find_event(&events, "keys_switch")->probes[0].text);
	key_events_free(&events);
	btf_close(&btf);
}
