#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The metrics of recordings of this machine, compared with a slow reference.

bats_require_minimum_version 1.5.0
load tracefs

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	SHOW=$TOP/build/tools/show_metrics
	cd "$BATS_TEST_TMPDIR" || return 1
}

# sets OPERAND...: a line for each: its label, then its runs
sets() {
	"$SHOW" "$@" | python3 -c '
import json, sys
for runs in json.load(sys.stdin):
    print(runs["label"] + ":", *(run["id"] for run in runs["runs"]))'
}

# figures_of PIDS TRACE [followed]: the run's slices and wakeup waits are those of the tasks with these PIDs. Others ran as well, and are shown
# unless the trace followed these tasks only.
figures_of() {
	"$SHOW" "$2" >shown.json
	"$PICKNEXT" stat --waits --json --top 0 "$2" 2>/dev/null >stat.json
	python3 - "$1" "${3-}" <<-'EOF'
		import json, sys
		run, = json.load(open("shown.json"))[0]["runs"]
		if run["lacks_switches"]:  # the kernel left out too many for any metric that needs each of them
		    assert run["slices"] == 0, run
		    sys.exit()
		pids = {int(pid) for pid in sys.argv[1].split()}
		tasks = [row for row in json.load(open("stat.json"))["tasks"] if row["kind"] == "user"]
		own = [row for row in tasks if row["pid"] in pids]
		assert {row["pid"] for row in own} == pids, (pids, [row["pid"] for row in tasks])
		assert run["slices"] == sum(row["slices"] for row in own) > 0, (run["slices"], [row["slices"] for row in own])
		assert run["wakeups"] == sum(row["wakeup_waits"] for row in own) > 0, (run["wakeups"], [row["wakeup_waits"] for row in own])
		others_ns = sum(row["cpu_time_ns"] for row in tasks if row["pid"] not in pids)
		assert others_ns == 0 if sys.argv[2] == "followed" else others_ns > 0, others_ns
	EOF
}

# shellcheck disable=SC2016 # what the traced shells run is in single quotes on purpose
@test "metrics: of a command its own tasks count, whatever else is busy" {
	need_tracefs
	local program='echo $$; sleep 0.1 & echo $!; (sleep 0.05 & echo $!; wait) & echo $!; wait'
	program+='; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	sh -c 'while :; do sleep 0.002; done' &
	busy=$!
	sh -c 'while :; do :; done' 3>&- &
	hog=$!
	"$PICKNEXT" collect -q -r 1 -o out -w exec:own -- sh -c "$program" >collected
	"$PICKNEXT" record -o recorded -- sh -c "$program" >pids
	mkfifo go
	sh -c "read -r go <go; $program" >watched_pids &
	watched=$!
	"$PICKNEXT" record -o watched --pid $watched &
	recorder=$!
	wait_until is_recording $recorder
	echo >go
	wait $recorder
	"$PICKNEXT" record --flight 5 -o flight -- sh -c "$program"
	kill $busy $hog
	figures_of "$(tr '\n' ' ' <collected)" out/raw/own_run1.dat
	figures_of "$(tr '\n' ' ' <pids)" recorded.dat
	figures_of "$(tr '\n' ' ' <watched_pids)" watched.dat followed
	# Tasks born before the window of a flight recording are not known to be the command's: all tasks count.
	"$SHOW" flight.dat >shown.json
	[ "$(json shown.json 'd[0]["runs"][0]["lacks_switches"]')" = False ] || return 0
	[ "$(json shown.json 'd[0]["runs"][0]["slices"]')" -gt "$("$PICKNEXT" stat --by comm --csv --top 0 flight.dat 2>/dev/null |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["comm"] == "sleep" { print $at["slices"] }')" ]
}

@test "run sets: a recording has the hashes of the kernel and of the program of its command" {
	need_tracefs
	cp /bin/true program
	"$PICKNEXT" record -q -o first.dat -- ./program 0.1
	"$PICKNEXT" record -q -o again.dat -- ./program 0.1
	[ "$(json first.json 'd["command_sha256"]')" = "$(sha256sum program | cut -d ' ' -f 1)" ]
	[ "$(json first.json 'd["kernel_build_id"]')" = "$(od -An -v -t x1 -j 16 -N 20 /sys/kernel/notes | tr -d ' \n')" ]
	run -0 "$PICKNEXT" compare first.dat again.dat --as x
	[[ "${lines[0]}" == "The kernel is the same, and no other known setting differs." ]]
	cp /bin/sleep program
	"$PICKNEXT" record -q -o other.dat -- ./program 0.1
	run -0 "$PICKNEXT" compare first.dat other.dat --as x
	[[ "${lines[0]}" == "The kernel is the same. These settings differ:" && "${lines[1]}" == "  command's program: "*" | "* ]]
}
