#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# latency --worst: the longest waits and what happened meanwhile; --comm, --pid and --role of latency, stat and timeline.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	cd "$BATS_TEST_TMPDIR" || return 1
	{
		echo "# tracer: nop"
		switch 0 100 x-9 S a-1
		wakeup 110 a-1 b-2
		wakeup 120 a-1 c-3
		switch 0 300 a-1 R c-3  # a waits from here
		switch 0 450 c-3 R+ d-4 # d woken by nobody that is known; c waits to the end
		switch 0 500 d-4 S b-2  # b waited 390: a ran 190, c 150, d 50
		switch 0 700 b-2 S a-1  # a waited 400: b 200, c 150, d 50
		wakeup 800 a-1 b-2
		switch 0 810 a-1 S b-2
	} >t.txt
}

line() { # TASK-PID CPU US EVENT
	printf '%16s-%-7d [%03d] d..2. %5d.%06d: %s\n' "${1%-*}" "${1##*-}" "$2" 10 "$3" "$4"
}

switch() { # CPU US PREV-PID STATE NEXT-PID
	line "$3" "$1" "$2" "sched_switch: prev_comm=${3%-*} prev_pid=${3##*-} prev_prio=120 prev_state=$4 ==> next_comm=${5%-*} next_pid=${5##*-} next_prio=120"
}

wakeup() { # US WAKER-PID TASK-PID
	line "$2" 0 "$1" "sched_wakeup: comm=${3%-*} pid=${3##*-} prio=120 target_cpu=000"
}

# show COLUMN...: these columns of out.csv, a line per row, with / between them.
show() {
	python3 -c 'import csv, sys
for row in csv.DictReader(open("out.csv", newline="")):
    print("/".join(row[name] for name in sys.argv[1:]))' "$@"
}

# bats test_tags=slow
@test "latency --worst: start, end, task, waker, who ran and how long, and how many waited" {
	"$PICKNEXT" latency --worst 3 --csv t.txt >out.csv
	show start_ns wait_ns ended cpu comm pid after waker_comm others_waiting ran_tasks ran_ns ran_longest_comm ran_longest_ns ran >shown
	cat shown
	diff - shown <<-'END'
		200000/400000/true/0/a/1/R//1/3/400000/b/200000/b-2 200.0, c-3 150.0, d-4 50.0
		10000/390000/true/0/b/2/wakeup/a/0/3/390000/a/190000/a-1 190.0, c-3 150.0, d-4 50.0
		350000/360000/false/0/c/3/R+//2/3/360000/b/200000/b-2 200.0, a-1 110.0, d-4 50.0
	END
	[ "$(show start_ts_ns end_ts_ns | head -n 1)" = 10000300000/10000700000 ]
	"$PICKNEXT" latency --worst 1 t.txt | grep -q 'b-2 200.0'
	[ "$("$PICKNEXT" latency --worst 9 --json t.txt | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["worst"]))')" = 5 ]
}

# bats test_tags=slow
@test "latency --worst: of a directory, each wait has the name of its run" {
	mkdir -p runs && cp t.txt runs/io_run3.txt && sed 's/000700: /000710: /' t.txt >runs/io_run12.txt
	"$PICKNEXT" latency --worst 2 runs >text
	grep -qE '^run +s ' text
	grep -qE '^io_run12 +0\.000200 +410\.0 ' text
	grep -qE '^io_run3 +0\.000200 +400\.0 ' text
	"$PICKNEXT" latency --worst 2 --csv runs >out.csv
	[ "$(show trace wait_ns)" = runs/io_run12.txt/410000$'\n'runs/io_run3.txt/400000 ]
	# The text of one trace needs no such column.
	run ! grep -q '^run' <("$PICKNEXT" latency --worst 2 t.txt)
}

