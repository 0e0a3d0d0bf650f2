#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The page of picknext report, printed on paper by a browser.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	for set in "1 1" "2 3"; do
		# shellcheck disable=SC2086 # two words
		python3 "$BATS_TEST_DIRNAME/../support/report_runs.py" "set${set%% *}" $set
	done
}

setup() {
	PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

@test "report: on paper nothing is cut, lost or off the sheet, and what is folded stays out" {
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import chromium; sys.exit(not chromium.find())' \
		"$BATS_TEST_DIRNAME/../support" || skip "no chromium on this machine"
	command -v pdftotext >/dev/null || skip "no pdftotext on this machine"
	"$PICKNEXT" report set1 set2 -o two.html
	python3 "$BATS_TEST_DIRNAME/report_paper.py" two.html 5 8
	"$PICKNEXT" report set1/raw/beta_4t_run3.txt -o trace.html
	python3 "$BATS_TEST_DIRNAME/report_paper.py" trace.html 2 4
}
