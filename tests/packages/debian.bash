# SPDX-License-Identifier: MIT
# Fresh Debian systems without a compiler; sourced by `load debian`. Needs root, debootstrap and the machine's own mirror.

TOP=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")

mirror() {
	# shellcheck source=vm/private-apt.sh disable=SC1091
	(. "$TOP/vm/private-apt.sh" && private_apt_mirror)
}

# debian SUITE: the directory of a fresh system with a user named u.
debian() {
	local root=$BATS_FILE_TMPDIR/$1
	debootstrap --variant=minbase "$1" "$root" "$(mirror)" >"$root.log" 2>&1 || { tail -n 5 "$root.log"; return 1; }
	# The network settings of this machine.
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
	apt-config dump | grep -E '^Acquire::https?::Proxy' >"$root/etc/apt/apt.conf.d/99proxy" || true
	inside "$root" useradd -m u
	[ -z "$(inside "$root" sh -c 'command -v gcc cc musl-gcc picknext xz' || true)" ]
	DEBIAN=$root
}

# inside ROOT COMMAND...: as root of that system, with processes and mounts of its own.
inside() {
	local root=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands it
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		unshare -mpf --kill-child --propagation private sh -c \
		'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"' "$root" "$@"
}

# as_user ROOT SCRIPT: with the user's home, as the user.
as_user() {
	inside "$1" setpriv --reuid u --regid u --init-groups --reset-env sh -ec "cd; $2"
}

# compare_kernels ROOT: fetches two kernels and compares them, as the user. Two seeds of one workload.
compare_kernels() {
	as_user "$1" "$PATH_OF_PICKNEXT
		picknext fetch kernel 6.1 6.12
		picknext fetch qemu"
	as_user "$1" "$PATH_OF_PICKNEXT
		picknext vm -k base=6.1 -k new=6.12 -r 2 -w hackbench_pipe_small --scale 0.005 -o out >table"
	cat "$1/home/u/table"
	grep -q 'base' "$1/home/u/table"
	grep -q '</html>' "$1/home/u/out/report.html"
	[ "$(find "$1/home/u/out" -name '*.dat' | wc -l)" -eq 4 ]
}

# bisect ROOT BISECT_RUN: a commit whose kernel is 6.12 is bad against 6.1, the one with 6.1 is good, one without is skipped.
bisect() {
	as_user "$1" "$PATH_OF_PICKNEXT
		image() { echo ~/.cache/picknext/kernels/\$1/boot/vmlinuz*; }
		git init -q tree
		cd tree
		git -c user.name=u -c user.email=u@localhost commit -qm first --allow-empty
		judged() {
			code=0
			$2 --base \$(image 6.1) --fail-if 'slice_p50_us < -30%' --workload cpu_bound_4p --scale 0.02 --image new/bzImage \
				--build \"mkdir -p new; \$1\" || code=\$?
			echo \$code
		}
		[ \$(judged \"cp \$(image 6.12) new/bzImage\") = 1 ]
		[ \$(judged \"cp \$(image 6.1) new/bzImage\") = 0 ]
		[ \$(judged false) = 125 ]"
}

# files ROOT: everything but what programs write while they run.
files() {
	(cd "$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./tmp -o -path ./var/cache \
		-o -path ./var/lib/apt -o -path ./var/log -o -path ./home/u -o -path ./var/lib/dpkg \) -prune -o -print | sort)
}
