#!/bin/sh
# SPDX-License-Identifier: MIT
# bare_tracefs.sh COMMAND...: runs COMMAND with the events of picknext record switched on in an instance of their own, which
# nobody reads: what the kernel's tracepoints alone cost. Root.
set -eu
instance=/sys/kernel/tracing/instances/bare-$$
mkdir "$instance"
trap 'rmdir "$instance"' EXIT
trap 'exit 130' INT TERM
echo mono >"$instance/trace_clock"
echo 16384 >"$instance/buffer_size_kb"
for event in sched_switch sched_wakeup sched_wakeup_new sched_migrate_task sched_pi_setprio; do
	echo 1 >"$instance/events/sched/$event/enable"
done
"$@"
echo 0 >"$instance/events/enable"
