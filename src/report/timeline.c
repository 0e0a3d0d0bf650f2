/* SPDX-License-Identifier: MIT
 *
 * Which task ran on which CPU in a short window of the first run. With few tasks each has its colour; with many, each
 * name has one. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/html.h"
#include "report/view.h"

enum { NAMES = CHART_COLOURS, LANES = 32 };

/* The task or the name that slices belong to. */
struct runner {
	uint32_t task, comm;
	uint64_t time_ns;
	uint32_t slices;
	uint32_t rank;  /* rank of the name in the whole workload, which determines its colour */
	uint32_t shown; /* index of the drawn item */
};

struct runners {
	struct runner *items; /* by rank, then by running time, descending */
	size_t count;
	bool are_tasks;
};

static size_t find_runner(const struct runners *runners, const struct report_slice *slice)
{
	size_t i = 0;

	while (i < runners->count &&
	       (runners->are_tasks ? runners->items[i].task != slice->task : runners->items[i].comm != slice->comm))
		i++;
	return i;
}

static int by_rank(const void *a, const void *b)
{
	const struct runner *first = a;
	const struct runner *second = b;

	if (first->rank != second->rank)
		return first->rank < second->rank ? -1 : 1;
	if (first->time_ns != second->time_ns)
		return first->time_ns > second->time_ns ? -1 : 1;
	return first->task < second->task ? -1 : first->task > second->task;
}

static struct runners collect_runners(const struct report_workload *workload, uint32_t set, bool are_tasks)
{
	const struct report_window *window = &workload->works[set]->window;
	struct runners runners = {.are_tasks = are_tasks, .items = xcalloc(window->count + 1, sizeof(*runners.items))};

	for (uint32_t i = 0; i < window->count; i++) {
		const struct report_slice *slice = &window->slices[i];
		size_t at = find_runner(&runners, slice);
		if (at == runners.count)
			runners.items[runners.count++].rank =
			    report_names_rank(&workload->names, &window->pass.states.comms.comms[slice->comm]);
		runners.items[at].task = slice->task;
		runners.items[at].comm = slice->comm;
		runners.items[at].time_ns += slice->end_ns - slice->start_ns;
		runners.items[at].slices++;
	}
	qsort(runners.items, runners.count, sizeof(*runners.items), by_rank);
	return runners;
}

/* By task if no set has more tasks than there are colours. */
static bool has_few_tasks(const struct report_workload *workload)
{
	bool has_few = true;

	for (uint32_t set = 0; set < REPORT_SETS_MAX && has_few; set++)
		if (workload->works[set]) {
			struct runners runners = collect_runners(workload, set, true);
			has_few = runners.count <= CHART_COLOURS;
			free(runners.items);
		}
	return has_few;
}

static struct runners collect_shown(const struct report_view *view)
{
	return collect_runners(view->workload, view->set, has_few_tasks(view->workload));
}

static struct chart_text runner_text(const struct report_window *window, const struct runners *runners, size_t at,
				     char text[32])
{
	const struct task_states *states = &window->pass.states;
	const struct sched_comm *comm = &states->comms.comms[runners->items[at].comm];

	if (!runners->are_tasks)
		return report_comm_text(comm);
	return (struct chart_text){text, (size_t)snprintf(text, 32, "%.*s %d", comm->length, comm->bytes,
							  (int)states->tasks[runners->items[at].task].pid)};
}

static void describe_window(const struct report_view *view, const struct report_window *window,
			    struct report_words *words)
{
	struct buffer out = {0};

	report_duration(&out, (double)(window->to_ns - window->from_ns));
	buffer_printf(&out, " of the first run, from %.6f s", (double)window->from_ns / 1e9);
	snprintf(words->title, sizeof(words->title), "%.*s", (int)out.length, out.data ? out.data : "");
	report_title_set(view->report, view->set, CHART_TITLE_WIDE, words->title);
	snprintf(words->description, sizeof(words->description),
		 "Which task ran on each CPU from %.6f s to %.6f s after the run's first event: %u slices%s. "
		 "Unless it was named, the window is one with a typical number of switches.",
		 (double)window->from_ns / 1e9, (double)window->to_ns / 1e9, (unsigned int)window->count,
		 window->is_full ? "; it ends at the maximum number of slices" : "");
	buffer_free(&out);
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
static void choose_runners(const struct report_window *window, struct runners *runners, struct drawn *drawn)
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
			drawn->names[last] = runner_text(window, runners, i, drawn->texts[last]);
			drawn->colours[last] = rank <= REPORT_NAME_COLOURS || is_other ? report_name_colour(rank) : 1;
		}
		runners->items[i].shown = (uint32_t)last;
	}
}

bool report_draw_timeline(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	const struct report_work *work = view->workload->works[view->set];
	const struct report_window *window = work ? &work->window : NULL;
	struct drawn drawn;
	uint32_t cpus[LANES];
	size_t cpu_count = 0;

	if (!window || window->to_ns <= window->from_ns)
		return false;
	struct chart_slice *slices = xcalloc(window->count + 1, sizeof(*slices));
	struct runners runners = collect_shown(view);
	choose_runners(window, &runners, &drawn);
	for (uint32_t i = 0; i < window->count; i++) {
		const struct report_slice *slice = &window->slices[i];
		slices[i] = (struct chart_slice){.start_ns = slice->start_ns - window->from_ns,
						 .end_ns = slice->end_ns - window->from_ns,
						 .cpu = slice->cpu,
						 .name = runners.items[find_runner(&runners, slice)].shown,
						 .how = slice->how};
		if (has_moved(window, i))
			slices[i].how |= CHART_MOVED;
	}
	for (uint32_t cpu = 0; cpu < view->workload->names.cpu_count && cpu_count < LANES; cpu++)
		cpus[cpu_count++] = cpu;
	describe_window(view, window, words);
	chart_timeline(chart, 0, window->to_ns - window->from_ns, cpus, cpu_count, slices, window->count, drawn.names,
		       drawn.colours, drawn.count);
	free(runners.items);
	free(slices);
	return true;
}

void report_timeline_table(const struct report_view *view, struct buffer *out)
{
	enum { SHOWN = 20 };
	const struct report_window *window = &view->workload->works[view->set]->window;
	struct runners runners = collect_shown(view);
	char text[32];

	report_table_begin(out, NULL);
	buffer_printf(
	    out, "<th scope=col class=t>%s<th scope=col>slices<th scope=col>ran<th scope=col>of a CPU</thead><tbody>",
	    runners.are_tasks ? "task" : "task name");
	for (size_t i = 0; i < runners.count && i < SHOWN; i++) {
		struct chart_text name = runner_text(window, &runners, i, text);
		buffer_text(out, "<tr><th scope=row>");
		chart_escape(out, name.bytes, name.length);
		report_cell_count(out, runners.items[i].slices);
		report_cell_duration(out, (double)runners.items[i].time_ns);
		report_cell_share(out, (double)runners.items[i].time_ns, (double)(window->to_ns - window->from_ns));
	}
	report_table_end(out);
	free(runners.items);
}
