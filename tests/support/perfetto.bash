# SPDX-License-Identifier: MIT
# For tests that decode what --format perfetto writes; load with: load ../support/perfetto

TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build

setup() {
	command -v protoc >/dev/null || skip "protoc is not installed"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# decoded TRACE: what protoc and perfetto_decoded.py say of it.
decoded() {
	"$PICKNEXT" export -q -f perfetto "$1" -o trace.perfetto-trace 2>/dev/null
	"$PICKNEXT" export -q --ns "$1" >text 2>/dev/null
	protoc --decode=picknext.perfetto.Trace -I "$BATS_TEST_DIRNAME/../support" perfetto.proto <trace.perfetto-trace >decoded
	python3 "$BATS_TEST_DIRNAME/../support/perfetto_decoded.py" text <decoded | tee told
}

# so_many NAME MIN
so_many() {
	[ "$(sed -n "s/^$1: //p" told)" -ge "$2" ] || { echo "$1: not $2"; return 1; }
}
