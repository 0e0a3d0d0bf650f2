#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How picknext compare looks: compare/ holds it for three sets of made-up runs. That the figures are right is in
# tests/cli/compare.bats. To see what a change does to them: git diff after
#	UPDATE=1 bats tests/golden/compare.bats

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	python3 "$TOP/tests/support/make_runs.py" a short 6 1 1 'kernel="6.1.0"' hz=250
	python3 "$TOP/tests/support/make_runs.py" a long 6 7 3 'kernel="6.1.0"' hz=250
	python3 "$TOP/tests/support/make_runs.py" b short 6 2 1.4 'kernel="6.12.0"' hz=1000
	python3 "$TOP/tests/support/make_runs.py" c short 4 3 0.08 'kernel="7.0.0"' hz=1000
}

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	GOLDEN=$BATS_TEST_DIRNAME/compare
	cd "$BATS_FILE_TMPDIR" || return 1
}

# FILE ARGUMENT...
same() {
	local golden=$GOLDEN/$1
	shift
	"$PICKNEXT" compare --details "$@" -m throughput_per_s -m 'slice_p??_us' -m 'wakeup_latency_p9?_us' -m involuntary_share \
		-f 'throughput_per_s < -5%' -f 'short: slice_p50_us > +25%' >got 2>/dev/null || [ $? = 1 ]
	[ -z "${UPDATE:-}" ] || cp got "$golden"
	diff -u "$golden" got
}

@test "compare: the table" {
	same table.txt a b
}

@test "compare: the table of three sets" {
	same three.txt a b c
}

# bats test_tags=slow
@test "compare: the table on a terminal of 80 columns" {
	# shellcheck disable=SC2016
	command='stty cols 80; "$0" compare a b --details=all -w short -m "throughput*,switches*,migr*,idle_wait*,slice_p9?_us,wakeup_latency_p9?_us,preempted_*_p99_us" 2>/dev/null'
	script -qec "bash -c '$command' '$PICKNEXT'" /dev/null </dev/null | tr -d '\r' | sed 's/.*\x1b\[K//' >got
	[ -z "${UPDATE:-}" ] || cp got "$GOLDEN/terminal.txt"
	diff -u "$GOLDEN/terminal.txt" got
	[ "$(wc -L <got)" -le 80 ]
	# shellcheck disable=SC2016
	command='stty cols 80; "$0" compare a b c -m throughput_per_s -m "slice_p*" -w short 2>/dev/null'
	script -qec "bash -c '$command' '$PICKNEXT'" /dev/null </dev/null | tr -d '\r' | sed 's/.*\x1b\[K//' >got
	[ -z "${UPDATE:-}" ] || cp got "$GOLDEN/terminal_three.txt"
	diff -u "$GOLDEN/terminal_three.txt" got
	[ "$(wc -L <got)" -le 80 ]
}

@test "compare: the overview" {
	# Without the counts over all metrics.
	"$PICKNEXT" compare a b c | grep -vE '^6\.1\.0 -> .*\.$|^[0-9]+ of [0-9]+ metrics differ' >got
	"$PICKNEXT" compare a b --format markdown -m 'throughput_per_s,slice_p*' >>got
	[ -z "${UPDATE:-}" ] || cp got "$GOLDEN/overview.txt"
	diff -u "$GOLDEN/overview.txt" got
}

# bats test_tags=slow
@test "compare: Markdown, CSV, KTAP and JUnit" {
	same table.md a b --format markdown
	same table.csv a b --csv
	same gates.ktap a b c --format ktap
	rm -f got
	"$PICKNEXT" compare a b c -f 'throughput_per_s < -5%' --junit got --inconclusive fail >/dev/null || [ $? = 5 ]
	[ -z "${UPDATE:-}" ] || cp got "$GOLDEN/gates.xml"
	diff -u "$GOLDEN/gates.xml" got
}
