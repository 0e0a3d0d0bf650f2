/* SPDX-License-Identifier: MIT
 *
 * Rows of picks of a trace with keys (record --keys): the candidates on one queue, including the running task, with the
 * keys that the scheduler compared, and the candidate that the published rule picks (rules/). Tasks in groups are
 * picked level by level; each level is a row. */
#include "data/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/own_tasks.h"
#include "rules/fair.h"
#include "rules/rules.h"
#include "rules/virtual_time.h"
#include "trace/pass.h"
#include "trace/role_table.h"

/* Max number of listed candidates of a pick; further ones are only counted. */
#define KEY_CANDIDATES_MAX 64u

struct key_candidate {
	const struct rule_entity *entity;
	uint32_t index; /* in the level */
	uint32_t task;  /* TASK_NONE: a group */
	int32_t pid;    /* INT32_MAX: a group */
};

struct key_row {
	const struct rule_decision *decision;
	const struct rule_traits *traits;
	const struct task_step *step; /* of the event after which the decision was found */
	uint32_t level;
	struct virtual_time time;
	struct key_candidate *candidates; /* all candidates */
	size_t capacity;
	uint32_t count, listed, chosen, rule; /* chosen, rule: indices of candidates, or RULE_NONE */
};

struct reading {
	struct rows *rows;
	struct rules rules;
	struct rules_consumer consumer;
	struct key_row row;
	const struct sched_event *event;
	enum status status;
	struct error *err;
};

/* --- Values --- */

static const struct pick_level *level_of(const struct key_row *key)
{
	return &key->decision->levels[key->level];
}

static char *put_time_ns(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->key->decision->ts_ns - row->states->first_ns);
}

static char *put_cpu(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->key->decision->cpu);
}

static char *put_asked_by(char *to, const struct dataset_row *row)
{
	return column_put_text(to, decision_causes[row->key->decision->cause].key);
}

static char *put_prev_role(char *to, const struct dataset_row *row)
{
	const uint32_t prev = row->key->decision->prev;

	return prev == TASK_NONE ? to : column_put_text(to, role_of(row->roles, prev));
}

static char *put_level(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->key->level);
}

static char *put_levels(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->key->decision->level_count);
}

static char *put_queue_complete(char *to, const struct dataset_row *row)
{
	return decimal_put(to, level_of(row->key)->gap == PICK_COMPLETE);
}

static char *put_candidates(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->key->count);
}

static char *put_chosen(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->key->chosen < row->key->listed, row->key->chosen, "");
}

static char *put_rule_choice(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->key->rule < row->key->listed, row->key->rule, "");
}

static char *put_rule_reason(char *to, const struct dataset_row *row)
{
	const struct key_row *key = row->key;
	const enum rule_reason reason = key->decision->choices[key->level].reason;

	if (key->rule == RULE_NONE)
		return to;
	return csv_field_put(to, rule_reason_words[reason], strlen(rule_reason_words[reason]));
}

static char *put_next_role(char *to, const struct dataset_row *row)
{
	const uint32_t next = row->key->decision->next;

	return next == TASK_NONE ? to : column_put_text(to, role_of(row->roles, next));
}

/* --- Values of a candidate --- */

static const struct rule_entity *entity_at(const struct dataset_row *row, uint32_t item)
{
	return row->key->candidates[item].entity;
}

static char *put_roles(char *to, const struct dataset_row *row, uint32_t item)
{
	const uint32_t task = row->key->candidates[item].task;

	return column_put_text(to, task == TASK_NONE ? "group" : role_of(row->roles, task));
}

static char *put_running(char *to, const struct dataset_row *row, uint32_t item)
{
	return decimal_put(to, row->key->candidates[item].index == level_of(row->key)->level.running);
}

/* Start of the task's wait; 0 if it does not wait or if that is unknown. The switch has ended the wait of the next
 * task. */
