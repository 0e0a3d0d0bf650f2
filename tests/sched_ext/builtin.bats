#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The builtin schedulers on each of Debian's kernels that has sched_ext.

load ../vm/vm

setup() {
	bats_require_minimum_version 1.5.0
	cd "$BATS_TEST_TMPDIR" || return
	make_short_tmpdir
}

teardown() {
	rm -rf "$TMPDIR"
}

builtins="builtin:fifo builtin:fifo,slice=5ms builtin:vtime builtin:vtime,slice=4ms"

# shares LINE OPTION...: what shares.sh prints in a guest, as the file shares.
shares() {
	local line=$1
	shift
	need_vm "$line"
	# shellcheck disable=SC2086 # several schedulers
	timeout -k 20 900 "$PICKNEXT" vm -q "$@" -k "$(kernel "$line")" --guest isolation=none --cpus 2 -r 1 --no-trace -o out \
		-a "$TOP/build/guest-tools/hold_scheduler:/usr/local/bin/hold_scheduler" \
		-a "$TOP/build/guest-tools/weights:/usr/local/bin/weights" \
		-a "$BATS_TEST_DIRNAME/shares.sh:/shares.sh" -- sh /shares.sh $builtins
	grep -h '^builtin:' out/*/raw/*.log | tee shares
	[ "$(sed 's/: .*//' shares)" = "$(tr ' ' '\n' <<<"$builtins")" ]
}

# Each was enabled until it was told to end, under its own name.
check_states() {
	while read -r name ops before after end rest; do
		[[ $name == builtin:"${ops#picknext_}"* ]]
		[ "$before $after $end" = "enabled enabled disabled" ]
		[[ $rest == ran* ]]
	done <shares
}

# In virtual time, so that the host's load is not seen: a queue shares the CPU equally, virtual time by weight, which is
# 100 to 33. Slices of 4 ms are as long as a tick; the two tasks are switched four times as often as with 20 ms.
check_shares() {
	awk '
		{ ratio = $7 / $8; switches[$1] = $10 }
		$1 ~ /fifo/ && (ratio < 0.8 || ratio > 1.25) || $1 ~ /vtime/ && (ratio < 2.5 || ratio > 3.6) { print "wrong: " $0; wrong = 1 }
		END { exit wrong || switches["builtin:fifo,slice=5ms:"] < 2 * switches["builtin:fifo:"] || \
			switches["builtin:vtime,slice=4ms:"] < 2 * switches["builtin:vtime:"] }' shares
}

on_real_time() {
	shares "$1" --guest engine=qemu --mode tcg --guest append=watchdog_thresh=60
	check_states
}

deterministic() {
	need_new_qemu
	shares "$1" --mode deterministic
	check_states
	check_shares
}

@test "the builtin schedulers run on 6.16, on real time" {
	on_real_time 6.16
}

@test "the builtin schedulers run on 6.16 in a deterministic guest, and share a CPU as their algorithms do" {
	deterministic 6.16
}

@test "the builtin schedulers run on 6.17, on real time" {
	on_real_time 6.17
}

@test "the builtin schedulers run on 6.17 in a deterministic guest, and share a CPU as their algorithms do" {
	deterministic 6.17
}

@test "the builtin schedulers run on 7.2, on real time" {
	on_real_time 7.2
}

@test "the builtin schedulers run on 7.2 in a deterministic guest, and share a CPU as their algorithms do" {
	deterministic 7.2
}

@test "the builtin schedulers run on 7.3, on real time" {
	on_real_time 7.3
}

@test "the builtin schedulers run on 7.3 in a deterministic guest, and share a CPU as their algorithms do" {
	deterministic 7.3
}
