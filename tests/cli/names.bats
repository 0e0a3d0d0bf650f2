#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Task names that are made to be mistaken for something else (a formula, a field, the end of a row, markup, a command to
# the terminal, no UTF-8 at all) come through every output intact and harmless.

bats_require_minimum_version 1.5.0
PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
load ../support/hostile_names

# bats test_tags=slow
@test "names: CSV of all kinds holds them byte for byte, a formula too" {
	"$PICKNEXT" export -f csv hostile.dat -o rows.csv
	names csv rows.csv task_name prev_comm
	"$PICKNEXT" export -f csv --columns extended hostile.dat -o extended.csv
	names csv extended.csv task_name prev_comm
	"$PICKNEXT" export -f baseline hostile.dat -o baseline.csv
	names csv baseline.csv name
	[ "$(tail -n +2 baseline.csv | grep -c -a '^[A-Z],')" -gt 1000 ]
	"$PICKNEXT" split -q -o parts rows.csv
	cmp parts/hostile.csv rows.csv
	mkdir raw
	cp hostile.dat raw/io_mixed_run0.dat
	"$PICKNEXT" build -q -o .
	names csv all.csv task_name prev_comm
	names same all.csv rows.csv
}

# bats test_tags=slow
@test "names: the text reads back as the same rows" {
	"$PICKNEXT" export hostile.dat -o text.txt
	"$PICKNEXT" export -f csv hostile.dat -o rows.csv
	"$PICKNEXT" export -f csv text.txt -o again.csv
	names csv again.csv task_name prev_comm
	names same rows.csv again.csv
}

# bats test_tags=slow
@test "names: Perfetto has them as UTF-8" {
	command -v protoc >/dev/null || skip "protoc is not installed"
	"$PICKNEXT" export -f perfetto hostile.dat -o trace.perfetto-trace
	"$PICKNEXT" export --ns hostile.dat -o text
	protoc --decode=picknext.perfetto.Trace -I "$BATS_TEST_DIRNAME/../support" perfetto.proto <trace.perfetto-trace >decoded
	python3 "$BATS_TEST_DIRNAME/../support/perfetto_decoded.py" text <decoded
}

# bats test_tags=slow
@test "names: JSON of every command is JSON, in UTF-8" {
	for command in stat latency timeline affinity inversions idle-waiting migrations check; do
		"$PICKNEXT" "$command" --help | grep -q -e '--json' || continue
		"$PICKNEXT" "$command" --json hostile.dat >"$command.json" 2>/dev/null || [[ $? == [15] ]]
		names json "$command.json"
	done
	[ -s stat.json ]
	# C1 control characters are written as \u00NN: some terminals obey them
	run ! grep -a -q $'\xc2\x9b' ./*.json
	grep -q 'u009b' ./*.json
}

# bats test_tags=slow
@test "names: no table on a terminal, and no message, obeys them" {
	command -v script >/dev/null || skip "script is not installed"
	cp hostile.dat hostile2.dat
	for line in "export hostile.dat" "export -f csv hostile.dat" "export -f baseline hostile.dat" "stat hostile.dat" \
		"latency hostile.dat" "timeline hostile.dat" "affinity hostile.dat" "inversions hostile.dat" \
		"idle-waiting hostile.dat" "migrations hostile.dat" "check hostile.dat" "timeline --map hostile.dat" \
		"stat --csv hostile.dat" "latency --csv hostile.dat" "affinity --csv hostile.dat" "timeline --csv hostile.dat" \
		"timeline --json hostile.dat" "migrations --csv hostile.dat" "migrations --list --csv hostile.dat" \
		"migrations --json hostile.dat" "export -f csv --columns extended hostile.dat" "diff hostile.dat hostile.dat" \
		"compare --as x hostile.dat hostile2.dat" "compare --as x --csv hostile.dat hostile2.dat"; do
		TERM=dumb script -q -c "'$PICKNEXT' $line" /dev/null </dev/null >shown
		names plain shown || { echo "$line"; return 1; }
	done
	mkdir raw
	cp hostile.dat $'raw/\x1b[31mred_run0.dat'
	"$PICKNEXT" build -o . >shown 2>&1
	names plain shown
	"$PICKNEXT" export $'\x1b[31mnot there.dat' >shown 2>&1 || true
	names plain shown
}
