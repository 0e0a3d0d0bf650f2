/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/memory.h"
#include "compare/run_accounts.h"

/* A task from its wakeup until it runs: the CPU on which it waits, the switches there when it came, and those that it
 * has seen on other CPUs. */
struct woken {
	bool is_waiting;
	bool cpu_was_busy; /* with another task, when it was woken */
	uint32_t cpu;
	uint64_t switches_then, switches_elsewhere;
};

struct order_account {
	uint64_t *switches; /* of each CPU so far */
	uint32_t cpu_count;
	struct woken *tasks; /* by number */
	uint32_t task_count;
};

struct order_account *order_account_begin(void)
{
	return xcalloc(1, sizeof(struct order_account));
}

static uint64_t *switches_of(struct order_account *order, uint32_t cpu)
{
	order->switches = array_reserve(order->switches, &order->cpu_count, cpu + 1, sizeof(*order->switches));
	return &order->switches[cpu];
}

void order_account_switch(struct order_account *order, uint32_t cpu)
{
	++*switches_of(order, cpu);
}

static struct woken *find_woken(const struct order_account *order, uint32_t task)
{
	return task < order->task_count && order->tasks[task].is_waiting ? &order->tasks[task] : NULL;
}

static void add_wait(struct metric_period *period, uint64_t others, bool was_busy, uint64_t length_ns)
{
	enum { AT_ONCE_NS = 100000 };

	distribution_add(&period->distributions[RUN_OVERTAKEN], others);
	period->sums[SUM_BUSY_WAKEUPS] += was_busy;
	period->sums[SUM_PREEMPTING_WAKEUPS] += was_busy && others == 0 && length_ns < AT_ONCE_NS;
}

/* Nothing if a move of the task is missing in the trace. */
void order_account_wait(struct order_account *order, const struct task_wait *wait, struct metric_period *const *periods,
			size_t count)
{
	struct woken *woken = find_woken(order, wait->task);

	if (!woken)
		return;
	woken->is_waiting = false;
	if (woken->cpu != wait->cpu)
		return;
	const uint64_t switches = woken->switches_elsewhere + *switches_of(order, wait->cpu) - woken->switches_then;
	for (size_t i = 0; i < count; i++)
		add_wait(periods[i], switches > 0 ? switches - 1 : 0, woken->cpu_was_busy,
			 wait->end_ns - wait->since_ns);
}

void order_account_move(struct order_account *order, uint32_t task, uint32_t cpu)
{
	struct woken *woken = find_woken(order, task);

	if (!woken)
		return;
	woken->switches_elsewhere += *switches_of(order, woken->cpu) - woken->switches_then;
	woken->cpu_was_busy = false; /* it waits for another one */
	woken->cpu = cpu;
	woken->switches_then = *switches_of(order, cpu);
}

void order_account_wakeup(struct order_account *order, uint32_t task, uint32_t cpu, bool is_busy)
{
	order->tasks = array_reserve(order->tasks, &order->task_count, task + 1, sizeof(*order->tasks));
	order->tasks[task] = (struct woken){
	    .is_waiting = true, .cpu_was_busy = is_busy, .cpu = cpu, .switches_then = *switches_of(order, cpu)};
}

void order_account_free(struct order_account *order)
{
	if (!order)
		return;
	free(order->switches);
	free(order->tasks);
	free(order);
}
