#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm up to the first boot: the command lines that it would use, and what it refuses before any.

setup() {
	TOP=$(readlink -f "$BATS_TEST_DIRNAME/../..")
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	KERNELS=${PICKNEXT_KERNELS:-$TOP/build/kernels}
	out=$BATS_TEST_TMPDIR/out
	export TMPDIR=$BATS_TEST_TMPDIR XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	unset XDG_RUNTIME_DIR
	# What every test may use: a program that says it is a QEMU, so that no test here needs one.
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	qemu=$BATS_TEST_TMPDIR/bin/qemu-system-x86_64
	fake_qemu 7.2.22
	# An archive of one file: the name of a program that the guest has.
	printf '070701%0104d\0/guest-program\0TRAILER!!!\0' 0 >"$BATS_TEST_TMPDIR/initramfs"
}

fake_qemu() {
	printf '#!/bin/sh\necho "QEMU emulator version %s (Debian)"\n' "$1" >"$qemu"
	chmod 755 "$qemu"
}

# kernel LINE: the image of Debian's kernel of that line; skips where there is none.
kernel() {
	local image
	image=$(find -L "$KERNELS/$1/boot" "$KERNELS/$1/usr/lib/modules" -maxdepth 2 -name 'vmlinuz*' -type f 2>/dev/null |
		sort | head -n 1)
	echo "$image"
}

need_kernel() {
	image=$(kernel "$1")
	[ -n "$image" ] || skip "no kernel $1 (vm/fetch-kernel $1)"
}

vm() {
	run "$PICKNEXT" vm --qemu "$qemu" --initramfs "$BATS_TEST_TMPDIR/initramfs" -o "$out" "$@"
	echo "$output"
}

# has WORDS: the output holds them, one after the other.
has() {
	[[ "$output" == *"$1"* ]]
}

@test "vm --help: options of the guest, of collect and of build" {
	run "$PICKNEXT" vm --help
	[ "$status" -eq 0 ]
	for option in --kernel --engine --accelerator --transport --workload --runs --buffer-size --scale --train-ratio \
		--seed --shell --dry-run --boot-timeout --silence-timeout; do
		has " $option "
	done
}

