#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext migrations on this machine: a task that is moved a known number of times, recorded and live.

bats_require_minimum_version 1.5.0

load tracefs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SUDO_UID SUDO_GID
	started=
	[ "$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')" -gt 1 ] || skip "this machine has only one CPU"
}

teardown() {
	[ -z "$started" ] || kill -KILL "$started" 2>/dev/null || true
}

# Moves a child that never sleeps 20 times from one CPU to another, between two marks, and prints its PID.
mover='import os, signal, subprocess, sys, time
cpus = sorted(os.sched_getaffinity(0))
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.sched_setaffinity(0, {cpus[0]})
    os.write(writing, b".")
    while True: pass
os.read(reading, 1)
subprocess.run([sys.argv[1], "mark", "-q", "first"], check=True)
for n in range(20):
    os.sched_setaffinity(child, {cpus[-1 - n % 2 * (len(cpus) - 1)] if len(cpus) > 1 else 0})
    time.sleep(0.005)
subprocess.run([sys.argv[1], "mark", "-q", "last"], check=True)
os.kill(child, signal.SIGKILL)
print(child)'

# of CAUSE FILE: how many migrations of the child between the marks have this cause.
of() {
	"$PICKNEXT" migrations --list --csv -q --from-mark first --to-mark last "$2" |
		awk -F, -v pid="$child" -v cause="$1" '$4 == pid && $8 == cause' | wc -l
}

@test "migrations: 20 by affinity are 20, by stacks and without" {
	need_tracefs
	child=$("$PICKNEXT" record -q -o stacks --migration-stacks -- python3 -c "$mover" "$PICKNEXT")
	# Where the other CPU is idle, it may pull the task over before the stopper thread has moved it.
	[ "$(($(of affinity stacks.dat) + $(of pull stacks.dat)))" -eq 20 ]
	[ "$(of affinity stacks.dat)" -gt 10 ]
	child=$("$PICKNEXT" record -q -o plain -- python3 -c "$mover" "$PICKNEXT")
	# Where the change came as this CPU's own, nothing tells it from a pull.
	[ "$(($(of affinity plain.dat) + $(of pull plain.dat) + $(of unknown plain.dat)))" -eq 20 ]
	[ "$(of affinity plain.dat)" -gt 0 ]
}

@test "migrations --live: counts them, says its size, and ends at Ctrl+C" {
	need_tracefs
	tracefs_state >before
	"$PICKNEXT" migrations --live --period 100 -o stat 2>messages &
	started=$!
	wait_until grep -q ts_field stat
	wait_until is_recording "$started"
	python3 -c "$mover" "$PICKNEXT" >/dev/null
	kill -INT "$started"
	local code=0
	wait "$started" || code=$?
	started=
	[ "$code" -eq 130 ]
	diff before <(tracefs_state)
	grep -q '[0-9]* KB.* 1024 KB' messages
	# On a fast machine, all of it is over in one period.
	grep -q "stat: [1-9][0-9]* migrations in $(grep -c '^[0-9]' stat) periods\?, " messages
	grep -q '^# gettimeofday [1-9][0-9]\{8,\} [0-9]\{6\}$' stat
	# All lines, and the comment with the period that was cut short: all, and those that the mover's may count as,
	# like above.
	read -r sum moved < <(awk '/^[0-9]|ends within/ { for (i = 1; i < 20; i++) if ($i ~ /^[0-9]+[.][0-9]+$/) {
		sum += $(i + 1); moved += $(i + 6) + $(i + 9) + $(i + 14) } } END { print sum, moved }' stat)
	grep -q "stat: $sum migrations in " messages
	[ "$moved" -ge 20 ]
	[ "$("$PICKNEXT" migrations extract --field-num affinity stat)" = 10 ]
	[ "$("$PICKNEXT" migrations extract -e migrate stat | wc -l)" -ge 1 ]
}

@test "migrations --live: ends when its hours are over; a result stays until --reset" {
	need_tracefs
	"$PICKNEXT" migrations --live --hours 0.0002 --period 200 --no-stacks -q -o stat
	grep -q '^# field 2 migrate$' stat
	grep -q '^# field 3 lost$' stat
	# 720 ms hold three periods, however late the reader comes.
	[ "$(grep -c '^[0-9]' stat)" -eq 3 ]
	grep -q '^# ends within a period, after 120 of its 200 ms: ' stat
	cp stat before
	run -2 "$PICKNEXT" migrations --live --hours 0.0001 -q -o stat
	diff before stat
	"$PICKNEXT" migrations --live --hours 0.37s --period 100 --no-stacks -q -o stat --reset
	grep -q '^# period_msec 100$' stat
	[ "$(grep -c '^[0-9]' stat)" -eq 3 ]
	[ -z "$(ownerless_instances)" ]
}
