#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The recipes of README.md that record on this machine, literally. README and program are those of the release archive,
# unpacked outside of the clone.

bats_require_minimum_version 1.5.0
load record
load ../support/installed
load ../support/recipes

setup() {
	TOP=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")
	installed "$BATS_TEST_TMPDIR/installed"
	# shellcheck disable=SC2034 # recipe() reads it
	TOP=$INSTALLED
	cd "$BATS_TEST_TMPDIR" || return
}

@test "recipes: trace this machine" {
	need_tracefs
	printf 'all: a b\n%%:\n\t@for i in 1 2 3 4 5 6 7 8; do /bin/true; done; touch $@\n' >Makefile
	recipe trace 5 >output
	grep -q '^Wakeup to running' output
	[ -s build.dat ]
	[ -s build.json ]
	[ "$(wc -c <build.perfetto-trace)" -gt 1000 ]
}

@test "recipes: build a dataset" {
	need_tracefs
	recipe dataset 3
	for file in train.csv test_seen.csv test_unseen.csv; do
		[ "$(wc -l <"traces/$file")" -gt 100 ]
		head -n 1 "traces/$file" | grep -q runnable_tasks
	done
	[ "$(wc -l <rows.csv)" -gt 50 ]
}
