/* SPDX-License-Identifier: MIT */
#include "rules/invariants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/invariants/families.h"

static const struct invariant_family *const families[] = {
    &deadlines_family, &lag_family,       &groups_family,  &wakeups_family, &throttling_family, &cpu_choice_family,
    &balance_family,   &real_time_family, &servers_family, &quotas_family,  &loads_family};

enum { FAMILIES = sizeof(families) / sizeof(*families) };

uint32_t invariant_count(void)
{
	uint32_t count = 0;

	for (size_t i = 0; i < FAMILIES; i++)
		count += families[i]->row_count;
	return count;
}

const struct invariant_row *invariant_row(uint32_t number)
{
	static const struct invariant_row *rows[INVARIANTS_MAX];
	uint32_t count = 0;

	if (rows[0])
		return rows[number];
	for (size_t i = 0; i < FAMILIES; i++)
		for (uint32_t j = 0; j < families[i]->row_count; j++)
			rows[count++] = &families[i]->rows[j];
	return rows[number];
}

uint32_t invariant_find(const char *key)
{
	for (uint32_t i = 0; i < invariant_count(); i++)
		if (strcmp(invariant_row(i)->key, key) == 0)
			return i;
	return RULE_NONE;
}

/* --- A trace --- */

/* The rows that are checked at one kind of sight. */
struct row_list {
	uint8_t count, rows[INVARIANTS_MAX], families[INVARIANTS_MAX];
};

enum { KINDS = 15 };

struct family_states {
	const struct machine *machine;
	struct family_state states[FAMILIES];
	uint32_t task_count;
	uint64_t equal_rows; /* those that need equal CPUs, a bit each */
	struct row_list lists[KINDS];
};

static unsigned int kind_number(enum sight_kind kind)
{
	return (unsigned int)__builtin_ctz(kind);
}

static bool needs_equal_cpus(const struct invariant_row *row)
{
	return strncmp(row->needs, NEEDS_EQUAL_CPUS, strlen(NEEDS_EQUAL_CPUS)) == 0;
}

static void add_row(struct family_states *states, uint8_t family, uint8_t number)
{
	states->equal_rows |= (uint64_t)needs_equal_cpus(invariant_row(number)) << number;
	for (unsigned int kind = 0; kind < KINDS; kind++) {
		struct row_list *list = &states->lists[kind];
		if (!(invariant_row(number)->on >> kind & 1))
			continue;
		list->families[list->count] = family;
		list->rows[list->count++] = number;
	}
}

static void clear(struct family_states *states)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		struct family_state *state = &states->states[i];
		memset(state->trace, 0, families[i]->trace_size);
		memset(state->cpus, 0, states->machine->cpu_count * families[i]->cpu_size);
		if (state->tasks)
			memset(state->tasks, 0, states->task_count * families[i]->task_size);
	}
}

/* Makes room for the tasks that the machine knows. */
static void extend(struct family_states *states)
{
	const uint32_t count = states->machine->task_capacity;

	if (count == states->task_count)
		return;
	for (size_t i = 0; i < FAMILIES; i++)
		if (families[i]->task_size)
			states->states[i].tasks =
			    array_extend(states->states[i].tasks, states->task_count, count, families[i]->task_size);
	states->task_count = count;
}

/* The trace has all fields that the row needs. */
static bool has_fields(const struct key_events *keys, const struct invariant_row *row)
{
	const char *needs = row->needs + (needs_equal_cpus(row) ? strlen(NEEDS_EQUAL_CPUS " ") : 0);

	while (*needs) {
		const size_t length = strcspn(needs, " ");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)length, needs);
		if (!key_events_has(keys, name))
			return false;
		needs += length + (needs[length] == ' ');
	}
	return true;
}

struct family_states *invariants_begin(const struct machine *machine, struct invariants *found)
{
	struct family_states *states = xcalloc(1, sizeof(*states));

	states->machine = machine;
	for (size_t i = 0; i < FAMILIES; i++)
		states->states[i] =
		    (struct family_state){.trace = xcalloc(1, families[i]->trace_size + 1),
					  .cpus = xcalloc(machine->cpu_count + 1, families[i]->cpu_size + 1),
					  .family = families[i]};
	for (uint8_t family = 0, number = 0; family < FAMILIES; family++)
		for (uint32_t i = 0; i < families[family]->row_count; i++, number++) {
			if (has_fields(machine->keys, invariant_row(number)))
				add_row(states, family, number);
			else if (found)
				found->unjudged |= UINT64_C(1) << number;
		}
	return states;
}

void invariants_forget(struct family_states *states)
{
	clear(states);
}

void invariants_end(struct family_states *states)
{
	if (!states)
		return;
	for (size_t i = 0; i < FAMILIES; i++) {
		free(states->states[i].trace);
		free(states->states[i].cpus);
		free(states->states[i].tasks);
	}
	free(states);
}

static bool is_void(const struct invariant_row *row, enum clock_stops stops)
{
	return row->void_from != STOPS_NONE && stops >= row->void_from;
}

void invariants_restore_timed(struct invariants *found, const struct invariants *before, enum clock_stops stops)
{
	for (uint32_t i = 0; i < invariant_count(); i++)
		if (is_void(invariant_row(i), stops))
			found->rows[i] = before->rows[i];
}

/* --- A sight --- */

/* The task that the sight is about. */
static int32_t pid_of(const struct sight *sight)
{
	switch (sight->kind) {
	case SEEN_OUT:
		return sight->switched->event->switched.prev.pid;
	case SEEN_IN:
		return sight->switched->event->switched.next.pid;
	case SEEN_PICK:
		return sight->pick->running ? machine_pid_of(sight->machine, sight->pick->running->id) : 0;
	case SEEN_ENQUEUE:
	case SEEN_WOKEN:
	case SEEN_GIVEN:
		return sight->wakeup->event.enqueued.pid;
	case SEEN_MIGRATION:
		return sight->states->tasks[sight->step->migration.task].pid;
	case SEEN_YIELD:
	case SEEN_YIELDED:
		return sight->machine->cpus[sight->cpu].pid;
	default:
		return 0;
	}
}

