/* SPDX-License-Identifier: MIT
 *
 * Rows of decisions, which are picks or moves: their columns and how a trace is read for them. Lists have an item per
 * listed candidate. */
#include "base/csv_field.h"
#include "base/decimal.h"
#include "data/decisions.h"
#include "data/rows.h"
#include "trace/pass.h"
#include "trace/role_table.h"

static const char *const causes[WAIT_CAUSES] = {
    [WAIT_WAKEUP] = "wakeup", [WAIT_NEW] = "new", [WAIT_PREEMPTED] = "preempted", [WAIT_RUNNABLE] = "runnable"};

/* --- Values --- */

static uint64_t elapsed_ns(const struct dataset_row *row)
{
	return row->decision->ts_ns - row->states->first_ns;
}

static char *put_time_ns(char *to, const struct dataset_row *row)
{
	return decimal_put(to, elapsed_ns(row));
}

static char *put_cpu(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->decision->cpu);
}

static char *put_others_running(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->decision->others_running_known, row->decision->others_running, "");
}

static char *put_others_idle(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->decision->others_running_known, row->decision->others_idle, "");
}

static char *put_others_waiting(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->decision->others_waiting_known, row->decision->others_waiting, "");
}

static char *put_prev_name(char *to, const struct dataset_row *row)
{
	return csv_field_put(to, row->event->switched.prev.comm.bytes, row->event->switched.prev.comm.length);
}

static char *put_prev_role(char *to, const struct dataset_row *row)
{
	if (row->event->switched.prev.pid == 0)
		return column_put_text(to, "idle");
	return row->decision->prev_known ? column_put_text(to, role_of(row->roles, row->decision->prev)) : to;
}

static char *put_prev_prio(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->switched.prev.prio);
}

static char *put_prev_state(char *to, const struct dataset_row *row)
{
	const bool is_known = row->decision->prev_known && row->decision->prev_out != LEAVE_UNKNOWN;

	return is_known ? column_put_text(to, leave_reason_letter(row->decision->prev_out)) : to;
}

static char *put_prev_ran_ns(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->decision->prev_ran_known, row->decision->prev_ran_ns, "");
}

static char *put_candidates(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->decision->candidate_count);
}

static char *put_chosen(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->decision->chosen != UINT32_MAX, row->decision->chosen, "");
}

static char *put_next_name(char *to, const struct dataset_row *row)
{
	return csv_field_put(to, row->event->switched.next.comm.bytes, row->event->switched.next.comm.length);
}

static char *put_next_role(char *to, const struct dataset_row *row)
{
	return column_put_text(to, role_of(row->roles, row->decision->chosen_task));
}

/* --- Values of a candidate --- */

static char *put_roles(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return column_put_text(to, role_of(row->roles, it->task));
}

static char *put_causes(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return column_put_text(to, causes[it->cause]);
}

static char *put_waiting_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return decimal_put(to, row->decision->ts_ns - it->since_ns);
}

static char *put_slice_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return column_put_known(to, it->slice_known, it->slice_ns, "-");
}

static char *put_runtime_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return column_put_known(to, it->runtime_known, it->runtime_ns, "-");
}

static char *put_share_ppm(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];
	const uint64_t elapsed = elapsed_ns(row);

	return column_put_known(to, it->runtime_known,
				elapsed ? (uint64_t)((double)it->runtime_ns * 1e6 / (double)elapsed) : 0, "-");
}

static char *put_prios(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return it->prio == TASK_PRIO_UNKNOWN ? column_put_text(to, "-") : decimal_put_signed(to, it->prio);
}

static char *put_last_cpus(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return column_put_known(to, it->last_cpu_known, it->last_cpu, "-");
}

/* PID 0 cannot be compared: it is the idle task of every CPU. */
static char *put_woken_by_prev(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];
	const struct task *task = &row->states->tasks[it->task];
	const int32_t prev_pid = row->event->switched.prev.pid;
	const bool by_prev = task->waker_pid == prev_pid && (prev_pid != 0 || task->waking_cpu == row->event->cpu);

	return column_put_known(to, task->waker_pid >= 0, by_prev, "-");
}

/* --- Values of a move --- */

static char *put_to_cpu(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->decision->to_cpu);
}

static char *put_mover_cpu(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->event->cpu);
}

static char *put_role_on(char *to, const struct dataset_row *row, uint32_t cpu)
{
	const uint32_t current = row->states->cpus[cpu].current;

	return current == TASK_NONE ? to : column_put_text(to, role_of(row->roles, current));
}

static char *put_mover_role(char *to, const struct dataset_row *row)
{
	return put_role_on(to, row, row->event->cpu);
}

static char *put_from_running(char *to, const struct dataset_row *row)
{
	return put_role_on(to, row, row->decision->cpu);
}

static char *put_to_running(char *to, const struct dataset_row *row)
{
	return put_role_on(to, row, row->decision->to_cpu);
}

