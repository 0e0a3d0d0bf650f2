#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm --plan and --cells, as far as they boot nothing. What they make is tested in tests/long/shards.bats
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

ids() {
	sed 's/.* --cells=\([0-9a-f]*\).*/\1/'
}

@test "plan: a line for each cell, first runs first, which is a command; more seeds are at its end; nothing is written" {
	plan --seeds 1-3 >three
	cat three
	[ "$(sed 's/.*  # //' three)" = "$(printf '%s\n' 'base, seed 1' 'head, seed 1' 'base, seed 2' 'head, seed 2' 'base, seed 3' 'head, seed 3')" ]
	[ "$(ids <three | sort -u | wc -l)" -eq 6 ]
	diff <(ids <three) <(plan --seeds 1-4 | ids | head -n 6)
	diff <(ids <three) <(plan --seeds 1-3 --jobs 2 --no-results | ids)
	diff three <(plan --seeds 1-3 --cells missing)
	# The parts have each cell once.
	sort three | diff - <({ plan --seeds 1-3 --cells 1/4; plan --seeds 1-3 --cells 2/4; plan --seeds 1-3 --cells 3/4; plan --seeds 1-3 --cells 4/4; } | sort)
	# Each line gives the same line again.
	eval "$(sed -n '4s/  # / --plan # /p' three)" >again
	[ "$(sed -n 4p three)" = "$(cat again)" ]
	plan --seeds 1-3 --plan=json >plan.json
	[ "$(json plan.json '[c["id"] for c in d["cells"]]' | tr -d "[]' " | tr , '\n')" = "$(ids <three)" ]
	[ "$(json plan.json 'd["cells"][3]["set"], d["cells"][3]["run"]')" = "('head', 2)" ]
	[ "$(sed -n 4p three)" = "$(json plan.json 'd["cells"][3]["command"]')  # head, seed 2" ]
	[ ! -e 'the out' ]
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
	[ "$(named)" = "$(default_of vm)" ]
	[ "$(named --dataset)" = "$(default_of collect)" ]
	[ "$(named -w half_idle)" = half_idle ]
	[ -z "$(named -- true)" ]
}

@test "plan: other inputs are other cells, and a cell of another plan is refused before anything is booted" {
	local id
	id=$(plan --seeds 1 | ids | head -n 1)
	[ "$(plan --seeds 1 --guest memory=512 | ids | head -n 1)" != "$id" ]
	run "$PICKNEXT" vm "${OPTIONS[@]}" --seeds 1 --guest memory=512 --cells "$id"
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *"--cells"*"$id"* ]]
	[ -z "$(find . -name '*.dat' -o -name '.guest-*')" ]
}

# Where KVM works, --mode auto and wall-clock come out as another one than here.
@test "plan: each command has the mode that its machine chose, whatever was given; the same cells come of it elsewhere" {
	local mode line
	for mode in auto:deterministic deterministic:deterministic; do
		line=$("$PICKNEXT" vm -k base="$(kernel 6.1)" --mode "${mode%:*}" --seeds 3 -w hackbench_pipe_small --plan -o out)
		echo "$line"
		[[ $line == *" --mode=${mode#*:} "* && $line != *--mode*--mode* ]]
	done
	line=$("$PICKNEXT" vm -k base="$(kernel 6.1)" --mode wall-clock -r 1 -w hackbench_pipe_small --plan -o out)
	echo "$line"
	[[ $line =~ --mode=(tcg|kvm)" " ]]
	[ "$(eval "${line/  \#/ --plan \#}")" = "$line" ]
}

@test "plan: less memory than the guest's is refused before QEMU is started, exit 75" {
	local mb
	for mb in 14 27 60 500; do
		run bash -c 'ulimit -v $(($1 * 1024)); shift; exec "$@"' _ "$mb" "$PICKNEXT" vm "${OPTIONS[@]}" --plan
		echo "$mb: $output"
		[ "$status" -eq 75 ]
	done
	[[ $output == *"--guest memory"*"1024 MB for a guest"*"500 MB here"*"ulimit -v"* ]]
}

@test "plan: what makes no sense together is refused" {
	local words
	for words in '--cells 1/2 --cells 00' '--cells 0/2' '--cells 3' '--plan=xml' '--cells missing' '--plan --dry-run' '--plan --shell'; do
		# shellcheck disable=SC2086 # several words
		run "$PICKNEXT" vm "${OPTIONS[@]}" $words
		echo "$words: $output"
		[ "$status" -eq 2 ]
	done
	run "$PICKNEXT" vm -k "$(kernel 6.1)" --mode tcg -r 3 --plan -o out -- sh -c 'echo a b'
	echo "$output"
	[[ $output == *" --runs=3 --cells="*" -- sh -c 'echo a b'  # "*", run 2" ]]
}
