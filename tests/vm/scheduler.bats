#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm --scheduler in one short deterministic guest; more is in tests/sched_ext.
# seconds: 25

load vm

# bats test_tags=slow
@test "vm --scheduler builtin:fifo: the set, the run, its trace and vm.json name the scheduler; moves are dispatches" {
	need_vm 7
	need_new_qemu
	make_short_tmpdir
	out=$BATS_TEST_TMPDIR/out
	timeout -k 20 600 "$PICKNEXT" vm -q -k "$(kernel 7)" --scheduler builtin:fifo --seeds 1 -w hackbench_pipe_small \
		--scale 0.005 -o "$out"
	rm -rf "$TMPDIR"
	set=$(echo "$out"/*+picknext_fifo)
	python3 - "$set" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1] + "/raw/hackbench_pipe_small_run1.json"))["scheduler"]
		expected = {"given": "builtin:fifo", "ops": "picknext_fifo", "state": "enabled", "ejection": None,
		            "enable_seq": 1, "enable_seq_after": 1, "switch_all": True, "isolation": "none", "tracer_policy": "fifo"}
		assert {key: run[key] for key in expected} == expected, run
		launch = json.load(open(sys.argv[1] + "/vm.json"))
		assert (launch["scheduler"], launch["isolation"], launch["isolated_cpu"]) == ("builtin:fifo", "none", None)
	END
	[ -e "$set/raw/scheduler_run1.log" ]
	trace=$set/raw/hackbench_pipe_small_run1.dat
	[ "$("$PICKNEXT" export -f text "$trace" | grep -c 'scheduler picknext_fifo enabled 1')" -eq 2 ]
	"$PICKNEXT" check "$trace"
	"$PICKNEXT" migrations --json "$trace" | python3 -c 'import json, sys
causes = {c["cause"]: c["migrations"] for c in json.load(sys.stdin)["causes"]}
assert causes["dispatch"] > 0.9 * causes["all"], causes'
}
