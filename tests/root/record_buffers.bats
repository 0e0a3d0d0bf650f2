#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext record: buffers that are outgrown or overwritten, losses, flight recordings.

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load record

saved_first() {
	[ -s a.1.json ]
}

@test "record: a recording outgrows its buffer, and loses nothing" {
	need_tracefs
	need_trace_cmd
	record -o a -b 1024 --drain 10 -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		"$0" run sysbench_threads_8t --duration 0.05; sleep 0.2; done' "$PICKNEXT"
	[ "$(json a.json 'd["events"] * 40 > 2 * 1024 * 1024')" = True ] || skip "this machine is too slow to fill a buffer"
	[ "$(json a.json 'd["lost_events"]')" = 0 ] || skip "other work kept the tracer from its CPU"
	report a.dat
	[ "$(reported_events)" -eq "$(json a.json 'd["events"]')" ]
}

@test "record: losses are told per CPU, with how many and between which times" {
	need_tracefs
	need_trace_cmd
	for way in --drain=0 --drain=60000 --drain=20; do
		run record -o a -b 16 "$way" -- "$PICKNEXT" run hackbench_pipe_small --scale 0.1
		[ "$status" -eq 0 ]
		lost=$(json a.json 'd["lost_events"]')
		[ "$lost" -gt 0 ]
		[[ $output == *"$lost events"*" on CPU "*--buffer-size* ]]
		[ "$(json a.json 'sum(l["events"] for l in d["losses"])')" = "$lost" ]
		[ "$(json a.json 'sum(b["dropped_events"] + b["overrun"] for b in d["buffers"])')" = "$lost" ]
		[ "$(json a.json 'all(0 < l["after"] <= l["before"] for l in d["losses"])')" = True ]
		# In the order of time on each CPU, and within the recording.
		[ "$(json a.json '[l for c in (0, 1, 2, 3) for l in d["losses"] if l["cpu"] == c] == \
			sorted((l for l in d["losses"] if l["cpu"] < 4), key=lambda l: (l["cpu"], l["after"]))')" = True ]
		[ "$(json a.json 'max(l["before"] for l in d["losses"]) - min(l["after"] for l in d["losses"]) <= \
			d["end_time"] - d["start_time"] + 1')" = True ]
		# Each between two drains: no place of a CPU begins before the one before it ends.
		[ "$(json a.json 'all(a["before"] <= b["after"] for c in (0, 1, 2, 3) for p in [[l for l in d["losses"] if l["cpu"] == c]] \
			for a, b in zip(p, p[1:]))')" = True ]
		trace-cmd report -t a.dat >events.txt 2>warnings
		[ ! -s warnings ] || { cat warnings; false; }
		# The trace alone has their sum, and what is missing after a CPU's last event.
		mkdir -p alone out/raw
		cp a.dat alone
		run "$PICKNEXT" check --places 1000000 alone/a.dat
		[[ $output == *" $lost events"* ]]
		[ "$(grep -cE ' - +- +events lost' <<<"$output")" -eq "$(grep -acE '^dropped at the end: [1-9]' a.dat)" ]
		# It names a complete part only if nothing else is missing.
		at_end=$(grep -aE '^dropped at the end: ' a.dat | awk '{ sum += $NF } END { print sum + 0 }')
		[ "$at_end" -eq "$lost" ] || [[ $output != *"use the complete part"* ]]
		[ "$at_end" -ne "$lost" ] || [[ $output == *"use the complete part: --from "* ]]
		mv a.dat a.json out/raw
		run "$PICKNEXT" build -o out --allow lossy
		[[ $output == *" $lost events"* ]]
	done
}

@test "record: --flight keeps the last stretch, complete on all CPUs, and no more" {
	need_tracefs
	need_trace_cmd
	record -o a --flight 0.3 -d 1.5
	report a.dat
	[ "$(json a.json 'd["lost_events"], d["flight_seconds"]')" = "(0, 0.3)" ]
	[ "$(reported_events)" -eq "$(json a.json 'd["events"]')" ]
	# The part that is kept begins at most a page of events before the stretch, on each CPU; its end is in it.
	sed -n 's/.*\[[0-9]*\] *\([0-9.]*\): sched_.*/\1/p' events.txt | tail -n 1 >last
	[ "$(json a.json "0.2 < $(cat last) - d['complete_from'] < 0.301")" = True ]
}

