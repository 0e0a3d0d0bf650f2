/* SPDX-License-Identifier: MIT
 *
 * A row per workload that is a program of its own (workloads/mixes.c has the mixes), collect_traces.py's first and in
 * its order. Each is a const struct workload at the end of its family's file. */
#ifndef WORKLOADS_ROWS_H
#define WORKLOADS_ROWS_H

#include "workloads/runner/workload.h"

/* clang-format off */
#define WORKLOAD_ROWS(row) \
	row(hackbench_pipe_small) \
	row(hackbench_pipe_large) \
	row(hackbench_socket_small) \
	row(hackbench_socket_large) \
	row(sysbench_cpu_4t) \
	row(sysbench_cpu_8t) \
	row(sysbench_threads_8t) \
	row(sysbench_threads_16t) \
	row(sysbench_memory_4t) \
	row(cpu_bound_4p) \
	row(cpu_bound_8p) \
	row(io_mixed) \
	row(chaos) \
	row(chaos_pi) \
	row(chaos_policy) \
	row(chaos_weights) \
	row(chaos_groups) \
	row(chaos_affinity) \
	row(chaos_deadline) \
	row(chaos_signals) \
	row(chaos_hotplug)
/* clang-format on */

#define WORKLOAD_DECLARE(name) extern const struct workload name;
WORKLOAD_ROWS(WORKLOAD_DECLARE)

/* The built-in mixes; NULL after the last one. */
const struct workload *mixes_at(size_t number);

#endif
