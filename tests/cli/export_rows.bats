#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext export --format csv and baseline, and picknext split: the rows of a dataset, of one trace, of a CSV, per workload.

PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/tools

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir raw
}

# made NAME: raw/NAME.dat, and its rows as build makes them in NAME.csv.
made() {
	mkdir "only-$1"
	"$TOOLS/make_trace" "only-$1/$1.dat"
	"$PICKNEXT" build -q --allow lossy -o "out-$1" --raw-dir "only-$1" 2>/dev/null
	cp "out-$1/all.csv" "$1.csv"
	mv "only-$1/$1.dat" raw
}

# text NAME COUNT: raw/NAME.txt, a text trace of so many switches to as many tasks.
text() {
	local i
	for ((i = 0; i < $2; i++)); do
		printf '%16s-%-7d [%03d] d..2. %5d.%06d: sched_switch: prev_comm=%s prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=next%d next_pid=%d next_prio=120\n' \
			task 1 0 100 "$i" task "$i" "$i"
	done >"raw/$1.txt"
}

# bats test_tags=slow
@test "export csv: the rows of one trace are those that build makes, from a file, a pipe and a text trace" {
	made a_run0
	"$PICKNEXT" export -f csv raw/a_run0.dat 2>/dev/null | cmp - a_run0.csv
	"$PICKNEXT" export -f csv raw/a_run0.dat -o ours.csv 2>/dev/null
	cmp ours.csv a_run0.csv
	dd if=raw/a_run0.dat status=none | "$PICKNEXT" export -f csv --trace-id a_run0 - 2>/dev/null | cmp - a_run0.csv
	dd if=raw/a_run0.dat status=none | "$PICKNEXT" export -f csv - 2>/dev/null | tail -n 1 | grep -q ',stdin,stdin'
	text b_run0 5
	"$PICKNEXT" build -q -o out --raw-dir raw --allow lossy 2>/dev/null
	{
		"$PICKNEXT" export -f csv raw/a_run0.dat 2>/dev/null
		"$PICKNEXT" export -f csv raw/b_run0.txt | tail -n +2
	} | cmp - out/all.csv
	"$PICKNEXT" build -q -o out --raw-dir raw --allow lossy --columns extended 2>/dev/null
	{
		"$PICKNEXT" export -f csv --columns extended raw/a_run0.dat 2>/dev/null
		"$PICKNEXT" export -f csv --columns extended raw/b_run0.txt | tail -n +2
	} | cmp - out/all.csv
	echo '{"workload_name": "said,so"}' >raw/b_run0.json
	"$PICKNEXT" export -f csv raw/b_run0.txt | tail -n 1 | grep -q ',"said,so",b_run0'
	(cd raw && "$PICKNEXT" export -f csv b_run0.txt | tail -n 1 | grep -q ',"said,so",b_run0')
}

# bats test_tags=slow
@test "export csv, build, split: a column with the scheduler, where asked for" {
	local name
	for name in a b c d; do text ${name}_run0 3; done
	echo '{"workload_name": "w", "kernel": "6.5.9"}' >raw/a_run0.json
	echo '{"workload_name": "w", "kernel": "6.6.1", "scheduler": {"given": "none", "ops": null}}' >raw/b_run0.json
	echo '{"workload_name": "w", "kernel": "7.3.4", "scheduler": {"given": "scx_a", "ops": "a,b"}}' >raw/c_run0.json
	"$PICKNEXT" build -q -o out --raw-dir raw --columns scheduler 2>/dev/null
	head -n 1 out/all.csv | grep -q ',workload_type,trace_id,scheduler.$'
	tail -n +2 out/all.csv | sed 's/.*,\([a-d]_run0\)/\1/' | tr -d '\r' | sort | uniq -c >shown
	diff -w - shown <<-'EOF'
		3 a_run0,CFS
		3 b_run0,EEVDF
		3 c_run0,"a,b"
		3 d_run0,
	EOF
	[ "$(python3 -c 'import json; j = json.load(open("out/dataset_meta.json")); print(j["csv_columns"][9:], {t["trace_id"][0]: t["scheduler"] for t in j["traces"]}.items() >= {"a": "CFS", "c": "a,b", "d": None}.items())')" = "['scheduler'] True" ]
	# The rows are those without the column, each with one more field.
	"$PICKNEXT" build -q -o nine --raw-dir raw 2>/dev/null
	cut -d, -f1-9 out/all.csv | tr -d '\r' | cmp - <(tr -d '\r' <nine/all.csv)
	"$PICKNEXT" export -f csv --columns extended,scheduler raw/c_run0.txt >c.csv
	[ "$(python3 -c 'import csv; print([(len(r), r["scheduler"], r["next_prio"]) for r in csv.DictReader(open("c.csv"))][0])')" = "(19, 'a,b', '120')" ]
	"$PICKNEXT" split -q -o parts raw/b_run0.txt raw/c_run0.txt --columns scheduler
	[ "$(grep -c ',b_run0,EEVDF' parts/w.csv)" -eq 3 ]
	# A reader of datasets takes it as well.
	"$PICKNEXT" split -q -o again out/all.csv
	cmp <(grep -v d_run0 out/all.csv) again/w.csv
}

