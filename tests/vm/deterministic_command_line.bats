#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext vm --mode deterministic and picknext verify up to the first boot: what they refuse, and with what remedy.

# shellcheck disable=SC2030,SC2031 # each test is a process of its own

load no_guest

setup() {
	no_guest 10.0.2
}

vm() {
	run "$PICKNEXT" vm -k "$image" --guest initramfs="$BATS_TEST_TMPDIR/initramfs" -o "$out" --mode deterministic "$@"
	echo "$output"
}

@test "vm --mode deterministic: what it does not go with, and bad seeds, exit 2" {
	need_kernel
	while read -r words; do
		arguments=${words%%|*} expected=${words#*|}
		# shellcheck disable=SC2086
		vm --guest qemu="$qemu" $arguments
		[ "$status" -eq 2 ]
		names "$expected"
		[ ! -e "$out" ]
	done <<-'END'
		--seeds 3-1|--seed*'3-1'*999999
		--seeds 1,2,1|--seed*1
		--seeds x|--seed*'x'
		--runs 3 --seeds 1,2|--runs 3*--seeds 1,2
		--runs 1000000|--runs
		--shell|--shell
		--guest engine=vng|--guest engine*deterministic
		--cpus 9|--cpus*8
		--jobs 0|--jobs
		--until slice_p50|--until*slice_p50*METRIC
		--until involuntary_shar>4|--until*involuntary_share
		--until slice_p50_us>3%|--until*change*slice_p50_us
	END
	run "$PICKNEXT" vm -k "$image" --mode wall-clock --until 'involuntary_share > 40%'
	[ "$status" -eq 2 ]
	names "--until*deterministic"
	run "$PICKNEXT" vm -k "$image" --mode wall-clock --seeds 1
	[ "$status" -eq 2 ]
	names "--seed*deterministic"
	run "$PICKNEXT" vm -k "$image" --seeds 1 --guest engine=qemu --guest engine=vng
	[ "$status" -eq 2 ]
	names "--guest engine*deterministic"
}

# A child's lack of memory is not a missing or broken program, and no other one takes its place.
@test "vm --dry-run: a QEMU or vng that has too little memory ends in 75, a broken one does not" {
	need_kernel
	for how in 'echo "qemu: error while loading shared libraries: a.so: failed to map segment from shared object" >&2; exit 127' \
		'echo "qemu: qemu_thread_create: Resource temporarily unavailable" >&2; kill -ABRT $$' \
		'echo MemoryError >&2; exit 1' 'kill -SEGV $$'; do
		for mode in auto deterministic tcg; do
			printf '#!/bin/sh\n%s\n' "$how" >"$qemu"
			run sh -c 'ulimit -v 2000000; exec "$@"' sh "$PICKNEXT" vm -k "$image" -o "$out" --dry-run \
				--guest initramfs="$BATS_TEST_TMPDIR/initramfs" --guest qemu="$qemu" --mode "$mode"
			echo "$output"
			[ "$status" -eq 75 ]
			names "too little memory*ulimit"
		done
		fake_qemu "$qemu" 10.0.2
		cp "$qemu" "$BATS_TEST_TMPDIR/bin/vng"
		printf '#!/bin/sh\n%s\n' "$how" >"$BATS_TEST_TMPDIR/bin/vng"
		PATH=$BATS_TEST_TMPDIR/bin:$PATH run sh -c 'ulimit -v 2000000; exec "$@"' sh "$PICKNEXT" vm -k "$image" \
			-o "$out" --dry-run --guest initramfs="$BATS_TEST_TMPDIR/initramfs" --guest qemu="$qemu" --mode tcg
		echo "$output"
		[ "$status" -eq 75 ]
	done
	printf '#!/bin/sh\nexit 1\n' >"$qemu"
	vm --dry-run --guest qemu="$qemu"
	[ "$status" -eq 3 ]
}

# default_mode WORDS...: "deterministic" or "wall-clock", by the command line of QEMU, and what was said of it.
default_mode() {
	run "$PICKNEXT" vm -k "$image" --guest initramfs="$BATS_TEST_TMPDIR/initramfs" -o "$out" --dry-run "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	mode=wall-clock
	[[ "$output" != *"-icount "* ]] || mode=deterministic
}

@test "vm: deterministic where a QEMU for it is found; what asks for wall-clock time gets it; one line says why" {
	need_kernel
	default_mode --guest qemu="$qemu"
	[ "$mode" = deterministic ]
	names "QEMU 10.0.2*KVM*--mode wall-clock"
	default_mode --guest qemu="$qemu" --mode tcg
	[ "$mode" = wall-clock ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	default_mode --guest qemu="$qemu" --mode deterministic
	[ "$mode" = deterministic ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	default_mode --guest qemu="$qemu" --seeds 3
	[ "$mode" = deterministic ]
	for words in "--guest engine=qemu" "--cpus 9" "--shell" "--no-trace -- true"; do
		# shellcheck disable=SC2086
		default_mode --guest qemu="$qemu" $words
		[ "$mode" = wall-clock ]
		names "${words%% *}"
	done
	fake_qemu "$qemu" 7.2.22
	default_mode --guest qemu="$qemu"
	[ "$mode" = wall-clock ]
	names "QEMU 10*$qemu*7.2.22*picknext fetch qemu"
	run "$PICKNEXT" vm -k "$image" --guest qemu="$qemu" -o "$out" --mode deterministic --dry-run
	[ "$status" -eq 4 ]
}

@test "vm --mode deterministic: a QEMU that is too old, or none: what gets a newer one, exit 4" {
	need_kernel
	fake_qemu "$qemu" 7.2.22
	# Another picknext, so that none of build/qemu lies beside it.
	mkdir -p "$BATS_TEST_TMPDIR/alone"
	cp "$PICKNEXT" "$BATS_TEST_TMPDIR/alone/"
	PICKNEXT=$BATS_TEST_TMPDIR/alone/picknext
	vm --guest qemu="$qemu"
	[ "$status" -eq 4 ]
	names "--mode deterministic*QEMU 10*$qemu*7.2.22*picknext fetch qemu"
	PATH=$BATS_TEST_TMPDIR/bin vm
	[ "$status" -eq 4 ]
	names "7.2.22*picknext fetch qemu"
	PATH=$BATS_TEST_TMPDIR/none vm
	[ "$status" -eq 4 ]
	names "QEMU 10*picknext fetch qemu"
	# The one that picknext fetch got is taken then, or the one beside it, which comes first.
	mkdir -p "$XDG_CACHE_HOME/picknext/qemu" "$BATS_TEST_TMPDIR/alone/qemu"
	chmod 700 "$XDG_CACHE_HOME/picknext"
	fake_qemu "$XDG_CACHE_HOME/picknext/qemu/qemu-system-x86_64" 10.0.9
	cp "$TOP/build/lockstep.so" "$BATS_TEST_TMPDIR/alone/"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH vm --dry-run
	[ "$status" -eq 0 ]
	has "$XDG_CACHE_HOME/picknext/qemu/qemu-system-x86_64 "
	rm "$BATS_TEST_TMPDIR/alone/lockstep.so"
	# It runs with a library of ours.
	fake_qemu "$BATS_TEST_TMPDIR/alone/qemu/qemu-system-x86_64" 10.1.0
	PATH=$BATS_TEST_TMPDIR/bin:$PATH vm --dry-run
	[ "$status" -eq 4 ]
	names "lockstep.so*$BATS_TEST_TMPDIR/alone*lib/picknext*make"
	cp "$TOP/build/lockstep.so" "$BATS_TEST_TMPDIR/alone/"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH vm --dry-run
	[ "$status" -eq 0 ]
	has "LD_PRELOAD="
	has "$BATS_TEST_TMPDIR/alone/qemu/qemu-system-x86_64 "
	# A newer one of PATH comes first.
	fake_qemu "$qemu" 11.0.0
	PATH=$BATS_TEST_TMPDIR/bin:$PATH vm --dry-run
	has "$qemu "
}

@test "vm --mode deterministic --dry-run: instructions are time, entropy is the seed's, nothing of virtio" {
	need_kernel
	vm --guest qemu="$qemu" --seeds 7,8 --cpus 4 --dry-run
	[ "$status" -eq 0 ]
	for words in "-icount shift=0,sleep=off,align=off" "-seed 7 " "-rtc base=2020-01-01T00:00:00,clock=vm" "-smp 5" \
		"filter-buffer," "ivshmem-plain," "mitigations=off"; do
		has "$words"
	done
	[[ "$output" != *virtio* ]]
	[ ! -e "$out" ]
}

@test "vm --help: the deterministic options" {
	run "$PICKNEXT" vm --help
	has " --mode MODE "
	has "deterministic|wall-clock|kvm|tcg"
	has " --seed"
}

@test "verify: what is no deterministic run, exit 2 or 4" {
	mkdir -p "$out/6.1/raw"
	run "$PICKNEXT" verify "$out"
	[ "$status" -eq 4 ]
	names "$out: *vm.json"
	echo '{"kernel": {"release": "6.1"}}' >"$out/6.1/vm.json"
	run "$PICKNEXT" verify "$out"
	[ "$status" -eq 2 ]
	names "$out/6.1: *deterministic"
	echo '{"kernel": {"path": "/nothing"}, "deterministic": {"identity": "abc"}}' >"$out/6.1/vm.json"
	run "$PICKNEXT" verify "$out"
	[ "$status" -eq 3 ]
	names "$out/6.1: its vm.json has no recipe*earlier version*record it again"
	echo '{"recipe": ["vm", "--kernel=/nothing"], "deterministic": {"identity": "abc"}}' >"$out/6.1/vm.json"
	run "$PICKNEXT" verify "$out"
	[ "$status" -eq 2 ]
	has "$out/6.1: has no traces"
	mkdir "$out/6.1/boots"
	echo '{"run": 1, "identity": "abc", "files": [{"name": "a_run1.dat", "bytes": 9}]}' >"$out/6.1/boots/run1.json"
	run "$PICKNEXT" verify --seeds 2 "$out"
	[ "$status" -eq 2 ]
	has "$out/6.1: has no traces of this run with these seeds"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH run "$PICKNEXT" verify "$out/6.1"
	[ "$status" -eq 4 ]
	has "/nothing: "
	# An error in the recipe is one of the file, not of this call.
	for recipe in '"record", "--", "sh"' '"vm", "--gone", "--kernel=/nothing"' '"vm", "--runs=x"' '"vm"' '"vm", "word"'; do
		echo "{\"recipe\": [$recipe], \"deterministic\": {\"identity\": \"abc\"}}" >"$out/6.1/vm.json"
		run "$PICKNEXT" verify "$out"
		[ "$status" -eq 3 ]
		names "$out/6.1: the recipe in vm.json"
	done
	echo '{"deterministic"' >"$out/6.1/vm.json"
	run "$PICKNEXT" verify "$out"
	[ "$status" -eq 3 ]
	run "$PICKNEXT" verify "$BATS_TEST_TMPDIR/nowhere"
	[ "$status" -eq 4 ]
	run "$PICKNEXT" verify
	[ "$status" -eq 2 ]
	[ -z "$(find "$TMPDIR" -name 'picknext-verify-*')" ]
}

@test "verify --keep: what is repeated does not take the place of what was recorded, and no program of vm.json is started" {
	need_kernel
	printf '#!/bin/sh\ntouch "%s"\necho QEMU emulator version 10.0.0\n' "$BATS_TEST_TMPDIR/started" >"$BATS_TEST_TMPDIR/theirs"
	chmod 755 "$BATS_TEST_TMPDIR/theirs"
	release=${image##*/vmlinuz-}
	mkdir -p "$out/$release/raw"
	python3 - "$image" "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/initramfs" >"$out/$release/vm.json" <<-'END'
		import json, sys
		print(json.dumps({"recipe": ["vm", "--kernel=" + sys.argv[1], "--guest=initramfs=" + sys.argv[3] + ",qemu=" + sys.argv[2]],
			"deterministic": {"identity": "abc", "qemu": sys.argv[2]}}))
	END
	mkdir "$out/$release/boots"
	echo '{"run": 1, "identity": "abc", "files": [{"name": "a_run1.dat", "bytes": 9}]}' >"$out/$release/boots/run1.json"
	echo '{"deterministic": {"seed": 1, "identity": "abc"}}' >"$out/$release/raw/a_run1.json"
	echo recorded >"$out/$release/raw/a_run1.dat"
	run "$PICKNEXT" verify --qemu "$qemu" --keep "$out/./" "$out"
	echo "$output"
	[ "$status" -eq 2 ]
	has "--keep: "
	has "$out"
	[ "$(cat "$out/$release/raw/a_run1.dat")" = recorded ]
	# Another place is taken, as far as to see that this is another kernel's run.
	PATH=$BATS_TEST_TMPDIR/bin:$PATH run "$PICKNEXT" verify --keep "$BATS_TEST_TMPDIR/again" "$out"
	[ "$status" -eq 2 ]
	has "$image"
	has "--qemu $BATS_TEST_TMPDIR/theirs"
	[ ! -e "$BATS_TEST_TMPDIR/started" ]
}

@test "verify: a recipe that adds a pipe or a file without an end is refused, and not waited for; exit 3" {
	need_kernel
	release=${image##*/vmlinuz-}
	mkdir -p "$out/$release/raw" "$out/$release/boots"
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	echo '{"run": 1, "identity": "abc", "files": [{"name": "a_run1.dat", "bytes": 9}]}' >"$out/$release/boots/run1.json"
	echo '{"deterministic": {"seed": 1, "identity": "abc"}}' >"$out/$release/raw/a_run1.json"
	echo recorded >"$out/$release/raw/a_run1.dat"
	for file in "$BATS_TEST_TMPDIR/pipe" /dev/zero /proc/kmsg; do
		[ "$file" != /proc/kmsg ] || [ "$(id -u)" -eq 0 ] || continue
		python3 - "$image" "$BATS_TEST_TMPDIR/initramfs" "$file" >"$out/$release/vm.json" <<-'END'
			import json, sys
			print(json.dumps({"recipe": ["vm", "--kernel=" + sys.argv[1], "--guest=initramfs=" + sys.argv[2],
				"--add=" + sys.argv[3] + ":/x"], "deterministic": {"identity": "abc"}}))
		END
		run timeout 30 "$PICKNEXT" verify --qemu "$qemu" "$out"
		echo "$output"
		[ "$status" -eq 3 ]
		has "$file: not a regular file"
	done
}
