# SPDX-License-Identifier: MIT
# The analyses on a trace whose truth is known, for tests of several kernels: `load truth` after `load vm`. Programs of
# tests/guest-tools do work in one guest of which is known how often, how long, where and why it ran (known_truth), with
# which priorities (priorities), and why it moved (causes); and slow references in Python have their own account. The
# guest is deterministic: whether the scheduler makes each of these moves does not depend on how busy the machine is.

setup() {
	make_short_tmpdir
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

# follow_priorities TRACE: what inversions says of the tasks of priorities.c, and that it is what an own account of the
# kernel's text says, to the nanosecond.
follow_priorities() {
	[ "$(said priority_rounds)" = 4 ]
	"$PICKNEXT" export --format text --ns "$1" >"$BATS_TEST_TMPDIR/trace.txt"
	grep -q ' sched_pi_setprio: comm=pi-low ' "$BATS_TEST_TMPDIR/trace.txt"
	python3 "$TOP/tests/support/reference_inversions.py" "$BATS_TEST_TMPDIR/trace.txt" pi-mid cut-mid set-mid dl-task \
		>"$BATS_TEST_TMPDIR/reference.json"
	"$PICKNEXT" inversions --nice --by comm --threshold 0 --top 0 --json "$1" >"$BATS_TEST_TMPDIR/inversions0.json"
	python3 - "$BATS_TEST_TMPDIR" <<-'END'
		import collections, json, sys
		ours, theirs = collections.Counter(), collections.Counter()
		long = collections.Counter()
		for p in json.load(open(sys.argv[1] + "/inversions0.json"))["pairs"]:
		    assert p["waiting_prio"] < p["running_prio"], p
		    if p["waiting_comm"] in ("pi-mid", "cut-mid", "set-mid", "dl-task"):
		        ours[f"{p['waiting_comm']}/{p['waiting_prio']}"] += p["total_ns"]
		        long[p["waiting_comm"], p["running_comm"], p["running_prio"]] += p["total_ns"]
		for pair, ns in json.load(open(sys.argv[1] + "/reference.json")).items():
		    theirs[pair.split()[0]] += ns
		print(ours, theirs, long, sep="\n")
		assert +ours == +theirs and len(+ours) >= 3
		assert {prio for waiting, running, prio in long if (waiting, running) == ("cut-mid", "cut-low")} == {120}
	END
}

# follow_migrations TRACE LINE: each migration's cause is true or unknown, with stacks and without; causes.c has provoked
# all of these; and what it did to its own tasks is told of these.
follow_migrations() {
	local name names=("c-fork fork" "c-exec exec" "c-burn pull" "c-act active-balance" "c-self self" "c-other affinity"
		"c-queued affinity" "c-rt rt-push" "c-dl rt-push" "c-hot hotplug")
	# 5.10 moves these when the CPU is offline, and its tracepoints are off.
	[ "$2" != 5.10 ] || unset 'names[-1]'
	python3 "$TOP/tests/support/migration_truth.py" "$PICKNEXT" "$1" wakeup "${names[@]#* }"
	for name in "${names[@]}"; do
		grep -q "^provoked ${name% *} " "$log"
		"$PICKNEXT" migrations --list --csv -q "$1" | grep -q ",${name% *},.*,${name#* },true,"
	done
}

boot_and_ask() { # LINE
	local tool added=() tools=$TOP/build/guest-tools
	need_vm "$1"
	need_new_qemu
	need_trace_cmd
	[ -x "$tools/known_truth" ] || skip "no $tools/known_truth (make unit-programs)"
	for tool in known_truth priorities causes; do
		added+=(--add "$tools/$tool:/bin/$tool")
	done
	timeout 600 "$PICKNEXT" vm --mode deterministic --no-results --kernel "$(kernel "$1")" --cpus 3 "${added[@]}" --migration-stacks -w exec:truth,hackbench_pipe_small --runs 1 \
		--scale 0.02 -o "$BATS_TEST_TMPDIR/out" -- \
		sh -c 'known_truth && echo -1 >/proc/sys/kernel/sched_rt_runtime_us && priorities && causes'
	raw=$(find "$BATS_TEST_TMPDIR/out" -name raw)
	log=$raw/truth_run1.log
	cat "$log"
	analysis stat --top 0 "$raw/truth_run1.dat"
	analysis latency --top 0 "$raw/truth_run1.dat"
	analysis affinity --top 0 "$raw/truth_run1.dat"
	analysis inversions --top 0 "$raw/truth_run1.dat"

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

	# Two tasks of each exec: the first thread, and the second, whose events contradict nothing when its PID changes.
	[ "$(said execs)" = 4 ]
	[ "$(json "$BATS_TEST_TMPDIR/stat.json" "sorted(t['comm'] for t in d['tasks'] if t['comm'].startswith('exec-'))")" = \
		"['exec-leaf', 'exec-leaf', 'exec-leaf', 'exec-leaf', 'exec-main', 'exec-main', 'exec-main', 'exec-main']" ]
	python3 -c "assert $(of exec-leaf cpu_time_ns) >= 4 * 7e6"
	[ "$(json "$BATS_TEST_TMPDIR/stat.json" "sum(c['unknown_ns'] for c in d['cpus'])")" = 0 ]

	# The one waited while the other ran, and nobody else with them; for no longer than it waited in all. What priorities
	# does is below.
	[ "$(json "$BATS_TEST_TMPDIR/inversions.json" \
		"{(p['waiting_comm'], p['waiting_prio'], p['running_comm'], p['running_prio']) for p in d['pairs'] if p['longest_ns'] > 2e7 and p['waiting_comm'].startswith(('rt-', 'low-', 'ping', 'pong', 'burner', 'mover'))}")" = \
		"{('rt-burner', 49, 'low-burner', 120)}" ]
	python3 - "$BATS_TEST_TMPDIR" <<-'END'
		import json, sys
		inverted = sum(p["total_ns"] for p in json.load(open(sys.argv[1] + "/inversions.json"))["pairs"] if p["waiting_comm"] == "rt-burner")
		waited = sum(t["wait_sum_ns"] for t in json.load(open(sys.argv[1] + "/latency.json"))["preempted"] if t["comm"] == "rt-burner")
		print(f"rt-burner: {inverted} ns inverted of {waited} ns that it waited")
		assert 0.8 * waited < inverted <= waited
	END

	follow_priorities "$raw/truth_run1.dat"
	follow_migrations "$raw/truth_run1.dat" "$1"

	# Every figure of every task.
	python3 "$TOP/tests/support/analysis_agrees.py" "$PICKNEXT" "$raw/truth_run1.dat"
	python3 "$TOP/tests/support/analysis_agrees.py" "$PICKNEXT" "$raw/hackbench_pipe_small_run1.dat"
	check_nothing_left
}
