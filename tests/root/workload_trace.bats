#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The workloads as the kernel's own tracing shows them, through a private tracefs instance.

setup() {
	PICKNEXT=$(realpath "${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}")
	bats_require_minimum_version 1.5.0
	[ "$(id -u)" -eq 0 ] || skip "needs root for tracefs"
	tracing=/sys/kernel/tracing
	[ -d $tracing/instances ] || skip "no tracefs at $tracing"
	instance=$tracing/instances/picknext-test-$$
	mkdir "$instance" || skip "cannot make a tracefs instance"
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	[ -z "${instance:-}" ] || rmdir "$instance"
}

# traced NAMES ARGUMENTS...: runs a workload with sched_switch on for the tasks that NAMES (a glob) matches, and
# leaves "COMM PREV_STATE" of each of their switches in the file switches
traced() {
	local names=$1
	shift
	echo 16384 >"$instance/buffer_size_kb"
	echo "prev_comm ~ \"$names\"" >"$instance/events/sched/sched_switch/filter"
	echo >"$instance/trace"
	echo 1 >"$instance/events/sched/sched_switch/enable"
	echo 1 >"$instance/tracing_on"
	"$PICKNEXT" run "$@" >out
	echo 0 >"$instance/tracing_on"
	sed -nE 's/.*prev_comm=(.*) prev_pid=[0-9]+ prev_prio=[0-9]+ prev_state=([A-Za-z+]+) .*/\1 \2/p' \
		"$instance/trace" >switches
	[ -s switches ]
}

@test "io_mixed's writers wait for the block device in state D, its burners do not" {
	directory=$(mktemp -d /var/tmp/picknext-test-XXXXXX)
	if [ "$(stat -f -c %T "$directory")" = tmpfs ]; then
		rmdir "$directory"
		skip "/var/tmp lies in memory"
	fi
	# A burner waits for the disk too when a page of its program has to be read, which happens once, not all the time:
	# not in a second run or third.
	for _ in 1 2 3; do
		traced 'io-*' io_mixed --duration 0.5 --scratch "$directory"
		# Each writer calls fdatasync at least once after its blocks.
		writers=$(grep -c '^io-writer D$' switches || true)
		[ "$writers" -ge 2 ]
		burners=$(grep -c '^io-burner D$' switches || true)
		[ $((burners * 10)) -ge "$writers" ] || break
	done
	rmdir "$directory"
	[ $((burners * 10)) -lt "$writers" ]
	grep -q '^io-burner R' switches
}

@test "sysbench_threads yields: its threads leave the CPU runnable many times an event" {
	traced 'sysbench-thr' sysbench_threads_16t --duration 0.2
	runnable=$(grep -c '^sysbench-thr R' switches)
	asleep=$(grep -c '^sysbench-thr S' switches)
	# Some of the thousand yields of an event find nobody else to run, and other work on this machine makes events slow.
	events=$(sed -n 's/^ *work *\([0-9]*\) events$/\1/p' out)
	[ "$runnable" -gt $((events * 100 + 16)) ]
	# 16 threads on 8 mutexes: some wait for a mutex.
	[ "$asleep" -gt 16 ]
}

@test "cpu_bound is preempted and never sleeps once it has begun" {
	traced 'cpu-bound' cpu_bound_8p --duration 0.5
	[ "$(grep -c '^cpu-bound R' switches)" -gt 0 ]
	# The only sleep of each is the one at the barrier; a task that is still on its way there when that opens has none.
	[ "$(grep -c '^cpu-bound S' switches)" -le 8 ]
}

@test "hackbench's senders and receivers both appear, and the leader apart from them" {
	traced '*-*' hackbench_pipe_small --scale 0.01
	grep -q '^hackbench-recv S' switches
	grep -q '^hackbench-send ' switches
	grep -q '^picknext-lead S' switches
	[ "$(grep -c '^hackbench$' switches)" -eq 0 ]
}
