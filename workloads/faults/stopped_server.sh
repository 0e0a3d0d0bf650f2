#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Writes the runtime of a fair server that has just let a fair task run, and has stopped. Debian's 6.12.117 stops it once
# more, and its kernel warns in task_non_contending(). For guests with one CPU; it needs chrt.
set -eu

chrt -f -p 50 $$
chrt -f 10 sh -c 'while :; do :; done' &
fifo=$!
chrt -o 0 true &
wait $!
echo 50000000 >/sys/kernel/debug/sched/fair_server/cpu0/runtime
kill $fifo
