#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# why, check-rule: what they refuse; that why finds, in a part of a trace, what is in the whole. What they judge:
# tests/unit/rules.

bats_require_minimum_version 1.5.0

load ../support/json

setup() {
	PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	KEYS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/tests/golden/keys
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '%16s-%-7d [000] d..2. %5d.%06d: %s\n' a 1 10 100 \
		"sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120" >t.txt
}

@test "check-rule and why refuse a trace without keys, with the remedy" {
	run -3 --separate-stderr "$PICKNEXT" check-rule t.txt
	[[ $stderr == *t.txt*keys*--keys* ]]
	run -3 --separate-stderr "$PICKNEXT" why --at 0 t.txt
	[[ $stderr == *t.txt*keys*--keys* ]]
}

@test "why needs exactly one way to name the decision" {
	run -2 "$PICKNEXT" why t.txt
	run -2 "$PICKNEXT" why --at 1 --switch 2 t.txt
	run -2 "$PICKNEXT" why --at x t.txt
	run -2 "$PICKNEXT" why --worst 2 --switch 2 t.txt
	run -2 "$PICKNEXT" why --worst 1001 t.txt
	run -2 --separate-stderr "$PICKNEXT" why --decision 0 t.txt
	[[ $stderr == *--decision*"at least 1"* ]]
	run -2 "$PICKNEXT" why --at 1 --max 0 t.txt
}

@test "why names the option whose decision the trace does not have" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	for choice in "--at 99999" "--switch 99999" "--decision 99999"; do
		read -r -a words <<<"$choice"
		run -2 --separate-stderr "$PICKNEXT" why "${words[@]}" keys.dat
		[[ $stderr == *"${choice%% *}:"* ]]
	done
}

