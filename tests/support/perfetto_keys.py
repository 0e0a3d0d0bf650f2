#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfetto_keys.py WHY.json MOVES.json <DECODED: what protoc made of the Perfetto trace of one trace with keys, against all its
decisions by picknext why --json, and its migrations by picknext migrations --list --json. Each counter must be the key at its
time, and the keys of each judged decision those of the counters. Prints how many there were of each."""
import collections
import json
import sys

from perfetto_decoded import parse

# Name of a task's counter: the key of picknext why.
KEYS = {"lag in CPU time": "lag_cpu_ns", "deadline - V": "deadline_ns", "vruntime - V": "lag_virtual_ns", "weight": "weight"}


# Groups are named by one of their tasks, which changes.
GROUP = "a group"


def messages(packets, name):
    for packet in packets:
        for field, value in packet:
            if field == name:
                yield dict(packet), value


def read_tracks(packets):
    tracks = {}
    for _, message in messages(packets, "track_descriptor"):
        track = {name: dict(value) if isinstance(value, list) else value for name, value in message}
        assert track["uuid"] not in tracks, f"a track is described twice: {track}"
        assert track.get("parent_uuid", track["uuid"]) in tracks or "parent_uuid" not in track, f"no parent: {track}"
        tracks[track["uuid"]] = track
    return tracks


def task_of(track, tracks):
    """The PID of a counter, or GROUP, and its key; None: it is of a CPU."""
    parent = tracks[track["parent_uuid"]]
    if "thread" in parent:
        return parent["thread"]["tid"], KEYS[track["name"]]
    if track["name"].startswith("CPU "):
        return None, track["name"]
    return GROUP, KEYS[track["name"].partition(": ")[2]]


def main():
    packets = [value for name, value in parse(sys.stdin)]
    why = json.load(open(sys.argv[1]))
    moves = {}
    for row in json.load(open(sys.argv[2]))["migrations"]:
        pull = f", {row['pull']}" if row["pull"] not in (None, "unknown") else ""
        text = f"moves from CPU {row['from_cpu']} to CPU {row['to_cpu']}: {row['cause']}{pull}"
        moves[row["ts_ns"], str(row["pid"]), text] = row
    tracks = read_tracks(packets)
    first = why["trace"]["first_ts_ns"]
    counters, last, slices, instants = collections.defaultdict(list), {}, collections.Counter(), collections.defaultdict(list)
    depth = collections.Counter()
    counts = collections.Counter()
    for packet, message in messages(packets, "track_event"):
        event = dict(message)
        track, ts = tracks[event["track_uuid"]], int(packet["timestamp"])
        counts[event["type"]] += 1
        if event["type"] == "TYPE_COUNTER":
            assert track["counter"]["unit"] == ("UNIT_COUNT" if track["name"].endswith(("weight", "queue")) else "UNIT_TIME_NS")
            value = int(event["counter_value"])
            assert last.get(track["uuid"], None) != value, f"a value is written twice: {track}"
            last[track["uuid"]] = value
            counters[task_of(track, tracks)].append((ts, value))
        elif event["type"] == "TYPE_INSTANT" and "thread" in track:
            del moves[ts, track["thread"]["tid"], event["name"]]
            counts["moves"] += 1
        elif event["type"] == "TYPE_INSTANT":
            instants[track["name"]].append((ts, event["name"]))
        else:
            assert track["name"] in ("waits", "waits, throttled or not")
            depth[track["uuid"]] += 1 if event["type"] == "TYPE_SLICE_BEGIN" else -1
            assert depth[track["uuid"]] in (0, 1)
            slices[event.get("name", "").split(" ")[0]] += 1
    assert not any(depth.values())
    assert not moves, moves
    # Each value is the key of a candidate at its time.
    keys = collections.defaultdict(set)
    for row in why["candidates"]:
        who = str(row["pid"]) if row["pid"] is not None else GROUP
        for key in KEYS.values():
            if row[key] is not None:
                keys[who, key, first + row["since_start_ns"]].add(-row[key] if key == "lag_virtual_ns" else row[key])
    for (who, key), values in counters.items():
        for ts, value in values if who else []:
            assert value in keys[who, key, ts], f"{who} {key} at {ts} is {value}, not one of {keys[who, key, ts]}"
            counts[key] += 1
    # And the keys of judged decisions are the last values.
    judged = {(d["since_start_ns"], d["cpu"]) for d in why["decisions"] if d["verdict"] != "not judged"}
    same = collections.Counter()
    for row in why["candidates"]:
        if (row["since_start_ns"], row["cpu"]) not in judged or row["older_keys"] or row["pid"] is None:
            continue
        ts = first + row["since_start_ns"]
        before = [value for at, value in counters[str(row["pid"]), "lag_cpu_ns"] if at <= ts]
        same[bool(before) and before[-1] in keys[str(row["pid"]), "lag_cpu_ns", ts]] += 1
    # V is the average by weights: the weighted lags of a queue add up to nothing but rounding, that of weights included.
    by_level = collections.defaultdict(list)
    for row in why["candidates"]:
        by_level[row["decision"], row["level"]].append(row)
    for rows in by_level.values():
        if min(row["weight"] for row in rows) < 2:
            continue  # The kernel counts at least 2.
        total = sum(row["weight"] for row in rows)
        error = abs(sum(row["weight"] * row["lag_virtual_ns"] for row in rows))
        assert error <= 2 * total + sum(abs(row["lag_virtual_ns"]) for row in rows), rows
    decisions = [text for name, found in instants.items() if name.endswith("decisions") for _, text in found]
    assert len(decisions) == len(why["decisions"])
    against = [text for name, found in instants.items() if name.endswith("against the rules") for _, text in found]
    counts["decisions"], counts["against"] = len(decisions), len(against)
    counts["judged_keys_shown"], counts["judged_keys_not_shown"] = same[True], same[False]
    counts.update({f"waits {cause}": count for cause, count in slices.items() if cause})
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")


main()
