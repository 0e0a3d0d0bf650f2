#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_text.py TRACE NAMES: records tasks with difficult names as collect_traces.py did, by reading the file
"trace", and writes which PID had which name, one "PID HEX" a line. The instance is private and removed again."""
import ctypes
import os
import sys
import time

NAMES = [b"a,b", b'say "hi"', b"two\nlines", b"\nlead", b"trail\n", b"\n\n\n", b"\r\n", b" prev_pid=1", b" next_pid=1 n",
         b" ==> next_comm=", b"#comment", b"\n#comment", b"\n# x\n-1 [0]", b"x-1 [000] d..2.", b"", b" ", b"\xff\xfe\x80",
         b"caf\xc3\xa9", b"pid=1\n pid=2", b"\n target_cpu=0", b"=", b"fifteen bytes !", b"\x1b[31mred", b"CPU:1 [LOST"]
TRACEFS = "/sys/kernel/tracing"
PR_SET_NAME = 15
libc = ctypes.CDLL(None, use_errno=True)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def sleeper(name):
    pid = os.fork()
    if pid:
        return pid
    libc.prctl(PR_SET_NAME, ctypes.c_char_p(name), 0, 0, 0)
    for _ in range(20):
        time.sleep(0.002)
    os._exit(0)


def record(instance):
    write(f"{instance}/buffer_size_kb", "8192")
    for event in ("sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task"):
        write(f"{instance}/events/sched/{event}/enable", "1")
    write(f"{instance}/tracing_on", "1")
    pids = [(sleeper(name), name) for name in NAMES]
    for pid, _ in pids:
        os.waitpid(pid, 0)
    write(f"{instance}/tracing_on", "0")
    with open(f"{instance}/trace", "rb") as file:
        return pids, file.read()


def main():
    # Other tests look for instances without an owner: this one has one, by its PID and name.
    libc.prctl(PR_SET_NAME, b"picknext-names", 0, 0, 0)
    instance = f"{TRACEFS}/instances/picknext-{os.getpid()}"
    os.mkdir(instance)
    try:
        pids, text = record(instance)
    finally:
        write(f"{instance}/events/enable", "0")
        os.rmdir(instance)
    with open(sys.argv[1], "wb") as file:
        file.write(text)
    with open(sys.argv[2], "w") as file:
        file.writelines(f"{pid} {name.hex()}\n" for pid, name in pids)


main()
