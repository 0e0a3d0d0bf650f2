#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm --scheduler on 7.3: schedulers on real time, and what schedulers.bats has not in deterministic guests.

load sched_ext

setup() {
	bats_require_minimum_version 1.5.0
	cd "$BATS_TEST_TMPDIR" || return
	make_short_tmpdir
	need_vm 7.3
	need_new_qemu
}

teardown() {
	rm -rf "$TMPDIR"
}

# collect OUT OPTION...: a collection on 7.3 with QEMU 10.
collect() {
	local out=$1
	shift
	timeout -k 20 3000 "$PICKNEXT" vm -q -k "$(kernel 7.3)" -o "$out" "$@"
}

# check_runs DIRECTORY OPS RUNS: every run was under this scheduler from its beginning to its end, and lost nothing.
check_runs() {
	python3 - "$@" <<'END'
import glob, json, sys
directory, ops, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
found = [json.load(open(path)) for path in sorted(glob.glob(directory + "/raw/*.json"))]
assert len(found) == runs, len(found)
for run in found:
    scheduler = run["scheduler"]
    assert scheduler["ops"] == ops and scheduler["state"] == "enabled", run["trace_id"]
    assert scheduler["enable_seq"] == scheduler["enable_seq_after"] >= 1, run["trace_id"]
    assert run["lost_events"] == 0 and run["sched_switch_events"] > 0, run["trace_id"]
END
}

# On real time too with QEMU 10: QEMU 7.2 has no cmpxchg16b, without which the kernel gives BPF no timers and arenas.
wall_clock="--guest engine=qemu --mode tcg --guest qemu=$(new_qemu) ${patient[*]}"

# on_real_time OUT OPTION...: a busy host can hold a guest up for longer than the kernel lets a task wait, which is 30 s.
# Such a run is marked (exit 6), and the same command repeats it.
on_real_time() {
	local tries result=0
	for tries in 1 2 3 4; do
		# shellcheck disable=SC2086 # several options
		collect "$1" $wall_clock "${@:2}" && return
		result=$?
		[ $result -eq 6 ] || break
		echo "try $tries: exit code 6"
	done
	return $result
}

two="-w hackbench_pipe_small,cpu_bound_8p --scale 0.01"

@test "builtin:fifo: all workloads, on real time" {
	on_real_time out --scheduler builtin:fifo --scale 0.02 -r 1
	"$PICKNEXT" list --json >list.json
	check_runs out/*+picknext_fifo picknext_fifo "$(json list.json 'sum(row["default_of_vm"] for row in d)')"
}

@test "builtin:vtime, and builtin:fifo with a slice: the same seed gives the same bytes" {
	local which directory
	for which in builtin:fifo,slice=5ms builtin:vtime; do
		for directory in one two; do
			# shellcheck disable=SC2086 # several options
			collect "$directory-$which" --mode deterministic --seeds 1 --scheduler "$which" $two
		done
		check_runs "one-$which"/*+picknext_* "picknext_$(sed 's/builtin://; s/,.*//' <<<"$which")" 2
		(cd "one-$which" && sha256sum ./*/raw/*.dat) | (cd "two-$which" && sha256sum -c)
	done
}

# run_on_real_time NAME OPS: a scheduler of the kernel's source.
run_on_real_time() {
	need_schedulers "$1"
	# shellcheck disable=SC2086 # several options
	on_real_time out --scheduler "$SCHEDULERS/$1" $two -r 1
	check_runs out/*+"$2" "$2" 2
}

@test "scx_simple traces two workloads, on real time" {
	run_on_real_time scx_simple simple
}

@test "scx_central traces two workloads, on real time" {
	run_on_real_time scx_central central
}

@test "scx_flatcg traces two workloads, on real time" {
	run_on_real_time scx_flatcg flatcg
}

@test "scx_userland traces two workloads, on real time" {
	run_on_real_time scx_userland userland
}

@test "scx_qmap traces two workloads, on real time" {
	run_on_real_time scx_qmap qmap
}

@test "scx_qmap traces two workloads in a deterministic guest" {
	need_schedulers scx_qmap
	# shellcheck disable=SC2086 # several options
	collect out --mode deterministic --seeds 1 --scheduler "$SCHEDULERS/scx_qmap" $two
	check_runs out/*+qmap qmap 2
}

# The policy of tasks and whether they are sched_ext's, as the kernel says it: of the command, of a child, and of init.
# shellcheck disable=SC2016 # the shell in the guest expands it
look='of() { echo "$1: $(awk "\$1 == \"policy\" || \$1 == \"ext.enabled\" { printf \"%s \", \$3 }" "/proc/$2/sched")"; }
of command $$; (usleep 1000; of child self); of init 1'

@test "scx_qmap -p takes only tasks that ask for it: the workload's do, with the policy SCHED_EXT" {
	need_schedulers scx_qmap
	on_real_time out --scheduler "$SCHEDULERS/scx_qmap -p" -w exec:look,cpu_bound_4p --scale 0.01 -r 1 -- sh -c "$look"
	check_runs out/*+qmap qmap 2
	[ "$(json out/*+qmap/raw/cpu_bound_4p_run1.json "d['scheduler']['switch_all']")" = False ]
	diff - out/*+qmap/raw/look_run1.log <<-'END'
		command: 7 1 
		child: 7 1 
		init: 0 0 
	END
	"$PICKNEXT" export -f text out/*+qmap/raw/cpu_bound_4p_run1.dat | grep -q 'scheduler qmap enabled 1 partial'
}
