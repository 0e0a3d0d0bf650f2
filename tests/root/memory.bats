#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Lack of memory: record, collect, monitor and overhead end with exit code 75, and no trace instance, child or temporary file stays, on a
# machine that records something else meanwhile.

bats_require_minimum_version 1.5.0

load record

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SUDO_UID SUDO_GID
	started=
	need_tracefs
	other=$tracefs/instances/someone-else-$$
	mkdir "$other"
	echo 1 >"$other/events/sched/sched_switch/enable"
}

teardown() {
	[ -z "$started" ] || kill -KILL "$started" 2>/dev/null || true
	[ ! -d "$other" ] || rmdir "$other"
}

# The other recording goes on, and nothing is left of picknext's but the named files.
nothing_stays() {
	local children
	diff before <(tracefs_state)
	[ "$(cat "$other/tracing_on")" = 1 ]
	children=$(pgrep -f "$BATS_TEST_TMPDIR/child" || true)
	[ -z "$children" ] || { echo "still there: $children"; return 1; }
	[ -z "$(find . -name '*.partial*' -o -name '.scratch*' -o -name 'picknext-*')" ]
}

# Takes all memory from the recording, which ends with 75 and says why.
ends_without_memory() {
	local code=0
	prlimit --pid "$started" --as=1
	kill -INT "$started"
	wait "$started" || code=$?
	started=
	[ "$code" -eq 75 ]
	grep -q 'not enough memory' messages
	nothing_stays
}

# A child whose command line names this test.
make_child() {
	ln -s "$(command -v sleep)" child
}

@test "memory: record ends with 75 at any limit that is too low, also during the recording" {
	local kilobytes code failed_late=0
	tracefs_state >before
	make_child
	for kilobytes in $(seq 2600 200 6800); do
		rm -f ran a.dat a.json
		code=0
		(ulimit -v "$kilobytes" && exec "$PICKNEXT" record -q -o a -- /bin/sh -c 'echo >ran') 2>messages || code=$?
		[ "$code" -eq 0 ] || [ "$code" -eq 75 ] || [ "$code" -eq 127 ] || { echo "$kilobytes: $code"; cat messages; return 1; }
		nothing_stays
		[ "$code" -ne 75 ] || [ -e a.dat ] || failed_late=$((failed_late + 1))
	done
	[ "$failed_late" -gt 0 ]
	[ "$code" -eq 0 ]
}

@test "memory: record at the end of a recording; the command is ended" {
	make_child
	start_recording -q -o a -- "$BATS_TEST_TMPDIR/child" 60
	ends_without_memory
	[ ! -e a.dat ]
}

@test "memory: record -o - removes its temporary directory" {
	mkdir tmp
	make_child
	tracefs_state >before
	TMPDIR=$PWD/tmp "$PICKNEXT" record -q -o - -- "$BATS_TEST_TMPDIR/child" 60 >out 2>messages &
	started=$!
	wait_until is_recording "$started"
	ends_without_memory
	[ -z "$(ls -A tmp)" ]
}

@test "memory: collect, with a scratch directory and the tasks of a workload" {
	tracefs_state >before
	"$PICKNEXT" collect -q -o out -w io_mixed -r 1 --duration 60 --drain 10 2>messages &
	started=$!
	wait_until is_recording "$started"
	sleep 0.5
	leader=$(pgrep -P "$started")
	[ -n "$leader" ]
	ends_without_memory
	[ ! -e "/proc/$leader" ]
	[ -z "$(find out -type f)" ]
}

@test "memory: collect ends with 75 at any limit that is too low" {
	local kilobytes code=0 failed=0
	tracefs_state >before
	for kilobytes in $(seq 2800 300 5200); do
		rm -rf out
		code=0
		(ulimit -v "$kilobytes" && exec "$PICKNEXT" collect -q -o out -w io_mixed -r 1 --scale small:0.01) 2>messages || code=$?
		[ "$code" -eq 0 ] || [ "$code" -eq 75 ] || [ "$code" -eq 4 ] || { echo "$kilobytes: $code"; cat messages; return 1; }
		nothing_stays
		[ "$code" -ne 75 ] || failed=$((failed + 1))
	done
	[ "$failed" -gt 0 ]
	[ "$code" -eq 0 ]
}

@test "memory: monitor and overhead end with 75 at any limit that is too low" {
	local kilobytes least code failed=0
	tracefs_state >before
	for kilobytes in $(seq 2400 200 5200); do
		code=0
		(ulimit -v "$kilobytes" && exec "$PICKNEXT" monitor -i 0.1 -n 2) >out 2>messages || code=$?
		[ "$code" -eq 0 ] || [ "$code" -eq 75 ] || [ "$code" -eq 127 ] || { echo "$kilobytes: $code"; cat messages; return 1; }
		nothing_stays
		[ "$code" -ne 75 ] || failed=$((failed + 1))
	done
	[ "$failed" -gt 0 ]
	[ "$code" -eq 0 ]
	# With less than this, the kernel cannot start the program.
	least=1500
	until (ulimit -v "$least" && exec "$PICKNEXT" version) >out 2>messages; do
		least=$((least + 50))
		[ "$least" -lt 10000 ]
	done
	for kilobytes in $(seq "$((least + 50))" 100 "$((least + 550))"); do
		code=0
		(ulimit -v "$kilobytes" && exec "$PICKNEXT" overhead -w io_mixed --scale 0.02 -r 3) >out 2>messages || code=$?
		[ "$code" -eq 0 ] || [ "$code" -eq 75 ] || [ "$code" -eq 4 ] || { echo "$kilobytes: $code"; cat messages; return 1; }
		nothing_stays
	done
}
