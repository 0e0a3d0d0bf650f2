#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/check-layering passes on a small clean tree and fails on each kind of violation.

bats_require_minimum_version 1.5.0

setup() {
	CHECK=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")/ci/check-layering
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/vm" "$tree/workloads"
	# cmd -> trace -> base, and two files of one room of which one uses the other.
	header src/base/lines 'int lines_count(void);'
	code src/base/lines '#include "base/lines.h"' 'int lines_count(void) { return 1; }'
	header src/trace/input 'int input_open(void);'
	code src/trace/input '#include "trace/input.h"' '#include "base/lines.h"' \
		'int input_open(void) { return lines_count(); }'
	header src/trace/survey 'int survey(void);'
	code src/trace/survey '#include "trace/survey.h"' '#include "trace/input.h"' \
		'int survey(void) { return input_open(); }'
	header src/measure/tasks 'int tasks_count(void);'
	code src/measure/tasks '#include "measure/tasks.h"' 'int tasks_count(void) { return 2; }'
	code src/cmd/stat '#include "trace/survey.h"' 'int stat_run(void);' 'int stat_run(void) { return survey(); }'
}

# header STEM LINE..., code STEM LINE...: write a file of the tree.
header() {
	mkdir -p "$tree/${1%/*}"
	printf '%s\n' "${@:2}" >"$tree/$1.h"
}

code() {
	mkdir -p "$tree/${1%/*}"
	printf '%s\n' "${@:2}" >"$tree/$1.c"
}

# check CODE: compiles the tree as make does, and runs the check.
check() {
	local file
	(
		cd "$tree" || exit 1
		find . -name '*.c' | sed 's|^\./||' | while read -r file; do
			mkdir -p "build/obj/${file%/*}"
			gcc -Isrc -I. -c -o "build/obj/${file%.c}.o" "$file" || exit 1
		done
	)
	run -"$1" "$CHECK" "$tree"
	echo "$output"
}

# bats test_tags=slow
@test "layering: a clean tree passes" {
	check 0
	[ -z "$output" ]
}

# bats test_tags=slow
@test "layering: a lower room that includes a higher one" {
	header src/base/lines '#include "trace/input.h"' 'int lines_count(void);'
	check 1
	[[ $output == *src/base/lines*src/trace*include* ]]
	[ "${#lines[@]}" = 1 ]
}

# bats test_tags=slow
@test "layering: a lower room that uses a symbol of a higher one without its header" {
	code src/base/lines '#include "base/lines.h"' 'extern int input_open(void);' \
		'int lines_count(void) { return input_open(); }'
	check 1
	[[ $output == *src/base/lines*src/trace/input*symbol* ]]
	[ "${#lines[@]}" = 1 ]
}

# bats test_tags=slow
@test "layering: two files of a room that include each other" {
	header src/trace/input '#include "trace/survey.h"' 'int input_open(void);'
	check 1
	[[ $output == *circle*src/trace/input* && $output == *src/trace/survey* ]]
}

# bats test_tags=slow
@test "layering: two files of a room that use each other's symbols without a header" {
	code src/trace/input '#include "trace/input.h"' 'extern int survey(void);' \
		'int input_open(void) { return survey(); }'
	code src/trace/survey '#include "trace/survey.h"' 'extern int input_open(void);' \
		'int survey(void) { return input_open(); }'
	check 1
	[[ $output == *circle*src/trace/input* && $output == *src/trace/survey* ]]
}

# bats test_tags=slow
@test "layering: a room that is not known" {
	code src/attic/old 'int old(void);' 'int old(void) { return 3; }'
	check 1
	[[ $output == *src/attic* ]]
	[ "${#lines[@]}" = 1 ]
}

# bats test_tags=slow
@test "layering: a pure room that makes a system call" {
	code src/measure/tasks '#include <unistd.h>' '#include "measure/tasks.h"' \
		'int tasks_count(void) { return close(2); }'
	check 1
	[[ $output == *src/measure/tasks*close* ]]
	[ "${#lines[@]}" = 1 ]
}

# bats test_tags=slow
@test "layering: a room of the library that prints" {
	code src/trace/input '#include <stdio.h>' '#include "trace/input.h"' 'int input_open(void) { return puts("x"); }'
	check 1
	[[ $output == *src/trace/input*puts* ]]
	[ "${#lines[@]}" = 1 ]
	code src/trace/input '#include "trace/input.h"' 'int input_open(void) { return 5; }'
	code src/base/lines '#include <stdio.h>' '#include "base/lines.h"' 'int lines_count(void) { return puts("x"); }'
	check 1
	[[ $output == *src/base/lines*puts* ]]
	header src/base/message 'void message_info(int number);'
	code src/base/message '#include <stdio.h>' '#include "base/message.h"' \
		'void message_info(int number) { printf("%d", number); }'
	code src/base/lines '#include "base/message.h"' '#include "base/lines.h"' \
		'int lines_count(void) { message_info(1); return 1; }'
	check 0
	code src/trace/input '#include "base/message.h"' '#include "trace/input.h"' \
		'int input_open(void) { message_info(2); return 2; }'
	check 1
	[[ $output == *src/trace/input*message_info* ]]
}

# bats test_tags=slow
@test "layering: a room outside cmd that ends the program" {
	code src/trace/input '#include <stdlib.h>' '#include "trace/input.h"' 'int input_open(void) { exit(1); }'
	check 1
	[[ $output == *src/trace/input*exit* ]]
	[ "${#lines[@]}" = 1 ]
}

# bats test_tags=slow
@test "layering: a file without an object is an error, not a pass" {
	check 0
	code src/trace/new 'int new_one(void);' 'int new_one(void) { return 4; }'
	run -1 "$CHECK" "$tree"
	[[ $output == *src/trace/new.o* ]]
}
