#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Waits without the time in which a cgroup was throttled, and waits per cgroup and per process.

bats_require_minimum_version 1.5.0

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	KEYS=$TOP/tests/golden/keys
	cd "$BATS_TEST_TMPDIR" || return 1
}

# sums_of TRACE: "PID WAITED THROTTLED" of the tasks that were throttled, over waits of both kinds.
sums_of() {
	"$PICKNEXT" latency -q --top 0 --csv "$1" | python3 -c '
import collections, csv, sys
sums = collections.defaultdict(lambda: [0, 0])
for row in csv.DictReader(sys.stdin):
    if row["wait"] in ("wakeup", "preempted"):
        sums[int(row["pid"])][0] += int(row["wait_sum_ns"])
        sums[int(row["pid"])][1] += int(row["throttled_ns"])
for pid, (waited, throttled) in sorted(sums.items()):
    if throttled:
        print(pid, waited, throttled)'
}

# The same guest printed its cpu.stat: throttled_usec of the cgroup that has one task. In 7.3-deferred that task waits on its
# queue after its cgroup is throttled, before it returns to user space.
# bats test_tags=slow
@test "throttled time is that of the events, and of the kernel's cpu.stat" {
	local kernel stat_us
	while read -r kernel stat_us; do
		gunzip -c "$KEYS/quota-$kernel.dat.gz" >quota.dat
		sums_of quota.dat >sums
		[ -s sums ]
		trace-cmd report -t quota.dat 2>/dev/null | python3 "$TOP/tests/support/reference_throttling.py" >expected
		diff expected sums
		awk -v stat="$stat_us" '{ sum += $3 / 1000 } END { exit !(sum > stat * 0.998 && sum < stat * 1.002) }' sums
	done <<-'END'
		6.12 503876
		7.3 546399
		7.3-deferred 515249
	END
}

# bats test_tags=slow
@test "--worst, --pairs and stat --waits have throttled time beside the waits" {
	gunzip -c "$KEYS/quota-6.12.dat.gz" >quota.dat
	"$PICKNEXT" latency -q --worst 1000 --json quota.dat >worst.json
	"$PICKNEXT" stat -q --pairs --top 0 --json quota.dat >pairs.json
	"$PICKNEXT" stat -q --waits --top 0 --json quota.dat >stat.json
	python3 - "$(sums_of quota.dat)" <<-'PYTHON'
		import json, sys
		pid, waited, throttled = map(int, sys.argv[1].split())
		worst = [w for w in json.load(open("worst.json"))["worst"] if w["pid"] == pid and w["ended"]]
		assert sum(w["wait_ns"] for w in worst) == waited
		assert sum(w["throttled_ns"] for w in worst) == throttled
		assert all(w["wait_ns"] + w["throttled_ns"] == w["end_ts_ns"] - w["start_ts_ns"] for w in worst)
		pairs = json.load(open("pairs.json"))
		assert sum(p["throttled_ns"] or 0 for kind in ("preemptions", "wakeups") for p in pairs[kind]) == throttled
		task = next(t for t in json.load(open("stat.json"))["tasks"] if t["pid"] == pid)
		assert task["wakeup_throttled_ns"] + task["preempted_throttled_ns"] == throttled
	PYTHON
}

# bats test_tags=slow
@test "Perfetto has slices of throttling beside those of waiting" {
	gunzip -c "$KEYS/quota-6.12.dat.gz" >quota.dat
	"$PICKNEXT" export -q -f perfetto quota.dat -o quota.perfetto-trace
	protoc --decode=picknext.perfetto.Trace -I "$TOP/tests/support" perfetto.proto <quota.perfetto-trace >decoded
	python3 - "$(sums_of quota.dat)" "$TOP/tests/support" <<-'PYTHON'
		import sys
		sys.path.insert(0, sys.argv[2])
		from perfetto_decoded import parse
		pid, waited, throttled = map(int, sys.argv[1].split())
		threads, tracks, sums, begun = {}, {}, {"throttled": 0, "waits": 0}, {}
		for _, packet in parse(open("decoded")):
		    packet = dict(packet)
		    if "track_descriptor" in packet:
		        track = dict(packet["track_descriptor"])
		        if "thread" in track:
		            threads[track["uuid"]] = int(dict(track["thread"])["tid"])
		        if track.get("name") == "waits":
		            tracks[track["uuid"]] = threads[track["parent_uuid"]]
		    if "track_event" not in packet:
		        continue
		    event = dict(packet["track_event"])
		    if tracks.get(event["track_uuid"]) != pid:
		        continue
		    if event["type"] == "TYPE_SLICE_BEGIN":
		        begun = (int(packet["timestamp"]), "throttled" if event["name"] == "throttled" else "waits")
		    else:
		        sums[begun[1]] += int(packet["timestamp"]) - begun[0]
		assert sums == {"throttled": throttled, "waits": waited}, (sums, waited, throttled)
	PYTHON
}

