#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Lack of memory while a guest runs: exit 75, no process and no directory of the guest stays, and the same command
# completes once there is memory.
# seconds: 50

load vm

setup() {
	make_short_tmpdir
	need_vm 6.12
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	out=$BATS_TEST_TMPDIR/out
	log=$BATS_TEST_TMPDIR/log
	pid=
}

teardown() {
	[ -z "$pid" ] || kill -TERM "$pid" 2>/dev/null || true
	rm -rf "$TMPDIR"
}

# Boots in the background, until a guest has started: start OPTION...
start() {
	local tries=0
	command=("$PICKNEXT" vm -k "$(kernel 6.12)" --cpus 1 --scale 0.004 -w cpu_bound_4p "$@" -o "$out")
	timeout -k 20 300 "${command[@]}" >"$log" 2>&1 3>&- &
	pid=$!
	until grep -qs 'Linux version' "$out"/*/console/run*.log; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] && [ -e "/proc/$pid" ] || return 1
		sleep 0.1
	done
	launcher=$(pgrep -P "$pid" picknext)
}

# The command ends with 75.
ends_with_75() {
	local code=0
	wait "$pid" || code=$?
	pid=
	cat "$log"
	[ "$code" -eq 75 ]
	check_nothing_left
	[ -z "$(find "$out" -name '*.new' -o -name '*.incomplete')" ]
}

# limited MB: the command with that much address space.
limited() {
	run bash -c 'ulimit -v $(($1 * 1024)); shift; exec "$@"' _ "$1" timeout -k 20 300 "${command[@]}"
	echo "$1: $output"
}

# is_complete BOOTS: these are there, and no more.
is_complete() {
	[ "$(boots "$out"/* '[(boot["run"], boot["end"], boot["traces"]) for boot in d]')" = "$1" ]
	check_nothing_left
}

@test "memory: the process of a boot has none at the end of its guest, then QEMU none at its start; with what is asked for it boots" {
	need_new_qemu
	local mb wanted
	start --mode deterministic --seeds 1
	prlimit --pid "$(pgrep -P "$launcher" picknext)" --as=1
	ends_with_75
	grep -q 'not enough memory' "$log"
	# That QEMU has none is no fault of the guest.
	for mb in 1200 2000 6000; do
		limited "$mb"
		[ "$status" -eq 75 ]
		[[ $output == *"seed 1: this machine has no memory for the guest: "*"Cannot allocate memory"*"ulimit -v"* ]]
		check_nothing_left
	done
	wanted=$(sed -nE "s/.* reserves about ([0-9]+) GB besides the guest's ([0-9]+) MB.*/\1 * 1024 + \2/p" <<<"$output")
	limited $((wanted))
	[ "$status" -eq 0 ]
	is_complete "[(1, 'done', 1)]"
	# One workload CPU, and one more for the tracer.
	[ "$(json "$out"/*/raw/cpu_bound_4p_run1.json 'd["num_cpus"], d["cpus_isolated"], d["cpu_tracer"]')" = "(2, '1', 1)" ]
}

# Guests on wall-clock time boot in half the time.
@test "memory: the launcher has none for its next boot" {
	start --mode tcg --runs 2 --jobs 1
	prlimit --pid "$launcher" --as=1
	ends_with_75
	timeout -k 20 300 "${command[@]}"
	is_complete "[(1, 'done', 1), (2, 'done', 1)]"
}
