#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# As tests/vm/truth.bats, on the other kernels.

load ../vm/vm
load ../vm/truth

@test "truth: what is known of a trace of 5.10 is what the analyses say" {
	boot_and_ask 5.10
}

@test "truth: what is known of a trace of 6.1 is what the analyses say" {
	boot_and_ask 6.1
}

@test "truth: what is known of a trace of 7.3 is what the analyses say" {
	boot_and_ask 7
}
