#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# workloads/models/card.py: the dataset card and the Croissant metadata. tests/long/dataset_card.bats checks their grammar.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	SUPPORT=$BATS_TEST_DIRNAME/../support
	CARD=$BATS_TEST_DIRNAME/../../workloads/models/card.py
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p raw
	python3 "$SUPPORT/reference_decisions.py" make raw 1 300
}

# bats test_tags=slow
@test "card: one configuration whose splits are the files with rows" {
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	"$CARD" set
	sed -n '1,/^pretty_name/p' set/README.md >shown
	diff - shown <<-'EOF'
		---
		configs:
		- config_name: default
		  data_files:
		  - split: train
		    path: train.csv
		  - split: test_unseen
		    path: test_unseen.csv
		pretty_name: Linux scheduler decisions
	EOF
	grep -qF "held out: \`random2\`" set/README.md
	[ "$(grep -c '^| candidate_' set/README.md)" = "$(head -1 set/train.csv | tr , '\n' | grep -c '^candidate_')" ]
}

# bats test_tags=slow
@test "card: croissant.json has every file with its SHA-256 and every column of each split" {
	local columns
	for columns in "--task pick" "--columns extended"; do
		# shellcheck disable=SC2086
		"$PICKNEXT" build -q -o set --raw-dir raw $columns
		"$CARD" set
		python3 - <<-'EOF'
			import hashlib, json
			j = json.load(open("set/croissant.json"))
			assert j["license"] == "https://spdx.org/licenses/CC-BY-4.0" and "creator" not in j
			assert j["conformsTo"] == "http://mlcommons.org/croissant/1.1" and j["@type"] == "sc:Dataset"
			meta = json.load(open("set/dataset_meta.json"))
			assert j["name"] == "linux-scheduler-" + {"pick": "decisions", "switch": "switches"}[meta["task"]]
			lists = {name for name, kind in zip(meta["csv_columns"], meta["column_types"]) if kind in ("texts", "integers")}
			assert bool(lists) == (meta["task"] == "pick")
			files = {file["@id"]: file for file in j["distribution"]}
			assert set(files) == {"train.csv", "test_seen.csv", "test_unseen.csv", "all.csv"}
			for name, file in files.items():
			    data = open("set/" + name, "rb").read()
			    assert file["sha256"] == hashlib.sha256(data).hexdigest(), name
			    assert file["contentSize"] == f"{len(data)} B" and file["encodingFormat"] == "text/csv"
			header = open("set/all.csv", newline="").readline().rstrip("\r\n").split(",")
			assert [record["@id"] for record in j["recordSet"]] == ["train", "test_seen", "test_unseen"]
			for record in j["recordSet"]:
			    assert [field["name"] for field in record["field"]] == header
			    for field in record["field"]:
			        is_list = field["name"] in lists
			        assert field["source"] == {"fileObject": {"@id": record["@id"] + ".csv"}, "extract": {"column": field["name"]}} | (
			            {"transform": {"separator": " "}} if is_list else {}), field
			        assert (field.get("isArray", False), field.get("arrayShape")) == (is_list, "-1" if is_list else None)
			        assert field["dataType"] in ("sc:Text", "sc:Integer", "sc:Float") and field["description"] != field["name"]
			ids = [field["@id"] for record in j["recordSet"] for field in record["field"]] + list(files)
			assert len(ids) == len(set(ids))
		EOF
	done
}

