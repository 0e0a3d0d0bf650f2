# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the scripts that source this file use them
#
# The version, the commit and the time of a release.

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
# A copy of the source, which is not in a repository, has the same version header with these.
PICKNEXT_COMMIT=$(ci/version-header "$version" | sed -n 's/.*PICKNEXT_COMMIT "\(.*\)"/\1/p')
export SOURCE_DATE_EPOCH PICKNEXT_COMMIT
