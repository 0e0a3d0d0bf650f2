#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The chaos workloads in deterministic guests: each does its operations, and a seed is one trace.

bats_require_minimum_version 1.5.0
load ../vm/vm

features=chaos,chaos_pi,chaos_policy,chaos_weights,chaos_groups,chaos_affinity,chaos_deadline,chaos_signals

# chaos_in LINE CPUS WORKLOADS
chaos_in() {
	need_vm "$1"
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return 1
	timeout -k 20 1200 "$PICKNEXT" vm -k "$(kernel "$1")" --cpus "$2" -w "$3" --seeds 1 --no-results -o out
	[ "$(find out -name '*.dat' | wc -l)" -eq "$(tr , '\n' <<<"$3" | grep -c .)" ]
	for json in out/*/raw/*.json; do
		[ "$(json "$json" "d['work_done']")" -gt 50 ]
	done
	"$PICKNEXT" check out
}

# bats test_tags=slow
@test "chaos runs on 5.10 with one CPU, but takes none off" {
	chaos_in 5.10 1 "$features"
	run timeout -k 20 600 "$PICKNEXT" vm -k "$(kernel 5.10)" --cpus 1 -w chaos_hotplug --seeds 1 --no-results -o none
	[ "$status" -ne 0 ]
	[[ $output == *chaos_hotplug*CPU* ]]
}

# bats test_tags=slow
@test "chaos runs on 7.3 with two CPUs, and again gives the same bytes" {
	chaos_in 7.3 2 "$features,chaos_hotplug"
	timeout -k 20 1200 "$PICKNEXT" verify out
}

# The invariants that each kernel's own faults break: src/rules/README.md.
# bats test_tags=slow
@test "chaos: no kernel is accused but of its own faults" {
	local line faults seen=0
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return 1
	while read -r line faults; do
		[ -n "$(kernel "$line")" ] || continue
		seen=$((seen + 1))
		timeout -k 20 1800 "$PICKNEXT" vm -q -k "$(kernel "$line")" --keys --cpus 2 -w "$features,chaos_hotplug" --seeds 1-3 \
			--no-results -o "$line"
		"$PICKNEXT" check-rule --json "$line"/*/raw/*.dat >rules.json || [[ $? =~ ^[15]$ ]]
		python3 - "$faults" <<-'END'
			import json, sys
			found = json.load(open("rules.json"))
			assert not found["breaks"], found["breaks"]
			broken = {row["invariant"]: row["first_evidence"] for row in found["invariants"] if row["broken"]}
			assert broken.keys() <= set(sys.argv[1].split()), broken
			assert sum(row["judged"] for row in found["causes"]) > 10000, found["causes"]
		END
	done <<-'END'
		5.10
		6.1
		6.1-rt-amd64
		6.12 deadline_in_slice group_slice protection_ends
		6.16 deadline_in_slice deadline_placed group_slice protection_ends
		6.17 deadline_placed group_slice protection_ends
		7.2 protection_ends
		7.3 protection_ends
	END
	[ "$seen" -gt 0 ] || skip "no kernel (picknext fetch kernel 7.3 -o build/kernels)"
}
