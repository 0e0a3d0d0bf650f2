#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm --plan and --boot, as far as they boot nothing. What they make is tested in tests/long/shards.bats
# and tests/engines.

bats_require_minimum_version 1.5.0
load vm

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	make_short_tmpdir
	cd "$BATS_TEST_TMPDIR" || return 1
	OPTIONS=(-k base="$(kernel 6.1)" -k head="$(kernel 6.12)" --mode deterministic -w hackbench_pipe_small -o 'the out')
}

teardown() {
	rm -rf "$TMPDIR"
}

plan() {
	"$PICKNEXT" vm "${OPTIONS[@]}" --plan "$@"
}

boots() {
	sed 's/.* --boot=\([^ ]*\).*/\1/'
}

@test "plan: a command for each boot, first runs first; more seeds are at its end; nothing is written" {
	plan --seeds 1-3 >three
	cat three
	[ "$(boots <three | xargs)" = "base/1 head/1 base/2 head/2 base/3 head/3" ]
	diff <(boots <three) <(plan --seeds 1-4 | boots | head -n 6)
	diff three <(plan --seeds 1-3 --jobs 2 --no-results)
	[ ! -e 'the out' ]
	# Each line is a command that makes one boot, in this directory.
	while read -r line; do
		eval "set -- $line"
		[ "$1 $2" = "$PICKNEXT vm" ]
		[[ $line == *"'--output-dir=the out'"*" --seeds=1-3 --boot="* ]]
	done <three
	# A boot that is not of the command is refused before anything is booted.
	run -2 "$PICKNEXT" vm "${OPTIONS[@]}" --seeds 1-3 --boot head/4
	[[ $output == *"--boot"*"head/4"* ]]
	[ -z "$(find . -name '*.dat' -o -name '.guest-*')" ]
}

@test "plan: 1,000 boots are listed once, and check counts what is there of them" {
	OPTIONS=(-k base="$(kernel 6.1)" -k head="$(kernel 6.12)" --mode deterministic -w hackbench_pipe_small -o out --seeds 1-500)
	plan >planned
	[ "$(wc -l <planned)" -eq 1000 ]
	[ "$(boots <planned | sort -u | wc -l)" -eq 1000 ]
	# Four parts have each boot once.
	for part in 0 1 2 3; do awk "NR % 4 == $part" planned; done | sort | diff - <(sort planned)
	# Sets as if all but three boots were made.
	/usr/bin/python3 "$TOP/tests/support/make_boots.py" out base head -- 500
	rm out/base/boots/run7.json out/head/boots/run{7,500}.json
	run -1 "$PICKNEXT" check out
	[ "${lines[0]}" = "out: 997 of 1000 boots are there, 3 missing" ]
	[ "$(printf '%s\n' "${lines[@]:1:3}")" = $'  missing: base, run 7\n  missing: head, run 7\n  missing: head, run 500' ]
	run -5 "$PICKNEXT" compare out
	[[ $output == *"out: 3 of 1000 runs are missing"* ]]
}

@test "plan: without -w it names the default workloads of vm, with --dataset those of collect, beside COMMAND none" {
	default_of() {
		"$PICKNEXT" list --json | python3 -c 'import json, sys
print(",".join(row["name"] for row in json.load(sys.stdin) if row["default_of_" + sys.argv[1]]))' "$1"
	}
	named() {
		"$PICKNEXT" vm -k "$(kernel 6.12)" --mode deterministic --seeds 1 --plan "$@" | tr ' ' '\n' | sed -n 's/^--workload=//p'
	}
	[ "$(default_of vm)" != "$(default_of collect)" ]
	[ "$(named | tr , '\n' | sort)" = "$(default_of vm | tr , '\n' | sort)" ]
	[ "$(named --dataset)" = "$(default_of collect)" ]
	[ "$(named -w half_idle)" = half_idle ]
	[ -z "$(named -- true)" ]
}

# Where KVM works, --mode auto and wall-clock come out as another one than here.
@test "plan: each command has the mode that its machine chose, whatever was given" {
	local mode line
	for mode in auto:deterministic deterministic:deterministic; do
		line=$("$PICKNEXT" vm -k base="$(kernel 6.1)" --mode "${mode%:*}" --seeds 3 -w hackbench_pipe_small --plan -o out)
		echo "$line"
		[[ $line == *" --mode=${mode#*:} "* && $line != *--mode*--mode* ]]
	done
	line=$("$PICKNEXT" vm -k base="$(kernel 6.1)" --mode wall-clock -r 1 -w hackbench_pipe_small --plan -o out)
	echo "$line"
	[[ $line =~ --mode=(tcg|kvm)" " ]]
	line=$("$PICKNEXT" vm -k "$(kernel 6.1)" --mode tcg -r 3 --plan -o out -- sh -c 'echo a b' | tail -n 1)
	echo "$line"
	[[ $line == *" --runs=3 --boot="*"/3 -- sh -c 'echo a b'" ]]
}

@test "plan: less memory than the guest's is refused before QEMU is started, exit 75" {
	local mb
	for mb in 14 27 60 500; do
		run bash -c 'ulimit -v $(($1 * 1024)); shift; exec "$@"' _ "$mb" "$PICKNEXT" vm "${OPTIONS[@]}" --plan
		echo "$mb: $output"
		[ "$status" -eq 75 ]
	done
	[[ $output == *"--guest memory"*"1024 MB for a guest"*"address space is 500 MB"*"ulimit -v"* ]]
}

@test "plan: what makes no sense together is refused" {
	local words
	for words in '--plan --boot base/1' '--boot base' '--plan=xml' '--plan --dry-run' '--plan --shell' \
		'--plan --force' '--boot base/1 --until x'; do
		# shellcheck disable=SC2086 # several words
		run "$PICKNEXT" vm "${OPTIONS[@]}" $words
		echo "$words: $output"
		[ "$status" -eq 2 ]
	done
}
