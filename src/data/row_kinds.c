/* SPDX-License-Identifier: MIT */
#include "data/row_kinds.h"

#include <string.h>

#include "data/decision_columns.h"
#include "data/decision_rows.h"
#include "data/key_rows.h"
#include "data/placement_rows.h"
#include "data/switch_columns.h"
#include "data/switch_rows.h"

#define DECISION(member)  offsetof(union row_counts, decisions.member)
#define PLACEMENT(member) offsetof(union row_counts, placements.member)
#define KEYS(member)      offsetof(union row_counts, keys.member)

/* Every switch of a trace is counted once. */
static const struct row_count pick_counts[] = {
    {"switches", DECISION(events)},
    {"decisions", DECISION(decisions)},
    {"switches_to_idle", DECISION(to_idle)},
    {"switches_excluded", DECISION(excluded)},
    {"switches_near_losses", DECISION(after_loss)},
    {"switches_without_known_wait", DECISION(without_wait)},
    {"decisions_with_choice", DECISION(choices)},
    {"chosen_empty", DECISION(unlisted)},
    {"prev_ran_ns_empty", DECISION(prev_ran_unknown)},
    {"candidates_listed", DECISION(candidates)},
    {"candidate_slice_ns_unknown", DECISION(slices_unknown)},
    {"candidate_last_cpus_unknown", DECISION(last_cpus_unknown)},
    {.key = NULL},
};

/* Every move of a task that waited is counted once. */
static const struct row_count move_counts[] = {
    {"moves", DECISION(events)},
    {"decisions", DECISION(decisions)},
    {"moves_excluded", DECISION(excluded)},
    {"moves_near_losses", DECISION(after_loss)},
    {"decisions_with_choice", DECISION(choices)},
    {"chosen_empty", DECISION(unlisted)},
    {"candidates_listed", DECISION(candidates)},
    {"candidate_slice_ns_unknown", DECISION(slices_unknown)},
    {"candidate_last_cpus_unknown", DECISION(last_cpus_unknown)},
    {.key = NULL},
};

/* Every wakeup of a trace is counted once. */
static const struct row_count placement_counts[] = {
    {"wakeups", PLACEMENT(wakeups)},
    {"placements", PLACEMENT(placements)},
    {"wakeups_of_awake", PLACEMENT(spurious)},
    {"wakeups_excluded", PLACEMENT(excluded)},
    {"chosen_empty", PLACEMENT(unlisted)},
    {"previous_cpu_empty", PLACEMENT(previous_unknown)},
    {.key = NULL},
};

/* A pick has a row for each level of groups. */
static const struct row_count key_counts[] = {
    {"picks", KEYS(picks)},
    {"picks_excluded", KEYS(excluded)},
    {"picks_of_other_classes", KEYS(of_class)},
    {"rows", KEYS(rows)},
    {"rows_with_choice", KEYS(choices)},
    {"rows_with_incomplete_queue", KEYS(incomplete)},
    {"rows_not_judged", KEYS(not_judged)},
    {"rows_against_rule", KEYS(against_rule)},
    {"chosen_empty", KEYS(unlisted)},
    {.key = NULL},
};

const struct row_kind row_kinds[] = {
    {.task = "switch",
     .plural = "switches",
     .record = "One record per switch of a CPU.",
     .columns = switch_columns,
     .read = switch_rows_read,
     .remedy = "the workload may have ended too quickly or tracing was off; record again with picknext collect"},
    {.task = "pick",
     .plural = "decisions",
     .record = "One record per decision of the scheduler.",
     .columns = pick_columns,
     .read = pick_rows_read,
     .remedy = "decisions need sched_wakeup events besides sched_switch, and after lost events a CPU that was idle "
	       "since; record with picknext collect",
     .has_roles = true,
     .has_next_task = true,
     .counts = pick_counts},
    {.task = "placement",
     .plural = "placements",
     .record = "One record per wakeup or birth of a task, with the CPUs that it could be placed on.",
     .columns = placement_columns,
     .read = placement_rows_read,
     .remedy = "placements need sched_wakeup events; record with picknext collect",
     .has_roles = true,
     .counts = placement_counts},
    {.task = "balance",
     .plural = "moves",
     .record = "One record per move of a waiting task from one CPU to another, with the tasks that waited beside it.",
     .columns = move_columns,
     .read = move_rows_read,
     .remedy = "moves need sched_migrate_task events and a machine with two CPUs; record with picknext collect",
     .has_roles = true,
     .counts = move_counts},
    {.task = "keys",
     .plural = "picks",
     .record =
	 "One record per pick from a queue of the fair class, with the keys of the candidates and the rule's pick.",
     .columns = key_columns,
     .read = key_rows_read,
     .remedy = "picks with keys need traces of record, collect or vm --keys",
     .has_roles = true,
     .counts = key_counts},
    {.task = NULL},
};

const struct row_kind *row_kind_of(const char *task)
{
	for (const struct row_kind *kind = row_kinds; kind->task; kind++)
		if (strcmp(kind->task, task) == 0)
			return kind;
	return NULL;
}
