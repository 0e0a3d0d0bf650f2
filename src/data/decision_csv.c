/* SPDX-License-Identifier: MIT */
#include "data/decision_csv.h"

#include <stdio.h>
#include <string.h>

#include "base/csv_field.h"

const struct csv_column decision_columns[DECISION_ALL_COLUMNS] = {
    {"trace_id", "",
     "the run: its name and the first digits of the SHA-256 of its trace, so that no two runs share it"},
    {"workload_type", "", "the workload of the run"},
    {"category", "", "its category"},
    {"kernel", "", "release of the kernel"},
    {"scheduler", "", "CFS or EEVDF, by the release (EEVDF since 6.6); with a sched_ext scheduler the name of its ops"},
    {"base_slice_ns", "ns", "the tunable of this name at the run; dataset_meta.json has all tunables of each trace"},
    {"time_ns", "ns", "since the first event of the trace"},
    {"cpu", "", "CPU that switched"},
    {"others_running", "CPUs", "other CPUs that run a task"},
    {"others_idle", "CPUs", "other CPUs that are idle"},
    {"others_waiting", "tasks", "tasks that wait for other CPUs"},
    {"prev_name", "", "name of the task that left"},
    {"prev_role", "", "its role; idle for an idle CPU"},
    {"prev_prio", "", "its kernel priority: lower is more urgent, 120 is nice 0, below 100 is real-time"},
    {"prev_state", "", "why it left: R, R+, S, D, I, T, X, as prev_state of other datasets; empty if unknown"},
    {"prev_ran_ns", "ns", "how long it had run; empty for the idle task, and if its start was not seen"},
    {"candidates", "tasks", "tasks that waited for this CPU, the chosen one included; 1: there was no choice"},
    {"candidate_roles", "list",
     "roles of the candidates, longest wait first (equal waits by PID), at most 64; all lists have this order"},
    {"candidate_causes", "list",
     "how each became runnable: wakeup, new (forked), preempted (R+), runnable (R: preempted or yielded)"},
    {"candidate_waiting_ns", "list, ns", "time since then"},
    {"candidate_slice_ns", "list, ns", "CPU time since its latest wakeup or fork; - if that was not seen"},
    {"candidate_runtime_ns", "list, ns", "its CPU time in the trace so far"},
    {"candidate_share_ppm", "list, ppm", "that as parts per million of time_ns"},
    {"candidate_prios", "list", "kernel priorities"},
    {"candidate_last_cpus", "list", "CPU on which it ran last; - if it has not run in the trace"},
    {"chosen", "index",
     "place of the chosen task in the lists, from 0: the target of a decision; empty if it is not among the 64"},
    {"next_name", "", "name of the chosen task"},
    {"next_role", "", "its role: name and number by birth, the same in other runs and under other kernels"},
    {"weight", "", "only with --weights: with it each workload of a file counts the same; the mean of a file is 1"},
};

const char *const decision_causes[WAIT_CAUSES] = {
    [WAIT_WAKEUP] = "wakeup", [WAIT_NEW] = "new", [WAIT_PREEMPTED] = "preempted", [WAIT_RUNNABLE] = "runnable"};

void decision_add_header(bool has_weights, struct buffer *out)
{
	for (size_t i = 0; i < decision_column_count(has_weights); i++) {
		buffer_text(out, i ? "," : "");
		buffer_text(out, decision_columns[i].name);
	}
	buffer_text(out, "\r\n");
}

static void add_field(const char *text, size_t length, struct buffer *out)
{
	csv_field_add(out, text, length);
	buffer_add(out, ",", 1);
}

void decision_add_labels(const struct decision_labels *labels, struct buffer *out)
{
	const char *const texts[] = {labels->trace_id, labels->workload,  labels->category,
				     labels->kernel,   labels->scheduler, labels->base_slice_ns};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		add_field(texts[i], strlen(texts[i]), out);
}

static void add_number(uint64_t value, const char *end, struct buffer *out)
{
	char text[DECIMAL_MAX];

	buffer_add(out, text, (size_t)(decimal_put(text, value) - text));
	buffer_text(out, end);
}

