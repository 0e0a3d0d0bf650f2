# SPDX-License-Identifier: MIT
# For tests of picknext vm and verify up to the first boot; load with: load no_guest

load vm

# no_guest VERSION: what a test may use, with a program that says it is this QEMU, so that no test here needs one.
no_guest() {
	out=$BATS_TEST_TMPDIR/out
	export TMPDIR=$BATS_TEST_TMPDIR XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	unset XDG_RUNTIME_DIR
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	qemu=$BATS_TEST_TMPDIR/bin/qemu-system-x86_64
	fake_qemu "$qemu" "$1"
	# An archive of one file: the name of a program that the guest has.
	printf '070701%0104d\0/guest-program\0TRAILER!!!\0' 0 >"$BATS_TEST_TMPDIR/initramfs"
	image=$(kernel 6.12)
}

fake_qemu() { # PROGRAM VERSION
	printf '#!/bin/sh\necho "QEMU emulator version %s (Debian)"\n' "$2" >"$1"
	chmod 755 "$1"
}

need_kernel() {
	[ -n "$image" ] || skip "no kernel 6.12 (picknext fetch kernel 6.12 -o build/kernels)"
}

# has WORDS: the output holds them, one after the other.
has() {
	[[ "$output" == *"$1"* ]]
}

# names PATTERN: what a message has to name, as a pattern of the shell.
names() {
	[[ "$output" == *$1* ]]
}
