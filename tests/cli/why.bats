#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# why, check-rule: what they refuse. What they judge: tests/unit/rules.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	KEYS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/tests/golden/keys
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '%16s-%-7d [000] d..2. %5d.%06d: %s\n' a 1 10 100 \
		"sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120" >t.txt
}

@test "check-rule and why refuse a trace without keys, with the remedy" {
	run -3 --separate-stderr "$PICKNEXT" check-rule t.txt
	[[ $stderr == *t.txt*keys*--keys* ]]
	run -3 --separate-stderr "$PICKNEXT" why --at 0 t.txt
	[[ $stderr == *t.txt*keys*--keys* ]]
}

@test "why needs exactly one way to name the decision" {
	run -2 "$PICKNEXT" why t.txt
	run -2 "$PICKNEXT" why --at 1 --switch 2 t.txt
	run -2 "$PICKNEXT" why --at x t.txt
	run -2 "$PICKNEXT" why --worst 2 --switch 2 t.txt
	run -2 "$PICKNEXT" why --worst 1001 t.txt
	run -2 --separate-stderr "$PICKNEXT" why --decision 0 t.txt
	[[ $stderr == *--decision*"at least 1"* ]]
}

@test "why names a task that no decision has as a candidate" {
	for trace in "$KEYS"/*.dat.gz; do
		gunzip -c "$trace" >keys.dat
		run -2 --separate-stderr "$PICKNEXT" why --task nosuch-5 keys.dat
		[[ $stderr == *"'nosuch-5' is a candidate of no decision"* ]]
	done
}

@test "the rules are a topic of help, with their sources" {
	run -0 "$PICKNEXT" help rules
	[[ $output == *pick_eevdf*pick_next_entity* ]]
}
