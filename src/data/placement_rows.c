/* SPDX-License-Identifier: MIT
 *
 * Rows of placements, which are wakeups and births of tasks: the CPUs that the scheduler could choose, their tasks, and
 * the chosen CPU. A task that was already awake is not placed. A task's first wakeup in the trace has no row: nothing
 * is known of the task, and tasks of a workload begin alike in each run. Values that are unknown after lost events are
 * empty. */
#include "data/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/own_tasks.h"
#include "runs/cpu_levels.h"
#include "trace/pass.h"
#include "trace/role_table.h"

/* Max number of listed CPUs; a machine may have more. */
#define PLACEMENT_CPUS_MAX 64u

/* Per task, in addition to task_states. */
struct placed_task {
	uint32_t last_cpu;
	uint32_t epoch; /* epoch of losses in which last_cpu and left_ns are valid, plus 1; 0: unknown */
	uint64_t left_ns;
};

struct placement {
	uint64_t ts_ns;
	uint32_t task, waker, chosen_cpu;
	bool is_new, previous_known;
	struct placed_task previous;
	uint32_t cpus[PLACEMENT_CPUS_MAX];       /* the listed CPUs: all with an event so far, except the tracer's */
	uint16_t capacities[PLACEMENT_CPUS_MAX]; /* of these; 0: not known */
	uint32_t cpu_count, chosen;              /* chosen: index in cpus; UINT32_MAX: not listed */
};

struct reading {
	struct rows *rows;
	struct placed_task *tasks;
	uint32_t task_count;
	struct cpu_levels levels;
	struct placement placement;
};

/* --- Values --- */

static char *put_time_ns(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->placement->ts_ns - row->states->first_ns);
}

static char *put_cpu(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->event->cpu);
}

static char *put_waker_role(char *to, const struct dataset_row *row)
{
	const uint32_t waker = row->placement->waker;

	return waker == TASK_NONE ? to : column_put_text(to, role_of(row->roles, waker));
}

static char *put_task_name(char *to, const struct dataset_row *row)
{
	return csv_field_put(to, row->event->wakeup.task.comm.bytes, row->event->wakeup.task.comm.length);
}

static char *put_task_role(char *to, const struct dataset_row *row)
{
	return column_put_text(to, role_of(row->roles, row->placement->task));
}

static char *put_task_prio(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->wakeup.task.prio);
}

static char *put_is_new(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->placement->is_new);
}

static char *put_previous_cpu(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->placement->previous_known, row->placement->previous.last_cpu, "");
}

static char *put_slept_ns(char *to, const struct dataset_row *row)
{
	const struct placement *placement = row->placement;

	return column_put_known(to, placement->previous_known, placement->ts_ns - placement->previous.left_ns, "");
}

static char *put_chosen(char *to, const struct dataset_row *row)
{
	return column_put_known(to, row->placement->chosen != UINT32_MAX, row->placement->chosen, "");
}

static char *put_chosen_cpu(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->placement->chosen_cpu);
}

/* --- Values of a CPU --- */

static const struct task_cpu *cpu_at(const struct dataset_row *row, uint32_t item)
{
	return &row->states->cpus[row->placement->cpus[item]];
}

/* The running task; TASK_NONE if unknown or idle. */
static uint32_t task_on(const struct dataset_row *row, uint32_t item, bool *is_known)
{
	const struct task_cpu *cpu = cpu_at(row, item);

	*is_known = cpu->current != TASK_NONE && !task_cpu_may_be_busy(cpu);
	return *is_known && !row->states->tasks[cpu->current].is_idle ? cpu->current : TASK_NONE;
}

static char *put_cpus(char *to, const struct dataset_row *row, uint32_t item)
{
	return decimal_put(to, row->placement->cpus[item]);
}

static char *put_capacities(char *to, const struct dataset_row *row, uint32_t item)
{
	const uint16_t capacity = row->placement->capacities[item];

	return column_put_known(to, capacity > 0, capacity, "-");
}

static char *put_running_roles(char *to, const struct dataset_row *row, uint32_t item)
{
	bool is_known;
	const uint32_t task = task_on(row, item, &is_known);

	return column_put_text(to, !is_known ? "-" : task == TASK_NONE ? "idle" : role_of(row->roles, task));
}

