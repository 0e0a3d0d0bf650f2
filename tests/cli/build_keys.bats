#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build --task keys: rows of two recorded traces (four tasks that compute on two CPUs, 6.1 and 6.12), against
# the rules said once more in Python from the columns alone.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir raw
	for line in 6.1 6.12; do
		gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/$line.dat.gz" >"raw/cpu-${line}_run1.dat"
	done
}

# bats test_tags=slow
@test "build --task keys: the rule's choice is that of the columns, and that of the kernel" {
	"$PICKNEXT" build -q -o . --task keys
	python3 - <<-'END'
		import csv, json
		counts, judged, reasons = {}, 0, set()
		for row in csv.DictReader(open("all.csv", newline="")):
		    items = {name: row[name].split(" ") for name in row if name.startswith("candidate_")}
		    assert len({len(values) for values in items.values()}) == 1 and len(items["candidate_roles"]) == int(row["candidates"]), row
		    name = row["trace_id"].split("-")[1]
		    counts[name] = counts.get(name, 0) + 1
		    if not row["rule_choice"]:
		        continue
		    judged += 1
		    reasons.add(row["rule_reason"])
		    choice = int(row["rule_choice"])
		    assert row["rule_choice"] == row["chosen"], row
		    lag = [int(value) for value in items["candidate_lag_ns"]]
		    if row["rule_reason"] == "only candidate":
		        assert len(lag) == 1
		    elif row["rule_reason"] == "smallest vruntime":
		        assert lag[choice] == max(lag) and set(items["candidate_deadline_ns"]) == {"-"}, row
		    elif row["rule_reason"] == "earliest deadline of the eligible":
		        deadline = [int(value) for value in items["candidate_deadline_ns"]]
		        eligible = [value == "1" for value in items["candidate_eligible"]]
		        assert eligible == [value >= 0 for value in lag], row
		        assert eligible[choice] and deadline[choice] == min(d for d, e in zip(deadline, eligible) if e), row
		    elif row["rule_reason"].startswith("protected"):
		        assert items["candidate_protected"][choice] == items["candidate_running"][choice] == "1", row
		    if row["next_role"] in items["candidate_roles"]:
		        assert items["candidate_roles"][int(row["chosen"])] == row["next_role"], row
		assert judged > 200 and {"smallest vruntime", "earliest deadline of the eligible", "only candidate"} <= reasons, (judged, reasons)
		for trace in json.load(open("dataset_meta.json"))["traces"]:
		    name = trace["trace_id"].split("-")[1]
		    assert trace["rows"] == counts[name] and trace["rows_against_rule"] == 0, trace
		    assert trace["picks"] >= trace["picks_excluded"] + trace["picks_of_other_classes"], trace
		assert len(counts) == 2, counts
	END
}

# bats test_tags=slow
@test "build --task keys: every row has the fields of the header, also after a yield under CFS, whose reason has a comma" {
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.1-yield.dat.gz" >raw/yield_run1.dat
	"$PICKNEXT" build -q -o . --task keys
	python3 - <<-'END'
		import csv
		rows = list(csv.reader(open("all.csv", newline="")))
		assert {len(row) for row in rows} == {len(rows[0])}
		assert any("after a yield" in row[-1] for row in rows)
	END
}

# bats test_tags=slow
@test "build --task keys: a sample has all levels of a pick or none of them, and says how many picks it took" {
	"$PICKNEXT" build -q -o whole --task keys --raw-dir raw
	"$PICKNEXT" build -q -o some --task keys --raw-dir raw --max-rows-per-trace 100
	"$BATS_TEST_DIRNAME/../../workloads/models/card.py" some
	"$PICKNEXT" build -q -o again --task keys --raw-dir raw --max-rows-per-trace 100 --jobs 2
	cmp some/all.csv again/all.csv
	python3 - <<-'END'
		import csv, json
		from collections import defaultdict
		def picks(directory):
		    found = defaultdict(list)
		    for row in csv.DictReader(open(f"{directory}/all.csv", newline="")):
		        found[row["trace_id"], row["time_ns"], row["cpu"]].append(row)
		    return found
		whole, some = picks("whole"), picks("some")
		assert all(whole[pick] == rows for pick, rows in some.items())
		sizes = [len(rows) for rows in some.values()]
		assert sizes.count(1) > 90 and sizes.count(2) > 30, sizes
		meta = json.load(open("some/dataset_meta.json"))
		assert (meta["decisions_found"], meta["decisions_taken"]) == (len(whole), len(some)), meta
		for trace in meta["traces"]:
		    own = [rows for (name, _, _), rows in some.items() if name == trace["trace_id"]]
		    assert trace["events"] == sum(map(len, own)) == 100 and trace["decisions_taken"] == len(own), trace
		# As many of each number of levels as the trace has of it.
		share = sum(len(rows) == 2 for (name, _, _), rows in whole.items() if name.startswith("cpu-6.12")) / 649
		assert abs(sizes.count(2) - share * 100) <= 1, (share, sizes.count(2))
		assert f"a sample of {len(some)} of {len(whole)} decisions, each with all its rows" in open("some/README.md").read()
	END
}

@test "build --task keys: a trace without keys has none" {
	rm raw/*
	printf '%16s-%-7d [000] d..2. %5d.%06d: %s\n' a 1 10 100 \
		"sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120" >raw/t_run0.txt
	run -3 "$PICKNEXT" build -q -o . --task keys
	[[ $output == *"none of 1 traces holds picks"*"--keys"* ]]
}
