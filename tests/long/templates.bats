#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The CI templates work as they stand: their shell steps, taken out of the YAML, are run here one after the other, with
# little work and one seed. What is fetched is linked from build/, where there is one; the rest is real.

bats_require_minimum_version 1.5.0
load ../vm/vm

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	[ "$(id -u)" -eq 0 ] || skip "the templates install packages, as root"
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python (apt-get install python3-yaml)"
	make_short_tmpdir
	# The build of the same commit that is here is taken.
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
	for name in obj guest include picknext picknext-guest picknext.debug initramfs-x86_64.cpio.gz; do
		cp -a "$TOP/build/$name" "$1/build/"
	done
	find "$TOP/build" -maxdepth 1 -name 'texts*' -exec cp -a {} "$1/build/" \;
	mkdir -p "$1/picknext/bin"
	for name in kernels qemu; do
		[ ! -e "$TOP/build/$name" ] || ln -s "$(readlink -f "$TOP/build/$name")" "$1/picknext/bin/$name"
	done
	[ "$KERNELS" -ef "$TOP/build/kernels" ] || ln -sfn "$KERNELS" "$1/picknext/bin/kernels"
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

# parts STEP: the step of each of two runners, as the variables in PART_NAME and PARTS_NAME say; what they leave is in out.
parts() {
	local part
	export "$PARTS_NAME=2"
	for part in 1 2; do
		export "$PART_NAME=$part"
		rm -rf out
		step "$1" || return
		mv out "part$part"
	done
	mkdir out
	cp -r part1/. part2/. out
	rm -rf part1 part2
}

