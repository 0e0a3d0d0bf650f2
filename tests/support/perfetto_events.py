#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfetto_events.py TRACE.perfetto-trace [TEXT]: reads a Perfetto trace by the field numbers of the published schema
and checks its form. With TEXT, what picknext export --ns wrote of the same trace, every event has to be the same;
without, prints what the header, the marks and the process tree say. Wire format: https://protobuf.dev/programming-guides/encoding."""
import re
import sys

PACKET, FTRACE_EVENTS, PROCESS_TREE, CLOCK_SNAPSHOT, SYSTEM_INFO = 1, 1, 2, 6, 45
TIMESTAMP, TRACK_EVENT, TRACK_DESCRIPTOR = 8, 11, 60
NAMES = {4: "sched_switch", 17: "sched_wakeup", 20: "sched_waking", 114: "sched_wakeup_new", 491: "sched_migrate_task", 3: "print"}
STATES = "SDTtXZPI"
HEAD = re.compile(rb"(?s).{16}-(\d+) +\[(\d+)\] \S{5} +(\d+)\.(\d{9}): ([a-z_]+): ")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        assert key & 7 in (0, 2), f"wire type {key & 7}"
        value, at = varint(data, at)
        if key & 7 == 2:
            assert at + value <= len(data), "a field goes past the end of its message"
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def message(data):
    return dict(fields(data))


def number(value):
    return value - (1 << 64) if value >> 63 else value


def text(value):
    return value.decode("utf-8")  # strictly: a string of another kind is an error


def state(value):
    low = value & 0xFF
    names = "|".join(letter for bit, letter in enumerate(STATES) if low >> bit & 1)
    return (names or "R") + ("+" if value & 0x100 else "")


def payload(kind, event):
    e = message(event)
    if kind == 4:
        return (f"prev_comm={text(e[1])} prev_pid={number(e[2])} prev_prio={number(e[3])} prev_state={state(e[4])}"
                f" ==> next_comm={text(e[5])} next_pid={number(e[6])} next_prio={number(e[7])}")
    task = f"comm={text(e[1])} pid={number(e[2])} prio={number(e[3])}"
    if kind == 491:
        return f"{task} orig_cpu={e[4]} dest_cpu={e[5]}"
    return f"{task} target_cpu={e[5]:03}"


def ftrace_events(bundle):
    cpu = None
    for field, value in fields(bundle):
        if field == 1:
            cpu = value
        elif field == 2:
            event = message(value)
            [kind] = [kind for kind in event if kind not in (1, 2)]
            yield cpu, event[1], event[2], kind, event[kind]


def text_events(path):
    data = open(path, "rb").read()
    heads = list(HEAD.finditer(data))
    for head, following in zip(heads, heads[1:] + [None]):
        end = following.start() if following else len(data)
        body = data[head.end():end]
        body = re.sub(rb"(?:CPU:\d+ \[LOST [^\]]*\]\n|##### CPU \d+ buffer started ####\n)+$", b"", body)
        assert body.endswith(b"\n"), body
        pid, cpu, seconds, nanoseconds, name = head.groups()
        yield (int(cpu), int(seconds) * 10**9 + int(nanoseconds), int(pid),
               f"{name.decode()}: {body[:-1].decode('utf-8', 'replace')}")


def main():
    packets = [value for field, value in fields(open(sys.argv[1], "rb").read()) if field == PACKET or sys.exit("not a Trace")]
    events, last, processes, threads, marks, prints = [], {}, {}, {}, [], []
    for at, packet in enumerate(packets):
        p = message(packet)
        assert p[10] == 1, "every packet belongs to the one sequence"
        if at == 0:
            assert CLOCK_SNAPSHOT in p and p[13] == 1, "the first packet holds the clocks"
            snapshot = list(fields(p[CLOCK_SNAPSHOT]))
            clocks = {message(value)[1]: message(value)[2] for field, value in snapshot if field == 1}
            assert dict(snapshot)[2] == 6 and 6 in clocks and len(set(clocks.values())) == 1, clocks
        if SYSTEM_INFO in p:
            uname = message(message(p[SYSTEM_INFO])[1])
        if FTRACE_EVENTS in p:
            for cpu, ts, pid, kind, event in ftrace_events(p[FTRACE_EVENTS]):
                assert last.get(cpu, 0) <= ts, "the events of a CPU are in order"
                last[cpu] = ts
                if kind == 3:
                    prints.append((ts, text(message(event)[2]).rstrip("\n")))
                else:
                    events.append((ts, cpu, pid, f"{NAMES[kind]}: {payload(kind, event)}"))
        if TRACK_DESCRIPTOR in p:
            track = message(p[TRACK_DESCRIPTOR])
        if TRACK_EVENT in p:
            mark = message(p[TRACK_EVENT])
            assert mark[9] == 3 and mark[11] == track[1], "an instant on the track of marks"
            marks.append((p[TIMESTAMP], text(mark[23])))
        if PROCESS_TREE in p:
            for field, value in fields(p[PROCESS_TREE]):
                task = message(value)
                if field == 1:
                    processes[task[1]] = text(task[3])
                else:
                    threads[task[1]] = text(task[2])
                    assert task[3] == task[1]
    assert sorted(marks) == sorted(prints) and text(track[2]) == "marks", (marks, prints)
    assert processes == threads and 0 not in processes
    if len(sys.argv) == 2:
        print(f"clocks: {sorted(clocks)}", f"kernel: {text(uname[1])} {text(uname[3])} {text(uname[4])}", sep="\n")
        for _, mark in marks:
            print(f"mark: {mark!r}")
        for pid, name in sorted(processes.items()):
            print(f"{pid}: {name!r}")
        return
    lines = sorted((ts, cpu, pid, line) for cpu, ts, pid, line in text_events(sys.argv[2]))
    # Where there are no wakings in the trace, each wakeup is one too.
    if not any(line[3].startswith("sched_waking: ") for line in lines):
        events = [event for event in events if not event[3].startswith("sched_waking: ")]
    expected = [line for line in lines if line[3].split(":")[0] in NAMES.values()]
    assert len(events) == len(expected), (len(events), len(expected))
    for ours, theirs in zip(sorted(events), expected):
        assert ours == theirs, f"\n{ours}\n{theirs}"
    assert min(clocks.values()) == lines[0][0], "the clocks are those of the first event"
    named = {int(pid) for *_, line in expected for pid in re.findall(r"pid=(-?\d+) ", line)}
    assert processes and set(processes) <= named, "processes are tasks of the trace"
    print(len(events))


main()
