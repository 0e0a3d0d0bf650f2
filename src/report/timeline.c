/* SPDX-License-Identifier: MIT
 *
 * Timelines: which task ran on which CPU in a short window of a run. With few tasks that run for long, each of these
 * has a colour; with many, each name has one. In windows of several sets that are drawn side by side, the same role has
 * the same colour: tasks of one name are matched in the order in which they appeared. */
#include "report/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html.h"

enum { NAMES = CHART_COLOURS, NAME_COLOURS = 6, LANES = 32 };
enum {
	TASKS_MAX = 64,   /* more tasks are shown by name */
	MINOR_SHARE = 100 /* if not each task has a colour, those that run for less than 1/100 of the time have none */
};

/* A task, or all tasks of one name, to which slices belong. */
struct runner {
	struct report_task task; /* the first task; with its shown name */
	uint64_t time_ns;
	uint32_t slices;
	uint64_t name_ns; /* running time of all tasks of its name */
	bool is_minor;    /* one of "others" */
	uint32_t shown;   /* index of the drawn item */
};

/* The windows that are drawn side by side. */
struct windows {
	const struct report_window *items[REPORT_SETS_MAX];
	size_t count;
};

struct runners {
	struct runner *items; /* minor ones last; by running time of the name, then of the task, descending */
	size_t count;
	bool are_tasks;
};

/* The name that is shown: all kworkers have the same. */
static struct sched_comm shown_comm(const struct sched_comm *comm)
{
	static const struct sched_comm kworker = {.bytes = "kworker", .length = 7};

	return comm->length > 8 && memcmp(comm->bytes, "kworker/", 8) == 0 ? kworker : *comm;
}

/* The first two colours are not used, because they denote the first two sets. All ranks after the last colour share it:
 * "others". */
static unsigned int colour_of(size_t rank)
{
	static const uint8_t colours[NAME_COLOURS + 1] = {2, 4, 3, 6, 7, 0, 5};

	return colours[rank < NAME_COLOURS ? rank : NAME_COLOURS];
}

static size_t find_runner(const struct runners *runners, const struct report_task *task)
{
	const struct sched_comm comm = shown_comm(&task->comm);
	size_t i = 0;

	while (i < runners->count && (!comm_equal(&runners->items[i].task.comm, &comm) ||
				      (runners->are_tasks && runners->items[i].task.number != task->number)))
		i++;
	return i;
}

static int by_time(const void *a, const void *b)
{
	const struct runner *first = a, *second = b;
	const int names = memcmp(first->task.comm.bytes, second->task.comm.bytes, sizeof(first->task.comm.bytes));

	if (first->is_minor != second->is_minor)
		return first->is_minor ? 1 : -1;
	if (first->name_ns != second->name_ns)
		return first->name_ns > second->name_ns ? -1 : 1;
	if (names != 0)
		return names;
	if (first->time_ns != second->time_ns)
		return first->time_ns > second->time_ns ? -1 : 1;
	return first->task.number < second->task.number ? -1 : first->task.number > second->task.number;
}

static void sort_runners(struct runners *runners)
{
	for (size_t i = 0; i < runners->count; i++)
		for (size_t k = 0; k < runners->count; k++)
			if (comm_equal(&runners->items[i].task.comm, &runners->items[k].task.comm))
				runners->items[i].name_ns += runners->items[k].time_ns;
	qsort(runners->items, runners->count, sizeof(*runners->items), by_time);
}

static void add_window(const struct report_window *window, struct runners *runners)
{
	for (uint32_t i = 0; i < window->count && !(runners->are_tasks && runners->count > TASKS_MAX); i++) {
		const struct report_slice *slice = &window->slices[i];
		const struct report_task *task = &window->tasks[slice->task];
		size_t at = find_runner(runners, task);
		if (at == runners->count) {
			runners->items[at] = (struct runner){.task = *task};
			runners->items[at].task.comm = shown_comm(&task->comm);
			runners->count++;
		}
		runners->items[at].time_ns += slice->end_ns - slice->start_ns;
		runners->items[at].slices++;
	}
}

static struct runners collect_runners(const struct windows *windows, bool are_tasks)
{
	struct runners runners = {.are_tasks = are_tasks};
	size_t tasks = 1;

