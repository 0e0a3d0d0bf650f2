#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An output replaces any file but a trace, the metadata of a run, and an input; and no directory.

bats_require_minimum_version 1.5.0

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	cd "$BATS_FILE_TMPDIR" || return 1
	python3 "$TOP/tests/support/make_runs.py" a sample 2 1 1 'kernel="6.1.0"'
	python3 "$TOP/tests/support/make_runs.py" b sample 2 2 1.4 'kernel="6.12.0"'
	"$TOP/build/tools/make_trace" t.dat hostile
	printf '{\n  "trace_id": "t",\n  "workload_name": "t",\n  "category": "t"\n}\n' >t.json
}

setup() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	PICKNEXT=${PICKNEXT:-$TOP/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
	text=a/raw/sample_run0.txt
}

# The commands with an output FILE, each up to -o.
each_command() {
	"$@" stat "$text" -o
	"$@" stat --csv "$text" -o
	"$@" stat --json "$text" -o
	"$@" latency "$text" -o
	"$@" affinity --csv "$text" -o
	"$@" inversions "$text" -o
	"$@" idle-waiting --json "$text" -o
	"$@" check "$text" -o
	"$@" timeline "$text" -o
	"$@" timeline --json "$text" -o
	"$@" timeline --csv "$text" -o
	"$@" timeline --map "$text" -o
	"$@" migrations "$text" -o
	"$@" migrations --list --csv "$text" -o
	"$@" migrations --period 100 "$text" -o
	"$@" diff "$text" "$text" -o
	"$@" diff --json "$text" "$text" -o
	"$@" diff --exact "$text" "$text" -o
	"$@" compare a b -o
	"$@" compare a b --json -o
	"$@" compare a b --csv -o
	"$@" compare a b --format markdown -o
	"$@" compare a b --format ktap -o
	"$@" compare a b --junit
	"$@" report a b -o
	"$@" export -f perfetto t.dat -o
	"$@" export -f csv "$text" -o
	"$@" export -f baseline "$text" -o
}

repeats() {
	rm -f out
	"$PICKNEXT" -q "$@" out >/dev/null 2>&1 || "$PICKNEXT" "$@" out >/dev/null
	"$PICKNEXT" "$@" out >/dev/null || { echo "again: $*"; return 1; }
}

leaves_alone() {
	local file
	for file in t.dat t.json kernel.txt; do
		cp "$file" before
		run -2 "$PICKNEXT" "$@" "$file"
		[[ "$output" == *"$file"*"is not replaced"* || "$output" == *"$file"*itself* ]] || { echo "$* $file: $output"; return 1; }
		cmp before "$file"
	done
	[ -z "$(find . -name '*.partial*')" ]
}

without_name() {
	run -2 --separate-stderr "$PICKNEXT" "$@" ""
	[[ "$stderr" == *"the name of an output is empty"* ]] || { echo "$*: $stderr"; return 1; }
}

# bats test_tags=slow
@test "an output without a name is refused" {
	each_command without_name
}

# bats test_tags=slow
@test "outputs: every command can be repeated" {
	each_command repeats
}

# bats test_tags=slow
@test "outputs: no command replaces a trace or the metadata of a run" {
	cp "$text" kernel.txt
	each_command leaves_alone
	rm kernel.txt
}

@test "outputs: what is no trace is replaced" {
	echo "written by hand" >notes.json
	"$PICKNEXT" stat --json -o notes.json "$text"
	python3 -m json.tool notes.json >/dev/null
}

@test "outputs: a file beside it of the temporary name stays" {
	echo mine >kept.partial
	"$PICKNEXT" stat -o kept "$text"
	[ "$(cat kept.partial)" = mine ]
	rm kept.partial
}

# bats test_tags=slow
@test "outputs: devices, pipes and /dev/stdout are no files" {
	"$PICKNEXT" stat -o /dev/null "$text"
	[ -c /dev/null ]
	"$PICKNEXT" stat --csv "$text" >expected
	"$PICKNEXT" stat --csv -o /dev/stdout "$text" 2>/dev/null >regular
	cmp expected regular
	[ -L /dev/stdout ]
	"$PICKNEXT" stat --csv -o /dev/stdout "$text" 2>/dev/null | cmp expected -
	mkfifo pipe
	cat pipe >copy &
	"$PICKNEXT" stat --csv -o pipe "$text"
	wait $!
	cmp expected copy
	[ -p pipe ]
}

