/* SPDX-License-Identifier: MIT */
#include "report/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/run_reader.h"

/* Fine enough for the shortest window of a timeline. */
#define SWITCH_RATE_PART_NS 50000u

struct report_run {
	const struct report_work *work;
	const struct run *run;
	struct descendants descendants;
	uint64_t cpu_switches[REPORT_CPUS_MAX];
	struct switch_rate *rate;
	uint64_t duration_ns;
	struct worst_waits worst;
	struct report_wait waits[REPORT_WAITS]; /* their windows are not set */
	uint64_t first_event_ns;
	struct pairs counted;
	struct report_pairs pairs;
	struct report_throttling throttling;
};

/* True if the waiting task belongs to the workload. If its tasks are known neither by name nor by descent, all tasks
 * do. */
static bool is_own_wait(const void *context, const struct task_states *states, const struct worst_wait *wait)
{
	const struct report_run *reading = context;
	const char *names = run_task_names(reading->run);

	if (!task_choice_has(reading->run->results->choice, states, wait->task, wait->comm))
		return false;
	if (names)
		return comm_is_one_of(&states->comms.comms[wait->comm], names);
	return !reading->work->has_roots || descendants_has(&reading->descendants, wait->task);
}

static enum status begin_run(void *context, const struct pass *pass, struct error *err)
{
	static const struct group_options by_name = {.by = "comm", .no_idle = true, .merge_kworkers = true};
	struct report_run *reading = context;

	(void)err;
	reading->descendants.roots = reading->run->roots;
	reading->descendants.root_count = reading->run->root_count;
	pairs_begin(&reading->counted, &by_name);
	groups_begin_trace(&reading->counted.groups, pass);
	reading->worst = (struct worst_waits){.max = REPORT_WAITS, .wants = is_own_wait, .context = reading};
	return STATUS_OK;
}

static void count_switch(struct switch_rate *rate, uint64_t since_start_ns)
{
	while (since_start_ns / rate->part_ns >= SWITCH_RATE_PARTS) {
		for (size_t i = 0; i < SWITCH_RATE_PARTS / 2; i++)
			rate->parts[i] = rate->parts[2 * i] + rate->parts[2 * i + 1];
		memset(rate->parts + SWITCH_RATE_PARTS / 2, 0, SWITCH_RATE_PARTS / 2 * sizeof(*rate->parts));
		rate->part_ns *= 2;
	}
	rate->parts[since_start_ns / rate->part_ns]++;
	rate->switches++;
}

static void keep_throttling(struct report_run *reading, const struct pass *pass, const struct task_wait *wait)
{
	struct report_throttling *all = &reading->throttling;
	struct throttled_spans found;

	cgroups_throttled(&reading->counted.groups.cgroups, &pass->states, wait, &found);
	for (uint32_t i = 0; i < found.count && all->count < REPORT_THROTTLED_MAX; i++) {
		all->spans = array_grow(all->spans, &all->capacity, all->count + 1ul, sizeof(*all->spans));
		all->spans[all->count++] =
		    (struct report_throttled){pass_since_start(pass, found.spans[i].from_ns),
					      pass_since_start(pass, found.spans[i].to_ns), wait->cpu};
	}
}

static enum status step_run(void *context, const struct pass *pass, const struct sched_event *event,
			    const struct task_step *step, struct error *err)
{
	struct report_run *reading = context;

	if (event->kind == SCHED_SWITCH) {
		count_switch(reading->rate, pass_since_start(pass, event->ts_ns));
		if (event->cpu < REPORT_CPUS_MAX)
			reading->cpu_switches[event->cpu]++;
	}
	descendants_step(&reading->descendants, &pass->states, step);
	const enum status status = pairs_consumer(&reading->counted).step(&reading->counted, pass, event, step, err);
	worst_waits_step(&reading->worst, &reading->counted.groups.cgroups, &pass->states, step);
	if (step->changes & STEP_WAIT)
		keep_throttling(reading, pass, &step->wait);
	return status;
}

