/* SPDX-License-Identifier: MIT
 *
 * The time that a guest's CPUs waited for a host CPU, from the guest's hello to the end of its job. The host's kernel
 * counts for each thread, including QEMU's vCPU threads, how long it ran and how long it was runnable without a CPU
 * (/proc/PID/task/TID/schedstat, see Documentation/scheduler/sched-stats.rst). */
#ifndef VM_ENGINE_HOST_WAIT_H
#define VM_ENGINE_HOST_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vcpu_time {
	uint64_t run_ns, wait_ns;
};

/* Parses a schedstat line: "RUN WAIT TIMESLICES". */
bool vcpu_time_parse(const char *text, struct vcpu_time *time);
/* Sum over the vCPU threads (by QEMU's names) of a directory /proc/PID/task. False if there are none, or if the kernel
 * does not count. */
bool vcpu_time_read(const char *directory, struct vcpu_time *time);

/* Starts zeroed, with pid_file set. */
struct host_wait {
	char pid_file[128]; /* QEMU's */
	bool has_begin, is_known;
	struct vcpu_time begin, time; /* time: from the first sample to the last */
};

/* Call it at the guest's hello, from time to time while its job runs, and at its end. If QEMU has ended by then, the
 * sample before counts. */
void host_wait_look(struct host_wait *wait);

#endif
