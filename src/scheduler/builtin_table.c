/* SPDX-License-Identifier: MIT */
#include "scheduler/builtin_table.h"

#include <stddef.h>

const struct builtin_scheduler builtin_scheduler_table[] = {
    {.name = "builtin:fifo",
     .ops = "picknext_fifo",
     .description = "one global queue, first in, first out",
     .algorithm = "a task that wakes up runs on an idle CPU if there is one, else it waits in one queue of all CPUs; "
		  "no preemption at wakeup; slices of 20 ms; the kernel's own defaults, without a BPF program"},
    {.name = NULL},
};
