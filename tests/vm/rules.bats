#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# check-rule and why on each kernel: every decision is the rule's, as an independent account of the same trace finds.
# seconds: 60

load vm

mix='mix: for 300ms; 2 low nice=5; 1 hog; 2 nap run=2ms sleep=3ms jitter=50 nice=-5; 2 nip run=300us sleep=1ms; 1 away yields=2 run=500us sleep=2ms'
slices='2 long slice=8ms; 1 brisk slice=500us run=300us sleep=3ms'

setup() {
	make_short_tmpdir
}

teardown() {
	check_nothing_left
	rm -rf "$TMPDIR"
}

# records_and_agrees LINE [GROUPS [FAULT]]: GROUPS are added to the mix. FAULT: an invariant that this kernel is known to
# break at some timings (src/rules/README.md); nothing else may be broken.
records_and_agrees() {
	need_vm "$1"
	need_trace_cmd
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	timeout -k 20 600 "$PICKNEXT" vm --mode deterministic --keys -k "k=$(kernel "$1")" --runs 1 -w "$mix${2:+; $2}" -o out >log
	cat log
	grep -Eq "^k: all [0-9]+ (of [0-9]+ )?(judged )?decisions follow (EEVDF|CFS).s rule" log
	[ -n "${3:-}" ] || none_of broken log
	python3 "$TOP/tests/support/reference_rules.py" "$PICKNEXT" out/k/raw/mix_run1.dat
	local code=0
	"$PICKNEXT" check-rule --json out/k/raw/mix_run1.dat >rules.json || code=$?
	[ "$code" -eq 0 ] || [ "$(json rules.json '[row["invariant"] for row in d["invariants"] if row["broken"]], d["breaks"]')" = "(['${3:-}'], [])" ]
	# At least 99 % of the decisions are judged, and each invariant of this kind of scheduler was looked at.
	LINE=$1 python3 - <<-'END'
		import json, os
		found = json.load(open("rules.json"))
		decisions = sum(row["decisions"] for row in found["causes"])
		judged = sum(row["judged"] for row in found["causes"])
		assert decisions > 200 and judged >= 0.99 * decisions, (judged, decisions)
		assert len(found["invariants"]) >= 4, found["invariants"]
		# 5.10 does not record how far it searches.
		chosen = sum(row["checked"] for row in found["invariants"] if row["invariant"].startswith("woken_on_idle"))
		assert chosen > 10 or os.environ["LINE"] == "5.10", chosen
	END
	# Each of the longest waits is shown, with a decision that had the waiting task among its candidates, but picked another.
	"$PICKNEXT" why --worst 3 --json out/k/raw/mix_run1.dat >worst.json
	"$PICKNEXT" latency --worst 3 --json out/k/raw/mix_run1.dat >waits.json
	python3 - <<-'END'
		import json
		worst = json.load(open("worst.json"))
		longest = json.load(open("waits.json"))["worst"]
		waits = {row["pid"] for row in longest}
		assert [(row["pid"], row["start_ns"], row["wait_ns"]) for row in worst["waits"]] == \
		    [(row["pid"], row["start_ns"], row["wait_ns"]) for row in longest]
		assert len(worst["decisions"]) == sum(row["has_decision"] for row in worst["waits"])
		for decision in worst["decisions"]:
		    passed_over = {row["pid"] for row in worst["candidates"]
		                   if (row["since_start_ns"], row["cpu"]) == (decision["since_start_ns"], decision["cpu"]) and row["waits"]}
		    assert passed_over and passed_over <= waits | {None}, decision
	END
}

@test "rules: 5.10 decides by the rule of CFS" {
	records_and_agrees 5.10
}

# story.bats has keys of this kernel.
# bats test_tags=long
@test "rules: 6.1 decides by the rule of CFS" {
	records_and_agrees 6.1
}

@test "rules: 6.12 decides by the rule of EEVDF" {
	records_and_agrees 6.12 "$slices"
}

# keys.bats has the keys of this kernel, and first_word.bats the words of check-rule.
# bats test_tags=long
@test "rules: 7 decides by the rule of EEVDF" {
	records_and_agrees 7 "$slices" protection_ends
}

@test "vm: of one kernel, what check-rule says first: which trace is not to be trusted, what is against the rule" {
	need_vm 6.12
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	timeout -k 20 600 "$PICKNEXT" vm --mode deterministic --keys -k "k=$(kernel 6.12)" --cpus 1 --runs 1 -w "$mix" --buffer-size 16 -o out >log
	cat log
	sed -n '\|^out/k/raw/mix_run1.dat: not to be trusted|,$p' log | sed 's/^k: //' >said
	"$PICKNEXT" check-rule out/k >found || [ $? = 5 ]
	[ "$(wc -l <said)" -ge 2 ]
	diff said <(head -n "$(wc -l <said)" found)
}
