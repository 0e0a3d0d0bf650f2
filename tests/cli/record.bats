#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext record and mark on this machine: one command, processes, the whole machine, flight recordings.

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load tracefs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SUDO_UID SUDO_GID
	started=
}

teardown() {
	[ -z "$started" ] || kill -KILL "$started" 2>/dev/null || true
}

need_trace_cmd() {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
}

need_copied_marks() {
	local has=0
	mkdir "$tracefs/instances/picknext-test-$$"
	[ -e "$tracefs/instances/picknext-test-$$/options/copy_trace_marker" ] || has=1
	rmdir "$tracefs/instances/picknext-test-$$"
	[ "$has" -eq 0 ] || skip "this kernel does not copy what is written to its own trace_marker"
}

record() {
	"$PICKNEXT" record "$@"
}

# A recording in the background that is under way.
start_recording() {
	tracefs_state >before
	"$PICKNEXT" record "$@" 2>messages &
	started=$!
	wait_until is_recording "$started"
}

# finish SIGNAL EXIT-CODE: tracefs is as before.
finish() {
	local code=0
	kill -"$1" "$started"
	wait "$started" || code=$?
	started=
	[ "$code" -eq "$2" ] || { cat messages; echo "exit code $code"; return 1; }
	diff before <(tracefs_state)
}

# Says what trace-cmd warns of, and leaves the events in events.txt.
report() {
	trace-cmd report --ts-check "$1" >events.txt 2>warnings
	[ ! -s warnings ] || { cat warnings; return 1; }
}

# How many of them there are. Not lines: a task of the machine may have a newline in its name. Others may have written
# marks to the machine's trace_marker.
reported_events() {
	grep -a -c -E ' [0-9]+\.[0-9]+: +[a-z0-9_]+: ' events.txt
}

# is_marked TEXT [COUNT]: so often (once) it is among the marks of events.txt.
is_marked() {
	[ "$(grep -a ' print: ' events.txt | grep -a -c -F -e "$1")" -eq "${2:-1}" ]
}

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

@test "record: whatever signals its parent ignored or blocked, it hears of the end of its command and of SIGTERM" {
	need_tracefs
	cat >start.py <<-'END'
		import os, signal, sys
		signal.signal(signal.SIGCHLD, signal.SIG_IGN)
		signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD})
		os.execv(sys.argv[1], sys.argv[1:])
	END
	run timeout --signal KILL 60 python3 start.py "$PICKNEXT" record -q -o a -- sh -c 'exit 3'
	[ "$status" -eq 3 ]
	timeout --signal KILL 60 python3 start.py "$PICKNEXT" collect -q -o out -w hackbench_pipe_small --scale 0.01 -r 1
	python3 start.py "$PICKNEXT" record -q -o b -d 60 &
	started=$!
	wait_until is_recording "$started"
	code=0
	kill -TERM "$started"
	wait "$started" || code=$?
	started=
	[ "$code" -eq 143 ]
	[ "$(json b.json 'd["ended_by"]')" = signal ]
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
	[[ $output == *./damaged* ]]
	[ ! -e a.dat ]
	diff before <(tracefs_state)
}

@test "record: -o names both files with or without .dat, and makes directories for the sudo user" {
	need_tracefs
	SUDO_UID=65534 SUDO_GID=65533 record -q -o new/raw/a.dat -- true
	[ "$(cd new && find . -type f | sort | tr '\n' ' ')" = "./raw/a.dat ./raw/a.json " ]
	[ "$(find new -printf '%U:%G\n' | sort -u)" = 65534:65533 ]
	[ "$(json new/raw/a.json 'd["trace_id"]')" = a ]
	run record -o new/ -- true
	[ "$status" -eq 2 ]
	[[ $output == *--output* ]]
}

