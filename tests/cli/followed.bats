#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A trace of followed tasks (record --pid): every command says of these tasks what it says in the whole trace, nothing of
# others, and that it does. The truth is the whole trace of the same scheduler (tests/tools/make_followed.c).

bats_require_minimum_version 1.5.0

setup_file() {
	local top=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir all followed
	for seed in 1 2 3; do
		"$top/build/tools/make_followed" "all/a_run$seed.dat" "followed/a_run$seed.dat" "$seed"
	done
}

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	export PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

# same KEYS COMMAND...: the rows of the followed tasks have the same values in both traces, and no others are there.
same() {
	python3 - "$@" <<'PYTHON'
import json, os, subprocess, sys
keys, command = sys.argv[1].split(","), sys.argv[2:]
def rows(which, seed):
    out = subprocess.run([os.environ["PICKNEXT"], *command, "--json", f"{which}/a_run{seed}.dat"], check=True, capture_output=True)
    tables = json.loads(out.stdout)
    table = next(value for name, value in tables.items() if isinstance(value, list) and value and "pid" in value[0])
    return tables["trace"], {(row["pid"], row.get("wait")): row for row in table}
seen = 0
for seed in (1, 2, 3):
    trace, told = rows("followed", seed)
    assert trace["traces_of_followed_tasks"] == 1
    truth = rows("all", seed)[1]
    for pid, row in told.items():
        for key in keys:
            assert row[key] == truth[pid][key], (seed, pid, key, row[key], truth[pid][key])
        seen += 1
assert seen > 12, seen
PYTHON
}

# bats test_tags=slow
@test "followed: stat, latency and affinity say of followed tasks what they say in the whole trace" {
	same cpu_time_ns,switches_voluntary,switches_runnable,switches_preempted,slices,slice_p50_ns,slice_max_ns,wakeups \
		stat --top 0 --by task
	same wakeup_waits,wakeup_wait_p50_ns,wakeup_wait_max_ns,preempted_waits,preempted_wait_max_ns stat --waits --top 0 --by task
	same runs,changes,cpu_time_ns affinity --top 0
	"$PICKNEXT" stat --json --top 0 followed/a_run1.dat >stat.json
	python3 - <<'PYTHON'
import json
stat = json.load(open("stat.json"))
for cpu in stat["cpus"]:
    assert cpu["idle_ns"] is None and cpu["busy_share"] is None and cpu["unknown_ns"] == 0 and cpu["others_ns"] > 0
assert all(task["pid"] >= 100 and task["migrations"] is None for task in stat["tasks"])
PYTHON
}

@test "followed: extended columns are those of the whole trace, or empty" {
	"$PICKNEXT" export -f csv --columns extended --trace-id t all/a_run1.dat >all.csv
	"$PICKNEXT" export -f csv --columns extended --trace-id t followed/a_run1.dat >followed.csv 2>warning
	grep -q 'followed/a_run1.dat.*--pid' warning
	python3 - <<'PYTHON'
import csv
truth = {(row["timestamp"], row["cpu"]): row for row in csv.DictReader(open("all.csv"))}
filled = {}
for row in csv.DictReader(open("followed.csv")):
    whole = truth[row["timestamp"], row["cpu"]]
    for key, value in row.items():
        if value and key != "time_diff":
            assert value == whole[key], (row, whole)
            filled[key] = filled.get(key, 0) + 1
assert filled["prev_runtime"] > 30 and filled["wakeup_latency"] > 20 and filled["waker_pid"] > 20, filled
assert "runnable_tasks" not in filled, filled
PYTHON
}

@test "followed: check finds nothing wrong, says what is followed, and recommends no larger buffer" {
	"$PICKNEXT" check --json followed/a_run2.dat >check.json
	python3 - <<'PYTHON'
import json
trace = json.load(open("check.json"))["traces"][0]
assert trace["verdict"] == "usable", trace
bad = {finding["name"]: finding for finding in trace["findings"] if finding["grade"] != "good"}
assert list(bad) == ["tasks"] and bad["tasks"]["count"] == 4 and "buffer-size" not in str(trace), bad
PYTHON
	"$PICKNEXT" check --json all/a_run2.dat | grep -q '"verdict": "good"'
}

@test "followed: what depends on all tasks is refused, and named" {
	for command in idle-waiting inversions; do
		run -3 "$PICKNEXT" "$command" followed/a_run1.dat
		[[ $output == *followed/a_run1.dat*--pid* ]]
		"$PICKNEXT" "$command" all/a_run1.dat >/dev/null
	done
}

@test "followed: the timeline has the run time of followed tasks only; migrations have only causes that are certain" {
	"$PICKNEXT" timeline --json followed/a_run1.dat >timeline.json
	"$PICKNEXT" migrations --list --json followed/a_run1.dat >migrations.json
	"$PICKNEXT" stat --json --top 0 followed/a_run1.dat >stat.json
	python3 - <<'PYTHON'
import json
followed = {task["pid"] for task in json.load(open("stat.json"))["tasks"]}
rows = json.load(open("timeline.json"))["events"]
assert sum(row["runtime_ns"] is not None for row in rows) > 30
for row in rows:
    assert row["prev"]["pid"] in followed or row["runtime_ns"] is None, row
    assert row["prev"]["pid"] in followed or row["next"]["pid"] in followed, row
moves = json.load(open("migrations.json"))["migrations"]
assert moves and all(move["pid"] in followed and move["cause"] in ("wakeup", "fork", "unknown") for move in moves)
PYTHON
}

# bats test_tags=slow
@test "followed: compare, report and build leave out what depends on other tasks, and say so" {
	"$PICKNEXT" compare --json all followed >compare.json
	python3 - <<'PYTHON'
import json
text = open("compare.json").read()
assert "followed" in text
PYTHON
	"$PICKNEXT" compare all followed | grep -q 'followed.*3 of 3 runs.*--pid'
	"$PICKNEXT" report -q -o page.html followed
	grep -q '3 of 3 runs.*--pid' page.html
	mkdir raw
	cp followed/*.dat raw
	"$PICKNEXT" build -q -o out --raw-dir raw 2>warnings
	grep -q 'a_run2.dat.*--pid' warnings
	python3 -c 'import json; assert len(json.load(open("out/dataset_meta.json"))["followed_traces"]) == 3'
	"$PICKNEXT" export -q -f baseline -o baseline.csv out/train.csv 2>warnings
	grep -q followed_traces warnings
}

@test "followed: trace-cmd reads the file without a complaint" {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	trace-cmd report -i followed/a_run1.dat >events.txt 2>complaints
	[ ! -s complaints ]
	[ "$(grep -c sched_switch events.txt)" = "$("$PICKNEXT" timeline --csv followed/a_run1.dat 2>/dev/null | grep -c ',switch,')" ]
	trace-cmd report --stat -i followed/a_run1.dat 2>&1 | grep -q 'followed tasks: 106 100 103 105'
}
