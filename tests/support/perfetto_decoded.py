#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfetto_decoded.py TEXT <DECODED: what protoc made of a Perfetto trace (--decode, with perfetto.proto) against TEXT, the
same trace by picknext export --ns. Prints, for each kind, how many there were."""
import collections
import re
import sys

STATES = "SDTtXZPI"
TOKEN = re.compile(r'(\w+)(?:: ("(?:[^"\\]|\\.)*"|\S+))?( \{)?$')


def value_of(text):
    if text[0] != '"':
        return text
    raw = re.sub(rb'\\(\d{3}|.)', lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else
                 {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(m[1], m[1]), text[1:-1].encode())
    return raw.decode("utf-8")  # strictly: anything else is an error


def parse(lines):
    """Nested messages as lists of (name, value), where a value is a list too for a message."""
    root, stack = [], []
    at = root
    for line in lines:
        line = line.strip()
        if line == "}":
            at = stack.pop()
            continue
        match = TOKEN.match(line)
        assert match and not match[1].isdigit(), f"a field that the schema does not have: {line}"
        name, value, message = match.groups()
        if message:
            inner = []
            at.append((name, inner))
            stack.append(at)
            at = inner
        else:
            at.append((name, value_of(value)))
    assert not stack
    return root


def state_text(value):
    value = int(value)
    letters = "|".join(letter for bit, letter in enumerate(STATES) if value >> bit & 1)
    return (letters or "R") + ("+" if value & 0x100 else "")


def event_line(kind, fields):
    e = dict(fields)
    if kind == "sched_switch":
        return (f"prev_comm={e['prev_comm']} prev_pid={e['prev_pid']} prev_prio={e['prev_prio']} "
                f"prev_state={state_text(e['prev_state'])} ==> next_comm={e['next_comm']} next_pid={e['next_pid']} "
                f"next_prio={e['next_prio']}")
    if kind == "sched_migrate_task":
        return f"comm={e['comm']} pid={e['pid']} prio={e['prio']} orig_cpu={e['orig_cpu']} dest_cpu={e['dest_cpu']}"
    return f"comm={e['comm']} pid={e['pid']} prio={e['prio']} target_cpu={int(e['target_cpu']):03}"


def text_lines(path):
    data = open(path, "rb").read()
    head = re.compile(rb"^.{16}-(\d+) +\[(\d+)\] \S{5} +(\d+)\.(\d{9}): (\w+): ", re.M | re.S)
    heads = list(head.finditer(data))
    for this, following in zip(heads, heads[1:] + [None]):
        body = data[this.end():following.start() if following else len(data)]
        body = re.sub(rb"(?:CPU:\d+ \[LOST [^\]]*\]\n|##### CPU \d+ buffer started ####\n)+$", b"", body)
        pid, cpu, seconds, nanoseconds, kind = this.groups()
        yield (int(seconds + nanoseconds), int(cpu), int(pid), kind.decode(), body[:-1].decode("utf-8", "replace"))


def main():
    packets = [value for name, value in parse(sys.stdin)]
    events, marks, names, seen, counts = [], [], {}, set(), collections.Counter()
    for packet in packets:
        for name, value in packet:
            counts[name] += isinstance(value, list)
            if name == "ftrace_events":
                cpu = int(dict(value)["cpu"])
                counts["lost_events"] += dict(value).get("lost_events") == "true"
                for event in (inner for field, inner in value if field == "event"):
                    [(kind, fields)] = [(k, v) for k, v in event if isinstance(v, list)]
                    e = dict(event)
                    counts[kind] += 1
                    if kind == "print":
                        marks.append((int(e["timestamp"]), dict(fields)["buf"].rstrip("\n")))
                    else:
                        seen.update(number for field, number in fields if field.endswith("pid"))
                        events.append((int(e["timestamp"]), cpu, int(e["pid"]), kind, event_line(kind, fields)))
            elif name == "process_tree":
                for kind, task in value:
                    task = dict(task)
                    if kind == "threads":
                        assert task["tid"] == task["tgid"] and names[task["tid"]] == task["name"], task
                    else:
                        names[task["pid"]] = task["cmdline"]
            elif name == "clock_snapshot":
                assert dict(value)["primary_trace_clock"] == "BUILTIN_CLOCK_BOOTTIME"
                clocks = [dict(clock) for field, clock in value if field == "clocks"]
            elif name == "system_info":
                kernel = dict(dict(value)["utsname"])
            elif name == "track_event":
                assert dict(value)["type"] == "TYPE_INSTANT"
                counts["moves"] += dict(value)["name"].startswith("moves from CPU ")
    lines = list(text_lines(sys.argv[1]))
    # Where there are no wakings in the trace, each wakeup is one too.
    if not any(line[3] == "sched_waking" for line in lines):
        lines += [line[:3] + ("sched_waking", line[4]) for line in lines if line[3] == "sched_wakeup"]
    expected = [line for line in lines if line[3] in (
        "sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_waking", "sched_migrate_task")]
    assert sorted(events) == sorted(expected), "the events are those of the text"
    written = [line for line in lines if line[3] == "tracing_mark_write"]
    assert sorted(marks) == sorted((ts, body) for ts, _, _, _, body in written), "the marks are those of the text"
    assert counts["track_event"] == len(written) + counts["moves"]
    assert counts["sched_migrate_task"] <= counts["moves"] <= counts["sched_migrate_task"] + counts["sched_wakeup_new"]
    assert {clock["clock_id"] for clock in clocks} >= {"6"} and len({clock["timestamp"] for clock in clocks}) == 1
    assert int(clocks[0]["timestamp"]) == min(lines)[0], "the clocks are set at the first event"
    assert seen - {"0"} == set(names), "every task is a process"
    print(f"kernel: {kernel['sysname']} {kernel['release']} {kernel['machine']}")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")


if __name__ == "__main__":
    main()
