#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# workloads/models/choice_models.py on decisions whose rule is known, and on what picknext build writes.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	SUPPORT=$BATS_TEST_DIRNAME/../support
	MODELS=$BATS_TEST_DIRNAME/../../workloads/models/choice_models.py
	/usr/bin/python3 -c 'import sklearn, pandas' 2>/dev/null || skip "needs Debian's python3-sklearn and python3-pandas"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# decisions PART RUNS RULE: rows with two to four candidates, of which RULE, an expression of their lists, chooses.
decisions() {
	python3 - "$@" <<-'END'
		import csv, random, sys
		part, runs, rule = sys.argv[1], int(sys.argv[2]), sys.argv[3]
		draw = random.Random(part)
		writer = csv.writer(open(f"set/{part}.csv", "w", newline=""))
		writer.writerow(["trace_id", "workload_type", "cpu", "prev_role", "next_role", "candidates", "candidate_roles", "candidate_causes",
		                 "candidate_waiting_ns", "candidate_runtime_ns", "candidate_slice_ns", "chosen", "rule_choice"])
		for run in range(runs):
		    before = []
		    for _ in range(400):
		        count = draw.choice([1, 2, 3, 4])
		        waiting = sorted((draw.randrange(10**6) for _ in range(count)), reverse=True)
		        runtime, slices = ([draw.randrange(10**6) for _ in range(count)] for _ in range(2))
		        chosen = eval(rule)
		        lists = [" ".join(map(str, values)) for values in (["r"] * count, ["wakeup"] * count, waiting, runtime, slices)]
		        writer.writerow([f"w_run{run}", "w", 0, "r", "r", count, *lists, chosen, chosen if draw.random() < 0.9 else ""])
	END
}

# accuracy PART PREDICTOR: of the workload w.
accuracy() {
	awk -F, -v part="$1" -v predictor="$2" '$1 == part && $2 == "w" && $3 == predictor { print $5 }' results.csv
}

@test "choice models: a rule of one column is learnt, and the policies have the accuracy that they must have" {
	mkdir set
	for part in train:6 test_seen:4 test_unseen:1; do
		decisions "${part%:*}" "${part#*:}" 'slices.index(max(slices))'
	done
	/usr/bin/python3 "$MODELS" --csv --steps 0 set >results.csv
	cat results.csv
	for part in test_seen test_unseen; do
		python3 - "$(accuracy $part logistic)" "$(accuracy $part boosting)" "$(accuracy $part rule)" "$(accuracy $part longest_waiting)" \
			"$(accuracy $part least_runtime)" "$(accuracy $part random)" <<-'END'
			import sys
			logistic, boosting, rule, longest, least, random = map(float, sys.argv[1:])
			assert logistic > 95 and boosting > 95 and rule == 100, (logistic, boosting, rule)
			assert all(25 < value < 48 for value in (longest, least)) and abs(random - 100 * (1 / 2 + 1 / 3 + 1 / 4) / 3) < 4
		END
	done
	grep -q '^test_seen,w,boosting,[0-9]*,[0-9.]*,[0-9.]*,[0-9.]*,[0-9.-]*,set$' results.csv
	grep -q '^test_unseen,w,boosting,[0-9]*,[0-9.]*,,,[0-9.-]*,set$' results.csv
	# 1,200 decisions with a choice are enough for the mean, 300 are not.
	grep -q '^test_seen,macro,' results.csv
	run ! grep -q '^test_unseen,macro,' results.csv
}

@test "choice models: the networks learn the rule of a column, and one of what was chosen before, which no other model can" {
	/usr/bin/python3 -c 'import torch' 2>/dev/null || skip "no torch (apt-get install python3-torch)"
	mkdir set
	for rule in 'slices.index(max(slices))' \
		'(before.append(0 if before and before[-1] else 1) if count > 1 else None) or (before[-1] if count > 1 else 0)'; do
		for part in train:12 test_seen:4 test_unseen:1; do
			decisions "${part%:*}" "${part#*:}" "$rule"
		done
		/usr/bin/python3 "$MODELS" --csv --steps 300 set >results.csv
		cat results.csv
		for model in tcn lstm; do
			python3 -c 'import sys; assert float(sys.argv[1]) > 90, sys.argv' "$(accuracy test_seen $model)"
		done
	done
}

