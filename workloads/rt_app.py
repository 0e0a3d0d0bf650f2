#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a mix (picknext help mixes) that does what a file of rt-app does, as far as a mix can.

workloads/rt_app.py load.json >load.mix; picknext vm -k 6.12 -w mix:load.mix

Supported: tasks with run, sleep or timer (ref unique), instance, policy, priority, cpus, dl-runtime, dl-period,
dl-deadline, loop -1 and one phase; duration and default_policy of global. Anything else is an error that names it.
Numbers have the limits of picknext.
"""
import json
import re
import sys
from pathlib import Path

POLICIES = {"SCHED_OTHER": "other", "SCHED_BATCH": "batch", "SCHED_IDLE": "idle", "SCHED_FIFO": "fifo", "SCHED_RR": "rr",
            "SCHED_DEADLINE": "deadline"}
# Settings of rt-app's logs and calibration do not change what its tasks do.
ABOUT_LOGS = ("calibration", "ftrace", "gnuplot", "logdir", "log_basename", "log_size", "lock_pages")
TIMES = {"run": "run", "sleep": "sleep", "dl-runtime": "budget", "dl-deadline": "deadline", "dl-period": "every"}
NAME = r"[A-Za-z][\w+.-]{0,%d}"


class Refused(Exception):
    pass


def refuse(where, key, why="is not supported with this value, or not here"):
    raise Refused(f'{where}"{key}" {why}')


def without_doubles(pairs):
    for number, (key, _) in enumerate(pairs):
        if any(key == before for before, _ in pairs[:number]):
            refuse("", key, "is given twice")
    return dict(pairs)


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def time(microseconds):
    """The time in the form of mixes; "" if it is not a time."""
    if isinstance(microseconds, bool) or not isinstance(microseconds, (int, float)) or not 1 <= microseconds <= 1e8:
        return ""
    ns = int(microseconds * 1000)
    return next(f"{ns // size}{unit}" for size, unit in ((10**9, "s"), (10**6, "ms"), (1000, "us"), (1, "ns")) if ns % size == 0)


def word(key, value, policy, words):
    """(word of a mix, its value); "" if the key has no meaning in a mix."""
    if key == "instance" and is_whole(value) and value >= 1:
        return "count", str(value)
    if key == "priority" and is_whole(value):
        return "priority" if policy in ("fifo", "rr") else "nice", str(value)
    if key == "cpus" and isinstance(value, list) and all(is_whole(cpu) and cpu >= 0 for cpu in value):
        return "cpus", "+".join(map(str, value))
    if key == "timer" and isinstance(value, dict) and set(value) == {"ref", "period"} and value["ref"] == "unique":
        return "every", time(value["period"])
    # A cycle of a mix begins with its run.
    if key in TIMES and not (key == "run" and {"run", "sleep", "every"} & set(words)):
        return TIMES[key], time(value)
    return "", ""


def role(name, task, policy):
    if not re.fullmatch(NAME % 14, name) or not isinstance(task, dict):
        refuse("", name, "is not a task with a name of at most 15 letters, digits and _-+.")
    phases = task.get("phases", {"": {}})
    if not isinstance(phases, dict) or len(phases) != 1 or not isinstance(*phases.values(), dict):
        refuse(f"{name}: ", "phases", "has several phases")
    given = [*task.items(), *next(iter(phases.values())).items()]
    for policy_name in (value for key, value in given if key == "policy"):
        policy = POLICIES.get(str(policy_name)) or refuse(f"{name}: ", "policy", "is not one of " + ", ".join(POLICIES))
    words = {}
    for key, value in given:
        if key in ("phases", "policy") or (key == "loop" and value == -1):
            continue
        mix_word, text = word(key, value, policy, words)
        if not text:
            refuse(f"{name}: ", key)
        if key == "dl-period" and words.get("every", text) != text:
            refuse(f"{name}: ", key, "differs from the period of the timer")
        words[mix_word] = text
    if policy != "other":
        words["policy"] = policy
    return " ".join([words.pop("count", "1"), name, *(f"{key}={text}" for key, text in words.items())])


def mix(document, path):
    """The lines of a mix, whose name is that of the file."""
    if not isinstance(document, dict) or not document.get("tasks"):
        refuse("", "tasks", "is lacking: this is not a file of rt-app")
    for key, value in document.items():
        if key not in ("tasks", "global") or not isinstance(value, dict):
            refuse("", key)
    label, policy = path.name.split(".")[0], "other"
    if re.fullmatch(NAME % 30, label):
        yield f"name {label}"
    for key, value in document.get("global", {}).items():
        if key == "duration" and isinstance(value, (int, float)) and 1 <= value <= 1000:
            yield f"for {value}s"
        elif key == "default_policy" and str(value) in POLICIES:
            policy = POLICIES[value]
        elif key not in ABOUT_LOGS:
            refuse("global: ", key)
    for name, task in document["tasks"].items():
        yield role(name, task, policy)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    path = Path(sys.argv[1])
    try:
        lines = list(mix(json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=without_doubles), path))
    except (OSError, ValueError, Refused) as problem:
        sys.exit(f"{path}: {problem}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
