#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext collect on this machine: its files, its messages, and what it leaves of tracefs.

load record

# One short run of a workload with its usual name.
short() {
	"$PICKNEXT" collect -o out -r 1 --duration 0.2 --scale 0.02 "$@"
}

# interrupted SIGNAL EXIT-CODE WHEN...: sends the signal once the command WHEN succeeds (with the process id behind it).
interrupted() {
	local signal=$1 expected=$2 code=0
	shift 2
	tracefs_state >before
	"$PICKNEXT" collect -o out -w cpu_bound_4p -r 30 --duration "${duration:-8}" "${drain:---drain=0}" 2>messages &
	started=$!
	wait_until "$@" "$started"
	# The workload is a session of its own, led by picknext's only child.
	leader=$(pgrep -P "$started" || true)
	kill -"$signal" "$started"
	wait "$started" || code=$?
	started=
	[ -z "$leader" ] || ! pgrep -s "$leader"
	[ "$code" -eq "$expected" ] || { cat messages; echo "exit code $code"; return 1; }
	diff before <(tracefs_state)
	grep -q "interrupted" messages
}

# The run that a signal cut short is there, readable, and under no name that build takes.
kept_as_partial() {
	[ "$(ls -A out/raw)" = cpu_bound_4p_run1.dat.partial ]
	grep -q 'out/raw/cpu_bound_4p_run1.dat.partial' messages
	if command -v trace-cmd >/dev/null; then
		trace-cmd report out/raw/cpu_bound_4p_run1.dat.partial >partial.txt
	fi
	run "$PICKNEXT" build -o out
	[ "$status" -ne 0 ]
}

instance_exists() {
	[ -e "$tracefs/instances/picknext-$1" ]
}

# How many events trace-cmd showed in events.txt: not lines, since a task of the machine may have a newline in its name;
# others may have written marks to the machine's trace_marker.
reported_events() {
	grep -a -c -E ' [0-9]+\.[0-9]+: +[a-z0-9_]+: ' events.txt
}

first_is_complete() {
	[ -e out/raw/cpu_bound_4p_run1.json ]
}

@test "collect: a .dat and a .json for each run, and nothing else" {
	need_tracefs
	run short -w cpu_bound_4p,hackbench_pipe_small -r 2
	[ "$status" -eq 0 ]
	[ "$(cd out && find . -type f | sort | tr '\n' ' ')" = "./raw/cpu_bound_4p_run1.dat ./raw/cpu_bound_4p_run1.json \
./raw/cpu_bound_4p_run2.dat ./raw/cpu_bound_4p_run2.json ./raw/hackbench_pipe_small_run1.dat \
./raw/hackbench_pipe_small_run1.json ./raw/hackbench_pipe_small_run2.dat ./raw/hackbench_pipe_small_run2.json " ]
	[ -z "$(find out/raw -mindepth 1 -type d)" ]
}

