#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Task names with quotes, control characters, formulas, markup and bytes that are no UTF-8 come through every table.

top=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
PICKNEXT=${PICKNEXT:-$top/build/picknext}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	"$top/build/tools/make_trace" odd.dat odd
	"$PICKNEXT" export odd.dat -o odd.txt 2>/dev/null
}

# Commands that print tables: those with --csv and --json.
table_commands() {
	local name
	"$PICKNEXT" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' >names
	while read -r name; do
		if "$PICKNEXT" "$name" --help >help && grep -q '^Usage: .*FILE' help && grep -q -e '^ *--csv' help; then
			echo "$name"
		fi
	done <names
}

# printed FORMAT COMMAND...: prints the trace in this format, binary and text, and looks at it.
printed() {
	local format=$1 file status
	shift
	for file in odd.dat odd.txt; do
		status=0
		"$PICKNEXT" "$@" "$file" >output 2>errors || status=$?
		echo "picknext $* $file: exit code $status"
		# check says that the trace lost events.
		case $status in
		0 | 5) ;;
		*)
			cat -v errors
			return 1
			;;
		esac
		python3 "$BATS_TEST_DIRNAME/hostile_names.py" "$format" output
		python3 "$BATS_TEST_DIRNAME/hostile_names.py" text errors
	done
}

@test "hostile names: tables for people hold nothing that steers a terminal" {
	local command
	table_commands >commands
	[ "$(wc -l <commands)" -ge 4 ]
	while read -r command; do
		printed text "$command"
	done <commands
}

@test "hostile names: JSON parses, and has each name, with U+FFFD for what is no UTF-8" {
	local command
	table_commands >commands
	while read -r command; do
		printed json "$command" --json
	done <commands
	"$PICKNEXT" stat --by comm --top 0 --json odd.dat >output 2>/dev/null
	[ "$(python3 "$BATS_TEST_DIRNAME/hostile_names.py" json output)" -ge 10 ]
}

@test "hostile names: CSV parses, and has each name byte for byte" {
	local command
	table_commands >commands
	while read -r command; do
		printed csv "$command" --csv
	done <commands
	"$PICKNEXT" stat --by comm --top 0 --csv odd.dat >output 2>/dev/null
	[ "$(python3 "$BATS_TEST_DIRNAME/hostile_names.py" csv output)" -ge 10 ]
	mkdir -p set/raw
	cp odd.dat set/raw/odd_run0.dat
	"$PICKNEXT" build -q --allow-lossy -o set 2>/dev/null
	[ "$(python3 "$BATS_TEST_DIRNAME/hostile_names.py" csv set/all.csv)" -ge 8 ]
}
