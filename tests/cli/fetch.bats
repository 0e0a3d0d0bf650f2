#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# vm/fetch-kernel and vm/fetch-vng.

setup() {
	TOP=$(realpath "$BATS_TEST_DIRNAME/../..")
	FETCH=$TOP/vm/fetch-kernel
	bats_require_minimum_version 1.5.0
	cd "$BATS_TEST_TMPDIR" || return
}

need_apt() {
	command -v apt-get dpkg-deb >/dev/null || skip "no apt on this machine"
}

# The machine's own mirror, asked for its own suite, in the lists that the repository's build directory keeps.
need_mirror() {
	need_apt
	"$FETCH" -o probe --list >list 2>refusal || skip "the mirror cannot be reached: $(tail -n 1 refusal)"
}

# own_sources LINE...: an apt configuration whose only source is this file.
own_sources() {
	need_apt
	mkdir -p parts
	printf '%s\n' "$@" >sources.list
	printf 'Dir::Etc::sourcelist "%s";\nDir::Etc::sourceparts "%s";\n' "$PWD/sources.list" "$PWD/parts" >apt.conf
	export APT_CONFIG=$PWD/apt.conf PICKNEXT_APT=$PWD/private
}

# What must not change on the machine.
system_state() {
	sha256sum /var/lib/dpkg/status
	find /etc/apt /var/lib/apt /var/cache/apt -printf '%p %s %T@\n' 2>/dev/null | sort | sha256sum
}

@test "fetch-kernel without a line says what to give" {
	run "$FETCH"
	[ "$status" -eq 2 ]
	[[ $output == *"6.1"*"--list"* ]]
	run "$FETCH" --help
	[ "$status" -eq 0 ]
	[[ $output == "Usage: vm/fetch-kernel"* ]]
}

@test "fetch-kernel refuses wrong options, flavours and names" {
	run "$FETCH" --flavor amd64 6.1
	[ "$status" -eq 2 ]
	[[ $output == *"--flavor"* ]]
	run "$FETCH" --flavour arm64 6.1
	[ "$status" -eq 2 ]
	[[ $output == *"arm64"*"cloud-amd64"* ]]
	run "$FETCH" -o
	[ "$status" -eq 2 ]
	for name in ../6.1 'a b' '6.1;id' .hidden; do
		run "$FETCH" -o out "$name"
		[ "$status" -eq 2 ]
	done
	[ ! -e out ]
}

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

@test "fetch-kernel says when no source of the machine is Debian's" {
	own_sources 'deb http://127.0.0.1:9/somebody stable-ish main'
	run "$FETCH" -o out 6.1
	[ "$status" -eq 4 ]
	[[ $output == *Debian* ]]
}

@test "fetch-kernel says when it is offline" {
	own_sources 'deb http://127.0.0.1:9/debian bookworm main'
	printf 'Acquire::http::Proxy "DIRECT";\n' >>apt.conf
	run "$FETCH" -o out 6.1
	[ "$status" -eq 4 ]
	[[ $output == *127.0.0.1* ]]
	[ ! -e out/6.1 ]
}

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

@test "fetch-kernel lists what is on offer, and a line that is not on offer is an error" {
	need_mirror
	grep -qE '^[0-9]+\.[0-9]+ +[a-z-]+ +[0-9][^ ]* +linux-image-[0-9][^ ]*-amd64$' list
	run grep -E 'linux-image-[^ ]*-(cloud|rt)-amd64' list
	[ "$status" -eq 1 ]
	run "$FETCH" -o out 1.2
	[ "$status" -eq 2 ]
	[[ $output == *1.2*"linux-image-"* ]]
	[ ! -e out/1.2 ]
}

@test "fetch-kernel gets a kernel with its modules, changing nothing on the system" {
	need_mirror
	line=$(awk '/^[0-9]/ { print $1; exit }' list)
	before=$(system_state)
	run --separate-stderr "$FETCH" --flavour cloud-amd64 -o out "$line"
	[ "$status" -eq 0 ]
	[ "$(system_state)" = "$before" ]
	[ -f "$output" ]
	[[ $output == "$PWD/out/$line-cloud-amd64/"* ]]
	file -L "$output" | grep -q 'Linux kernel'
	modules=$(echo out/"$line"-cloud-amd64/*lib/modules/*"$line"*/kernel)
	[ -d "$modules" ]
	# once more: nothing is done; with --update: nothing is newer
	run "$FETCH" --flavour cloud-amd64 -o out "$line"
	[[ $output == *"already there"* ]]
	run "$FETCH" --flavour cloud-amd64 -o out --update "$line"
	[ "$status" -eq 0 ]
	[[ $output == *"$line"* ]]
}

@test "fetch-vng refuses what it does not know, and places where vng cannot run" {
	run "$TOP/vm/fetch-vng" --wrong
	[ "$status" -eq 2 ]
	run "$TOP/vm/fetch-vng" -o "with space/vng"
	[ "$status" -eq 2 ]
	[[ $output == *"space"* ]]
}

@test "fetch-vng unpacks a vng that runs, changing nothing on the system" {
	need_mirror
	command -v python3 >/dev/null || skip "no python3 on this machine"
	before=$(system_state)
	run --separate-stderr "$TOP/vm/fetch-vng" -o vng
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/vng/vng" ]
	[ "$(system_state)" = "$before" ]
	run "$PWD/vng/vng" --version
	[ "$status" -eq 0 ]
	[[ $output == *virtme* ]]
	# A kernel is built with the user's own settings.
	mkdir -p home/.config/virtme-ng
	touch home/.config/virtme-ng/kernel.config
	run env HOME="$PWD/home" "$PWD/vng/vng" --build --dry-run --verbose
	[[ $output == *"--custom $PWD/home/.config/virtme-ng/kernel.config"* ]]
	run "$TOP/vm/fetch-vng" -o vng
	[[ $output == *"already there"* ]]
}
