#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext predict: its figures against a slow reference, its forms, and bad input.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	SUPPORT=$BATS_TEST_DIRNAME/../support
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p set
}

# A dataset of decisions of random traces.
decisions() {
	mkdir -p raw
	python3 "$SUPPORT/reference_decisions.py" make raw "$1" 500
	cp raw/random1_run0.txt raw/random1_run1.txt
	sed -i '2d' raw/random1_run1.txt
	"$PICKNEXT" build -q -o decided --raw-dir raw --task decision --hold-out workload=random2
}

@test "predict: rows of switches: every figure is that of the reference" {
	local seed
	for seed in 1 2; do
		python3 "$SUPPORT/reference_predict.py" make set "$seed"
		"$PICKNEXT" predict -q --csv set >results.csv
		python3 "$SUPPORT/reference_predict.py" compare set results.csv
	done
}

@test "predict: rows of decisions: every figure is that of the reference" {
	decisions 1
	"$PICKNEXT" predict -q --csv decided >results.csv
	python3 "$SUPPORT/reference_predict.py" compare decided results.csv
	grep -q '^test_seen,random1,,,decision,choice,eevdf_rule,' results.csv
	grep -q '^test_unseen,macro,,,decision,any,longest_waiting,' results.csv
}

# A dataset of decisions of random traces under two schedulers.
two_schedulers() {
	local n
	mkdir -p raw
	python3 "$SUPPORT/reference_decisions.py" make raw "$1" 500
	for n in 0 1; do
		cp "raw/random${n}_run0.txt" "raw/random${n}_run1.txt"
		sed -i '2d' "raw/random${n}_run1.txt"
		printf '{"workload_name": "w%d", "kernel": "6.1.0"}\n' "$n" >"raw/random${n}_run0.json"
		printf '{"workload_name": "w%d", "kernel": "6.12.0"}\n' "$n" >"raw/random${n}_run1.json"
	done
}

@test "predict: between schedulers: every figure is that of the reference" {
	two_schedulers 5
	"$PICKNEXT" build -q -o decided --raw-dir raw --task decision --hold-out scheduler=EEVDF
	"$PICKNEXT" predict -q --csv decided >results.csv
	python3 "$SUPPORT/reference_predict.py" compare decided results.csv
	[ "$(grep '^tests,' results.csv | cut -d, -f2-4 | sort -u | tr '\n' ' ')" = "all,CFS,EEVDF macro,CFS,EEVDF " ]
	"$PICKNEXT" build -q -o both --raw-dir raw --task decision --no-unseen-split
	# A test part of each scheduler: all rows of train.csv again.
	cp both/train.csv both/test_seen.csv
	"$PICKNEXT" predict -q --csv both >results.csv
	python3 "$SUPPORT/reference_predict.py" compare both results.csv
	[ "$(grep '^tests,all,' results.csv | cut -d, -f3,4 | sort -u | wc -l)" = 4 ]
	"$PICKNEXT" predict both | sed -n '/^Between schedulers/,$p' >shown
	[ "$(grep -c ' CFS  *EEVDF  *decision ' shown)" = 17 ]
	"$PICKNEXT" predict -q --baselines both >shown
	run ! grep -q "Between schedulers" shown
}

@test "predict: a dataset with weights has the same results; their weighted mean is macro" {
	two_schedulers 6
	"$PICKNEXT" build -q -o plain --raw-dir raw --task decision --no-unseen-split --train-ratio 0.5
	"$PICKNEXT" build -q -o weighted --raw-dir raw --task decision --no-unseen-split --train-ratio 0.5 --weights
	# Times are the last column.
	"$PICKNEXT" predict -q --csv plain | tr -d '\r' | sed 's/,[0-9]*$//' >one
	"$PICKNEXT" predict -q --csv weighted | tr -d '\r' | sed 's/,[0-9]*$//' >two
	cmp one two
	python3 - <<-'EOF'
		import csv
		rows = [row for row in csv.DictReader(open("weighted/test_seen.csv", newline="")) if int(row["candidates"]) > 0]
		total = sum(float(row["weight"]) for row in rows)
		right = sum(float(row["weight"]) for row in rows if row["chosen"] == "0")
		found = [row for row in csv.DictReader(open("one")) if (row["part"], row["workload"], row["target"], row["of"], row["predictor"]) ==
		         ("test_seen", "macro", "decision", "any", "longest_waiting")]
		assert len({row["workload_type"] for row in rows}) > 1
		assert abs(float(found[0]["top1"]) - right / total) < 2e-4, (found, right / total)
	EOF
	sed -i '2s/,[^,]*$//' weighted/train.csv
	run -3 "$PICKNEXT" predict weighted
	[[ $output == *"train.csv: line 2: wrong number of fields"* ]]
}

