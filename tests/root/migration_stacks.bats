#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# record and collect with --migration-stacks: the kernel's stack behind each migration, with its names.

bats_require_minimum_version 1.5.0

load tracefs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SUDO_UID SUDO_GID
}

# Moves itself to the first and the last CPU that it may use, ten times, then is woken once.
mover='import os, time
cpus = sorted(os.sched_getaffinity(0))
for n in range(10): os.sched_setaffinity(0, {cpus[-(n % 2)]})
time.sleep(0.001)'

two_cpus() {
	[ "$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')" -gt 1 ] || skip "this machine has only one CPU"
}

@test "stacks: migrations have them, and trace-cmd names their functions" {
	need_tracefs
	two_cpus
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	tracefs_state >before
	"$PICKNEXT" record -o a --migration-stacks -- python3 -c "$mover"
	diff before <(tracefs_state)
	trace-cmd report a.dat >events.txt 2>warnings
	[ ! -s warnings ]
	# Each of those that were asked for is followed by its stack: the CPU's stopper thread makes them. Of what idle CPUs
	# pull over when they wake a task, a kernel sometimes takes none (6.18), without an event lost or a word of it.
	awk '
		{ cpu = match($0, /\[[0-9]+\]/) ? substr($0, RSTART, RLENGTH) : "" }
		/ kernel_stack:/ { found += cpu in moved; delete moved[cpu]; next }
		/^ *migration\/[0-9]+-[0-9]+ .* sched_migrate_task: +comm=python3 / { moves++; moved[cpu] = 1; next }
		/ sched_migrate_task:/ { delete moved[cpu] }
		END { print found " of " moves; exit !(moves >= 9 && found == moves) }' events.txt
	grep -q '^=> migration_cpu_stop ' events.txt
	grep -q '^=> __x64_sys_sched_setaffinity ' events.txt
	none=$(grep ' sched_waking:' events.txt | grep -cv 'migration/') || true
	[ "$none" -eq 0 ]
	json a.json 'd["event_names"]' | grep -q sched_waking
}

@test "stacks: with one's own events, and in a collection" {
	need_tracefs
	two_cpus
	"$PICKNEXT" record -o b -e sched_switch,irq,sched_waking,sched_migrate_task --migration-stacks -- \
		python3 -c "$mover"
	"$PICKNEXT" export b.dat >events.txt
	grep -q 'sched_waking: comm=python3' events.txt
	"$PICKNEXT" collect -o out -w exec:mover -r 1 --migration-stacks -q -- python3 -c "$mover"
	"$PICKNEXT" build -o out -q
	grep -aq ' migration_cpu_stop' out/raw/mover_run1.dat
}

@test "stacks: trace-cmd's own files tell as much" {
	need_tracefs
	two_cpus
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	"$PICKNEXT" record -q -o a --migration-stacks -- python3 -c "$mover"
	"$PICKNEXT" migrations --list --csv -q a.dat >ours.csv
	grep -q ',true,[a-z_]*,' ours.csv
	trace-cmd convert --file-version 7 --compression none -i a.dat -o b.dat
	"$PICKNEXT" migrations --list --csv -q b.dat | diff ours.csv -
}

@test "stacks: refused where they cannot be" {
	need_tracefs
	run -2 "$PICKNEXT" record --migration-stacks -e sched_switch -- true
	[[ $output == *sched_migrate_task* ]]
	[ -z "$(ownerless_instances)" ]
}
