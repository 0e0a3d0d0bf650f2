#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# 6.12.95 does not rescale the deadline of a task that is reniced while it is queued; its invariant shows it. 7.3 does.

load ../vm/vm

setup() {
	make_short_tmpdir
}

teardown() {
	check_nothing_left
	rm -rf "$TMPDIR"
}

# shellcheck disable=SC2016 # of the guest's shell
@test "rules: deadlines of a reniced task are beyond its slice on 6.12.95, and on 7 they are not" {
	need_vm 6.12
	need_vm 7
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	# Without autogroup, for with it 7's weights are shares of groups.
	timeout -k 20 900 "$PICKNEXT" vm -q --mode deterministic --keys --runs 1 --no-results --guest append=noautogroup \
		-k "old=$(kernel 6.12)" -k "new=$(kernel 7)" -o out -- busybox sh -c 'taskset -p 1 $$
			(while :; do :; done) & a=$!
			(while :; do :; done) & b=$!
			for i in 1 2 3 4 5 6 7 8; do renice 9 -p $a; sleep 0.03; renice -10 -p $a; sleep 0.03; done
			kill $a $b'
	for set in old new; do
		"$PICKNEXT" check-rule --json out/$set/raw/*.dat >$set.json || [ $? = 1 ]
	done
	python3 - <<-'END'
		import glob, json
		def deadlines(name):
		    found = json.load(open(name + ".json"))
		    assert not found["breaks"], found["breaks"]
		    return next(row for row in found["invariants"] if row["invariant"] == "deadline_in_slice")
		assert deadlines("new")["checked"] > 100 and deadlines("new")["broken"] == 0, deadlines("new")
		if "6.12.95+" in open(glob.glob("out/old/raw/*.json")[0]).read():
		    assert 0 < deadlines("old")["broken"] < deadlines("old")["checked"] / 10, deadlines("old")
	END
}
