#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build --part-rows and --jobs: parts that are the single files, the same for every number of jobs.

bats_require_minimum_version 1.5.0

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	MAKE_MANY=$TOP/build/tools/make_many
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir raw
}

# Traces of several lengths: some shorter than a part, one without a switch, one longer than several parts.
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

# whole DIR: the dataset in parts has the bytes of the single files in single, and its manifest is true.
whole() {
	local split
	for split in train test_seen test_unseen; do
		cat "$1/parts/$split"-*.csv | cmp - "single/$split.csv"
	done
	[ ! -e "$1/all.csv" ]
	[ ! -e "$1/train.csv" ]
	python3 - "$1/parts" <<-'EOF'
		import csv, hashlib, io, json, os, sys
		directory = sys.argv[1]
		manifest = json.load(open(directory + "/manifest.json"))
		files = [part["file"] for part in manifest["parts"]]
		assert sorted(files + ["manifest.json"]) == sorted(os.listdir(directory))
		for part in manifest["parts"]:
		    text = open(os.path.join(directory, part["file"]), "rb").read()
		    rows = list(csv.reader(io.StringIO(text.decode("latin-1"), newline="")))
		    assert hashlib.sha256(text).hexdigest() == part["sha256"], part
		    assert len(text) == part["bytes"], part
		    assert len(rows) - part["header"] == part["rows"] <= manifest["part_rows"], part
		    assert part["header"] == ("-00000-of-" in part["file"]), part
	EOF
}

@test "parts: one after the other they are the single files, for every size and number of jobs" {
	local rows jobs
	traces
	odd_names >raw/c1_x_run7.txt
	"$PICKNEXT" build -q --raw-dir raw -o single
	for rows in 3 7 100 100000; do
		for jobs in 1 2 5; do
			"$PICKNEXT" build -q --raw-dir raw -o "parts-$jobs" --part-rows "$rows" -j "$jobs"
		done
		whole parts-1
		diff -r parts-1/parts parts-2/parts
		diff -r parts-1/parts parts-5/parts
	done
	"$PICKNEXT" build -q --raw-dir raw -o jobs -j 3
	for split in train test_seen test_unseen all; do
		cmp "single/$split.csv" "jobs/$split.csv"
	done
	diff <(grep -v created_at single/dataset_meta.json) <(grep -v created_at jobs/dataset_meta.json)
	SOURCE_DATE_EPOCH=951782400 "$PICKNEXT" build -q --raw-dir raw -o dated
	sleep 0.01
	SOURCE_DATE_EPOCH=951782400 "$PICKNEXT" build -q --raw-dir raw -o again
	cmp dated/dataset_meta.json again/dataset_meta.json
	grep -F '"created_at": "2000-02-29T00:00:00.000000+00:00"' dated/dataset_meta.json
}

@test "parts: a trace is divided only if it has more rows" {
	local i
	for i in 1 2 3 4; do
		odd_names >"raw/a_x_run$i.txt"
	done
	odd_names >raw/b_x_run1.txt
	odd_names >>raw/b_x_run1.txt
	odd_names >>raw/b_x_run1.txt
	"$PICKNEXT" build -q --raw-dir raw -o out --part-rows 50 --no-unseen-split --train-ratio 1
	run -0 python3 -c 'import json; print([p["rows"] for p in json.load(open("out/parts/manifest.json"))["parts"]])'
	[ "$output" = "[30, 30, 30, 30, 50, 40, 0, 0]" ]
}

@test "parts: the fallback split cuts between parts and within one" {
	local rows ratio
	odd_names >raw/a_x_run0.txt
	for ratio in 0.8 0.5 0.34 1; do
		"$PICKNEXT" build -q --raw-dir raw -o single --train-ratio "$ratio"
		for rows in 4 8 30 100; do
			"$PICKNEXT" build -q --raw-dir raw -o parts --part-rows "$rows" --train-ratio "$ratio" -j 2
			whole parts
		done
	done
	[ "$(python3 -c 'import json; print(json.load(open("parts/dataset_meta.json"))["parts"])')" = parts/manifest.json ]
}

@test "parts and single files replace each other, and nobody else's" {
	odd_names >raw/a_x_run0.txt
	"$PICKNEXT" build -q --raw-dir raw -o out
	"$PICKNEXT" build -q --raw-dir raw -o out --part-rows 9
	[ ! -e out/train.csv ]
	"$PICKNEXT" build -q --raw-dir raw -o out --part-rows 4 -j 2
	[ ! -e out/parts/train-00000-of-00003.csv ]
	"$PICKNEXT" build -q --raw-dir raw -o out
	[ ! -e out/parts ]
	[ -s out/train.csv ]
	[ ! -e out/.dataset.partial ]
	mkdir out/parts
	echo mine >out/parts/notes
	run -2 "$PICKNEXT" build -q --raw-dir raw -o out --part-rows 4
	[[ $output == *"out/parts: has a file that build did not write: notes"* ]]
	# Single files leave it where it is.
	"$PICKNEXT" build -q --raw-dir raw -o out
	[ "$(cat out/parts/notes)" = mine ]
	rm -r out/parts
	echo mine >out/parts
	run -4 "$PICKNEXT" build -q --raw-dir raw -o out --part-rows 4
	[ "$(cat out/parts)" = mine ]
	run -2 "$PICKNEXT" build -q --raw-dir raw -o new --part-rows 4 --card
	[[ $output == *"--card"* ]]
	run -2 "$PICKNEXT" build -q --raw-dir raw -o new --part-rows 0
	[ ! -e new ]
}

@test "a corrupt trace in the middle: the same error for every number of jobs, and the earlier dataset stays" {
	local jobs
	traces
	"$PICKNEXT" build -q --raw-dir raw -o out --part-rows 100
	cp -r out/parts before
	truncate -s 9000 raw/c1_x_run4.dat
	printf 'not a trace' | dd of=raw/c1_x_run4.dat conv=notrunc status=none bs=1 seek=4096
	printf 'spoiled' >raw/c2_x_run5.dat
	"$PICKNEXT" build -q --raw-dir raw -o new 2>expected && return 1
	for jobs in 1 2 4; do
		for parts in "" "--part-rows 100"; do
			# shellcheck disable=SC2086 # words
			run ! "$PICKNEXT" build -q --raw-dir raw -o out -j "$jobs" $parts
			[ "$output" = "$(cat expected)" ]
			[ ! -e out/.dataset.partial ]
			diff -r before out/parts
		done
	done
}

@test "a lossy trace in the middle is refused, or included with the same warnings" {
	local jobs expected
	traces
	"$TOP/build/tools/make_trace" raw/c2_x_run1.dat
	"$PICKNEXT" build --raw-dir raw -o single --allow-lossy >shown 2>&1
	grep -q 'c2_x_run1.dat: lost' shown
	run -5 "$PICKNEXT" build --raw-dir raw -o new
	expected=$output
	for jobs in 2 3; do
		"$PICKNEXT" build --raw-dir raw -o jobs --allow-lossy -j "$jobs" >again 2>&1
		diff shown again
		run -5 "$PICKNEXT" build --raw-dir raw -o new -j "$jobs"
		[ "$output" = "$expected" ]
	done
}

@test "parts of decisions" {
	local jobs
	traces
	"$PICKNEXT" build -q -o single --task decision raw
	for jobs in 1 3; do
		"$PICKNEXT" build -q -o "decisions-$jobs" --task decision raw --part-rows 50 -j "$jobs"
		whole "decisions-$jobs"
	done
	diff -r decisions-1/parts decisions-3/parts
}
