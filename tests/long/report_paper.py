#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_paper.py PAGE LEAST MOST: what must hold of PAGE when Chromium prints it, on A4 and on US letter, for a reader
who likes the dark: so many sheets, all of it there, nothing cut, off the margins, too small or nearly empty."""
import collections
import html
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from chromium import Chromium  # noqa: E402

POINTS = 72
MARGIN = 12 / 25.4 * POINTS  # of @page, in points; that at the foot is wider
DOTS = 36  # of a picture, per inch

# The x axis of a chart stands at its foot: it is on the sheet of the chart's title.
AXES = {
    "Wakeup latency": "woken to running, all",
    "Preempted waits": "preempted to running",
    "Switches before a woken task runs": "switches of its CPU",
    "Slices": "switched in to switched out",
}
WORD = re.compile(r'<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*?)</word>')


def sheets_of(path):
    """Of each sheet: its size and words, each with its box."""
    text = subprocess.run(["pdftotext", "-bbox", path, "-"], check=True, capture_output=True, text=True).stdout
    sheets = []
    for sheet in text.split("<page ")[1:]:
        size = [float(value) for value in re.search(r'width="(\S+)" height="(\S+)"', sheet).groups()]
        words = [([float(value) for value in word[:4]], html.unescape(word[4])) for word in WORD.findall(sheet)]
        sheets.append((size, words, " ".join(" ".join(word for _, word in words).split())))
    return sheets


def check_words(number, size, words):
    for box, word in words:
        assert box[0] >= MARGIN - 1 and box[2] <= size[0] - MARGIN + 1, (number, "beside the margins", word, box)
        assert box[1] >= MARGIN - 4 and box[3] <= size[1] - 10, (number, "above or below the margins", word, box)
        assert box[3] - box[1] >= 6, (number, "too small", word, box)


def check_pictures(path, count, least):
    """Ink: none in the margins, no sheet that is dark, and none but the last that is filled less than the
    least share."""
    subprocess.run(["pdftoppm", "-gray", "-r", str(DOTS), path, path], check=True)
    pictures = sorted(name for name in os.listdir(os.path.dirname(path)) if name.endswith(".pgm"))
    assert len(pictures) == count
    for number, name in enumerate(pictures):
        name = os.path.join(os.path.dirname(path), name)
        with open(name, "rb") as file:
            _, width, height, _, dots = file.read().split(maxsplit=4)
        os.remove(name)
        width, height = int(width), int(height)
        rows = [dots[at:at + width] for at in range(0, width * height, width)]
        assert sum(dots) / len(dots) > 200, (number, "is dark")
        margin = int((MARGIN - 3) * DOTS / POINTS)
        assert min(min(row[:margin] + row[-margin:]) for row in rows) > 250, (number, "ink in the margins")
        foot = int(height - 13 / 25.4 * DOTS)
        last = max(at for at in range(foot) if min(rows[at]) < 200)
        assert number + 1 == count or last > least * height, (number, "is empty from", last, height)


def check_sheets(sheets, titles, labels, opened):
    whole = " ".join(text for _, _, text in sheets)
    for title in titles:
        assert title in whole, title
    for number, (size, words, text) in enumerate(sheets):
        check_words(number, size, words)
        for title, axis in AXES.items():
            # "Wakeup latency p50" is another chart.
            found = len(re.findall(re.escape(title) + r"(?! p\d)", text))
            assert found == text.count(axis) or title == "Slices", (number, "cut", title, text)
        assert f"{number + 1} / {len(sheets)}" in text, (number, "has no number")
        rows = [label for label in labels if any(label == word for _, word in words)]
        assert not rows or any(word == "metric" for _, word in words), (number, "rows without headings", rows)
    assert ("p99.9" in whole) == opened, "values that are folded"
    assert "Summary" in sheets[0][2] and " throughput " in sheets[0][2] + sheets[1][2]


def main():
    page, least, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with Chromium() as browser, tempfile.TemporaryDirectory() as directory:
        browser.allow_scripts(False)
        browser.view(1280, dark=True)
        browser.open(page)
        labels = ["starvation", "imbalance", "queue"]  # of rows of the tables of metrics
        counts = collections.Counter()
        for opened in (False, True):
            if opened:
                browser.evaluate('document.querySelectorAll("details.f").forEach(details => details.open = true)')
            # Charts that are folded are not printed.
            titles = browser.evaluate('[...document.querySelectorAll("svg>title")].filter(title => !title.closest('
                                      '"details.f:not([open])")).map(title => title.textContent.replace(/\\s+/g, " "))')
            for paper, width, height in (("a4", 8.27, 11.69), ("letter", 8.5, 11)):
                path = os.path.join(directory, "print.pdf")
                browser.pdf(path, width, height)
                sheets = sheets_of(path)
                counts[paper, opened] = len(sheets)
                assert opened or least <= len(sheets) <= most, (paper, len(sheets))
                try:
                    check_sheets(sheets, titles, labels, opened)
                    check_pictures(path, len(sheets), 0.4 if opened else 0.6)
                except AssertionError as error:
                    raise AssertionError(paper, "opened" if opened else "folded", *error.args) from None
        print(dict(counts))


main()