/* Does not count the task that was just moved there. */
static char *put_to_waiting(char *to, const struct dataset_row *row)
{
	const struct task_cpu *cpu = &row->states->cpus[row->decision->to_cpu];

	return column_put_known(to, !cpu->hides_waiting && cpu->runnable > 0, cpu->runnable - 1, "");
}

static char *put_moved_name(char *to, const struct dataset_row *row)
{
	const struct sched_comm *comm = &row->event->migrate.task.comm;

	return csv_field_put(to, comm->bytes, comm->length);
}

/* --- Columns --- */

static const struct column pick_table[] = {
    {"time_ns", "ns", "since the first event of the trace", COLUMN_INTEGER, .put = put_time_ns},
    {"cpu", "", "CPU that switched", COLUMN_INTEGER, .put = put_cpu},
    {"others_running", "CPUs",
     "other CPUs that run a task; this and the next two columns are empty if unknown after lost events", COLUMN_INTEGER,
     .put = put_others_running},
    {"others_idle", "CPUs", "other CPUs that are idle", COLUMN_INTEGER, .put = put_others_idle},
    {"others_waiting", "tasks", "tasks that wait for other CPUs", COLUMN_INTEGER, .put = put_others_waiting},
    {"prev_name", "", "name of the task that left", COLUMN_TEXT, .put = put_prev_name},
    {"prev_role", "", "its role; idle for an idle CPU", COLUMN_TEXT, .put = put_prev_role},
    {"prev_prio", "", "its kernel priority: lower is more urgent, 120 is nice 0, below 100 is real-time",
     COLUMN_INTEGER, .put = put_prev_prio},
    {"prev_state", "", "why it left: R, R+, S, D, I, T, X, as prev_state of other datasets; empty if unknown",
     COLUMN_TEXT, .put = put_prev_state},
    {"prev_ran_ns", "ns", "how long it had run; empty for the idle task, and if its start was not seen", COLUMN_INTEGER,
     .put = put_prev_ran_ns},
    {"candidates", "tasks", "tasks that waited for this CPU, the chosen one included; 1: there was no choice",
     COLUMN_INTEGER, .put = put_candidates},
};

static const struct column move_table[] = {
    {"time_ns", "ns", "since the first event of the trace", COLUMN_INTEGER, .put = put_time_ns},
    {"from_cpu", "", "CPU for which the task waited", COLUMN_INTEGER, .put = put_cpu},
    {"to_cpu", "", "CPU for which it waits after the move", COLUMN_INTEGER, .put = put_to_cpu},
    {"mover_cpu", "", "CPU that moved the task: to_cpu if it pulled the task", COLUMN_INTEGER, .put = put_mover_cpu},
    {"mover_role", "",
     "role of the task that ran on mover_cpu; migration: the stopper, which pushes; this and the next three columns "
     "are empty if unknown",
     COLUMN_TEXT, .put = put_mover_role},
    {"from_running", "", "role of the task that runs on from_cpu", COLUMN_TEXT, .put = put_from_running},
    {"to_running", "", "role of the task that runs on to_cpu; idle for an idle CPU", COLUMN_TEXT,
     .put = put_to_running},
    {"to_waiting", "tasks", "tasks that waited for to_cpu before the move", COLUMN_INTEGER, .put = put_to_waiting},
    {"candidates", "tasks", "tasks that waited for from_cpu, the chosen one included; 1: there was no choice",
     COLUMN_INTEGER, .put = put_candidates},
};

/* The columns about each candidate. */
static const struct column candidate_table[] = {
    {"candidate_roles", "list",
     "roles of the candidates, longest wait first (equal waits by PID), at most 64; all lists have this order",
     COLUMN_TEXTS, .put_item = put_roles},
    {"candidate_causes", "list",
     "how each became runnable: wakeup, new (forked), preempted (R+), runnable (R: preempted or yielded)", COLUMN_TEXTS,
     .put_item = put_causes},
    {"candidate_waiting_ns", "list, ns", "time since it became runnable", COLUMN_INTEGERS, .put_item = put_waiting_ns},
    {"candidate_slice_ns", "list, ns", "CPU time since its latest wakeup or fork; - if that was not seen",
     COLUMN_INTEGERS, .put_item = put_slice_ns},
    {"candidate_runtime_ns", "list, ns", "its CPU time in the trace so far; - after lost events", COLUMN_INTEGERS,
     .put_item = put_runtime_ns},
    {"candidate_share_ppm", "list, ppm", "candidate_runtime_ns in parts per million of time_ns", COLUMN_INTEGERS,
     .put_item = put_share_ppm},
    {"candidate_prios", "list", "kernel priorities", COLUMN_INTEGERS, .put_item = put_prios},
    {"candidate_last_cpus", "list", "CPU on which it ran last; - if it has not run in the trace", COLUMN_INTEGERS,
     .put_item = put_last_cpus},
};

