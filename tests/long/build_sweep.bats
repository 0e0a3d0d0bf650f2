#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The random sweeps of tests/cli/build.bats, with more seeds and smaller steps than make test takes.

setup() {
	TESTS=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")/tests
}

@test "build: 200 random sets and 101 ratios are split as Python does" {
	PICKNEXT_SEEDS=200 PICKNEXT_RATIO_STEP=0.01 bats --tap -f 'random sets of traces|every ratio' "$TESTS/cli/build.bats"
}
