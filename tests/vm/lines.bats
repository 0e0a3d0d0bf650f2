#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Debian's other flavours, which `picknext fetch kernel` gets, and vng with our initramfs and a command of its user.
# hotplug.bats has the oldest and the newest line.
# seconds: 17

# shellcheck disable=SC2016 # what runs in a guest is in single quotes on purpose

load vm

setup() {
	make_short_tmpdir
	out=$BATS_TEST_TMPDIR/out
	bats_require_minimum_version 1.5.0
}

teardown() {
	rm -rf "$TMPDIR"
}

# collects LINE SHARE: the kernel's traces come out whole, on the clock that was asked for, with block I/O where it belongs.
collects() {
	need_vm "$1"
	vm -k "$(kernel "$1")" --guest engine=qemu -w cpu_bound_4p,io_mixed --duration 0.5 -r 1 -o "$out"
	directory=$(find "$out" -mindepth 1 -maxdepth 1 -type d)
	[ "$(boots "$directory" 'd[0]["end"], d[0]["traces"], d[0]["incomplete_files"]')" = "('done', 2, 0)" ]
	[ "$(json "$directory/raw/io_mixed_run1.json" 'd["scratch"]["kind"], d["trace_clock"]')" = "('null_blk', 'mono')" ]
	[ "$(json "$directory/vm.json" 'd["transport"], d["share"]')" = "('share', '$2')" ]
	[ "$(json "$directory/raw/io_mixed_run1.json" 'd["clocksource"].startswith("tsc")')" = True ]
	[ "$(json "$directory/raw/io_mixed_run1.json" 'd["sched_switch_events"] > 0')" = True ]
	check_nothing_left
}

@test "a -cloud kernel of 6.12: LZ4 or zstd, no 9p" {
	collects 6.12-cloud-amd64 virtiofs
}

# Its modules are those of the -amd64 kernel, which many tests boot.
# bats test_tags=long
@test "an -rt kernel of 6.1" {
	collects 6.1-rt-amd64 9p
}

@test "vng runs any command in our initramfs: streams apart, its exit status, its host name" {
	need_vm 6.12
	need_vng
	vng=$(dirname "$PICKNEXT")/vng/vng
	[ -x "$vng" ] || vng=vng
	mkdir -p home
	run --separate-stderr env HOME="$PWD/home" timeout -k 10 150 setsid -w "$vng" -r "$(kernel 6.12)" --skip-modules \
		--disable-kvm --force-9p --disable-monitor --cpus 1 --memory 256M --name some-guest \
		--append tsc=reliable --append no_timer_check --exec 'echo out $(hostname) $(uname -r); echo err >&2; exit 7' \
		--qemu-opts="-initrd $(dirname "$PICKNEXT")/initramfs-x86_64.cpio.gz -cpu qemu64,-cx16 -accel tcg,thread=single" \
		</dev/null
	[ "$status" -eq 7 ]
	[[ "$output" == *"out some-guest 6.12."* ]]
	[[ "$stderr" == *"err"* ]]
	[[ "$output" != *"err"* ]]
}
