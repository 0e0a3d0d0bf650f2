#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext diff on a trace of nineteen events and on traces made of it, each with one thing changed (diff/recipes.bash).

bats_require_minimum_version 1.5.0

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	. "$BATS_TEST_DIRNAME/diff/recipes.bash"
	cp "$BATS_TEST_DIRNAME/diff/"{trace.txt,missing.out,missing.csv} "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# verdict RECIPE OPTION...: the line that says it all, behind the exit code.
verdict() {
	local code=0
	recipe "$1" >"$1.txt"
	"$PICKNEXT" diff "${@:2}" trace.txt "$1.txt" >"$1.diff" || code=$?
	echo "$code $(sed -n 3p "$1.diff")"
}

@test "diff: two switches that one has not, as a whole" {
	recipe missing >missing.txt
	run -1 "$PICKNEXT" diff trace.txt missing.txt
	diff missing.out - <<<"$output"
	run -1 "$PICKNEXT" diff --csv -q trace.txt missing.txt
	cmp missing.csv <(printf '%s\n' "$output")
	run -1 "$PICKNEXT" diff -o out trace.txt missing.txt
	diff missing.out out
	[ "$output" = "The traces differ from switch 3 of CPU 0 on, 0.000300 s into A and 0.000420 s into B." ]
}

# bats test_tags=slow
@test "diff: PIDs, the clock's start and times are no difference, and are told" {
	local same='0 The same switches on every CPU, in the same order'
	[ "$(verdict renumbered)" = "$same and at the same times; PIDs differ." ]
	grep -q '^Tasks: 4 .*\<4\>.*\<0 only in A, 0 only in B' renumbered.diff
	[ "$(verdict later)" = "$same and with the same times since the first event." ]
	[ "$(verdict slower)" = "$same; times differ by up to 1000.000 us." ]
	[ "$(verdict woken_elsewhere)" = "$same and at the same times." ]
	cp trace.txt other.txt
	"$PICKNEXT" diff trace.txt - <other.txt | grep -qF 'B: standard input'
}

