#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfetto_groups.py BOTH ONE OTHER: what protoc made of the Perfetto trace of two runs of cpu_bound_4p, against those of each alone:
the events of each, moved in time by one step, are those of one process."""
import sys

from perfetto_decoded import parse

PIDS = 1 << 22


def read(path):
    """Events of the scheduler by CPU, instants and counters by track, and the names of threads by process."""
    found = {"events": [], "points": [], "threads": {}, "processes": {}, "cpus": 0}
    tracks = {}
    for _, packet in parse(open(path)):
        fields = dict(packet)
        for name, message in packet:
            if name == "ftrace_events":
                cpu = int(dict(message)["cpu"])
                for event in (value for field, value in message if field == "event"):
                    [(kind, inner)] = [(k, v) for k, v in event if isinstance(v, list)]
                    found["events"].append((int(dict(event)["timestamp"]), cpu, kind, dict(inner)))
            elif name == "track_descriptor":
                track = {key: dict(value) if isinstance(value, list) else value for key, value in message}
                tracks[track["uuid"]] = track
            elif name == "track_event":
                event = dict(message)
                found["points"].append((int(fields["timestamp"]), tracks[event["track_uuid"]], event))
            elif name == "process_tree":
                for kind, task in message:
                    task = dict(task)
                    if kind == "threads":
                        found["threads"].setdefault(int(task["tgid"]), {})[int(task["tid"])] = task["name"]
                    else:
                        found["processes"][int(task["pid"])] = task["cmdline"]
    return found


def switches(found, cpus, base):
    return [(ts, cpu - cpus[0], int(e["prev_pid"]) % PIDS, int(e["next_pid"]) % PIDS, e["prev_comm"], e["next_comm"]) for ts, cpu, kind, e in found["events"]
            if kind == "sched_switch" and cpu in cpus and all(int(e[p]) in (0,) or int(e[p]) // PIDS == base for p in (
                "prev_pid", "next_pid"))]


def main():
    both, *alone = [read(path) for path in sys.argv[1:]]
    assert [name.split(" ")[1] for name in both["processes"].values()] == ["cpu_bound_4p_run1"] * 2, both["processes"]
    assert len(set(both["processes"].values())) == 2
    starts, roles = [], []
    first_cpu = 0
    for number, one in enumerate(alone, 1):
        cpus = range(first_cpu, first_cpu + 3)
        first_cpu += 3
        mine, own = switches(both, cpus, number), switches(one, range(3), 0)
        step = {a[0] - b[0] for a, b in zip(mine, own)}
        assert len(mine) == len(own) and len(step) == 1, "all times are moved by the same step"
        assert [a[1:] for a in mine] == [b[1:] for b in own]
        pids = [tid % PIDS for tid, name in both["threads"][number * PIDS].items() if name.startswith("cpu-bound#")]
        assert len(pids) == 4
        starts.append(min(ts for ts, *_, prev, following in mine if "cpu-bound" in (prev, following)))
        roles.append(set(both["threads"][number * PIDS].values()))
        marks = [(ts, event["name"]) for ts, track, event in both["points"] if track.get("name") == "marks" and
                 "process" in dict(track) or event.get("name", "").startswith("first difference")]
        assert len(marks) == 2 and all(": " in text for _, text in marks), marks
    assert starts[0] == starts[1], "the workloads start together"
    assert {f"cpu-bound#{i}" for i in range(1, 5)} <= roles[0] & roles[1]
    # Counters, waits and decisions of both: no more and no less than alone, by process.
    kinds = [event["type"] for _, _, event in both["points"]]
    own = [event["type"] for one in alone for _, _, event in one["points"]]
    for kind in set(own):
        assert kinds.count(kind) == own.count(kind) + (2 if kind == "TYPE_INSTANT" else 0), kind


main()
