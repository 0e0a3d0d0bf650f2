/* SPDX-License-Identifier: MIT */
#include "measure/pairs.h"

#include <stdlib.h>

#include "base/memory.h"

/* A span of a task that counts for a pair when it ends. */
struct open_span {
	uint64_t since_ns;
	uint32_t pair;
	bool is_open;
};

struct pair_open {
	struct open_span run, wait;
	enum pair_kind kind; /* of wait */
};

void pairs_begin(struct pairs *pairs, const struct group_options *options)
{
	*pairs = (struct pairs){0};
	groups_begin(&pairs->groups, options, 0);
}

static void add_span(struct pair_spans *spans, uint64_t length_ns)
{
	spans->count++;
	spans->sum_ns += length_ns;
	spans->max_ns = length_ns > spans->max_ns ? length_ns : spans->max_ns;
}

/* Both tasks count, and at least one of them is chosen. */
static bool is_wanted(const struct pairs *pairs, const struct task_states *states, uint32_t first, uint32_t second)
{
	const struct task *a = &states->tasks[first], *b = &states->tasks[second];
	const struct task_choice *choice = &pairs->groups.options->tasks;

	return groups_want(&pairs->groups, a) && groups_want(&pairs->groups, b) &&
	       (task_choice_has(choice, states, first, a->comm) || task_choice_has(choice, states, second, b->comm));
}

/* Counts the pair once; returns its number. */
static uint32_t count_pair(struct pairs *pairs, enum pair_kind kind, const struct pass *pass, uint32_t first,
			   uint32_t second, bool is_special)
{
	const struct task *tasks = pass->states.tasks;
	struct pair_list *list = &pairs->kinds[kind];
	const uint64_t a = groups_key(&pairs->groups, pass, first, tasks[first].comm, 0),
		       b = groups_key(&pairs->groups, pass, second, tasks[second].comm, 0);
	const uint32_t known = list->ids.count, pair = id_map_add(&list->ids, a << 32 | b);

	list->accounts = array_grow(list->accounts, &list->capacity, pair + 1ul, sizeof(*list->accounts));
	if (pair == known)
		list->accounts[pair] = (struct pair_account){0};
	list->accounts[pair].count++;
	list->accounts[pair].special += is_special;
	return pair;
}

static void end_run(struct pairs *pairs, const struct task_slice *slice)
{
	struct open_span *run = &pairs->open[slice->task].run;

	if (run->is_open && run->since_ns == slice->start_ns && !slice->end_cut)
		add_span(&pairs->kinds[PAIR_PREEMPTED].accounts[run->pair].runs, slice->end_ns - slice->start_ns);
	run->is_open = false;
}

static void end_wait(struct pairs *pairs, const struct task_states *states, const struct task_wait *wait)
{
	const struct pair_open *open = &pairs->open[wait->task];
	uint64_t throttled_ns;

	if (open->wait.is_open && open->wait.since_ns == wait->since_ns) {
		struct pair_account *account = &pairs->kinds[open->kind].accounts[open->wait.pair];
		account->throttled_unknown +=
		    !cgroups_throttled_ns(&pairs->groups.cgroups, states, wait, &throttled_ns);
		account->throttled_ns += throttled_ns;
		pairs->groups.has_throttled = pairs->groups.has_throttled || throttled_ns;
		add_span(&account->waits, wait->end_ns - wait->since_ns - throttled_ns);
	}
	pairs->open[wait->task].wait.is_open = false;
}

static void begin_preemption(struct pairs *pairs, const struct pass *pass, const struct task_slice *slice,
			     uint32_t started)
{
	if (slice->end_cut || !leave_reason_is_runnable(slice->out) || pass->states.tasks[slice->task].is_idle ||
	    !pass_wants_cpu(pass, slice->cpu) || !is_wanted(pairs, &pass->states, started, slice->task))
		return;
	const uint32_t pair =
	    count_pair(pairs, PAIR_PREEMPTED, pass, started, slice->task, slice->out == LEAVE_PREEMPTED);
	pairs->open[started].run = (struct open_span){slice->end_ns, pair, true};
	pairs->open[slice->task].wait = (struct open_span){slice->end_ns, pair, true};
	pairs->open[slice->task].kind = PAIR_PREEMPTED;
}

static void begin_wakeup(struct pairs *pairs, const struct pass *pass, const struct task_step *step, uint64_t ts_ns)
{
	const uint32_t task = step->wakeup.task, waker = step->wakeup.waker;

	if (step->changes & STEP_SPURIOUS || waker == TASK_NONE || !pass_wants_cpu(pass, step->wakeup.target_cpu) ||
	    !is_wanted(pairs, &pass->states, waker, task))
		return;
	const uint32_t pair = count_pair(pairs, PAIR_WOKEN, pass, waker, task, step->wakeup.is_new);
	pairs->open[task].wait = (struct open_span){ts_ns, pair, true};
	pairs->open[task].kind = PAIR_WOKEN;
}

static enum status count_step(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct pairs *pairs = context;

	(void)err;
	groups_step(&pairs->groups, pass, event, step);
	pairs->open = array_reserve(pairs->open, &pairs->open_count, pass->states.task_count, sizeof(*pairs->open));
	for (unsigned int i = 0; i < step->slice_count; i++)
		end_run(pairs, &step->slices[i]);
	if (step->changes & STEP_WAIT)
		end_wait(pairs, &pass->states, &step->wait);
	if (event->kind == SCHED_SWITCH && step->slice_count && step->changes & STEP_RUN)
		begin_preemption(pairs, pass, &step->slices[step->slice_count - 1], step->started);
	if (step->changes & STEP_WAKEUP)
		begin_wakeup(pairs, pass, step, event->ts_ns);
	return STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct pairs *pairs = context;

	groups_begin_trace(&pairs->groups, pass);
	return pass_need_all_tasks(pass, "pairs of tasks", err);
}

struct pass_consumer pairs_consumer(struct pairs *pairs)
{
	return (struct pass_consumer){.context = pairs, .begin = begin_trace, .step = count_step};
}

struct sort_item {
	uint64_t waits_ns, count;
	uint32_t pair;
};

static int compare_items(const void *left, const void *right)
{
	const struct sort_item *a = left, *b = right;

	if (a->waits_ns != b->waits_ns)
		return a->waits_ns < b->waits_ns ? 1 : -1;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->pair < b->pair ? -1 : a->pair > b->pair;
}

uint32_t *pairs_sort(const struct pair_list *list)
{
	const uint32_t count = list->ids.count;
	struct sort_item *items = xcalloc(count + 1ul, sizeof(*items));
	uint32_t *pairs = xcalloc(count + 1ul, sizeof(*pairs));

	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){list->accounts[i].waits.sum_ns, list->accounts[i].count, i};
	qsort(items, count, sizeof(*items), compare_items);
	for (uint32_t i = 0; i < count; i++)
		pairs[i] = items[i].pair;
	free(items);
	return pairs;
}

void pairs_free(struct pairs *pairs)
{
	for (int kind = 0; kind < PAIR_KINDS; kind++) {
		id_map_free(&pairs->kinds[kind].ids);
		free(pairs->kinds[kind].accounts);
	}
	groups_free(&pairs->groups, NULL);
	free(pairs->open);
}
