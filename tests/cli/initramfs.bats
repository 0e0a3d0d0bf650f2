#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext initramfs, and the guest's picknext outside of a guest.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	PICKNEXT=$(realpath "$PICKNEXT")
	MANIFEST=$(realpath "$BATS_TEST_DIRNAME/../../initramfs/manifest")
	bats_require_minimum_version 1.5.0
	cd "$BATS_TEST_TMPDIR" || return
}

need_busybox() {
	BUSYBOX=$(command -v busybox) || skip "no busybox on this machine"
}

# A manifest of one file, and what it takes to make an archive of it.
small_manifest() {
	printf '%s\n' "$@" >manifest
	printf 'hello\n' >greeting
}

# bats test_tags=slow
@test "the base archive holds what the manifest says, in its order" {
	need_busybox
	run "$PICKNEXT" initramfs --manifest "$MANIFEST" --busybox "$BUSYBOX" -o base.gz
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	gzip -dc base.gz 2>/dev/null >base || [ $? -eq 2 ] # gzip warns of the padding
	cpio --quiet -t <base >list
	awk '!/^#/ && NF { print $2 }' "$MANIFEST" >expected
	diff -u expected list
	cpio --quiet -tvn <base | awk '{ print $3, $4 }' | sort -u >owners
	[ "$(cat owners)" = "0 0" ]
	cpio --quiet -i --to-stdout init <base | cmp - "$(dirname "$MANIFEST")/init"
	cpio --quiet -i --to-stdout bin/picknext <base | cmp - "$PICKNEXT-guest"
	"$PICKNEXT" initramfs --manifest "$MANIFEST" --busybox "$BUSYBOX" -o - | cmp - base.gz
	run bash -c "'$PICKNEXT' initramfs --manifest '$MANIFEST' --busybox '$BUSYBOX' -o - >/dev/full"
	[ "$status" -eq 75 ]
}

# bats test_tags=slow
@test "another archive can follow the base archive" {
	need_busybox
	"$PICKNEXT" initramfs --manifest "$MANIFEST" --busybox "$BUSYBOX" -o base.gz
	[ $(($(stat -c %s base.gz) % 4)) -eq 0 ]
}

# bats test_tags=slow
@test "two builds give the same bytes, whatever the time, the umask and the directory" {
	need_busybox
	"$PICKNEXT" initramfs --manifest "$MANIFEST" --busybox "$BUSYBOX" -o one.gz
	mkdir other
	cp "$MANIFEST" "$(dirname "$MANIFEST")/init" other
	touch -d 2001-01-01 other/init
	cd other
	(umask 077 && TZ=Asia/Tokyo "$PICKNEXT" initramfs --manifest manifest --busybox "$BUSYBOX" -o two.gz)
	cmp ../one.gz two.gz
}

# bats test_tags=slow
@test "making it takes no root" {
	need_busybox
	[ "$(id -u)" -eq 0 ] || skip "not root: every other test shows it"
	command -v setpriv >/dev/null || skip "no setpriv to give up root with"
	# picknext finds its guest's program by its own path.
	chmod 755 "$BATS_RUN_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")" "$BATS_TEST_TMPDIR"
	mkdir mine
	chown 65534:65534 mine
	cp "$PICKNEXT" "$PICKNEXT-guest" "$MANIFEST" "$(dirname "$MANIFEST")/init" .
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x ./picknext || skip "nobody cannot reach $PWD"
	"$PICKNEXT" initramfs --manifest manifest --busybox "$BUSYBOX" -o root.gz
	setpriv --reuid=65534 --regid=65534 --clear-groups ./picknext initramfs --manifest manifest \
		--busybox "$BUSYBOX" -o mine/nobody.gz
	cmp root.gz mine/nobody.gz
}

@test "a program that is linked dynamically is refused" {
	program=$(command -v ls)
	file -L "$program" | grep -q 'dynamically linked' || skip "ls is static here"
	run "$PICKNEXT" initramfs --manifest "$MANIFEST" --busybox "$program" -o base.gz
	[ "$status" -eq 3 ]
	[[ $output == *"$program: "*busybox-static* ]]
	[ ! -e base.gz ]
}

