#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext mark, in what is being recorded.

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load record

need_copied_marks() {
	local has=0
	mkdir "$tracefs/instances/picknext-test-$$"
	[ -e "$tracefs/instances/picknext-test-$$/options/copy_trace_marker" ] || has=1
	rmdir "$tracefs/instances/picknext-test-$$"
	[ "$has" -eq 0 ] || skip "this kernel does not copy what is written to its own trace_marker"
}

# is_marked TEXT [COUNT]: so often (once) it is among the marks of events.txt.
is_marked() {
	[ "$(grep -a ' print: ' events.txt | grep -a -c -F -e "$1")" -eq "${2:-1}" ]
}

@test "mark: its text is in what is recorded, between the events, and in order" {
	need_tracefs
	need_trace_cmd
	record -o a -- sh -c '"$0" mark "first, with = and \"quotes\""; "$0" mark second' "$PICKNEXT" 2>messages
	report a.dat
	is_marked 'first, with = and "quotes"'
	is_marked second
	grep -a ' print: ' events.txt >marks
	[ "$(grep -n 'first, with' marks | cut -d: -f 1)" -lt "$(grep -n 'second$' marks | cut -d: -f 1)" ]
	[ "$(json a.json 'd["marks"]')" -eq "$(wc -l <marks)" ]
	grep -q "$(wc -l <marks) marks" messages
}

@test "mark: any program can write one: the command's own, and to the machine's trace_marker where the kernel copies" {
	need_tracefs
	need_trace_cmd
	record -q -o a -- sh -c 'echo "by the command" >"$PICKNEXT_TRACE_MARKER"'
	report a.dat
	is_marked 'by the command'
	[ "$(json a.json 'd["marks"]')" -ge 1 ]
	need_copied_marks
	record -q -o a -- sh -c 'echo $$ >writer; echo "by another $$" >'"$tracefs"'/trace_marker'
	report a.dat
	is_marked "by another $(cat writer)"
}

@test "mark: recordings that begin and end meanwhile keep none of the machine's marks from another" {
	need_tracefs
	need_trace_cmd
	need_copied_marks
	"$PICKNEXT" record -q -o a -- sh -c 'until [ -e ready ]; do sleep 0.01; done
		for i in $(seq 60); do echo "by another $$ $i." >'"$tracefs"'/trace_marker || exit 1; sleep 0.01; done; echo $$ >writer' &
	started=$!
	wait_until is_recording "$started"
	echo >ready
	while [ -e "/proc/$started" ] && [ ! -e writer ]; do
		record -q -o b -- true
	done
	wait "$started"
	started=
	report a.dat
	for i in $(seq 60); do
		is_marked "by another $(cat writer) $i." || { echo "not there: $i"; false; }
	done
}

@test "mark: every running picknext gets it" {
	need_tracefs
	start_recording -o a -d 20
	first=$started
	start_recording -o b -d 20
	"$PICKNEXT" mark "both $BATS_SUITE_TEST_NUMBER $$"
	kill -INT "$started" "$first"
	wait "$first" || [ $? -eq 130 ]
	wait "$started" || [ $? -eq 130 ]
	started=
	for trace in a b; do
		"$PICKNEXT" export -q $trace.dat >events.txt
		[ "$(grep -a -c ": tracing_mark_write: both $BATS_SUITE_TEST_NUMBER $$\$" events.txt)" -eq 1 ]
	done
}

@test "mark: nothing that records, no text, too long a text" {
	need_tracefs
	# Another test's picknext may be recording: then there is somebody to mark for.
	run "$PICKNEXT" mark alone
	if [ "$status" -ne 0 ]; then
		[ "$status" -eq 4 ]
		[[ $output == *"picknext record"* ]]
	fi
	run "$PICKNEXT" mark
	[ "$status" -eq 2 ]
	run "$PICKNEXT" mark ""
	[ "$status" -eq 2 ]
	run "$PICKNEXT" mark "$(head -c 1001 /dev/zero | tr '\0' x)"
	[ "$status" -eq 2 ]
	[[ $output == *1001* ]]
}

@test "record and mark: without root they say so" {
	[ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
	directory=$(mktemp -d /tmp/picknext-test-XXXXXX)
	cp "$PICKNEXT" "$directory/picknext"
	chmod 755 "$directory"
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$directory/picknext" record -o "$directory/a" -- true
	[ "$status" -eq 4 ]
	[[ $output == *[Rr]oot* ]]
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$directory/picknext" mark x
	rm -r "$directory"
	[ "$status" -eq 4 ]
	[[ $output == *[Rr]oot* ]]
}
