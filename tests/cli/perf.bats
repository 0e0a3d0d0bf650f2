#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The same run recorded by perf and by picknext, and what both say of it.

load tracefs

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}

@test "stat and latency agree with perf sched timehist and perf sched latency" {
	need_tracefs
	command -v perf >/dev/null || skip "no perf (apt-get install linux-perf)"
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	tool=$TOP/build/guest-tools/known_truth
	[ -x "$tool" ] || skip "no $tool (make unit-programs)"
	cd "$BATS_TEST_TMPDIR"
	# The events that perf sched understands, but sched_waking: with it perf counts waits from an earlier moment.
	events=(sched_switch sched_wakeup sched_wakeup_new sched_migrate_task sched_process_fork)
	if ! timeout 120 perf record -q -a -k CLOCK_MONOTONIC -m 16384 -c 1 "${events[@]/#/-esched:}" -o perf.data -- \
		"$PICKNEXT" record -q -o ours.dat -- "$tool" >log 2>&1; then
		cat log
		perf record -q -a -c 1 -e sched:sched_switch -o try.data -- true 2>&1 || skip "perf cannot record on this machine"
		return 1
	fi
	run python3 "$TOP/tests/support/perf_agrees.py" "$PICKNEXT" ours.dat perf.data
	echo "$output"
	[ "$status" -ne 75 ] || skip "this kernel left out too many switches"
	[ "$status" -eq 0 ]
}

@test "stat and latency agree with a slow reference, task by task, on this machine" {
	need_tracefs
	cd "$BATS_TEST_TMPDIR"
	"$PICKNEXT" record -q -o ours.dat -- "$PICKNEXT" run hackbench_pipe_small --scale 0.05
	run python3 "$TOP/tests/support/analysis_agrees.py" "$PICKNEXT" ours.dat 100
	echo "$output"
	[ "$status" -ne 75 ] || skip "this kernel left out too many switches"
	[ "$status" -eq 0 ]
}
