/* SPDX-License-Identifier: MIT
 *
 * Loads one of picknext's own schedulers by bpf(2), with the running kernel's types in /sys/kernel/btf/vmlinux. */
#ifndef SCHEDULER_BUILTIN_RUN_H
#define SCHEDULER_BUILTIN_RUN_H

#include "base/error.h"
#include "scheduler/scheduler_spec.h"

/* Enables the builtin scheduler and holds it until SIGINT, SIGTERM or SIGHUP (STATUS_OK), or until the kernel disables
 * it (STATUS_SYSTEM). It is disabled on return, and if the process dies. STATUS_UNSUPPORTED if the kernel has no
 * sched_ext or no BTF. After a fork() the child calls interrupt_after_fork() first if its parent caught signals. */
enum status builtin_scheduler_run(const struct scheduler_spec *spec, struct error *err);

#endif
