#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# workloads/models/baselines.py: its figures against a slow reference, on what picknext build writes.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	SUPPORT=$BATS_TEST_DIRNAME/../support
	BASELINES=$BATS_TEST_DIRNAME/../../workloads/models/baselines.py
	/usr/bin/python3 -c 'import numpy, pandas' 2>/dev/null || skip "needs Debian's python3-numpy and python3-pandas"
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir raw
	python3 "$SUPPORT/reference_decisions.py" make raw 1 150
	cp raw/random1_run0.txt raw/random1_run1.txt
	sed -i '2d' raw/random1_run1.txt
}

# bats test_tags=slow
@test "baselines: rows of decisions: the figures are those of the reference" {
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	/usr/bin/python3 "$BASELINES" --csv set >results.csv
	run -0 python3 "$SUPPORT/reference_baselines.py" set results.csv
	[[ $output == *" results agree" ]]
	/usr/bin/python3 "$BASELINES" set >table
	grep -Eq '^test_unseen +macro +decision +choice +longest_waiting ' table
}

# bats test_tags=slow
@test "baselines: rows of switches, and what is no dataset" {
	"$PICKNEXT" build -q -o set --raw-dir raw
	/usr/bin/python3 "$BASELINES" --csv set >results.csv
	[ "$(cut -d, -f3 results.csv | sort -u | tr '\n' ' ')" = "next_name target " ]
	grep -q '^test_seen,all,next_name,any,markov2_cpu,' results.csv
	rm set/test_seen.csv
	run -1 /usr/bin/python3 "$BASELINES" set
	[[ $output == *"not a complete dataset"* ]]
}
