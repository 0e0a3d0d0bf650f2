# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the scripts that source this file use them
#
# Reads the arguments of the script that sources it, [--arch ARCHITECTURE] [DIR], and goes to the top of the tree. Sets
# architecture, output, and the version, the commit and the time of a release.

# The architecture of this machine, and that of the programs: Makefile's ARCH.
machine=$(uname -m | sed 's/aarch64/arm64/')
architecture=$machine output=$(dirname "$0")/../build/packages
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0" && exit ;;
	--arch) architecture=${2:-} && shift ;;
	-*) echo "${0##*/}: unknown option $1 (--help)" >&2 && exit 2 ;;
	*) output=$1 ;;
	esac
	shift
done
case $architecture in
x86_64) debian_architecture=amd64 ;;
arm64) debian_architecture=arm64 ;;
*) echo "${0##*/}: no architecture '$architecture': x86_64 or arm64" >&2 && exit 2 ;;
esac
output=$(realpath -m "$output")
cd "$(dirname "$0")/.." || exit 1

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

# Lines "PACKAGE SOURCE VERSION" of what is linked into the programs or packed with them, and "(= VERSION)" of what that
# was built using. Of other architectures, ci/cross-tools has written them.
packed_sources() {
	local each
	for each in x86_64 arm64; do
		if [ "$each" = "$machine" ]; then
			# shellcheck disable=SC2016 # fields of dpkg-query
			dpkg-query -W -f '${Package} ${source:Package} ${source:Version} ${Built-Using}\n' musl-dev busybox-static
		else
			cat "build/$each/cross/sources"
		fi
	done | sed 's/ *$//' | LC_ALL=C sort -u
}
