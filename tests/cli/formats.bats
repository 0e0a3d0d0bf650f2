#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext compare --format: what CI systems and labs read has the shape that they ask for, and the figures of --json. That
# their own programs read it is tested in tests/long/formats.bats.

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	MAKE=$TOP/tests/support/make_runs.py
	cd "$BATS_FILE_TMPDIR" || return 1
	for workload in short 'long#er'; do
		python3 "$MAKE" a "$workload" 6 1 1 'kernel="6.1.0"' 'architecture="x86_64"'
		python3 "$MAKE" b "$workload" 6 2 1.4 'kernel="6.12.0"' 'architecture="x86_64"'
	done
}

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

check() { # PYTHON: with d, the comparison as JSON, and lines, the output
	"$PICKNEXT" compare a b --json >all.json
	python3 -c "
import csv, json, re
d = json.load(open('all.json'))
lines = open('got').read().splitlines()
rows = {(row['workload'], row['metric']): row for row in d['rows']}
$1"
}

@test "formats: each form of --format is one; junit is that of --junit; two at once and unknown ones are refused" {
	local form
	for form in $("$PICKNEXT" compare --help | tr '\n' ' ' | grep -oE '(markdown[a-z|]+)' | tr '|' ' '); do
		[ -n "$("$PICKNEXT" compare a b --format "$form")" ]
		"$PICKNEXT" help gates | grep -q "^  --format $form "
	done
	[ "$form" = kcidb ]
	"$PICKNEXT" compare a b --junit junit.xml >/dev/null
	"$PICKNEXT" compare a b --format junit | diff junit.xml -
	run -2 "$PICKNEXT" compare a b --format ktap --json
	run -2 "$PICKNEXT" compare a b --format yaml
}

@test "formats: KTAP has a test for each workload, with a plan and numbered subtests; gates decide the exit code" {
	run -1 --separate-stderr "$PICKNEXT" compare a b --format ktap -f 'short: throughput_per_s > +5%' -f 'slice_p50_us < 1'
	printf '%s\n' "$output" >got
	cat got
	check "
assert lines[0] == 'KTAP version 1' and lines[1] == '1..2'
tests = [line for line in lines if not line.lstrip().startswith('#')]
assert sum(line == '  KTAP version 1' for line in tests) == 2
results = [re.fullmatch(r'( *)(not ok|ok) ([0-9]+) ([^#]*)( # (SKIP|ERROR) .*)?', line) for line in tests]
found = [(len(m[1]) // 2, m[2], int(m[3])) for m in results if m]
assert found == [(1, 'ok', 1), (0, 'ok', 1), (1, 'not ok', 1), (1, 'ok', 2), (0, 'not ok', 2)], found
assert tests[-1] == 'not ok 2 short'
"
}

@test "formats: KCIDB has a build for each set, every id once, and each metric that the runs exercise" {
	"$PICKNEXT" compare a b --format kcidb >got
	check "
report = json.load(open('got'))
assert report['version'] == {'major': 5, 'minor': 3}
assert set(report) == {'version', 'checkouts', 'builds', 'tests'}
checkouts = {checkout['id'] for checkout in report['checkouts']}
builds = {build['id']: build for build in report['builds']}
assert len(checkouts) == len(builds) == 2 and {b['checkout_id'] for b in builds.values()} == checkouts
assert all(b['architecture'] == 'x86_64' for b in builds.values())
tests = report['tests']
assert len({test['id'] for test in tests}) == len(tests)
exercised = [row for row in d['rows'] if row['sets'][1]['verdict'] != 'not exercised']
known = sum(set_['median'] is not None for row in exercised for set_ in row['sets'])
assert len(tests) == known > 40 and len(exercised) < len(d['rows']), (len(tests), known)
for test in tests:
    assert test['build_id'] in builds and test['status'] == 'DONE' and test['id'].startswith('picknext:')
    assert re.fullmatch(r'picknext\.[A-Za-z0-9_-]+\.[a-z0-9_]+', test['path']), test['path']
    _, workload, metric = test['path'].split('.')
    row = rows[workload.replace('long_er', 'long#er'), metric]
    index = [b['id'] for b in report['builds']].index(test['build_id'])
    assert abs(test['number']['value'] - row['sets'][index]['median']) < 1e-6
"
	run -1 --separate-stderr "$PICKNEXT" compare a b --format kcidb -f 'short: throughput_per_s > +5%' -f 'slice_p50_us < 1'
	printf '%s\n' "$output" >got
	check "
tests = json.load(open('got'))['tests']
assert sorted(test['status'] for test in tests) == ['FAIL', 'PASS', 'PASS']
assert all(len(test['log_excerpt']) <= 16384 for test in tests)
"
}
