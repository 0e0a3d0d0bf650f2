/* SPDX-License-Identifier: MIT
 *
 * make_followed ALL FOLLOWED SEED: two trace.dat of the same random scheduler: one of all tasks, and one as the kernel
 * records it when it follows the tasks 100, 103, 105 and 106 and their children. */
#include <stdio.h>

#include "base/file.h"
#include "support/event_recipe.h"
#include "support/random_scheduler.h"
#include "support/trace_recipe.h"

static int64_t state_bits(uint64_t letter)
{
	switch (letter) {
	case 'S':
		return 1;
	case 'D':
		return 2;
	case 'X':
		return 0x10;
	case 'I':
		return 0x80;
	case 'p':
		return 0x100;
	default:
		return 0;
	}
}

static void add_switch(struct page_recipe *page, uint32_t delta, const struct sched_event *event)
{
	page_switch(page, delta, name_of(event->switched.prev.pid), event->switched.prev.pid,
		    state_bits(event->switched.prev_state), name_of(event->switched.next.pid),
		    event->switched.next.pid);
}

static void add_wakeup(struct page_recipe *page, uint32_t delta, const struct sched_event *event)
{
	const struct sched_task *task = &event->wakeup.task;
	struct wakeup_record record = {
	    .common = {event->kind == SCHED_WAKEUP ? ID_WAKEUP : ID_WAKEUP_NEW, 0, 0, event->common_pid},
	    .pid = task->pid,
	    .prio = task->prio,
	    .cpu = (int32_t)event->wakeup.target_cpu,
	};

	memcpy(record.comm, task->comm.bytes, task->comm.length);
	page_event(page, delta, &record, sizeof(record));
}

static void add_migration(struct page_recipe *page, uint32_t delta, const struct sched_event *event)
{
	const struct sched_task *task = &event->migrate.task;
	struct {
		struct wakeup_record begin;
		int32_t to_cpu;
	} record = {.begin = {.common = {ID_MIGRATE, 0, 0, event->common_pid},
			      .pid = task->pid,
			      .prio = task->prio,
			      .cpu = (int32_t)event->migrate.from_cpu},
		    .to_cpu = (int32_t)event->migrate.to_cpu};

	memcpy(record.begin.comm, task->comm.bytes, task->comm.length);
	page_event(page, delta, &record, sizeof(record));
}

static void add_cpu(struct trace_recipe *recipe, const struct truth *truth, const bool *wanted, uint32_t cpu)
{
	uint64_t last_ns = truth->events[0].ts_ns;
	struct page_recipe page;

	page_begin(&page, last_ns);
	for (size_t i = 0; i < truth->event_count; i++) {
		const struct sched_event *event = &truth->events[i];
		uint32_t delta = (uint32_t)(event->ts_ns - last_ns);
		if (event->cpu != cpu || !wanted[i])
			continue;
		if (page.at > PAGE_SIZE - 128) {
			page_end(&page);
			trace_page(recipe, cpu, &page);
			page_begin(&page, event->ts_ns);
			delta = 0;
		}
		last_ns = event->ts_ns;
		if (event->kind == SCHED_SWITCH)
			add_switch(&page, delta, event);
		else if (event->kind == SCHED_MIGRATE)
			add_migration(&page, delta, event);
		else
			add_wakeup(&page, delta, event);
	}
	page_end(&page);
	trace_page(recipe, cpu, &page);
}

static int write_trace(const char *path, const struct truth *truth, const bool *wanted, const char *followed)
{
	struct trace_recipe recipe;
	struct buffer file = {0};
	struct error err;

	trace_begin(&recipe, CPUS);
	recipe.header.followed = followed;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		add_cpu(&recipe, truth, wanted, cpu);
	bool made = trace_build(&recipe, &file) && file_replace(path, file.data, file.length, &err) == STATUS_OK;
	trace_end(&recipe);
	buffer_free(&file);
	return made ? 0 : 1;
}

int main(int argc, char **argv)
{
	static bool follows[100 + EVENTS], wanted[EVENTS + 8];

	if (argc != 4)
		return 2;
	struct truth *truth = make_truth(strtoull(argv[3], NULL, 10));
	memset(wanted, true, sizeof(wanted));
	int failed = write_trace(argv[1], truth, wanted, NULL);
	follows[100] = follows[103] = follows[105] = follows[106] = true;
	for (size_t i = 0; i < truth->event_count; i++)
		wanted[i] = is_recorded(follows, &truth->events[i]);
	failed |= write_trace(argv[2], truth, wanted, " 106 100 103 105");
	free(truth);
	return failed;
}
