#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build --task pick: rows against a slow reference, roles, splits, balance, and what is reported.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	REFERENCE=$BATS_TEST_DIRNAME/../support/reference_decisions.py
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p raw
}

# json EXPRESSION: of dataset_meta.json, called j.
json() {
	python3 -c 'import json, sys; j = json.load(open("dataset_meta.json")); print(eval(sys.argv[1]))' "$1"
}

# columns NAME...: these columns of all.csv, a line per row, with / between them.
columns() {
	python3 - "$@" <<-'EOF'
		import csv, sys
		for row in csv.DictReader(open("all.csv", encoding="latin-1", newline="")):
		    print("/".join(row[name] for name in sys.argv[1:]))
	EOF
}

line() { # TASK-PID CPU US EVENT
	printf '%16s-%-7d [%03d] d..2. %5d.%06d: %s\n' "${1%-*}" "${1##*-}" "$2" 10 "$3" "$4"
}

switch() { # CPU US PREV-PID STATE NEXT-PID
	line "$3" "$1" "$2" "sched_switch: prev_comm=${3%-*} prev_pid=${3##*-} prev_prio=120 prev_state=$4 ==> next_comm=${5%-*} next_pid=${5##*-} next_prio=120"
}

wakeup() { # CPU US WAKER-PID TASK-PID [_new]
	line "$3" "$1" "$2" "sched_wakeup${5-}: comm=${4%-*} pid=${4##*-} prio=120 target_cpu=00$1"
}

# A trace in which b, c and a kernel thread take turns; $1 sets its name, $2 shifts the PIDs.
turns() {
	local b=b-$((20 + $2)) c=b-$((10 + $2)) k=kworker/0:1-$((5 + $2))
	{
		echo "# tracer: nop"
		wakeup 0 100 "<idle>-0" "$b"
		wakeup 0 110 "<idle>-0" "$c"
		switch 0 120 "<idle>-0" R "$c"
		wakeup 0 150 "$c" "$k"
		switch 0 200 "$c" R+ "$b"
		switch 0 300 "$b" S "$c"
		switch 0 330 "$c" S "$k"
		switch 0 340 "$k" I "<idle>-0"
	} >"raw/$1.txt"
}

# bats test_tags=slow
@test "decision: the rows of a trace that is small enough to check by hand" {
	turns t_run0 0
	"$PICKNEXT" build -q -o . --task pick
	columns time_ns prev_role prev_state prev_ran_ns candidates candidate_roles candidate_causes chosen next_role >shown
	cat shown
	diff - shown <<-'EOF'
		20000/idle/R//2/b#2 b#1/wakeup wakeup/1/b#1
		100000/b#1/R+/80000/2/b#2 kworker/wakeup wakeup/0/b#2
		200000/b#2/S/100000/2/kworker b#1/wakeup preempted/1/b#1
		230000/b#1/S/30000/1/kworker/wakeup/0/kworker
	EOF
	columns candidate_waiting_ns candidate_slice_ns candidate_runtime_ns candidate_share_ppm candidate_last_cpus >shown
	diff - shown <<-'EOF'
		20000 10000/0 0/0 0/0 0/- -
		100000 50000/0 0/0 0/0 0/- -
		150000 100000/0 80000/0 80000/0 400000/- 0
		180000/0/0/0/-
	EOF
	[ "$(columns candidate_woken_by_prev)" = $'1 1\n0 1\n0 -\n1' ]
	[ "$(json '[j["traces"][0][k] for k in ("switches", "decisions", "decisions_with_choice", "switches_to_idle")]')" = "[5, 4, 3, 1]" ]
	[ "$(json 'j["csv_columns"] == open("all.csv", newline="").readline().rstrip("\r\n").split(",")')" = True ]
}

# bats test_tags=slow
@test "decision: random traces give the rows of the reference" {
	local seed n task
	for seed in 1 2; do
		python3 "$REFERENCE" make raw "$seed"
		for task in placement balance pick; do
			"$PICKNEXT" build -q -o . --task "$task"
			[ $task != placement ] || [ "$(json 'all(t["wakeups"] == t["placements"] + t["wakeups_of_awake"] + t["wakeups_excluded"] + t["wakeups_of_unseen"] and t["wakeups_of_unseen"] > 0 for t in j["traces"])')" = True ]
			for n in 0 1 2; do
				# Nothing moves on one CPU.
				[ "$task$n" = balance0 ] || python3 "$REFERENCE" compare "$task" all.csv "random${n}_run0" "raw/random${n}_run0.txt"
			done
		done
		[ "$(json 'sum(t["decisions"] + t["switches_to_idle"] + t["switches_without_known_wait"] - t["switches"] for t in j["traces"])')" = 0 ]
	done
}

