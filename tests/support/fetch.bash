# SPDX-License-Identifier: MIT
# For tests of vm/fetch-*; load with: load ../support/fetch

setup() {
	TOP=$(realpath "$BATS_TEST_DIRNAME/../..")
	FETCH=$TOP/vm/fetch-kernel
	bats_require_minimum_version 1.5.0
	cd "$BATS_TEST_TMPDIR" || return
}

need_apt() {
	command -v apt-get dpkg-deb >/dev/null || skip "no apt on this machine"
}
