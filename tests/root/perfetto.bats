#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recordings of this machine exported with --format perfetto, decoded by protoc with the numbers of Perfetto's published schema (perfetto.proto).

load tracefs
load ../support/perfetto

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
	[ "$(($(sed -n 's/^print: //p' told) + $(sed -n 's/^moves: //p' told)))" -eq "$(sed -n 's/^track_event: //p' told)" ]
	[ "$(grep -a -c ': tracing_mark_write: \(a mark\|its line\)$' text)" -eq 2 ]
	for name in 'a,b' '=cmd' 'say \"hi\"' 'two\nlines' ' prev_pid=1' '<script>' '\033[31mred' \
		'caf\303\251' '\357\277\275\357\277\275\357\277\275'; do
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
