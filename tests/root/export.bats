#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export of recordings. record_both saves one buffer twice: as the kernel's own text, and as a trace.dat.

bats_require_minimum_version 1.5.0
load tracefs

TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# both NAME KB CLOCK [OPTION...]: NAME.txt and NAME.dat. The kernel keeps one table of task names for all that trace on
# this machine; where another recording changed it between the two, they are made again.
both() {
	local try status=1
	need_tracefs
	for try in $(seq 30); do
		status=0
		"$TOOLS/guest-tools/record_both" "$@" || status=$?
		[ "$status" -eq 75 ] || break
	done
	[ "$status" -ne 75 ] || skip "another recording on this machine goes on and on ($try tries)"
	[ "$status" -eq 0 ]
}

# known: the lines of the events whose text picknext knows, and "TASK CPU FLAGS TIME: NAME" of all others.
known() {
	LC_ALL=C sed -E '/: (sched_(switch|wakeup|wakeup_new|waking|migrate_task|pi_setprio|stat_runtime)|tracing_mark_write): /!
		s/^(.{16}-[0-9]+ +\[[0-9]+\] .{5} +[0-9.]+: [a-z0-9_]+:).*/\1/' "$1"
}

# made: trace.dat, without root.
made() {
	"$TOOLS/tools/make_trace" trace.dat
}

@test "export: the text is the kernel's own, byte for byte, whatever the tasks are called" {
	both a 4096 mono
	"$PICKNEXT" export --format text a.dat -o a.ours
	cmp a.txt a.ours
	[ "$(wc -l <a.ours)" -gt 5000 ]
	for event in sched_switch sched_wakeup sched_wakeup_new sched_migrate_task; do
		grep -q -a "^.\{16\}-[0-9]* *\[[0-9]*\] ..... [ 0-9]*\.[0-9]\{6\}: $event: " a.ours
	done
	"$PICKNEXT" export a.dat | cmp a.txt -
	"$PICKNEXT" export - <a.dat | cmp a.txt -
}

@test "export: the text by the clock local, and of a full buffer, is the kernel's own" {
	both a 4096 local
	"$PICKNEXT" export a.dat | cmp a.txt -
	both b 16 mono
	"$PICKNEXT" export b.dat -o b.ours 2>warnings
	cmp b.txt b.ours
	grep -q '^picknext: warning: b.dat: lost [1-9][0-9]* events ([1-9][0-9]* on CPU [0-9]' warnings
}

@test "export: the text of an overwritten buffer is the kernel's own" {
	both a 16 mono overwrite
	"$PICKNEXT" export a.dat -o a.ours 2>warnings
	cmp a.txt a.ours
	read -r kept written < <(sed -n 's/.*entries-written: \([0-9]*\)\/\([0-9]*\) .*/\1 \2/p' a.ours)
	[ "$kept" -gt 0 ]
	[ "$written" -gt "$kept" ]
	grep -q '^picknext: warning: a.dat: .*[1-9][0-9]* events.*[1-9][0-9]* on CPU [0-9]' warnings
}

@test "export: marks and all events of the scheduler that picknext knows are the kernel's own text too" {
	both a 8192 mono mark 'events=sched:*'
	"$PICKNEXT" export a.dat -o a.ours
	cmp <(known a.txt) <(known a.ours)
	grep -q -a 'tracing_mark_write: a mark$' a.ours
	grep -q -a ': sched_waking: comm=' a.ours
	grep -q -a ': sched_stat_runtime: comm=.* runtime=[0-9]* \[ns\]' a.ours
}

@test "export: of a trace without sched_switch there is the text, and nothing else can be had" {
	both a 8192 mono 'events=sched_waking,sched_process_*,irq,power'
	"$PICKNEXT" export a.dat -o a.ours
	cmp <(known a.txt) <(known a.ours)
	grep -q -a ': sched_waking: comm=' a.ours
	for line in "export -f perfetto" "export -f csv" stat; do
		# shellcheck disable=SC2086 # words
		run -3 "$PICKNEXT" $line a.dat
		[[ $output == "picknext: a.dat: "*sched_switch* ]]
	done
}

@test "export: events that picknext does not know are written as field=value" {
	both a 8192 mono 'events=sched_switch,hrtimer_start,softirq_raise'
	"$PICKNEXT" export a.dat -o a.ours
	cmp <(known a.txt) <(known a.ours)
	grep -q -a -E ': hrtimer_start: hrtimer=[0-9]+ .*expires=[0-9]+ .*mode=[0-9]+( |$)' a.ours
	cmp <(LC_ALL=C sed -n 's/: softirq_raise: \(vec=[0-9]*\) \[action=.*/ \1/p' a.txt) \
		<(LC_ALL=C sed -n 's/: softirq_raise: \(vec=[0-9]*\)$/ \1/p' a.ours)
}

@test "export: on a terminal, control characters of a name are written as \\xNN" {
	command -v script >/dev/null || skip "script is not installed"
	both a 4096 mono
	script -q -c "'$PICKNEXT' export a.dat" /dev/null </dev/null >shown
	grep -q -a -F '\x1b[31mred' shown
	[ "$(grep -c -a $'\x1b' shown)" -eq 0 ]
}

@test "export: a corrupt page is named, and the earlier file stays" {
	both a 4096 mono
	"$PICKNEXT" export -q -f perfetto a.dat -o a.ours
	cp a.ours earlier
	python3 - a.dat <<-'EOF'
		import sys
		with open(sys.argv[1], "r+b") as file:
		    size = file.seek(0, 2)
		    file.seek(size - 4096 + 8)  # the commit word of the last page
		    file.write(b"\xff\xff\xff\x0f")
	EOF
	run "$PICKNEXT" export -f perfetto a.dat -o a.ours
	[ "$status" -eq 3 ]
	[[ "$output" =~ a\.dat.*CPU\ [0-9]+.*page\ [0-9]+ ]]
	cmp a.ours earlier
	[ ! -e a.ours.partial ]
	run "$PICKNEXT" export a.dat -o a.text
	[ "$status" -eq 3 ]
	[ ! -e a.text ]
}
