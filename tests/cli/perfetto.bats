#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export --format perfetto, decoded by protoc with the numbers of Perfetto's published schema (perfetto.proto).

bats_require_minimum_version 1.5.0

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
load ../support/perfetto

# bats test_tags=slow
@test "perfetto: every field is one of the schema, and says what the text says" {
	"$TOOLS/tools/make_trace" trace.dat
	decoded trace.dat
	grep -qxF 'kernel: Linux 6.12.95 x86_64' told
	so_many sched_switch 1000
	so_many sched_wakeup 100
	so_many sched_wakeup_new 100
	so_many sched_migrate_task 100
	so_many lost_events 3
	grep -q 'sched_switch: 2073' told
	grep -qx 'clock_snapshot: 1' told
}

# decoded_file FILE >TEXT
decoded_file() {
	protoc --decode=picknext.perfetto.Trace -I "$BATS_TEST_DIRNAME/../support" perfetto.proto <"$1"
}

# keys_of TRACE: its counters, waits and instants against picknext why.
keys_of() {
	"$PICKNEXT" export -q -f perfetto "$1" -o keys.perfetto-trace
	decoded_file keys.perfetto-trace >decoded
	"$PICKNEXT" why -q --decision 1 --max 1000000 --json "$1" >why.json
	"$PICKNEXT" migrations -q --list --json "$1" >moves.json
	python3 "$BATS_TEST_DIRNAME/../support/perfetto_keys.py" why.json moves.json <decoded | tee told
}

# bats test_tags=slow
@test "perfetto: counters are the keys at their time, decisions and waits have their words" {
	for kernel in 6.1 6.12; do
		gunzip -c "$BATS_TEST_DIRNAME/../golden/keys/$kernel.dat.gz" >keys.dat
		keys_of keys.dat
		so_many lag_cpu_ns 400
		so_many judged_keys_shown 500
		so_many "waits woken" 40
		grep -qx 'judged_keys_not_shown: 0' told
		grep -qx 'against: 0' told
	done
	so_many deadline_ns 900
	grep -q 'name: "picks cpu-bound-164: earliest deadline of the eligible"' decoded
	grep -q 'name: "woken by picknext-lead-162"' decoded
	so_many moves 5
	grep -q 'name: "moves from CPU [0-9] to CPU [0-9]: pull, ' decoded
	# Groups of tasks have counters, too.
	gunzip -c "$BATS_TEST_DIRNAME/../golden/keys/6.12-throttled.dat.gz" >keys.dat
	keys_of keys.dat
	grep -q 'name: "group of .*: lag in CPU time"' decoded
}

# Without its deadline the running task seems to have the earliest one.
# bats test_tags=slow
@test "perfetto: what is against the rules has a track, and says what the rule picks" {
	gunzip -c "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" | LC_ALL=C sed 's/curr_deadline/curr_deadlink/g' >keys.dat
	keys_of keys.dat
	so_many against 1
	grep -q 'name: "CPU 0: against the rules"' decoded
	grep -q 'name: "[^"]*, against the rule: [^"]*; the rule picks group of cpu-bound-[0-9]*: ' decoded
}

@test "perfetto: without keys, a trace with keys is as one that has none" {
	gunzip -c "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >keys.dat
	"$PICKNEXT" export -q -f perfetto --no-keys keys.dat -o keys.perfetto-trace
	decoded_file keys.perfetto-trace >without
	run ! grep -qE 'TYPE_COUNTER|TYPE_SLICE|name: "waits' without
	grep -q 'sched_switch' without
	run "$PICKNEXT" export --no-keys keys.dat
	[ "$status" -eq 2 ]
}

@test "perfetto: damaged keys are refused, and nothing is written" {
	gunzip -c "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" | LC_ALL=C sed 's/s32 pid;\toffset:24/s32 pid;\toffset:20/' >keys.dat
	run "$PICKNEXT" export -f perfetto keys.dat -o out
	[ "$status" -eq 3 ]
	[[ $output == *"keys.dat: "*"keys_"*"pid"* ]]
	[ ! -e out ]
}

# two_kernels: one workload on two kernels, with metadata.
two_kernels() {
	for kernel in 6.1 6.12; do
		mkdir -p "$kernel/raw"
		for run in 0 1; do
			gunzip -c "$BATS_TEST_DIRNAME/../golden/keys/$kernel.dat.gz" >"$kernel/raw/cpu_bound_4p_run$run.dat"
			echo "{\"trace_id\": \"cpu_bound_4p_run$run\", \"workload_name\": \"cpu_bound_4p\"}" >"$kernel/raw/cpu_bound_4p_run$run.json"
		done
	done
}

