#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --jobs of compare and report: the same output, messages and exit code for every number.

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir -p many/raw
	for i in 0 1 2 3 4; do
		"$TOP/build/tools/make_many" "many/raw/w_x_run$i.dat" $((2 + i % 3)) $((9 + i)) $((100 + 400 * (i % 3)))
	done
	"$TOP/build/tools/make_trace" many/raw/v_x_run1.dat
	"$TOP/build/tools/make_trace" many/raw/x_x_run1.dat hostile
	for set in a b c; do
		python3 "$TOP/tests/support/make_runs.py" "sets/$set" sample 5 "$(printf '%d' "'$set")" "1.$(($(printf '%d' "'$set") % 4))" "kernel=\"6.$(printf '%d' "'$set")\""
	done
	# One that nobody can read, one that is cut, in the middle.
	cp -r many spoiled
	printf 'no trace' >spoiled/raw/w_x_run2.dat
	head -c 9000 many/raw/w_x_run3.dat >spoiled/raw/w_x_run3.dat
}

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

# same COMMAND...: with one, two and six jobs; the standard output or the file "out".
same() {
	local jobs code first=-1
	for jobs in 1 2 6; do
		rm -rf out
		code=0
		"$PICKNEXT" "$@" --jobs "$jobs" </dev/null >shown 2>messages || code=$?
		[ ! -e out ] || cp out shown
		if [ "$first" = -1 ]; then
			first=$code
			cp shown expected
			cp messages expected-messages
		fi
		[ "$code" = "$first" ] || { echo "$* --jobs $jobs: exit code $code, not $first"; return 1; }
		cmp expected shown || { echo "$* --jobs $jobs"; return 1; }
		diff expected-messages messages || { echo "$* --jobs $jobs"; return 1; }
	done
	result=$first
}

# bats test_tags=slow
@test "jobs: a corrupt trace in the middle" {
	same compare many spoiled
	[ "$result" = 5 ]
	same compare many spoiled --allow lossy
	[ "$result" = 3 ]
	same report many spoiled --allow lossy -o out
	[ "$result" = 3 ]
	[ ! -e out ]
}

# bats test_tags=slow
@test "jobs: compare and report" {
	local form
	for form in --json --csv "--format markdown" "--format ktap"; do
		# shellcheck disable=SC2086 # words
		same compare sets/a sets/b sets/c $form
		[ "$result" = 0 ]
	done
	same compare sets/a many/raw
	same compare sets/a sets/b --fail-if 'slice_p50_us > +1%'
	same report sets/a sets/b sets/c -o out
	[ "$result" = 0 ]
	same report many -o out --allow lossy
	same report sets/a sets/b -o out --from 100
}
