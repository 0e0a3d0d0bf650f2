#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build --columns extended: the further columns, in cases small enough to check by hand.

load ../support/json

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}


setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p raw
}

# columns NAME...: these columns of all.csv, a line for each row.
columns() {
	python3 - "$@" <<-'EOF'
		import csv, sys
		for row in csv.DictReader(open("all.csv", encoding="latin-1", newline="")):
		    print(" ".join(row[name] or "-" for name in sys.argv[1:]))
	EOF
}

# a line of a text trace: TASK-PID CPU TIME EVENT...
line() {
	printf '%16s-%-7d [%03d] d..2. %5d.%06d: %s\n' "${1%-*}" "${1##*-}" "$2" 10 "$3" "$4"
}

switch() { # CPU TIME PREV-PID STATE NEXT-PID
	line "$3" "$1" "$2" "sched_switch: prev_comm=${3%-*} prev_pid=${3##*-} prev_prio=120 prev_state=$4 ==> next_comm=${5%-*} next_pid=${5##*-} next_prio=110"
}

wakeup() { # CPU TIME WAKER-PID TASK-PID TARGET [_new]
	line "$3" "$1" "$2" "sched_wakeup${6-}: comm=${4%-*} pid=${4##*-} prio=110 target_cpu=00$5"
}

migrate() { # CPU TIME WHO-PID TASK-PID FROM TO
	line "$3" "$1" "$2" "sched_migrate_task: comm=${4%-*} pid=${4##*-} prio=110 orig_cpu=$5 dest_cpu=$6"
}

# bats test_tags=slow
@test "extended: priorities, runtimes, latencies, wakers, migrations and queues are what the events say" {
	{
		echo "# tracer: nop"
		switch 0 100 a-1 S b-2             # since when a ran is not known
		wakeup 0 150 b-2 a-1 0             # b wakes a
		switch 0 200 b-2 R+ a-1            # a waited for 50; b waits now
		migrate 1 220 "<idle>-0" b-2 0 1   # b is pulled to CPU 1
		switch 1 230 "swapper/1-0" R b-2   # and runs there
		wakeup 1 240 b-2 c-3 0 _new        # b makes c
		wakeup 1 245 b-2 c-3 0             # which is no news
		switch 0 300 a-1 S c-3
		wakeup 1 310 b-2 a-1 0
		switch 0 400 c-3 X a-1
		switch 1 410 b-2 D "swapper/1-0"
	} >raw/t_run0.txt
	"$PICKNEXT" build -q -o . --columns extended
	columns prev_pid prev_prio pid next_prio prev_runtime wakeup_latency waker_pid waker_comm migrated runnable_tasks >shown
	cat shown
	diff - shown <<-'EOF'
		1 120 2 110 - - - - - 0
		2 120 1 110 0.000100000 0.000050000 2 b 0 1
		0 120 2 110 - - - - 1 0
		1 120 3 110 0.000100000 0.000060000 2 b - 0
		3 120 1 110 0.000100000 0.000090000 2 b 0 0
		2 120 0 110 0.000180000 - - - 0 0
	EOF
	[ "$(json dataset_meta.json 'd["csv_columns"] == open("all.csv", newline="").readline().rstrip("\r\n").split(",")')" = True ]
}

@test "extended: what was lost makes unknown what hangs on it" {
	{
		echo "# tracer: nop"
		switch 0 100 a-1 S b-2
		wakeup 0 150 b-2 a-1 0
		echo "CPU:0 [LOST 3 EVENTS]"
		switch 0 200 b-2 S a-1 # neither how long b ran is sure, nor how long a waited
		switch 0 300 a-1 S b-2
		switch 0 350 b-2 S a-1
	} >raw/t_run0.txt
	"$PICKNEXT" build -q -o . --columns extended --allow lossy 2>/dev/null
	columns pid prev_runtime wakeup_latency waker_pid migrated >shown
	cat shown
	diff - shown <<-'EOF'
		2 - - - -
		1 - - - -
		2 0.000100000 - - 0
		1 0.000050000 - - 0
	EOF
}

# bats test_tags=slow
@test "extended: a run whose switches are missing counts: the run before it does not say if the task migrated" {
	{
		echo "# tracer: nop"
		switch 0 100 a-1 S b-2
		switch 1 110 d-4 S "swapper/1-0"
		wakeup 0 120 b-2 a-1 1
		wakeup 1 150 a-1 c-3 1           # a runs on CPU 1
		switch 1 200 "swapper/1-0" R a-1 # and has left it since, for the idle task
		switch 1 300 a-1 S c-3
	} >raw/t_run0.txt
	"$PICKNEXT" build -q -o . --columns extended --allow lossy 2>/dev/null
	columns pid migrated >shown
	cat shown
	diff - shown <<-'EOF'
		2 -
		0 0
		1 -
		3 -
	EOF
}

# bats test_tags=slow
@test "extended: who waits is unknown in a text trace without wakeups" {
	{
		echo "# tracer: nop"
		switch 0 100 a-1 R b-2
		switch 0 200 b-2 S a-1
	} >raw/t_run0.txt
	"$PICKNEXT" build -q -o . --columns extended
	[ "$(columns pid runnable_tasks | tr '\n' ',')" = "2 -,1 -," ]
	wakeup 0 300 a-1 b-2 0 >>raw/t_run0.txt
	"$PICKNEXT" build -q -o . --columns extended
	[ "$(columns pid runnable_tasks | tr '\n' ',')" = "2 1,1 0," ]
}

# bats test_tags=slow
@test "extended: a task whose switch out is missing may have run elsewhere since: migrated is empty" {
	{
		echo "# tracer: nop"
		switch 0 100 a-1 S b-2
		switch 0 150 b-2 S a-1
		switch 0 200 a-1 S b-2
		switch 0 300 c-3 S a-1   # b left unseen
		switch 0 400 a-1 S b-2
		switch 0 500 b-2 S a-1
		switch 0 600 a-1 S b-2
	} >raw/t_run0.txt
	"$PICKNEXT" build -q -o . --columns extended
	columns pid migrated >shown
	cat shown
	diff - shown <<-'EOF'
		2 -
		1 0
		2 0
		1 0
		2 -
		1 0
		2 0
	EOF
}
