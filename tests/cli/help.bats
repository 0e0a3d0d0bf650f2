#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The text of --help, of every command, and the topics of the manual.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_TEST_TMPDIR" || return
	commands=$("$PICKNEXT" --help | sed -n '/^Topics:/q; s/^  \([a-z-]*\) .*/\1/p')
	topics=$("$PICKNEXT" --help | sed -n '/^Topics:/,/^$/s/^  \([a-z_-]*\) .*/\1/p')
	[ "$(wc -l <<<"$commands")" -ge 15 ]
}

# bats test_tags=slow
@test "help: no line is longer than 80 columns, but for commands to be copied" {
	[ -z "$("$PICKNEXT" --help | awk 'length > 80')" ]
	for command in $commands; do
		"$PICKNEXT" "$command" --help >help
		grep -q '^Options:' help
		sed '/^Examples:/,$d' help | awk -v command="$command" 'length > 80 { print command ": " $0; found = 1 } END { exit found }'
		# Where a line is longer, it is the command alone.
		sed -n '/^Examples:/,$p' help | awk 'length > 80 && / # / { print; found = 1 } END { exit found }'
	done
}

# bats test_tags=slow
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

# bats test_tags=slow
@test "help: rows with several cells keep their columns, and no paragraph is broken before its end" {
	"$PICKNEXT" help events | grep -qx '  hackbench_pipe_small  59     81'
	for subject in $commands $topics; do
		# The first word of the next line had no room in this one.
		"$PICKNEXT" help "$subject" | awk -v subject="$subject" '
			/^Options:/ { exit found }
			/^[^ ]/ && before ~ /^[^ ].*[^.:]$/ && length(before) + 1 + length($1) <= 80 { print subject ": " before; found = 1 }
			{ before = $0 }
			END { exit found }'
	done
}

@test "help: vm has at most 32 options, besides --quiet, --verbose and --help" {
	"$PICKNEXT" vm --help | sed '/^Examples:/,$d' >help
	[ "$(grep -cE '^  (-., |    )--[a-z]' help)" -le 35 ]
	# An argument that an option may lack is in brackets.
	grep -q '^      --keys\[=WHICH\] ' help
}

@test "help: a limit of an option is told in digits" {
	run "$PICKNEXT" record -d 1e12 -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *--duration*[0-9]* ]]
	[[ "$output" != *e+* ]]
}

# bats test_tags=slow
@test "help: help NAME is the help of NAME" {
	for command in $commands; do
		"$PICKNEXT" "$command" --help >wanted
		"$PICKNEXT" help "$command" | cmp - wanted
	done
	"$PICKNEXT" migrations extract --help >wanted
	"$PICKNEXT" help migrations extract | cmp - wanted
	"$PICKNEXT" help >wanted
	"$PICKNEXT" | cmp - wanted
	run "$PICKNEXT" help latencyy
	[ "$status" -eq 2 ]
	[[ "$output" == *"'latencyy'"*"'latency'"* ]]
	run "$PICKNEXT" help vm nothing
	[ "$status" -eq 2 ]
	run "$PICKNEXT" cmp a b
	[ "$status" -eq 2 ]
	[[ "$output" == *"'cmp'"*"'compare'"* ]]
	run "$PICKNEXT" "migrations extract"
	[ "$status" -eq 2 ]
}

# bats test_tags=slow
@test "help: every topic is listed and printed, in 80 columns; an unknown one is a usage error with the nearest" {
	[ "$(cd "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/src/manual/topics" && printf '%s\n' *.txt)" = \
		"${topics//$'\n'/.txt$'\n'}.txt" ]
	for topic in $topics; do
		"$PICKNEXT" help "$topic" >text
		head -n 1 text | grep -q "^picknext $topic: ."
		[ "$(wc -l <text)" -ge 8 ]
		awk -v topic="$topic" 'length > 80 { print topic ": " $0; found = 1 } END { exit found }' text
		# A table in its place, not its name.
		[ "$(grep -c '^@' text)" -eq 0 ]
	done
	run "$PICKNEXT" help metrix
	[ "$status" -eq 2 ]
	[[ "$output" == *"'metrix'"*"'metrics'"* ]]
}

