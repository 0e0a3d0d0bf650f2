# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the scripts that source this file use them
#
# For ci/make-deb and ci/make-release: the version, the time of the release, and what is linked or packed into it.

# A checkout may belong to another user, as in a container of a CI system.
own_git() {
	git -c safe.directory="$PWD" "$@"
}

version=$(sed -n 's/^VERSION = //p' Makefile)
# The time of the last commit; without git, that of the newest entry of the changelog.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	SOURCE_DATE_EPOCH=$(own_git log -1 --format=%ct 2>/dev/null) ||
		SOURCE_DATE_EPOCH=$(date -ud "$(sed -n 's/^## .* - //p' src/CHANGELOG.md | head -n 1)" +%s)
fi
export SOURCE_DATE_EPOCH

# "SOURCE VERSION" of the Debian package with this file, or nothing.
source_of() { # PACKAGE
	dpkg-query -W -f '${source:Package} ${source:Version}' "$1" 2>/dev/null || true
}
musl_source=$(source_of musl-dev)
busybox_source=$(source_of busybox-static)
# Debian's BusyBox is linked statically too: "glibc (= VERSION)".
busybox_built_using=$(dpkg-query -W -f '${Built-Using}' busybox-static 2>/dev/null || true)
