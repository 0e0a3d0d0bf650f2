#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm --scheduler up to the first boot: the guests that it would start, and what it refuses.

load no_guest

setup() {
	no_guest 10.0.2
	need_kernel
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/arch/x86/boot"
	cp "$image" "$tree/arch/x86/boot/bzImage"
	configure SCHED_CLASS_EXT BPF_SYSCALL BPF_JIT DEBUG_INFO_BTF
}

configure() { # OPTION...: the kernel was built with these
	printf 'CONFIG_%s=y\n' 64BIT VIRTIO_PCI VIRTIO_CONSOLE NET_9P NET_9P_VIRTIO 9P_FS "$@" >"$tree/.config"
}

vm() {
	run "$PICKNEXT" vm --guest engine=qemu --mode tcg --guest qemu="$qemu" --guest initramfs="$BATS_TEST_TMPDIR/initramfs" \
		-k "$tree" -o "$out" --dry-run "$@"
	echo "$output"
}

@test "vm --scheduler: a guest per kernel and scheduler, without an isolated CPU" {
	vm --scheduler none --scheduler builtin:fifo
	[ "$status" -eq 0 ]
	[ "$(grep -c -- " -kernel " <<<"$output")" -eq 2 ]
	[[ "$output" != *isolcpus* ]]
	has "-smp 2"
	vm -k "again=$tree" --scheduler none --scheduler builtin:fifo
	[ "$(grep -c -- " -kernel " <<<"$output")" -eq 4 ]
}

@test "vm --guest isolation=affinity: the isolated CPU stays in the scheduler's domains" {
	vm --scheduler none --guest isolation=affinity
	[ "$status" -eq 0 ]
	has "isolcpus=managed_irq,2"
	has "-smp 3"
	vm --guest memory=512,isolation=none
	has "-smp 2"
}

@test "vm --scheduler: what cannot be one is refused with its name, exit 2" {
	vm --scheduler builtin:fif
	[ "$status" -eq 2 ]
	names "builtin:fif*builtin:fifo"
	vm --scheduler builtin:fifo --scheduler builtin:fifo
	[ "$status" -eq 2 ]
	names "builtin:fifo*twice"
	vm --stop-on-ejection
	[ "$status" -eq 2 ]
	names "--stop-on-ejection*--scheduler"
	vm --scheduler 'no-such-program -f'
	[ "$status" -eq 4 ]
	has no-such-program
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p my
	echo >my/list
	for scheduler in my my/list / 'my schedulers/scx_simple'; do
		vm --scheduler "$scheduler"
		[ "$status" -eq 4 ]
		names "${scheduler%% *}: is not an executable program"
	done
}

# plan SCHEDULER...: the sets that would be recorded.
plan() {
	local given=() one
	for one in "$@"; do given+=(--scheduler "$one"); done
	"$PICKNEXT" vm --mode deterministic --seeds 1 --plan -q --guest qemu="$qemu" --guest initramfs="$BATS_TEST_TMPDIR/initramfs" \
		-k "x=$tree" -o "$out" "${given[@]}" | python3 -c 'import shlex, sys
print(*(word[7:].rpartition("/")[0] for line in sys.stdin for word in shlex.split(line) if word.startswith("--boot=")))'
}

@test "vm --scheduler: paths of any kind; sets whose names would be the same have a number" {
	local directory="$BATS_TEST_TMPDIR/a 'b\" c:d"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p "$directory" one two
	cp /bin/busybox "$directory/scx_simple"
	cp /bin/busybox one/scx_simple
	cp /bin/busybox "two/my sched"
	cp /bin/busybox two/my-sched
	[ "$(plan "'${directory//\'/\'\"\'\"\'}/scx_simple' -f" one/scx_simple)" = "x+simple-f x+simple" ]
	[ "$(plan "one/scx_simple -x 1" "one/scx_simple -x-1" "one/scx_simple -x-1-2")" = "x+simple-x-1 x+simple-x-1-2 x+simple-x-1-2-2" ]
	[ "$(plan "'two/my sched'" two/my-sched)" = "x+my-sched x+my-sched-2" ]
}

@test "vm --scheduler: a kernel without sched_ext, BPF or BTF is refused, and another one named; none takes each" {
	for missing in SCHED_CLASS_EXT BPF_SYSCALL BPF_JIT DEBUG_INFO_BTF; do
		# shellcheck disable=SC2046
		configure $(printf '%s\n' SCHED_CLASS_EXT BPF_SYSCALL BPF_JIT DEBUG_INFO_BTF | grep -vx "$missing")
		vm --scheduler builtin:fifo
		[ "$status" -eq 3 ]
		names "CONFIG_$missing*picknext fetch kernel"
		vm --scheduler none
		[ "$status" -eq 0 ]
	done
}

@test "vm --scheduler: a QEMU without cmpxchg16b is refused for schedulers that need it, with a warning if that is unknown" {
	fake_qemu "$qemu" 7.2.22
	for program in scx_flatcg scx_simple scx_new; do
		printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/$program"
		chmod 755 "$BATS_TEST_TMPDIR/bin/$program"
	done
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	vm --scheduler "scx_flatcg -f"
	[ "$status" -eq 3 ]
	names "scx_flatcg -f*cmpxchg16b*7.2.22*QEMU 10"
	vm --scheduler scx_simple
	[ "$status" -eq 0 ]
	[[ "$output" != *cmpxchg16b* ]]
	vm --scheduler scx_new
	[ "$status" -eq 0 ]
	names "warning*scx_new*QEMU 10"
	vm --scheduler builtin:fifo
	[ "$status" -eq 0 ]
	[[ "$output" != *cmpxchg16b* ]]
}

@test "vm --scheduler: a program that is not in PATH is one of picknext fetch schedulers" {
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	mkdir -p "$XDG_CACHE_HOME/picknext/schedulers"
	chmod 700 "$XDG_CACHE_HOME/picknext"
	install -m 755 /bin/busybox "$XDG_CACHE_HOME/picknext/schedulers/scx_fetched"
	vm --scheduler 'scx_fetched -f'
	[ "$status" -eq 0 ]
	vm --scheduler scx_not_fetched
	[ "$status" -eq 4 ]
	has scx_not_fetched
}
