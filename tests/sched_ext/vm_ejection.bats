#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm where a scheduler is ejected in a run of a deterministic guest, so that it happens at the same moment each time.

bats_require_minimum_version 1.5.0
load ../vm/vm

setup() {
	make_short_tmpdir
	need_vm 7
	need_new_qemu
}

teardown() {
	rm -rf "$TMPDIR"
}

# ejected OPTION...: SysRq-S in the first of two runs. The output is in $output.
# shellcheck disable=SC2016 # the shell in the guest expands it
ejected() {
	run -6 timeout 600 "$PICKNEXT" vm -k "$(kernel 7)" --scheduler builtin:fifo --seeds 1 -w exec:eject,cpu_bound_4p \
		--scale small:0.2 -o "$BATS_TEST_TMPDIR/out" "$@" -- \
		sh -c 'echo S >/proc/sysrq-trigger; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	echo "$output"
	[[ "$output" == *"eject_run1: scheduler builtin:fifo was ejected: disabled by sysrq-S"* ]]
	raw=$(find "$BATS_TEST_TMPDIR/out" -name raw)
	[ "$(json "$raw/eject_run1.json" "d['scheduler']['ejection']")" = "disabled by sysrq-S" ]
}

@test "vm: an ejected run is marked, and the scheduler is started anew for the next one" {
	ejected
	[ "$(json "$raw/cpu_bound_4p_run1.json" "(d['scheduler']['ejection'], d['scheduler']['enable_seq'])")" = "(None, 2)" ]
	grep -q '^EXIT: ' "$raw/scheduler_run1.log"
	run -5 "$PICKNEXT" check "$raw"
	[[ "$output" == *"the scheduler did not last"* ]]
}

@test "vm: --stop-on-ejection ends the runs" {
	ejected --stop-on-ejection
	[ ! -e "$raw/cpu_bound_4p_run1.dat" ]
}
