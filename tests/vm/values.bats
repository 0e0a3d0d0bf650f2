#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --events, numbers of the command's output as values of the runs, and runs until all is decided, in the same four boots.

bats_require_minimum_version 1.5.0
load vm

setup() {
	make_short_tmpdir
	need_vm 6.1 6.12
	need_new_qemu
	out=$BATS_TEST_TMPDIR/out
}

teardown() {
	rm -rf "$TMPDIR"
}

@test "vm --value, --runs MIN-MAX: values in the JSON, renewed without a boot; the next look adds the seeds that are missing" {
	local line=('sh' '-c' 'echo noise 7; echo max: 42.5 us')
	local events='sched_switch,sched_wakeup,sched_wakeup_new,sched_migrate_task,sched:sched_wak*'
	# A budget that has passed ends the runs at the first look.
	run -0 timeout -k 20 400 "$PICKNEXT" vm --mode deterministic -k "a=$(kernel 6.12)" -k "b=$(kernel 6.1)" --cpus 1 \
		--events "$events" --runs 1-2 --budget 1 --value 'max_us=max: ([0-9.]+)' --value 'absent=none' -o "$out" -- "${line[@]}"
	[[ $output == *"1 run of each kernel: 0 of 1 workloads decided; the budget has no more runs"* ]]
	[ "$(cd "$out" && printf "%s\n" */cells/*)" = $'a/cells/run1.json\nb/cells/run1.json' ]
	run timeout -k 20 500 "$PICKNEXT" vm -v --mode deterministic -k "a=$(kernel 6.12)" -k "b=$(kernel 6.1)" --cpus 1 \
		--events "$events" --runs 1-2 --value 'max_us=max: ([0-9.]+)' --value 'absent=none' -o "$out" -- "${line[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	grep -q '^1 run of each kernel: 0 of 1 workloads decided$' <<<"$output"
	grep -q '^  | max: 42.5 us' <<<"$output"
	grep -q "warning: sh_run2: .*--value absent" <<<"$output"
	grep -q "^Output of the command: $out/" <<<"$output"
	[ "$(cd "$out" && printf "%s\n" */cells/*)" = $'a/cells/run1.json\na/cells/run2.json\nb/cells/run1.json\nb/cells/run2.json' ]
	[ ! -e "$out/a/all.csv" ]
	[ "$(json "$out/b/raw/sh_run2.json" 'd["values"]')" = "{'max_us': 42.5, 'absent': None}" ]
	"$PICKNEXT" compare --json "$out" >"$BATS_TEST_TMPDIR/compared.json"
	[ "$(json "$BATS_TEST_TMPDIR/compared.json" '[[s["median"] for s in r["sets"]] for r in d["rows"] if r["metric"] == "max_us"]')" = "[[42.5, 42.5]]" ]
	[ "$(json "$out/a/vm.json" 'd["runs_min"], d["runs_max"], "--value=absent=none" in d["recipe"]')" = "(1, 2, True)" ]
	# The events of --events are in the traces, and they belong to the inputs.
	run -0 "$PICKNEXT" export "$out/a/raw/sh_run1.dat" -o -
	grep -q ' sched_waking: ' <<<"$output"
	run -2 "$PICKNEXT" vm -q --mode deterministic -k "a=$(kernel 6.12)" -k "b=$(kernel 6.1)" --cpus 1 --runs 2 -o "$out" -- "${line[@]}"
	[[ $output == *"has runs with other inputs; different: the job"* ]]
	console=$(stat -c %Y%i "$out/a/console/run1.log")
	timeout -k 20 100 "$PICKNEXT" vm -q --mode deterministic -k "a=$(kernel 6.12)" -k "b=$(kernel 6.1)" --cpus 1 \
		--events "$events" --runs 2 --value 'n=noise ([0-9])' --dataset -o "$out" -- "${line[@]}"
	[ "$console" = "$(stat -c %Y%i "$out/a/console/run1.log")" ]
	[ "$(json "$out/b/raw/sh_run2.json" 'd["values"]')" = "{'n': 7}" ]
	[ -s "$out/a/all.csv" ]
	run "$PICKNEXT" check --contents "$out"
	[ "$status" -eq 0 ]
	check_nothing_left
}
