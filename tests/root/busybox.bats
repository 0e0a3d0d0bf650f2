#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The binary in a userland of BusyBox alone: a read-only root without /tmp, /dev, /etc and C library.

bats_require_minimum_version 1.5.0
load tracefs

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	need_tracefs
	local busybox
	busybox=$(command -v busybox) || skip "no busybox (apt-get install busybox-static)"
	[[ $(file -bL "$busybox") == *"statically linked"* ]] || skip "$busybox is not static"
	unshare -m true || skip "no mount namespaces"
	mkdir -p root/bin root/proc root/sys root/out
	cp -L "$busybox" "$PICKNEXT" root/bin/
	local name
	for name in sh sleep cat; do ln -s busybox "root/bin/$name"; done
	export PICKNEXT_ROOT=$PWD/root
}

# inside OUT SCRIPT: in that userland; /out can be written to if OUT is "writable".
inside() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m --propagation private sh -ec '
		cd "$PICKNEXT_ROOT"
		mount --bind . .
		cd "$PICKNEXT_ROOT"
		mount -t proc proc proc
		mount -t sysfs sysfs sys
		mount -t tracefs tracefs sys/kernel/tracing
		[ "$1" != writable ] || mount --bind "$PICKNEXT_ROOT.out" out
		mount -o remount,bind,ro .
		exec chroot . /bin/busybox env -i PATH=/bin sh -c "$2"' sh "$1" "$2"
}

@test "BusyBox alone, read-only: record, stat and export work in the one directory that can be written to" {
	mkdir root.out
	tracefs_state >before
	inside writable 'picknext record -o /out/t -- sleep 0.1'
	diff before <(tracefs_state)
	inside writable 'picknext stat --json -o /out/stat.json /out/t.dat && picknext export /out/t.dat -o /out/t.txt &&
		picknext export -f perfetto /out/t.dat -o /out/t.pftrace'
	[ "$(json root.out/stat.json 'len(d["tasks"]) > 0')" = True ]
	grep -q sched_switch root.out/t.txt
	# The same as outside.
	"$PICKNEXT" export root.out/t.dat | cmp - root.out/t.txt
	# A pipe needs a directory for the time being.
	inside writable 'export TMPDIR=/out; picknext record -o - -- sleep 0.1 | picknext stat - -o /out/piped.txt'
	grep -q sleep root.out/piped.txt
}

@test "BusyBox alone, read-only: what is missing is named, exit 4" {
	local words expected
	while IFS='#' read -r words expected; do
		run inside read-only "$words"
		[ "$status" -eq 4 ]
		# shellcheck disable=SC2053 # a pattern
		[[ $output == $expected ]]
	done <<-'END'
		picknext record -- sleep 0.1#picknext: .: *Read-only*
		picknext record -o /out/t -- sleep 0.1#picknext: /out: *Read-only*
		picknext record -o - -- sleep 0.1#picknext: /tmp: *No such file*TMPDIR*
		cat /bin/sh | picknext stat -#picknext: /tmp: *No such file*TMPDIR*
	END
}
