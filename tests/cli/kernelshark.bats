#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# KernelShark's library (libkshark, which its window is made of) opens what picknext writes. Traces of guests are
# opened in tests/vm/collection.bats.

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
load ../support/kernelshark

# bats test_tags=slow
@test "kernelshark: a made trace with every kind of record, and one converted to version 7" {
	"$TOP/build/tools/make_trace" v6.dat
	same v6.dat
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	trace-cmd convert --file-version 7 --compression none -i v6.dat -o v7.dat >/dev/null
	same v7.dat
}