@test "compare: throttled time is a metric, and no part of waits; without its events it is unknown" {
	mkdir -p a/raw b/raw c/raw
	gunzip -c "$KEYS/quota-6.12.dat.gz" >a/raw/sh_run1.dat
	cp a/raw/sh_run1.dat b/raw
	gunzip -c "$KEYS/6.12-throttled.dat.gz" >c/raw/sh_run1.dat
	"$PICKNEXT" compare -q a b --details=all --json >same.json || true
	grep -A12 '"throttled_ms_per_s"' same.json | grep -qE '"median[^:]*": [1-9]'
	"$PICKNEXT" compare -q c c --details=all --json >unknown.json || true
	run ! grep -A12 '"throttled_ms_per_s"' unknown.json
}

# The older recording has no events of throttling; paths are of the roles beside it.
# bats test_tags=slow
@test "--by cgroup has paths; what is not known is empty, not 0" {
	gunzip -c "$KEYS/6.12-throttled.dat.gz" >mix_run1.dat
	cat >mix_run1.json <<-'JSON'
		{"trace_id": "mix_run1", "workload_name": "mix", "roles": [
		{"name": "limited", "tasks": 2, "cgroup": "outer/limited"}, {"name": "nap-limited", "tasks": 1, "cgroup": "outer/limited"},
		{"name": "nap", "tasks": 1, "cgroup": "naps"}, {"name": "free", "tasks": 3, "cgroup": "free"}]}
	JSON
	"$PICKNEXT" latency -q --by cgroup --json mix_run1.dat >cgroups.json
	"$PICKNEXT" latency -q --by comm --top 0 --json mix_run1.dat >comms.json
	python3 - <<-'PYTHON'
		import json
		paths = {"limited": "outer/limited", "nap-limited": "outer/limited", "nap": "naps", "free": "free"}
		for kind in ("wakeup", "preempted"):
		    rows = {row["cgroup"]: row for row in json.load(open("cgroups.json"))[kind]}
		    assert {"outer/limited", "naps", "free"} <= set(rows), rows.keys()
		    for path in ("outer/limited", "naps", "free"):
		        of = [row for row in json.load(open("comms.json"))[kind] if paths.get(row["comm"]) == path]
		        assert rows[path]["waits"] == sum(row["waits"] for row in of), (path, rows[path])
		        assert rows[path]["throttled_ns"] is None, rows[path]
		assert "/" in {row["cgroup"] for row in json.load(open("cgroups.json"))["wakeup"]}
	PYTHON
	"$PICKNEXT" stat -q --pairs --by cgroup --json mix_run1.dat | grep -q '"preempting": "outer/limited"'
	"$PICKNEXT" stat -q --by cgroup --csv mix_run1.dat | grep -q '^outer/limited,3,'
	# Groups of decisions have these paths too; before a task has entered its cgroup it is in that of the run.
	"$PICKNEXT" why -q --decision 1 --max 100000 --csv mix_run1.dat | cut -d, -f4,5 | sort -u >groups
	grep -q '^1,cgroup outer$' groups && grep -q '^2,cgroup outer/limited$' groups && grep -q '^1,cgroup free$' groups
	grep -q '^0,group of limited-' groups
	run ! grep -q '^0,cgroup outer/' groups
	"$PICKNEXT" why -q --task 'cgroup outer/limited' mix_run1.dat | grep -q '^cgroup outer/limited '
	"$PICKNEXT" export -q -f perfetto mix_run1.dat -o t.perfetto-trace
	grep -qa 'cgroup outer/limited: lag in CPU time' t.perfetto-trace
	# Without keys the role says it.
	cat >text_run1.txt <<-'TRACE'
		# tracer: nop
		          <idle>-0       [000] d.h2.     1.000001: sched_wakeup: comm=limited pid=7 prio=120 target_cpu=000
		          <idle>-0       [000] d..2.     1.000002: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=limited next_pid=7 next_prio=120
	TRACE
	sed 's/mix/text/g' mix_run1.json >text_run1.json
	"$PICKNEXT" latency -q --by cgroup --csv text_run1.txt | grep -q '^outer/limited,1,1,.*,,wakeup$'
}

