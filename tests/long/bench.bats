#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make bench: that it measures and tells, never how fast anything is.

setup() {
	TOP=$(readlink -f "$BATS_TEST_DIRNAME/../..")
	load ../root/tracefs
}

# told EXPRESSION: a Python expression over the JSON.
told() {
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$TOP/build/bench/bench.json" "$1"
}

@test "bench --quick fills the table, names what it did not measure, and keeps no traces" {
	need_tracefs
	make -s -C "$TOP" bench-tools
	"$TOP/tests/bench/bench.py" --quick --only dataset,text,library,size >"$BATS_TEST_TMPDIR/table" 2>"$BATS_TEST_TMPDIR/errors"
	output=$(<"$BATS_TEST_TMPDIR/table")
	[[ $output == *"| part |"*"| picknext |"* ]]
	echo "$output"
	[ "$(told '{row["part"] for row in d["rows"]} == {"dataset", "library", "size", "text"}')" = True ]
	[ "$(told 'all(row["ours"] and len(row["ours"]) < 40 for row in d["rows"])')" = True ]
	[ "$(told '[row["ratio"] > 0 for row in d["rows"] if row["what"].startswith("the same from text")][0]')" = True ]
	# Every part has told something, and what is missing has its reason.
	[ "$(told 'sorted({row["part"] for row in d["rows"]} | {m["part"] for m in d["not_measured"]})')" = \
		"['dataset', 'library', 'size', 'text']" ]
	[ "$(told 'all(m["reason"] for m in d["not_measured"])')" = True ]
	cmp <(echo "$output") "$TOP/build/bench/bench.md"
	[ ! -e "$TOP/build/bench/scratch" ]
}

@test "bench --earlier measures another binary in turns with this one" {
	need_tracefs
	make -s -C "$TOP" bench-tools
	"$TOP/tests/bench/bench.py" --quick --only text --earlier "$TOP/build/picknext" >/dev/null 2>&1
	[ "$(told '[len(row["cpu_s"]) == len(row["earlier_cpu_s"]) > 0 for row in d["earlier"]]')" = "[True]" ]
	run "$TOP/tests/bench/bench.py" --quick --only text --earlier /nonexistent
	[ "$status" -eq 2 ]
	[[ $output == *--earlier*/nonexistent* ]]
}

@test "bench refuses a part that there is not" {
	run "$TOP/tests/bench/bench.py" --only readout,sped
	[ "$status" -eq 2 ]
	[[ $output == *sped*readout*dataset* ]]
}
