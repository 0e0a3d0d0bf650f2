# SPDX-License-Identifier: MIT
# For tests that record on this machine, with a process in the background; load with: load record

load tracefs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset SUDO_UID SUDO_GID
	started=
}

teardown() {
	[ -z "$started" ] || kill -KILL "$started" 2>/dev/null || true
}

need_trace_cmd() {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
}

record() {
	"$PICKNEXT" record "$@"
}

# A recording in the background that is under way.
start_recording() {
	tracefs_state >before
	"$PICKNEXT" record "$@" 2>messages &
	started=$!
	wait_until is_recording "$started"
}

# finish SIGNAL EXIT-CODE: tracefs is as before.
finish() {
	local code=0
	kill -"$1" "$started"
	wait "$started" || code=$?
	started=
	[ "$code" -eq "$2" ] || { cat messages; echo "exit code $code"; return 1; }
	diff before <(tracefs_state)
}

# Says what trace-cmd warns of, and leaves the events in events.txt.
report() {
	trace-cmd report --ts-check "$1" >events.txt 2>warnings
	[ ! -s warnings ] || { cat warnings; return 1; }
}

# How many of them there are. Not lines: a task of the machine may have a newline in its name. Others may have written
# marks to the machine's trace_marker.
reported_events() {
	grep -a -c -E ' [0-9]+\.[0-9]+: +[a-z0-9_]+: ' events.txt
}