# host_trace NAME-PID...: a trace in which they run on one CPU, one after the other, for 10 us and the PID of the next in us.
# The task d-13 is born in it. A wakeup of the running task, without effect, shows that wakeups are recorded.
host_trace() {
	echo "# tracer: nop"
	printf '          idler-9     [000] d..2. 1.000000: sched_wakeup: comm=idler pid=9 prio=120 target_cpu=000\n'
	printf '          idler-9     [000] d..2. 1.000000: sched_wakeup_new: comm=d pid=13 prio=120 target_cpu=000\n'
	local us=0 prev=idler pid=9 next
	for next; do
		us=$((us + 10 + ${next##*-}))
		printf '%16s-%-5d [000] d..2. 1.%06d: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d next_prio=120\n' \
			"$prev" "$pid" $us "$prev" "$pid" "${next%-*}" "${next##*-}"
		prev=${next%-*} pid=${next##*-}
	done
}

# Without keys: a task that was seen in two cgroups, or in none, is in an unknown one. 13 is a PID that was used again; the
# command, 15, may have moved itself before it was gone.
# bats test_tags=slow
@test "--by cgroup: tasks of a host, from /proc before and after the recording" {
	host_trace a-10 b-11 c-12 d-13 e-14 f-15 idler-9 >host.txt
	cat >host.json <<-'JSON'
		{"trace_id": "host", "workload_name": "x", "command_pid": 15,
		"cgroups_before": {"/x": "10-13", "/": "1-3,15,9"}, "cgroups_after": {"/x": "10", "/y": "11,13", "/": "1-3,9"}}
	JSON
	"$PICKNEXT" stat -q --by cgroup --csv host.txt | cut -d, -f1-3 | sort >rows
	diff rows - <<-'END'
		,3,66000
		/,1,20000
		/x,2,44000
		/y,1,24000
		cgroup,tasks,cpu_time_ns
	END
	"$PICKNEXT" latency -q --by cgroup --csv host.txt | grep -q '^/y,1,1,'
	# Keys show which tasks are on the queue of a task whose path is known: free-2347 and free-2348, but not limited-2343.
	gunzip -c "$KEYS/6.12-throttled.dat.gz" >keys.dat
	echo '{"trace_id": "keys", "workload_name": "x", "cgroups_before": {"/lim": "2342"},
		"cgroups_after": {"/lim": "2342", "/free": "2346"}}' >keys.json
	"$PICKNEXT" stat -q --by cgroup --csv keys.dat | cut -d, -f1,2 | sort >rows
	grep -qx /free,3 rows && grep -qx /lim,2 rows && grep -q '^/,' rows
	# A queue with tasks of two paths is of a cgroup above both.
	sed -i 's,"/free": "2346","/free": "2346"\, "/other": "2348",' keys.json
	"$PICKNEXT" stat -q --by cgroup --csv keys.dat | cut -d, -f1,2 | sort >rows
	grep -qx /free,1 rows && grep -qx /other,1 rows
	# Lists of a damaged file.
	for pids in 4-3 -5 1,,2 x 1-99999999999 0-4194304,0-4194304; do
		echo '{"trace_id": "host", "cgroups_after": {"/x": "'$pids'"}}' >host.json
		"$PICKNEXT" stat -q --by cgroup --csv host.txt >rows
	done
}

# 10 to 12 and 15 are of process 10, whose leader does not run; 13 is of it only by the list after it: the PID was another
# one's before. 14 is in no list, 16 was of two processes.
# bats test_tags=slow
@test "--by process: from the threads of the host before and after the recording" {
	host_trace b-11 c-12 d-13 e-14 f-15 g-16 idler-9 c-12 idler-9 >host.txt
	cat >host.json <<-'JSON'
		{"trace_id": "host", "workload_name": "x",
		"processes_before": {"single-threaded": "1-3,9,13", "10 old": "10-12,15", "4 other": "4-5,16"},
		"processes_after": {"single-threaded": "1-3,9,16", "10 a b": "10-11,13"}}
	JSON
	"$PICKNEXT" stat -q --by process --csv host.txt | cut -d, -f1-4 | sort >rows
	diff rows - <<-'END'
		,,2,44000
		10,a b,4,114000
		9,idler,1,43000
		pid,comm,tasks,cpu_time_ns
	END
	"$PICKNEXT" latency -q --by process --csv host.txt | grep -q '^10,a b,1,1,'
	"$PICKNEXT" latency -q --by process --json host.txt |
		python3 -c 'import json, sys
[row] = json.load(sys.stdin)["wakeup"]
assert (row["pid"], row["comm"], row["waits"]) == (10, "a b", 1), row'
	"$PICKNEXT" stat -q --by process --top 2 host.txt | grep -q ': the 2 processes with the most CPU time, of 3'
	"$PICKNEXT" stat -q --pairs --by process --json host.txt |
		python3 -c 'import json, sys
[row] = json.load(sys.stdin)["wakeups"]
assert [row[k] for k in ("waker", "waker_pid", "woken", "woken_pid", "run")] == ["idler", 9, "a b", 10, 0], row'
	# A PID of another run is another process; without a list all are unknown, in one row.
	cp host.txt other.txt
	sed 's/"host"/"other"/' host.json >other.json
	host_trace b-11 idler-9 >none.txt
	"$PICKNEXT" stat -q --by process --csv host.txt other.txt none.txt | cut -d, -f1,4-6 | sort >rows
	diff rows - <<-'END'
		,,,7
		0,10,a b,4
		0,9,idler,1
		1,10,a b,4
		1,9,idler,1
		run,pid,comm,tasks
	END
}
