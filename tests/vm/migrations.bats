#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext migrations where the truth is known: tasks that are moved by affinity a known number of times, forks and
# execs, more burners than CPUs, real-time tasks. tests/vm/guest/migrations says what is looked at.

load vm

findings=(
	"record: with stacks"
	"stacks: every cause is exact"
	"stacks: another's affinity, 40 times and nothing else"
	"stacks: its own affinity, 40 times"
	"stacks: pulls"
	"stacks: forks and execs"
	"stacks: real time"
	"compare: sched_waking says who asked"
	"compare: the trace alone tells at least 98 in 100 right, or leaves them open"
	"plain: another's affinity, 40 times and nothing else"
	"plain: its own request, 40 times"
	"plain: pulls"
	"plain: no stacks"
	"live: ends at SIGINT"
	"live: counts them"
	"live: loses nothing"
	"live: leaves nothing"
)

@test "migrations: a 6.1 kernel's, each by its cause" {
	boot_and_look migrations 6.1 3 move_tasks "" "${findings[@]}"
}

@test "migrations: a 6.12 kernel's, each by its cause" {
	boot_and_look migrations 6.12 3 move_tasks "" "${findings[@]}"
}
