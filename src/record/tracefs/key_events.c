/* SPDX-License-Identifier: MIT */
#include "record/tracefs/key_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The kernel refuses a longer argument (MAX_ARGSTR_LEN), or name. */
enum { ARGUMENT_MAX = 63, NAME_MAX_LENGTH = 64 };

/* The kernels whose events have a field. */
enum field_use {
	ON_CFS = 1,    /* entities have no deadlines */
	ON_EEVDF = 2,  /* they have */
	ON_LEVELS = 4, /* a queue per group of tasks, not only one per CPU */
	NO_PICK = 8,   /* keys_pick is impossible */
	MAY_LACK = 16, /* others have it too, or not: it is not named if it is missing */
	LEVEL_1 = 32,  /* tasks are in groups */
	LEVEL_2 = 64,  /* in groups of groups, */
	LEVEL_3 = 128, /* and in groups of these */
	IN_PICK = 256, /* the function that keys_pick records picks buddies, not its caller */
};

/* value: ROLE, or ROLE->MEMBER.MEMBER->MEMBER..., where a role is a parameter of the function (roles below). If there
 * are several, separated by |, the first that the kernel has; "flat:" is for kernels with one queue per CPU. "&TASK" is
 * the offset of a task's entity, $stack0 the return address. */
struct field_row {
	const char *name, *type, *value;
	unsigned int use; /* 0: all kernels */
};

struct event_row {
	const char *name;
	const char *functions;  /* the first that the kernel has and allows to probe */
	const char *tracepoint; /* or else this one; or NULL */
	const struct field_row *fields;
	enum key_event_need need;
	unsigned int use; /* enum field_use: the kernels that have the event; 0: all */
};

/* After the name of a function: the event is at its return, with what its parameters point to then. Since Linux 6.9. */
#define AT_RETURN "%return"

/* The queue that the pick is from; flat: in the other kernels. */
#define QUEUE_FIELDS(use, flat, queue)                                                                                 \
	{"nr", "u32", "flat:" flat "h_nr_queued|" queue "nr_queued|" queue "nr_running", use},                         \
	    {"avg_vruntime", "s64", "flat:" flat "sum_w_vruntime|" queue "sum_w_vruntime|" queue "avg_vruntime",       \
	     (use) | ON_EEVDF},                                                                                        \
	    {"avg_load", "u64", "flat:" flat "sum_weight|" queue "sum_weight|" queue "avg_load", (use) | ON_EEVDF},    \
	    {"zero_vruntime", "u64", "flat:" flat "zero_vruntime|" queue "zero_vruntime|" queue "min_vruntime",        \
	     (use) | ON_EEVDF},                                                                                        \
	    {"sum_shift", "u32", "flat:" flat "sum_shift|" queue "sum_shift", (use) | MAY_LACK},                       \
	    {"load", "u64", queue "load.weight", (use) | ON_CFS},                                                      \
	{                                                                                                              \
		"min_vruntime", "u64", queue "min_vruntime", (use) | ON_CFS                                            \
	}

/* The entity of a parent group, and the queue that it is in. A task without this parent costs a page fault per field.
 */
#define PARENT_FIELDS(prefix, number, parent, use)                                                                     \
	{prefix "p" number, "x64", parent, use}, {prefix "p" number "_vruntime", "u64", parent "->vruntime", use},     \
	    {prefix "p" number "_weight", "u32", parent "->load.weight", use},                                         \
	    {prefix "p" number "_deadline", "u64", parent "->deadline", (use) | ON_EEVDF},                             \
	{                                                                                                              \
		prefix "p" number "_cfs", "x64", parent "->cfs_rq", use                                                \
	}
#define LEVEL_FIELDS(prefix, task)                                                                                     \
	{prefix "cfs", "x64", task "->se.cfs_rq", ON_LEVELS}, {prefix "depth", "u8", task "->se.depth", ON_LEVELS},    \
	    PARENT_FIELDS(prefix, "1", task "->se.parent", LEVEL_1),                                                   \
	    PARENT_FIELDS(prefix, "2", task "->se.parent->parent", LEVEL_2),                                           \
	    PARENT_FIELDS(prefix, "3", task "->se.parent->parent->parent", LEVEL_3)

