#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build from what was recorded on this machine: trace.dat of picknext collect, and the kernel's own text.

load tracefs

# Recorded once, copied by each test.
setup_file() {
	need_tracefs
	"$PICKNEXT" collect -q -o "$BATS_FILE_TMPDIR/set" -w cpu_bound_4p,hackbench_pipe_small --runs 2 --scale 0.02
}

setup() {
	need_tracefs
	OUT=$BATS_TEST_TMPDIR/set
	RAW=$OUT/raw
	cp -r "$BATS_FILE_TMPDIR/set" "$BATS_TEST_TMPDIR/"
}

@test "build: rows of a .dat are what trace-cmd report says, in the same order" {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	"$PICKNEXT" build -q -o "$OUT"
	rows=$(python3 "$BATS_TEST_DIRNAME/compare_with_trace_cmd.py" "$OUT")
	[ "$rows" -eq "$(json "$OUT/dataset_meta.json" 'd["total_events"]')" ]
	for trace in cpu_bound_4p_run1 cpu_bound_4p_run2 hackbench_pipe_small_run1 hackbench_pipe_small_run2; do
		events=$(json "$RAW/$trace.json" 'd["sched_switch_events"]')
		[ "$(grep -c ",$trace"$'\r' "$OUT/all.csv")" -eq "$events" ]
	done
}

@test "build: prev_state is rendered as letters, and the idle task by the kernel's name" {
	"$PICKNEXT" build -q -o "$OUT"
	python3 - "$OUT/all.csv" <<-'EOF'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1], newline="", errors="surrogateescape")))
		states = {row["prev_state"] for row in rows}
		assert "S" in states and states <= {"R", "R+", "S", "D", "I", "X", "Z", "T", "t", "P", "D|K"}, states
		idle = {(row["task_name"], row["pid"]) for row in rows if row["task_name"].startswith("swapper/")}
		assert all(pid == "0" for _, pid in idle), idle
		assert all(row["task_name"] == f"swapper/{row['cpu']}" for row in rows if row["pid"] == "0")
		assert all(row["prev_state"] == "R" for row in rows if row["prev_comm"].startswith("swapper/"))
	EOF
}

