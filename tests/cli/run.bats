#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext run: one workload, untraced.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	PICKNEXT=$(realpath "$PICKNEXT")
	bats_require_minimum_version 1.5.0
	cd "$BATS_TEST_TMPDIR" || return
}

# field NAME: of the JSON object in $output
field() {
	sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" <<<"$output"
}

# Tasks of the workload that still live: they are a session of their own, led by the only child of the process $pid.
leftovers() {
	pgrep -c -s "$leader" || true
}

# Until all 321 of them are there.
wait_for_tasks() {
	until leader=$(pgrep -P "$pid"); do [ -e "/proc/$pid" ] || return 1; sleep 0.05; done
	until [ "$(leftovers)" -ge 321 ]; do [ -e "/proc/$pid" ] || return 1; sleep 0.05; done
}

# bats test_tags=slow
@test "run passes as many hackbench messages as its parameters say" {
	run --separate-stderr "$PICKNEXT" run hackbench_pipe_small --scale 0.01 --json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(field work_done)" -eq $((4 * 20 * 20 * 30)) ]
	[ "$(field loops)" -eq 30 ]
	[ "$(field tasks)" -eq 160 ]
	[ "$(field work_unit)" = messages ]
	[ "$(field voluntary_switches)" -gt 0 ]
}

# bats test_tags=slow
@test "run prints work, rate, time and switches as text" {
	run --separate-stderr "$PICKNEXT" run hackbench_socket_small --scale 0.001
	[ "$status" -eq 0 ]
	[[ $output == "hackbench_socket_small: "*sockets*4*3000* ]]
	[[ $output =~ work\ +4800\ messages ]]
	[[ $output =~ rate\ +[0-9]+\ messages/s ]]
	[[ $output =~ elapsed\ +[0-9.]+\ s ]]
	[[ $output =~ switches\ +[0-9]+\ voluntary,\ [0-9]+\ involuntary ]]
}

# bats test_tags=slow
@test "run --duration sets the seconds of a timed workload, whatever the scale" {
	run --separate-stderr "$PICKNEXT" run sysbench_cpu_4t --scale 100 --duration 0.25 --json
	[ "$status" -eq 0 ]
	[ "$(field duration_requested_s)" = 0.250000 ]
	# On a busy machine not every thread gets to run in time.
	[ $(($(field work_done) % 1228)) -eq 0 ]
	[ "$(field work_done)" -ge 1228 ]
}

@test "run --scale multiplies the seconds of a timed workload" {
	run --separate-stderr "$PICKNEXT" run cpu_bound_8p --scale 0.005 --json
	[ "$status" -eq 0 ]
	[ "$(field duration_requested_s)" = 0.050000 ]
	[ "$(field scale)" = 0.005000 ]
}

@test "run names the seconds asked for beside the workload's own" {
	run --separate-stderr "$PICKNEXT" run cpu_bound_8p --scale 0.005
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == *10s* ]]
	[[ ${lines[1]} =~ ^\ +duration\ +0\.05\ s\ asked\ for$ ]]
}

# bats test_tags=slow
@test "run warns where --duration does nothing" {
	run --separate-stderr "$PICKNEXT" run hackbench_pipe_small --scale 0.001 --duration 5 --json
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: "*hackbench_pipe_small* ]]
	[ "$(field work_done)" -eq 4800 ]
}

@test "run names the nearest workload for a wrong name" {
	run "$PICKNEXT" run hackbench_pipe_smal
	[ "$status" -eq 2 ]
	[[ $output == *"'hackbench_pipe_smal'"*"'hackbench_pipe_small'"* ]]
	run "$PICKNEXT" run xyzzy
	[ "$status" -eq 2 ]
	[[ $output == *"'xyzzy'"*"picknext list"* ]]
}

# bats test_tags=slow
@test "run refuses a bad scale or duration, naming what was expected" {
	for bad in 0 -1 1e9 nan inf 1x ''; do
		run "$PICKNEXT" run cpu_bound_4p --scale "$bad"
		[ "$status" -eq 2 ]
		[[ $output == *--scale*"'$bad'"* ]]
		run "$PICKNEXT" run cpu_bound_4p --duration "$bad"
		[ "$status" -eq 2 ]
		[[ $output == *--duration*"'$bad'"* ]]
	done
}

@test "run needs exactly one workload" {
	run "$PICKNEXT" run
	[ "$status" -eq 2 ]
	[[ $output == *NAME* ]]
	run "$PICKNEXT" run cpu_bound_4p cpu_bound_8p
	[ "$status" -eq 2 ]
	[[ $output == *"'cpu_bound_8p'"* ]]
}

@test "run takes no CPU off the machine" {
	run "$PICKNEXT" run chaos_hotplug
	[ "$status" -eq 3 ]
	[[ $output == *chaos_hotplug*CPU*guests* ]]
}

# bats test_tags=slow
@test "run io_mixed leaves nothing in its directory" {
	mkdir scratch
	run --separate-stderr "$PICKNEXT" run io_mixed --duration 0.25 --scratch scratch --json
	[ "$status" -eq 0 ]
	[ "$(field work_done)" -gt 0 ]
	[ $(($(field work_done) % 4096)) -eq 0 ]
	[ -z "$(ls -A scratch)" ]
}

