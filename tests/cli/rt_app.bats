#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# workloads/rt_app.py: files of rt-app as mixes.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=$(realpath "${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}")
	RT_APP=$(realpath "$BATS_TEST_DIRNAME/../../workloads/rt_app.py")
	cd "$BATS_TEST_TMPDIR" || return 1
}

# bats test_tags=slow
@test "rt_app: tasks become roles with the same policies, times and CPUs, and picknext runs them" {
	cat >web.json <<-'END'
		{"global": {"duration": 1, "default_policy": "SCHED_BATCH", "logdir": "/x"},
		 "tasks": {"hog": {"instance": 2, "policy": "SCHED_OTHER", "priority": 3, "run": 1000, "sleep": 500.5},
		           "t": {"priority": 7, "cpus": [0], "phases": {"p": {"loop": -1, "run": 20, "timer": {"ref": "unique", "period": 900}}}}}}
	END
	"$RT_APP" web.json >web.mix
	diff web.mix - <<-'END'
		name web
		for 1s
		2 hog nice=3 run=1ms sleep=500500ns
		1 t nice=7 cpus=0 run=20us every=900us policy=batch
	END
	run -0 --separate-stderr "$PICKNEXT" run mix:web.mix --duration 0.1 --json
	[[ $output == *'"workload_name": "web"'*'"tasks": 3'* ]]
	cat >real-time.json <<-'END'
		{"global": {"default_policy": "SCHED_FIFO"},
		 "tasks": {"fifo": {"priority": 7, "run": 20, "sleep": 2000000}, "rr": {"priority": 5, "phases": {"p": {"policy": "SCHED_RR"}}},
		           "d": {"policy": "SCHED_DEADLINE", "dl-runtime": 10, "dl-period": 100, "dl-deadline": 50, "cpus": [2, 0]}}}
	END
	"$RT_APP" real-time.json | diff - <(printf '%s\n' 'name real-time' '1 fifo priority=7 run=20us sleep=2s policy=fifo' \
		'1 rr priority=5 policy=rr' '1 d budget=10us every=100us deadline=50us cpus=2+0 policy=deadline')
}

# bats test_tags=slow
@test "rt_app: a key, value or file without a meaning in a mix is refused by name" {
	local named text
	while IFS=' ' read -r named text; do
		echo "$text" >load.json
		run -1 "$RT_APP" load.json
		[[ $output == load.json:*"$named"* ]] || { echo "$text: $output" && false; }
		[[ $output != *Traceback* ]]
	done <<-'END'
		"lock" {"tasks": {"a": {"run": 10, "lock": "m"}}}
		"loop" {"tasks": {"a": {"loop": 5, "run": 10}}}
		"run" {"tasks": {"a": {"sleep": 10, "run": 10}}}
		"run" {"tasks": {"a": {"run": 10, "run": 10}}}
		"runtime" {"tasks": {"a": {"runtime": 10}}}
		"timer" {"tasks": {"a": {"timer": {"ref": "x", "period": 10}}}}
		"dl-period" {"tasks": {"a": {"timer": {"ref": "unique", "period": 10}, "dl-period": 20}}}
		"priority" {"tasks": {"a": {"priority": 1.5}}}
		"cpus" {"tasks": {"a": {"cpus": []}}}
		"policy" {"tasks": {"a": {"policy": ["SCHED_FIFO"]}}}
		"phases" {"tasks": {"a": {"phases": {"p": {}, "q": {}}}}}
		"a" {"tasks": {"a": 3}}
		"a;b" {"tasks": {"a;b": {}}}
		"tasks" {"tasks": []}
		"global" {"global": 1, "tasks": {"a": {}}}
		"resources" {"resources": {}, "tasks": {"a": {}}}
		"pi_enabled" {"global": {"pi_enabled": true}, "tasks": {"a": {}}}
		line {"tasks"
	END
	run -1 "$RT_APP" nowhere.json
	[[ $output == *nowhere.json* ]]
}
