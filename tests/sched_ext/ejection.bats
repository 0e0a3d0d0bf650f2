#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A scheduler that ends in the middle of a run: always noticed, never counted, started anew for the next run. All in one
# guest, by picknext collect --scheduler there.

load sched_ext

setup_file() {
	[ -n "$(kernel 7.3)" ] && [ -x "$SCHEDULERS/scx_qmap" ] || return 0
	vm -k "$(kernel 7.3)" --guest qemu="$(new_qemu)" --guest engine=qemu "${patient[@]}" --guest isolation=none -r 1 -o "$BATS_FILE_TMPDIR/out" \
		-a "$BATS_TEST_DIRNAME/guest/end-scheduler:/end-scheduler" \
		-a "$PICKNEXT" -a "$BATS_TEST_DIRNAME/guest/collect-under:/collect-under" \
		-a "$SCHEDULERS/scx_simple:/bin/scx_simple" -a "$SCHEDULERS/scx_qmap:/bin/scx_qmap" --no-trace -- sh -c '
		/collect-under builtin:fifo 15 /end-scheduler picknext-sched
		/collect-under scx_simple 10 /end-scheduler scx_simple
		/collect-under "scx_qmap -t 3" 2 sh -c "for i in 1 2 3 4; do (usleep 100000; sleep 8) & done; wait"' \
		>"$BATS_FILE_TMPDIR/messages" 2>&1 || true
	cat "$BATS_FILE_TMPDIR"/out/*/raw/sh_run1.log >"$BATS_FILE_TMPDIR/said" || true
}

setup() {
	need_schedulers scx_simple scx_qmap
	[ -s "$BATS_FILE_TMPDIR/said" ] || {
		cat "$BATS_FILE_TMPDIR/messages"
		return 1
	}
}

# of SCHEDULER: what was said of its collection.
of() {
	awk -v begin="collect: $1: " 'index($0, "collect: ") == 1 { on = index($0, begin) == 1 } on' "$BATS_FILE_TMPDIR/said"
}

# check SCHEDULER RUNS: each run that ended the scheduler is marked with the reason, no other one is.
check() {
	local run
	of "$1"
	of "$1" | grep -q ": exit code 6$"
	for ((run = 1; run <= $2; run++)); do
		case $(((run - 1) % 5)) in
		0) of "$1" | grep -q "^run $run: .* ejection its process was killed by signal 9$" ;;
		1) of "$1" | grep -q "^run $run: .* state disabled ejection disabled by sysrq-S" ;;
		2 | 3) of "$1" | grep -q "^run $run: .* state disabled ejection unregistered from user space" ;;
		4) of "$1" | grep -q "^run $run: .* state enabled ejection null$" ;;
		esac
	done
	of "$1" | grep -q "^report: exit code 5$"
	of "$1" | grep -q "^build: exit code 5$"
}

@test "ejection: kill -9, SysRq-S, SIGINT and SIGTERM at different moments are noticed in 12 of 12 runs of builtin:fifo" {
	check builtin:fifo 15
}

@test "ejection: in 8 of 8 runs of scx_simple, whose output is kept" {
	check scx_simple 10
	[ "$(of scx_simple | sed -n 's/^output: \(.*\) lines/\1/p')" -ge 4 ]
}

@test "ejection: a task that waits too long is noticed, with its name, and the dump is kept" {
	of "scx_qmap -t 3"
	[ "$(of "scx_qmap -t 3" | grep -c "^run .* ejection runnable task stall (.* failed to run for ")" -eq 2 ]
	[ "$(of "scx_qmap -t 3" | sed -n 's/^output: \(.*\) lines/\1/p')" -ge 50 ]
}

@test "ejection: each start has a number of its own, so no run can be counted for another start" {
	of builtin:fifo | sed -n 's/^run .*: seq \([0-9]*\) state disabled.*/\1/p' >"$BATS_TEST_TMPDIR/numbers"
	[ "$(sort -u "$BATS_TEST_TMPDIR/numbers" | wc -l)" -eq 12 ]
}
