#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Both engines, both accelerators' choice, every way out of the guest.
# seconds: 75

# shellcheck disable=SC2016 # what runs in a guest or another shell is in single quotes on purpose

load vm

setup() {
	make_short_tmpdir
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	out=$BATS_TEST_TMPDIR/out
}

teardown() {
	rm -rf "$TMPDIR"
}

# One kernel's directory in $out.
only() {
	find "$out" -mindepth 1 -maxdepth 1 -type d
}

traces() {
	find "$out" -path '*/raw/*.dat' | wc -l
}

# check_ends_planted: until the guest of $pid has ended; files that are not its traces make it exit 6.
check_ends_planted() {
	local code=0
	check_planted "$out"
	wait "$pid" || code=$?
	[ "$code" -eq 6 ]
}

@test "vng: the same guest and the same files as under plain QEMU; a user's own configuration changes nothing" {
	local directory metadata
	need_vm 6.12
	need_vng
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -p "$HOME/.config/virtme-ng"
	echo '{"default_opts": {"cpus": "1", "memory": "64M"}}' >"$HOME/.config/virtme-ng/virtme-ng.conf"
	vm -k "$(kernel 6.12)" --guest engine=vng -w cpu_bound_4p,hackbench_pipe_small --scale 0.003 --duration 0.1 -r 1 --no-results -o "$out"
	[ "$(traces)" -eq 2 ]
	directory=$(only)
	[ "$(json "$directory/vm.json" 'd["engine"], d["transport"], d["share"]')" = "('vng', 'share', '9p')" ]
	[ "$(boots "$directory" 'd[0]["end"], d[0]["job_exit"]')" = "('done', 0)" ]
	metadata=$directory/raw/cpu_bound_4p_run1.json
	[ "$(json "$metadata" 'd["clocksource"], d["cpus_isolated"], d["cpu_tracer"], d["accelerator"]')" = \
		"('tsc', '2', 2, 'tcg')" ]
	[ "$(json "$metadata" 'd["num_cpus"]')" -eq 3 ]
	grep -q 'Linux version' "$directory/console/run1.log"
	# vng's QEMU is not a child of picknext; its pid file names it.
	grep -q '"host_wait_share": 0' "$directory/boots/run1.json" || [ "$(host_counts)" = no ]
	check_nothing_left
}

# A copy of a kernel's modules without those that match a pattern.
modules_without() { # LINE PATTERN TO
	local from release
	from=$(readlink -f "$(find -L "$KERNELS/$1" -path '*lib/modules/*' -name kernel -type d | head -n 1)/..")
	release=$(basename "$from")
	mkdir -p "$3/lib/modules/$release"
	cp -r "$from/." "$3/lib/modules/$release/"
	find "$3" -name "$2" -delete
}

