# SPDX-License-Identifier: MIT
#
# trace-cmd reads what picknext writes, and both say the same of every event, in the same order. The traces are made
# by tests/tools/make_trace; no root is needed.

setup_file() {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	export TOOLS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/tools
	cd "$BATS_FILE_TMPDIR" || return 1
	"$TOOLS/make_trace" v6.dat
	trace-cmd convert --file-version 7 --compression none -i v6.dat -o v7.dat >/dev/null
}

setup() {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$BATS_FILE_TMPDIR"/*.dat .
}

# trace-cmd's report in the form of show_trace; the task name and PID before the CPU are its own additions.
report() {
	trace-cmd report -N -t -i "$1" 2>warnings |
		sed -n -E -e 's/^ *.*-[0-9]+ +(\[[0-9]+\]) +([0-9.]+): ([a-z_]+): +/\1 \2: \3: /p' -e '/EVENTS DROPPED/p'
}

# same FILE: both say the same, trace-cmd without a warning.
same() {
	report "$1" >theirs
	"$TOOLS/show_trace" "$1" >ours
	[ ! -s warnings ] || { cat warnings; return 1; }
	[ "$(wc -l <ours)" -gt 1000 ]
	cmp ours theirs
}

# bats test_tags=slow
@test "format: trace-cmd reads version 6 as picknext does, event by event" {
	same v6.dat
	grep -q 'EVENTS DROPPED' ours
	grep -q 'prev_state=S|D|T ==>' ours
	grep -q 'prev_state=R+ ==>' ours
	grep -q 'comm=with space pid' ours
}

@test "format: uncompressed version 7 is read as version 6 is" {
	same v7.dat
	"$TOOLS/show_trace" v6.dat | cmp - ours
}

# bats test_tags=slow
@test "format: compressed version 7 is refused with a remedy, and the remedy helps" {
	trace-cmd list -c | grep -q -E 'zstd|zlib' || skip "trace-cmd was built without compression"
	trace-cmd convert --compression any -i v6.dat -o packed.dat >/dev/null
	run "$TOOLS/show_trace" packed.dat
	[ "$status" -eq 3 ]
	[[ $output == "packed.dat: "*"trace-cmd convert "* ]]
	remedy="trace-cmd convert ${output#*trace-cmd convert }"
	remedy=${remedy/FILE/packed.dat}
	${remedy/NEW/unpacked.dat} >/dev/null
	same unpacked.dat
	"$TOOLS/show_trace" v6.dat | cmp - ours
}

# bats test_tags=slow
@test "format: a file that ends early is read as far as it goes" {
	"$TOOLS/show_trace" v6.dat >whole
	for bytes in 4000 90000 150000; do
		head -c $(($(stat -c %s v6.dat) - bytes)) v6.dat >cut.dat
		"$TOOLS/show_trace" cut.dat >ours
		[ "$(wc -l <ours)" -gt 1000 ]
		[ "$(wc -l <ours)" -lt "$(wc -l <whole)" ]
		# Events that are left out are all that differs, but for a number of lost ones that was cut off.
		added=$(diff whole ours | sed -n 's/^> //p' | grep -v -c -F 'CPU:1 [EVENTS DROPPED]' || true)
		[ "$added" -eq 0 ]
	done
}
