/* SPDX-License-Identifier: MIT
 *
 * Which task ran on which CPU in a short window of a run. With few tasks each has its colour; with many, each name has
 * one. Windows that are drawn side by side, of several sets, have the same colour for the same role: tasks of one name
 * are matched in the order in which they appeared. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/html.h"
#include "report/view.h"

enum { NAMES = CHART_COLOURS, LANES = 32 };

/* The task or the name that slices belong to. */
struct runner {
	struct report_task task; /* the first one; its name is as shown */
	uint64_t time_ns;
	uint32_t slices;
	uint32_t rank;  /* rank of the name in the whole workload, which determines its colour */
	uint32_t shown; /* index of the drawn item */
};

/* The windows that are drawn side by side. */
struct windows {
	const struct report_window *items[REPORT_SETS_MAX];
	size_t count;
};

struct runners {
	struct runner *items; /* by rank, then by running time, descending */
	size_t count;
	bool are_tasks;
};

static size_t find_runner(const struct runners *runners, const struct report_task *task)
{
	const struct sched_comm comm = report_shown_comm(&task->comm);
	size_t i = 0;

	while (i < runners->count && (!comm_equal(&runners->items[i].task.comm, &comm) ||
				      (runners->are_tasks && runners->items[i].task.number != task->number)))
		i++;
	return i;
}

static int by_rank(const void *a, const void *b)
{
	const struct runner *first = a, *second = b;

	if (first->rank != second->rank)
		return first->rank < second->rank ? -1 : 1;
	if (first->time_ns != second->time_ns)
		return first->time_ns > second->time_ns ? -1 : 1;
	return first->task.number < second->task.number ? -1 : first->task.number > second->task.number;
}

static void add_window(const struct report_workload *workload, const struct report_window *window,
		       struct runners *runners)
{
	/* More tasks than colours are shown by name. */
	for (uint32_t i = 0; i < window->count && !(runners->are_tasks && runners->count > CHART_COLOURS); i++) {
		const struct report_slice *slice = &window->slices[i];
		const struct report_task *task = &window->tasks[slice->task];
		size_t at = find_runner(runners, task);
		if (at == runners->count) {
			runners->items[at] =
			    (struct runner){.task = *task, .rank = report_names_rank(&workload->names, &task->comm)};
			runners->items[at].task.comm = report_shown_comm(&task->comm);
			runners->count++;
		}
		runners->items[at].time_ns += slice->end_ns - slice->start_ns;
		runners->items[at].slices++;
	}
}

static struct runners collect_runners(const struct report_workload *workload, const struct windows *windows,
				      bool are_tasks)
{
	struct runners runners = {.are_tasks = are_tasks};
	size_t tasks = 1;

	for (size_t i = 0; i < windows->count; i++)
		tasks += windows->items[i]->task_count;
	runners.items = xcalloc(tasks, sizeof(*runners.items));
	for (size_t i = 0; i < windows->count; i++)
		add_window(workload, windows->items[i], &runners);
	qsort(runners.items, runners.count, sizeof(*runners.items), by_rank);
	return runners;
}

/* By task if there are not more than there are colours. */
static struct runners choose_runners(const struct report_workload *workload, const struct windows *windows)
{
	struct runners runners = collect_runners(workload, windows, true);

	if (runners.count <= CHART_COLOURS)
		return runners;
	free(runners.items);
	return collect_runners(workload, windows, false);
}

/* A task of a single window has its PID, one of several its number, if other tasks have its name. */
static struct chart_text runner_text(const struct runners *runners, bool is_single, size_t at, char text[32])
{
	const struct report_task *task = &runners->items[at].task;
	bool is_alone = true;
	int length;

	for (size_t i = 0; i < runners->count; i++)
		is_alone = is_alone && (i == at || !comm_equal(&runners->items[i].task.comm, &task->comm));
	if (!runners->are_tasks || (!is_single && is_alone))
		return report_comm_text(&task->comm);
	if (is_single)
		length = snprintf(text, 32, "%.*s %d", task->comm.length, task->comm.bytes, (int)task->pid);
	else
		length = snprintf(text, 32, "%.*s#%u", task->comm.length, task->comm.bytes, (unsigned int)task->number);
	return (struct chart_text){text, (size_t)length};
}

/* True if its task ran on another CPU earlier in the window. */
static bool has_moved(const struct report_window *window, uint32_t at)
{
	const struct report_slice *slice = &window->slices[at];

	while (at--)
		if (window->slices[at].task == slice->task)
			return window->slices[at].cpu != slice->cpu;
	return false;
}

struct drawn {
	struct chart_text names[NAMES];
	char texts[NAMES][32];
	unsigned int colours[NAMES];
	size_t count;
};

