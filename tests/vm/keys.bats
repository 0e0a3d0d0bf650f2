#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Scheduling keys (--keys) on each kernel: what is recorded, and that nothing is left. tests/vm/guest/keys looks. The
# newest needs both kinds of probes; the others are of the kind long, and rules.bats has the keys of 5.10 and 6.12.
# seconds: 60

load vm

findings=(
	"records"
	"lacks nothing, and leaves nothing"
	"has the keys of each switch"
	"has picks, enqueues and requests"
	"keys are of the switch that follows"
	"the report shows the share of the rule, and candidates"
	"overhead has what they cost"
	"two record at once"
	"leaves nothing after a signal"
	"leaves events when it is killed"
	"the next start removes them"
	"needs sched_switch"
	"counts functions as often as the trace shows"
	"names what it cannot count, and leaves nothing"
	"refuses what is no function"
)

# bats test_tags=long
@test "keys: kernel 5.10 records them and keeps nothing" {
	boot_and_look keys 5.10 2 "" "" "${findings[@]}"
}

# bats test_tags=long
@test "keys: kernel 6.1 records them and keeps nothing" {
	boot_and_look keys 6.1 2 "" "" "${findings[@]}"
}

# bats test_tags=long
@test "keys: kernel 6.12 records them and keeps nothing" {
	boot_and_look keys 6.12 2 "" "" "${findings[@]}"
}

@test "keys: kernel 7 records them and keeps nothing" {
	boot_and_look keys 7 2 "" "" "${findings[@]}"
}