static void add_signed(int64_t value, const char *end, struct buffer *out)
{
	buffer_text(out, value < 0 ? "-" : "");
	add_number(value < 0 ? -(uint64_t)value : (uint64_t)value, end, out);
}

static void add_known(bool known, uint64_t value, const char *unknown, const char *end, struct buffer *out)
{
	if (known)
		add_number(value, end, out);
	else {
		buffer_text(out, unknown);
		buffer_text(out, end);
	}
}

static uint64_t share_ppm(uint64_t runtime_ns, uint64_t elapsed_ns)
{
	return elapsed_ns ? (uint64_t)((double)runtime_ns * 1e6 / (double)elapsed_ns) : 0;
}

static void add_candidate(const struct decision *decision, const struct decision_candidate *it,
			  enum decision_column column, uint64_t elapsed_ns, const struct role_table *roles,
			  const char *end, struct buffer *out)
{
	switch (column) {
	case DECISION_CANDIDATE_ROLES:
		buffer_text(out, role_of(roles, it->task));
		buffer_text(out, end);
		break;
	case DECISION_CANDIDATE_CAUSES:
		buffer_text(out, decision_causes[it->cause]);
		buffer_text(out, end);
		break;
	case DECISION_CANDIDATE_WAITING:
		add_number(decision->ts_ns - it->since_ns, end, out);
		break;
	case DECISION_CANDIDATE_SLICES:
		add_known(it->slice_known, it->slice_ns, "-", end, out);
		break;
	case DECISION_CANDIDATE_RUNTIMES:
		add_number(it->runtime_ns, end, out);
		break;
	case DECISION_CANDIDATE_SHARES:
		add_number(share_ppm(it->runtime_ns, elapsed_ns), end, out);
		break;
	case DECISION_CANDIDATE_PRIOS:
		add_signed(it->prio, end, out);
		break;
	default:
		add_known(it->last_cpu_known, it->last_cpu, "-", end, out);
		break;
	}
}

static void add_prev(const struct decision *decision, const struct sched_event *event, const struct role_table *roles,
		     struct buffer *out)
{
	const struct sched_task *prev = &event->switched.prev;
	const char *role = prev->pid == 0 ? "idle" : decision->prev_known ? role_of(roles, decision->prev) : "";

	add_field(prev->comm.bytes, prev->comm.length, out);
	buffer_text(out, role);
	buffer_text(out, ",");
	add_signed(prev->prio, ",", out);
	buffer_text(out, decision->prev_known && decision->prev_out != LEAVE_UNKNOWN
			     ? leave_reason_letter(decision->prev_out)
			     : "");
	buffer_text(out, ",");
	add_known(decision->prev_ran_known, decision->prev_ran_ns, "", ",", out);
}

void decision_row_end(double weight, char end[DECISION_END_SIZE])
{
	if (weight > 0)
		snprintf(end, DECISION_END_SIZE, ",%.6g\r\n", weight);
	else
		snprintf(end, DECISION_END_SIZE, "\r\n");
}

void decision_add_row(const struct decision *decision, const struct sched_event *event,
		      const struct task_states *states, const struct role_table *roles, const char *end,
		      struct buffer *out)
{
	const struct sched_comm *next = &event->switched.next.comm;
	uint64_t elapsed_ns = decision->ts_ns - states->first_ns;

	add_number(elapsed_ns, ",", out);
	add_number(decision->cpu, ",", out);
	add_number(decision->others_running, ",", out);
	add_number(decision->others_idle, ",", out);
	add_number(decision->others_waiting, ",", out);
	add_prev(decision, event, roles, out);
	add_number(decision->candidate_count, ",", out);
	for (unsigned int column = DECISION_CANDIDATE_ROLES; column <= DECISION_CANDIDATE_LAST_CPUS; column++)
		for (uint32_t i = 0; i < decision->listed; i++)
			add_candidate(decision, &decision->candidates[i], (enum decision_column)column, elapsed_ns,
				      roles, i + 1 == decision->listed ? "," : " ", out);
	add_known(decision->chosen != UINT32_MAX, decision->chosen, "", ",", out);
	add_field(next->bytes, next->length, out);
	buffer_text(out, role_of(roles, decision->chosen_task));
	buffer_text(out, end);
}
