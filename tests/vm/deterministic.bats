#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Deterministic runs: the same again to the byte, also on a loaded host and with other numbers of CPUs; with another
# seed another draw; and verify, which says so.
# seconds: 150

# shellcheck disable=SC2016 # what runs in a guest is in single quotes on purpose

bats_require_minimum_version 1.5.0
load vm

setup_file() {
	make_short_tmpdir
	command -v qemu-system-x86_64 >/dev/null && [ -n "$(kernel 6.12)" ] || return 0
	# A command of this machine beside the workloads, which writes into the trace whatever is left to chance.
	# The seeds are recorded side by side; verify below repeats one alone.
	record_two --jobs 2 >"$BATS_FILE_TMPDIR/messages" 2>&1 || echo $? >"$BATS_FILE_TMPDIR/failed"
}

record_two() { # MORE OPTIONS...
	record 6.12 2 1-2 --topology smt=2 "$@" -w hackbench_pipe_small,cpu_bound_4p,io_mixed,exec:drawn -- sh -c 'picknext mark "drawn:$(od -An -tx8 -N8 /dev/random
	) $(cat /proc/sys/kernel/random/uuid) $(od -An -tx8 /proc/self/auxv | sha1sum | cut -c 1-40) $(date +%F)"'
}

teardown_file() {
	rm -rf "$TMPDIR"
}

setup() {
	need_vm 6.1 6.12
	need_new_qemu
	if [ -e "$BATS_FILE_TMPDIR/failed" ]; then
		cat "$BATS_FILE_TMPDIR/messages"
		return 1
	fi
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/load" ] || xargs kill <"$BATS_TEST_TMPDIR/load"
}

record() { # LINE CPUS SEEDS ARGUMENTS...
	local line=$1 cpus=$2 seeds=$3
	shift 3
	timeout -k 20 600 "$PICKNEXT" vm --mode deterministic --seeds "$seeds" -k "$(kernel "$line")" --cpus "$cpus" --scale 0.004 \
		-o "$BATS_FILE_TMPDIR/$line" "$@"
}

verify() {
	run timeout -k 20 600 "$PICKNEXT" verify "$@"
	echo "$output"
}

# A busy loop for each CPU.
load_the_host() {
	for _ in $(seq 1 "$(nproc)"); do
		sh -c 'while :; do :; done' 3>&- &
		echo $! >>"$BATS_TEST_TMPDIR/load"
	done
}

# Four CPUs of 6.1. Recorded once: what is there is not run again.
record_four() {
	record 6.1 4 5 --topology numa=2,distance=30 -w hackbench_pipe_small,cpu_bound_4p,io_mixed
}

# shows FILE TOPOLOGY: the groups of CPUs in the metadata of a run.
shows() {
	[ "$(json "$1" 'd["topology"]["smt"], d["topology"]["llc"], d["topology"]["node"], d["topology"]["domains"]')" = "$2" ]
}

# metrics_agree DIRECTORY: those of moves and waits at each level are those of the slow reference.
metrics_agree() {
	make -s -C "$TOP" build/tools/show_metrics
	python3 "$TOP/tests/support/metrics_agree.py" "$PICKNEXT" "$TOP/build/tools/show_metrics" "$1"
}

# crosses_nodes DIRECTORY: tasks of its run move between nodes, of which each has one cache.
crosses_nodes() {
	"$TOP/build/tools/show_metrics" "$1" | python3 -c '
import json, sys
runs = {run["workload"]: run["metrics"] for run in json.load(sys.stdin)[0]["runs"]}
assert all(runs["hackbench_pipe_small"][name] > 0 for name in ("migrations_node_per_s", "idle_waiting_cache_ms_per_s")), runs
assert runs["hackbench_pipe_small"]["migrations_cache_per_s"] is None'
}

