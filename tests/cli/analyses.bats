#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The common part of all analyses, by picknext stat and latency: where traces come from, windows, forms of output, and
# messages about a trace's quality. The figures themselves are in tests/golden/analysis.bats.

bats_require_minimum_version 1.5.0

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cp "$BATS_TEST_DIRNAME/../golden/analysis/"{two_cpus,lossy}.txt "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Figures of a name in stat --by comm --csv: cpu_time_ns and voluntary switches.
figures() {
	awk -F, -v name="$1" '$1 == name { print $5, $8 }'
}

@test "analyses: a file, standard input and picknext.dat give the same" {
	"$PICKNEXT" stat two_cpus.txt >file
	"$PICKNEXT" stat - <two_cpus.txt >stdin
	cp two_cpus.txt picknext.dat
	"$PICKNEXT" stat >default
	cmp file stdin
	cmp file default
	[[ $(tail -n 1 file) == *"20 events, 0.000600 s, 2 CPUs"* ]]
}

# bats test_tags=slow
@test "analyses: several traces, and a directory of them, are taken together" {
	mkdir -p runs/raw
	cp two_cpus.txt runs/raw/a_run0.txt
	cp two_cpus.txt runs/raw/a_run1.txt
	"$PICKNEXT" stat --by comm --csv runs >directory 2>verdict
	"$PICKNEXT" stat --by comm --csv runs/raw/*.txt >files
	"$PICKNEXT" stat --by comm --csv runs/raw >raw
	cmp directory files
	cmp directory raw
	grep -qx '40 events, 0.001200 s, 2 CPUs, 2 traces, no events lost' verdict
	[ "$(figures alpha <directory)" = "670000 4" ]
	[ "$(figures gamma <directory)" = "160000 2" ]
	# Tasks of two traces are different tasks, whatever their PIDs.
	"$PICKNEXT" stat --csv runs | grep -c ',300,gamma,user,80000,' | grep -qx 2
	[ "$(awk -F, '$1 == "gamma" { print $2, $3, $4 }' directory)" = "2 2 100000" ]
}

@test "analyses: JSON has the figures of the CSV and the verdict" {
	"$PICKNEXT" stat --json two_cpus.txt >stat.json
	"$PICKNEXT" stat --csv two_cpus.txt >stat.csv 2>/dev/null
	"$PICKNEXT" latency --json lossy.txt >latency.json
	python3 - <<-'EOF'
		import csv, json
		stat = json.load(open("stat.json"))
		rows = list(csv.DictReader(open("stat.csv")))
		assert len(rows) == len(stat["tasks"]) == 5
		for row, task in zip(rows, stat["tasks"]):
		    assert list(row) == list(task), (row, task)
		    for key, value in row.items():
		        assert task[key] == value if key in ("comm", "kind") else float(value) == task[key], (key, value, task)
		assert stat["trace"]["events"] == 20 and stat["trace"]["lost_events"] == 0
		for cpu in stat["cpus"]:
		    assert cpu["busy_ns"] + cpu["idle_ns"] + cpu["unknown_ns"] == stat["trace"]["duration_ns"] == 600000
		assert [cpu["switches"] for cpu in stat["cpus"]] == [5, 7]
		latency = json.load(open("latency.json"))
		assert latency["trace"]["lost_events"] == 7 and latency["trace"]["missing_switches"] == 1
		assert sum(bin["waits"] for bin in latency["wakeup_histogram"]) == sum(t["waits"] for t in latency["wakeup"]) == 5
		assert latency["preempted"] == []
	EOF
}

@test "stat --waits has what latency has" {
	"$PICKNEXT" stat --waits --by comm --json two_cpus.txt >stat.json
	"$PICKNEXT" stat --by comm --json two_cpus.txt >plain.json
	"$PICKNEXT" latency --by comm --json two_cpus.txt >latency.json
	python3 - <<-'EOF'
		import json
		stat, plain, latency = (json.load(open(name + ".json")) for name in ("stat", "plain", "latency"))
		compared = 0
		for row, without in zip(stat["comms"], plain["comms"]):
		    assert {key: row[key] for key in without} == without
		    for kind in "wakeup", "preempted":
		        waits = [wait for wait in latency[kind] if wait["comm"] == row["comm"]]
		        assert bool(waits) == bool(row[kind + "_waits"])
		        for key in [key for key in waits[0] if key.startswith("wait") and key != "wait"] if waits else []:
		            assert row[f"{kind}_{key}"] == waits[0][key], (row, key)
		            compared += 1
		assert compared == 5 * 12
	EOF
}

@test "analyses: only some CPUs" {
	"$PICKNEXT" stat --by comm --csv --cpu 1 two_cpus.txt >one 2>/dev/null
	[ "$(figures gamma <one)" = "80000 1" ]
	[ "$(figures beta <one)" = "246000 2" ]
	[ "$(grep -c -e alpha -e swapper/0 one)" -eq 0 ]
	run -2 "$PICKNEXT" stat --cpu 1,x two_cpus.txt
	[[ $output == *--cpu*"'1,x'"* ]]
}

@test "analyses: --top, --no-idle" {
	[ "$("$PICKNEXT" stat --csv --top 2 two_cpus.txt 2>/dev/null | cut -d, -f 2 | tr '\n' ' ')" = "comm alpha beta " ]
	[ "$("$PICKNEXT" stat --no-idle two_cpus.txt | grep -c swapper)" -eq 0 ]
	"$PICKNEXT" stat -n 2 two_cpus.txt | grep -q '^Work.*\<2\>.*\<5\>'
}

@test "analyses: titles tell how many there are, and that there are none" {
	"$PICKNEXT" latency --by comm -n 1 two_cpus.txt >one
	grep -q '^Wakeup.*\<3\>' one
	grep -q '^Preempted.*\<2\>' one
	"$PICKNEXT" latency --by comm --no-histogram -n 2 two_cpus.txt >two
	grep -q '^Wakeup.*\<2\>.*\<3\>' two
	grep '^Preempted' two >preempted
	run ! grep -q '[0-9]' preempted
	"$PICKNEXT" stat --by cpu -n 1 two_cpus.txt | grep -q '^Work.*\<1\>.*\<2\>'
	run -0 --separate-stderr "$PICKNEXT" inversions two_cpus.txt
	[[ ${lines[0],,} == *inversions* ]]
	[ "${#lines[@]}" -eq 2 ]
}

# bats test_tags=slow
@test "analyses: windows by time and by marks" {
	sed -e '/100.000100/i\           alpha-100     [000] d..2.   100.000100: tracing_mark_write: begin' \
		-e '/100.000400/i\           alpha-100     [000] d..2.   100.000400: tracing_mark_write: end' two_cpus.txt >marked.txt
	"$PICKNEXT" stat --by comm --csv --from 0.0001 --to 0.0004 two_cpus.txt >within 2>/dev/null
	"$PICKNEXT" stat --by comm --csv --from-mark begin --to-mark end marked.txt >marks 2>/dev/null
	cmp within marks
	run -2 "$PICKNEXT" stat --from-mark nowhere marked.txt
	[[ $output == "picknext: marked.txt: "*"'nowhere'"* ]]
	run -0 "$PICKNEXT" stat --to-mark nowhere marked.txt
	[[ $output == *"warning: marked.txt: "*"'nowhere'"* ]]
	run -2 "$PICKNEXT" stat --from 3 marked.txt
	[[ $output == *--from*marked.txt*0.000600* ]]
	run -2 "$PICKNEXT" stat --from 3 --to 2 marked.txt
	# The windows before, within and after share no event.
	"$PICKNEXT" stat --by comm --csv --to 0.0001 two_cpus.txt >before 2>/dev/null
	"$PICKNEXT" stat --by comm --csv --from 0.0004 two_cpus.txt >after 2>/dev/null
	[ "$(cat before within after | figures alpha | awk '{ sum += $1 } END { print sum }')" -eq 335000 ]
}

# bats test_tags=slow
@test "analyses: a trace.dat that lost events is told of, and its times still sum up" {
	"$TOP/build/tools/make_trace" made.dat
	run -0 "$PICKNEXT" stat made.dat
	[[ ${lines[-1]} =~ [1-9][0-9,]*\ events.*[1-9][0-9,]*\ events\ lost ]]
	"$PICKNEXT" stat --json made.dat >made.json
	python3 - <<-'EOF'
		import json
		stat = json.load(open("made.json"))
		assert len(stat["cpus"]) == 3
		for cpu in stat["cpus"]:
		    times = cpu["busy_ns"] + cpu["idle_ns"] + cpu["unknown_ns"]
		    assert 0 < times <= stat["trace"]["duration_ns"] and cpu["unknown_ns"] > 0, cpu
	EOF
}

@test "analyses: results go to a file, which is not the trace" {
	"$PICKNEXT" stat --csv -o out.csv two_cpus.txt 2>verdict
	"$PICKNEXT" stat --csv two_cpus.txt 2>/dev/null | cmp - out.csv
	grep -q '20 events' verdict
	run -2 "$PICKNEXT" stat -o two_cpus.txt two_cpus.txt
	[[ $output == *"two_cpus.txt: "* ]]
	run -2 "$PICKNEXT" stat --csv --json two_cpus.txt
}

# bats test_tags=slow
@test "analyses: what is no trace is refused" {
	run -4 "$PICKNEXT" stat nothing.dat
	[[ $output == *"nothing.dat: "*"No such file or directory"* ]]
	mkdir empty
	run -3 "$PICKNEXT" latency empty
	[[ $output == *empty* ]]
	echo text >text
	run -3 "$PICKNEXT" latency text
	head -c 1000 /dev/urandom >noise.txt
	run -3 "$PICKNEXT" latency noise.txt
	printf '# tracer: nop\n#\n' >none.txt
	run -3 "$PICKNEXT" stat none.txt
	[[ $output == *"none.txt: "* ]]
	sed 's/\[001\]/[99999]/' two_cpus.txt >far.txt
	run -3 "$PICKNEXT" stat far.txt
	[[ $output == *"far.txt: "*99999*8192* ]]
}

@test "analyses: names from a trace cannot move the cursor" {
	sed 's/gamma/ga\x1b[2J/g' two_cpus.txt >evil.txt
	"$PICKNEXT" stat evil.txt >out
	[ "$(grep -c $'\x1b' out)" -eq 0 ]
	grep -qF 'ga\x1b[2J' out
	"$PICKNEXT" stat --csv evil.txt 2>/dev/null | grep -q $'\x1b'
}

# bats test_tags=slow
@test "analyses: JSON has all lists, also those without rows" {
	for command in inversions idle-waiting; do
		"$PICKNEXT" "$command" --threshold 10s --json two_cpus.txt >json 2>/dev/null
		[ "$(python3 -c 'import json; print(json.load(open("json"))["longest"])')" = "[]" ]
		"$PICKNEXT" "$command" --threshold 10s two_cpus.txt >table 2>/dev/null
		run ! grep -q 'The longest' table
	done
}

@test "diff: what is beside its lists fits into narrow terminals" {
	command -v script >/dev/null || skip "script is not installed"
	sed 's/prev_state=S/prev_state=D/' two_cpus.txt >a_changed_copy_of_the_trace_with_a_long_name.txt
	script -qec "stty cols 60; '$PICKNEXT' diff --context 0 two_cpus.txt a_changed_copy_of_the_trace_with_a_long_name.txt" /dev/null </dev/null |
		tr -d '\r' | sed 's/.*\x1b\[K//' >shown
	grep -q '^The traces differ' shown
	[ "$(wc -L <shown)" -le 60 ] || { cat shown; return 1; }
}

@test "inversions: none is said with the value of --threshold" {
	run -0 "$PICKNEXT" inversions --threshold 1234567 two_cpus.txt
	[[ ${lines[0]} == *"at least 1234567 us"* ]] || { echo "$output"; return 1; }
}

# bats test_tags=slow
@test "analyses: tables and lists fit into narrow terminals, keep their marks and say what they lack" {
	command -v script >/dev/null || skip "script is not installed"
	local width command
	gunzip -c "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >keys.dat
	for width in 40 56 68; do
		for command in 'stat two_cpus.txt' 'latency two_cpus.txt' 'migrations two_cpus.txt' 'migrations --list two_cpus.txt' \
			'timeline two_cpus.txt' 'check two_cpus.txt' 'compare --list' 'why --worst 2 keys.dat' 'check-rule keys.dat'; do
			script -qec "stty cols $width; '$PICKNEXT' $command" /dev/null </dev/null | tr -d '\r' | sed 's/.*\x1b\[K//' >shown
			[ "$(wc -L <shown)" -le "$width" ] || { cat shown; echo "$command: wider than $width"; return 1; }
			case $command in
			latency*) grep -q 'drawn$' shown || grep -q 'at this width: .*drawn' <(tr '\n' ' ' <shown) ;;
			timeline*) grep -q '^# Left out at this width: RAN FOR' shown ;;
			migrations\ --list*) [ "$width" -gt 60 ] || grep -q '^# Left out at this width: PID, PRIO' shown ;;
			why*) grep -q '<- picked$' shown && [ "$width" -gt 60 ] || grep -q '^Left out at this width: ' shown ;;
			check-rule*) grep -q 'decisions' shown && grep -q '^[1-9][0-9]* invariants hold' shown ;;
			esac || { cat shown; echo "$command at $width"; return 1; }
		done
	done
}

# bats test_tags=slow
@test "analyses: the first line says that a trace is truncated" {
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >whole.dat
	head -c 200000 whole.dat >cut.dat
	for analysis in "stat --top 3" latency affinity "diff whole.dat"; do
		read -r -a words <<<"$analysis"
		run "$PICKNEXT" "${words[@]}" cut.dat
		[[ ${lines[0]} == *"cut short"* ]]
		run "$PICKNEXT" "${words[@]}" whole.dat
		[[ $output != *"cut short"* ]]
	done
}

# bats test_tags=slow
@test "analyses: CPUs that no trace has are refused, with those that are there" {
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >whole.dat
	for analysis in latency stat timeline migrations affinity inversions idle-waiting check check-rule "why --switch 3"; do
		read -r -a words <<<"$analysis"
		run -2 --separate-stderr "$PICKNEXT" "${words[@]}" --cpu 99 whole.dat
		[[ $stderr == *"--cpu: "*"0-2"* ]]
	done
	run -0 "$PICKNEXT" latency --cpu 0,99 whole.dat
}

@test "analyses: a trace without sched_wakeup events leaves wakeups out, rather than 0" {
	grep -v 'sched_wakeup:' two_cpus.txt >switches.txt
	"$PICKNEXT" stat --waits --json switches.txt >stat.json
	"$PICKNEXT" latency --json switches.txt >latency.json
	"$PICKNEXT" idle-waiting --json switches.txt >idle.json
	python3 - <<-'EOF'
		import json
		stat, latency, idle = (json.load(open(name + ".json")) for name in ("stat", "latency", "idle"))
		for row in stat["tasks"]:
		    assert row["cpu_time_ns"] is not None and row["preempted_waits"] is not None
		    assert row["wakeups"] is row["spurious_wakeups"] is row["wakeup_waits"] is row["wakeup_wait_sum_ns"] is None
		assert latency["wakeup"] == [] and latency["preempted"] and stat["trace"]["traces_without_wakeups"] == 1
		assert all(row["waited_ns"] is row["stretches"] is None and row["idle_ns"] > 0 for row in idle["cpus"])
	EOF
	local reason='no sched_wakeup events: wakeups and the waits after them are not known'
	for name in stat latency idle-waiting; do
		"$PICKNEXT" "$name" switches.txt >text
		grep -q "$reason" text
		run ! grep -q '^Wakeup' text
		# A part without wakeups of a trace that has some is no such trace.
		"$PICKNEXT" "$name" --to 0.00001 two_cpus.txt >text
		run ! grep -q 'no sched_wakeup' text
	done
	"$PICKNEXT" stat two_cpus.txt switches.txt | grep -q 'no sched_wakeup events in 1 of the traces:'
}

@test "stat: the share of a task of one of several traces is that of the time of its trace" {
	cp two_cpus.txt again.txt
	"$PICKNEXT" stat --json two_cpus.txt >one.json
	"$PICKNEXT" stat --json two_cpus.txt again.txt >two.json
	"$PICKNEXT" stat --by comm --json two_cpus.txt again.txt >names.json
	python3 - <<-'EOF'
		import json
		one, two, names = (json.load(open(name + ".json")) for name in ("one", "two", "names"))
		share = {row["comm"]: row["cpu_share"] for row in one["tasks"]}
		assert len(two["tasks"]) == 10 and len(names["comms"]) == 5
		assert all(row["cpu_share"] == share[row["comm"]] > 0 for row in two["tasks"] + names["comms"])
	EOF
}

@test "stat and latency: no key of the JSON is there twice" {
	for by in task comm role cgroup process cpu; do
		for name in stat latency; do
			"$PICKNEXT" "$name" --by "$by" --json two_cpus.txt | python3 -c '
import json, sys
def unique(pairs):
    assert len(dict(pairs)) == len(pairs), [key for key, value in pairs]
    return dict(pairs)
json.load(sys.stdin, object_pairs_hook=unique)'
		done
	done
	"$PICKNEXT" stat --by cpu --json two_cpus.txt | grep -q '"work_by_cpu": *\['
}

@test "stat, migrations, affinity: rates and shares of time that was not seen are empty" {
	{
		cat two_cpus.txt
		echo 'CPU:0 [LOST 700 EVENTS]'
		echo '           gamma-300     [000] d..2.   100.010000: sched_switch: prev_comm=gamma prev_pid=300 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120'
	} >lost.txt
	"$PICKNEXT" stat --json lost.txt >stat.json
	"$PICKNEXT" migrations --json lost.txt >migrations.json
	"$PICKNEXT" affinity --json lost.txt >affinity.json
	python3 - <<-'EOF'
		import json
		stat, migrations, affinity = (json.load(open(name + ".json")) for name in ("stat", "migrations", "affinity"))
		lost, seen = stat["cpus"]
		assert lost["switches_per_s"] is lost["busy_share"] is None and lost["busy_ns"] and lost["unknown_ns"]
		assert seen["switches_per_s"] and seen["busy_share"]
		rates = [row["migrations_per_s"] for table in migrations.values() if isinstance(table, list)
		         for row in table if "migrations_per_s" in row]
		assert rates and set(rates) == {None}
		assert all(row["changes_per_s"] is None for row in affinity["tasks"])
	EOF
}
