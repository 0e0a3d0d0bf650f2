#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The whole command under ASan and UBSan: every command that reads a trace, over traces that are good, odd, damaged and cut.
# It may refuse them, in one line that names the file, but never crash, and never write beyond what it says.

top=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
TOOLS=$top/build/tools
SANITIZED=$TOOLS/picknext-sanitized
# An exit code of its own tells the sanitizers' findings from the command's. Leaks are looked for in good traces: that is
# half of the time of a run, and a command that refuses a trace ends.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Every command whose usage line takes a FILE reads traces; the further ways to call them are added here.
reading_commands() {
	local name
	"$SANITIZED" --help | sed -n '/^Topics:/q; s/^  \([a-z-]\{1,\}\) .*/\1/p' >names
	while read -r name; do
		if "$SANITIZED" "$name" --help | grep -q '^Usage: .*FILE'; then
			# Not into the directory of the trace, which is this repository's.
			[ "$name" != split ] || name="split -o rows"
			# It needs one of its options.
			[ "$name" != why ] || name="why --decision 1 --max 1000"
			echo "$name"
		fi
	done <names
	echo export --ns
	echo export --format perfetto -o -
	echo timeline --map
	echo timeline --json
	echo check --json
	echo "compare --as same --json --allow lossy $top/tests/golden/analysis/two_cpus.txt"
}

# reads FILE COMMAND...: runs it, and looks at how it ended and what it said.
reads() {
	local file=$1 status=0 text last LC_ALL=C
	shift
	"$SANITIZED" "$@" "$file" >output 2>errors || status=$?
	case $status in
	0 | 3 | 5) ;;
	*)
		echo "picknext $* $file: exit code $status"
		cat errors
		return 1
		;;
	esac
	# By the shell alone: thousands of runs.
	if IFS= read -r -d '' text <errors || [[ ${text//$'\n'/} == *[[:cntrl:]]* ]]; then
		echo "picknext $* $file: control characters in a message:"
		cat -v errors
		return 1
	fi
	last=${text%$'\n'}
	if [ "$status" -ne 0 ] && [[ ${last##*$'\n'} != *"picknext: $file: "* ]]; then
		echo "picknext $* $file: exit code $status without a message that names the file:"
		cat -v errors
		return 1
	fi
}

# bats test_tags=slow
@test "sanitized: every reading command takes or refuses good, odd and damaged traces" {
	local count=0 turn number=0 commands command file
	reading_commands >readers
	mapfile -t commands <readers
	[ "${#commands[@]}" -ge 3 ]
	"$TOOLS/make_trace" trace.dat
	head -c 100000 trace.dat >cut.dat
	ln -s "$top"/tests/fuzz/corpus/tracedat dats
	ln -s "$top"/tests/fuzz/corpus/export exports
	ln -s "$top"/tests/fuzz/corpus/ftrace_text texts
	for command in "${commands[@]}"; do
		for file in trace.dat cut.dat "$top"/tests/golden/*/raw/*.txt; do
			# shellcheck disable=SC2086
			ASAN_OPTIONS=exitcode=99 reads "$file" $command
			count=$((count + 1))
		done
		# Each command has every eighth file of the corpora, which the fuzz targets read too, and each file every
		# eighth command.
		turn=$((number++))
		for file in dats/* exports/bad-* exports/found-* texts/*; do
			turn=$((turn + 1))
			[ $((turn % 8)) = 0 ] && [ -e "$file" ] || continue
			# shellcheck disable=SC2086
			reads "$file" $command
			count=$((count + 1))
		done
	done
	echo "$count runs"
	[ "$count" -gt 60 ]
}

# cuts FILE STEP: FILE cut every STEP bytes, read by one command after the other.
cuts() {
	local size length number=0 commands command
	mapfile -t commands <readers
	size=$(stat -c %s "$1")
	for ((length = 0; length < size; length += $2)); do
		head -c "$length" "$1" >"cut-$length"
		command=${commands[number % ${#commands[@]}]}
		# shellcheck disable=SC2086
		reads "cut-$length" $command
		rm "cut-$length"
		number=$((number + 1))
	done
	[ "$number" -gt 40 ]
}

# bats test_tags=slow
@test "sanitized: traces cut anywhere, binary and text" {
	reading_commands >readers
	cuts "$top/tests/fuzz/corpus/tracedat/good-v6-everything" 89
	cuts "$top/tests/fuzz/corpus/tracedat/good-v7-chain" 47
	head -c 6000 "$top/tests/golden/hostile/raw/odd_names_run0.txt" >text
	cuts text $(($(stat -c %s text) / 45))
}

# bats test_tags=slow
@test "sanitized: a dataset from text and binary traces of odd names, damaged ones and bad metadata" {
	local file number=0 status
	mkdir -p set/raw
	cp "$top"/tests/golden/hostile/raw/* set/raw
	"$TOOLS/make_trace" set/raw/made_run0.dat
	"$SANITIZED" build -q --allow lossy -o set
	[ "$(wc -l <set/all.csv)" -gt 100 ]
	for file in "$top"/tests/fuzz/corpus/tracedat/* "$top"/tests/fuzz/corpus/metadata/*; do
		number=$((number + 1))
		rm -rf one
		mkdir -p one/raw
		case $file in
		*/metadata/*)
			cp "$top"/tests/fuzz/corpus/tracedat/good-v6-everything one/raw/a_run0.dat
			cp "$file" one/raw/a_run0.json
			;;
		*) cp "$file" one/raw/a_run0.dat ;;
		esac
		status=0
		"$SANITIZED" build -q --allow lossy -o one 2>errors || status=$?
		case $status in
		0) [ -s one/all.csv ] ;;
		3 | 5) tail -n 1 errors | grep -q '^picknext: one/raw' ;;
		*)
			echo "$file: exit code $status"
			cat errors
			return 1
			;;
		esac
	done
	[ "$number" -gt 10 ]
}
