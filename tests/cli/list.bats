#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext list: the built-in workloads.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	bats_require_minimum_version 1.5.0
}

names="hackbench_pipe_small
hackbench_pipe_large
hackbench_socket_small
hackbench_socket_large
sysbench_cpu_4t
sysbench_cpu_8t
sysbench_threads_8t
sysbench_threads_16t
sysbench_memory_4t
cpu_bound_4p
cpu_bound_8p
io_mixed"

@test "list begins with collect_traces.py's workloads, in its order" {
	run --separate-stderr "$PICKNEXT" list
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	found=$(awk 'description { print $1 } { description = $0 == "" }' <<<"$output")
	[[ $found == "$names"$'\n'* ]]
}

@test "list says category, description, parameters, use and task names of each" {
	run "$PICKNEXT" list
	block=$(awk '/^hackbench_pipe_large /,/^$/' <<<"$output")
	[[ $block == *" hackbench "*pipes*8*5000* ]]
	[[ $block == *"groups=8 senders=20 receivers=20 bytes=100 loops=5000"* ]]
	[[ $block == *"exercises   "* ]]
	[[ $block == *320*"hackbench-send hackbench-recv"*messages* ]]
	[ "$(grep -c '^    exercises ' <<<"$output")" -eq "$(grep -c '^    parameters ' <<<"$output")" ]
}

@test "list fits into 100 columns" {
	run "$PICKNEXT" list
	[ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' <<<"$output")" -le 100 ]
}

# bats test_tags=slow
@test "list --json is an array that python3 reads, a row for each workload" {
	command -v python3 >/dev/null || skip "no python3 to read JSON with"
	run --separate-stderr "$PICKNEXT" list --json
	[ "$status" -eq 0 ]
	run python3 -c '
import json, sys
rows = json.load(sys.stdin)
print("\n".join(row["name"] for row in rows))
assert all((row["loops"] is None) != (row["duration_s"] is None) for row in rows)
assert [row["name"] for row in rows[:12] if row["needs_scratch"]] == ["io_mixed"]
assert all(row["work_unit"] for row in rows)
names = [name for row in rows for name in row["task_names"].split()]
assert all(len(name) <= 15 for name in names), names
assert rows[0]["loops"] == 3000 and rows[0]["tasks"] == 160
assert rows[4]["duration_s"] == 10
' <<<"$output"
	[ "$status" -eq 0 ]
	[ "$output" = "$("$PICKNEXT" list | awk 'description { print $1 } { description = $0 == "" }' | grep -v '^All$')" ]
}

@test "list takes no argument" {
	run "$PICKNEXT" list hackbench
	[ "$status" -eq 2 ]
	[[ $output == *"'hackbench'"* ]]
}

@test "list --help explains itself" {
	run "$PICKNEXT" list --help
	[ "$status" -eq 0 ]
	[[ $output == *"--json"* ]]
}

@test "list into a full device fails with exit 75" {
	[ -c /dev/full ] || skip "no /dev/full"
	run bash -c '"$1" list >/dev/full' - "$PICKNEXT"
	[ "$status" -eq 75 ]
	[[ $output == *"standard output: "*"No space left on device"* ]]
}

@test "list --schedulers shows picknext's own schedulers, as text and JSON" {
	run --separate-stderr "$PICKNEXT" list --schedulers
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *"builtin:fifo "*picknext_fifo* ]]
	text=$(grep -o '^builtin:[^ ]*' <<<"$output")
	"$PICKNEXT" list --schedulers --json >"$BATS_TEST_TMPDIR/json"
	python3 - "$BATS_TEST_TMPDIR/json" "$text" <<'END'
import json, sys
rows = json.load(open(sys.argv[1]))
assert [row["name"] for row in rows] == sys.argv[2].split("\n")
assert all(row["ops"].startswith("picknext_") and row["description"] and row["algorithm"] for row in rows)
END
}
