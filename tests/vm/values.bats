#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --events, and numbers of the command's output as values of the runs, in the same two boots.
# seconds: 35

bats_require_minimum_version 1.5.0
load vm

setup() {
	make_short_tmpdir
	need_vm 6.12
	need_new_qemu
	out=$BATS_TEST_TMPDIR/out
}

teardown() {
	rm -rf "$TMPDIR"
}

@test "vm --value: values in the JSON, renewed without a boot; more runs add the seeds that are missing" {
	local line=('sh' '-c' 'echo noise 7; echo max: 42.5 us')
	local events='sched_switch,sched_wakeup,sched_wakeup_new,sched_migrate_task,sched:sched_wak*'
	run -0 timeout -k 20 400 "$PICKNEXT" vm --mode deterministic -k "a=$(kernel 6.12)" --cpus 1 \
		--events "$events" --runs 1 --value 'max_us=max: ([0-9.]+)' --value 'absent=none' -o "$out" -- "${line[@]}"
	[ "$(cd "$out" && printf "%s\n" */boots/*)" = a/boots/run1.json ]
	run timeout -k 20 500 "$PICKNEXT" vm -v --mode deterministic -k "a=$(kernel 6.12)" --cpus 1 \
		--events "$events" --runs 2 --value 'max_us=max: ([0-9.]+)' --value 'absent=none' -o "$out" -- "${line[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	grep -q '^  | max: 42.5 us' <<<"$output"
	grep -q "warning: sh_run2: .*--value absent" <<<"$output"
	grep -q "^Output of the command: $out/" <<<"$output"
	[ "$(cd "$out" && printf "%s\n" */boots/*)" = $'a/boots/run1.json\na/boots/run2.json' ]
	[ ! -e "$out/a/all.csv" ]
	[ "$(json "$out/a/raw/sh_run2.json" 'd["values"]')" = "{'max_us': 42.5, 'absent': None}" ]
	cp -r "$out/a" "$BATS_TEST_TMPDIR/b"
	"$PICKNEXT" compare --json "$out/a" "$BATS_TEST_TMPDIR/b" >"$BATS_TEST_TMPDIR/compared.json"
	[ "$(json "$BATS_TEST_TMPDIR/compared.json" '[[s["median"] for s in r["sets"]] for r in d["rows"] if r["metric"] == "max_us"]')" = "[[42.5, 42.5]]" ]
	[ "$(json "$out/a/vm.json" '"--value=absent=none" in d["recipe"]')" = True ]
	# The events of --events are in the traces, and they belong to the inputs.
	run -0 "$PICKNEXT" export "$out/a/raw/sh_run1.dat" -o -
	grep -q ' sched_waking: ' <<<"$output"
	run -2 "$PICKNEXT" vm -q --mode deterministic -k "a=$(kernel 6.12)" --cpus 1 --runs 2 -o "$out" -- "${line[@]}"
	[[ $output == *"has runs with other inputs; different: the job"* ]]
	console=$(stat -c %Y%i "$out/a/console/run1.log")
	timeout -k 20 100 "$PICKNEXT" vm -q --mode deterministic -k "a=$(kernel 6.12)" --cpus 1 \
		--events "$events" --runs 2 --value 'n=noise ([0-9])' --dataset -o "$out" -- "${line[@]}"
	[ "$console" = "$(stat -c %Y%i "$out/a/console/run1.log")" ]
	[ "$(json "$out/a/raw/sh_run2.json" 'd["values"]')" = "{'n': 7}" ]
	[ -s "$out/a/all.csv" ]
	run "$PICKNEXT" check --contents "$out"
	[ "$status" -eq 0 ]
	check_nothing_left
}