# Runs of wall-clock guests and hosts are numbered from 0, those of deterministic guests by their seeds.
# bats test_tags=slow
@test "stat, latency, why: a run of several has the number of its file, whatever that is" {
	mkdir -p numbered/raw
	for number in 0 1 4; do
		cp t.txt "numbered/raw/io_run$number.txt"
		echo '{"trace_id": "io_run'$number'", "workload_name": "io"}' >"numbered/raw/io_run$number.json"
	done
	for command in "stat --top 0" "stat --top 0 --pairs" "latency --top 0" "latency --worst 30"; do
		# shellcheck disable=SC2086 # a command and its options
		"$PICKNEXT" $command numbered >text
		[ "$(grep -o '^io_run[0-9]*' text | sort -u | paste -sd ' ')" = "io_run0 io_run1 io_run4" ] || { cat text; return 1; }
		# shellcheck disable=SC2086
		"$PICKNEXT" $command --csv numbered >out.csv
		[ "$(show run trace run_name | sort -u)" = "0/numbered/raw/io_run0.txt/io_run0
1/numbered/raw/io_run1.txt/io_run1
2/numbered/raw/io_run4.txt/io_run4" ] || { show run trace run_name; return 1; }
	done
	# --run takes the same numbers.
	run -2 "$PICKNEXT" why --worst 1 --run 2 numbered
	[[ $output == *"no such run"* ]]
	run "$PICKNEXT" why --worst 1 --run 4 numbered
	[[ $output == *"io_run4"* ]]
}

# b waits on CPU 0 from 100 to 600, and then on CPU 1, where y runs all the time.
@test "latency --worst: of a task that was moved, who ran where it waited longest" {
	{
		echo "# tracer: nop"
		switch 0 50 x-9 S a-1
		switch 1 60 z-7 S y-8
		wakeup 100 a-1 b-2
		switch 0 500 a-1 S c-3
		line y-8 1 600 "sched_migrate_task: comm=b pid=2 prio=120 orig_cpu=0 dest_cpu=1"
		switch 1 700 y-8 S b-2
		switch 0 900 c-3 S x-9
	} >moved.txt
	"$PICKNEXT" latency --worst 1 --csv moved.txt >out.csv
	[ "$(show wait_ns cpu migrations ran_tasks ran_ns ran)" = "600000/1/1/2/500000/a-1 400.0, c-3 100.0" ]
}

# bats test_tags=slow
@test "latency --worst: of a kind of waits, of tasks by name and PID, of CPUs, within a window" {
	"$PICKNEXT" latency --worst 9 --of wakeup --csv t.txt >out.csv
	[ "$(show comm wait_ns)" = $'b/390000\nc/180000\nb/10000' ]
	"$PICKNEXT" latency --worst 9 --comm '[ab]' --csv t.txt >out.csv
	[ "$(show comm wait_ns)" = $'a/400000\nb/390000\nb/10000' ]
	"$PICKNEXT" latency --worst 9 --pid 3 --csv t.txt >out.csv
	[ "$(show comm wait_ns)" = $'c/360000\nc/180000' ]
	"$PICKNEXT" latency --worst 9 --cpu 0 --csv t.txt >out.csv
	[ "$(show comm wait_ns)" = $'a/400000\nb/390000\nc/360000\nc/180000\nb/10000' ]
	run -2 "$PICKNEXT" latency --worst 9 --cpu 1 t.txt
	[[ $output == *"the trace has CPUs 0"* ]]
	"$PICKNEXT" latency --worst 1 --to 0.0005 --csv t.txt >out.csv
	[ "$(show comm wait_ns ended)" = b/390000/true ]
}

# bats test_tags=slow
@test "stat and latency: --comm and --pid count these tasks alone" {
	"$PICKNEXT" stat --csv --top 0 t.txt >out.csv
	show comm cpu_time_ns wakeups switches_voluntary | grep -E '^[bc]/' >wanted
	"$PICKNEXT" stat --csv --top 0 --comm b --pid 3 t.txt >out.csv
	show comm cpu_time_ns wakeups switches_voluntary >shown
	diff wanted shown
	"$PICKNEXT" stat --by cpu --csv --comm b t.txt >out.csv
	[ "$(show cpu cpu_time_ns)" = 0/200000 ]
	"$PICKNEXT" latency --by cpu --of wakeup --csv --comm 'b*' t.txt >out.csv
	[ "$(show waits wait_sum_ns)" = 2/400000 ]
	run -2 "$PICKNEXT" latency --pid x t.txt
	run -2 "$PICKNEXT" stat --pid x t.txt
	run -2 "$PICKNEXT" latency --worst 0 t.txt
}

# bats test_tags=slow
@test "stat, latency, timeline: a name or PID that no task has is reported, results and exit code stay" {
	for command in stat "stat --pairs" "stat --json" latency "latency --worst 2" timeline; do
		# shellcheck disable=SC2086 # a command and an option
		run -0 --separate-stderr "$PICKNEXT" $command --comm 'nosuch*' --comm b --pid 77 --pid 3 t.txt
		[ "$stderr" = "picknext: warning: --comm: no task in the trace has the name 'nosuch*'
picknext: warning: --pid: no task in the trace has the PID 77" ] || { echo "$command: $stderr"; return 1; }
		[ -n "$output" ]
	done
}

# bats test_tags=slow
@test "--role: by the last name and the number by birth, in each trace of a pass" {
	{
		echo "# tracer: nop"
		switch 0 100 x-9 S a-5
		switch 0 200 a-5 S w-7
		switch 0 300 w-7 S a-3  # before the trace, by PID: 3 is hog#1, 5 is hog#2
		switch 0 500 hog-3 R w-7
		switch 0 550 w-7 S hog-5
		switch 0 800 hog-5 S hog-8
		switch 0 900 hog-8 S x-9
	} >roles.txt
	"$PICKNEXT" stat --csv --role hog roles.txt >out.csv
	[ "$(show pid cpu_time_ns)" = $'5/350000\n3/200000\n8/100000' ]
	"$PICKNEXT" stat --csv --role 'hog#[12]' --pid 7 roles.txt >out.csv
	[ "$(show pid cpu_time_ns)" = $'5/350000\n3/200000\n7/150000' ]
	"$PICKNEXT" stat --csv --by comm --role 'hog#1' --role a t.txt roles.txt >out.csv
	[ "$(show comm tasks cpu_time_ns)" = $'a/1/310000\nhog/1/200000' ]
	"$PICKNEXT" latency --worst 9 --role 'h*#1' --csv roles.txt >out.csv
	[ "$(show pid)" = 3 ]
	"$PICKNEXT" timeline --role 'hog#2' --csv - <roles.txt >out.csv
	[ "$(show ts_ns)" = $'10000100000\n10000200000\n10000550000\n10000800000' ]
	"$PICKNEXT" stat --csv --role 'hog#4' roles.txt >out.csv
	[ -z "$(show pid)" ]
}

@test "latency --worst: on 80 columns each column has a name of its own, and the time of the longest is there" {
	command="stty cols 80; '$PICKNEXT' latency --worst 3 t.txt"
	script -qec "bash -c \"$command\"" /dev/null </dev/null | tr -d '\r' | sed 's/.*\x1b\[K//' >narrow
	cat narrow
	[ "$(wc -L <narrow)" -le 80 ]
	[ "$(sed -n 2,3p narrow | grep -o PID | wc -l)" -le 1 ]
	grep -qE '^ .*longest +longest$' narrow
}

@test "latency, why: waits whose length is not known are no absent waits" {
	{
		echo "# tracer: nop"
		switch 0 100 x-9 S a-1
		echo "CPU:0 [LOST 7 EVENTS]"
		switch 0 300 a-1 S b-2
		switch 0 450 b-2 S c-3
		wakeup 460 c-3 c-3
	} >lost.txt
	"$PICKNEXT" latency --no-histogram lost.txt >waits
	grep -q 'waits *known' waits
	[ "$(grep -cE '^ *[23] +[bc] +0 +1 ' waits)" -eq 4 ]
	[[ $("$PICKNEXT" latency --worst 3 lost.txt) == "The longest known waits (2 not known): none"* ]]
	[[ $("$PICKNEXT" latency --worst 3 --comm b lost.txt) == "The longest known waits (1 not known): none"* ]]
	[[ $("$PICKNEXT" latency --worst 3 t.txt) == "The longest waits"$'\n'* ]]
	# The column is that of waits of unknown length only.
	run ! grep -q known <("$PICKNEXT" latency --no-histogram t.txt)
	run -2 "$PICKNEXT" why --worst 1 lost.txt
	[[ $output == *"no known waits: the lengths of 2 are not known"* ]]
}