/* One item per task; or one per name with a colour, and one for all others. */
static void choose_drawn(struct runners *runners, bool is_single, struct drawn *drawn)
{
	drawn->count = 0;
	for (size_t i = 0; i < runners->count; i++) {
		uint32_t rank = runners->are_tasks ? (uint32_t)i : runners->items[i].rank;
		bool is_other = !runners->are_tasks && rank >= REPORT_NAME_COLOURS;
		size_t last = drawn->count - 1;
		if (is_other && drawn->count && drawn->colours[last] == report_name_colour(rank)) {
			drawn->names[last] = (struct chart_text){"others", 6};
		} else if (drawn->count < NAMES) {
			last = drawn->count++;
			drawn->names[last] = runner_text(runners, is_single, i, drawn->texts[last]);
			drawn->colours[last] = rank <= REPORT_NAME_COLOURS || is_other ? report_name_colour(rank) : 1;
		}
		runners->items[i].shown = (uint32_t)last;
	}
}

static void describe_window(const struct report_window *window, struct chart *chart)
{
	snprintf(chart->description, sizeof(chart->description),
		 "Which task ran on each CPU in %s from %.6f s to %.6f s after its first event: %u slices%s.",
		 window->run->id, (double)window->from_ns / 1e9, (double)window->to_ns / 1e9,
		 (unsigned int)window->count, window->is_full ? "; it ends at the maximum number of slices" : "");
}

static void draw_window(const struct report_workload *workload, const struct report_window *window,
			const struct windows *windows, struct chart_timeline *timeline, struct chart *chart)
{
	struct runners runners = choose_runners(workload, windows);
	struct chart_slice *slices = xcalloc(window->count + 1, sizeof(*slices));
	uint32_t cpus[LANES];
	struct drawn drawn;

	choose_drawn(&runners, windows->count == 1, &drawn);
	for (uint32_t i = 0; i < window->count; i++) {
		const struct report_slice *slice = &window->slices[i];
		slices[i] = (struct chart_slice){
		    .start_ns = slice->start_ns - window->from_ns,
		    .end_ns = slice->end_ns - window->from_ns,
		    .cpu = slice->cpu,
		    .name = runners.items[find_runner(&runners, &window->tasks[slice->task])].shown,
		    .how = slice->how | (has_moved(window, i) ? CHART_MOVED : 0)};
	}
	for (uint32_t cpu = 0; cpu < workload->names.cpu_count && timeline->cpu_count < LANES; cpu++)
		cpus[timeline->cpu_count++] = cpu;
	timeline->cpus = cpus;
	timeline->to_ns = window->to_ns - window->from_ns;
	timeline->slices = slices;
	timeline->slice_count = window->count;
	timeline->names = drawn.names;
	timeline->colours = drawn.colours;
	timeline->name_count = drawn.count;
	chart->has_choices = window->decision_count && !chart->alone;
	struct chart_note *notes = xcalloc(window->decision_count + 1, sizeof(*notes));
	for (uint32_t i = 0; i < window->decision_count; i++) {
		const struct report_decision *decision = &window->decisions[i];
		notes[i] = (struct chart_note){decision->ns - window->from_ns, decision->end_ns - window->from_ns,
					       decision->cpu, decision->text};
	}
	timeline->notes = notes;
	timeline->note_count = window->decision_count;
	chart_timeline(chart, timeline);
	free(notes);
	free(runners.items);
	free(slices);
}

static struct windows windows_of_sets(const struct report_workload *workload)
{
	struct windows windows = {.count = 0};

	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++)
		if (workload->works[set] && workload->works[set]->window.count)
			windows.items[windows.count++] = &workload->works[set]->window;
	return windows;
}

static bool draw_timeline(const struct report_view *view, struct chart *chart)
{
	const struct report_work *work = view->workload->works[view->set];
	const struct windows windows = windows_of_sets(view->workload);
	struct chart_timeline timeline = {.from_ns = 0};
	struct buffer out = {0};

	if (!work || work->window.to_ns <= work->window.from_ns)
		return false;
	report_duration(&out, (double)(work->window.to_ns - work->window.from_ns));
	buffer_printf(&out, " of the first run, from %.6f s of the workload",
		      (double)(work->window.from_ns - work->window.start_ns) / 1e9);
	snprintf(chart->title, sizeof(chart->title), "%.*s", (int)out.length, out.data);
	report_title_set(view->report, view->set, CHART_TITLE_WIDE, chart->title);
	describe_window(&work->window, chart);
	buffer_free(&out);
	draw_window(view->workload, &work->window, &windows, &timeline, chart);
	return true;
}

static void write_timeline_table(const struct report_view *view, struct buffer *out)
{
	enum { SHOWN = 20 };
	const struct report_window *window = &view->workload->works[view->set]->window;
	const struct windows all = windows_of_sets(view->workload), own = {{window}, 1};
	struct runners runners = choose_runners(view->workload, &all);
	const bool are_tasks = runners.are_tasks;
	char text[32];

	free(runners.items);
	runners = collect_runners(view->workload, &own, are_tasks);
	report_table_begin(out, NULL);
	buffer_printf(
	    out, "<th scope=col class=t>%s<th scope=col>slices<th scope=col>ran<th scope=col>of a CPU</thead><tbody>",
	    runners.are_tasks ? "task" : "task name");
	for (size_t i = 0; i < runners.count && i < SHOWN; i++) {
		struct chart_text name = runner_text(&runners, all.count == 1, i, text);
		buffer_text(out, "<tr><th scope=row>");
		chart_escape(out, name.bytes, name.length);
		report_cell_count(out, runners.items[i].slices);
		report_cell_duration(out, (double)runners.items[i].time_ns);
		report_cell_share(out, (double)runners.items[i].time_ns, (double)(window->to_ns - window->from_ns));
	}
	report_table_end(out);
	free(runners.items);
}

