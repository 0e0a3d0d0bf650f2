#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext fetch, and its scripts vm/fetch-*.

load ../support/fetch

# own_sources LINE...: an apt configuration whose only source is this file.
own_sources() {
	need_apt
	mkdir -p parts
	printf '%s\n' "$@" >sources.list
	printf 'Dir::Etc::sourcelist "%s";\nDir::Etc::sourceparts "%s";\n' "$PWD/sources.list" "$PWD/parts" >apt.conf
	export APT_CONFIG=$PWD/apt.conf PICKNEXT_APT=$PWD/private
}

@test "fetch-kernel without a line says what to give" {
	run "$FETCH"
	[ "$status" -eq 2 ]
	[[ $output == *"6.1"*"--list"* ]]
	run "$FETCH" --help
	[ "$status" -eq 0 ]
	[[ $output == "Usage: fetch-kernel"* ]]
}

# bats test_tags=slow
@test "fetch-kernel refuses wrong options, flavours and names" {
	run "$FETCH" --flavor amd64 6.1
	[ "$status" -eq 2 ]
	[[ $output == *"--flavor"* ]]
	run "$FETCH" --flavour mips 6.1
	[ "$status" -eq 2 ]
	[[ $output == *"mips"*"cloud-amd64"*"arm64-16k"* ]]
	run "$FETCH" --arch arm64 --flavour cloud-amd64 6.1
	[ "$status" -eq 2 ]
	[[ $output == *"cloud-amd64"*"--arch arm64"* ]]
	run "$FETCH" -o
	[ "$status" -eq 2 ]
	for name in ../6.1 'a b' '6.1;id' .hidden; do
		run "$FETCH" -o out "$name"
		[ "$status" -eq 2 ]
	done
	[ ! -e out ]
}

# installed: what make install puts into $PWD/usr.
installed() {
	# Once for all tests of this file.
	[ -d "$BATS_FILE_TMPDIR/usr" ] || MAKEFLAGS='' make -s -C "$TOP" install DESTDIR="$BATS_FILE_TMPDIR" prefix=/usr >/dev/null
	cp -a "$BATS_FILE_TMPDIR/usr" .
	export XDG_CACHE_HOME=$PWD/cache
}

# bats test_tags=slow
@test "picknext fetch runs its scripts from lib/picknext and puts what it gets into the cache" {
	installed
	mkdir -p cache/picknext/{kernels/6.1/boot,qemu,schedulers,vng} out/7-rt-amd64/boot
	install -m 755 /dev/null cache/picknext/schedulers/scx_simple
	touch cache/picknext/kernels/6.1/boot/vmlinuz-6.1.0-1 out/7-rt-amd64/boot/vmlinuz-7
	install -m 755 /dev/null cache/picknext/vng/vng
	run --separate-stderr usr/bin/picknext fetch kernel 6.1
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/cache/picknext/kernels/6.1/boot/vmlinuz-6.1.0-1" ]
	[[ $stderr == *6.1* ]]
	run --separate-stderr usr/bin/picknext fetch -q vng
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/cache/picknext/vng/vng" ]
	[ -z "$stderr" ]
	run --separate-stderr usr/bin/picknext fetch schedulers scx_simple
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/cache/picknext/schedulers/scx_simple" ]
	run --separate-stderr usr/bin/picknext fetch kernel 7 -o out --flavour rt-amd64
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/out/7-rt-amd64/boot/vmlinuz-7" ]
	# A user without a home, as in containers and services.
	XDG_CACHE_HOME='' HOME=/dev/null run usr/bin/picknext fetch kernel 6.1
	[ "$status" -eq 4 ]
	[[ $output == "picknext fetch kernel: "*XDG_CACHE_HOME=DIR* ]]
	XDG_CACHE_HOME='' HOME='' run usr/bin/picknext fetch kernel 6.1
	[ "$status" -eq 4 ]
	[[ $output == *XDG_CACHE_HOME* ]]
}