# bats test_tags=slow
@test "export csv: what was lost, and lines that are none, are told" {
	made a_run0
	"$PICKNEXT" export -f csv raw/a_run0.dat 2>messages >/dev/null
	[ "$(wc -l <messages)" -eq 1 ]
	grep -q 'warning: raw/a_run0.dat: .*3928 events.*1383 on CPU 0' messages
	"$PICKNEXT" export -f baseline out-a_run0/all.csv 2>messages >/dev/null
	grep -q 'warning: out-a_run0/all.csv: .*\<1\>.*out-a_run0/dataset_meta.json' messages
	"$PICKNEXT" split -q -o parts out-a_run0/all.csv 2>messages
	grep -q 'warning: out-a_run0/all.csv: .*\<1\>' messages
	text b_run0 5
	echo 'no event' >>raw/b_run0.txt
	"$PICKNEXT" export -f csv raw/b_run0.txt 2>messages >/dev/null
	grep -q 'warning: raw/b_run0.txt: .*\<1\>.*line 6' messages
}

# The four columns, made by another from a dataset's CSV.
reference_baseline() {
	python3 - "$@" <<-'EOF'
		import csv, itertools, string, sys
		letters = string.ascii_uppercase + string.ascii_lowercase + string.digits
		codes = ("".join(c) for n in itertools.count(1) for c in itertools.product(letters, repeat=n))
		known = {}
		sys.stdout.reconfigure(encoding="latin-1", newline="")
		out = csv.writer(sys.stdout)
		out.writerow(["task_code", "time", "name", "pid"])
		for row in csv.DictReader(open(sys.argv[1], encoding="latin-1", newline="")):
		    if row["task_name"] not in known:
		        known[row["task_name"]] = next(codes)
		    out.writerow([known[row["task_name"]], row[sys.argv[2]], row["task_name"], row["pid"]])
	EOF
}

# bats test_tags=slow
@test "export baseline: task_code, time, name and pid, of a trace and of a dataset's CSV" {
	made a_run0
	reference_baseline a_run0.csv time_diff >expected
	"$PICKNEXT" export -f baseline raw/a_run0.dat 2>/dev/null | cmp - expected
	"$PICKNEXT" export -f baseline a_run0.csv | cmp - expected
	"$PICKNEXT" export -f baseline - <a_run0.csv | cmp - expected
	[ "$(head -n 1 expected)" = $'task_code,time,name,pid\r' ]
	reference_baseline a_run0.csv timestamp >expected
	"$PICKNEXT" export -f baseline --time timestamp a_run0.csv -o ours
	cmp ours expected
}

# bats test_tags=slow
@test "export baseline: codes go on behind the single characters" {
	text many_run0 4000
	"$PICKNEXT" export -f csv raw/many_run0.txt -o many.csv
	"$PICKNEXT" export -f baseline raw/many_run0.txt -o ours
	reference_baseline many.csv time_diff | cmp - ours
	cut -d, -f1 ours | sed -n '2p;63p;64p;65p;3907p;3908p' >codes
	[ "$(tr '\n' ' ' <codes)" = "A 9 AA AB 99 AAA " ]
	[ "$(tail -n +2 ours | cut -d, -f1 | sort -u | wc -l)" -eq 4000 ]
}

@test "export baseline: a CSV whose rows are broken is refused with its line" {
	text a_run0 3
	"$PICKNEXT" export -f csv raw/a_run0.txt -o good.csv
	{ cat good.csv; printf '1,2,3\r\n'; } >few.csv
	{ cat good.csv; printf '1,2,"open,4,5,6,7,8,9\r\n'; } >open.csv
	{ cat good.csv; printf '1,2,0123456789abcdefg,4,5,6,7,8,9\r\n'; } >long.csv
	for case in "few:line 5: " "open:line 5: " "long:row 4: "; do
		run "$PICKNEXT" export -f baseline "${case%%:*}.csv" -o out
		echo "$output"
		[ "$status" -eq 3 ]
		[[ $output == *"${case%%:*}.csv: ${case#*:}"* ]]
		[ ! -e out ]
	done
	run "$PICKNEXT" export -f text good.csv
	[ "$status" -eq 3 ]
	[[ $output == *"good.csv: "* ]]
}

