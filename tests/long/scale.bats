#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# 64 CPUs and 100,000 tasks: every command that reads a trace ends, and its memory is bounded by CPUs and tasks.

setup_file() {
	"$PICKNEXT_TOP/build/tools/make_many" "$BATS_FILE_TMPDIR/many.dat" 64 100000 300000
	"$PICKNEXT_TOP/build/tools/make_many" "$BATS_FILE_TMPDIR/other.dat" 64 100000 300001
	mkdir -p "$BATS_FILE_TMPDIR"/{a,b}/raw
	for number in 0 1; do
		ln "$BATS_FILE_TMPDIR/many.dat" "$BATS_FILE_TMPDIR/a/raw/cpu_bound_4p_run$number.dat"
		cp "$BATS_FILE_TMPDIR/many.dat" "$BATS_FILE_TMPDIR/b/raw/cpu_bound_4p_run$number.dat"
	done
	mv "$BATS_FILE_TMPDIR/other.dat" "$BATS_FILE_TMPDIR/b/raw/cpu_bound_4p_run1.dat"
	rm "$BATS_FILE_TMPDIR/a/raw/cpu_bound_4p_run1.dat"
}

# bounded ARGUMENT...: ends with 0; at most 2 MiB for each CPU and 4 KiB for each task.
bounded() {
	python3 - "$PICKNEXT" "$@" <<'END'
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert done.returncode == 0, (done.returncode, done.stderr)
assert kib < 64 * 2048 + 100000 * 4, kib
END
}

@test "scale: check, and all of its switches are known" {
	run "$PICKNEXT" check "$BATS_FILE_TMPDIR/many.dat"
	[ "$status" -eq 0 ]
	[[ $output != *bad* ]]
	bounded check "$BATS_FILE_TMPDIR/many.dat"
}

@test "scale: analyses" {
	for arguments in stat "stat --waits" latency affinity idle-waiting inversions migrations "migrations --list"; do
		# shellcheck disable=SC2086 # several arguments
		bounded $arguments "$BATS_FILE_TMPDIR/many.dat"
	done
}

@test "scale: timelines and exports" {
	for arguments in timeline "timeline --map" "export -q --format text -o -" "export -q --format csv -o -"; do
		# shellcheck disable=SC2086 # several arguments
		bounded $arguments "$BATS_FILE_TMPDIR/many.dat"
	done
	bounded export -q --format perfetto -o "$BATS_TEST_TMPDIR/many.pftrace" "$BATS_FILE_TMPDIR/many.dat"
	bounded diff "$BATS_FILE_TMPDIR/many.dat" "$BATS_FILE_TMPDIR/many.dat"
}

@test "scale: datasets and comparison" {
	bounded build -q --columns extended --raw-dir "$BATS_FILE_TMPDIR/b/raw" -o "$BATS_TEST_TMPDIR/dataset"
	bounded compare "$BATS_FILE_TMPDIR/a" "$BATS_FILE_TMPDIR/b"
	bounded report -q -o "$BATS_TEST_TMPDIR/report.html" "$BATS_FILE_TMPDIR/a" "$BATS_FILE_TMPDIR/b"
}