raw() { # LINE
	echo "$BATS_FILE_TMPDIR/$1"/*/raw
}

@test "deterministic: one run a seed, which is its number, and an identity that both share" {
	cat "$BATS_FILE_TMPDIR/messages"
	grep -E '^2 boots(, 2 at a time)?, 4 workloads in each$' "$BATS_FILE_TMPDIR/messages"
	[ "$(boots "$(raw 6.12)/.." '[(boot["run"], boot["traces"]) for boot in d]')" = "[(1, 4), (2, 4)]" ]
	[ "$(find "$(raw 6.12)" -name '*_run1.dat' -o -name '*_run2.dat' | wc -l)" -eq 8 ]
	[ "$(find "$(raw 6.12)" -name '*.dat' | wc -l)" -eq 8 ]
	identity=$(json "$(raw 6.12)/../vm.json" 'd["deterministic"]["identity"]')
	[ ${#identity} -eq 64 ]
	[ "$(json "$(raw 6.12)/../vm.json" 'd["runs"]')" = "[1, 2]" ]
	for seed in 1 2; do
		[ "$(json "$(raw 6.12)/io_mixed_run$seed.json" 'd["deterministic"]["seed"], d["deterministic"]["identity"], "host_wait_share" in d')" = "($seed, '$identity', False)" ]
	done
	none_of 'warning: (hub port|netdev)' "$BATS_FILE_TMPDIR/messages"
	grep -E '^all +8 ' "$BATS_FILE_TMPDIR/messages"
}

@test "deterministic: what is there already is not run again" {
	before=$(cat "$(raw 6.12)"/* | sha256sum)
	run record_two --jobs 1
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"2 of 2 runs are there already"* ]]
	# With --boot, only that boot is counted.
	run -0 record_two --boot "$(basename "$(realpath "$(raw 6.12)/..")")/2"
	[[ "$output" == *"1 of 1 runs are there already"* ]]
	[ "$(cat "$(raw 6.12)"/* | sha256sum)" = "$before" ]
	[ "$(boots "$(raw 6.12)/.." '[boot["run"] for boot in d]')" = "[1, 2]" ]
}

@test "compare: the command beside a gate that fails repeats the very run" {
	local seed repeat
	for seed in 1 2; do
		mkdir -p "$BATS_TEST_TMPDIR/$seed/raw"
		cp "$(raw 6.12)"/*_run$seed.* "$BATS_TEST_TMPDIR/$seed/raw"
		cp "$(raw 6.12)/../vm.json" "$BATS_TEST_TMPDIR/$seed"
	done
	run "$PICKNEXT" compare "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2" --allow incomplete -w cpu_bound_4p -f 'slice_p50_us > 0'
	echo "$output"
	[ "$status" -eq 1 ]
	repeat=$(sed -n 's/^  repeat: //p' <<<"$output")
	for words in "picknext vm " --mode=deterministic " --workload=hackbench_pipe_small,cpu_bound_4p,io_mixed,exec:drawn " \
		" --kernel=" " --seeds=2 --output-dir=again -- sh -c "; do
		[[ "$repeat" == *"$words"* ]]
	done
	# It has the identity of the run, which is there and is not booted again.
	picknext() { timeout -k 20 600 "$PICKNEXT" "$@"; }
	repeat=${repeat/--output-dir=again /--output-dir="$BATS_FILE_TMPDIR/6.12" }
	run eval "$repeat"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 of 1 run"*" there already"* ]]
}

@test "--until: the first seed at which the gate fires, and the command that repeats it; what is there is judged without a boot" {
	run record_two --until 'cpu_bound_4p: slice_p50_us > 0'
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"seed 1: cpu_bound_4p_run1: slice_p50_us is "* ]]
	[[ "$output" == *$'\n  picknext vm '*" --mode=deterministic --seeds=1 --output-dir="*"-seed1 -- sh -c "* ]]
	run record_two --until 'involuntary_share > 100%'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"No fault with 2 seeds"* ]]
}

@test "--until: a guest that dies ends the search, exit 6" {
	initramfs_with "$BATS_TEST_TMPDIR/ird" 'if grep -q first_run=8 /job/settings; then echo c >/proc/sysrq-trigger; fi; }; { :'
	run timeout -k 20 600 "$PICKNEXT" vm -k base="$(kernel 6.12)" --guest initramfs="$BATS_TEST_TMPDIR/ird" -w cpu_bound_4p --scale 0.004 \
		--cpus 1 --seeds 8-9 --jobs 1 --until 'slice_p50_us < 0' -o "$BATS_TEST_TMPDIR/out"
	echo "$output"
	[ "$status" -eq 6 ]
	grep -E '^base, seed 8: .*sysrq triggered crash' <<<"$output"
	grep -E "^  picknext vm .*--kernel=base=.* --seeds=8 --output-dir=.*/out-seed8$" <<<"$output"
	[ "$(find "$BATS_TEST_TMPDIR/out" -name 'run*.log' | wc -l)" -eq 2 ] # of one boot: its console, its engine
	check_nothing_left
}

@test "deterministic: two seeds are two draws, of the same work" {
	for workload in hackbench_pipe_small cpu_bound_4p io_mixed; do
		run cmp -s "$(raw 6.12)/${workload}_run1.dat" "$(raw 6.12)/${workload}_run2.dat"
		[ "$status" -eq 1 ]
		[ "$(json "$(raw 6.12)/${workload}_run1.json" 'd["work_done"]')" = "$(json "$(raw 6.12)/${workload}_run2.json" 'd["work_done"]')" ]
		[ "$(json "$(raw 6.12)/${workload}_run1.json" 'd["loops"] > 0, d["timed_seconds"]')" = "(True, None)" ]
	done
}

