#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes descriptions of a dataset of picknext build, from its dataset_meta.json and the SHA-256 of its CSV files.

The files are written beside the CSV files: README.md, a dataset card with a configuration per split (for Hugging Face);
croissant.json, the columns and files in JSON-LD (Croissant 1.1; valid with --creators and --url); with creators also
CITATION.cff, how to cite the dataset.
"""
import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

PARTS = ("train", "test_seen", "test_unseen")
FILES = (*PARTS, "all")
SUMMARY = "Decisions of the Linux scheduler, recorded by picknext from the kernel's tracepoints."
LICENSE = "CC-BY-4.0"


def rows_of(meta, name):
    return meta["total_events" if name == "all" else name + "_events"]


def file_sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


# --- CITATION.cff ---

NAME_KEYS = ("given-names", "name-particle", "family-names", "name-suffix", "name")
LINE = re.compile(r"( *)(- *)?(?:([a-z-]+): *(.*))?")
# A text of one line, in double or single quotes or in none, and a comment.
TEXT = re.compile(r"""(?:"((?:[^"\\]|\\.)+)"|'((?:[^']|'')+)'|([^"'|>&*!{\[%@`#].*?))(?: +#.*)?""")


def read_citation(path):
    """(creators, {url, doi, license}) of a CITATION.cff. A license of a program is ignored."""
    authors, found, in_authors, license_line = [], {}, False, None

    def text(value, number):
        match = TEXT.fullmatch(value or "")
        if not match:
            sys.exit(f"{path}: line {number}: is not a text of one line")
        double, single, plain = match.groups()
        return re.sub(r"\\(.)", r"\1", double) if double else single.replace("''", "'") if single else plain

    for number, line in enumerate(Path(path).read_text(encoding="utf-8").split("\n"), 1):
        line = line.rstrip(" \r")
        indent, item, key, value = LINE.match(line).groups()
        if not line or line.lstrip().startswith("#"):
            continue
        if not indent and not item:
            in_authors = key == "authors"
            if in_authors and value and not value.startswith("#"):
                sys.exit(f"{path}: line {number}: authors are not a list with a line for each")
            if key in ("url", "doi", "type"):
                found[key] = text(value, number)
            elif key in ("license", "license-url"):
                license_line = value, number
        elif in_authors:
            if item or not authors:
                authors.append({})
            if key in NAME_KEYS:
                authors[-1][key] = text(value, number)
    creators = [" ".join(author[key] for key in NAME_KEYS if key in author) for author in authors]
    if not any(creators):
        sys.exit(f"{path}: has no authors with a name")
    if found.pop("type", None) == "dataset" and license_line:
        found["license"] = text(*license_line)
    return [name for name in creators if name], found


def quote(text):
    """A text of YAML."""
    return "'" + re.sub(r"[\0-\x1f]", " ", text).replace("'", "''") + "'"


def citation(meta, about):
    license_key = "license-url" if "://" in about["license"] else "license"
    return "\n".join([
        "cff-version: 1.2.0", "message: If you use this dataset, please cite it.", "type: dataset",
        "title: " + quote(f"Linux scheduler {meta['rows_of']}, recorded by picknext"), "authors:",
        *("- name: " + quote(name) for name in about["creators"]), f"{license_key}: {quote(about['license'])}",
        *(f"{key}: {quote(about[key])}" for key in ("url", "doi") if about[key]),
        "version: 1.0.0", f"date-released: {meta['created_at'][:10]}", ""])


# --- croissant.json ---

TERMS = """arrayShape citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isArray
isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source
subField transform""".split()
CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo",
    **{term: "cr:" + term for term in TERMS}, "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "examples": {"@id": "cr:examples", "@type": "@json"}}
# A list has the type of its values, among which may be "-".
TYPES = {"integer": "sc:Integer", "real": "sc:Float", "seconds": "sc:Float"}


def field(part, name, kind, meaning):
    is_list = kind in ("texts", "integers")
    return {"@type": "cr:Field", "@id": f"{part}/{name}", "name": name, "description": meaning,
            "dataType": TYPES.get(kind, "sc:Text"), **({"isArray": True, "arrayShape": "-1"} if is_list else {}),
            "source": {"fileObject": {"@id": part + ".csv"}, "extract": {"column": name},
                       **({"transform": {"separator": " "}} if is_list else {})}}


