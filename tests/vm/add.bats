#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs of this machine in a guest: taken along with all they need, run, traced. One boot a kernel, looked at by
# several tests; tests/vm/add/mixed is what runs.
# seconds: 25

# shellcheck disable=SC2016 # what runs in a guest is in single quotes on purpose

load vm

programs="hackbench sysbench stress-ng rt-app trace-cmd"

run_mixed() { # LINE ARGUMENTS...
	local line=$1 program additions=()
	shift
	for program in $programs; do
		additions+=(-a "$program")
	done
	cd "$BATS_TEST_DIRNAME" || return
	for _ in 1 2; do
		echo 0 >"$BATS_FILE_TMPDIR/$line.status"
		rm -rf "${BATS_FILE_TMPDIR:?}/$line"
		vm -k "$(kernel "$line")" --guest engine=qemu -r 1 --scale 0.01 "${additions[@]}" \
			-a add/load.json -o "$BATS_FILE_TMPDIR/$line" "$@" >"$BATS_FILE_TMPDIR/$line.table" \
			2>"$BATS_FILE_TMPDIR/$line.messages" || echo $? >"$BATS_FILE_TMPDIR/$line.status"
		ring_buffer_gave_up "$BATS_FILE_TMPDIR/$line.messages" || break
	done
}

setup_file() {
	local program
	make_short_tmpdir
	command -v qemu-system-x86_64 >/dev/null || return 0
	for program in $programs; do
		command -v "$program" >/dev/null || return 0
	done
	[ -z "$(kernel 6.12)" ] || run_mixed 6.12 -w cpu_bound_4p,exec:mixed:real -- ./add/mixed
	# The same with an exit status, without a name of its own.
	[ -z "$(kernel 6.1)" ] || run_mixed 6.1 -- ./add/mixed 3
}

teardown_file() {
	rm -rf "$TMPDIR"
}

setup() {
	for program in $programs; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
	need_trace_cmd
}

# ran LINE STATUS: that kernel's boot ended with this exit status; sets directory.
ran() {
	need_vm "$1"
	directory=$(find "$BATS_FILE_TMPDIR/$1" -mindepth 1 -maxdepth 1 -type d)
	cat "$BATS_FILE_TMPDIR/$1.messages" "$directory"/raw/*.log
	[ "$(cat "$BATS_FILE_TMPDIR/$1.status")" -eq "$2" ]
}

# How often tasks whose names match were switched to, on CPUs that match.
switches_to() { # NAMES CPUS
	trace-cmd report "$directory/raw/mixed_run1.dat" 2>/dev/null |
		grep -Ec "\[00[$2]\] .* sched_switch: .* ==> ($1):[0-9]+ "
}

check_real_tasks() {
	local names='hackbench|sysbench|stress-ng.*|fair|fifo|trace-cmd'
	for task in hackbench sysbench 'stress-ng.*' fair fifo trace-cmd; do
		echo "$task: $(switches_to "$task" 01)"
		[ "$(switches_to "$task" 01)" -ge 1 ]
	done
	# messages and locks make more of them than anything else does
	[ "$(switches_to hackbench 01)" -ge 100 ]
	# the isolated CPU is the tracer's
	[ "$(switches_to "$names" 2)" -eq 0 ]
	# the real-time thread runs as one: 99 - 10
	trace-cmd report "$directory/raw/mixed_run1.dat" 2>/dev/null | grep -q ' fifo:[0-9]* \[89\]'
}

@test "vm --add: hackbench, sysbench, stress-ng, rt-app and trace-cmd run on 6.12 and are in the trace" {
	ran 6.12 0
	check_real_tasks
	none_of '^failed' "$directory/raw/mixed_run1.log"
	grep -q "^in /root/add as 0 on picknext" "$directory/raw/mixed_run1.log"
	grep -q 'successful run completed' "$directory/raw/mixed_run1.log"
}

@test "vm --add: what ran is told in the JSON, the table and the dataset" {
	ran 6.12 0
	metadata=$directory/raw/mixed_run1.json
	[ "$(json "$metadata" 'd["workload_name"], d["category"], d["command"], d["command_exit_code"]')" = \
		"('mixed', 'real', ['./add/mixed'], 0)" ]
	[ "$(json "$metadata" 'd["lost_events"]')" -eq 0 ]
	[ "$(json "$directory/vm.json" 'd["added"], d["added_files"] > 40, d["added_bytes"] > 10**7, d["traced"]')" = \
		"(['hackbench', 'sysbench', 'stress-ng', 'rt-app', 'trace-cmd', 'add/load.json'], True, True, True)" ]
	grep -q '^ *mixed  *1 ' "$BATS_FILE_TMPDIR/6.12.table"
	grep -q '^ *cpu_bound_4p  *1 ' "$BATS_FILE_TMPDIR/6.12.table"
	"$PICKNEXT" build -q -o "$directory"
	python3 - "$directory/all.csv" "$(json "$metadata" 'd["sched_switch_events"]')" <<-'END'
		import csv, sys
		rows = [row for row in csv.DictReader(open(sys.argv[1], newline="", encoding="latin-1"))]
		mixed = [row for row in rows if row["workload_type"] == "mixed"]
		assert len(mixed) == int(sys.argv[2]) and len(rows) > len(mixed)
		assert {"hackbench", "sysbench", "fifo"} <= {row["task_name"] for row in mixed}
	END
}

@test "vm --add: the same on 6.1; a command that fails makes exit code 6, and all is kept" {
	ran 6.1 6
	check_real_tasks
	none_of '^failed' "$directory/raw/mixed_run1.log"
	[ "$(json "$directory/raw/mixed_run1.json" 'd["command"], d["command_exit_code"], d["category"]')" = \
		"(['./add/mixed', '3'], 3, 'recorded')" ]
	[ "$(boots "$directory" 'd[0]["job_exit"], d[0]["traces"], d[0]["incomplete_files"]')" = "(29, 1, 0)" ]
	[ "$(json "$directory/vm.json" 'd["transport"]')" = share ]
	grep -q "mixed_run1: .*exit code 3.*$directory/raw/mixed_run1.log" \
		"$BATS_FILE_TMPDIR/6.1.messages"
	grep -q '^  | == ip -4 address' "$BATS_FILE_TMPDIR/6.1.messages"
	# what is kept can be built from
	run -5 "$PICKNEXT" build -q -o "$directory"
	"$PICKNEXT" build -q -o "$directory" --allow failed
}

@test "vm --no-trace: the command runs, its output comes out, nothing is recorded" {
	need_vm 6.12
	out=$BATS_FILE_TMPDIR/untraced
	vm -k "$(kernel 6.12)" --guest engine=qemu --no-trace -r 1 -w exec:probe -a trace-cmd -o "$out" -- sh -c '
		cd /tmp
		cat /sys/kernel/tracing/instances/*/tracing_on; ls /sys/kernel/tracing/instances; nproc; trace-cmd -h | head -n 3
		trace-cmd record -b 16384 -o theirs.dat --file-version 6 -e sched_switch -e sched_wakeup -e sched_wakeup_new \
			-e sched_migrate_task picknext run cpu_bound_4p --scale 0.01 >/dev/null 2>&1
		echo "what trace-cmd recorded:"; exec cat theirs.dat' \
		2>"$BATS_TEST_TMPDIR/messages" || true
	cat "$BATS_TEST_TMPDIR/messages"
	directory=$(find "$out" -mindepth 1 -maxdepth 1 -type d)
	[ "$(find "$directory/raw" -type f | wc -l)" -eq 1 ]
	grep -aq 'trace-cmd version' "$directory/raw/probe_run1.log"
	grep -aqx 2 "$directory/raw/probe_run1.log" # nproc: the CPUs of the workload
	[ "$(json "$directory/vm.json" 'd["traced"], d["runs"]')" = "(False, [])" ]
	[ "$(boots "$directory" '[boot["traces"] for boot in d]')" = "[0]" ]
	check_nothing_left
}

