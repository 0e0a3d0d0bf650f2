#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the debt of tasks that sleep on their queue (delayed dequeue) grows until they wake up, which kernels without
059258b0d424 allow. Reads "trace-cmd report FILE", a trace with keys (picknext vm --keys)."""
import re
import sys

asleep, offset, wakeups, grown, worst = {}, 0, 0, 0, (0, "")
for line in sys.stdin:
    event = re.search(r"\s([\d.]+): (keys_pick|keys_switch|keys_enqueue): ", line)
    if not event:
        continue
    key = {name: int(value, 0) for name, value in re.findall(r"(\w+)=(-?(?:0x[0-9a-f]+|\d+))(?=\s)", line + " ")}
    if event[2] == "keys_pick" and key.get("curr_delayed"):
        # The running task has gone to sleep. Its lag is recorded, or V - vruntime.
        lag, weight = key["curr_vlag"], key["curr_weight"] >> 10
        if "curr_vprot" not in key:
            ahead = (key["curr_vruntime"] - key["zero_vruntime"]) * weight
            average = key["zero_vruntime"] + (key["avg_vruntime"] + ahead) // (key["avg_load"] + weight)
            lag = average - key["curr_vruntime"]
        asleep[key["curr"]] = (lag, key["cfs"], float(event[1]), key["curr_weight"])
    elif event[2] == "keys_switch":
        offset = key["se_offset"]
        asleep.pop(key["next"] + offset, None)
    elif event[2] == "keys_enqueue":
        lag, queue, since, weight = asleep.pop(key["task"] + offset, (0, 0, 0, 0))
        if not queue or queue != key.get("cfs", queue) or weight != key["weight"]:
            continue
        wakeups += 1
        if key["vlag"] < lag - 1000:
            grown += 1
            worst = max(worst, (lag - key["vlag"], f"PID {key['pid']}: {lag / 1e6:.3f} ms at {since:.6f} s, "
                                                   f"{key['vlag'] / 1e6:.3f} ms at {event[1]} s"))
print(f"{wakeups} wakeups of delayed sleepers, {grown} with over a microsecond more debt than when they went to sleep")
if grown:
    print(worst[1])
