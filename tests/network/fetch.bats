#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext fetch with the machine's own mirror; tests/cli/fetch.bats needs none.

load ../support/fetch

# The machine's own mirror, asked for its own suite.
need_mirror() {
	need_apt
	"$FETCH" -o probe --list >list 2>refusal || skip "the mirror cannot be reached: $(tail -n 1 refusal)"
}

# State of the machine that must not change.
system_state() {
	sha256sum /var/lib/dpkg/status
	find /etc/apt /var/lib/apt /var/cache/apt -printf '%p %s %T@\n' 2>/dev/null | sort | sha256sum
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
	[[ $output == *"the newest, and already there"* ]]
}

@test "picknext fetch gets a kernel into the cache, where vm -k LINE finds it" {
	need_mirror
	export XDG_CACHE_HOME=$PWD/cache
	line=$(awk '/^[0-9]/ { print $1; exit }' list)
	run --separate-stderr "$TOP/build/picknext" fetch kernel --flavour cloud-amd64 "$line"
	[ "$status" -eq 0 ]
	[[ $output == "$PWD/cache/picknext/kernels/$line-cloud-amd64/"* ]]
	[ "$(stat -c %a cache/picknext)" = 700 ]
	run "$TOP/build/picknext" vm -k "$line-cloud-amd64" --guest engine=qemu --dry-run
	[[ $output != *"no kernel of that line"* ]]
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
	# Its Python library reads certificates, which a host need not have.
	run -0 env PYTHONPATH="$PWD/vng/usr/lib/python3/dist-packages" python3 -c 'import certifi; print(certifi.where())'
	[[ $output == "$PWD/vng/"* ]]
	grep -q 'BEGIN CERTIFICATE' "$output"
	# A kernel is built with the user's own settings.
	mkdir -p home/.config/virtme-ng
	touch home/.config/virtme-ng/kernel.config
	run env HOME="$PWD/home" "$PWD/vng/vng" --build --dry-run --verbose
	[[ $output == *"--custom $PWD/home/.config/virtme-ng/kernel.config"* ]]
	run "$TOP/vm/fetch-vng" -o vng
	[[ $output == *"already there"* ]]
}

# It loads 350 MB and takes minutes of CPU time.
@test "fetch-schedulers builds a static scheduler, changing nothing on the system" {
	[ -n "${PICKNEXT_LARGE_DOWNLOADS:-}" ] || skip "set PICKNEXT_LARGE_DOWNLOADS=1 to load 350 MB"
	need_mirror
	before=$(system_state)
	run --separate-stderr "$TOP/vm/fetch-schedulers" -o schedulers scx_simple
	[ "$status" -eq 0 ]
	[ "$output" = "$PWD/schedulers/scx_simple" ]
	[ "$(system_state)" = "$before" ]
	file -L "$output" | grep -q 'statically linked'
	[ "$(ls schedulers)" = "$(printf 'build.log\nscx_simple')" ]
}
