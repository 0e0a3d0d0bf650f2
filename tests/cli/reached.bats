#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Whether workloads reach a change: what vm --reached refuses before any boot, and what compare and report say of what
# such a boot counted. tests/vm/reached.bats boots.

bats_require_minimum_version 1.5.0
load ../support/json

setup_file() {
	local make=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/tests/support/make_runs.py
	cd "$BATS_FILE_TMPDIR" || return 1
	python3 "$make" base sample 6 1 1 'kernel="6.12.1"'
	for head in reached never lines uncounted copies; do
		python3 "$make" $head sample 6 2 1 'kernel="6.12.2"' 'kernel_build_id="aa"'
	done
	counted() { # SET WORKLOAD FUNCTIONS [RUNS]
		python3 "$make" "$1/reached/counts" "$2" "${4:-1}" 3 1 'kernel_build_id="aa"' "functions=[$3]"
	}
	counted reached hogs '{"name": "update_entity_lag", "symbol": "update_entity_lag", "executed": 14000}'
	counted reached pipes '{"name": "update_entity_lag", "symbol": "update_entity_lag", "executed": 322}'
	counted reached sleep '{"name": "update_entity_lag", "symbol": "update_entity_lag", "executed": 0}'
	counted never hogs '{"name": "sched_group_set_idle", "symbol": "sched_group_set_idle", "executed": 0},
		{"name": "sched_group_set_idle/cpu_idle_write_s64", "symbol": "cpu_idle_write_s64", "executed": 3},
		{"name": "sched_group_set_idle/other", "symbol": "other", "executed": null, "reason": "gone"}'
	counted lines hogs '{"name": "place_entity", "symbol": "place_entity", "executed": 7},
		{"name": "kernel/sched/fair.c:690", "symbol": "place_entity+67", "executed": 0}'
	counted lines pipes '{"name": "place_entity", "symbol": "place_entity", "executed": 1000},
		{"name": "place_entity", "symbol": "place_entity.part.0", "executed": 400},
		{"name": "kernel/sched/fair.c:690", "symbol": "place_entity+67", "executed": 0}'
	counted copies hogs '{"name": "kernel/sched/fair.c:690", "symbol": "place_entity+67", "executed": 5},
		{"name": "kernel/sched/fair.c:690", "symbol": "dequeue_entity+4", "executed": 1},
		{"name": "kernel/sched/fair.c:690", "symbol": "pick_eevdf+9", "executed": null, "reason": "notrace"}' 2
	counted uncounted hogs '{"name": "a\u001b[31m", "symbol": "a", "executed": null, "reason": "not\nthere"}'
}

