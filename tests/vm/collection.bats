#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The main job: both kernels booted, every workload traced, the traces taken out, the datasets built.
# seconds: 75

load vm
load ../support/kernelshark

kernel_lines="6.1 6.12"

# One run of everything, looked at by the tests below. The timed workloads get long enough to show preemption.
boot_all() {
	vm_seconds=1200 vm -v -k "$(kernel 6.1)" -k "$(kernel 6.12)" --guest engine=qemu -r 1 --scale 0.015 --no-results -w "$collected" -o "$BATS_FILE_TMPDIR/all" \
		>"$BATS_FILE_TMPDIR/table" 2>"$BATS_FILE_TMPDIR/messages" || echo $? >"$BATS_FILE_TMPDIR/failed"
}

setup_file() {
	make_short_tmpdir
	command -v qemu-system-x86_64 >/dev/null || return 0
	[ -n "$(kernel 6.1)" ] && [ -n "$(kernel 6.12)" ] || return 0
	boot_all
	if ring_buffer_gave_up "$BATS_FILE_TMPDIR/messages"; then
		rm -rf "$BATS_FILE_TMPDIR"/{all,failed}
		boot_all
	fi
}

teardown_file() {
	rm -rf "$TMPDIR"
}

setup() {
	need_vm 6.1 6.12
	if [ -e "$BATS_FILE_TMPDIR/failed" ]; then
		cat "$BATS_FILE_TMPDIR/messages"
		return 1
	fi
}

# directory LINE: where the traces of that kernel are.
directory() {
	local release
	release=$(basename "$(kernel "$1")")
	[ "$release" != vmlinuz ] || release=x-$(basename "$(dirname "$(kernel "$1")")")
	echo "$BATS_FILE_TMPDIR/all/${release#*-}"
}

report() { # LINE WORKLOAD
	trace-cmd report "$(directory "$1")/raw/$2_run1.dat" 2>/dev/null
}

@test "vm: every workload of both kernels is out, whole, with metadata that names where it ran" {
	for line in $kernel_lines; do
		raw=$(directory "$line")/raw
		[ "$(find "$raw" -name '*.dat' | wc -l)" -eq 12 ]
		[ "$(find "$raw" -name '*.json' | wc -l)" -eq 12 ]
		[ -z "$(find "$raw" -name '*incomplete*')" ]
		python3 - "$(basename "$(directory "$line")")" "$raw"/*.json <<-'END'
			import json, sys
			for path in sys.argv[2:]:
			    d = json.load(open(path))
			    found = d["accelerator"], d["clocksource"], d["trace_clock"], d["cpus_isolated"], d["cpu_tracer"]
			    assert found == ("tcg", "tsc", "mono", "2", 2), (path, found)
			    assert d["lost_events"] == 0 and d["kernel"] == sys.argv[1], path
		END
	done
}

@test "vm: how long the guest's CPUs waited for the host's is in the metadata of each run" {
	# How long is the host's affair. A picknext that the host starved while a run lasted knows nothing of that run.
	for line in $kernel_lines; do
		python3 - "$(host_counts)" "$(directory "$line")"/boots/run1.json <<-'END'
			import json, sys
			known = 0
			for path in sys.argv[2:]:
			    run, wait, share = map(json.load(open(path)).__getitem__, ("vcpu_run_ns", "vcpu_wait_ns", "host_wait_share"))
			    if share is None:
			        assert run is None and wait is None, path
			        continue
			    assert run > 1000000 and wait >= 0 and abs(share - wait / (run + wait)) < 1e-6, (path, run, wait, share)
			    known += 1
			assert known == (1 if sys.argv[1] == "yes" else 0), known
		END
	done
}

@test "vm: trace-cmd counts the switches that the metadata says" {
	need_trace_cmd
	for line in $kernel_lines; do
		for workload in hackbench_pipe_small sysbench_threads_8t io_mixed; do
			counted=$(report "$line" "$workload" | grep -c ' sched_switch: ')
			told=$(json "$(directory "$line")/raw/${workload}_run1.json" 'd["sched_switch_events"]')
			[ "$counted" -eq "$told" ]
			[ "$counted" -gt 10 ]
		done
	done
}

@test "vm: KernelShark's library has the events of both kernels' traces, and complains of none" {
	same "$(directory 6.1)"/raw/{hackbench_pipe_small,io_mixed}_run1.dat \
		"$(directory 6.12)"/raw/{hackbench_pipe_small,io_mixed}_run1.dat
}

@test "vm: the isolated CPU runs no workload task, the workload's CPUs no tracer task" {
	need_trace_cmd
	for line in $kernel_lines; do
		for workload in hackbench_pipe_small cpu_bound_8p io_mixed; do
			# CPU and the task that gets it
			report "$line" "$workload" |
				sed -nE 's/.*\[00([0-9])\].* sched_switch: .*==> (.*):[0-9]+ \[[0-9]+\].*/\1 \2/p' |
				sort | uniq -c >"$BATS_TEST_TMPDIR/seen"
			cat "$BATS_TEST_TMPDIR/seen"
			grep -Eq ' [01] (hackbench-|cpu-bound|io-)' "$BATS_TEST_TMPDIR/seen"
			none_of ' 2 (hackbench|cpu-bound|io-|picknext-lead)' "$BATS_TEST_TMPDIR/seen"
			none_of ' [01] picknext$' "$BATS_TEST_TMPDIR/seen"
		done
	done
}

