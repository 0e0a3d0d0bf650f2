#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The candidates that why shows are those of the kernel's own tree of the queue at that pick.

load ../vm/vm

mix='mix: for 150ms; 2 low nice=5; 1 hog; 2 nap run=2ms sleep=3ms jitter=50 nice=-5; 2 nip run=300us sleep=1ms; 1 away yields=2 run=500us sleep=2ms'

setup() {
	make_short_tmpdir
}

teardown() {
	check_nothing_left
	rm -rf "$TMPDIR"
}

# has_the_candidates_of_the_tree LINE
has_the_candidates_of_the_tree() {
	need_vm "$1"
	need_trace_cmd
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	timeout -k 20 1200 "$PICKNEXT" vm --mode deterministic --keys -k "k=$(kernel "$1")" --runs 1 --no-results \
		--guest append=noautogroup -a "$TOP/tests/long/rules_truth.sh:/truth.sh" -o out -- sh /truth.sh picknext run "$mix"
	python3 "$TOP/tests/long/rules_truth.py" "$PICKNEXT" out/k/raw/sh_run1.dat out/k/raw/sh_run1.log >figures || {
		cat figures
		return 1
	}
	sed '/^$/d; s/^/# /' figures >&3 # beside the result, for src/rules/README.md
}

@test "rules: candidates on 6.1 are those of the tree" {
	has_the_candidates_of_the_tree 6.1
}

@test "rules: candidates on 6.12 are those of the tree" {
	has_the_candidates_of_the_tree 6.12
}

@test "rules: candidates on 7 are those of the tree" {
	has_the_candidates_of_the_tree 7
}
