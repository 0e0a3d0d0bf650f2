# SPDX-License-Identifier: MIT
# L1, a machine with KVM that QEMU emulates; sourced by `load l1`. What runs in it is slow, and its clock may run several
# times too fast: tests show that things work, never how fast.

load ../vm/vm

L1=$TOP/build/kvm-l1
# Time enough, whatever the clock says. Each line of a guest's console costs 0.1 s.
PATIENCE=boot-timeout=5000,silence-timeout=5000,append=quiet

shared() { # TAG DIRECTORY [,readonly=on]
	printf -- '-fsdev local,id=%s,path=%s,security_model=none%s -device virtio-9p-pci,fsdev=%s,mount_tag=%s' \
		"$1" "$(readlink -f "$2")" "${3:-}" "$1" "$1"
}

start_l1() {
	SHARE=$BATS_FILE_TMPDIR/share
	export SHARE
	mkdir -p "$SHARE/queue" "$SHARE/bin"
	cp "$PICKNEXT" "${PICKNEXT%/*}/initramfs-x86_64.cpio.gz" "${PICKNEXT%/*}/lockstep.so" "$SHARE/bin"
	# shellcheck disable=SC2046 # several words
	"$TOP/build/qemu/qemu-system-x86_64" -nodefaults -no-user-config -display none -no-reboot -M q35 \
		-accel tcg,thread=multi,tb-size=1024 -cpu max,la57=off,pku=off -smp 2 -m 4G \
		-kernel "$(kernel 6.12)" -initrd "$L1/initramfs" \
		-append "console=ttyS0 panic=-1 mitigations=off no_timer_check tsc=reliable nokaslr transparent_hugepage=always" \
		-serial "file:$BATS_FILE_TMPDIR/console" $(shared root "$L1/root" ,readonly=on) \
		$(shared kernels "$L1/kernels" ,readonly=on) $(shared share "$SHARE") \
		-object rng-random,filename=/dev/urandom,id=rng -device virtio-rng-pci,rng=rng \
		>"$BATS_FILE_TMPDIR/qemu.log" 2>&1 </dev/null 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/pid"
	for _ in $(seq 3000); do
		[ ! -e "$SHARE/up" ] || return 0
		kill -0 "$(cat "$BATS_FILE_TMPDIR/pid")" 2>/dev/null || break
		sleep 0.1
	done
	cat "$BATS_FILE_TMPDIR/qemu.log" "$BATS_FILE_TMPDIR/console"
	return 1
}

end_l1() {
	[ -e "$BATS_FILE_TMPDIR/pid" ] || return 0
	kill "$(cat "$BATS_FILE_TMPDIR/pid")" 2>/dev/null || true
}

# show_cost: the CPU time of L1 so far, into the log. What L1 takes on quiet cores follows from it, whatever else runs here.
show_cost() {
	echo "# L1: $(awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) / tick) }' \
		"/proc/$(cat "$BATS_FILE_TMPDIR/pid")/stat") s of CPU time" >&3
}

# in_l1: runs the script of standard input in L1, shows its output, and returns its exit code.
in_l1() {
	local name=$SHARE/queue/$BATS_TEST_NUMBER-$RANDOM
	{
		echo "PATIENCE=$PATIENCE"
		echo "V='picknext vm --guest engine=qemu,$PATIENCE -w cpu_bound_4p --scale 0.02 --no-results'"
		# Nothing of a guest is there.
		echo 'left() { pgrep -l "qemu|virtiofsd|vng"; find /tmp -name "picknext-vm-*" -o -name ".guest-*"; }'
		cat
	} >"$name.new"
	mv "$name.new" "$name.sh"
	until [ -e "$name.code" ]; do
		kill -0 "$(cat "$BATS_FILE_TMPDIR/pid")" || { echo "L1 ended:" && tail -n 40 "$BATS_FILE_TMPDIR/console" "$BATS_FILE_TMPDIR/qemu.log" && return 1; }
		sleep 0.3
	done
	cat "$name.out"
	return "$(cat "$name.code")"
}
