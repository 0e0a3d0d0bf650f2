#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/bisect-run where no kernel has to be booted: what it says to git bisect.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")
	BISECT=$TOP/ci/bisect-run
	export PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cd "$BATS_TEST_TMPDIR" || return 1
	git init -q
	git -c user.name=test -c user.email=test@localhost commit -qm first --allow-empty
	mkdir base
}

# told OPTION...: with a base and a gate.
told() {
	"$BISECT" --base base --fail-if 'involuntary_share > 50' --picknext "$PICKNEXT" "$@"
}

# bats test_tags=slow
@test "bisect-run: its help says how git bisect takes its exit codes" {
	run -0 "$BISECT" --help
	[[ $output == *0*1*125* ]]
}

# bats test_tags=slow
@test "bisect-run: what cannot go on stops the bisection" {
	run -128 "$BISECT"
	[[ $output == *--base* ]]
	run -128 "$BISECT" --base base
	[[ $output == *--fail-if* ]]
	run -128 told --base nowhere
	[[ $output == *nowhere* ]]
	run -128 told --seeds
	run -128 told --sedes 1
	# No kernel, so nothing to compare with.
	echo text >text
	run -128 told --base text
	[[ $output == *text*"exit code "* ]]
	# A usage error of picknext vm is no commit's fault.
	run -128 told --build 'echo >bzImage' --image bzImage -- --no-such-option
	run -143 told --build 'kill -TERM $$' --image bzImage
}

# bats test_tags=slow
@test "bisect-run: a commit that does not build, or builds no kernel, is skipped" {
	run -125 told --build 'echo why >&2; false'
	[[ $output == *why*"exit code 1"* ]]
	run -125 told --build true
	[[ $output == *arch/x86/boot/bzImage* ]]
	PICKNEXT_BISECT_BUILD=false run -125 told
	run -125 told --build 'head -c 100000 /dev/zero >bzImage' --image bzImage
	[[ $output == *"does not run to its end"* ]]
	# An image that an earlier commit built does not count.
	echo old >bzImage
	run -125 told --build true --image bzImage
	[[ $output == *bzImage* ]]
}

# bats test_tags=slow
@test "bisect-run: gates may name what --value names" {
	run -125 told --fail-if 'late_us > +5%' --build false -- --value 'late_us=late ([0-9]+)'
	run -125 told --fail-if '*:late_us>5' --build false -- --value='late_us=late ([0-9]+)'
	run -128 told --fail-if 'late_us > many' --build false -- --value 'late_us=late ([0-9]+)'
	run -128 told --fail-if 'late_ms > 5' --build false -- --value 'late_us=late ([0-9]+)'
}

# stand_in FILE: a program in the place of the real one, from standard input; no kernel is built here.
stand_in() {
	mkdir -p "${1%/*}"
	cat >"$1"
	chmod +x "$1"
}

# bats test_tags=slow
@test "bisect-run: vng is given picknext's fragment of a configuration, but not beside a .config" {
	stand_in bin/vng <<'END'
#!/bin/sh
[ "$1" != --help ] || echo "--skip-modules"
echo "asked: $* at $KBUILD_BUILD_TIMESTAMP, build $KBUILD_BUILD_VERSION"
exit 1
END
	local PATH=$PWD/bin:$PATH
	run -125 told
	[[ $output == *"asked: --build --skip-modules --config $TOP/ci/kernel.config at 1970-01-01, build 1"* ]]
	echo 'CONFIG_OTHER=y' >'my config'
	run -125 told --config 'my config'
	[[ $output == *"--config $PWD/my config at "* ]]
	touch .config
	run -125 told
	[[ $output == *"asked: --build --skip-modules at "* ]]
	run -128 told --config nowhere
	[[ $output == *nowhere* ]]
}

# bats test_tags=slow
@test "bisect-run: without vng it is make, with the same fragment" {
	# Beside a copy, and in this cache, there is no fetched vng.
	export XDG_CACHE_HOME=$PWD/cache
	mkdir -p copy/ci
	cp "$TOP/ci/bisect-run" "$TOP/ci/kernel.config" copy/ci
	BISECT=$PWD/copy/ci/bisect-run
	local PATH=/usr/bin:/bin
	! command -v vng || skip "vng is installed here"
	printf '%s\n' 'defconfig:' '	echo CONFIG_64BIT=y >.config' 'olddefconfig: .config' '	echo CONFIG_NEW=y >>.config' \
		'bzImage:' '	cp .config image' >Makefile
	stand_in scripts/kconfig/merge_config.sh <<'END'
#!/bin/sh
cat "$3" >>"$2"
END
	run -125 told --image image
	[[ $output == *"does not run to its end"* ]]
	[ "$(head -n 1 .config)" = CONFIG_64BIT=y ]
	grep -q '^CONFIG_BLK_DEV_NULL_BLK=y' .config
	[ "$(tail -n 1 .config)" = CONFIG_NEW=y ]
	# Once made, it stays.
	echo CONFIG_MINE=y >.config
	run -125 told --image image
	[ "$(tr '\n' ' ' <.config)" = "CONFIG_MINE=y CONFIG_NEW=y " ]
}
