#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# workloads/recommended_set: its hashes and figures in workloads/README.md, shards, and rows of a clock.
# build/kernels: picknext fetch kernel 6.1 6.12 7.

bats_require_minimum_version 1.5.0

setup_file() {
	export TOP=$BATS_TEST_DIRNAME/../..
	export PICKNEXT=${PICKNEXT:-$TOP/build/picknext} KERNELS=${KERNELS:-$TOP/build/kernels}
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

need_kernels() {
	for line in 6.1 6.12 7; do
		[ -d "$KERNELS/$line" ] || skip "needs build/kernels: picknext fetch kernel 6.1 6.12 7"
	done
}

# Five boots.
@test "recommended set: the rows of seed 1 have the hashes of workloads/README.md" {
	need_kernels
	"$TOP/workloads/recommended_set" set 1 >log 2>&1 || { tail -5 log && false; }
	# "| pick | ROWS | `SAMPLE` | `SEED 1` |"
	# shellcheck disable=SC2016 # the backquotes are those of the table
	sed -nE 's/^\| (pick|placement|balance|keys) \|.*` \| `([0-9a-f]{64})` \|$/\2  \1/p' "$TOP/workloads/README.md" | sort >wanted
	[ "$(wc -l <wanted)" = 4 ]
	tail -4 log | sort | diff wanted -
}

@test "recommended set: the whole has every workload but those of slices, and the dense mixes, in each boot" {
	need_kernels
	"$TOP/workloads/recommended_set" --whole set 1-2 --plan >plan
	[ "$(wc -l <plan)" = 10 ] # two seeds of five kernels and schedulers
	[ "$(grep -o "'--workload=[^']*'" plan | sort -u | wc -l)" = 1 ]
	grep -o "'--workload=[^']*'" plan | head -1 | sed "s/'--workload=//; s/'$//" | tr , '\n' >names
	"$PICKNEXT" list --json | sed -n 's/^    "name": "\(.*\)",$/\1/p' | grep -vxE '(custom|cgroup)_slices' | diff - <(grep -v ^mix: names)
	[ "$(grep -c '^mix: name dense_[a-z_]*; for 6s; ' names)" = 10 ]
	# Times between decisions vary by the seed: else equal windows of them would be in train.csv and in tests.
	[ "$(grep ^mix: names | tr ';' '\n' | grep ' run=' | grep -vc ' jitter=90\( \|$\)')" = 0 ]
}

@test "recommended set: shards that were made apart are the whole, to the byte" {
	need_kernels
	export WORKLOADS=pipeline,sysbench_threads_8t
	"$TOP/workloads/recommended_set" whole 1-2 >/dev/null
	for part in 1 2 3; do
		"$TOP/workloads/recommended_set" part$part 1-2 --plan | awk "NR % 3 == $part % 3" | sh -e >/dev/null
	done
	# Copied together, as from three machines; nothing is left to boot.
	for part in part1 part2 part3; do cp -r $part/. together/ 2>/dev/null || { mkdir together && cp -r $part/. together/; }; done
	"$TOP/workloads/recommended_set" together 1-2 >log 2>&1
	for task in pick placement balance keys; do
		cmp whole/$task/all.csv together/$task/all.csv
		[ "$(wc -l <whole/$task/all.csv)" -gt 10 ]
	done
	for task in pick placement balance keys; do
		/usr/bin/python3 "$TOP/workloads/models/leaks.py" whole/$task
	done
}

# The path of an outside reader: ten boots and the models, in an environment of Python of its own. SAMPLE: an earlier make sample.
@test "recommended set: a reader's table is that of workloads/README.md, within 0.1 points" {
	need_kernels
	if [ ! -d "${SAMPLE-}" ]; then
		make -C "$TOP" -s sample >log 2>&1
		SAMPLE=$TOP/build/sample
	fi
	/usr/bin/python3 -m venv --system-site-packages own
	own/bin/python -c 'import pandas, sklearn, torch' || skip "needs Debian's python3-sklearn, python3-pandas and python3-torch"
	mkdir set && tar -C set -xf "$SAMPLE.tar.xz"
	"$PICKNEXT" help columns | sed -n '/^  import json, pandas/,/^  print(rows.dtypes)/s/^  //p' >read.py
	for task in pick keys; do
		(cd set/$task && "$OLDPWD/own/bin/python" "$OLDPWD/read.py" | grep -q '^chosen *Int64')
		own/bin/python "$TOP/workloads/models/choice_models.py" --csv set/$task >$task.csv
	done
	own/bin/python - "$TOP/workloads/README.md" <<-'END'
		import csv, re, sys
		names = [(task, part) for task in ("pick", "keys") for part in ("test_seen", "test_unseen")]
		found = {(task, row["part"], row["predictor"]): float(row["accuracy"]) for task in ("pick", "keys")
		         for row in csv.DictReader(open(task + ".csv")) if row["workload"] == "macro"}
		compared = 0
		for line in open(sys.argv[1]):
		    cells = [cell.strip() for cell in line.split("|")[1:-1]]
		    if len(cells) == 7 and ("pick", "test_seen", cells[0]) in found or cells[:1] == ["rule"]:
		        for name, cell in zip(names, (cells[1], cells[2], cells[3], cells[5])):
		            if cell:
		                assert abs(found[(*name, cells[0])] - float(cell.split()[0])) <= 0.1, (name, cells[0], cell)
		                compared += 1
		assert compared > 50, compared
	END
}

@test "recommended set: guests on a clock have rows with keys, too, and the card says so and what emulated them" {
	need_kernels
	WORKLOADS=pipeline,cpu_bound_4p "$TOP/workloads/recommended_set" --clock set >log 2>&1 || { cat log && false; }
	for task in pick placement keys; do
		[ "$(wc -l <set/$task/train.csv)" -gt 10 ]
		[ "$(wc -l <set/$task/test_seen.csv)" -gt 10 ]
		grep -q "^Times in 4 of 4 traces are those of a clock" set/$task/README.md
		grep -Eq '^\| 6\.12\..* \| (tcg|kvm) \|$' set/$task/README.md
	done
}

@test "recommended set: this machine's rows, of a clock, have columns and card of the simulated ones" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	export WORKLOADS=pipeline,cpu_bound_4p
	"$TOP/workloads/recommended_set" --machine set >log 2>&1 || { cat log && false; }
	for task in pick placement; do
		[ "$(wc -l <set/$task/train.csv)" -gt 10 ]
		[ "$(wc -l <set/$task/test_seen.csv)" -gt 10 ]
		grep -q "^Times in 4 of 4 traces are those of a clock" set/$task/README.md
		grep -q "^| $(uname -r) | " set/$task/README.md
		! grep -q "Time is virtual" set/$task/README.md || false
	done
}