static char *put_running_prios(char *to, const struct dataset_row *row, uint32_t item)
{
	bool is_known;
	const uint32_t task = task_on(row, item, &is_known);

	if (task == TASK_NONE || row->states->tasks[task].prio == TASK_PRIO_UNKNOWN)
		return column_put_text(to, "-");
	return decimal_put_signed(to, row->states->tasks[task].prio);
}

static char *put_since_ns(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct task_cpu *cpu = cpu_at(row, item);
	bool is_known;

	task_on(row, item, &is_known);
	return column_put_known(to, is_known && !cpu->since_cut, row->placement->ts_ns - cpu->since_ns, "-");
}

/* Does not count the task that was just placed there. */
static char *put_waiting(char *to, const struct dataset_row *row, uint32_t item)
{
	const struct task_cpu *cpu = cpu_at(row, item);
	const bool has_come = row->placement->cpus[item] == row->placement->chosen_cpu && cpu->runnable > 0;

	return column_put_known(to, !cpu->hides_waiting && !task_cpu_may_be_busy(cpu), cpu->runnable - has_come, "-");
}

/* --- Columns --- */

static const struct column table[] = {
    {"time_ns", "ns", "since the first event of the trace", COLUMN_INTEGER, .put = put_time_ns},
    {"cpu", "",
     "CPU that recorded the wakeup: the waker's, or the chosen one if the waker left the wakeup to it by an interrupt",
     COLUMN_INTEGER, .put = put_cpu},
    {"waker_role", "", "role of the task that ran on that CPU; idle for an interrupt on an idle CPU; empty if unknown",
     COLUMN_TEXT, .put = put_waker_role},
    {"task_name", "", "name of the task that was woken or born", COLUMN_TEXT, .put = put_task_name},
    {"task_role", "", "its role: name and number by birth", COLUMN_TEXT, .put = put_task_role},
    {"task_prio", "", "its kernel priority", COLUMN_INTEGER, .put = put_task_prio},
    {"is_new", "", "1: it was born (sched_wakeup_new), 0: it was woken", COLUMN_INTEGER, .put = put_is_new},
    {"previous_cpu", "", "CPU on which it ran last; empty if that was not seen", COLUMN_INTEGER,
     .put = put_previous_cpu},
    {"slept_ns", "ns", "time since it left previous_cpu; empty if that was not seen", COLUMN_INTEGER,
     .put = put_slept_ns},
    {"cpus", "list", "the CPUs with an event so far, except the tracer's, at most 64; all lists have this order",
     COLUMN_INTEGERS, .put_item = put_cpus},
    {"cpu_capacities", "list", "capacity of the CPU, at most 1024, as the kernel shows it; - if it does not",
     COLUMN_INTEGERS, .put_item = put_capacities},
    {"cpu_running_roles", "list", "role of the task that runs on the CPU, or idle; - if unknown, as in the next lists",
     COLUMN_TEXTS, .put_item = put_running_roles},
    {"cpu_running_prios", "list", "kernel priority of that task; - for an idle CPU, or if no event has shown it",
     COLUMN_INTEGERS, .put_item = put_running_prios},
    {"cpu_since_ns", "list, ns", "how long the CPU has run that task, or has been idle", COLUMN_INTEGERS,
     .put_item = put_since_ns},
    {"cpu_waiting", "list, tasks", "tasks that wait for the CPU, without the placed one", COLUMN_INTEGERS,
     .put_item = put_waiting},
    {"chosen", "index", "place of the chosen CPU in the lists, from 0: the target; empty if it is not listed",
     COLUMN_INTEGER, .put = put_chosen},
    {"chosen_cpu", "", "its number", COLUMN_INTEGER, .put = put_chosen_cpu},
};

static struct columns placement_columns(const char *layout)
{
	struct columns columns = {0};

	(void)layout;
	columns_add(&columns, label_columns, LABEL_COLUMNS);
	columns_add(&columns, table, sizeof(table) / sizeof(*table));
	return columns;
}

/* --- Rows --- */

static void note_slices(struct reading *reading, const struct task_states *states, const struct task_step *step)
{
	for (unsigned int i = 0; i < step->slice_count; i++) {
		const struct task_slice *slice = &step->slices[i];
		reading->tasks[slice->task] = (struct placed_task){slice->cpu, states->epoch + 1, slice->end_ns};
	}
}

