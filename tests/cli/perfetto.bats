#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export --format perfetto, decoded by protoc with the numbers of Perfetto's published schema (perfetto.proto).

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}

TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build

setup() {
	command -v protoc >/dev/null || skip "protoc is not installed"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# decoded TRACE: what protoc and perfetto_decoded.py say of it.
decoded() {
	"$PICKNEXT" export -q -f perfetto "$1" -o trace.perfetto-trace 2>/dev/null
	"$PICKNEXT" export -q --ns "$1" -o text 2>/dev/null
	protoc --decode=picknext.perfetto.Trace -I "$BATS_TEST_DIRNAME/../support" perfetto.proto <trace.perfetto-trace >decoded
	python3 "$BATS_TEST_DIRNAME/../support/perfetto_decoded.py" text <decoded | tee told
}

# so_many NAME LEAST
so_many() {
	[ "$(sed -n "s/^$1: //p" told)" -ge "$2" ] || { echo "$1: not $2"; return 1; }
}

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
