#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext build --card: the dataset card and the Croissant metadata. tests/long/dataset_card.bats checks their grammar.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	SUPPORT=$BATS_TEST_DIRNAME/../support
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p raw
	python3 "$SUPPORT/reference_decisions.py" make raw 1 300
}

@test "card: one configuration whose splits are the files with rows" {
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2 --card
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
	grep -qF "was held out: \`random2\`" set/README.md
	grep -q "| test_unseen | next_role | " set/README.md
	[ "$(grep -c '^| candidate_' set/README.md)" = "$(head -1 set/train.csv | tr , '\n' | grep -c '^candidate_')" ]
}

@test "card: croissant.json has every file with its SHA-256 and every column of each split" {
	local columns
	for columns in "--task pick" "--columns extended"; do
		# shellcheck disable=SC2086
		"$PICKNEXT" build -q -o set --raw-dir raw --card $columns
		python3 - <<-'EOF'
			import hashlib, json
			j = json.load(open("set/croissant.json"))
			assert j["conformsTo"] == "http://mlcommons.org/croissant/1.0" and j["@type"] == "sc:Dataset"
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
			        assert field["source"] == {"fileObject": {"@id": record["@id"] + ".csv"}, "extract": {"column": field["name"]}}
			        assert field["dataType"] in ("sc:Text", "sc:Integer", "sc:Float") and field["description"] != field["name"]
			ids = [field["@id"] for record in j["recordSet"] for field in record["field"]] + list(files)
			assert len(ids) == len(set(ids))
		EOF
	done
}
