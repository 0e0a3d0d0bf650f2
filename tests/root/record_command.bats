#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext record -- COMMAND: what the command gets, what is passed on, what is recorded of it.

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load record

@test "record: the command's events, from its first to its last, in picknext.dat" {
	need_tracefs
	need_trace_cmd
	tracefs_state >before
	record -- sleep 0.05
	report picknext.dat
	grep -q 'sched_wakeup.*picknext\|sched_switch:.*picknext' events.txt
	grep -q 'sched_wakeup: *sleep:' events.txt
	grep -q 'sched_switch: *sleep:[0-9]* \[[0-9]*\] [XZ]' events.txt
	[ "$(reported_events)" -eq "$(json picknext.json 'd["events"]')" ]
	[ "$(grep -a -c ': sched_switch:' events.txt)" -eq "$(json picknext.json 'd["sched_switch_events"]')" ]
	[ "$(find . -name 'picknext*' | sort | tr '\n' ' ')" = "./picknext.dat ./picknext.json " ]
	diff before <(tracefs_state)
}

@test "record: the exit status of the command is passed on, 128 and the signal where one killed it" {
	need_tracefs
	run record -q -o a -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	[ "$(json a.json 'd["command_exit_code"], d["ended_by"]')" = "(7, 'command')" ]
	run record -q -o a -- sh -c 'kill -SEGV $$'
	[ "$status" -eq 139 ]
	[ "$(json a.json 'd["command_exit_code"]')" = 139 ]
	run record -q -o a -- true
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

# The oracle is /proc of this shell, which is there before and after.
@test "record: the cgroups of all tasks are in the JSON, before and after" {
	need_tracefs
	record -q -o a -- true
	[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "another PID namespace"
	python3 - $$ <<-'PYTHON'
		import json, sys
		lines = [line.rstrip("\n").split(":", 2) for line in open(f"/proc/{sys.argv[1]}/cgroup")]
		[path] = [p for _, names, p in lines if "cpu" in names.split(",")] or [p for _, names, p in lines if not names]
		for key in ("cgroups_before", "cgroups_after"):
		    pids = json.load(open("a.json"))[key]
		    ranges = [[int(n) for n in part.split("-")] for part in pids[path].split(",")]
		    assert any(r[0] <= int(sys.argv[1]) <= r[-1] for r in ranges), (key, pids)
		    assert sum(r[0] <= 1 <= r[-1] for p in pids.values() for r in [[int(n) for n in x.split("-")] for x in p.split(",")]) == 1
	PYTHON
	"$PICKNEXT" stat -q --by cgroup --csv a.dat | grep -q '^/'
}

# The oracle is a program that prints the IDs of its threads. Those of the command are not listed.
@test "record: the processes of all threads are in the JSON, before and after, for --by process" {
	need_tracefs
	[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "another PID namespace"
	cat >threads.py <<-'PYTHON'
		import sys, threading, time
		def work():
		    while True:
		        time.sleep(0.001)
		for _ in range(2):
		    threading.Thread(target=work, daemon=True).start()
		if len(sys.argv) > 1:
		    print(*[t.native_id for t in threading.enumerate()], flush=True)
		    sys.stdin.read()
		else:
		    time.sleep(0.1)
	PYTHON
	coproc python3 threads.py wait
	started=$COPROC_PID
	read -r -a threads <&"${COPROC[0]}"
	[ "${#threads[@]}" -eq 3 ]
	record -q -o a -- python3 threads.py
	python3 - "${threads[@]}" <<-'PYTHON'
		import json, sys
		pids = [int(n) for n in sys.argv[1:]]
		for key in ("processes_before", "processes_after"):
		    lists = json.load(open("a.json"))[key]
		    of = {pid: text for text, ranges in lists.items() for r in ranges.split(",")
		          for pid in range(int(r.split("-")[0]), int(r.split("-")[-1]) + 1)}
		    assert all(of[pid] == f"{pids[0]} python3" for pid in pids), (key, lists)
		    assert of[2] == "single-threaded", lists
	PYTHON
	"$PICKNEXT" stat -q --by process --top 0 --csv a.dat >rows
	grep -q "^${threads[0]},python3,[23]," rows
	grep -q "^$(json a.json 'd["command_pid"]'),python3,1," rows
	grep -q '^,,' rows
	"$PICKNEXT" latency -q --by process --top 0 --csv a.dat | grep -q "^${threads[0]},python3,[23],"
	"$PICKNEXT" stat -q --by process --merge-kworkers --top 0 a.dat >/dev/null
}

@test "record: arguments, standard input and output are the command's own" {
	need_tracefs
	run record -q -o a -- printf '%s|' 'two words' -q --help ''
	[ "$output" = 'two words|-q|--help||' ]
	[ "$(echo through | "$PICKNEXT" record -q -o a -- cat)" = through ]
	[ "$(json a.json 'd["command"]')" = "['cat']" ]
}

@test "record: the command gets default signal actions and picknext's affinity" {
	need_tracefs
	record -q -o a -- grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status >signals
	env --default-signal grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status | diff - signals
	[ "$(taskset -c 0 "$PICKNEXT" record -q -o a -- sh -c 'taskset -pc $$' | sed 's/.*: //')" = 0 ]
}

@test "record: a limit of open files that is too low for all CPUs is raised, but not the command's" {
	need_tracefs
	[ "$(bash -c 'ulimit -Sn 14; "$0" record -q -o a -- bash -c "ulimit -Sn"' "$PICKNEXT")" = 14 ]
	[ "$(json a.json 'd["events"] > 0')" = True ]
}

@test "record: closed standard files are not what its own become, and nothing is written into those" {
	need_tracefs
	"$PICKNEXT" record -o a -d 30 <&- >&- 2>&- &
	started=$!
	wait_until is_recording "$started"
	[ "$(readlink "/proc/$started/fd/"{0,1,2} | sort -u)" = /dev/null ]
	kill -INT "$started"
	wait "$started" || true
	started=
	"$PICKNEXT" stat a.dat >table
}

@test "record: a program that is not there gives 127, one that cannot run 126, and nothing is made" {
	need_tracefs
	run -127 record -o out/a -- no-such-program
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *no-such-program*PATH* ]]
	run -127 record -o out/a -- ./no-such-program
	echo text >text
	run record -o out/a -- ./text
	[ "$status" -eq 126 ]
	[ ! -e out ]
	printf '\177ELF-not-really' >damaged
	chmod +x damaged
	tracefs_state >before
	run record -o a -- ./damaged
	[ "$status" -eq 4 ]
	[[ $output == *damaged* ]]
	[ ! -e a.dat ]
	diff before <(tracefs_state)
}

@test "record: --duration ends the recording, and the command runs on to its end" {
	need_tracefs
	record -o a --duration 0.2
	[ "$(json a.json 'd["ended_by"], d["command"], d["workload_name"]')" = "('duration', [], 'machine')" ]
	[ "$(json a.json 'd["end_time"] - d["start_time"] >= 0.2')" = True ]
	run record -q -o b -d 0.1 -- sh -c 'while [ ! -e b.json ]; do sleep 0.05; done; touch finished; exit 5'
	[ "$status" -eq 5 ]
	[ -e finished ]
	[ "$(json b.json 'd["ended_by"], d["command_exit_code"]')" = "('duration', None)" ]
}