	for (size_t i = 0; i < windows->count; i++)
		tasks += windows->items[i]->task_count;
	runners.items = xcalloc(tasks, sizeof(*runners.items));
	for (size_t i = 0; i < windows->count; i++)
		add_window(windows->items[i], &runners);
	sort_runners(&runners);
	return runners;
}

/* Marks the tasks that run for less than their share of the time, and puts them last. Returns the number of others. */
static size_t mark_minor(struct runners *runners)
{
	uint64_t all_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < runners->count; i++)
		all_ns += runners->items[i].time_ns;
	for (size_t i = 0; i < runners->count; i++) {
		runners->items[i].is_minor = runners->items[i].time_ns < all_ns / MINOR_SHARE;
		count += !runners->items[i].is_minor;
	}
	qsort(runners->items, runners->count, sizeof(*runners->items), by_time);
	return count;
}

/* Items are tasks if there are enough colours for them, or for those that run for long; otherwise names. */
static struct runners choose_runners(const struct windows *windows)
{
	struct runners runners = collect_runners(windows, true);

	if (runners.count <= CHART_COLOURS || (runners.count <= TASKS_MAX && mark_minor(&runners) <= NAME_COLOURS))
		return runners;
	free(runners.items);
	runners = collect_runners(windows, false);
	for (size_t i = NAME_COLOURS; i < runners.count; i++)
		runners.items[i].is_minor = true;
	return runners;
}

/* The text of an item: a task of a single window has its PID. In several windows, a task has its number if other tasks
 * have its name. */
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

/* Flags of how a slice begins, by the slices before it, of its task and on its CPU. */
static uint8_t how_it_begins(const struct report_window *window, uint32_t at)
{
	const struct report_slice *slice = &window->slices[at], *own = NULL, *here = NULL;

	while (at-- && !(own && here)) {
		const struct report_slice *before = &window->slices[at];
		own = !own && before->task == slice->task ? before : own;
		here = !here && before->cpu == slice->cpu ? before : here;
	}
	return slice->how | (own && own->cpu != slice->cpu ? CHART_MOVED : 0) |
	       (here && here->task != slice->task ? CHART_ANOTHER : 0);
}

struct drawn {
	struct chart_text names[NAMES];
	char texts[NAMES][32];
	unsigned int colours[NAMES];
	size_t count;
};