static void name_subject(const struct sight *sight, struct invariant_break *found)
{
	const uint32_t task = task_states_find(sight->states, found->evidence.pid, found->evidence.cpu);

	if (found->evidence.group)
		machine_label_entity(sight->machine, sight->states, found->evidence.group, found->subject);
	else if (found->evidence.pid && task != TASK_NONE)
		machine_label_task(sight->states, task, found->subject);
	else if (found->evidence.pid) /* a new task, whose name is not known yet */
		snprintf(found->subject, sizeof(found->subject), "PID %" PRId32, found->evidence.pid);
	else
		snprintf(found->subject, sizeof(found->subject), "CPU %" PRIu32, found->evidence.cpu);
}

static void take_break(const struct sight *sight, uint32_t number, const struct evidence *evidence,
		       const struct invariant_watch *watch, struct invariant_account *account)
{
	struct invariant_break broken = {.row = number, .run = sight->machine->run, .evidence = *evidence};

	name_subject(sight, &broken);
	if (account->broken++ == 0)
		account->first = broken;
	if (watch->broken)
		watch->broken(watch->context, sight, &broken);
}

static void check_rows(struct family_states *states, const struct sight *sight, const struct invariant_watch *watch,
		       struct invariants *found)
{
	const struct row_list *list = &states->lists[kind_number(sight->kind)];
	const uint64_t excluded = sight->machine->mark.unequal_cpus ? states->equal_rows : 0;
	const int32_t pid = pid_of(sight);

	found->unjudged |= excluded;
	for (uint32_t i = 0; i < list->count; i++) {
		const uint32_t number = list->rows[i];
		const struct invariant_row *row = invariant_row(number);
		struct evidence evidence = {.pid = pid, .cpu = sight->cpu, .since_ns = sight->machine->now_ns};

		if ((excluded >> number & 1) || is_void(row, sight->machine->stops))
			continue;
		const enum invariant_result result = row->check(sight, &states->states[list->families[i]], &evidence);
		if (result == INVARIANT_NOT_JUDGED || !cpu_mask_has(watch->wanted_cpus, evidence.cpu))
			continue;
		found->rows[number].checked++;
		if (result == INVARIANT_BROKEN)
			take_break(sight, number, &evidence, watch, &found->rows[number]);
	}
}

enum clock_stops invariants_look(struct family_states *states, const struct sight *sight, bool is_judged,
				 const struct invariant_watch *watch, struct invariants *found)
{
	enum clock_stops stops = STOPS_NONE;

	extend(states);
	if (is_judged && found && sight->kind == SEEN_SWITCH) {
		struct sight part = *sight;
		part.kind = SEEN_OUT;
		check_rows(states, &part, watch, found);
		part.kind = SEEN_IN;
		check_rows(states, &part, watch, found);
	} else if (is_judged && found && !(sight->kind == SEEN_ENQUEUE && !sight->wakeup->event.enqueued.task.depth)) {
		check_rows(states, sight, watch, found);
	}
	for (size_t i = 0; i < FAMILIES; i++) {
		if (families[i]->note)
			families[i]->note(&states->states[i], sight);
		if (families[i]->stops && families[i]->stops(&states->states[i]) > stops)
			stops = families[i]->stops(&states->states[i]);
	}
	return stops;
}

void invariants_sum(struct invariants *sum, const struct invariants *further, uint32_t run)
{
	sum->unjudged |= further->unjudged;
	for (uint32_t i = 0; i < invariant_count(); i++) {
		struct invariant_account *account = &sum->rows[i];
		const struct invariant_account before = *account;
		if (before.broken == 0) {
			*account = further->rows[i];
			account->first.run = run;
		} else {
			account->broken += further->rows[i].broken;
		}
		account->checked = before.checked + further->rows[i].checked;
	}
}

/* --- Words --- */

static void add_value(const struct evidence *evidence, int64_t value, struct buffer *out)
{
	switch (evidence->unit) {
	case UNIT_CPU_NS:
	case UNIT_VIRTUAL_NS:
		buffer_printf(out, "%.6f %sms", (double)value / 1e6, evidence->unit == UNIT_CPU_NS ? "" : "virtual ");
		break;
	case UNIT_WEIGHT:
		buffer_printf(out, "%.3f", (double)value / (1 << RULE_WEIGHT_SHIFT));
		break;
	default:
		buffer_printf(out, "%" PRId64, value);
	}
}

static void add_cpus(uint64_t cpus, struct buffer *out)
{
	const char *separator = "";

	for (uint32_t i = 0; i < 64; i++)
		if (cpus >> i & 1) {
			buffer_printf(out, "%s%" PRIu32, separator, i);
			separator = " or ";
		}
}

void invariant_add_evidence(const struct invariant_break *found, struct buffer *out)
{
	const struct evidence *evidence = &found->evidence;

	if (!evidence->what) {
		buffer_printf(out, "does not hold: %s", invariant_row(found->row)->holds);
		return;
	}
	buffer_printf(out, "%s is ", evidence->what);
	add_value(evidence, evidence->seen, out);
	buffer_printf(out, ", expected %s",
		      evidence->relation == EXPECTED_MIN   ? "at least "
		      : evidence->relation == EXPECTED_MAX ? "at most "
							   : "");
	if (evidence->unit == UNIT_CPU)
		add_cpus((uint64_t)evidence->expected, out);
	else
		add_value(evidence, evidence->expected, out);
}
