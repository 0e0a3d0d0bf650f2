#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext record: signals, and what other programs do to it meanwhile.

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load record

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

@test "record: after SIGKILL the next start removes what was left, also while a child of the killed one still runs" {
	need_tracefs
	tracefs_state >before
	# Stops the command at its barrier, kills its picknext, and records again. A command that got past its barrier before
	# it was stopped shows nothing: try again.
	cat >kill.py <<-'END'
		import os, signal, subprocess, sys
		for attempt in range(50):
		    killed = subprocess.Popen([sys.argv[1], "record", "-q", "-o", "a", "--", "sleep", "60"])
		    children = None
		    while not children and killed.poll() is None:
		        children = open(f"/proc/{killed.pid}/task/{killed.pid}/children").read().split()
		    child = int(children[0])
		    os.kill(child, signal.SIGSTOP)
		    killed.kill()
		    killed.wait()
		    instance = f"{sys.argv[2]}/instances/picknext-{killed.pid}"
		    was_there = os.path.exists(instance)
		    subprocess.run([sys.argv[1], "record", "-q", "-o", "b", "--", "true"], check=True)
		    name = open(f"/proc/{child}/comm").read().strip()
		    is_there = os.path.exists(instance)
		    os.kill(child, signal.SIGKILL)
		    if name == "picknext" or is_there:
		        break
		print(was_there, name, is_there)
	END
	run python3 kill.py "$PICKNEXT" "$tracefs"
	echo "$output"
	[ "$output" = "True picknext False" ]
	diff before <(tracefs_state)
}

@test "record: a recording in another PID namespace is not a left one" {
	need_tracefs
	unshare --pid --fork true || skip "no PID namespaces"
	tracefs_state >before
	unshare --pid --fork --mount-proc "$PICKNEXT" record -q -o a -d 2 &
	started=$!
	wait_until test -e "$tracefs/instances/picknext-1"
	record -q -o b -- true
	[ -e "$tracefs/instances/picknext-1" ]
	wait "$started"
	started=
	[ "$(json a.json 'd["ended_by"]')" = duration ]
	diff before <(tracefs_state)
}

@test "record: that somebody else switched the recording off is told" {
	need_tracefs
	run record -o a -- sh -c 'echo 0 >"${PICKNEXT_TRACE_MARKER%/*}/tracing_on"; sleep 0.1'
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == *"warning: "*a.dat* ]]
	run record -o b -- true
	[ "${#lines[@]}" -eq 1 ]
}

@test "record: a buffer that the kernel has turned off ends it, and what was recorded is kept" {
	need_tracefs
	grep -q pause-on-trace "$tracefs/trace_options" || skip "this kernel cannot pause a buffer"
	tracefs_state >before
	# An open file trace with this option makes the kernel refuse events, as after a fault of its own.
	run record -o a -- sh -c 'cd "${PICKNEXT_TRACE_MARKER%/*}"; echo pause-on-trace >trace_options; sleep 1 <trace &'
	[ "$status" -eq 5 ]
	[[ $output == *a.dat:*"trace buffer"*dmesg*a.dat.partial* ]]
	[ ! -e a.dat ]
	[ ! -e a.json ]
	"$PICKNEXT" check a.dat.partial
	diff before <(tracefs_state)
}
