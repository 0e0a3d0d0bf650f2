#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext report: what it refuses, that its page is one harmless file with everything in it, and how that looks in a
# browser.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	for set in "1 1" "2 3"; do
		# shellcheck disable=SC2086 # two words
		python3 "$BATS_TEST_DIRNAME/../support/report_runs.py" "set${set%% *}" $set
	done
	python3 "$BATS_TEST_DIRNAME/../support/report_runs.py" '"><img src=x onerror=alert(4)>' 3 1 hostile
	mv '"><img src=x onerror=alert(4)>' hostile
}

setup() {
	PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

page() {
	python3 "$BATS_TEST_DIRNAME/../support/report_page.py" "$@" || { echo "not so: $*"; return 1; }
}

# refused CODE TEXT ARGUMENTS...
refused() {
	local code=$1 text=$2
	shift 2
	run -"$code" --separate-stderr "$PICKNEXT" report "$@"
	[ -z "$output" ]
	[[ $stderr == *"$text"* ]] || { echo "$stderr"; return 1; }
	[ "$(wc -l <<<"$stderr")" = 1 ]
}

# bats test_tags=slow
@test "report: what it cannot do it says in a line" {
	refused 2 "DIR" -o none.html
	refused 4 "nowhere" nowhere -o none.html
	refused 2 "--from" set1 --from 0.3 --to 0.2 -o none.html
	refused 2 --from set1 --from 100 -o none.html
	refused 2 --to set1 --to 0 -o none.html
	refused 2 "alpha_2t, beta_4t" set1 -w nothing_of_that_name -o none.html
	refused 4 "no/such/none.html" set1 -o no/such/none.html
	refused 2 "format" set1 --format pdf -o none.html
	[ ! -e none.html ]
}

# bats test_tags=slow
@test "report: runs that lost events are compared only when that is wanted" {
	cp -r set1 lossy
	local trace=lossy/raw/alpha_2t_run0.txt
	awk 'NR == 60 { print "CPU:1 [LOST 7 EVENTS]" } { print }' "$trace" >with_loss
	mv with_loss "$trace"
	refused 5 "lossy/raw/alpha_2t_run0.txt" set2 lossy -o none.html
	[ ! -e none.html ]
	"$PICKNEXT" report set2 lossy --allow lossy -o lossy.html
	page text lossy.html "Not all traces are trustworthy" "1 of 12 runs lack events"
	"$PICKNEXT" report lossy -o alone.html
	page text alone.html "Not all traces are trustworthy"
}

# bats test_tags=slow
@test "report: runs whose command failed are shown only when that is wanted" {
	cp -r set1 failed
	sed -i 's/^{/{"command_exit_code": 3, /' failed/raw/alpha_2t_run0.json
	refused 5 "failed/raw/alpha_2t_run0.txt" set2 failed -o none.html
	refused 5 "--allow failed" failed -o none.html
	[ ! -e none.html ]
	"$PICKNEXT" report set2 failed --allow failed -o failed.html
	page text failed.html "Not all traces are trustworthy" "the command failed in 1 of 12 runs"
}

# bats test_tags=slow
@test "report: the same bytes each time, in one file that loads nothing and runs nothing" {
	"$PICKNEXT" report set1 set2 -o one.html >out 2>&1
	"$PICKNEXT" report set1 set2 -o - >two.html
	cmp one.html two.html
	# Where -o does not say where it goes, it is told.
	[ ! -s out ]
	mkdir here
	(cd here && "$PICKNEXT" report ../set1 ../set2 2>told && grep -q 'report\.html$' told)
	cmp one.html here/report.html
	page contained one.html
	[ "$(find . -maxdepth 1 -name '*.html.*' | wc -l)" = 0 ]
}

# bats test_tags=slow
@test "report: the summary says what the verdicts say" {
	"$PICKNEXT" report set1 set2 -o one.html
	page text one.html "6.2.0-made against 6.1.0-made" "metrics differ" "throughput" "lower in" \
		"24 traces" "alpha_2t" "beta_4t" "6 runs of each"
	rm -rf few && mkdir -p few/a/raw few/b/raw
	cp set1/raw/alpha_2t_run[01].* few/a/raw
	cp set2/raw/alpha_2t_run[01].* few/b/raw
	"$PICKNEXT" report few/a few/b -o few.html
	page text few.html "too few runs for any verdict" "needs 5"
	# Once, not in each row.
	[ "$(grep -c 'No verdicts: these need 5 runs' few.html)" = "$(grep -c '<section id=w' few.html)" ]
	run ! grep -q 'needs ≥5 runs' few.html
	run ! grep -q 'metrics differ' few.html
	sed -i 's/"hz": 250/"hz": 1000/' few/b/raw/*.json
	cp set2/raw/beta_4t_run0.* few/b/raw
	"$PICKNEXT" report few/a few/b -o few.html
	page text few.html "HZ" "1000" "no runs of beta_4t"
}

# bats test_tags=slow
@test "report: its first sentences are those of compare" {
	"$PICKNEXT" report -q set1 set2 -o first.html
	"$PICKNEXT" compare set1 set2 >first.txt
	python3 - <<-'EOF'
		import html
		import re
		page = html.unescape(re.sub("<[^>]*>", "", open("first.html", encoding="utf-8").read()))
		text = " ".join(open("first.txt", encoding="utf-8").read().split("\n\n")[0].split())
		said = re.findall(r"6\.2\.0-made, \w+: .*?\)(?= 6\.2\.0-made|$)", text)
		assert said and all(each.replace("->", "→") in page for each in said), (text, said)
	EOF
}

# bats test_tags=slow
@test "report: the summary names what differs besides the kernel" {
	cp -r set1 plain
	sed -i 's/"kernel":/"kernel_version": "#1", &/' plain/raw/*.json
	cp -r plain tuned
	sed -i 's/1400000/3000000/' tuned/raw/*.json
	"$PICKNEXT" report plain tuned -o tuned.html
	page text tuned.html "scheduler tunables: base_slice_ns=1400000 against base_slice_ns=3000000"
	run ! grep -q 'No other known setting' tuned.html
	cp -r set2 quiet
	sed -i 's/"quiet"/"debug"/; s/6\.2\.0-made/6.3.0-made/' quiet/raw/*.json
	"$PICKNEXT" report set2 quiet -o quiet.html
	page text quiet.html "Besides the kernel, these differ between the sets" "kernel command line: quiet against debug"
}

# bats test_tags=slow
@test "report: counts are of the workloads that both sets have" {
	cp -r set2 fewer
	rm fewer/raw/beta_4t_run*
	"$PICKNEXT" report set1 fewer -o fewer.html
	page text fewer.html "no runs of beta_4t"
	run ! grep -q '; of 2\.' fewer.html
}

# bats test_tags=slow
@test "report: an unclear change is the largest that could have been missed, as in compare" {
	"$PICKNEXT" report set1 set2 -o one.html
	python3 - <<-'EOF'
		import re
		page = open("one.html", encoding="utf-8").read()
		cells = re.findall(r'<td class="v unclear" title="[^"]*">([^<]*)', page)
		assert cells and all(cell.strip() == "" or cell.startswith("\u2264") for cell in cells), cells
	EOF
}

# bats test_tags=slow
@test "report: verdicts are those of compare" {
	"$PICKNEXT" report set1 set2 -o one.html --margin 8
	"$PICKNEXT" compare set1 set2 --json --margin 8 >compare.json
	grep -q 'within ±8 %' one.html
	python3 - one.html <<-'EOF'
		import json, re, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		compare = json.dumps(json.load(open("compare.json")))
		for verdict in ("better", "worse", "different", "equal", "negligible", "unclear"):
		    told = len(re.findall(r'"verdict": "%s"' % verdict, compare))
		    shown = len(re.findall(r'<td class="t wrap">\S+ %s\b' % verdict, page))
		    assert told == shown, (verdict, told, shown)
	EOF
}

# bats test_tags=slow
@test "report: the summary counts each verdict under its own name" {
	python3 "$BATS_TEST_DIRNAME/../support/make_runs.py" near1 sample 6 1 1 'kernel="6.1.0"' hz=250
	python3 "$BATS_TEST_DIRNAME/../support/make_runs.py" near2 sample 6 5 1.4 'kernel="6.1.0"' hz=250
	"$PICKNEXT" report -q -o near.html near1 near2
	"$PICKNEXT" compare --json near1 near2 >near.json
	python3 - <<-'END'
		import collections, json, re
		page = open("near.html").read()
		verdicts = collections.Counter(row["sets"][1]["verdict"] for row in json.load(open("near.json"))["rows"])
		counted = re.search(r"Verdicts: .*?(\d+) equal, (\d+) negligible, (\d+) unclear", page).groups()
		assert [int(n) for n in counted] == [verdicts[name] for name in ("equal", "negligible", "unclear")], (counted, verdicts)
		assert verdicts["negligible"], verdicts
	END
}

# bats test_tags=slow
@test "report: its table has the metrics of the terminal, those with the most significant differences first" {
	"$PICKNEXT" report set1 set2 -o one.html
	"$PICKNEXT" compare set1 set2 --format markdown >compare.md
	python3 - one.html <<-'EOF'
		import re, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		table = page[page.index('<section id=comparison>'):]
		shown = re.findall(r'<th scope=col class=h>([^<]*)', table[:table.index("</thead>")])
		head = next(line for line in open("compare.md", encoding="utf-8") if line.startswith("| workload |"))
		told = [cell.strip() for cell in head.strip().strip("|").split("|")][1:]
		assert shown == told, (shown, told)
		# So does the summary, with what differs.
		listed = re.findall(r"<li><strong>([^<]*)</strong>: (?:higher|lower)", page[:page.index('<section id=comparison>')])
		assert listed and listed == [metric for metric in told if metric in listed], (listed, told)
	EOF
}

# bats test_tags=slow
@test "report: one set, one trace, one workload" {
	"$PICKNEXT" report set1 -o set.html
	page contained set.html
	page text set.html "Workloads at a glance" "alpha_2t" "beta_4t"
	"$PICKNEXT" report set1/raw/beta_4t_run3.txt -o trace.html
	page contained trace.html
	page text trace.html ", 1 run" "burner" "The longest waits for a CPU"
	run ! grep -q '1 run of each' trace.html
	"$PICKNEXT" report set1 set2 -w 'beta*' -o some.html
	page text some.html "beta_4t"
	run ! grep -q alpha_2t some.html
}

# bats test_tags=slow
@test "report: the window of the timelines is the one that is named" {
	"$PICKNEXT" report set1 set2 -w alpha_2t --from 0.011 --to 0.013 -o window.html
	page text window.html "A 6.1.0-made: " "of the first run, from 0.011000 s of the workload" "from 0.011000 s to 0.013000 s after"
	run ! grep -q 'from 0.011000 s of the workload' <("$PICKNEXT" report set1 set2 -w alpha_2t -o -)
}

@test "report: the window of a timeline is one in which as much happens as in most" {
	mkdir -p bursts/raw
	# Two tasks take turns every 100 us, but not from 10 to 90 ms, nor is the burst at 95 ms typical.
	python3 - >bursts/raw/alpha_2t_run0.txt <<-'EOF'
		print("# tracer: nop\n#")
		times = [*range(0, 10000, 100), *range(90000, 95000, 100), *range(95000, 95400, 5), *range(95400, 100000, 100)]
		for turn, us in enumerate(times):
		    one, two = ("a", 10 + turn % 2), ("b", 11 - turn % 2)
		    print(f"{one[0]:>16}-{one[1]}    [000] d..2. {100 + us // 1000000}.{us % 1000000:06d}: sched_switch: "
		          f"prev_comm={one[0]} prev_pid={one[1]} prev_prio=120 prev_state=R ==> "
		          f"next_comm={two[0]} next_pid={two[1]} next_prio=120")
	EOF
	"$PICKNEXT" report --format svg bursts -o bursts_svg
	slices=$(grep -o '[0-9]* slices' bursts_svg/alpha_2t-timeline-1.svg)
	[ "${slices% *}" -ge 30 ] && [ "${slices% *}" -le 130 ] || { echo "$slices"; return 1; }
}

# bats test_tags=slow
@test "report: titles of sets whose labels are long differ" {
	for set in one two; do
		rm -rf "long_$set" && cp -r set1 "long_$set"
		sed -i "s/6.1.0-made/6.12.95-made-with-a-patch-that-is-$set-of-them-amd64-and-more/" "long_$set"/raw/*.json
	done
	rm -rf long && "$PICKNEXT" report --format svg long_one long_two -o long
	title() { grep -o '<text x="0" y="17"[^/]*' "long/alpha_2t-$1.svg"; }
	[[ $(title timeline-1) == *">A "*": "* ]]
	[ "$(title timeline-1)" != "$(title timeline-2)" ] || { title timeline-1; return 1; }
}

# bats test_tags=slow
@test "report: the legend has only the signs of its table" {
	"$PICKNEXT" report set1 set2 -o one.html
	run ! grep -q 'brackets' one.html
	grep -q 'Better, worse and different' one.html
	rm -rf few && mkdir -p few/a/raw few/b/raw
	cp set1/raw/alpha_2t_run[01].* few/a/raw
	cp set2/raw/alpha_2t_run[01].* few/b/raw
	"$PICKNEXT" report few/a few/b -o few.html
	grep -q 'In brackets: too few runs' few.html
	run ! grep -q 'class="key' few.html
	run ! grep -qE 'Better, worse|not significant|Equal:|Unclear:' few.html
}

@test "report: the legend of a timeline has only the tasks that it shows" {
	rm -rf brief brief_svg && mkdir -p brief/raw
	{
		printf '# tracer: nop\n#\n# entries-in-buffer/entries-written: 240/240   #P:1\n#\n'
		local at=1000000 before=hog-1 next
		for next in other-2 hog-1 other-2 hog-1 blink-3 hog-1 other-2 hog-1; do
			printf '%16s-%-7d [000] d..2. %5d.%06d: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=R ==> next_comm=%s next_pid=%d next_prio=120\n' \
				"${before%-*}" "${before#*-}" 100 $((at / 1000)) "${before%-*}" "${before#*-}" "${next%-*}" "${next#*-}"
			[ "$next" = blink-3 ] && at=$((at + 1000)) || at=$((at + 20000000))
			before=$next
		done
	} >brief/raw/x_run0.txt
	"$PICKNEXT" report --format svg brief -o brief_svg
	grep -q '>hog 1<' brief_svg/x-timeline*.svg
	grep -q '>other 2<' brief_svg/x-timeline*.svg
	grep -q 'too short to show' brief_svg/x-timeline*.svg
	run ! grep -q 'blink' brief_svg/x-timeline*.svg
}

# bats test_tags=slow
@test "report: latencies of deterministic guests have their caveat at the curve" {
	rm -rf seeds && cp -r set1 seeds
	sed -i 's/^{/{"deterministic": {"seed": 1, "identity": "x"}, /' seeds/raw/*.json
	rm -rf seeds_svg && "$PICKNEXT" report --format svg seeds -o seeds_svg
	grep -q '<text[^>]*>[^<]*no real times</text>' seeds_svg/alpha_2t-wakeup.svg
	run ! grep -q 'no real times' seeds_svg/alpha_2t-slices.svg
	run ! grep -q 'no real times' <("$PICKNEXT" report set1 -o -)
	# Runs that are the same at each seed have metrics.
	rm -rf again && cp -r seeds again
	"$PICKNEXT" report seeds again -o again.html
	grep -q 'not affected, the traces are the same' again.html
	run ! grep -q 'no metric in both' again.html
}

# bats test_tags=slow
@test "report: names and metadata that are markup stay text" {
	"$PICKNEXT" report hostile -o hostile.html
	page contained hostile.html
	page text hostile.html "<script>alert(1)<script>" "<svg onload=a()" '"><b onclick=x' "'\"&amp;" '\xff\xfe\x1b[2J' \
		'</td><script>alert(2)</script>' "a\"b'c&d_2"
	rm -rf hostile_debug && cp -r hostile hostile_debug
	sed -i 's/"quiet x=/"debug x=/; s/"kernel": "/&other/' hostile_debug/raw/*.json
	"$PICKNEXT" report hostile hostile_debug -o differ.html
	page contained differ.html
	page text differ.html 'quiet x="><img src=x onerror=alert(3)> against debug x='
	"$PICKNEXT" report --format svg -o svg hostile
	page svg svg/*.svg
	[ "$(find svg -name '*.svg' | wc -l)" -ge 10 ]
	[ "$(find svg -type f ! -name '*.svg' | wc -l)" = 0 ]
	run ! grep -l '<script' svg/*.svg
	TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/tools
	[ -x "$TOOLS/make_trace" ] || skip "build/tools/make_trace is not built"
	mkdir -p binary/raw
	"$TOOLS/make_trace" binary/raw/io_mixed_run0.dat hostile
	"$PICKNEXT" report binary -o binary.html
	page contained binary.html 1
}

# bats test_tags=slow
@test "report: each chart alone is a file" {
	rm -rf charts
	"$PICKNEXT" report --format svg set1 set2 -o charts
	for chart in wakeup preempted overtaken slices timeline-1 timeline-2; do
		[ -s "charts/alpha_2t-$chart.svg" ]
	done
	[ -s charts/comparison-wakeup_latency_p99_us-2.svg ]
	page svg charts/*.svg
}

# bats test_tags=slow
@test "report: in a browser it is whole, quiet, readable on a phone, in the dark, on paper and without scripts" {
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import chromium; sys.exit(not chromium.find())' \
		"$BATS_TEST_DIRNAME/../support" || skip "no chromium on this machine"
	"$PICKNEXT" report set1 set2 -o one.html
	page browser one.html
	"$PICKNEXT" report hostile -o hostile.html
	page browser hostile.html
	page fits one.html
	# Three sets: no table is cut off.
	for set in 1 2; do
		rm -rf "wide$set" && cp -r "set$set" "wide$set"
		sed -i "s/\.0-made/.95+deb12-amd64-with-a-patch-that-is-long/" "wide$set"/raw/*.json
	done
	"$PICKNEXT" report set1 wide1 wide2 -o three.html
	page fits three.html
}

# Names of tasks are those of the trace: anything of the same length.
# bats test_tags=slow
@test "report: of a trace with keys the share of the rule, and at each switch its candidates" {
	mkdir -p keys
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >keys/keys.dat
	LC_ALL=C sed 's/cpu-bound/<b>\&"\xff#xy/g' keys/keys.dat >keys/hostile.dat
	for name in keys hostile; do
		"$PICKNEXT" report --from 0.1 --to 0.3 keys/$name.dat -o $name.html
		page contained $name.html
		page text $name.html "all 457 decisions follow EEVDF's rule"
	done
	page text hostile.html '<b>&"\xff#xy-165, cause: tick'
	# Slices of 6.12, 1400000 ns, without their upper bits.
	LC_ALL=C perl -pe 's/\xc0\x5c\x15\x00/\xc0\x5c\x00\x00/g' keys/keys.dat >keys/heavy.dat
	"$PICKNEXT" report --from 0.1 --to 0.3 keys/heavy.dat -o heavy.html
	page text heavy.html "deadline_in_slice is broken "
	# A row for a rule that is broken, and a number for the others.
	[ "$(grep -o '<th scope=row[^>]*>broken: [a-z ]*' heavy.html | sed 's/.*>//')" = "broken: deadline" ]
	[ "$(grep -c ">broken: " keys.html)" -eq 0 ]
	page text keys.html "Rules that no run breaks: "
	# Those of why, but for the digits.
	python3 - "$PICKNEXT" <<-'EOF'
		import html, json, re, subprocess, sys
		page = open("keys.html", encoding="utf-8").read()
		shown = [[html.unescape(line) for line in re.findall(r"<tspan[^>]*>(.*?)</tspan>", note)]
		         for note in re.findall(r'<text class="kt">(.*?)</text>', page)]
		assert 50 < len(shown) == page.count('<g class="k"'), len(shown)
		for note in shown[:5] + shown[-5:]:
		    # The page has no more digits: the last decision in this microsecond.
		    at = f"{float(note[0].split(' ')[0]) + 1e-6:.6f}"
		    found = json.loads(subprocess.run([sys.argv[1], "why", "--at", at, "--json", "keys/keys.dat"],
		                                      check=True, capture_output=True).stdout)
		    decision = found["decisions"][0]
		    rows = [row for row in found["candidates"] if row["decision"] == decision["decision"]]
		    assert decision["task"] in note[0] and decision["reason"] in note[1] and f"CPU {decision['cpu']}:" in note[0], note
		    assert len(note) == (3 + len(rows) if rows else 2), note
		    for row in rows:
		        line = next(line for line in note[3:] if line.startswith(row["task"] + " "))
		        words = line.split()
		        assert f"{int(row['lag_virtual_ns']) / 1e6:+.3f}" in words and f"{int(row['deadline_ns']) / 1e6:+.3f}" in words, line
		        assert ("picked" in words) == row["picked"] and ("eligible" in words) == bool(row["eligible"]), line
	EOF
	# The bytes of one.
	sed -n 's|.*\(<g class="k" tabindex.*\)|\1|; s|</g>.*|</g>|; /^<g class="k" /{p;q}' keys.html | diff "$BATS_TEST_DIRNAME/../golden/keys/choice.svg" -
	"$PICKNEXT" report set1 -o without.html
	run ! grep -qE '<g class="k"|are the rule.s' without.html
}

# bats test_tags=slow
@test "report: timelines of traces with keys begin at the longest wait, and show the lag of its task" {
	mkdir -p lag
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >lag/keys.dat
	rm -rf lag_svg && "$PICKNEXT" report --format svg lag/keys.dat -o lag_svg
	"$PICKNEXT" why -q --worst 1 --json lag/keys.dat >worst.json
	"$PICKNEXT" why -q --task cpu-bound-164 --max 100000 --json lag/keys.dat >task.json
	python3 - lag_svg/*-timeline-1.svg <<-'EOF'
		import json, re, sys
		chart = open(sys.argv[1], encoding="utf-8").read()
		worst = json.load(open("worst.json"))["waits"][0]
		assert worst["task"] == "cpu-bound-164", worst
		start, end = [float(at) * 1e9 for at in re.search(r"from ([\d.]+) s to ([\d.]+) s after its first event", chart).groups()]
		# A tenth of the wait before it, and all of it.
		assert abs(worst["start_ns"] - worst["wait_ns"] / 10 - start) < 1000 and end > worst["start_ns"] + worst["wait_ns"]
		assert "lag of cpu-bound#2 in CPU time" in chart and ">the wait<" in chart
		# Each dot is a pick of another candidate; where they are, the task's group or itself was passed over.
		place = lambda ns: 58 + (ns - start) / (end - start) * (946 - 58)
		dots = [float(x) for x in re.findall(r'class="f1" d="M([\d.]+) [\d.]+m-2.5 0a2.5', chart)]
		rows = [row for row in json.load(open("task.json"))["candidates"] if row["task"] == "cpu-bound-164" and
		        start <= row["since_start_ns"] < end]
		passed = [place(row["since_start_ns"]) for row in rows if not row["picked"]]
		assert dots and all(any(abs(dot - x) < 1.1 for dot in dots) for x in passed), (dots, passed)
	EOF
	# It is the longest wait of the run that is drawn: another run has longer ones.
	mkdir -p lag_runs lag_other && mv lag/keys.dat lag_runs/keys_run1.dat
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.1.dat.gz" | tee lag_runs/keys_run2.dat >lag_other/keys_run1.dat
	rm -rf lag_svg && "$PICKNEXT" report --format svg lag_runs -o lag_svg
	grep -q "in keys_run1 from 0.1690" lag_svg/keys-timeline-1.svg
	grep -q "lag of cpu-bound#2 in CPU time" lag_svg/keys-timeline-1.svg
	# The task of this name in the other set, there in a group.
	mkdir -p lag_group
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.12-autogroup.dat.gz" >lag_group/keys_run1.dat
	rm -rf lag_svg && "$PICKNEXT" report --format svg lag_group lag_other -o lag_svg
	[ "$(grep -l "lag of cpu-bound#3 in CPU time" lag_svg/keys-timeline-*.svg | wc -l)" = 2 ]
	# Without keys, there is none.
	rm -rf lag_svg && "$PICKNEXT" report --format svg set1 -o lag_svg
	run ! grep -q "lag of " lag_svg/alpha_2t-timeline-1.svg
}

@test "report: who preempted and woke whom is what picknext stat --pairs says of the first run" {
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >pairs.dat
	"$PICKNEXT" report pairs.dat -o pairs.html
	"$PICKNEXT" stat -q --pairs --by comm --merge-kworkers --no-idle --json pairs.dat >pairs.json
	python3 - <<-'EOF'
		import json, re
		page = open("pairs.html", encoding="utf-8").read()
		told = json.load(open("pairs.json"))
		for title, key, names in (("preempted", "preemptions", ("preempting", "preempted")), ("woke", "wakeups", ("waker", "woken"))):
		    table = page.split(f"<h4>Who {title} whom</h4>")[1].split("</table>")[0]
		    rows = re.findall(r"<tr><th scope=row>([^<]*)<td class=t>([^<]*)<td class=t>.*?<td>([\d,]+)<td>", table)
		    assert rows == [(row[names[0]], row[names[1]], f"{row['times']:,}") for row in told[key][:6]], (rows, told[key][:6])
	EOF
}

# bats test_tags=slow
@test "report: in a browser, pointer and touch show the candidates of a switch" {
	python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import chromium; sys.exit(not chromium.find())' \
		"$BATS_TEST_DIRNAME/../support" || skip "no chromium on this machine"
	gzip -dc "$BATS_TEST_DIRNAME/../golden/keys/6.12.dat.gz" >choices.dat
	"$PICKNEXT" report --from 0.1 --to 0.3 choices.dat -o choices.html
	page notes choices.html
}

# bats test_tags=slow
@test "report: the longest waits are those of picknext latency --worst, each with a timeline around it" {
	mkdir -p waits && cp set1/raw/alpha_2t_run0.txt waits/wait.txt
	"$PICKNEXT" report waits/wait.txt -o waits.html
	"$PICKNEXT" latency --worst 3 --json waits/wait.txt >worst.json
	rm -rf waits_svg && "$PICKNEXT" report waits/wait.txt --format svg -o waits_svg
	python3 - waits.html waits_svg/*-wait-1-?.svg <<-'EOF'
		import json, re, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		told = json.load(open("worst.json"))["worst"]
		rows = re.findall(r"<tr><th scope=row>(\S+) <span class=dim>(\d+)</span>.*?href=\"#(w0-wait-1-\d)\">([\d.]+)\S*(?:&nbsp;|\xa0)(\S+)</a>"
		                  r"<td>\?<td class=t>([^< ]+).*?<td>(\d+)<td>(\d*).*?<td title=\"[^\"]*\">0<td>([\d.]+)", page)
		unit = {"ns": 1, "µs": 1e3, "ms": 1e6}
		assert len(rows) == len(told) == len(sys.argv) - 2 == 3, (rows, sys.argv)
		for (name, pid, link, length, scale, after, cpu, others, start), row, path in zip(rows, told, sys.argv[2:]):
		    assert f'id="{link}"' in page
		    assert (name, int(pid), int(cpu)) == (row["comm"], row["pid"], row["cpu"])
		    assert abs(float(length) * unit[scale] / row["wait_ns"] - 1) < 0.01
		    assert {"wakeup": "wakeup", "fork": "fork", "preemption": "R+", "switch-out": "R"}[after] == row["after"]
		    assert others == str(row["others_waiting"] if row["others_waiting"] is not None else "")
		    assert abs(float(start) * 1e9 - row["start_ns"]) <= 500
		    # Its timeline begins before the wait and ends after it.
		    chart = open(path, encoding="utf-8").read()
		    begin, end = (float(text) * 1e9 for text in re.search(r"from ([\d.]+) s to ([\d.]+) s after", chart).groups())
		    assert begin <= row["start_ns"] and end >= min(row["start_ns"] + row["wait_ns"], 39e6)
		    assert ">the wait<" in chart
	EOF
}

# bats test_tags=slow
@test "report: timelines of two kernels show the same time of the workload, and one colour for each role" {
	mkdir -p roles/a/raw roles/b/raw
	# The workload starts after 20 and after 30 ms; the PIDs differ; the second one's tasks take turns in another order.
	python3 - <<-'EOF'
		import json
		for set_name, start, pids, order in (("a", 20000, (50, 51, 52), (0, 1, 2)), ("b", 30000, (71, 72, 73), (2, 1, 0))):
		    lines = ["# tracer: nop\n#"]
		    now = 100
		    def line(us, cpu, comm, pid, text):
		        lines.append(f"{comm:>16}-{pid}    [00{cpu}] d..2. {100 + us // 1000000}.{us % 1000000:06d}: {text}")
		    def switch(us, old, new):
		        line(us, 0, *old, f"sched_switch: prev_comm={old[0]} prev_pid={old[1]} prev_prio=120 prev_state=S ==> "
		             f"next_comm={new[0]} next_pid={new[1]} next_prio=120")
		    idle, boot = ("swapper/0", 0), ("boot", 9)
		    for us in range(0, start, 500):
		        switch(us, idle, boot)
		        switch(us + 100, boot, idle)
		    switch(start, idle, ("lead", 8))
		    for i, pid in enumerate(pids):
		        line(start + 1 + i, 0, "lead", 8, f"sched_wakeup_new: comm=hog pid={pid} prio=120 target_cpu=000")
		    switch(start + 5, ("lead", 8), idle)
		    for turn in range(400):
		        hog = ("hog", pids[order[turn % 3]])
		        switch(start + 10 + turn * 100, idle, hog)
		        switch(start + 60 + turn * 100, hog, idle)
		    open(f"roles/{set_name}/raw/mine_run0.txt", "w").write("\n".join(lines) + "\n")
		    json.dump({"trace_id": "mine_run0", "workload_name": "mine", "kernel": f"6.{start}", "threads": [8],
		               "ended_by": "signal"}, open(f"roles/{set_name}/raw/mine_run0.json", "w"))
	EOF
	"$PICKNEXT" report roles/a roles/b --from 0.005 --to 0.006 --format svg -o roles_svg
	grep -o 'from 0.00[0-9.]* s of the workload' roles_svg/mine-timeline-1.svg
	grep -q 'from 0.005000 s of the workload' roles_svg/mine-timeline-2.svg
	python3 - <<-'EOF'
		import re
		begins = []
		for number, start in ((1, 0.020), (2, 0.030)):
		    chart = open(f"roles_svg/mine-timeline-{number}.svg", encoding="utf-8").read()
		    begin = float(re.search(r"from ([\d.]+) s to", chart).group(1))
		    assert start <= begin - 0.005 < start + 0.0001, (start, begin)
		    names = re.findall(r"class=\"f(\d)\"[^>]*/><text[^>]*>(hog#\d)<", chart)
		    begins.append(dict((name, colour) for colour, name in reversed(names))) # the legend is the first
		assert begins[0] == begins[1] and len(begins[0]) == 3, begins
	EOF
	# If one of them ends before, all do there.
	mkdir -p roles/short/raw
	head -n -400 roles/b/raw/mine_run0.txt >roles/short/raw/mine_run0.txt
	cp roles/b/raw/mine_run0.json roles/short/raw
	rm -rf roles_svg && "$PICKNEXT" report roles/a roles/short --from 0.005 --to 0.03 --format svg -o roles_svg
	python3 - <<-'EOF'
		import re
		lengths = []
		for number in (1, 2):
		    chart = open(f"roles_svg/mine-timeline-{number}.svg", encoding="utf-8").read()
		    begin, end = map(float, re.search(r"from ([\d.]+) s to ([\d.]+) s after", chart).groups())
		    lengths.append(end - begin)
		assert abs(lengths[0] - lengths[1]) < 2e-6 and 0.014 < lengths[1] < 0.016, lengths
	EOF
}