# bats test_tags=slow
@test "help: tables of topics are those of the program" {
	"$PICKNEXT" help columns | sed -n 's/^  \([a-z_]*\)  .*/\1/p' >names
	for column in timestamp prev_state trace_id next_prio runnable_tasks; do grep -qx "$column" names; done
	"$PICKNEXT" help metrics >text
	for metric in $("$PICKNEXT" compare --list | sed -n '2,/^$/s/ .*//p'); do grep -q "^  $metric  " text; done
	"$PICKNEXT" help events >text
	for event in sched_switch sched_wakeup sched_migrate_task print; do grep -q "^  $event  " text; done
	"$PICKNEXT" help metadata >text
	for key in trace_id work_per_second 'losses\[\].cpu' scheduler.ops; do grep -q "^  $key  " text; done
	"$PICKNEXT" help exit-codes >text
	for code in 0 1 2 3 4 5 6; do grep -q "^  $code  " text; done
}

# bats test_tags=slow
@test "help: version, -V and --version are the same" {
	"$PICKNEXT" --version >wanted
	grep -Eqx 'picknext [0-9.]+ \([0-9a-z+]+\)' wanted
	"$PICKNEXT" -V | cmp - wanted
	"$PICKNEXT" version | cmp - wanted
	"$PICKNEXT" help version | grep -q '^Usage:'
}

@test "help: an error names the operands that are missing, and no others" {
	run "$PICKNEXT" diff a
	[ "$status" -eq 2 ]
	[[ "$output" == "picknext: diff: "*": B;"* ]]
	run "$PICKNEXT" diff
	[[ "$output" == *": A B;"* ]]
	run "$PICKNEXT" compare
	[ "$status" -eq 2 ]
	[[ "$output" == "picknext: compare: "* ]]
}

# bats test_tags=slow
@test "help: errors of options are sentences or have a colon, not both" {
	wrong() {
		run "$PICKNEXT" "$@"
		[ "$status" -eq 2 ]
		[[ "$output" == *--* ]]
		[[ ! "$output" =~ --[a-z-]+:\ (is|are|must|takes|needs|makes|compares|selects|records)\  ]]
	}
	wrong vm --mode deterministic --seed 1
	wrong vm --shell -k a -k b
	wrong vm --seeds 1-2 --mode wall-clock -k a
	wrong stat --json --csv a
	wrong stat --from 2 --to 1 a
	wrong diff --exact --csv a b
	wrong timeline --map --json a
	wrong export --ns -f csv a
	wrong export --trace-id a a
	wrong record --pid 1 -- true
	wrong report --from 2 --to 1 a
	wrong stat --csv=1 a
	wrong stat --top
}

# bats test_tags=slow
@test "help: words that are no topics lead to those that are about them" {
	local word topic
	while read -r word topic; do
		run "$PICKNEXT" help "$word"
		[ "$status" -eq 2 ]
		[[ "$output" == *"'$word'"*"$topic"* ]] || { echo "$output"; return 1; }
		"$PICKNEXT" help "$topic" >/dev/null
	done <<-END
		workload mixes
		workloads mixes
		mix mixes
		eevdf rules
		cfs rules
	END
}

@test "help mixes: roles of the examples have names, not letters" {
	"$PICKNEXT" help mixes | grep -oE "(mix: |; |^ +)[0-9]+ [a-z-]+" >roles
	[ "$(wc -l <roles)" -ge 6 ]
	run ! grep -vE ' [a-z]{3,}(-[a-z]+)?$' roles
}

@test "vm: an operand that is no option's is answered with the options for kernels, workloads and commands" {
	local words
	for words in 6.12 "-k base 6.12" "$BATS_TEST_FILENAME"; do
		# shellcheck disable=SC2086 # words
		run "$PICKNEXT" vm $words
		[ "$status" -eq 2 ]
		[[ "$output" == *"${words##* }"*"-k NAME=KERNEL"*"-w"*" --"* ]] || { echo "$output"; return 1; }
	done
}