static uint64_t waits_since(const struct dataset_row *row, uint32_t task)
{
	const struct rule_decision *decision = row->key->decision;
	const struct task_step *step = row->key->step;

	if (task == TASK_NONE || task == decision->prev)
		return 0;
	if (task == decision->next)
		return step->changes & STEP_WAIT && step->wait.task == task ? step->wait.since_ns : 0;
	return task_state_of(row->states, &row->states->tasks[task]) == TASK_RUNNABLE
		   ? row->states->tasks[task].since_ns
		   : 0;
}

static char *put_waiting_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	const uint64_t since_ns = waits_since(row, row->key->candidates[item].task);

	return column_put_known(to, since_ns, row->key->decision->ts_ns - since_ns, "-");
}

static char *put_weight(char *to, const struct dataset_row *row, uint32_t item)
{
	return decimal_put(to, entity_at(row, item)->weight >> RULE_WEIGHT_SHIFT);
}

static char *put_lag_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	return decimal_put_signed(to, virtual_time_lag(&row->key->time, entity_at(row, item)->vruntime));
}

static char *put_deadline_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	if (!row->key->traits->has_deadline)
		return column_put_text(to, "-");
	return decimal_put_signed(to, -virtual_time_lag(&row->key->time, entity_at(row, item)->deadline));
}

static char *put_slice_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	return column_put_known(to, entity_at(row, item)->slice, entity_at(row, item)->slice, "-");
}

static char *put_eligible(char *to, const struct dataset_row *row, uint32_t item)
{
	return column_put_known(to, row->key->traits->has_deadline,
				virtual_time_eligible(&row->key->time, entity_at(row, item)->vruntime), "-");
}

static char *put_delayed(char *to, const struct dataset_row *row, uint32_t item)
{
	return decimal_put(to, entity_at(row, item)->is_delayed);
}

static char *put_protected(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct key_row *key = row->key;
	const bool is_running = key->candidates[item].index == level_of(key)->level.running;

	return column_put_known(to, key->traits->has_deadline,
				is_running && rule_is_protected(key->traits, entity_at(row, item)), "-");
}

static char *put_buddy(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct rule_level *level = &level_of(row->key)->level;
	const uint32_t index = row->key->candidates[item].index;

	return column_put_text(to, index == level->next   ? "next"
				   : index == level->last ? "last"
				   : index == level->skip ? "skip"
							  : "-");
}

/* --- Columns --- */