@test "outputs: two outputs are two files" {
	ln -s one.xml other.txt
	run -2 "$PICKNEXT" compare a b -o one.xml --junit ./one.xml
	[[ "$output" == *--output*--junit* ]]
	run -2 "$PICKNEXT" compare a b --junit /dev/stdout
	[ ! -e one.xml ]
}

@test "outputs: build and split replace a dataset, and no trace" {
	"$PICKNEXT" build --raw-dir a/raw -o set
	"$PICKNEXT" build --raw-dir a/raw -o set --columns extended
	"$PICKNEXT" split set/all.csv -o parts
	"$PICKNEXT" split set/all.csv -o parts
	cp t.dat set/train.csv
	cp set/all.csv before
	run -2 "$PICKNEXT" build --raw-dir a/raw -o set
	[[ "$output" == *set/train.csv*trace* ]]
	cmp before set/all.csv
	cmp t.dat set/train.csv
	cp t.dat parts/sample.csv
	run -2 "$PICKNEXT" split set/all.csv -o parts
	cmp t.dat parts/sample.csv
}

@test "outputs: export to text is repeated after the text is removed" {
	"$PICKNEXT" export t.dat -o again.txt
	run -2 "$PICKNEXT" export t.dat -o again.txt
	[[ "$output" == *again.txt*trace*remove* ]]
	rm again.txt
	"$PICKNEXT" export t.dat -o again.txt
	rm again.txt
}

# bats test_tags=slow
@test "outputs: build names a trace.dat without metadata" {
	mkdir -p plain/raw
	cp t.dat plain/raw/io_mixed_run0.dat
	run -0 --separate-stderr "$PICKNEXT" build -o plain
	[[ "$stderr" == *io_mixed_run0.dat*io_mixed_run0.json*io_mixed* ]]
	cp t.json plain/raw/io_mixed_run0.json
	run -0 --separate-stderr "$PICKNEXT" build -o plain
	[[ "$stderr" != *"io_mixed_run0.json"* ]]
	# The JSON of another command is no metadata.
	"$PICKNEXT" stat --json t.dat >plain/raw/io_mixed_run0.json
	run -0 --separate-stderr "$PICKNEXT" build -o plain
	[[ "$stderr" == *io_mixed_run0.dat*io_mixed_run0.json* ]]
}

# Nothing is run and nothing is made: this needs no root.
refuses_before() {
	local named=$1
	shift
	run -2 "$PICKNEXT" "$@"
	[[ "$output" == *$named* ]] || { echo "$*: $output"; return 1; }
	[ ! -e ran ]
}

# bats test_tags=slow
@test "outputs: record finds a wrong use before it runs anything" {
	rm -rf new
	refuses_before --json record -o new --json new.dat -- touch ran
	refuses_before --json record -o new --json ./new.dat -- touch ran
	refuses_before --json record -o new.dat --json new.dat -- touch ran
	refuses_before --json record -o new --json new.3.dat --flight 1 -- touch ran
	refuses_before --json record -o new --json new.dat.partial -- touch ran
	refuses_before --json record -o - --json /dev/stdout -- touch ran
	refuses_before t.dat record -o new --json t.dat -- touch ran
	ln -sf t.dat link
	ln -f t.dat hard
	refuses_before link record -o new --json link -- touch ran
	refuses_before hard record -o new --json hard -- touch ran
	refuses_before --drain record -o new --drain often -- touch ran
	refuses_before --drain record -o new --drain 60001 -- touch ran
	refuses_before --drain record -o new --drain 10 --flight 1 -- touch ran
	refuses_before --drain collect -o new --drain 10s -w cpu_bound_4p
	refuses_before --shell vm -k none --shell -w cpu_bound_4p
	run -4 "$PICKNEXT" record -o new --json none/x.json -- touch ran
	[[ "$output" == *none* ]]
	[ ! -e ran ] && [ ! -e new.dat ] && [ ! -e new ]
}
