# SPDX-License-Identifier: MIT
# picknext as people install it: outside of the clone, laid out as the release archive. TOP is set by the test.
# shellcheck shell=bash

# installed DIR: installs it there and sets INSTALLED, and PICKNEXT to its program. What was fetched for the clone is beside it.
installed() {
	local name
	INSTALLED=$1
	make -s -C "$TOP" install DESTDIR="$(dirname "$1")" prefix="/$(basename "$1")" docdir="/$(basename "$1")" >/dev/null
	for name in qemu vng; do
		[ ! -e "$TOP/build/$name" ] || ln -s "$(readlink -f "$TOP/build/$name")" "$1/bin/$name"
	done
	export PICKNEXT=$1/bin/picknext
}
