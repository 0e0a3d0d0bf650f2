#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# picknext check: each thing that can be wrong with a trace, in traces of a few events or made by make_spoiled.

bats_require_minimum_version 1.5.0

setup() {
	PICKNEXT=${PICKNEXT:-$BATS_TEST_DIRNAME/../../build/picknext}
	cd "$BATS_TEST_TMPDIR" || return
}

spoiled() {
	"${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/build/tools/make_spoiled" "$1" "$1.dat"
}

# check CODE OPTION... TRACE: out, err and json are what it says.
check() {
	local code=0 wanted=$1
	shift
	"$PICKNEXT" check "$@" >out 2>err || code=$?
	"$PICKNEXT" check --json "$@" >json 2>/dev/null || [ $? -eq "$wanted" ]
	[ "$code" -eq "$wanted" ] || { cat out err; echo "exit code $code"; return 1; }
}

# finding NAME: "GRADE COUNT" of it.
finding() {
	python3 -c 'import json, sys
for f in json.load(open("json"))["traces"][0]["findings"]:
    if f["name"] == sys.argv[1]: print(f["grade"], f["count"])' "$1"
}

# places: "CPU AFTER UNTIL LOST WHAT" of each, times in microseconds.
places() {
	python3 -c 'import json
us = lambda ns: "-" if ns is None else ns // 1000
for p in json.load(open("json"))["traces"][0]["places"]:
    print(p["cpu"], us(p["after_ns"]), us(p["until_ns"]), "-" if p["lost_events"] is None else p["lost_events"], p["what"])'
}

# Lines of a text trace, times in microseconds: switch CPU TIME PREV STATE NEXT, wake CPU TIME BY TASK TARGET,
# move CPU TIME BY TASK FROM TO. A task is a letter; its PID is 10 for a, 11 for b...; idle is i.
declare -gA pid=([i]=0 [a]=10 [b]=11 [c]=12 [d]=13)

line() {
	local cpu=$1 time=$2 by=$3
	shift 3
	printf '%16s-%-5s [%03d] d..2. %d.%06d: %s\n' "$by" "${pid[$by]}" "$cpu" $((100 + time / 1000000)) \
		$((time % 1000000)) "$*"
}

switch() {
	line "$1" "$2" "$3" "sched_switch: prev_comm=$3 prev_pid=${pid[$3]} prev_prio=120 prev_state=$4 ==>" \
		"next_comm=$5 next_pid=${pid[$5]} next_prio=120"
}

wake() {
	line "$1" "$2" "$3" "sched_wakeup: comm=$4 pid=${pid[$4]} prio=120 target_cpu=00$5"
}

move() {
	line "$1" "$2" "$3" "sched_migrate_task: comm=$4 pid=${pid[$4]} prio=120 orig_cpu=$5 dest_cpu=$6"
}

# bats test_tags=slow
@test "check: a good trace" {
	spoiled good
	check 0 good.dat
	head -n 1 out | grep -qx 'good.dat: good; 600 events in 0.010 s'
	[ "$(grep -c '^  good  ' out)" -eq 12 ]
	[ ! -s err ]
	[ "$(finding events)" = "good 0" ]
	grep -q '"verdict": "good"' json
	[ "$("$PICKNEXT" check --csv good.dat | wc -l)" -eq 13 ]
	"$PICKNEXT" check - <good.dat | head -n 1 | grep -qx 'standard input: good; 600 events in 0.010 s'
}

# bats test_tags=slow
@test "check: lost events, where they are, and a stretch that is whole" {
	spoiled lost
	check 5 lost.dat
	[ "$(finding lost)" = "bad 60" ]
	[ "$(places)" = "1 3960 6000 60 events lost" ]
	grep -q '^picknext: lost.dat: .*\<60 events.*10\.00 %.*\<1 place.* --from 0.000000 --to 0.003960$' err
	check 0 --from 0 --to 0.00396 lost.dat
	check 0 --from 0.006 lost.dat
	check 5 --from 0.005 lost.dat
	spoiled uncounted
	check 5 uncounted.dat
	[ "$(finding lost)" = "bad 1" ]
	[ "$(places)" = "1 3960 6000 - events lost" ]
}

# bats test_tags=slow
@test "check: a full buffer that refused the last events" {
	spoiled refused
	check 5 refused.dat
	[ "$(finding lost)" = "bad 60" ]
	[ "$(places)" = "1 7960 - - events lost" ]
	# All after 7960 us is missing: that is no whole end. The buffer counts what it refuses.
	[ "$(finding end)" = "bad 1" ]
	grep -q 'end  *the last events of 1 CPU are lost$' out
	grep -q 'lost  *60 events (' out
	"$PICKNEXT" stat --json refused.dat | grep -q '"lost_events_exact": *true'
	grep -q ' --to 0.007960$' err
	check 0 --to 0.00796 refused.dat
}

