#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of workloads/models/card.py, read by implementations of its formats from npm: YAML, JSON-LD; and Parquet by DuckDB.

bats_require_minimum_version 1.5.0

setup_file() {
	export NPM=$BATS_FILE_TMPDIR/npm
	mkdir -p "$NPM"
	command -v npm >/dev/null || return 0
	cd "$NPM" && timeout 300 npm install --silent --no-audit --no-fund @duckdb/node-api jsonld yaml >log 2>&1 && touch ready
}

setup() {
	[ -e "$NPM/ready" ] || skip "npm or its registry is not reachable"
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	TOP=$BATS_TEST_DIRNAME/../..
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p raw
	python3 "$TOP/tests/support/reference_decisions.py" make raw 1 600
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	"$TOP/workloads/models/card.py" set
	ln -s "$NPM/node_modules" node_modules
}

@test "card: the YAML is YAML, and names existing files" {
	cat >check.mjs <<-'EOF'
		import {parseDocument} from 'yaml';
		import {readFileSync, statSync} from 'node:fs';
		const [, head] = readFileSync('set/README.md', 'utf8').split(/^---$/m);
		const found = parseDocument(head, {strict: true});
		if (found.errors.length || found.warnings.length) throw new Error(String(found.errors[0] ?? found.warnings[0]));
		const {configs, tags, size_categories} = found.toJS();
		if (configs.length !== 1 || !Array.isArray(tags) || size_categories.length !== 1) throw new Error('shape');
		for (const {split, path} of configs[0].data_files)
			if (path !== split + '.csv' || !statSync('set/' + path).size) throw new Error(path);
	EOF
	node check.mjs
}

@test "card: croissant.json is JSON-LD in which every term has a meaning" {
	cat >check.mjs <<-'EOF'
		import jsonld from 'jsonld';
		import {readFileSync} from 'node:fs';
		const document = JSON.parse(readFileSync('set/croissant.json', 'utf8'));
		// In safe mode a term that the context does not define is an error.
		const [dataset] = await jsonld.expand(document, {safe: true, base: 'http://example.org/'});
		const cr = 'http://mlcommons.org/croissant/', sc = 'https://schema.org/';
		const need = (value, what) => { if (!value) throw new Error('lacks ' + what); };
		for (const term of ['name', 'description', 'datePublished', 'version', 'distribution']) need(dataset[sc + term], term);
		need(dataset['http://purl.org/dc/terms/conformsTo'], 'conformsTo');
		for (const file of dataset[sc + 'distribution']) {
			if (file['@type'][0] !== cr + 'FileObject') throw new Error('type');
			for (const term of ['name', 'contentUrl', 'encodingFormat', 'sha256', 'contentSize']) need(file[sc + term], term);
		}
		const files = new Set(dataset[sc + 'distribution'].map((file) => file['@id']));
		for (const set of dataset[cr + 'recordSet'])
			for (const field of set[cr + 'field']) {
				if (!field[cr + 'dataType'][0]['@id'].startsWith(sc)) throw new Error('dataType');
				const source = field[cr + 'source'][0];
				if (!files.has(source[cr + 'fileObject'][0]['@id'])) throw new Error('fileObject');
				need(source[cr + 'extract'][0][cr + 'column'], 'column');
			}
	EOF
	node check.mjs
}

# MLCROISSANT: python/mlcroissant of github.com/mlcommons/croissant. Needs Debian's python3-rdflib, -networkx, -absl, -tqdm,
# -jsonpath-rw, -typing-extensions, -requests and -pandas.
@test "card: mlcroissant finds no error and no warning in croissant.json, and reads every row by it" {
	[ -n "$MLCROISSANT" ] || skip "MLCROISSANT does not name python/mlcroissant of mlcommons/croissant"
	# Debian lacks etils, of which only a path is needed.
	mkdir -p etils
	touch etils/__init__.py
	printf 'import pathlib\nPath, PathLike = pathlib.Path, (str, pathlib.PurePath)\n' >etils/epath.py
	cat >check.py <<-'EOF'
		import csv, sys
		sys.path[:0] = [".", sys.argv[1]]
		import mlcroissant
		dataset = mlcroissant.Dataset(jsonld="set/croissant.json")
		issues = dataset.metadata.issues
		assert not issues.errors and not issues.warnings, (issues.errors, issues.warnings)
		for part in "train", "test_seen", "test_unseen":
		    wanted = list(csv.DictReader(open(f"set/{part}.csv")))
		    found = list(dataset.records(part))
		    assert len(found) == len(wanted)
		    for row, record in zip(wanted, found):
		        role = record[f"{part}/next_role"]
		        assert (role.decode() if isinstance(role, bytes) else role) == row["next_role"]
		        assert int(record[f"{part}/time_ns"]) == int(row["time_ns"])
		        assert b" ".join(record[f"{part}/candidate_roles"]).decode() == row["candidate_roles"]
	EOF
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	"$TOP/workloads/models/card.py" --creators 'A B' --url https://x.y/z set
	/usr/bin/python3 check.py "$MLCROISSANT"
}