/* One item per task or name with a colour, and one for all minor ones. */
static void choose_drawn(struct runners *runners, bool is_single, struct drawn *drawn)
{
	drawn->count = 0;
	for (size_t i = 0; i < runners->count; i++) {
		const bool is_minor = runners->items[i].is_minor;
		size_t last = drawn->count - 1;
		if (i && is_minor && runners->items[i - 1].is_minor) {
			drawn->names[last] = (struct chart_text){"others", 6};
		} else if (drawn->count < NAMES) {
			last = drawn->count++;
			drawn->names[last] = runner_text(runners, is_single, i, drawn->texts[last]);
			drawn->colours[last] = is_minor            ? colour_of(NAME_COLOURS)
					       : i <= NAME_COLOURS ? colour_of(i)
								   : 1;
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

/* The lags of the followed task; or of the groups that it is in, if it is never a candidate itself. To be freed. */
static struct chart_point *list_lags(const struct report_window *window, size_t *count, char *title, size_t size)
{
	struct chart_point *points = xcalloc(window->lag_count + 1ul, sizeof(*points));
	const struct report_task *task = &window->followed;
	bool has_own = false;

	for (uint32_t i = 0; i < window->lag_count; i++)
		has_own = has_own || !window->lags[i].is_group;
	*count = 0;
	for (uint32_t i = 0; i < window->lag_count; i++) {
		const struct report_lag *lag = &window->lags[i];
		const bool is_held = lag->is_group && has_own; /* the lag is that of the group, not of the task */
		if (is_held && (!lag->is_passed || *count == 0))
			continue;
		points[*count] = (struct chart_point){lag->ns - window->from_ns,
						      is_held ? points[*count - 1].value : (double)lag->lag_ns,
						      lag->is_passed, lag->is_broken};
		++*count;
	}
	snprintf(title, size,
		 "lag of %s%.*s#%u in CPU time, at each decision with it as a candidate: above 0 it is owed time",
		 has_own ? "" : "the group of ", (int)task->comm.length, task->comm.bytes, (unsigned int)task->number);
	return points;
}

static int by_start(const void *a, const void *b)
{
	const struct chart_span *first = a, *second = b;

	if (first->start_ns != second->start_ns)
		return first->start_ns < second->start_ns ? -1 : 1;
	return first->end_ns < second->end_ns ? -1 : first->end_ns > second->end_ns;
}

/* By their start. To be freed. */
static struct chart_span *list_throttled(const struct report_window *window, size_t *count)
{
	struct chart_span *spans = xcalloc(window->throttling.count + 1ul, sizeof(*spans));

	*count = 0;
	for (uint32_t i = 0; i < window->throttling.count; i++) {
		const struct report_throttled *span = &window->throttling.spans[i];
		if (span->end_ns <= window->from_ns || span->start_ns >= window->to_ns)
			continue;
		spans[(*count)++] = (struct chart_span){
		    span->start_ns > window->from_ns ? span->start_ns - window->from_ns : 0,
		    (span->end_ns < window->to_ns ? span->end_ns : window->to_ns) - window->from_ns, span->cpu};
	}
	qsort(spans, *count, sizeof(*spans), by_start);
	return spans;
}

static void draw_window(const struct report_workload *workload, const struct report_window *window,
			const struct windows *windows, struct chart_timeline *timeline, struct chart *chart)
{
	struct runners runners = choose_runners(windows);
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
		    .how = how_it_begins(window, i)};
	}
	for (uint32_t set = 0; set < REPORT_SETS_MAX; set++)
		for (uint32_t cpu = (uint32_t)timeline->cpu_count;
		     workload->works[set] && cpu < workload->works[set]->cpu_count && cpu < LANES; cpu++)
			cpus[timeline->cpu_count++] = cpu;
	timeline->cpus = cpus;
	timeline->to_ns = window->to_ns - window->from_ns;
	timeline->slices = slices;
	timeline->slice_count = window->count;
	timeline->names = drawn.names;
	timeline->colours = drawn.colours;
	timeline->name_count = drawn.count;
	chart->has_notes = window->decision_count && !chart->alone;
	struct chart_note *notes = xcalloc(window->decision_count + 1, sizeof(*notes));
	for (uint32_t i = 0; i < window->decision_count; i++) {
		const struct report_decision *decision = &window->decisions[i];
		notes[i] = (struct chart_note){decision->ns - window->from_ns, decision->end_ns - window->from_ns,
					       decision->cpu, decision->text};
	}
	char title[128];
	timeline->curve.points = list_lags(window, &timeline->curve.count, title, sizeof(title));
	timeline->curve.title = title;
	struct chart_span *throttled = list_throttled(window, &timeline->throttled_count);
	timeline->throttled = throttled;
	timeline->notes = notes;
	timeline->note_count = window->decision_count;
	chart_timeline(chart, timeline);
	free((void *)timeline->curve.points);
	free(throttled);
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

/* Marks the wait of the followed task. */
static void mark_wait(const struct report_work *work, struct chart_timeline *timeline)
{
	const struct report_window *window = &work->window;

	for (uint32_t i = 0; i < work->own_count && window->follows && !timeline->wait.end_ns; i++) {
		const struct report_wait *wait = &work->own[i];
		const uint64_t from_ns = wait->found.since_start_ns,
			       to_ns = from_ns + (wait->found.end_ns - wait->found.since_ns);
		if (wait->task.task != window->followed.task || from_ns < window->from_ns || to_ns > window->to_ns)
			continue;
		timeline->wait.cpu = wait->found.cpu;
		timeline->wait.start_ns = from_ns - window->from_ns;
		timeline->wait.end_ns = to_ns - window->from_ns;
	}
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
	mark_wait(work, &timeline);
	draw_window(view->workload, &work->window, &windows, &timeline, chart);
	return true;
}

static void write_timeline_table(const struct report_view *view, struct buffer *out)
{
	enum { SHOWN = 20 };
	const struct report_window *window = &view->workload->works[view->set]->window;
	const struct windows all = windows_of_sets(view->workload), own = {{window}, 1};
	struct runners runners = choose_runners(&all);
	const bool are_tasks = runners.are_tasks;
	char text[32];

	free(runners.items);
	runners = collect_runners(&own, are_tasks);
	report_table_begin(out);
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
	report_duration(&out, (double)worst_wait_ns(&wait->found));
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

/* "?" if it is not known. */
static void add_throttled(struct buffer *out, bool is_known, uint64_t ns)
{
	if (is_known && ns)
		report_duration(out, (double)ns);
	else
		buffer_text(out, is_known ? "0" : "?");
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
	report_duration(out, (double)worst_wait_ns(found));
	buffer_text(out, "</a><td>");
	add_throttled(out, found->throttled.is_known, throttled_ns(&found->throttled));
	buffer_printf(out, "<td class=t>%s%s", after[found->cause], found->has_ended ? "" : ", not ended");
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

	report_table_begin(out);
	buffer_text(out,
		    "<th scope=col class=t>task<th scope=col class=t>set<th scope=col>waited<th scope=col>throttled<th "
		    "scope=col class=t>after<th scope=col>CPU<th scope=col>other tasks waiting<th scope=col "
		    "class=t>tasks that ran there "
		    "meanwhile<th scope=col>run<th scope=col>at s</thead><tbody>");
	for (view.set = 0; view.set < report->set_count; view.set++)
		for (view.item = 0; wait_of(&view); view.item++)
			add_wait(&view, number, out);
	report_table_end(out);
}

/* --- Pairs --- */

static void add_pair(const struct report *report, uint32_t set, const struct report_pair *pair, enum pair_kind kind,
		     struct buffer *out)
{
	const struct pair_spans *waits = &pair->account.waits, *runs = &pair->account.runs;

	buffer_text(out, "<tr><th scope=row>");
	report_comm(out, &pair->first);
	buffer_text(out, "<td class=t>");
	report_comm(out, &pair->second);
	buffer_text(out, "<td class=t>");
	report_tag(report, set, out);
	report_cell_count(out, pair->account.count);
	if (kind == PAIR_PREEMPTED)
		report_cell_duration(out, (double)runs->sum_ns);
	report_cell_duration(out, (double)waits->sum_ns);
	report_cell_duration(out, waits->count ? (double)waits->sum_ns / (double)waits->count : 0);
	report_cell_duration(out, (double)waits->max_ns);
	buffer_text(out, "<td>");
	add_throttled(
	    out, quality_has_enough(waits->count - pair->account.throttled_unknown, pair->account.throttled_unknown),
	    pair->account.throttled_ns);
}

static void add_pair_table(const struct report *report, const struct report_workload *workload, enum pair_kind kind,
			   struct buffer *out)
{
	buffer_text(out, kind == PAIR_PREEMPTED ? "<h4>Who preempted whom</h4>" : "<h4>Who woke whom</h4>");
	report_table_begin(out);
	buffer_text(out, kind == PAIR_PREEMPTED
			     ? "<th scope=col class=t>preempts<th scope=col class=t>whom<th scope=col class=t>set"
			       "<th scope=col>times<th scope=col>then ran<th scope=col>whom waited"
			     : "<th scope=col class=t>wakes<th scope=col class=t>whom<th scope=col class=t>set"
			       "<th scope=col>times<th scope=col>whom waited");
	buffer_text(out, "<th scope=col>mean<th scope=col>max<th scope=col>throttled</thead><tbody>");
	for (uint32_t set = 0; set < report->set_count; set++)
		for (uint32_t i = 0; workload->works[set] && i < workload->works[set]->pairs.counts[kind]; i++)
			add_pair(report, set, &workload->works[set]->pairs.items[kind][i], kind, out);
	report_table_end(out);
}

void report_pair_tables(const struct report *report, const struct report_workload *workload, struct buffer *out)
{
	buffer_text(
	    out, "<details class=f><summary>Who preempted and woke whom</summary><p class=\"dim small\">By names, of "
		 "the first run of each set, those with the longest sums of waits; picknext stat --pairs lists all.\n");
	for (int kind = 0; kind < PAIR_KINDS; kind++)
		add_pair_table(report, workload, (enum pair_kind)kind, out);
	buffer_text(out, "</details>");
}

const struct report_chart report_timelines[] = {
    {"timeline", true, true, 0, 0, draw_timeline, write_timeline_table},
    {"wait", true, true, 0, REPORT_WAITS, draw_wait, NULL},
    {.name = NULL},
};