@test "record: -o - writes the trace to standard output, into a file or a pipe, and nothing else" {
	need_tracefs
	need_trace_cmd
	tracefs_state >before
	mkdir tmp
	export TMPDIR=$PWD/tmp
	code=0
	"$PICKNEXT" record -o - --json a.json -- sh -c 'echo said; exit 3' >a.dat 2>messages || code=$?
	[ "$code" -eq 3 ]
	grep -qx said messages
	grep -q '^standard output: [0-9]* events' messages
	report a.dat
	[ "$(reported_events)" -eq "$(json a.json 'd["events"]')" ]
	[ "$(json a.json 'd["trace_id"], d["command_exit_code"]')" = "('sh', 3)" ]
	"$PICKNEXT" record -q -o - -d 0.1 | "$PICKNEXT" export - >text
	grep -q 'sched_switch: prev_comm=' text
	[ -z "$(ls -A tmp)" ]
	[ "$(find . -name '*.json' -o -name '*.dat' | sort | tr '\n' ' ')" = "./a.dat ./a.json " ]
	diff before <(tracefs_state)
}

@test "record: -o - ends as its reader does, and a full disk is exit 4; nothing is left" {
	need_tracefs
	tracefs_state >before
	mkdir tmp small
	export TMPDIR=$PWD/tmp
	codes=$("$PICKNEXT" record -q -o - -d 0.1 | head -c 100 >/dev/null; echo "${PIPESTATUS[0]}")
	[ "$codes" = 141 ]
	code=0
	"$PICKNEXT" record -q -o - -d 0.1 >/dev/full 2>messages || code=$?
	[ "$code" -eq 4 ]
	grep -q 'standard output: .*No space left' messages
	# A reader that never reads does not keep it from ending.
	# shellcheck disable=SC2217 # that it does not read is what is wanted
	sleep 60 < <("$PICKNEXT" record -q -o - -d 0.3 & echo $! >pid; wait) &
	reader=$!
	wait_until test -s pid
	wait_until grep -q pipe "/proc/$(cat pid)/wchan"
	kill -TERM "$(cat pid)"
	wait_until test ! -e "/proc/$(cat pid)"
	kill "$reader"
	wait "$reader" || true
	[ -z "$(ls -A tmp)" ]
	diff before <(tracefs_state)
}

@test "record: -o - with a TMPDIR that is full is exit 4, what fitted is kept, and the remedy is TMPDIR" {
	need_tracefs
	tracefs_state >before
	mkdir small
	run unshare -m sh -c "mount -t tmpfs -o size=3000k tmpfs small &&
		TMPDIR=\$PWD/small \"$PICKNEXT\" record -o - --drain 10 -- \"$PICKNEXT\" run sysbench_threads_8t --duration 3 >out; code=\$?
		\"$PICKNEXT\" export small/*/trace.dat.partial >events.txt 2>/dev/null; exit \$code"
	[ "$status" -eq 4 ]
	[[ $output == *"trace.dat.partial: "*"No space left on device"*TMPDIR* ]]
	[ ! -s out ]
	[ "$(grep -c sched_switch events.txt)" -gt 1000 ]
	diff before <(tracefs_state)
}

