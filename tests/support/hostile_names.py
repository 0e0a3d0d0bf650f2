#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_names.py KIND FILE...: whether the task names of `make_trace FILE hostile` came through an output whole.
KIND csv: FILE has them in the columns that are named behind it. json: FILE is JSON and UTF-8. plain: FILE holds no byte
that a terminal obeys. same: two CSV files say the same of all columns but the times."""
import csv
import json
import sys

NAMES = [
    b"a,b", b"=cmd|' /C c'!A0", b"@SUM(1)", b'"', b'"","', b"two\nlines", b"\r\n", b"\n", b" prev_pid=1", b" ==> next_comm=",
    b"<script>", b"</script>&amp;", b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xc0\xc1\xf5\x80\x81\xed\xa0", b"caf\xc3\xa9",
    b"\x1b[31mred\x1b[2J", b"\x07\x08\x7f\t", b"\xc2\x9b31m", b"%s%n%999999d", b"'; rm -rf /'", b'\\n\\"\\x41', b"<...>",
    b"..", b" ",
]


def rows(path):
    return list(csv.reader(open(path, encoding="latin-1", newline=""), strict=True))


def check_csv(path, *columns):
    header, *body = rows(path)
    assert body and all(len(row) == len(header) for row in body), "a row has another number of fields"
    for column in columns:
        at = header.index(column)
        seen = {row[at].encode("latin-1") for row in body}
        assert set(NAMES) <= seen, (column, set(NAMES) - seen)
        assert seen <= set(NAMES) | {b""}, (column, seen - set(NAMES))


def check_plain(path):
    data = open(path, "rb").read().replace(b"\r\n", b"\n")
    assert data
    text = data.decode("utf-8")
    bad = {c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160}
    assert not bad, bad


def check_same(left, right):
    def of(path):
        return [row[2:7] for row in rows(path)]
    assert of(left) == of(right) and len(of(left)) > 20


kind, *arguments = sys.argv[1:]
{"csv": check_csv, "json": lambda path: json.loads(open(path, "rb").read().decode("utf-8")), "plain": check_plain,
 "same": check_same}[kind](*arguments)
