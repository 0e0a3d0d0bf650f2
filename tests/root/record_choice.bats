#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext record: which processes, events and clock are recorded.

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load record

@test "record: --pid has only events of that process and what it starts, and ends with it" {
	need_tracefs
	need_trace_cmd
	mkfifo go
	bash -c 'read -r <go; for i in 1 2 3; do sleep 0.01; done' &
	watched=$!
	start_recording -o a --pid "$watched"
	echo >go
	wait "$started"
	started=
	report a.dat
	[ "$(json a.json 'd["ended_by"], d["threads"]')" = "('processes', [$watched])" ]
	grep -q "bash:$watched" events.txt
	grep -q 'sleep:' events.txt
	# One side of every switch is the process, or what it started.
	[ "$(grep sched_switch: events.txt | grep -c -v 'bash:\|sleep:')" -eq 0 ]
	# The .dat alone knows it, and no analysis takes the others for measured.
	mv a.dat lone.dat
	# The kernel leaves out a switch now and then, which is much of so small a trace.
	run --separate-stderr "$PICKNEXT" check --json lone.dat
	echo "$output" >check.json
	python3 -c 'import json
[trace] = json.load(open("check.json"))["traces"]
assert "buffer-size" not in str(trace), trace
assert {f["name"] for f in trace["findings"] if f["grade"] == "bad"} <= {"missing"}, trace
assert [f["count"] for f in trace["findings"] if f["name"] == "tasks"] == [1], trace'
	"$PICKNEXT" stat --by comm --top 0 --csv lone.dat 2>/dev/null | cut -d, -f1 | sort -u >names
	diff names <(printf '%s\n' bash comm sleep)
	diff before <(tracefs_state)
}

@test "record: --pid ends with its process, also where the parent takes no notice" {
	need_tracefs
	python3 -c 'import subprocess, time
print(subprocess.Popen(["sleep", "60"]).pid, flush=True)
time.sleep(60)' >zombie 3>&- &
	parent=$!
	wait_until test -s zombie
	start_recording -o a --pid "$(cat zombie)"
	kill -KILL "$(cat zombie)"
	wait "$started"
	started=$parent
	[ "$(json a.json 'd["ended_by"]')" = processes ]
	grep '^State:.Z' "/proc/$(cat zombie)/status"
}

@test "record: --pid follows the threads that are made while it begins" {
	need_tracefs
	python3 -c 'import os, threading, time
print(os.getpid(), flush=True)
for i in range(250):
	threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
	time.sleep(0.002)
open("all", "w").write("made")
time.sleep(60)' >many &
	started=$!
	wait_until test -s many
	sleep 0.1
	"$PICKNEXT" record -q -o a -d 30 --pid "$(cat many)" &
	recorder=$!
	wait_until test -s all
	wait_until is_recording "$recorder"
	find "/proc/$(cat many)/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort >threads
	sort "$tracefs/instances/picknext-$recorder/set_event_pid" >followed
	kill -INT "$recorder"
	wait "$recorder" || true
	[ "$(wc -l <threads)" -eq 251 ]
	[ -z "$(comm -23 threads followed)" ]
}

@test "record: --pid refuses what is no process, and a command beside it" {
	need_tracefs
	run record -o a --pid 4194999
	[ "$status" -eq 2 ]
	[[ $output == *--pid*4194999* ]]
	run record -o a --pid x
	[ "$status" -eq 2 ]
	run record -o a --pid $$ -- true
	[ "$status" -eq 2 ]
	# In a PID namespace it would be another process that is recorded, or none.
	if unshare --pid --fork true; then
		run unshare --pid --fork --mount-proc sh -c 'exec "$0" record -o a --pid 1 -d 0.1' "$PICKNEXT"
		[ "$status" -eq 4 ]
		[[ $output == *--pid*namespace* ]]
	fi
	[ ! -e a.dat ]
}

@test "record: --events takes names, systems and wildcards of any tracepoint" {
	need_tracefs
	need_trace_cmd
	record -q -o a -e 'sched_waking,sched_process_*' -e 'irq:softirq_*,timer' -- sh -c 'sleep 0.05; true'
	report a.dat
	for event in sched_waking sched_process_fork sched_process_exec sched_process_exit softirq_entry; do
		grep -q " $event: " events.txt || { echo "no $event"; false; }
	done
	[ "$(grep -c ' sched_switch: ' events.txt)" -eq 0 ]
	[ "$(json a.json '[n for n in d["event_names"] if n.startswith("irq:")]')" = \
		"['irq:softirq_entry', 'irq:softirq_exit', 'irq:softirq_raise']" ]
	[ "$(json a.json 'any(n.startswith("timer:") for n in d["event_names"])')" = True ]
	[ "$(reported_events)" -eq "$(json a.json 'd["events"]')" ]
}

@test "record: unknown events are named with near ones, and nothing is made" {
	need_tracefs
	for given in "sched_swich sched_switch" "sched:sched_wakin sched:sched_waking" "irqq:* available_events"; do
		run record -o a -e "sched_switch,${given% *}" -- true
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == *"'${given% *}'"*"${given#* }"* ]]
	done
	run record -o a -e 'sched_switch,,sched_wakeup' -- true
	[ "$status" -eq 2 ]
	[ ! -e a.dat ]
}

@test "record: --clock is what the trace is made with, an unknown one is refused" {
	need_tracefs
	record -q -o a --clock boot -- true
	grep -qa '\[boot\]' a.dat
	[ "$(json a.json 'd["trace_clock"]')" = boot ]
	run record -o b --clock sundial -- true
	[ "$status" -eq 2 ]
	[[ $output == *--clock*sundial* ]]
	[ "${#lines[@]}" -eq 1 ]
	[ ! -e b.dat ]
	# One whose times are no nanoseconds is recorded, and it is said that our own commands refuse it.
	run record -o c --clock counter -- true
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == *"warning: "*counter*--clock* ]]
	run "$PICKNEXT" stat c.dat
	[ "$status" -eq 3 ]
}

@test "record, collect: --keys names what this kernel lacks before anything runs" {
	[ ! -e /sys/kernel/tracing/kprobe_events ] || skip "this kernel has KPROBE_EVENTS"
	local before
	before=$(cat /sys/kernel/tracing/dynamic_events)
	run "$PICKNEXT" record --keys -o new/a -- touch ran
	[ "$status" -eq 3 ]
	[[ "$output" == *KPROBE_EVENTS*FPROBE_EVENTS* ]]
	[ ! -e ran ] && [ ! -e new/a.dat ]
	run "$PICKNEXT" collect --keys -w cpu_bound_4p -o new/b
	[ "$status" -eq 3 ]
	[ ! -e new/b ]
	[ "$(cat /sys/kernel/tracing/dynamic_events)" = "$before" ]
}