@test "parquet: DuckDB keeps every row, and reads lists and numbers back" {
	cp "$TOP/workloads/parquet.mjs" .
	node parquet.mjs set >sizes
	cat sizes
	for part in train test_unseen all; do
		grep -q "^$part.parquet $(($(wc -l <"set/$part.csv") - 1)) rows " sizes
		[ "$(stat -c %s "set/$part.parquet")" -lt "$(stat -c %s "set/$part.csv")" ]
	done
	cat >check.mjs <<-'EOF'
		import {DuckDBInstance} from '@duckdb/node-api';
		import {readFileSync} from 'node:fs';
		const db = await (await DuckDBInstance.create(':memory:')).connect();
		const rows = (await (await db.run(`SELECT candidates, len(candidate_roles), len(candidate_prios), next_role,
			candidate_roles[chosen + 1], time_ns FROM 'set/train.parquet' WHERE candidates <= 64`)).getRows());
		for (const [candidates, roles, prios, next, chosen, time] of rows)
			if (candidates !== roles || roles !== prios || next !== chosen || typeof time !== 'bigint') throw new Error(next);
		const seconds = (await (await db.run(`SELECT CAST(time_diff AS VARCHAR) FROM 'switches/all.parquet'`)).getRows());
		const texts = readFileSync('switches/all.csv', 'latin1').split('\n').slice(1, -1).map((row) => row.split(',')[1]);
		if (seconds.length !== texts.length || seconds.some(([text], i) => text !== texts[i])) throw new Error('seconds');
	EOF
	"$PICKNEXT" build -q -o switches --raw-dir raw --columns extended
	node parquet.mjs switches
	node check.mjs
}

@test "parquet: the statement of workloads/README.md keeps rows, lists and numbers, of each kind of rows" {
	sed -n '/^<!-- sql -->/,/;$/s/^    //p' "$TOP/workloads/README.md" >to_parquet.sql
	[ "$(wc -l <to_parquet.sql)" -gt 2 ]
	mkdir keys
	gzip -dc "$TOP/tests/golden/keys/6.12.dat.gz" | tee keys/cpu_run1.dat >keys/cpu_run2.dat
	printf x >>keys/cpu_run2.dat
	"$PICKNEXT" build -q -o set/keys --raw-dir keys --task keys --no-unseen-split --train-ratio 0.5
	"$PICKNEXT" build -q -o set/placement --raw-dir raw --task placement --no-unseen-split
	"$PICKNEXT" build -q -o set/balance --raw-dir raw --task balance --no-unseen-split
	cat >check.mjs <<-'EOF'
		import {DuckDBInstance} from '@duckdb/node-api';
		import {readFileSync} from 'node:fs';
		const db = await (await DuckDBInstance.create(':memory:')).connect();
		const read = async (sql) => (await (await db.run(sql)).getRows());
		await db.run(readFileSync(process.argv[2], 'utf8'));
		const meta = JSON.parse(readFileSync('dataset_meta.json', 'utf8'));
		const types = new Map((await read("DESCRIBE SELECT * FROM 'train.parquet'")).map((row) => [row[0], row[1]]));
		if (types.size !== meta.csv_columns.length) throw new Error('columns');
		const lists = {texts: 'VARCHAR[]', integers: 'BIGINT[]'};
		meta.csv_columns.forEach((name, i) => {
			const type = types.get(name);
			if ((lists[meta.column_types[i]] ?? type.replace('[]', '')) !== type) throw new Error(name + ' ' + type);
		});
		if (types.has('next_role') && types.has('candidate_prios'))
			for (const [candidates, roles, prios, next, chosen] of await read(`SELECT candidates, len(candidate_roles), len(candidate_prios),
				next_role, candidate_roles[chosen + 1] FROM 'train.parquet' WHERE candidates <= 64`))
				if (candidates !== roles || roles !== prios || next !== chosen) throw new Error(next);
		console.log(String((await read("SELECT count(*) FROM 'train.parquet'"))[0][0]));
	EOF
	for directory in set set/keys set/placement set/balance; do
		cp check.mjs $directory
		(cd $directory && node --preserve-symlinks check.mjs "$BATS_TEST_TMPDIR/to_parquet.sql" >rows)
		[ "$(cat $directory/rows)" = $(($(wc -l <$directory/train.csv) - 1)) ]
		[ "$(cat $directory/rows)" -gt 10 ]
	done
}

@test "torch: the loader gives each decision of each kind of rows once, with the lists of its row, also with two workers" {
	/usr/bin/python3 -c 'import torch' 2>/dev/null || skip "no torch (apt-get install python3-torch)"
	mkdir keys
	gzip -dc "$TOP/tests/golden/keys/6.12.dat.gz" >keys/cpu_run1.dat
	"$PICKNEXT" build -q -o set/keys --raw-dir keys --task keys --no-unseen-split
	"$PICKNEXT" build -q -o set/placement --raw-dir raw --task placement --no-unseen-split
	cat >check.py <<-'EOF'
		import csv, sys
		sys.path.insert(0, sys.argv[1])
		import torch
		from torch_rows import CANDIDATES, Decisions
		for path, column in ("set", "candidate_waiting_ns"), ("set/keys", "candidate_lag_ns"), ("set/placement", "cpu_waiting"):
		    path += "/all.csv"
		    rows = [row for row in csv.DictReader(open(path, encoding="latin-1", newline=""))
		            if 0 <= int(row["chosen"] or -1) < CANDIDATES]
		    decisions = Decisions(path)
		    items = list(decisions)
		    assert len(items) == len(rows) > 100, (path, len(items), len(rows))
		    for row, (values, mask, chosen) in zip(rows, items):
		        wanted = [0.0 if word == "-" else float(word) for word in row[column].split()]
		        assert torch.equal(values[:len(wanted), decisions.columns.index(column)], torch.tensor(wanted))
		        assert int(mask.sum()) == len(wanted) and chosen == int(row["chosen"]) and mask[chosen]
		    loaded = torch.utils.data.DataLoader(decisions, batch_size=64, num_workers=2)
		    assert sum(len(chosen) for _, _, chosen in loaded) == len(rows)
	EOF
	/usr/bin/python3 check.py "$TOP/workloads/models"
}
