#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vm/demo, with one seed of two workloads: its shape. What it prints is compare's, tested there.
# seconds: 45

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
	# At most 30 and that of the report. The demo itself has three more workloads, and a line for each of two engines;
	# here two say that nothing differs.
	[ "$(printf '%s\n%s\n' "$output" "$stderr" | wc -l)" -le 28 ]
	page=${lines[-1]##* }
	[ "$page" = "$DEMO_OUTPUT/report.html" ]
	[ -s "$page" ]
	sums=$(cd "$DEMO_OUTPUT" && sha256sum ./*/raw/*.dat | cut -d ' ' -f 1)
	[ "$(wc -l <<<"$sums")" -eq 4 ]
	[ "$(sort -u <<<"$sums" | wc -l)" -eq 2 ]
}

@test "make demo ends when it is interrupted, whatever ran then" {
	need_vm 6.12-cloud-amd64
	export DEMO_KERNELS=6.12-cloud-amd64 DEMO_RUNS=9 DEMO_WORKLOADS=cpu_bound_4p DEMO_ENGINES=qemu DEMO_OUTPUT=$BATS_TEST_TMPDIR/demo
	timeout -k 10 300 env --default-signal=INT setsid --wait "$TOP/vm/demo" >out 2>&1 3>&- &
	demo=$!
	until [ -e "$DEMO_OUTPUT-wall-clock/qemu/messages" ] || ! kill -0 $demo; do sleep 0.1; done
	kill -INT -- "-$(pgrep -f "^bash $TOP/vm/demo\$|^[^ ]*bash $TOP/vm/demo\$" | head -n 1)"
	status=0
	wait $demo || status=$?
	cat out
	[ "$status" -eq 130 ]
	[ ! -e "$DEMO_OUTPUT/report.html" ]
	run -1 grep '^Report' out
}