# bats test_tags=slow
@test "why names a task that no decision has as a candidate" {
	for trace in "$KEYS"/*.dat.gz; do
		gunzip -c "$trace" >keys.dat
		run -2 --separate-stderr "$PICKNEXT" why --task nosuch-5 keys.dat
		[[ $stderr == *"'nosuch-5' is a candidate of no decision"* ]]
	done
}

# bats test_tags=slow
@test "why says how many decisions and switches there are, how long the trace is, and how a task is named" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	"$PICKNEXT" why --decision 1 --max 100000 --json keys.dat >all.json
	read -r decisions switches < <(python3 -c 'import json
rows = json.load(open("all.json"))["decisions"]
print(max(row["decision"] for row in rows), max(row["switch"] or 0 for row in rows))')
	run -2 --separate-stderr "$PICKNEXT" why --decision "$((decisions + 1))" keys.dat
	[[ $stderr == *--decision:*" $decisions" ]]
	run -2 --separate-stderr "$PICKNEXT" why --switch 99999 keys.dat
	[[ ${stderr##* } -ge $switches && ${stderr##* } -le $((switches + 2)) ]]
	run -2 --separate-stderr "$PICKNEXT" why --at 99 keys.dat
	[[ $stderr == *--at:*"ends at 0.912"* ]]
	run -2 --separate-stderr "$PICKNEXT" why --at 99 --to 0.5 keys.dat
	[[ $stderr == *--at:*"ends at 0.49"* ]]
	run -2 --separate-stderr "$PICKNEXT" why --task cpu-bound keys.dat
	[[ $stderr == *"'cpu-bound' is not NAME-PID"* ]]
}

# bats test_tags=slow
@test "why: a part of the trace has the decisions of the whole, with the same numbers or none" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	python3 - "$PICKNEXT" <<-'END'
		import json, subprocess, sys
		def why(*options):
		    text = subprocess.run([sys.argv[1], "why", "--json", *options, "keys.dat"], check=True, capture_output=True).stdout
		    return json.loads(text)["decisions"]
		def plain(rows):
		    return [{**row, "decision": None, "switch": None} for row in rows]
		whole = why("--decision", "1", "--max", "100000")
		at = {(row["since_start_ns"], row["cpu"], row["cause"]): row for row in whole}
		first = why("--task", "cpu-bound-164", "--max", "5")
		parts = [["--to", "0.9"], ["--from", "0.000001"], ["--cpu", "1"], ["--from", "0.3", "--cpu", "0"], ["--from", "0.3", "--to", "0.8"]]
		for part in parts:
		    for choice in (["--task", "cpu-bound-164"], ["--at", "0.5"]):
		        found = why(*choice, "--max", "5", *part)
		        assert len(found) == 5, (part, choice)
		        for row in found:
		            same = at[row["since_start_ns"], row["cpu"], row["cause"]]
		            assert row["task"] == same["task"]
		            for name in ("decision", "switch"):
		                assert row[name] in (None, same[name]), (part, choice, row, same)
		            assert choice[0] == "--task" or "--from" not in part or row["decision"] is row["switch"] is None, row
		assert plain(why("--task", "cpu-bound-164", "--max", "5", "--to", "0.9")) == plain(first)
	END
	run -2 "$PICKNEXT" why --decision 3 --from 0.1 keys.dat
	run -2 "$PICKNEXT" why --switch 3 --from 0.1 keys.dat
}

# bats test_tags=slow
@test "why: a narrow terminal keeps what decides; CFS has no deadlines" {
	command -v script >/dev/null || skip "script is not installed"
	for kernel in 6.12 6.1; do
		gunzip -c "$KEYS/$kernel.dat.gz" >keys.dat
		script -qec "stty cols 60; '$PICKNEXT' why --at 0.5 keys.dat" /dev/null </dev/null | tr -d '\r' >"$kernel"
		cat "$kernel"
	done
	grep -q 'CPU ms .*- V ms .*eligible' 6.12
	grep -q '^Left out at this width: weight' 6.12
	grep -q 'weight' 6.1
	run ! grep -Eq 'eligible|deadline|slice|Left out' 6.1
}

# Without its deadline the running task seems to have the earliest one.
# bats test_tags=slow
@test "why names the task that the rule picks instead" {
	gunzip -c "$KEYS/6.12.dat.gz" | LC_ALL=C sed 's/curr_deadline/curr_deadlink/g' >other.dat
	run -1 "$PICKNEXT" check-rule --json other.dat
	echo "$output" >rules.json
	decision=$(python3 -c 'import json; print(json.load(open("rules.json"))["breaks"][0]["first_decision"])')
	"$PICKNEXT" why --decision "$decision" --json other.dat >why.json
	run -0 "$PICKNEXT" why --decision "$decision" other.dat
	TEXT=$output python3 - <<-'END'
		import json, os
		found = json.load(open("why.json"))
		decision, rows = found["decisions"][0], found["candidates"]
		assert decision["verdict"] == "against the rule", decision
		named = [row for row in rows if row["rules"]]
		assert [row["task"] for row in named] == [decision["rule_task"]], rows
		assert not named[0]["picked"] and len([row for row in rows if row["picked"]]) == 1, rows
		assert f"the rule picks {decision['rule_task']}: {decision['rule_reason']}" in os.environ["TEXT"], os.environ["TEXT"]
	END
}

# The slices of 6.12, 1400000 ns, without their upper bits.
short_slices() {
	gunzip -c "$KEYS/6.12.dat.gz" | python3 -c 'import sys
trace = sys.stdin.buffer.read()
sys.stdout.buffer.write(trace.replace((1400000).to_bytes(4, "little"), (1400000 % 65536).to_bytes(4, "little")))' >slices.dat
}

# bats test_tags=slow
@test "check-rule names broken invariants in its first lines, and in CSV" {
	short_slices
	run -1 --separate-stderr "$PICKNEXT" check-rule slices.dat
	[[ ${lines[0]} == "all "*"follow EEVDF's rule"* && ${lines[1]} == "deadline_in_slice is broken "*" of "*" times: deadline - vruntime"* ]]
	[[ $output == *"  first of "*" on CPU "*" at "*" s: deadline - vruntime is "*" ms, expected at most "*" ms"* ]]
	# The command that shows it does.
	local look
	look=$(grep -m 1 -o 'picknext why --at [0-9.]* slices.dat' <<<"$output")
	# shellcheck disable=SC2086 # words of a command
	run -0 "$PICKNEXT" ${look#picknext }
	[[ $output == *"deadline_in_slice is broken"*"deadline - vruntime is "*"must hold: "* ]]
	run -1 "$PICKNEXT" check-rule --csv -o out.csv slices.dat
	run -1 "$PICKNEXT" check-rule --json -o out.json slices.dat
	python3 - <<-'END'
		import csv, json
		found, rows = json.load(open("out.json")), list(csv.DictReader(open("out.csv", newline="")))
		of = {kind: {row["name"]: row for row in rows if row["kind"] == kind} for kind in ("decisions", "break", "invariant")}
		assert sum(map(len, of.values())) == len(rows) and not of["break"], rows
		assert sum(int(row["checked"]) for row in of["decisions"].values()) == sum(row["judged"] for row in found["causes"])
		assert len(of["invariant"]) == len(found["invariants"])
		for row in found["invariants"]:
		    other = of["invariant"][row["invariant"]]
		    for name in ("checked", "broken", "first_ns", "first_cpu", "first_pid", "first_trace"):
		        assert other[name] == ("" if row[name] is None else str(row[name])), (name, other, row)
		assert int(of["invariant"]["deadline_in_slice"]["broken"]) > 100
	END
}

# bats test_tags=slow
@test "compare: a gate on a broken rule fails if one run breaks it; of other metrics the median decides" {
	local run
	short_slices
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	mkdir -p base/raw head/raw
	# No two runs may have the same bytes.
	for run in 1 2 3; do
		sed "s/kcompactd0/kcompactd$run/" keys.dat >base/raw/w_run$run.dat
		sed "s/kcompactd0/kcompactX$run/" keys.dat >head/raw/w_run$run.dat
	done
	run -0 "$PICKNEXT" compare -q base head -f 'broken_deadline_in_slice > 0'
	cp slices.dat head/raw/w_run2.dat
	run -1 "$PICKNEXT" compare -q base head -f 'broken_deadline_in_slice > 0' -f 'rule_breaks_share > 0' -f 'slice_p50_us > 5000'
	[[ $output == "FAIL broken_deadline_in_slice > 0, w: most extreme run 100"* ]] || { echo "$output"; return 1; }
	[[ $output == *$'\n'"PASS rule_breaks_share > 0, w: most extreme run 0"* && $output == *": median "* ]]
	# The run on the gate's side.
	run -0 "$PICKNEXT" compare -q head base -f 'broken_deadline_in_slice > 0'
	run -1 "$PICKNEXT" compare -q base head -f 'broken_deadline_in_slice < 100'
	[[ $output == *"most extreme run 0"* ]]
}

# bats test_tags=slow
@test "check-rule: a trace that is not to be trusted is named first, and accuses no kernel" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	short_slices
	mkdir runs
	head -c "$(($(stat -c %s keys.dat) * 99 / 100))" keys.dat >runs/cut_run0.dat
	head -c "$(($(stat -c %s slices.dat) * 99 / 100))" slices.dat >slices_cut.dat
	cp keys.dat runs/whole_run0.dat
	for trace in runs/cut_run0.dat runs; do
		run -5 --separate-stderr "$PICKNEXT" check-rule "$trace"
		[[ ${lines[0]} == "runs/cut_run0.dat: not to be trusted: end: "* && ${lines[1]} == "all "* ]]
		[[ $stderr == *runs/cut_run0.dat:*"not to be trusted"* ]]
		run -5 "$PICKNEXT" check-rule --csv "$trace"
	done
	run -0 "$PICKNEXT" check-rule --to 0.9 runs/cut_run0.dat
	run -5 "$PICKNEXT" check-rule runs/whole_run0.dat runs/cut_run0.dat
	# A break in such a trace is shown; in another one it counts.
	for traces in slices_cut.dat "keys.dat slices_cut.dat" "slices_cut.dat keys.dat"; do
		# shellcheck disable=SC2086 # several traces
		run -5 --separate-stderr "$PICKNEXT" check-rule $traces
		[[ ${lines[0]} == "slices_cut.dat: not to be trusted: end: "* && $output == *$'\n'*' is broken '* ]]
	done
	run -1 "$PICKNEXT" check-rule slices.dat slices_cut.dat
	run -1 "$PICKNEXT" check-rule slices_cut.dat slices.dat
	# One that its JSON does not describe.
	cp slices.dat exchanged.dat
	echo '{"events": 1}' >exchanged.json
	run -5 --separate-stderr "$PICKNEXT" check-rule keys.dat exchanged.dat
	[[ ${lines[0]} == "exchanged.dat: not to be trusted: metadata: "* && $output == *$'\n'*' is broken '* ]]
	run -1 "$PICKNEXT" check-rule slices.dat exchanged.dat
}

# bats test_tags=slow
@test "why: JSON says that a part of the trace was read, and the zero point of its times" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	"$PICKNEXT" stat --json keys.dat >whole.json
	for choice in "--at 0.5" "--switch 239" "--decision 5"; do
		# shellcheck disable=SC2086 # an option and its argument
		"$PICKNEXT" why $choice --json keys.dat >part.json
		python3 - <<-'END'
			import json
			whole, part = (json.load(open(name))["trace"] for name in ("whole.json", "part.json"))
			assert whole["verdict"] == part["verdict"] == "good", part
			assert part["read_in_part"] and not whole["read_in_part"], part
			assert part["events"] < whole["events"] and part["first_ts_ns"] == whole["first_ts_ns"], (whole, part)
		END
	done
	"$PICKNEXT" why --worst 1 --json keys.dat | grep -q '"verdict": "good",'
}

# bats test_tags=slow
@test "check-rule, why, check, report and build refuse key events whose formats are damaged, and name the field" {
	local trace edit field command
	mkdir raw
	while read -r trace field edit; do
		gunzip -c "$KEYS/$trace.dat.gz" | LC_ALL=C sed "$edit" >raw/w_run1.dat
		run ! cmp -s raw/w_run1.dat <(gunzip -c "$KEYS/$trace.dat.gz")
		for command in "check-rule raw" "why --at 0 raw/w_run1.dat" "check raw" "report -o x.html raw/w_run1.dat" \
			"build --task keys -o new ."; do
			# shellcheck disable=SC2086 # operands and options
			run -3 --separate-stderr "$PICKNEXT" $command
			[[ $stderr == *"w_run1.dat: "*"keys_"*"$field"* ]] || { echo "$command: $field: $stderr"; return 1; }
		done
	done <<-'END'
		6.12-throttled throttled s/field:u16 throttled;/fielx:u16 throttled;/
		6.12-throttled throttled s/u16 throttled;/u16 throttlex;/
		6.12 next_slice s/\(next_slice;\toffset:[0-9]*;\tsize:\)4/\12/
		6.12 pid s/s32 pid;\toffset:24/s32 pid;\toffset:20/
		6.12 vlag s/s64 vlag;\(.*\)signed:1/s64 vlag;\1signed:0/
		6.1 curr_exec_start s/u64 curr_exec_start;\toffset:152/u64 curr_exec_start;\toffset:160/
	END
}

@test "check-rule, check: a key event of another length than its format has is damaged" {
	# keys_tick gets the ID of keys_resched, whose events are longer.
	gunzip -c "$KEYS/6.12.dat.gz" | LC_ALL=C sed 's/ID: 1502/ID: 1501/; s/name: keys_resched/name: keys_reschex/' >other.dat
	for command in check-rule check; do
		run -3 --separate-stderr "$PICKNEXT" $command other.dat
		[[ $stderr == *other.dat:*keys_tick*bytes* ]]
	done
}

# bats test_tags=slow
@test "check-rule, check: key events that no format has any more are damaged, not missing" {
	local edit command
	# Without its enqueues, or what asks to reschedule, a good trace would break rules.
	gzip -dc "$KEYS/exit/6.17.dat.gz" >keys.dat
	run -0 "$PICKNEXT" check-rule keys.dat
	run -0 "$PICKNEXT" check keys.dat
	for edit in "s/ID: 1518/ID: 1918/" "s/ID: 1520/ID: 1529/" "s/name: keys_enqueue/name: keys_enqueLe/" "s/name: keys_resched_lazy/name: keys_resched-lazy/"; do
		LC_ALL=C sed "$edit" keys.dat >other.dat
		run ! cmp -s keys.dat other.dat
		for command in check-rule check; do
			run -3 --separate-stderr "$PICKNEXT" $command other.dat
			[[ $stderr == *"other.dat: the keys of the scheduler are damaged: "*" the ID 1"[59]* ]] || { echo "$command $edit: $stderr"; return 1; }
		done
	done
}

# bats test_tags=slow
@test "check, check-rule, why, compare and build: without switches or picks, whose names are damaged, the other key events are not ignored" {
	local name command
	mkdir -p one/raw two/raw
	gunzip -c "$KEYS/6.12.dat.gz" >one/raw/w_run1.dat
	for name in keys_switch keys_pick; do
		LC_ALL=C sed "s/name: $name/name: K${name#k}/" one/raw/w_run1.dat >two/raw/w_run1.dat
		for command in "check two/raw" "check-rule two" "why --at 0 two/raw/w_run1.dat" "compare --allow incomplete one two" "build --task keys -o two"; do
			# shellcheck disable=SC2086 # operands and options
			run -3 --separate-stderr "$PICKNEXT" $command
			[[ $stderr == *"w_run1.dat: the keys of the scheduler are damaged: "*"$name"* ]] || { echo "$command: $stderr"; return 1; }
		done
	done
	# A kernel that allows no probe of picks: its switches have the sums of the queue.
	LC_ALL=C sed -i 's/u8 prev_on_rq;/u8         nr;/; s/REC->prev_on_rq/REC->nr        /' two/raw/w_run1.dat
	run -3 --separate-stderr "$PICKNEXT" check-rule two
	[[ $stderr == *"w_run1.dat: has no keys of the scheduler"* ]]
	run -0 "$PICKNEXT" check two/raw
}

# bats test_tags=slow
@test "check-rule --cpu counts the decisions and invariants of these CPUs" {
	short_slices
	for cpus in 0 1 2 0,1 0-2; do
		"$PICKNEXT" check-rule --cpu "$cpus" --json -o "$cpus.json" slices.dat || [ $? = 1 ]
	done
	"$PICKNEXT" check-rule --json -o all.json slices.dat || [ $? = 1 ]
	"$PICKNEXT" why --decision 1 --max 100000 --json slices.dat >why.json
	python3 - <<-'END'
		import json
		def counts(name):
		    found = json.load(open(f"{name}.json"))
		    rows = {row["cause"]: (row["decisions"], row["judged"]) for row in found["causes"]}
		    rows.update({row["invariant"]: (row["checked"], row["broken"]) for row in found["invariants"]})
		    return rows, found
		def total(*names):
		    sums = {}
		    for name in names:
		        for key, values in counts(name)[0].items():
		            sums[key] = tuple(map(sum, zip(sums.get(key, (0, 0)), values)))
		    return sums
		assert total("0", "1", "2") == counts("0-2")[0] == counts("all")[0]
		assert total("0", "1") == counts("0,1")[0] != counts("all")[0]
		shown = json.load(open("why.json"))["decisions"]
		for cpu in "012":
		    found = counts(cpu)[1]
		    assert sum(row["decisions"] for row in found["causes"]) == sum(row["cpu"] == int(cpu) for row in shown)
		    assert all(row["first_cpu"] in (None, int(cpu)) for row in found["invariants"])
	END
}

# bats test_tags=slow
@test "check-rule numbers decisions as why does, and not at all if a part begins later" {
	gunzip -c "$KEYS/6.12.dat.gz" | LC_ALL=C sed 's/curr_deadline/curr_deadlink/g' >other.dat
	for part in "--to 0.5" "--cpu 0" "--cpu 1"; do
		read -r -a words <<<"$part"
		"$PICKNEXT" check-rule "${words[@]}" --json other.dat >rules.json || [ $? = 1 ]
		read -r number ns < <(python3 -c 'import json
row = json.load(open("rules.json"))["breaks"][0]
print(row["first_decision"], row["first_ns"])')
		"$PICKNEXT" why --decision "$number" --json other.dat >why.json
		[ "$(python3 -c 'import json; print(json.load(open("why.json"))["decisions"][0]["since_start_ns"])')" = "$ns" ]
	done
	run -1 --separate-stderr "$PICKNEXT" check-rule --from 0.1 other.dat
	[[ ${lines[1]} == "  first at "*" s, CPU "*" of other.dat" ]]
	"$PICKNEXT" check-rule --from 0.1 --json other.dat >rules.json || [ $? = 1 ]
	[ "$(python3 -c 'import json; print({row["first_decision"] for row in json.load(open("rules.json"))["breaks"]})')" = "{None}" ]
}

# One in a trace in which tasks yield under CFS.
@test "why says for programs too which candidate runs, and which is a buddy" {
	gunzip -c "$KEYS/6.1-yield.dat.gz" >keys.dat
	"$PICKNEXT" why --decision 1 --max 100000 --json keys.dat >why.json
	python3 - <<-'END'
		import json
		found = json.load(open("why.json"))
		of = {}
		for row in found["candidates"]:
		    of.setdefault(row["decision"], []).append(row)
		passed = [d["decision"] for d in found["decisions"] if d["reason"].startswith("second smallest")]
		assert passed
		for decision in passed:
		    assert any(row["buddy"] == "skip" and not row["picked"] for row in of[decision]), of[decision]
		assert any(row["running"] for row in found["candidates"])
		assert all(sum(row["running"] for row in rows if row["level"] == 0) <= 1 for rows in of.values())
	END
}

@test "the rules are a topic of help, with their sources" {
	run -0 "$PICKNEXT" help rules
	[[ $output == *pick_eevdf*pick_next_entity* ]]
}

# --at, --switch, --task and --worst judge only decisions near them; --decision reads from the beginning.
# bats test_tags=slow
@test "why shows the decisions that a whole reading has" {
	for trace in "$KEYS"/*.dat.gz; do
		gunzip -c "$trace" >keys.dat
		python3 - "$PICKNEXT" <<-'END'
			import json, subprocess, sys
			def why(*options):
			    text = subprocess.run([sys.argv[1], "why", "--json", *options, "keys.dat"], check=True, capture_output=True).stdout
			    found, rows = json.loads(text), {}
			    for row in found["candidates"]:
			        # A part of a trace may not have shown the task by which a group is called.
			        row["task"] = "group" if row["task"].startswith("group") else row["task"]
			        rows.setdefault((row["since_start_ns"], row["cpu"]), []).append({**row, "decision": None, "waits": None})
			    return [({**row, "decision": None}, rows.get((row["since_start_ns"], row["cpu"]))) for row in found["decisions"]]
			picks = [row for row in why("--decision", "1", "--max", "1000000") if row[0]["cause"] != "wakeup_test"]
			whole = [row for row in picks if row[0]["switch"]]
			assert len(whole) > 100
			for decision, rows in whole:
			    if decision["reason"] == "only candidate":
			        assert len({row["level"] for row in rows}) == len(rows), (decision, rows)
			for row in whole[:5] + whole[20::len(whole) // 20]:
			    near = why("--switch", str(row[0]["switch"]), "--max", "2")
			    assert near[0] == row, (near[0], row)
			    assert [r[0]["switch"] for r in near[1:]] in ([], [row[0]["switch"] + 1]), near
			    at = why("--at", f"{row[0]['since_start_ns'] / 1e9:.9f}", "--cpu", str(row[0]["cpu"]))
			    assert at[0] == row and len(at) <= 2, (at, row)
			def plain(row):
			    return {**row[0], "switch": None}, row[1]
			tasks = {row["task"] for _, rows in whole for row in rows or () if row["pid"]}
			assert len(tasks) > 3
			for task in tasks:
			    having = [row for row in picks if any(each["task"] == task for each in row[1] or ())]
			    assert why("--task", task) == having[:20], task
			worst = why("--worst", "5")
			assert len(worst) >= 3
			for row in worst:
			    assert plain(row) in map(plain, whole), row
		END
		run -0 "$PICKNEXT" why --worst 1 keys.dat
		[[ ${lines[0]} =~ ^[^\ ].*-[0-9]+\ waits\ [0-9.]+\ ms$ ]]
	done
}

# bats test_tags=slow
@test "why reads a pipe that cannot be opened twice" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	for choice in "--worst 3" "--worst 3 --from 0.1" "--switch 3" "--decision 7" "--task cpu-bound-164"; do
		read -r -a words <<<"$choice"
		"$PICKNEXT" why "${words[@]}" keys.dat >of_file
		timeout 60 "$PICKNEXT" why "${words[@]}" <(cat keys.dat) >of_pipe
		diff of_file of_pipe
	done
}

# bats test_tags=slow
@test "why --worst shows the waits of latency, longest first, each with a decision of the CPU on which the task waited" {
	mkdir runs
	for trace in 6.1 6.12 6.12-throttled; do
		gunzip -c "$KEYS/$trace.dat.gz" >"runs/${trace}_run0.dat"
	done
	python3 - "$PICKNEXT" <<-'END'
		import json, re, subprocess, sys
		def run(*words):
		    return subprocess.run([sys.argv[1], *words], check=True, capture_output=True, text=True).stdout
		moved = of_groups = 0
		for path, count in (("runs/6.1_run0.dat", 1), ("runs/6.1_run0.dat", 10), ("runs/6.12_run0.dat", 30), ("runs/6.12-throttled_run0.dat", 30), ("runs", 40)):
		    found = json.loads(run("why", "--worst", str(count), "--json", path))
		    longest = json.loads(run("latency", "--worst", str(count), "--json", path))
		    assert found["trace"] == longest["trace"]
		    waits, decisions = found["waits"], found["decisions"]
		    of = lambda row: (row["pid"], row["start_ns"], row["wait_ns"], row["migrations"], row["ran_tasks"])
		    assert [of(row) for row in waits] == [of(row) for row in longest["worst"]] and len(waits) == count
		    assert len(decisions) == sum(row["has_decision"] for row in waits) >= 1
		    decisions = iter(decisions)
		    for row in waits:
		        moved += row["migrations"]
		        assert 0 < row["part_ns"] <= row["wait_ns"] and (row["migrations"] or row["part_ns"] == row["wait_ns"]), row
		        if not row["has_decision"]:
		            continue
		        decision = next(decisions)
		        assert decision["cpu"] == row["cpu"], (row, decision)
		        # The test of its own wakeup, if no other task was picked while it waited.
		        if decision["cause"] == "wakeup_test":
		            assert decision["task"] == row["task"], (row, decision)
		            assert -1e5 <= decision["since_start_ns"] - row["start_ns"] < row["wait_ns"], (row, decision)
		            continue
		        assert decision["task"] != row["task"], (row, decision)
		        assert row["start_ns"] <= decision["since_start_ns"] < row["start_ns"] + row["wait_ns"], (row, decision)
		        waiting = [each for each in found["candidates"] if each["waits"] and
		                   (each["since_start_ns"], each["cpu"]) == (decision["since_start_ns"], decision["cpu"])]
		        assert waiting and not any(each["picked"] for each in waiting), decision
		        assert {each["pid"] for each in waiting} <= {row["pid"], None}, (row, waiting)
		        of_groups += waiting[0]["pid"] is None
		    shown = re.findall(r"^(?:(\S+): )?(\S.*-\d+) waits ([0-9.]+) ms", run("why", "--worst", str(count), path), re.M)
		    assert [(task, ms) for _, task, ms in shown] == [(row["task"], f"{row['wait_ns'] / 1e6:.3f}") for row in waits]
		    assert [trace or path for trace, _, _ in shown] == [row["trace"] for row in waits]
		assert moved and of_groups
	END
	run -2 --separate-stderr "$PICKNEXT" why --at 0.1 runs
	[[ $stderr == *runs:*--worst* ]]
}

# Waits behind tasks of a higher class, and of which the queue is not known.
# bats test_tags=slow
@test "why --worst says what ran where no fair task could be picked" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	"$PICKNEXT" why --worst 1000 --json keys.dat >why.json
	"$PICKNEXT" why --worst 1000 keys.dat >why.txt
	python3 - <<-'END'
		import json
		waits = json.load(open("why.json"))["waits"]
		blocks = [block for block in open("why.txt").read().split("\n\n") if block.strip()]
		assert len(blocks) == len(waits) and len({row["has_decision"] for row in waits}) == 2
		for row, block in zip(waits, blocks):
		    ran = row["ran_tasks"] - block.count("idle task ")
		    assert f"{ran} task" in block.split("\n")[1], block
		    assert ("neither it nor its groups were candidates of a pick there" in block) == (not row["has_decision"]), block
		    assert (f"lag of {row['task']}: " in block or "lag of group " in block) == row["has_decision"], block
	END
}

@test "check-rule counts each invariant once: it is checked, had nothing to check, or lacks its input" {
	gunzip -c "$KEYS/6.12.dat.gz" >keys.dat
	"$PICKNEXT" check-rule --json keys.dat >rules.json
	"$PICKNEXT" check-rule keys.dat >rules.txt
	python3 - "$("$PICKNEXT" help rules | grep -cE '^  [a-z]+_[a-z_]+ {2,}')" <<-'END'
		import json, re, sys
		found, text = json.load(open("rules.json")), " ".join(open("rules.txt").read().split())
		checked = [row for row in found["invariants"] if row["checked"]]
		unmet = [row["share_broken"] for row in found["invariants"] if not row["checked"]]
		names = {row["invariant"] for row in found["invariants"] + found["invariants_not_judged"]}
		assert f" {len(checked)} invariants hold; {len(unmet)} had nothing to check: " in text, text
		assert set(unmet) == {None} and len(names) == len(found["invariants"]) + len(found["invariants_not_judged"])
		assert len(names) == int(sys.argv[1]), (len(names), sys.argv[1])
	END
}

# The first events of 7.2, in which a schedule() follows a wakeup before it is known who calls.
@test "check-rule: picks of schedule() are not taken for the test of a wakeup before them" {
	gunzip -c "$KEYS/callers/7.2.dat.gz" >callers.dat
	run -0 --separate-stderr "$PICKNEXT" check-rule --to 0.01 callers.dat
	[ "${lines[0]}" = "all 36 judged decisions follow EEVDF's rule (earliest eligible virtual deadline); 1 could not be judged" ]
}

# A CPU idles while the task of a throttled group waits, which the queue of that group has.
@test "check-rule: the queue of a throttled group is not that of the CPU" {
	gzip -dc "$KEYS/6.12-throttled.dat.gz" >throttled.dat
	run -0 --separate-stderr "$PICKNEXT" check-rule throttled.dat
	[[ ${lines[0]} == "all 412 judged"* ]]
}

# 6.17 with 4 CPUs: a wakeup ends the protection of a task of SCHED_IDLE, and its exit protects it anew half a millisecond later.
# bats test_tags=slow
@test "check-rule: a task that its exit protects anew has given way" {
	gzip -dc "$KEYS/exit/6.17.dat.gz" >exit.dat
	run -0 --separate-stderr "$PICKNEXT" check-rule --json exit.dat
	python3 -c "import json, sys; row, = (row for row in json.load(sys.stdin)[\"invariants\"] if row[\"invariant\"] == \"idle_policy_gives_way\"); assert (row[\"broken\"], row[\"checked\"]) == (0, 91), row" <<<"$output"
}

# bats test_tags=slow
@test "check-rule judges nothing from the time on at which the data of a CPU ends" {
	for trace in 6.1 6.12 6.1-yield; do
		gunzip -c "$KEYS/$trace.dat.gz" >keys.dat
		python3 - "$PICKNEXT" <<-'END'
			import json, os, re, subprocess, sys
			def run(*words):
			    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
			    return json.loads(done.stdout)
			def judged(*words):
			    found = run("check-rule", "--json", *words)
			    assert not found["breaks"] and not any(row["broken"] for row in found["invariants"]), found
			    return sum(row["judged"] for row in found["causes"]), sum(row["checked"] for row in found["invariants"])
			data, parts = open("keys.dat", "rb").read(), 0
			for percent in (50, 90, 97, 99):
			    open("cut.dat", "wb").write(data[:len(data) * percent // 100])
			    remedy = [row["remedy"] for row in run("check", "--json", "cut.dat")["traces"][0]["findings"] if row["name"] == "end"][0]
			    there = judged("cut.dat")
			    end = re.search(r"--to ([0-9.]+)", remedy)
			    if not end:
			        assert there == (0, 0), there
			        continue
			    # The time is rounded down.
			    parts += 1
			    whole = judged("--to", end[1], "keys.dat")
			    assert 0 <= there[0] - whole[0] <= 1 and 0 <= there[1] - whole[1] <= 10 and whole[0], (there, whole)
			assert parts
		END
	done
}

# bats test_tags=slow
@test "why --worst has a decision or a reason for each wait" {
	local name without
	while read -r name without; do
		gunzip -c "$KEYS/$name.dat.gz" >keys.dat
		"$PICKNEXT" why --worst 60 --json keys.dat >waits.json
		"$PICKNEXT" why --worst 60 keys.dat | tr '\n' ' ' | sed 's/  */ /g' >waits
		python3 - "$without" <<-'END'
			import json, re, sys
			found, text = json.load(open("waits.json")), open("waits").read()
			waits = found["waits"]
			assert len(waits) == 60 and [w["wait_ns"] for w in waits] == sorted((w["wait_ns"] for w in waits), reverse=True)
			parts = [part for part in re.split(r"(?<!\S)(?=\S+-\d+ waits [0-9.]+ ms)", text) if part]
			assert len(parts) == 60 and len(found["decisions"]) == sum(w["has_decision"] for w in waits)
			assert sum(not w["has_decision"] for w in waits) == int(sys.argv[1]), waits
			for wait, part in zip(waits, parts):
			    assert f"{wait['task']} waits {wait['wait_ns'] / 1e6:.3f} ms" in part, (wait, part)
			    reason = re.search(r"neither it nor its groups were candidates of a pick there: (.*?) *$", part)
			    assert bool(reason) != bool(wait["has_decision"]) and wait["has_decision"] == ("cause:" in part), part
			    # Those that lack one here are of a group with a quota, or beside it.
			    assert not reason or reason[1] == "no other task was picked there, or its group was throttled", reason
			    assert not reason or wait["task"] in ("nap-limited-2344", "nap-2345"), wait
		END
	done <<-'END'
		6.1 0
		6.1-yield 0
		6.12 0
		6.12-throttled 14
	END
}

