#!/bin/sh
# SPDX-License-Identifier: MIT
# guest_cost.sh ROUNDS SCALE: in a guest, the throughput of a workload untraced and under each tracer, in turns. Prints
# "VARIANT RATE" for each run, then what trace-cmd's last file takes.
set -u
rounds=$1
scale=$2
events="-e sched:sched_switch -e sched:sched_wakeup -e sched:sched_wakeup_new -e sched:sched_migrate_task"
cd /tmp || exit 1

# The line of the workload's own report, wherever a tracer puts its output.
rate() {
	variant=$1
	shift
	"$@" >log 2>&1 || { echo "failed $variant $(tail -n 1 log)"; return; }
	awk -v variant="$variant" '$1 == "rate" { print variant, $2 }' log
}

workload="picknext run hackbench_pipe_small --scale $scale"
# shellcheck disable=SC2086 # words
for _ in $(seq "$rounds"); do
	rate untraced $workload
	rate picknext picknext record -o ours -- $workload
	rate trace-cmd trace-cmd record -C mono -o theirs.dat $events $workload
	rate perf perf sched record -m 4M -o perf.data -- $workload
	rm -f perf.data ours.dat
done
echo "bytes $(wc -c <theirs.dat)"
# picknext does not read trace-cmd's compressed files, so trace-cmd counts its own.
echo "events $(trace-cmd report theirs.dat 2>/dev/null | grep -c ': *sched_')"