static const struct column table[] = {
    {"time_ns", "ns", "since the first event of the trace", COLUMN_INTEGER, .put = put_time_ns},
    {"cpu", "", "CPU whose next task was picked", COLUMN_INTEGER, .put = put_cpu},
    {"asked_by", "", "what asked for the pick: block, exit, yield, tick, wakeup, other, idle, stay", COLUMN_TEXT,
     .put = put_asked_by},
    {"prev_role", "", "role of the task that ran", COLUMN_TEXT, .put = put_prev_role},
    {"level", "",
     "number of this row among those of the decision: 0 is the root's queue, unless the kernel picked a buddy there "
     "(6.6 to 6.18)",
     COLUMN_INTEGER, .put = put_level},
    {"levels", "", "rows of the decision: its recorded levels", COLUMN_INTEGER, .put = put_levels},
    {"queue_complete", "", "1 if the sums of the queue prove that no candidate is missing", COLUMN_INTEGER,
     .put = put_queue_complete},
    {"candidates", "", "tasks and groups on the queue, the running one included if it can go on", COLUMN_INTEGER,
     .put = put_candidates},
    {"candidate_roles", "list", "roles of the candidates by PID, then groups; at most 64; all lists have this order",
     COLUMN_TEXTS, .put_item = put_roles},
    {"candidate_running", "list, 0 or 1", "1 for the running one", COLUMN_INTEGERS, .put_item = put_running},
    {"candidate_waiting_ns", "list, ns", "time since it began to wait; - for the running one and for groups",
     COLUMN_INTEGERS, .put_item = put_waiting_ns},
    {"candidate_weight", "list", "load weight: 1024 is nice 0", COLUMN_INTEGERS, .put_item = put_weight},
    {"candidate_lag_ns", "list, ns", "V minus vruntime: positive if it is owed time; V is the queue's average vruntime",
     COLUMN_INTEGERS, .put_item = put_lag_ns},
    {"candidate_deadline_ns", "list, ns", "virtual deadline minus V; this and the next four lists are - under CFS",
     COLUMN_INTEGERS, .put_item = put_deadline_ns},
    {"candidate_slice_ns", "list, ns", "its slice; - if unknown", COLUMN_INTEGERS, .put_item = put_slice_ns},
    {"candidate_eligible", "list, 0 or 1", "1 if its vruntime is at most V", COLUMN_INTEGERS, .put_item = put_eligible},
    {"candidate_protected", "list, 0 or 1", "1 if it runs and its slice is protected", COLUMN_INTEGERS,
     .put_item = put_protected},
    {"candidate_delayed", "list, 0 or 1", "1 if it sleeps, but stays on the queue until its lag is gone",
     COLUMN_INTEGERS, .put_item = put_delayed},
    {"candidate_buddy", "list", "next or last if the queue prefers it as a buddy, skip if it yielded, else -",
     COLUMN_TEXTS, .put_item = put_buddy},
    {"chosen", "index", "place of the picked one in the lists, from 0: the target; empty if it is not listed",
     COLUMN_INTEGER, .put = put_chosen},
    {"next_role", "", "role of the task that was picked in the end", COLUMN_TEXT, .put = put_next_role},
    {"rule_choice", "index",
     "place of the candidate that the published rule picks, the picked one if several are equal; empty if not judged",
     COLUMN_INTEGER, .put = put_rule_choice},
    {"rule_reason", "", "why the rule picks it", COLUMN_TEXT, .put = put_rule_reason},
};

static struct columns key_columns(const char *layout)
{
	struct columns columns = {0};

	(void)layout;
	columns_add(&columns, label_columns, LABEL_COLUMNS);
	columns_add(&columns, table, sizeof(table) / sizeof(*table));
	return columns;
}

/* --- Rows --- */

static int compare_candidates(const void *a, const void *b)
{
	const struct key_candidate *one = a, *other = b;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return one->entity->id < other->entity->id ? -1 : one->entity->id > other->entity->id;
}

static uint32_t place_of(const struct key_row *row, uint32_t index)
{
	for (uint32_t i = 0; i < row->count; i++)
		if (row->candidates[i].index == index)
			return i;
	return RULE_NONE;
}

static void fill(struct reading *reading, const struct task_states *states, const struct rule_decision *decision,
		 uint32_t number)
{
	const struct pick_level *pick = &decision->levels[number];
	struct key_row *row = &reading->row;

	row->decision = decision;
	row->traits = &reading->rules.machine.traits;
	row->level = number;
	row->count = pick->level.count;
	row->listed = row->count < KEY_CANDIDATES_MAX ? row->count : KEY_CANDIDATES_MAX;
	row->time = virtual_time_of(row->traits, &pick->level);
	row->candidates = array_grow(row->candidates, &row->capacity, row->count, sizeof(*row->candidates));
	for (uint32_t i = 0; i < row->count; i++) {
		const uint32_t task = machine_task_state(&reading->rules.machine, states, pick->level.entities[i].id);
		row->candidates[i] = (struct key_candidate){&pick->level.entities[i], i, task,
							    task == TASK_NONE ? INT32_MAX : states->tasks[task].pid};
	}
	qsort(row->candidates, row->count, sizeof(*row->candidates), compare_candidates);
	const bool is_judged = decision->verdict != VERDICT_NOT_JUDGED && pick->gap == PICK_COMPLETE;
	row->chosen = place_of(row, decision->picked[number]);
	row->rule = is_judged ? place_of(row, decision->choices[number].entity) : RULE_NONE;
}