# bats test_tags=slow
@test "why --worst: switches have their numbers of the whole trace, and throttled time is no wait" {
	local name
	for name in 6.12 quota-6.12; do
		gunzip -c "$KEYS/$name.dat.gz" >keys.dat
		"$PICKNEXT" why --worst 15 --json keys.dat >worst.json
		"$PICKNEXT" why --switch 1 --max 1000000 --json keys.dat >whole.json
		"$PICKNEXT" latency --worst 15 --json keys.dat >latency.json
		python3 - <<-'END'
			import json
			worst, whole, latency = (json.load(open(name + ".json")) for name in ("worst", "whole", "latency"))
			numbers = {(row["since_start_ns"], row["cpu"]): row["switch"] for row in whole["decisions"]}
			picks = [row for row in worst["decisions"] if row["cause"] != "wakeup_test"]
			assert len(picks) > 5 and all(row["switch"] == numbers[row["since_start_ns"], row["cpu"]] for row in picks), picks
			assert [(row["wait_ns"], row["throttled_ns"]) for row in worst["waits"]] == [
			    (row["wait_ns"], row["throttled_ns"]) for row in latency["worst"]]
		END
	done
	[[ $("$PICKNEXT" why --worst 4 keys.dat) == *"sh-173 waits 4.760 ms beside 19.244 ms throttled by cpu.max"* ]]
}