# bats test_tags=slow
@test "decision: roles do not depend on PIDs, and trace ids are unique" {
	turns t_run0 0
	turns t_run1 500
	"$PICKNEXT" build -q -o . --task pick
	columns trace_id candidate_roles next_role | sed 's/^t_run0-[^/]*//' | grep '^/' >first
	columns trace_id candidate_roles next_role | sed 's/^t_run1-[^/]*//' | grep '^/' >second
	[ -s first ]
	diff first second
	columns trace_id | sort -u | grep -cE '^t_run[01]-[0-9a-f]{12}$' | grep -qx 2
	run -2 "$PICKNEXT" build -q -o out --task pick raw raw
	[[ $output == *"is the same trace as"* ]]
	cp raw/t_run1.txt raw/t_run7.txt
	run -2 "$PICKNEXT" build -q -o out --task pick raw
	[[ $output == *"t_run7.txt: is the same trace as "*"t_run1.txt"* || $output == *"t_run1.txt: is the same trace as "*"t_run7.txt"* ]]
}

# label NAME KERNEL CATEGORY: the metadata of a trace.
label() {
	printf '{"trace_id": "%s", "workload_name": "w_%s", "category": "%s", "kernel": "%s", "num_cpus": 2}\n' "$1" "$3" "$3" "$2" >"raw/$1.json"
}

# bats test_tags=slow
@test "decision: a kernel, a category or a number of CPUs is held out" {
	local i
	for i in 0 1 2 3; do
		turns "t_run$i" "$i"
		label "t_run$i" "6.$((i < 2 ? 1 : 7)).9" "c$((i % 2))"
	done
	"$PICKNEXT" build -q -o . --task pick --hold-out kernel=6.7
	columns kernel scheduler | sort | uniq -c >shown
	[ "$(awk -F, 'NR > 1 { print $4 }' test_unseen.csv | sort -u)" = 6.7.9 ]
	[ "$(awk -F, 'NR > 1 { print $4 "/" $5 }' train.csv test_seen.csv | grep / | sort -u | grep -v kernel)" = 6.1.9/CFS ]
	grep -q 6.7.9/EEVDF shown
	[ "$(json '(j["held_out"], j["hold_out"])')" = "('6.7.9', 'kernel=6.7')" ]
	"$PICKNEXT" build -q -o . --task pick --hold-out scheduler=CFS
	[ "$(json 'j["held_out"], j["test_unseen_events"]')" = "('CFS', 8)" ]
	sed -i 's/"num_cpus"/"scheduler": {"ops": "simple"}, "num_cpus"/' raw/t_run3.json
	"$PICKNEXT" build -q -o . --task pick
	[ "$(json 'sorted(t["scheduler"] for t in j["traces"])')" = "['CFS', 'CFS', 'EEVDF', 'simple']" ]
	"$PICKNEXT" build -q -o . --task pick --hold-out workload=w_c1
	[ "$(json 'j["held_out"]')" = w_c1 ]
	"$PICKNEXT" build -q -o . --task pick --hold-out category --split-seed 7
	cp all.csv again.csv
	"$PICKNEXT" build -q -o . --task pick --hold-out category --split-seed 7
	cmp all.csv again.csv
	run -2 "$PICKNEXT" build -q -o . --task pick --hold-out kernel=6
	[[ $output == *"exactly one of: 6.1.9, 6.7.9"* ]]
	run -2 "$PICKNEXT" build -q -o . --task pick --hold-out cpus
	[[ $output == *"all traces have the same cpus"* ]]
	run -2 "$PICKNEXT" build -q -o . --task pick --columns extended
	[[ $output == *"--columns: needs --task switch"* ]]
	run -2 "$PICKNEXT" build -q -o . --task pick --hold-out category --no-unseen-split
	[[ $output == *"--hold-out: and --no-unseen-split are mutually exclusive"* ]]
	cmp all.csv again.csv
}

