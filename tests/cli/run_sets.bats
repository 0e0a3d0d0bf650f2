#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Operands that picknext compare and picknext report take as sets of runs, and the facts known of each. The values of the metrics are
# tested in tests/golden/metrics.bats and, of recordings, in tests/root/run_sets.bats.

bats_require_minimum_version 1.5.0
PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	SHOW=$TOP/build/tools/show_metrics
	GOLDEN=$BATS_TEST_DIRNAME/../golden
	cd "$BATS_TEST_TMPDIR" || return 1
}

# run DIRECTORY ID [KERNEL [SED]]: a run of that name, with it in a comment; with a kernel, its metadata too.
run_of() {
	mkdir -p "$1"
	{ echo "# $2" && cat "$GOLDEN/metrics/hackbench_pipe_small_run3.txt"; } >"$1/$2.txt"
	[ -z "${3:-}" ] || sed -e "/workload_name/s/: .*/: \"${2%_run*}\",/" -e "s/6.99.0-made-up/$3/" -e "${4:-}" \
		"$GOLDEN/metrics/hackbench_pipe_small_run3.json" >"$1/$2.json"
}

# sets OPERAND...: a line for each: its label, then its runs
sets() {
	"$SHOW" "$@" | python3 -c '
import json, sys
for runs in json.load(sys.stdin):
    print(runs["label"] + ":", *(run["id"] for run in runs["runs"]))'
}

# bats test_tags=slow
@test "run sets: DIR, DIR/raw, one trace, and a directory of several kernels in the order of their versions" {
	run_of vm/6.12.1/raw a_run0 6.12.1
	run_of vm/6.9.2/raw a_run0 6.9.2
	run_of vm/6.9.2/raw a_run1 6.9.2
	run_of flat a_run0 6.5.0
	[ "$(sets vm)" = $'6.9.2: a_run0 a_run1\n6.12.1: a_run0' ]
	[ "$(sets vm/6.12.1)" = "6.12.1: a_run0" ]
	[ "$(sets vm/6.9.2/raw/a_run1.txt flat/)" = $'6.9.2: a_run1\n6.5.0: a_run0' ]
	run -4 "$SHOW" nowhere
	[[ $output == *"nowhere"*"No such file"* ]]
	mkdir empty
	run -3 "$SHOW" empty
	[[ $output == *"empty: "* ]]
}

# bats test_tags=slow
@test "run sets: what picknext vm was told of a kernel: its label, and its place in the order" {
	run_of vm/patched/raw a_run0 6.12.1
	run_of vm/base/raw a_run0 6.12.1
	run_of vm/6.1.0/raw a_run0 6.1.0
	run_of vm/5.10.0/raw a_run0 5.10.0
	echo '{"label": "patched", "number": 1}' >vm/patched/vm.json
	echo '{"label": "base", "number": 2}' >vm/base/vm.json
	echo '{"label": null, "number": 0}' >vm/6.1.0/vm.json
	[ "$(sets vm)" = $'6.1.0: a_run0\npatched: a_run0\nbase: a_run0\n5.10.0: a_run0' ]
	[ "$(sets vm/base vm/patched)" = $'base: a_run0\npatched: a_run0' ]
	# vm.json is as untrusted as any other file.
	echo '{"label": 7, "number": -1}' >vm/base/vm.json
	[ "$(sets vm/base vm/6.1.0)" = $'6.12.1: a_run0\n6.1.0: a_run0' ]
	# The label moves with the directory; of two that are the same, the directory tells.
	mv vm/patched before
	[ "$(sets before vm/6.1.0)" = $'patched: a_run0\n6.1.0: a_run0' ]
	cp -r before after
	[ "$(sets before after)" = $'before: a_run0\nafter: a_run0' ]
}

# bats test_tags=slow
@test "run sets: labels are told apart where the kernel is the same, or not known" {
	run_of before/raw a_run0 6.5.0
	run_of after/raw a_run0 6.5.0
	run_of x/same/raw a_run0 6.5.0
	run_of y/same/raw a_run0 6.5.0
	run_of unlabelled a_run0
	[ "$(sets before after unlabelled)" = $'before: a_run0\nafter: a_run0\nunlabelled: a_run0' ]
	[ "$(sets x/same y/same before)" = $'x/same: a_run0\ny/same: a_run0\nbefore: a_run0' ]
	cp -r before z
	mkdir -p x/y
	cp -r z x/y
	[ "$(sets z x/y/z | sort -u | wc -l)" -eq 2 ]
	run -2 "$SHOW" before before/raw
	[[ $output == *"before/raw: "*"before "* ]]
}