static void keep_waits(struct report_run *reading, const struct task_states *states)
{
	for (uint32_t i = 0; i < reading->worst.count; i++) {
		struct report_wait *wait = &reading->waits[i];
		const struct worst_wait *found = &reading->worst.list[i];
		*wait = (struct report_wait){.found = *found, .task = report_task_of(states, found->task, found->comm)};
		if (found->waker != TASK_NONE)
			wait->waker = report_task_of(states, found->waker, found->waker_comm);
		for (uint32_t k = 0; k < REPORT_WAIT_RAN && k < found->ran_count; k++)
			wait->ran[k] = report_task_of(states, found->ran[k].task, found->ran[k].comm);
	}
}

static struct sched_comm pair_name(const struct groups *groups, const struct task_states *states, uint32_t key)
{
	static const struct sched_comm kworker = {.bytes = "kworker", .length = 7};

	return groups_is_kworkers(groups, key) ? kworker : states->comms.comms[key - groups->first_key];
}

static void keep_pairs(struct report_run *reading, const struct task_states *states)
{
	const struct groups *groups = &reading->counted.groups;

	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		const struct pair_list *list = &reading->counted.kinds[kind];
		uint32_t *order = pairs_sort(list), *count = &reading->pairs.counts[kind];
		reading->pairs.all[kind] = list->ids.count;
		for (; *count < REPORT_PAIRS && *count < list->ids.count; ++*count)
			reading->pairs.items[kind][*count] = (struct report_pair){
			    pair_name(groups, states, pair_first(list, order[*count])),
			    pair_name(groups, states, pair_second(list, order[*count])), list->accounts[order[*count]]};
		free(order);
	}
}

static enum status end_run(void *context, const struct pass *pass, struct error *err)
{
	struct report_run *reading = context;

	(void)err;
	reading->duration_ns = pass_end(pass);
	reading->first_event_ns = pass->run.first_ns;
	worst_waits_end(&reading->worst, &reading->counted.groups.cgroups, &pass->states,
			pass->run.first_ns + reading->duration_ns);
	keep_waits(reading, &pass->states);
	keep_pairs(reading, &pass->states);
	return STATUS_OK;
}

enum status report_run_read(const struct report_work *work, struct run *run, struct input *input,
			    struct report_run **read, struct error *err)
{
	struct report_run *reading = *read = xcalloc(1, sizeof(*reading));

	reading->work = work;
	reading->run = run;
	reading->rate = xcalloc(1, sizeof(*reading->rate));
	reading->rate->part_ns = SWITCH_RATE_PART_NS;
	const struct pass_consumer consumer = {
	    .context = reading, .step = step_run, .begin = begin_run, .end = end_run};
	return run_read(run, input, &consumer, err);
}

void report_run_free(struct report_run *read)
{
	if (!read)
		return;
	descendants_free(&read->descendants);
	worst_waits_free(&read->worst);
	pairs_free(&read->counted);
	free(read->throttling.spans);
	free(read->rate);
	free(read);
}

static uint64_t length_of(const struct report_wait *wait)
{
	return worst_wait_ns(&wait->found);
}

static struct report_throttling copy_throttling(const struct report_throttling *from)
{
	struct report_throttling copy = {.count = from->count};

	if (!from->count)
		return copy;
	copy.spans = xcalloc(from->count, sizeof(*copy.spans));
	memcpy(copy.spans, from->spans, from->count * sizeof(*copy.spans));
	return copy;
}

static struct report_window window_of(const struct report_run *read, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t start_ns = read->run->results->whole.begin_ns;

	return (struct report_window){.run = read->run,
				      .throttling = copy_throttling(&read->throttling),
				      .from_ns = from_ns,
				      .to_ns = to_ns < read->duration_ns ? to_ns : read->duration_ns,
				      .start_ns =
					  start_ns > read->first_event_ns ? start_ns - read->first_event_ns : 0};
}

/* The time around a wait that is drawn. */
static void time_around(const struct report_wait *wait, uint64_t *from_ns, uint64_t *to_ns)
{
	const uint64_t since_ns = wait->found.since_start_ns, long_ns = wait->found.end_ns - wait->found.since_ns;
	const uint64_t around_ns = long_ns / 10 > 20000 ? long_ns / 10 : 20000;

	*from_ns = since_ns > around_ns ? since_ns - around_ns : 0;
	*to_ns = since_ns + long_ns + around_ns;
}

