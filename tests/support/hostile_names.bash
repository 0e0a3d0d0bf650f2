# SPDX-License-Identifier: MIT
# For tests of names that are made to be mistaken for something else; load with: load ../support/hostile_names

TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	"$TOOLS/tools/make_trace" hostile.dat hostile
}

# names KIND FILE...: what hostile_names.py checks.
names() {
	python3 "$BATS_TEST_DIRNAME/../support/hostile_names.py" "$@" || { echo "not so: $*"; return 1; }
}
