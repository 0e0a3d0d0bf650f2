#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The output of picknext compare --format and ci/kcidb, read by the programs that it is for: the kernel's own parser of KTAP (of Debian's
# linux-source), and the published schema of KCIDB (pip install kcidb-io, or its directory in PYTHONPATH).

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cd "$BATS_TEST_TMPDIR" || return 1
	python3 "$TOP/tests/support/make_runs.py" a short 6 1 1 'kernel="6.1.0"'
	python3 "$TOP/tests/support/make_runs.py" a long 6 4 1 'kernel="6.1.0"'
	python3 "$TOP/tests/support/make_runs.py" b short 6 2 1.4 'kernel="6.12.0"'
	python3 "$TOP/tests/support/make_runs.py" b long 4 2 1.4 'kernel="6.12.0"'
	"$PICKNEXT" compare a b --format ktap >metrics.ktap
	"$PICKNEXT" compare a b --json | "$TOP/ci/kcidb" >metrics.json
	run -1 "$PICKNEXT" compare a b --format ktap -f 'throughput_per_s > +5%' -f 'short: slice_p50_us < 1' -o gates.ktap
	run -1 "$PICKNEXT" compare a b --json -f 'throughput_per_s > +5%' -f 'short: slice_p50_us < 1' -o gates.json
	"$TOP/ci/kcidb" gates.json >gates.kcidb
}

@test "KTAP: the kernel's own parser counts the same tests, and finds no error in the form" {
	local source
	source=$(find /usr/src -maxdepth 1 -name 'linux-source-*.tar.xz' | sort | tail -n 1)
	[ -n "$source" ] || skip "no source of the kernel (apt-get install linux-source)"
	tar -xJf "$source" --strip-components 1 --wildcards '*/tools/testing/kunit/*.py'
	cat gates.ktap
	PYTHONPATH=tools/testing/kunit python3 -c "
import kunit_parser
gates = kunit_parser.parse_run_tests(open('gates.ktap').read().splitlines())
assert str(gates.status) == 'TestStatus.FAILURE'
assert (gates.counts.passed, gates.counts.failed, gates.counts.skipped, gates.counts.errors) == (1, 1, 1, 0), gates.counts
metrics = kunit_parser.parse_run_tests(open('metrics.ktap').read().splitlines())
assert str(metrics.status) == 'TestStatus.SUCCESS' and metrics.counts.errors == 0 and metrics.counts.passed > 15
assert [test.name for test in metrics.subtests] == ['long', 'short'] or [test.name for test in metrics.subtests] == ['short', 'long']
"
}

@test "KCIDB: the published schema 5.3 takes it, and would refuse what it does not know" {
	python3 -c 'import kcidb_io' 2>/dev/null || skip "no schema (pip install kcidb-io)"
	python3 -c "
import json
from jsonschema import ValidationError
from kcidb_io.schema.v05_03 import Version
for name in 'metrics.json', 'gates.kcidb':
    report = json.load(open(name))
    Version.validate(report)
    report['tests'][0]['surprise'] = 1
    try:
        Version.validate(report)
    except ValidationError:
        continue
    raise SystemExit('the schema takes anything')
"
}
