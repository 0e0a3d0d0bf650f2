#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# KernelShark's library (libkshark, which its window is made of) opens what picknext writes. Traces of guests are looked
# at in tests/vm/collection.bats.

load tracefs

TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

same() {
	local status=0
	"$TOP/tests/kernelshark/same" "$@" || status=$?
	[ "$status" -ne 77 ] || skip "libkshark-dev is not installed"
	[ "$status" -eq 0 ]
}

@test "kernelshark: a made trace with every kind of record, and one converted to version 7" {
	"$TOP/build/tools/make_trace" v6.dat
	same v6.dat
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	trace-cmd convert --file-version 7 --compression none -i v6.dat -o v7.dat >/dev/null
	same v7.dat
}

@test "kernelshark: recordings of this machine, read out at the end or all along, with marks and odd names" {
	need_tracefs
	"$PICKNEXT" record -q -o a.dat -- "$PICKNEXT" run -q hackbench_pipe_small --scale 0.02 --json >/dev/null
	"$TOP/build/guest-tools/record_both" b 8192 mono mark || [ $? -eq 75 ]
	"$PICKNEXT" collect -q -o . -w sysbench_threads_8t -r 1 --scale 0.02 --no-drain >/dev/null
	same a.dat b.dat raw/*.dat
}
