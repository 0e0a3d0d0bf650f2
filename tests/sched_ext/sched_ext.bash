# SPDX-License-Identifier: MIT
# Shared by the tests of this folder; load with: load sched_ext

load ../vm/vm

SCHEDULERS=${PICKNEXT_SCHEDULERS:-${XDG_CACHE_HOME:-$HOME/.cache}/picknext/schedulers}

# For guests on real time: a busy host is no soft lockup, at which the kernel ejects a scheduler.
# shellcheck disable=SC2034 # used by the files that load this one
patient=(--guest append=watchdog_thresh=60)

# need_schedulers NAME...: skips without a kernel 7.3, a QEMU 10 or these schedulers.
need_schedulers() {
	need_vm 7.3
	need_new_qemu
	for name in "$@"; do
		[ -x "$SCHEDULERS/$name" ] || skip "no $name (picknext fetch schedulers)"
	done
}

new_qemu() {
	local own
	own=$(dirname "$PICKNEXT")/qemu/qemu-system-x86_64
	[ -x "$own" ] || own=qemu-system-x86_64
	echo "$own"
}
