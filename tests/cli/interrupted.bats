#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A signal at any moment ends a command with 128 + its number, and nothing half written stays.

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	python3 "$TOP/tests/support/make_runs.py" a sample 6 1 1 'kernel="6.1.0"'
	python3 "$TOP/tests/support/make_runs.py" b sample 6 2 1.4 'kernel="6.12.0"'
	mkdir programs
	# Ctrl+C reaches the program that picknext started, and picknext.
	# shellcheck disable=SC2016 # the program expands it
	printf '#!/bin/sh\nkill -INT "$PPID"\nsleep 0.2\nexit 1\n' >programs/gzip
	chmod +x programs/gzip
}

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

# Runs the command again and again, and sends it SIGNAL a little later each time, until it ends by itself.
at_many_moments() {
	local signal=$1 code=$2 moment began result ended=0
	shift 2
	for moment in 0 0.002 0.005 0.01 0.02 0.03 0.05 0.08 0.12 0.2 0.3 0.5; do
		rm -rf out err # a job that is killed at once has not opened it
		env --default-signal=INT "$PICKNEXT" "$@" >/dev/null 2>err &
		began=$!
		sleep "$moment"
		kill -"$signal" "$began" 2>/dev/null || true
		result=0
		wait "$began" || result=$?
		[ -z "$(find . -name '*.partial*')" ] || { echo "$*: $(find . -name '*.partial*')"; return 1; }
		case $result in
		0)
			# Twice it had ended before the signal came, as it will have at later moments.
			ended=$((ended + 1))
			[ "$ended" -lt 2 ] || return 0
			continue
			;;
		"$code") ended=0 ;;
		*) echo "$* at $moment: $result, $(cat err)"; return 1 ;;
		esac
		# Before its handlers are there, it says nothing.
		[ ! -s err ] || grep -q "interrupted by SIG$signal" err || { echo "$* at $moment: $(cat err)"; return 1; }
	done
}

# bats test_tags=slow
@test "interrupted: reading, comparing, drawing, writing" {
	at_many_moments TERM 143 compare a b --json -o out
	at_many_moments INT 130 report a b -o out
	at_many_moments TERM 143 build --raw-dir a/raw -o out
	at_many_moments INT 130 build --raw-dir a/raw -o out -j 3
	at_many_moments INT 130 stat a -o out
	at_many_moments TERM 143 stat a -o out
	at_many_moments INT 130 compare a b -j 2 --json -o out
	at_many_moments TERM 143 export -f csv a/raw/sample_run0.txt -o out
}

@test "interrupted: a program that picknext runs is ended first" {
	cp "$TOP/initramfs/init" init
	echo "file init 0755 init" >manifest
	PATH=$PWD/programs:$PATH run -130 "$PICKNEXT" initramfs --manifest manifest -o archive.gz
	[[ "$output" == *"interrupted by SIGINT"* ]]
	[ ! -e archive.gz ]
}

# bats test_tags=slow
@test "interrupted: nobody reads the pipe" {
	mkfifo pipe
	exec 9<>pipe
	# Full, so that the first write waits.
	dd if=/dev/zero of=pipe bs=4096 count=1024 oflag=nonblock 2>/dev/null || true
	for command in "timeline" "export -f csv" "timeline --json"; do
		# shellcheck disable=SC2086 # words
		env --default-signal=INT "$PICKNEXT" $command a/raw/sample_run0.txt -o pipe 2>err &
		began=$!
		sleep 0.5
		kill -TERM "$began" 2>/dev/null || true
		result=0
		wait "$began" || result=$?
		[ "$result" = 143 ] || { echo "$command: $result, $(cat err)"; return 1; }
	done
}