# bats test_tags=slow
@test "check: a beginning that was overwritten" {
	spoiled overwritten
	check 5 overwritten.dat
	[ "$(finding beginning)" = "bad 1" ]
	[ "$(finding lost)" = "good 0" ]
	grep -q -e '--from 0.004000$' err
	check 0 --from 0.004 overwritten.dat
	[ "$(finding beginning)" = "good 0" ]
}

# bats test_tags=slow
@test "check: a loss before the first event of the trace, and one at its time" {
	{ echo "CPU:0 [LOST 10 EVENTS]"; switch 0 0 a S b; switch 0 1000000 b S a; } >before.txt
	check 0 before.txt
	[ "$(finding beginning)" = "note 1" ]
	[ "$(finding lost)" = "good 0" ]
	grep -q 'lost  *nothing after the beginning$' out
	{ switch 0 0 a S b; echo "CPU:0 [LOST 10 EVENTS]"; switch 0 1000000 b S a; } >at.txt
	check 5 at.txt
	[ "$(finding lost)" = "bad 10" ]
	[ "$(finding beginning)" = "good 0" ]
}

# bats test_tags=slow
@test "check: a file that ends early" {
	spoiled good
	# CPU 1's last page and half of the one before.
	head -c $(($(stat -c %s good.dat) - 4096 - 2048)) good.dat >cut.dat
	check 5 cut.dat
	[ "$(finding end)" = "bad 1" ]
	[ "$(finding lost)" = "note 0" ]
	local to
	to=$(sed -n 's/.* --to \(0\.00[67][0-9]*\)$/\1/p' err)
	check 0 --to "$to" cut.dat
	# The five pages of CPU 1: no part of the file has both CPUs, and what the missing one did is not known.
	head -c $(($(stat -c %s good.dat) - 5 * 4096)) good.dat >cut.dat
	check 5 cut.dat
	[ "$(finding lost) $(finding end) $(finding cpus)" = "note 0 bad 1 bad 1" ]
	[ "$(places)" = "1 - - - events lost" ]
	run ! grep -e --to err
	check 5 --to 0.005 cut.dat
	[ "$(finding cpus)" = "bad 1" ]
	"$PICKNEXT" latency --csv cut.dat >waits.csv 2>/dev/null || [ $? -eq 5 ]
	[ "$(cut -d, -f4,5 waits.csv | sort -u)" = $'0,100\nwaits,waits_unknown' ]
}

# bats test_tags=slow
@test "check: a clock of each CPU's own, and one that was corrected" {
	spoiled local
	check 0 local.dat
	[ "$(finding clock)" = "note 0" ]
	head -n 1 out | grep -q ': usable;'
	spoiled corrected
	check 5 corrected.dat
	[ "$(finding order)" = "bad 2" ]
	grep -q '\<2 .*\<15\.0 us' err
	spoiled back
	check 5 back.dat
	grep -q '59 times .* by 1960.0 us' err
}

# bats test_tags=slow
@test "check: where no wakeups were recorded, none is missing" {
	spoiled switches
	check 0 switches.dat
	[ "$(finding events)" = "note 0" ]
	[ "$(finding impossible)" = "good 0" ]
	[ -z "$(places)" ]
}

# bats test_tags=slow
@test "check: a switch that is missing is told apart from what cannot be" {
	{
		switch 0 0 i R a
		wake 0 10 a b 0
		switch 0 20 a S b
		wake 0 30 b c 0
		# b slept and c ran: the switch between is missing.
		wake 0 50 c a 0
		switch 0 60 c S a
		switch 0 70 a S i
	} >missing.txt
	check 0 missing.txt
	[ "$(finding missing)" = "note 1" ]
	tr -s " \n" " " <out | grep -q "1 of 5 switches are missing: CPU times of these tasks are bounds"
	[ "$(finding impossible)" = "good 0" ]
	[ "$(places)" = "0 30 50 - the switch to the running task is missing" ]
	{
		switch 0 0 i R a
		wake 0 10 a b 0
		switch 0 20 a S b
		# d was never woken and is not known to be anywhere.
		switch 0 60 d S b
	} >other.txt
	check 5 other.txt
	[ "$(finding impossible | cut -d' ' -f1)" = bad ]
	[ "$(places | head -n 1)" = "0 20 60 - another task runs than the one switched to" ]
	# The other commands count as check does.
	run --separate-stderr -0 "$PICKNEXT" stat --json other.txt
	[[ $output == *'"missing_switches": 0,'*'"unexpected_tasks": 1,'* ]]
}