def croissant(meta, about, hashes):
    origin = {"license": about["license"] if "://" in about["license"] else "https://spdx.org/licenses/" + about["license"]}
    if about["url"]:
        origin["url"] = about["url"]
    if about["doi"]:
        origin["identifier"] = "https://doi.org/" + about["doi"]
    if about["creators"]:
        origin["creator"] = [{"@type": "sc:Person", "name": name} for name in about["creators"]]
        origin["citeAs"] = (
            f"@misc{{picknext-{meta['rows_of']}, title={{Linux scheduler {meta['rows_of']}}}, "
            f"author={{{' and '.join(about['creators'])}}}, year={{{meta['created_at'][:4]}}}"
            + "".join(f", {key}={{{about[key]}}}" for key in ("doi", "url") if about[key]) + "}")
    columns = list(zip(meta["csv_columns"], meta["column_types"], meta["column_meanings"]))
    return {
        "@context": CONTEXT, "@type": "sc:Dataset", "name": "linux-scheduler-" + meta["rows_of"], "description": SUMMARY,
        "conformsTo": "http://mlcommons.org/croissant/1.1", **origin, "datePublished": meta["created_at"], "version": "1.0.0",
        "isLiveDataset": False,
        "distribution": [
            {"@type": "cr:FileObject", "@id": name + ".csv", "name": name + ".csv", "contentUrl": name + ".csv",
             "contentSize": f"{meta['files'][name + '.csv']['bytes']} B", "encodingFormat": "text/csv", "sha256": hashes[name]}
            for name in FILES],
        "recordSet": [
            {"@type": "cr:RecordSet", "@id": part, "name": part, "description": meta["row_meaning"],
             "field": [field(part, *column) for column in columns]}
            for part in PARTS]}  # all.csv repeats them


# --- README.md ---

def code(text):
    return "`" + re.sub(r"[`\r\n]", "'", text) + "`"


def plain(text):
    """A text of JSON as text of Markdown: no markup, no other line, no other cell."""
    return re.sub(r"[&<>|\[\]`*]", lambda found: f"&#{ord(found[0])};", re.sub(r"[\0-\x1f\x7f]", " ", str(text)))


NUMBERS = {"rows", "bytes", "traces", *PARTS}


def table(titles, lines):
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "".join("--:|" if title in NUMBERS else ":--|" for title in titles)
    for line in lines:
        yield "| " + " | ".join("" if cell is None else plain(cell) for cell in line) + " |"
    yield ""


def yaml(meta, about):
    size = next((name for limit, name in ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"),
                                          (10**7, "1M<n<10M")) if rows_of(meta, "all") < limit), "n>10M")
    yield from ("---", "configs:", "- config_name: default", "  data_files:")
    for part in PARTS:
        if rows_of(meta, part):
            yield from (f"  - split: {part}", f"    path: {part}.csv")
    yield from (f"pretty_name: Linux scheduler {meta['rows_of']}", "tags:", "- linux", "- scheduler", "- picknext",
                "size_categories:", f"- {size}")
    # The card's list has identifiers in small letters; others are named by a link.
    yield from (["license: cc-by-4.0"] if about["license"] == LICENSE
                else ["license: other", "license_name: " + quote(about["license"])])
    yield from ("---", "")


def origin(meta):
    """The commands that recorded the traces, with their seeds, and the command that made rows of them."""
    yield from ("## How it was made", "",
                f"Rows, by picknext {plain(meta['picknext_version'])} (commit {code(str(meta['picknext_commit']))}):", "",
                "    picknext " + re.sub(r"[\0-\x1f]", " ", meta["build_command"] or "build"), "", "Traces:", "")
    yield from table(("command", "picknext", "seeds", "traces"),
                     ((recording["command"] or "unknown", recording["picknext_version"] or "unknown", recording["seeds"],
                       recording["traces"]) for recording in meta["recordings"]))


def times(traces):
    simulated = sum(trace["virtual_time"] for trace in traces)
    yield from ("## Times", "")
    if simulated:
        yield (f"**Time is virtual in {simulated} of {len(traces)} traces**: they are of deterministic guests, in which QEMU counts "
               "instructions, one per nanosecond. There are no caches, no memory latency and no other load. The decisions "
               "are those of this kernel at these times; durations, and values derived from them, do not carry "
               "over to machines. The same kernel, picknext, QEMU and seed give the same rows.")
        yield ""
    if simulated < len(traces):
        yield (f"Times in {len(traces) - simulated} of {len(traces)} traces are those of a clock: another run gives other rows.")
        yield ""


def rows_in(trace, part):
    return trace["events"] if trace["split"] == part else trace.get(part + "_events", 0)


def kernels_and_rows(traces):
    keys = ("kernel", "kernel_version", "kernel_sha256", "qemu_version", "qemu_sha256", "initramfs_sha256", "accelerator")
    yield from ("## Kernels", "")
    yield from table(("kernel", "build", "SHA-256 of its image", "QEMU", "SHA-256 of QEMU", "SHA-256 of the initramfs",
                      "accelerator"), dict.fromkeys(tuple(trace[key] for key in keys) for trace in traces))
    cells = {}
    for trace in traces:
        cell = tuple(trace[key] for key in ("workload_type", "kernel", "scheduler", "set_label"))
        counts = cells.setdefault(cell, [0] * len(PARTS))
        for number, part in enumerate(PARTS):
            counts[number] += rows_in(trace, part)
    yield from ("## Rows", "")
    yield from table(("workload", "kernel", "scheduler", "label", *PARTS), ((*cell, *counts) for cell, counts in cells.items()))


