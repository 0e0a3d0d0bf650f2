/* SPDX-License-Identifier: MIT */
#include "scheduler/builtin_table.h"

#include "base/help.h"

const struct builtin_scheduler builtin_scheduler_table[] = {
    {.name = "builtin:fifo",
     .ops = "picknext_fifo",
     .description = HELP("one global queue, first in, first out"),
     .algorithm =
	 HELP("a task that wakes up runs on an idle CPU if there is one, else it waits in one queue of all CPUs. No "
	      "preemption at wakeup; slices of 20 ms, or builtin:fifo,slice=TIME. Without a slice these are the "
	      "kernel's own defaults, and no BPF program is loaded"),
     .programs_with_slice = fifo_with_slice_programs},
    {.name = "builtin:vtime",
     .ops = "picknext_vtime",
     .description = HELP("one global queue, ordered by weighted virtual time"),
     .algorithm =
	 HELP("as builtin:fifo, but the task with the smallest virtual time runs first, also when a slice ends. "
	      "Virtual time is run time * 100 / weight; the weight is 100 at nice 0. A task that has slept has at "
	      "most one slice saved; a slice for which no other task has waited is not charged"),
     .programs = vtime_programs,
     .programs_with_slice = vtime_programs},
    {.name = NULL},
};
