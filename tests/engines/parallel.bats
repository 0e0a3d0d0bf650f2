#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# GNU parallel: the lines of picknext vm --plan are its jobs, on this machine, and on two "machines" over ssh with a
# directory each, which are merged by copying.

bats_require_minimum_version 1.5.0
load ../vm/vm
load ../support/installed

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	parallel --version 2>/dev/null | grep -q 'GNU parallel' || skip "no GNU parallel (apt-get install parallel)"
	make_short_tmpdir
	installed "$BATS_TEST_TMPDIR/installed"
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -p "$HOME/.parallel"
	touch "$HOME/.parallel/will-cite"
	OPTIONS=(-k base="$(kernel 6.1)" -k head="$(kernel 6.12)" --mode deterministic --cpus 1 --seeds 1-6 -w hackbench_pipe_small
		--scale 0.004 -o out)
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/sshd.pid" ] || kill "$(cat "$BATS_TEST_TMPDIR/sshd.pid")"
	rm -rf "$TMPDIR"
}

plan() {
	"$PICKNEXT" vm "${OPTIONS[@]}" --plan
}

@test "parallel: the plan is the list of jobs; the log has exit code 0 for each; again there is nothing to do" {
	plan | parallel --jobs "${PICKNEXT_JOBS:-2}" --joblog log
	cat log
	[ "$(awk 'NR > 1 && $7 == 0' log | wc -l)" -eq 12 ]
	"$PICKNEXT" check out --contents
	[ -z "$(plan)" ]
	"$PICKNEXT" compare out >/dev/null
}

# An sshd of this test's own, on the loopback, for the user who runs it.
start_sshd() {
	local port
	[ -x /usr/sbin/sshd ] || skip "no sshd (apt-get install openssh-server)"
	[ "$(id -u)" -eq 0 ] || skip "sshd is started as root"
	mkdir -p /run/sshd "$BATS_TEST_TMPDIR/ssh"
	ssh-keygen -q -t ed25519 -N '' -f ssh/host
	ssh-keygen -q -t ed25519 -N '' -f ssh/user
	cp ssh/user.pub ssh/authorized
	for port in $(shuf -i 20000-30000 -n 20); do
		/usr/sbin/sshd -f /dev/null -o Port="$port" -o ListenAddress=127.0.0.1 -o HostKey="$PWD/ssh/host" \
			-o AuthorizedKeysFile="$PWD/ssh/authorized" -o PidFile="$PWD/sshd.pid" -o StrictModes=no -o UsePAM=no \
			-o PermitRootLogin=yes -o PasswordAuthentication=no 2>/dev/null && break
	done
	cat >ssh/run <<-END
		#!/bin/sh
		exec ssh -F /dev/null -p $port -i $PWD/ssh/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=$PWD/ssh/known "\$@"
	END
	chmod +x ssh/run
	until ssh/run 127.0.0.1 true; do
		kill -0 "$(cat sshd.pid)"
		sleep 0.1
	done
}

@test "parallel: two machines over ssh, a directory each; the copies of both are the whole plan" {
	start_sshd
	mkdir one two
	# Each job is started in the directory of its machine.
	OPTIONS+=(--seeds 1-2)
	plan >list
	sed -n 'p;n' list | sed "s|^|cd $PWD/one \&\& |" >first
	sed -n 'n;p' list | sed "s|^|cd $PWD/two \&\& |" >second
	local machine
	for machine in first second; do
		parallel --ssh "$PWD/ssh/run" --sshlogin 1/127.0.0.1 --joblog "$machine.log" <$machine
		cat $machine.log
		[ "$(awk 'NR > 1 && $7 == 0' $machine.log | wc -l)" -eq 2 ]
	done
	run -1 "$PICKNEXT" check one/out
	mkdir out
	cp -r one/out/. two/out/. out
	"$PICKNEXT" check out --contents
}