static bool is_placement(struct reading *reading, const struct sched_event *event, const struct task_step *step)
{
	struct placement_counts *counts = &reading->rows->trace->counts.placements;

	if (!(step->changes & STEP_WAKEUP))
		return false;
	counts->wakeups++;
	if (step->changes & STEP_SPURIOUS)
		counts->spurious++;
	else if ((int64_t)step->wakeup.target_cpu == reading->rows->tracer_cpu ||
		 (!reading->rows->include_tracer && comm_is_one_of(&event->wakeup.task.comm, OWN_TASKS)))
		counts->excluded++;
	else if (!step->wakeup.is_new && !reading->tasks[step->wakeup.task].epoch)
		counts->unseen++;
	else
		return true;
	return false;
}

static void list_cpus(struct reading *reading, const struct task_states *states)
{
	struct placement *placement = &reading->placement;

	placement->chosen = UINT32_MAX;
	placement->cpu_count = 0;
	for (uint32_t i = 0; i < states->seen_cpus && placement->cpu_count < PLACEMENT_CPUS_MAX; i++) {
		if (!states->cpus[i].seen || (int64_t)i == reading->rows->tracer_cpu)
			continue;
		if (i == placement->chosen_cpu)
			placement->chosen = placement->cpu_count;
		placement->capacities[placement->cpu_count] = i < CPU_LEVELS_CPUS ? reading->levels.capacities[i] : 0;
		placement->cpus[placement->cpu_count++] = i;
	}
}

static void fill(struct reading *reading, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	const struct placed_task *known = &reading->tasks[step->wakeup.task];
	struct placement_counts *counts = &reading->rows->trace->counts.placements;
	struct placement *placement = &reading->placement;

	placement->ts_ns = event->ts_ns;
	placement->task = step->wakeup.task;
	placement->waker = step->wakeup.waker;
	placement->chosen_cpu = step->wakeup.target_cpu;
	placement->is_new = step->wakeup.is_new;
	placement->previous_known = known->epoch == states->epoch + 1 && !step->wakeup.is_new;
	placement->previous = *known;
	list_cpus(reading, states);
	counts->placements++;
	counts->unlisted += placement->chosen == UINT32_MAX;
	counts->previous_unknown += !placement->previous_known;
}

static enum status add_event(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct rows *rows = context;
	struct reading *reading = rows->reading;
	struct dataset_row row = {
	    .event = event,
	    .placement = &reading->placement,
	    .states = &pass->states,
	    .roles = &rows->trace->roles,
	};

	reading->tasks =
	    array_reserve(reading->tasks, &reading->task_count, pass->states.task_count, sizeof(*reading->tasks));
	if (step->changes & STEP_SLICE)
		note_slices(reading, &pass->states, step);
	if (!is_placement(reading, event, step))
		return STATUS_OK;
	fill(reading, &pass->states, event, step);
	return rows_want(rows, 1) ? rows_add(rows, &row, reading->placement.cpu_count, err) : STATUS_OK;
}

static enum status read_placements(struct rows *rows, struct error *err)
{
	struct reading reading = {.rows = rows};

	rows->reading = &reading;
	cpu_levels_read(&rows->trace->run.metadata.host.topology, &reading.levels);
	const enum status status = rows_read_pass(rows, add_event, err);
	free(reading.tasks);
	return status;
}

#define COUNT(member) offsetof(union row_counts, placements.member)

/* Each wakeup of a trace is in exactly one count. */
static const struct row_count placement_counts[] = {
    {"wakeups", COUNT(wakeups)},
    {"placements", COUNT(placements)},
    {"wakeups_of_awake", COUNT(spurious)},
    {"wakeups_excluded", COUNT(excluded)},
    {"wakeups_of_unseen", COUNT(unseen)},
    {"chosen_empty", COUNT(unlisted)},
    {"previous_cpu_empty", COUNT(previous_unknown)},
    {.key = NULL},
};

const struct row_kind placement_rows = {
    .task = "placement",
    .plural = "placements",
    .record =
	"One record per birth of a task, and per wakeup of one that has run before, with the CPUs that it could be "
	"placed on.",
    .columns = placement_columns,
    .read = read_placements,
    .remedy = "placements need sched_wakeup events; record with picknext collect",
    .has_roles = true,
    .counts = placement_counts,
};
