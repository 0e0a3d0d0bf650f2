#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# After events of one CPU were lost, a task that is not running may have been woken or moved meanwhile: what depends on
# who waits for a CPU is empty until that CPU has been idle.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir raw
	{
		echo "# tracer: nop"
		line a-1 0 0 "sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120"
		line z-7 1 10 "sched_switch: prev_comm=z prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120"
		wakeup 100 a-1 b-2
		wakeup 110 a-1 c-3
		echo "CPU:1 [LOST 5 EVENTS]"
		line z-7 1 150 "sched_switch: prev_comm=z prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=y next_pid=8 next_prio=120"
		wakeup 200 a-1 d-4
		switch 300 a-1 S d-4
		switch 400 d-4 S b-2
		switch 500 b-2 S c-3
		switch 600 c-3 S swapper/0-0
		wakeup 700 "<idle>-0" d-4
		wakeup 710 "<idle>-0" b-2
		switch 720 swapper/0-0 R d-4
		line y-8 1 740 "sched_switch: prev_comm=y prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120"
		switch 800 d-4 S b-2
		switch 900 b-2 S swapper/0-0
	} >raw/t_run0.txt
}

line() { # TASK-PID CPU US EVENT
	printf '%16s-%-7d [%03d] d..2. %5d.%06d: %s\n' "${1%-*}" "${1##*-}" "$2" 10 "$3" "$4"
}

switch() { # US PREV-PID STATE NEXT-PID, on CPU 0
	line "$2" 0 "$1" "sched_switch: prev_comm=${2%-*} prev_pid=${2##*-} prev_prio=120 prev_state=$3 ==> next_comm=${4%-*} next_pid=${4##*-} next_prio=120"
}

wakeup() { # US WAKER-PID TASK-PID
	line "$2" 0 "$1" "sched_wakeup: comm=${3%-*} pid=${3##*-} prio=120 target_cpu=000"
}

# show FILE COLUMN...: these columns of a CSV, a line per row, with / between them.
show() {
	python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    print("/".join(row[name] for name in sys.argv[2:]))' "$@"
}

# bats test_tags=slow
@test "losses: a switch is no decision until the CPU has been idle, others are not counted until they have" {
	"$PICKNEXT" build -q -o . --task pick --allow lossy
	show all.csv time_ns candidates chosen others_waiting >shown
	cat shown
	# CPU 1 is idle from 740 on.
	diff - shown <<-'END'
		720000/2/0/
		800000/1/0/0
	END
	[ "$(python3 -c 'import json; print(json.load(open("dataset_meta.json"))["traces"][0]["switches_near_losses"])')" = 4 ]
}

# bats test_tags=slow
@test "losses: runnable_tasks is empty until the CPU has been idle" {
	"$PICKNEXT" export -q -f csv --columns extended raw/t_run0.txt >out.csv
	show out.csv task_name runnable_tasks | grep -v '^swapper/1' >shown
	cat shown
	diff - shown <<-'END'
		a/0
		y/
		d/
		b/
		c/
		swapper/0/0
		d/1
		b/0
		swapper/0/0
	END
}

# bats test_tags=slow
@test "losses: a wait that a loss may have cut is not known, for stat and latency" {
	"$PICKNEXT" latency --csv --top 0 raw/t_run0.txt >out.csv
	show out.csv wait comm waits waits_unknown wait_max_ns | sort >shown
	cat shown
	# d's first wait and its second one and b's second are whole; b and c were woken before the loss.
	diff - shown <<-'END'
		preempted/b/0/1/
		preempted/c/0/1/
		preempted/y/0/1/
		wakeup/b/1/1/
		wakeup/c/0/1/
		wakeup/d/2/0/100000
		wakeup/y/0/1/
	END
	"$PICKNEXT" stat --waits --csv --top 0 raw/t_run0.txt >out.csv
	show out.csv comm wakeup_waits wakeup_waits_unknown | grep '^[bcd]' | sort >shown
	diff - shown <<<$'b/1/1\nc/0/1\nd/2/0'
}

# bats test_tags=slow
@test "losses: idle-waiting and inversions have no values if it is not known who waited" {
	"$PICKNEXT" idle-waiting --csv raw/t_run0.txt >out.csv
	show out.csv cpu waited_ns unknown_ns >shown
	cat shown
	# From the loss, after the event at 110: CPU 0 until 600, CPU 1 until 740.
	diff - shown <<<$'0//490000\n1//630000\n//1120000'
	sed -e 's/comm=d pid=4 prio=120/comm=d pid=4 prio=130/; s/next_comm=d next_pid=4 next_prio=120/next_comm=d next_pid=4 next_prio=130/' \
		-e 's/prev_comm=d prev_pid=4 prev_prio=120/prev_comm=d prev_pid=4 prev_prio=130/' raw/t_run0.txt >low.txt
	"$PICKNEXT" inversions --nice --threshold 0 --csv low.txt >out.csv
	show out.csv waiting_comm running_comm times total_ns >shown
	diff - shown <<<'b/d//'
	grep -v LOST low.txt >whole.txt
	"$PICKNEXT" inversions --nice --threshold 0 --csv whole.txt >out.csv
	[ "$(show out.csv waiting_comm running_comm times total_ns | grep -c '/[1-9]')" -ge 2 ]
	# None that are seen are not none.
	run -0 "$PICKNEXT" inversions --threshold 1 low.txt
	[[ $output == *"in which the waiting tasks are known: none"* ]]
	run -0 "$PICKNEXT" inversions --threshold 1 whole.txt
	[[ $output == *"of at least 1 us: none"* ]]
}

@test "losses: metrics of who waits have no value" {
	grep -v LOST raw/t_run0.txt >whole.txt
	"$PICKNEXT" compare --as t whole.txt raw/t_run0.txt --allow lossy --csv >out.csv
	python3 - <<-'END'
		import csv
		rows = {row["metric"]: row for row in csv.DictReader(open("out.csv", newline=""))}
		for name in ("queue_imbalance", "run_queue_length", "idle_waiting_ms_per_s", "idle_waiting_long_ms_per_s",
		             "own_idle_waiting_ms_per_s"):
		    assert rows[name]["base_median"] and not rows[name]["head_median"], rows[name]
	END
}