# bats test_tags=slow
@test "picknext fetch refuses what it does not know, and says when its scripts are missing" {
	installed
	while IFS='|' read -r words code expected; do
		# shellcheck disable=SC2086
		run usr/bin/picknext fetch $words
		[ "$status" -eq "$code" ]
		[[ $output == *$expected* ]]
	done <<-'END'
		|2|kernel LINE
		kernal 6.1|2|kernel
		kernel|2|6.1 6.12
		kernel ../6.1|2|../6.1
		qemu 10|2|qemu
		vng --list|2|vng
		schedulers --list|2|schedulers
		schedulers simple|2|scx_
		schedulers scx_a/b|2|scx_a/b
		kernel --flavour mips 6.1|2|mips
		kernel --arch mips 6.1|2|mips
		vng --arch arm64|2|vng
	END
	rm -r usr/lib
	run usr/bin/picknext fetch qemu
	[ "$status" -eq 4 ]
	[[ $output == *lib/picknext/fetch-qemu* ]]
	run -2 "$PICKNEXT" fetch kernel $'6.1\e[31m\xe2\x80\xae'
	[[ $output == *'6.1\x1b[31m\xe2\x80\xae'* && $output != *$'\e'* ]]
	run -2 "$PICKNEXT" fetch kernel --flavour $'\e[31m' 6.1
	[[ $output != *$'\e'* ]]
}

# bats test_tags=slow
@test "fetch-schedulers does nothing, without apt, where the programs are there" {
	mkdir out
	install -m 755 /dev/null out/scx_simple
	own_sources '# nothing'
	run --separate-stderr "$TOP/vm/fetch-schedulers" -o out scx_simple
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/out/scx_simple" ]
	[ ! -e private ]
	run "$TOP/vm/fetch-schedulers" -o out scx_simple scx_central
	[ "$status" -eq 4 ]
	[ "$(ls out)" = scx_simple ]
}

# bats test_tags=slow
@test "fetch-kernel does nothing, without apt, where the kernel is there" {
	mkdir -p out/6.1/boot out/7-cloud-amd64/usr/lib/modules/7.0
	touch out/6.1/boot/vmlinuz-6.1.0-1 out/7-cloud-amd64/usr/lib/modules/7.0/vmlinuz
	own_sources '# nothing'
	run --separate-stderr "$FETCH" -o out 6.1
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/out/6.1/boot/vmlinuz-6.1.0-1" ]
	[[ $stderr == *6.1* ]]
	run --separate-stderr "$FETCH" -o out --flavour=cloud-amd64 7
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/out/7-cloud-amd64/usr/lib/modules/7.0/vmlinuz" ]
	[ ! -e private ]
}

