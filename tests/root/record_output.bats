#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext record: the files that it writes, standard output, and disks that are full.

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose

bats_require_minimum_version 1.5.0

load record

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

@test "record: an earlier recording is kept as .old, once" {
	need_tracefs
	record -q -- true
	[ "$(find . -name 'picknext.*' | wc -l)" -eq 2 ]
	sum=$(sha256sum <picknext.dat)
	json_sum=$(sha256sum <picknext.json)
	run record -- true
	[ "$status" -eq 0 ]
	[[ $output == *picknext.dat.old* ]]
	[ "$(sha256sum <picknext.dat.old)" = "$sum" ]
	[ "$(sha256sum <picknext.json.old)" = "$json_sum" ]
	# Not check: Linux 6.18 leaves out switches, and in so short a recording one is much.
	"$PICKNEXT" export picknext.dat.old | grep -q 'sched_switch: '
	second=$(sha256sum <picknext.dat)
	record -q -- true
	[ "$(sha256sum <picknext.dat.old)" = "$second" ]
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

@test "record: -o - ends as its reader does, and a full disk is exit 75; nothing is left" {
	need_tracefs
	tracefs_state >before
	mkdir tmp small
	export TMPDIR=$PWD/tmp
	# More than a pipe holds.
	codes=$("$PICKNEXT" record -q -o - -- "$PICKNEXT" run hackbench_pipe_small --scale 0.01 | head -c 100 >/dev/null; echo "${PIPESTATUS[0]}")
	[ "$codes" = 141 ]
	code=0
	"$PICKNEXT" record -q -o - -d 0.1 >/dev/full 2>messages || code=$?
	[ "$code" -eq 75 ]
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

@test "record: -o - with a TMPDIR that is full is exit 75, what fitted is kept, and the remedy is TMPDIR" {
	need_tracefs
	tracefs_state >before
	mkdir small
	run unshare -m sh -c "mount -t tmpfs -o size=1000k tmpfs small &&
		TMPDIR=\$PWD/small \"$PICKNEXT\" record -o - --drain 10 -- \"$PICKNEXT\" run hackbench_pipe_large --scale 0.1 >out; code=\$?
		\"$PICKNEXT\" export small/*/trace.dat.partial >events.txt 2>/dev/null; exit \$code"
	[ "$status" -eq 75 ]
	[[ $output == *"trace.dat.partial: "*"No space left on device"*TMPDIR* ]]
	[ ! -s out ]
	[ "$(grep -c sched_switch events.txt)" -gt 100 ]
	diff before <(tracefs_state)
}

@test "record: what it wrote is taken by build, with --name NAME:CATEGORY as labels" {
	need_tracefs
	record -q -o out/raw/mine_run0 --name mine:own -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done'
	"$PICKNEXT" build -q -o out
	head -n 2 out/all.csv | tail -n 1 | grep -q ',mine,mine_run0'
	[ "$(python3 -c 'import csv; print(len(list(csv.DictReader(open("out/all.csv", encoding="latin-1", newline="")))))')" -eq "$(json out/raw/mine_run0.json 'd["sched_switch_events"]')" ]
}

@test "record: a full disk ends it with exit 75, and what fitted is kept and can be read" {
	need_tracefs
	need_trace_cmd
	tracefs_state >before
	mkdir small
	run unshare -m sh -c "mount -t tmpfs -o size=1000k tmpfs small &&
		\"$PICKNEXT\" record -o small/a --drain 10 -- \"$PICKNEXT\" run hackbench_pipe_large --scale 0.1; code=\$?
		cp small/* . && trace-cmd report a.dat.partial >events.txt 2>warnings; exit \$code"
	[ "$status" -eq 75 ]
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

@test "record: what an earlier recording kept on a full disk is still there after the next one, whole or not" {
	need_tracefs
	need_trace_cmd
	mkdir small
	run unshare -m sh -c "mount -t tmpfs -o size=1000k tmpfs small
		\"$PICKNEXT\" record -o small/a --drain 10 -- \"$PICKNEXT\" run hackbench_pipe_large --scale 0.1
		sum=\$(sha256sum <small/a.dat.partial)
		mount -o remount,size=2000k small
		\"$PICKNEXT\" record -o small/a --drain 10 -- \"$PICKNEXT\" run hackbench_pipe_large --scale 0.1
		[ \"\$(sha256sum <small/a.dat.partial.old)\" = \"\$sum\" ] || exit 3
		sum=\$(sha256sum <small/a.dat.partial)
		mount -o remount,size=90000k small
		\"$PICKNEXT\" record -o small/a -- true && [ -s small/a.json ] || exit 4
		[ \"\$(sha256sum <small/a.dat.partial.old)\" = \"\$sum\" ] || exit 5
		[ ! -e small/a.dat.partial ]"
	[ "$status" -eq 0 ]
	[[ $output == *"a.dat.partial.old"* ]]
}

@test "record: -o of a directory, a device or a pipe is refused, and nothing is made beside it" {
	need_tracefs
	mkdir directory directory.dat
	mkfifo pipe
	for name in . .. ./ directory directory/. directory/.. .dat directory/.dat pipe /dev/null /dev/stdout; do
		run -2 record -o "$name" -- touch ran
		[[ $output == *"--output: "*"'$name'"* ]]
	done
	# No file of that name is meant: directory.dat is in the way.
	run -2 record -o directory.dat -- touch ran
	[ "$(find . /dev/null.* | sort | tr '\n' ' ')" = ". ./directory ./directory.dat ./pipe " ]
}

@test "record: a trace that another process cuts while it is read back ends it, and its instance is gone" {
	need_tracefs
	tracefs_state >before
	chrt -f 1 true || skip "no real-time tasks here"
	# At different moments: a trace that is cut before it is mapped is a corrupt one, and reading takes milliseconds.
	cat >cut.py <<-'END'
		import os, signal, subprocess, sys, time
		for delay in (0, 0.0005, 0.001, 0.002, 0.003):
		    started = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
		    while not os.path.exists("a.dat"):
		        time.sleep(0.0002)
		    time.sleep(delay)
		    started.send_signal(signal.SIGSTOP)
		    os.truncate("a.dat", 4096)
		    started.send_signal(signal.SIGCONT)
		    message = started.communicate()[1].decode()
		    if "another process truncated it" in message:
		        sys.exit(started.returncode)
		    os.remove("a.dat")
		sys.exit(99)
	END
	run chrt -f 1 python3 cut.py chrt -o 0 "$PICKNEXT" record -o a -- "$PICKNEXT" run hackbench_pipe_large --scale 0.1
	[ "$status" -ne 99 ] || skip "the moment was not met"
	[ "$status" -eq 4 ]
	diff before <(tracefs_state)
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
	run record -o a --json ./a.dat -- touch ran
	[ "$status" -eq 2 ]
	[[ $output == *--json* ]]
	[ ! -e a.dat ]
	[ ! -e ran ]
}
