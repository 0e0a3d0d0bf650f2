#!/bin/sh
# SPDX-License-Identifier: MIT
#
# rules_truth.sh COMMAND...: runs the command in a guest that records keys, and prints the whole tree of the queue at each
# pick: 15 nodes, by a second probe of the function that keys_pick records. Costs some 200,000 instructions per pick.
# Where members are follows from the definition of keys_pick: the tree is just before cfs_rq.curr, an entity's node
# just after its weight.
tracefs=/sys/kernel/tracing
definition=$(grep '/keys_pick ' $tracefs/dynamic_events | head -n 1)

offset_of() { # FIELD
	echo "$definition" | sed -n "s/.* $1=+\([0-9]*\)(.*/\1/p"
}

curr=$(echo "$definition" | sed -n 's/.* curr_vruntime=+[0-9]*(+\([0-9]*\)(.*/\1/p')
[ -n "$curr" ] || curr=$(($(offset_of next_buddy) - 8))
weight=$(offset_of curr_weight)
node=$((weight + 16))
vruntime=$(($(offset_of curr_vruntime) - node))
deadline=$(offset_of curr_deadline)
deadline=$((${deadline:-$((vruntime + node))} - node))
same=$(echo "$definition" | tr ' ' '\n' | grep -E '^(cfs|curr|curr_on_rq|curr_vruntime|nr|avg_vruntime|zero_vruntime|load|min_vruntime)=' | tr '\n' ' ')
text="p:truth/pick $(echo "$definition" | cut -d ' ' -f 2) $same"
paths="+$((curr - 16))(\$arg1)"
count=0
while [ $count -lt 15 ]; do
	path=${paths%% *}
	paths="${paths#"$path"} +16($path) +8($path)"
	paths=${paths# }
	text="$text n$count=$path:x64 v$count=$(printf %+d $vruntime)($path):u64"
	text="$text d$count=$(printf %+d $deadline)($path):u64 w$count=$(printf %+d $((weight - node)))($path):u32"
	count=$((count + 1))
done
echo "$text" >>$tracefs/dynamic_events && mkdir $tracefs/instances/truth || exit
sed 's/.*\[\(.*\)\].*/\1/' $tracefs/instances/picknext-*/trace_clock >$tracefs/instances/truth/trace_clock
echo 32768 >$tracefs/instances/truth/buffer_size_kb
echo 1 >$tracefs/instances/truth/events/truth/enable
"$@"
echo 0 >$tracefs/instances/truth/tracing_on
sed -n 's/.* \([0-9]*\.[0-9]*\): pick: ([^)]*) /truth \1 /p' $tracefs/instances/truth/trace
rmdir $tracefs/instances/truth
