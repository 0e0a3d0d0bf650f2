#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a copy of a kernel of build_kernel.py in which one bug is selected.

select_bug.py VMLINUX NAME|NUMBER [--reached] -o FILE      (base selects none)

With --reached nothing is changed, but a line of the kernel's log reports that the code of the bug was reached.
"""
import argparse
import json
import shutil
import struct
import sys
from pathlib import Path

MAGIC = "picknext bug number: "
OFFSET = 24
REACHED = 1 << 16  # added to the number


def number_of(image, name):
    if name == "base":
        return 0
    numbers = json.loads(Path(f"{image}.json").read_text(encoding="utf-8"))
    return int(name) if name.isdigit() else numbers[name]


def select(image, name, output, is_probe=False):
    number = number_of(image, name) + REACHED * is_probe
    output.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(image, output)
    with open(output, "r+b") as file:
        data = file.read()
        at = data.find(MAGIC.encode())
        if at < 0 or data.find(MAGIC.encode(), at + 1) >= 0:
            raise ValueError(f"{image} has no selector, or several")
        file.seek(at + OFFSET)
        file.write(struct.pack("<i", number))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", type=Path)
    parser.add_argument("name")
    parser.add_argument("--reached", action="store_true", help="change nothing; report when the bug is reached")
    parser.add_argument("-o", dest="output", type=Path, required=True)
    options = parser.parse_args()
    try:
        select(options.image, options.name, options.output, options.reached)
    except (KeyError, ValueError, OSError) as problem:
        sys.exit(f"select_bug.py: {problem}")


if __name__ == "__main__":
    main()
