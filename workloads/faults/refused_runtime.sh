#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A refused write to the runtime of a fair server stops the server and starts it again. Without 1842bf97af10 the server
# then lets fair tasks run at once, beside a SCHED_FIFO task, rather than after the rest of a period. Prints how long a
# fair task runs in the 0.1 s after such a write: 0 with the fix. For guests with one CPU; it needs chrt.
set -eu

server=/sys/kernel/debug/sched/fair_server/cpu0/runtime

run_time_ms() {
	read -r run_time_ns _ </proc/$fair/schedstat
	echo $((run_time_ns / 1000000))
}

chrt -f -p 50 $$
chrt -o 0 sh -c 'while :; do :; done' &
fair=$!
chrt -f 10 sh -c 'while :; do :; done' &
fifo=$!
# Servers and deadline tasks may use 40 % of the CPU: a server with 100 % of it is refused.
echo 400000 >/proc/sys/kernel/sched_rt_runtime_us
for round in 1 2 3; do
	# An accepted write begins a period, with a whole budget.
	echo 50000000 >$server
	sleep 0.02
	before=$(run_time_ms)
	if (echo 1000000000 >$server) 2>/dev/null; then
		echo 'the runtime was not refused' >&2
		exit 1
	fi
	sleep 0.1
	echo "round $round: the fair task runs for $(($(run_time_ms) - before)) ms in 0.1 s"
done
kill $fifo $fair
