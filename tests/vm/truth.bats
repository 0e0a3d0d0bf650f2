#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The analyses on traces whose truth is known: tests/guest-tools/known_truth.c does work in a guest of which is known how
# often, how long and where it ran, and says so; and a slow reference in Python has its own account of every task.

load vm

setup() {
	make_short_tmpdir
	tool=$TOP/build/guest-tools/known_truth
}

teardown() {
	rm -rf "$TMPDIR"
}

# analysis COMMAND [OPTIONS...] FILE: its JSON, in $BATS_TEST_TMPDIR/COMMAND.json.
analysis() {
	"$PICKNEXT" "$@" --json >"$BATS_TEST_TMPDIR/$1.json" 2>/dev/null
}

# said NAME: a figure that known_truth printed.
said() {
	awk -v name="$1" '$1 == name { print $2 }' "$log"
}

# of TASK KEY: a figure of stat.
of() {
	json "$BATS_TEST_TMPDIR/stat.json" "sum(t['$2'] for t in d['tasks'] if t['comm'] == '$1')"
}

boot_and_ask() { # LINE
	need_vm "$1"
	[ -x "$tool" ] || skip "no $tool (make unit-programs)"
	vm --kernel "$(kernel "$1")" --add "$tool:/bin/known_truth" -w exec:truth,hackbench_pipe_small --runs 1 --scale 0.02 \
		-o "$BATS_TEST_TMPDIR/out" -- known_truth
	raw=$(find "$BATS_TEST_TMPDIR/out" -name raw)
	log=$raw/truth_run0.log
	cat "$log"
	analysis stat --top 0 "$raw/truth_run0.dat"
	analysis latency --top 0 "$raw/truth_run0.dat"
	analysis affinity --top 0 "$raw/truth_run0.dat"
	analysis inversions --top 0 --real-time "$raw/truth_run0.dat"

	# Each hand-over is one wakeup, of a task that sleeps; pong is also woken when it was made, as ping.
	[ "$(said rounds)" = 400 ]
	[ "$(of ping wakeups)" = 401 ]
	[ "$(of pong wakeups)" = 401 ]
	[ "$(of ping spurious_wakeups)" = 0 ]
	[ "$(json "$BATS_TEST_TMPDIR/latency.json" \
		"[(t['comm'], t['waits']) for t in sorted(d['wakeup'], key=lambda t: t['comm']) if t['comm'] in ('ping', 'pong')]")" = \
		"[('ping', 401), ('pong', 401)]" ]

	# The burner's CPU time by the kernel's account, from its birth to its end, against the trace.
	echo "burner: $(said burner_cpu_time_ns) ns by the kernel's account, $(of burner cpu_time_ns) ns by the trace"
	python3 -c "own, traced = $(said burner_cpu_time_ns), $(of burner cpu_time_ns); assert abs(traced - own) < 0.03 * own"

	# Every change of its affinity moved the mover, and nothing else did.
	[ "$(of mover migrations)" = "$(said moves)" ]
	[ "$(json "$BATS_TEST_TMPDIR/affinity.json" \
		"[(t['changes'], t['cpus']) for t in d['tasks'] if t['comm'] == 'mover']")" = "[($(said moves), '0-1')]" ]

	# The one waited while the other ran, and nobody else with them; for no longer than it waited in all. A stopper thread
	# that was just woken waits for long where the host holds the guest up at that moment.
	[ "$(json "$BATS_TEST_TMPDIR/inversions.json" \
		"{(p['waiting_comm'], p['waiting_prio'], p['running_comm'], p['running_prio']) for p in d['pairs'] if p['longest_ns'] > 2e7 and not p['waiting_comm'].startswith('migration/')}")" = \
		"{('rt-burner', 49, 'low-burner', 120)}" ]
	python3 - "$BATS_TEST_TMPDIR" <<-'END'
		import json, sys
		inverted = sum(p["total_ns"] for p in json.load(open(sys.argv[1] + "/inversions.json"))["pairs"] if p["waiting_comm"] == "rt-burner")
		waited = sum(t["wait_sum_ns"] for t in json.load(open(sys.argv[1] + "/latency.json"))["preempted"] if t["comm"] == "rt-burner")
		print(f"rt-burner: {inverted} ns inverted of {waited} ns that it waited")
		assert 0.8 * waited < inverted <= waited
	END

	# Every figure of every task.
	python3 "$TOP/tests/support/analysis_agrees.py" "$PICKNEXT" "$raw/truth_run0.dat"
	python3 "$TOP/tests/support/analysis_agrees.py" "$PICKNEXT" "$raw/hackbench_pipe_small_run0.dat"
	check_nothing_left
}

@test "truth: what is known of a trace of 6.1 is what the analyses say" {
	boot_and_ask 6.1
}

@test "truth: what is known of a trace of 6.12 is what the analyses say" {
	boot_and_ask 6.12
}