# The engine does not matter to shared memory: deterministic guests have it under plain QEMU.
@test "a kernel without 9p, virtiofs and block devices: shared memory carries the traces" {
	local engine=qemu trace
	need_vm 6.1
	need_trace_cmd
	modules_without 6.1 '9p*.ko*' "$BATS_TEST_TMPDIR/m"
	find "$BATS_TEST_TMPDIR/m" '(' -name 'virtiofs.ko*' -o -name 'null_blk.ko*' -o -name 'virtio_blk.ko*' ')' -delete
	if have_vng; then engine=vng; fi
	run vm -k "$(kernel 6.1)" --guest modules="$BATS_TEST_TMPDIR/m" --guest engine=$engine -w cpu_bound_4p,io_mixed --scale 0.01 -r 1 -o "$out"
	[ "$status" -eq 0 ]
	[ "$(json "$(only)/vm.json" 'd["transport"], d["share"]')" = "('shared-memory', None)" ]
	[ "$(boots "$(only)" 'd[0]["traces"], d[0]["incomplete_files"]')" = "(2, 0)" ]
	for trace in "$(only)"/raw/*.dat; do
		[ "$(trace-cmd report "$trace" 2>/dev/null | grep -c ' sched_switch: ')" -eq \
			"$(json "${trace%.dat}.json" 'd["sched_switch_events"]')" ]
	done
	# Nor has it a block device: its I/O is another workload, and said to be.
	[[ "$output" == *io_mixed*CONFIG_BLK_DEV_NULL_BLK* ]]
	[ "$(json "$(only)/raw/io_mixed_run1.json" 'd["scratch"]["kind"]')" = file ]
}

# virtiofsd is a child of picknext under each engine, and lines.bats has it under plain QEMU.
@test "a kernel with virtiofs and without 9p: the shared directory comes by virtiofs" {
	local engine=qemu
	need_vm 6.12
	[ -x /usr/libexec/virtiofsd ] || [ -x /usr/lib/qemu/virtiofsd ] || skip "no virtiofsd"
	[ -x /usr/libexec/virtiofsd ] || [ "$(id -u)" -eq 0 ] || skip "QEMU's old virtiofsd needs root"
	modules_without 6.12 '9p*.ko*' "$BATS_TEST_TMPDIR/m"
	initramfs_with "$BATS_TEST_TMPDIR/ird" "$plant"
	if have_vng; then engine=vng; fi
	"$PICKNEXT" vm --mode tcg -k "$(kernel 6.12)" --guest modules="$BATS_TEST_TMPDIR/m" --guest engine=$engine \
		--guest initramfs="$BATS_TEST_TMPDIR/ird" -w "hackbench_pipe_small,$naps" --scale 0.01 --duration 5 -r 1 -o "$out" 3>&- &
	pid=$!
	check_ends_planted
	[ "$(json "$(only)/vm.json" 'd["engine"], d["transport"], d["share"]')" = "('$engine', 'share', 'virtiofs')" ]
	[ "$(boots "$(only)" 'd[0]["traces"]')" = 2 ]
	check_nothing_left
}

@test "two kernels get directories of their own, and end with their comparison and its report, the first as base" {
	need_vm 6.12
	vm -k "new=$KERNELS/6.12" --guest engine=qemu -w cpu_bound_4p --scale 0.01 -r 1 -o "$out"
	before=$(stat -c %i "$out/new/raw/"*.dat)
	vm -k "$(kernel 6.12)" -k "new=$KERNELS/6.12" --guest engine=qemu -w cpu_bound_4p --scale 0.02 -r 1 -o "$out" 2>"$BATS_TEST_TMPDIR/others" && return 1
	cat "$BATS_TEST_TMPDIR/others"
	grep "$out/new: .*inputs.*the job.*--force" "$BATS_TEST_TMPDIR/others"
	[ "$(ls "$out")" = new ]
	vm -k "new=$KERNELS/6.12" -k "$(kernel 6.12)" --guest engine=qemu -w cpu_bound_4p --scale 0.01 -r 1 -o "$out" >"$BATS_TEST_TMPDIR/end" 2>"$BATS_TEST_TMPDIR/messages"
	cat "$BATS_TEST_TMPDIR/messages" "$BATS_TEST_TMPDIR/end"
	# Runs that were there are not run again.
	grep '^new: 1 of 1 runs are there already' "$BATS_TEST_TMPDIR/messages"
	[ "$(stat -c %i "$out/new/raw/"*.dat)" = "$before" ]
	release=$(json "$out/new/vm.json" 'd["kernel"]["release"]')
	[ "$(json "$out/new/vm.json" 'd["label"], d["number"]')" = "('new', 0)" ]
	[ "$(json "$out/$release/vm.json" 'd["label"], d["number"]')" = "(None, 1)" ]
	[ "$(find "$out/new/raw" "$out/$release/raw" -name 'cpu_bound_4p_run?.dat' | wc -l)" -eq 2 ]
	# A line for each kernel, then what compare prints, and where the page is.
	grep -n "^new: 1 run.*$out/new$" "$BATS_TEST_TMPDIR/end" | grep ^1:
	grep -n "^$release: 1 run.*$out/$release$" "$BATS_TEST_TMPDIR/end" | grep ^2:
	"$PICKNEXT" compare "$out" >"$BATS_TEST_TMPDIR/compared"
	diff <(sed '1,2d; $d' "$BATS_TEST_TMPDIR/end") "$BATS_TEST_TMPDIR/compared"
	diff <("$PICKNEXT" compare "$out/new" "$out/$release") "$BATS_TEST_TMPDIR/compared"
	tail -n 1 "$BATS_TEST_TMPDIR/end" | grep "$out/report.html$"
	"$PICKNEXT" report "$out" -o "$BATS_TEST_TMPDIR/report.html"
	cmp "$out/report.html" "$BATS_TEST_TMPDIR/report.html"
}

@test "auto without /dev/kvm: TCG, and why; vmlinux itself, modules given, three workload CPUs, an output directory with spaces, files for the sudo user" {
	need_vm 6.12
	{ [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; } || skip "needs root to hide /dev/kvm and to have a sudo user"
	out="$BATS_TEST_TMPDIR/an output, with spaces"
	mkdir "$BATS_TEST_TMPDIR/elf"
	python3 - "$(kernel 6.12)" "$BATS_TEST_TMPDIR/elf/vmlinux" <<-'END' || skip "no zstd to unpack the image"
		import struct, subprocess, sys
		image = open(sys.argv[1], "rb").read()
		offset, length = struct.unpack_from("<II", image, 0x248)
		payload = image[((image[0x1F1] or 4) + 1) * 512 + offset :][:length]
		if payload[:4] != b"\x28\xb5\x2f\xfd":
		    sys.exit(1)
		unpacked = subprocess.run(["zstd", "-dcq"], input=payload[:-4], stdout=subprocess.PIPE).stdout
		open(sys.argv[2], "wb").write(unpacked)
	END
	run env SUDO_UID=1234 SUDO_GID=1235 timeout 300 unshare -m sh -c '[ ! -e /dev/kvm ] || mount --bind "$0" /dev/kvm || exit 9; mount -o remount,bind,nodev /dev/kvm 2>/dev/null; exec "$@"' \
		/dev/null "$PICKNEXT" vm -k "$BATS_TEST_TMPDIR/elf/vmlinux" --guest engine=qemu --guest modules="$KERNELS/6.12" \
		--cpus 3 -w cpu_bound_4p --scale 0.01 -r 1 -o "$out"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *", tcg ("* ]]
	[ "$(json "$(only)/vm.json" 'd["accelerator"]')" = tcg ]
	[ "$(json "$(only)/raw/cpu_bound_4p_run1.json" 'd["accelerator"]')" = tcg ]
	[ "$(traces)" -eq 1 ]
	[ "$(json "$(only)/raw/cpu_bound_4p_run1.json" 'd["num_cpus"], d["cpus_isolated"], d["cpu_tracer"]')" = "(4, '3', 3)" ]
	[ "$(find "$out" -printf '%U %G\n' | sort -u)" = "1234 1235" ]
}

@test "auto: KVM is tried with a boot, the choice is told and right, and remembered if it lasts" {
	need_vm 6.12
	[ -w /dev/kvm ] || skip "no /dev/kvm that could be tried"
	run timeout 300 "$PICKNEXT" vm -k "$(kernel 6.12)" --guest engine=qemu -w cpu_bound_4p --scale 0.01 -r 1 -o "$out"
	[ "$status" -eq 0 ]
	chosen=$(json "$(only)/vm.json" 'd["accelerator"]')
	[[ "$output" == *", $chosen ("* ]]
	[ "$(json "$(only)/raw/cpu_bound_4p_run1.json" 'd["accelerator"]')" = "$chosen" ]
	# A QEMU that ended, with its last line, says nothing about the next time.
	if [[ "$output" == *"KVM was tried, QEMU ended after "*" s"* ]]; then
		[ ! -e "$XDG_CACHE_HOME/picknext/accelerator.json" ]
		run timeout 60 "$PICKNEXT" vm -k "$(kernel 6.12)" --guest engine=qemu --dry-run
		[[ "$output" == *"KVM is not tried with --dry-run; a launch tries it first"* ]]
		return
	fi
	[ "$(json "$XDG_CACHE_HOME/picknext/accelerator.json" 'd["accelerator"]')" = "$chosen" ]
	run timeout 60 "$PICKNEXT" vm -k "$(kernel 6.12)" --guest engine=qemu --dry-run
	[ "$status" -eq 0 ]
	[[ "$output" == *"-accel $chosen"* ]]
	# what was remembered for another machine does not count
	sed -i 's/"machine": "/"machine": "x/' "$XDG_CACHE_HOME/picknext/accelerator.json"
	run timeout 60 "$PICKNEXT" vm -k "$(kernel 6.12)" --guest engine=qemu --dry-run
	[[ "$output" == *KVM* ]]
}

@test "no root is needed" {
	need_vm 6.12
	{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root to become somebody else"
	mkdir -m 777 "$out"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
	chmod 1777 "$TMPDIR"
	# Its first guest dies before its first run.
	initramfs_with "$BATS_TEST_TMPDIR/ird" "$die_once $plant"
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${user[@]}" test -r "$(kernel 6.12)" -a -x "$PICKNEXT" || skip "nobody cannot read the kernel or run picknext here"
	"${user[@]}" env HOME=/nonexistent "$PICKNEXT" vm -k "$(kernel 6.12)" --guest engine=qemu \
		--guest initramfs="$BATS_TEST_TMPDIR/ird" -w "hackbench_pipe_small,$naps" --scale 0.01 --duration 5 -r 1 -o "$out" 3>&- &
	pid=$!
	check_ends_planted
	[ "$(traces)" -eq 2 ]
	[ "$(boots "$(only)" 'd[0]["end"], d[0]["traces"], "sysrq triggered crash" in d[0]["died_before"]')" = "('done', 2, True)" ]
	check_nothing_left
	[ "$(stat -c %u "$(only)/raw/mix_run1.dat")" -eq 65534 ]
}

@test "shell: a shell in the guest, fed from a pipe" {
	need_vm 6.12
	for engine in qemu vng; do
		[ $engine = qemu ] || have_vng || continue
		run vm -k "$(kernel 6.12)" --guest engine=$engine --shell -o "$out" <<-'END'
			echo the answer is $((6 * 7)) on $(uname -r)
			picknext --version
			exit
		END
		[ "$status" -eq 0 ]
		[[ "$output" == *"the answer is 42 on 6.12"* ]]
		[[ "$output" == *"$("$PICKNEXT" --version)"* ]]
	done
	check_nothing_left
}
