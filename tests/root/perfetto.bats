#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recordings of this machine exported with --format perfetto, decoded by protoc with the numbers of Perfetto's published schema (perfetto.proto).

load tracefs

TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build

setup() {
	command -v protoc >/dev/null || skip "protoc is not installed"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# decoded TRACE: what protoc and perfetto_decoded.py say of it.
decoded() {
	"$PICKNEXT" export -q -f perfetto "$1" -o trace.perfetto-trace 2>/dev/null
	"$PICKNEXT" export -q --ns "$1" -o text 2>/dev/null
	protoc --decode=picknext.perfetto.Trace -I "$BATS_TEST_DIRNAME/../support" perfetto.proto <trace.perfetto-trace >decoded
	python3 "$BATS_TEST_DIRNAME/../support/perfetto_decoded.py" text <decoded | tee told
}

# so_many NAME LEAST
so_many() {
	[ "$(sed -n "s/^$1: //p" told)" -ge "$2" ] || { echo "$1: not $2"; return 1; }
}

@test "perfetto: of this machine too, with marks, migrations and names that are hard to write" {
	need_tracefs
	"$TOOLS/guest-tools/record_both" a 8192 mono mark || [ $? -eq 75 ]
	decoded a.dat
	grep -qx "kernel: Linux $(uname -r) $(uname -m)" told
	so_many sched_switch 1000
	so_many sched_wakeup_new 15
	so_many sched_migrate_task 15
	# Its own two; others may write to the machine's trace_marker.
	so_many print 2
	[ "$(sed -n 's/^print: //p' told)" -eq "$(sed -n 's/^track_event: //p' told)" ]
	[ "$(grep -a -c ': tracing_mark_write: \(a mark\|its line\)$' text)" -eq 2 ]
	for name in 'a,b' '=cmd' 'say \"hi\"' 'two\nlines' ' prev_pid=1' '<script>' '\033[31mred'; do
		# As the one that leaves the CPU: a kernel may say nothing of its coming (6.18).
		grep -qF "prev_comm: \"$name\"" decoded || { echo "missing: $name"; return 1; }
		grep -qF "cmdline: \"$name\"" decoded || { echo "not a process: $name"; return 1; }
	done
	"$TOOLS/guest-tools/record_both" c 8192 mono 'events=sched:*' || [ $? -eq 75 ]
	decoded c.dat
	so_many sched_waking 1000
	[ "$(grep -a -c ': sched_waking: ' text)" -ge 1000 ] # the real ones, which the decoded are compared with
	"$TOOLS/guest-tools/record_both" b 4096 mono_raw || [ $? -eq 75 ]
	decoded b.dat
	grep -q 'ftrace_clock: FTRACE_CLOCK_MONO_RAW' decoded
	grep -q 'clock_id: 5' decoded
}
