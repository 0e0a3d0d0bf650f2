# SPDX-License-Identifier: MIT
"""One decision of a long trace with keys, beside reading all of it: a recorded trace, repeated to 10 million events."""
import gzip
import json
import struct
import subprocess

from bench_support import PICKNEXT, TOP, measure

EVENTS = 10_000_000
PAGE = 4096
QUESTIONS = {"at": "{end}", "switch": "{switches}", "task": "cpu-bound-166", "worst": "3"}


def repeat(source, times, path):
    """Each CPU's pages TIMES times, each time later by the length of SOURCE, a trace.dat of version 6."""
    at = source.index(b"flyrecord\0") + 10
    first = struct.unpack_from("<Q", source, at)[0]
    cpus, offset = [], first
    while offset < len(source):
        begin, size = struct.unpack_from("<QQ", source, at + 16 * len(cpus))
        cpus.append([source[page:page + PAGE] for page in range(begin, begin + size, PAGE)])
        offset = begin + size
    starts = [struct.unpack_from("<Q", page)[0] for pages in cpus for page in pages]
    span = max(starts) - min(starts) + 10_000_000
    header, offset = bytearray(source[:first]), first
    for number, pages in enumerate(cpus):
        struct.pack_into("<QQ", header, at + 16 * number, offset, len(pages) * PAGE * times)
        offset += len(pages) * PAGE * times
    with open(path, "wb") as file:
        file.write(header)
        for pages in cpus:
            for later in range(times):
                file.writelines(struct.pack("<Q", struct.unpack_from("<Q", page)[0] + later * span) + page[8:] for page in pages)


def counts(path):
    found = json.loads(subprocess.run([PICKNEXT, "stat", "--json", path], capture_output=True, check=True).stdout)
    return found["trace"]["events"], found["trace"]["duration_ns"], sum(row["switches"] for row in found["cpus"])


def run(bench):
    """one decision of a long trace"""
    source = gzip.decompress((TOP / "tests/golden/keys/6.12.dat.gz").read_bytes())
    path = bench.scratch / "keys.dat"
    repeat(source, 1, path)
    events, _, _ = counts(path)
    repeat(source, 20 if bench.quick else EVENTS // events + 1, path)
    events, duration_ns, switches = counts(path)
    whole = measure([PICKNEXT, "stat", path], bench.runs(5))
    known = {"end": f"{duration_ns / 1e9 * 0.95:.3f}", "switches": int(switches * 0.95)}
    for option, value in QUESTIONS.items():
        ours = measure([PICKNEXT, "why", "--" + option, value.format(**known), path], bench.runs(5))
        row = bench.add(f"`why --{option}`, {events / 1e6:.1f} M events", f"{ours.cpu():.2f} s", f"picknext stat: {whole.cpu():.2f} s",
                        whole.cpu() / max(ours.cpu(), 0.001), None, ours.cpu_s)
        bench.goal(row, "≤ 1 s", ours.cpu() <= 1)
    path.unlink()