@test "run io_mixed says what is wrong with its scratch" {
	run "$PICKNEXT" run io_mixed --scratch missing
	[ "$status" -eq 4 ]
	[[ $output == *io_mixed*missing*"No such file or directory"* ]]
	run "$PICKNEXT" run io_mixed --scratch /dev/full
	[ "$status" -eq 4 ]
	[[ $output == */dev/full* ]]
	echo precious >file
	run "$PICKNEXT" run io_mixed --scratch file
	[ "$status" -eq 4 ]
	[ "$(cat file)" = precious ]
}

@test "run io_mixed warns about a directory in memory" {
	[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || skip "/dev/shm is no tmpfs"
	run --separate-stderr "$PICKNEXT" run io_mixed --duration 0.05 --scratch /dev/shm
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: "*/dev/shm* ]]
}

# bats test_tags=slow
@test "run io_mixed writes both halves of a block device, and not to one in use" {
	[ "$(id -u)" -eq 0 ] || skip "needs root for a loop device"
	truncate -s 1M image
	device=$(losetup --find --show image 2>/dev/null) || skip "no loop device here"
	run --separate-stderr "$PICKNEXT" run io_mixed --duration 0.2 --scratch "$device" --json
	[ "$status" -eq 0 ]
	mkdir mounted
	mkfs.ext4 -q "$device" 2>/dev/null && mount "$device" mounted && mounted=yes
	run "$PICKNEXT" run io_mixed --duration 0.2 --scratch "$device"
	[ -z "${mounted:-}" ] || umount mounted
	sync image
	losetup -d "$device"
	[ -n "${mounted:-}" ] || skip "no ext4 to mount"
	[ "$status" -eq 4 ]
	[[ $output == *"$device"*busy* ]]
	[[ $output != *warning* ]]
}

# bats test_tags=slow
@test "run keeps to the CPUs that picknext may use" {
	command -v taskset >/dev/null || skip "no taskset"
	cpu=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
	run --separate-stderr taskset -c "$cpu" "$PICKNEXT" run sysbench_threads_8t --duration 0.1 --json
	[ "$status" -eq 0 ]
	# On one CPU every yield of every event gives way to another thread.
	switches=$(($(field voluntary_switches) + $(field involuntary_switches)))
	[ "$switches" -gt $(($(field work_done) * 500)) ]
}

# bats test_tags=slow
@test "run ends by SIGINT and SIGTERM with 130 and 143 and leaves no task" {
	for signal in INT:130 TERM:143; do
		# A shell's background jobs ignore SIGINT; env puts the default back.
		env --default-signal=INT "$PICKNEXT" run hackbench_pipe_large --scale 1000 3>&- 2>err &
		pid=$!
		wait_for_tasks
		kill -"${signal%:*}" $pid
		status=0
		wait $pid || status=$?
		[ "$status" -eq "${signal#*:}" ]
		[ "$(leftovers)" -eq 0 ]
		grep -q interrupted err
	done
}

# bats test_tags=slow
@test "run killed outright leaves no task" {
	"$PICKNEXT" run hackbench_pipe_large --scale 1000 3>&- &
	pid=$!
	wait_for_tasks
	kill -KILL $pid
	wait $pid || true
	for _ in $(seq 200); do
		[ "$(leftovers)" -gt 0 ] || break
		sleep 0.05
	done
	[ "$(leftovers)" -eq 0 ]
}

@test "run says which limit stops it" {
	run bash -c 'ulimit -n 12; "$1" run hackbench_pipe_small --scale 0.001' - "$PICKNEXT"
	[ "$status" -eq 4 ]
	[[ $output == *"hackbench_pipe_small: "*"ulimit -n"* ]]
}

# bats test_tags=slow
@test "run takes a mix in words and from a file, and names what is wrong with it" {
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr "$PICKNEXT" run 'mix: for 50ms; 2 nap run=100us sleep=1ms churn signals=300us; 1 burn' --json
	[ "$status" -eq 0 ]
	[[ "$output" == *'"workload_name": "mix"'*'"tasks": 3'* ]]
	printf '# a comment; not a role\nfor 50ms\n1 nap run=100us every=1ms # every\n' >web.mix
	run --separate-stderr "$PICKNEXT" run mix:web.mix --json
	[ "$status" -eq 0 ]
	[[ "$output" == *'"workload_name": "web"'*'"tasks": 1'* ]]
	run --separate-stderr "$PICKNEXT" run 'mix: 1 nap rum=100us'
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"'nap'"*"'rum'"*"'run'"* ]]
	run --separate-stderr "$PICKNEXT" run mix:missing.mix
	[ "$status" -eq 4 ]
	[[ "$stderr" == *missing.mix* ]]
	echo '{"tasks": {"a": {"run": 10}}}' >rt-app.json
	run --separate-stderr "$PICKNEXT" run mix:rt-app.json
	[ "$status" -eq 3 ]
	[[ "$stderr" == *rt-app.json*workloads/rt_app.py* ]]
}
