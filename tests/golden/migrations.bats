#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext migrations on a trace of sixteen events with five migrations, one of each of five causes: worked out by hand.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_TEST_DIRNAME/migrations" || return
	OUT=$BATS_TEST_TMPDIR
}

# bats test_tags=slow
@test "migrations: summary, list and rows" {
	"$PICKNEXT" migrations trace.txt | diff summary.txt -
	"$PICKNEXT" migrations --list trace.txt | diff list.txt -
	"$PICKNEXT" migrations --list --csv -q trace.txt | diff list.csv -
	"$PICKNEXT" migrations --list -o "$OUT/list" trace.txt
	diff list.txt "$OUT/list"
	python3 - <("$PICKNEXT" migrations --list --json trace.txt) <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
moves = [(m["ts_ns"], m["comm"], m["from_cpu"], m["to_cpu"], m["cause"], m["exact"]) for m in d["migrations"]]
assert moves[0] == (100002000000, "d", 0, 1, "fork", True), moves
assert [m[4] for m in moves] == ["fork", "pull", "wakeup", "self", "affinity"], moves
assert not any(m[5] for m in moves[1:]), moves
assert d["trace"]["events"] == 16, d
END
	"$PICKNEXT" migrations --json trace.txt >"$OUT/summary.json"
	[ "$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(
		sum(c["migrations"] for c in d["causes"][:-1]), d["causes"][-1]["migrations"],
		sum(t["migrations"] for t in d["tasks"]), sum(p["migrations"] for p in d["cpu_pairs"]))' \
		"$OUT/summary.json")" = "5 5 5 5" ]
	# As in all analyses, 0 rows are all rows.
	"$PICKNEXT" migrations --top 0 --json trace.txt | cmp "$OUT/summary.json"
	[ "$("$PICKNEXT" migrations --top 1 --json trace.txt | grep -c '"from_cpu"')" = 1 ]
}

@test "migrations: statistics by period" {
	"$PICKNEXT" migrations --period 100 -q trace.txt | diff stat.txt -
	"$PICKNEXT" migrations --period 100 --period-cpu --period-cpu-pair --cpu 0-1 -q trace.txt | diff stat_cpus.txt -
	# From a mark on, the first period begins with it.
	"$PICKNEXT" migrations --period 200 -q --from-mark 'second phase' trace.txt | grep -v '^# field' >"$OUT/stat"
	grep -q '^# begins 100.120000000 s' "$OUT/stat"
	grep -q '^100.320000000 2 0 0 0 1 0 0 0 1' "$OUT/stat"
	run -2 "$PICKNEXT" migrations --period 100 --period-cpu trace.txt
	[[ $output == *CPUs* ]]
	run -2 "$PICKNEXT" migrations --period 100 -o "$OUT/two" trace.txt trace.txt
	[[ $output == *"picknext: "* ]]
	[ ! -e "$OUT/two" ]
}

@test "migrations: the first mark of a text counts, and a window" {
	[ "$("$PICKNEXT" migrations --list --csv -q --from-mark 'second phase' trace.txt | wc -l)" -eq 3 ]
	[ "$("$PICKNEXT" migrations --list --csv -q --to-mark 'second phase' trace.txt | wc -l)" -eq 4 ]
	[ "$("$PICKNEXT" migrations --list --csv -q --cpu 1 trace.txt | wc -l)" -eq 6 ]
	run -2 "$PICKNEXT" migrations --list --csv -q --cpu 7 trace.txt
	run -2 "$PICKNEXT" migrations --from-mark third trace.txt
	[[ $output == *"'third'"* ]]
}

# bats test_tags=slow
@test "migrations extract: fields, names and numbers, as the seed's example uses them" {
	extract() { "$PICKNEXT" migrations extract "$@"; }
	[ "$(extract --min-field stat.txt)" = 2 ]
	[ "$(extract --max-field stat.txt)" = 16 ]
	[ "$(extract --field-name 3 stat.txt)" = wakeup ]
	[ "$(extract --field-num affinity stat.txt)" = 10 ]
	[ "$(extract stat.txt | head -n 2 | tr '\n' ' ')" = "2 migrate 3 wakeup " ]
	# Two in 100 ms are twenty a second; what was cut short is left out.
	[ "$(extract --extract migrate stat.txt | tr '\n' ' ')" = \
		"100.100000000 20.000 100.200000000 20.000 100.300000000 0.000 " ]
	[ "$(extract -e 3 - <stat.txt | tail -n 2 | tr '\n' ' ')" = "100.200000000 10.000 100.300000000 0.000 " ]
	for field in $(seq "$(extract --min-field stat_cpus.txt)" "$(extract --max-field stat_cpus.txt)"); do
		extract --field-name "$field" stat_cpus.txt
		extract --extract "$field" stat_cpus.txt
	done >"$OUT/all"
	[ "$(wc -l <"$OUT/all")" -eq 28 ]
}

# bats test_tags=slow
@test "migrations extract: what is wrong is told, with its line" {
	run -2 "$PICKNEXT" migrations extract --extract pulls stat.txt
	[[ $output == *"stat.txt: "*"'pulls'"* ]]
	run -2 "$PICKNEXT" migrations extract --extract 99 stat.txt
	[[ $output == *"99"* ]]
	run -3 "$PICKNEXT" migrations extract trace.txt
	[[ $output == *"trace.txt"* ]]
	sed 's/^100.2.*/100.2 x/' stat.txt >"$OUT/bad"
	run -3 "$PICKNEXT" migrations extract --extract migrate "$OUT/bad"
	[[ $output == *"bad: line 23: "* ]]
	run -3 "$PICKNEXT" migrations extract -e migrate <(grep -v period_msec stat.txt)
	[[ $output == *period_msec* ]]
	run -2 "$PICKNEXT" migrations extract --min-field --max-field stat.txt
	run -4 "$PICKNEXT" migrations extract "$OUT/none"
}

@test "migrations: options that do not go together" {
	run -2 "$PICKNEXT" migrations --period-cpu trace.txt
	[[ $output == *"--period "* ]]
	run -2 "$PICKNEXT" migrations --hours 1 trace.txt
	run -2 "$PICKNEXT" migrations --live trace.txt
	run -2 "$PICKNEXT" migrations --period 10 --json trace.txt
	echo something >"$OUT/stat"
	run -2 "$PICKNEXT" migrations --live --hours 0.0001 -o "$OUT/stat"
	[[ $output == *--reset* ]]
	[ "$(cat "$OUT/stat")" = something ]
}
