#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The recipes of README.md that boot kernels, literally: six runs of two kernels, then gates. README and program are those
# of the release archive, unpacked outside of the clone, and another user runs them.

bats_require_minimum_version 1.5.0
load ../vm/vm
load ../support/installed
load ../support/recipes

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	make_short_tmpdir
	installed "$TMPDIR/installed"
	# shellcheck disable=SC2034 # recipe() reads TOP and AS
	TOP=$INSTALLED AS=()
	cd "$TMPDIR" || return 1
	# The files that picknext fetch would fetch.
	export XDG_CACHE_HOME=$TMPDIR/cache HOME=$TMPDIR
	mkdir -p cache/picknext/kernels
	chmod 700 cache/picknext
	for line in 6.1 6.12; do
		ln -s "$(readlink -f "$KERNELS/$line")" "cache/picknext/kernels/$line"
	done
	# shellcheck disable=SC2034
	[ "$(id -u)" -ne 0 ] || AS=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	chown -R -h 65534:65534 . || [ "$(id -u)" -ne 0 ]
}

teardown() {
	rm -rf "$TMPDIR"
}

# bats test_tags=slow
@test "recipes: compare two kernels, repeat a run, gate a pull request" {
	recipe compare 4 >output
	[ "$(find out/cfs/raw out/eevdf/raw -name '*.dat' | wc -l)" -eq 12 ]
	[ -s out/report.html ]
	grep -q 'slice_p50_us' output
	grep -q '^1 identical, 0 different' output
	recipe gate 1
	grep -q '<testsuites' gates.xml
}

# bats test_tags=slow
@test "recipes: compare the kernel's own scheduler with a builtin one" {
	need_vm 7
	ln -s "$(readlink -f "$KERNELS/7")" cache/picknext/kernels/7.3
	recipe schedulers 3 >output
	[ "$(find schedulers/*/raw -name '*.dat' | wc -l)" -eq 12 ]
	grep -q "scheduler: the kernel's own | builtin:fifo" output
}
