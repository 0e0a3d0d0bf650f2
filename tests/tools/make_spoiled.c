/* SPDX-License-Identifier: MIT
 *
 * make_spoiled KIND FILE: a trace.dat of 10 ms on two CPUs, on each of which one task is woken every 100 us, runs from
 * 10 to 60 us and sleeps: 300 events a CPU, in five pages. KIND says what is wrong with it:
 *   good         nothing
 *   lost         CPU 1's third page is missing, and the next says that 60 events are
 *   uncounted    the same, without saying how many
 *   overwritten  CPU 1's first two pages are missing, 120 events
 *   refused      CPU 1's last page is missing: the buffer refused 60 events
 *   local        the clock is each CPU's own
 *   corrected    the clock of CPU 0 steps back by 55 us in the middle
 *   back         by 2 ms
 *   switches     no wakeups were recorded */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "support/event_recipe.h"
#include "support/trace_recipe.h"

#define START  UINT64_C(5000000000)
#define CYCLES 100
#define PAGES  5

static const char *kind;

static bool is(const char *name)
{
	return strcmp(kind, name) == 0;
}

/* 20 cycles: from 2 ms times number on. */
static void add_page(struct trace_recipe *recipe, uint32_t cpu, int number)
{
	struct page_recipe page;
	uint64_t back = cpu || number < 2 ? 0 : is("corrected") ? 55000 : is("back") ? 2000000 : 0;
	uint64_t ts = START + (uint64_t)number * 2000000;
	char name[16];
	char idle[16];

	snprintf(name, sizeof(name), "worker/%u", cpu);
	snprintf(idle, sizeof(idle), "swapper/%u", cpu);
	page_begin(&page, ts - back);
	for (int cycle = 0; cycle < CYCLES / PAGES; cycle++) {
		uint32_t slept = cycle ? 40000 : 0;
		if (!is("switches")) {
			page_wakeup(&page, slept, ID_WAKEUP, name, 10 + (int32_t)cpu, (int32_t)cpu);
			slept = 0;
		}
		page_switch(&page, slept + 10000, idle, 0, 0, name, 10 + (int32_t)cpu);
		page_switch(&page, 50000, name, 10 + (int32_t)cpu, 1, idle, 0);
	}
	if (cpu == 1 && ((is("lost") && number == 3) || (is("overwritten") && number == 2)))
		page_end_missed(&page, 1, is("lost") ? 60 : 120);
	else if (cpu == 1 && is("uncounted") && number == 3)
		page_end_missed(&page, 0, 0);
	else
		page_end(&page);
	trace_page(recipe, cpu, &page);
}

static bool is_missing(uint32_t cpu, int number)
{
	if (cpu == 0)
		return false;
	return ((is("lost") || is("uncounted")) && number == 2) || (is("overwritten") && number < 2) ||
	       (is("refused") && number == 4);
}

int main(int argc, char **argv)
{
	struct trace_recipe recipe;
	struct buffer file = {0};
	struct error err;

	if (argc != 3)
		return 2;
	kind = argv[1];
	trace_begin(&recipe, 2);
	if (is("local"))
		recipe.header.clock = "[local] global mono\n";
	if (is("lost") || is("uncounted"))
		recipe.stats[1] = STATS("60", "0");
	if (is("overwritten"))
		recipe.stats[1] = STATS("120", "0");
	if (is("refused"))
		recipe.stats[1] = STATS("0", "60");
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		for (int number = 0; number < PAGES; number++)
			if (!is_missing(cpu, number))
				add_page(&recipe, cpu, number);
	if (!trace_build(&recipe, &file) || file_replace(argv[2], file.data, file.length, &err) != STATUS_OK)
		return 1;
	trace_end(&recipe);
	buffer_free(&file);
	return 0;
}
