#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/make-deb and ci/make-release: what is in them, and the same bytes whoever makes them, wherever (reproducible.bats).
# install.bats installs them.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")
	cd "$BATS_TEST_TMPDIR" || return 1
	# make's own settings, where make runs this.
	unset MAKEFLAGS MAKELEVEL MFLAGS
	export SOURCE_DATE_EPOCH=1700000000
}

# bats test_tags=slow
@test "packages: the archive is the same bytes whoever makes it, and names its parts" {
	(
		umask 077
		"$TOP/ci/make-release" one
	)
	(
		umask 002
		export TZ=Asia/Tokyo LC_ALL=C.UTF-8 XDG_CACHE_HOME=$PWD/cache
		"$TOP/ci/make-release" two
	)
	diff -r one two
	[ "$(find one -name '*.tar.gz' | wc -l)" -eq 1 ]
	(cd one && sha256sum -c --quiet ./*.sha256)

	# The archive: every file has a hash; the list of parts has every file with its hashes.
	tar -xzf one/*.tar.gz
	cd picknext-*/
	sha256sum -c --quiet SHA256SUMS
	diff <(cut -c67- SHA256SUMS) <(find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort)
	for file in bin/picknext lib/picknext/initramfs-{x86_64,arm64}.cpio.gz lib/picknext/lockstep.so lib/picknext/fetch-schedulers \
		share/man/man1/picknext.1 LICENSE CHANGELOG.md README.md; do
		[ -s "$file" ]
	done
	[ "$(bin/picknext --version | cut -d' ' -f2)" = "$(sed -n 's/^## \([^ ]*\) .*/\1/p' CHANGELOG.md | head -n 1)" ]
	python3 - <<-'END'
		import hashlib, json, os
		document = json.load(open("picknext.spdx.json"))
		assert document["spdxVersion"] == "SPDX-2.3" and document["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
		names = {package["name"] for package in document["packages"]}
		assert names == {"picknext", "musl", "BusyBox", "glibc"}, names
		here = {os.path.join(place, name) for place, _, files in os.walk(".") for name in files}
		assert {file["fileName"] for file in document["files"]} == here - {"./SHA256SUMS", "./picknext.spdx.json"}
		sha1s = []
		for file in document["files"]:
		    data = open(file["fileName"], "rb").read()
		    hashes = {one["algorithm"]: one["checksumValue"] for one in file["checksums"]}
		    assert hashes == {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}
		    sha1s.append(hashes["SHA1"])
		code = hashlib.sha1("".join(sorted(sha1s)).encode()).hexdigest()
		package = document["packages"][0]
		assert package["packageVerificationCode"]["packageVerificationCodeValue"] == code
		known = {"SPDXRef-DOCUMENT"} | {item["SPDXID"] for item in document["packages"] + document["files"]}
		for relation in document["relationships"]:
		    assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, relation
	END
}

# machines FILE...: the architectures of ELF files.
machines() {
	readelf -h "$@" | sed -n 's/.*Machine: *//p' | sort -u
}

# guest_program INITRAMFS
guest_program() {
	(gzip -dc "$1" 2>/dev/null || [ $? -eq 2 ]) | cpio --quiet -i --to-stdout bin/picknext
}

# bats test_tags=slow
@test "packages: the archive for arm64, unpacked, runs under qemu-user, and its guests are those of x86-64" {
	command -v qemu-aarch64-static >/dev/null || skip "no qemu-aarch64-static (apt-get install qemu-user-static)"
	"$TOP/ci/make-release" own
	"$TOP/ci/make-release" --arch arm64 arm
	tar -xzf own/*.tar.gz
	tar -xzf arm/*.tar.gz
	cd picknext-*-arm64/
	sha256sum -c --quiet SHA256SUMS
	[ "$(machines bin/picknext lib/picknext/lockstep.so)" = AArch64 ]
	guest_program lib/picknext/initramfs-arm64.cpio.gz >guest
	[ "$(machines guest)" = AArch64 ]
	rm guest
	# Programs apart, they are the same.
	diff -rq . ../picknext-*-x86_64 | awk '{ print $2 }' | LC_ALL=C sort >../different
	printf './%s\n' SHA256SUMS bin/picknext lib/picknext/lockstep.so picknext.spdx.json | diff - ../different
	qemu-aarch64-static bin/picknext --version | diff - <("$TOP/build/picknext" --version)
	[ "$("$TOP/build/picknext" latency --csv "$TOP/ci/readme/io.dat" | wc -l)" -gt 1 ]
	qemu-aarch64-static bin/picknext latency --csv "$TOP/ci/readme/io.dat" | diff - <("$TOP/build/picknext" latency --csv "$TOP/ci/readme/io.dat")
	[ "$(qemu-aarch64-static bin/picknext run hackbench_pipe_small --scale 0.001 --json | grep -c '"workload_name"')" = 1 ]
}

# bats test_tags=slow
@test "packages: the Debian package for arm64" {
	"$TOP/ci/make-deb" --arch arm64 out
	[ "$(dpkg-deb -f out/*.deb Architecture)" = arm64 ]
	[[ "$(dpkg-deb -f out/*.deb Depends)" == *libc6* ]]
	dpkg-deb -x out/*.deb package
	[ "$(machines package/usr/bin/picknext package/usr/lib/picknext/lockstep.so)" = AArch64 ]
	make -s -C "$TOP" install DESTDIR="$PWD/root" prefix=/usr >/dev/null
	diff <(listed root/usr) <(listed package/usr | grep -v -e 'doc/picknext/changelog.gz$' -e 'doc/picknext/copyright$' -e share/lintian)
}

# listed DIR: modes and names of the files.
listed() {
	(cd "$1" && find . -type f -printf '%M %P\n' | sed 's|\(share/man/.*\)\.gz$|\1|' | LC_ALL=C sort -k 2)
}

# bats test_tags=slow
@test "packages: the Debian package has what make install installs; lintian finds nothing" {
	command -v lintian >/dev/null || skip "no lintian (apt-get install lintian)"
	"$TOP/ci/make-deb" out
	make -s -C "$TOP" guests >/dev/null
	run --separate-stderr lintian --fail-on error,warning out/*.deb
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	dpkg-deb -x out/*.deb package
	make -s -C "$TOP" install DESTDIR="$PWD/root" prefix=/usr >/dev/null
	# The same files with the same modes. Manual pages are compressed; documents, which link to each other, are not.
	listed package/usr | grep -v -e 'doc/picknext/changelog.gz$' -e 'doc/picknext/copyright$' -e share/lintian >in_package
	listed root/usr | diff - in_package
	[ "$(dpkg-deb -c out/*.deb | awk '{ print $2 }' | sort -u)" = root/root ]
	[[ "$(dpkg-deb -f out/*.deb Depends)" == *libc6* ]]
	[[ "$(dpkg-deb -f out/*.deb Built-Using)" == *busybox*musl* ]]
}
