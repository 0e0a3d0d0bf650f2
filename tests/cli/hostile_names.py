#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_names.py FORMAT FILE: what a command printed of a trace whose tasks have odd names, as text, json or csv.

Text holds nothing that steers a terminal, JSON and CSV parse, and every name in them is one that the trace has."""
import csv
import io
import json
import sys

NAMES = [
    b'a,"b', b"=cmd|x", b"\n prev_pid=1", b"<script>&", b"\x1b[2J\t\r", b"\xff\xfe\xc3(\xa0\xf0\x9f",
    b"caf\xc3\xa9 \xe4\xb8\x96",
]
USUAL = [b"swapper/%d" % cpu for cpu in range(3)] + [b"<...>", b"<idle>", b""]


def replaced(name):
    """Each byte that is not UTF-8 as U+FFFD."""
    text, at = "", 0
    while at < len(name):
        for end in range(min(len(name), at + 4), at, -1):
            try:
                part = name[at:end].decode()
            except UnicodeDecodeError:
                continue
            if len(part) == 1:
                break
        else:
            part, end = "\ufffd", at + 1
        text, at = text + part, end
    return text


def is_name_key(key):
    return key.split("_")[-1] in ("comm", "task")


def check_text(data):
    for byte in data:
        assert byte in (0x0A, 0x09) or (byte >= 0x20 and byte != 0x7F), f"byte {byte:#x}"
    data.decode()


def check_json(data):
    known = {replaced(name) for name in NAMES + USUAL}
    seen = set()

    def walk(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                if isinstance(inner, str) and is_name_key(key):
                    seen.add(inner)
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    documents = [json.loads(data.decode())] if data.lstrip()[:1] in (b"{", b"[") else []
    for document in documents:
        walk(document)
    assert documents and seen <= known, sorted(seen - known)
    return seen


def check_csv(data):
    known = {name.decode("latin-1") for name in NAMES + USUAL}
    rows = list(csv.reader(io.StringIO(data.decode("latin-1"), newline="")))
    header = rows[0]
    seen = set()
    for row in rows[1:]:
        assert len(row) == len(header), row
        seen |= {value for key, value in zip(header, row) if is_name_key(key)}
    assert seen <= known, sorted(seen - known)
    return seen


def main():
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    seen = {"text": check_text, "json": check_json, "csv": check_csv}[sys.argv[1]](data)
    print(len(seen) if seen is not None else len(data))


main()
