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
	"$TOP/tests/kvm/build-l1" "$L1" "$KERNELS/6.12"
	start_l1
}

teardown() {
	show_cost
}

teardown_file() {
	end_l1
}

@test "kvm: what a probe without memory finds is not remembered; with time it finds KVM, which is remembered and used" {
	in_l1 <<-'END'
		code=0
		(ulimit -v 900000; exec $V -k /kernels/6.12 -r 1 -o none) >messages 2>&1 || code=$?
		cat messages
		[ $code -eq 75 ] && grep -q 'ulimit -v' messages && ! [ -e /root/.cache/picknext/accelerator.json ]
	END
	in_l1 <<-'END'
		set -e
		$V -k /kernels/6.12 -r 1 -o first >messages 2>&1 || { cat messages; exit 1; }
		cat messages
		! grep -q kvm-clock messages
		grep -q '"accelerator": "kvm"' /root/.cache/picknext/accelerator.json
		grep '"accelerator' first/*/vm.json first/*/raw/*.json
		grep -q '"accelerator": "kvm"' first/*/vm.json
		grep -q '"accelerator": "kvm"' first/*/raw/*.json
		grep -q '"cpu_model": "QEMU' first/*/raw/*.json
		picknext check first/*/raw/*.dat
		# Without a probe.
		[ "$($V -k /kernels/6.12 -r 1 -o second --plan | grep -c -- ' --mode=kvm ')" -eq 1 ]
		[ -z "$(left)" ]
	END
}

@test "kvm: KILL, TERM and INT end a guest whose CPUs run, and leave nothing" {
	in_l1 <<-'END'
		for signal in KILL:137 TERM:143 INT:130; do
			rm -rf out
			setsid $V --mode kvm -k /kernels/6.12 --duration 100 -r 1 -o out >messages 2>&1 &
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
		picknext vm --guest engine=qemu,boot-timeout=5000,silence-timeout=5000 --mode kvm -k /kernels/6.12-cloud-amd64 \
			-r 1 -o panic --no-results -- sh -c 'echo c >/proc/sysrq-trigger; sleep 5' >messages 2>&1 || code=$?
		cat messages
		[ $code -eq 6 ] && grep -qi 'sysrq' messages && grep -qE '3 CPUs.*2' messages && [ -z "$(left)" ]
	END
}

@test "kvm: two kernels in turns, interrupted and continued, compared; their plan makes the same cells without KVM" {
	in_l1 <<-'END'
		set -e
		two="$V --mode kvm -k base=/kernels/6.1 -k new=/kernels/6.12 -r 2 -o two"
		setsid $two >messages 2>&1 &
		until [ -e two/base/cells/run0.json ]; do kill -0 $! || { cat messages; exit 1; }; sleep 0.2; done
		kill -TERM $!
		wait $! || [ $? -eq 143 ]
		[ -z "$(left)" ]
		$two >messages 2>&1 || { cat messages; exit 1; }
		cat messages
		grep -q 'base: 1 of 2 runs are there already' messages
		picknext check two
		# One boot of each after the other.
		grep -h '"started_at"' two/base/cells/run*.json two/new/cells/run*.json | sort -c -k 2 && exit 1
		picknext compare two >compared
		cat compared
		grep -q 'CPU' compared
		$two --plan >plan
		cat plan
		[ "$(grep -c -- ' --mode=kvm .*--cells=' plan)" -eq 4 ]
		# A cell of the plan made elsewhere, without a probe: it is that cell, and the others are missing there.
		export XDG_CACHE_HOME=/tmp/elsewhere
		sed -n '4s/--output-dir=[^ ]*/--output-dir=other/p' plan >cell
		grep -q output-dir=other cell
		sh cell >messages 2>&1 || { cat messages; exit 1; }
		[ "$(grep '"identity"' two/new/cells/run1.json)" = "$(grep '"identity"' other/new/cells/run1.json)" ]
		[ "$(find other -name '*.dat' | wc -l)" -eq 1 ]
		[ "$(picknext vm --guest engine=qemu,boot-timeout=5000,silence-timeout=5000 -w cpu_bound_4p --scale 0.02 --no-results --mode kvm \
			-k base=/kernels/6.1 -k new=/kernels/6.12 -r 2 -o other --plan --cells missing | grep -c -- --cells=)" -eq 3 ]
	END
}

@test "kvm: vng, and virtiofs; with --pin each vCPU has a CPU of its own, and the kernel sees two nodes" {
	in_l1 <<-'END'
		set -e
		pinned() {
			for thread in /proc/[0-9]*/task/*; do
				read -r name <$thread/comm || continue
				case $name in CPU*/KVM) grep Cpus_allowed_list $thread/status ;; esac
			done 2>/dev/null | cut -f 2 | sort | tr '\n' ' '
		}
		for guest in engine=vng:6.12 engine=qemu,isolation=none:6.12-cloud-amd64; do
			rm -rf out
			[ ${guest##*:} = 6.12 ] && more="--cpus 1" || more="--cpus 2 --topology numa=2"
			setsid picknext vm --guest ${guest%:*},boot-timeout=5000,silence-timeout=5000 --mode kvm --pin $more -k /kernels/${guest##*:} \
				-w cpu_bound_4p --scale 0.02 --no-results -r 1 -o out >messages 2>&1 &
			until [ "$(pinned)" = "0 1 " ]; do kill -0 $! || { cat messages; exit 1; }; sleep 0.2; done
			wait $! || { cat messages; exit 1; }
			cat messages
			grep -q '"pinned_cpus": "0,1"' out/*/vm.json
			grep -E '"(engine|accelerator|share)"' out/*/vm.json
			picknext check out/*/raw/*.dat
			[ -z "$(left)" ]
		done
		grep -q '"share": "virtiofs"' out/*/vm.json
		grep -q '"node": "0 1"' out/*/raw/*.json
		# As many cores as the guest has CPUs are not there.
		code=0
		$V --mode kvm --pin -k /kernels/6.12 -r 1 -o none 2>messages || code=$?
		cat messages
		[ $code -eq 4 ] && grep -q -e '--pin.*3 cores.*2' messages
	END
}

@test "kvm: 7.3 with keys, under its own scheduler and under one of sched_ext" {
	in_l1 <<-'END'
		set -e
		$V --mode kvm -k /kernels/7 --keys --scheduler none --scheduler builtin:fifo -r 1 -o ext >messages 2>&1 || { cat messages; exit 1; }
		cat messages
		picknext check ext/*/raw/*.dat
		[ "$(cat ext/*/raw/*.json | grep -c '"accelerator": "kvm"')" -eq 2 ]
		[ "$(cat ext/*/raw/*.json | grep -c '"ops": "picknext_fifo"')" -eq 1 ]
		# Keys of the kernel's own scheduler.
		for trace in ext/*/raw/*.dat; do
			grep -q picknext_fifo "${trace%.dat}.json" || picknext check-rule "$trace" >rule || [ $? -eq 1 ]
		done
		cat rule
		grep -q '[0-9]' rule
		[ -z "$(left)" ]
	END
}
