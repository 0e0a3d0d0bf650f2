/* SPDX-License-Identifier: MIT */
#include "data/decision_columns.h"

#include "base/csv_field.h"
#include "base/decimal.h"
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
	return csv_field_put_name(to, row->event->switched.prev.comm.bytes, row->event->switched.prev.comm.length);
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
	return csv_field_put_name(to, row->event->switched.next.comm.bytes, row->event->switched.next.comm.length);
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

	return decimal_put_signed(to, it->prio);
}

static char *put_last_cpus(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];

	return column_put_known(to, it->last_cpu_known, it->last_cpu, "-");
}

/* The idle tasks of all CPUs have PID 0. */
static char *put_woken_by_prev(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct decision_candidate *it = &row->decision->candidates[item];
	const struct task *task = &row->states->tasks[it->task];
	const int32_t prev_pid = row->event->switched.prev.pid;
	const bool by_prev = task->waker_pid == prev_pid && (prev_pid != 0 || task->waking_cpu == row->event->cpu);

	return column_put_known(to, task->waker_pid >= 0, by_prev, "-");
}

/* --- Columns --- */

static const struct column table[] = {
    {"trace_id", "", "the run: its name and the first digits of the SHA-256 of its trace, so that no two runs share it",
     COLUMN_TEXT, .label = LABEL_TRACE_ID},
    {"workload_type", "", "the workload of the run", COLUMN_TEXT, .label = LABEL_WORKLOAD},
    {"category", "", "its category", COLUMN_TEXT, .label = LABEL_CATEGORY},
    {"kernel", "", "release of the kernel", COLUMN_TEXT, .label = LABEL_KERNEL},
    {"scheduler", "", "CFS or EEVDF, by the release (EEVDF since 6.6); with a sched_ext scheduler the name of its ops",
     COLUMN_TEXT, .label = LABEL_SCHEDULER},
    {"base_slice_ns", "ns", "the tunable of this name at the run; dataset_meta.json has all tunables of each trace",
     COLUMN_INTEGER, .label = LABEL_BASE_SLICE},
    {"time_ns", "ns", "since the first event of the trace", COLUMN_INTEGER, .put = put_time_ns},
    {"cpu", "", "CPU that switched", COLUMN_INTEGER, .put = put_cpu},
    {"others_running", "CPUs", "other CPUs that run a task; this and the following are empty if lost events hide it",
     COLUMN_INTEGER, .put = put_others_running},
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
    {"candidate_roles", "list",
     "roles of the candidates, longest wait first (equal waits by PID), at most 64; all lists have this order",
     COLUMN_TEXTS, .put_item = put_roles},
    {"candidate_causes", "list",
     "how each became runnable: wakeup, new (forked), preempted (R+), runnable (R: preempted or yielded)", COLUMN_TEXTS,
     .put_item = put_causes},
    {"candidate_waiting_ns", "list, ns", "time since then", COLUMN_INTEGERS, .put_item = put_waiting_ns},
    {"candidate_slice_ns", "list, ns", "CPU time since its latest wakeup or fork; - if that was not seen",
     COLUMN_INTEGERS, .put_item = put_slice_ns},
    {"candidate_runtime_ns", "list, ns", "its CPU time in the trace so far; - after lost events", COLUMN_INTEGERS,
     .put_item = put_runtime_ns},
    {"candidate_share_ppm", "list, ppm", "that as parts per million of time_ns", COLUMN_INTEGERS,
     .put_item = put_share_ppm},
    {"candidate_prios", "list", "kernel priorities", COLUMN_INTEGERS, .put_item = put_prios},
    {"candidate_last_cpus", "list", "CPU on which it ran last; - if it has not run in the trace", COLUMN_INTEGERS,
     .put_item = put_last_cpus},
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

struct columns decision_columns(void)
{
	struct columns columns = {0};

	columns_add(&columns, table, sizeof(table) / sizeof(*table));
	return columns;
}
