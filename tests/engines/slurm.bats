#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/slurm-array.sh on a real Slurm of one node: 12 boots of two kernels, one task that is cancelled and a worker that is
# killed half-way; then the same command again, which makes only what is missing, and compares.

bats_require_minimum_version 1.5.0
load ../vm/vm
load ../support/installed
load slurm

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	need_slurm
	make_short_tmpdir
	installed "$BATS_TEST_TMPDIR/installed"
	cd "$BATS_TEST_TMPDIR" || return 1
	start_slurm "${PICKNEXT_SLURM_CPUS:-$(nproc)}"
}

teardown() {
	stop_slurm
	rm -rf "$TMPDIR"
}

submit() {
	"$INSTALLED/ci/slurm-array.sh" -s --cpus-per-task=1 -c "-m slice_p50_us -f 'slice_p50_us > 1000000'" out \
		-k base="$(kernel 6.1)" -k head="$(kernel 6.12)" --mode deterministic --cpus 1 --seeds 1-6 \
		-w hackbench_pipe_small --scale 0.004
}

whole() {
	find out -path '*/boots/run*.json' | wc -l
}

has_boots() {
	[ "$(whole)" -ge "$1" ]
}

# The oldest of this test: it works in this directory.
find_worker() {
	local pid
	killed=
	for pid in $(pgrep -d , -f "$PICKNEXT vm .*--boot=" | xargs -r ps -o pid= --sort=start_time -p); do
		[ -n "$killed" ] || [[ ! /proc/$pid/cwd -ef . ]] || killed=$pid
	done
	[ -n "$killed" ]
}

@test "slurm: an array of 12 boots, a cancelled task, a killed worker, and the same command again" {
	local job before killed
	submit >submitted
	cat submitted
	grep -q '^12 boots in 12 tasks: ' submitted
	job=$(sed 's/.*: job \([0-9]*\);.*/\1/' submitted)
	until_true 18000 has_boots 2
	scancel "${job}_12"
	# The worker of one task, not its shell: the task ends with its exit code.
	until_true 600 find_worker
	kill -KILL "$killed"
	until_true 36000 has_no_jobs
	sacct -j "$job" 2>/dev/null || true
	run -1 "$PICKNEXT" check out
	echo "$output"
	[[ $output == *"10 of 12 boots are there"* || $output == *"11 of 12 boots are there"* ]]
	[[ $output != *contradicts* ]]
	[ ! -e out/slurm/compare.txt ]
	before=$(cat out/*/raw/* | sha256sum)
	whole=$(find out -path '*/boots/run*.json' -printf '%p %T@\n' | sort)

	submit >submitted
	cat submitted
	grep -qE '^[12] boots in [12] tasks: ' submitted
	until_true 36000 has_no_jobs
	cat out/slurm/*.finish.log
	"$PICKNEXT" check out --contents
	grep -q slice_p50_us out/slurm/compare.txt
	# The boots that were there are as they were.
	[ -z "$(comm -23 <(echo "$whole") <(find out -path '*/boots/run*.json' -printf '%p %T@\n' | sort))" ]
	[ "$before" != "$(cat out/*/raw/* | sha256sum)" ]
	# With all of them there, nothing is submitted.
	run submit
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"all boots are there"*"12 of 12"* ]]
	[ -z "$(squeue -h)" ]
}