# bats test_tags=slow
@test "perfetto: two kernels are a process each, with tasks by role, and start together" {
	two_kernels
	"$PICKNEXT" export -q -f perfetto --run 1 6.1 6.12 -o both.perfetto-trace
	decoded_file both.perfetto-trace >both
	for kernel in 6.1 6.12; do
		"$PICKNEXT" export -q -f perfetto "$kernel/raw/cpu_bound_4p_run1.dat" -o one.perfetto-trace
		decoded_file one.perfetto-trace >"$kernel.one"
	done
	python3 "$BATS_TEST_DIRNAME/../support/perfetto_groups.py" both 6.1.one 6.12.one
	# The same by files.
	"$PICKNEXT" export -q -f perfetto 6.1/raw/cpu_bound_4p_run1.dat 6.12/raw/cpu_bound_4p_run1.dat | cmp - both.perfetto-trace
}

# starts DECODED: the first time of each trace of three CPUs, from that of the first one.
starts() {
	python3 - "$1" <<-'PYTHON'
		import os, sys
		sys.path.insert(0, os.environ["BATS_TEST_DIRNAME"] + "/../support")
		from perfetto_decoded import parse
		first = {}
		for _, packet in parse(open(sys.argv[1])):
		    for bundle in (message for name, message in packet if name == "ftrace_events"):
		        group = int(dict(bundle)["cpu"]) // 3
		        times = [int(dict(event)["timestamp"]) for field, event in bundle if field == "event"]
		        first[group] = min(times + [first.get(group, 1 << 63)])
		print(*(first[group] - first[0] for group in sorted(first)))
	PYTHON
}

# bats test_tags=slow
@test "perfetto: a third trace, of another workload or without switches, moves none of the others" {
	export BATS_TEST_DIRNAME
	two_kernels
	cp 6.1/raw/cpu_bound_4p_run1.dat other.dat
	gunzip -c "$BATS_TEST_DIRNAME/../golden/foreign/v7_two_instances.dat.gz" >seven.dat
	local two="6.1/raw/cpu_bound_4p_run1.dat 6.12/raw/cpu_bound_4p_run1.dat"
	# shellcheck disable=SC2086 # words
	"$PICKNEXT" export -q -f perfetto $two -o two.perfetto-trace
	# shellcheck disable=SC2086 # words
	"$PICKNEXT" export -q -f perfetto $two other.dat -o three.perfetto-trace
	decoded_file two.perfetto-trace >two
	decoded_file three.perfetto-trace >three
	[ "$(starts three)" = "$(starts two) 0" ] || { starts two; starts three; return 1; }
	"$PICKNEXT" export -q -f perfetto --instance b seven.dat seven.dat -o wakeups.perfetto-trace
	decoded_file wakeups.perfetto-trace >wakeups
	run ! grep -q 'first difference' wakeups
}

# bats test_tags=slow
@test "perfetto: of directories one run is chosen, and only perfetto has several traces" {
	two_kernels
	run "$PICKNEXT" export 6.1/raw/cpu_bound_4p_run0.dat 6.12/raw/cpu_bound_4p_run0.dat
	[ "$status" -eq 2 ]
	[[ $output == *"perfetto"* ]]
	run "$PICKNEXT" export -f perfetto --run 7 6.1 6.12 -o x
	[ "$status" -eq 2 ]
	[[ $output == *"6.1"*"no such run"*"picknext check"*"names its runs"* ]]
	run "$PICKNEXT" export -f perfetto --run first 6.1 6.12 -o x
	[ "$status" -eq 2 ]
	cp 6.1/raw/cpu_bound_4p_run1.dat 6.1/raw/other_run1.dat
	run "$PICKNEXT" export -f perfetto --run 1 6.1 6.12 -o x
	[ "$status" -eq 2 ]
	[[ $output == *"cpu_bound_4p_run1"*"other_run1"*"--workload"* ]]
	"$PICKNEXT" export -q -f perfetto --run 1 -w cpu_bound_4p 6.1 6.12 -o x
	run "$PICKNEXT" export -f perfetto 6.1/raw/cpu_bound_4p_run0.dat 6.12/raw/cpu_bound_4p_run0.dat -o 6.12/raw/cpu_bound_4p_run0.dat
	[ "$status" -eq 2 ]
	run "$PICKNEXT" export --run 1 6.1/raw/cpu_bound_4p_run0.dat
	[ "$status" -eq 2 ]
}