@test "build: the split of .dat files is the split of the same names as text" {
	"$PICKNEXT" build -q -o "$OUT" --train-ratio 0.5 --split-seed 5
	dat=$(json "$OUT/dataset_meta.json" '[(t["trace_id"], t["split"]) for t in d["traces"]]')
	for file in "$RAW"/*.dat; do
		printf '          <idle>-0       [002] d..2. 12345.678901: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=h next_pid=4 next_prio=120\n' >"${file%.dat}.txt"
		rm "$file"
	done
	"$PICKNEXT" build -q -o "$OUT" --train-ratio 0.5 --split-seed 5
	[ "$(json "$OUT/dataset_meta.json" '[(t["trace_id"], t["split"]) for t in d["traces"]]')" = "$dat" ]
}

@test "build: .dat and .txt are mixed; of one name the .dat is taken, and that is said" {
	line='          <idle>-0       [002] d..2. 12345.678901: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=old next_pid=4 next_prio=120'
	echo "$line" >"$RAW/cpu_bound_4p_run1.txt"
	echo "$line" >"$RAW/old_x_run1.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" == *"cpu_bound_4p_run1.txt: "*cpu_bound_4p_run1.dat* ]]
	[ "$(json "$OUT/dataset_meta.json" 'sorted((t["trace_id"], t["format"]) for t in d["traces"])[0]')" = "('cpu_bound_4p_run1', 'trace.dat')" ]
	[ "$(grep -c ',old,4,2,R,' "$OUT/all.csv")" -eq 1 ]
	grep -q '^12345.678901,0.000000000,old,' "$OUT/all.csv"
}

@test "build: without the JSON, labels come from the name and losses from the file itself" {
	rm -r "$OUT"
	"$PICKNEXT" collect -q -o "$OUT" -w sysbench_threads_8t --runs 1 --duration 0.5 --buffer-size 64 --drain 0 || true
	lost=$(json "$RAW/sysbench_threads_8t_run1.json" 'd["lost_events"]')
	[ "$lost" -gt 0 ] || { cat "$RAW/sysbench_threads_8t_run1.json"; false; }
	cpu=$(json "$RAW/sysbench_threads_8t_run1.json" 'min(b["cpu"] for b in d["buffers"] if b["overrun"] + b["dropped_events"])')
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 5 ]
	[[ "$output" == *"sysbench_threads_8t_run1.dat: "*" $lost events"*"CPU $cpu"*--buffer-size* ]]
	rm "$RAW/sysbench_threads_8t_run1.json"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 5 ]
	[[ "$output" == *"sysbench_threads_8t_run1.dat: "*" $lost events"*"CPU $cpu"* ]]
	"$PICKNEXT" build -q -o "$OUT" --allow lossy
	[ "$(json "$OUT/dataset_meta.json" 'd["lossy_traces"], d["traces"][0]["lost_events"], d["categories"]')" = "(['sysbench_threads_8t_run1'], $lost, ['sysbench_threads'])" ]
}

@test "build: a .dat cut short is refused as incomplete, and marked with --allow lossy" {
	size=$(stat -c %s "$RAW/hackbench_pipe_small_run2.dat")
	truncate -s $((size - 6000)) "$RAW/hackbench_pipe_small_run2.dat"
	run "$PICKNEXT" build -o "$OUT"
	echo "$output"
	[ "$status" -eq 5 ]
	[[ "$output" == *"hackbench_pipe_small_run2.dat: "*"--allow lossy"* ]]
	"$PICKNEXT" build -q -o "$OUT" --allow lossy
	[ "$(json "$OUT/dataset_meta.json" '[t["trace_id"] for t in d["traces"] if t["incomplete"]]')" = "['hackbench_pipe_small_run2']" ]
	truncate -s 3000 "$RAW/hackbench_pipe_small_run2.dat"
	run "$PICKNEXT" build -o "$OUT" --allow lossy
	[ "$status" -eq 3 ]
	[[ "$output" == *"hackbench_pipe_small_run2.dat"* ]]
}

@test "build: a corrupt page is named with file, CPU and page, and nothing is replaced" {
	"$PICKNEXT" build -q -o "$OUT"
	before=$(sha256sum "$OUT"/*.csv)
	python3 - "$RAW/cpu_bound_4p_run2.dat" <<-'EOF'
		import sys
		with open(sys.argv[1], "r+b") as file:
		    size = file.seek(0, 2)
		    assert size % 4096 == 0
		    file.seek(size - 4096 + 8)  # the commit word of the last page
		    file.write(b"\xff\xff\xff\x0f")
	EOF
	run "$PICKNEXT" build -o "$OUT"
	echo "$output"
	[ "$status" -eq 3 ]
	[[ "$output" =~ cpu_bound_4p_run2\.dat.*CPU\ [0-9]+.*page\ [0-9]+ ]]
	[ "$(sha256sum "$OUT"/*.csv)" = "$before" ]
	[ ! -e "$OUT/.dataset.partial" ]
}

@test "build: text called .dat, and a .dat called .txt, are told for what they are" {
	mv "$RAW/cpu_bound_4p_run1.dat" "$RAW/cpu_bound_4p_run9.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *"cpu_bound_4p_run9.txt: "*.dat* ]]
	rm "$RAW"/*
	echo "# tracer: nop" >"$RAW/a_b_run1.dat"
	run "$PICKNEXT" build -o "$OUT"
	echo "$output"
	[ "$status" -eq 3 ]
	[[ "$output" == *"a_b_run1.dat: "* ]]
}

@test "build: the kernel's own text is read whole, whatever the tasks are called" {
	rm -r "$OUT"
	mkdir -p "$RAW"
	python3 "$BATS_TEST_DIRNAME/record_text.py" "$RAW/names_x_run1.txt" "$OUT/names"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" != *malformed* ]]
	python3 - "$OUT/all.csv" "$OUT/names" "$RAW/names_x_run1.txt" <<-'EOF'
		import csv, sys
		with open(sys.argv[1], newline="", encoding="utf-8", errors="surrogateescape") as file:
		    rows = list(csv.DictReader(file))
		assert len(rows) == open(sys.argv[3], "rb").read().count(b": sched_switch: ")
		named = [line.split(" ") for line in open(sys.argv[2]).read().splitlines()]
		for pid, code in named:
		    name = bytes.fromhex(code).decode("utf-8", "surrogateescape")
		    scheduled = [row["task_name"] for row in rows if row["pid"] == pid]
		    # The first switches may come before the task has given itself its name. A kernel may say nothing of the
		    # switch to a task that wakes on an idle CPU (6.18), but does of its leaving.
		    assert set(scheduled) <= {name, "picknext-names"}, (name, scheduled)
		    assert any(row["prev_comm"] == name for row in rows), name
		assert any(row["task_name"] == bytes.fromhex(code).decode("utf-8", "surrogateescape")
		           for pid, code in named for row in rows if row["pid"] == pid)
	EOF
}
