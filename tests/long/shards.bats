#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Many boots by many processes: boots of a plan in several directories that are merged, and one directory in which several
# work at once, give what one command gives in one go.

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

record() { # MORE OPTIONS...
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
		boots out/base '[{k: v for k, v in b.items() if "seconds" not in k or "virtual" in k} | {"started_at": 0} for b in d]' >results/boots
		cp out/base/vm.json results
	done
	cd "$here" || return 1
	diff -r "$one/results" results
}

@test "boots in directories of their own are merged by copying; check names what is missing until then" {
	mkdir a b
	record --plan >plan
	(cd a && sed -n 'p;n' ../plan | sh -e)
	(cd b && sed -n 'n;p' ../plan | sh -e)
	run -1 "$PICKNEXT" check a/out
	echo "$output"
	[[ $output == *"3 of 6 boots are there, 3 missing"* ]]
	[ "$(grep -c '^  missing: head, run' <<<"$output")" -eq 3 ]
	run -5 "$PICKNEXT" compare a/out
	mkdir out
	cp -r a/out/. out
	cp -r b/out/. out
	"$PICKNEXT" check out
	"$PICKNEXT" check out --contents
	same_results
	# One of its files is not what its record says now.
	echo >>out/head/raw/hackbench_pipe_small_run2.dat
	run -5 "$PICKNEXT" check out
	[[ $output == *"contradicts: head, run 2"* ]]
	# The plan makes this boot again, and no other.
	record --plan >plan
	[ "$(wc -l <plan)" -eq 1 ]
	sh -e plan
	"$PICKNEXT" check out --contents
	same_results
}

@test "two processes in one directory at once: each run is made once, and both end when all are there" {
	record --jobs 1 -v >first 2>&1 &
	local other=$! code=0
	record --jobs 1 -v >second 2>&1 || code=$?
	wait "$other" || code=$?
	cat first second
	[ "$code" -eq 0 ]
	[ "$(cat first second | grep -cE '(base|head), seed [1-3]: 1 trace')" -eq 6 ]
	"$PICKNEXT" check out --contents
	[ -z "$(find out -name '.guest-*')" ]
	same_results
}

@test "one that is killed leaves whole runs; what the next finds in its place is removed" {
	record --jobs 1 >log 2>&1 &
	local pid=$! tries=0
	until [ -e out/base/boots/run1.json ] && [ -n "$(find out -name '.guest-*')" ]; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] && kill -0 "$pid"
		sleep 0.1
	done
	kill -KILL "$pid"
	wait "$pid" || true
	run -1 "$PICKNEXT" check out
	echo "$output"
	[[ $output != *contradicts* ]]
	record
	"$PICKNEXT" check out --contents
	[ -z "$(find out -name '.guest-*')" ]
	same_results
}

@test "a plan of 10,000 boots is listed in less than a second of CPU time, and checked in less than two" {
	local kernels=() sets=()
	for number in $(seq 1 10); do
		kernels+=(-k "k$number=$(kernel 6.12)")
		sets+=("k$number")
	done
	"$PICKNEXT" vm "${kernels[@]}" --seeds 1-1000 "${OPTIONS[@]}" --plan >plan # hashes are kept for the next
	[ "$(sed 's/.* --boot=//' plan | sort -u | wc -l)" -eq 10000 ]
	TIMEFORMAT='%U %S'
	{ time "$PICKNEXT" vm "${kernels[@]}" --seeds 1-1000 "${OPTIONS[@]}" --plan >plan; } 2>listed
	[ "$(wc -l <plan)" -eq 10000 ]
	/usr/bin/python3 "$TOP/tests/support/make_boots.py" out "${sets[@]}" -- 1000
	{ time "$PICKNEXT" check out >told; } 2>checked
	cat told listed checked
	[ "$(cat told)" = "out: 10000 of 10000 boots are there" ]
	awk '{ exit !($1 + $2 < 1) }' listed
	awk '{ exit !($1 + $2 < 2) }' checked
}
