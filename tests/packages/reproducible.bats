#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The same source built in two places gives the same archives, for both architectures, and the same package. same_bytes.bats makes both
# twice from one build.

bats_require_minimum_version 1.5.0
load debian

# built DIR: ./source, built in DIR.
built() {
	mkdir -p "$(dirname "$1")"
	cp -r source "$1"
	# A repository around it would give it a commit.
	local -x GIT_CEILING_DIRECTORIES
	GIT_CEILING_DIRECTORIES=$(dirname "$1")
	{ make -s -C "$1" release deb && make -s -C "$1" ARCH=arm64 release; } >"$1.log" 2>&1 || { tail -n 5 "$1.log"; return 1; }
}

@test "two builds in two places: the same archives and the same package" {
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MAKELEVEL MFLAGS CCACHE_DIR CCACHE_BASEDIR
	mkdir source
	git -C "$TOP" ls-files -z | tar -C "$TOP" --null -T - -c | tar -x -C source
	export SOURCE_DATE_EPOCH=1700000000 CCACHE_DISABLE=1
	built "$PWD/one"
	(
		umask 027
		export TZ=Pacific/Auckland
		built "$PWD/a longer place/two"
	)
	diff -r one/build/packages "a longer place/two/build/packages"
	[ "$(find one/build/packages -type f | wc -l)" -eq 5 ]
}
