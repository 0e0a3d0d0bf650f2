#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext compare: what it refuses, what it says first, what gates end in, and that its figures are what Python makes of
# the same runs. How it looks is in tests/golden/compare.bats.

bats_require_minimum_version 1.5.0
load ../support/json

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	MAKE=$TOP/tests/support/make_runs.py
	cd "$BATS_FILE_TMPDIR" || return 1
	python3 "$MAKE" a sample 6 1 1 'kernel="6.1.0"' hz=250 scale=1.0 'preemption="voluntary"'
	python3 "$MAKE" b sample 6 2 1.4 'kernel="6.12.0"' hz=250 scale=1.0 'preemption="voluntary"'
	cp -r a a2
	python3 "$MAKE" few sample 4 3 1.4 'kernel="7.0.0"' hz=250 scale=1.0 'preemption="voluntary"'
}

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	MAKE=$TOP/tests/support/make_runs.py
	cd "$BATS_FILE_TMPDIR" || return 1
}

# Ends in CODE with one line that names what PATTERN says.
refuses() {
	local code=$1 pattern=$2
	shift 2
	run -"$code" --separate-stderr "$PICKNEXT" compare "$@"
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" = 1 ]
	[[ "$stderr" == *$pattern* ]] || { echo "$stderr"; return 1; }
}

# bats test_tags=slow
@test "compare: what is wrong on the command line is said before anything is read" {
	refuses 2 "picknext: "
	refuses 2 "'slice_p5_us'*'slice_p50_us'" -m slice_p5_us a b
	refuses 2 "'nothing\\*'" -m 'nothing*' a b
	refuses 2 "--json*--csv" --json --csv none none
	refuses 2 "'wakeup_latency_p999_us'*'wakeup_latency_p99_us'" \
		-f 'wakeup_latency_p999_us > +10%' a b
	refuses 2 "--fail-if*'throughput_per_s 10%'*>=" -f 'throughput_per_s 10%' none none
	refuses 2 "--fail-if*'throughput_per_s > ten%'" -f 'throughput_per_s > ten%' none none
	refuses 2 "--fail-if*'throughput_per_s > +-10%'" -f 'throughput_per_s > +-10%' none none
	refuses 2 "--fail-if*'throughput_per_s >'" -f 'throughput_per_s >' none none
	refuses 2 "--fail-if*'throughput_per_s > 1e999'" -f 'throughput_per_s > 1e999' none none
	refuses 2 "'> 5'" -f '> 5' none none
	refuses 2 "less" --margin less none none
	refuses 2 "--margin" --margin -1 a b
	refuses 2 "'fast'*compare --list" -m 'slice_p50_us,fast' a b
	refuses 2 "'fast'*compare --list" -f 'fast > 1' a b
	refuses 2 "'fast'" -m 'slice_p50_us,fast' a b
}

@test "compare: a lone file that is no trace is reported as that, whatever its name" {
	: >nothing.dat
	echo none >nothing.txt
	refuses 3 "nothing.dat: " a nothing.dat
	refuses 3 "nothing.txt: " --margin 5 nothing.txt a
}

# bats test_tags=slow
@test "compare: sets that are none" {
	refuses 4 "none" a none
	refuses 2 "a: " a
	for set in 3 4 5 6 7 8 9; do
		cp -r a "a$set"
	done
	refuses 2 8 a a2 a3 a4 a5 a6 a7 a8 a9
	refuses 2 sample -w other a b
	refuses 2 "'other'" -w sample,other a b
	refuses 2 "'sam: throughput_per_s > 5'*'sam'" -f 'sam: throughput_per_s > 5' a b
	refuses 4 none/file -o none/file a b
	refuses 4 "none/file" --junit none/file a b
}

# bats test_tags=slow
@test "compare: all figures are what Python makes of the runs" {
	local margin verdicts=
	"$PICKNEXT" compare a b few --json >compare.json
	"$PICKNEXT" compare a b few --csv >compare.csv
	python3 "$TOP/tests/support/comparison_reference.py" compare.json compare.csv
	"$PICKNEXT" compare b a --margin 30 --strict -m 'slice*' -m 'wake*' --json >strict.json
	python3 "$TOP/tests/support/comparison_reference.py" strict.json
	# Two copies of the same runs, of which each margin makes something else.
	for margin in 0.5 5; do
		"$PICKNEXT" compare a a2 --margin "$margin" --json >copies.json
		python3 "$TOP/tests/support/comparison_reference.py" copies.json
		verdicts="$verdicts $(json copies.json 'next(row["sets"][1]["verdict"] for row in d["rows"] if row["metric"] == "throughput_per_s")')"
	done
	[ "$verdicts" = " unclear equal" ]
}

@test "compare: the same runs give the same bytes" {
	"$PICKNEXT" compare a b --json -o once
	"$PICKNEXT" compare a b --json >again
	cmp once again
}

# bats test_tags=slow
@test "compare, report: a fault that a guest's kernel reported is said before anything else" {
	local fault='WARNING: CPU: 1 PID: 73 at kernel/sched/deadline.c:1234 dl_server_stop+0x1/0x2' set
	for set in sound warned; do
		rm -rf $set
		cp -r a $set
		mkdir $set/boots
		echo '{}' >$set/vm.json
		echo '{"run": 1, "identity": "a", "files": [], "kernel_fault": null}' >$set/boots/run1.json
		echo '{"run": 2, "identity": "a", "files": [], "kernel_fault": null}' >$set/boots/run2.json
	done
	echo '{"run": 2, "identity": "a", "files": [], "kernel_fault": "'"$fault"'\u001b[31m"}' >warned/boots/run2.json
	run -0 "$PICKNEXT" compare sound warned
	[ "${lines[0]}" = "warned: the kernel reported a fault in 1 of 2 boots: $fault\\x1b[31m (warned/console/run2.log)" ]
	[[ "${lines[1]}" == "warned: nothing differs in "* ]]
	"$PICKNEXT" compare --json sound warned >faults.json
	[ "$(json faults.json '[each["kernel_faults"]["boots"] for each in d["sets"]], d["sets"][0]["kernel_faults"]["first"]')" = "([0, 1], None)" ]
	"$PICKNEXT" report -o page.html sound warned
	grep -F "the kernel reported a fault in 1 of 2 boots: $fault" page.html
}

