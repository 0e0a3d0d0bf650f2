#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext collect --scheduler on a machine whose kernel has sched_ext: a guest of 7.3, in which picknext runs as root.

load sched_ext

setup_file() {
	[ -n "$(kernel 7.3)" ] || return 0
	vm -q -k "$(kernel 7.3)" --guest qemu="$(new_qemu)" --guest engine=qemu "${patient[@]}" --guest isolation=none -r 1 -o "$BATS_FILE_TMPDIR/out" \
		-a "$TOP/build/guest-tools/hold_scheduler:/bin/hold_scheduler" \
		-a "$PICKNEXT" -a "$BATS_TEST_DIRNAME/guest/as-a-host:/as-a-host" --no-trace -- /as-a-host >"$BATS_FILE_TMPDIR/messages" 2>&1 || true
	cat "$BATS_FILE_TMPDIR"/out/*/raw/as-a-host_run1.log >"$BATS_FILE_TMPDIR/said" || true
}

setup() {
	need_vm 7.3
	need_new_qemu
	[ -s "$BATS_FILE_TMPDIR/said" ] || {
		cat "$BATS_FILE_TMPDIR/messages"
		return 1
	}
}

# said LINE...: each is a line of what the guest printed.
said() {
	local line
	for line in "$@"; do
		grep -qxF -- "$line" "$BATS_FILE_TMPDIR/said" || {
			cat "$BATS_FILE_TMPDIR/said"
			echo "not said: $line"
			return 1
		}
	done
}

@test "host: collect --scheduler enables a scheduler, records under it, and takes it away" {
	said "collect none: exit code 0" "collect builtin:fifo: exit code 0"
	[ "$(grep -c '^state: disabled$' "$BATS_FILE_TMPDIR/said")" -eq 3 ]
	said "fifo given: builtin:fifo" "fifo ops: picknext_fifo" "fifo state: enabled" "fifo switch_all: true" \
		"fifo enable_seq: 1" "fifo enable_seq_after: 1" "fifo tracer_policy: fifo" "fifo isolation: none" \
		"fifo ejection: null" "check: exit code 0"
}

@test "host: compare, diff and a dataset name the schedulers" {
	grep -q "scheduler: the kernel's own | builtin:fifo" "$BATS_FILE_TMPDIR/said"
	grep -q "^A: .*, the kernel's own scheduler$" "$BATS_FILE_TMPDIR/said"
	grep -q "^B: .*, scheduler picknext_fifo$" "$BATS_FILE_TMPDIR/said"
	grep -q ",trace_id,scheduler.$" "$BATS_FILE_TMPDIR/said"
	grep -q ",cpu_bound_4p_run1,picknext_fifo.$" "$BATS_FILE_TMPDIR/said"
}

@test "host: a scheduler that is enabled already is recorded, and not replaced" {
	said "collect beside another: exit code 4" "collect under another: exit code 0"
	grep -q "the scheduler picknext_vtime is enabled already" "$BATS_FILE_TMPDIR/said"
	said "found given: null" "found ops: picknext_vtime" "found state: enabled" "found ejection: null"
}

@test "host: a run in which a scheduler ends that somebody else started is nobody's; the next one is the kernel's own" {
	said "collect while another ends: exit code 6" "check of the first run: exit code 5"
	said "lose_run1 lost ops: picknext_vtime" "lose_run1 lost state: disabled" \
		"lose_run1 lost ejection: it has ended; picknext did not start it"
	said "lose_run2 lost ops: " "lose_run2 lost state: " "lose_run2 lost ejection: "
}