# bats test_tags=slow
@test "why --worst and --at: of tasks by name, PID and role, and of a run of a directory" {
	mkdir -p runs/raw
	for number in 0 1; do
		gunzip -c "$KEYS/6.$((1 + 11 * number)).dat.gz" >"runs/raw/w_run$number.dat"
	done
	# The longest waits of both, of one task, and of its role.
	"$PICKNEXT" why --worst 1 --pid 166 --json runs >one.json
	"$PICKNEXT" why --worst 1 --role cpu-bound#4 --json runs/raw/w_run1.dat >role.json
	"$PICKNEXT" why --worst 1 --comm 'cpu-*' --json runs --run 1 >run.json
	"$PICKNEXT" why --worst 1 --json runs/raw/w_run1.dat >file.json
	"$PICKNEXT" why --at 0.3 --pid 166 --json runs --run 1 >at.json
	"$PICKNEXT" why --at 0.3 --json runs --run 1 >any.json
	python3 - <<-'END'
		import json
		read = lambda name: json.load(open(name + ".json"))
		assert read("one")["waits"][0]["task"] == "cpu-bound-166"
		assert read("role")["waits"] == read("one")["waits"]
		assert read("run")["waits"] == read("file")["waits"] and read("run")["waits"][0]["trace"] == "runs/raw/w_run1.dat"
		at, any_task = read("at"), read("any")
		# The last decision up to this time, and the next one; of all tasks, both are nearer to it.
		times = [[row["since_start_ns"] for row in data["decisions"]] for data in (at, any_task)]
		assert [len(set(of)) for of in times] == [2, 2], times
		assert times[0][0] <= times[1][0] <= 300000000 < times[1][1] <= times[0][1], times
		assert all(166 in [row["pid"] for row in at["candidates"] if row["decision"] == of["decision"]] for of in at["decisions"])
	END
	# At the time of a wakeup: the test that did not preempt, and the pick after it.
	"$PICKNEXT" why --decision 1 --max 1000 --json runs --run 1 >all.json
	read -r seconds expected < <(python3 -c 'import json
rows = json.load(open("all.json"))["decisions"]
at = [i for i, row in enumerate(rows) if row["cause"] == "wakeup_test" and rows[i + 1]["switch"]][3]
print("%.6f %d,%d" % (rows[at]["since_start_ns"] / 1e9, rows[at]["decision"], rows[at + 1]["decision"]))')
	"$PICKNEXT" why --at "$seconds" --json runs --run 1 >at.json
	[ "$(json at.json '",".join(str(row["decision"]) for row in d["decisions"])')" = "$expected" ]
	run -2 "$PICKNEXT" why --at 0.3 --comm nobody runs --run 1
	[[ $output == *"no decision with a chosen task as a candidate"* ]]
	run -2 "$PICKNEXT" why --worst 1 --comm nobody runs
	[[ $output == *"no waits of a chosen task"* ]]
	run -2 "$PICKNEXT" why --switch 1 --comm cpu-bound runs --run 1
	[[ $output == *"--at or --worst"* ]]
	run -2 "$PICKNEXT" why --at 0.3 runs
	[[ $output == *"--run"* ]]
	run -2 "$PICKNEXT" why --at 0.3 --run 4 runs
	[[ $output == *"no such run"* ]]
	run -2 "$PICKNEXT" why --at 0.3 --run 1
	[[ $output == *"name it"* ]]
}

# bats test_tags=slow
@test "why --task: a window chooses among the decisions of the whole trace, which are the same" {
	gunzip -c "$KEYS/6.12.dat.gz" >window.dat
	"$PICKNEXT" why -q --task cpu-bound-166 --max 100000 --json window.dat >whole.json
	"$PICKNEXT" why -q --task cpu-bound-166 --max 100000 --from 0.3 --to 0.6 --json window.dat >part.json
	python3 - <<-'END'
		import json
		whole, part = (json.load(open(name + ".json")) for name in ("whole", "part"))
		for key in ("decisions", "candidates"):
		    inside = [row for row in whole[key] if 300000000 <= row["since_start_ns"] < 600000000]
		    assert len(inside) > 50 and part[key] == inside, (key, len(part[key]), len(inside))
	END
	run -2 "$PICKNEXT" why --task cpu-bound-166 --from 0.6 --to 0.3 window.dat
	run -2 "$PICKNEXT" why --task cpu-bound-166 --from 5 window.dat
	[[ $output == *"candidate of no decision"* ]]
}
