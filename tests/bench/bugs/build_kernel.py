#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds one kernel with all bugs of corpus.py in it, from Debian's linux-source package. A number in its data selects
one of them (select_bug.py); as built it is 0, which selects none.

build_kernel.py LINE -o DIR [-j JOBS] [--check]

LINE is 6.12 or 7.3. DIR/LINE is the tree, fetched if it is not there; the result is DIR/vmlinux-LINE, without debug information but with BTF, and
DIR/vmlinux-LINE.json with the number of each bug. A second call builds only what the corpus changed.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import corpus
from select_bug import MAGIC, REACHED

HERE = Path(__file__).resolve().parent
SHARED_CONFIG = HERE.parents[2] / "ci/kernel.config"
HEADER, HOME = "kernel/sched/sched.h", "kernel/sched/core.c"
DECLARATION = """
/* Selects one of the bugs of this kernel; 0 selects none. With REACHED added, it reports that the bug was reached, and changes nothing. */
struct picknext_selector { char magic[24]; int number; };
extern struct picknext_selector picknext_selector;
bool picknext_selected(int n);
#define picknext_bug(n) (unlikely((u16)READ_ONCE(picknext_selector.number) == (n)) && picknext_selected(n))
static inline void picknext_null(int steps)
{
	while (steps--)
		asm volatile("");
}
"""
DEFINITION = f"""
struct picknext_selector picknext_selector = {{ "{MAGIC}", 0 }};

notrace bool picknext_selected(int n)
{{
	static bool is_reported;

	if (READ_ONCE(picknext_selector.number) < {REACHED})
		return true;
	if (!is_reported) {{
		is_reported = true;
		printk_deferred("picknext: bug %d reached\\n", n);
	}}
	return false;
}}
"""


class CorpusError(Exception):
    pass


def function_span(text, function):
    """The first and last offset of a function's definition in kernel style: its name at the outermost level, its body
    up to a closing brace in the first column; the longest of several, since others are stubs. "" is the whole file."""
    if not function:
        return 0, len(text)
    spans = []
    for match in re.finditer(r"^(?![#\s/*}])[^\n;={}]*\b" + re.escape(function) + r"\(", text, re.M):
        body = re.compile(r"\)\s*(__must_hold\(.*\)\s*)?\n\{\n|;").search(text, match.end() - 1)
        if body and body.group() != ";":
            spans.append((match.start(), text.index("\n}\n", body.start()) + 3))
    if not spans:
        raise CorpusError(f"no definition of {function}")
    return max(spans, key=lambda span: span[1] - span[0])


def apply_edit(text, edit, number):
    begin, end = function_span(text, edit.function)
    count = text.count(edit.old, begin, end)
    if count != 1:
        raise CorpusError(f"{edit.function or 'file'} has {count} times {edit.old!r}")
    at = text.index(edit.old, begin, end)
    return text[:at] + re.sub(r"\bBUG\b", f"picknext_bug({number})", edit.new) + text[at + len(edit.old):]


def pristine(tree, path):
    """The text as it was unpacked."""
    kept = tree / f"{path}.pristine"
    if not kept.exists():
        kept.write_bytes((tree / path).read_bytes())
    return kept.read_text(encoding="utf-8")


def edited_files(tree, line, rows=corpus.ROWS):
    """{path: text} of the files that the bugs of this line change, and {name: number}."""
    texts, numbers = {}, {}

    def text_of(path):
        if path not in texts:
            texts[path] = pristine(tree, path)
        return texts[path]

    for path in (HEADER, HOME):
        text_of(path)
    wrong = []
    for number, bug in enumerate(rows, start=1):
        edits = bug.edits.get(line)
        if not edits:
            continue
        numbers[bug.name] = number
        for edit in edits:
            try:
                texts[edit.file] = apply_edit(text_of(edit.file), edit, number)
            except (CorpusError, OSError) as problem:
                wrong.append(f"{bug.name}: {edit.file}: {problem}")
    if wrong:
        raise CorpusError("\n".join(wrong))
    anchor = "\nDECLARE_PER_CPU_SHARED_ALIGNED(struct rq, runqueues);\n"
    if anchor not in texts[HEADER]:
        raise CorpusError(f"{HEADER} has no place for the selector")
    # The first use may precede the anchor, in an inline function of the header.
    at = texts[HEADER].index("\nstruct rq;\n")
    texts[HEADER] = texts[HEADER][:at] + DECLARATION + texts[HEADER][at:]
    texts[HOME] += DEFINITION
    return texts, numbers


def listed_rows(line):
    """The rows of a kernel, with their numbers and the functions of their edits, and which it has no code for."""
    of_line = [row for row in corpus.ROWS if row.edits.get(line)]
    yield f"{line}: {sum(not row.is_null for row in of_line)} bugs and {sum(row.is_null for row in of_line)} null changes apply"
    for number, row in enumerate(corpus.ROWS, start=1):
        edits = row.edits.get(line, ())
        where = ", ".join(dict.fromkeys(edit.function or Path(edit.file).name for edit in edits)) or f"not in {line}: {row.absent}"
        yield f"{number:4} {row.name + ' (held out)' * row.is_held_out:40} {where}"


def run(tree, *command):
    subprocess.run(command, cwd=tree, check=True, env={
        **os.environ, "KBUILD_BUILD_TIMESTAMP": "1970-01-01", "KBUILD_BUILD_VERSION": "1", "KBUILD_BUILD_USER": "picknext",
        "KBUILD_BUILD_HOST": "picknext"}, stdout=subprocess.DEVNULL)


def configure(tree):
    shared = [row for row in SHARED_CONFIG.read_text(encoding="utf-8").splitlines() if re.match(r"CONFIG_\w+=y$", row)]
    fragment = "\n".join(shared) + "\n" + (HERE / "kernel.config").read_text(encoding="utf-8")
    kept = tree / "picknext.config"
    if kept.exists() and kept.read_text(encoding="utf-8") == fragment and (tree / ".config").exists():
        return
    kept.write_text(fragment, encoding="utf-8")
    run(tree, "make", "-s", "tinyconfig")
    run(tree, "scripts/kconfig/merge_config.sh", "-m", ".config", kept.name)
    run(tree, "make", "-s", "olddefconfig")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("line", choices=corpus.LINES)
    parser.add_argument("-o", dest="directory", type=Path, required=True)
    parser.add_argument("-j", dest="jobs", default="2")
    parser.add_argument("--check", action="store_true", help="only apply the edits to the tree's text, in memory, and list the rows")
    options = parser.parse_args()
    tree = options.directory / options.line
    if not (tree / "Kbuild").exists():
        subprocess.run([HERE / "fetch-source", options.line, "-o", tree], check=True)
    texts, numbers = edited_files(tree, options.line)
    if options.check:
        print("\n".join(listed_rows(options.line)))
        return
    for path, text in texts.items():
        if (tree / path).read_text(encoding="utf-8") != text:
            (tree / path).write_text(text, encoding="utf-8")
    configure(tree)
    run(tree, "make", "-s", f"-j{options.jobs}", "vmlinux")
    image = options.directory / f"vmlinux-{options.line}"
    subprocess.run(["strip", "--strip-debug", "-o", image, tree / "vmlinux"], check=True)
    Path(f"{image}.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    print(image)


if __name__ == "__main__":
    try:
        main()
    except (CorpusError, subprocess.CalledProcessError) as problem:
        sys.exit(f"build_kernel.py: {problem}")