@test "record: a tracer that falls behind runs before what it traces, which is left as it is" {
	need_tracefs
	policies='python3 -c "import os, sys; print(*map(os.sched_getscheduler, (int(sys.argv[1]), 0)))" $PPID'
	local nice=$(($(nice) + 5))
	[ "$(nice -n 5 "$PICKNEXT" record -q -o calm --buffer-size 32768 --drain 10 -- sh -c "sleep 0.2; $policies; nice")" = $'0 0\n'$nice ]
	# SCHED_RR is 2.
	[ "$(nice -n 5 "$PICKNEXT" record -q -o behind --buffer-size 64 --drain 10 -- sh -c \
		"'$PICKNEXT' run -q hackbench_pipe_small --scale 0.02 >&2; $policies; nice")" = $'2 0\n'$nice ]
}

@test "record: --flight says where the buffer could not hold as much, and has nothing missing in between" {
	need_tracefs
	need_trace_cmd
	run record -o a --flight 60 -b 64 -- "$PICKNEXT" run hackbench_pipe_small --scale 0.1
	[ "$status" -eq 0 ]
	[[ $output == *[0-9]" s"*"60 s"*--buffer-size* ]]
	[ "$(json a.json 'd["lost_events"], sum(b["overrun"] for b in d["buffers"])')" = "(0, 0)" ]
	[ "$(json a.json 'sum(b.get("overwritten", 0) for b in d["buffers"]) > 0')" = True ]
	report a.dat
	[ "$(grep -c 'EVENTS DROPPED' events.txt)" -eq 0 ]
	trace-cmd report --stat a.dat >stat
	[ "$(awk '/^overrun:/ { sum += $2 } END { print sum + 0 }' stat)" -eq 0 ]
	mkdir -p out/raw
	mv a.dat a.json out/raw
	"$PICKNEXT" build -q -o out
}

@test "record: --flight saves a file at each SIGUSR1, and one at the end" {
	need_tracefs
	need_trace_cmd
	start_recording -o a --flight 60
	sleep 0.2
	kill -USR1 "$started"
	wait_until saved_first
	wait_until is_recording "$started"
	sleep 0.2
	finish INT 130
	report a.1.dat
	[ "$(json a.1.json 'd["trace_id"], d["ended_by"]')" = "('a.1', 'signal')" ]
	# It is told to be as long as it is, not as it might have been.
	grep -q '^a\.1\.dat: .* in ' messages
	run ! grep -q ' in 60\.00 s' messages
	first_first=$(sed -n 's/.*\[[0-9]*\] *\([0-9.]*\): sched_.*/\1/p' events.txt | head -n 1)
	[ "$(json a.1.json "abs(d['complete_from'] - $first_first) < 0.001")" = True ]
	first_last=$(sed -n 's/.*\[[0-9]*\] *\([0-9.]*\): sched_.*/\1/p' events.txt | tail -n 1)
	report a.dat
	second_first=$(sed -n 's/.*\[[0-9]*\] *\([0-9.]*\): sched_.*/\1/p' events.txt | head -n 1)
	[ "$(json a.json "d['events'] > 0 and $second_first >= $first_last")" = True ]
}

# hogs SECONDS: two tasks until-hog share CPU 0.
hogs() {
	cp "$(command -v dash)" until-hog
	for _ in 1 2; do
		taskset -c 0 timeout "$1" ./until-hog -c 'while :; do :; done' &
	done 3>&-
}

