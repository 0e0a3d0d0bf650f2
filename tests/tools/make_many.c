/* SPDX-License-Identifier: MIT
 *
 * make_many FILE CPUS TASKS SWITCHES: a consistent trace.dat of that size; always the same. TASKS tasks are born one
 * after the other, run, are preempted, sleep, are woken and migrate; CPUs go idle. Nothing is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/event_recipe.h"
#include "support/trace_recipe.h"

#define QUEUE   64
#define STEP_NS 1000

struct cpu {
	struct page_recipe page;
	uint64_t last;
	int32_t running; /* index of the task, -1 for idle */
	uint32_t queue[QUEUE], queued;
};

static uint64_t seed = 7;
static struct trace_recipe recipe;
static struct cpu cpus[RECIPE_CPUS_MAX];
static uint64_t now = UINT64_C(1000000000000);
static bool *asleep;
static uint32_t cpu_count, task_count, born;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % below;
}

static int32_t pid_of(int32_t task)
{
	return task < 0 ? 0 : task + 1000;
}

static const char *comm_of(int32_t task, uint32_t cpu, char *text)
{
	if (task < 0)
		snprintf(text, 24, "swapper/%u", cpu);
	else
		snprintf(text, 24, "task-%d", task % 1000);
	return text;
}

/* The page of CPU for one more event, and the time since its last one. */
static struct page_recipe *page_of(uint32_t cpu, uint32_t *time_delta)
{
	struct cpu *on = &cpus[cpu];

	if (on->page.at > PAGE_SIZE - 128 || now - on->last >= UINT64_C(100000000)) {
		page_end(&on->page);
		trace_page(&recipe, cpu, &on->page);
		page_begin(&on->page, now);
		on->last = now;
	}
	*time_delta = (uint32_t)(now - on->last);
	on->last = now;
	return &on->page;
}

static void wake(uint32_t task, uint32_t cpu, uint16_t type)
{
	uint32_t time_delta;
	struct page_recipe *page = page_of(cpu, &time_delta);
	char comm[24];

	page_wakeup_by(page, time_delta, type, pid_of(cpus[cpu].running), comm_of((int32_t)task, cpu, comm),
		       pid_of((int32_t)task), (int32_t)cpu);
	cpus[cpu].queue[cpus[cpu].queued++] = task;
	asleep[task] = false;
}

/* One task becomes runnable on CPU: a new one, or one that sleeps. */
static void add_runnable(uint32_t cpu)
{
	if (born < task_count && draw(4) == 0) {
		wake(born++, cpu, ID_WAKEUP_NEW);
		return;
	}
	for (int attempt = 0; attempt < 4 && born; attempt++) {
		uint32_t task = draw(born);
		if (asleep[task]) {
			wake(task, cpu, ID_WAKEUP);
			return;
		}
	}
}

static void switch_task(uint32_t cpu)
{
	struct cpu *on = &cpus[cpu];
	int32_t prev = on->running, next = -1;
	bool sleeps = prev >= 0 && draw(3) != 0;
	char prev_comm[24], next_comm[24];
	uint32_t time_delta;

	if (on->queued) {
		next = (int32_t)on->queue[0];
		memmove(on->queue, on->queue + 1, --on->queued * sizeof(on->queue[0]));
	} else if (prev < 0 || !sleeps) {
		return;
	}
	if (prev >= 0 && sleeps)
		asleep[prev] = true;
	else if (prev >= 0)
		on->queue[on->queued++] = (uint32_t)prev;
	struct page_recipe *page = page_of(cpu, &time_delta);
	page_switch(page, time_delta, comm_of(prev, cpu, prev_comm), pid_of(prev), sleeps ? 1 : 0,
		    comm_of(next, cpu, next_comm), pid_of(next));
	on->running = next;
}

int main(int argc, char **argv)
{
	struct buffer file = {0};
	struct error err;

	if (argc != 5 || (cpu_count = (uint32_t)atoi(argv[2])) - 1 >= RECIPE_CPUS_MAX ||
	    (task_count = (uint32_t)atoi(argv[3])) == 0)
		return 2;
	long switches = atol(argv[4]);
	asleep = calloc(task_count, sizeof(*asleep));
	if (!asleep)
		return 1;
	trace_begin(&recipe, cpu_count);
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
		page_begin(&cpus[cpu].page, now);
		cpus[cpu].last = now;
		cpus[cpu].running = -1;
	}
	while (switches--) {
		uint32_t cpu = draw(cpu_count);
		now += 1 + draw(STEP_NS);
		if (cpus[cpu].queued < QUEUE - 2)
			add_runnable(cpu);
		now += 1 + draw(STEP_NS);
		switch_task(cpu);
	}
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
		page_end(&cpus[cpu].page);
		trace_page(&recipe, cpu, &cpus[cpu].page);
	}
	if (!trace_build(&recipe, &file) || file_replace(argv[1], file.data, file.length, &err) != STATUS_OK)
		return 1;
	trace_end(&recipe);
	buffer_free(&file);
	free(asleep);
	return 0;
}