# bats test_tags=slow
@test "decision: a workload of test_seen has all kernels there, or the split is refused" {
	local i
	for i in 0 1 2 3 4 5 6 7; do
		turns "t_run$i" "$((10 * i))"
		label "t_run$i" "6.$((i % 4 < 2 ? 1 : 7)).9" "c$((i / 4))"
	done
	"$PICKNEXT" build -q -o . --task pick --train-ratio 0.5
	[ "$(json 'sorted({(t["split"], t["workload_type"], t["kernel"]) for t in j["traces"]})')" = "$(python3 -c 'print(sorted((p, w, k) for p in ("train", "test_seen") for w in ("w_c0", "w_c1") for k in ("6.1.9", "6.7.9")))')" ]
	label t_run7 6.7.9 c0 # c1 has one run under 6.7.9
	cp all.csv before.csv
	run -2 "$PICKNEXT" build -q -o . --task pick --train-ratio 0.5
	[[ $output == *"test_seen.csv has the workload 'w_c1', but not under kernel '6.7.9'"*"--allow unbalanced"* ]]
	cmp all.csv before.csv
	"$PICKNEXT" build -q -o . --task pick --train-ratio 0.5 --allow unbalanced
	"$PICKNEXT" build -q -o . --task pick --train-ratio 0.5 --hold-out kernel=6.7
}

# bats test_tags=slow
@test "decision: kernels of one release are told apart by the label of their set, which is a column and can be held out" {
	local set i
	for set in base fault; do
		mkdir -p "$set/raw"
		for i in 0 1; do
			turns "t_run$i" "$((i + (${#set} - 4) * 2))"
			label "t_run$i" 6.7.9 c
			mv raw/t_run$i.* "$set/raw"
		done
		printf '{"label": "%s"}\n' "$set" >"$set/vm.json"
	done
	"$PICKNEXT" build -q -o . --task pick --train-ratio 0.5 base fault
	"$BATS_TEST_DIRNAME/../../workloads/models/card.py" .
	[ "$(columns set_label | sort | uniq -c | tr -s ' ' | paste -sd' ')" = " 8 base  8 fault" ]
	[ "$(cut -d, -f7 test_seen.csv | sed 1d | sort -u | paste -sd' ')" = "base fault" ]
	grep -qF '| 6.7.9 | EEVDF | fault |' README.md
	"$PICKNEXT" build -q -o . --task pick --hold-out label=fault base fault
	[ "$(cut -d, -f7 test_unseen.csv | sed 1d | sort -u)" = fault ]
	[ "$(cut -d, -f7 train.csv test_seen.csv | grep -v set_label | sort -u)" = base ]
	rm base/raw/t_run1.*
	run -2 "$PICKNEXT" build -q -o . --task pick --train-ratio 0.5 base fault
	[[ $output == *"but not under kernel '6.7.9', label base with scheduler 'EEVDF'"* ]]
}

# bats test_tags=slow
@test "decision: a trace that is the same under two labels is a run of each; under one label it is refused" {
	local set
	for set in base fault; do
		mkdir -p "$set/raw"
		turns t_run0 0
		label t_run0 6.7.9 c
		mv raw/t_run0.* "$set/raw"
		printf '{"label": "%s"}\n' "$set" >"$set/vm.json"
	done
	run -0 "$PICKNEXT" build -o . --task pick --no-unseen-split base fault
	[[ $output == *"2 traces are identical to one with another label"* ]]
	[ "$(columns trace_id set_label | sed 's/t_run0-[0-9a-f]*-//' | sort -u | paste -sd' ')" = "base/base fault/fault" ]
	# The same seeds of a release go to train, whatever the label: a trace is not in both files.
	local run
	for set in base fault; do
		for run in 1 2 3; do
			turns "t_run$run" "${run}0"
			label "t_run$run" 6.7.9 c
			mv "raw/t_run$run".* "$set/raw"
		done
	done
	for run in 1 2 3 4 5; do
		run -0 "$PICKNEXT" build -o . --task pick --no-unseen-split --train-ratio 0.5 --split-seed "$run" base fault
		[[ $output != *"also in train.csv"* ]]
		python3 - <<-'EOF'
			import csv
			trained, tested = ({row["trace_id"].split("-")[0] for row in csv.DictReader(open(name, newline=""))}
			                   for name in ("train.csv", "test_seen.csv"))
			assert len(trained) == 2 and len(tested) == 2 and not trained & tested, (trained, tested)
		EOF
	done
	rm fault/raw/t_run[01].*
	run -0 "$PICKNEXT" build -o . --task pick --hold-out label=fault base fault
	[[ $output == *"2 test traces are also in train.csv, under another label"* ]]
	cp base/vm.json fault/vm.json
	run -2 "$PICKNEXT" build -q -o . --task pick --no-unseen-split base fault
	[[ $output == *"is the same trace as"* ]]
}

