#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# KernelShark's library (libkshark, which its window is made of) opens recordings of this machine.

load tracefs
load ../support/kernelshark

@test "kernelshark: recordings of this machine, read out at the end or all along, with marks and odd names" {
	need_tracefs
	"$PICKNEXT" record -q -o a.dat -- "$PICKNEXT" run -q hackbench_pipe_small --scale 0.02 --json >/dev/null
	"$TOP/build/guest-tools/record_both" b 8192 mono mark || [ $? -eq 75 ]
	"$PICKNEXT" collect -q -o . -w sysbench_threads_8t -r 1 --scale 0.02 --drain 0 >/dev/null
	same a.dat b.dat raw/*.dat
}
