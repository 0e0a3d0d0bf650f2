#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/readme-outputs passes on a README whose outputs are true, and reports each kind of fault.
# shellcheck disable=SC2016 # Markdown has backquotes

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	export PICKNEXT=${PICKNEXT:-$(readlink -f "$TOP")/build/picknext}
	mkdir -p "$BATS_TEST_TMPDIR/ci/readme"
	cp "$TOP/ci/readme-outputs" "$BATS_TEST_TMPDIR/ci/"
	cp "$TOP/ci/readme/io.dat" "$BATS_TEST_TMPDIR/ci/readme/"
	cd "$BATS_TEST_TMPDIR" || return
	cat >README.md <<-'END'
		<!-- ci/readme-outputs: run -->
		```console
		$ picknext stat --by cpu io.dat \
		      | head -n 1
		old
		```
		<!-- end -->
		<!-- ci/readme-outputs: record speed 2026-01-01 0 ee2d30b0fcb42f45 -->
		| a | b |
		<!-- end -->
		`sudo picknext record -- make` and `picknext stat`
	END
	# The hash of the recorded table.
	hash=$(printf '| a | b |\n' | sha256sum | cut -c1-16)
	sed -i "s/ee2d30b0fcb42f45/$hash/" README.md
}

fails() {
	run ci/readme-outputs --check
	[ "$status" -eq 1 ]
	[[ $output == *"$1"* ]]
}

# bats test_tags=slow
@test "readme-outputs: writes what commands print, and a true README passes" {
	fails '-old'
	ci/readme-outputs --write
	grep -qx 'Per CPU' README.md
	[ "$(grep -cx old README.md)" -eq 0 ]
	ci/readme-outputs --check
}

# bats test_tags=slow
@test "readme-outputs: what was recorded of other guests than this tree makes is reported" {
	ci/readme-outputs --write
	mkdir build
	echo guest >build/initramfs-x86_64.cpio.gz
	sed -i "s/\(record speed .*\) -->/\1 $(sha256sum build/initramfs-x86_64.cpio.gz | cut -c1-16) -->/" README.md
	ci/readme-outputs --check
	echo other >build/initramfs-x86_64.cpio.gz
	fails "guests that differ"
}

# bats test_tags=slow
@test "readme-outputs: a changed output, one without its comment, and a wrong command line are reported" {
	ci/readme-outputs --write
	cp README.md true.md
	sed 's/Per CPU/Per cpu/' true.md >README.md
	fails 'Per cpu'
	sed 's/| a | b |/| a | c |/' true.md >README.md
	fails 'changed by hand'
	{ cat true.md && printf '```console\n$ picknext list\noutput\n```\n'; } >README.md
	fails 'without'
	{ cat true.md && for _ in 1 2 3 4 5; do echo "| 1.5 | 2 % | -3.0% |"; done; } >README.md
	fails 'table of values'
	{ cat true.md && echo '`picknext vm --kernle x`'; } >README.md
	fails 'kernle'
	{ cat true.md && printf '```console\n$ sudo picknext record -q | picknext exprot -\n```\n'; } >README.md
	fails 'exprot'
}
