/* SPDX-License-Identifier: MIT */
#include "vm/launch/boot_times.h"

#include <stdio.h>
#include <string.h>

void boot_times_end(struct boot_times *times, double at_s)
{
	if (times->current_begin_s <= 0)
		return;
	times->items[times->current].seconds += at_s - times->current_begin_s;
	times->items[times->current].runs++;
	times->current_begin_s = 0;
}

/* BOOT_TIMES_MAX: no room. */
static size_t find_item(struct boot_times *times, const char *workload)
{
	for (size_t i = 0; i < times->count; i++)
		if (strcmp(times->items[i].workload, workload) == 0)
			return i;
	if (times->count < BOOT_TIMES_MAX)
		snprintf(times->items[times->count++].workload, sizeof(times->items[0].workload), "%s", workload);
	else
		return BOOT_TIMES_MAX;
	return times->count - 1;
}

void boot_times_progress(struct boot_times *times, const char *workload, uint32_t runs_done, double at_s)
{
	if (strlen(workload) >= sizeof(times->items[0].workload))
		return;
	size_t item = find_item(times, workload);
	if (times->current_begin_s > 0 && item == times->current && runs_done == times->current_number)
		return;
	if (times->boot_s <= 0)
		times->boot_s = at_s;
	boot_times_end(times, at_s);
	if (item == BOOT_TIMES_MAX)
		return;
	times->current = item;
	times->current_number = runs_done;
	times->current_begin_s = at_s;
}