# bats test_tags=slow
@test "a program for another machine than the others is refused" {
	need_busybox
	# EM_AARCH64 in the header of BusyBox.
	{ head -c 18 "$BUSYBOX" && printf '\267\0' && tail -c +21 "$BUSYBOX"; } >other
	run "$PICKNEXT" initramfs --manifest "$MANIFEST" --busybox "$PWD/other" -o base.gz
	[ "$status" -eq 3 ]
	[[ $output == *"another architecture"* ]]
	[ ! -e base.gz ]
	# Programs of one machine are packed, whichever it is.
	cp other guest
	"$PICKNEXT" initramfs --manifest "$MANIFEST" --busybox "$PWD/other" --guest "$PWD/guest" -o base.gz
	(gzip -dc base.gz 2>/dev/null || true) | cpio --quiet -i --to-stdout bin/picknext | cmp - guest
}

# bats test_tags=slow
@test "a malformed manifest is named with its line" {
	for line in 'file a 0644' 'file a 644 greeting' 'file a 0999 greeting' 'directory a' 'device a 0644 x 1' \
		'device a 0644 1' 'link a' 'fifo a 0644' 'file a 0644 greeting extra'; do
		small_manifest '# a comment' '' "$line"
		run "$PICKNEXT" initramfs --manifest manifest -o out.gz
		[ "$status" -eq 3 ]
		[[ $output == "picknext: manifest: line 3: "* ]]
		[ ! -e out.gz ]
	done
}

@test "a name that leads out of the archive is refused" {
	for name in ../a /a a/../../b; do
		small_manifest "file $name 0644 greeting"
		run "$PICKNEXT" initramfs --manifest manifest -o out.gz
		[ "$status" -eq 3 ]
		[[ $output == *"line 1"* ]]
	done
}

@test "missing files are named" {
	small_manifest 'file a 0644 nowhere'
	run "$PICKNEXT" initramfs --manifest manifest -o out.gz
	[ "$status" -eq 4 ]
	[[ $output == *"nowhere: "*"No such file"* ]]
	run "$PICKNEXT" initramfs --manifest gone -o out.gz
	[ "$status" -eq 4 ]
	[[ $output == *"gone: "*"No such file"* ]]
}

@test "without gzip it says so" {
	small_manifest 'file a 0644 greeting'
	PATH=/nonexistent run "$PICKNEXT" initramfs --manifest manifest -o out.gz
	[ "$status" -eq 4 ]
	[[ $output == *"apt-get install gzip"* ]]
}

@test "a directory that cannot be written is an error, and nothing is left" {
	small_manifest 'file a 0644 greeting'
	run "$PICKNEXT" initramfs --manifest manifest -o nowhere/out.gz
	[ "$status" -eq 4 ]
	[[ $output == *"nowhere/out.gz"*"No such file or directory"* ]]
}

@test "a wrong option names itself" {
	run "$PICKNEXT" initramfs --manifests x
	[ "$status" -eq 2 ]
	[[ $output == *"--manifests"*"--manifest"* ]]
}

# bats test_tags=slow
@test "a manifest may name the whole program" {
	small_manifest 'file a 0755 @picknext'
	"$PICKNEXT" initramfs --manifest manifest -o out.gz
	(gzip -dc out.gz 2>/dev/null || true) | cpio --quiet -i --to-stdout a | cmp - "$PICKNEXT"
}

# bats test_tags=slow
@test "the guest's program has the job, mark and run" {
	run "$PICKNEXT-guest" run hackbench_pipe_small --scale 0.001 --json
	[ "$status" -eq 0 ]
	[[ $output == *'"workload_name": "hackbench_pipe_small"'* ]]
	run "$PICKNEXT-guest" mark ''
	[ "$status" -eq 2 ]
	[[ $output == *"a mark has 1 to "* ]]
	for words in '' collect '--help' 'run --help'; do
		# shellcheck disable=SC2086 # several words
		run "$PICKNEXT-guest" $words
		[ "$status" -eq 2 ]
		[[ $output == *"add the whole program"* ]]
	done
	run bash -c "'$PICKNEXT-guest' run hackbench_pipe_small --scale 0.001 >/dev/full"
	[ "$status" -eq 75 ]
}

@test "guest outside of a virtual machine says where it belongs" {
	[ ! -e /job ] || skip "this machine has a /job"
	run "$PICKNEXT-guest" guest
	[ "$status" -eq 4 ]
	[[ $output == *"/job/settings"* ]]
}
