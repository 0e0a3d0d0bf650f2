#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A command reads each trace and its JSON once, whatever it makes of them: strace counts how often each is opened.

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	local set workload trace number i
	for set in a b; do
		for workload in one two three; do
			python3 "$TOP/tests/support/make_runs.py" $set $workload "${RUNS:-6}" 1 1 "kernel=\"$set\""
		done
	done
	# Runs of one size are read again, to see whether one is a copy of the other.
	for trace in [ab]/raw/*.txt; do
		number=${trace##*run}
		for ((i = 0; i < 500 * ${number%.txt}; i++)); do echo '#'; done >>"$trace"
	done
}

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

# COUNTS-FILE COMMAND...: the number of opens and the path of each trace and JSON that was opened
count_opens() {
	local to=$1
	shift
	strace -f -qq -e trace=open,openat,openat2 -o opens "$@" >/dev/null
	sed -n 's/.*open[a-z0-9]*(.*"\([^"]*\.\(dat\|txt\|json\)\)".*) = [0-9]*$/\1/p' opens | grep /raw/ | sort | uniq -c >"$to"
}

# bats test_tags=slow
@test "compare and report open each trace and each JSON once" {
	local files command
	files=$(find a b -name '*.txt' -o -name '*.json' | wc -l)
	for command in "compare a b" "compare a b --json" "report a b -o page.html" "report a -o page.html" \
		"report a b -f svg -o charts"; do
		# shellcheck disable=SC2086 # a command and its arguments
		count_opens counts "$PICKNEXT" $command
		awk '$1 != 1' counts >repeated
		[ ! -s repeated ] || { echo "$command:"; cat repeated; return 1; }
		[[ "$command" == "report a -o"* ]] || [ "$(wc -l <counts)" -eq "$files" ]
	done
}