@test "record: what it wrote is taken by build, with --name and --category as labels" {
	need_tracefs
	record -q -o out/raw/mine_run0 --name mine --category own -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done'
	"$PICKNEXT" build -q -o out
	head -n 2 out/all.csv | tail -n 1 | grep -q ',mine,mine_run0'
	[ "$(python3 -c 'import csv; print(len(list(csv.DictReader(open("out/all.csv", encoding="latin-1", newline="")))))')" -eq "$(json out/raw/mine_run0.json 'd["sched_switch_events"]')" ]
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
	run record -o a --pid $$ --global
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
	record -q -o a -e 'sched_waking,sched_process_*,irq:softirq_*,timer' -- sh -c 'sleep 0.05; true'
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

@test "record: a signal ends it, what was recorded is kept, tracefs is as before" {
	need_tracefs
	need_trace_cmd
	for signal in INT:130 TERM:143 HUP:129; do
		rm -f a.*
		start_recording -o a
		sleep 0.2
		finish "${signal%:*}" "${signal#*:}"
		report a.dat
		[ "$(reported_events)" -eq "$(json a.json 'd["events"]')" ]
		[ "$(json a.json 'd["events"] > 0, d["ended_by"]')" = "(True, 'signal')" ]
		[ -z "$(find . -name '*.partial')" ]
	done
}

@test "record: a signal is handed on to the command, whose end is in the trace" {
	need_tracefs
	need_trace_cmd
	start_recording -o a -- sh -c 'trap "echo asked >asked; exit 0" TERM; echo >ready; while :; do sleep 0.02; done'
	wait_until test -s ready
	finish TERM 143
	[ "$(cat asked)" = asked ]
	[ "$(json a.json 'd["command_exit_code"], d["ended_by"]')" = "(0, 'signal')" ]
	report a.dat
	[ "$(json a.json 'd["events"]')" -gt 0 ]
}

@test "record: under nohup a hangup ends neither it nor its command" {
	need_tracefs
	# shellcheck disable=SC2016
	run -7 bash -c 'trap "" HUP; exec "$0" record -q -o a -- bash -c "kill -HUP \$PPID; kill -HUP \$\$; exit 7"' "$PICKNEXT"
	[ "$(json a.json 'd["ended_by"], d["command_exit_code"]')" = "('command', 7)" ]
}

@test "record: a command that ignores the signal does not hold the recording up" {
	need_tracefs
	start_recording -o a -- sh -c 'trap "" TERM; echo $$ >pid; exec sleep 60'
	wait_until test -s pid
	finish TERM 143
	kill -KILL "$(cat pid)"
	grep -q 'still running' messages
	[ -s a.dat ]
}

@test "record: at whatever moment a signal comes, tracefs is as before and what was written can be read" {
	need_tracefs
	tracefs_state >before
	for delay in 0.005 0.01 0.02 0.03 0.05 0.08 0.13 0.25; do
		for signal in INT TERM HUP KILL; do
			rm -f a.*
			"$PICKNEXT" record -q -o a -- sh -c 'sleep 0.1; true' 2>messages &
			started=$!
			sleep "$delay"
			kill -"$signal" "$started" 2>/dev/null || true
			wait "$started" || [ $? -gt 126 ]
			started=
			[ "$signal" != KILL ] || record -q -o other -- true
			[ ! -e a.json ] || "$PICKNEXT" export -q a.dat >events.txt
			diff before <(tracefs_state) || { echo "SIG$signal after $delay s"; cat messages; false; }
		done
	done
}

@test "record: SIGPIPE does not harm it: a recording whose messages nobody reads is whole" {
	need_tracefs
	need_trace_cmd
	tracefs_state >before
	"$PICKNEXT" record -v -o a -- sleep 0.2 2> >(:)
	report a.dat
	start_recording -o b -d 3
	kill -PIPE "$started"
	wait "$started"
	started=
	report b.dat
	[ "$(json b.json 'd["ended_by"]')" = duration ]
	diff before <(tracefs_state)
}

@test "record: after SIGKILL the next start removes what was left" {
	need_tracefs
	start_recording -o a
	kill -KILL "$started"
	wait "$started" || true
	left=picknext-$started
	started=
	[ -e "$tracefs/instances/$left" ]
	record -q -o a -- true
	[ ! -e "$tracefs/instances/$left" ]
	diff before <(tracefs_state)
}

@test "record: that somebody else switched the recording off is told" {
	need_tracefs
	run record -o a -- sh -c 'echo 0 >"${PICKNEXT_TRACE_MARKER%/*}/tracing_on"; sleep 0.1'
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == *"warning: "*a.dat* ]]
	run record -o a -- true
	[ "${#lines[@]}" -eq 1 ]
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
	for way in --no-drain --drain=60000 --drain=20; do
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
		# In the trace too, where something comes behind the loss: the same places, and no more in all.
		trace-cmd report -t a.dat >events.txt 2>warnings
		[ ! -s warnings ] || { cat warnings; false; }
		marked=$(python3 "$BATS_TEST_DIRNAME/losses_in_report.py" a.json events.txt)
		# The trace alone knows their sum, and what is missing behind a CPU's last event.
		mkdir -p alone out/raw
		cp a.dat alone
		run "$PICKNEXT" check --places 1000000 alone/a.dat
		[[ $output == *" $lost events"* ]]
		[ "$(grep -cE ' - +- +events lost' <<<"$output")" -eq "$(grep -acE '^dropped at the end: [1-9]' a.dat)" ]
		mv a.dat a.json out/raw
		run "$PICKNEXT" build -o out --allow-lossy
		[[ $output == *" $lost events"* ]]
	done
	[ "$marked" -gt 0 ]
}

