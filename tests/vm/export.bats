#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export --format text against what the guest's own kernel writes of the same buffer, byte for byte.
# tests/vm/guest/export says what is looked at.
# seconds: 17

load vm

findings=(
	"text: the four events"
	"text: all four occur"
	"text: by the clock local"
	"text: the oldest overwritten"
	"text: overwritten, and said"
	"text: the buffer full"
	"text: names that are not known"
)

# Tests of the kind root do it with the kernel of this machine.
# bats test_tags=long
@test "export: the text of a 6.1 kernel's trace is the kernel's own" {
	boot_and_look export 6.1 2 record_both "" "${findings[@]}"
}

@test "export: the text of a 6.12 kernel's trace is the kernel's own" {
	boot_and_look export 6.12 2 record_both "" "${findings[@]}"
}
