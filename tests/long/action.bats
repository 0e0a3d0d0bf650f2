#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The shell steps of ci/action.yml, taken out of the YAML and run one after the other, with little work and one seed:
# a gate that fires, one that holds, and one that is none.

bats_require_minimum_version 1.5.0
load ../vm/vm

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	[ "$(id -u)" -eq 0 ] || skip "the action installs packages, as root"
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python (apt-get install python3-yaml)"
	make_short_tmpdir
	cd "$BATS_TEST_TMPDIR" || return 1
	STEPS=$PWD/steps
	/usr/bin/python3 "$TOP/tests/support/template_steps.py" "$TOP/ci/action.yml" "$STEPS"
	# The action as the runner checks it out, with what is built and fetched here.
	mkdir -p action/build job
	git -C "$TOP" ls-files -z | tar -C "$TOP" --null -T - -c | tar -x -C action
	cp -a "$TOP"/build/{obj,guest,include,picknext,picknext-guest,picknext.debug,initramfs-x86_64.cpio.gz} action/build/
	find "$TOP/build" -maxdepth 1 -name 'texts*' -exec cp -a {} action/build/ \;
	mkdir -p runner/picknext/bin
	[ ! -e "$TOP/build/qemu" ] || ln -s "$(readlink -f "$TOP/build/qemu")" runner/picknext/bin/qemu
	export RUNNER_TEMP=$PWD/runner ARCHIVE='' BASELINE=''
	GIT_DIR=$(git -C "$TOP" rev-parse --absolute-git-dir)
	export GIT_DIR GIT_OPTIONAL_LOCKS=0 GITHUB_ACTION_PATH=$PWD/action/ci GITHUB_STEP_SUMMARY=$PWD/summary
	export WORKLOADS=hackbench_pipe_small RUNS=1 SCALE=0.02 INCONCLUSIVE=fail OUTPUT=out
	BASE=$(kernel 6.1) HEAD=$(kernel 6.12)
	export BASE HEAD
	cd job || return 1
}

teardown() {
	rm -rf "$TMPDIR"
}

# step NUMBER: as the runner runs it.
step() {
	echo "# step $1"
	timeout -k 20 900 sh -e "$STEPS/$1.sh" >>../log 2>&1
}

# bats test_tags=slow
@test "the action builds, boots, compares: exit 1 if a gate fires, 0 if all hold, 2 for a wrong one" {
	[ "$(find "$STEPS" -name '0*.sh' | wc -l)" -eq 3 ]
	step 01 || { cat ../log; false; }
	step 02 || { cat ../log; false; }
	local code=0
	GATES='typo > 1' step 03 || code=$?
	[ "$code" -eq 2 ]
	[ ! -e out ] # nothing was booted
	code=0
	GATES='# a comment
involuntary_share > 101
involuntary_share < 101' step 03 || code=$?
	cat ../log
	[ "$code" -eq 1 ]
	grep -q 'involuntary_share &#60; 101.*FAIL' ../summary
	[ "$(grep -c '<failure' out/compare.xml)" -eq 1 ]
	[ "$(find out -name '*.dat' | wc -l)" -eq 2 ]
	[ -s out/report.html ]
	# The runs of the base, stored and given as a baseline: nothing else is booted.
	mv out/base ../stored
	code=0
	BASELINE=../stored GATES='involuntary_share < 101' step 03 || code=$?
	[ "$code" -eq 1 ]
	[ ! -e out/base ]
	mv ../stored out/base
	# Boots that are there are not repeated.
	GATES='involuntary_share > 101' step 03
	run -1 grep -q "<failure" out/compare.xml
}