# bats test_tags=slow
@test "fetch-kernel reports an interruption, whatever ran" {
	need_apt
	own_sources 'deb http://127.0.0.1:9/debian trixie main'
	for program in apt-config apt-get; do # the words of apt-get go to a log
		for signal in INT TERM; do
			rm -rf programs
			mkdir programs
			printf '#!/bin/sh\nkill -%s 0\n' $signal >programs/$program
			chmod +x programs/*
			PATH=$PWD/programs:$PATH run env --default-signal=INT,TERM setsid -w "$FETCH" -o out 6.1
			[ "$status" -eq $((128 + $(kill -l $signal))) ]
			[ "$(grep -c "interrupted by SIG$signal" <<<"$output")" -eq 1 ]
		done
	done
}

@test "fetch-kernel says when no source of the machine is Debian's" {
	own_sources 'deb http://127.0.0.1:9/somebody stable-ish main'
	run "$FETCH" -o out 6.1
	[ "$status" -eq 4 ]
	[[ $output == *Debian* ]]
}

# Lists as apt has them after an update, which are used for some hours without a mirror.
# bats test_tags=slow
@test "fetch-kernel skips kernels without their companions, and leaves nothing of one that it cannot download" {
	own_sources 'deb http://127.0.0.1:9/debian trixie main'
	printf 'Acquire::http::Proxy "DIRECT";\n' >>apt.conf
	lists=private/trixie-backports/state/lists
	mkdir -p "$lists"
	while read -r package version depends; do
		printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nDepends: %s\nFilename: %s.deb\nSize: 1\nSHA256: %064d\n\n' \
			"$package" "$version" "${depends:-kmod}" "$package" 0
	done >"$lists/127.0.0.1:9_debian_dists_trixie-backports_main_binary-amd64_Packages" <<-'END'
		linux-image-7.0.1-amd64 7.0.1-1 kmod, linux-base-7.0.1-amd64 (= 7.0.1-1), linux-binary-7.0.1-amd64 (= 7.0.1-1)
		linux-image-7.1.1-amd64 7.1.1-1 kmod, linux-binary-7.1.1-amd64, linux-modules-7.1.1-amd64
		linux-modules-7.1.1-amd64 7.1.1-1
		linux-image-7.2.1-amd64 7.2.1-1 linux-base-7.2.1-amd64, linux-binary-7.2.1-amd64, linux-modules-7.2.1-amd64 (= 7.2.1-1), kmod
		linux-image-7.3.1-amd64 7.3.1-1 linux-base-7.3.1-amd64, linux-binary-7.3.1-amd64, linux-modules-7.3.1-amd64
		linux-binary-7.3.1-amd64 7.3.1-1
		linux-modules-7.3.1-amd64 7.3.1-1
		linux-base-7.2.1-amd64 7.2.1-1
		linux-binary-7.2.1-amd64 7.2.1-1
		linux-modules-7.2.1-amd64 7.2.1-1
	END
	touch private/trixie-backports/update.log
	for suite in bullseye bookworm bookworm-backports trixie forky sid; do
		mkdir -p "private/$suite"
		echo "not in this test" >"private/$suite/refused"
	done
	run --separate-stderr "$FETCH" -o out --list
	[ "$status" -eq 0 ]
	[ "$(awk '/^[0-9]/ { print $1 }' <<<"$output")" = 7.2 ]
	run "$FETCH" -o out 7
	[ "$status" -eq 4 ]
	[[ $output == *"cannot download"* ]]
	for package in image base binary modules; do
		[[ $output == *linux-$package-7.2.1-amd64* ]]
	done
	[ -z "$(ls out)" ]
}

# bats test_tags=slow
@test "fetch-kernel says when it is offline" {
	own_sources 'deb http://127.0.0.1:9/debian bookworm main'
	printf 'Acquire::http::Proxy "DIRECT";\n' >>apt.conf
	run "$FETCH" -o out 6.1
	[ "$status" -eq 4 ]
	[[ $output == *127.0.0.1* ]]
	[ ! -e out/6.1 ]
}

# bats test_tags=slow
@test "fetch-kernel takes nothing from an archive that is not signed" {
	own_sources "deb [trusted=yes] file:$PWD/archive bookworm main"
	mkdir -p archive/dists/bookworm/main/binary-amd64
	printf 'Package: linux-image-6.1.0-99-amd64\nVersion: 6.1.999-1\nArchitecture: amd64\nFilename: x.deb\nSize: 1\nSHA256: %064d\n' 0 \
		>archive/dists/bookworm/main/binary-amd64/Packages
	(
		cd archive/dists/bookworm
		printf 'Suite: bookworm\nCodename: bookworm\nDate: %s\nSHA256:\n %s %s main/binary-amd64/Packages\n' "$(date -Ru)" \
			"$(sha256sum <main/binary-amd64/Packages | cut -d' ' -f1)" "$(stat -c %s main/binary-amd64/Packages)" >Release
	)
	run "$FETCH" -o out 6.1
	[ "$status" -ne 0 ]
	[[ $output == *bookworm*signed* ]]
	[[ $output != *6.1.999* ]]
	[ ! -e out/6.1 ]
}

@test "sources are read from one-line and deb822 files" {
	cat >one.list <<-'END'
		# deb http://commented/ bookworm main
		deb http://one/debian bookworm main contrib # the first
		deb [arch=amd64,arm64 signed-by=/keys/a.gpg] http://two/debian trixie main
		deb-src http://sources/debian bookworm main
		  deb [ trusted=yes ] file:/srv/debian sid main
	END
	cat >two.sources <<-'END'
		# the machine's
		Types: deb deb-src
		URIs: http://three/debian
		Suites: bookworm bookworm-updates
		Components: main
		Signed-By: /keys/b.gpg

		Types: deb-src
		URIs: http://sources/debian
		Suites: bookworm

		Enabled: no
		Types: deb
		URIs: http://off/debian
		Suites: bookworm

		Types: deb
		URIs: http://four/debian
		 http://five/debian
		Suites: sid
		Signed-By:
		 -----BEGIN PGP PUBLIC KEY BLOCK-----
		 .
		 mDMEX
		 -----END PGP PUBLIC KEY BLOCK-----
	END
	run sh -c '. "$1/vm/private-apt.sh" && private_apt_read_sources one.list two.sources' sh "$TOP"
	[ "$status" -eq 0 ]
	diff -u - <(printf '%s\n' "$output") <<-'END'
		http://one/debian bookworm -
		http://two/debian trixie /keys/a.gpg
		file:/srv/debian sid -
		http://three/debian bookworm /keys/b.gpg
		http://three/debian bookworm-updates /keys/b.gpg
		http://four/debian sid -
		http://five/debian sid -
	END
}

@test "fetch-vng refuses what it does not know, and places where vng cannot run" {
	run "$TOP/vm/fetch-vng" --wrong
	[ "$status" -eq 2 ]
	run "$TOP/vm/fetch-vng" -o "with space/vng"
	[ "$status" -eq 2 ]
	[[ $output == *"space"* ]]
}

# bats test_tags=slow
@test "picknext fetch finds its scripts without /proc" {
	installed
	unshare -rm true 2>/dev/null || skip "no user namespaces"
	mkdir -p cache/picknext/vng
	install -m 755 /dev/null cache/picknext/vng/vng
	# shellcheck disable=SC2016 # expanded by the shell that unshare starts
	run unshare -rm sh -c 'mount -t tmpfs none /proc && exec usr/bin/picknext fetch -q vng'
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/cache/picknext/vng/vng" ]
}

# bats test_tags=slow
@test "installed documents link only to what is installed; bisect-run has its configuration beside it" {
	installed
	cd usr/share/doc/picknext
	while read -r file; do
		while read -r link; do
			[ -e "$(dirname "$file")/$link" ] || { echo "$file: $link"; false; }
		done < <(grep -oE '\]\([^)]+' "$file" | cut -c3- | sed 's/#.*//' | grep -vE '^$|://')
	done < <(find . -name '*.md')
	[ -x ci/bisect-run ]
	[ -x workloads/models/card.py ]
	[ -x workloads/rt_app.py ]
	[ -s ci/action.yml ]
	[ -s ci/slurm-array.sh ]
	mkdir tree
	cd tree
	git init -q
	git -c user.name=n -c user.email=e commit -q --allow-empty -m one
	touch good
	PATH=$OLDPWD/../../../bin:$PATH run ../ci/bisect-run --base good --fail-if 'slice_mean_us ! 3'
	[ "$status" -eq 128 ]
	[[ $output == *"nothing was built"* ]]
	# This build makes no image: it is not before the build that bisect-run stops.
	PATH=$OLDPWD/../../../bin:$PATH run ../ci/bisect-run --base "$PWD" --fail-if 'slice_mean_us > 3' --build true
	[ "$status" -eq 125 ]
	[[ $output == *"the build made no arch/x86/boot/bzImage"* ]]
}