static const struct column pick_target_table[] = {
    {"candidate_woken_by_prev", "list, 0 or 1",
     "1 if it was woken by the task that left, or by an interrupt while that ran; - if it was not woken",
     COLUMN_INTEGERS, .put_item = put_woken_by_prev},
    {"chosen", "index",
     "place of the chosen task in the lists, from 0: the target of a decision; empty if it is not among the 64",
     COLUMN_INTEGER, .put = put_chosen},
    {"next_name", "", "name of the chosen task", COLUMN_TEXT, .put = put_next_name},
    {"next_role", "", "its role: name and number by birth, the same in other runs and under other kernels", COLUMN_TEXT,
     .put = put_next_role},
};

static const struct column move_target_table[] = {
    {"chosen", "index",
     "place of the chosen task in the lists, from 0: the target of a decision; empty if it is not among the 64",
     COLUMN_INTEGER, .put = put_chosen},
    {"task_name", "", "name of the chosen task", COLUMN_TEXT, .put = put_moved_name},
    {"task_role", "", "its role: name and number by birth, the same in other runs and under other kernels", COLUMN_TEXT,
     .put = put_next_role},
};

#define ADD(columns, table) columns_add(&(columns), table, sizeof(table) / sizeof(*(table)))

static struct columns pick_columns(const char *layout)
{
	struct columns columns = {0};

	(void)layout;
	columns_add(&columns, label_columns, LABEL_COLUMNS);
	ADD(columns, pick_table);
	ADD(columns, candidate_table);
	ADD(columns, pick_target_table);
	return columns;
}

static struct columns move_columns(const char *layout)
{
	struct columns columns = {0};

	(void)layout;
	columns_add(&columns, label_columns, LABEL_COLUMNS);
	ADD(columns, move_table);
	ADD(columns, candidate_table);
	ADD(columns, move_target_table);
	return columns;
}

/* --- Rows --- */

static enum status add_event(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct rows *rows = context;
	const struct decision *decision = decisions_step(rows->reading, &pass->states, event, step);
	struct dataset_row row = {
	    .event = event,
	    .decision = decision,
	    .states = &pass->states,
	    .roles = &rows->trace->roles,
	};

	return decision && rows_want(rows, 1) ? rows_add(rows, &row, decision->listed, err) : STATUS_OK;
}

static enum status read_decisions(struct rows *rows, struct error *err)
{
	struct decisions decisions = {.tracer_cpu = rows->tracer_cpu,
				      .include_tracer = rows->include_tracer,
				      .of_moves = rows->kind == &move_rows};

	rows->reading = &decisions;
	const enum status status = rows_read_pass(rows, add_event, err);
	rows->trace->counts.decisions = decisions.counts;
	decisions_free(&decisions);
	return status;
}

/* --- Kinds --- */

#define COUNT(member) offsetof(union row_counts, decisions.member)

/* Each switch of a trace is in exactly one count. */
static const struct row_count pick_counts[] = {
    {"switches", COUNT(events)},
    {"decisions", COUNT(decisions)},
    {"switches_to_idle", COUNT(to_idle)},
    {"switches_excluded", COUNT(excluded)},
    {"switches_near_losses", COUNT(after_loss)},
    {"switches_without_known_wait", COUNT(without_wait)},
    {"decisions_with_choice", COUNT(choices)},
    {"chosen_empty", COUNT(unlisted)},
    {"prev_ran_ns_empty", COUNT(prev_ran_unknown)},
    {"candidates_listed", COUNT(candidates)},
    {"candidate_slice_ns_unknown", COUNT(slices_unknown)},
    {"candidate_last_cpus_unknown", COUNT(last_cpus_unknown)},
    {.key = NULL},
};

/* Each move of a waiting task is in exactly one count. */
static const struct row_count move_counts[] = {
    {"moves", COUNT(events)},
    {"decisions", COUNT(decisions)},
    {"moves_excluded", COUNT(excluded)},
    {"moves_near_losses", COUNT(after_loss)},
    {"decisions_with_choice", COUNT(choices)},
    {"chosen_empty", COUNT(unlisted)},
    {"candidates_listed", COUNT(candidates)},
    {"candidate_slice_ns_unknown", COUNT(slices_unknown)},
    {"candidate_last_cpus_unknown", COUNT(last_cpus_unknown)},
    {.key = NULL},
};

const struct row_kind pick_rows = {
    .task = "pick",
    .plural = "decisions",
    .record = "One record per decision of the scheduler.",
    .columns = pick_columns,
    .read = read_decisions,
    .remedy = "decisions need sched_wakeup events besides sched_switch, and after lost events a CPU that was idle "
	      "since; record with picknext collect",
    .has_roles = true,
    .counts = pick_counts,
};

const struct row_kind move_rows = {
    .task = "balance",
    .plural = "moves",
    .record = "One record per move of a waiting task from one CPU to another, with the tasks that waited beside it.",
    .columns = move_columns,
    .read = read_decisions,
    .remedy = "moves need sched_migrate_task events and a machine with two CPUs; record with picknext collect",
    .has_roles = true,
    .counts = move_counts,
};