@test "collect: trace-cmd reads the files without a warning, with the same events" {
	need_tracefs
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	short -w cpu_bound_4p,hackbench_socket_small,sysbench_threads_8t
	for file in out/raw/*.dat; do
		trace-cmd report -i "$file" >events.txt 2>warnings
		[ ! -s warnings ] || { cat warnings; false; }
		[ "$(grep -a -c ': sched_switch:' events.txt)" -eq "$(json "${file%.dat}.json" 'd["sched_switch_events"]')" ]
		[ "$(reported_events)" -eq "$(json "${file%.dat}.json" 'd["events"]')" ]
		[ "$(reported_events)" -gt 0 ]
	done
}

@test "collect: the events come out in time order on every CPU and hold the workload's tasks" {
	need_tracefs
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	short -w cpu_bound_4p
	trace-cmd report --ts-check out/raw/cpu_bound_4p_run1.dat >events.txt 2>warnings
	[ ! -s warnings ] || { cat warnings; false; }
	# Their leaving the CPU: a kernel may say nothing of the switch to a task that wakes on an idle CPU (6.18).
	grep -a -q 'sched_switch: *cpu-bound:[0-9]* .*==>' events.txt || { head events.txt; false; }
	grep -a -q 'picknext-lead' events.txt
}

@test "collect: the kernel's counters are in both files, and agree" {
	need_tracefs
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	short -w hackbench_pipe_small
	json=out/raw/hackbench_pipe_small_run1.json
	[ "$(json $json 'd["events"] == sum(b["entries"] for b in d["buffers"])')" = True ]
	[ "$(json $json 'd["lost_events"] == sum(b["dropped_events"] + b["overrun"] for b in d["buffers"])')" = True ]
	trace-cmd report --stat out/raw/hackbench_pipe_small_run1.dat >stat
	[ "$(awk '/^read events:/ { sum += $3 } END { print sum }' stat)" -eq "$(json $json 'd["events"]')" ]
	[ "$(awk '/^entries:/ { sum += $2 } END { print sum + 0 }' stat)" -eq 0 ]
}

@test "collect: the metadata begins with collect_traces.py's keys, in its order" {
	need_tracefs
	before=$(date +%s)
	short -w sysbench_cpu_4t --buffer-size 4096
	json=out/raw/sysbench_cpu_4t_run1.json
	[ "$(json $json '" ".join(list(d)[:13])')" = "trace_id workload_name category description start_time end_time \
duration_seconds sched_switch_events buffer_size_kb collected_at hostname kernel num_cpus" ]
	[ "$(json $json 'd["trace_id"], d["workload_name"], d["category"]')" = \
		"('sysbench_cpu_4t_run1', 'sysbench_cpu_4t', 'sysbench_cpu')" ]
	[ "$(json $json 'd["buffer_size_kb"], d["hostname"], d["kernel"]')" = "(4096, '$(uname -n)', '$(uname -r)')" ]
	[ "$(json $json 'd["num_cpus"]')" = "$(getconf _NPROCESSORS_ONLN)" ]
	[ "$(json $json "$before - 1 <= d['start_time'] < d['end_time']")" = True ]
	[ "$(json $json 'abs(d["end_time"] - d["start_time"] - d["duration_seconds"]) <= 0.006')" = True ]
	[ "$(json $json 'len(__import__("datetime").datetime.fromisoformat(d["collected_at"]).isoformat())')" = 32 ]
}

@test "collect: the metadata tells workload, throughput, machine and version" {
	need_tracefs
	short -w cpu_bound_4p
	json=out/raw/cpu_bound_4p_run1.json
	[ "$(json $json 'd["tasks"], d["scale"], d["timed_seconds"], d["loops"]')" = "(4, 0.02, 0.2, None)" ]
	[ "$(json $json 'd["work_done"] > 0 and d["elapsed_seconds"] >= 0.2')" = True ]
	[ "$(json $json 'abs(d["work_per_second"] * d["elapsed_seconds"] / d["work_done"] - 1) < 0.001')" = True ]
	[ "$(json $json 'd["trace_clock"]')" = mono ]
	[ "$(json $json 'd["cpus_online"], d["cpus_isolated"]')" = \
		"('$(cat /sys/devices/system/cpu/online)', '$(cat /sys/devices/system/cpu/isolated)')" ]
	[ "$(json $json 'd["kernel_command_line"]')" = "$(cat /proc/cmdline)" ]
	[ "$(json $json 'd["kernel_version"]')" = "$(uname -v)" ]
	[ "$(json $json 'len(d["preemption"]) > 0 and d["hz"] > 0')" = True ]
	active=$(grep -l '^Mitigation' /sys/devices/system/cpu/vulnerabilities/* 2>/dev/null | xargs -rn 1 basename | sort | xargs)
	[ ! -d /sys/devices/system/cpu/vulnerabilities ] || [ "$(json $json 'd["mitigations"]')" = "${active:-none}" ]
	[ "$("$PICKNEXT" --version)" = "picknext $(json $json 'd["picknext_version"]') ($(json $json 'd["picknext_commit"]'))" ]
	[ "$(json $json 'd["scratch"], d["accelerator"]')" = "(None, None)" ]
}

@test "collect: --clock is what the trace is made with" {
	need_tracefs
	short -w cpu_bound_4p --clock boot
	[ "$(json out/raw/cpu_bound_4p_run1.json 'd["trace_clock"]')" = boot ]
	grep -qa '\[boot\]' out/raw/cpu_bound_4p_run1.dat
}

@test "collect: io_mixed writes into its own directory, or into --scratch, and takes it away" {
	need_tracefs
	short -w io_mixed
	json=out/raw/io_mixed_run1.json
	[ "$(json $json 'd["scratch"]["kind"]')" = file ]
	[[ $(json $json 'd["scratch"]["path"]') == out/raw/.scratch-* ]]
	[ "$(cd out/raw && find . -mindepth 1 | sort | tr '\n' ' ')" = "./io_mixed_run1.dat ./io_mixed_run1.json " ]
	mkdir elsewhere
	short -w io_mixed --scratch elsewhere
	[ "$(json $json 'd["scratch"]["path"]')" = elsewhere ]
	[ -d elsewhere ]
	[ -z "$(ls -A elsewhere)" ]
}

@test "collect: --scratch refuses a device that may hold something" {
	device=$(find /dev -maxdepth 1 -type b ! -name 'nullb*' | head -n 1)
	[ -n "$device" ] || skip "this machine shows no block device"
	run short -w io_mixed --scratch "$device"
	[ "$status" -eq 2 ]
	[[ $output == *--scratch*"$device"* ]]
	run short -w io_mixed --scratch nowhere
	[ "$status" -eq 4 ]
	[[ $output == *nowhere*--scratch* ]]
}

@test "collect: under sudo, everything made belongs to the user" {
	need_tracefs
	SUDO_UID=65534 SUDO_GID=65533 short -w cpu_bound_4p -o new/out
	[ "$(find new -printf '%U:%G\n' | sort -u)" = 65534:65533 ]
	[ "$(find new | wc -l)" -eq 5 ]
}

@test "collect: lost events are said, with number, CPU and remedy, and are in the metadata" {
	need_tracefs
	run short -w sysbench_threads_8t --buffer-size 16 --drain 0
	[ "$status" -eq 0 ]
	lost=$(json out/raw/sysbench_threads_8t_run1.json 'd["lost_events"]')
	[ "$lost" -gt 0 ]
	[[ $output == *"$lost events"*"CPU "*--buffer-size* ]]
	[ "$(json out/raw/sysbench_threads_8t_run1.json 'sum(l["events"] for l in d["losses"])')" = "$lost" ]
	if command -v trace-cmd >/dev/null; then
		trace-cmd report --stat out/raw/sysbench_threads_8t_run1.dat |
			awk -v lost="$lost" '/^(dropped events|overrun|commit overrun):/ { sum += $NF } END { exit sum != lost }'
	fi
}

@test "collect: the beginning is kept, not the end, when the buffer is full" {
	need_tracefs
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	short -w sysbench_threads_8t --buffer-size 16 --drain 0
	trace-cmd report -t out/raw/sysbench_threads_8t_run1.dat >events.txt
	grep -a -q picknext-lead events.txt
	[ "$(json out/raw/sysbench_threads_8t_run1.json 'sum(b["overrun"] for b in d["buffers"])')" = 0 ]
	# Lost events come behind the last event of their CPU.
	python3 - <<-'END'
		import json, re
		last = {}
		for line in open("events.txt", encoding="latin-1"):
		    event = re.match(r".*-\d+ +\[(\d+)\] +(\d+\.\d{9}): ", line)
		    if event:
		        last[int(event[1])] = float(event[2])
		losses = json.load(open("out/raw/sysbench_threads_8t_run1.json"))["losses"]
		assert losses
		for loss in losses:
		    assert abs(loss["after"] - last[loss["cpu"]]) < 1e-6, (loss, last)
	END
}

@test "collect: -q says nothing, a pipe gets a line a run" {
	need_tracefs
	run short -w cpu_bound_4p -q
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run short -w cpu_bound_4p,cpu_bound_8p
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} == "1 earlier run in out/raw will be replaced" ]]
	[[ ${lines[1]} == "[1/2] cpu_bound_4p_run1: "*[0-9]" events"* ]]
	[[ ${lines[2]} == "[2/2] cpu_bound_8p_run1: "* ]]
	[[ ${lines[3]} == "2 traces "*out/raw* ]]
	[[ $output != *$'\r'* ]]
}

@test "collect: a terminal gets progress while a run goes on" {
	need_tracefs
	command -v script >/dev/null || skip "there is no script(1) to make a terminal"
	export TERM=vt100
	run script -qec "'$PICKNEXT' collect -o out -w cpu_bound_4p -r 2 --duration 1.2" /dev/null
	[ "$status" -eq 0 ]
	[[ $output == *cpu_bound_4p_run2*[0-9]" events"*0:0[0-9]* ]]
}

@test "collect: a wrong workload is named, with the nearest, and nothing is made" {
	run "$PICKNEXT" collect -o out -w cpu_bound_4p,hackbench_pipe_smal
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"'hackbench_pipe_smal'"*hackbench_pipe_small* ]]
	run "$PICKNEXT" collect -o out -w cpu_bound_4p,cpu_bound_4p
	[ "$status" -eq 2 ]
	[[ $output == *cpu_bound_4p* ]]
	run "$PICKNEXT" collect -o out -w ""
	[ "$status" -eq 2 ]
	[ ! -e out ]
}

@test "collect: --events are those of record, and an unknown one makes nothing" {
	need_tracefs
	run "$PICKNEXT" collect -o out -w cpu_bound_4p --events sched_wakingg
	[ "$status" -eq 2 ]
	[[ $output == *--events*sched_wakingg*sched_waking* ]]
	[ ! -e out ]
	"$PICKNEXT" collect -q -o out -w cpu_bound_4p -r 1 --duration 0.2 -e 'sched_switch,sched_wakeup*' -e sched:sched_migrate_task,sched_waking
	"$PICKNEXT" export out/raw/cpu_bound_4p_run1.dat >text
	grep -q ' sched_waking: ' text
	grep -q ' sched_switch: ' text
}

@test "collect: without root it says so, and with what to help it" {
	[ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
	directory=$(mktemp -d /tmp/picknext-test-XXXXXX)
	cp "$PICKNEXT" "$directory/picknext"
	chmod 755 "$directory"
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$directory/picknext" collect -o "$directory/out"
	rm -r "$directory"
	[ "$status" -eq 4 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *[Rr]oot* ]]
}

# In a mount namespace of its own, so that nobody else misses tracefs.
@test "collect: without tracefs it says so, and how to mount it" {
	[ "$(id -u)" = 0 ] || skip "needs root to unmount tracefs for itself"
	run unshare -m sh -c "umount -l $tracefs 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null
		exec \"$PICKNEXT\" collect -o out"
	[ "$status" -eq 4 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"mount -t tracefs"*/sys/kernel/tracing* ]]
	[ ! -e out ]
}