# bats test_tags=slow
@test "run sets: runs come by workload in the table's order, others behind; then by number" {
	for id in zoo_run0 io_mixed_run0 hackbench_pipe_large_run10 hackbench_pipe_large_run9 ant_run1 hackbench_pipe_small_run0; do
		run_of many $id 6.5.0
	done
	[ "$(sets many)" = "6.5.0: hackbench_pipe_small_run0 hackbench_pipe_large_run9 hackbench_pipe_large_run10 io_mixed_run0 ant_run1 zoo_run0" ]
}

# bats test_tags=slow
@test "run sets: what the metadata says of the machine, and what it leaves open" {
	run_of one a_run0 6.5.0
	run_of two a_run0 6.5.0 's/"quiet .*"/"quiet"/; /"hz"/s/250/1000/'
	run_of none a_run0
	run_of told a_run0 6.5.0 's/"hz"/"mitigations": "meltdown spectre_v1", &/'
	run_of host a_run0 6.5.0 's/"hz"/"accelerator": null, "preemption": "dynamic", "scratch": {"kind": "file", "path": "\/x", "file_system": "ext4"}, &/
		s/"cpu_tracer": 2/"cpu_tracer": null/'
	run_of guest a_run0 6.5.0 's/"hz"/"accelerator": "tcg", "scratch": {"kind": "null_blk", "path": "\/x", "file_system": null}, &/'
	"$SHOW" one two none told host guest >shown.json
	python3 - <<-'EOF'
		import json
		one, two, none, told, host, guest = (runs["runs"][0]["facts"] for runs in json.load(open("shown.json")))
		assert one["hz"] == "250" and two["hz"] == "1000"
		assert one["mitigations"] == "off" and two["mitigations"] == "default"
		assert told["mitigations"] == "meltdown spectre_v1"
		assert one["scale"] == "0.5" and one["cpus_workload"] == "0-1" and one["deterministic"] == "no"
		assert one["accelerator"] is None and guest["accelerator"] == "tcg" and guest["scratch"] == "null_blk"
		assert host["accelerator"] == "none, not a guest" and host["scratch"] == "file on ext4"
		assert host["cpu_tracer"] == "none of its own" and guest["cpu_tracer"] == "2"
		assert host["preemption"] == "chosen at boot, not known"
		assert set(none.values()) == {None}, none
	EOF
}

# bats test_tags=slow
@test "run sets: a run that lost events is refused, and marked where it is taken all the same" {
	run_of lost a_run0 6.5.0 's/"lost_events": 0/"lost_events": 7/'
	run_of lost a_run1 6.5.0
	run -5 "$SHOW" --refuse-lossy lost
	[[ $output == *"lost/a_run0.txt: "*"a_run0.json counts 7"*"--allow lossy"* && $output != *"picknext check"* ]]
	"$SHOW" lost | grep is_lossy | tr -d ' ,\n' | grep -qx '"is_lossy":true"is_lossy":false'
	# Events that are missing within the trace itself.
	cp "$GOLDEN/analysis/lossy.txt" a_run2.txt
	run -5 "$SHOW" --refuse-lossy a_run2.txt
	[[ $output == *"picknext check"* ]]
	# Broken metadata and a broken trace are errors that name the file.
	run_of broken a_run0 6.5.0
	echo '{"kernel": ' >broken/a_run0.json
	run -3 "$SHOW" broken
	[[ $output == *"broken/a_run0.json"* ]]
	run_of torn a_run0 6.5.0
	head -c 1000 /dev/urandom >torn/a_run0.txt
	run -3 "$SHOW" torn
	[[ $output == *"torn/a_run0.txt"* ]]
}

# describe SET KERNEL EVENTS: the trace of 6.12 with a JSON that says so.
describe() {
	mkdir -p "$1"
	gzip -dc "$GOLDEN/keys/6.12.dat.gz" >"$1/a_run0.dat"
	printf '{"workload_name": "a", "kernel": "%s", "events": %s}\n' "$2" "$3" >"$1/a_run0.json"
}

