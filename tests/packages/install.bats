#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The package and the archive, installed in fresh Debian systems and used as a user would, from fetching kernels to their comparison.

bats_require_minimum_version 1.5.0
load debian

setup_file() {
	load debian
	[ "$(id -u)" = 0 ] || skip "needs root for debootstrap"
	command -v debootstrap >/dev/null || skip "no debootstrap (apt-get install debootstrap)"
	[ -n "$(mirror)" ] || skip "no Debian mirror among this machine's apt sources"
	"$TOP/ci/make-deb" "$BATS_FILE_TMPDIR/packages"
	"$TOP/ci/make-release" "$BATS_FILE_TMPDIR/packages"
}

setup() {
	PACKAGES=$BATS_FILE_TMPDIR/packages
	PATH_OF_PICKNEXT=
}

teardown() {
	[ -z "${DEBIAN:-}" ] || rm -rf --one-file-system "$DEBIAN"
}

# package SUITE: installed with what it depends on and recommends, used, and removed.
package() {
	debian "$1"
	cp "$PACKAGES"/*.deb "$DEBIAN/picknext.deb"
	inside "$DEBIAN" apt-get -qq update
	# All that it recommends, but not what that recommends in turn; git for bisect-run, which would leave its perl behind.
	# shellcheck disable=SC2046 # several packages
	inside "$DEBIAN" apt-get -qq install -y --no-install-recommends git \
		$(dpkg-deb -f "$DEBIAN/picknext.deb" Recommends | tr -d ,) >"$DEBIAN.log" 2>&1
	files "$DEBIAN" >before
	inside "$DEBIAN" apt-get -qq install -y /picknext.deb >>"$DEBIAN.log" 2>&1
	inside "$DEBIAN" sh -c 'picknext --version; ! command -v gcc; test -s /usr/share/man/man1/picknext.1.gz'
	compare_kernels "$DEBIAN"
	# The scripts beside the documents find this picknext and what is beside them.
	bisect "$DEBIAN" /usr/share/doc/picknext/ci/bisect-run
	inside "$DEBIAN" apt-get -qq purge -y picknext >>"$DEBIAN.log" 2>&1
	files "$DEBIAN" >after
	# Not more lines than somebody reads.
	diff before after >different || { head -n 40 different; return 1; }
}

setup_directory() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "the package on bookworm: two kernels fetched and compared; removed, nothing of it stays" {
	setup_directory
	package bookworm
}

@test "the package on trixie: two kernels fetched and compared; removed, nothing of it stays" {
	setup_directory
	package trixie
}

@test "the archive on bookworm, without root: two kernels fetched and compared" {
	setup_directory
	debian bookworm
	cp "$PACKAGES"/*.tar.gz "$DEBIAN/home/u/"
	as_user "$DEBIAN" 'tar xf *.tar.gz; cd picknext-*/; sha256sum -c --quiet SHA256SUMS'
	# shellcheck disable=SC2034,SC2016 # the user's shell expands it
	PATH_OF_PICKNEXT='PATH=$(echo ~/picknext-*/bin):$PATH'
	compare_kernels "$DEBIAN"
	inside "$DEBIAN" apt-get -qq update
	inside "$DEBIAN" apt-get -qq install -y --no-install-recommends git >"$DEBIAN.log" 2>&1
	# shellcheck disable=SC2088 # the user's shell expands it
	bisect "$DEBIAN" '~/picknext-*/ci/bisect-run'
}