# bats test_tags=slow
@test "check: a task on two CPUs, one that slept, one that ended, one that is elsewhere" {
	{
		wake 0 0 i a 0
		switch 0 10 i R a
		switch 1 20 i R a
	} >two.txt
	check 5 two.txt
	[ "$(finding impossible)" = "bad 1" ]
	[ "$(places)" = "1 - 20 - switch to a task that runs elsewhere" ]
	{
		wake 0 0 i a 0
		switch 0 10 i R a
		switch 0 20 a S i
		switch 0 30 i R a
	} >slept.txt
	check 5 slept.txt
	[ "$(finding impossible)" = "bad 1" ]
	[ "$(places)" = "0 20 30 - switch to a task that sleeps" ]
	{
		wake 0 0 i a 0
		switch 0 10 i R a
		switch 0 20 a X i
		wake 0 30 i a 0
	} >ended.txt
	check 5 ended.txt
	[ "$(finding impossible)" = "bad 1" ]
	[ "$(places)" = "0 20 30 - event of a task that had ended" ]
	{
		wake 0 0 i a 0
		switch 1 5 i R b
		move 1 10 b a 1 0
		switch 0 20 i R a
	} >elsewhere.txt
	check 5 elsewhere.txt
	[ "$(finding impossible)" = "bad 1" ]
	[ "$(places)" = "1 5 10 - migration from a CPU on which the task is not" ]
}

# bats test_tags=slow
@test "check: a little is noted, and trusted" {
	local at=0
	{
		for _ in $(seq 110); do
			wake 0 $((at + 10)) i a 0
			switch 0 $((at + 20)) i R a
			switch 0 $((at + 30)) a S i
			at=$((at + 100))
		done
		switch 0 $((at + 20)) i R a
	} >little.txt
	check 0 little.txt
	head -n 1 out | grep -q '^little.txt: usable;'
	[ "$(finding impossible)" = "note 1" ]
}

# bats test_tags=slow
@test "check: several traces, each by what is wrong with it; one that cannot be read hides no other" {
	mkdir -p many/raw
	spoiled good
	spoiled lost
	cp good.dat lost.dat many/raw
	check 5 many
	grep -q '^many/raw/good.dat: good; 600 events' out
	grep -q '^many/raw/lost.dat: .*\<540 events' out
	run -1 grep -q '^CPU' out
	head -c 100 good.dat >many/raw/broken.dat
	check 3 many
	[ "$(grep -c ' events in ' out)" -eq 2 ]
	grep -q '^unreadable: many/raw/broken.dat: ' out
	grep -q '^picknext: many/raw/broken.dat: ' err
	grep -q '\<1\>.*\<1\>' err
	python3 -c 'import json; print([t["verdict"] for t in json.load(open("json"))["traces"]])' >verdicts
	[ "$(cat verdicts)" = "['unreadable', 'good', 'not to be trusted']" ]
	"$PICKNEXT" check -v many/raw/good.dat many/raw/good.dat | grep -c '^CPU' | grep -qx 2
}

@test "check: one file that is not a trace gives one error, in JSON and CSV also an entry" {
	echo nothing >not.txt
	run --separate-stderr "$PICKNEXT" check not.txt
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr "$PICKNEXT" check --csv not.txt
	[ "$status" -eq 3 ]
	[[ "${lines[1]}" == not.txt,unreadable,bad,* ]]
}

# bats test_tags=slow
@test "check: a damaged page, and how far the trace can be read" {
	spoiled good
	python3 - <<-'END'
		data = bytearray(open("good.dat", "rb").read())
		at = len(data) - 2 * 4096 + 8
		data[at:at + 2] = b"\xff\xff"
		open("bad.dat", "wb").write(data)
	END
	check 3 bad.dat
	grep -q 'bad.dat: CPU 1, page 3: .*65535.*4080.*--to 0.00' err
	local to
	to=$(sed -n 's/.* --to \(.*\)$/\1/p' err)
	check 0 --to "$to" bad.dat
}

@test "check: what it refuses" {
	run -2 "$PICKNEXT" check --json --csv good.dat
	run -4 "$PICKNEXT" check none.dat
	run -2 "$PICKNEXT" check --places many good.dat
	: >empty.txt
	run -3 "$PICKNEXT" check empty.txt
}

@test "check: every analysis says when its figures are not to be trusted" {
	spoiled lost
	"$PICKNEXT" stat lost.dat | tail -n 1 | grep -q '\<60 events lost.*picknext check'
	"$PICKNEXT" stat --to 0.00396 lost.dat | tail -n 1 | grep -qv 'trusted'
	"$PICKNEXT" stat --json lost.dat | grep -q '"verdict": "not to be trusted"'
}

@test "check: a text with fewer events than its header counts" {
	{
		echo '# entries-in-buffer/entries-written: 3/3   #P:2'
		switch 0 0 a S b
		switch 0 1000 b S a
		switch 0 2000 a S b
	} >whole.txt
	check 0 whole.txt
	[ "$(finding end)" = "good 0" ]
	head -n 3 whole.txt >cut.txt
	check 0 cut.txt
	[ "$(finding end)" = "note 1" ]
	grep -q "end  *the text's header counts 3 events, 2 follow$" out
	check 0 --to 0.001 whole.txt
	[ "$(finding end)" = "good 0" ]
}