/* The keys by which every kernel chooses. */
#define ENTITY_FIELDS(prefix, entity)                                                                                  \
	{prefix "vruntime", "u64", entity "vruntime", 0},                                                              \
	    {prefix "weight", "u32", entity "h_load.weight|" entity "load.weight", 0},                                 \
	{                                                                                                              \
		prefix "deadline", "u64", entity "deadline", ON_EEVDF                                                  \
	}

static const struct field_row switch_fields[] = {
    {"prev", "x64", "prev", 0},
    {"next", "x64", "next", 0},
    {"se_offset", "u16", "&TASK", 0},
    {"next_pid", "s32", "next->pid", 0},
    ENTITY_FIELDS("prev_", "prev->se."),
    {"prev_vlag", "s64", "prev->se.vlag", ON_EEVDF},
    {"prev_on_rq", "u8", "prev->se.on_rq", 0},
    {"prev_delayed", "u8", "prev->se.sched_delayed", MAY_LACK},
    {"prev_dl_runtime", "s64", "prev->dl.runtime", MAY_LACK},
    ENTITY_FIELDS("next_", "next->se."),
    {"next_slice", "u32", "next->se.slice", ON_EEVDF},
    {"next_policy", "u8", "next->policy", 0},
    {"next_load", "u32", "flat:next->se.load.weight", MAY_LACK},
    {"next_cpus", "x64", "next->cpus_ptr->bits", MAY_LACK},
    {"next_cfs", "x64", "next->se.cfs_rq", ON_LEVELS},
    {"next_depth", "u8", "next->se.depth", ON_LEVELS},
    LEVEL_FIELDS("prev_", "prev"),
    QUEUE_FIELDS(NO_PICK, "next->se.cfs_rq->rq->cfs.", "next->se.cfs_rq->"),
    {NULL, NULL, NULL, 0},
};

/* The running entity is a parameter, or a member of the queue. */
#define RUNNING(member) "entity" member "|queue->curr" member

static const struct field_row pick_fields[] = {
    {"caller", "x64", "$stack0", 0},
    {"cpu", "u16", "queue->rq->cpu", 0},
    {"cfs", "x64", "queue", 0},
    {"curr", "x64", RUNNING(""), 0},
    {"curr_vruntime", "u64", RUNNING("->vruntime"), 0},
    {"curr_weight", "u32", RUNNING("->h_load.weight") "|" RUNNING("->load.weight"), 0},
    {"curr_deadline", "u64", RUNNING("->deadline"), ON_EEVDF},
    {"curr_vlag", "s64", RUNNING("->vlag"), ON_EEVDF},
    {"curr_vprot", "u64", RUNNING("->vprot"), MAY_LACK},
    {"curr_on_rq", "u8", RUNNING("->on_rq"), 0},
    {"curr_delayed", "u8", RUNNING("->sched_delayed"), MAY_LACK},
    {"protect", "u8", "protect", MAY_LACK},
    QUEUE_FIELDS(0, "queue->", "queue->"),
    {"next_buddy", "x64", "queue->next", MAY_LACK | IN_PICK},
    {"last_buddy", "x64", "queue->last", MAY_LACK},
    {"skip_buddy", "x64", "queue->skip", MAY_LACK},
    {NULL, NULL, NULL, 0},
};

static const struct field_row enqueue_fields[] = {
    {"task", "x64", "task", 0},
    {"pid", "s32", "task->pid", 0},
    {"cpu", "u16", "rq->cpu", 0},
    {"flags", "u32", "flags", 0},
    ENTITY_FIELDS("", "task->se."),
    {"vlag", "s64", "task->se.vlag", ON_EEVDF},
    {"slice", "u32", "task->se.slice", ON_EEVDF},
    {"delayed", "u8", "task->se.sched_delayed", MAY_LACK},
    {"policy", "u8", "task->policy", 0},
    {"custom_slice", "u8", "task->se.custom_slice", MAY_LACK},
    {"cpus", "x64", "task->cpus_ptr->bits", MAY_LACK},
    {"nr_runnable", "u32", "rq->cfs.h_nr_runnable", MAY_LACK},
    {"dl_deadline", "u64", "task->dl.deadline", MAY_LACK},
    {"throttled", "u16", "task->se.cfs_rq->throttle_count", ON_LEVELS | MAY_LACK},
    LEVEL_FIELDS("", "task"),
    {"p1_shares", "u32", "task->se.cfs_rq->tg->shares", LEVEL_1 | MAY_LACK},
    {"p2_shares", "u32", "task->se.parent->cfs_rq->tg->shares", LEVEL_2 | MAY_LACK},
    {"p3_shares", "u32", "task->se.parent->parent->cfs_rq->tg->shares", LEVEL_3 | MAY_LACK},
    {"curr_pid", "s32", "rq->curr->pid", ON_CFS},
    {"curr_vruntime", "u64", "rq->curr->se.vruntime", ON_CFS},
    {"curr_exec_start", "u64", "rq->curr->se.exec_start", ON_CFS},
    {"clock_task", "u64", "rq->clock_task", ON_CFS},
    {NULL, NULL, NULL, 0},
};

