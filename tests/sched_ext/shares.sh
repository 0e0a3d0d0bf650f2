#!/bin/sh
# In a guest: for each scheduler that is named, enables it, lets two tasks of nice 0 and nice 5 share CPU 0, and disables
# it. Prints "SCHEDULER: OPS STATE-BEFORE STATE-AFTER STATE-AT-THE-END ran R0 R5 switches S0 S5".
state=/sys/kernel/sched_ext/state
[ -f "$state" ] || { echo "no sched_ext"; exit 1; }
for scheduler in "$@"; do
	hold_scheduler "$scheduler" &
	holder=$!
	while [ "$(cat "$state")" != enabled ] && kill -0 "$holder" 2>/dev/null; do usleep 20000; done
	before="$(cat /sys/kernel/sched_ext/root*/ops) $(cat "$state")"
	ran=$(weights 2)
	after=$(cat "$state")
	kill -INT "$holder"
	wait "$holder" || echo "hold_scheduler ended with $?"
	echo "$scheduler: $before $after $(cat "$state") $ran"
done
