#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The CI templates work as they stand: their shell steps, taken out of the YAML, are run here one after the other, with
# little work and one seed. What is fetched is linked from build/, where there is one; the rest is real.

bats_require_minimum_version 1.5.0
load vm

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	[ "$(id -u)" -eq 0 ] || skip "the templates install packages, as root"
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python (apt-get install python3-yaml)"
	make_short_tmpdir
	# Of the same commit, what is built here is not built again.
	GIT_DIR=$(git -C "$TOP" rev-parse --absolute-git-dir)
	export GIT_DIR GIT_OPTIONAL_LOCKS=0
	export WORKLOADS=hackbench_pipe_small SEEDS=1 SCALE=0.02
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	rm -rf "$TMPDIR"
}

# checkout DIR: the tree as CI checks it out, with what this one has built and fetched, so that it is not done again.
checkout() {
	local name
	mkdir -p "$1"
	git -C "$TOP" ls-files -z | tar -C "$TOP" --null -T - -c | tar -x -C "$1"
	mkdir -p "$1/build"
	for name in obj include picknext picknext.debug initramfs.cpio.gz; do
		cp -a "$TOP/build/$name" "$1/build/"
	done
	find "$TOP/build" -maxdepth 1 -name 'texts*' -exec cp -a {} "$1/build/" \;
	for name in kernels qemu; do
		[ ! -e "$TOP/build/$name" ] || ln -s "$(readlink -f "$TOP/build/$name")" "$1/build/$name"
	done
	[ "$KERNELS" -ef "$TOP/build/kernels" ] || ln -sfn "$KERNELS" "$1/build/kernels"
}

# step FILE: one step as the runner runs it.
step() {
	echo "# $1"
	(. "$STEPS/variables.sh" && timeout -k 20 900 sh -e "$1") >>log 2>&1
}

prepare() { # TEMPLATE
	STEPS=$BATS_TEST_TMPDIR/steps
	/usr/bin/python3 "$TOP/tests/support/template_steps.py" "$TOP/ci/$1" "$STEPS"
	checkout "$BATS_TEST_TMPDIR/work"
	cd work || return 1
}

@test "GitHub's steps, with a gate that fires: report, summary and traces are there all the same" {
	prepare github-workflow.yml
	export GITHUB_STEP_SUMMARY=$BATS_TEST_TMPDIR/summary
	export GATES='involuntary_share > 90
involuntary_share < 90'
	step "$STEPS/01.sh"
	step "$STEPS/02.sh"
	step "$STEPS/03.sh"
	local code=0
	step "$STEPS/04.sh" || code=$?
	cat log
	[ "$code" -eq 1 ]
	step "$STEPS/05.sh"
	[ "$(find "$STEPS" -name '0*.sh' | wc -l)" -eq 5 ]
	grep -q 'involuntary_share &#60; 90.*FAIL' "$GITHUB_STEP_SUMMARY"
	grep -q '<failure' out/compare.xml
	grep -q '</html>' out/report.html
	[ "$(find out -name '*.dat' | wc -l)" -eq 2 ]
	[ -e out/base/raw/hackbench_pipe_small_run1.dat ]
	[ -e out/head/raw/hackbench_pipe_small_run1.dat ]
	# The same kernel on both sides, as its own trees give it, where there is an artifact; and a gate that holds.
	rm -rf out kernels
	mkdir -p kernels/kernel-head
	ln -s "$(kernel 6.1)" kernels/kernel-head/bzImage
	export GATES='involuntary_share > 90'
	step "$STEPS/02.sh"
	[ "$(readlink -f kernels/kernel-base/bzImage)" = "$(readlink -f kernels/kernel-head/bzImage)" ]
}

@test "GitLab's steps, with a gate that holds" {
	prepare gitlab-ci.yml
	export GATES='involuntary_share > 90'
	step "$STEPS/01.sh" || { cat log; false; }
	step "$STEPS/02.sh"
	[ "$(find "$STEPS" -name '0*.sh' | wc -l)" -eq 2 ]
	grep -q '</html>' out/report.html
	run -1 grep -q -e '<failure' -e '<error' out/compare.xml
	[ "$(find out -name '*.dat' | wc -l)" -eq 2 ]
}
