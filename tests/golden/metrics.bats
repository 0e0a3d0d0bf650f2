#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The metrics of runs, compared with a slow reference that shares no code with picknext (tests/support/reference_metrics.py),
# and metrics that are unknown.

bats_require_minimum_version 1.5.0

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	SHOW=$TOP/build/tools/show_metrics
	GOLDEN=$BATS_TEST_DIRNAME
}

# bats test_tags=slow
@test "metrics: the slow reference finds the same in each golden trace" {
	run -0 python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$SHOW" "$GOLDEN/metrics" "$GOLDEN/seed" \
		"$GOLDEN/analysis/two_cpus.txt" "$GOLDEN/analysis/inverted.txt" "$GOLDEN/migrations/trace.txt"
	echo "$output"
	[[ $output == *"5 of 5 runs compared, "*", 0 differ" ]]
}

# bats test_tags=slow
@test "metrics: by how near CPUs are and by their capacities, where these are not equal; the reference finds the same" {
	local topology
	for topology in caches:'"smt": "0-1 2", "llc": "0-1 2", "node": "0-2"' nodes:'"smt": "0 1 2", "llc": "0-1 2", "node": "0-1 2"' \
		apart:'"smt": "0 1 2", "llc": "0 1-2", "node": "0 1-2"' equal:'"smt": "0 1 2", "llc": "0-2", "node": null' \
		unequal:'"smt": null, "capacity": "0=512 1-2=1024"' unknown:'"smt": null, "capacity": "0=512 1=1024"'; do
		mkdir "$BATS_TEST_TMPDIR/${topology%%:*}"
		cp "$GOLDEN/metrics/hackbench_pipe_small_run3.txt" "$BATS_TEST_TMPDIR/${topology%%:*}"
		sed "s/\"cpus_workload\": \"0-1\"/\"cpus_workload\": \"0-2\", \"topology\": {${topology#*:}}/" "$GOLDEN/metrics/hackbench_pipe_small_run3.json" \
			>"$BATS_TEST_TMPDIR/${topology%%:*}/hackbench_pipe_small_run3.json"
	done
	run -0 python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$SHOW" "$BATS_TEST_TMPDIR"/{caches,nodes,apart,equal,unequal,unknown}
	echo "$output"
	[[ $output == "6 of 6 runs compared, "*", 0 differ" ]]
	for set in caches nodes apart equal unequal unknown; do "$SHOW" "$BATS_TEST_TMPDIR/$set" >"$BATS_TEST_TMPDIR/$set.json"; done
	python3 - "$BATS_TEST_TMPDIR" <<-'EOF'
		import json, sys
		names = "migrations_cache_per_s", "migrations_node_per_s", "idle_waiting_cache_ms_per_s"
		def known(name):
		    metrics = json.load(open(f"{sys.argv[1]}/{name}.json"))[0]["runs"][0]["metrics"]
		    print(name, {name: metrics[name] for name in (*names, "migrations_per_s", "idle_waiting_ms_per_s")})
		    return [metrics[name] for name in names], metrics["migrations_per_s"], metrics["idle_waiting_ms_per_s"]
		(cache, node, waits), moves, all_waits = known("caches")
		assert node is None and 0 <= cache <= moves and 0 <= waits <= all_waits
		(cache, node, waits), _, _ = known("nodes")
		assert cache is None and 0 <= node <= moves and 0 <= waits <= all_waits
		# All moves are between CPUs 0 and 1, which are apart here.
		(cache, node, waits), _, _ = known("apart")
		assert cache is None and node == moves > 0
		assert known("equal")[0] == [None] * 3
		# Between CPUs of different capacities, all of which are known.
		names = "migrations_up_per_s", "migrations_down_per_s", "largest_cpus_share", "capacity_used_share", "misfit_ms_per_s"
		(up, down, largest, used, misfit), moves, _ = known("unequal")
		assert up > 0 and abs(up + down - moves) < 1e-6 and 0 < largest < 100 and 0 < used < 100 and misfit is not None
		assert known("equal")[0] == known("unknown")[0] == [None] * 5
	EOF
}

# bats test_tags=slow
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

# bats test_tags=slow
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
		import json, re, sys
		level = r".*_(cache|node|up|down)_(ms_)?per_s|misfit_ms_per_s|largest_cpus_share|capacity_used_share"
		def unknown(run):
		    # HZ, topology, nice levels that differ, roles, work and keys are of the metadata, or of other traces.
		    return {name for name, value in run["metrics"].items()
		            if value is None and not any(part in name for part in ("_ticks", "role_", "broken_")) and not re.fullmatch(level, name) and
		            name not in ("share_error", "cgroup_share_error", "quota_share", "work_per_guest_s", "throttled_ms_per_s",
		                         "rule_breaks_share", "sums_differ_share")}
		moves, wakeups = (runs["runs"][0] for runs in json.load(open(sys.argv[1] + "/left_out.json")))
		assert {name for name in unknown(moves) if name != "throughput_per_s"} == \
		    {name for name in moves["metrics"] if name.startswith("migrations") and not re.fullmatch(level, name)}, unknown(moves)
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