# bats test_tags=slow
@test "card: license, creators and url are those of the options; times of deterministic guests are virtual" {
	local file
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --allow unbalanced
	"$CARD" --license https://a.b/l --creators "Ann O'Neil, Bob" --url https://x.y/z --doi 10.1/a.1 set
	python3 - <<-'EOF'
		import json
		j = json.load(open("set/croissant.json"))
		assert (j["license"], j["url"], j["identifier"]) == ("https://a.b/l", "https://x.y/z", "https://doi.org/10.1/a.1"), j
		assert "author={Ann O'Neil and Bob}" in j["citeAs"] and "doi={10.1/a.1}, url={https://x.y/z}" in j["citeAs"], j["citeAs"]
		assert [(person["@type"], person["name"]) for person in j["creator"]] == [("sc:Person", "Ann O'Neil"), ("sc:Person", "Bob")]
	EOF
	grep -qx "license: other" set/README.md
	grep -qF "\`Ann O'Neil\`, \`Bob\`" set/README.md
	grep -q "10.1/a.1" set/README.md
	sed -n '/^authors/,/^version/p' set/CITATION.cff | diff - <(printf '%s\n' authors: "- name: 'Ann O''Neil'" "- name: 'Bob'" \
		"license-url: 'https://a.b/l'" "url: 'https://x.y/z'" "doi: '10.1/a.1'" 'version: 1.0.0')
	! grep -q "Time is virtual" set/README.md || false
	for file in raw/*.txt; do echo '{"deterministic": {"identity": "0"}}' >"${file%.txt}.json"; break; done
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --allow unbalanced
	"$CARD" set
	grep -q "Time is virtual in 1 of" set/README.md
	grep -qx "license: cc-by-4.0" set/README.md
}

# bats test_tags=slow
@test "card: authors, url and doi are those of a CITATION.cff; options come before them; license is that of a dataset's" {
	cat >given.cff <<-'END'
		# authors: none
		cff-version: 1.2.0
		message: >-
		  authors: if you use it,
		  cite it
		authors:
		- family-names: "O\"Neil"   # a comment
		  given-names: Ann
		  orcid: https://orcid.org/0000-0000-0000-0001
		- name: 'Acme, ''Inc''.'
		-
		  family-names: Berg # the name
		  name-particle: van den
		  given-names: Jo
		contact:
		- name: nobody
		url: https://x.y/z#a # its page
		doi: 10.5281/zenodo.1
		license:
		- MIT
		- X11
		preferred-citation:
		  authors:
		  - name: nobody
	END
	"$PICKNEXT" build -q --raw-dir raw -o set --task pick --allow unbalanced
	mkdir again options none
	for directory in again options none; do cp set/* $directory; done
	"$CARD" --citation given.cff set
	sed -n '/^authors/,/^version/p' set/CITATION.cff | diff - <(printf '%s\n' authors: "- name: 'Ann O\"Neil'" "- name: 'Acme, ''Inc''.'" \
		"- name: 'Jo van den Berg'" "license: 'CC-BY-4.0'" "url: 'https://x.y/z#a'" "doi: '10.5281/zenodo.1'" 'version: 1.0.0')
	sed 's/^license: .*/license: "CC0-1.0"/' set/CITATION.cff >dataset.cff
	"$CARD" --citation dataset.cff again
	diff <(sed "s/'CC-BY-4.0'/'CC0-1.0'/" set/CITATION.cff) again/CITATION.cff
	"$CARD" --citation given.cff --creators Bob --url u --license MIT options
	grep -qx -- "- name: 'Bob'" options/CITATION.cff
	[ "$(grep -c name: options/CITATION.cff)" = 1 ]
	grep -qx "license: 'MIT'" options/CITATION.cff
	grep -qx "url: 'u'" options/CITATION.cff
	grep -qx "doi: '10.5281/zenodo.1'" options/CITATION.cff
	printf 'authors: [{name: A}]\n' >flow.cff
	run -1 "$CARD" --citation flow.cff none
	[[ $output == "flow.cff: line 1: "* ]]
	printf 'authors:\n- name: A\nurl: [a]\n' >list.cff
	run -1 "$CARD" --citation list.cff none
	[[ $output == "list.cff: line 3: "* ]]
	printf 'url: a\n' >empty.cff
	run -1 "$CARD" --citation empty.cff none
	[[ $output == "empty.cff: "* ]]
	run -1 "$CARD" --citation nowhere.cff none
	[[ $output == *"nowhere.cff"* && ! -e none/README.md ]]
}