@test "predict --as-kerneloracle: a constant is right for every PID that train.csv lacks" {
	python3 "$SUPPORT/reference_predict.py" make set 3
	"$PICKNEXT" predict -q --as-kerneloracle --csv set >results.csv
	# The PIDs of the tests are 500 higher.
	[ "$(grep '^test_seen,all,,,next_name,any,constant,' results.csv | cut -d, -f8,9)" = 120,1.0000 ]
	[ "$(grep '^test_seen,all,,,next_name,any,markov2,' results.csv | cut -d, -f9,10,13)" = 0.0000,0.0000,1.0000 ]
	decisions 1
	run -2 "$PICKNEXT" predict --as-kerneloracle decided
	[[ $output == *"needs a dataset of switches"* ]]
}

@test "predict: table, JSON, CSV and the report have the same figures" {
	decisions 2
	"$PICKNEXT" predict -q --json decided >results.json
	"$PICKNEXT" predict -q --csv decided >results.csv
	"$PICKNEXT" predict decided >table 2>messages
	grep -q ' rows of train.csv, .* of the tests, in ' messages
	python3 - <<-'EOF'
		import csv, json
		found = json.load(open("results.json"))
		rows = list(csv.DictReader(open("results.csv")))
		table = open("table").read()
		assert found["rows_are"] == "decisions" and found["train_rows"] > 0
		assert len(found["results"]) == len(rows) > 100
		for a, b in zip(found["results"], rows):
		    for name in ("part", "workload", "target", "of", "predictor", "top1", "log_loss"):
		        assert (a[name] is None and b[name] == "") or str(a[name]) == b[name] or float(a[name]) == float(b[name]), (a, b)
		for row in rows:
		    if row["workload"] == "all":
		        assert f"{100 * float(row['top1']):.2f}" in table
	EOF
	"$PICKNEXT" report -q --dataset decided -o page.html
	python3 "$SUPPORT/report_page.py" text page.html "Prediction of the next task" "test_unseen.csv" eevdf_rule
	python3 - <<-'EOF'
		import csv, re
		page = open("page.html").read()
		shown = re.findall(r"<th scope=row>eevdf_rule(.*)", page)
		value = {(row["part"], row["workload"]): f"{100 * float(row['top1']):.1f}" for row in csv.DictReader(open("results.csv"))
		         if (row["target"], row["of"], row["predictor"]) == ("decision", "choice", "eevdf_rule")}
		for part, line in zip(("test_seen", "test_unseen"), shown):
		    cells = [re.sub("<.*?>", "", cell) for cell in re.split("<td[^>]*>", line)[1:]]
		    wanted = [value[part, name] for name in ("all", "macro")]
		    assert all(abs(float(a) - float(b)) < 0.11 for a, b in zip(cells, wanted)), (cells, wanted)
	EOF
	"$PICKNEXT" report -q --dataset decided --format svg -o charts
	python3 -c 'import sys, xml.dom.minidom as m; [m.parse(n) for n in sys.argv[1:]]' charts/prediction-test_{seen,unseen}.svg
	grep -q ',random2,' decided/test_unseen.csv
	sed -i 's/,random2,/,<img src=x>,/' decided/test_unseen.csv
	"$PICKNEXT" report -q --dataset decided -o page.html
	run ! grep -q '<img' page.html
	run -4 "$PICKNEXT" report -q --dataset nowhere -o none.html
	[ ! -e none.html ]
	"$PICKNEXT" predict -q --baselines --csv decided | cut -d, -f7 | sort -u | tr '\n' ' ' >names
	[ "$(cat names)" = "constant last_successor majority predictor " ]
}

