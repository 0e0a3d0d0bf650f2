#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# analysis/NAME.txt are traces with comments that say what happens; the CSV files are what follows from them, worked out
# by hand.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	GOLDEN=$BATS_TEST_DIRNAME/analysis
	cd "$BATS_TEST_TMPDIR" || return
}

# FILE.csv COMMAND... [TRACE is appended]
same() {
	local golden=$1 trace=${1%%.*}.txt
	shift
	diff -u "$GOLDEN/$golden" <(cd "$GOLDEN" && "$PICKNEXT" "$@" --csv "$trace" 2>"$BATS_TEST_TMPDIR/verdict")
}

@test "stat: tasks and CPUs of two CPUs" {
	same two_cpus.stat-task.csv stat
	grep -qx '20 events, 0.000600 s, 2 CPUs, no events lost' "$BATS_TEST_TMPDIR/verdict"
	same two_cpus.stat-cpu.csv stat --by cpu
}

# bats test_tags=slow
@test "stat --pairs: who preempted whom, who woke whom, by task, name and role" {
	same two_cpus.pairs.csv stat --pairs
	"$PICKNEXT" stat --pairs --json "$GOLDEN/two_cpus.txt" | python3 -c '
import json, sys
found = json.load(sys.stdin)
# From the comments: waits of the woken tasks, of which one is forked and one is woken by an interrupt.
assert [(w["waker"], w["woken"], w["times"], w["forks"], w["wait_sum_ns"]) for w in found["wakeups"]] == [
	("alpha", "beta", 2, 0, 20000), ("beta", "gamma", 1, 1, 20000), ("beta", "alpha", 1, 0, 5000),
	("swapper/1", "beta", 1, 0, 4000)], found["wakeups"]'
	# Roles are the same in both runs, tasks are not.
	"$PICKNEXT" stat -q --pairs --by role --csv "$GOLDEN/two_cpus.txt" "$GOLDEN/two_cpus.txt" >roles
	grep -qx ',,,beta#1,,alpha#1,,2,2,2,100000,50000,50000,2,100000,50000,50000,' roles
	[ "$("$PICKNEXT" stat -q --pairs --csv "$GOLDEN/two_cpus.txt" "$GOLDEN/two_cpus.txt" | cut -d, -f1 | sort | uniq -c | tr -s ' \n' ' ')" = " 2 0 2 1 1 run " ]
	# One of both is chosen.
	[ "$("$PICKNEXT" stat -q --pairs --comm gamma --csv "$GOLDEN/two_cpus.txt" | wc -l)" = 2 ]
	run "$PICKNEXT" stat --pairs --by cpu "$GOLDEN/two_cpus.txt"
	[ "$status" -eq 2 ]
	[[ $output == *"--by task, comm, role, cgroup or process"* ]]
}

@test "stat --by role: the same role of several runs is one row" {
	"$PICKNEXT" stat -q --by role --csv "$GOLDEN/two_cpus.txt" "$GOLDEN/two_cpus.txt" >roles
	grep -q '^role,tasks,cpu_time_ns' roles
	grep -q '^alpha#1,2,670000,' roles
	"$PICKNEXT" latency -q --by role --csv "$GOLDEN/two_cpus.txt" | grep -q '^gamma#1,1,1,'
}

# The kinds of pulls are those of picknext migrations, whatever rows there are.
# bats test_tags=slow
@test "stat: pulls by kind, and active balances" {
	for by in task comm role cgroup process cpu; do
		for kernel in 6.1 6.12; do
			gunzip -c "$GOLDEN/../keys/$kernel.dat.gz" >keys.dat
			"$PICKNEXT" stat -q --by $by --top 0 --json keys.dat >stat.json
			"$PICKNEXT" migrations -q --list --json keys.dat >list.json
			python3 - $by <<-'PYTHON'
				import collections, json, sys
				key = {"process": "processes", "cpu": "work_by_cpu"}.get(sys.argv[1], sys.argv[1] + "s")
				rows = json.load(open("stat.json"))[key]
				moves = json.load(open("list.json"))["migrations"]
				wanted = collections.Counter("pull_" + m["pull"] if m["cause"] == "pull" else m["cause"] for m in moves)
				for key in ("pull_newidle", "pull_periodic", "pull_nohz", "pull_unknown", "active_balance"):
				    assert sum(row[key] for row in rows) == wanted[key.replace("e_b", "e-b")], (key, rows, wanted)
				assert wanted["pull_newidle"] + wanted["pull_periodic"] > 0
				if sys.argv[1] == "task":
				    pulled = sorted(str(m["pid"]) for m in moves if m["cause"] == "pull")
				    assert pulled == sorted(str(r["pid"]) for r in rows for _ in range(
				        sum(r[k] for k in r if k.startswith("pull_")))), pulled
			PYTHON
		done
	done
}

