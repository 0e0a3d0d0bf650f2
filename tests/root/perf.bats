#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The same run recorded by perf and by picknext, and what both say of it.

load tracefs

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}

# three_times COMMAND...: where the kernel left out too many switches to say anything (75), that may be another time.
three_times() {
	for _ in 1 2 3; do
		run "$@"
		echo "$output"
		[ "$status" -eq 75 ] || break
	done
	[ "$status" -ne 75 ] || skip "this kernel left out too many switches, three times"
	[ "$status" -eq 0 ]
}

recorded_by_both() {
	# The events that perf sched understands, but sched_waking: with it perf counts waits from an earlier moment.
	local events=(sched_switch sched_wakeup sched_wakeup_new sched_migrate_task sched_process_fork)
	timeout 120 perf record -q -a -k CLOCK_MONOTONIC -m 16384 -c 1 "${events[@]/#/-esched:}" -o perf.data -- \
		"$PICKNEXT" record -q -o ours.dat -- "$TOP/build/guest-tools/known_truth" >log 2>&1 || { cat log; return 1; }
	python3 "$TOP/tests/support/perf_agrees.py" "$PICKNEXT" ours.dat perf.data
}

@test "stat and latency agree with perf sched timehist and perf sched latency" {
	need_tracefs
	command -v perf >/dev/null || skip "no perf (apt-get install linux-perf)"
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	[ -x "$TOP/build/guest-tools/known_truth" ] || skip "no known_truth (make unit-programs)"
	cd "$BATS_TEST_TMPDIR"
	perf record -q -a -c 1 -e sched:sched_switch -o try.data -- true 2>&1 || skip "perf cannot record on this machine"
	three_times recorded_by_both
}
