#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext timeline on a trace of ten events, a mark and a loss: lines, map and rows as they were worked out by hand.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_TEST_DIRNAME/timeline" || return
	OUT=$BATS_TEST_TMPDIR
}

# times OPTION...: the first column of the lines that are switches.
times() {
	"$PICKNEXT" timeline "$@" trace.txt | awk -F'|' 'NF == 4 && /\[/ { print $1 + 0 }' | tail -n +2 | tr '\n' ' '
}

@test "timeline: one line a switch, marks and losses in their places" {
	"$PICKNEXT" timeline trace.txt | diff lines.txt -
	"$PICKNEXT" timeline - <trace.txt | tail -n +2 | diff <(tail -n +2 lines.txt) -
	"$PICKNEXT" timeline -o "$OUT/lines" trace.txt 2>"$OUT/err"
	diff lines.txt "$OUT/lines"
}

@test "timeline: the map has a column a CPU" {
	"$PICKNEXT" timeline --map trace.txt | diff map.txt -
	[ "$("$PICKNEXT" timeline --map --cpu 1 trace.txt | grep -c '|  *\*')" -eq 3 ]
}

@test "timeline: CSV and JSON hold the same, to the nanosecond" {
	"$PICKNEXT" timeline --csv trace.txt 2>"$OUT/err" | cmp rows.csv -
	grep -q '^10 events' "$OUT/err"
	"$PICKNEXT" timeline --json trace.txt >"$OUT/rows.json"
	python3 - "$OUT/rows.json" <<-'END'
		import csv, json, sys
		events = json.load(open(sys.argv[1]))["events"]
		rows = list(csv.DictReader(open("rows.csv", newline="")))
		assert len(rows) == len(events) == 10
		for row, event in zip(rows, events):
		    assert int(row["ts_ns"]) == event["ts_ns"] and row["kind"] == event["kind"]
		    if event["kind"] == "switch":
		        assert row["next_comm"] == event["next"]["comm"] and int(row["prev_pid"]) == event["prev"]["pid"]
		        assert row["prev_state"] == event["prev_state"]
		        assert row["runtime_ns"] == ("" if event["runtime_ns"] is None else str(event["runtime_ns"]))
		assert events[3]["text"] == "second phase" and events[5]["lost_events"] == 12
	END
}

# bats test_tags=slow
@test "timeline: by CPU, task, time, mark and number" {
	[ "$(times)" = "0 0.3 0.45 0.67 1.23 13.63 14 14.001 " ]
	[ "$(times --cpu 1)" = "0.3 1.23 13.63 " ]
	[ "$(times --comm 'a, ?')" = "14 14.001 " ]
	[ "$(times --comm 'X*' --pid 1)" = "0.45 0.67 1.23 " ]
	[ "$(times --from 0.0004 --to 0.01363)" = "0.45 0.67 1.23 " ]
	[ "$(times --from-mark 'second phase')" = "0.67 1.23 13.63 14 14.001 " ]
	[ "$(times --to-mark 'second phase')" = "0 0.3 0.45 " ]
	[ "$(times --head 2)" = "0 0.3 " ]
	[ "$(times --head 1 --pid 77)" = "14 " ]
	[ "$("$PICKNEXT" timeline --head 9 trace.txt trace.txt | grep -c '^# trace.txt')" -eq 2 ]
	[ "$("$PICKNEXT" timeline --head 8 trace.txt trace.txt | grep -c '^# trace.txt')" -eq 1 ]
}

@test "timeline: what it refuses" {
	run -2 "$PICKNEXT" timeline --map --json trace.txt
	[[ $output == *"--map "* ]]
	run -2 "$PICKNEXT" timeline --pid -1 trace.txt
	run -2 "$PICKNEXT" timeline --head 0 trace.txt
	run -4 "$PICKNEXT" timeline "$OUT/none.dat"
	run -3 "$PICKNEXT" timeline ../timeline.bats
	cp trace.txt "$OUT/own.txt"
	run -2 "$PICKNEXT" timeline -o "$OUT/own.txt" "$OUT/own.txt"
	cmp trace.txt "$OUT/own.txt"
}

# bats test_tags=slow
@test "timeline: what stands before a damaged page is printed" {
	"${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/tools/make_trace" "$OUT/bad.dat"
	# The page that says it holds more than a page can.
	python3 - "$OUT/bad.dat" <<-'END'
		import sys
		data = bytearray(open(sys.argv[1], "rb").read())
		pages = len(data) - 60 * 4096
		data[pages + 12 * 4096 + 8] = 0xff
		data[pages + 12 * 4096 + 9] = 0xff
		open(sys.argv[1], "wb").write(data)
	END
	local code=0
	"$PICKNEXT" timeline "$OUT/bad.dat" >"$OUT/lines" 2>"$OUT/err" || code=$?
	[ "$code" -eq 3 ]
	[ "$(wc -l <"$OUT/lines")" -gt 50 ]
	grep -q 'CPU 0, page 12: .*65535' "$OUT/err"
}

@test "timeline: a thread that calls exec runs on, and the map has its new PID" {
	{
		echo "# tracer: nop"
		echo "  <idle>-0 [000] d..2. 10.000100: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=main next_pid=7 next_prio=120"
		echo "  main-7 [000] d..2. 10.000200: sched_switch: prev_comm=main prev_pid=7 prev_prio=120 prev_state=Z ==> next_comm=main next_pid=8 next_prio=120"
		echo "  main-7 [000] d..2. 10.000300: sched_switch: prev_comm=main prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=other next_pid=9 next_prio=120"
		echo "  other-9 [000] d..2. 10.000400: sched_switch: prev_comm=other prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=main next_pid=7 next_prio=120"
	} >"$BATS_TEST_TMPDIR/exec.txt"
	"$PICKNEXT" timeline --csv "$BATS_TEST_TMPDIR/exec.txt" >"$BATS_TEST_TMPDIR/rows"
	grep -q ',main,7,120,R,100000,other,9,' "$BATS_TEST_TMPDIR/rows"
	"$PICKNEXT" timeline --map "$BATS_TEST_TMPDIR/exec.txt" >"$BATS_TEST_TMPDIR/map"
	cat "$BATS_TEST_TMPDIR/map"
	grep -q 'B0 => main:8$' "$BATS_TEST_TMPDIR/map"
	grep -q '0.300 | \*B0  B0 => main:7$' "$BATS_TEST_TMPDIR/map"
}
