#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reference_throttling.py <TEXT: what trace-cmd report -t made of a trace with keys. Prints "PID WAITED THROTTLED" in ns for
each task that was throttled: sums of its waits without the time in which a cgroup of it was throttled on its CPU, and of that
time. A cgroup is throttled from the last try to throttle it to the end of throttling. From 6.18 on its tasks are so from when
they leave their queue: runnable tasks switched out with prev_on_rq=0."""
import collections
import re
import sys

LINE = re.compile(r"\s*(?:.*-(\d+|\.+)|<idle>-0)\s+\[(\d+)\].*?\s(\d+)\.(\d{9}): (\w+): +(.*)")
KEY = re.compile(r"(\w+)=(\S+)")


def events():
    for line in sys.stdin:
        match = LINE.match(line)
        if match:
            pid, cpu, seconds, ns, name, text = match.groups()
            yield int(pid or 0), int(cpu), int(seconds) * 10**9 + int(ns), name, text


def path_of(keys, cpu, prefix=""):
    """The queues of a task, its own first: of kernels with one queue per CPU, the cgroups and the CPU."""
    if prefix + "cfs" in keys:
        names = ["cfs"] + [f"p{i}_cfs" for i in (1, 2, 3)]
        return [keys[prefix + name] for name in names if int(keys.get(prefix + name, "0"), 16)]
    names = ["group"] + [f"group{i}" for i in (1, 2, 3, 4)]
    return [(keys[prefix + name], cpu) for name in names if int(keys.get(prefix + name, "0"), 16)]


def read():
    used_up, spans, paths, since, waits, left, throttles_tasks = {}, collections.defaultdict(list), {}, {}, [], {}, False
    for pid, cpu, ts, name, text in events():
        keys = dict(KEY.findall(text))
        if name == "keys_throttle":
            used_up[(keys["group"], cpu) if "group" in keys else keys["cfs"]] = ts
        elif name == "keys_unthrottle":
            queue = (keys["group"], int(keys["cpu"])) if "group" in keys else keys["cfs"]
            spans[queue].append((used_up.pop(queue), ts))
        elif name == "keys_enqueue" and int(keys["prio"]) >= 100:
            paths[int(keys["pid"])] = path_of(keys, int(keys["cpu"]))
        elif name == "keys_switch":
            paths[pid] = path_of(keys, cpu, "prev_") or paths.get(pid, [])
            left[pid] = keys["prev_on_rq"] == "0"
        elif name in ("sched_wakeup", "sched_wakeup_new"):
            woken = int(re.search(r":(\d+) \[", text)[1])
            if woken not in since:
                since[woken], left[woken] = ts, False
        elif name == "sched_switch":
            prev, state, following = re.match(r".*:(\d+) \[\d+\] (\S+) ==> .*:(\d+) \[\d+\]", text).groups()
            if int(following) in since:
                waits.append((int(following), since.pop(int(following)), ts, paths.get(int(following), []), left.get(int(following))))
            if state.startswith("R") and int(prev):
                since[int(prev)] = ts
                throttles_tasks = throttles_tasks or left.get(int(prev), False)
    return [(*wait[:3], wait[3] if wait[4] or not throttles_tasks else []) for wait in waits], spans


def covered(parts):
    total, last = 0, 0
    for begin, end in sorted(parts):
        total += max(0, end - max(begin, last))
        last = max(last, end)
    return total


def main():
    waits, spans = read()
    sums = collections.defaultdict(lambda: [0, 0])
    for pid, begin, end, path in waits:
        parts = [(max(begin, a), min(end, b)) for queue in path for a, b in spans.get(queue, ()) if a < end and b > begin]
        throttled = covered(parts)
        sums[pid][0] += end - begin - throttled
        sums[pid][1] += throttled
    for pid, (waited, throttled) in sorted(sums.items()):
        if throttled:
            print(pid, waited, throttled)


main()
