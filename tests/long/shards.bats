#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Many boots by many processes: parts of a plan that are merged, and one directory in which several work at once, give
# what one command gives in one go.

bats_require_minimum_version 1.5.0
load ../vm/vm

OPTIONS=(--mode deterministic --cpus 1 -w hackbench_pipe_small --scale 0.004 --no-results -o out)

setup_file() {
	make_short_tmpdir
	[ -n "$(kernel 6.12)" ] && [ -n "$(kernel 6.1)" ] || return 0
	mkdir "$BATS_FILE_TMPDIR/one"
	cd "$BATS_FILE_TMPDIR/one" || return 1
	"$PICKNEXT" vm -k base="$(kernel 6.1)" -k head="$(kernel 6.12)" --seeds 1-3 "${OPTIONS[@]}" >../messages 2>&1 || echo $? >../failed
}

teardown_file() {
	rm -rf "$TMPDIR"
}

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	cat "$BATS_FILE_TMPDIR/messages"
	[ ! -e "$BATS_FILE_TMPDIR/failed" ]
	cd "$BATS_TEST_TMPDIR" || return 1
}

cells() { # MORE OPTIONS...
	timeout -k 20 900 "$PICKNEXT" vm -k base="$(kernel 6.1)" -k head="$(kernel 6.12)" --seeds 1-3 "${OPTIONS[@]}" "$@"
}

# same_results: out here and out of one go have the same traces, and the same is made of them.
same_results() {
	local here=$PWD one=$BATS_FILE_TMPDIR/one set
	for set in base head; do
		diff -r "$one/out/$set/raw" "out/$set/raw"
	done
	for directory in "$one" "$here"; do
		cd "$directory" || return 1
		rm -rf results
		mkdir results
		"$PICKNEXT" compare out --details >results/compare.txt
		"$PICKNEXT" compare out --json >results/compare.json
		"$PICKNEXT" report out -o results/report.html
		for set in base head; do
			SOURCE_DATE_EPOCH=0 "$PICKNEXT" build -q -o out/$set
			mkdir results/$set
			cp out/$set/{all,train,test_seen,test_unseen}.csv out/$set/dataset_meta.json results/$set
		done
		json out/base/vm.json '[{k: v for k, v in b.items() if "seconds" not in k or "virtual" in k} | {"started_at": 0} for b in d["boots"]], d["traces"], d["deterministic"]["seeds"]' >results/vm
	done
	cd "$here" || return 1
	diff -r "$one/results" results
}

@test "parts in directories of their own are merged by copying; check names what is missing until then" {
	mkdir a b
	(cd a && cells --cells 1/2)
	(cd b && cells --cells 2/2)
	run -1 "$PICKNEXT" check a/out
	echo "$output"
	[[ $output == *"3 of 6 cells are there, 3 missing"* ]]
	[ "$(grep -c -- '--output-dir=a/out .*--cells=' <<<"$output")" -eq 3 ]
	mkdir out
	cp -r a/out/. out
	cp -r b/out/. out
	"$PICKNEXT" check out
	"$PICKNEXT" check out --contents
	same_results
	# What one of its own files says is false now.
	echo >>out/head/raw/hackbench_pipe_small_run2.dat
	run -5 "$PICKNEXT" check out
	[[ $output == *"contradicts: head, seed 2"* ]]
	# The command that check gives makes the cell again, and no other.
	eval "$(grep -- --cells= <<<"$output")"
	"$PICKNEXT" check out --contents
	same_results
}

@test "two processes in one directory at once: each cell is made once, and both end when all are there" {
	cells --jobs 1 -v >first 2>&1 &
	local other=$! code=0
	cells --jobs 1 -v >second 2>&1 || code=$?
	wait "$other" || code=$?
	cat first second
	[ "$code" -eq 0 ]
	[ "$(cat first second | grep -cE '(base|head), seed [1-3]: 1 trace')" -eq 6 ]
	"$PICKNEXT" check out --contents
	[ -z "$(find out -name '.guest-*')" ]
	same_results
}

@test "one that is killed leaves whole cells; what the next finds in its place is removed" {
	cells --jobs 1 >log 2>&1 &
	local pid=$! tries=0
	until [ -e out/base/cells/run1.json ] && [ -n "$(find out -name '.guest-*')" ]; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] && kill -0 "$pid"
		sleep 0.1
	done
	kill -KILL "$pid"
	wait "$pid" || true
	run -1 "$PICKNEXT" check out
	echo "$output"
	[[ $output != *contradicts* ]]
	cells
	"$PICKNEXT" check out --contents
	[ -z "$(find out -name '.guest-*')" ]
	same_results
}

@test "a plan of 10,000 cells is listed in less than a second of CPU time, and checked in less than two" {
	local kernels=()
	for number in $(seq 1 10); do
		kernels+=(-k "k$number=$(kernel 6.12)")
	done
	"$PICKNEXT" vm "${kernels[@]}" --seeds 1-1000 "${OPTIONS[@]}" --plan=json >plan.json # hashes are kept for the next
	[ "$(json plan.json 'len(d["cells"]), len({c["id"] for c in d["cells"]})')" = "(10000, 10000)" ]
	TIMEFORMAT='%U %S'
	{ time "$PICKNEXT" vm "${kernels[@]}" --seeds 1-1000 "${OPTIONS[@]}" --plan >plan; } 2>listed
	[ "$(wc -l <plan)" -eq 10000 ]
	/usr/bin/python3 "$TOP/tests/support/make_cells.py" "$BATS_FILE_TMPDIR/one/out/head" out 10 1000
	"$PICKNEXT" check out >/dev/null # makes vm.json
	{ time "$PICKNEXT" check out >told; } 2>checked
	cat told listed checked
	[ "$(cat told)" = "out: 10000 of 10000 cells are there" ]
	awk '{ exit !($1 + $2 < 1) }' listed
	awk '{ exit !($1 + $2 < 2) }' checked
}