@test "export: options that belong to another format are refused" {
	for options in "-f csv --ns" "-f text --columns extended" "-f baseline --trace-id x" "-f csv --time timestamp"; do
		# shellcheck disable=SC2086
		run "$PICKNEXT" export $options x.dat
		[ "$status" -eq 2 ]
		[[ $output == *--format* ]]
	done
}

# bats test_tags=slow
@test "split: a CSV of each workload, in order, whatever the rows hold" {
	text io_mixed_run0 3
	text cpu_bound_4p_run0 2
	text io_mixed_run1 4
	printf '               a-1       [000] d..2.     1.000001: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=l\n"i\n next_pid=2 next_prio=120\n' >raw/odd_run0.txt
	echo '{"workload_name": "../a/b,%\u001b"}' >raw/odd_run0.json
	"$PICKNEXT" build -q -o out --raw-dir raw 2>/dev/null
	# They are written here, or with -o elsewhere; not among the inputs.
	mkdir here
	(cd here && "$PICKNEXT" split ../out/all.csv) >table
	cat table
	[ ! -e out/io_mixed.csv ]
	[ "$(find here -name '*.csv' | wc -l)" = 3 ]
	mv here/*.csv out
	[ "$(tail -n +2 table | awk '{ print $1, $2 }' | tr '\n' ';')" = "%2E.%2Fa%2Fb,%25%1B.csv 1;cpu_bound_4p.csv 2;io_mixed.csv 7;" ]
	python3 - out <<-'EOF'
		import csv, os, sys
		read = lambda name: list(csv.reader(open(os.path.join(sys.argv[1], name), encoding="latin-1", newline="")))
		whole = read("all.csv")
		parts = {"io_mixed": "io_mixed.csv", "cpu_bound_4p": "cpu_bound_4p.csv", "../a/b,%\x1b": "%2E.%2Fa%2Fb,%25%1B.csv"}
		for workload, name in parts.items():
		    assert read(name) == [whole[0]] + [row for row in whole[1:] if row[7] == workload], name
		assert sorted(whole[1:]) == sorted(row for name in parts.values() for row in read(name)[1:])
	EOF
	"$PICKNEXT" split -q -o from-pipe - <out/all.csv
	"$PICKNEXT" split -q -o from-traces raw/cpu_bound_4p_run0.txt raw/io_mixed_run[01].txt raw/odd_run0.txt
	for name in io_mixed cpu_bound_4p %2E.%2Fa%2Fb,%25%1B; do
		cmp "out/$name.csv" "from-pipe/$name.csv"
	done
	# Rows come in the order in which the traces are named.
	for name in io_mixed cpu_bound_4p %2E.%2Fa%2Fb,%25%1B; do
		diff <(sort "out/$name.csv") <(sort "from-traces/$name.csv")
	done
}

# bats test_tags=slow
@test "split: what is read is not overwritten, other columns are refused, and a failure leaves nothing" {
	text a_run0 3
	"$PICKNEXT" export -f csv raw/a_run0.txt -o a.csv
	before=$(sha256sum <a.csv)
	run "$PICKNEXT" split a.csv
	[ "$status" -eq 2 ]
	[[ $output == *"a.csv: "* ]]
	# Nor what was read before it, or is read behind it.
	sed 's/,a,a_run0/,b,b_run0/' a.csv >b.csv
	sed 's/,a,a_run0/,c,c_run0/' a.csv >c.csv
	sed 's/,a,a_run0/,b,b_run0/' a.csv >d.csv
	for files in "b.csv c.csv" "d.csv b.csv"; do
		# shellcheck disable=SC2086 # two files
		run "$PICKNEXT" split $files
		[ "$status" -eq 2 ]
		[[ $output == *"b.csv: "* ]]
		[ ! -e b.csv.partial ]
	done
	rm b.csv c.csv d.csv
	[ "$(sha256sum <a.csv)" = "$before" ]
	"$PICKNEXT" export -f csv --columns extended raw/a_run0.txt -o extended.csv
	run "$PICKNEXT" split -o out a.csv extended.csv
	[ "$status" -eq 2 ]
	[[ $output == *"extended.csv: "* ]]
	[ -z "$(ls -A out)" ]
	{ cat a.csv; printf 'cut'; } >broken.csv
	run "$PICKNEXT" split -o out broken.csv
	[ "$status" -eq 3 ]
	[ -z "$(ls -A out)" ]
	run "$PICKNEXT" split -o /proc/nowhere a.csv
	[ "$status" -eq 4 ]
	"$TOOLS/make_trace" raw/lossy.dat
	"$PICKNEXT" split -q -o out raw/lossy.dat 2>messages
	grep -q 'warning: raw/lossy.dat: lost 3928 events' messages
}
