#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/make-deb and ci/make-release: what is in them, and the same bytes whoever makes them. install.bats installs them.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")
	cd "$BATS_TEST_TMPDIR" || return 1
	# make's own settings, where make runs this.
	unset MAKEFLAGS MAKELEVEL MFLAGS
	export SOURCE_DATE_EPOCH=1700000000
}

# bats test_tags=slow
@test "packages: two builds of the archive and the Debian package are the same bytes" {
	command -v dpkg-deb >/dev/null || skip "no dpkg-deb"
	(
		umask 077
		"$TOP/ci/make-release" one
		"$TOP/ci/make-deb" one
	)
	(
		umask 002
		export TZ=Asia/Tokyo LC_ALL=C.UTF-8 XDG_CACHE_HOME=$PWD/cache
		"$TOP/ci/make-release" two
		"$TOP/ci/make-deb" two
	)
	diff -r one two
	[ "$(find one -name '*.deb' -o -name '*.tar.gz' | wc -l)" -eq 2 ]
	(cd one && sha256sum -c --quiet ./*.sha256)

	# The archive: every file has a hash; the list of parts has every file with its hashes.
	tar -xzf one/*.tar.gz
	cd picknext-*/
	sha256sum -c --quiet SHA256SUMS
	diff <(cut -c67- SHA256SUMS) <(find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort)
	for file in bin/picknext lib/picknext/initramfs.cpio.gz lib/picknext/lockstep.so lib/picknext/fetch-kernel \
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

# bats test_tags=slow
@test "packages: lintian finds nothing in the Debian package, which is owned by root" {
	command -v lintian >/dev/null || skip "no lintian (apt-get install lintian)"
	"$TOP/ci/make-deb" out
	run --separate-stderr lintian --fail-on error,warning out/*.deb
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(dpkg-deb -c out/*.deb | awk '{ print $2 }' | sort -u)" = root/root ]
	[ "$(dpkg-deb -f out/*.deb Depends)" != "" ]
}
