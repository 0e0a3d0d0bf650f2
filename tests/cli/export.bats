#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export of a made trace; tests/root/export.bats compares with the kernel's own text.

bats_require_minimum_version 1.5.0
PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}

TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# made: trace.dat, without root.
made() {
	"$TOOLS/tools/make_trace" trace.dat
}

# bats test_tags=slow
@test "export: --ns adds the nanoseconds, from which the microseconds are rounded" {
	made
	"$PICKNEXT" export trace.dat -o micro 2>/dev/null
	"$PICKNEXT" export --ns trace.dat -o nano 2>/dev/null
	[ "$(wc -l <micro)" -eq "$(wc -l <nano)" ]
	[ "$(grep -c -a -E '\] [^ ]{5} +[0-9]+\.[0-9]{9}: ' nano)" -gt 1000 ]
	python3 - <<-'EOF'
		import re
		times = [[re.sub(rb"\D", b"", time) for time in
		          re.findall(rb"\] \S{5} +([0-9]+\.[0-9]+): ", open(name, "rb").read())] for name in ("micro", "nano")]
		assert len(times[0]) == len(times[1]) > 1000
		assert all((int(nano) + 500) // 1000 == int(micro) for micro, nano in zip(*times))
		assert any(int(nano) % 1000 >= 500 for nano in times[1])
	EOF
}

# bats test_tags=slow
@test "export: a JSON object per event, with the values of the CSV, of both kinds of trace" {
	made
	"$PICKNEXT" export --ns trace.dat -o trace.txt 2>/dev/null
	for trace in trace.dat trace.txt; do
		"$PICKNEXT" export -f jsonl $trace -o events.jsonl 2>/dev/null
		"$PICKNEXT" export -f csv --columns extended $trace -o rows.csv 2>/dev/null
		python3 - $trace <<-'EOF'
			import csv, json, sys
			events = [json.loads(line) for line in open("events.jsonl", encoding="utf-8")]
			assert {"sched_switch", "sched_wakeup", "sched_migrate_task"} <= {event["event"] for event in events}
			switches = [event for event in events if event["event"] == "sched_switch"]
			rows = list(csv.DictReader(open("rows.csv", encoding="latin-1", newline="")))
			assert len(switches) == len(rows) > 100
			for event, row in zip(switches, rows):
			    if sys.argv[1] == "trace.txt":  # the typed states of a text trace have limits, its words have none
			        event["prev_state"] = row["prev_state"]
			    assert (event["ts_ns"], str(event["cpu"]), event["prev_state"], str(event["prev_pid"]), str(event["next_pid"])) == \
			        (int(row["timestamp"].replace(".", "")), row["cpu"], row["prev_state"], row["prev_pid"], row["pid"]), event
		EOF
	done
}

# bats test_tags=slow
@test "export: the text says the same of every event as trace-cmd" {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	made
	"$PICKNEXT" export --ns trace.dat 2>/dev/null |
		sed -n -E 's/^.{16}-[0-9]+ +(\[[0-9]+\]) .{5} +([0-9.]+): ([a-z_]+: .*)/\1 \2: \3/p' >ours
	trace-cmd report -N -t -i trace.dat 2>/dev/null |
		sed -n -E 's/^ *.*-[0-9]+ +(\[[0-9]+\]) +([0-9.]+): ([a-z_]+): +/\1 \2: \3: /p' >theirs
	[ "$(wc -l <ours)" -gt 1000 ]
	cmp ours theirs
}

@test "export: what was lost between two events has a line of its own" {
	made
	"$PICKNEXT" export trace.dat -o text 2>warnings
	grep -q -E '^CPU:[0-9]+ \[LOST ([0-9]+ )?EVENTS\]$' text
	cat warnings
	[ "$(wc -l <warnings)" -eq 1 ]
	grep -q 'warning: trace.dat: .*3928 events.*1383 on CPU 0.*989 on CPU 1' warnings
}

# bats test_tags=slow
@test "export: protoc decodes the Perfetto trace to the end" {
	command -v protoc >/dev/null || skip "protoc is not installed"
	made
	"$PICKNEXT" export -q --format perfetto trace.dat -o trace.perfetto-trace 2>/dev/null
	protoc --decode_raw <trace.perfetto-trace >decoded
	"$PICKNEXT" export -q --ns trace.dat -o text 2>/dev/null
	# Within a bundle (1, in a packet, 1) each event (2) holds one message: 4 switches, 17 and 114 wakeups, 491 migrations.
	for pair in "4 sched_switch" "17 sched_wakeup" "114 sched_wakeup_new" "491 sched_migrate_task"; do
		read -r field name <<<"$pair"
		ours=$(grep -c "^      $field {" decoded || true)
		[ "$ours" -eq "$(grep -c -a ": $name: " text || true)" ] || { echo "$name: $ours"; return 1; }
	done
	grep -q '^    3: 1$' decoded # lost_events
}

@test "export: a Perfetto trace is not written to a terminal, and --ns is not for it" {
	made
	"$PICKNEXT" export -q -f perfetto trace.dat -o file 2>/dev/null
	"$PICKNEXT" export -q -f perfetto trace.dat 2>/dev/null | cmp - file
	command -v script >/dev/null || skip "script is not installed"
	run script -q -e -c "'$PICKNEXT' export -f perfetto trace.dat" /dev/null </dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"-o "* ]]
	run "$PICKNEXT" export -f perfetto --ns -o x trace.dat
	[ "$status" -eq 2 ]
	[ ! -e x ]
}

@test "export: a missing file, a wrong one, and a cut one are told apart" {
	run "$PICKNEXT" export nowhere.dat
	[ "$status" -eq 4 ]
	[[ $output == *"nowhere.dat"*"No such file"* ]]
	echo "# tracer: nop" >wrong.dat
	run "$PICKNEXT" export wrong.dat
	[ "$status" -eq 3 ]
	[[ $output == *"wrong.dat"* ]]
	made
	head -c 100000 trace.dat >cut.dat
	"$PICKNEXT" export cut.dat -o cut.txt 2>/dev/null
	[ "$(grep -c -a ': sched_' cut.txt)" -gt 100 ]
	run "$PICKNEXT" export
	[ "$status" -eq 2 ]
}

@test "export: a full disk and a reader that stops are told of, and no part of a file is left" {
	made
	run "$PICKNEXT" export trace.dat -o /dev/full
	[ "$status" -eq 75 ]
	[[ $output == *"/dev/full"*"No space"* ]]
	run "$PICKNEXT" export trace.dat -o nowhere/text
	[ "$status" -eq 4 ]
	run "$PICKNEXT" export trace.dat -o .
	[ "$status" -eq 2 ]
	"$PICKNEXT" export trace.dat 2>messages | head -n 1 >first
	grep -q '^# tracer: nop' first
	[ "$(grep -c -v warning messages)" -eq 0 ]
}

@test "export: the trace itself is never overwritten, exit 2" {
	made
	mv trace.dat own.dat
	before=$(sha256sum <own.dat)
	run "$PICKNEXT" export own.dat -o ./own.dat
	[ "$status" -eq 2 ]
	[[ $output == *"own.dat: "* ]]
	[ "$(sha256sum <own.dat)" = "$before" ]
}
