# SPDX-License-Identifier: MIT
# For tests that open traces with KernelShark's library; load with: load ../support/kernelshark

TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# same TRACE...: see tests/kernelshark/same.
same() {
	local status=0
	"$TOP/tests/kernelshark/same" "$@" || status=$?
	[ "$status" -ne 77 ] || skip "libkshark-dev is not installed"
	[ "$status" -eq 0 ]
}