static void count(struct key_counts *counts, const struct key_row *row)
{
	counts->rows++;
	counts->choices += row->count > 1;
	counts->incomplete += level_of(row)->gap != PICK_COMPLETE;
	counts->not_judged += row->rule == RULE_NONE;
	counts->against_rule += row->rule != RULE_NONE && row->rule != row->chosen;
	counts->unlisted += row->chosen >= row->listed;
}

static bool is_wanted(struct reading *reading, const struct task_states *states, const struct rule_decision *decision)
{
	struct key_counts *counts = &reading->rows->trace->counts.keys;

	if (decision->kind == DECISION_WAKEUP)
		return false;
	counts->picks++;
	const bool is_own = decision->next != TASK_NONE && !reading->rows->include_tracer &&
			    comm_is_one_of(task_comm(states, decision->next), OWN_TASKS);
	if (is_own || (int64_t)decision->cpu == reading->rows->tracer_cpu)
		counts->excluded++;
	else if (decision->level_count == 0)
		counts->of_class++;
	else
		return true;
	return false;
}

static bool has_row(const struct rule_decision *decision, uint32_t level)
{
	return decision->levels[level].level.count > 0;
}

/* A sample takes all levels of a pick or none. */
static bool is_in_sample(struct rows *rows, const struct rule_decision *decision)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < decision->level_count; i++)
		count += has_row(decision, i);
	return count > 0 && rows_want(rows, count);
}

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct reading *reading = context;
	struct dataset_row row = {
	    .event = reading->event,
	    .key = &reading->row,
	    .states = states,
	    .roles = &reading->rows->trace->roles,
	};

	if (reading->status != STATUS_OK || !is_wanted(reading, states, decision))
		return;
	const bool is_taken = is_in_sample(reading->rows, decision);
	for (uint32_t i = 0; i < decision->level_count && reading->status == STATUS_OK; i++) {
		if (!has_row(decision, i))
			continue;
		fill(reading, states, decision, i);
		count(&reading->rows->trace->counts.keys, &reading->row);
		if (is_taken)
			reading->status = rows_add(reading->rows, &row, reading->row.listed, reading->err);
	}
}

static enum status add_event(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct reading *reading = ((struct rows *)context)->reading;

	if (!reading->event)
		rules_begin(&reading->rules, &reading->consumer, pass);
	reading->event = event;
	reading->row.step = step;
	reading->err = err;
	const enum status status = rules_step(&reading->rules, pass, event, step, err);
	return reading->status == STATUS_OK ? status : reading->status;
}

static enum status read_keys(struct rows *rows, struct error *err)
{
	struct reading reading = {.rows = rows};

	rows->reading = &reading;
	reading.consumer = (struct rules_consumer){.context = &reading, .decide = decide};
	const enum status status = rows_read_pass(rows, add_event, err);
	rules_free(&reading.rules);
	free(reading.row.candidates);
	return status;
}

#define COUNT(member) offsetof(union row_counts, keys.member)

/* Each level of groups of a pick is a row. */
static const struct row_count key_counts[] = {
    {"picks", COUNT(picks)},
    {"picks_excluded", COUNT(excluded)},
    {"picks_of_other_classes", COUNT(of_class)},
    {"rows", COUNT(rows)},
    {"rows_with_choice", COUNT(choices)},
    {"rows_with_incomplete_queue", COUNT(incomplete)},
    {"rows_not_judged", COUNT(not_judged)},
    {"rows_against_rule", COUNT(against_rule)},
    {"chosen_empty", COUNT(unlisted)},
    {.key = NULL},
};

const struct row_kind key_rows = {
    .task = "keys",
    .plural = "picks",
    .record =
	"One record per pick from a queue of the fair class, with the keys of the candidates and the rule's pick.",
    .columns = key_columns,
    .read = read_keys,
    .remedy = "picks with keys need traces of record, collect or vm --keys",
    .has_roles = true,
    .counts = key_counts,
};
