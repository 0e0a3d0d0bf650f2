#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Debian's oldest and newest kernels: their traces come out whole, on the clock that was asked for, with block I/O where
# it belongs; and a CPU of the guest is taken offline and online again, twice. The second run, which only the oldest has, begins with it offline.
# seconds: 38

load vm

setup() {
	make_short_tmpdir
}

teardown() {
	rm -rf "$TMPDIR"
}

take_offline() { # LINE RUNS
	local run runs=$2
	need_vm "$1"
	cd "$BATS_TEST_TMPDIR" || return 1
	cat >hot <<-'END'
		#!/bin/sh
		online=/sys/devices/system/cpu/cpu1/online
		echo 1 >$online
		(while :; do :; done) &
		one=$!
		(while :; do :; done) &
		two=$!
		sleep 0.2
		echo 0 >$online || exit 1
		sleep 0.3
		echo 1 >$online || exit 1
		sleep 0.2
		kill $one $two
		echo 0 >$online || exit 1
		sleep 0.2
	END
	chmod 755 hot
	initramfs_with ird 'if grep -q first_run=2 /job/settings; then echo 0 >/sys/devices/system/cpu/cpu1/online; fi; }; { :'
	vm --kernel "$(kernel "$1")" --guest initramfs=ird -w io_mixed,exec:hot --duration 0.5 --runs "$runs" -o out -- ./hot
	directory=$(find out -mindepth 1 -maxdepth 1 -type d)
	[ "$(boots "$directory" 'len(d), {(boot["end"], boot["traces"], boot["incomplete_files"]) for boot in d}')" = "($runs, {('done', 2, 0)})" ]
	[ "$(json "$directory/raw/io_mixed_run1.json" 'd["scratch"]["kind"], d["trace_clock"]')" = "('null_blk', 'mono')" ]
	[ "$(json "$directory/raw/io_mixed_run1.json" 'd["clocksource"].startswith("tsc")')" = True ]
	[ "$(json "$directory/raw/io_mixed_run1.json" 'd["sched_switch_events"] > 0')" = True ]
	for run in $(seq "$runs"); do
		trace=$(find out -name "hot_run$run.dat")
		"$PICKNEXT" check --places 100 --json "$trace" >check.json || cat check.json
		"$PICKNEXT" stat --top 0 --json "$trace" >stat.json 2>/dev/null
		python3 - "$run" <<-'END'
			import json, sys
			run = int(sys.argv[1])
			[trace] = json.load(open("check.json"))["traces"]
			stat = json.load(open("stat.json"))
			offline = [place for place in trace["places"] if "offline" in place["what"]]
			# The last time lasts to the end.
			assert [(place["cpu"], place["until_ns"] is None) for place in offline] == \
			    [(1, False)] * run + [(1, True)], offline
			assert (offline[0]["after_ns"] == 0) == (run == 2), offline
			assert trace["verdict"] != "not to be trusted", trace
			assert [f["count"] for f in trace["findings"] if f["name"] == "cpus"] == [1], trace
			for cpu in stat["cpus"]:
			    parts = ("busy_ns", "idle_ns", "unknown_ns", "offline_ns")
			    assert sum(cpu[part] for part in parts) == stat["trace"]["duration_ns"], cpu
			    assert (cpu["offline_ns"] > 0) == (cpu["cpu"] == 1), cpu
			    if cpu["cpu"] == 1:
			        offline_ns = cpu["offline_ns"]
			assert all(t["cpu_time_ns"] < offline_ns for t in stat["tasks"] if t["comm"] == "migration/1"), stat["tasks"]
		END
	done
}

@test "hotplug 5.10, CFS with its settings in debugfs, virtio and 9p as modules: time offline is neither busy nor idle nor unknown" {
	take_offline 5.10 2
}

# bats test_tags=long
@test "hotplug 6.12: time offline is neither busy nor idle nor unknown" {
	take_offline 6.12 2
}

@test "hotplug 7, image and modules under usr/lib/modules: time offline is neither busy nor idle nor unknown" {
	take_offline 7 1
}