# bats test_tags=slow
@test "diff: the schedulers of both, by the marks of their runs" {
	local mark='          make-501     [000] ..... 100.000010: tracing_mark_write: scheduler'
	sed "/100.000000/a\\$mark none disabled 3" trace.txt >own.txt
	sed "/100.000000/a\\$mark simple enabled 3" trace.txt >simple.txt
	"$PICKNEXT" diff own.txt simple.txt >shown
	[ "$(head -n 2 shown)" = "A: own.txt, the kernel's own scheduler
B: simple.txt, scheduler simple" ]
	"$PICKNEXT" diff trace.txt simple.txt --json >shown
	[ "$(python3 -c 'import json; print([t["scheduler"] for t in json.load(open("shown"))["traces"]])')" = "[None, 'simple']" ]
	"$PICKNEXT" diff trace.txt own.txt --json >shown
	[ "$(python3 -c 'import json; print([t["scheduler"] for t in json.load(open("shown"))["traces"]])')" = "[None, 'none']" ]
}

# bats test_tags=slow
@test "diff: another task, another order, no such CPU, an early end, a loss" {
	[ "$(verdict other)" = "1 The traces differ from switch 6 of CPU 0 on, 0.000500 s into A and 0.000500 s into B." ]
	# The next switches of both, and those at the same place if they are the same.
	[ "$(grep -A 3 '^-        6 ' other.diff)" = "\
-        6     0.500            make [501] S -> worker#2 [503]
+        6               0.500  make [501] S -> kworker/0:1 [31]
         7     0.700     0.700  worker#2 [503] Z -> make [501]
         8     0.800     0.800  make [501] S -> swapper/0 [0]" ]
	grep -qx '0  *8  *8  *5  *0\.500  *0\.500' other.diff
	[ "$(verdict swapped)" = "1 The traces differ from switch 3 of CPU 0 on, 0.000300 s into A and 0.000320 s into B." ]
	[ "$(verdict one_cpu)" = "1 The traces differ from switch 1 of CPU 1 on, 0.000080 s into A and at the end of B." ]
	grep -qx '1  *4  *0  *0  *0\.080  *-' one_cpu.diff
	[ "$(verdict stopped)" = "1 The traces differ from switch 6 of CPU 0 on, 0.000500 s into A and at the end of B." ]
	[ "$(verdict lossy)" = "1 The traces differ from switch 4 of CPU 0 on, 0.000320 s into A and 0.000300 s into B." ]
	grep -q '\<3 events lost.*\<1\>' lossy.diff
}

# bats test_tags=slow
@test "diff: wakeups and migrations, names alone, some CPUs, a window of time" {
	[ "$(verdict woken_elsewhere --events all)" = \
		"1 The traces differ from event 3 of CPU 0 on, 0.000060 s into A and 0.000060 s into B." ]
	grep -qF -- 'starts worker#2 [503] for CPU 1' woken_elsewhere.diff
	# Which of the two workers comes is all that is different.
	sed '/100\.000500/s/next_pid=503/next_pid=502/' trace.txt >worker.txt
	run -1 "$PICKNEXT" diff trace.txt worker.txt
	run -0 "$PICKNEXT" diff --by comm trace.txt worker.txt
	[[ "$(verdict missing --cpu 1)" = "0 "* ]]
	[[ "$(verdict missing --from 0.00041)" = "0 "* ]]
	[[ "$(verdict missing --to 0.0003)" = "0 "* ]]
	[[ "$(verdict missing -n 0)" = "1 "* ]]
	run -1 grep -q 'CPU 0 there' missing.diff
	[[ "$(verdict missing --comm make)" = "0 "* ]]
	[ "$(verdict missing --comm 'kworker*')" = "1 The traces differ from switch 1 of CPU 0 on, 0.000300 s into A and at the end of B." ]
	[[ "$(verdict woken_elsewhere --events all --comm make)" = "0 "* ]]
}

# bats test_tags=slow
@test "diff: JSON says the same" {
	recipe missing >missing.txt
	recipe renumbered >renumbered.txt
	run -1 "$PICKNEXT" diff --json -o missing.json trace.txt missing.txt
	"$PICKNEXT" diff --json --tasks trace.txt renumbered.txt >renumbered.json
	"$PICKNEXT" diff --json trace.txt trace.txt >same.json
	python3 - <<'END'
import json
missing, renumbered, same = (json.load(open(n + ".json")) for n in ("missing", "renumbered", "same"))
assert missing["verdict"] == "differ"
first = missing["first_difference"]
assert (first["cpu"], first["number"]) == (0, 3), first
assert first["a"] == {"ts_ns": 100000300000, "since_first_ns": 300000,
    "event": "worker#1 [502] R+ -> kworker/0:1 [31]"}, first
cpu = missing["cpus"][0]
assert (cpu["events_a"], cpu["events_b"], cpu["same_before"]) == (8, 6, 2), cpu
assert cpu["first_b"] == "worker#1 [502] R -> make [501]", cpu
assert missing["cpus"][-1]["cpu"] is None and missing["cpus"][-1]["events_a"] == 12
assert renumbered["verdict"] == "same order" and not renumbered["times_differ"]
assert [(t["comm"], t["rank"], t["pid_a"], t["pid_b"]) for t in renumbered["tasks"]["list"]] == [
    ("make", 1, 501, 901), ("worker", 1, 502, 902), ("worker", 2, 503, 903), ("kworker/0:1", 1, 31, 77)], renumbered
assert same["verdict"] == "identical" and same["first_difference"] is None and same["trace"]["events"] == 38
END
}

# bats test_tags=slow
@test "diff --exact: to the last byte" {
	"$TOP/build/tools/make_trace" a.dat
	cp a.dat b.dat
	run -0 "$PICKNEXT" diff --exact a.dat b.dat
	[[ $output =~ ^[Ii]dentical.*\ [1-9][0-9]*\ events ]]
	run -0 "$PICKNEXT" diff --events all a.dat b.dat
	# A byte within the last event's name.
	python3 - <<'END'
data = bytearray(open("b.dat", "rb").read())
at = data.rfind(b"sixteen letters!")
data[at + 3] ^= 1
open("b.dat", "wb").write(data)
END
	run -1 "$PICKNEXT" diff --exact a.dat b.dat
	[[ ${lines[0]} =~ first\ [1-9][0-9]*\ events\ are\ identical ]]
	[[ ${lines[1]} == "A: "*"sixteen letters!"* ]]
	[[ ${lines[2]} == "B: "*"sixueen letters!"* ]]
	run -1 "$PICKNEXT" diff --exact --json a.dat b.dat
	[ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"])' <<<"$output")" = differ ]
	[ "$("$PICKNEXT" diff --exact trace.txt trace.txt)" = "Identical: 19 events, in all parsed fields of the text trace." ]
	recipe later >later.txt
	run -1 "$PICKNEXT" diff --exact trace.txt later.txt
	[ "${lines[2]}" = "B: 207.123000000 s, CPU 0: swapper/0 [0] R -> make [501]" ]
	recipe renumbered >renumbered.txt
	run -1 "$PICKNEXT" diff --exact trace.txt renumbered.txt
	[ "${lines[0]}" = "The traces differ from the first event on:" ]
	recipe stopped >stopped.txt
	run -1 "$PICKNEXT" diff --exact stopped.txt trace.txt
	[ "${lines[1]}" = "A: its end" ]
}

# bats test_tags=slow
@test "diff: what it refuses" {
	run -2 "$PICKNEXT" diff trace.txt
	run -2 "$PICKNEXT" diff trace.txt trace.txt trace.txt
	run -2 "$PICKNEXT" diff --by pid trace.txt trace.txt
	run -2 "$PICKNEXT" diff --exact --cpu 0 trace.txt trace.txt
	[[ $output == *--exact* ]]
	run -2 "$PICKNEXT" diff --exact --tasks trace.txt trace.txt
	# Two nothings are no agreement.
	run -2 "$PICKNEXT" diff --cpu 7 trace.txt trace.txt
	[[ $output == *"--cpu: "* ]]
	run -2 "$PICKNEXT" diff --events all --comm nobody trace.txt trace.txt
	[[ $output == *"--comm: "* ]]
	cp trace.txt other.txt
	run -2 "$PICKNEXT" diff -o trace.txt trace.txt other.txt
	[[ $output == *"trace.txt: "* ]]
	run -4 "$PICKNEXT" diff trace.txt none.dat
	run -3 "$PICKNEXT" diff trace.txt missing.out
	run -3 "$PICKNEXT" diff missing.csv trace.txt
	mkdir directory
	run -2 "$PICKNEXT" diff directory trace.txt
	[[ $output == *"directory: "* ]]
}

# run_of NAME FIRST: a run of cpu_bound_4p, before which the task FIRST runs, and which a kernel thread interrupts.
run_of() {
	echo '{"workload_name": "cpu_bound_4p", "kernel": "6.1.0"}' >"$1.json"
	switches >"$1.txt" <<-END
		0 0 $2 S swapper/0 0
		10 0 swapper/0 0 R picknext-lead 40
		20 0 picknext-lead 40 S cpu-bound 41
		30 0 cpu-bound 41 ${3:-R} cpu-bound 42
		34 0 cpu-bound 42 R ksoftirqd/0 14
		35 0 ksoftirqd/0 14 S cpu-bound ${4:-42}
		40 0 cpu-bound ${4:-42} S swapper/0 0
		45 0 swapper/0 0 R rcu_sched 15
		46 0 rcu_sched 15 S swapper/0 0
		50 0 swapper/0 0 R cpu-bound 41
	END
}

# Lines "US CPU PREV PID STATE NEXT PID" as the kernel's text.
switches() {
	printf '# tracer: nop\n#\n'
	while read -r us cpu prev prev_pid state next next_pid; do
		printf '%16s-%-7d [%03d] d..2. 100.%06d: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120\n' \
			"$prev" "$prev_pid" "$cpu" "$us" "$prev" "$prev_pid" "$state" "$next" "$next_pid"
	done
}

# bats test_tags=slow
@test "diff: of two runs of a workload, its own tasks from its start on" {
	run_of a 'rcuog/0 16'
	run_of b 'kworker/0:1 31'
	sed -i '/ksoftirqd/d; /rcu_sched/d' b.txt
	"$PICKNEXT" diff a.txt b.txt >shown
	[ "$(sed -n 3,4p shown)" = "The same switches on every CPU, in the same order and at the same times.
Only the tasks of the workload are compared, from its start (--all-tasks: all)." ]
	run -1 "$PICKNEXT" diff --all-tasks a.txt b.txt
	[[ $output = *"differ from switch 1 of CPU 0 on"*"rcuog/0"* ]]
	# The third switch of the workload: another of its tasks follows the kernel thread.
	run_of b 'kworker/0:1 31' R 41
	run -1 "$PICKNEXT" diff a.txt b.txt
	[[ $output = *"differ from switch 3 of CPU 0 on, 0.000040 s into A and 0.000035 s into B"* ]]
	grep -qF -- '+        3               0.035  cpu-bound#2 [42] R -> cpu-bound#1 [41]' <<<"$output"
	# A task that slept meanwhile is a difference.
	run_of b 'kworker/0:1 31' S
	run -1 "$PICKNEXT" diff --json a.txt b.txt
	python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["compared_tasks"] == "workload" and d["first_difference"]["number"] == 2' <<<"$output"
	# Without the metadata of both, or of two workloads: everything.
	echo '{"workload_name": "cpu_bound_8p"}' >b.json
	run -1 "$PICKNEXT" diff a.txt b.txt
	[[ $output = *"switch 1 of CPU 0"* && $output != *"Only the tasks"* ]]
	rm b.json
	run -1 "$PICKNEXT" diff a.txt b.txt
	[[ $output = *"switch 1 of CPU 0"* ]]
}
