#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext for arm64 prints of a trace the same bytes as this machine's, whose output is the expectation.
# The golden tests run with it too (tests/run, kind arm64).

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	local trace
	for trace in "$TOP"/tests/golden/keys/*.gz "$TOP"/tests/golden/foreign/v7*.gz; do
		gzip -dc "$trace" >"$(basename "$trace" .gz)"
	done
	cp "$TOP/ci/readme/io.dat" "$TOP/tests/golden/analysis/lossy.txt" .
	python3 "$TOP/tests/support/make_runs.py" a short 6 1 1 'kernel="6.1.0"' hz=250
	python3 "$TOP/tests/support/make_runs.py" b short 6 2 1.4 'kernel="6.12.0"' hz=1000
}

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	export SOURCE_DATE_EPOCH=1700000000
}

# result PROGRAM ARGUMENT...: what it prints, and its exit code.
result() {
	local code=0
	"$@" 2>&1 || code=$?
	echo "exit code $code"
}

# same ARGUMENT...
same() {
	result "$TOP/build/picknext" "$@" >"$BATS_TEST_TMPDIR/here"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/here")" -gt 1 ]
	result "$TOP/tests/arm64/picknext" "$@" | cmp - "$BATS_TEST_TMPDIR/here" || { echo "picknext $*"; return 1; }
}

@test "arm64: the program is static, and for arm64" {
	[ "$(readelf -h "$TOP/build/arm64/picknext" | sed -n 's/.*Machine: *//p')" = AArch64 ]
	run readelf -ld "$TOP/build/arm64/picknext"
	[ "$status" -eq 0 ]
	[[ $output != *INTERP* && $output != *NEEDED* ]]
}

@test "arm64: the analyses" {
	local trace command
	for trace in *.dat *.txt; do
		same check --json "$trace"
		for command in stat latency migrations timeline affinity inversions idle-waiting; do
			same "$command" --csv "$trace"
		done
		same latency --json --worst 5 "$trace"
	done
	same stat --pairs --by role --json io.dat
}

@test "arm64: decisions, and the rules" {
	local trace
	for trace in 6*.dat; do
		same check-rule --json "$trace"
		same why --worst 3 "$trace"
		same why --worst 3 --json "$trace"
	done
}

@test "arm64: exports and datasets" {
	local format options
	for format in text perfetto csv baseline jsonl; do
		same export -f "$format" io.dat
	done
	for options in '' '--columns extended,scheduler' '--task pick' '--task placement' '--task keys'; do
		mkdir -p raw
		cp 6.1.dat 6.12.dat raw
		# shellcheck disable=SC2086 # several words
		same build -o "$BATS_TEST_TMPDIR/out" --raw-dir raw $options
		mv "$BATS_TEST_TMPDIR/out" there
		# shellcheck disable=SC2086
		"$TOP/build/picknext" build -q -o here --raw-dir raw $options
		diff -r here there
		rm -r here there
	done
}

@test "arm64: comparisons" {
	same compare --json a b
	same compare --details=all -f 'slice_p50_us > +25%' a b
	same diff --json 6.1.dat 6.12.dat
	same report -o - a b
}