# bats test_tags=slow
@test "decision: limits of rows hold for each workload and trace, by a sample of whole rows that is the same again" {
	for i in 0 1 2; do turns "t_run$i" "${i}0"; done
	label t_run0 6.1.9 c
	label t_run1 6.1.9 c
	label t_run2 6.7.9 c
	"$PICKNEXT" build -q -o . --task pick --allow unbalanced
	cp all.csv whole.csv
	run -0 "$PICKNEXT" build -o . --task pick --allow unbalanced --max-rows-per-workload 5
	[[ $output == *"a sample of 9 of 12 rows"* ]]
	[ "$(columns kernel | sort | uniq -c | tr -s ' ' | paste -sd' ')" = " 5 6.1.9  4 6.7.9" ]
	[ "$(json '(j["total_events"], sorted(t["events"] for t in j["traces"]), j["max_rows_per_workload"])')" = "(9, [2, 3, 4], 5)" ]
	# Each row is one of the whole dataset, and there once.
	[ "$(sort all.csv | uniq -d | wc -l)" = 0 ]
	[ "$(sort all.csv whole.csv | uniq -d | wc -l)" = 10 ]
	cp all.csv again.csv
	"$PICKNEXT" build -q -o . --task pick --allow unbalanced --max-rows-per-workload 5 --jobs 3
	cmp all.csv again.csv
	"$PICKNEXT" build -q -o . --task pick --allow unbalanced --max-rows-per-workload 5 --max-rows-per-trace 1
	[ "$(json '[t["events"] for t in j["traces"]]')" = "[1, 1, 1]" ]
	run -2 "$PICKNEXT" build -q -o . --max-rows-per-trace 1
	[[ $output == *"--max-rows-per-trace: has no meaning with --task switch"* ]]
}

# bats test_tags=slow
@test "decision: with --weights each workload of a file counts the same, and the mean weight is 1" {
	local i
	for i in 0 1 2 3 4 5; do
		turns "t_run$i" "$i"
		label "t_run$i" 6.1.9 "c$((i < 4 ? 0 : 1))"
	done
	run -0 "$PICKNEXT" build -o . --task pick --weights --train-ratio 0.5
	"$BATS_TEST_DIRNAME/../../workloads/models/card.py" .
	[[ $output == *"--weights: each workload of a file counts the same, with weights of 0.75 to 1.5 per row"* ]]
	python3 - <<-'EOF'
		import csv, json
		from collections import defaultdict
		meta = json.load(open("dataset_meta.json"))
		assert meta["weights"] is True and meta["csv_columns"][-1] == "weight"
		weights = {trace["trace_id"]: trace["weight"] for trace in meta["traces"]}
		for part in ("train", "test_seen"):
		    rows = list(csv.DictReader(open(part + ".csv", newline="")))
		    sums = defaultdict(float)
		    for row in rows:
		        sums[row["workload_type"]] += float(row["weight"])
		        assert abs(float(row["weight"]) - weights[row["trace_id"]]) < 1e-5
		    assert len(sums) == 2 and all(abs(value - len(rows) / 2) < 1e-3 * len(rows) for value in sums.values()), sums
		field = json.load(open("croissant.json"))["recordSet"][0]["field"][-1]
		assert (field["name"], field["dataType"]) == ("weight", "sc:Float")
	EOF
	# Without it the rows are the same without the column.
	tr -d '\r' <all.csv | sed 's/,[^,]*$//' >weighted
	"$PICKNEXT" build -q -o . --task pick --train-ratio 0.5
	tr -d '\r' <all.csv | diff - weighted
	run -2 "$PICKNEXT" build -q -o out --weights
	[[ $output == *"--weights: has no meaning with --task switch"* ]]
}

@test "decision: without wakeups there is none" {
	turns t_run0 0
	grep -v sched_wakeup raw/t_run0.txt | sed 's/R+/S/' >x && mv x raw/t_run0.txt
	run -3 "$PICKNEXT" build -q -o . --task pick
	[[ $output == *"none of 1 traces holds decisions"* ]]
}

# bats test_tags=slow
@test "decision: the switch to the stopper that takes a CPU offline is a row" {
	cp "$BATS_TEST_DIRNAME/../golden/analysis/offline.txt" raw/t_run0.txt
	"$PICKNEXT" build -q -o . --task pick
	python3 "$REFERENCE" compare pick all.csv t_run0 raw/t_run0.txt
	columns time_ns candidates next_role | grep -x 205000/1/migration
}
