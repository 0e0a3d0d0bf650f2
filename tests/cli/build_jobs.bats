#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build --jobs: the same files, errors and warnings for every number of jobs.

bats_require_minimum_version 1.5.0

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	MAKE_MANY=$TOP/build/tools/make_many
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir raw
}

# Traces of several lengths, one of them without a switch.
traces() {
	local i
	for i in 0 1 2 3 4 5; do
		"$MAKE_MANY" "raw/c$((i % 3))_x_run$i.dat" 2 9 $((40 + i * i * 90))
	done
	printf '# tracer: nop\n task-1 [000] d..2. 1.000000: sched_waking: comm=a pid=1 prio=120 target_cpu=000\n' >raw/c0_x_run9.txt
}

# A text trace whose names have quotes, commas and line ends of their own.
odd_names() {
	local i
	for i in $(seq 1 30); do
		printf '%16s-%-7d [%03d] d..2. %5d.%06d: sched_switch: prev_comm=%s prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d next_prio=120\n' \
			task 1 0 100 "$i" 'a,"b' 'say "x"' "$i"
	done
}

# same DIR: the CSV files of DIR are those in single.
same() {
	local name
	for name in train test_seen test_unseen all; do
		cmp "single/$name.csv" "$1/$name.csv"
	done
	diff <(grep -v created_at single/dataset_meta.json) <(grep -v created_at "$1/dataset_meta.json")
}

# bats test_tags=slow
@test "the files are the same for every number of jobs" {
	local jobs ratio
	traces
	odd_names >raw/c1_x_run7.txt
	"$PICKNEXT" build -q --raw-dir raw -o single
	for jobs in 2 3 5; do
		"$PICKNEXT" build -q --raw-dir raw -o jobs -j "$jobs"
		same jobs
	done
	rm raw/*
	odd_names >raw/a_x_run0.txt
	for ratio in 0.8 0.34 1; do
		"$PICKNEXT" build -q --raw-dir raw -o single --train-ratio "$ratio"
		"$PICKNEXT" build -q --raw-dir raw -o jobs --train-ratio "$ratio" -j 2
		same jobs
	done
}

# bats test_tags=slow
@test "with SOURCE_DATE_EPOCH the metadata are the same bytes too" {
	traces
	SOURCE_DATE_EPOCH=951782400 "$PICKNEXT" build -q --raw-dir raw -o dated
	sleep 0.01
	SOURCE_DATE_EPOCH=951782400 "$PICKNEXT" build -q --raw-dir raw -o again
	cmp dated/dataset_meta.json again/dataset_meta.json
	grep -F '"created_at": "2000-02-29T00:00:00.000000+00:00"' dated/dataset_meta.json
}

# bats test_tags=slow
@test "a corrupt trace in the middle: the same error for every number of jobs, and the earlier dataset stays" {
	local jobs
	traces
	"$PICKNEXT" build -q --raw-dir raw -o out
	cp -r out before
	truncate -s 9000 raw/c1_x_run4.dat
	printf 'not a trace' | dd of=raw/c1_x_run4.dat conv=notrunc status=none bs=1 seek=4096
	printf 'spoiled' >raw/c2_x_run5.dat
	"$PICKNEXT" build -q --raw-dir raw -o new 2>expected && return 1
	for jobs in 1 2 4; do
		run ! "$PICKNEXT" build -q --raw-dir raw -o out -j "$jobs"
		[ "$output" = "$(cat expected)" ]
		[ ! -e out/.dataset.partial ]
		diff -r before out
	done
}

# bats test_tags=slow
@test "a lossy trace in the middle is refused, or included with the same warnings" {
	local jobs expected
	traces
	"$TOP/build/tools/make_trace" raw/c2_x_run1.dat
	"$PICKNEXT" build --raw-dir raw -o single --allow lossy >shown 2>&1
	grep -q 'c2_x_run1.dat: lost' shown
	run -5 "$PICKNEXT" build --raw-dir raw -o new
	expected=$output
	for jobs in 2 3; do
		"$PICKNEXT" build --raw-dir raw -o jobs --allow lossy -j "$jobs" >again 2>&1
		diff shown again
		run -5 "$PICKNEXT" build --raw-dir raw -o new -j "$jobs"
		[ "$output" = "$expected" ]
	done
}

# bats test_tags=slow
@test "decisions: the same files for every number of jobs" {
	traces
	"$PICKNEXT" build -q -o single --task pick raw
	"$PICKNEXT" build -q -o jobs --task pick raw -j 3
	same jobs
}
