#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vm/demo, with one seed of two workloads: its shape. What it prints is compare's, tested there.

bats_require_minimum_version 1.5.0
load vm

@test "make demo: two kernels in at most 30 lines, the last with the report's path" {
	need_vm 6.12-cloud-amd64
	need_new_qemu
	make_short_tmpdir
	export DEMO_KERNELS="6.12-cloud-amd64 6.12-cloud-amd64" DEMO_RUNS=1 DEMO_WORKLOADS=cpu_bound_4p,io_mixed DEMO_ENGINES=''
	export DEMO_SCALE=0.002 DEMO_OUTPUT=$BATS_TEST_TMPDIR/demo
	run --separate-stderr timeout 600 "$TOP/vm/demo"
	rm -rf "$TMPDIR"
	echo "$output" "$stderr"
	[ "$status" -eq 0 ]
	# At most 30 and that of the report. The demo itself has three more workloads, and a line for each of two engines.
	[ "$(printf '%s\n%s\n' "$output" "$stderr" | wc -l)" -le 26 ]
	page=${lines[-1]##* }
	[ "$page" = "$DEMO_OUTPUT/report.html" ]
	[ -s "$page" ]
	sums=$(cd "$DEMO_OUTPUT" && sha256sum ./*/raw/*.dat | cut -d ' ' -f 1)
	[ "$(wc -l <<<"$sums")" -eq 4 ]
	[ "$(sort -u <<<"$sums" | wc -l)" -eq 2 ]
}