@test "compare, report, diff: traces of picknext against trace-cmd's of the same workload, without a JSON" {
	ran 6.12 0
	ours=$directory
	theirs=$BATS_TEST_TMPDIR/theirs
	mkdir "$theirs"
	sed '1,/^what trace-cmd recorded:$/d' "$BATS_FILE_TMPDIR"/untraced/*/raw/probe_run1.log >"$theirs/cpu_bound_4p_run1.dat"
	"$PICKNEXT" compare "$ours" "$theirs" -w cpu_bound_4p --json >"$BATS_TEST_TMPDIR/compared.json"
	python3 - "$BATS_TEST_TMPDIR/compared.json" <<-'END'
		import json, sys
		compared = json.load(open(sys.argv[1]))
		notices = "\n".join(compared["notices"])
		assert "  trace clock: mono | local" in notices and "theirs: 1 of 1 trace has" in notices and "no JSON" in notices, notices
		ours, theirs = (runs["environment"] for runs in compared["sets"])
		assert theirs["kernel"] == ours["kernel"] and theirs["architecture"] == "x86_64" and theirs["hz"] == "unknown"
		values = {row["metric"]: row["sets"][1]["values"] for row in compared["rows"]}
		assert not [value for value in values["throughput_per_s"] if value is not None]
		for name in "switches_per_s", "slice_p50_us", "wakeup_latency_p50_us", "migrations_per_s", "fairness_jain", "idle_share":
		    assert len([value for value in values[name] if value is not None]) == 1, (name, values[name])
		assert all(0.25 <= value <= 1 for value in values["fairness_jain"])
	END
	"$PICKNEXT" report "$ours" "$theirs" -w cpu_bound_4p -o "$BATS_TEST_TMPDIR/report.html"
	grep -q 'theirs.*: 1 of 1 .*JSON' "$BATS_TEST_TMPDIR/report.html"
	"$PICKNEXT" stat "$theirs/cpu_bound_4p_run1.dat" | grep -q ', no events lost$'
	"$PICKNEXT" diff "$ours/raw/cpu_bound_4p_run1.dat" "$theirs/cpu_bound_4p_run1.dat" >"$BATS_TEST_TMPDIR/diff" || [ $? -eq 1 ]
	grep -Eq '^Tasks: [1-9][0-9]* in both' "$BATS_TEST_TMPDIR/diff"
}

@test "vm --add: nothing is left of QEMU and of temporary directories" {
	check_nothing_left "$BATS_FILE_TMPDIR"
}
