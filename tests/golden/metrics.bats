#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The figures of a run: worked out by hand (metrics/figures.json, with how), and told anew by a slow reference that shares
# nothing with picknext (tests/support/reference_metrics.py).

bats_require_minimum_version 1.5.0

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	SHOW=$TOP/build/tools/show_metrics
	GOLDEN=$BATS_TEST_DIRNAME
}

@test "metrics: every figure of a run is what it comes to by hand" {
	"$SHOW" "$GOLDEN/metrics" >"$BATS_TEST_TMPDIR/shown.json"
	python3 - "$BATS_TEST_TMPDIR/shown.json" "$GOLDEN/metrics/figures.json" <<-'EOF'
		import json, math, sys
		run, = json.load(open(sys.argv[1]))[0]["runs"]
		expected = json.load(open(sys.argv[2]))
		assert expected.keys() <= run["metrics"].keys()
		for name, (formula, _) in expected.items():
		    value, ours = eval(formula, {}), run["metrics"][name]
		    assert math.isclose(ours, value, rel_tol=1e-8), (name, ours, value)
		assert run["duration_ns"] == 165000 and run["slices"] == 9 and run["wakeups"] == 7
		assert run["workload"] == "hackbench_pipe_small" and run["number"] == 3 and not run["is_lossy"]
	EOF
}

@test "metrics: the slow reference finds the same in each golden trace" {
	run -0 python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$SHOW" "$GOLDEN/metrics" "$GOLDEN/seed" \
		"$GOLDEN/analysis/two_cpus.txt" "$GOLDEN/analysis/inverted.txt" "$GOLDEN/migrations/trace.txt"
	echo "$output"
	[[ $output == *"5 of 5 runs compared, "*", 0 differ" ]]
}

@test "metrics: the reference tells a wrong figure" {
	mkdir "$BATS_TEST_TMPDIR/wrong"
	cp "$GOLDEN/metrics/hackbench_pipe_small_run3."* "$BATS_TEST_TMPDIR/wrong"
	cat >"$BATS_TEST_TMPDIR/show" <<-EOF
		#!/bin/sh
		"$SHOW" "\$@" | sed 's/"involuntary_share": 22.2/"involuntary_share": 22.3/'
	EOF
	chmod +x "$BATS_TEST_TMPDIR/show"
	run -1 python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$BATS_TEST_TMPDIR/show" "$BATS_TEST_TMPDIR/wrong"
	[[ $output == *"involuntary_share: picknext 22.3"*", expected 22.2"* ]]
}

@test "metrics: what a trace does not tell is no figure, never 0" {
	"$SHOW" "$GOLDEN/analysis/two_cpus.txt" >"$BATS_TEST_TMPDIR/shown.json"
	# A workload of which nothing is seen.
	grep -v hackbench "$GOLDEN/metrics/hackbench_pipe_small_run3.txt" >"$BATS_TEST_TMPDIR/hackbench_pipe_small_run0.txt"
	"$SHOW" "$BATS_TEST_TMPDIR/hackbench_pipe_small_run0.txt" >"$BATS_TEST_TMPDIR/nothing.json"
	# Recorded by somebody who left events out.
	grep -v sched_migrate_task "$GOLDEN/metrics/hackbench_pipe_small_run3.txt" >"$BATS_TEST_TMPDIR/hackbench_pipe_small_run1.txt"
	grep -v sched_wak "$GOLDEN/metrics/hackbench_pipe_small_run3.txt" >"$BATS_TEST_TMPDIR/hackbench_pipe_small_run2.txt"
	"$SHOW" "$BATS_TEST_TMPDIR"/hackbench_pipe_small_run[12].txt >"$BATS_TEST_TMPDIR/left_out.json"
	python3 - "$BATS_TEST_TMPDIR" <<-'EOF'
		import json, sys
		def unknown(run):
		    # HZ, nice levels that differ, roles, work and keys are of the metadata, or of other traces.
		    return {name for name, value in run["metrics"].items()
		            if value is None and not any(part in name for part in ("_ticks", "role_", "broken_")) and
		            name not in ("share_error", "cgroup_share_error", "quota_share", "work_per_guest_s",
		                         "rule_breaks_share")}
		moves, wakeups = (runs["runs"][0] for runs in json.load(open(sys.argv[1] + "/left_out.json")))
		assert {name for name in unknown(moves) if name != "throughput_per_s"} == \
		    {name for name in moves["metrics"] if name.startswith("migrations")}, unknown(moves)
		assert {"run_queue_length", "idle_waiting_ms_per_s", "wakeup_latency_p50_us"} <= unknown(wakeups), unknown(wakeups)
		assert not unknown(wakeups) & {"migrations_per_s", "slice_p50_us", "fairness_jain"}, unknown(wakeups)
		run, = json.load(open(sys.argv[1] + "/shown.json"))[0]["runs"]
		assert run["workload"] == "two_cpus" and not run["has_metadata"]
		assert unknown(run) == {"throughput_per_s", "fairness_jain"}, unknown(run)
		run, = json.load(open(sys.argv[1] + "/nothing.json"))[0]["runs"]
		assert run["duration_ns"] == 0 and not any(value for value in run["metrics"].values())
		assert all(value is None for value in run["metrics"].values()), run["metrics"]
	EOF
}