@test "which kernel: the scheduler of a trace is named if it decides by another rule, and not if labels are drawn" {
	local rule
	mkdir set
	for part in train:6 test_seen:4; do
		part_of=${part%:*}
		for rule in 'slices.index(max(slices))' 'waiting.index(max(waiting))'; do
			decisions "$part_of" "${part#*:}" "$rule"
			mv "set/$part_of.csv" "set/$part_of.${#rule}"
		done
		python3 - "$part_of" <<-'END'
			import csv, glob, sys
			rows = []
			for number, path in enumerate(sorted(glob.glob(f"set/{sys.argv[1]}.[0-9]*"))):
			    for row in csv.DictReader(open(path)):
			        run = int(row["trace_id"][5:])
			        more = {"trace_id": f"{number} {run}", "scheduler": "ab"[number], "set_label": "ab"[run // 2 % 2], "prev_ran_ns": "5",
			                "prev_state": "R", "candidate_share_ppm": row["candidate_slice_ns"],
			                "candidate_woken_by_prev": row["candidate_slice_ns"]}
			        rows.append(row | more)
			writer = csv.DictWriter(open(f"set/{sys.argv[1]}.csv", "w", newline=""), rows[0])
			writer.writeheader()
			writer.writerows(rows)
		END
	done
	/usr/bin/python3 "${MODELS%/*}/which_kernel.py" --of scheduler set | tee shown
	grep -q '^trees    100.0 ' shown
	grep -Eq '^a +4 +0$' shown
	/usr/bin/python3 "${MODELS%/*}/which_kernel.py" set | tee shown
	[ "$(sed -n 's/^trees *\([0-9]*\).*/\1/p' shown)" -lt 90 ]
}

@test "which kernel: of many answers the matrix is its diagonal and its greatest errors, or a file" {
	mkdir set
	python3 - <<-'END'
		import csv
		for part, runs in ("train", 2), ("test_seen", 3):
		    writer = csv.writer(open(f"set/{part}.csv", "w", newline=""))
		    writer.writerow(["trace_id", "set_label", "candidates", "chosen", "rule_choice", "candidate_weight"])
		    for label in range(14):
		        for run in range(runs):
		            # The last two decide alike; the first by another place than the rule; all others differ by a key.
		            for _ in range(20):
		                weight = 1024 + min(label, 12) // 2
		                writer.writerow([f"{label} {run}", f"l{label:02}", 2, 0, label % 2 if label < 12 else "", f"{weight} 1024"])
	END
	/usr/bin/python3 "${MODELS%/*}/which_kernel.py" set | tee shown
	grep -q '^trees    92.9 ' shown
	grep -qx '3 of 3 right: l00, l01, l02, l03, l04, l05, l06, l07, l08, l09, l10, l11, l12' shown
	grep -qx '0 of 3 right: l13' shown
	[ "$(grep -c ' taken for ' shown)" = 1 ]
	grep -qx 'l13 taken for l12: 3' shown
	/usr/bin/python3 "${MODELS%/*}/which_kernel.py" --csv set >matrix.csv
	[ "$(sed -n '$p' matrix.csv)" = "l13,0,0,0,0,0,0,0,0,0,0,0,0,3" ]
}

@test "choice models: what cannot be learnt is not" {
	mkdir set
	for part in train:6 test_seen:4 test_unseen:1; do
		decisions "${part%:*}" "${part#*:}" 'draw.randrange(count)'
	done
	cp -r set other
	/usr/bin/python3 "$MODELS" --csv --steps 0 set >results.csv
	/usr/bin/python3 "$MODELS" --means --steps 0 set other >means
	grep -qxF '| predictor | set, test_seen | below the rule | other, test_seen | below the rule |' means
	grep -Eq '^\| logistic \| ([0-9.]+ \[[0-9.]+, [0-9.]+\]) \| [0-9.]+ \| \1 \| [0-9.]+ \|$' means
	for model in logistic boosting; do
		python3 -c 'import sys; assert 25 < float(sys.argv[1]) < 47, sys.argv' "$(accuracy test_seen $model)"
	done
}

@test "choice models: decisions of picknext build, and what is no such dataset" {
	mkdir raw
	python3 "$SUPPORT/reference_decisions.py" make raw 1 600
	cp raw/random1_run0.txt raw/random1_run1.txt
	sed -i '2d' raw/random1_run1.txt
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	/usr/bin/python3 "$MODELS" --steps 10 set | grep -q '^set, test_unseen: percent'
	"$PICKNEXT" build -q -o set --raw-dir raw --hold-out category=random2
	run -1 /usr/bin/python3 "$MODELS" set
	[[ $output == *"no rows of decisions: picknext build --task pick"* ]]
	rm set/train.csv
	run -1 /usr/bin/python3 "$MODELS" set
	[[ $output == *"not a complete dataset"* ]]
}

@test "leaks: a copy of a trace under another name is found by its rows, and other traces are not taken for copies" {
	mkdir raw
	python3 "$SUPPORT/reference_decisions.py" make raw 1 600
	"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
	/usr/bin/python3 "${MODELS%/*}/leaks.py" set
	"$PICKNEXT" build -q -o placements --raw-dir raw --task placement --hold-out workload=random2
	/usr/bin/python3 "${MODELS%/*}/leaks.py" placements
	# A copy, of other bytes by a line that is no event; and a part of the trace.
	for edit in '1a # x' '2,200d'; do
		sed "$edit" raw/random1_run0.txt >raw/random1_run1.txt
		"$PICKNEXT" build -q -o set --raw-dir raw --task pick --hold-out workload=random2
		run -1 /usr/bin/python3 "${MODELS%/*}/leaks.py" set
		[[ $output == *"test_seen: traces 0, rows "[1-9]*", windows "[1-9]* ]]
		[[ $edit == 2* || $output == *"rows 100.00 %, windows 100.000 %"* ]]
	done
	# A column that names the choice.
	mkdir -p set
	for part in train:2 test_seen:2 test_unseen:1; do
		decisions "${part%:*}" "${part#*:}" 'slices.index(max(slices))'
	done
	sed -i 's/,rule_choice\r$/,told\r/' set/*.csv
	run -1 /usr/bin/python3 "${MODELS%/*}/leaks.py" set
	[[ $output == *"best column candidate_slice_ns 100.0 %"* ]]
}