setup() {
	PICKNEXT=${PICKNEXT:-${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/picknext}
	cd "$BATS_FILE_TMPDIR" || return 1
}

refuses() { # PATTERN WHAT...
	local pattern=$1
	shift
	run -2 --separate-stderr "$PICKNEXT" vm -q -k bzImage --mode deterministic -o out "$@"
	[ -z "$output" ] && [ ! -e out ]
	[[ "${stderr_lines[-1]}" == *$pattern* ]] || { echo "$stderr"; return 1; }
}

# bats test_tags=slow
@test "reached: what is no change is refused before anything is booted" {
	: >bzImage
	echo text >text.txt
	printf -- '--- a/x.c\n+++ b/x.c\n@@ -1,1 +1,2 @@\n x\n+/* y */\n' >comment.patch
	printf -- '--- a/x.h\n+++ b/x.h\n@@ -1,1 +1,2 @@\n x\n+#define Y 1\n' >outside.patch
	refuses "'' is no function, no FILE:LINE and no file" --reached ''
	refuses "'missing.patch' is no function" --reached missing.patch
	refuses "'fair.c:0' is no function" --reached fair.c:0
	refuses "'a b' is no function" --reached place_entity,'a b'
	refuses "text.txt is no patch" --reached text.txt
	refuses "comment.patch changes no code" --reached comment.patch
	refuses "no function of the kernel is known" --reached outside.patch
	refuses "no function of the kernel is known" --reached kernel/sched/fair.c:690
	for other in --plan --dry-run --shell '--boot=x/1' '--until=x>1'; do
		refuses "mutually exclusive" --reached place_entity $other
	done
}

# A kernel tree whose vmlinux is a small program: kernel/sched/fair.c, with a function that is inlined into two others.
make_tree() {
	command -v gdb >/dev/null || skip "no gdb (apt-get install gdb)"
	rm -rf tree
	mkdir -p tree/kernel/sched tree/arch/x86/boot
	: >tree/Kbuild
	: >tree/arch/x86/boot/bzImage
	printf 'VERSION = 6\nPATCHLEVEL = 12\n' >tree/Makefile
	cat >tree/kernel/sched/fair.c <<-'END'
		volatile int sink;
		static inline __attribute__((always_inline)) void lag(int x)
		{
		    if (x > 3)
		        sink = x * 3;
		    /* nothing */
		}
		__attribute__((noinline)) void place(int x)
		{
		    lag(x);
		}
		__attribute__((noinline)) void dequeue(int x)
		{
		    sink = 1;
		    lag(x + 1);
		}
		int main(int argc, char **argv)
		{
		    place(argc);
		    dequeue(argc);
		    return 0;
		}
	END
	(cd tree && gcc -O2 -fno-ipa-cp "$@" -o vmlinux kernel/sched/fair.c)
	printf -- '--- a/kernel/sched/fair.c\n+++ b/kernel/sched/fair.c\n@@ -1,2 +1,3 @@ other()\n     if (x > 3)\n+        sink = x * 3;\n     /* nothing */\n' >lag.patch
}

counts() { # prints what --reached WHAT counts; the tree's image is none
	run -3 --separate-stderr "$PICKNEXT" vm -v -k tree --mode deterministic -o out --reached "$1"
	echo "$stderr"
}

# bats test_tags=slow
@test "reached: gdb finds the lines of a patch, and inlined functions" {
	make_tree -g
	counts lag.patch >told
	grep -q 'lag() is inlined into \(place, dequeue\|dequeue, place\);' told
	# In each copy: the function, and the line.
	for place in 'lag@place' 'lag@dequeue' 'kernel/sched/fair.c:5@place+' 'kernel/sched/fair.c:5@dequeue+'; do
		grep -q -e "--reached counts .*$place" told
	done
	grep -q 'lag/place@place,lag/dequeue@dequeue' told
	run ! grep -q warning told
	counts kernel/sched/fair.c:5 >line
	[ "$(grep counts line)" = "$(grep counts told)" ]
	counts kernel/sched/fair.c:5,kernel/sched/fair.c:6 >told
	grep -q 'warning: --reached: 1 changed line has no instructions of its own' told
	# A function, although there is a file of that name.
	: >place
	counts place >told
	rm place
	grep -q -e '--reached counts place,place/main@main' told
}

# bats test_tags=slow
@test "reached: without debug information functions are counted, and a patch that is not applied is named" {
	make_tree -g0
	counts lag.patch >told
	grep -q -e '--reached counts lag,lag/place@place,lag/dequeue@dequeue$' told
	grep -q 'warning: --reached: functions are counted, not lines: vmlinux has no instructions of the changed lines, or no debug information' told
	sed -i 's/x [*] 3/x * 4/' tree/kernel/sched/fair.c
	counts lag.patch >told
	grep -q 'warning: .*the tree does not have all changes of kernel/sched/fair.c\|warning: .*does not have all changes of kernel/sched/fair.c' told
	grep -q -e '--reached counts other' told
	rm tree/vmlinux
	counts place >told
	grep -q -e '--reached counts place,place/main@main' told
}

@test "reached: --count refuses what is no function" {
	: >bzImage
	refuses "--count: 'a b' is not the name of a function" --count 'a b'
	refuses "--count: 'a/c' is not" --count 'b,a/c'
}

# bats test_tags=slow
@test "reached: compare begins with how often the change was executed" {
	run -0 --separate-stderr "$PICKNEXT" compare base reached
	[ "${lines[0]}" = "6.12.2: your change is in update_entity_lag(): executed 14,322 times in 2 of 3 workloads" ]
	run -0 --separate-stderr "$PICKNEXT" compare base never
	[ "${lines[0]}" = "6.12.2: your change is in sched_group_set_idle(): never executed by this workload: a result without differences says nothing about it" ]
	[ "${lines[1]}" = "  cpu_idle_write_s64(), which calls sched_group_set_idle(): executed 3 times in 1 of 1 workload" ]
	[[ "$output" != *"cannot be counted"* ]]
	run -0 --separate-stderr "$PICKNEXT" compare base lines
	[[ "${lines[0]}" == "6.12.2: your change is in place_entity(): its lines that could be counted were never executed by these 2 workloads: a result without differences says nothing about it" ]]
	[ "${lines[1]}" = "  place_entity(): executed 1,007 times in 2 of 2 workloads, most often in pipes" ]
	[ "${lines[2]}" = "  kernel/sched/fair.c:690: never executed" ]
	# Two runs of one workload; a copy that has no probe.
	run -0 --separate-stderr "$PICKNEXT" compare base copies
	[ "${lines[0]}" = "6.12.2: your change is in kernel/sched/fair.c:690: its lines that could be counted were executed 12 times in 1 of 1 workload; 1 of 3 copies of kernel/sched/fair.c:690 cannot be counted" ]
	run -0 --separate-stderr "$PICKNEXT" compare base uncounted
	[ "${lines[0]}" = "6.12.2: whether these workloads reach your change is not known" ]
	[ "${lines[1]}" = '6.12.2: cannot be counted: a\x1b[31m(): not\x0athere' ]
}

# bats test_tags=slow
@test "reached: the report and JSON have it too" {
	"$PICKNEXT" report -q base reached -o page.html
	grep -q 'your change is in update_entity_lag(): executed 14,322 times in 2 of 3 workloads' page.html
	"$PICKNEXT" compare base reached --json >reached.json
	[ "$(json reached.json 'd["sets"][0]["reached"]')" = None ]
	[ "$(json reached.json 'd["sets"][1]["reached"]["executed"], d["sets"][1]["reached"]["workloads"], d["sets"][1]["reached"]["of"]')" = "(14322, 2, 3)" ]
	"$PICKNEXT" compare base uncounted --json >uncounted.json
	[ "$(json uncounted.json 'd["sets"][1]["reached"]["executed"], d["sets"][1]["reached"]["places"][0]["reason"]')" = "(None, 'not\\nthere')" ]
}

# bats test_tags=slow
@test "reached: a gate fails if the change was not executed" {
	run -0 "$PICKNEXT" compare -q base reached -f 'reached < 1'
	[ "$output" = "PASS reached < 1, all workloads: executed 14,322 times in 2 of 3 workloads" ]
	run -1 "$PICKNEXT" compare -q base never -f 'reached < 1'
	[ "$output" = "FAIL reached < 1, all workloads: executed 0 times in 0 of 1 workload" ]
	run -1 "$PICKNEXT" compare -q base lines -f 'reached < 1'
	run -5 "$PICKNEXT" compare -q base uncounted -f 'reached < 1' --inconclusive fail
	# Beside another gate, and in the forms for other programs.
	run -1 --separate-stderr "$PICKNEXT" compare base never -f 'reached < 1' -f 'throughput_per_s < -50%' --junit junit.xml --json
	python3 -c 'import json, sys; g = json.load(sys.stdin)["gates"]; assert (g[0]["workload"], g[0]["result"], g[1]["result"]) == ("all workloads", "fail", "pass"), g' <<<"$output"
	grep -q 'all workloads, no reached &#60; 1' junit.xml
	for format in markdown ktap; do
		run -1 "$PICKNEXT" compare base never -f 'reached < 1' --format $format
		[[ "$output" == *"all workloads"* ]]
	done
	run -2 "$PICKNEXT" compare base never -f 'reached < 1%'
	run -2 "$PICKNEXT" compare base never -f 'sample: reached < 1'
}

# bats test_tags=slow
@test "reached: what was counted of another kernel is not used" {
	rm -rf other
	cp -r reached other
	sed -i 's/"aa"/"bb"/' other/reached/counts/raw/*.json
	run -0 --separate-stderr "$PICKNEXT" compare base other
	[[ "$output" != *"your change"* ]]
}
