/* SPDX-License-Identifier: MIT */
#include "print/decision_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/wrap.h"
#include "print/print.h"
#include "print/terminal.h"
#include "rules/account.h"
#include "rules/class.h"
#include "rules/fair.h"
#include "rules/virtual_time.h"

static const struct table_column columns[] = {
    {"decision", "decision", TABLE_NUMBER, TABLE_DATA},
    {"since_start_ns", "s", TABLE_SECONDS, TABLE_DATA},
    {"cpu", "CPU", TABLE_NUMBER, TABLE_DATA},
    {"level", "level", TABLE_NUMBER, TABLE_DATA},
    {"task", "task", TABLE_TEXT, TABLE_KEPT},
    {"pid", "PID", TABLE_SIGNED, TABLE_DATA},
    {"weight", "weight", TABLE_NUMBER, TABLE_WIDE},
    {"lag_virtual_ns", "lag\nvirtual ms", TABLE_SIGNED_MS, TABLE_WIDE},
    {"lag_cpu_ns", "lag\nCPU ms", TABLE_SIGNED_MS, TABLE_ALWAYS},
    {"deadline_ns", "deadline\n- V ms", TABLE_SIGNED_MS, TABLE_ALWAYS},
    {"slice_ns", "slice\nms", TABLE_MS, TABLE_ALWAYS},
    {"eligible", "eligible", TABLE_BOOLEAN, TABLE_DATA},
    {"", "eligible", TABLE_WORD, TABLE_PEOPLE},
    {"running", "running", TABLE_BOOLEAN, TABLE_DATA},
    {"buddy", "buddy", TABLE_WORD, TABLE_DATA},
    {"older_keys", "older keys", TABLE_BOOLEAN, TABLE_DATA},
    {"delayed", "delayed", TABLE_BOOLEAN, TABLE_DATA},
    {"protected", "protected", TABLE_BOOLEAN, TABLE_DATA},
    {"picked", "picked", TABLE_BOOLEAN, TABLE_DATA},
    {"rules", "rule's", TABLE_BOOLEAN, TABLE_DATA},
    {"waits", "waits", TABLE_BOOLEAN, TABLE_DATA},
    {"notes", "", TABLE_WORD, TABLE_PEOPLE},
    {.key = NULL},
};

