#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm up to the first boot: the command lines that it would use, and what it refuses before any.

load no_guest

setup() {
	no_guest 7.2.22
}

vm() {
	run "$PICKNEXT" vm --mode wall-clock --guest qemu="$qemu" --guest initramfs="$BATS_TEST_TMPDIR/initramfs" -o "$out" "$@"
	echo "$output"
}

@test "vm --help: options of the guest, of collect and of build" {
	run "$PICKNEXT" vm --help
	[ "$status" -eq 0 ]
	for option in --kernel --mode --guest --workload --runs --buffer-size --scale --plan --boot --shell --dry-run; do
		has " $option "
	done
}

@test "vm: more kernels than a comparison can have are refused before the first boot" {
	need_kernel
	options=()
	for number in 1 2 3 4 5 6 7 8 9; do
		options+=(-k "k$number=$image")
	done
	vm "${options[@]}" -w cpu_bound_4p
	[ "$status" -eq 2 ]
	names "--kernel*9*8*--no-results"
	[ ! -e "$out" ]
}

@test "vm: a wrong option or value names itself and what was expected, exit 2" {
	need_kernel
	while read -r words; do
		arguments=${words%%|*} expected=${words#*|}
		# shellcheck disable=SC2086
		vm -k "$image" $arguments
		[ "$status" -eq 2 ]
		names "$expected"
		[ ! -e "$out" ]
	done <<-'END'
		--guest engine=bochs|--guest engine*auto*vng*qemu*'bochs'
		--mode xen|--mode*auto*kvm*tcg*'xen'
		--guest speed=9|--guest*speed=9*memory*append
		--guest memory=512,fast|--guest*'fast'
		--cpus 0|--cpus*1*64*'0'
		--guest memory=12|--guest memory*192
		--guest pin=yes|--guest*pin=yes*memory*append
		--keys=maybe|--keys*yes*no*if-possible*'maybe'
		--scale tiny|--scale*small*'tiny'
		--scale small:|--scale*small:
		--scale small:0|--scale*small:0
		--scale 0|--scale*'0'
		--topology cores=2|--topology*cores=2*numa*smt
		--topology numa=0|--topology*numa=0*1*8
		--topology numa=2,|--topology*'numa=2,'
		--topology numa=2,numa=2|--topology*numa=2,numa=2
		--topology smt=2x|--topology*smt=2x
		--topology distance=20|--topology*distance*numa=2
		--topology numa=2,llc=2,smt=2 --cpus 9|--topology*9*8*--cpus 8
		--topology big=2|--topology*big*little
		--topology big=0,little=2|--topology*big=0*little
		--topology big=2,little=2,smt=2 --cpus 4|--topology*little*smt
		--topology big=1,little=3 --cpus 2|--topology*2*big*little*4*--cpus 4
		-w cpu_bond_4p|cpu_bond_4p*cpu_bound_4p
		-r 0|--runs*'0'
		--scratch /tmp|--scratch
		--guest append=a`b|--guest append
		--kernle x|--kernle*--kernel
		--guest timeout=0|--guest timeout*'0'
		operand|operand*-w*--
	END
}

@test "vm: kernels that are given without -k, or are not there, are told how to be given" {
	need_kernel
	vm "$image"
	[ "$status" -eq 2 ]
	names "$image*-k"
	vm -k "$image" "$image"
	[ "$status" -eq 2 ]
	names "-k"
	vm -k "$image,$image"
	[ "$status" -eq 4 ]
	names "$image,$image*-k"
	run "$PICKNEXT" stat "$image"
	[ "$status" -eq 3 ]
	names "$image*picknext vm -k"
	[ ! -e "$out" ]
}

@test "vm: no kernel given; in a kernel tree it is that tree's" {
	vm
	[ "$status" -eq 2 ]
	has --kernel
	need_kernel
	mkdir -p "$BATS_TEST_TMPDIR/tree/arch/x86/boot"
	cd "$BATS_TEST_TMPDIR/tree"
	printf 'VERSION = 6\nPATCHLEVEL = 12\n' >Makefile
	touch Kbuild
	vm --guest engine=qemu --mode tcg --dry-run
	[ "$status" -eq 4 ]
	names "arch/x86/boot/bzImage*run make there*make O=DIR"
	cp "$image" arch/x86/boot/bzImage
	vm --guest engine=qemu --mode tcg --dry-run
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	has "$qemu "
}

@test "vm: a kernel is an image or a directory with one, with a label or without; two labels cannot be the same" {
	need_kernel
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/arch/x86/boot"
	cp "$image" "$tree/arch/x86/boot/bzImage"
	cp "$image" "$BATS_TEST_TMPDIR/old=new"
	cd "$BATS_TEST_TMPDIR"
	for kernel in "base=$image" "base=$KERNELS/6.12" "$tree" "base=$tree" old=new x=old=new; do
		vm -k "$kernel" -k "$image" --guest engine=qemu --mode tcg --dry-run
		[ "$status" -eq 0 ]
		[ "$(wc -l <<<"$output")" -eq 2 ]
	done
	# A comparison needs more runs: that is said before they are made.
	vm -k "a=$image" -k "b=$image" --runs 2 --guest engine=qemu --mode tcg --dry-run
	[ "$status" -eq 0 ]
	[[ $output == *"2 runs per kernel"*"-r 5"* ]]
	# So is that nothing can be compared without switches.
	vm -k "$image" --events sched_process_exec,power:cpu_idle --guest engine=qemu --mode tcg --dry-run
	[[ $output == *"warning: --events without sched_switch"* ]]
	vm -k "$image" --events sched:sched_s*,power:cpu_idle --guest engine=qemu --mode tcg --dry-run
	[[ $output != *"without sched_switch"* ]]
	while IFS='|' read -r kernel code expected; do
		vm -k "x=$image" -k "$kernel" --guest engine=qemu --mode tcg --dry-run
		[ "$status" -eq "$code" ]
		names "$expected"
	done <<-END
		x=$image|2|--kernel*x*
		..=$image|2|--kernel*'..'
		y=|2|--kernel*y=IMAGE
		y=$BATS_TEST_TMPDIR/bin|4|$BATS_TEST_TMPDIR/bin: *make bzImage
		$KERNELS|4|$KERNELS: *picknext fetch kernel
		y=nothing|4|nothing: *No such file
		y=6.99|4|6.99: *fetch kernel 6.99
	END
	# One of the cache, by its name.
	mkdir -p "$XDG_CACHE_HOME/picknext/kernels"
	chmod 700 "$XDG_CACHE_HOME/picknext"
	ln -s "$KERNELS/6.12" "$XDG_CACHE_HOME/picknext/kernels/6.99"
	vm -k y=6.99 --guest engine=qemu --mode tcg --dry-run
	[ "$status" -eq 0 ]
	has "$qemu "
	[ ! -e "$out" ]
}

@test "vm: more memory than this machine has is refused before any boot, exit 4" {
	need_kernel
	vm -k "$image" --guest memory=1048576 --guest engine=qemu --mode tcg
	[ "$status" -eq 4 ]
	names "--guest memory*1048576 MB*this machine has * MB"
	[ ! -e "$out" ]
}

@test "vm: buffers that do not fit into the guest's memory, with the memory that would do" {
	need_kernel
	vm -k "$image" -b 1000000 --dry-run
	[ "$status" -eq 2 ]
	names "1000000 KB*3 CPUs*1024 MB*--guest memory="
	vm -k "$image" -b 1000000 --dry-run --guest engine=qemu --guest memory="${output##*memory=}"
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
	need_kernel
	echo "just text" >"$BATS_TEST_TMPDIR/text"
	vm -k "$image" -k "$BATS_TEST_TMPDIR/text"
	[ "$status" -eq 3 ]
	[ ! -e "$out" ]
}

@test "vm: no QEMU: the package and the line that installs it, exit 4" {
	need_kernel
	# A copy, which has no fetched QEMU beside it.
	cp "$PICKNEXT" "$BATS_TEST_TMPDIR/bin/picknext"
	run env PATH="$BATS_TEST_TMPDIR/none" "$BATS_TEST_TMPDIR/bin/picknext" vm --mode wall-clock --guest initramfs="$BATS_TEST_TMPDIR/initramfs" -k "$image"
	[ "$status" -eq 4 ]
	names "qemu-system-x86_64*apt-get install qemu-system-x86"
}

@test "vm: no vng for --guest engine=vng: where to get it; auto does without" {
	need_kernel
	cp "$PICKNEXT" "$BATS_TEST_TMPDIR/bin/picknext"
	if command -v vng; then
		skip "vng is installed on this machine"
	fi
	PICKNEXT=$BATS_TEST_TMPDIR/bin/picknext
	vm -k "$image" --guest engine=vng --dry-run
	[ "$status" -eq 4 ]
	has "picknext fetch vng"
	vm -k "$image" --mode tcg --dry-run
	[ "$status" -eq 0 ]
	has "$qemu -nodefaults"
}

@test "vm: no initramfs: where it was looked for, exit 4" {
	need_kernel
	mkdir -p "$BATS_TEST_TMPDIR/alone"
	cp "$PICKNEXT" "$BATS_TEST_TMPDIR/alone/picknext"
	run "$BATS_TEST_TMPDIR/alone/picknext" vm --mode wall-clock --guest qemu="$qemu" -k "$image" --dry-run
	[ "$status" -eq 4 ]
	has "initramfs-x86_64.cpio.gz: "
	run "$PICKNEXT" vm --mode wall-clock --guest qemu="$qemu" -k "$image" --guest initramfs="$BATS_TEST_TMPDIR/none" --dry-run
	[ "$status" -eq 4 ]
	names "$BATS_TEST_TMPDIR/none: *No such file or directory"
}

@test "vm: runs and values that make no sense are refused before any boot" {
	need_kernel
	for wrong in "--runs 0" "--runs 6-24" "--runs 1001" "--runs x"; do
		# shellcheck disable=SC2086
		vm -k "a=$image" -k "b=$image" $wrong --dry-run
		[ "$status" -eq 2 ]
		names "--runs: "
	done
	vm -k "$image" --value 'a=b' --dry-run
	[ "$status" -eq 2 ]
	names "--value needs a command"
	for wrong in 'slice_p99_us=x' 'A=x' 'a=(' 'a'; do
		vm -k "$image" --value "$wrong" --dry-run -- true
		[ "$status" -eq 2 ]
		names "--value: "
	done
}

@test "vm makes as many runs as can show an effect in one of the workloads" {
	need_kernel
	few=$("$PICKNEXT" list --json | sed -n 's/^    "name": "\(.*\)",$/\1/p' | head -n 11 | paste -sd ,)
	for seeds in "6 -w $few" "7 -w $few,rt_rr" "4 -w $few --runs 4" 7; do
		read -r count words <<<"$seeds"
		# shellcheck disable=SC2086
		vm --mode tcg --plan -k "$image" $words
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$(grep -c -- ' --boot=' <<<"$output")" -eq "$count" ]
	done
}

@test "vm --dry-run: plain QEMU's command line, with what makes a TCG guest steady" {
	need_kernel
	vm -k "$image" --guest engine=qemu --mode tcg --dry-run
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	for part in "-nodefaults -no-user-config -no-reboot -display none" "-M q35" "-smp 3" "-m 1024M" \
		"-accel tcg,thread=single" "-cpu qemu64,-cx16" "console=ttyS0" "tsc=reliable" "panic=-1" "oops=panic" "no_timer_check" \
		"isolcpus=managed_irq,domain,2 irqaffinity=0-1 nohz_full=2 rcu_nocbs=2" \
		"name=picknext.progress" "name=virtme.ret" "mount_tag=virtme.initmount0" "virtme_initmount0=/tmp/share" \
		"virtme.exec=\`$(printf '/bin/picknext guest' | base64)\`"; do
		has "$part"
	done
	[ ! -e "$out" ]
	[ -z "$(find "$BATS_TEST_TMPDIR" -name 'picknext-vm-*')" ]
}

@test "vm: 6 runs and a small scale by default, unlike collect" {
	run "$PICKNEXT" vm --help
	names "--runs*(default: 6)*--scale*(default: small)"
	run "$PICKNEXT" collect --help
	names "--runs*(default: 3)*--scale*(default: 1)"
}

@test "vm --dry-run --topology: sockets, cores and threads for each cache, memory for each node, the tracer's CPU beside them" {
	need_kernel
	printf '#!/bin/sh\necho "virtme-ng 1.35"\n' >"$BATS_TEST_TMPDIR/bin/vng"
	chmod 755 "$BATS_TEST_TMPDIR/bin/vng"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	for engine in qemu vng; do
		vm -k "$image" --guest engine=$engine --mode tcg --dry-run --cpus 8 --guest memory=1001 --topology numa=2,llc=2,smt=2,distance=30
		[ "$status" -eq 0 ]
		for part in "9,sockets=5,cores=1,threads=2,maxcpus=10" "-numa node,nodeid=0,cpus=0-3,memdev=picknext-memory0 " \
			"-numa node,nodeid=1,cpus=4-9,memdev=picknext-memory1 " "memory0,size=500M " "memory1,size=501M " \
			"-numa dist,src=0,dst=1,val=30" "vendor=GenuineIntel" "nr_cpus=9" "isolcpus=managed_irq,domain,8"; do
			has "$part"
		done
	done
	# One socket for the tracer, none without a CPU of its own.
	vm -k "$image" --guest engine=qemu --mode tcg --dry-run --cpus 4 --topology smt=2
	has "-smp 5,sockets=2,cores=2,threads=2,maxcpus=8"
	vm -k "$image" --guest engine=qemu,isolation=none --mode tcg --dry-run --cpus 4 --topology smt=2
	has "-smp 4,sockets=1,cores=2,threads=2,maxcpus=4"
	[[ "$output" != *" -numa "* ]]
}

@test "vm --topology: big and little CPUs are refused for kernels of x86-64, by name" {
	need_kernel
	vm -k "$image" --dry-run --cpus 4 --topology big=2,little=2
	[ "$status" -eq 3 ]
	names "--topology*x86-64*big and little"
}

@test "vm --dry-run: the line is quoted for a shell" {
	need_kernel
	vm -k "$image" --guest engine=qemu --mode tcg --dry-run --guest append="quiet a=b"
	[ "$status" -eq 0 ]
	words=$(eval "printf '%s\n' $output")
	[ "$(head -n 1 <<<"$words")" = "$qemu" ]
	grep -q '^console=ttyS0 .* quiet a=b .*`$' <<<"$words"
}

@test "vm --dry-run: cpus, memory and newer QEMU are in it" {
	need_kernel
	fake_qemu "$qemu" 10.0.2
	vm -k "$image" --guest engine=qemu --mode tcg --dry-run --cpus 1 --guest memory=512
	[ "$status" -eq 0 ]
	for part in "-smp 2" "-m 512M" "isolcpus=managed_irq,domain,1 irqaffinity=0 " "-cpu qemu64 "; do
		has "$part"
	done
}

@test "vm --dry-run: vng's command line" {
	need_kernel
	printf '#!/bin/sh\necho "virtme-ng 1.35"\n' >"$BATS_TEST_TMPDIR/bin/vng"
	chmod 755 "$BATS_TEST_TMPDIR/bin/vng"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	vm -k "$image" --guest engine=vng --mode tcg --dry-run
	[ "$status" -eq 0 ]
	for part in "env HOME=$TMPDIR/picknext-vm-" "/bin/vng --run " "--skip-modules --disable-kvm --force-9p" "--cpus 3" \
		"--root $TMPDIR/picknext-vm-XXXXXX/root" "security_model=mapped-file" "virtme_initmount0=/tmp/share" "--exec '/bin/picknext guest'" "'--qemu-opts=-initrd " "isolcpus=managed_irq,domain,2"; do
		has "$part"
	done
	# auto takes it
	vm -k "$image" --mode tcg --dry-run
	has "/bin/vng --run "
	# one that does not start is passed over
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/vng"
	vm -k "$image" --mode tcg --dry-run
	[ "$status" -eq 0 ]
	has "$qemu -nodefaults"
}

@test "vm: modules of another release, and none" {
	need_kernel
	mkdir -p "$BATS_TEST_TMPDIR/m/lib/modules/1.2.3/kernel"
	vm -k "$image" --guest modules="$BATS_TEST_TMPDIR/m" --dry-run
	[ "$status" -eq 2 ]
	has "1.2.3"
}

@test "vm: what is no initramfs, or only a part of one, is told before any boot" {
	need_kernel
	for file in "$PICKNEXT" /dev/null "$BATS_TEST_DIRNAME/command_line.bats"; do
		vm -k "$image" --guest initramfs="$file" --dry-run
		[ "$status" -eq 3 ]
		has "$file: "
	done
	[ -e "$TOP/build/initramfs-x86_64.cpio.gz" ] || skip "no initramfs (make)"
	head -c 400000 "$TOP/build/initramfs-x86_64.cpio.gz" >"$BATS_TEST_TMPDIR/part"
	vm -k "$image" --guest initramfs="$BATS_TEST_TMPDIR/part" --dry-run
	[ "$status" -eq 3 ]
	has "$BATS_TEST_TMPDIR/part: "
	[ ! -e "$out" ]
}

@test "vm: a --guest qemu that is none" {
	need_kernel
	printf '#!/bin/sh\necho "some program 1.2"\n' >"$qemu"
	vm -k "$image" --dry-run
	[ "$status" -eq 4 ]
	has "$qemu: "
}

# added ARGUMENTS...: what would go into the guest, a path a line.
added() {
	"$PICKNEXT" vm --guest qemu="$qemu" --guest engine=qemu --mode tcg --guest initramfs="$BATS_TEST_TMPDIR/initramfs" -k "$image" \
		--dry-run -v "$@" 2>&1 | sed -n 's/^into the guest: \(.*\) as .*/\1/p' | sort
}

@test "vm --add: real programs bring the libraries that the machine's own linker gives them" {
	need_kernel
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
	need_kernel
	printf '#!/bin/sh\necho hello\n' >"$BATS_TEST_TMPDIR/bin/hello"
	chmod 755 "$BATS_TEST_TMPDIR/bin/hello"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	cd "$BATS_TEST_TMPDIR"
	for words in "-- hello" "-a hello -- hello" "-- ./bin/hello" "-a bin/hello:/opt/x -- x" "-a $PWD/bin -- $PWD/bin/hello"; do
		# shellcheck disable=SC2086
		added $words >"$BATS_TEST_TMPDIR/added"
		[ "$(grep -c "/bin/hello$" "$BATS_TEST_TMPDIR/added")" -eq 1 ]
	done
}

@test "vm -- COMMAND: one that is neither here nor in the guest, that is no program, that lacks a library" {
	need_kernel
	cd "$BATS_TEST_TMPDIR"
	vm -k "$image" --dry-run -- no-such-program
	[ "$status" -eq 4 ]
	names "no-such-program: *PATH"
	vm -k "$image" --guest engine=qemu --dry-run -- guest-program
	[ "$status" -eq 0 ]
	vm -k "$image" --dry-run -- ./nothing
	[ "$status" -eq 4 ]
	has "./nothing: "
	echo text >text
	vm -k "$image" --dry-run -- ./text
	[ "$status" -eq 3 ]
	names "text: *ELF"
	printf '#!/nowhere/interpreter\n' >text
	vm -k "$image" --dry-run -- ./text
	[ "$status" -eq 4 ]
	names "text: */nowhere/interpreter"
	cp "$(command -v ls)" program
	python3 - <<-'END'
		data = open("program", "rb").read()
		open("program", "wb").write(data.replace(b"\0libc.so.6\0", b"\0libq.so.6\0"))
	END
	vm -k "$image" --dry-run -- ./program
	[ "$status" -eq 4 ]
	names "program: *libq.so.6"
}

@test "vm: options that contradict a command, and places that files cannot have" {
	need_kernel
	cd "$BATS_TEST_TMPDIR"
	echo x >some-file
	while IFS='|' read -r words expected; do
		# shellcheck disable=SC2086
		vm -k "$image" --dry-run $words
		[ "$status" -eq 2 ]
		names "$expected"
	done <<-'END'
		--no-trace|--no-trace*-- COMMAND
		--shell -- true|--shell
		-w exec:x|exec:x
		-w cpu_bound_4p -- true|exec:NAME to -w
		-a some-file:/init|/init
		-a some-file:/proc/x|/proc/x
		-a some-file:relative|'relative'
		-a some-file:/a/../b|/a/../b
		-a some-file:/x -a initramfs:/x|some-file*/x
		-a some-file:/x -a initramfs:/x/y|initramfs*/x/y
	END
}

@test "vm: what is added must fit into the guest's memory" {
	need_kernel
	truncate -s 300M "$BATS_TEST_TMPDIR/large"
	vm -k "$image" --guest engine=qemu --mode tcg --dry-run -a "$BATS_TEST_TMPDIR/large"
	[ "$status" -eq 2 ]
	names "--add*300 MB*1024 MB*--guest memory="
	vm -k "$image" --guest engine=qemu --mode tcg --dry-run --guest memory="${output##*memory=}" -a "$BATS_TEST_TMPDIR/large"
	[ "$status" -eq 0 ]
}