/* --- Around the longest waits --- */

static const struct report_wait *wait_of(const struct report_view *view)
{
	const struct report_work *work = view->workload->works[view->set];

	return work && view->item < work->wait_count ? &work->waits[view->item] : NULL;
}

static bool draw_wait(const struct report_view *view, struct chart *chart)
{
	const struct report_wait *wait = wait_of(view);
	struct chart_timeline timeline = {.from_ns = 0};
	struct buffer out = {0};

	if (!wait || wait->window.to_ns <= wait->window.from_ns)
		return false;
	const struct report_window *window = &wait->window;
	const struct windows windows = {{window}, 1};
	const uint64_t since_ns = wait->found.since_start_ns - window->from_ns;
	const uint64_t length_ns = wait->found.end_ns - wait->found.since_ns;
	buffer_text(&out, "Wait of ");
	report_duration(&out, (double)length_ns);
	buffer_printf(&out, ": %.*s %d", wait->task.comm.length, wait->task.comm.bytes, (int)wait->task.pid);
	snprintf(chart->title, sizeof(chart->title), "%.*s", (int)out.length, out.data);
	report_title_set(view->report, view->set, CHART_TITLE_WIDE, chart->title);
	describe_window(window, chart);
	buffer_free(&out);
	timeline.wait.cpu = wait->found.cpu;
	timeline.wait.start_ns = since_ns;
	timeline.wait.end_ns = since_ns + length_ns;
	draw_window(view->workload, window, &windows, &timeline, chart);
	return true;
}

static void add_task(const struct report_task *task, struct buffer *out)
{
	report_comm(out, &task->comm);
	buffer_printf(out, " <span class=dim>%d</span>", (int)task->pid);
}

static void add_wait(const struct report_view *view, size_t number, struct buffer *out)
{
	static const char *const after[WAIT_CAUSES] = {[WAIT_WAKEUP] = "wakeup",
						       [WAIT_NEW] = "fork",
						       [WAIT_PREEMPTED] = "preemption",
						       [WAIT_RUNNABLE] = "switch-out (R)"};
	const struct report_wait *wait = wait_of(view);
	const struct worst_wait *found = &wait->found;

	buffer_text(out, "<tr><th scope=row>");
	add_task(&wait->task, out);
	buffer_text(out, "<td class=t>");
	report_tag(view->report, view->set, out);
	buffer_printf(out, "<td><a href=\"#w%zu-wait-%u-%u\">", number, (unsigned int)view->set + 1,
		      (unsigned int)view->item + 1);
	report_duration(out, (double)(found->end_ns - found->since_ns));
	buffer_printf(out, "</a><td class=t>%s%s", after[found->cause], found->has_ended ? "" : ", not ended");
	if (found->waker != TASK_NONE) {
		buffer_text(out, " by ");
		add_task(&wait->waker, out);
	}
	buffer_printf(out, "<td>%u<td>", (unsigned int)found->cpu);
	if (found->waiting_known)
		report_count(out, found->waiting);
	buffer_text(out, "<td class=long>");
	for (uint32_t i = 0; i < REPORT_WAIT_RAN && i < found->ran_count; i++) {
		buffer_text(out, i ? ", " : "");
		add_task(&wait->ran[i], out);
		buffer_text(out, " ");
		report_duration(out, (double)found->ran[i].ns);
	}
	if (found->ran_count > REPORT_WAIT_RAN)
		buffer_printf(out, " and %u more", (unsigned int)(found->ran_count - REPORT_WAIT_RAN));
	buffer_text(out, "<td title=\"");
	report_string(out, wait->window.run->id);
	buffer_printf(out, "\">%llu<td>%.6f", (unsigned long long)wait->window.run->number,
		      (double)found->since_start_ns / 1e9);
}

void report_wait_table(const struct report *report, const struct report_workload *workload, size_t number,
		       struct buffer *out)
{
	struct report_view view = {.report = report, .workload = workload};

	report_table_begin(out, NULL);
	buffer_text(
	    out,
	    "<th scope=col class=t>task<th scope=col class=t>set<th scope=col>waited<th scope=col "
	    "class=t>after<th scope=col>CPU<th scope=col>other tasks waiting<th scope=col class=t>tasks that ran there "
	    "meanwhile<th scope=col>run<th scope=col>at s</thead><tbody>");
	for (view.set = 0; view.set < report->set_count; view.set++)
		for (view.item = 0; wait_of(&view); view.item++)
			add_wait(&view, number, out);
	report_table_end(out);
}

const struct report_chart report_timelines[] = {
    {"timeline", true, true, 0, 0, draw_timeline, write_timeline_table},
    {"wait", true, true, 0, REPORT_WAITS, draw_wait, NULL},
    {.name = NULL},
};