@test "vm: the tasks of each workload appear in its trace" {
	need_trace_cmd
	for line in $kernel_lines; do
		while read -r workload task; do
			report "$line" "$workload" >"$BATS_TEST_TMPDIR/report"
			grep -q " $task:[0-9]* \[" "$BATS_TEST_TMPDIR/report" || {
				echo "no $task in $workload on $line"
				return 1
			}
		done <<-'END'
			hackbench_pipe_small hackbench-send
			hackbench_pipe_large hackbench-recv
			hackbench_socket_small hackbench-recv
			hackbench_socket_large hackbench-send
			sysbench_cpu_4t sysbench-cpu
			sysbench_cpu_8t sysbench-cpu
			sysbench_threads_8t sysbench-thr
			sysbench_threads_16t sysbench-thr
			sysbench_memory_4t sysbench-mem
			cpu_bound_4p cpu-bound
			cpu_bound_8p cpu-bound
			io_mixed io-writer
		END
	done
}

# How often such tasks went off the CPU in that state; R+ is a preemption inside the kernel, and shown as R by trace-cmd.
left_in_state() { # LINE WORKLOAD TASK STATE
	report "$1" "$2" | grep -Ec " sched_switch: +$3:[0-9]+ \[[0-9]+\] $4 ==>" || [ $? -eq 1 ]
}

@test "vm: each category leaves its signature: yields, sleeps in D, preemptions" {
	need_trace_cmd
	for line in $kernel_lines; do
		yields=$(left_in_state "$line" sysbench_threads_8t sysbench-thr R)
		sleeps=$(left_in_state "$line" io_mixed io-writer D)
		preemptions=$(left_in_state "$line" cpu_bound_8p cpu-bound R)
		naps=$(left_in_state "$line" cpu_bound_8p cpu-bound S)
		echo "$line: $yields yields, $sleeps sleeps in D, $preemptions preemptions, $naps sleeps of those"
		[ "$yields" -ge 100 ]
		# The writer does not wait for what null_blk has done before it sleeps.
		[ "$sleeps" -ge 1 ]
		# It runs for 150 ms by the clock, of which a busy host may leave the guest a few ticks.
		[ "$preemptions" -ge 2 ] && [ "$naps" -eq 0 ]
		# who yields does it many times an event
		events=$(json "$(directory "$line")/raw/sysbench_threads_8t_run1.json" 'd["work_done"]')
		echo "$events events"
		[ "$yields" -ge $((10 * events)) ]
	done
}

@test "vm: block I/O of the guest went to null_blk" {
	for line in $kernel_lines; do
		[ "$(json "$(directory "$line")/raw/io_mixed_run1.json" 'd["scratch"]["kind"]')" = null_blk ]
	done
}

@test "vm: the dataset of each kernel has every switch once" {
	for line in $kernel_lines; do
		directory=$(directory "$line")
		switches=$(python3 -c 'import json, sys; print(sum(json.load(open(path))["sched_switch_events"] for path in sys.argv[1:]))' \
			"$directory"/raw/*.json)
		"$PICKNEXT" build -q -o "$directory"
		[ "$(json "$directory/dataset_meta.json" 'd["total_events"]')" -eq "$switches" ]
		rows=$(python3 -c 'import csv, sys; print(sum(1 for _ in csv.DictReader(open(sys.argv[1], newline=""))))' \
			"$directory/all.csv")
		[ "$rows" -eq "$switches" ]
	done
}

@test "vm: it ends with a table of each kernel and the paths of what it made" {
	for line in $kernel_lines; do
		directory=$(directory "$line")
		grep -qx "$(basename "$directory")" "$BATS_FILE_TMPDIR/table"
		grep -q "^  $directory: raw/" "$BATS_FILE_TMPDIR/table"
	done
	[ "$(grep -c '^ *cpu_bound_8p  *1 ' "$BATS_FILE_TMPDIR/table")" -eq 2 ]
	[ ! -e "$BATS_FILE_TMPDIR/all/report.html" ]
}

@test "vm -v: one line for each finished run in a pipe" {
	[ "$(grep -c '_run1 done (' "$BATS_FILE_TMPDIR/messages")" -eq 24 ]
	none_of $'\r' "$BATS_FILE_TMPDIR/messages"
}

@test "vm: vm.json says how it was run, the boot's record how it ended, the console's log holds the kernel's own words" {
	for line in $kernel_lines; do
		record=$(directory "$line")/vm.json
		[ "$(json "$record" 'd["engine"], d["accelerator"], d["transport"], d["share"]')" = "('qemu', 'tcg', 'share', '9p')" ]
		[ "$(json "$record" 'd["workload_cpus"], d["isolated_cpu"], d["runs"]')" = "(2, 2, [1])" ]
		record=$(directory "$line")/boots/run1.json
		[ "$(json "$record" 'd["end"], d["job_exit"], d["traces"], d["error"]')" = "('done', 0, 12, None)" ]
		[ "$(json "$record" '"isolcpus=managed_irq,domain,2" in " ".join(d["command_line"])')" = True ]
		[ "$(json "$record" '0 < d["boot_seconds"] < d["total_seconds"]')" = True ]
		grep -q "Linux version $(basename "$(directory "$line")") " "$(directory "$line")/console/run1.log"
	done
}

@test "vm: the tracer's CPU ticks no more and does no RCU work, where the kernel can do without" {
	for line in $kernel_lines; do
		log=$(directory "$line")/console/run1.log
		for text in 'Full dynticks CPUs: 2' 'Offload RCU callbacks from CPUs: 2'; do
			grep -q "$text" "$log" || { grep -an 'rcu:\|CPUs:\|Command line' "$log"; false; }
		done
	done
}

@test "vm: nothing is left of QEMU and of temporary directories" {
	check_nothing_left "$BATS_FILE_TMPDIR"
}