@test "record: --until ends at the wait that meets it, and keeps what was before and after" {
	need_tracefs
	need_trace_cmd
	hogs 30
	run record -o a --flight 0.3 --until 'nosuch: wait > 1ns' --until 'until-hog: preempted_wait > 2ms' -d 20
	kill %1 %2
	[ "$status" -eq 0 ]
	[ "$(json a.json 'd["ended_by"], d["until"]["condition"], d["until"]["task"]')" = \
		"('condition', 'until-hog: preempted_wait > 2ms', 'until-hog')" ]
	pid=$(json a.json 'd["until"]["pid"]')
	[[ $output == *"until-hog-$pid waited "*" for CPU 0 "*"--pid $pid a.dat"* ]]
	[ "$(json a.json '0.002 < d["until"]["end"] - d["until"]["since"]')" = True ]
	# The kernel's own words: it was switched out then, and switched in at the end, if the wait was over.
	trace-cmd report -t a.dat >events.txt
	grep -qE "[[]000[]] +$(json a.json '"%.9f" % d["until"]["since"]'): sched_switch: +until-hog:$pid .* R\\+? ==> " events.txt
	[ "$(json a.json 'd["until"]["goes_on"]')" = True ] ||
		grep -qE "[[]000[]] +$(json a.json '"%.9f" % d["until"]["end"]'): sched_switch: .* ==> until-hog:$pid " events.txt
	# Not more than asked for, but for the last drain, and complete after the wait.
	last=$(sed -n 's/.*\[[0-9]*\] *\([0-9.]*\): sched_.*/\1/p' events.txt | tail -n 1)
	[ "$(json a.json "d['until']['since'] - d['complete_from'] <= 0.3")" = True ]
	[ "$(json a.json "$last - d['until']['end'] > 0.29")" = True ]
	"$PICKNEXT" check --json a.dat >check.json 2>/dev/null || true
	[ "$(json check.json 'not [f for f in d["traces"][0]["findings"] if f["grade"] == "bad" and f["name"] in ("lost", "beginning", "end", "metadata")]')" = True ]
}

@test "record: --until that no wait meets has an exit code of its own, and the last seconds" {
	need_tracefs
	run record -o a --flight 0.2 --until 'nosuch: wait > 1ns' -d 3
	[ "$status" -eq 124 ]
	[[ $output == *"--until"*124* ]]
	[ "$(json a.json 'd["ended_by"], "until" in d, d["lost_events"]')" = "('duration', False, 0)" ]
	run "$PICKNEXT" check a.dat
	[[ $output != *overwritten,* ]]
	run record -o a --flight 0.2 --until 'nosuch: wait > 1ns' -- sh -c 'exit 3'
	[ "$status" -eq 3 ]
	run record -o a --flight 0.2 --until 'nosuch: wait > 1ns' -- true
	[ "$status" -eq 124 ]
	run record -o b --flight 0.2 --until 'wait > 20'
	[ "$status" -eq 2 ]
	for wrong in --drain=0 --clock=counter; do
		run record -o b --flight 0.2 --until 'wait > 1ms' "$wrong"
		[ "$status" -eq 2 ]
	done
	run record -o b --until 'wait > 1ms'
	[ "$status" -eq 2 ]
	[ ! -e b.dat ]
}

@test "record: --until tells losses before its file from those in it" {
	need_tracefs
	run record -o a --flight 0.2 -b 8 --drain 100 --until 'nosuch: wait > 1ns' -- "$PICKNEXT" run hackbench_pipe_small --scale 0.3
	[ "$status" -eq 124 ]
	[[ $output == *"before the beginning of this file"* ]]
	[ "$(json a.json 'd["lost_events"] == sum(l["events"] for l in d["losses"]) > 0')" = True ]
	[ "$(json a.json 'all(l["before"] > d["complete_from"] for l in d["losses"])')" = True ]
	"$PICKNEXT" check --json a.dat >check.json 2>/dev/null || true
	[ "$(json check.json '{f["name"]: f["count"] for f in d["traces"][0]["findings"]}["lost"]')" = "$(json a.json 'd["lost_events"]')" ]
	[ "$(json check.json '{f["name"]: f["grade"] for f in d["traces"][0]["findings"]}["beginning"]')" = good ]
}

@test "record: SIGUSR1 without --flight is told to be of no use, and harms nothing" {
	need_tracefs
	start_recording -o a -d 3
	kill -USR1 "$started"
	wait "$started"
	started=
	grep -q -- --flight messages
	[ "$(json a.json 'd["ended_by"]')" = duration ]
}
