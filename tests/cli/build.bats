#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build, with text traces as input.

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	REFERENCE=$BATS_TEST_DIRNAME/reference_dataset.py
	OUT=$BATS_TEST_TMPDIR/out
	RAW=$OUT/raw
	mkdir -p "$RAW"
}

# switches NAME COUNT: a text trace of so many switches.
switches() {
	local i
	echo "# tracer: nop"
	for ((i = 0; i < $2; i++)); do
		printf '%16s-%-7d [%03d] d..2. %5d.%06d: sched_switch: prev_comm=%s prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=next%d next_pid=%d next_prio=120\n' \
			"$1" 1 0 100 "$i" "$1" "$i" "$i"
	done
}

trace() {
	switches task "${2:-5}" >"$RAW/$1.txt"
}

# json FILE EXPRESSION: what Python finds in a JSON file, called j.
json() {
	python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# The output directory's own files, for comparison before and after.
state() {
	(cd "$OUT" && find . -not -path './raw*' -type f -exec sha256sum {} + | sort; find . -not -path './raw*' | sort)
}

same_as_reference() { # RATIO SEED unseen|seen
	local flag=
	[ "$3" = unseen ] || flag=--no-unseen-split
	# shellcheck disable=SC2086
	if ! "$PICKNEXT" build -q -o "$OUT" --train-ratio "$1" --split-seed "$2" $flag 2>"$BATS_TEST_TMPDIR/err"; then
		# A set without a single event is refused; then the reference finds none either.
		cat "$BATS_TEST_TMPDIR/err"
		grep -q sched_switch "$BATS_TEST_TMPDIR/err"
		! grep -q 'sched_switch:' "$RAW"/*.txt
		return
	fi
	python3 "$REFERENCE" build "$RAW" "$BATS_TEST_TMPDIR/reference" "$1" "$2" "$3" "$OUT/dataset_meta.json"
	local name
	for name in train test_seen test_unseen all; do
		cmp "$OUT/$name.csv" "$BATS_TEST_TMPDIR/reference/$name.csv"
	done
}

# bats test_tags=slow
@test "random sets of traces are split and written byte for byte as Python does" {
	local rng ratios=(0.8 0.5 0 1 0.333 0.29 0.999999 0.1) seeds=(42 0 1 -1 -42 4294967295 4294967296 9223372036854775807 -9223372036854775808 123)
	for rng in $(seq 1 "${PICKNEXT_SEEDS:-8}"); do
		rm -rf "$OUT"
		python3 "$REFERENCE" make "$RAW" "$rng"
		same_as_reference "${ratios[rng % ${#ratios[@]}]}" "${seeds[rng % ${#seeds[@]}]}" unseen
		same_as_reference "${ratios[rng * 3 % ${#ratios[@]}]}" "$rng" "$([ $((rng % 3)) = 0 ] && echo seen || echo unseen)"
	done
}

# bats test_tags=slow
@test "every ratio from 0 to 1 in equal steps divides as Python does" {
	local run ratio
	for run in $(seq 0 99); do
		trace "one_a_run$run" 1
	done
	for ratio in $(seq 0 "${PICKNEXT_RATIO_STEP:-0.1}" 1); do
		same_as_reference "$ratio" 7 unseen
	done
}

# bats test_tags=slow
@test "the event-level fallback cuts where Python does and is announced as leaky" {
	trace one_x_run0 10
	trace two_x_run0 7
	same_as_reference 0.8 42 unseen
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: "*leaky*"4 of 17"* ]]
	[ "$(json "$OUT/dataset_meta.json" 'j["split"], j["leaky"], j["train_events"], j["test_seen_events"]')" = "('event', True, 13, 4)" ]
	[[ "$(json "$OUT/dataset_meta.json" 'j["leaky_reason"]')" == *"4 of 17"* ]]
	[ "$(json "$OUT/dataset_meta.json" '[(t["trace_id"], t["split"], t.get("train_events"), t.get("test_seen_events")) for t in j["traces"]]')" = "[('one_x_run0', 'train', None, None), ('two_x_run0', 'train+test_seen', 3, 4)]" ]
}

# bats test_tags=slow
@test "the fallback finds its cut between rows whose names hold newlines and quotes" {
	printf '               a-1       [000] d..2.     1.000001: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=l\n"i\n" next_pid=2 next_prio=120\n               b-1       [000] d..2.     1.000002: sched_switch: prev_comm=b prev_pid=1 prev_prio=120 prev_state=S ==> next_comm="\n next_pid=3 next_prio=120\n' >"$RAW/a_b_run0.txt"
	"$PICKNEXT" build -q -o "$OUT" --train-ratio 0.5
	[ "$(python3 -c 'import csv, sys; print([r[2:4] for f in sys.argv[1:] for r in csv.reader(open(f, newline=""))])' "$OUT/train.csv")" = "[['task_name', 'pid'], ['l\\n\"i\\n\"', '2']]" ]
	[ "$(python3 -c 'import csv, sys; print([r[2:4] for r in csv.reader(open(sys.argv[1], newline=""))])' "$OUT/test_seen.csv")" = "[['task_name', 'pid'], ['\"\\n', '3']]" ]
}

# bats test_tags=slow
@test "--hold-out holds the named category out, and names all if there is none of that name" {
	for category in a b c; do for run in 0 1; do trace "${category}_x_run$run" 4; done; done
	for category in a b c; do
		"$PICKNEXT" build -q -o "$OUT" --hold-out "category=${category}"
		[ "$(json "$OUT/dataset_meta.json" '[t["trace_id"] for t in j["traces"] if t["split"] == "test_unseen"]')" = "['${category}_x_run0', '${category}_x_run1']" ]
	done
	rm "$RAW"/c_*
	"$PICKNEXT" build -q -o "$OUT" --hold-out category=b
	[ "$(wc -l <"$OUT/test_unseen.csv")" -eq 9 ]
	run "$PICKNEXT" build -o "$OUT" --hold-out category=nothing
	[ "$status" -eq 2 ]
	[[ "$output" == *--hold-out*nothing*"a, b"* ]]
	run "$PICKNEXT" build -o "$OUT" --hold-out category=b --no-unseen-split
	[ "$status" -eq 2 ]
	rm "$RAW"/b_*
	run "$PICKNEXT" build -o "$OUT" --hold-out category=a
	[ "$status" -eq 2 ]
}

@test "switches of several directories are one dataset, unless two runs have one name" {
	trace a_x_run0 4
	local other=$BATS_TEST_TMPDIR/other
	mkdir -p "$other/raw"
	mv "$RAW/a_x_run0.txt" "$other/raw/b_x_run0.txt"
	trace a_x_run0 4
	"$PICKNEXT" build -q -o "$OUT/both" "$OUT" "$other"
	[ "$(json "$OUT/both/dataset_meta.json" 'sorted(t["trace_id"] for t in j["traces"])')" = "['a_x_run0', 'b_x_run0']" ]
	run "$PICKNEXT" build -q -o "$OUT/both" "$OUT" "$other" "$OUT"
	[ "$status" -eq 2 ]
	[[ $output == *"or has its name"* ]]
}

@test "traces of several kernels are built with a warning that names each" {
	for run in 0 1 2; do trace "a_x_run$run" 4; done
	for run in 0 1; do echo '{"kernel": "6.1.0-test"}' >"$RAW/a_x_run$run.json"; done
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" != *kernels* ]]
	echo '{"kernel": "6.12.0-test"}' >"$RAW/a_x_run2.json"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: "*"2 kernels"*"6.1.0-test: 2"*"6.12.0-test: 1"* ]]
}

@test "one line sums up the quality of all traces" {
	for run in 0 1 2; do trace "a_x_run$run" 4; done
	run "$PICKNEXT" build -o "$OUT"
	[ "$(grep -c '^3 traces: none lost events' <<<"$output")" -eq 1 ]
	echo "no trace line" >>"$RAW/a_x_run1.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$(grep -c '3 traces: 1 with other findings' <<<"$output")" -eq 1 ]
}

@test "--raw-dir given twice is refused: one of both would be left out" {
	trace a_x_run0
	run "$PICKNEXT" build -o "$OUT" --raw-dir "$RAW" --raw-dir="$OUT/other"
	[ "$status" -eq 2 ]
	[[ "$output" == *--raw-dir*"$RAW"*"$OUT/other"* ]]
}

@test "the share of train.csv is said if whole runs make another one than --train-ratio; groups have the name of what is held out" {
	local run
	for run in 0 1 2 3 4 5; do
		trace "one_x_run$run"
	done
	run "$PICKNEXT" build -o "$OUT" --train-ratio 0.8
	[ "$status" -eq 0 ]
	[[ "$output" == *"67 %"*"4 of 6"*"not 80 %"* ]] || { echo "$output"; return 1; }
	[ "$(grep -c ^CATEGORY <<<"$output")" -eq 1 ]
	for run in 0 1 2 3 4 5; do
		echo "{\"workload_name\": \"one_x\", \"kernel\": \"6.$((run % 2)).0\"}" >"$RAW/one_x_run$run.json"
	done
	run "$PICKNEXT" build -o "$OUT" --train-ratio 0.667 --hold-out kernel=6.1.0
	[ "$status" -eq 0 ]
	[[ "$output" != *" of 3"* ]] || { echo "$output"; return 1; }
	[ "$(grep -c ^KERNEL <<<"$output")" -eq 1 ]
}

# bats test_tags=slow
@test "a split by whole traces is not called leaky" {
	for run in 0 1 2 3 4; do trace "one_x_run$run" 3; done
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" != *leaky* ]]
	[ "$(json "$OUT/dataset_meta.json" 'j["split"], j["leaky"], j["leaky_reason"]')" = "('trace', False, None)" ]
}

@test "the table at the end names files, rows, categories and what was held out" {
	for category in a b c; do for run in 0 1; do trace "${category}_x_run$run" 4; done; done
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	echo "$output"
	grep -Eq '^all.csv +24 +[0-9]+$' <<<"$output"
	grep -Eq '^a +2 +8' <<<"$output"
	[ "$(grep -c 'held out' <<<"$output")" -eq 1 ]
	run "$PICKNEXT" build -q -o "$OUT"
	[ -z "$output" ]
}

@test "CSV files without rows hold their header, and that is said" {
	trace a_b_run0
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" == *test_unseen.csv* ]]
	[ "$(cat "$OUT/test_unseen.csv")" = $'timestamp,time_diff,task_name,pid,cpu,prev_state,prev_comm,workload_type,trace_id\r' ]
}

@test "labels come from the JSON beside a trace, or from its name" {
	trace alpha_beta_run_x_run3 1
	trace plain 1
	trace told_run0 1
	trace half_told_run0 1
	echo '{"workload_name": "w, \"q\"", "category": "c"}' >"$RAW/told_run0.json"
	echo '{}' >"$RAW/half_told_run0.json"
	"$PICKNEXT" build -q -o "$OUT" --no-unseen-split
	[ "$(json "$OUT/dataset_meta.json" 'sorted((t["trace_id"], t["workload_type"], t["category"]) for t in j["traces"])')" = \
		"[('alpha_beta_run_x_run3', 'alpha_beta_run_x', 'alpha_beta_run'), ('half_told_run0', 'half_told_run0', 'unknown'), ('plain', 'plain', 'plain'), ('told_run0', 'w, \"q\"', 'c')]" ]
	grep -q '"w, ""q""",told_run0' "$OUT/all.csv"
}

# bats test_tags=slow
@test "a run that lost its JSON stays in the category of the other runs" {
	local n
	for n in 0 1; do
		trace io_mixed_run$n
		echo '{"workload_name": "io_mixed", "category": "mixed"}' >"$RAW/io_mixed_run$n.json"
	done
	trace cpu_run0
	"$PICKNEXT" build -q -o "$OUT" --raw-dir "$RAW"
	[ "$(json "$OUT/dataset_meta.json" "j['categories']")" = "['cpu', 'mixed']" ]
	rm "$RAW/io_mixed_run0.json"
	"$PICKNEXT" build -q -o "$OUT" --raw-dir "$RAW"
	[ "$(json "$OUT/dataset_meta.json" "j['categories']")" = "['cpu', 'mixed']" ]
}

@test "--raw-dir reads from elsewhere" {
	trace a_b_run0
	mv "$RAW" "$BATS_TEST_TMPDIR/elsewhere"
	"$PICKNEXT" build -q -o "$OUT/deep/er" --raw-dir "$BATS_TEST_TMPDIR/elsewhere"
	[ "$(wc -l <"$OUT/deep/er/all.csv")" -eq 6 ]
}

@test "malformed lines are counted and said, with the first one's number" {
	{ switches x 2; echo "no event at all"; echo "               x-1       [000] d..2.   101.000000: sched_switch: prev_comm=x prev_pid=broken"; switches x 1; } >"$RAW/a_b_run0.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" == *"a_b_run0.txt: "*2*"line 4"* ]]
	[ "$(json "$OUT/dataset_meta.json" 'j["malformed_lines"], j["traces"][0]["malformed_lines"], j["total_events"]')" = "(2, 2, 3)" ]
}

@test "a file that is no text trace is named" {
	trace a_b_run0
	printf 'Dear reader,\nthese are traces.\n' >"$RAW/notes.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *"raw/notes.txt: line 1: "* ]]
	[ ! -e "$OUT/all.csv" ]
}

@test "no raw directory, no trace, no event: each has its message and remedy" {
	rmdir "$RAW"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 4 ]
	[[ "$output" == *"raw: "*"No such file or directory"*"picknext collect"* ]]
	mkdir "$RAW"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *"raw: "*.dat*.txt*--raw-dir* ]]
	echo '# tracer: nop' >"$RAW/a_b_run0.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *sched_switch* ]]
	[ "$(ls -A "$OUT")" = raw ]
}

@test "broken JSON is named with its line, a wrong value with its key" {
	trace a_b_run0
	printf '{\n  "category": "x",\n  oops\n}\n' >"$RAW/a_b_run0.json"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *"a_b_run0.json: line 3: "* ]]
	echo '{"category": 7}' >"$RAW/a_b_run0.json"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *"a_b_run0.json: "*category* ]]
	echo '[]' >"$RAW/a_b_run0.json"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *"a_b_run0.json: line 1: "* ]]
}

# bats test_tags=slow
@test "lost events in a text trace: refused, then marked with --allow lossy" {
	{ switches x 2; echo "CPU:3 [LOST 12 EVENTS]"; switches x 1; echo "CPU:3 [LOST 5 EVENTS]"; echo "CPU:0 [LOST EVENTS]"; } >"$RAW/a_b_run0.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 5 ]
	[[ "$output" == *"a_b_run0.txt: "*" 17 events"*"17 on CPU 3"*"CPU 0"*--buffer-size*"--allow lossy"* ]]
	[ ! -e "$OUT/all.csv" ]
	run "$PICKNEXT" build -o "$OUT" --allow lossy
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: "*" 17 events"*dataset_meta.json* ]]
	[ "$(json "$OUT/dataset_meta.json" 'j["lossy_traces"], j["allow_lossy"], j["traces"][0]["lost_events"], j["traces"][0]["lost"]')" = \
		"(['a_b_run0'], True, 17, [{'cpu': 3, 'events': 17}, {'cpu': 0, 'events': None}])" ]
	[ "$(json "$OUT/dataset_meta.json" 'j["malformed_lines"]')" -eq 0 ]
}

@test "an overwritten buffer is told by the header of the text trace" {
	{ echo "# entries-in-buffer/entries-written: 140080/250280   #P:4"; switches x 2; } >"$RAW/a_b_run0.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 5 ]
	[[ "$output" == *"a_b_run0.txt: "*" 110200 events"* ]]
	{ echo "# entries-in-buffer/entries-written: 250280/250280   #P:4"; switches x 2; } >"$RAW/a_b_run0.txt"
	"$PICKNEXT" build -q -o "$OUT"
}

@test "what the JSON says was lost is refused for all traces at once" {
	for run in 0 1 2; do
		trace "a_b_run$run"
		echo '{"category": "a", "lost_events": 9, "buffers": [{"cpu": 0, "overrun": 0, "dropped_events": 0}, {"cpu": 1, "overrun": 2, "commit_overrun": 3, "dropped_events": 4}]}' >"$RAW/a_b_run$run.json"
	done
	echo '{"category": "a", "lost_events": 0, "buffers": [{"cpu": 0, "overrun": 0}]}' >"$RAW/a_b_run1.json"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 5 ]
	[[ "$output" == *"a_b_run0.txt: "*" 9 events"*"CPU 1"* ]]
	[[ "$output" == *"a_b_run2.txt: "*" 9 events"*"CPU 1"* ]]
	[[ "$output" != *"a_b_run1.txt"* ]]
	"$PICKNEXT" build -q -o "$OUT" --allow lossy
	[ "$(json "$OUT/dataset_meta.json" 'sorted(j["lossy_traces"])')" = "['a_b_run0', 'a_b_run2']" ]
}

@test "runs whose command failed are refused, then marked with --allow failed" {
	for run in 0 1 2; do
		trace "a_b_run$run"
		echo '{"category": "a", "command_exit_code": 3}' >"$RAW/a_b_run$run.json"
	done
	echo '{"category": "a", "command_exit_code": 0}' >"$RAW/a_b_run0.json"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 5 ]
	[[ "$output" == *"a_b_run1.txt: "*"exit code 3"*"2 runs"*"--allow failed"* ]]
	[ ! -e "$OUT/all.csv" ]
	run "$PICKNEXT" build -o "$OUT" --allow failed
	[ "$status" -eq 0 ]
	[[ "$output" == *"a_b_run2.txt: "*"exit code 3"* ]]
	[ "$(json "$OUT/dataset_meta.json" 'sorted(j["failed_traces"]), j["allow_failed"]')" = "(['a_b_run1', 'a_b_run2'], True)" ]
}

@test "a trace that did not arrive whole is left out and said" {
	trace a_b_run0
	trace a_b_run1
	mv "$RAW/a_b_run1.txt" "$RAW/a_b_run1.dat.incomplete"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 0 ]
	[[ "$output" == *"a_b_run1.dat.incomplete: "* ]]
	[ "$(json "$OUT/dataset_meta.json" 'j["num_traces"]')" -eq 1 ]
}

@test "a trace that is no regular file is refused, a symbolic link is followed" {
	trace a_b_run0
	mv "$RAW/a_b_run0.txt" "$BATS_TEST_TMPDIR/there.txt"
	ln -s "$BATS_TEST_TMPDIR/there.txt" "$RAW/a_b_run0.txt"
	"$PICKNEXT" build -q -o "$OUT"
	mkfifo "$RAW/pipe.txt"
	run timeout 20 "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 3 ]
	[[ "$output" == *"pipe.txt: "* ]]
}

# bats test_tags=slow
@test "a failed build leaves the earlier dataset as it was" {
	trace a_b_run0
	"$PICKNEXT" build -q -o "$OUT"
	before=$(state)
	trace b_b_run0 50
	{ switches x 2; echo "CPU:3 [LOST 12 EVENTS]"; } >"$RAW/c_b_run0.txt"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 5 ]
	[ "$(state)" = "$before" ]
	rm "$RAW/c_b_run0.txt"
	"$PICKNEXT" build -q -o "$OUT"
	[ "$(state)" != "$before" ]
	[ ! -e "$OUT/.dataset.partial" ]
}

# A trace long enough to be interrupted, made of one block many times.
long_trace() {
	switches x 2000 >"$BATS_TEST_TMPDIR/block"
	yes "$BATS_TEST_TMPDIR/block" | head -n "$1" | xargs -d '\n' cat >"$RAW/long_x_run0.txt"
}

# A background job of a shell ignores SIGINT, so Python starts the build, waits until it has begun to write, and sends
# it the signal.
interrupted_build() {
	python3 - "$PICKNEXT" "$OUT" "$1" <<-'EOF'
		import os, signal, subprocess, sys, time
		signal.signal(signal.SIGINT, signal.SIG_DFL)
		build = subprocess.Popen([sys.argv[1], "build", "-q", "-o", sys.argv[2]])
		train = os.path.join(sys.argv[2], ".dataset.partial", "train.csv")
		while build.poll() is None and not (os.path.exists(train) and os.path.getsize(train) > 100):
		    time.sleep(0.002)
		build.send_signal(getattr(signal, "SIG" + sys.argv[3]))
		sys.exit(build.wait())
	EOF
}

# bats test_tags=slow
@test "SIGINT and SIGTERM end a build with 130 and 143, with nothing half-written" {
	trace a_b_run0
	"$PICKNEXT" build -q -o "$OUT"
	before=$(state)
	long_trace 600
	for signal in INT:130 TERM:143; do
		run interrupted_build "${signal%:*}"
		[ "$status" -eq "${signal#*:}" ]
		[ "$(state)" = "$before" ]
	done
}

# bats test_tags=slow
@test "what a killed build left is taken away by the next one" {
	trace a_b_run0
	long_trace 600
	python3 - "$PICKNEXT" "$OUT" <<-'EOF'
		import os, subprocess, sys, time
		build = subprocess.Popen([sys.argv[1], "build", "-q", "-o", sys.argv[2]])
		train = os.path.join(sys.argv[2], ".dataset.partial", "all.csv")
		while build.poll() is None and not (os.path.exists(train) and os.path.getsize(train) > 100):
		    time.sleep(0.002)
		build.kill()
		assert build.wait() == -9
	EOF
	[ -e "$OUT/.dataset.partial/all.csv" ]
	[ ! -e "$OUT/all.csv" ]
	rm "$RAW/long_x_run0.txt"
	"$PICKNEXT" build -q -o "$OUT"
	[ ! -e "$OUT/.dataset.partial" ]
	[ "$(wc -l <"$OUT/all.csv")" -eq 6 ]
}

@test "two builds at once in one directory: the second is refused" {
	trace a_b_run0
	exec 7<"$OUT"
	flock 7
	run "$PICKNEXT" build -o "$OUT" 7<&-
	[ "$status" -eq 2 ]
	[[ "$output" == *"$OUT: "* ]]
	exec 7<&-
	"$PICKNEXT" build -q -o "$OUT"
}

# bats test_tags=slow
@test "a full disk: exit 75, and the earlier dataset is intact" {
	[ "$(id -u)" -eq 0 ] || skip "mounting a small tmpfs needs root"
	mount -t tmpfs -o size=512k none "$OUT" || skip "no tmpfs can be mounted here"
	local raw=$BATS_TEST_TMPDIR/raw
	mkdir -p "$raw"
	RAW=$raw trace a_b_run0 5
	"$PICKNEXT" build -q -o "$OUT" --raw-dir "$raw"
	before=$(state)
	switches x 8000 >"$raw/a_b_run1.txt"
	run "$PICKNEXT" build -o "$OUT" --raw-dir "$raw"
	after=$(state)
	umount "$OUT"
	[ "$status" -eq 75 ]
	[[ "$output" == *"No space left on device"* ]]
	[ "$after" = "$before" ]
}

@test "under sudo the dataset belongs to the user" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	trace a_b_run0
	SUDO_UID=1234 SUDO_GID=5678 "$PICKNEXT" build -q -o "$OUT/new" --raw-dir "$RAW"
	for name in . train.csv test_seen.csv test_unseen.csv all.csv dataset_meta.json; do
		[ "$(stat -c %u:%g "$OUT/new/$name")" = 1234:5678 ]
	done
}

@test "a file that is a directory in the way is named, and nothing is touched" {
	trace a_b_run0
	mkdir "$OUT/all.csv"
	run "$PICKNEXT" build -o "$OUT"
	[ "$status" -eq 2 ]
	[[ "$output" == *"all.csv: "* ]]
	[ ! -e "$OUT/train.csv" ]
}

# bats test_tags=slow
@test "memory does not grow with the trace" {
	long_trace 100
	small=$(python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$PICKNEXT" build -q -o "$OUT")
	long_trace 500
	large=$(python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$PICKNEXT" build -q -o "$OUT")
	size=$(($(stat -c %s "$RAW/long_x_run0.txt") / 1024))
	echo "$small KiB for a fifth, $large KiB for all of $size KiB"
	[ "$size" -gt 150000 ]
	[ "$large" -lt $((small + 4096)) ]
}

# bats test_tags=slow
@test "progress is shown on a terminal, and neither in a pipe nor when quiet" {
	long_trace 300
	terminal='import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'
	TERM=xterm python3 -c "$terminal" "$PICKNEXT" build -o "$OUT" </dev/null >"$BATS_TEST_TMPDIR/shown"
	grep -q $'\r\x1b\[Ktrace 1 of 1: long_x_run0, [0-9]* rows' "$BATS_TEST_TMPDIR/shown"
	TERM=xterm python3 -c "$terminal" "$PICKNEXT" build -q -o "$OUT" </dev/null >"$BATS_TEST_TMPDIR/quiet"
	TERM=xterm "$PICKNEXT" build -o "$OUT" >"$BATS_TEST_TMPDIR/piped" 2>&1
	[ "$(cat "$BATS_TEST_TMPDIR/quiet" "$BATS_TEST_TMPDIR/piped" | grep -c 'trace 1 of 1')" -eq 0 ]
}

@test "wrong options name themselves and what was expected" {
	for wrong in "--train-ratio 1.1" "--train-ratio -0.1" "--train-ratio x" "--split-seed 1.5" "--split-seed 9223372036854775808" "--train-ratio nan"; do
		# shellcheck disable=SC2086
		run "$PICKNEXT" build -o "$OUT" $wrong
		[ "$status" -eq 2 ]
		[[ "$output" == *"${wrong##* }"* ]]
	done
	run "$PICKNEXT" build --help
	[ "$status" -eq 0 ]
	[[ "$output" == *--train-ratio*"default: 0.8"*"--allow WHAT"* ]]
}

# bats test_tags=slow
@test "the example in Python of help columns runs on a dataset" {
	printf 'x-1 [000] d..2. 1.00000%d: sched_switch: prev_comm=%s prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=%s next_pid=2 next_prio=120\n' \
		1 a b 2 b a 3 a c >"$RAW/a_b_run0.txt"
	sed 's/\[000\]/[001]/' "$RAW/a_b_run0.txt" >"$RAW/a_b_run1.txt"
	"$PICKNEXT" build -q -o "$OUT" --train-ratio 1
	cp "$OUT/all.csv" "$BATS_TEST_TMPDIR/train.csv" # the fallback divides train.csv
	cd "$BATS_TEST_TMPDIR"
	"$PICKNEXT" help columns | sed -n '/^With Python alone/,/^NAMES/ s/^  //p' >example.py
	[ "$(python3 example.py)" = "2 of 4 next tasks are those that left" ]
}

@test "build: says that rows of a machine are of all its tasks, and counts rows by category" {
	trace a_one_run0 6
	echo '{"workload_name": "one", "category": "a", "accelerator": null}' >"$RAW/a_one_run0.json"
	run "$PICKNEXT" build -o "$OUT" --no-unseen-split
	[ "$status" -eq 0 ]
	[[ $output == *"the trace is of a machine: rows are of all its tasks"* ]] || { echo "$output"; return 1; }
	[[ $output == *"CATEGORY  TRACES  ROWS"* ]]
	sed -i 's/null/"tcg"/' "$RAW/a_one_run0.json"
	run "$PICKNEXT" build -o "$OUT" --no-unseen-split
	[[ $output != *"of a machine"* ]]
}
