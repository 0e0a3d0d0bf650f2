#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The schedulers of the kernel's tools/sched_ext and picknext's own, in deterministic guests of 7.3: each is the one that
# its runs name, and the same seed gives the same bytes, beside a busy loop too.

load sched_ext

# record DIRECTORY ARGUMENTS...
record() {
	local out=$1
	shift
	timeout -k 20 1800 "$PICKNEXT" vm -q -k "$(kernel 7.3)" --no-results -o "$out" "$@"
}

# run_of SCHEDULER-SET WORKLOAD KEY: what the JSON of its run says of the scheduler.
run_of() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["scheduler"][sys.argv[2]])' \
		"$BATS_TEST_TMPDIR"/out/*"$1/raw/$2_run1.json" "$3"
}

@test "schedulers: simple, central, flatcg and userland over two workloads: enabled before and after each run" {
	need_schedulers scx_simple scx_central scx_flatcg scx_userland
	record "$BATS_TEST_TMPDIR/out" --seeds 1 -w hackbench_pipe_small,cpu_bound_8p --scale 0.005 \
		--scheduler "$SCHEDULERS/scx_simple" --scheduler "$SCHEDULERS/scx_central" \
		--scheduler "$SCHEDULERS/scx_flatcg" --scheduler "$SCHEDULERS/scx_userland"
	for name in simple central flatcg userland; do
		for workload in hackbench_pipe_small cpu_bound_8p; do
			[ "$(run_of "+$name" $workload ops)" = $name ]
			[ "$(run_of "+$name" $workload state)" = enabled ]
			[ "$(run_of "+$name" $workload ejection)" = None ]
		done
	done
}

@test "schedulers: the same seed gives the same bytes, beside a busy loop" {
	need_schedulers scx_simple scx_flatcg scx_userland
	local options=(--seeds 1 -w hackbench_pipe_small --scale 0.005 --scheduler builtin:fifo
		--scheduler "$SCHEDULERS/scx_simple" --scheduler "$SCHEDULERS/scx_flatcg" --scheduler "$SCHEDULERS/scx_userland")
	record "$BATS_TEST_TMPDIR/out" "${options[@]}"
	yes >/dev/null &
	record "$BATS_TEST_TMPDIR/again" "${options[@]}" || {
		kill $!
		false
	}
	kill $!
	for set in "$BATS_TEST_TMPDIR"/out/*/; do
		cmp "$set/raw/hackbench_pipe_small_run1.dat" \
			"$BATS_TEST_TMPDIR/again/$(basename "$set")/raw/hackbench_pipe_small_run1.dat"
	done
}

@test "schedulers: moves at dispatch: the rule and the kernel's stacks agree" {
	need_schedulers scx_simple
	record "$BATS_TEST_TMPDIR/out" --seeds 1 -w hackbench_pipe_small --scale 0.005 --migration-stacks \
		--scheduler builtin:fifo --scheduler "$SCHEDULERS/scx_simple"
	record "$BATS_TEST_TMPDIR/rule" --seeds 1 -w hackbench_pipe_small --scale 0.005 \
		--scheduler builtin:fifo --scheduler "$SCHEDULERS/scx_simple"
	for directory in out rule; do
		for name in picknext_fifo simple; do
			"$PICKNEXT" migrations --json "$BATS_TEST_TMPDIR/$directory"/*"+$name/raw/hackbench_pipe_small_run1.dat" |
				python3 -c 'import json, sys
causes = {c["cause"]: c["migrations"] for c in json.load(sys.stdin)["causes"]}
assert causes.get("dispatch", 0) > 0.9 * causes["all"], causes
assert causes.get("affinity", 0) < 0.05 * causes["all"], causes'
		done
	done
}

@test "schedulers: verify repeats a run under its scheduler" {
	need_schedulers scx_simple
	record "$BATS_TEST_TMPDIR/out" --seeds 1 -w hackbench_pipe_small --scale 0.005 --scheduler "$SCHEDULERS/scx_simple -f"
	"$PICKNEXT" verify "$BATS_TEST_TMPDIR/out" | grep -q identical
}

@test "schedulers: builtin:fifo over all workloads: every run is its own" {
	need_schedulers
	record "$BATS_TEST_TMPDIR/out" --seeds 1 --scale small:0.2 --scheduler none --scheduler builtin:fifo
	[ "$(grep -l '"ops": "picknext_fifo"' "$BATS_TEST_TMPDIR"/out/*+picknext_fifo/raw/*.json | wc -l)" -eq 12 ]
	[ "$(grep -l '"ejection": null' "$BATS_TEST_TMPDIR"/out/*+picknext_fifo/raw/*.json | wc -l)" -eq 12 ]
	"$PICKNEXT" compare "$BATS_TEST_TMPDIR"/out >"$BATS_TEST_TMPDIR/said"
	grep -q "scheduler: the kernel's own | builtin:fifo" "$BATS_TEST_TMPDIR/said"
}
