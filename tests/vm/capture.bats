#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recording where nobody else traces: what it does to the machine's own trace settings, and who runs on which
# CPU. tests/vm/capture/init says what is looked at.

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
PICKNEXT_KERNELS=${PICKNEXT_KERNELS:-$BATS_TEST_DIRNAME/../../build/kernels}

findings=(
	"private: records"
	"private: leaves a fresh machine as it was"
	"isolation: the tracer has CPU 2, the workload the others"
	"isolation: the trace can be built from"
	"isolation: CPU 2 ran no task of the workload"
	"isolation: the other CPUs ran no task of the tracer"
	"drain: records"
	"drain: loses nothing"
	"drain: the tracer reads on its own CPU"
	"record: passes the exit status on"
	"record: the tracer has CPU 2, the command the others"
	"record: has the command and the mark"
	"record: a signal keeps what was recorded"
	"record: --flight keeps the last stretch"
	"record: counts what was lost on each CPU as the kernel does"
	"record: says between which times it was lost"
	"monitor: shows who runs"
	"monitor: does not show itself, on the tracer's CPU"
	"monitor: leaves nothing"
	"record: leaves the settings as they were"
	"private: records beside another's trace"
	"private: takes marks where the machine's own buffer does not"
	"private: takes no stacks where the machine's own buffer does"
	"private: leaves another's settings"
)

boot_and_look() { # LINE
	local kernel
	command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
	[ -x /bin/busybox ] || skip "busybox-static is not installed"
	kernel=$(compgen -G "$PICKNEXT_KERNELS/$1/boot/vmlinuz-*" | head -n 1) || true
	[ -n "$kernel" ] || skip "there is no kernel $1 in build/kernels (vm/fetch-kernel $1 gets it)"
	"$PICKNEXT" initramfs --manifest "$BATS_TEST_DIRNAME/capture/manifest" -o "$BATS_TEST_TMPDIR/initramfs" -q
	# Far longer than it takes, on a machine with other work too.
	timeout 600 qemu-system-x86_64 -M q35 -accel tcg,thread=single -cpu qemu64,-cx16 -smp 3 -m 512M -nodefaults \
		-no-user-config -display none -no-reboot -kernel "$kernel" -initrd "$BATS_TEST_TMPDIR/initramfs" \
		-append "console=ttyS0 quiet panic=-1 tsc=reliable isolcpus=managed_irq,domain,2 irqaffinity=0-1" \
		-serial stdio </dev/null 2>&1 | tr -d '\r' >"$BATS_TEST_TMPDIR/console"
	cat "$BATS_TEST_TMPDIR/console"
	grep -q '^finished' "$BATS_TEST_TMPDIR/console"
	for finding in "${findings[@]}"; do
		grep -qxF "ok $finding" "$BATS_TEST_TMPDIR/console" || { echo "not so: $finding"; return 1; }
	done
	! grep '^not ok' "$BATS_TEST_TMPDIR/console"
}

@test "capture: kernel 6.1 keeps its trace settings, and the tracer its CPU" {
	boot_and_look 6.1
}

@test "capture: kernel 6.12 keeps its trace settings, and the tracer its CPU" {
	boot_and_look 6.12
}