static const struct field_row resched_fields[] = {
    {"cpu", "u16", "rq->cpu", 0},
    {"caller", "x64", "$stack0", 0},
    {NULL, NULL, NULL, 0},
};

static const struct field_row cpu_fields[] = {
    {"cpu", "u16", "rq->cpu", 0},
    {NULL, NULL, NULL, 0},
};

static const struct field_row yield_fields[] = {
    {"cpu", "u16", "rq->cpu", 0},
    {"vruntime", "u64", "rq->curr->se.vruntime", ON_EEVDF},
    {"weight", "u32", "rq->curr->se.h_load.weight|rq->curr->se.load.weight", ON_EEVDF},
    {"deadline", "u64", "rq->curr->se.deadline", ON_EEVDF},
    {"exec_start", "u64", "rq->curr->se.exec_start", ON_EEVDF},
    {NULL, NULL, NULL, 0},
};

/* By the clock that the yield has read, which is the task's exec_start then. */
static const struct field_row yielded_fields[] = {
    {"cpu", "u16", "rq->cpu", 0},
    ENTITY_FIELDS("", "rq->curr->se."),
    {"exec_start", "u64", "rq->curr->se.exec_start", 0},
    QUEUE_FIELDS(0, "rq->cfs.", "rq->curr->se.cfs_rq->"),
    {NULL, NULL, NULL, 0},
};

static const struct field_row unthrottle_fields[] = {
    {"cpu", "u16", "queue->rq->cpu", 0},
    {"cfs", "x64", "queue", 0},
    {"load", "u64", "queue->load.weight", 0},
    {"throttled", "u16", "queue->throttle_count", 0},
    {NULL, NULL, NULL, 0},
};

static const struct field_row setattr_fields[] = {
    {"pid", "s32", "task->pid", 0},
    {"policy", "u8", "attr->sched_policy", 0},
    {"runtime", "u64", "attr->sched_runtime", 0},
    {NULL, NULL, NULL, 0},
};

static const struct field_row place_fields[] = {
    {"pid", "s32", "task->pid", 0},
    {"prev", "u16", "prev_cpu", 0},
    {"flags", "u32", "wake_flags", 0},
    {"flips", "u32", "task->wakee_flips", MAY_LACK},
    {"recent", "u16", "task->recent_used_cpu", MAY_LACK},
    {"cpus", "x64", "task->cpus_ptr->bits", MAY_LACK},
    {"scan", "u32", "task->se.cfs_rq->rq->sd->shared->nr_idle_scan", MAY_LACK},
    {NULL, NULL, NULL, 0},
};

