/* SPDX-License-Identifier: MIT
 *
 * How long a guest's CPUs waited for the host's, run by run. The guest says when a run begins and ends; how long QEMU's
 * vCPU threads ran in between, and how long they were ready to run but had no CPU, the host's kernel counts for each
 * thread in /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). */
#ifndef VM_LAUNCH_HOST_WAIT_H
#define VM_LAUNCH_HOST_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"

struct vcpu_time {
	uint64_t run_ns, wait_ns;
};

/* What a schedstat says: "RUN WAIT TIMESLICES". */
bool vcpu_time_parse(const char *text, struct vcpu_time *time);
/* The sum over the vCPU threads, which QEMU names so, in directory (/proc/PID/task). False where there is none, or
 * where the kernel does not count. */
bool vcpu_time_read(const char *directory, struct vcpu_time *time);
/* The part of its time that was waited, 0 to 1; NaN of no time at all. */
double vcpu_time_wait_share(const struct vcpu_time *time);

struct host_wait_run {
	char name[256]; /* "io_mixed_run0" */
	bool is_known;
	struct vcpu_time time;
};

/* Zero it to begin with, but for started_at. */
struct host_wait {
	time_t started_at; /* before the guest: an older file is not of its runs */
	struct host_wait_run *runs;
	size_t count;
	bool is_open, has_begin; /* the last of runs has not ended; begin is known */
	struct vcpu_time begin;
};

/* connection is one of QEMU's, a UNIX socket. A guest may say this in any order and as often as it likes. */
void host_wait_begin(struct host_wait *wait, int connection, const char *name);
void host_wait_end(struct host_wait *wait, int connection, const char *name);

/* Adds vcpu_run_ns, vcpu_wait_ns and host_wait_share to the metadata of each of the runs in raw that has none yet; null
 * where they are not known. total (set by the caller) grows by those that are. */
enum status host_wait_mark_runs(const struct host_wait *wait, const char *raw, struct vcpu_time *total,
				struct error *err);
void host_wait_free(struct host_wait *wait);

#endif
