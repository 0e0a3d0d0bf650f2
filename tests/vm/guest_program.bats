#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The bytes of the guest's program are part of a deterministic run's identity: they change only with code that runs there.
# seconds: 25

load no_guest

setup() {
	no_guest 10.0.2
	cd "$BATS_TEST_TMPDIR" || return 1
	unset MAKEFLAGS MAKELEVEL MFLAGS
}

# copy_sources DIRECTORY
copy_sources() {
	mkdir -p "$1"
	git -C "$TOP" ls-files -z | tar -C "$TOP" --null -T - -c | tar -x -C "$1"
}

# make_copy: the tree in another place, with what is built already: only what changes is compiled.
make_copy() {
	copy=$BATS_TEST_TMPDIR/copy
	copy_sources "$copy"
	mkdir "$copy/build"
	for name in obj guest include picknext picknext-guest picknext.debug initramfs-x86_64.cpio.gz lockstep.so; do
		cp -a "$TOP/build/$name" "$copy/build/"
	done
}

# build COMMIT: the copy, as if at that commit.
build() {
	(cd "$copy" && PICKNEXT_COMMIT=$1 make -s -j2 build/picknext build/initramfs-x86_64.cpio.gz build/lockstep.so)
}

# identity TREE: that of a set. vm writes it before it boots, and its QEMU here boots nothing.
identity() {
	rm -rf "$out"
	"$1/build/picknext" vm -q -k one="$image" --guest qemu="$qemu" --mode deterministic -w cpu_bound_4p --seeds 1 -o "$out" || true
	json "$out/one/vm.json" 'd["deterministic"]["identity"]'
}

@test "guest's program: documentation, help, reports, the commit and the place do not change a deterministic run" {
	need_kernel
	make_copy
	identity "$TOP" >before
	echo "More." >>"$copy/README.md"
	sed -i 's/run COMMAND in the guest without recording/record nothing/' "$copy/src/cmd/vm/vm_options.c"
	sed -i 's/multiply loops and durations of the workloads/make them larger/' "$copy/src/record/collection_request.h"
	sed -i 's/run time of a timed workload/how long it runs/' "$copy/src/cmd/run.c"
	sed -i 's/name of the run: the trace/its name: the trace/' "$copy/src/runs/run_fields.c"
	sed -i 's/This file loads nothing/It loads nothing/' "$copy/src/report/page.c"
	sed -i '1s/^/It says more.\n/' "$copy/src/manual/topics/limits.txt"
	for file in src/cmd/vm/vm_options.c src/record/collection_request.h src/cmd/run.c src/runs/run_fields.c src/report/page.c; do
		run cmp -s "$TOP/$file" "$copy/$file"
		[ "$status" -eq 1 ]
	done
	build 111111111111
	[ "$("$copy/build/picknext" --version)" != "$("$PICKNEXT" --version)" ]
	"$copy/build/picknext" run --help | grep -q 'how long it runs'
	cmp "$TOP/build/picknext-guest" "$copy/build/picknext-guest"
	cmp "$TOP/build/initramfs-x86_64.cpio.gz" "$copy/build/initramfs-x86_64.cpio.gz"
	identity "$copy" >after
	cat after
	diff before after
}

@test "guest's program: a workload and the recording change it" {
	need_kernel
	make_copy
	identity "$TOP" >before
	sed -i 's/"cpu_bound_4p"/"cpu_bound_fourp"/' "$copy/workloads/cpu_bound.c"
	build 111111111111
	run cmp -s "$TOP/build/initramfs-x86_64.cpio.gz" "$copy/build/initramfs-x86_64.cpio.gz"
	[ "$status" -eq 1 ]
	cp "$TOP/workloads/cpu_bound.c" "$copy/workloads/"
	build 111111111111
	cmp "$TOP/build/initramfs-x86_64.cpio.gz" "$copy/build/initramfs-x86_64.cpio.gz"
	sed -i 's/COLLECTION_DRAIN_MS  50/COLLECTION_DRAIN_MS  60/' "$copy/src/record/collection_request.h"
	build 111111111111
	run cmp -s "$TOP/build/initramfs-x86_64.cpio.gz" "$copy/build/initramfs-x86_64.cpio.gz"
	[ "$status" -eq 1 ]
	identity "$copy" >after
	run diff before after
	[ "$status" -eq 1 ]
}

@test "guest's program: without a version, a path or a text of help" {
	strings -n 4 "$TOP/build/picknext-guest" >texts
	version=$("$PICKNEXT" --version | cut -d' ' -f2)
	none_of "^$version" texts
	none_of "$TOP" texts
	none_of 'multiply loops|run time of a timed workload|name of the run' texts
}

# In the first test only some of its files are compiled elsewhere.
# bats test_tags=long
@test "guest's program: the same bytes wherever all of it is built" {
	elsewhere=$BATS_TEST_TMPDIR/some-other-place/tree
	copy_sources "$elsewhere"
	(cd "$elsewhere" && PICKNEXT_COMMIT=222222222222 make -s -j2 build/picknext-guest)
	cmp "$TOP/build/picknext-guest" "$elsewhere/build/picknext-guest"
}

# job_identity: that of a command with files, from the working directory.
job_identity() {
	rm -rf "$out"
	"$PICKNEXT" vm -q -k one="$image" --guest qemu="$qemu" --mode deterministic --seeds 1 -o "$out" \
		-a data -a data/1:/opt/one -a busybox "$@" || true
	json "$out/one/vm.json" 'd["deterministic"]["identity"]'
}

@test "vm: the directory, the user's environment and the order of PATH do not change a deterministic run" {
	need_kernel
	command -v busybox >/dev/null || skip "no busybox on this machine"
	for place in first second/and/deeper; do
		mkdir -p "$place/data"
		printf '#!/bin/sh\nexec busybox true\n' >"$place/tool"
		chmod 755 "$place/tool"
	done
	touch first/data/{1,2,3,4,5} second/and/deeper/data/{5,4,3,2,1}
	chmod 700 second/and/deeper/tool second/and/deeper/data/1
	chmod 644 second/and/deeper/data/1
	(cd first && PATH=/usr/local/bin:/usr/bin:/bin job_identity -- ./tool) >one
	rm -rf "$out"
	(
		umask 077
		cd second/and/deeper
		mkdir -m 700 home temporary
		# Debian's busybox is in /usr/bin, and so in /bin.
		# shellcheck disable=SC2016 # expanded by the bash that env starts
		env -i PATH=/bin:/usr/bin:/usr/games HOME="$PWD/home" TMPDIR="$PWD/temporary" XDG_CACHE_HOME="$PWD/home/cache" \
			USER=nobody LANG=de_DE.UTF-8 LC_ALL=C TZ=Asia/Tokyo TERM=dumb COLUMNS=40 LD_LIBRARY_PATH=/nowhere \
			SUDO_UID=65534 SUDO_GID=65534 IMAGE="$image" QEMU="$qemu" OUT="$out" PICKNEXT="$PICKNEXT" \
			bash -c '"$PICKNEXT" vm -q -k one="$IMAGE" --guest qemu="$QEMU" --mode deterministic --seeds 1 -o "$OUT" \
				-a data -a data/1:/opt/one -a busybox -- ./tool' || true
		json "$out/one/vm.json" 'd["deterministic"]["identity"]'
	) >two
	cat one two
	[ -s one ]
	diff one two
	# A file that is added does.
	echo more >first/data/1
	(cd first && job_identity -- ./tool) >three
	run diff one three
	[ "$status" -eq 1 ]
}
