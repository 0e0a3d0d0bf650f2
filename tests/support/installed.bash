# SPDX-License-Identifier: MIT
# picknext as people install it: the release archive, unpacked outside of the clone. TOP is set by the test.
# shellcheck shell=bash

# installed DIR: unpacks it there and sets INSTALLED, and PICKNEXT to its program. What was fetched for the clone is beside it.
installed() {
	local name
	INSTALLED=$1
	"$TOP/ci/make-release" "$1.packed" >/dev/null
	mkdir -p "$1"
	tar -xzf "$1.packed"/*.tar.gz -C "$1" --strip-components=1
	rm -r "$1.packed"
	for name in qemu vng; do
		[ ! -e "$TOP/build/$name" ] || ln -s "$(readlink -f "$TOP/build/$name")" "$1/bin/$name"
	done
	export PICKNEXT=$1/bin/picknext
}
