# SPDX-License-Identifier: MIT
"""losses_in_report.py RECORDING.json REPORT: every loss that the JSON tells of lies between two events of that CPU that
follow one another in `trace-cmd report -t`, with trace-cmd's own mark between them, or behind the CPU's last event."""
import json
import re
import sys

metadata = json.load(open(sys.argv[1]))
events = {}  # of each CPU: times
dropped = {}  # of each CPU: behind how many of them, and how many where it is told
for line in open(sys.argv[2], encoding="latin-1"):
    mark = re.match(r"CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]", line)
    event = re.match(r".*-\d+ +\[(\d+)\] +(\d+\.\d{9}): ", line)
    if mark:
        dropped.setdefault(int(mark[1]), {})[len(events.get(int(mark[1]), []))] = mark[2]
    elif event:
        events.setdefault(int(event[1]), []).append(event[2])

marked = 0
for loss in metadata["losses"]:
    times = events[loss["cpu"]]
    behind = len(times) - times[::-1].index("%.9f" % loss["after"])
    if behind == len(times):
        continue
    marked += 1
    told = dropped[loss["cpu"]][behind]
    assert told is None or int(told) == loss["events"], (loss, told)
    # A buffer that was full twice within one drain is told as one loss, up to the end of that drain.
    assert float(times[behind]) <= loss["before"] + 1e-9, (loss, times[behind])
assert marked == sum(len(marks) for marks in dropped.values()), (marked, dropped)
print(marked)
