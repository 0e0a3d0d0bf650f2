#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# On a machine whose kernel hides the idle tasks of CPUs (picknext help limits), a recording is of use, and events that
# are recorded beside it make its bounds narrow.

bats_require_minimum_version 1.5.0

load record

# A task that sleeps and runs on the last CPU, which is idle in between if the machine is.
# shellcheck disable=SC2016 # the traced shell expands it
record_sleeper() {
	local cpu=$(($(nproc) - 1))
	record -q -o sleeper -e 'sched_switch,sched_wakeup*,sched_migrate_task,raw_syscalls:sys_exit' -- \
		taskset -c "$cpu" sh -c 'for i in $(seq 60); do sleep .003; done'
}

missing_from_idle() {
	"$PICKNEXT" check --json sleeper.dat | python3 -c 'import json, sys
findings = {f["name"]: f for f in json.load(sys.stdin)["traces"][0]["findings"]}
print("from idle" in findings["missing"]["text"])'
}

need_hidden_idle() {
	need_tracefs
	command -v taskset >/dev/null || skip "taskset is not installed"
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	local try
	for try in $(seq 5); do
		record_sleeper
		"$PICKNEXT" export sleeper.dat >all.txt
		grep -v ' sys_exit: ' all.txt >fewer.txt
		[ "$(missing_from_idle)" = True ] && [ "$(width all.txt)" -gt 0 ] && return
	done
	skip "this kernel left out no switch from idle beside the command, in $try recordings"
}

# By how much the bounds of the CPU time of the command's tasks differ, in nanoseconds.
width() { # TRACE
	"$PICKNEXT" stat --top 0 --json "$1" | python3 -c 'import json, sys
print(sum(row["cpu_time_max_ns"] - row["cpu_time_ns"] for row in json.load(sys.stdin)["tasks"] if row["comm"] == "sleep"))'
}

@test "record: a kernel that hides idle tasks leaves a trace that is usable, with bounds" {
	need_hidden_idle
	run -0 "$PICKNEXT" check sleeper.dat
	[[ ${lines[0]} == "sleeper.dat: usable; "* ]]
	for name in all fewer; do
		"$PICKNEXT" stat --top 0 --json "$name.txt" >"$name.json"
	done
	python3 - <<-'EOF'
		import json
		# Those of the command; the others depend on the first and the last event.
		narrow, wide = ({row["pid"]: row for row in json.load(open(name))["tasks"] if row["comm"] == "sleep"}
		                for name in ("all.json", "fewer.json"))
		assert narrow.keys() == wide.keys()
		width = lambda rows: sum(row["cpu_time_max_ns"] - row["cpu_time_ns"] for row in rows.values())
		# Not always an event came where a switch was left out; that one narrows its bounds: tests/cli/missing_switches.bats.
		assert 0 < width(narrow) <= width(wide), (width(narrow), width(wide))
		for task, row in narrow.items():
		    assert wide[task]["cpu_time_ns"] <= row["cpu_time_ns"], (row, wide[task])
		    assert row["cpu_time_max_ns"] <= wide[task]["cpu_time_max_ns"], (row, wide[task])
	EOF
}
