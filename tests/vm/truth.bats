#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The analyses on traces whose truth is known: see truth.bash. tests/long/truth_kernels.bats has further kernels.
# seconds: 100

load vm
load truth

@test "truth: what is known of a trace of 6.12 is what the analyses say" {
	boot_and_ask 6.12
}
