#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The commands of workloads/faults/README.md that need no other program show their faults on the kernels that have them.

load ../vm/vm

setup() {
	make_short_tmpdir
}

teardown() {
	check_nothing_left
	rm -rf "$TMPDIR"
}

need_release() { # LINE RELEASE
	need_vm "$1"
	[[ $(kernel "$1") == *vmlinuz-"$2"* ]] || skip "the kernel of $1 is not $2, which has the fault"
}

@test "6.12.95: after a refused runtime of its server a fair task runs beside SCHED_FIFO; a gate tells it from 6.12.117" {
	need_release 6.12 6.12.95
	need_release 6.12.117 6.12.117
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	timeout -k 20 900 "$PICKNEXT" vm -k "before=$(kernel 6.12)" -k "after=$(kernel 6.12.117)" --mode deterministic --seeds 1 \
		--cpus 1 --keys --no-results -a chrt --value 'fair_ms=runs for ([0-9]+) ms' -o e -- \
		"$PICKNEXT_TOP/workloads/faults/refused_runtime.sh"
	grep -c 'the fair task runs for [45][0-9] ms in 0.1 s' e/before/raw/*.log
	[ "$(grep -c 'the fair task runs for 0 ms in 0.1 s' e/after/raw/*.log)" -eq 3 ]
	run "$PICKNEXT" compare -q e/before e/after -f 'fair_ms > 0'
	[ "$status" -eq 0 ]
	[[ $output == "PASS fair_ms > 0"* ]]
	run "$PICKNEXT" compare -q e/after e/before -f 'fair_ms > 0'
	[ "$status" -eq 1 ]
	[[ $output == "FAIL fair_ms > 0"* ]]
}

@test "6.12.117: a woken task of SCHED_IDLE waits beside an idle CPU, on 7.3 seldom" {
	need_release 6.12.117 6.12.117
	need_vm 7
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	timeout -k 20 900 "$PICKNEXT" vm -k "old=$(kernel 6.12.117)" -k "new=$(kernel 7)" --mode deterministic --seeds 1 --cpus 4 \
		--topology numa=1 --keys --no-results -o c \
		-w 'mix: name idle_wakees; 6 idle-nap policy=idle run=700us sleep=1ms jitter=60'
	for set in old new; do
		"$PICKNEXT" idle-waiting --threshold 100 --json c/$set/raw/*.dat >$set.json
	done
	python3 - <<-'END'
		import json
		old, new = (sum(cpu["stretches"] for cpu in json.load(open(name + ".json"))["cpus"]) for name in ("old", "new"))
		print(old, new)
		assert old > 3 * new > 0
	END
}

@test "6.12-rt: a real-time task that cannot move keeps others from an idle CPU" {
	need_release 6.12-rt-amd64 6.12.95
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
	timeout -k 20 900 "$PICKNEXT" vm -k "k=$(kernel 6.12-rt-amd64)" --mode deterministic --seeds 1 --keys --no-results -o d -w \
		'mix: name push_past_pinned; 1 pinned policy=fifo priority=50 run=20ms sleep=6ms jitter=40 cpus=0;
		1 other policy=fifo priority=40 run=4ms sleep=10ms jitter=60 cpus=1;
		1 forker policy=fifo priority=20 run=20us forks=4 child=20us sleep=300us; 1 low policy=fifo priority=10'
	"$PICKNEXT" idle-waiting --threshold 500 --json d/k/raw/*.dat >waits.json
	python3 - <<-'END'
		import json
		stretches = sum(cpu["stretches"] for cpu in json.load(open("waits.json"))["cpus"])
		print(stretches)
		assert stretches > 10
	END
	"$PICKNEXT" check-rule d/k/raw/*.dat >found || { cat found; false; }
}