/* Keeps the longest waits; among equal ones, those of earlier runs. */
static void add_waits(struct report_work *work, const struct report_run *read)
{
	uint64_t from_ns, to_ns;

	for (uint32_t i = 0; i < read->worst.count; i++) {
		const struct report_wait *wait = &read->waits[i];
		uint32_t place = work->wait_count;
		while (place > 0 && length_of(&work->waits[place - 1]) < length_of(wait))
			place--;
		if (place == REPORT_WAITS)
			return;
		if (work->wait_count == REPORT_WAITS)
			report_window_free(&work->waits[REPORT_WAITS - 1].window);
		work->wait_count += work->wait_count < REPORT_WAITS;
		memmove(&work->waits[place + 1], &work->waits[place],
			(work->wait_count - 1 - place) * sizeof(*work->waits));
		work->waits[place] = *wait;
		time_around(wait, &from_ns, &to_ns);
		work->waits[place].window = window_of(read, from_ns, to_ns);
		work->waits[place].window.follows = true;
		work->waits[place].window.followed = wait->task;
	}
}

/* Sets the measured part of the run: the steady part if there is one. */
static void set_part(struct report_work *work, const struct report_run *read)
{
	const struct run_results *results = read->run->results;
	const struct run_metrics *part = results->steady.duration_ns ? &results->steady : &results->whole;

	work->part_from_ns = part->begin_ns > read->first_event_ns ? part->begin_ns - read->first_event_ns : 0;
	work->part_to_ns = part->duration_ns ? work->part_from_ns + part->duration_ns : read->duration_ns;
	work->part_to_ns = work->part_to_ns < read->duration_ns ? work->part_to_ns : read->duration_ns;
}

void report_work_add(struct report_work *work, struct report_run *read)
{
	for (uint32_t cpu = work->cpu_count; cpu < REPORT_CPUS_MAX; cpu++)
		work->cpu_count = read->cpu_switches[cpu] ? cpu + 1 : work->cpu_count;
	if (work->runs++ == 0) {
		work->first_ns = read->duration_ns;
		for (size_t i = 0; i < REPORT_CPUS_MAX; i++)
			if (read->rate->busiest < read->cpu_switches[i])
				read->rate->busiest = read->cpu_switches[i];
		work->first = read->rate;
		read->rate = NULL;
		work->pairs = read->pairs;
		work->window = window_of(read, 0, 0);
		work->window.wants_decisions = true;
		work->own_count = read->worst.count;
		for (uint32_t i = 0; i < work->own_count; i++) {
			work->own[i] = read->waits[i];
			time_around(&work->own[i], &work->own[i].window.from_ns, &work->own[i].window.to_ns);
		}
		set_part(work, read);
	}
	add_waits(work, read);
	report_run_free(read);
}

static int compare_counts(const void *a, const void *b)
{
	const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

uint64_t switch_rate_step(const struct switch_rate *rate, uint64_t length_ns)
{
	return length_ns / 8 > rate->part_ns ? length_ns / 8 : rate->part_ns;
}

uint64_t switch_rate_count(const struct switch_rate *rate, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t end = (to_ns + rate->part_ns - 1) / rate->part_ns;
	uint64_t count = 0;

	for (uint64_t i = from_ns / rate->part_ns; i < end && i < SWITCH_RATE_PARTS; i++)
		count += rate->parts[i];
	return count;
}

uint64_t switch_rate_typical(const struct switch_rate *rate, uint64_t from_ns, uint64_t to_ns, uint64_t length_ns)
{
	const uint64_t step_ns = switch_rate_step(rate, length_ns);
	const bool fits = to_ns >= from_ns && to_ns - from_ns >= length_ns;
	const uint64_t places = fits ? (to_ns - from_ns - length_ns) / step_ns + 1 : 0;
	uint64_t *counts = xcalloc((size_t)places + 1, sizeof(*counts));
	size_t some = 0;

	for (uint64_t i = 0; i < places; i++) {
		const uint64_t at_ns = from_ns + i * step_ns;
		counts[some] = switch_rate_count(rate, at_ns, at_ns + length_ns);
		some += counts[some] > 0;
	}
	qsort(counts, some, sizeof(*counts), compare_counts);
	const uint64_t median = some ? counts[some / 2] : 0;
	free(counts);
	return median;
}

void report_work_free(struct report_work *work)
{
	free(work->first);
	report_window_free(&work->window);
	for (uint32_t i = 0; i < work->wait_count; i++)
		report_window_free(&work->waits[i].window);
}
