#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What picknext compare and picknext report take as sets of runs, and what they know of each. The figures themselves are in
# tests/golden/metrics.bats; here the reference looks at recordings of this machine.

bats_require_minimum_version 1.5.0
load tracefs

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	SHOW=$TOP/build/tools/show_metrics
	GOLDEN=$BATS_TEST_DIRNAME/../golden
	cd "$BATS_TEST_TMPDIR" || return 1
}

# run DIRECTORY ID [KERNEL [SED]]: a run of that name; with a kernel, its metadata too.
run_of() {
	mkdir -p "$1"
	cp "$GOLDEN/metrics/hackbench_pipe_small_run3.txt" "$1/$2.txt"
	[ -z "${3:-}" ] || sed -e "/workload_name/s/: .*/: \"${2%_run*}\",/" -e "s/6.99.0-made-up/$3/" -e "${4:-}" \
		"$GOLDEN/metrics/hackbench_pipe_small_run3.json" >"$1/$2.json"
}

# sets OPERAND...: a line for each: its label, then its runs
sets() {
	"$SHOW" "$@" | python3 -c '
import json, sys
for runs in json.load(sys.stdin):
    print(runs["label"] + ":", *(run["id"] for run in runs["runs"]))'
}

@test "run sets: DIR, DIR/raw, one trace, and a directory of several kernels in the order of their versions" {
	run_of vm/6.12.1/raw a_run0 6.12.1
	run_of vm/6.9.2/raw a_run0 6.9.2
	run_of vm/6.9.2/raw a_run1 6.9.2
	run_of flat a_run0 6.5.0
	[ "$(sets vm)" = $'6.9.2: a_run0 a_run1\n6.12.1: a_run0' ]
	[ "$(sets vm/6.12.1)" = "6.12.1: a_run0" ]
	[ "$(sets vm/6.9.2/raw/a_run1.txt flat/)" = $'6.9.2: a_run1\n6.5.0: a_run0' ]
	run -4 "$SHOW" nowhere
	[[ $output == *"nowhere"*"No such file"* ]]
	mkdir empty
	run -3 "$SHOW" empty
	[[ $output == *"empty: "* ]]
}

@test "run sets: labels are told apart where the kernel is the same, or not known" {
	run_of before/raw a_run0 6.5.0
	run_of after/raw a_run0 6.5.0
	run_of x/same/raw a_run0 6.5.0
	run_of y/same/raw a_run0 6.5.0
	run_of unlabelled a_run0
	[ "$(sets before after unlabelled)" = $'before: a_run0\nafter: a_run0\nunlabelled: a_run0' ]
	[ "$(sets x/same y/same before)" = $'x/same: a_run0\ny/same: a_run0\nbefore: a_run0' ]
	[ "$(sets before before | sort -u | wc -l)" -eq 2 ]
}

@test "run sets: runs come by workload in the table's order, others behind; then by number" {
	for id in zoo_run0 io_mixed_run0 hackbench_pipe_large_run10 hackbench_pipe_large_run9 ant_run1 hackbench_pipe_small_run0; do
		run_of many $id 6.5.0
	done
	[ "$(sets many)" = "6.5.0: hackbench_pipe_small_run0 hackbench_pipe_large_run9 hackbench_pipe_large_run10 io_mixed_run0 ant_run1 zoo_run0" ]
}

@test "run sets: what the metadata says of the machine, and what it leaves open" {
	run_of one a_run0 6.5.0
	run_of two a_run0 6.5.0 's/"quiet .*"/"quiet"/; /"hz"/s/250/1000/'
	run_of none a_run0
	run_of told a_run0 6.5.0 's/"hz"/"mitigations": "meltdown spectre_v1", &/'
	run_of host a_run0 6.5.0 's/"hz"/"accelerator": null, "preemption": "dynamic", "scratch": {"kind": "file", "path": "\/x", "file_system": "ext4"}, &/
		s/"cpu_tracer": 2/"cpu_tracer": null/'
	run_of guest a_run0 6.5.0 's/"hz"/"accelerator": "tcg", "scratch": {"kind": "null_blk", "path": "\/x", "file_system": null}, &/'
	"$SHOW" one two none told host guest >shown.json
	python3 - <<-'EOF'
		import json
		one, two, none, told, host, guest = (runs["runs"][0]["facts"] for runs in json.load(open("shown.json")))
		assert one["hz"] == "250" and two["hz"] == "1000"
		assert one["mitigations"] == "off" and two["mitigations"] == "default"
		assert told["mitigations"] == "meltdown spectre_v1"
		assert one["scale"] == "0.5" and one["cpus_workload"] == "0-1" and one["deterministic"] == "no"
		assert one["accelerator"] is None and guest["accelerator"] == "tcg" and guest["scratch"] == "null_blk"
		assert host["accelerator"] == "none, not a guest" and host["scratch"] == "file on ext4"
		assert host["cpu_tracer"] == "none of its own" and guest["cpu_tracer"] == "2"
		assert host["preemption"] == "chosen at boot, not known"
		assert set(none.values()) == {None}, none
	EOF
}

