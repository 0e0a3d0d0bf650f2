#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Guests with KVM, in an emulated machine (L1) that has it.

# shellcheck disable=SC2016 # what runs in L1 is in single quotes on purpose

bats_require_minimum_version 1.5.0
load l1

setup_file() {
	load l1
	need_vm 6.1 6.12 6.12-cloud-amd64 7
	[ -x "$TOP/build/qemu/qemu-system-x86_64" ] || skip "no QEMU 10 (picknext fetch qemu -o build/qemu)"
	"$TOP/tests/kvm/build-l1" "$L1" "$KERNELS" 6.12 6.1 6.12-cloud-amd64 7
	start_l1
}

teardown() {
	show_cost
}

teardown_file() {
	end_l1
}

@test "kvm: a probe says nothing without memory; silence is remembered for an hour, and KVM that works" {
	in_l1 <<-'END'
		remembered=/root/.cache/picknext/accelerator.json
		code=0
		(ulimit -v 900000; exec $V -k /kernels/6.12 -r 1 -o none) >messages 2>&1 || code=$?
		cat messages
		[ $code -eq 75 ] && grep -q 'ulimit -v' messages && ! [ -e $remembered ] || exit 1
		# No guest is up here after a second.
		short="picknext vm --guest engine=qemu,boot-timeout=1 --mode wall-clock -k /kernels/6.12 -o none"
		$short --plan >plan 2>messages
		cat plan messages $remembered
		grep -q -- ' --mode=tcg ' plan && grep -q '"accelerator": "tcg"' $remembered || exit 1
		[ "$($short --dry-run 2>&1 | grep -cE -e '-accel tcg|been tried')" -eq 1 ] || exit 1
		# Not for a probe that has more time, and not for longer than an hour.
		$V --mode wall-clock -k /kernels/6.12 -o none --dry-run 2>&1 | grep 'KVM is not tried with --dry-run' || exit 1
		sed -i "s/\"tried_at\": .*/\"tried_at\": $(($(date +%s) - 3601)),/" $remembered
		$short --dry-run 2>&1 | grep 'KVM is not tried with --dry-run'
	END
	in_l1 <<-'END'
		set -e
		$V -k /kernels/6.12-cloud-amd64 --topology numa=2 --guest isolation=none -r 1 -o first >messages 2>&1 || { cat messages; exit 1; }
		cat messages
		! grep -q kvm-clock messages
		grep '"accelerator": "kvm"' /root/.cache/picknext/accelerator.json
		grep '"accelerator": "kvm"' first/*/vm.json
		grep '"share": "virtiofs"' first/*/vm.json
		grep '"host_cpu_model": "QEMU' first/*/vm.json
		grep '"accelerator": "kvm"' first/*/raw/*.json
		grep '"cpu_model": "QEMU' first/*/raw/*.json
		grep '"node": "0 1"' first/*/raw/*.json
		picknext check first/*/raw/*.dat
		[ -z "$(left)" ]
		# Without a probe. Deterministic guests stay available.
		plan() { picknext vm --guest $PATIENCE -w cpu_bound_4p -k /kernels/6.12 -r 1 -o second --plan "$@"; }
		plan | grep -- ' --mode=kvm '
		plan --mode deterministic | grep -- ' --mode=deterministic '
	END
}

@test "kvm: KILL, TERM and INT end a guest whose CPUs run, and leave nothing" {
	in_l1 <<-'END'
		for signal in KILL:137 TERM:143 INT:130; do
			rm -rf out
			setsid $V --mode kvm --cpus 1 -k /kernels/6.12 --duration 100 -r 1 -o out >messages 2>&1 &
			until ls -l /proc/$(pgrep -o qemu-system)/fd 2>/dev/null | grep -q kvm-vcpu; do
				kill -0 $! || { cat messages; exit 1; }
				sleep 0.2
			done
			kill -${signal%:*} $!
			wait $!
			code=$?
			for _ in $(seq 300); do [ -n "$(left)" ] || break; sleep 0.1; done
			echo "$signal: $code"
			left
			[ $code -eq ${signal#*:} ] && [ -z "$(left)" ] || { cat messages; exit 1; }
		done
	END
}

@test "kvm: a panic is exit code 6; a guest with more CPUs than the host says so" {
	in_l1 <<-'END'
		code=0
		picknext vm --guest engine=qemu,$PATIENCE --mode kvm -k /kernels/6.12-cloud-amd64 \
			-r 1 -o panic --no-results -- sh -c 'echo c >/proc/sysrq-trigger; sleep 5' >messages 2>&1 || code=$?
		cat messages
		[ $code -eq 6 ] && grep -qi 'sysrq' messages && grep -qE '3 CPUs.*2' messages && [ -z "$(left)" ] && exit
		tail -n 40 panic/*/console/*
		exit 1
	END
}

@test "kvm: two kernels in turns, one boot of their plan made elsewhere without a probe, interrupted, continued, compared" {
	in_l1 <<-'END'
		set -e
		two="$V --cpus 1 -k base=/kernels/6.1 -k new=/kernels/6.12 -r 2"
		$two -o two --plan >plan
		cat plan
		[ "$(grep -c -- ' --mode=kvm .*--boot=' plan)" -eq 4 ]
		sed -n '4s/--output-dir=[^ ]*/--output-dir=other/p' plan >line
		grep -q output-dir=other line
		XDG_CACHE_HOME=/tmp/elsewhere sh line >messages 2>&1 || { cat messages; exit 1; }
		[ -e other/new/boots/run2.json ] && [ ! -e /tmp/elsewhere/picknext/accelerator.json ]
		[ "$(find other -name '*.dat' | wc -l)" -eq 1 ]
		[ "$($two -o other --plan | grep -c -- --boot=)" -eq 3 ]
		# It is a run of the same set.
		cp -r other two
		setsid $two -o two >messages 2>&1 &
		until [ -e two/base/boots/run1.json ]; do kill -0 $! || { cat messages; exit 1; }; sleep 0.2; done
		kill -TERM $!
		wait $! || [ $? -eq 143 ]
		[ -z "$(left)" ]
		code=0
		picknext check two >missing || code=$?
		cat missing
		[ $code -eq 1 ] && grep -q missing missing
		$two -o two >messages 2>&1 || { cat messages; exit 1; }
		cat messages
		grep -q 'base: 1 of 2 runs are there already' messages
		grep -q 'new: 1 of 2 runs are there already' messages
		picknext check two
		cat two/base/boots/run1.json two/new/boots/run1.json two/base/boots/run2.json | grep '"started_at"' | sort -s -c -k 2
		picknext compare two >compared
		cat compared
		grep -q cpu_bound_4p compared
	END
}

@test "kvm: vng, and keys" {
	in_l1 <<-'END'
		set -e
		picknext vm --guest engine=vng,$PATIENCE --mode kvm --cpus 1 --keys -k /kernels/6.12 \
			-w cpu_bound_4p --scale 0.02 --no-results -r 1 -o out
		grep '"engine": "vng"' out/*/vm.json
		grep '"share": "9p"' out/*/vm.json
		grep -q '"accelerator": "kvm"' out/*/vm.json
		picknext check out/*/raw/*.dat
		picknext check-rule out/*/raw/*.dat >rule || [ $? -eq 1 ]
		cat rule
		grep -q '[0-9]' rule
		[ -z "$(left)" ]
	END
}

@test "kvm: 7.3 under a scheduler of sched_ext" {
	in_l1 <<-'END'
		set -e
		$V --mode kvm --cpus 1 -k /kernels/7 --scheduler builtin:fifo -r 1 -o ext >messages 2>&1 || { cat messages; exit 1; }
		cat messages
		picknext check ext/*/raw/*.dat
		grep '"accelerator": "kvm"' ext/*/raw/*.json
		grep '"ops": "picknext_fifo"' ext/*/raw/*.json
		[ -z "$(left)" ]
	END
}
