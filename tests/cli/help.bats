#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What --help prints, of every command.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_TEST_TMPDIR" || return
	commands=$("$PICKNEXT" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
	[ "$(wc -l <<<"$commands")" -ge 15 ]
}

@test "help: no line is longer than 80 columns, but for commands to be copied" {
	[ -z "$("$PICKNEXT" --help | awk 'length > 80')" ]
	for command in $commands guest; do
		"$PICKNEXT" "$command" --help >help
		grep -q '^Options:' help
		sed '/^Examples:/,$d' help | awk -v command="$command" 'length > 80 { print command ": " $0; found = 1 } END { exit found }'
		# Where a line is longer, it is the command alone.
		sed -n '/^Examples:/,$p' help | awk 'length > 80 && / # / { print; found = 1 } END { exit found }'
	done
}

@test "help: lines are filled, lists keep their columns, every option has its own line" {
	"$PICKNEXT" record --help >help
	awk 'length > 70' help | grep -q .
	# An option, what it does in the column of all, and the same column in the next line.
	grep -Eqx ' {6}--drain MS {2,}[a-z].*' help
	[ "$(sed -n '/^      --drain MS/ { s/\(--drain MS *\).*/\1/p }' help | tr -d '\n' | wc -c)" -eq 30 ]
	sed -n '/^      --drain MS/ { n; p }' help | grep -Eq '^ {30}[^ ]'
	"$PICKNEXT" migrations --help >help
	grep -Eq '^  fork {12}[a-z]' help
	grep -Eq '^  exec {12}[a-z]' help
	grep -Eq '^ {18}[a-z]' help
}

@test "help: a limit of an option is told in digits" {
	run "$PICKNEXT" record -d 1e12 -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *--duration*[0-9]* ]]
	[[ "$output" != *e+* ]]
}