def limits(meta):
    rows = rows_of(meta, "all")
    text = f"{rows} of {meta.get('rows_found', rows)} rows are in it"
    for key, whose in (("max_rows_per_trace", "trace"), ("max_rows_per_workload", "workload under one kernel and scheduler")):
        if meta.get(key):
            text += f", at most {meta[key]} of each {whose}"
    if rows < meta.get("rows_found", rows):
        text += (f"; a sample of {meta['decisions_taken']} of {meta['decisions_found']} decisions, each with all its rows, "
                 "drawn by the split seed")
    return text + ". At most 64 candidates are listed."


def datasheet(meta, about):
    """The questions of "Datasheets for Datasets" (Gebru et al.) that have an answer."""
    answers = {
        "Why?": "To compare what schedulers of Linux decide, and to train and test models of them.",
        "What is a row?": plain(meta["row_meaning"]) + " Each is what the kernel's tracepoints reported; nothing was labelled by hand.",
        "What is missing?": "Tasks without an event so far, and effects of lost events: such values are empty, and dataset_meta.json "
                            "counts them.",
        "Is it split?": "By whole traces, so that no trace is in two files"
                        + (" unless the split is reported as leaky." if meta["task"] == "switch" else "."),
        "Is anything about people in it?": "Names of tasks, of the workloads and of the machine they ran on. Rows of guests have no "
                                           "others.",
        "What should it not be used for?": "Statements about the speed of machines or of kernels in use.",
        "How was it made?": f"See above; the split seed is {meta['seed']}.",
        "Which limits does it have?": limits(meta),
        "Under which license?": code(about["license"]) + ".",
        "By whom?": about["creators"] and ", ".join(map(code, about["creators"])) + ".",
        "Where is it?": about["url"] and code(about["url"]) + ".",
        "Under which DOI?": about["doi"] and code(about["doi"]) + "."}
    yield from ("## Datasheet", "")
    yield from (f"- **{question}** {answer}" for question, answer in answers.items() if answer)
    yield ""


def readme(meta, about, hashes):
    yield from yaml(meta, about)
    yield from (f"# Linux scheduler {meta['rows_of']}", "", SUMMARY, "")
    yield from table(("file", "rows", "bytes", "SHA-256"), ((name + ".csv", rows_of(meta, name), meta["files"][name + ".csv"]["bytes"],
                                                            hashes[name]) for name in FILES))
    held_out = ": " + code(meta["held_out"]) if meta["held_out"] else ""
    yield ("Each trace is in one file only. test_seen.csv has other traces of the same kinds as train.csv; test_unseen.csv has those "
           f"held out{held_out}. all.csv has the rows of all three. dataset_meta.json lists the traces and describes the split.")
    yield ""
    yield from origin(meta)
    yield from times(meta["traces"])
    yield from kernels_and_rows(meta["traces"])
    yield from ("## Columns", "")
    yield from table(("column", "unit", "meaning"), zip(meta["csv_columns"], meta["column_units"], meta["column_meanings"]))
    yield from datasheet(meta, about)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--citation", metavar="FILE",
                        help="a CITATION.cff: authors, url, doi, license of a dataset; the other options override it")
    parser.add_argument("--license", metavar="ID", help=f"license of the data: an SPDX identifier or a URL (default: {LICENSE})")
    parser.add_argument("--creators", metavar="NAME,...", help="who made the dataset")
    parser.add_argument("--url", help="web page of the dataset")
    parser.add_argument("--doi", help="DOI of the dataset, such as 10.5281/zenodo.1")
    parser.add_argument("directory", metavar="DIR")
    given = parser.parse_args()
    try:
        creators, found = read_citation(given.citation) if given.citation else ([], {})
        if given.creators:
            creators = [name for name in re.split("[, ]*,[, ]*", given.creators.strip(", ")) if name]
        about = {"creators": creators, **{key: getattr(given, key) or found.get(key) for key in ("license", "url", "doi")}}
        about["license"] = about["license"] or LICENSE
        directory = Path(given.directory)
        meta = json.loads((directory / "dataset_meta.json").read_text(encoding="utf-8"))
        hashes = {name: file_sha256(directory / (name + ".csv")) for name in FILES}
        texts = {"README.md": "\n".join(readme(meta, about, hashes)),
                 "croissant.json": json.dumps(croissant(meta, about, hashes), indent=2, ensure_ascii=False) + "\n",
                 **({"CITATION.cff": citation(meta, about)} if creators else {})}
        for name, text in texts.items():
            (directory / name).write_text(text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        sys.exit(f"{problem}")
    except (ValueError, KeyError) as problem:
        sys.exit(f"{given.directory}: dataset_meta.json is not one of this picknext's build: {problem!r}")


if __name__ == "__main__":
    main()