@test "record: a full disk ends it with exit 4, and what fitted is kept and can be read" {
	need_tracefs
	need_trace_cmd
	tracefs_state >before
	mkdir small
	run unshare -m sh -c "mount -t tmpfs -o size=3000k tmpfs small &&
		\"$PICKNEXT\" record -o small/a --drain 10 -- \"$PICKNEXT\" run sysbench_threads_8t --duration 3; code=\$?
		cp small/* . && trace-cmd report a.dat.partial >events.txt 2>warnings; exit \$code"
	[ "$status" -eq 4 ]
	[[ $output == *a.dat.partial*"No space left"* ]]
	[ ! -s warnings ] || { cat warnings; false; }
	[ "$(grep -c sched_switch events.txt)" -gt 1000 ]
	[ ! -e a.json ]
	diff before <(tracefs_state)
	# Its CPUs end at different times, and the file says so: nothing is missing in between.
	run "$PICKNEXT" check a.dat.partial
	[ "$status" -eq 5 ]
	[[ $output == *"bad   end "* ]]
	[[ $output != *"nothing tells of"* ]]
}

@test "record: a limit of file size (ulimit -f) is as a full disk, wherever it falls within a page" {
	need_tracefs
	need_trace_cmd
	tracefs_state >before
	for kilobytes in 801 1202 1603; do
		run bash -c "ulimit -f $kilobytes
			\"$PICKNEXT\" record -o a --drain 10 -- \"$PICKNEXT\" run sysbench_threads_8t --duration 3"
		[ "$status" -eq 4 ]
		[[ $output == *a.dat.partial*"File too large"* ]]
		trace-cmd report a.dat.partial >events.txt 2>warnings
		[ ! -s warnings ] || { cat warnings; false; }
		[ "$(grep -c sched_switch events.txt)" -gt 100 ]
		run "$PICKNEXT" check a.dat.partial
		[[ $output == *"bad   end "* ]]
		[[ $output != *unreadable* ]]
	done
	diff before <(tracefs_state)
}

@test "record: the JSON does not take the trace's place" {
	need_tracefs
	run record -o a --json ./a.dat -- true
	[ "$status" -eq 2 ]
	[[ $output == *--json* ]]
	"$PICKNEXT" export a.dat >events.txt
	grep -q sched_switch events.txt
}

@test "record: --flight keeps the last stretch, complete on all CPUs, and no more" {
	need_tracefs
	need_trace_cmd
	record -o a --flight 0.3 -d 1.5
	report a.dat
	[ "$(json a.json 'd["lost_events"], d["flight_seconds"]')" = "(0, 0.3)" ]
	[ "$(reported_events)" -eq "$(json a.json 'd["events"]')" ]
	# What is kept begins at most a page of events before the stretch, on each CPU; its end is in it.
	sed -n 's/.*\[[0-9]*\] *\([0-9.]*\): sched_.*/\1/p' events.txt | tail -n 1 >last
	[ "$(json a.json "0.2 < $(cat last) - d['complete_from'] < 0.301")" = True ]
}

@test "record: a tracer that falls behind runs before what it traces, which is left as it is" {
	need_tracefs
	policies='python3 -c "import os, sys; print(*map(os.sched_getscheduler, (int(sys.argv[1]), 0)))" $PPID'
	[ "$(nice -n 5 "$PICKNEXT" record -q -o calm --buffer-size 32768 --drain 10 -- sh -c "sleep 0.2; $policies; nice")" = $'0 0\n5' ]
	# SCHED_RR is 2.
	[ "$(nice -n 5 "$PICKNEXT" record -q -o behind --buffer-size 64 --drain 10 -- sh -c \
		"'$PICKNEXT' run -q hackbench_pipe_small --scale 0.02 >&2; $policies; nice")" = $'2 0\n5' ]
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

saved_first() {
	[ -s a.1.json ]
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

@test "record: SIGUSR1 without --flight is told to be of no use, and harms nothing" {
	need_tracefs
	start_recording -o a -d 3
	kill -USR1 "$started"
	wait "$started"
	started=
	grep -q -- --flight messages
	[ "$(json a.json 'd["ended_by"]')" = duration ]
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
	record -q -o a -- sh -c 'echo $$ >writer; echo "by another $$" >'"$tracefs"'/trace_marker; "$0" mark --global "of all $$"' "$PICKNEXT"
	report a.dat
	is_marked "by another $(cat writer)"
	is_marked "of all $(cat writer)"
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