@test "run sets: a run that lost events is refused, and marked where it is taken all the same" {
	run_of lost a_run0 6.5.0 's/"lost_events": 0/"lost_events": 7/'
	run_of lost a_run1 6.5.0
	run -5 "$SHOW" --refuse-lossy lost
	[[ $output == *"lost/a_run0.txt: "*--allow-lossy* ]]
	"$SHOW" lost | grep is_lossy | tr -d ' ,\n' | grep -qx '"is_lossy":true"is_lossy":false'
	# Events that are missing within the trace itself.
	cp "$GOLDEN/analysis/lossy.txt" a_run2.txt
	run -5 "$SHOW" --refuse-lossy a_run2.txt
	# Broken metadata and a broken trace are errors that name the file.
	run_of broken a_run0 6.5.0
	echo '{"kernel": ' >broken/a_run0.json
	run -3 "$SHOW" broken
	[[ $output == *"broken/a_run0.json"* ]]
	run_of torn a_run0 6.5.0
	head -c 1000 /dev/urandom >torn/a_run0.txt
	run -3 "$SHOW" torn
	[[ $output == *"torn/a_run0.txt"* ]]
}

# figures_of PIDS TRACE: the run's slices and wakeup waits are those of the tasks with these PIDs, and others ran as well.
figures_of() {
	"$SHOW" "$2" >shown.json
	"$PICKNEXT" stat --waits --json --top 0 "$2" 2>/dev/null >stat.json
	python3 - "$1" <<-'EOF'
		import json, sys
		run, = json.load(open("shown.json"))[0]["runs"]
		pids = {int(pid) for pid in sys.argv[1].split()}
		tasks = [row for row in json.load(open("stat.json"))["tasks"] if row["kind"] == "user"]
		own = [row for row in tasks if row["pid"] in pids]
		assert {row["pid"] for row in own} == pids, (pids, [row["pid"] for row in tasks])
		assert run["slices"] == sum(row["slices"] for row in own) > 0, (run["slices"], [row["slices"] for row in own])
		assert run["wakeups"] == sum(row["wakeup_waits"] for row in own) > 0, (run["wakeups"], [row["wakeup_waits"] for row in own])
		assert sum(row["cpu_time_ns"] for row in tasks if row["pid"] not in pids) > 0
	EOF
}

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose
@test "metrics: of a command its own tasks count, whatever else is busy" {
	need_tracefs
	local program='echo $$; sleep 0.1 & echo $!; (sleep 0.05 & echo $!; wait) & echo $!; wait'
	program+='; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	sh -c 'while :; do sleep 0.002; done' &
	busy=$!
	sh -c 'while :; do :; done' 3>&- &
	hog=$!
	"$PICKNEXT" collect -q -r 1 -o out -w exec:own -- sh -c "$program" >collected
	"$PICKNEXT" record -o recorded -- sh -c "$program" >pids
	mkfifo go
	sh -c "read -r go <go; $program" >watched_pids &
	watched=$!
	"$PICKNEXT" record -o watched --pid $watched &
	recorder=$!
	wait_until is_recording $recorder
	echo >go
	wait $recorder
	"$PICKNEXT" record --flight 5 -o flight -- sh -c "$program"
	kill $busy $hog
	figures_of "$(tr '\n' ' ' <collected)" out/raw/own_run0.dat
	figures_of "$(tr '\n' ' ' <pids)" recorded.dat
	figures_of "$(tr '\n' ' ' <watched_pids)" watched.dat
	# What was born before the window of a flight recording is not known: all tasks count.
	"$SHOW" flight.dat >shown.json
	[ "$(json shown.json 'd[0]["runs"][0]["slices"]')" -gt "$("$PICKNEXT" stat --by comm --csv --top 0 flight.dat 2>/dev/null |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["comm"] == "sleep" { print $at["slices"] }')" ]
	python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$SHOW" --most-missing 0 out recorded.dat watched.dat ||
		[ $? -eq 75 ]
	"$PICKNEXT" report -q out -o page.html
	grep -q '<th scope=row>sh<' page.html
	grep -q '<th scope=row>sh <span class=dim>other</span>' page.html
}

@test "metrics: the slow reference finds the same in recordings of this machine" {
	need_tracefs
	"$PICKNEXT" collect -q -o here --runs 2 --scale 0.01 \
		-w hackbench_pipe_small,sysbench_memory_4t,cpu_bound_4p,io_mixed,exec:shell -- sh -c '(true; true) & true; wait'
	run python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$SHOW" here
	echo "$output"
	[ "$status" -ne 75 ] || skip "this kernel left switches out of every run"
	[ "$status" -eq 0 ]
	[[ $output == *" of 10 runs compared, "*" figures, 0 differ" ]]
}