# bats test_tags=slow
@test "run sets: a trace that is not the one that its JSON describes is refused" {
	local kernel=6.12.95+deb12-amd64 events
	describe right $kernel 0
	events=$("$PICKNEXT" check --json right/a_run0.dat | sed -n 's/^ *"events": \([0-9]*\),$/\1/p' | head -1)
	describe right $kernel "$events"
	describe further $kernel $((events + 1))
	describe older 6.1.0-50-amd64 "$events"
	cp -r right again
	run -0 "$PICKNEXT" compare right again
	run -5 "$PICKNEXT" compare right further
	[[ $output == *"further/a_run0.dat: "*" a_run0.json "*" $events events, not $((events + 1));"* ]]
	run -5 "$PICKNEXT" compare older right
	[[ $output == *"older/a_run0.dat: "*" a_run0.json "*" $kernel, not 6.1.0-50-amd64;"* ]]
	run -5 "$PICKNEXT" report -o page.html right further
	[[ $output == *"further/a_run0.dat: "* ]]
	[ ! -e page.html ]
	run -0 "$PICKNEXT" check right
	run -0 "$PICKNEXT" check -v right
	[[ $output == *"good  metadata    kernel and number of events match the trace"* ]]
	# A part of a trace says only whose kernel it is; a text trace says nothing.
	run -0 "$PICKNEXT" check -v --from 0.001 further
	[[ $output == *"good  metadata    the kernel matches the trace; "* ]]
	run -5 "$PICKNEXT" check --from 0.001 older
	run_of text a_run0 6.12.1
	run -0 "$PICKNEXT" check -v text
	[[ $output == *"good  metadata    they have neither "* ]]
	run -5 "$PICKNEXT" check right further
	[[ $output == *"further/a_run0.dat: not to be trusted: metadata: not the trace that a_run0.json describes: it has $events events, not $((events + 1)); restore "* ]]
	# A trace that check does not trust is not judged by check-rule, and no dataset gets its labels.
	run -0 "$PICKNEXT" check-rule right
	for set in further older; do
		run -5 --separate-stderr "$PICKNEXT" check-rule right $set
		[[ ${lines[0]} == "$set/a_run0.dat: not to be trusted: metadata: "* && $stderr == *"$set/a_run0.dat: "*"restore "* ]]
		[[ $output == *"not to be trusted: see picknext check"* ]]
		for task in switch "switch --columns extended" pick placement balance keys; do
			# shellcheck disable=SC2086 # options
			run -5 "$PICKNEXT" build --task $task -o data --no-unseen-split $set
			[[ $output == *"$set/a_run0.dat: not to be trusted: metadata: "*" restore "* ]]
		done
		run -5 "$PICKNEXT" export -f csv -o rows.csv $set/a_run0.dat
		[ ! -e rows.csv ]
	done
	[ ! -e data/all.csv ]
	run -0 "$PICKNEXT" build --columns extended -o data --no-unseen-split right
	run -5 "$PICKNEXT" check-rule --csv -o rules.csv older
	run -5 "$PICKNEXT" check-rule --json -o rules.json older
	grep -q '"verdict": "not to be trusted"' rules.json
	# A file that is no JSON says nothing of it, such as the output that a shell makes.
	: >further/a_run0.json
	run -0 "$PICKNEXT" check-rule further
	run -0 "$PICKNEXT" stat older/a_run0.dat
	[[ $output == *"not to be trusted: see picknext check"* ]]
	run -0 "$PICKNEXT" stat right/a_run0.dat
	[[ $output != *"not to be trusted"* ]]
	# Control characters in the JSON are shown, and do nothing to the terminal.
	describe older '6.1\u001b[31m' "$events"
	run -5 "$PICKNEXT" check older/a_run0.dat
	[[ $output == *'not 6.1\x1b[31m'* ]]
	"$PICKNEXT" check --json older/a_run0.dat >older/a_run0.json
	grep -q '"verdict": "good"' older/a_run0.json
	echo '{' >older/a_run0.json
	run -3 "$PICKNEXT" check older
	[[ $output == *"older/a_run0.json: "* ]]
}

# bats test_tags=slow
@test "run sets: two runs of a set with the same bytes are refused, two sets with them are not" {
	run_of one a_run0 6.5.0
	run_of one a_run1 6.5.0
	cp -r one two
	run -0 "$PICKNEXT" compare one two
	cp one/a_run0.txt one/a_run7.txt
	cp one/a_run0.json one/a_run7.json
	run -2 "$PICKNEXT" compare one two
	[[ $output == *"one/a_run7.txt: "*"one/a_run0.txt"* ]]
	# Another workload may be made of the same trace.
	sed -i 's/"a"/"b"/' one/a_run7.json
	run -0 "$PICKNEXT" compare one two
	# Only several operands can be those of a pattern.
	run -2 "$PICKNEXT" compare two two
	[[ $output == *"two: is given twice"* && $output != *pattern* ]]
	run -2 "$PICKNEXT" compare one two two
	[[ $output == *pattern* ]]
}

@test "a second -w of what runs workloads is refused: the first would be left out" {
	local command
	mkdir one
	for command in 'collect' 'vm -k 6.12' 'overhead' 'why --worst 1 --run 1 one'; do
		# shellcheck disable=SC2086 # several words
		run -2 "$PICKNEXT" $command -w a --workload b
		[[ $output == *"--workload: is given twice: 'a' and 'b'"* ]]
	done
}