static const struct event_row rows[] = {
    {"keys_switch", "__traceiter_sched_switch", "sched_switch", switch_fields, KEY_EVENT_NEEDED, 0},
    {KEY_EVENT_PICK, "__pick_eevdf|pick_eevdf|pick_next_entity", NULL, pick_fields, KEY_EVENT_WANTED, 0},
    {"keys_enqueue", "wakeup_preempt|check_preempt_curr", NULL, enqueue_fields, KEY_EVENT_WANTED, 0},
    {"keys_resched", "resched_curr", NULL, resched_fields, KEY_EVENT_WANTED, 0},
    {"keys_resched_lazy", "resched_curr_lazy", NULL, resched_fields, KEY_EVENT_OPTIONAL, 0},
    {"keys_tick", "task_tick_fair", NULL, cpu_fields, KEY_EVENT_WANTED, 0},
    {"keys_yield", "yield_task_fair", NULL, yield_fields, KEY_EVENT_WANTED, 0},
    {"keys_yielded", "yield_task_fair" AT_RETURN, NULL, yielded_fields, KEY_EVENT_WANTED, ON_EEVDF},
    {"keys_setattr", "__sched_setscheduler", NULL, setattr_fields, KEY_EVENT_WANTED, 0},
    {"keys_place", "select_task_rq_fair", NULL, place_fields, KEY_EVENT_WANTED, 0},
    {"keys_unthrottle", "unthrottle_cfs_rq", NULL, unthrottle_fields, KEY_EVENT_OPTIONAL, 0},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
_Static_assert(ROWS <= KEY_EVENTS_MAX, "more events than there is room for");

/* The types that the fields begin with, before the functions of the rows. The enum came with EEVDF's buddies in
 * pick_eevdf(). */
enum { TASK, RUN_QUEUE, QUEUE, ENTITY, STRUCTS, BUDDIES = STRUCTS, NAMES_MAX = 32 };
static const char *const structs[STRUCTS] = {"task_struct", "rq", "cfs_rq", "sched_entity"};

/* A parameter of a function: of the pointers to a struct, the one of this number; with STRUCTS, by its name. */
static const struct role {
	const char *name;
	unsigned int pointed, number;
} roles[] = {
    {"prev", TASK, 0},    {"next", TASK, 1},        {"task", TASK, 0},          {"rq", RUN_QUEUE, 0},
    {"queue", QUEUE, 0},  {"entity", ENTITY, 0},    {"flags", STRUCTS, 0},      {"protect", STRUCTS, 0},
    {"attr", STRUCTS, 0}, {"prev_cpu", STRUCTS, 0}, {"wake_flags", STRUCTS, 0},
};

enum { ROLES = sizeof(roles) / sizeof(roles[0]) };

struct maker {
	const struct btf *btf;
	struct btf_name names[NAMES_MAX]; /* structs first */
	char texts[NAMES_MAX][NAME_MAX_LENGTH];
	size_t name_count;
	uint32_t function; /* of the event being made */
	uint32_t first;    /* the number of its first parameter, in BTF, that is an argument of the probe */
	bool is_flat;
	unsigned int unused; /* enum field_use: fields with one of these are left out */
};

static bool text_is(const char *text, size_t length, const char *other)
{
	return strlen(other) == length && memcmp(text, other, length) == 0;
}

/* The next of the words separated by |; false after the last. */
static bool next_word(const char **rest, const char **word, size_t *length)
{
	*word = *rest;
	*length = strcspn(*rest, "|");
	*rest += *length + ((*rest)[*length] == '|');
	return *length > 0;
}

static void add_name(struct maker *maker, enum btf_kind kind, const char *prefix, const char *name, size_t length)
{
	char *text = maker->texts[maker->name_count];

	snprintf(text, NAME_MAX_LENGTH, "%s%.*s", prefix, (int)length, name);
	maker->names[maker->name_count++] = (struct btf_name){kind, text, 0};
}

/* The length of a function's name, without AT_RETURN. */
static size_t name_length(const char *word, size_t length)
{
	const char *end = memchr(word, '%', length);

	return end ? (size_t)(end - word) : length;
}

/* All at once: a kernel has more than 100,000 types. */
static void find_names(struct maker *maker)
{
	const char *word;
	size_t length;

	for (size_t i = 0; i < STRUCTS; i++)
		add_name(maker, BTF_STRUCT, "", structs[i], strlen(structs[i]));
	add_name(maker, BTF_ENUM, "", "preempt_wakeup_action", 21);
	for (size_t i = 0; i < ROWS; i++) {
		for (const char *rest = rows[i].functions; next_word(&rest, &word, &length);)
			add_name(maker, BTF_FUNC, "", word, name_length(word, length));
		if (rows[i].tracepoint)
			add_name(maker, BTF_TYPEDEF, "btf_trace_", rows[i].tracepoint, strlen(rows[i].tracepoint));
	}
	btf_find_all(maker->btf, maker->names, maker->name_count);
}

static uint32_t find_name(const struct maker *maker, const char *name)
{
	for (size_t i = 0; i < maker->name_count; i++)
		if (strcmp(maker->names[i].name, name) == 0)
			return maker->names[i].id;
	return 0;
}

/* The argument's number, from 1, and the struct that it points to. */
static bool find_role(const struct maker *maker, const char *text, size_t length, uint32_t *argument, uint32_t *pointed)
{
	const struct role *role = roles;
	struct btf_parameter parameter;
	unsigned int number = 0;

	while (role < roles + ROLES && !text_is(text, length, role->name))
		role++;
	if (role == roles + ROLES)
		return false;
	for (uint32_t i = maker->first; btf_find_parameter(maker->btf, maker->function, i, &parameter); i++) {
		*pointed = btf_find_pointed(maker->btf, parameter.type);
		bool is_one = role->pointed == STRUCTS
				  ? strcmp(parameter.name, role->name) == 0
				  : *pointed && *pointed == maker->names[role->pointed].id && number++ == role->number;
		if (!is_one)
			continue;
		*argument = i - maker->first + 1;
		return true;
	}
	return false;
}

/* Writes the kernel's form of the members that follow a role: +OFFSET(+OFFSET($argN)). */
static bool follow_members(const struct maker *maker, uint32_t id, const char *members, size_t length, char *text,
			   size_t size)
{
	for (size_t at = 0; at < length;) {
		char inner[ARGUMENT_MAX + 1];
		struct btf_member member;
		size_t part = 0;
		while (at + part < length && members[at + part] != '-')
			part++;
		if (!btf_find_path(maker->btf, id, members + at, part, &member))
			return false;
		snprintf(inner, sizeof(inner), "%s", text);
		if (snprintf(text, size, "+%u(%s)", member.offset, inner) >= (int)size)
			return false;
		id = btf_find_pointed(maker->btf, member.type);
		at += part + 2; /* -> */
	}
	return true;
}

static bool write_value(const struct maker *maker, const char *value, size_t length, char *text, size_t size)
{
	struct btf_member member;
	uint32_t argument, pointed;
	size_t role = 0;

	if (length > 5 && memcmp(value, "flat:", 5) == 0)
		return maker->is_flat && write_value(maker, value + 5, length - 5, text, size);
	if (text_is(value, length, "$stack0"))
		return snprintf(text, size, "$stack0") < (int)size;
	if (text_is(value, length, "&TASK"))
		return btf_find_path(maker->btf, maker->names[TASK].id, "se", 2, &member) &&
		       snprintf(text, size, "\\%u", member.offset) < (int)size;
	while (role < length && value[role] != '-')
		role++;
	if (!find_role(maker, value, role, &argument, &pointed) ||
	    snprintf(text, size, "$arg%u", argument) >= (int)size)
		return false;
	return role == length || follow_members(maker, pointed, value + role + 2, length - role - 2, text, size);
}

/* Appends " NAME=VALUE:TYPE" of the first value that the kernel has. */
static bool add_field(const struct maker *maker, const struct field_row *field, struct buffer *out)
{
	char text[ARGUMENT_MAX + 1];
	size_t length, size = sizeof(text) - strlen(field->type) - 1;
	const char *value;

	for (const char *rest = field->value; next_word(&rest, &value, &length);) {
		if (!write_value(maker, value, length, text, size))
			continue;
		buffer_printf(out, " %s=%s:%s", field->name, text, field->type);
		return true;
	}
	return false;
}

/* The fields of an event; names those that are missing, once. */
static void add_fields(const struct maker *maker, const struct event_row *row, struct buffer *out,
		       struct buffer *missing)
{
	size_t before = missing ? missing->length : 0;

	for (const struct field_row *field = row->fields; field->name; field++) {
		if ((field->use & maker->unused) || add_field(maker, field, out) || (field->use & MAY_LACK) || !missing)
			continue;
		if (missing->length == before)
			buffer_printf(missing, "%s%s: ", before ? "; " : "", row->name);
		else
			buffer_text(missing, ", ");
		buffer_text(missing, field->name);
	}
}

static void add_probe(struct key_definition *event, char type, const char *text)
{
	size_t count = 0;

	while (event->probes[count].text)
		count++;
	if (count < KEY_PROBES_MAX && strlen(text) <= KEY_PROBE_TEXT_MAX)
		event->probes[count] = (struct key_probe){type, xstrdup(text)};
}

/* Probes of each function that the kernel has: the kind depends on how the kernel was built. */
static void add_functions(struct maker *maker, const struct event_row *row, struct key_definition *event,
			  struct buffer *missing)
{
	char function[NAME_MAX_LENGTH];
	const char *word;
	size_t length;

	for (const char *rest = row->functions; next_word(&rest, &word, &length);) {
		struct buffer text = {0};
		buffer_printf(&text, "%.*s", (int)length, word);
		snprintf(function, sizeof(function), "%.*s", (int)name_length(word, length), word);
		maker->function = find_name(maker, function);
		maker->first = 0;
		if (maker->function) {
			add_fields(maker, row, &text, event->probes[0].text ? NULL : missing);
			add_probe(event, 'p', text.data);
			add_probe(event, 'f', text.data);
		}
		buffer_free(&text);
	}
}

/* In BTF, btf_trace_NAME is the type of what the tracepoint calls; its first parameter belongs to the callee. */
static void add_tracepoint(struct maker *maker, const struct event_row *row, struct key_definition *event,
			   struct buffer *missing)
{
	char type[NAME_MAX_LENGTH];
	struct buffer text = {0};

	snprintf(type, sizeof(type), "btf_trace_%s", row->tracepoint);
	maker->function = find_name(maker, type);
	maker->first = 1;
	if (!maker->function)
		return;
	buffer_text(&text, row->tracepoint);
	add_fields(maker, row, &text, event->probes[0].text ? NULL : missing);
	add_probe(event, 't', text.data);
	buffer_free(&text);
}

static void name_functions(struct key_definition *event, const char *functions)
{
	struct buffer text = {0};
	const char *word;
	size_t length;

	for (const char *rest = functions; next_word(&rest, &word, &length);)
		buffer_printf(&text, "%s%.*s", text.length ? " or " : "", (int)name_length(word, length), word);
	snprintf(event->lacks, sizeof(event->lacks), "its BTF has no function %s", text.data);
	buffer_free(&text);
}

static void describe_kernel(struct maker *maker, bool has_pick, unsigned int levels)
{
	struct btf_member member;
	uint32_t entity = maker->names[ENTITY].id;

	maker->is_flat = btf_find_path(maker->btf, entity, "h_load.weight", 13, &member);
	const bool has_deadlines = btf_find_path(maker->btf, entity, "deadline", 8, &member);
	const bool has_levels = !maker->is_flat && btf_find_path(maker->btf, entity, "parent", 6, &member);
	maker->unused = (has_deadlines ? ON_CFS : ON_EEVDF) | (has_pick ? NO_PICK : 0u) |
			(has_deadlines && !maker->names[BUDDIES].id ? IN_PICK : 0u) |
			(has_levels ? 0u : ON_LEVELS | LEVEL_1 | LEVEL_2 | LEVEL_3) | (levels < 1 ? LEVEL_1 : 0u) |
			(levels < 2 ? LEVEL_2 : 0u) | (levels < 3 ? LEVEL_3 : 0u);
}

void key_events_make(const struct btf *btf, bool has_pick, unsigned int levels, struct key_definitions *events)
{
	struct maker maker = {.btf = btf};

	*events = (struct key_definitions){.count = 0};
	buffer_text(&events->missing, "");
	find_names(&maker);
	describe_kernel(&maker, has_pick, levels);
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].use & maker.unused)
			continue;
		struct key_definition *event = &events->events[events->count++];
		event->name = rows[i].name;
		event->need = rows[i].need;
		add_functions(&maker, &rows[i], event, &events->missing);
		if (rows[i].tracepoint)
			add_tracepoint(&maker, &rows[i], event, &events->missing);
		if (!event->probes[0].text)
			name_functions(event, rows[i].functions);
	}
}

void key_events_free(struct key_definitions *events)
{
	for (size_t i = 0; i < events->count; i++)
		for (size_t probe = 0; probe < KEY_PROBES_MAX; probe++)
			free(events->events[i].probes[probe].text);
	buffer_free(&events->missing);
	*events = (struct key_definitions){0};
}