@test "GitHub's steps with the release archive, and a gate that fires: report, summary and traces are there all the same" {
	prepare github-workflow.yml
	"$TOP/ci/make-release" "$BATS_TEST_TMPDIR/release"
	archive=$(echo "$BATS_TEST_TMPDIR"/release/*.tar.gz)
	export PICKNEXT_ARCHIVE=file://$archive PICKNEXT_SHA256=wrong
	export GITHUB_STEP_SUMMARY=$BATS_TEST_TMPDIR/summary
	export GATES='involuntary_share > 90
involuntary_share < 90'
	PART_NAME=SHARD PARTS_NAME=SHARDS
	local code=0
	step "$STEPS/01.sh" || code=$?
	[ "$code" -ne 0 ] && [ ! -e picknext/bin/picknext ]
	PICKNEXT_SHA256=$(sha256sum <"$archive" | cut -d' ' -f1)
	step "$STEPS/01.sh" || { cat log; false; }
	cmp picknext/bin/picknext "$PICKNEXT"
	step "$STEPS/02.sh"
	parts "$STEPS/03.sh" || { cat log; false; }
	step "$STEPS/04.sh" # installs, as in 01.sh
	step "$STEPS/05.sh" || { cat log; false; }
	code=0
	step "$STEPS/07.sh" || code=$?
	cat log
	[ "$code" -eq 1 ]
	step "$STEPS/08.sh"
	[ "$(find "$STEPS" -name '0*.sh' | wc -l)" -eq 8 ]
	grep -q 'involuntary_share &#60; 90.*FAIL' "$GITHUB_STEP_SUMMARY"
	grep -q '<failure' out/compare.xml
	grep -q '</html>' out/report.html
	[ "$(find out -name '*.dat' | wc -l)" -eq 2 ]
	[ -e out/base/raw/hackbench_pipe_small_run1.dat ]
	[ -e out/head/raw/hackbench_pipe_small_run1.dat ]
	# With a baseline that an earlier run on the default branch kept, of the same identity; only the head is fetched.
	mv out/base stored
	github_keeps stored
	export BASELINE=artifact BRANCH=main TOKEN=t GITHUB_API_URL=https://api.example GITHUB_REPOSITORY=o/n
	rm -rf kernels
	step "$STEPS/02.sh"
	[ -e kernels/kernel-head/bzImage ] && [ ! -e kernels/kernel-base ]
	step "$STEPS/06.sh" || { cat log; false; }
	diff -r stored baseline
	code=0
	step "$STEPS/07.sh" || code=$?
	[ "$code" -eq 1 ]
	grep -q '<failure' out/compare.xml
	step "$STEPS/08.sh"
	sed -i 's/"initramfs_sha256": "./&x/' baseline/vm.json
	code=0
	step "$STEPS/07.sh" || code=$?
	[ "$code" -eq 2 ]
	grep -q 'baseline: the baseline was recorded in another way: initramfs' log
	BRANCH=other
	rm -rf baseline*
	code=0
	step "$STEPS/06.sh" || code=$?
	[ "$code" -eq 1 ]
	BASELINE=
	# Without one of the parts, it is told.
	rm -r out/head/boots
	code=0
	step "$STEPS/05.sh" || code=$?
	[ "$code" -eq 1 ]
	# The same kernel on both sides, as its own trees give it, where there is an artifact; and a gate that holds.
	rm -rf out kernels
	mkdir -p kernels/kernel-head
	ln -s "$(kernel 6.1)" kernels/kernel-head/bzImage
	export GATES='involuntary_share > 90' HEAD=artifact
	step "$STEPS/02.sh"
	[ "$(readlink -f kernels/kernel-base/bzImage)" = "$(readlink -f kernels/kernel-head/bzImage)" ]
	# An artifact that is missing is an error: no other kernel takes its place.
	rm -rf kernels
	code=0
	step "$STEPS/02.sh" || code=$?
	[ "$code" -eq 1 ]
	grep -q 'no artifact kernel-head' log
}

# github_keeps DIR: a curl that answers as GitHub's API with this directory as an artifact of main, beside one of a fork.
github_keeps() {
	(cd "$1" && python3 -m zipfile -c "$BATS_TEST_TMPDIR/kept.zip" ./*)
	mkdir -p "$BATS_TEST_TMPDIR/programs"
	cat >"$BATS_TEST_TMPDIR/programs/curl" <<-END
		#!/bin/sh
		case "\$*" in
		*/artifacts?name=scheduler-baseline*)
			echo '{"artifacts": [
				{"expired": false, "archive_download_url": "fork", "workflow_run": {"head_branch": "main", "repository_id": 1, "head_repository_id": 2}},
				{"expired": true, "archive_download_url": "old", "workflow_run": {"head_branch": "main", "repository_id": 1, "head_repository_id": 1}},
				{"expired": false, "archive_download_url": "kept", "workflow_run": {"head_branch": "main", "repository_id": 1, "head_repository_id": 1}}]}' ;;
		*"-o baseline.zip kept") cp "$BATS_TEST_TMPDIR/kept.zip" baseline.zip ;;
		*) exit 22 ;;
		esac
	END
	chmod +x "$BATS_TEST_TMPDIR/programs/curl"
	export PATH=$BATS_TEST_TMPDIR/programs:$PATH
}

@test "GitLab's steps, with a gate that holds" {
	prepare gitlab-ci.yml
	export GATES='involuntary_share > 90'
	PART_NAME=CI_NODE_INDEX PARTS_NAME=CI_NODE_TOTAL
	parts "$STEPS/01.sh" || { cat log; false; }
	step "$STEPS/02.sh" || { cat log; false; }
	step "$STEPS/03.sh"
	step "$STEPS/04.sh" # the head's runs, as the baseline of later pipelines
	[ "$(find "$STEPS" -name '0*.sh' | wc -l)" -eq 4 ]
	tar -tf baseline.tar | grep -x ./raw/hackbench_pipe_small_run1.dat
	tar -tf baseline.tar | grep -x ./vm.json
	grep -q '</html>' out/report.html
	run -1 grep -q -e '<failure' -e '<error' out/compare.xml
	[ "$(find out -name '*.dat' | wc -l)" -eq 2 ]
}
