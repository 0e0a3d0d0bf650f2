#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A kernel that hides the idle tasks of all CPUs but the first: what commands say of such a trace is true in the whole
# trace of the same scheduler (tests/tools/make_followed.c), and what cannot be known is empty.

bats_require_minimum_version 1.5.0

setup_file() {
	local top=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..} seed
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir all hidden
	for seed in 1 2 3; do
		"$top/build/tools/make_followed" all.dat followed.dat "$seed"
		"${PICKNEXT:-$top/build/picknext}" export all.dat >"all/$seed.txt"
		grep -vE '\[00[1-9]\].* sched_switch: prev_comm=swapper ' "all/$seed.txt" >"hidden/$seed.txt"
	done
}

setup() {
	export PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

# compare_rows PYTHON: for each row of stat --waits by task, the hidden trace's and the true one.
compare_rows() {
	python3 - "$1" <<'PYTHON'
import json, os, subprocess, sys
def rows(which, seed):
    out = subprocess.run([os.environ["PICKNEXT"], "stat", "--waits", "--json", "--top", "0", f"{which}/{seed}.txt"],
                         check=True, capture_output=True)
    result = json.loads(out.stdout)
    key = lambda row: (row["pid"], row["comm"])
    return {key(row): row for row in result["tasks"]}, result
count = 0
for seed in (1, 2, 3):
    (hidden, all_hidden), (true, all_true) = rows("hidden", seed), rows("all", seed)
    assert hidden.keys() == true.keys()
    for key in true:
        is_idle = true[key]["kind"] == "idle"
        exec(sys.argv[1], globals() | {"h": hidden[key], "t": true[key], "is_idle": is_idle})
        count += 1
    for h, t in zip(all_hidden["cpus"], all_true["cpus"]):
        assert h["switches"] == t["switches"], (seed, h, t)
        assert h["busy_ns"] <= t["busy_ns"] <= h["busy_ns"] + h["either_ns"] + h["unknown_ns"], (seed, h, t)
assert count > 100, count
PYTHON
}

# bats test_tags=slow
@test "missing switches: CPU time is within its bounds, and counts are exact" {
	compare_rows '
assert h["cpu_time_ns"] <= t["cpu_time_ns"] <= h["cpu_time_max_ns"] or is_idle, (seed, h, t)
assert t["cpu_time_max_ns"] == t["cpu_time_ns"], t
# Nothing shows that a CPU was idle before its first event.
assert 0 <= t["switches_voluntary"] - h["switches_voluntary"] <= is_idle, (seed, h, t)
for name in ("switches_runnable", "switches_preempted", "wakeups", "migrations"):
    assert h[name] == t[name], (seed, name, h, t)
'
}

# bats test_tags=slow
@test "missing switches: each wait is counted, and none is known that is not true" {
	compare_rows '
for kind in ("wakeup_", "preempted_"):
    assert h[kind + "waits"] + h[kind + "waits_unknown"] == t[kind + "waits"], (seed, kind, h, t)
    many = h[kind + "waits_unknown"] * 20 > t[kind + "waits"]
    assert not many or h[kind + "wait_max_ns"] is None, (seed, kind, h, t)
    if h[kind + "wait_max_ns"] is not None:
        assert h[kind + "wait_max_ns"] <= t[kind + "wait_max_ns"], (seed, kind, h, t)
if not is_idle:
    lacking = t["slices"] - h["slices"]
    assert lacking >= 0 and (lacking * 20 <= t["slices"] or h["slice_max_ns"] is None), (seed, h, t)
'
}

@test "missing switches: any event of a task that waited on an idle CPU shows that it runs" {
	cat >narrow.txt <<-'END'
		   x-9  [001] d..2.   1.000000: sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
		   x-9  [001] d..2.   1.000001: tlb_flush: pages:0 reason:flush on task switch (0)
		   <idle>-0  [001] dNh2.   1.000010: sched_wakeup: comm=y pid=8 prio=120 target_cpu=001
		   y-8  [001] .....   1.000013: sys_exit: NR 230 = 0
		   y-8  [001] d..2.   1.000050: sched_switch: prev_comm=y prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
	END
	run -0 "$PICKNEXT" stat --csv narrow.txt
	[[ $output == *"8,y,user,37000,40000,"* ]]
	[[ $output == *"0,swapper/1,idle,10000,13000,"* ]]
	[[ $output == *" 1 switch missing, "* ]]
}

@test "missing switches: check says what holds, and the trace is of use" {
	run -0 "$PICKNEXT" check hidden/1.txt
	[[ ${lines[0]} == *": usable; "* ]]
	[[ $output == *"of them from idle"*"picknext help limits"* ]]
	run -0 "$PICKNEXT" latency hidden/1.txt
	[[ ${lines[-1]} == *"switches missing, which bounds times: see picknext check" ]]
}

# bats test_tags=slow
@test "missing switches: no inversion and no wait beside an idle CPU that is not in the whole trace" {
	local seed command
	for seed in 1 2 3; do
		for command in "idle-waiting --may-use any --from 0.0003" "inversions --nice --threshold 0 --from 0.0003"; do
			# shellcheck disable=SC2086
			python3 -c 'import json, sys
hidden, true = (json.load(open(name))["longest"] for name in sys.argv[1:])
assert max([0] + [x["duration_ns"] for x in hidden]) <= max([0] + [x["duration_ns"] for x in true]), (hidden, true)' \
				<("$PICKNEXT" $command --json "hidden/$seed.txt") \
				<("$PICKNEXT" $command --json "all/$seed.txt")
		done
	done
}

# bats test_tags=slow
@test "missing switches: compare gives the metrics that need no missing switch" {
	mkdir -p a b
	for seed in 1 2 3; do
		cp "hidden/$seed.txt" "a/w_run$seed.txt"
		cp "all/$seed.txt" "b/w_run$seed.txt"
	done
	"$PICKNEXT" compare --json a b >out
	python3 - <<'PYTHON'
import json
result = json.load(open("out"))
assert any("a: 3 of 3 runs lack many switches" in line for line in result["notices"]), result["notices"]
empty = set()
for row in result["rows"]:
    hidden, true = (side["values"] for side in row["sets"])
    if true and not hidden:
        empty.add(row["metric"])
    elif true and row["metric"] != "run_queue_length":
        assert hidden == true, row
assert empty == {name for row in result["rows"] if row["sets"][1]["values"]
                 for name in [row["metric"]] if name.startswith(("slice", "wakeup", "preempted", "fairness", "idle", "own_idle", "queue"))}, empty
PYTHON
}

# bats test_tags=slow
@test "missing switches: a decision has the values of the whole trace, or none" {
	local which
	for which in hidden all; do
		mkdir -p "$which-set/raw"
		cp "$which"/1.txt "$which-set/raw/a_run1.txt"
		cp "$which"/2.txt "$which-set/raw/a_run2.txt"
		"$PICKNEXT" build -q --task pick --raw-dir "$which-set/raw" -o "$which-set"
	done
	python3 - <<'PYTHON'
import collections, csv
def rows(which):
    return {(row["trace_id"][:6], row["time_ns"], row["cpu"]): row for row in csv.DictReader(open(f"{which}-set/all.csv"))}
hidden, true = rows("hidden"), rows("all")
assert len(hidden) > 1000 and hidden.keys() <= true.keys()
empty = collections.Counter()
for key, row in hidden.items():
    # That a CPU hides switches is known from the first one on.
    for name in row if int(row["time_ns"]) > 300000 else ():
        if name == "trace_id":
            continue
        for found, expected in zip(row[name].split(" "), true[key][name].split(" ")):
            assert found in (expected, "", "-"), (key, name, found, expected)
            empty[name] += found != expected
assert {name for name in empty if empty[name]} == {"others_running", "others_idle", "others_waiting", "prev_ran_ns",
    "candidate_slice_ns", "candidate_runtime_ns", "candidate_share_ppm"}, empty
PYTHON
}
