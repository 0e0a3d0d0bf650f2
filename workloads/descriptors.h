/* SPDX-License-Identifier: MIT
 *
 * The descriptors of all workloads. Each is defined at the end of its family's file. */
#ifndef WORKLOADS_DESCRIPTORS_H
#define WORKLOADS_DESCRIPTORS_H

#include "workloads/runner/workload.h"

extern const struct workload hackbench_pipe_small;
extern const struct workload hackbench_pipe_large;
extern const struct workload hackbench_socket_small;
extern const struct workload hackbench_socket_large;
extern const struct workload sysbench_cpu_4t;
extern const struct workload sysbench_cpu_8t;
extern const struct workload sysbench_threads_8t;
extern const struct workload sysbench_threads_16t;
extern const struct workload sysbench_memory_4t;
extern const struct workload cpu_bound_4p;
extern const struct workload cpu_bound_8p;
extern const struct workload io_mixed;

#endif
