#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The throttled time of a guest's tasks against the kernel's own count, cpu.stat of their cgroup.
# seconds: 32

bats_require_minimum_version 1.5.0
load vm

setup() {
	make_short_tmpdir
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	out=$BATS_TEST_TMPDIR/out
}

teardown() {
	rm -rf "$TMPDIR"
}

# One task is in the cgroup with a quota, so its throttled time is that of the cgroup; two others have both CPUs.
is_that_of_the_kernel() { # LINE
	need_vm "$1"
	cat >"$BATS_TEST_TMPDIR/quota.sh" <<-'GUEST'
		cd /sys/fs/cgroup || exit 3
		echo +cpu >cgroup.subtree_control
		mkdir box free
		echo '8000 40000' >box/cpu.max
		spin='i=0; while [ "$i" -lt 9000 ]; do i=$((i + 1)); done'
		for group in box free free; do
			sh -c "echo 0 >/sys/fs/cgroup/$group/cgroup.procs; exec sh -c '$spin'" &
		done
		wait
		cat box/cpu.stat
	GUEST
	timeout -k 20 900 "$PICKNEXT" vm -q --mode deterministic --keys -k "$(kernel "$1")" --cpus 2 --runs 1 \
		--value 'stat=throttled_usec ([0-9]+)' -o "$out" --add "$BATS_TEST_TMPDIR/quota.sh:/quota.sh" -- sh /quota.sh
	"$PICKNEXT" latency -q --top 0 --json "$out"/*/raw/sh_run1.dat >waits.json
	python3 - "$(json "$out"/*/raw/sh_run1.json 'd["values"]["stat"]')" <<-'PYTHON'
		import json, sys
		stat_ns = float(sys.argv[1]) * 1000
		rows = [row for kind in ("wakeup", "preempted") for row in json.load(open("waits.json"))[kind]]
		found_ns = sum(row["throttled_ns"] or 0 for row in rows)
		assert stat_ns > 1e8 and abs(found_ns - stat_ns) < 0.005 * stat_ns, (found_ns, stat_ns)
	PYTHON
}

@test "throttled time of a task is the throttled_usec of its cgroup, on 7.3" {
	is_that_of_the_kernel 7.3
}

# tests/cli/throttling.bats has a trace of this kernel with its cpu.stat.
# bats test_tags=long
@test "throttled time of a task is the throttled_usec of its cgroup, on 6.12" {
	is_that_of_the_kernel 6.12
}