@test "predict: what is no dataset, damaged or incomplete is refused with its line" {
	python3 "$SUPPORT/reference_predict.py" make set 4
	run -2 "$PICKNEXT" predict --json --csv set
	mv set/test_seen.csv seen
	run -4 "$PICKNEXT" predict set
	[[ $output == *test_seen.csv* ]]
	cp seen set/test_seen.csv
	echo "1,2,3" >>set/test_seen.csv
	run -3 "$PICKNEXT" predict set
	[[ $output == *"line 122: wrong number of fields"* ]]
	cp seen set/test_seen.csv
	sed -i '5s/,[0-2],S,/,x,S,/' set/train.csv
	run -3 "$PICKNEXT" predict set
	[[ $output == *"train.csv: line 5: cpu is not a number"* ]]
	# Names with newlines are lines too; two rows in one line are none.
	{ head -1 seen && printf '0.1,0.0,"a\nb",1,0,S,"c\n\nd",w,t\r\n0.1,0.0,a,1,x,S,b,w,t\r\n'; } >set/train.csv
	run -3 "$PICKNEXT" predict set
	[[ $output == *"train.csv: line 6: cpu is not a number"* ]]
	{ head -1 seen && printf '0.1,0.0,"a"x,3,0,S,b,w,t\r\n'; } >set/train.csv
	run -3 "$PICKNEXT" predict set
	[[ $output == *"train.csv: line 2: text after a closing quote"* ]]
	{ head -1 seen && printf '0.1,0.0,a,1,0,S,b,w,t,0.2,0.1,c,1,0,S,a,w,t\r\n'; } >set/train.csv
	run -3 "$PICKNEXT" predict set
	[[ $output == *"train.csv: line 2: wrong number of fields"* ]]
	head -1 seen >set/train.csv
	run -3 "$PICKNEXT" predict set
	[[ $output == *"train.csv has no rows to learn from"* ]]
	decisions 3
	# Line ends and unusual texts change nothing.
	"$PICKNEXT" predict -q --csv decided | sed 's/,[0-9]*\r*$//' >plain
	cp -r decided other
	sed -i 's/\r$//' other/*.csv
	"$PICKNEXT" predict -q --csv other | sed 's/,[0-9]*\r*$//' >without_cr
	cmp plain without_cr
	# Quotes that nothing needs, as other tools write them.
	python3 - <<-'EOF'
		import csv
		for part in "train", "test_seen", "test_unseen":
		    with open(f"decided/{part}.csv", newline="") as file:
		        rows = list(csv.reader(file))
		    with open(f"other/{part}.csv", "w", newline="") as file:
		        csv.writer(file).writerow(rows[0])
		        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows[1:])
	EOF
	"$PICKNEXT" predict -q --csv other | sed 's/,[0-9]*\r*$//' >quoted
	cmp plain quoted
	# No rows, and no CR.
	cp decided/*.csv other
	head -1 decided/test_unseen.csv | tr -d '\r' >other/test_unseen.csv
	"$PICKNEXT" predict -q other
	head -1 decided/test_unseen.csv | tr -d '\r\n' >other/test_unseen.csv
	"$PICKNEXT" predict -q other
	cp decided/*.csv other
	python3 - <<-'EOF'
		import csv
		with open("other/train.csv", newline="") as file:
		    rows = list(csv.reader(file))
		rows[3][-1], rows[4][-2] = "x" * 3000000, 'a "quoted", name\0'
		with open("other/train.csv", "w", newline="") as file:
		    csv.writer(file, lineterminator="\n").writerows(rows)
	EOF
	"$PICKNEXT" predict -q --csv other >odd
	[ "$(wc -l <odd)" -eq "$(wc -l <plain)" ]
	# Columns in another order, or fewer; a quote that is open.
	for change in 's/^\([^,]*\),\([^,]*\)/\2,\1/' 's/,[^,]*$/\r/'; do
		sed "$change" decided/train.csv >other/train.csv
		run -3 "$PICKNEXT" predict other
		[[ $output == *"other/train.csv: not a dataset"* ]]
	done
	{ cat decided/train.csv && echo '"x,1,2'; } >other/train.csv
	run -3 "$PICKNEXT" predict other
	[[ $output == *"line $(wc -l <other/train.csv): a quote is not closed"* ]]
	# Half a line.
	head -c -60 decided/train.csv >other/train.csv
	run -3 "$PICKNEXT" predict other
	[[ $output == *"line $(($(wc -l <other/train.csv) + 1)): wrong number of fields"* ]]
	python3 - <<-'EOF'
		import csv
		with open("decided/train.csv", newline="") as file:
		    rows = list(csv.reader(file))
		rows[2][rows[0].index("candidate_prios")] += " 7"
		with open("decided/train.csv", "w", newline="") as file:
		    csv.writer(file).writerows(rows)
	EOF
	run -3 "$PICKNEXT" predict decided
	[[ $output == *"train.csv: line 3: the lists of candidates are not of the same length"* ]]
}
