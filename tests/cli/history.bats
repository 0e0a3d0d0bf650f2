#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext compare --history: twelve sets in a row, with two changes and with none, and what it refuses.

bats_require_minimum_version 1.5.0
load ../support/json

setup_file() {
	TOP=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}
	local number factor
	cd "$BATS_FILE_TMPDIR" || return 1
	for number in $(seq 1 12); do
		factor=1
		[ "$number" -lt 5 ] || factor=1.2
		[ "$number" -lt 10 ] || factor=0.9
		python3 "$TOP/tests/support/make_runs.py" "changed/c$number" sample 5 "$number" $factor "kernel=\"6.1.$number\""
		python3 "$TOP/tests/support/make_runs.py" "same/c$number" sample 5 "$number" 1 "kernel=\"6.1.$number\""
	done
}

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

@test "history: two changes are found at their commits, and no other; a row for each commit" {
	local metrics=(-m 'throughput_per_s,switches_per_s,slice_*_us,idle_share')
	"$PICKNEXT" compare --history "${metrics[@]}" changed/c{1,2,3,4,5,6,7,8,9,10,11,12} >text
	cat text
	[ "$(sed -n 's/^  \(6[0-9.]*\): .*/\1/p' text | uniq)" = $'6.1.5\n6.1.10' ]
	[ "$(grep -c '^6\.1\.[0-9]* ' text)" -eq 12 ]
	grep -q '^6\.1\.5 .*\*' text
	grep -q '^  6\.1\.10: sample, slice_p50_us -[0-9.]*%, 95 % interval \[-[0-9.]*, -[0-9.]*\], different, p ' text
	"$PICKNEXT" compare --history "${metrics[@]}" changed/c{1,2,3,4,5,6,7,8,9,10,11,12} --json >history.json
	[ "$(json history.json '{c["set"] for s in d["series"] for c in s["changes"]} == {"6.1.5", "6.1.10"}')" = True ]
	[ "$(json history.json '[[c["index"] for c in s["changes"]] for s in d["series"] if s["metric"] == "throughput_per_s"]')" = "[[4, 9]]" ]
	[ "$(json history.json 'd["method"], len(d["series"][0]["sets"])')" = "('E-divisive', 12)" ]
	# A directory of sets is as its sets, in the order of their versions.
	"$PICKNEXT" compare --history "${metrics[@]}" changed | diff text -
}

@test "history: the same kernel twelve times has no change; -m shows its metrics all the same" {
	run "$PICKNEXT" compare --history same -m 'throughput_per_s,switches_per_s,slice_*_us,idle_share'
	echo "$output"
	[[ $output == *"0 changes of "*" metrics in 12 sets." ]]
	run "$PICKNEXT" compare --history same -m slice_p50_us
	[ "$(grep -c '^6\.1\.[0-9]* ' <<<"$output")" -eq 12 ]
}

@test "history: too few sets, and options that it has no use for" {
	run -2 "$PICKNEXT" compare --history same/c1 same/c2
	[[ $output == *--history* ]]
	run -2 "$PICKNEXT" compare --history same -f 'slice_p50_us > +5%'
	run -2 "$PICKNEXT" compare --history same --csv
	run -2 "$PICKNEXT" compare --history same -m nonsense
}

# bats test_tags=slow
@test "history: the page names both changes, draws them with intervals, and is the same for every number of jobs" {
	local commits=(changed/c{1,2,3,4,5,6,7,8,9,10,11,12})
	"$PICKNEXT" report --history "${commits[@]}" -o page.html
	"$PICKNEXT" report --history "${commits[@]}" -o again.html --jobs 3
	cmp page.html again.html
	"$PICKNEXT" compare --history "${commits[@]}" --json >history.json
	python3 - page.html history.json <<-'EOF'
		import html.parser, json, re, sys
		page = open(sys.argv[1]).read()
		series = json.load(open(sys.argv[2]))["series"]
		rows = re.findall(r"<tr><th scope=row>([^<]*)<td class=t>sample<td class=t><code>([^<]*)</code>", page)
		assert rows == sorted(((c["set"], s["metric"]) for s in series for c in s["changes"]),
		                      key=lambda r: (int(r[0].split(".")[2]), [s["metric"] for s in series].index(r[1]))), rows
		changed = [s for s in series if s["changes"]]
		charts = re.findall(r"<svg.*?</svg>", page, re.S)
		assert len(charts) == len(series), (len(charts), len(series))
		for s in changed:
		    chart = next(c for c in charts if ">" + s["metric"] + "<" in c)
		    for c in s["changes"]:
		        assert ">" + c["set"] + "<" in chart and f"changes at {c['set']} (set {c['index'] + 1})" in chart
		    assert chart.count("m-4 0a4 4") == 12, chart.count("m-4 0a4 4")
		assert "<script" not in page
	EOF
	"$PICKNEXT" report --history same -o same.html
	grep -qE "$("$PICKNEXT" compare --history same | grep -oE '^[0-9]+ changes? of [0-9]+')" same.html
	grep -q 'Metrics that did not change' same.html
}

@test "history: what its page has no use for" {
	run -2 "$PICKNEXT" report --history same/c1 same/c2 -o none.html
	[[ $output == *"--history: needs at least 3 sets"* ]]
	run -2 "$PICKNEXT" report --history same --format svg -o none
	run -2 "$PICKNEXT" report --history same --from 1 -o none
	run -2 "$PICKNEXT" report --history -o none.html
	[ ! -e none ]
	[ ! -e none.html ]
}
