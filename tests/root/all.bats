#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext all on this machine: recording and building in one go.

load tracefs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SUDO_UID SUDO_GID
}

@test "all: traces and dataset of three categories, every switch in one row" {
	need_tracefs
	run "$PICKNEXT" all -o out -w hackbench_pipe_small,sysbench_cpu_4t,cpu_bound_4p -r 2 --scale 0.01 -q
	[ "$status" -eq 0 ]
	[ "$(cd out && find . | sort | grep -v raw/ | tr '\n' ' ')" = \
		". ./all.csv ./dataset_meta.json ./raw ./test_seen.csv ./test_unseen.csv ./train.csv " ]
	[ "$(find out/raw -name '*_run[12].dat' | wc -l)" -eq 6 ]
	switches=0
	for file in out/raw/*.json; do
		switches=$((switches + $(json "$file" 'd["sched_switch_events"]')))
	done
	[ "$(json out/dataset_meta.json 'd["total_events"]')" -eq "$switches" ]
	[ "$(json out/dataset_meta.json 'd["num_traces"], d["seed"], d["train_ratio"]')" = "(6, 42, 0.8)" ]
	[ "$(json out/dataset_meta.json 'd["unseen_category"] in d["categories"]')" = True ]
	rows=$(python3 -c 'import csv; print(sum(1 for _ in csv.DictReader(open("out/all.csv", encoding="latin-1", newline=""))))')
	[ "$rows" -eq "$switches" ]
}

@test "all: the split's options reach the dataset" {
	need_tracefs
	"$PICKNEXT" all -o out -w hackbench_pipe_small,sysbench_cpu_4t,cpu_bound_4p -r 1 --scale 0.01 -q \
		--train-ratio 0.5 --split-seed -7 --no-unseen-split
	[ "$(json out/dataset_meta.json 'd["seed"], d["train_ratio"], d["unseen_category"]')" = "(-7, 0.5, None)" ]
}

@test "all: traces that lost events are not built from, unless --allow lossy" {
	need_tracefs
	run "$PICKNEXT" all -o out -w sysbench_threads_8t -r 1 --duration 0.2 -b 16 --drain 0
	[ "$status" -eq 5 ]
	[[ $output == *sysbench_threads_8t_run1*"--buffer-size"* ]]
	[ ! -e out/train.csv ]
	run "$PICKNEXT" all -o out -w sysbench_threads_8t -r 1 --duration 0.2 -b 16 --drain 0 --allow lossy
	[ "$status" -eq 0 ]
	[ -s out/train.csv ]
}

@test "all: under sudo, traces and dataset belong to the user" {
	need_tracefs
	SUDO_UID=65534 SUDO_GID=65533 "$PICKNEXT" all -o out -w cpu_bound_4p -r 2 --duration 0.1 -q
	[ "$(find out -printf '%U:%G\n' | sort -u)" = 65534:65533 ]
	[ -e out/train.csv ]
}

@test "all: an interrupted collection is not built from" {
	need_tracefs
	"$PICKNEXT" all -o out -w cpu_bound_4p -r 1 --duration 8 2>messages &
	wait_until is_recording $!
	kill -INT $!
	code=0
	wait $! || code=$?
	[ "$code" -eq 130 ]
	grep -q interrupted messages
	[ -z "$(find out -type f ! -name '*.dat.partial')" ]
}

@test "all: its defaults are collect_traces.py's" {
	run "$PICKNEXT" all --help
	[ "$status" -eq 0 ]
	in_one_line=$(tr -s ' \n' ' ' <<<"$output")
	for default in "DIR [^()]*(default: traces)" "--runs N [^()]*(default: 3)" "--buffer-size KB [^()]*(default: 16384)" \
		"--train-ratio F [^()]*(default: 0.8)" "--split-seed N [^()]*(default: 42)"; do
		grep -q -e "$default" <<<"$in_one_line" || { echo "not found: $default"; echo "$output"; false; }
	done
}
