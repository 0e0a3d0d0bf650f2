#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The question of workloads/README.md, from the command to the picture: a task of 1 ms beside four hogs, on two kernels.
# seconds: 60

load vm

setup() {
	make_short_tmpdir
	need_vm 6.1 6.12
	need_new_qemu
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	check_nothing_left
	rm -rf "$TMPDIR"
}

# The page has the commands: NAME KERNEL is replaced, since the test has images.
page_command() {
	sed -n "s/^    \(picknext $1 .*\)/\1/p" "$TOP/workloads/README.md" | head -n 1
}

# waits LABEL: mean wait in us and number of waits of the player after wakeups.
waits() {
	"$PICKNEXT" latency --by comm --comm player --of wakeup --json "out/$1" >waits.json
	json waits.json '"%d %d" % (d["wakeup"][0]["wait_mean_ns"] / 1000, d["wakeup"][0]["waits"])'
}

# bats test_tags=slow
@test "vm: a task of 1 ms beside four hogs: the preemption that does not come on 6.12, in three commands" {
	PATH=${PICKNEXT%/*}:$PATH
	command=$(page_command vm)
	[[ $command == *"-k 6.1 -k 6.12"* ]]
	command=${command/-k 6.1 -k 6.12/"-k cfs=$(kernel 6.1) -k eevdf=$(kernel 6.12)"}
	eval "timeout -k 20 900 $command"
	read -r mean count < <(waits cfs)
	[ "$mean" -lt 500 ] && [ "$count" -gt 50 ]
	read -r mean count < <(waits eevdf)
	[ "$mean" -gt 1000 ] && [ "$count" -gt 50 ]
	# The picture begins at the player's longest wait, and has its lag on both kernels.
	command=$(page_command report)
	eval "${command//out\/6.1*/out/cfs out/eevdf}"
	grep -q 'lag of player#1 in CPU time' player.html
	[ "$(grep -o 'lag of player#1 in CPU time' player.html | wc -l)" -ge 2 ]
	# The decision of that wait: a hog is picked, and the player is a candidate.
	command=$(page_command why)
	eval "${command/out\/6.12*/out/eevdf}" >why
	grep -q '^player-[0-9]* waits [0-9.]* ms' why
	grep -q 'picks hog-' why
	grep -qE '^player-[0-9]+ +1024 ' why
}
