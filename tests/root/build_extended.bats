#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build --columns extended: the further columns of a recording, compared with extended_reference.py.

load tracefs

REFERENCE=$BATS_TEST_DIRNAME/extended_reference.py

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p raw
}

@test "extended: of a real trace every column is what a slow account says, and the first nine are those of every dataset" {
	need_tracefs
	"$PICKNEXT" record -q -o raw/hackbench_run0.dat -- "$PICKNEXT" run -q hackbench_pipe_small --scale 0.02 --json >/dev/null
	"$PICKNEXT" export --ns raw/hackbench_run0.dat -o nanoseconds
	"$PICKNEXT" build -q -o . --columns extended 2>/dev/null
	python3 "$REFERENCE" nanoseconds all.csv | tee told
	[ "$(sed -n 's/^\([0-9]*\) rows.*/\1/p' told)" -gt 500 ]
	grep -q 'wakeup_latency [1-9].*waker_comm [1-9].*runnable_tasks [1-9]' told
	cp all.csv extended.csv
	"$PICKNEXT" build -q -o . 2>/dev/null
	[ "$(json dataset_meta.json 'len(d["csv_columns"])')" = 9 ]
	python3 - <<-'EOF'
		import csv
		nine, extended = (list(csv.reader(open(name, encoding="latin-1", newline=""))) for name in ("all.csv", "extended.csv"))
		assert [row[:9] for row in extended] == nine and len(extended[0]) > 9
	EOF
	# The same from the text, as far as its microseconds go.
	mkdir text
	"$PICKNEXT" export raw/hackbench_run0.dat -o text/hackbench_run0.txt
	"$PICKNEXT" build -q -o . --raw-dir text --columns extended 2>/dev/null
	python3 "$REFERENCE" text/hackbench_run0.txt all.csv
}
