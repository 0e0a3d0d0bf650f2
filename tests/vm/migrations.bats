#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext migrations where the truth is known: tasks that are moved by affinity a known number of times, forks and
# execs, more burners than CPUs, real-time tasks. tests/vm/migrations/init says what is looked at.

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
PICKNEXT_KERNELS=${PICKNEXT_KERNELS:-$BATS_TEST_DIRNAME/../../build/kernels}

findings=(
	"record: with stacks"
	"stacks: every cause is exact"
	"stacks: another's affinity, 40 times and nothing else"
	"stacks: its own affinity, 40 times"
	"stacks: pulls"
	"stacks: forks and execs"
	"stacks: real time"
	"compare: sched_waking says who asked"
	"compare: the trace alone tells at least 98 in 100 right, or leaves them open"
	"plain: another's affinity, 40 times and nothing else"
	"plain: its own request, 40 times"
	"plain: pulls"
	"plain: no stacks"
	"live: ends at SIGINT"
	"live: counts them"
	"live: loses nothing"
	"live: leaves nothing"
)

boot_and_look() { # LINE
	local kernel move_tasks=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/guest-tools/move_tasks
	command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
	[ -x /bin/busybox ] || skip "busybox-static is not installed"
	kernel=$(compgen -G "$PICKNEXT_KERNELS/$1/boot/vmlinuz-*" | head -n 1) || true
	[ -n "$kernel" ] || skip "there is no kernel $1 in build/kernels (vm/fetch-kernel $1 gets it)"
	cp "$BATS_TEST_DIRNAME"/migrations/* "$move_tasks" "$BATS_TEST_TMPDIR/"
	"$PICKNEXT" initramfs --manifest "$BATS_TEST_TMPDIR/manifest" -o "$BATS_TEST_TMPDIR/initramfs" -q
	# Far longer than it takes, on a machine with other work too.
	timeout 600 qemu-system-x86_64 -M q35 -accel tcg,thread=single -cpu qemu64,-cx16 -smp 3 -m 512M -nodefaults \
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

@test "migrations: a 6.1 kernel's, each by its cause" {
	boot_and_look 6.1
}

@test "migrations: a 6.12 kernel's, each by its cause" {
	boot_and_look 6.12
}