@test "collect: a tracefs that cannot be written names the file and where to look" {
	need_tracefs
	run unshare -m sh -c "mount --bind $tracefs $tracefs && mount -o remount,bind,ro $tracefs &&
		exec \"$PICKNEXT\" collect -o out -w cpu_bound_4p"
	[ "$status" -eq 4 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"$tracefs/instances/picknext-"*"Permission denied"* ]]
}

@test "collect: root without the right to enter tracefs is told about security modules" {
	need_tracefs
	directory=$(mktemp -d /tmp/picknext-test-XXXXXX)
	cp "$PICKNEXT" "$directory/picknext"
	chmod 755 "$directory"
	run setpriv --reuid=65534 --regid=65534 --clear-groups unshare -r "$directory/picknext" collect -o "$directory/out"
	rm -r "$directory"
	[[ $output != *"unshare: "* ]] || skip "this machine has no user namespaces for users"
	[ "$status" -eq 4 ]
	[[ $output == *"$tracefs"*"Permission denied"*SELinux*AppArmor*dmesg* ]]
}

@test "collect: a full disk ends it with exit 75, and what fitted is kept and can be read" {
	need_tracefs
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	mkdir small
	run unshare -m sh -c "mount -t tmpfs -o size=600k tmpfs small &&
		\"$PICKNEXT\" collect -o small -w hackbench_pipe_small -r 1 --scale 0.06 --drain 0; code=\$?
		cp small/raw/* . && trace-cmd report hackbench_pipe_small_run1.dat.partial >events.txt 2>warnings; exit \$code"
	[ "$status" -eq 75 ]
	[[ $output == *"small/raw/hackbench_pipe_small_run1.dat.partial"*"No space left"* ]]
	[ ! -s warnings ] || { cat warnings; false; }
	[ "$(grep -c sched_switch events.txt)" -gt 1000 ]
	[ ! -e hackbench_pipe_small_run1.dat ]
	[ ! -e hackbench_pipe_small_run1.json ]
}

@test "collect: with --drain a run can outgrow its buffer" {
	need_tracefs
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	json=out/raw/sysbench_threads_8t_run1.json
	# A slow machine takes longer to fill a buffer twice. A busy one may lose events, which are then counted.
	for duration in 2 4 8 16; do
		rm -rf out
		short -w sysbench_threads_8t --duration $duration --buffer-size 1024 --drain 10
		[ "$(json $json 'd["drain_ms"]')" = 10 ]
		outgrown=$(json $json 'd["events"] * 40 > 2 * 1024 * 1024')
		[ "$outgrown" = False ] || break
	done
	[ "$outgrown" = True ] || { json $json 'd["lost_events"], d["events"]'; false; }
	[ "$(json $json 'd["lost_events"] == sum(l["events"] for l in d["losses"])')" = True ]
	trace-cmd report --ts-check out/raw/sysbench_threads_8t_run1.dat >events.txt 2>warnings
	[ ! -s warnings ] || { cat warnings; false; }
	[ "$(reported_events)" -eq "$(json $json 'd["events"]')" ]
	[ "$(find out/raw -type f | wc -l)" -eq 2 ]
}

@test "collect: a disk that fills up during a run ends it, and what fitted is kept" {
	need_tracefs
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	state=$(tracefs_state)
	mkdir small
	run unshare -m sh -c "mount -t tmpfs -o size=3000k tmpfs small &&
		\"$PICKNEXT\" collect -o small -w sysbench_threads_8t -r 1 --duration 20 --drain 10; code=\$?
		cp small/raw/* . && trace-cmd report sysbench_threads_8t_run1.dat.partial >events.txt 2>warnings; exit \$code"
	[ "$status" -eq 75 ]
	[[ $output == *sysbench_threads_8t_run1.dat.partial*"No space left"* ]]
	[ ! -s warnings ] || { cat warnings; false; }
	[ "$(grep -c sched_switch events.txt)" -gt 1000 ]
	[ ! -e sysbench_threads_8t_run1.json ]
	diff <(echo "$state") <(tracefs_state)
}

@test "collect: SIGINT while draining keeps what was recorded as .partial, exit 130" {
	need_tracefs
	drain=--drain=10 interrupted INT 130 is_recording
	kept_as_partial
}

@test "collect: an unknown clock is refused, with those that there are" {
	need_tracefs
	state=$(tracefs_state)
	run short -w cpu_bound_4p --clock sundial
	[ "$status" -eq 2 ]
	[[ $output == *--clock*sundial*local*global* ]]
	diff <(echo "$state") <(tracefs_state)
}

@test "collect: a buffer that memory cannot hold is refused, with the remedy" {
	need_tracefs
	state=$(tracefs_state)
	run short -w cpu_bound_4p --buffer-size 1000000000
	[ "$status" -eq 75 ]
	[[ $output == *1000000000*--buffer-size* ]]
	diff <(echo "$state") <(tracefs_state)
}

@test "collect: a workload that fails ends it with what failed, and nothing stays" {
	need_tracefs
	mkdir small
	state=$(tracefs_state)
	run unshare -m sh -c "mount -t tmpfs -o size=100k tmpfs small &&
		\"$PICKNEXT\" collect -o out -w io_mixed -r 1 --duration 0.5 --scratch small"
	[ "$status" -eq 75 ]
	[[ $output == *"io_mixed"*"No space left"* ]]
	[ -z "$(ls -A out/raw)" ]
	diff <(echo "$state") <(tracefs_state)
}

@test "collect: tracefs is as it was after a success" {
	need_tracefs
	state=$(tracefs_state)
	short -w cpu_bound_4p,hackbench_pipe_small -r 2
	diff <(echo "$state") <(tracefs_state)
}

@test "collect: SIGINT while setting up leaves nothing behind, exit 130" {
	need_tracefs
	# Setting up is short: the signal can come too late for that.
	for _ in $(seq 30); do
		interrupted INT 130 instance_exists
		[ -n "$(ls -A out/raw)" ] || return 0
		kept_as_partial
		rm -r out
	done
	skip "this machine sets up faster than it sends a signal"
}

@test "collect: SIGINT while recording keeps what was recorded as .partial, exit 130" {
	need_tracefs
	interrupted INT 130 is_recording
	[ -n "$leader" ]
	kept_as_partial
}

@test "collect: SIGTERM while recording keeps what was recorded as .partial, exit 143" {
	need_tracefs
	interrupted TERM 143 is_recording
	kept_as_partial
}

@test "collect: SIGINT after the first run keeps that run, exit 130" {
	need_tracefs
	duration=0.2 interrupted INT 130 first_is_complete
	[ -s out/raw/cpu_bound_4p_run1.dat ]
	[ -s out/raw/cpu_bound_4p_run1.json ]
	[ ! -e out/raw/cpu_bound_4p_run29.dat ]
	[ -z "$(find out/raw -name '*.new')" ]
	"$PICKNEXT" build -o out --allow lossy
}

@test "collect: after SIGKILL the next start removes what was left" {
	need_tracefs
	tracefs_state >before
	"$PICKNEXT" collect -o out -w cpu_bound_4p -r 1 --duration 8 &
	started=$!
	wait_until is_recording "$started"
	kill -KILL "$started"
	wait "$started" || true
	left=picknext-$started
	started=
	[ -e "$tracefs/instances/$left" ]
	short -w cpu_bound_4p
	[ ! -e "$tracefs/instances/$left" ]
	diff before <(tracefs_state)
}

@test "collect: instances of others and of a picknext at work are left alone" {
	need_tracefs
	mkdir "$tracefs"/instances/someone-else-$$ "$tracefs"/instances/picknext-1 "$tracefs"/instances/picknext-x
	"$PICKNEXT" collect -o first -r 1 -- sh -c 'until [ -e enough ]; do sleep 0.05; done' &
	started=$!
	wait_until is_recording "$started"
	short -w cpu_bound_4p
	is_recording "$started"
	instances=$(ls "$tracefs"/instances)
	echo >enough
	wait "$started"
	started=
	rmdir "$tracefs"/instances/someone-else-$$ "$tracefs"/instances/picknext-x
	rmdir "$tracefs"/instances/picknext-1 2>/dev/null || true
	[[ $instances == *someone-else-$$* ]]
	[[ $instances == *picknext-x* ]]
	# process 1 is alive, but no picknext
	[[ ! $instances =~ picknext-1$'\n' ]]
	[ "$(json first/raw/sh_run1.json 'd["events"] > 0')" = True ]
}

@test "collect: exec:NAME records a command like a workload, with its labels" {
	need_tracefs
	short -r 2 -w exec:gcc:build,cpu_bound_4p -- sh -c 'sleep 0.05; echo "from $$"' >printed
	[ "$(grep -c '^from ' printed)" -eq 2 ]
	json=out/raw/gcc_run2.json
	[ "$(json $json 'd["trace_id"], d["workload_name"], d["category"]')" = "('gcc_run2', 'gcc', 'build')" ]
	[ "$(json $json 'd["command"][:2], d["command_exit_code"], d["timed_seconds"]')" = "(['sh', '-c'], 0, None)" ]
	[ "$(json $json '0.05 <= d["elapsed_seconds"] <= d["end_time"] - d["start_time"]')" = True ]
	[ "$(json $json 'd["voluntary_switches"] > 0')" = True ]
	"$PICKNEXT" build -q -o out
	python3 - out <<-END
		import csv
		rows = [r for r in csv.DictReader(open("out/all.csv", newline="", encoding="latin-1"))]
		assert {r["workload_type"] for r in rows} == {"cpu_bound_4p", "gcc"}
		# As the one that leaves the CPU: a kernel may say nothing of its coming (6.18).
		assert any(r["prev_comm"] == "sleep" and r["workload_type"] == "gcc" for r in rows)
	END
}

@test "collect: a command alone is labelled with its program's name, has no input and leaves nothing running" {
	need_tracefs
	printf '#!/bin/sh\ncat >input\nsleep 60 & echo $! >left\n' >my.prog
	chmod +x my.prog
	echo text | "$PICKNEXT" collect -o out -r 1 -- ./my.prog
	[ "$(cd out/raw && echo *)" = "my.prog_run1.dat my.prog_run1.json" ]
	[ -e input ] && [ ! -s input ]
	[ ! -e "/proc/$(cat left)" ]
}

@test "collect: a command that fails is told with its exit status, and its trace is kept" {
	need_tracefs
	tracefs_state >before
	run "$PICKNEXT" collect -o out -r 2 -w exec:bad -- sh -c 'exit 3'
	[ "$status" -eq 1 ]
	[[ $output == *bad_run2*"exit code 3"*"2 traces"*2* ]]
	[ "$(json out/raw/bad_run2.json 'd["command_exit_code"], d["events"] > 0')" = "(3, True)" ]
	run "$PICKNEXT" collect -o out -r 1 -w exec:killed -- sh -c 'kill -SEGV $$'
	[ "$status" -eq 1 ]
	[ "$(json out/raw/killed_run1.json 'd["command_exit_code"]')" = 139 ]
	diff before <(tracefs_state)
	run -5 "$PICKNEXT" build -q -o out
	"$PICKNEXT" build -q -o out --allow failed
	run "$PICKNEXT" all -o whole -r 2 -w exec:bad -- sh -c 'exit 3'
	[ "$status" -eq 5 ] && [ ! -e whole/all.csv ]
}

@test "collect: commands that cannot be meant or run are refused before anything is made" {
	need_tracefs
	for refused in "cpu_bound_4p|--" "-w exec:x|-- COMMAND" "-w cpu_bound_4p -- true|exec:NAME" \
		"-w exec:cpu_bound_4p -- true|exec:cpu_bound_4p" "-w exec:a/b -- true|exec:a/b" "-w exec: -- true|exec:" \
		"-w exec:a,exec:b -- true|COMMAND" "-- no-such-program|no-such-program"; do
		# shellcheck disable=SC2086 # several words each
		run "$PICKNEXT" collect -o out ${refused%|*}
		[ "$status" -eq 2 ] || { echo "$refused: $status $output"; false; }
		[[ $output == *"${refused#*|}"* ]] || { echo "$refused: $output"; false; }
	done
	[ ! -e out ]
	printf '\177ELF-not-really' >damaged
	chmod +x damaged
	run "$PICKNEXT" collect -o out -- ./damaged
	[ "$status" -eq 4 ]
	[[ $output == *./damaged* ]]
	[ -z "$(ls out/raw)" ]
}

@test "collect --scheduler is refused at once, before anything is written, by a kernel without sched_ext" {
	[ ! -d /sys/kernel/sched_ext ] || skip "this kernel has sched_ext"
	run short --scheduler builtin:fifo -w cpu_bound_4p
	[ "$status" -eq 3 ]
	[[ "$output" == *"--scheduler: "*"$(uname -r)"*"no sched_ext"*"picknext vm"* ]]
	[ ! -e out ]
	short -q --scheduler none -w cpu_bound_4p
	grep -q '"given": "none"' out/raw/cpu_bound_4p_run1.json
}
