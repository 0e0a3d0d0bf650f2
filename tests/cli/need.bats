#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/need installs nothing unasked, and waits for other users of apt. apt-get is a script that notes its arguments.

bats_require_minimum_version 1.5.0

setup() {
	NEED=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")/ci/need
	cd "$BATS_TEST_TMPDIR" || return 1
	unset CI INSTALL
	# Nothing is installed but what ci/need itself uses.
	mkdir programs
	local program
	for program in bash cat env grep mktemp rm sort tail; do ln -s "$(command -v $program)" programs/; done
	script id 'echo 0'
	script sleep 'echo "sleep $*" >>calls'
	# shellcheck disable=SC2016 # the script expands them
	script apt-get 'echo "apt-get $1" >>calls' '[ $(grep -c "$1" calls) -gt ${LOCKED:-0} ] || {' \
		'echo "E: Could not get lock /a/lock. It is held by process 7"; exit 100; }' '[ "$1" != "${BROKEN:-}" ]'
	touch calls
}

# script NAME LINE...
script() {
	printf '%s\n' '#!/bin/sh' "${@:2}" >"programs/$1"
	chmod +x "programs/$1"
}

# need [NAME=VALUE...]
need() {
	run --separate-stderr env "$@" PATH="$PWD/programs" "$NEED" build
}

# bats test_tags=slow
@test "need: unasked, root gets the line and nothing is installed" {
	need
	[ "$status" = 1 ]
	[[ $stderr == *"apt-get install -y --no-install-recommends "*musl-tools* ]]
	[ ! -s calls ]
}

# bats test_tags=slow
@test "need: asked for, root says what it installs and installs it" {
	for asked in CI=true INSTALL=1; do
		: >calls
		need "$asked"
		[ "$status" = 0 ]
		[[ $stderr == "need: installing "* ]]
		[ "$(tr '\n' ' ' <calls)" = "apt-get update apt-get install " ]
	done
}

# bats test_tags=slow
@test "need: without root, INSTALL=1 installs nothing" {
	script id 'echo 1000'
	need INSTALL=1
	[ "$status" = 1 ]
	[ ! -s calls ]
}

# bats test_tags=slow
@test "need: waits while another program has apt's lock, and says so once" {
	need INSTALL=1 LOCKED=2
	[ "$status" = 0 ]
	[ "$(grep -c sleep calls)" = 4 ]
	[ "$(grep -c 'held by process 7' <<<"$stderr")" = 2 ]
}

# bats test_tags=slow
@test "need: another failure of apt ends it, with apt's own words" {
	need INSTALL=1 BROKEN=install
	[ "$status" = 1 ]
	[ "$(grep -c install calls)" = 1 ]
	[[ $stderr == *"apt-get could not install"* ]]
}
