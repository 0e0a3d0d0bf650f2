#!/bin/sh
# SPDX-License-Identifier: MIT
# guest_cost.sh ROUNDS SCALE: in a guest, a workload untraced and under each tracer, in turns. Prints
# "VARIANT RATE PROCESSOR_NS" for each run, the processor time being the workload's own, then what trace-cmd's last file
# takes.
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
	awk -v variant="$variant" 'FILENAME == "report" { cpu = $2 + $3 } $1 == "rate" { print variant, $2, cpu }' report log
}

workload="measure report picknext run hackbench_pipe_small --scale $scale"
one() {
	# shellcheck disable=SC2086 # words
	case $1 in
	0) rate untraced $workload ;;
	1) rate picknext picknext record -o ours -- $workload ;;
	2) rate trace-cmd trace-cmd record -C mono -o theirs.dat $events $workload ;;
	5) rate keys picknext record --keys -o ours -- $workload ;;
	4) rate bare sh "$(dirname "$0")/bare_tracefs.sh" $workload ;;
	3) rate perf perf sched record -m 4M -o perf.data -- $workload ;;
	esac
	rm -f perf.data ours.dat
}

# Each round in another order: what a run leaves behind falls on each of them.
for round in $(seq "$rounds"); do
	for turn in 0 1 2 3 4 5; do
		one $(((round + turn) % 6))
	done
done
echo "bytes $(wc -c <theirs.dat)"
# picknext does not read trace-cmd's compressed files, so trace-cmd counts its own.
echo "events $(trace-cmd report theirs.dat 2>/dev/null | grep -c ': *sched_')"