@test "deterministic: a command's entropy, addresses and date are the guest's own, and of the seed" {
	local seed words=()
	for seed in 1 2; do
		[ "$(json "$(raw 6.12)/drawn_run$seed.json" 'd["command"][0], d["command_exit_code"], d["deterministic"]["seed"]')" = "('sh', 0, $seed)" ]
		[ "$(json "$(raw 6.12)/drawn_run$seed.json" 'd["collected_at"][:10]')" = 2020-01-01 ]
		words+=("$("$PICKNEXT" export "$(raw 6.12)/drawn_run$seed.dat" | grep -Eo 'drawn: [0-9a-f]{16} [0-9a-f-]{36} [0-9a-f]{40} 2020-01-01')")
		echo "${words[-1]}"
		[ -n "${words[-1]}" ]
	done
	for word in 2 3 4; do
		[ "$(cut -d ' ' -f $word <<<"${words[0]}")" != "$(cut -d ' ' -f $word <<<"${words[1]}")" ]
	done
}

@test "deterministic: io_mixed waits for null_blk, in the guest's own time" {
	[ "$(json "$(raw 6.12)/io_mixed_run1.json" 'd["scratch"]["path"]')" = /dev/nullb0 ]
	"$PICKNEXT" timeline "$(raw 6.12)/io_mixed_run1.dat" | grep -E 'io-writer .* D \|'
}

@test "verify: on a loaded host the same, byte for byte; of a doctored run what differs, and the first event" {
	cp -r "$(dirname "$(raw 6.12)")" "$BATS_TEST_TMPDIR/doctored"
	python3 - "$BATS_TEST_TMPDIR/doctored/raw/io_mixed_run2.dat" <<-'END'
		import sys
		bytes = bytearray(open(sys.argv[1], "rb").read())
		at = bytes.rfind(b"io-writer\0")
		bytes[at:at + 9] = b"io-forged"
		open(sys.argv[1], "wb").write(bytes)
	END
	sed -i 's/"initramfs_sha256": "./&z/' "$BATS_TEST_TMPDIR/doctored/vm.json"
	load_the_host
	verify --seeds 2 "$BATS_TEST_TMPDIR/doctored"
	[ "$status" -eq 1 ]
	[ "$(grep -c '^  identical ' <<<"$output")" -eq 3 ]
	grep -E '^  identical  drawn_run2: [0-9]+ events$' <<<"$output"
	grep -E '^  different +io_mixed_run2: .* [1-9][0-9]* identical events$' <<<"$output"
	grep -E '^    recorded: [0-9.]+ s, CPU [0-9]+: .*io-forged' <<<"$output"
	grep -E '^    repeated: [0-9.]+ s, CPU [0-9]+: .*io-writer' <<<"$output"
	grep -x '3 identical, 1 different' <<<"$output"
	grep 'initramfs.*BusyBox' <<<"$output"
	check_nothing_left
	[ -z "$(find "$TMPDIR" -name 'picknext-verify-*')" ]
}

@test "verify: another kernel, with 4 CPUs in 2 nodes, is the same again; another kernel than that is refused" {
	record_four
	shows "$(raw 6.1)/cpu_bound_4p_run5.json" "('0 1 2 3 4', '0-1 2-3 4', '0-1 2-4', 'MC NUMA')"
	metrics_agree "$(dirname "$(raw 6.1)")"
	crosses_nodes "$(dirname "$(raw 6.1)")"
	# Another kernel is none to repeat it with.
	verify --kernel "$(kernel 6.12)" "$BATS_FILE_TMPDIR/6.1"
	[ "$status" -eq 2 ]
	[[ "$output" == *--kernel* ]]
	verify "$BATS_FILE_TMPDIR/6.1"
	[ "$status" -eq 0 ]
	grep -x '3 identical, 0 different' <<<"$output"
}

@test "deterministic: two threads of a core are in the metadata, and moves between them in the metrics" {
	shows "$(raw 6.12)/cpu_bound_4p_run1.json" "('0-1 2', '0-1 2', '0-2', 'SMT')"
	metrics_agree "$(dirname "$(raw 6.12)")"
}

# bats test_tags=long
@test "verify: 8 CPUs in 2 nodes, with two threads a core, are the same again" {
	record 6.1 8 5 --topology numa=2,smt=2,distance=30 -w hackbench_pipe_small,cpu_bound_4p,io_mixed -o "$BATS_FILE_TMPDIR/eight"
	shows "$(raw eight)/cpu_bound_4p_run5.json" "('0-1 2-3 4-5 6-7 8', '0-3 4-7 8', '0-3 4-8', 'SMT MC NUMA')"
	metrics_agree "$(dirname "$(raw eight)")"
	crosses_nodes "$(dirname "$(raw eight)")"
	verify "$BATS_FILE_TMPDIR/eight"
	[ "$status" -eq 0 ]
	grep -x '3 identical, 0 different' <<<"$output"
}

