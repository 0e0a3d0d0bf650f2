#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each directory NAME/raw here is an input; the CSV files in NAME are what picknext build must make of it, written by hand.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	OUT=$BATS_TEST_TMPDIR/out
}

same_as_golden() {
	"$PICKNEXT" build -o "$OUT" --raw-dir "$BATS_TEST_DIRNAME/$1/raw" >"$OUT.txt" 2>&1
	local name
	for name in train test_seen test_unseen all; do
		cmp "$OUT/$name.csv" "$BATS_TEST_DIRNAME/$1/$name.csv"
	done
}

@test "the two sample lines of the original documentation" {
	same_as_golden seed
	"$PICKNEXT" export -f baseline "$OUT/all.csv" | cmp - "$BATS_TEST_DIRNAME/seed/baseline.csv"
	"$PICKNEXT" build -q -o "$OUT" --raw-dir "$BATS_TEST_DIRNAME/seed/raw" --columns extended 2>/dev/null
	cmp "$OUT/all.csv" "$BATS_TEST_DIRNAME/seed/extended.csv"
}

@test "names with commas, quotes, newlines, keywords and broken UTF-8; malformed lines; every layout" {
	same_as_golden hostile
	grep -q 'odd_names_run0.txt: .*\<3\>.*line 34$' "$OUT.txt" || { cat "$OUT.txt"; false; }
	# Python reads the rows back as they were.
	python3 - "$OUT/all.csv" <<-'EOF'
		import csv, sys
		rows = list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8", errors="surrogateescape")))
		assert len(rows) == 18 and all(len(row) == 9 for row in rows), rows
		assert rows[8][2] == "two\nlines" and rows[11][2] == "cr\rcr" and rows[13][2] == "\udcff\udcfe"
	EOF
}
