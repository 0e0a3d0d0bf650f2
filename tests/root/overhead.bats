#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext overhead on this machine: what it measures, what it makes of it, and when it refuses.

load record

overhead() {
	"$PICKNEXT" overhead --rounds 4 "$@"
}

# The figures of the JSON, calculated again from its runs.
recalculated() {
	python3 - "$1" <<-'END'
		import json, math, statistics, sys
		d = json.load(open(sys.argv[1]))
		assert len(d["runs"]) == d["rounds"] == 4
		t = 3.1824  # 97.5 % of Student's t with three degrees of freedom

		def interval(values):
		    mean = statistics.fmean(values)
		    half = t * statistics.stdev(values) / math.sqrt(len(values))
		    return mean, mean - half, mean + half

		def near(key, values, within):
		    for name, value in zip(("mean", "low", "high"), values):
		        assert abs(d[key][name] - value) < within, (key, name, d[key][name], value)

		logs, costs = [], []
		for r in d["runs"]:
		    u, v = r["untraced"], r["traced"]
		    assert v["events"] > 0 and u["work_done"] > 0 and v["cpu_seconds"] > 0
		    logs.append(math.log(v["work_done"] / v["elapsed_seconds"] / (u["work_done"] / u["elapsed_seconds"])))
		    costs.append((v["cpu_seconds"] - u["cpu_seconds"] * v["work_done"] / u["work_done"]) * 1e9 / v["events"])
		near("throughput_ratio", [math.exp(x) for x in interval(logs)], 1e-5)
		near("ns_per_event", interval(costs), max(abs(c) for c in costs) * 1e-4 + 0.01)
		events = sum(r["traced"]["events"] for r in d["runs"])
		tracer = sum(r["traced"]["tracer_cpu_seconds"] for r in d["runs"]) * 1e9 / events
		assert d["events"] == events and abs(d["tracer_ns_per_event"] - tracer) < 0.01
	END
}

@test "overhead: fixed work, with a table and every run as JSON" {
	need_tracefs
	tracefs_state >before
	overhead -w hackbench_pipe_small --scale 0.02 --json cost.json >table
	cat table
	grep -q '^hackbench_pipe_small.*\<4 traced' table
	grep -Eq '^untraced +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+$' table
	grep -Eq '^throughput.* [0-9.]+ +95 %:? [0-9.]+ to [0-9.]+$' table
	grep -Eq "^events.* $(json cost.json 'd["events"]')\\b" table
	recalculated cost.json
	[ "$(json cost.json 'all(r[k]["work_done"] == d["runs"][0]["traced"]["work_done"] for r in d["runs"] for k in r)')" = True ]
	[ "$(find . -mindepth 1 | sort | tr '\n' ' ')" = "./before ./cost.json ./table " ]
	diff before <(tracefs_state)
}

@test "overhead: the table is there also where the JSON cannot be written" {
	need_tracefs
	run "$PICKNEXT" overhead -w cpu_bound_4p --duration 0.25 --rounds 3 --json none/cost.json
	[ "$status" -eq 4 ]
	[[ $output == *$'\n'throughput*none/cost.json* ]]
}

@test "overhead: fixed time; --json - is all of the output" {
	need_tracefs
	overhead -w cpu_bound_4p --duration 0.25 --json - >cost.json
	recalculated cost.json
	[ "$(json cost.json 'd["runs"][0]["traced"]["elapsed_seconds"] >= 0.25')" = True ]
	[ "$(json cost.json 'd["lost_events"], d["workload_name"], d["work_unit"]')" = "(0, 'cpu_bound_4p', 'rounds')" ]
}

@test "overhead: of a command, whose work is one run" {
	need_tracefs
	overhead --json cost.json -- sh -c 'for i in 1 2 3; do sleep 0.01; done'
	recalculated cost.json
	[ "$(json cost.json 'd["workload_name"], d["command"][0], d["runs"][3]["untraced"]["work_done"]')" = "('sh', 'sh', 1)" ]
	run overhead -w exec:bad -- sh -c 'exit 3'
	[ "$status" -eq 4 ]
	[[ $output == *"bad"*"exit code 3"* ]]
}

@test "overhead: lost events end it with exit 5, and say what to do" {
	need_tracefs
	tracefs_state >before
	run overhead -w hackbench_pipe_small --scale 0.05 -b 8 --drain 0
	[ "$status" -eq 5 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *hackbench_pipe_small*[0-9]" events"*--buffer-size*"--drain 0"* ]]
	diff before <(tracefs_state)
}

@test "overhead: a signal ends it, with nothing left" {
	need_tracefs
	tracefs_state >before
	"$PICKNEXT" overhead -w cpu_bound_4p --duration 20 2>messages &
	started=$!
	wait_until is_recording "$started"
	kill -INT "$started"
	code=0
	wait "$started" || code=$?
	started=
	[ "$code" -eq 130 ]
	diff before <(tracefs_state)
	[ "$(find . -mindepth 1 | sort | tr '\n' ' ')" = "./before ./messages " ]
}

@test "overhead: one workload at a time, and nothing that is not there" {
	for wrong in "" "-w cpu_bound_4p,io_mixed" "-w cpu_bound_4" "cpu_bound_4p" "-w exec:x" "-w cpu_bound_4p --rounds 2"; do
		# shellcheck disable=SC2086 # several words
		run "$PICKNEXT" overhead $wrong
		[ "$status" -eq 2 ] || { echo "$wrong: $status $output"; false; }
		[ "${#lines[@]}" -eq 1 ]
	done
}
