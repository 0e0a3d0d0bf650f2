#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export --format text against what the guest's own kernel writes of the same buffer, byte for byte.
# tests/vm/export/init says what is looked at.

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
PICKNEXT_KERNELS=${PICKNEXT_KERNELS:-$BATS_TEST_DIRNAME/../../build/kernels}

findings=(
	"text: the four events"
	"text: all four occur"
	"text: by the clock local"
	"text: the oldest overwritten"
	"text: overwritten, and said"
	"text: the buffer full"
	"text: names that are not known"
)

boot_and_compare() { # LINE
	local kernel record_both=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/guest-tools/record_both
	command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
	[ -x /bin/busybox ] || skip "busybox-static is not installed"
	kernel=$(compgen -G "$PICKNEXT_KERNELS/$1/boot/vmlinuz-*" | head -n 1) || true
	[ -n "$kernel" ] || skip "there is no kernel $1 in build/kernels (vm/fetch-kernel $1 gets it)"
	cp "$BATS_TEST_DIRNAME"/export/* "$record_both" "$BATS_TEST_TMPDIR/"
	"$PICKNEXT" initramfs --manifest "$BATS_TEST_TMPDIR/manifest" -o "$BATS_TEST_TMPDIR/initramfs" -q
	# Far longer than it takes, on a machine with other work too.
	timeout 600 qemu-system-x86_64 -M q35 -accel tcg,thread=single -cpu qemu64,-cx16 -smp 2 -m 512M -nodefaults \
		-no-user-config -display none -no-reboot -kernel "$kernel" -initrd "$BATS_TEST_TMPDIR/initramfs" \
		-append "console=ttyS0 quiet panic=-1 tsc=reliable" \
		-serial stdio </dev/null 2>&1 | tr -d '\r' >"$BATS_TEST_TMPDIR/console"
	cat "$BATS_TEST_TMPDIR/console"
	grep -q '^finished' "$BATS_TEST_TMPDIR/console"
	for finding in "${findings[@]}"; do
		grep -qxF "ok $finding" "$BATS_TEST_TMPDIR/console" || { echo "not so: $finding"; return 1; }
	done
	! grep '^not ok' "$BATS_TEST_TMPDIR/console"
}

@test "export: the text of a 6.1 kernel's trace is the kernel's own" {
	boot_and_compare 6.1
}

@test "export: the text of a 6.12 kernel's trace is the kernel's own" {
	boot_and_compare 6.12
}
