/* SPDX-License-Identifier: MIT */
#include "record/tracefs/key_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Limits of the kernel for an argument (MAX_ARGSTR_LEN) and a name. */
enum { ARGUMENT_MAX = 63, TYPE_MAX = 6, NAME_MAX_LENGTH = 64 };

/* Names to look up in BTF, by index: structs that fields start from, an enum that came with the buddies in
 * pick_eevdf(), struct kprobe; then the functions of the rows. */
enum { TASK, RUN_QUEUE, QUEUE, ENTITY, STRUCTS, BUDDIES = STRUCTS, KPROBE, NAMES_MAX = 48 };
static const char *const structs[STRUCTS] = {"task_struct", "rq", "cfs_rq", "sched_entity"};

/* Parameters of functions. A parameter is the pointer number `number` (from 0) to the struct `pointed`; with STRUCTS,
 * the parameter of this name. */
static const struct role {
	const char *name;
	unsigned int pointed, number;
} roles[] = {
    {"prev", TASK, 0},    {"next", TASK, 1},        {"task", TASK, 0},          {"rq", RUN_QUEUE, 0},
    {"queue", QUEUE, 0},  {"entity", ENTITY, 0},    {"flags", STRUCTS, 0},      {"protect", STRUCTS, 0},
    {"attr", STRUCTS, 0}, {"prev_cpu", STRUCTS, 0}, {"wake_flags", STRUCTS, 0}, {"cpu", STRUCTS, 0},
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
	unsigned int unused; /* enum key_field_use: fields with one of these bits are left out */
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

/* Looks up all names in one pass, because a kernel has more than 100,000 types. */
static void find_names(struct maker *maker)
{
	const char *word;
	size_t length;

	for (size_t i = 0; i < STRUCTS; i++)
		add_name(maker, BTF_STRUCT, "", structs[i], strlen(structs[i]));
	add_name(maker, BTF_ENUM, "", "preempt_wakeup_action", 21);
	add_name(maker, BTF_STRUCT, "", "kprobe", 6);
	for (const struct key_event_row *row = key_event_rows; row < key_event_rows + KEY_ROWS; row++) {
		for (const char *rest = row->functions; next_word(&rest, &word, &length);)
			add_name(maker, BTF_FUNC, "", word, name_length(word, length));
		if (row->tracepoint)
			add_name(maker, BTF_TYPEDEF, "btf_trace_", row->tracepoint, strlen(row->tracepoint));
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
			   size_t size, struct btf_member *last)
{
	struct btf_member member = {0};

	for (size_t at = 0; at < length;) {
		char inner[ARGUMENT_MAX + 1];
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
	*last = member;
	return true;
}

/* *last: the member that is read, if any. */
static bool write_value(const struct maker *maker, const char *value, size_t length, char *text, size_t size,
			struct btf_member *last)
{
	struct btf_member member;
	uint32_t argument, pointed;
	size_t role = 0;

	if (length > 5 && memcmp(value, "flat:", 5) == 0)
		return maker->is_flat && write_value(maker, value + 5, length - 5, text, size, last);
	if (length > 11 && memcmp(value, "tracepoint:", 11) == 0)
		return maker->first > 0 && write_value(maker, value + 11, length - 11, text, size, last);
	if (strchr("$@%\\", value[0]))
		return snprintf(text, size, "%.*s", (int)length, value) < (int)size;
	if (text_is(value, length, "&TASK"))
		return btf_find_path(maker->btf, maker->names[TASK].id, "se", 2, &member) &&
		       snprintf(text, size, "\\%u", member.offset) < (int)size;
	while (role < length && value[role] != '-')
		role++;
	if (!find_role(maker, value, role, &argument, &pointed) ||
	    snprintf(text, size, "$arg%u", argument) >= (int)size)
		return false;
	return role == length || follow_members(maker, pointed, value + role + 2, length - role - 2, text, size, last);
}

/* A bit field is read from its byte. */
static bool write_type(const char *type, const struct btf_member *member, char text[TYPE_MAX + 1])
{
	if (member->bits)
		return member->bit + member->bits <= 8 &&
		       snprintf(text, TYPE_MAX + 1, "b%u@%u/8", member->bits, member->bit) <= TYPE_MAX;
	return snprintf(text, TYPE_MAX + 1, "%s", type) <= TYPE_MAX;
}

/* Appends " NAME=VALUE:TYPE" of the first value that the kernel has. */
static bool add_field(const struct maker *maker, const struct key_field_row *field, struct buffer *out)
{
	char text[ARGUMENT_MAX + 1], type[TYPE_MAX + 1];
	size_t length;
	const char *value;

	for (const char *rest = field->value; next_word(&rest, &value, &length);) {
		struct btf_member member = {0};
		if (!write_value(maker, value, length, text, sizeof(text) - TYPE_MAX - 1, &member) ||
		    !write_type(field->type, &member, type))
			continue;
		buffer_printf(out, " %s=%s:%s", field->name, text, type);
		return true;
	}
	return false;
}

/* Adds the fields of an event. missing (may be NULL) gets the names of fields that the kernel lacks. */
static void add_fields(const struct maker *maker, const struct key_event_row *row, struct buffer *out,
		       struct buffer *missing)
{
	size_t before = missing ? missing->length : 0;

	for (const struct key_field_row *field = row->fields; field < row->fields + row->field_count; field++) {
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

static bool reads_symbol(const struct key_event_row *row)
{
	for (size_t i = 0; i < row->field_count; i++)
		if (row->fields[i].use & SYMBOL)
			return true;
	return false;
}

/* Adds a kprobe and an fprobe of each function that the kernel has: its configuration decides which works.
 * INTERRUPTIBLE rows prefer fprobes: a kprobe that an interrupt hits during another kprobe is missed (kernel/kprobes.c,
 * nmissed), an fprobe is not. */
static void add_functions(struct maker *maker, const struct key_event_row *row, struct key_definition *event,
			  struct buffer *missing)
{
	char function[NAME_MAX_LENGTH];
	const char *types = row->use & INTERRUPTIBLE ? "fp" : "pf";
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
			add_probe(event, types[0], text.data);
			add_probe(event, types[1], text.data);
		}
		buffer_free(&text);
	}
}

/* In BTF, btf_trace_NAME is the type of the tracepoint's callbacks; their first parameter is the callback's own
 * data. */
static void add_tracepoint(struct maker *maker, const struct key_event_row *row, struct key_definition *event,
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

/* Until Linux 5.13 kprobe_fault_handler() of kernel/kprobes.c counts each read that faults as a missed hit. */
static bool counts_faults(const struct maker *maker)
{
	struct btf_member member;

	return btf_find_member(maker->btf, maker->names[KPROBE].id, "fault_handler", &member);
}

/* The fields of levels of groups that are left out. */
static unsigned int deeper_than(unsigned int levels)
{
	return (levels < 1 ? LEVEL_1 : 0u) | (levels < 2 ? LEVEL_2 : 0u) | (levels < 3 ? LEVEL_3 : 0u);
}

static void describe_kernel(struct maker *maker, bool has_pick, unsigned int levels)
{
	struct btf_member member;
	uint32_t entity = maker->names[ENTITY].id;

	maker->is_flat = btf_find_path(maker->btf, entity, "h_load.weight", 13, &member);
	const bool has_deadlines = btf_find_path(maker->btf, entity, "deadline", 8, &member);
	const bool has_levels = !maker->is_flat && btf_find_path(maker->btf, entity, "parent", 6, &member);
	maker->unused = (has_deadlines ? ON_CFS : ON_EEVDF) | (has_pick ? NO_PICK : 0u) |
			(has_deadlines && !maker->names[BUDDIES].id ? IN_PICK : 0u) | (has_levels ? 0u : ON_LEVELS) |
			deeper_than(levels);
}

static bool is_left_out(const struct key_event_row *row, const char *name, size_t length, unsigned int unused)
{
	for (const struct key_field_row *field = row->fields; field < row->fields + row->field_count; field++)
		if (text_is(name, length, field->name))
			return field->use & unused;
	return false;
}

void key_probe_reduce(const char *event, const char *text, unsigned int levels, struct buffer *out)
{
	const struct key_event_row *row = key_event_rows;

	while (strcmp(row->name, event) != 0)
		row++;
	for (size_t length; *text; text += length) {
		length = *text == ' ' ? 1 + strcspn(text + 1, " ") : strcspn(text, " ");
		if (*text != ' ' || !is_left_out(row, text + 1, strcspn(text + 1, "="), deeper_than(levels)))
			buffer_add(out, text, length);
	}
}

void key_events_make(const struct btf *btf, bool has_pick, unsigned int levels, struct key_definitions *events)
{
	struct maker maker = {.btf = btf};

	*events = (struct key_definitions){.count = 0};
	buffer_text(&events->missing, "");
	find_names(&maker);
	describe_kernel(&maker, has_pick, levels);
	events->counts_faults = counts_faults(&maker);
	for (const struct key_event_row *row = key_event_rows; row < key_event_rows + KEY_ROWS; row++) {
		if (row->use & maker.unused)
			continue;
		struct key_definition *event = &events->events[events->count++];
		event->name = row->name;
		event->need = row->need;
		add_functions(&maker, row, event, &events->missing);
		if (reads_symbol(row)) {
			/* Probes without these fields, for a kernel that cannot resolve variables by name (no
			 * KALLSYMS_ALL). */
			maker.unused |= SYMBOL;
			add_functions(&maker, row, event, &events->missing);
			maker.unused &= ~(unsigned int)SYMBOL;
		}
		if (row->tracepoint)
			add_tracepoint(&maker, row, event, &events->missing);
		if (!event->probes[0].text)
			name_functions(event, row->functions);
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