@test "deterministic: a kernel that lets no program reach the host says so, and QEMU does not stay behind it" {
	cd "$BATS_TEST_TMPDIR"
	run -6 timeout -k 20 600 "$PICKNEXT" vm --mode deterministic --seeds 1 -k "$(kernel 6.1)" --guest append=lockdown=integrity --scale 0.004 \
		--cpus 1 -w hackbench_pipe_small --no-results -o out
	echo "$output"
	[[ $output == *"memory shared with the host"*lockdown* && $output == *"powered off"* ]]
	grep -q 'reboot: Power down' out/*/console/run1.log
}

@test "deterministic: a topology that the kernel does not show is an error of its own" {
	cd "$BATS_TEST_TMPDIR"
	run -6 timeout -k 20 600 "$PICKNEXT" vm --mode deterministic --seeds 1 -k "$(kernel 6.12)" --cpus 2 --topology numa=2 \
		--guest append=numa=off -w cpu_bound_4p --no-results -o out
	echo "$output"
	[[ $output == *"--topology: numa: asked for groups of 1 CPUs, but the kernel shows 0-2"* ]]
	[ -z "$(find out -name '*.dat')" ]
}

@test "verify: a guest of one CPU in all, whose tracer is on it too; it takes settings of the scheduler" {
	record 6.12 1 3 --guest isolation=none --guest 'append=picknext.sched.base_slice_ns=3000000 picknext.sched.none=1' -w cpu_bound_4p \
		-o "$BATS_FILE_TMPDIR/one" 2>"$BATS_TEST_TMPDIR/messages"
	[ "$(json "$(raw one)/cpu_bound_4p_run3.json" 'd["scheduler_tunables"]["base_slice_ns"]')" = 3000000 ]
	grep ': the kernel refuses picknext.sched.none=1$' "$BATS_TEST_TMPDIR/messages"
	[ "$(json "$(raw one)/cpu_bound_4p_run3.json" 'd["cpus_online"], d["cpu_tracer"]')" = "('0', None)" ]
	load_the_host
	verify "$BATS_FILE_TMPDIR/one"
	[ "$status" -eq 0 ]
	grep -x '1 identical, 0 different' <<<"$output"
}

@test "build --task pick: the chosen is a candidate, roles are the same on both kernels, and the least CPU time beats chance" {
	record_four
	"$PICKNEXT" build -q --task pick --allow unbalanced --no-unseen-split --train-ratio 0.5 -o "$BATS_TEST_TMPDIR/set" "$BATS_FILE_TMPDIR"/6.1/*/ \
		"$BATS_FILE_TMPDIR"/6.12/*/
	python3 - "$BATS_TEST_TMPDIR" <<-'END'
		import collections, csv, json, sys
		scratch = sys.argv[1]
		rows = list(csv.DictReader(open(scratch + "/set/all.csv")))
		scheduler = {"6.1.": "CFS", "6.12": "EEVDF"}
		choices, roles = collections.Counter(), collections.defaultdict(set)
		by_chance = by_runtime = 0
		for row in rows:
		    candidates = row["candidate_roles"].split(" ")
		    # The first 64 are listed.
		    assert row["chosen"] or int(row["candidates"]) > len(candidates) == 64, row
		    assert not row["chosen"] or candidates[int(row["chosen"])] == row["next_role"], row
		    assert row["scheduler"] == scheduler[row["kernel"][:4]], row
		    # One that waits has waited at least as long as those behind it.
		    waits = [int(wait) for wait in row["candidate_waiting_ns"].split(" ") if wait != "-"]
		    assert waits == sorted(waits, reverse=True), row
		    choices[row["scheduler"], int(row["candidates"]) > 1] += 1
		    runtimes = [0 if time == "-" else int(time) for time in row["candidate_runtime_ns"].split(" ")]
		    if int(row["candidates"]) > 1:
		        by_chance += 1 / int(row["candidates"])
		        by_runtime += row["chosen"] == str(runtimes.index(min(runtimes)))
		    if row["workload_type"] == "hackbench_pipe_small":
		        roles[row["scheduler"]] |= {role for role in candidates if role.startswith("hackbench")}
		print(choices, {name: len(found) for name, found in roles.items()})
		for name in "CFS", "EEVDF":
		    share = choices[name, True] / (choices[name, True] + choices[name, False])
		    assert choices[name, True] > 100 and 0.2 < share < 1, (name, share)
		assert roles["CFS"] == roles["EEVDF"] and len(roles["CFS"]) > 10, roles["CFS"] ^ roles["EEVDF"]
		traces = json.load(open(scratch + "/set/dataset_meta.json"))["traces"]
		assert sum(trace["decisions"] for trace in traces) == len(rows)
		print(by_runtime, by_chance)
		assert by_runtime > 1.3 * by_chance
	END
}
