#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vm --reached: a boot that is not compared counts how often each workload executes functions of the kernel.
# seconds: 85

bats_require_minimum_version 1.5.0
load vm

setup() {
	need_vm 6.12
	need_new_qemu
	make_short_tmpdir
}

teardown() {
	rm -rf "$TMPDIR"
}

@test "reached: functions are counted as often as the trace shows, and what is not reached is said" {
	local out=$BATS_TEST_TMPDIR/out words=place_entity,try_to_wake_up,sched_group_set_idle,native_sched_clock
	cat >"$BATS_TEST_TMPDIR/tick.patch" <<-'END'
		--- a/kernel/sched/fair.c
		+++ b/kernel/sched/fair.c
		@@ -1,2 +1,3 @@ static void task_tick_fair(struct rq *rq, struct task_struct *curr, int queued)
		 	struct cfs_rq *cfs_rq;
		+	new_line();
		 	struct sched_entity *se = &curr->se;
	END
	run -0 timeout -k 20 600 "$PICKNEXT" vm -k "$(kernel 6.12)" --mode deterministic --seeds 1 --no-results -w cpu_bound_4p,hackbench_pipe_small --scale small:0.3 \
		--reached "$words" --reached "$BATS_TEST_TMPDIR/tick.patch" -o "$out"
	[[ "$output" == *"your change is in place_entity(), try_to_wake_up(), sched_group_set_idle() and task_tick_fair(): executed "*" times in 2 of 2 workloads"* ]]
	[[ "$output" == *"sched_group_set_idle(): never executed"* ]]
	[[ "$output" == *"cannot be counted: native_sched_clock(): "* ]]
	# The compared run is without probes.
	! grep -q '"functions"' "$out"/*/raw/*.json || return 1
	python3 - "$out"/*/reached/counts/raw <<-'END'
		import json, sys
		for name, wakes in (("hackbench_pipe_small", True), ("cpu_bound_4p", False)):
		    run = json.load(open(f"{sys.argv[1]}/{name}_run1.json"))
		    executed = {f["name"]: f["executed"] for f in run["functions"]}
		    print(name, executed, run["sched_switch_events"])
		    assert executed["sched_group_set_idle"] == 0 and executed["native_sched_clock"] is None
		    assert run["keys"] == "not recorded"
		    # Two CPUs tick at least once in 4 ms, if they are busy.
		    assert executed["task_tick_fair"] >= (100 if name == "cpu_bound_4p" else 1)
		    assert (executed["try_to_wake_up"] > 1000) == wakes and (executed["place_entity"] > 1000) == wakes
	END
	# The same change again: that boot is there.
	run -0 timeout -k 20 600 "$PICKNEXT" vm -k "$(kernel 6.12)" --mode deterministic --seeds 1 --no-results -w cpu_bound_4p,hackbench_pipe_small --scale small:0.3 \
		--reached "$words" --reached "$BATS_TEST_TMPDIR/tick.patch" -o "$out"
	[[ "$output" == *"your change is in "* ]]
	# The directory has runs with other inputs: refused before any boot.
	run -2 timeout -k 20 600 "$PICKNEXT" vm -k "$(kernel 6.12)" --mode deterministic --seeds 1 --no-results -w cpu_bound_4p --cpus 1 --reached place_entity -o "$out"
	[[ "$output" == *"has runs with other inputs"* && "$output" != *"one more boot"* ]]
}

# features LINE MIXES COUNTS OPTION...: the functions of each mix in the boot, as NAME MIX EXECUTED
features() {
	local out=$BATS_TEST_TMPDIR/$1 line=$1 mixes=$2 counts=$3
	shift 3
	run -0 timeout -k 20 600 "$PICKNEXT" vm -q -k "$(kernel "$line")" --mode deterministic --seeds 1 --no-results -w "$mixes" --count "$counts" "$@" -o "$out"
	python3 - "$out"/*/raw/*_run1.json >"$BATS_TEST_TMPDIR/counts" <<-'END'
		import json, os, sys
		for path in sys.argv[1:]:
		    workload = os.path.basename(path).removesuffix("_run1.json")
		    for place in json.load(open(path))["functions"]:
		        print(place["name"], workload, place["executed"], place.get("reason", ""))
	END
	cat "$BATS_TEST_TMPDIR/counts"
}

@test "reached: mixes of features execute NUMA balancing and a CPU without a tick; a kernel without utilization clamps says so" {
	# One of the mixes needs what this kernel has not.
	features 6.12 feature_numa,feature_tickless,feature_clamps task_numa_fault,task_numa_migrate,migrate_swap,sched_tick_remote,__tick_nohz_full_update_tick --topology numa=2 \
		--guest 'append=nohz_full=1 picknext.sched.numa_balancing/scan_delay_ms=100 picknext.sched.numa_balancing/scan_period_min_ms=100'
	[[ $output == *"the kernel has no utilization clamps (CONFIG_UCLAMP_TASK)"* ]]
	grep -Eq '^task_numa_fault feature_numa [1-9][0-9]{2}' "$BATS_TEST_TMPDIR/counts"
	grep -Eq '^task_numa_migrate feature_numa [1-9]' "$BATS_TEST_TMPDIR/counts"
	grep -Eq '^sched_tick_remote feature_tickless [1-9]' "$BATS_TEST_TMPDIR/counts"
	grep -Eq '^__tick_nohz_full_update_tick feature_tickless [1-9]' "$BATS_TEST_TMPDIR/counts"
}

# bats test_tags=long
@test "reached: a function that the kernel keeps from probes has no count, but the reason" {
	need_vm 7.3
	features 7.3 feature_clamps uclamp_rq_inc_id
	grep -q '^uclamp_rq_inc_id feature_clamps None the kernel allows no probe of it (notrace' "$BATS_TEST_TMPDIR/counts"
}