# bats test_tags=slow
@test "compare: gates come first, those that fail before the others; with -q alone" {
	local pass='throughput_per_s > 60%' fail='throughput_per_s > +10%'
	run -1 "$PICKNEXT" compare a b -f "$pass" -f "$fail"
	[[ ${lines[0]} == "FAIL $fail"* && ${lines[1]} == "PASS $pass"* && ${#lines[@]} -gt 10 ]] || { echo "$output"; return 1; }
	run -1 "$PICKNEXT" compare a b -f "$pass" -f "$fail" -q
	[[ ${lines[0]} == "FAIL $fail"* && ${lines[1]} == "PASS $pass"* && ${#lines[@]} -eq 2 ]] || { echo "$output"; return 1; }
	run -0 "$PICKNEXT" compare a b -q
	[[ $output == *"95 % interval"* ]]
}

# bats test_tags=slow
@test "compare: the first lines are of the workloads with the largest changes, and say how many have none" {
	local factor
	for factor in 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 2 3; do
		python3 "$MAKE" many_a "by_$factor" 6 1 1 'kernel="6.1.0"'
		python3 "$MAKE" many_b "by_$factor" 6 2 "$factor" 'kernel="6.12.0"'
	done
	run -0 "$PICKNEXT" compare many_a many_b -m 'throughput*'
	for factor in 3 2 1.9 1.8 1.7 1.6 1.5 1.4; do
		[[ ${lines[0]} == "6.12.0, by_$factor: more work is done "* ]] || { echo "$factor: $output"; return 1; }
		lines=("${lines[@]:1}")
	done
	[[ ${lines[0]} == "6.12.0: 2 more workloads "*"--details=changed"* ]] || { echo "$output"; return 1; }
	# The metric that changed by the largest factor is named for all that mean the same; a value below the
	# floor counts as the floor.
	run -0 "$PICKNEXT" compare many_a many_b -w by_3
	"$PICKNEXT" compare many_a many_b -w by_3 --json >many.json
	python3 - "${lines[0]}" <<-'EOF'
		import json, re, sys
		rows = json.load(open("many.json"))["rows"]
		factor = {}
		for row in rows:
		    first, second = (cell["median"] for cell in row["sets"])
		    if re.match("preempted_wait", row["metric"]) and row["sets"][1]["significant"]:
		        factor[row["metric"]] = max(second, row["floor"]) / max(first, row["floor"])
		named = re.search(r"preempted tasks wait longer \(([a-z0-9 ]+) [0-9]", sys.argv[1]).group(1).replace(" ", "_") + "_us"
		assert len(factor) > 1 and factor[named] == max(factor.values()), (named, factor)
	EOF
}

# bats test_tags=slow
@test "compare: gates fail, pass or are inconclusive" {
	run -1 "$PICKNEXT" compare a b -f 'throughput_per_s > +10%'
	[[ "$output" == *"FAIL throughput_per_s > +10%, sample: change +"* ]]
	run -0 "$PICKNEXT" compare a b -f 'throughput_per_s < -10%' -f 'throughput_per_s > 60%'
	[[ "$output" == *"PASS throughput_per_s > 60%, sample: change +"* ]]
	# A gate that failed has failed, whatever is not known of others.
	run -1 "$PICKNEXT" compare a b few -f 'throughput_per_s > +10%'
	# The interval is within the limit, or reaches beyond it; identical runs differ by less than any limit.
	run -0 "$PICKNEXT" compare a a2 -f 'throughput_per_s > 10%' -f 'throughput_per_s < -10%' --inconclusive fail
	run -5 "$PICKNEXT" compare a a2 -f 'throughput_per_s > 0.1%' --inconclusive fail
	[[ "$output" == *"INCONCLUSIVE throughput_per_s > 0.1%, sample: change 0%, "*"allows both"* ]]
	# The limit counts, not the margin of equality.
	run -1 "$PICKNEXT" compare a b -f 'throughput_per_s > 10%' --margin 90
	# The value itself, of the later set; of any number of runs.
	run -1 "$PICKNEXT" compare a few -f ' s*mple : throughput_per_s>=1000 '
	run -0 "$PICKNEXT" compare a few -f 'throughput_per_s < 1e3' -f 'run_queue_length <= 1'
	# The gate's figure is there, whatever others were chosen.
	run -1 "$PICKNEXT" compare a b -m slice_mean_us -f 'throughput_per_s > +10%'
	[[ "$output" == *throughput_per_s* && "$output" == *slice_mean_us* && "$output" != *slice_p50_us* ]]
}

# bats test_tags=slow
@test "compare: an inconclusive gate passes with a warning, or fails" {
	run -0 --separate-stderr "$PICKNEXT" compare a few -f 'throughput_per_s > +10%'
	[[ "$output" == *"INCONCLUSIVE throughput_per_s > +10%, sample: needs ≥5 runs"*6*4* ]]
	[[ "$stderr" == "picknext: warning: 1 of 1 gates inconclusive"*"--inconclusive fail"* ]]
	run -5 --separate-stderr "$PICKNEXT" compare a few -f 'throughput_per_s > +10%' --inconclusive fail
	[ -z "$stderr" ]
	# A workload that a set does not have; a figure that none has.
	python3 "$MAKE" more sample 6 1 1
	python3 "$MAKE" more extra 6 1 1
	run -5 "$PICKNEXT" compare more a -f 'extra: throughput_per_s > 1%' --inconclusive fail
	grep -Eq '\<no runs?\>.*\<extra\>' <<<"$output"
	[[ "$output" == *"INCONCLUSIVE extra: throughput_per_s > 1%, extra: no run of "* ]]
	refuses 2 "--inconclusive" --inconclusive maybe a b
	"$PICKNEXT" compare a few --format ktap -f 'throughput_per_s > +10%' | grep -q '^  ok 1 .* # SKIP inconclusive: needs'
	run -5 --separate-stderr "$PICKNEXT" compare a few --format ktap -f 'throughput_per_s > +10%' --inconclusive fail
	grep -q '^  not ok 1 ' <<<"$output"
	grep -q '^  # inconclusive: needs' <<<"$output"
}

@test "compare: a gate that no change meets is refused, with the one that was meant" {
	refuses 2 "--fail-if*'throughput_per_s < 5%'*0 %*'throughput_per_s < -5%'" -f 'throughput_per_s < 5%' none none
	refuses 2 "'s*: slice_p50_us >= -2.5%'*'s*: slice_p50_us >= +2.5%'" -f 's*: slice_p50_us >= -2.5%' none none
	refuses 2 "'throughput_per_s <= 0%'*'throughput_per_s < +0%'" -f 'throughput_per_s <= 0%' none none
	# A limit compares values, of which 0 is one.
	run -0 "$PICKNEXT" compare a b -f 'throughput_per_s < 5'
}

# values DIR NAME=EXPRESSION...: each run n of DIR gets these members of "values".
values() {
	python3 - "$@" <<'END'
import glob, json, sys
directory, *values = sys.argv[1:]
for n, path in enumerate(sorted(glob.glob(directory + "/raw/*.json"))):
    run = json.load(open(path))
    run["values"] = {name: eval(text) for name, _, text in (value.partition("=") for value in values)}
    json.dump(run, open(path, "w"))
END
}

# bats test_tags=slow
@test "compare: the values of vm --value are metrics, in the family of their workload" {
	rm -rf va vb vc
	cp -r a va
	cp -r b vb
	cp -r a vc
	values va late_us='1000 + n' lost='None if n == 3 else n' delta='-5 - n' slice_p50_us=1 '../x=1'
	values vb late_us='2000 + n' lost='None if n == 3 else n' delta='5 + n'
	run -0 --separate-stderr "$PICKNEXT" compare --json va vb
	python3 - "$output" <<'END'
import json, sys
document = json.loads(sys.argv[1])
rows = {row["metric"]: row for row in document["rows"]}
assert "../x" not in rows and rows["slice_p50_us"]["unit"] == "us"
sets = [[side["values"] for side in row["sets"]] for row in (rows["late_us"], rows["lost"], rows["delta"])]
assert sets[0] == [list(range(1000, 1006)), list(range(2000, 2006))], sets[0]
assert sets[1] == 2 * [[0, 1, 2, None, 4, 5]], sets[1]
late = rows["late_us"]
assert late["unit"] == "" and late["floor"] == 0 and late["better"] == "neither", late
against = late["sets"][1]
assert against["verdict"] == "different" and against["significant"], against
assert abs(against["change"] - 100 * 1000 / 1002.5) < 1e-3, against
delta = rows["delta"]["sets"][1]
assert not delta["is_percent"] and delta["change"] == 15, delta
# They are tests like the others: 924 ways, of which this one and its mirror are as extreme.
assert abs(against["p_family"] - 2 / 924) < 1e-6, against
END
	# A table always has them; gates and --metric name them.
	run -0 "$PICKNEXT" compare va vb
	[[ $output == *late_us*+99.8%*different* && $output == *delta*+15* ]]
	run -0 "$PICKNEXT" compare -m 'late*' va vb
	[[ $output == *late_us* && $output != *slice* ]]
	run -1 "$PICKNEXT" compare -f 'late_us > +50%' va vb
	run -1 "$PICKNEXT" compare -f 'sample: delta >= 7.5' va vb
	run -0 "$PICKNEXT" compare -f 'delta > 7.5' va vb
	run -0 "$PICKNEXT" compare --better late_us=lower -m late_us va vb
	[[ $output == *late_us*worse* ]]
	run -0 "$PICKNEXT" compare --better late_us=higher -m late_us va vb
	[[ $output == *late_us*better* ]]
	refuses 2 "'late_us=less'" --better late_us=less va vb
	refuses 2 "'slice_p50_us=lower'" --better slice_p50_us=lower va vb
	run -2 "$PICKNEXT" compare -f 'late_ms > +50%' va vb
	[[ $output == *late_us* ]]
	# The page has them first, and negative ones.
	"$PICKNEXT" report -o page.html va vb
	grep -q '<th scope=col class=h>late_us' page.html
	grep -q '<li><strong>late_us</strong>: higher in 1 (sample, 1,003 → 2,003)' page.html
	grep -q '>delta<td>−7.50<' page.html
	grep -q '>late_us</title>' page.html
	refuses 2 "--comm" --comm nobody va vb
	run -2 "$PICKNEXT" report -o none.html --comm nobody va vb
	[[ $output == *--comm* ]]
}

# bats test_tags=slow
@test "compare: chosen tasks, and metrics of each name in the family of their workload" {
	for set in a b; do
		rm -rf "t$set"
		cp -r "$set" "t$set"
		# The tasks 200 and 201 have another name.
		sed -E -i 's/worker-20/ other-20/; s/worker ([a-z_]*pid=20)/other \1/g' "t$set"/raw/*.txt
	done
	"$PICKNEXT" compare --json ta tb >all.json
	"$PICKNEXT" compare --json --by comm ta tb >by.json
	"$PICKNEXT" compare --json --comm 'oth*' ta tb >comm.json
	"$PICKNEXT" compare --json --pid 200 --pid 201 ta tb >pid.json
	"$PICKNEXT" compare --json --role 'other#1' --role 'other#2' ta tb >role.json
	python3 - <<'END'
import json
def rows(name):
    return [(row["workload"], row.get("task"), row["metric"], row) for row in json.load(open(name))["rows"]]
def values(name, task=None):
    return {metric: [side["values"] for side in row["sets"]] for _, of, metric, row in rows(name) if of == task}
everything, other, worker = values("all.json"), values("by.json", "other"), values("by.json", "worker")
assert {of for _, of, _, _ in rows("by.json")} == {"other", "worker"}
for name in "comm.json", "pid.json", "role.json":
    assert values(name) == other, name
known = {metric for metric in other if any(map(any, other[metric]))}
assert {"slice_mean_us", "involuntary_share", "wakeup_latency_p99_us"} <= known, known
assert "switches_per_s" in everything and not known & {"switches_per_s", "idle_share", "throughput_per_s", "run_queue_length"}
for part in other, worker:
    assert part["slice_mean_us"] != everything["slice_mean_us"]
longest = [list(map(max, *sides)) for sides in zip(other["wakeup_latency_max_us"], worker["wakeup_latency_max_us"])]
assert longest == everything["wakeup_latency_max_us"]
# One family: the same values twice, and the correction of the whole workload is not weaker.
of_comm = {metric: row["sets"][1]["p_family"] for _, _, metric, row in rows("comm.json")}
for _, of, metric, row in rows("by.json"):
    if of == "other" and of_comm[metric] is not None:
        assert row["sets"][1]["p_family"] >= of_comm[metric], (metric, of_comm[metric])
END
	run -0 "$PICKNEXT" compare --by comm ta tb
	[[ $output == *"sample other"*"sample worker"* || $output == *"sample worker"*"sample other"* ]]
	run -1 "$PICKNEXT" compare --by comm -f '*other: slice_mean_us > 1' ta tb
	grep -q '^FAIL.*sample other' <<<"$output"
	run ! grep -q '^FAIL.*sample worker' <<<"$output"
	run -1 "$PICKNEXT" compare --by comm -f 'sample: slice_mean_us > 1' ta tb
	[[ $output == *"sample other"*"sample worker"* || $output == *"sample worker"*"sample other"* ]]
	refuses 2 "'x'" --pid x ta tb
	refuses 2 "--comm" --comm none ta tb
	"$PICKNEXT" report --comm other -o page.html ta tb
	grep -q 'chosen tasks' page.html
}

# bats test_tags=slow
@test "compare, report: sets that lack runs that vm.json wants are refused, with their number" {
	rm -rf plan
	mkdir plan
	cp -r a plan/base
	cp -r b plan/head
	echo '{"inputs": {"identity": "'"$(printf %064d 1)"'"}, "recipe": ["vm"], "runs": [0, 1, 2, 3, 4, 5, 6]}' \
		>plan/head/vm.json
	refuses 5 "plan: 7 of 7 runs are missing*--allow incomplete" plan
	refuses 5 "plan/head: 7 of 7 runs are missing" -f 'slice_p50_us > 5' plan/base plan/head
	run -5 "$PICKNEXT" report -o page.html plan
	[[ $output == *"7 of 7"* ]]
	refuses 5 "plan/head/raw: 7 of 7 runs are missing" plan/base/raw plan/head/raw
	# A directory may have another name now.
	mv plan/head renamed
	refuses 5 "renamed: 7 of 7 runs are missing" plan/base renamed
	run -0 --separate-stderr "$PICKNEXT" compare --allow incomplete plan/base renamed
	[[ $stderr == *"7 of 7 runs are missing"* && $output == *slice_p50_us* ]]
	# A stored baseline too.
	refuses 5 "renamed: 7 of 7 runs are missing" --baseline renamed plan/base
	run -0 --separate-stderr "$PICKNEXT" compare --allow incomplete --baseline renamed plan/base
	[[ $stderr == *"7 of 7 runs are missing"* ]]
	rm -r renamed
}

# bats test_tags=slow
@test "check: a set of vm contradicts, or is incomplete, whether it or its directory is named" {
	local identity bytes
	identity=$(printf %064d 1)
	rm -rf planned
	mkdir -p planned
	cp -r a planned/base
	rm planned/base/raw/sample_run[1-9]*
	mkdir planned/base/boots
	echo '{"deterministic": {"identity": "'"$identity"'"}, "recipe": ["vm"], "runs": [0]}' >planned/base/vm.json
	bytes=$(stat -c %s planned/base/raw/sample_run0.txt)
	echo '{"run": 0, "identity": "'"$identity"'", "end": "done", "job_exit": 0, "traces": 1,
		"files": [{"name": "sample_run0.txt", "bytes": '"$bytes"', "sha256": "'"$identity"'"}]}' \
		>planned/base/boots/run0.json
	for name in planned planned/base planned/base/raw; do
		run -0 "$PICKNEXT" check $name
	done
	echo >>planned/base/raw/sample_run0.txt
	for name in planned planned/base planned/base/raw; do
		run -5 "$PICKNEXT" check $name
		[[ $output == *"raw/sample_run0.txt is not the file that was recorded"* ]]
		# A trace that check refuses is read by no other command.
		run -5 "$PICKNEXT" compare $name b
		[[ $output == *"runs that contradict their set: 1; run 0 "*"sample_run0.txt is not the file that was recorded"* ]]
		run -5 "$PICKNEXT" report -q -o page $name b
		[ ! -e page ]
	done
	mv planned/base/raw/sample_run0.txt kept
	run -5 "$PICKNEXT" compare --allow incomplete planned/base b
	[[ $output == *"sample_run0.txt"* ]]
	mv kept planned/base/raw/sample_run0.txt
	rm planned/base/boots/run0.json
	for name in planned planned/base; do
		run -1 "$PICKNEXT" check $name
		[[ $output == *missing* ]]
	done
}

# bats test_tags=slow
@test "check, compare, report: a run of another kernel in a set is refused, with its name" {
	local set
	rm -rf mixed
	python3 "$MAKE" mixed/old sample 6 1 1 'kernel="6.9.2"'
	python3 "$MAKE" mixed/new sample 6 2 1 'kernel="6.12.1"'
	run -0 "$PICKNEXT" compare mixed
	cp mixed/new/raw/sample_run5.txt mixed/old/raw/sample_run6.txt
	cp mixed/new/raw/sample_run5.json mixed/old/raw/sample_run6.json
	# With and without what picknext vm recorded of the set.
	for set in "" '{"inputs": {"identity": "'"$(printf %064d 1)"'"}, "recipe": ["vm"], "runs": [0]}'; do
		[ -z "$set" ] || echo "$set" >mixed/old/vm.json
		for line in "check mixed/old" "compare --allow incomplete mixed/old mixed/new" "report -q --allow incomplete -o page mixed/old mixed/new" \
			"compare --allow incomplete mixed" "compare --allow incomplete -q -f slice_p50_us>500% mixed/old mixed/new"; do
			# shellcheck disable=SC2086 # words
			run -5 "$PICKNEXT" $line
			[[ $output == *"run 6 is of another kernel (6.12.1) than sample_run0 (6.9.2): move sample_run6 to "* ]] ||
				{ echo "$line: $output"; return 1; }
		done
	done
	run -5 "$PICKNEXT" check mixed
	[[ $output == *"old, run 6: is of another kernel (6.12.1) than sample_run0"* ]]
	[ ! -e page ]
	# The same release of another build.
	rm mixed/old/vm.json
	cp mixed/old/raw/sample_run0.json mixed/old/raw/sample_run6.json
	sed -i 's/{/{"kernel_build_id": "aa", /' mixed/old/raw/sample_run0.json
	run -0 "$PICKNEXT" compare mixed/old mixed/new
	sed -i 's/{/{"kernel_build_id": "bb", /' mixed/old/raw/sample_run6.json
	run -5 "$PICKNEXT" compare mixed/old mixed/new
	rm -r mixed
}

# bats test_tags=slow
@test "compare: a workload whose traces are the same at each seed is no test; of the others the first difference is named" {
	rm -rf da db dc
	cp -r a da
	cp -r b db
	sed -i '1s/{/{"deterministic": {"identity": "'"$(printf %064d 1)"'"}, /' d[ab]/raw/*.json
	cp -r da dc
	run -0 "$PICKNEXT" compare -m slice_p50_us -f 'slice_p50_us > +0%' da dc
	[[ $output == *$'\n'"dc: nothing differs: the traces are the same at each seed"*"dc: not affected"*sample* && $output == *PASS* && $output == *"no workload is affected"* ]]
	"$PICKNEXT" compare --json da dc >same.json
	python3 - <<'END'
import json
sides = [row["sets"][1] for row in json.load(open("same.json"))["rows"]]
assert {side["verdict"] for side in sides} == {"-", "not affected"}, sides
assert all(side["p_family"] is None for side in sides)
END
	# One seed differs: in an event's time alone, which is no switch of another task.
	sed -E -i '$s/([0-9]+\.[0-9]{5})[0-9]:/\19:/; $s/ 0\.000009:/ 0.000008:/' dc/raw/sample_run3.txt
	run -0 "$PICKNEXT" compare da dc
	[[ $output != *"not affected"* && $output != *"picknext diff"* && $output == *equal* ]]
	run -0 "$PICKNEXT" compare da db
	[[ $output != *"not affected"* && $output =~ "with the same seed: sample, seed "([0-9])[^0-9] ]]
	local seed=${BASH_REMATCH[1]}
	run -1 "$PICKNEXT" diff "da/raw/sample_run$seed.txt" "db/raw/sample_run$seed.txt"
	"$PICKNEXT" compare da db -o text
	grep -q "^ *picknext diff da/raw/sample_run$seed.txt db/raw/sample_run$seed.txt\$" text
	# A text trace is no trace.dat, which the picture needs.
	run ! grep -q "export -f perfetto" text
	# Nothing is said of pairs whose first switches differ already,
	rm -rf dd
	cp -r db dd
	for run in dd/raw/*.txt; do
		awk '/sched_switch/ && !seen[$2]++ { sub(/prev_state=[^ ]*/, "prev_state=D") } 1' "$run" >changed
		mv changed "$run"
	done
	run -0 "$PICKNEXT" compare da dd
	[[ $output == *different* && $output != *"same seed"* ]]
	# nor without the guarantee of a deterministic guest.
	run -0 "$PICKNEXT" compare a a2
	[[ $output != *"not affected"* && $output != *"picknext diff"* ]]
}

# bats test_tags=slow
@test "compare, diff: the tasks of a mix of one's own are those of its roles, not the tracer" {
	local set=0 roles='roles=[{"name":"worker","tasks":4,"policy":"other","nice":0}]'
	rm -rf ma mb
	for set in 1 2; do
		python3 "$MAKE" "m$set" own 6 "$set" 1 'deterministic={"identity":"'"$(printf %064d 1)"'"}' tasks=4 "$roles"
	done
	# The tracer wakes up at another time, on a CPU of its own, after the workload has begun.
	for run in m2/raw/*.txt; do
		awk '{ print } /sched_switch/ && n++ < 2 { time = $4; printf "%s\n", \
			"picknext-9 [002] d..2. " time " sched_switch: prev_comm=picknext prev_pid=9 prev_prio=120 " \
			"prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120" }' "$run" >changed
		mv changed "$run"
	done
	run -1 "$PICKNEXT" diff m[12]/raw/own_run1.txt
	[[ $output == *"Only the tasks of the workload"* && $output != *picknext\ \[* ]]
	run -0 "$PICKNEXT" compare m1 m2
	[[ $output == *"with the same seed: own, seed "*worker* && $output != *", CPU 2:"* ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "compare, diff: a command starts where its program does, not with the child that executes it" {
	local set
	rm -rf c1 c2
	for set in c1 c2; do
		python3 "$MAKE" "$set" command 1 1 1 'deterministic={"identity":"'"$(printf %064d 1)"'"}' \
			'command=["./x"]' command_pid=100 'threads=[200,101,201]'
	done
	# Before the program, the child that is to execute it has switches of its own, the first alike.
	for set in c1 c2; do
		awk -v set="$set" '
			function turn(time, pid, comm, state, next_pid, next_comm) {
				printf "  %s-%s [000] d..2. %s: sched_switch: prev_comm=%s prev_pid=%s prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%s next_prio=120\n",
					comm, pid, time, comm, pid, state, next_comm, next_pid
			}
			!/^#/ && !n++ {
				turn("99.000001", 0, "swapper/0", "R", 100, "picknext-cmd")
				turn("99.000002", 100, "picknext-cmd", set == "c1" ? "S" : "R+", 0, "swapper/0")
				turn("99.000003", 0, "swapper/0", "R", 100, "picknext-cmd")
			}
			{ print }' "$set/raw/command_run0.txt" >changed
		mv changed "$set/raw/command_run0.txt"
	done
	run -0 "$PICKNEXT" diff c[12]/raw/command_run0.txt
	run -1 "$PICKNEXT" diff --all-tasks c[12]/raw/command_run0.txt
	run -0 "$PICKNEXT" compare c1 c2
	[[ $output != *"same seed"* ]]
	# The first switch of CPU 0 within the program: another task is picked.
	awk '!done && /\[000\].*next_comm=worker/ { done = sub(/next_pid=200/, "next_pid=101") } { print }' c2/raw/command_run0.txt >changed
	mv changed c2/raw/command_run0.txt
	run -0 "$PICKNEXT" compare c1 c2
	[[ $output == *", seed 0, after 1."*"[200], c2 "*"[101]"* ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "compare: a mean and a maximum that contradict each other are one statement" {
	local set run
	for set in usual rare; do
		mkdir -p "waits/$set/raw"
		for run in 1 2 3 4 5 6; do
			awk -v set="$set" -v run="$run" 'BEGIN {
				for (i = 0; i < 60; i++) {
					t = 100 + i * 0.03
					wait = set == "rare" ? (i == 25 ? 0.02 : 0.00001) : (i == 25 ? 0.0015 : 0.001)
					wait += run * 0.000001
					printf "<idle>-0 [000] d..2. %.6f: sched_wakeup: comm=x pid=9 prio=120 target_cpu=000\n", t
					printf "<idle>-0 [000] d..2. %.6f: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=x next_pid=9 next_prio=120\n", t + wait
					printf "x-9 [000] d..2. %.6f: sched_switch: prev_comm=x prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n", t + wait + 0.001
				}
			}' >"waits/$set/raw/w_run$run.txt"
		done
	done
	run -0 "$PICKNEXT" compare waits/rare waits/usual
	[[ ${lines[0]} == *"wait longer (wakeup latency p50 "*"; but wakeup latency p99 "* ]] || { echo "$output"; return 1; }
	[[ ${lines[0]} != *"woken tasks wait less"* ]]
	run -0 "$PICKNEXT" compare waits/usual waits/rare
	[[ ${lines[0]} == *"but wakeup latency p50 "* && ${lines[0]} != *"woken tasks wait less"* ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "compare: host load is a matter of guests; runs that lack a value are not too few runs" {
	for set in 1 2; do
		python3 "$MAKE" "host$set" sample 6 "$set" 1 accelerator=null
		python3 "$MAKE" "guest$set" sample 6 "$set" 1 'accelerator="tcg"'
	done
	run -0 "$PICKNEXT" compare host1 host2
	[[ $output != *"Host load"* ]]
	run -0 "$PICKNEXT" compare guest1 guest2
	[[ $output == *"Host load affects the metrics of a guest"* ]]
	sed -i 's/"work_per_second": [0-9.]*/"work_per_second": null/' host2/raw/sample_run[123].json
	run -0 "$PICKNEXT" compare --details host1 host2
	[[ $output == *"throughput_per_s"*"needs ≥5 values"* && $output != *"≥5 runs"* ]] || { echo "$output"; return 1; }
	run "$PICKNEXT" compare host1 host2 -f 'throughput_per_s < -5%'
	[[ $output == *"INCONCLUSIVE"*"needs ≥5 values in each set, there are 6 and 3"* ]] || { echo "$output"; return 1; }
}

@test "compare: --list refuses wrong gates, before there are any runs" {
	run -0 "$PICKNEXT" compare --list --fail-if 'slice_p50_us > +10%'
	run -2 "$PICKNEXT" compare --list --fail-if 'typo > +10%'
	[[ "$output" == *"--fail-if: there is no metric 'typo'"* ]]
}

# bats test_tags=slow
@test "compare: a gate on a share that cannot grow by so much is warned of" {
	run -0 "$PICKNEXT" compare a b -f 'involuntary_share > +1e9%'
	[[ "$output" == *"warning: "*involuntary_share*"cannot fire for"* ]]
	run "$PICKNEXT" compare a b -f 'involuntary_share > +0.0001%'
	[[ "$output" != *"cannot fire"* ]]
	run "$PICKNEXT" compare a b -f 'switches_per_s > +1e9%' -f 'involuntary_share < -50%'
	[[ "$output" != *"cannot fire"* ]]
}

# bats test_tags=slow
@test "compare: a gate that fails has the command that repeats the run farthest off" {
	local worst repeat
	python3 "$MAKE" seeds sample 6 2 1.4 'accelerator="tcg"' 'deterministic={"seed": 1, "identity": "x"}'
	cat >seeds/vm.json <<-'EOF'
		{"kernel": {"release": "6.12.0"}, "deterministic": {}, "recipe_directory": "/here",
		 "recipe": ["vm", "--workload=other,sample", "--scale=0.1", "--guest=append=nosmt quiet", "--kernel=/boot/my kernel", "--", "sh"]}
	EOF
	worst=$(cd seeds/raw && grep -o '"work_per_second": [0-9.]*' sample_run?.json | sort -t: -k3 -rn | head -n 1 |
		sed 's/^sample_run\(.\).*/\1/')
	repeat="cd /here && picknext vm --workload=other,sample --scale=0.1 '--guest=append=nosmt quiet' '--kernel=/boot/my kernel' --seeds=$worst --output-dir=again -- sh"
	run -1 "$PICKNEXT" compare a seeds -f 'throughput_per_s > +10%' -f 'throughput_per_s < -10%'
	[[ "$output" == *"FAIL throughput_per_s > +10%, "*$'\n'"  repeat: $repeat"$'\n'"PASS "* ]] || { echo "$output"; return 1; }
	# On a terminal it is wrapped, and still the same words for a shell.
	if command -v script >/dev/null; then
		for width in 40 80; do
			script -qec "stty cols $width; '$PICKNEXT' compare -q a seeds -f 'throughput_per_s > +10%'" /dev/null </dev/null |
				tr -d '\r' | sed -n '/^  repeat: /,/[^\\]$/ { s/^  repeat: //; p }' >wrapped
			[ "$(wc -l <wrapped)" -ge 3 ] && [ "$(sed 's/^/          /; 2,$ s/^          //' wrapped | wc -L)" -le "$width" ]
			words() { printf '%s\n' "$@"; }
			diff <(eval "words ${repeat/&& /}") <(eval "words $(sed 's/&& //' wrapped)")
		done
	fi
	run -1 --separate-stderr "$PICKNEXT" compare a seeds -f 'throughput_per_s > +10%' --json --junit repeat.xml
	[[ "$stderr" == *"FAIL throughput_per_s"*"; repeat: $repeat" ]]
	REPEAT=$repeat python3 -c '
import json, os, sys, xml.etree.ElementTree as xml
assert json.load(sys.stdin)["gates"][0]["repeat"] == os.environ["REPEAT"]
assert xml.parse("repeat.xml").getroot()[0].find("testcase")[0].text == "repeat: " + os.environ["REPEAT"]' <<<"$output"
	run -1 "$PICKNEXT" compare a seeds -f 'throughput_per_s > +10%' --format ktap
	[[ "$output" == *$'\n'"  # repeat: $repeat"* ]]
	# On wall-clock time another run of the workload alone; a command is found where it was.
	sed -i 's/"deterministic": {"seed"[^}]*}/"x": 1/' seeds/raw/*.json
	run -1 "$PICKNEXT" compare a seeds -f 'throughput_per_s > +10%'
	[[ "$output" == *"picknext vm --scale=0.1 "*"'--kernel=/boot/my kernel' --workload=sample --runs=1 --output-dir=again -- sh"* ]]
	# Runs of a host; if nothing is known of it, there is no line.
	rm seeds/vm.json
	sed -i 's/"x": 1/"recipe": ["collect", "--scale=0.5"]/' seeds/raw/*.json
	run -1 "$PICKNEXT" compare a seeds -f 'throughput_per_s > +10%'
	[[ "$output" == *"repeat: picknext collect --scale=0.5 --workload=sample --runs=1 --output-dir=again"* ]]
	run -1 "$PICKNEXT" compare a seeds -f 'slice_p50_us > +10%'
	# A guest's run has the kernel in vm.json only.
	sed -i 's/"recipe": \["collect"/"recipe": ["vm"/' seeds/raw/*.json
	run -1 "$PICKNEXT" compare a seeds -f 'slice_p50_us > +10%'
	[[ "$output" != *repeat:* ]]
	rm seeds/raw/*.json
	run -1 "$PICKNEXT" compare a seeds -f 'slice_p50_us > +10%'
	[[ "$output" != *repeat:* ]]
}

# settings_of SET...: what compare says, without that nothing differs.
settings_of() {
	run -0 "$PICKNEXT" compare "$@"
	while [[ ${lines[0]} == *": nothing differs"* ]]; do
		lines=("${lines[@]:1}")
	done
}

# bats test_tags=slow
@test "compare: two kernels of one release are two kernels, by the hash of their image" {
	python3 "$MAKE" image_first sample 5 1 1 'kernel="6.1.0"' 'kernel_version="#1 SMP"' 'kernel_build_id="aaaa0123456789012345678901234567890123456789"'
	python3 "$MAKE" image_again sample 5 2 1 'kernel="6.1.0"' 'kernel_version="#1 SMP"' 'kernel_build_id="aaaa0123456789012345678901234567890123456789"'
	python3 "$MAKE" image_other sample 5 3 1 'kernel="6.1.0"' 'kernel_version="#1 SMP"' 'kernel_build_id="bbbb0123456789012345678901234567890123456789"'
	python3 "$MAKE" image_unknown sample 5 4 1 'kernel="6.1.0"' 'kernel_version="#1 SMP"'
	settings_of image_first image_again
	[ "${lines[0]}" = "The kernel is the same, and no other known setting differs." ]
	[[ $output =~ ^image_again:\ nothing\ differs\ in\ [0-9]+\ tested\ metrics ]]
	settings_of image_first image_other
	[[ "${lines[0]}" == *"its image is not"* && "${lines[1]}" == "  kernel build ID: aaaa01234567 | bbbb01234567" ]]
	[[ "$output" != *"The kernel is the same"* ]]
	settings_of image_first image_unknown
	[[ "${lines[0]}" == *"whether its image is, is not known"* ]]
	# An image that was edited after it was linked has the build ID of before.
	for set in image_first image_again; do
		echo "{\"deterministic\": {\"kernel_sha256\": \"$set\"}}" >"$set/vm.json"
	done
	settings_of image_first image_again
	[[ "${lines[0]}" == *"its image is not"* && "${lines[1]}" == "  kernel image: image_first | image_again" ]]
	# The hashes of guests are in vm.json.
	for each in image_first:k1:f1 image_other:k1:f1 image_unknown:k2:f2; do
		IFS=: read -r set kernel files <<<"$each"
		sed -i 's/"kernel_build_id": "[^"]*"/"x": 1/' "$set"/raw/*.json
		echo "{\"deterministic\": {\"kernel_sha256\": \"$kernel\", \"added_sha256\": \"$files\"}}" >"$set/vm.json"
	done
	settings_of image_first image_other
	[ "${lines[0]}" = "The kernel is the same, and no other known setting differs." ]
	settings_of image_first image_unknown
	[[ "${lines[1]}" == "  kernel image: k1 | k2" && "${lines[2]}" == "  added files: f1 | f2" ]]
	"$PICKNEXT" compare image_first image_unknown --json | grep -q '"added_sha256"'
}

# guest SET WORKLOAD LIST: runs of a workload of one kernel image, in guests that ran the workloads of the list.
guest() {
	python3 "$MAKE" "$1" "$2" 5 "$((guests += 1))" 1 'kernel="6.1.0"' 'kernel_version="#1 SMP"' 'kernel_build_id="aaaa"' "recipe=[\"vm\", \"--workload=$3\"]"
}

# bats test_tags=slow
@test "compare, report: workloads that ran before one in its guest are a setting" {
	local guests=0 advice="same workloads"
	guest earlier_none w w
	guest earlier_later w w,x
	guest earlier_one w v,w
	guest earlier_two w u,v,w
	python3 "$MAKE" earlier_unknown w 5 9 1 'kernel="6.1.0"' 'kernel_version="#1 SMP"' 'kernel_build_id="aaaa"'
	# The same list before, whatever comes later; and what has no recipe.
	for set in earlier_later earlier_unknown; do
		settings_of earlier_none $set
		[ "${lines[0]}" = "The kernel is the same, and no other known setting differs." ]
		run -0 "$PICKNEXT" compare --baseline earlier_none $set
	done
	settings_of earlier_none earlier_one
	[[ "${lines[1]}" == "  earlier workloads in the guest: w first | w after v" && "${lines[2]}" == *"$advice"* ]]
	settings_of earlier_one earlier_two earlier_unknown
	[ "${lines[1]}" = "  earlier workloads in the guest: w after v | w after u, v | w unknown" ]
	"$PICKNEXT" compare earlier_one earlier_two --json >earlier.json
	[ "$(json earlier.json '"earlier_workloads" in d["differing_environment"]')" = True ]
	[ "$(json earlier.json '[s["environment"]["earlier_workloads"] for s in d["sets"]]')" = "['v', 'u, v']" ]
	refuses 2 "earlier_none: *earlier workloads in the guest (w first, now w after v)*" --baseline earlier_none earlier_one
	"$PICKNEXT" report earlier_one earlier_two -o earlier.html
	grep -q 'earlier workloads in the guest</strong>: w after v against w after u, v' earlier.html
	# One guest runs both; that x differs has no meaning where only w is compared.
	guest earlier_later x w,x
	guest earlier_other w w,y,x
	guest earlier_other x w,y,x
	settings_of earlier_later earlier_other
	[ "${lines[1]}" = "  earlier workloads in the guest: x after w | x after w, y" ]
	settings_of earlier_later earlier_other -w w
	[ "${lines[0]}" = "The kernel is the same, and no other known setting differs." ]
	# The same values, of other workloads.
	guest earlier_turned x x,w
	guest earlier_turned w x,w
	settings_of earlier_later earlier_turned
	[[ "${lines[1]}" == *"the guest: w first; 1 more workload | w after x; 1 more workload" ]]
	# Runs of one set that differ among themselves.
	sed -i 's/=v,w/=w/' earlier_one/raw/w_run[34].json
	settings_of earlier_none earlier_one
	[ "${lines[1]}" = "  earlier workloads in the guest: w first | w after v or first" ]
	rm -r earlier*
}

# bats test_tags=slow
@test "compare, report: sets with different commands are refused, unless they are meant" {
	python3 "$MAKE" one exec:x 5 1 1 'command=["x", "-g", "4"]'
	python3 "$MAKE" two exec:x 5 2 1 'command=["x", "-g", "8"]'
	refuses 2 "two/raw/*: *(x -g 8)*one/raw/*(x -g 4)*--allow other-commands" one two
	run -0 "$PICKNEXT" compare one two --allow other-commands
	[[ "$output" == *"  command: x -g 4 | x -g 8"* ]]
	run -2 "$PICKNEXT" report -o none.html one two
	[[ "$output" == *"--allow other-commands"* && ! -e none.html ]]
	"$PICKNEXT" report -q -o some.html one two --allow other-commands
	cp -r one same
	"$PICKNEXT" compare one same >/dev/null
}

# mover SET MOVED [END]: five runs in which a task computes on CPU 0, and moves to the idle CPU 1 in the first MOVED of
# them; of END tenths of a second
mover() {
	mkdir -p "$1/raw"
	for i in 0 1 2 3 4; do
		local at=1 cpu=0
		{
			printf '%s\n' "          <idle>-0       [000] d..2.    10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog next_pid=7 next_prio=120" \
				"          <idle>-0       [001] d..2.    10.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=other next_pid=8 next_prio=120"
			while [ $at -lt "${3:-9}" ]; do
				printf '%s\n' "             hog-7       [00$cpu] d..2.    10.${at}00000: sched_switch: prev_comm=hog prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/$cpu next_pid=0 next_prio=120"
				if [ $at = 4 ] && [ "$i" -lt "$2" ]; then
					cpu=1
					printf '%s\n' "          <idle>-0       [000] d..3.    10.${at}40000: sched_migrate_task: comm=hog pid=7 prio=120 orig_cpu=0 dest_cpu=1"
				fi
				printf '%s\n' "          <idle>-0       [00$cpu] d..4.    10.${at}50000: sched_wakeup: comm=hog pid=7 prio=120 target_cpu=00$cpu" \
					"          <idle>-0       [00$cpu] d..2.    10.${at}5000$i: sched_switch: prev_comm=swapper/$cpu prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog next_pid=7 next_prio=120"
				[ $at != 1 ] || printf '%s\n' "           other-8       [001] d..2.    10.${at}60000: sched_switch: prev_comm=other prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120"
				at=$((at + 1))
			done
		} >"$1/raw/move_run$i.txt"
	done
}

# bats test_tags=slow
@test "compare: one migration or none in a run is a count, and no difference" {
	mover stays 0
	mover moves 5
	run -0 "$PICKNEXT" compare stays moves -m 'migrations_per_s,switches_per_s'
	[[ "$output" == *"migrations_per_s  0 in 0.85 s  1 in 0.85 s      +1  [+1, +1]       negligible"* ]] || { echo "$output"; return 1; }
	# Tests and data have the rate.
	"$PICKNEXT" compare stays moves -m migrations_per_s --json | python3 -c '
import json, sys
row, = json.load(sys.stdin)["rows"]
assert row["floor"] == 10 and abs(row["sets"][1]["median"] - 1 / 0.85) < 0.01, row
assert row["sets"][1]["verdict"] == "negligible" and row["sets"][1]["low"] > 0, row'
	# A gate does not fire for it.
	run -0 "$PICKNEXT" compare stays moves -f 'migrations_per_s > +10%' --inconclusive fail
	[[ "$output" == *"PASS migrations_per_s > +10%, move: "*"too small to matter"* ]]
	run -1 "$PICKNEXT" compare stays moves -f 'migrations_per_s > 1'
	[[ "$output" == *"FAIL migrations_per_s > 1, move: median 1.17"*" (1 in 0.85 s)"* ]]
	# One in each run is the same, however long the runs are; of numbers that differ a little, so is the difference.
	mover moves_short 5 7
	run -0 "$PICKNEXT" compare moves moves_short -m migrations_per_s
	[[ "$output" == *"1 metric was constant in all runs, not tested"* && "$output" != *%* ]] || { echo "$output"; return 1; }
	mover moves_some 2 7
	run -0 "$PICKNEXT" compare moves_some moves -m migrations_per_s
	[[ "$output" == *"migrations_per_s  0 in 0.75 s  1 in 0.75 s      +1  [0, +1]        negligible"* ]] || { echo "$output"; return 1; }
	mover moves_most 4
	run -0 "$PICKNEXT" compare moves_most moves_short -m migrations_per_s
	[[ "$output" == *"migrations_per_s  1 in 0.75 s  1 in 0.75 s       0  [0, +1]        negligible"* ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "compare: metrics that no run exercises are no tests, in every form, and a gate on one says so" {
	run -0 "$PICKNEXT" compare a b
	local count
	count=$("$PICKNEXT" compare a b --json | python3 -c '
import json, sys
document = json.load(sys.stdin)
verdicts = [row["sets"][1]["verdict"] for row in document["rows"]]
count = verdicts.count("not exercised")
assert count == document["summary"][0]["not exercised"] > 5, document["summary"]
for row in document["rows"]:
    values = {value for each in row["sets"] for value in each["values"]}
    assert (row["sets"][1]["verdict"] == "not exercised") == (len(values) == 1), row
    assert row["sets"][1]["verdict"] != "equal" or len(values) > 1, row
assert sum("constant in all runs" in line for line in document["notices"]) == 1
print(count)')
	[ "$(grep -c "constant in all runs" <<<"$output")" = 1 ]
	[[ "$output" == *"$count metrics were constant in all runs, not tested"* && "$output" != *migrations_* ]]
	[ "$("$PICKNEXT" compare a b --format markdown | grep -c "$count metrics were constant in all runs")" = 1 ]
	[ "$("$PICKNEXT" compare a b --format ktap | grep -c "constant in all runs")" = 1 ]
	[ "$("$PICKNEXT" compare a b --csv 2>/dev/null | grep -c ",not exercised,")" = "$count" ]
	[ "$("$PICKNEXT" compare a b --csv 2>&1 >/dev/null | grep -c "constant in all runs")" = 1 ]
	"$PICKNEXT" compare a b --json | "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/ci/kcidb" | python3 -c '
import json, sys
report = json.load(sys.stdin)
assert report["builds"][1]["misc"]["metrics_not_exercised"] == int(sys.argv[1]), report["builds"]
assert not any("migrations" in test["path"] for test in report["tests"])' "$count"
	# Nothing changed, and nothing was tested: passed, with a warning; other gates decide the exit code.
	run -0 --separate-stderr "$PICKNEXT" compare a b -f 'migrations_pull_per_s > +10%' --inconclusive fail --junit gates.xml --json
	[[ "$stderr" == *"warning: NOT EXERCISED migrations_pull_per_s > +10%, sample of 6.12.0: not exercised: 0 in all runs"* ]]
	python3 -c '
import json, sys
gate, = json.load(sys.stdin)["gates"]
assert gate["result"] == "not exercised" and "0 in all runs of both sets" in gate["reason"], gate' <<<"$output"
	grep -q '<skipped message="not exercised: 0 in all runs of both sets"/>' gates.xml
	# The median is a value all the same.
	run -1 "$PICKNEXT" compare a b -f 'migrations_pull_per_s < 1' -f 'migrations_pull_per_s > 1'
	[[ "$output" == *"FAIL migrations_pull_per_s < 1, sample: median 0; not exercised"*"PASS migrations_pull_per_s > 1, sample: median 0; not exercised"* ]]
}

# bats test_tags=slow
@test "compare: a gate is reported on standard error if the result goes elsewhere" {
	run -1 --separate-stderr "$PICKNEXT" compare a b --json -o out.json -f 'throughput_per_s > +10%'
	[ -z "$output" ]
	[[ "$stderr" == "picknext: warning: FAIL throughput_per_s > +10%"*6.12.0*+* ]]
	python3 -c 'import json; g = json.load(open("out.json"))["gates"][0]; assert g["result"] == "fail", g'
}

# bats test_tags=slow
@test "compare: JUnit is what its readers take" {
	run -1 "$PICKNEXT" compare a b few --junit gates.xml --inconclusive fail \
		-f 'throughput_per_s > +10%' -f 'throughput_per_s < 0'
	"$PICKNEXT" compare a b few --junit figures.xml >few.txt
	python3 - <<-'EOF'
		import xml.etree.ElementTree as xml
		def outcomes(path):
		    root = xml.parse(path).getroot()
		    suite = root[0]
		    cases = [child for child in suite if child.tag != "properties"]
		    assert root.tag == "testsuites" and suite.tag == "testsuite" and all(c.tag == "testcase" for c in cases)
		    told = {"tests": len(cases)}
		    for kind, key in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
		        told[key] = sum(case.find(kind) is not None for case in cases)
		        assert int(suite.get(key)) == told[key], (path, key)
		    assert int(suite.get("tests")) == len(cases)
		    return told
		assert outcomes("gates.xml") == {"tests": 4, "failures": 1, "errors": 1, "skipped": 0}, outcomes("gates.xml")
		told = outcomes("figures.xml")
		# Metrics that no run exercises are no tests: their number is said once.
		metrics, = xml.parse("figures.xml").getroot()[0].find("properties")
		assert metrics.get("name") == "metrics not exercised" and int(metrics.get("value")) > 5, metrics.attrib
		assert told["failures"] == told["errors"] == 0 and told["skipped"] >= told["tests"] / 2, told
	EOF
}

# bats test_tags=slow
@test "compare: this machine against a guest, and a JSON that does not say all" {
	python3 "$MAKE" host sample 2 1 1 'accelerator=null' 'cpu_tracer=null' 'kernel="6.18.0"' 'mitigations="x"'
	python3 "$MAKE" guest sample 2 1 1 'accelerator="tcg"' 'cpu_tracer=2' 'kernel="6.12.0"'
	run -0 "$PICKNEXT" compare host guest
	[[ "$output" == *$'\n  '*tracer*" | 2"$'\n'*"accelerator: "*" | tcg"$'\n    '* ]]
	[[ "$output" == *"mitigations: x | "* ]]
	[[ "$output" != *"HZ:"* ]]
	run -0 "$PICKNEXT" report host guest -o guest.html
	grep -q 'accelerator[^|]* tcg' guest.html
}

# bats test_tags=slow
@test "compare: how much the guests' CPUs waited for the host's" {
	local dir ran waited
	for dir in quiet busy; do
		python3 "$MAKE" $dir sample 3 1 1 'accelerator="tcg"' "kernel=\"$dir\""
	done
	# share_of SET RAN WAITED: of two boots; the second is damaged.
	share_of() {
		mkdir -p "$1/boots"
		echo '{}' >"$1/vm.json"
		printf '{"run": 0, "identity": "a", "files": [], "vcpu_run_ns": %s, "vcpu_wait_ns": %s}\n' "$2" "$3" >"$1/boots/run0.json"
		printf '{"run": 1, "vcpu_run_ns": 1, "vcpu_wait_ns": 9999}\n' >"$1/boots/run1.json"
	}
	share_of quiet 980 20
	share_of busy 835 165
	run -0 "$PICKNEXT" compare quiet busy -m throughput_per_s
	[[ "$output" == *"2.0 % | 16.5 %"*"--mode deterministic"* ]]
	run -0 "$PICKNEXT" report quiet busy -o waits.html
	grep -q '2\.0 % | 16\.5 %' waits.html
	# Not notable, not known, and not a share.
	while read -r ran waited; do
		share_of busy "$ran" "$waited"
		run -0 "$PICKNEXT" compare quiet busy -m throughput_per_s
		[[ "$output" != *" % |"* ]]
	done <<-'END'
		951 49
		null null
		-1 5
		"5" 5
		0 0
	END
	share_of busy 835 165
	rm -r quiet/vm.json quiet/boots
	run -0 "$PICKNEXT" compare quiet busy -m throughput_per_s
	[[ "$output" == *"unknown | 16.5 %"* ]]
}

# bats test_tags=slow
@test "compare: before against after in one kernel: what is set otherwise" {
	python3 "$MAKE" before sample 2 1 1 'kernel="6.12.0"' 'kernel_version="#1"' 'hz=250' \
		'scheduler_tunables={"base_slice_ns": "1400000", "nr_migrate": "32", "features": "PLACE_LAG NO_HRTICK RUN_TO_PARITY", "preempt": "none (full)"}'
	python3 "$MAKE" after sample 2 1 1 'kernel="6.12.0"' 'kernel_version="#1"' 'hz=250' \
		'scheduler_tunables={"base_slice_ns": "2800000", "nr_migrate": "32", "features": "PLACE_LAG NO_HRTICK NO_RUN_TO_PARITY", "preempt": "(none) full"}'
	run -0 "$PICKNEXT" compare before after
	[[ "${lines[0]}" == *kernel*same* ]]
	[[ "${lines[1]}" == *tunables*"base_slice_ns=1400000 RUN_TO_PARITY | base_slice_ns=2800000 NO_RUN_TO_PARITY" ]]
	# Below a tick, the tick ends slices: at 250 Hz it is longer than both, at 500 Hz it is not, and HRTICK needs none.
	for case in "250 NO_HRTICK 1" "500 NO_HRTICK 0" "250 HRTICK 0"; do
		read -r hz hrtick expected <<<"$case"
		rm -rf slow fast
		cp -r before slow
		cp -r after fast
		sed -i "s/\"hz\": [0-9a-z]*/\"hz\": $hz/; s/NO_HRTICK/$hrtick/" slow/raw/*.json fast/raw/*.json
		run -0 "$PICKNEXT" compare slow fast
		[ "$(grep -c 'the tick decides' <<<"$output")" -eq "$expected" ]
	done
	run -0 "$PICKNEXT" report before after -o after.html
	grep -q 'base_slice_ns=1400000 RUN_TO_PARITY against base_slice_ns=2800000 NO_RUN_TO_PARITY' after.html
	cp -r before unchanged
	run -0 "$PICKNEXT" compare before unchanged
	[[ "${lines[0]}" == *kernel*same* && "${lines[1]}" != "  "* ]]
	# Another build has tunables of its own.
	sed -i 's/"#1"/"#2"/' after/raw/*.json
	run -0 "$PICKNEXT" compare before after
	[[ "$output" != *"tunables"* ]]
}

# bats test_tags=slow
@test "compare: tunables are named in every form if the kernel is one build, and in none if it is not" {
	python3 "$MAKE" older sample 2 1 1 'kernel="7.3.0"' 'kernel_version="#1"' \
		'scheduler_tunables={"latency_ns": "12000000", "nr_migrate": "32", "features": "START_DEBIT NO_HRTICK SIS_UTIL"}'
	python3 "$MAKE" newer sample 2 1 1 'kernel="7.3.0"' 'kernel_version="#1"' \
		'scheduler_tunables={"base_slice_ns": "2800000", "nr_migrate": "32", "features": "PLACE_LAG HRTICK SIS_UTIL"}'
	run -0 "$PICKNEXT" compare older newer
	[[ "${lines[1]}" == "  scheduler tunables: NO_HRTICK | HRTICK" ]]
	"$PICKNEXT" compare older newer --json >newer.json
	[ "$(json newer.json '"scheduler_tunables" in d["differing_environment"]')" = True ]
	"$PICKNEXT" report older newer -o newer.html
	grep -q 'tunables</strong>: NO_HRTICK against HRTICK' newer.html
	# A feature that one of them lacks belongs to the kernel; so do all if it is another build.
	for edit in 's/ HRTICK/ NO_HRTICK/' 's/ NO_HRTICK/ HRTICK/; s/7\.3\.0/6.1.0/'; do
		sed -i "$edit" newer/raw/*.json
		run -0 "$PICKNEXT" compare older newer
		[[ "$output" != *tunables* ]]
		"$PICKNEXT" compare older newer --json >newer.json
		[ "$(json newer.json '"scheduler_tunables" in d["differing_environment"]')" = False ]
		"$PICKNEXT" report older newer -o newer.html
		run -1 grep 'tunables</strong>' newer.html
	done
}

# bats test_tags=slow
@test "compare: traces without a JSON, as other tracers make them" {
	python3 "$MAKE" theirs sample 2 1 1
	rm theirs/raw/*.json
	run -0 "$PICKNEXT" compare a theirs -w sample
	[[ "$output" == *"theirs: 2 of 2 "*JSON* ]]
	[[ "$output" != *"HZ:"* ]]
	run -0 "$PICKNEXT" report a theirs -o theirs.html
	grep -q '2 of 2 .*JSON' theirs.html
	mv theirs/raw/sample_run0.txt theirs/raw/trace0.txt
	mv theirs/raw/sample_run1.txt theirs/raw/trace1.txt
	refuses 2 "*'trace0', 'trace1'*without a JSON*_run1.dat" a theirs
	# A path that does not exist is reported as such, not as the name of a workload.
	refuses 4 "nowhere.dat: *No such file" -w sample a nowhere.dat
}

# bats test_tags=slow
@test "compare: what differs besides the kernel comes after the answer and before the tables, in every form" {
	python3 "$MAKE" other sample 6 2 1.4 'kernel="6.12.0"' hz=1000 scale=0.5 'preemption="full"' 'accelerator="tcg"'
	run -0 --separate-stderr "$PICKNEXT" compare a other -m throughput_per_s
	[[ "${lines[0]}" == "6.12.0, sample: "* && "${lines[1]}" == *kernel* ]]
	[[ "$output" == *$'\n  HZ: 250 | 1000\n'*$'\nsample: 6 runs against 6\n'* ]]
	[[ "$output" == *preemption*": voluntary | full"$'\n'* ]]
	[[ "$output" == *$'\n  scale: 1 | 0.5\n    '[A-Za-z]* ]]
	"$PICKNEXT" compare a other --json >other.json
	python3 - <<-'EOF'
		import json
		other = json.load(open("other.json"))
		assert {"hz", "preemption", "scale"} <= set(other["differing_environment"]), other["differing_environment"]
		assert [s["environment"]["hz"] for s in other["sets"]] == ["250", "1000"]
		assert "kernel" in other["notices"][0], other["notices"]
	EOF
	"$PICKNEXT" compare a other --format markdown | sed -n 3p | grep -q '^- .*kernel'
	"$PICKNEXT" compare a other --format ktap | sed -n 3p | grep -q '^# .*kernel'
	"$PICKNEXT" compare a other --csv 2>&1 >other.csv | head -n 1 | grep -q 'kernel'
	head -n 1 other.csv | grep -q '^workload,'
	[[ "$output" == *"--mode deterministic"* ]]
	run -0 "$PICKNEXT" compare a b
	[[ "${lines[0]}" == "6.12.0, sample: "*"more work is done (throughput "*" -> "*" +"*"%)"* ]]
	[[ "$output" == *$'\n6.12.0: '*" constant in all runs"*$'\nsample: 6 runs against 6\n'* && "$output" != *"--mode deterministic"* ]]
	python3 "$MAKE" preempting sample 6 1 1 'kernel="6.1.0"' hz=250 scale=1.0 'preemption="full"'
	run -0 "$PICKNEXT" compare a preempting
	[[ "$output" == "preempting: nothing differs in "*" preemption mode: voluntary | full"$'\n'* ]]
	python3 "$MAKE" same_a sample 5 1 1 'accelerator="tcg"' 'deterministic={"seed": 1, "identity": "x"}'
	python3 "$MAKE" same_b sample 5 2 1 'accelerator="tcg"' 'deterministic={"seed": 1, "identity": "y"}'
	run -0 "$PICKNEXT" compare same_a same_b
	[[ "$output" == *$'\nsample: 5 runs against 5\n'* && "$output" != *microseconds* ]] || { echo "$output"; return 1; }
	# Metrics that need real time are in no table and no count, unless asked for.
	[[ "$output" == *$'\ninvoluntary_share '* && "$output" == *$'\nslice_p50_us '* ]]
	[[ "$output" != *$'\nthroughput_per_s '* && "$output" != *$'\nwakeup_latency_'* ]]
	"$PICKNEXT" compare same_a same_b --details=all | grep -q '^throughput_per_s '
	run -0 "$PICKNEXT" compare same_a same_b -m 'throughput*'
	[[ "$output" == *$'\nthroughput_per_s '*": 1 equal."* ]]
	PICKNEXT=$PICKNEXT python3 - <<-'EOF'
		import json, subprocess, os
		told = json.loads(subprocess.run([os.environ.get("PICKNEXT", "picknext"), "compare", "same_a", "same_b", "--json"],
		                                 capture_output=True, check=True).stdout)
		rows = [row for row in told["rows"] if not row["excluded"] and row["sets"][1]["verdict"] != "-"]
		assert {row["metric"] for row in told["rows"] if row["excluded"]} >= {"throughput_per_s", "wakeup_latency_p50_us"}
		assert len(rows) == sum(count for key, count in told["summary"][0].items() if key not in ("set", "significant"))
	EOF
	run -0 "$PICKNEXT" compare same_a same_b
	[[ "$output" == *slice* && "$output" != *throughput* && "$output" != *latency* ]]
	run -0 --separate-stderr "$PICKNEXT" compare same_a same_b -f 'throughput_per_s < -50%' -f 'slice_p50_us < -90%'
	[[ "$output" == *"PASS throughput_per_s"* && "${#stderr_lines[@]}" = 1 ]]
	[[ "$stderr" == *"throughput_per_s means little in deterministic guests"* ]]
	"$PICKNEXT" report -q same_a same_b -o det.html
	grep -q '<th scope=col class=h>slice p50' det.html
	run ! grep -qE '<th scope=(col class=h|row[^>]*)>(throughput|wakeup latency)' det.html
	# One set on wall-clock time is not of that kind.
	run -0 "$PICKNEXT" compare a same_a
	[[ "$output" == *$'\nthroughput_per_s '* && "$output" == *"deterministic"* && "${lines[-1]}" != "Deterministic"* ]]
}

# bats test_tags=slow
@test "compare: runs that lost events are refused, or taken and told" {
	python3 "$MAKE" lossy sample 6 2 1 lost_events=7
	refuses 5 "lossy/*--allow lossy" a lossy
	run -0 "$PICKNEXT" compare a lossy --allow lossy
	[[ "$output" == *"6 of 6 runs"* ]]
	run -0 "$PICKNEXT" compare a lossy --allow failed,lossy
	refuses 2 "--allow*lossy|failed|incomplete|other-commands*lossy,x" a lossy --allow lossy,x
	refuses 5 "lossy/*" a lossy --allow failed,incomplete
}

# bats test_tags=slow
@test "compare: runs whose command failed are refused before a trace is read, or taken and told" {
	python3 "$MAKE" failed sample 6 2 98 command_exit_code=3
	python3 "$MAKE" killed sample 6 2 1 command_exit_code=139
	refuses 5 "failed/raw/sample_run0.txt*exit code 3*6 runs*--allow failed" a failed
	refuses 5 "failed/raw/sample_run0.txt*12 runs*--allow failed" failed killed
	refuses 5 "killed/raw/sample_run0.txt*exit code 139*--allow failed" a killed --allow lossy
	run -0 "$PICKNEXT" compare a failed --allow failed
	[[ "$output" == *"command failed in 6 of 6 runs"* ]]
	run -0 "$PICKNEXT" compare a failed --allow failed --json
	[ "$(python3 -c 'import json, sys; print(*(len(s["failed_runs"]) for s in json.load(sys.stdin)["sets"]))' <<<"$output")" = "0 6" ]
	# An exit code of 0 is none that failed; one that is no exit code is not known.
	python3 "$MAKE" good sample 6 2 1 command_exit_code=0
	python3 "$MAKE" unknown sample 6 2 1 command_exit_code=null
	run -0 "$PICKNEXT" compare good unknown
}

# bats test_tags=slow
@test "compare: runs whose scheduler was ejected are refused, or taken and told; sets say their scheduler and isolation" {
	python3 "$MAKE" eevdf sample 6 2 1 'scheduler={"given": "none", "isolation": "none"}'
	python3 "$MAKE" simple sample 6 2 1 'scheduler={"given": "scx_simple -f", "ops": "simple", "isolation": "none"}'
	python3 "$MAKE" ejected sample 6 2 1 'scheduler={"given": "scx_simple", "ops": "simple", "isolation": "none", "ejection": "runnable task stall"}'
	python3 "$MAKE" bound sample 6 2 1 'scheduler={"given": "none", "isolation": "affinity"}'
	run -0 "$PICKNEXT" compare eevdf simple
	[[ "$output" == *"scheduler: the kernel's own | scx_simple -f"* && "$output" != *isolation* ]]
	run -0 "$PICKNEXT" compare bound simple
	[[ "$output" == *"isolation: affinity | none"*"--scheduler none"* ]]
	# A set that was recorded without --scheduler may have had an isolated CPU.
	run -0 "$PICKNEXT" compare a simple
	[[ "$output" == *"isolation: unknown | none"* ]]
	refuses 5 "ejected/raw/sample_run0.txt*runnable task stall*6 runs*--allow failed" eevdf ejected
	run -0 "$PICKNEXT" compare eevdf ejected --allow failed
	[[ "$output" == *"the scheduler was ejected in 6 of 6 runs"* && "$output" != *"command failed"* ]]
}

# bats test_tags=slow
@test "compare: a throughput of 0 is a value, one that is missing is none, and one that is no number is an error" {
	python3 "$MAKE" idle sample 6 2 1 work_per_second=0
	python3 "$MAKE" missing sample 6 2 1 work_per_second=null
	rate() {
		"$PICKNEXT" compare "$@" -m throughput_per_s --json | python3 -c '
import json, sys
cell = json.load(sys.stdin)["rows"][0]["sets"][1]
print(cell["verdict"], cell["runs"], cell["median"], cell["change"], cell["high"])'
	}
	[ "$(rate a idle)" = "worse 6 0.0 -100.0 -100.0" ]
	[ "$(rate a missing)" = "- 0 None None None" ]
	[ "$(rate missing idle)" = "- 6 0.0 None None" ]
	[[ "$(rate idle a)" == "better 6 "* ]]
	cp -r idle idle2
	[ "$(rate idle idle2)" = "not exercised 6 0.0 0.0 0.0" ]
	local wrong
	for wrong in -1 '"many"' NaN Infinity 1e999 true; do
		cp -r a wrong
		sed -i "s/\"work_per_second\": [^,}]*/\"work_per_second\": $wrong/" wrong/raw/sample_run2.json
		refuses 3 "wrong/raw/sample_run2.json" a wrong
		rm -r wrong
	done
}

# bats test_tags=slow
@test "compare, report: a run that is given twice is an error that names it" {
	mkdir -p det
	cp -r a det/6.1.0
	cp -r b det/6.12.0
	refuses 2 "det/6.12.0: *twice*det/6.12.0" det/6.1* det/6.12*
	refuses 2 "det/6.12.0: *twice*det/6.12.0" det det/6.12.0
	refuses 2 "a/raw: *twice*a " a a/raw
	refuses 2 "a/raw/sample_run0.txt: *a/raw/sample_run0.txt" a --as sample a/raw/sample_run0.txt
	ln -s a linked
	refuses 2 "linked: *twice*a " a linked
	cp -r b doubled
	ln -sf sample_run1.txt doubled/raw/sample_run2.txt
	refuses 2 "doubled/raw/sample_run2.txt: *doubled/raw/sample_run1.txt" a doubled
	rm doubled/raw/sample_run2.txt
	ln doubled/raw/sample_run1.txt doubled/raw/sample_run2.txt
	refuses 2 "doubled/raw/sample_run2.txt: *doubled/raw/sample_run1.txt" a doubled
	run -2 "$PICKNEXT" report -o none.html b a linked
	[[ "$output" == *"linked: "*twice* && ! -e none.html ]]
}

# bats test_tags=slow
@test "compare: names that are made to be mistaken stay text in every form" {
	local name
	# shellcheck disable=SC2016
	name=$(printf 'a|b <b>\x1b[31m"q" & # \\ `x` *s* \xef\xbf\xbf ]]> \xc2\x9b:c,\n')
	python3 "$MAKE" odd_a "$name" 5 1 1 'kernel="<k>|\u001b[2J"'
	python3 "$MAKE" odd_b "$name" 5 2 1.5 'kernel="]]>&\uffff"'
	local form
	for form in --details --details=changed "--format markdown" "--format ktap"; do
		# shellcheck disable=SC2086 # an option and its value
		"$PICKNEXT" compare odd_a odd_b $form --junit odd.xml >"odd$form"
		run ! grep -q -a -e $'\x1b' -e $'\xc2\x9b' "odd$form" odd.xml
	done
	# shellcheck disable=SC2016
	run ! grep -q -F -e '<b>' -e '|b' -e '`x`' "odd--format markdown"
	"$PICKNEXT" compare odd_a odd_b --json >odd.json
	"$PICKNEXT" compare odd_a odd_b --csv >odd.csv
	NAME=$name python3 - <<-'EOF'
		import csv, json, os, xml.etree.ElementTree as xml
		name = os.environ["NAME"]
		row = json.load(open("odd.json"))["rows"][0]
		assert row["workload"] == name, ascii(row["workload"])
		assert next(csv.DictReader(open("odd.csv", newline="")))["workload"] == name
		suite = xml.parse("odd.xml").getroot()[0]
		assert suite.find("testcase").get("classname").startswith('a|b <b>\\x1b[31m"q" & # \\ `x` *s* \ufffd ]]> '), suite.find("testcase").attrib
	EOF
	# A gate names a workload that has a colon and all else in its name.
	run -1 "$PICKNEXT" compare odd_a odd_b -f "$name: throughput_per_s > 1%"
}

# bats test_tags=slow
@test "compare: only what changed, all there is, and the list of figures" {
	run -0 "$PICKNEXT" compare a b --details=changed
	[[ "$output" == *throughput_per_s* && "$output" != *run_queue_length* ]]
	[ "$("$PICKNEXT" compare a b -w 's?mple,sam*' -m 'throughput_per_s,slice_p*' | grep -cE '^(throughput|slice)_')" = 4 ]
	"$PICKNEXT" compare a b -m throughput_per_s | grep -q '^1 of 1 .*differ'
	run -0 "$PICKNEXT" compare a a2 --details=changed
	[[ "${lines[0]}" == "6.1.0"* || "${lines[0]}" == "a"* ]]
	"$PICKNEXT" compare a b >some
	"$PICKNEXT" compare a b --details=all >all
	"$PICKNEXT" compare --list >list
	# Names that --metrics takes, and the words of tables and sentences for them.
	grep -qE '^slice_p99_us +slice p99 +us ' list
	[ "$(grep -c '^[a-z_]*_per_s ' all)" -gt "$(grep -c '^[a-z_]*_per_s ' some)" ]
	# An invariant that holds in all runs has no row.
	awk '/^[a-z]+_/ && !/^broken_/ { print $1 }' list | while read -r figure; do grep -q "^$figure " all || exit 1; done
	grep -q '^broken_lag_kept ' list && ! grep -q '^broken_' all
	# Preemptions, slices and shares hold in a deterministic guest; microseconds of waits and work per second do not.
	[ "$(awk '/  holds  / { print $1 }' list | grep -cE '^(throughput|wakeup_latency|preempted_wait_p|idle_waiting_ms)_')" = 0 ]
	[ "$(awk '/  holds  / { print $1 }' list | grep -cE '^(involuntary_share|slice_p50_us|fairness_jain|idle_share)$')" = 4 ]
	[ "$(sed '1,/^$/d' list | grep -oE '[a-z0-9]+_[a-z0-9_]+' | sort)" = "$(awk '/  no  / { print $1 }' list | sort)" ]
}

# bats test_tags=slow
@test "compare: a bound in percent beside a factor has its sign" {
	python3 "$MAKE" long sample 6 2 12
	run -0 "$PICKNEXT" compare a long -m slice_p99_us
	[[ "$output" =~ \[\+[0-9]+%,\ x[0-9.]+\] ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "compare: beyond 1000 runs the estimate of how many would decide is no number" {
	local figures=(-m "slice_p50_us,slice_mean_us,slice_p90_us" --margin 1)
	for seed in 1 3 4 5; do python3 "$MAKE" "seed$seed" sample 6 "$seed" 1; done
	run -0 "$PICKNEXT" compare seed3 seed4 "${figures[@]}"
	[[ "$output" == *"metrics stay unclear; half of them would need more than 1000 runs of each set."* && "$output" != *"nine tenths"* ]] || { echo "$output"; return 1; }
	run -0 "$PICKNEXT" compare seed1 seed5 "${figures[@]}"
	[[ "$output" == *"49 runs of each set would decide half of the "*" unclear metrics, more than 1000 nine tenths"* ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "compare, report: sets without a common workload are refused, with the workloads of each" {
	mkdir -p others
	cp b/raw/sample_run0.txt others/io_mixed_run0.txt
	cp b/raw/sample_run0.txt others/second_run0.txt
	refuses 2 "others*a*'io_mixed', 'second'*'sample'" a others
	refuses 2 "others*'sample'" a others --fail-if 'slice_p50_us > +20%'
	run -2 "$PICKNEXT" report -o one.html a others
	[ ! -e one.html ]
	run -0 "$PICKNEXT" compare a others b -m slice_mean_us
}

# bats test_tags=slow
@test "compare, report: lone traces with different names need --as" {
	local command
	cp a/raw/sample_run0.txt before.txt
	cp b/raw/sample_run0.txt after.txt
	for command in compare "report -o one.html"; do
		# shellcheck disable=SC2086 # a command and an option
		run -2 "$PICKNEXT" $command before.txt after.txt
		[[ "${#lines[@]}" = 1 && "$output" == *after.txt*before.txt*--as* ]]
	done
	run -0 "$PICKNEXT" compare before.txt after.txt --as thing -m slice_mean_us
	[[ "$output" == *$'\nthing: 1 run against 1\n'*"No verdicts"*slice_mean_us*"+"* ]] || { echo "$output"; return 1; }
	# The tasks of one of picknext's workloads are known by name.
	sed -i 's/worker/io-writer/g' before.txt after.txt
	cp before.txt io_mixed_run0.txt
	run -0 "$PICKNEXT" compare io_mixed_run0.txt - -m slice_mean_us -w 'io_*' --as io_mixed <after.txt
	[[ "$output" == *$'\nio_mixed: 1 run against 1\n'*"No verdicts"*slice_mean_us*"+"* ]] || { echo "$output"; return 1; }
	"$PICKNEXT" report -q after.txt io_mixed_run0.txt --as io_mixed -o one.html
	grep -q 'after.txt</span>: 1 of 1 .*JSON' one.html
	# A directory says what its runs are of.
	run -2 "$PICKNEXT" compare a after.txt
	[[ "$output" == *"here 'after', there 'sample'; --as does not apply to a directory: name a trace in a instead"* ]]
	run -2 "$PICKNEXT" compare --as other after.txt a
	[[ "$output" == *"here 'sample', there 'other'; --as does not apply to a directory: name a trace in a instead"* ]]
	run -0 "$PICKNEXT" compare a after.txt --as sample -m slice_mean_us
	[[ "$output" == *"sample: 6 runs against 1"* ]]
	run -2 "$PICKNEXT" compare a after.txt --as ""
	[[ "$output" == *--as* ]]
}

# bats test_tags=slow
@test "compare: on a terminal no line of words is longer than it" {
	command -v script >/dev/null || skip "script is not installed"
	cp a/raw/sample_run0.txt one.txt
	script -qec "stty cols 80; '$PICKNEXT' compare one.txt a --as sample -m throughput_per_s" /dev/null </dev/null |
		tr -d '\r' | sed 's/.*\x1b\[K//' >shown
	# It goes on in the next line, four columns in.
	grep -A 1 '^one.txt: 1 of 1 .*JSON' shown | tail -n 1 | grep -q '^    [^ ]' || { cat shown; return 1; }
	run ! grep -E '^.{81}' shown
	# A pipe has each whole.
	"$PICKNEXT" compare one.txt a --as sample -m throughput_per_s | grep -q '^one.txt: 1 of 1 .\{65,\}$'
}

@test "compare, report, diff --exact: no trace is written over" {
	cp a/raw/sample_run0.txt one.txt
	cp b/raw/sample_run0.txt two.txt
	for command in "compare --as x -o" "compare --as x --junit" "report --as x -o" "diff --exact -o"; do
		# shellcheck disable=SC2086 # a command and an option
		run -2 "$PICKNEXT" $command ./two.txt one.txt two.txt
		[[ "${#lines[@]}" = 1 && "$output" == "picknext: ./two.txt: "* ]]
		cmp two.txt b/raw/sample_run0.txt
	done
	run -2 "$PICKNEXT" report -f svg -o - one.txt
	[[ "$output" == *--output*"--format svg"* ]]
	[ ! -e - ]
}

# bats test_tags=slow
@test "compare, report: a reader who has gone is nothing to talk of" {
	for command in "compare --json a b" "report -o - a b"; do
		# shellcheck disable=SC2086 # a command and its operands
		run -0 python3 - "$PICKNEXT" $command <<-'EOF'
			import os, subprocess, sys
			reader, writer = os.pipe()
			os.close(reader)
			done = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE)
			assert done.returncode in (141, -13) and not done.stderr, done
		EOF
	done
}

# steady_trace FILE LAST: four tasks begin at 0, 10, 20 and 30 us; one exits at 80, the others up to LAST.
steady_trace() {
	python3 - "$1" "$2" <<-'EOF'
		import sys
		line = "{:>16}-{:<7} [000] d..3. 1.{:09d}: sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120\n"
		tasks = [("leader", 1, "S")] + [("cpu-bound", pid, "R") for pid in (101, 102, 103, 104)]
		last = int(sys.argv[2])
		exits = [("cpu-bound", pid, "X") for pid in (104, 103, 102, 101)]
		steps = [(10 * at, tasks[at], tasks[at + 1]) for at in range(4)]
		steps += [(at, exits[i], (exits + [("swapper/0", 0)])[i + 1]) for i, at in enumerate((80, last - 2, last - 1, last))]
		with open(sys.argv[1], "w", encoding="ascii") as text:
		    text.write("# tracer: nop\n#\n")
		    for us, prev, following in steps:
		        text.write(line.format(prev[0], prev[1], 1000 * us, prev[0], prev[1], prev[2], following[0], following[1]))
	EOF
}

# bats test_tags=slow
@test "compare: metrics are of the part in which all tasks run, and how much is left out is reported" {
	mkdir -p steady_a steady_b steady_short
	for run in 0 1 2 3 4; do
		steady_trace steady_a/cpu_bound_4p_run$run.txt 100
		steady_trace steady_b/cpu_bound_4p_run$run.txt 150
		steady_trace steady_short/cpu_bound_4p_run$run.txt 1000
		for set in steady_a steady_b steady_short; do
			echo "# run $run" >>$set/cpu_bound_4p_run$run.txt
		done
	done
	"$PICKNEXT" compare steady_a steady_b --json >steady.json
	python3 - <<-'EOF'
		import json
		document = json.load(open("steady.json"))
		part, = document["parts"]
		assert part["workload"] == "cpu_bound_4p" and part["part"] == "steady", part
		ends = [(share["left_out_start_percent"], share["left_out_end_percent"]) for share in part["sets"]]
		assert ends == [(30, 20), (20, 46.667)], ends
		# In both sets one switch out is in the part: the first exit.
		involuntary, = [row for row in document["rows"] if row["metric"] == "involuntary_share"]
		assert {each["median"] for each in involuntary["sets"]} == {0}, involuntary
		assert any("Left out: 20 to 30 % of the time at the start, 20 to 47 % at the end" in line
		           for line in document["notices"]), document["notices"]
	EOF
	# Never a steady part against a whole run.
	"$PICKNEXT" compare steady_a steady_short --json >steady.json
	python3 - <<-'EOF'
		import json
		document = json.load(open("steady.json"))
		part, = document["parts"]
		assert part["part"].startswith("whole"), part
		assert all(share == {"left_out_start_percent": 0, "left_out_end_percent": 0} for share in part["sets"])
		involuntary, = [row for row in document["rows"] if row["metric"] == "involuntary_share"]
		assert {round(each["median"], 3) for each in involuntary["sets"]} == {42.857}, involuntary
		assert any("cpu_bound_4p" in line and "10 %" in line for line in document["notices"])
	EOF
}

# bats test_tags=slow
@test "compare: five runs of one workload are enough for a significant difference" {
	python3 "$MAKE" same5 sample 5 4 1 'kernel="6.1.0"'
	python3 "$MAKE" other5 sample 5 14 1 'kernel="6.12.0"'
	sed -i -E 's/("work_per_second": )[0-9]+/\15000/' same5/raw/*.json
	sed -i -E 's/("work_per_second": )[0-9]+/\17000/' other5/raw/*.json
	run -0 "$PICKNEXT" compare same5 other5
	[[ "$output" == *"1 of "*" metrics differs."* && "$output" != *"too few runs"* && "$output" != *"better?"* ]]
}

# Shows "$@" on a terminal of WIDTH columns.
at_width() {
	local width=$1
	shift
	script -qec "stty cols $width; $(printf "'%s' " "$PICKNEXT" "$@")" /dev/null </dev/null | tr -d '\r' | sed 's/.*\x1b\[K//'
}

# bats test_tags=slow
@test "compare: no width of the terminal hides a verdict or makes two names one" {
	command -v script >/dev/null || skip "script is not installed"
	names='hackbench_pipe_small_groups hackbench_pipe_large_groups hackbench_sock_small_groups'
	for name in $names; do
		python3 "$MAKE" wide_a "$name" 6 1 1 'kernel="6.1.0"'
		python3 "$MAKE" wide_b "$name" 6 2 1.4 'kernel="6.12.0"'
		python3 "$MAKE" wide_c "$name" 6 3 1.4 'kernel="6.13.0"'
	done
	"$PICKNEXT" compare wide_a wide_b >whole
	[ "$(grep -c ' ✓' whole)" -eq 3 ]
	for width in 40 48 56 68 80 100; do
		at_width "$width" compare wide_a wide_b >shown
		[ "$(wc -L <shown)" -le "$width" ] || { cat shown; return 1; }
		[ "$(grep -c '^h.*groups .*+[0-9.]*% ✓' shown)" -eq 3 ] || { cat shown; return 1; }
		[ "$(grep -o '^h[^ ]*groups' shown | sort -u | wc -l)" -eq 3 ] || { cat shown; return 1; }
		[ "$width" -ge 100 ] || grep -q '^Left out at this width: .*migrations' <(tr '\n' ' ' <shown | sed 's/Left/\nLeft/g') ||
			{ cat shown; return 1; }
		# The tables of --details keep the verdicts too.
		at_width "$width" compare wide_a wide_b --details -w '*pipe_small*' >shown
		[ "$(wc -L <shown)" -le "$width" ] || { cat shown; return 1; }
		[ "$(grep -cE ' (better|worse|different|equal|unclear ≤[0-9.]+%(, ~[0-9]+ runs decide)?)$' shown)" -eq \
			"$("$PICKNEXT" compare wide_a wide_b --details -w '*pipe_small*' | grep -cE ' (better|worse|different|equal|unclear ≤[0-9.]+%(, ~[0-9]+ runs decide)?)$')" ] ||
			{ cat shown; return 1; }
	done
}

# bats test_tags=slow
@test "compare: sets that machines of several CPU models recorded are not compared silently, nor taken as a baseline" {
	local model
	for model in one two; do
		python3 "$MAKE" "of_$model" sample 6 1 1 "cpu_model=\"CPU $model\""
		cp -r "of_$model" "mixed_$model"
	done
	run -0 "$PICKNEXT" compare of_one of_two
	[[ $output == *$'\n  CPU model: CPU one | CPU two\n'* ]]
	refuses 2 "of_one: *CPU model (CPU one, now CPU two)*record the baseline again" --baseline of_one of_two
	cp -r of_one of_too
	run -0 "$PICKNEXT" compare of_one of_too
	[[ $output != *"CPU model"* ]]
	# Both sets have runs of both machines.
	sed -i 's/CPU one/CPU two/' mixed_one/raw/sample_run[45].json
	sed -i 's/CPU two/CPU one/' mixed_two/raw/sample_run[45].json
	run -0 "$PICKNEXT" compare mixed_one mixed_two
	[[ $output == *$'\n  CPU model: CPU one, CPU two | CPU two, CPU one\n'* ]]
	cp -r mixed_one mixed_too
	run -0 "$PICKNEXT" compare mixed_one mixed_too
	[[ $output == *$'\n  CPU model: CPU one, CPU two | CPU one, CPU two\n'* ]]
	rm -r of_one of_two of_too mixed_one mixed_two mixed_too
}

# bats test_tags=slow
@test "compare --baseline: the first set; refused if anything but the kernel differs, or if it is several sets" {
	mkdir -p stored
	python3 "$MAKE" stored/one sample 6 1 1 'kernel="6.1.0"' hz=250 scale=1.0 'preemption="voluntary"'
	python3 "$MAKE" now sample 6 2 1.4 'kernel="6.12.0"' hz=1000 scale=1.0 'preemption="full"'
	"$PICKNEXT" compare --baseline stored/one now --json >got
	"$PICKNEXT" compare stored/one now --json | diff - got
	run -1 "$PICKNEXT" compare --baseline stored/one now -f 'slice_p50_us > +10%'
	run -0 "$PICKNEXT" compare --baseline stored/one now -f 'slice_p50_us < -10%'
	python3 "$MAKE" now sample 6 2 1.4 'kernel="6.12.0"' hz=250 scale=0.5 'preemption="voluntary"'
	refuses 2 "stored/one: *scale (1*0.5)*record the baseline again" --baseline stored/one now
	# A setting that only one of them recorded is no difference between them.
	python3 "$MAKE" now sample 6 2 1.4 'kernel="6.12.0"' hz=250 scale=1.0 'preemption="voluntary"'
	cp -r stored/one stored/more
	python3 "$MAKE" stored/more other 2 3 1 'kernel="6.1.0"' hz=250 scale=0.25 'preemption="voluntary"'
	run -0 "$PICKNEXT" compare --baseline stored/more now
	[[ $output == *"no runs of other"* && $output != *"Not only the kernel"* && $output != *scale* ]]
	rm -r stored/more
	# A machine whose CPUs are grouped otherwise is another one; names of domains are the kernel's, earlier versions show none.
	python3 "$MAKE" stored/flat sample 6 1 1 'kernel="6.1.0"' 'topology={"smt": "0 1", "llc": "0-1", "node": "0-1", "domains": "MC"}'
	python3 "$MAKE" now sample 6 2 1.4 'kernel="6.12.0"' 'topology={"smt": "0 1", "llc": "0-1", "node": "0-1", "domains": null}'
	run -0 "$PICKNEXT" compare --baseline stored/flat now
	[[ $output != *topology* ]]
	run -0 "$PICKNEXT" compare a now
	[[ $output != *topology* ]]
	python3 "$MAKE" now sample 6 2 1.4 'kernel="6.12.0"' 'topology={"smt": "0-1", "llc": "0-1", "node": "0-1", "domains": null}'
	run -0 "$PICKNEXT" compare stored/flat now
	[[ $output == *$'\n  CPU topology: SMT 0 1, LLC 0-1, nodes 0-1 | SMT 0-1, LLC 0-1, nodes 0-1\n'* ]]
	refuses 2 "stored/flat: *CPU topology*record the baseline again" --baseline stored/flat now
	rm -r stored/flat
	cp -r stored/one stored/two
	refuses 2 "stored: *several sets" --baseline stored a
	refuses 4 "nowhere" --baseline nowhere a
}

# bats test_tags=slow
@test "compare: an interval without an upper bound names the set that has 0; QEMU's options are words, not a hash" {
	local run
	for set in 1 2; do
		python3 "$MAKE" "bound$set" sample 6 "$set" 1 "machine_sha256=\"$(printf '%064d' "$set")\"" \
			"kernel_command_line=\"quiet slice=$set panic=1\""
	done
	for run in 0 1 2 3 4 5; do
		sed -i "s/\"work_per_second\": [0-9.]*/\"work_per_second\": $((run < 2 ? 0 : run + 1))/" "bound1/raw/sample_run$run.json"
	done
	run -0 "$PICKNEXT" compare bound1 bound2
	[[ "$output" == *"throughput_per_s"*", ...]"*$'\n  throughput_per_s: no upper bound, A has a run with 0\n'* && "$output" != *inf* ]] ||
		{ echo "$output"; return 1; }
	[[ "$output" == *"QEMU's options or the kernel's command line: slice=1 | slice=2"* ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "compare: the first decision that differs comes with the command for a picture of both" {
	local keys=$BATS_TEST_DIRNAME/../golden/keys set
	for set in one two; do
		mkdir -p "picture_$set/raw"
		echo '{"trace_id": "cpu_bound_4p_run1", "workload_name": "cpu_bound_4p", "deterministic": {"seed": 1, "identity": "'"$(printf %064d 1)"'"}}' \
			>"picture_$set/raw/cpu_bound_4p_run1.json"
	done
	gunzip -c "$keys/6.12.dat.gz" >picture_one/raw/cpu_bound_4p_run1.dat
	# Another one is picked in the second half.
	python3 - <<-'END'
		data = open("picture_one/raw/cpu_bound_4p_run1.dat", "rb").read()
		task = lambda pid: b"cpu-bound".ljust(16, b"\0") + pid.to_bytes(4, "little")
		half = data.index(task(165), len(data) // 2)
		open("picture_two/raw/cpu_bound_4p_run1.dat", "wb").write(data[:half] + task(166) + data[half + 20:])
	END
	run -0 "$PICKNEXT" compare picture_one picture_two
	[[ $output == *"both over time, for ui.perfetto.dev"* ]]
	[[ $output == *"picknext export -f perfetto -o both.perfetto-trace picture_one/raw/cpu_bound_4p_run1.dat picture_two/raw/cpu_bound_4p_run1.dat"* ]]
	"$PICKNEXT" report picture_one picture_two -o picture.html
	grep -q "export -f perfetto -o both.perfetto-trace" picture.html
	"$PICKNEXT" export -q -f perfetto -o both.perfetto-trace picture_one/raw/cpu_bound_4p_run1.dat picture_two/raw/cpu_bound_4p_run1.dat
}
