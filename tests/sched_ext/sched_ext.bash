# SPDX-License-Identifier: MIT
# What the tests of this folder share; load with: load sched_ext

load ../vm/vm

SCHEDULERS=${PICKNEXT_SCHEDULERS:-${XDG_CACHE_HOME:-$HOME/.cache}/picknext/schedulers}

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
