#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm --scheduler in one short guest; more is in tests/sched_ext.

load vm

setup() {
	bats_require_minimum_version 1.5.0
	make_short_tmpdir
}

teardown() {
	rm -rf "$TMPDIR"
}

@test "vm --scheduler builtin:fifo: a run is the scheduler's, in a set of its name" {
	need_vm 7
	cd "$BATS_TEST_TMPDIR"
	vm --engine qemu -q -k "$(kernel 7)" --scheduler builtin:fifo -w hackbench_pipe_small --scale 0.005 -r 1 -o out
	set=(out/*+picknext_fifo)
	json=${set[0]}/raw/hackbench_pipe_small_run0.json
	python3 - "$json" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1]))
		scheduler = run["scheduler"]
		assert scheduler["given"] == "builtin:fifo" and scheduler["ops"] == "picknext_fifo"
		assert scheduler["state"] == "enabled" and scheduler["switch_all"]
		assert scheduler["enable_seq"] == scheduler["enable_seq_after"] == 1
		assert run["sched_switch_events"] > 0
	END
	check_nothing_left
}
