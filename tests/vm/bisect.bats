#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/bisect-run under git bisect, in a small repository whose commits choose Debian's CFS or EEVDF kernel; each is booted
# and traced. Two CPU-bound tasks a CPU have slices of 8 ms in the one and of 4 ms in the other, whatever the seed.
# seconds: 38

bats_require_minimum_version 1.5.0
load vm

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	make_short_tmpdir
	cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() {
	rm -rf "$TMPDIR"
}

# commit LINE SUBJECT: a commit whose "build" takes that kernel; none fails.
commit() {
	echo "$1" >line
	git add line
	git -c user.name=test -c user.email=test@localhost commit -qm "$2" --allow-empty
}

@test "bisect-run: git bisect finds the commit that halves the slices, past one that does not build" {
	git init -q tree
	cd tree
	# As a file of the tree that differs each time, so that each commit is another.
	commit 6.1 "first"
	git tag good
	commit "6.1 again" "still CFS"
	commit 6.12 "EEVDF comes"
	commit none "broken"
	commit "6.12 again" "repaired"
	commit "6.12 at last" "last"
	export KERNELS
	# In place of a build. The image stays beside its modules.
	# shellcheck disable=SC2016 # bisect-run's shell expands it
	local build='read -r line _ <line; ln -sf "$(ls "$KERNELS/$line/boot/"vmlinuz-*)" bzImage'
	git bisect start HEAD good
	PICKNEXT_BISECT_BUILD=$build run -0 git bisect run "$TOP/ci/bisect-run" --base "$(kernel 6.1)" --image bzImage \
		--workload 'mix: for 10s; 2 hog' --seeds 1 --scale 0.02 --fail-if 'slice_p50_us < 6000' --picknext "$PICKNEXT" -- --cpus 1
	echo "$output"
	[[ $output == *"is the first bad commit"* ]]
	[ "$(git log -1 --format=%s refs/bisect/bad)" = "EEVDF comes" ]
	[[ $output == *"exit code 1"* ]] || [ "$(git bisect log | grep -c broken)" -eq 0 ]
	# Two kernels, two boots, whatever the number of commits.
	[ "$(find .git/picknext-bisect -maxdepth 1 -name 'runs-*' | wc -l)" -eq 2 ]
	[ "$(find .git/picknext-bisect -name '*.dat' | wc -l)" -eq 2 ]
	check_nothing_left
}
