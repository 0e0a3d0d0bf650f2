#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext compare --format, --junit, and ci/kcidb: what CI systems and labs read has the shape that they ask for, and the
# values of --json. That their own programs read it is tested in tests/long/formats.bats.

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
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	MAKE=$TOP/tests/support/make_runs.py
	KCIDB=$TOP/ci/kcidb
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

# bats test_tags=slow
@test "formats: each form of --format is one; two at once and unknown ones are refused" {
	local form
	for form in $("$PICKNEXT" compare --help | tr '\n' ' ' | grep -oE '(markdown[a-z|]+)' | tr '|' ' '); do
		[ -n "$("$PICKNEXT" compare a b --format "$form")" ]
		"$PICKNEXT" help gates | grep -q "^  --format $form "
	done
	[ "$form" = ktap ]
	run -2 "$PICKNEXT" compare a b --format ktap --json
	run -2 "$PICKNEXT" compare a b --format yaml
}

# bats test_tags=slow
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

# bats test_tags=slow
@test "formats: KCIDB has a build for each set, every id once, and each metric that the runs exercise" {
	"$PICKNEXT" compare a b --json | "$KCIDB" >got
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
	run -1 "$PICKNEXT" compare a b --json -o gates.json -f 'short: throughput_per_s > +5%' -f 'slice_p50_us < 1' -f 'short: slice_p99_us > +50%'
	"$KCIDB" gates.json >got
	check "
gates, tests = json.load(open('gates.json'))['gates'], json.load(open('got'))['tests']
assert [gate['result'] for gate in gates] == ['fail', 'pass', 'pass', 'inconclusive'], gates
assert [test['status'] for test in tests] == ['FAIL', 'PASS', 'PASS', 'SKIP'], tests
assert all(gate['reason'] in test['log_excerpt'] and gate['gate'] in test['comment'] for gate, test in zip(gates, tests))
assert all(len(test['log_excerpt']) <= 16384 for test in tests)
assert tests[0]['path'] == 'picknext.short.throughput_per_s' and tests[0]['misc']['verdict'] == 'better', tests[0]
"
	"$KCIDB" --inconclusive fail gates.json | grep -q '"status": "ERROR"'
	run -1 "$KCIDB" got
	[[ $output == *"no output of picknext compare --json"* ]]
}

# bats test_tags=slow
@test "formats: KCIDB has the origin and the commit of the options, else of GitHub's and GitLab's variables" {
	local hash=0123456789abcdef0123456789abcdef01234567
	"$PICKNEXT" compare a b --json >compared.json
	run -2 "$KCIDB" --origin 'Git Hub' compared.json
	[[ $output == *--origin*"'Git Hub'"* ]]
	run -2 "$KCIDB" --git-commit HEAD compared.json
	[[ $output == *--git-commit*"'HEAD'"* ]]
	reported() { # VARIABLE=VALUE...: origins, then commit and repository of each checkout
		env -u GITHUB_ACTIONS -u GITLAB_CI "$@" "$KCIDB" "${options[@]}" compared.json | python3 -c '
import json, sys
report = json.load(sys.stdin)
every = [item for kind in ("checkouts", "builds", "tests") for item in report[kind]]
origins = {item["origin"] for item in every} | {item["id"].partition(":")[0] for item in every}
print(*origins, *((one.get("git_commit_hash"), one.get("git_repository_url")) for one in report["checkouts"]))'
	}
	local options=() github=(GITHUB_ACTIONS=true GITHUB_SHA="$hash" GITHUB_SERVER_URL=https://g.example GITHUB_REPOSITORY=o/n)
	[ "$(reported X=)" = "picknext (None, None) (None, None)" ]
	[ "$(reported "${github[@]}")" = "github (None, None) ('$hash', 'https://g.example/o/n')" ]
	[ "$(reported GITLAB_CI=true CI_COMMIT_SHA="$hash" CI_PROJECT_URL=https://l.example/o/n)" = \
		"gitlab (None, None) ('$hash', 'https://l.example/o/n')" ]
	# Values that KCIDB would refuse are left out.
	[ "$(reported "${github[@]}" GITHUB_SHA=x)" = "picknext (None, None) (None, None)" ]
	options=(--origin lab_1 --git-commit "${hash/0/f}")
	[ "$(reported "${github[@]}")" = "lab_1 (None, None) ('${hash/0/f}', 'https://g.example/o/n')" ]
}

# bats test_tags=slow
@test "formats: JUnit has the seconds that the runs took: of the host if the boots have them, else of the recordings" {
	mkdir times
	python3 "$MAKE" times/a short 6 1 1 duration_seconds=1.5
	python3 "$MAKE" times/a long 6 1 1 duration_seconds=1
	python3 "$MAKE" times/b short 6 2 1.4 duration_seconds=2.5
	python3 "$MAKE" times/b long 6 2 1.4 duration_seconds=1
	seconds() {
		"$PICKNEXT" compare times/a times/b --junit times.xml -f 'slice_p50_us < 1' -f 'slice_p90_us < 1' >/dev/null
		python3 -c '
import xml.etree.ElementTree as tree
suites = tree.parse("times.xml").getroot()
print(suites.get("time"), suites[0].get("time"), {case.get("classname"): case.get("time") for case in suites.iter("testcase")})'
	}
	[ "$(seconds)" = "36.000 36.000 {'long': '6.000', 'short': '15.000'}" ]
	# Each boot has a run of both workloads.
	mkdir times/b/boots
	echo '{}' >times/b/vm.json
	for run in 0 1 2 3 4 5; do
		echo '{"run": '$run', "identity": "a", "files": [], "total_seconds": 20, "traces": 2}' >times/b/boots/run$run.json
	done
	[ "$(seconds)" = "135.000 135.000 {'long': '60.000', 'short': '60.000'}" ]
}
