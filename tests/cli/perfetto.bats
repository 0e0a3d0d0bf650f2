#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export --format perfetto, decoded by protoc with the numbers of Perfetto's published schema (perfetto.proto).

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
load ../support/perfetto

@test "perfetto: every field is one of the schema, and says what the text says" {
	"$TOOLS/tools/make_trace" trace.dat
	decoded trace.dat
	grep -qxF 'kernel: Linux 6.12.95 x86_64' told
	so_many sched_switch 1000
	so_many sched_wakeup 100
	so_many sched_wakeup_new 100
	so_many sched_migrate_task 100
	so_many lost_events 3
	grep -q 'sched_switch: 2073' told
	grep -qx 'clock_snapshot: 1' told
}