@test "vm: a wrong option or value names itself and what was expected, exit 2" {
	need_kernel 6.12
	while read -r words; do
		arguments=${words%%|*} expected=${words#*|}
		# shellcheck disable=SC2086
		vm -k "$image" $arguments
		[ "$status" -eq 2 ]
		has "$expected"
		[ ! -e "$out" ]
	done <<-'END'
		--engine bochs|--engine: expected one of auto|vng|qemu, not 'bochs'
		--accelerator xen|--accelerator: expected one of auto|kvm|tcg, not 'xen'
		--transport pigeon|--transport: expected one of auto|share|port, not 'pigeon'
		--cpus 0|--cpus: expected a whole number from 1 to 64, not '0'
		--memory 12|--memory: expected a whole number from 192
		-w cpu_bond_4p|did you mean cpu_bound_4p?
		-r 0|--runs: expected
		--train-ratio 1.5|--train-ratio: expected
		--seed x|--seed: expected a whole number, not 'x'
		--scratch /tmp|--scratch: a guest makes a scratch device of its own
		--append a`b|--append: quotes and the shell's own letters cannot be used
		--kernle x|did you mean --kernel?
		--boot-timeout 0|--boot-timeout: expected
		operand|operand: unexpected argument; workloads are named with -w; a command of your own comes behind --
	END
}

@test "vm: no kernel given" {
	vm
	[ "$status" -eq 2 ]
	has "give one with --kernel IMAGE"
}

@test "vm: buffers that do not fit into the guest's memory, with the memory that would do" {
	need_kernel 6.12
	vm -k "$image" -b 1000000 --dry-run
	[ "$status" -eq 2 ]
	has "1000000 KB on each of 3 CPUs do not fit into 1024 MB of memory; give the guest more: --memory "
	vm -k "$image" -b 1000000 --dry-run --engine qemu --memory "${output##*--memory }"
	[ "$status" -eq 0 ]
}

@test "vm: an image that is no kernel, and one that is missing" {
	echo "just text" >"$BATS_TEST_TMPDIR/text"
	vm -k "$BATS_TEST_TMPDIR/text"
	[ "$status" -eq 3 ]
	has "$BATS_TEST_TMPDIR/text: "
	vm -k "$BATS_TEST_TMPDIR/nothing"
	[ "$status" -eq 4 ]
	has "No such file or directory"
	mkdir "$BATS_TEST_TMPDIR/folder"
	vm -k "$BATS_TEST_TMPDIR/folder"
	[ "$status" -ne 0 ]
	[ ! -e "$out" ]
}

@test "vm: a bad second kernel is refused before the first boots" {
	need_kernel 6.12
	echo "just text" >"$BATS_TEST_TMPDIR/text"
	vm -k "$image" -k "$BATS_TEST_TMPDIR/text"
	[ "$status" -eq 3 ]
	[ ! -e "$out" ]
}

@test "vm: no QEMU: the package and the line that installs it, exit 4" {
	need_kernel 6.12
	run env PATH="$BATS_TEST_TMPDIR/none" "$PICKNEXT" vm --initramfs "$BATS_TEST_TMPDIR/initramfs" -k "$image"
	[ "$status" -eq 4 ]
	has "qemu-system-x86_64: is not installed; as root: apt-get install qemu-system-x86"
}

@test "vm: no vng for --engine vng: where to get it; auto does without" {
	need_kernel 6.12
	cp "$PICKNEXT" "$BATS_TEST_TMPDIR/bin/picknext"
	if command -v vng; then
		skip "vng is installed on this machine"
	fi
	PICKNEXT=$BATS_TEST_TMPDIR/bin/picknext
	vm -k "$image" --engine vng --dry-run
	[ "$status" -eq 4 ]
	has "vm/fetch-vng"
	vm -k "$image" --accelerator tcg --dry-run
	[ "$status" -eq 0 ]
	has "$qemu -nodefaults"
}

@test "vm: no initramfs: where it was looked for, exit 4" {
	need_kernel 6.12
	mkdir -p "$BATS_TEST_TMPDIR/alone"
	cp "$PICKNEXT" "$BATS_TEST_TMPDIR/alone/picknext"
	run "$BATS_TEST_TMPDIR/alone/picknext" vm --qemu "$qemu" -k "$image" --dry-run
	[ "$status" -eq 4 ]
	has "initramfs.cpio.gz: is neither beside picknext"
	run "$PICKNEXT" vm --qemu "$qemu" -k "$image" --initramfs "$BATS_TEST_TMPDIR/none" --dry-run
	[ "$status" -eq 4 ]
	has "$BATS_TEST_TMPDIR/none: cannot read the initramfs: No such file or directory"
}

@test "vm --dry-run: plain QEMU's command line, with what makes a TCG guest steady" {
	need_kernel 6.12
	vm -k "$image" --engine qemu --accelerator tcg --dry-run
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	for part in "-nodefaults -no-user-config -no-reboot -display none" "-M q35" "-smp 3" "-m 1024M" \
		"-accel tcg,thread=single" "-cpu qemu64,-cx16" "console=ttyS0" "tsc=reliable" "panic=-1" \
		"isolcpus=managed_irq,domain,2 irqaffinity=0-1 nohz_full=2 rcu_nocbs=2" \
		"name=picknext.progress" "name=virtme.ret" "mount_tag=virtme.initmount0" "virtme_initmount0=/tmp/share" \
		"virtme.exec=\`$(printf 'picknext guest' | base64)\`"; do
		has "$part"
	done
	[ ! -e "$out" ]
	[ -z "$(find "$BATS_TEST_TMPDIR" -name 'picknext-vm-*')" ]
}

@test "vm --dry-run: the line is quoted for a shell" {
	need_kernel 6.12
	vm -k "$image" --engine qemu --accelerator tcg --dry-run --append "quiet a=b"
	[ "$status" -eq 0 ]
	words=$(eval "printf '%s\n' $output")
	[ "$(head -n 1 <<<"$words")" = "$qemu" ]
	grep -q '^console=ttyS0 .* quiet a=b .*`$' <<<"$words"
}

@test "vm --dry-run: cpus, memory, port and newer QEMU are in it" {
	need_kernel 6.12
	fake_qemu 10.0.2
	vm -k "$image" --engine qemu --accelerator tcg --dry-run --cpus 1 --memory 512 --transport port
	[ "$status" -eq 0 ]
	for part in "-smp 2" "-m 512M" "isolcpus=managed_irq,domain,1 irqaffinity=0 " "name=picknext.data" "-cpu qemu64 "; do
		has "$part"
	done
	[[ "$output" != *"-fsdev"* ]]
	[[ "$output" != *"virtme_initmount"* ]]
}

@test "vm --dry-run: vng's command line" {
	need_kernel 6.12
	printf '#!/bin/sh\necho "virtme-ng 1.35"\n' >"$BATS_TEST_TMPDIR/bin/vng"
	chmod 755 "$BATS_TEST_TMPDIR/bin/vng"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	vm -k "$image" --engine vng --accelerator tcg --dry-run
	[ "$status" -eq 0 ]
	for part in "env HOME=$TMPDIR/picknext-vm-" "/bin/vng --run " "--skip-modules --disable-kvm --force-9p" "--cpus 3" \
		"--rwdir=/tmp/share=" "--exec 'picknext guest'" "'--qemu-opts=-initrd " "isolcpus=managed_irq,domain,2"; do
		has "$part"
	done
	# auto takes it
	vm -k "$image" --accelerator tcg --dry-run
	has "/bin/vng --run "
	# one that does not start is passed over
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/vng"
	vm -k "$image" --accelerator tcg --dry-run
	[ "$status" -eq 0 ]
	has "$qemu -nodefaults"
}

@test "vm: modules of another release, and none" {
	need_kernel 6.12
	mkdir -p "$BATS_TEST_TMPDIR/m/lib/modules/1.2.3/kernel"
	vm -k "$image" --modules "$BATS_TEST_TMPDIR/m" --dry-run
	[ "$status" -eq 2 ]
	has "1.2.3"
}

@test "vm: what is no initramfs, or only a part of one, is told before any boot" {
	need_kernel 6.12
	for file in "$PICKNEXT" /dev/null "$BATS_TEST_DIRNAME/vm.bats"; do
		vm -k "$image" --initramfs "$file" --dry-run
		[ "$status" -eq 3 ]
		has "$file: this is no initramfs"
	done
	[ -e "$TOP/build/initramfs.cpio.gz" ] || skip "no initramfs (make)"
	head -c 400000 "$TOP/build/initramfs.cpio.gz" >"$BATS_TEST_TMPDIR/part"
	vm -k "$image" --initramfs "$BATS_TEST_TMPDIR/part" --dry-run
	[ "$status" -eq 3 ]
	has "$BATS_TEST_TMPDIR/part: "
	[ ! -e "$out" ]
}

@test "vm: a --qemu that is none" {
	need_kernel 6.12
	printf '#!/bin/sh\necho "some program 1.2"\n' >"$qemu"
	vm -k "$image" --dry-run
	[ "$status" -eq 4 ]
	has "$qemu: does not say that it is QEMU"
}

# added ARGUMENTS...: what would go into the guest, a path a line.
added() {
	"$PICKNEXT" vm --qemu "$qemu" --engine qemu --accelerator tcg --initramfs "$BATS_TEST_TMPDIR/initramfs" -k "$image" \
		--dry-run -v "$@" 2>&1 | sed -n 's/^into the guest: \(.*\) as .*/\1/p' | sort
}

@test "vm --add: real programs bring the libraries that the machine's own linker gives them" {
	need_kernel 6.12
	compared=0
	for program in hackbench sysbench stress-ng rt-app trace-cmd perf; do
		path=$(command -v "$program") || continue
		added -a "$program" >"$BATS_TEST_TMPDIR/added"
		{
			realpath "$path"
			ldd "$path" | grep -o '/[^ ]*' | xargs realpath
			PATH=$PATH:/usr/sbin:/sbin ldconfig -p | sed -n 's/.*libgcc_s.so.1 .*x86-64.* => //p' | head -n 1 | xargs -r realpath
		} | sort -u >"$BATS_TEST_TMPDIR/expected"
		diff -u "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/added"
		compared=$((compared + 1))
	done
	[ "$compared" -gt 0 ] || skip "none of the programs is installed"
}

@test "vm -- COMMAND: its program comes by itself, once, whether named by PATH or by where it is" {
	need_kernel 6.12
	printf '#!/bin/sh\necho hello\n' >"$BATS_TEST_TMPDIR/bin/hello"
	chmod 755 "$BATS_TEST_TMPDIR/bin/hello"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	cd "$BATS_TEST_TMPDIR"
	for words in "-- hello" "-a hello -- hello" "-- ./bin/hello" "-a bin/hello:/opt/x -- x" "-a bin -- $PWD/bin/hello"; do
		# shellcheck disable=SC2086
		added $words >"$BATS_TEST_TMPDIR/added"
		[ "$(grep -c "/bin/hello$" "$BATS_TEST_TMPDIR/added")" -eq 1 ]
	done
}

@test "vm -- COMMAND: one that is neither here nor in the guest, that is no program, that lacks a library" {
	need_kernel 6.12
	cd "$BATS_TEST_TMPDIR"
	vm -k "$image" --dry-run -- no-such-program
	[ "$status" -eq 4 ]
	has "no-such-program: there is no such program in PATH, nor in the guest"
	vm -k "$image" --engine qemu --dry-run -- guest-program
	[ "$status" -eq 0 ]
	vm -k "$image" --dry-run -- ./nothing
	[ "$status" -eq 4 ]
	has "./nothing: there is no such program or file"
	echo text >text
	vm -k "$image" --dry-run -- ./text
	[ "$status" -eq 3 ]
	has "is neither an ELF program nor a script"
	printf '#!/nowhere/interpreter\n' >text
	vm -k "$image" --dry-run -- ./text
	[ "$status" -eq 4 ]
	has "text: needs /nowhere/interpreter, which is not on this machine"
	cp "$(command -v ls)" program
	python3 - <<-'END'
		data = open("program", "rb").read()
		open("program", "wb").write(data.replace(b"\0libc.so.6\0", b"\0libq.so.6\0"))
	END
	vm -k "$image" --dry-run -- ./program
	[ "$status" -eq 4 ]
	has "program: needs the shared library libq.so.6, which is not on this machine; install it"
}

@test "vm: options that contradict a command, and places that files cannot have" {
	need_kernel 6.12
	cd "$BATS_TEST_TMPDIR"
	echo x >some-file
	while IFS='|' read -r words expected; do
		# shellcheck disable=SC2086
		vm -k "$image" --dry-run $words
		[ "$status" -eq 2 ]
		has "$expected"
	done <<-'END'
		--no-trace|--no-trace: needs a command to run: -- COMMAND...
		--shell -- true|--shell: takes no command
		-w exec:x|exec:x needs a command to run
		-w cpu_bound_4p -- true|name it with -w exec:NAME
		-a some-file:/init|cannot lie at /init in the guest
		-a some-file:/proc/x|cannot lie at /proc/x in the guest
		-a some-file:relative|must be a path from / without '..', not 'relative'
		-a some-file:/a/../b|must be a path from / without '..'
		-a some-file:/x -a initramfs:/x|want to be /x in the guest
		-a some-file:/x -a initramfs:/x/y|want to be /x/y in the guest
	END
}

@test "vm: what is added must fit into the guest's memory" {
	need_kernel 6.12
	truncate -s 300M "$BATS_TEST_TMPDIR/large"
	vm -k "$image" --engine qemu --accelerator tcg --dry-run -a "$BATS_TEST_TMPDIR/large"
	[ "$status" -eq 2 ]
	has "--add: 300 MB of files do not fit into 1024 MB of memory; give the guest more: --memory "
	vm -k "$image" --engine qemu --accelerator tcg --dry-run --memory "${output##*--memory }" -a "$BATS_TEST_TMPDIR/large"
	[ "$status" -eq 0 ]
}