/* Max number of tasks that are printed as running during a wait. */
#define WAIT_RAN_MAX 4u

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static const struct table_column decision_columns[] = {
    {"decision", "decision", TABLE_NUMBER, TABLE_ALWAYS},
    {"switch", "switch", TABLE_NUMBER, TABLE_ALWAYS},
    {"since_start_ns", "s", TABLE_SECONDS, TABLE_ALWAYS},
    {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"cause", "cause", TABLE_WORD, TABLE_ALWAYS},
    {"task", "task", TABLE_TEXT, TABLE_ALWAYS},
    {"verdict", "verdict", TABLE_WORD, TABLE_ALWAYS},
    {"reason", "reason", TABLE_WORD, TABLE_ALWAYS},
    {"rule_task", "the rule picks", TABLE_TEXT, TABLE_ALWAYS},
    {"rule_reason", "because", TABLE_WORD, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column broken_columns[] = {
    {"invariant", "invariant", TABLE_WORD, TABLE_ALWAYS},
    {"since_start_ns", "s", TABLE_SECONDS, TABLE_ALWAYS},
    {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"of", "of", TABLE_TEXT, TABLE_ALWAYS},
    {"pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"evidence", "evidence", TABLE_WORD, TABLE_ALWAYS},
    {"what", "what must hold", TABLE_WORD, TABLE_ALWAYS},
    {"source", "source", TABLE_WORD, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column wait_columns[] = {
    {"trace", "trace", TABLE_TEXT, TABLE_DATA},
    {"task", "task", TABLE_TEXT, TABLE_DATA},
    {"pid", "PID", TABLE_SIGNED, TABLE_DATA},
    {"start_ns", "start s", TABLE_SECONDS, TABLE_DATA},
    {"wait_ns", "waited ms", TABLE_MS, TABLE_DATA},
    {"throttled_ns", "throttled ms", TABLE_MS, TABLE_DATA},
    {"cpu", "CPU", TABLE_NUMBER, TABLE_DATA},
    {"part_ns", "there ms", TABLE_MS, TABLE_DATA},
    {"migrations", "moved", TABLE_NUMBER, TABLE_DATA},
    {"ran_tasks", "ran tasks", TABLE_NUMBER, TABLE_DATA},
    {"ran", "ran", TABLE_TEXT, TABLE_DATA},
    {"has_decision", "has a decision", TABLE_BOOLEAN, TABLE_DATA},
    {.key = NULL},
};

static void add_keys(const struct decision_print *print, const struct pick_level *pick, const struct virtual_time *time,
		     uint32_t i, struct table *table)
{
	const struct rule_entity *entity = &pick->level.entities[i];
	const int64_t lag = virtual_time_lag(time, entity->vruntime);
	const bool has_deadline = print->found->rules->machine.traits.has_deadline,
		   is_eligible = virtual_time_eligible(time, entity->vruntime);

	table_number(table, entity->weight >> RULE_WEIGHT_SHIFT);
	table_signed(table, lag);
	table_signed(table, virtual_to_cpu(lag, entity->weight));
	TABLE_SIGNED_IF(table, has_deadline && entity->id, -virtual_time_lag(time, entity->deadline));
	TABLE_NUMBER_IF(table, entity->slice, entity->slice);
	TABLE_NUMBER_IF(table, has_deadline, is_eligible);
	table_string(table, !has_deadline ? NULL : is_eligible ? "yes" : "no");
}

/* skip: a task that yielded, in CFS. */
static const char *buddy_of(const struct rule_level *level, uint32_t i)
{
	return i == level->next ? "next" : i == level->last ? "last" : i == level->skip ? "skip" : NULL;
}

/* True if the candidate is the task whose wait is shown, or the group in which it waits. */
static bool is_of_wait(const struct found_decision *found, const struct task_states *states, uint32_t level, uint32_t i)
{
	const uint64_t id = found->decision->levels[level].level.entities[i].id;
	const uint32_t task = found->wait ? machine_task_state(&found->rules->machine, states, id) : TASK_NONE;

	if (found->wait && found->is_of_group)
		return i != found->decision->picked[level] &&
		       machine_has_task(&found->rules->machine, found->wait->pid, id);
	return task != TASK_NONE && states->tasks[task].pid == found->wait->pid;
}

static void add_notes(const struct found_decision *found, const struct task_states *states, uint32_t level, uint32_t i,
		      bool is_protected, struct table *table)
{
	const struct rule_decision *decision = found->decision;
	const struct pick_level *pick = &decision->levels[level];
	const bool has_rule = pick->gap == PICK_COMPLETE && decision_has_rule(decision),
		   is_rules = has_rule && decision->choices[level].entity == i;
	const char *buddy = buddy_of(&pick->level, i);
	const bool waits = is_of_wait(found, states, level, i);
	struct buffer notes = {0};

	table_number(table, i == pick->level.running);
	table_string(table, buddy);
	table_number(table, pick->level.entities[i].is_stale);
	table_number(table, pick->level.entities[i].is_delayed);
	table_number(table, is_protected);
	table_number(table, decision->picked[level] == i);
	TABLE_NUMBER_IF(table, has_rule, is_rules);
	table_number(table, waits);
	buffer_printf(&notes, "%s%s%s%s%s%s%s%s", waits && found->is_of_group ? "waits " : "",
		      i == pick->level.running ? "running " : "", is_protected ? "protected " : "",
		      pick->level.entities[i].is_delayed ? "sleeps (delayed) " : "",
		      !buddy                  ? ""
		      : i == pick->level.skip ? "yielded "
		      : i == pick->level.next ? "next buddy "
					      : "last buddy ",
		      pick->level.entities[i].is_stale ? "older keys " : "",
		      decision->picked[level] != i        ? ""
		      : decision->kind == DECISION_WAKEUP ? "<- woken "
							  : "<- picked ",
		      is_rules && (decision->picked[level] != i || decision->kind == DECISION_WAKEUP) ? "<- the rule's"
												      : "");
	table_text(table, notes.data ? notes.data : "", notes.length);
	buffer_free(&notes);
}

/* Max number of candidates of a level that are printed as text. */
#define ROWS_MAX 16

/* Chooses up to count candidates with the earliest deadline or, for CFS, the smallest vruntime. */
static void choose_first(const struct decision_print *print, const struct pick_level *pick, uint32_t count,
			 bool *is_shown)
{
	const bool has_deadline = print->found->rules->machine.traits.has_deadline;

	while (count-- > 0) {
		uint32_t first = RULE_NONE;
		uint64_t first_key = 0;
		for (uint32_t i = 0; i < pick->level.count; i++) {
			const struct rule_entity *entity = &pick->level.entities[i];
			const uint64_t key = has_deadline ? entity->deadline : entity->vruntime;
			if (is_shown[i] || (first != RULE_NONE && rule_difference(key, first_key) >= 0))
				continue;
			first = i;
			first_key = key;
		}
		if (first != RULE_NONE)
			is_shown[first] = true;
	}
}

/* Chooses all candidates or, if there are too many: the running one, the picked one, that of the rule and that of the
 * wait, and the first ones of the others. */
static bool *choose_rows(const struct decision_print *print, const struct task_states *states, uint32_t level)
{
	const struct rule_decision *decision = print->found->decision;
	const struct pick_level *pick = &decision->levels[level];
	bool *is_shown = xcalloc(pick->level.count + 1, sizeof(*is_shown));
	uint32_t count = 0;

	for (uint32_t i = 0; i < pick->level.count; i++) {
		is_shown[i] = pick->level.count <= ROWS_MAX || i == pick->level.running ||
			      i == decision->picked[level] || i == decision->choices[level].entity ||
			      is_of_wait(print->found, states, level, i);
		count += is_shown[i];
	}
	if (count < ROWS_MAX)
		choose_first(print, pick, ROWS_MAX - count, is_shown);
	return is_shown;
}

/* is_shown: by candidate; NULL: all are shown. */
static void add_level(const struct decision_print *print, const struct task_states *states, uint32_t level,
		      const bool *is_shown, struct table *table)
{
	const struct rule_decision *decision = print->found->decision;
	const struct pick_level *pick = &decision->levels[level];
	const struct virtual_time time = virtual_time_of(&print->found->rules->machine.traits, &pick->level);
	char text[RULES_LABEL_SIZE];

	for (uint32_t i = 0; i < pick->level.count; i++) {
		const struct rule_entity *entity = &pick->level.entities[i];
		const uint32_t task = machine_task_state(&print->found->rules->machine, states, entity->id);
		const bool is_protected = i == pick->level.running &&
					  print->found->rules->machine.traits.has_deadline &&
					  rule_is_protected(&print->found->rules->machine.traits, entity);
		if (is_shown && !is_shown[i])
			continue;
		TABLE_NUMBER_IF(table, print->found->number, print->found->number);
		TABLE_NUMBERS(table, print->found->since_ns, decision->cpu, level);
		machine_label_entity(&print->found->rules->machine, states, entity->id, text);
		table_string(table, text);
		TABLE_SIGNED_IF(table, task != TASK_NONE, states->tasks[task].pid);
		add_keys(print, pick, &time, i, table);
		add_notes(print->found, states, level, i, is_protected, table);
	}
}

static unsigned int width_of(const struct decision_print *print)
{
	return print->options->pass.output ? 0 : terminal_width();
}

static void add_heading(struct decision_print *print, const struct task_states *states)
{
	const struct found_decision *found = print->found;
	const struct rule_decision *decision = found->decision;
	const char *what = decision->kind == DECISION_WAKEUP
			       ? (decision->preempts ? "preempts for" : "does not preempt for")
			       : "picks";
	char next[RULES_LABEL_SIZE], rules[RULES_LABEL_SIZE];
	struct buffer text = {0};

	machine_label_task(states, decision->next, next);
	buffer_printf(&text, "%.9f s, CPU %" PRIu32 ", %s", (double)found->since_ns / 1e9, decision->cpu,
		      found->rules->machine.traits.has_deadline ? "EEVDF" : "CFS");
	if (found->number)
		buffer_printf(&text, ", decision %" PRIu64, found->number);
	if (found->switch_number)
		buffer_printf(&text, ", switch %" PRIu64, found->switch_number);
	buffer_printf(&text, "\ncause: %s\n%s %s, %s: %s\n", decision_causes[decision->cause].text, what, next,
		      decision->verdict == VERDICT_EXPLAINED ? "as the rule says"
							     : decision_verdict_words[decision->verdict],
		      decision_why(&found->rules->machine.traits, decision));
	const bool picks_another = rules_label_choice(found->rules, states, decision, rules);
	if (picks_another)
		buffer_printf(&text, "the rule picks %s: %s\n", rules, rule_reason_words[decision->reason]);
	wrap_lines(text.data, width_of(print), &print->text);
	buffer_free(&text);
	struct table *table = &print->tables[1].table;
	TABLE_NUMBER_IF(table, found->number, found->number);
	TABLE_NUMBER_IF(table, found->switch_number, found->switch_number);
	TABLE_NUMBERS(table, found->since_ns, decision->cpu);
	table_string(table, decision_causes[decision->cause].key);
	table_string(table, next);
	table_string(table, decision_verdict_words[decision->verdict]);
	table_string(table, decision_why(&found->rules->machine.traits, decision));
	table_string(table, picks_another ? rules : NULL);
	table_string(table, picks_another ? rule_reason_words[decision->reason] : NULL);
}

/* Leaves out the columns of EEVDF for CFS. */
static void choose_columns(const struct rule_traits *traits, struct table_column shown[COLUMNS])
{
	memcpy(shown, columns, sizeof(columns));
	for (struct table_column *column = shown; !traits->has_deadline && column->key; column++)
		if (strcmp(column->key, "deadline_ns") == 0 || strcmp(column->key, "slice_ns") == 0 ||
		    strcmp(column->heading, "eligible") == 0)
			column->use = TABLE_DATA;
}

/* Adds a level as a text table. */
static void add_text_level(struct decision_print *print, const struct task_states *states, uint32_t level,
			   const struct table_column *shown)
{
	const uint32_t all = print->found->decision->levels[level].level.count;
	bool *is_shown = choose_rows(print, states, level);
	struct table table = table_of(shown);
	struct buffer more = {0};
	uint32_t count = 0;

	for (uint32_t i = 0; i < all; i++)
		count += is_shown[i];
	add_level(print, states, level, is_shown, &table);
	table_write_text(&table, width_of(print), &print->text);
	if (count < all) {
		buffer_printf(&more, "and %" PRIu32 " more of %" PRIu32 " candidates (--csv lists all)\n", all - count,
			      all);
		wrap_lines(more.data, width_of(print), &print->text);
		buffer_free(&more);
	}
	table_free(&table);
	free(is_shown);
}

/* The lag of the waiting task, or of its group. */
static void add_lag(struct decision_print *print, const struct task_states *states)
{
	const struct found_decision *found = print->found;
	char label[RULES_LABEL_SIZE];
	struct buffer text = {0};

	for (uint32_t i = 0; found->wait && i < found->decision->level_count; i++) {
		const struct pick_level *pick = &found->decision->levels[i];
		const struct virtual_time time = virtual_time_of(&found->rules->machine.traits, &pick->level);
		for (uint32_t j = 0; j < pick->level.count; j++) {
			const struct rule_entity *entity = &pick->level.entities[j];
			if (!is_of_wait(found, states, i, j))
				continue;
			const int64_t lag = virtual_to_cpu(virtual_time_lag(&time, entity->vruntime), entity->weight);
			machine_label_entity(&found->rules->machine, states, entity->id, label);
			buffer_printf(&text, "lag of %s%s: %+.3f ms of CPU time, among %" PRIu32 " candidates\n", label,
				      found->is_of_group ? ", in which it waits" : "", (double)lag / 1e6,
				      pick->level.count);
		}
	}
	if (text.length)
		wrap_lines(text.data, width_of(print), &print->text);
	buffer_free(&text);
}

void decision_print_add(struct decision_print *print, const struct task_states *states,
			const struct found_decision *found)
{
	struct table_column shown[COLUMNS];

	print->found = found;
	choose_columns(&found->rules->machine.traits, shown);
	add_heading(print, states);
	add_lag(print, states);
	for (uint32_t i = 0; i < found->decision->level_count; i++) {
		if (found->decision->level_count > 1)
			buffer_printf(&print->text, "level %" PRIu32 "\n", i);
		add_text_level(print, states, i, shown);
		add_level(print, states, i, NULL, &print->tables[0].table);
	}
	buffer_text(&print->text, "\n");
}

static void add_task_name(const struct task_states *states, uint32_t task, uint32_t comm, struct buffer *out)
{
	const struct sched_comm *name = &states->comms.comms[comm];

	escape_line_add(name->bytes, name->length, out);
	buffer_printf(out, "-%" PRId32, states->tasks[task].pid);
}

/* By the priority that was seen last; fair if none was. */
static enum rule_class class_at_end(const struct task_states *states, uint32_t task, uint32_t comm)
{
	const int32_t prio = states->tasks[task].prio;

	if (prio == TASK_PRIO_UNKNOWN)
		return CLASS_FAIR;
	return rule_class_of(
	    &(struct sched_task){.comm = states->comms.comms[comm], .pid = states->tasks[task].pid, .prio = prio});
}

/* "real-time task rr-12 4.000 ms, hog-13 1.000 ms and 5 more". */
static void add_ran(const struct task_states *states, const struct worst_wait *wait, struct buffer *out)
{
	static const char *const classes[CLASSES] = {[CLASS_IDLE] = "idle task ",
						     [CLASS_FAIR] = "",
						     [CLASS_REAL_TIME] = "real-time task ",
						     [CLASS_DEADLINE] = "deadline task ",
						     [CLASS_STOP] = "stopper "};
	const uint32_t listed = wait->ran_count < WAIT_RAN_MAX ? wait->ran_count : WAIT_RAN_MAX;

	for (uint32_t i = 0; i < listed; i++) {
		const struct worst_ran *ran = &wait->ran[i];
		buffer_printf(out, "%s%s", i ? ", " : "", classes[class_at_end(states, ran->task, ran->comm)]);
		add_task_name(states, ran->task, ran->comm, out);
		buffer_printf(out, " %.3f ms", (double)ran->ns / 1e6);
	}
	if (listed < wait->ran_count)
		buffer_printf(out, " and %" PRIu32 " more", wait->ran_count - listed);
	if (!listed)
		buffer_text(out, "not known");
}

static void add_wait_row(struct decision_print *print, const struct task_states *states, const struct worst_wait *wait,
			 const char *trace, const struct buffer *ran)
{
	struct table *table = &print->tables[3].table;
	struct buffer name = {0};

	add_task_name(states, wait->task, wait->comm, &name);
	table_string(table, trace);
	table_string(table, name.data);
	table_signed(table, states->tasks[wait->task].pid);
	TABLE_NUMBERS(table, wait->since_start_ns, worst_wait_ns(wait));
	TABLE_NUMBER_IF(table, wait->throttled.is_known, throttled_ns(&wait->throttled));
	TABLE_NUMBERS(table, wait->longest.cpu, wait->longest.end_ns - wait->longest.since_ns, wait->migrations,
		      wait->ran_count);
	table_text(table, ran->data, ran->length);
	buffer_free(&name);
}

void decision_print_wait(struct decision_print *print, const struct task_states *states, const struct worst_wait *wait,
			 const char *trace, bool is_one_of_many)
{
	struct buffer text = {0}, ran = {0};

	add_ran(states, wait, &ran);
	if (is_one_of_many) {
		escape_line_add(trace, strlen(trace), &text);
		buffer_text(&text, ": ");
	}
	add_task_name(states, wait->task, wait->comm, &text);
	buffer_printf(&text, " waits %.3f ms", (double)worst_wait_ns(wait) / 1e6);
	if (wait->throttled.count)
		buffer_printf(&text, " beside %.3f ms throttled by cpu.max",
			      (double)throttled_ns(&wait->throttled) / 1e6);
	buffer_printf(&text, "%s\nfrom %.6f s on, CPU %" PRIu32, wait->has_ended ? "" : ", and still does",
		      (double)wait->since_start_ns / 1e9, wait->longest.cpu);
	if (wait->migrations)
		buffer_printf(&text, " for %.3f ms of it; moved %" PRIu32 " time%s",
			      (double)(wait->longest.end_ns - wait->longest.since_ns) / 1e6, wait->migrations,
			      wait->migrations == 1 ? "" : "s");
	const uint32_t tasks = wait->ran_count - wait->idle_count;
	buffer_printf(&text, "; %" PRIu32 " task%s ran there: %s\n", tasks, tasks == 1 ? "" : "s", ran.data);
	wrap_lines(text.data, width_of(print), &print->text);
	add_wait_row(print, states, wait, trace, &ran);
	buffer_free(&text);
	buffer_free(&ran);
}

/* The lowest and the highest class of the tasks that ran during the wait. */
static void classes_that_ran(const struct task_states *states, const struct worst_wait *wait, enum rule_class *lowest,
			     enum rule_class *highest)
{
	*lowest = CLASS_STOP;
	*highest = CLASS_IDLE;
	for (uint32_t i = 0; i < wait->ran_count && i < WORST_RAN_MAX; i++) {
		const enum rule_class class = class_at_end(states, wait->ran[i].task, wait->ran[i].comm);
		*lowest = class < *lowest ? class : *lowest;
		*highest = class > *highest ? class : *highest;
	}
}

/* The reason why no decision had the task as a candidate. */
static const char *reason_of(const struct task_states *states, const struct worst_wait *wait)
{
	const enum rule_class class = class_at_end(states, wait->task, wait->comm);
	enum rule_class lowest, highest;

	classes_that_ran(states, wait, &lowest, &highest);
	if (class == CLASS_DEADLINE && lowest < class)
		return "it is a deadline task, and tasks of lower classes ran: its budget was used up, or the CPU was "
		       "late to switch";
	if (class == CLASS_REAL_TIME && lowest < class)
		return "it is a real-time task, and tasks of lower classes ran: real-time tasks were throttled, the "
		       "fair server ran, or the CPU was late to switch";
	if (rule_class_is_urgent(class))
		return "it is a real-time or deadline task: priorities, turns and deadlines decide";
	if (wait->throttled.count)
		return "cpu.max throttled its group";
	if (rule_class_is_urgent(highest))
		return "tasks of higher classes run first";
	return "no other task was picked there, or its group was throttled";
}

void decision_print_end_wait(struct decision_print *print, const struct task_states *states,
			     const struct worst_wait *wait, const struct decision_search *search)
{
	struct buffer text = {0};

	table_number(&print->tables[3].table, search->count > 0);
	if (search->count)
		return;
	buffer_printf(&text, "neither it nor its groups were candidates of a pick there: %s\n\n",
		      reason_of(states, wait));
	wrap_lines(text.data, width_of(print), &print->text);
	buffer_free(&text);
}

void decision_print_add_break(struct decision_print *print, const struct invariant_break *found)
{
	const struct evidence *seen = &found->evidence;
	const struct invariant_row *row = invariant_row(found->row);
	struct table *table = &print->tables[2].table;
	struct buffer text = {0}, evidence = {0};

	invariant_add_evidence(found, &evidence);
	buffer_printf(&text, "%.9f s, CPU %" PRIu32 ": %s is broken\n", (double)seen->since_ns / 1e9, seen->cpu,
		      row->key);
	escape_line_add(found->subject, strlen(found->subject), &text);
	buffer_printf(&text, ": %s\nmust hold: %s (%s)\n\n", evidence.data, row->holds, row->source);
	wrap_lines(text.data, width_of(print), &print->text);
	table_string(table, row->key);
	TABLE_NUMBERS(table, seen->since_ns, seen->cpu);
	table_string(table, found->subject);
	TABLE_SIGNED_IF(table, seen->pid, seen->pid);
	table_string(table, evidence.data);
	table_string(table, row->holds);
	table_string(table, row->source);
	buffer_free(&text);
	buffer_free(&evidence);
}

void decision_print_begin(struct decision_print *print)
{
	decision_print_free(print);
	print->tables[0] = analysis_table_of("candidates", NULL, columns);
	print->tables[1] = analysis_table_of("decisions", NULL, decision_columns);
	print->tables[2] = analysis_table_of("breaks", NULL, broken_columns);
	print->tables[3] = analysis_table_of("waits", NULL, wait_columns);
}

enum status decision_print_write(struct decision_print *print, const struct pass *pass, struct error *err)
{
	if (!analysis_is_text(print->options))
		return analysis_print(print->options, pass, print->tables, print->tables[3].table.cell_count ? 4 : 3,
				      err);
	return print_to_output(print->options->pass.output, &print->text, err);
}

void decision_print_free(struct decision_print *print)
{
	table_free(&print->tables[0].table);
	table_free(&print->tables[1].table);
	table_free(&print->tables[2].table);
	table_free(&print->tables[3].table);
	buffer_free(&print->text);
}