@test "stat: a window cuts what lies over its edges" {
	same two_cpus.window.csv stat --by comm --from 0.0001 --to 0.0004
}

@test "latency: wakeups and preemptions of two CPUs" {
	same two_cpus.latency-task.csv latency
	same two_cpus.latency-cpu.csv latency --by cpu
}

@test "stat and latency: lost events, a missing switch, a PID used twice, a new name, kworkers as one" {
	same lossy.stat-comm.csv stat --by comm --merge-kworkers
	grep -q '\<7 events lost.*\<1 switch.*picknext check' "$BATS_TEST_TMPDIR/verdict"
	same lossy.latency-comm.csv latency --by comm --merge-kworkers
}

@test "stat and latency: kworkers as one that were or become other tasks, in one run and in two" {
	same kworkers.stat.csv stat --merge-kworkers --no-idle
	same kworkers.latency.csv latency --merge-kworkers
	diff -u "$GOLDEN/kworkers.stat-twice.csv" <(cd "$GOLDEN" && "$PICKNEXT" stat -q --merge-kworkers --no-idle --csv \
		kworkers.txt kworkers.txt)
}

# bats test_tags=slow
@test "stat and latency: a kernel that leaves out the switches from an idle task" {
	same hidden_idle.stat.csv stat --no-idle --top 0
	# As counted by hand from the events of rcu_preempt: 55 us, and three runs that began after their wakeups.
	grep -qE '^15,rcu_preempt,kernel,55000,86000,.*,10,0,0,7,,' "$GOLDEN/hidden_idle.stat.csv"
	same hidden_idle.latency.csv latency --by comm --top 0
	# Rows without known waits come last, in each kind of waits.
	python3 - "$GOLDEN/hidden_idle.latency.csv" <<-'PYTHON'
		import csv, itertools, sys
		kinds = [[row["wait_max_ns"] for row in rows]
		         for _, rows in itertools.groupby(csv.DictReader(open(sys.argv[1])), lambda row: row["wait"])]
		assert len(kinds) == 2 and "" in kinds[0], kinds
		for waits in kinds:
		    assert waits == sorted(waits, key=lambda wait: int(wait or -1), reverse=True), waits
	PYTHON
	"$PICKNEXT" check "$GOLDEN/hidden_idle.txt" | tr -s ' \n' ' ' | grep -q '15 of 122 switches are missing, 12 of them from idle'
}

@test "idle-waiting and inversions: the stopper of a CPU that goes offline waits no longer" {
	same offline.idle-waiting-any.csv idle-waiting --may-use any
	same offline.inversions.csv inversions --threshold 0
}

@test "affinity: CPUs and changes on two CPUs" {
	same two_cpus.affinity.csv affinity
}

@test "idle-waiting: on two CPUs, where the task was seen and where any would do" {
	same two_cpus.idle-waiting.csv idle-waiting
	same two_cpus.idle-waiting-any.csv idle-waiting --may-use any
}

# bats test_tags=slow
@test "inversions: who waited for whom, above the threshold and of the real-time class" {
	same inverted.csv inversions --nice --threshold 10
	same inverted.real-time.csv inversions --threshold 1
	# A nice level says nothing of tasks whose groups are not known.
	[ -z "$("$PICKNEXT" inversions --threshold 1 --csv "$GOLDEN/inverted.txt" 2>/dev/null | awk -F, 'NR > 1 && $3 >= 100')" ]
	[ "$("$PICKNEXT" inversions --nice --threshold 1 --top 2 --json "$GOLDEN/inverted.txt" |
		python3 -c 'import json, sys; d = json.load(sys.stdin); print(len(d["longest"]), len(d["pairs"]))')" = "2 2" ]
	[ -z "$("$PICKNEXT" inversions --nice --csv "$GOLDEN/two_cpus.txt" 2>/dev/null | tail -n +2)" ]
}
