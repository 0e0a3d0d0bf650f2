/* SPDX-License-Identifier: MIT */
#include "analysis/affinity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cmd/analysis_print.h"
#include "cmd/commands.h"

struct values {
	struct analysis_options analysis;
	const char *by;
	uint64_t top;
};

static const struct option options[] = {
    {.name = "by",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct values, by),
     .argument = "WHAT",
     .help = "a line for each task, or for all tasks of one name",
     .fallback = "task",
     .choices = "task|comm"},
    {.name = "top",
     .letter = 'n',
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct values, top),
     .argument = "N",
     .help = "those that changed CPUs most; 0 for all",
     .fallback = "20"},
    ANALYSIS_OPTION_ROWS(struct values, analysis),
    {.name = NULL},
};

static const struct table_column columns[] = {
    {"pid", "PID", TABLE_SIGNED, false},
    {"comm", "name", TABLE_TEXT, false},
    {"tasks", "tasks", TABLE_NUMBER, true},
    {"cpus", "CPUs", TABLE_TEXT, false},
    {"mask", "mask", TABLE_TEXT, false},
    {"cpu_time_ns", "CPU time\nms", TABLE_MS, false},
    {"runs", "runs", TABLE_NUMBER, false},
    {"changes", "changes", TABLE_NUMBER, false},
    {"changes_per_s", "changes\nper s", TABLE_RATE, false},
    {"affinity", "affinity\n%", TABLE_PERCENT, false},
    {NULL, NULL, 0, false},
};

/* A line of the table: a task, or all tasks of a name. */
struct line {
	uint32_t comm, sets_index; /* of sets */
	int32_t pid;
	uint32_t tasks;
	uint64_t runs, changes, cpu_time_ns;
};

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *what, struct error *err)
{
	(void)event;
	for (unsigned int i = 0; what->what & STEP_SLICE && i < what->slice_count; i++)
		if (pass_wants_cpu(pass, what->slices[i].cpu) && !affinity_add(context, &what->slices[i]))
			return error_system(err, ENOMEM, "affinity", "out of memory");
	return STATUS_OK;
}

static enum status cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	if (pass_wants_cpu(pass, slice->cpu) && !affinity_add(context, slice))
		return error_system(err, ENOMEM, "affinity", "out of memory");
	return STATUS_OK;
}

static int by_changes(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	if (one->changes != other->changes)
		return one->changes > other->changes ? -1 : 1;
	if (one->cpu_time_ns != other->cpu_time_ns)
		return one->cpu_time_ns > other->cpu_time_ns ? -1 : 1;
	return one->sets_index < other->sets_index ? -1 : 1;
}

/* Fills lines, one for each task or name that ran, and returns how many; by_comm gathers their CPUs in names. */
static size_t make_lines(const struct affinity *affinity, const struct task_states *machine, bool by_comm,
			 struct cpu_sets *names, struct line *lines)
{
	uint32_t most = by_comm ? machine->comms.count : machine->task_count;
	size_t count = 0;

	for (uint32_t i = 0; i < affinity->count && i < machine->task_count; i++) {
		const struct affinity_task *task = &affinity->tasks[i];
		const struct task *it = &machine->tasks[i];
		if (task->runs == 0 || it->is_idle)
			continue;
		struct line *line = &lines[by_comm ? it->comm : i];
		line->comm = it->comm;
		line->sets_index = by_comm ? it->comm : i;
		line->pid = it->pid;
		line->tasks++;
		line->runs += task->runs;
		line->changes += task->changes;
		line->cpu_time_ns += task->cpu_time_ns;
		if (by_comm)
			cpu_sets_merge(names, it->comm, &affinity->ran, i);
	}
	for (uint32_t i = 0; i < most; i++)
		if (lines[i].tasks)
			lines[count++] = lines[i];
	qsort(lines, count, sizeof(*lines), by_changes);
	return count;
}

static void add_line(struct table *table, const struct task_states *machine, const struct cpu_sets *sets,
		     const struct line *line, bool by_comm, uint64_t duration_ns)
{
	const struct sched_comm *comm = &machine->comms.comms[line->comm];
	char text[64];
	int score = affinity_score(line->runs, line->tasks, line->changes);

	if (by_comm)
		table_none(table);
	else
		table_signed(table, line->pid);
	table_text(table, comm->bytes, comm->length);
	table_number(table, line->tasks);
	cpu_sets_list(sets, line->sets_index, text, sizeof(text));
	table_text(table, text, strlen(text));
	cpu_sets_mask(sets, line->sets_index, text, sizeof(text));
	table_text(table, text, strlen(text));
	table_number(table, line->cpu_time_ns);
	table_number(table, line->runs);
	table_number(table, line->changes);
	if (duration_ns)
		table_number(table, (uint64_t)((double)line->changes * 1e12 / (double)duration_ns + 0.5));
	else
		table_none(table);
	if (score < 0)
		table_none(table);
	else
		table_number(table, (uint64_t)score);
}

static enum status print(const struct values *values, const struct affinity *affinity, const struct pass *pass,
			 struct error *err)
{
	const struct task_states *machine = &pass->machine;
	bool by_comm = strcmp(values->by, "comm") == 0;
	struct cpu_sets names = {0};
	struct table table;
	struct line *lines = calloc((by_comm ? machine->comms.count : machine->task_count) + 1ul, sizeof(*lines));

	if (!lines)
		return error_system(err, ENOMEM, "affinity", "out of memory");
	size_t count = make_lines(affinity, machine, by_comm, &names, lines);
	table_begin(&table, columns);
	for (size_t i = 0; i < count && (values->top == 0 || i < values->top); i++)
		add_line(&table, machine, by_comm ? &names : &affinity->ran, &lines[i], by_comm,
			 pass->summary.duration_ns);
	const struct analysis_table tables[] = {{"tasks", NULL, &table}};
	enum status status = analysis_print(&values->analysis, pass, tables, 1, err);
	table_free(&table);
	cpu_sets_free(&names);
	free(lines);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct values values = {0};
	struct operands operands;
	int exit_code;
	struct error err = {0};
	struct affinity affinity = {0};
	struct pass pass;
	const struct pass_consumer consumer = {.context = &affinity, .step = step, .cut = cut};

	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	enum status status = analysis_read(&values.analysis, &operands, &consumer, &pass, &err);
	if (status == STATUS_OK)
		status = print(&values, &affinity, &pass, &err);
	affinity_free(&affinity);
	return analysis_exit(&pass, status, &err);
}

const struct command command_affinity = {
    .name = "affinity",
    .summary = "on which CPUs tasks ran, and how often they changed",
    .operands = ANALYSIS_OPERANDS,
    .most_operands = SIZE_MAX,
    .details = ANALYSIS_DETAILS
    "\n\n"
    "CPUs and mask: those that the task ran on (not those it was allowed to), the mask as /proc/PID/status\n"
    "writes one. changes: runs on another CPU than the run before; per second of the trace. affinity: the share\n"
    "of its runs, but the first, that were on the CPU of the run before: 100 never moved. Of tasks with one name,\n"
    "--by comm adds runs and changes up. Idle tasks are left out.",
    .examples = "  picknext affinity raw/io_mixed_run0.dat       # the 20 tasks that changed most\n"
		"  picknext affinity --by comm --top 0 out      # all names, over all runs of a collection\n"
		"  picknext affinity --csv --top 0 trace.dat    # for a spreadsheet",
    .options = options,
    .run = run,
};