# bats test_tags=slow
@test "card: the commands that made traces and rows, their seeds, the hashes of the files, and what the limits left out" {
	local number=1 file
	for file in raw/*.txt; do
		printf '{"deterministic": {"identity": "0", "seed": %s}, "accelerator": "tcg", "recipe": ["vm", "--cpus=2", "--", "a b"]}' $number \
			>"${file%.txt}.json"
		number=$((number * 2))
	done
	# For guests, the record of the set names it.
	echo '{"picknext_version": "0.3.0 (c1)"}' >vm.json
	"$PICKNEXT" build -q -o "set" --raw-dir raw --task pick --allow unbalanced --jobs 2 --max-rows-per-trace 40
	"$CARD" set
	grep -qxF '    picknext build --task=pick --allow=unbalanced --max-rows-per-trace=40' set/README.md
	grep -qxF "| vm --cpus=2 -- 'a b' | 0.3.0 (c1) | 1-2,4 | 3 |" set/README.md
	grep -q '^| .* | tcg |$' set/README.md
	for file in train test_seen test_unseen all; do
		grep -q "^| $file.csv | .* | $(sha256sum <"set/$file.csv" | cut -d' ' -f1) |$" set/README.md
	done
	grep -q " $(($(wc -l <set/all.csv) - 1)) of [0-9]* rows are in it, at most 40 of each trace; a sample" set/README.md
	# The words are those of a command: they repeat it.
	mv set first
	eval "\"$PICKNEXT\" $(sed -n 's/^    picknext //p' first/README.md) -q -o set --raw-dir raw"
	cmp first/all.csv set/all.csv
}

# bats test_tags=slow
@test "card: a dataset of another version, or none, is refused by the name of what is lacking" {
	"$PICKNEXT" build -q -o set --raw-dir raw
	python3 -c 'import json; m = json.load(open("set/dataset_meta.json")); del m["column_meanings"]; json.dump(m, open("set/dataset_meta.json", "w"))'
	run -1 "$CARD" set
	[[ $output == "set: "*"column_meanings"* && ! -e set/README.md ]]
	mv set/test_seen.csv kept
	run -1 "$CARD" set
	[[ $output == *"set/test_seen.csv"* ]]
	run -1 "$CARD" raw
	[[ $output == *"raw/dataset_meta.json"* ]]
}

# bats test_tags=slow
@test "card: of thousands of traces, whose metadata is of many megabytes, in every cell of a balanced split" {
	python3 - <<-'EOF'
		import json
		text = open("raw/random1_run0.txt").read().split("\n")
		for number in range(3900):
		    name = f"raw/w{number % 30}_run{number // 30}"
		    with open(name + ".txt", "w") as file:
		        file.write("\n".join([text[0], f"# {number}", *text[1:25], ""]))
		    with open(name + ".json", "w") as file:
		        json.dump({"workload_name": f"w{number % 30}", "category": f"w{number % 30}", "kernel": f"6.{number // 30 % 5}.0"}, file)
	EOF
	rm raw/random*
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --train-ratio 0.5 --hold-out category=w7
	"$CARD" set
	[ "$(stat -c %s set/dataset_meta.json)" -gt 4194304 ]
	[ "$(sed -n '/^## Rows/,/^## What/p' set/README.md | grep -c '^| w[0-9]* | 6\.[0-4]\.0 | ')" = 150 ]
	[ "$(sed -n '/^## Rows/,/^## What/p' set/README.md | awk -F'|' '/^. w[0-9]/ && ($6 > 0) != ($2 !~ / w7 /) { print }' | wc -l)" = 0 ]
}

# The lines of help columns, run as they stand there.
# bats test_tags=slow
@test "card: the documented call of pandas keeps the types of columns" {
	/usr/bin/python3 -c 'import pandas' 2>/dev/null || skip "needs Debian's python3-pandas"
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --allow unbalanced
	"$PICKNEXT" help columns | sed -n '/^  import json, pandas/,/^  print(rows.dtypes)/s/^  //p' >read.py
	cat >>read.py <<-'EOF'
		import csv
		told = list(csv.DictReader(open("train.csv", encoding="latin-1", newline="")))
		assert len(told) == len(rows) > 10
		numbers = [name for name, kind in types.items() if kind != "str"]
		assert "chosen" in numbers and "prev_ran_ns" in numbers and any(row["prev_ran_ns"] == "" for row in told)
		for name, kind in types.items():
		    for text, value in zip((row[name] for row in told), rows[name]):
		        if kind == "str":
		            assert value == text, (name, text, value)
		        else:
		            assert pandas.isna(value) if text == "" else value == float(text), (name, text, value)
		assert rows["chosen"].dtype == "Int64" and int(rows["chosen"].max()) > 0
	EOF
	cd set && /usr/bin/python3 ../read.py
}

# bats test_tags=slow
@test "card: kernels and QEMU by their exact versions and hashes, and the rows of each workload and kernel in each file" {
	local file
	for file in raw/*.txt; do
		echo '{"kernel": "6.12.0", "kernel_version": "#1 SMP Test 6.12-1"}' >"${file%.txt}.json"
	done
	echo '{"label": "rc", "deterministic": {"kernel_sha256": "0a1", "qemu_version": "10.0.2", "qemu_sha256": "0b2"}}' >vm.json
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	"$CARD" set
	grep -qF '| 6.12.0 | #1 SMP Test 6.12-1 | 0a1 | 10.0.2 | 0b2 |' set/README.md
	python3 - <<-'EOF'
		import collections, csv, json
		rows = collections.Counter()
		for part in "train", "test_seen", "test_unseen":
		    for row in csv.DictReader(open(f"set/{part}.csv", newline="", errors="replace")):
		        rows[row["workload_type"], part] += 1
		text = open("set/README.md").read()
		table = text.split("## Rows\n\n")[1].split("\n\n")[0].split("\n")[2:]
		found = {}
		for line in table:
		    workload, kernel, scheduler, label, *counts = (cell.strip() for cell in line.strip("|").split("|"))
		    assert (kernel, label) == ("6.12.0", "rc"), line
		    for part, count in zip(("train", "test_seen", "test_unseen"), counts):
		        if count != "0":
		            found[workload, part] = int(count)
		assert found == rows and len(rows) > 2, (found, rows)
	EOF
}

# bats test_tags=slow
@test "card: markup in names and labels of JSON is text" {
	for file in raw/*.txt; do
		echo '{"kernel": "6.12.0 [x](http://a.b)", "kernel_version": "<script>alert(1)</script>"}' >"${file%.txt}.json"
	done
	printf '%s\n' '{"label": "<b>a|b</b>\n# title"}' >vm.json
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	"$CARD" set
	run ! grep -q -e '<script>' -e '<b>' -e '\[x\]' -e '^# title' set/README.md
	grep -qF '&#60;script&#62;alert(1)' set/README.md
	# No cell more than the titles have.
	python3 - <<-'EOF'
		table = open("set/README.md").read().split("## Rows\n\n")[1].split("\n\n")[0].split("\n")
		assert {line.count("|") for line in table} == {8}, table
	EOF
}
