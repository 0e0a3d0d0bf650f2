#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/bench/bugs: the rows of the corpus, edits of a function, and the number that selects a bug. No kernel is built.

bats_require_minimum_version 1.5.0

setup() {
	export PYTHONDONTWRITEBYTECODE=1
	BUGS=${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}/tests/bench/bugs
	cd "$BATS_TEST_TMPDIR" || return 1
}

in_python() { # code on standard input, with the modules of the corpus and of the benchmarks
	PYTHONPATH=$BUGS:$BUGS/.. python3 -
}

# bats test_tags=slow
@test "bug corpus: names are unique, each edit asks for its bug, a third is held out, nulls are not" {
	in_python <<-'END'
		import corpus
		rows = corpus.ROWS
		bugs = [row for row in rows if not row.is_null]
		assert len({row.name for row in rows}) == len(rows)
		assert len(bugs) >= 40 and len(rows) - len(bugs) == 10
		for row in rows:
		    assert set(row.needs) <= set(corpus.NEEDS), row.name
		    assert bool(row.absent) == (set(row.edits) != set(corpus.LINES)), row.name
		    for line, edits in row.edits.items():
		        assert edits and line in corpus.LINES, row.name
		        assert row.name == "null-number" or all("BUG" in edit.new for edit in edits), row.name
		        assert not any("BUG" in edit.old for edit in edits), row.name
		# --check names each row of a kernel once, with the function of its edit or why there is none.
		import build_kernel
		for line in corpus.LINES:
		    head, *listed = build_kernel.listed_rows(line)
		    assert [text.split()[1] for text in listed] == [row.name for row in rows], listed
		    absent = {text.split()[1] for text in listed if f" not in {line}: " in text}
		    assert absent == {row.name for row in rows if line not in row.edits} and absent, absent
		    assert head == f"{line}: {len(bugs) - len(absent)} bugs and 10 null changes apply", head
		seen = [row for row in bugs if not row.is_blind]
		held = sum(row.is_held_out for row in seen)
		assert 0.25 < held / len(seen) < 0.42, held
		# Blind rows are the last ones; half of them is for the end.
		assert all(row.is_blind == (number >= 80) for number, row in enumerate(rows))
		final = [row for row in rows if row.group == "blind-final"]
		assert sum(row.is_mutant for row in rows) == 100 and sum(row.is_blind for row in rows) == 122 and 50 <= len(final) <= 72
		assert not any(row.is_held_out for row in rows if row.is_null)
	END
}

# bats test_tags=slow
@test "bug corpus: an edit is made in its function alone, not in a stub; a second edit of a line sees the first" {
	in_python <<-'END'
		import build_kernel
		from corpus import Edit
		text = "int f(int x);\n\nstatic int f(int x) { return 0; }\n\nstatic int\nf(int x)\n{\n\tif (x)\n\t\treturn 1;\n\treturn 2;\n}\n\nint g(void)\n{\n\tif (x)\n\t\treturn 3;\n}\n"
		once = build_kernel.apply_edit(text, Edit("", "f", "if (x)", "if (BUG || x)"), 7)
		assert once.count("if (picknext_bug(7) || x)") == 1 and once.count("if (x)") == 1
		assert once.index("picknext_bug") < once.index("int g(void)")
		twice = build_kernel.apply_edit(once, Edit("", "f", "|| x)", "|| (!BUG && x))"), 8)
		assert "if (picknext_bug(7) || (!picknext_bug(8) && x))" in twice
		for function, old in (("f", "return"), ("f", "return 3"), ("h", "return")):
		    try:
		        build_kernel.apply_edit(text, Edit("", function, old, "BUG"), 1)
		    except build_kernel.CorpusError:
		        continue
		    raise AssertionError((function, old))
	END
}

# bats test_tags=slow
@test "bug corpus: select_bug.py changes the number and nothing else, and refuses a kernel without a selector" {
	printf 'before%spicknext bug number: \0\0\0\0\0\0\0after' '' >kernel
	printf '{"one": 300}' >kernel.json
	"$BUGS/select_bug.py" kernel one -o copy
	"$BUGS/select_bug.py" kernel base -o base
	cmp kernel base
	[ "$(cmp -l kernel copy | wc -l)" -eq 2 ]
	python3 -c 'data = open("copy", "rb").read(); at = data.index(b"picknext bug") + 24; assert data[at:at + 4] == b"\x2c\1\0\0", data'
	run ! "$BUGS/select_bug.py" kernel two -o other
	"$BUGS/select_bug.py" kernel one --reached -o copy
	python3 -c 'data = open("copy", "rb").read(); at = data.index(b"picknext bug") + 24; assert data[at:at + 4] == b"\x2c\1\1\0", data'
	printf 'no selector' >plain
	printf '{"one": 1}' >plain.json
	run ! "$BUGS/select_bug.py" plain one -o other
}

# bats test_tags=slow
@test "bug corpus: rows reach the parts that meet their needs; the parts are the default workloads of vm" {
	in_python <<-'END'
		import corpus, json, os, subprocess
		reached = {row.name: corpus.reached_parts(row) for row in corpus.ROWS}
		assert reached["no-wakeup-preemption"] == reached["null-number"] == ["plain", "often idle"]
		assert reached["quota-half-charged"] == ["cgroups"] and reached["rr-never-rotates"] == ["real time"]
		assert reached["min-slice-not-propagated"] == ["cgroups", "policies"]
		assert reached["no-idle-cpu-found"] == ["often idle", "plain"] and reached["recent-cpu-not-allowed"] == ["affinity", "plain"]
		assert reached["two-cpus-balance"] == ["topology", "plain"]
		assert all(reached.values())
		listed = json.loads(subprocess.check_output([os.environ["PICKNEXT"], "list", "--json"]))
		parts = [name for part, (workloads, _) in corpus.PARTS.items() if part not in corpus.GUESTS for name in workloads]
		assert sorted(parts) == sorted(each["name"] for each in listed if each["default_of_vm"])
		assert set(corpus.GUESTS) < set(corpus.PARTS)
		first = {row.name: corpus.first_workloads(row) for row in corpus.ROWS}
		assert all(len(set(workloads)) == len(workloads) for workloads in first.values())
		assert all(first.values()) and set().union(*first.values()) <= {*parts, corpus.REPAID}
		assert first["null-number"] == ["periodic_beside_hogs", "light_pipelines"] and first["unthrottle-skips-delayed"] == list(corpus.FIRST["Q"])
		# Each part has runs of its own; vm reads its options, and misses the kernel only.
		import matrix, pathlib
		matrix.select_bug.select = lambda *_: None
		fake = matrix.Matrix(pathlib.Path(os.environ["PICKNEXT"]), pathlib.Path("bugs"), ["w"])
		booted = [fake.boot("none", 1, workloads, corpus.GUESTS.get(part, ())) for part, (workloads, _) in corpus.PARTS.items()]
		booted.append(fake.boot("none", 1, first["unthrottle-skips-delayed"]))
		assert len({directory for directory, *_ in booted}) == len(booted)
		for _, code, _, message in booted:
		    assert code == 4 and "images/none" in message, message
	END
}

# bats test_tags=slow
@test "bug matrix: workloads whose metrics are outside of base's range, and what is significant among all workloads" {
	in_python <<-'END'
		import matrix

		def metric(workload, name, base, other, p=None, floor=1.0):
		    middle = sorted(other)[len(other) // 2]
		    return {"workload": workload, "metric": name, "floor": floor, "sets": [
		        {"values": base + [None], "median": sorted(base)[len(base) // 2]},
		        {"values": other, "median": middle, "p_family": p, "change": middle - 10, "is_percent": True, "verdict": "worse"}]}

		base = [10, 11, 12, 13, 14]
		rows = [metric("far", "a", base, [22, 30]), metric("far", "b", base, [2, 6]), metric("far", "c", base, [15]),
		        metric("near", "a", base, [15, 16]), metric("inside", "a", base, [13, 40]),
		        metric("small", "a", base, [14.5], floor=9)]
		assert matrix.separation(rows) == {"far": (0.25, 2.0), "near": (0, 0.25)}, matrix.separation(rows)
		# One workload of 20 needs p <= 0.05 / 20, two twice as much.
		one = [metric("w", "a", base, [20], p=0.0025), metric("w", "b", base, [20], p=0.004), metric("v", "a", base, [20], p=0.5)]
		assert [found[:2] for found in matrix.significant(one, 20)] == [["w", "a"]]
		assert matrix.significant(one, 21) == []
		two = one + [metric("u", "a", base, [20], p=0.005)]
		assert {tuple(found[:2]) for found in matrix.significant(two, 20)} == {("w", "a"), ("w", "b"), ("u", "a")}
	END
}

# bats test_tags=slow
@test "bug matrix: rules with one seed, then parts in turn until a bug is found; one that changes nothing, or nothing large, ends early" {
	in_python <<-'END'
		import pathlib, tempfile, threading
		import corpus, matrix

		def metric(workload, other, p):
		    return {"workload": workload, "metric": "m", "floor": 1, "sets": [
		        {"values": [10, 11, 12], "median": 11},
		        {"values": other, "median": other[0], "p_family": p, "change": 5.0, "is_percent": True, "verdict": "worse"}]}

		class Fake(matrix.Matrix):
		    def __init__(self, values):
		        self.workloads, self.base_turn, self.values, self.boots = ["idle_beside_busy", "pipeline"], threading.Lock(), values, []
		        self.results = pathlib.Path(tempfile.mkdtemp(dir="."))
		    def boot(self, name, last_seed, workloads, guest=()):
		        self.boots.append((name, last_seed, workloads[0]))
		        return (name, last_seed, workloads), 0, 1.0, ""
		    def compare(self, base, other):
		        assert base[:2] == ("base", matrix.BASE_SEEDS) and base[2] == other[2], (base, other)
		        return [metric(other[2][0], self.values[other[2][0]], 0.001)]

		same, broken = [], {}
		# By (kernel, workload), or also by a number of seeds.
		matrix.broken = lambda directory: broken.get((directory[0], directory[2][0]), broken.get((directory[0], directory[2][0], directory[1]), []))
		matrix.identical = lambda base, other, workloads, seeds: workloads if workloads[0] in same else []
		row = next(row for row in corpus.ROWS if row.name == "no-wakeup-preemption")
		def measured(**values):
		    fake = Fake(values)
		    result = fake.judge_rules(row)
		    if not result["is_complete"]:
		        result = fake.add_seeds(row, result)
		    return result, [boot[1:] for boot in fake.boots if boot[0] == row.name]

		one_seed = [(1, "periodic_beside_hogs")]
		result, boots = measured(periodic_beside_hogs=[40] * 5)
		assert result["found"] and boots == one_seed + [(seeds, "periodic_beside_hogs") for seeds in (2, 3, 7)] and result["cpu_s"] == 4
		result, boots = measured(periodic_beside_hogs=[11, 12, 11], idle_beside_busy=[40] * 5)
		assert result["found"] and boots == one_seed + 2 * [(2, "periodic_beside_hogs"), (3, "periodic_beside_hogs")] + [
		    (seeds, "idle_beside_busy") for seeds in (2, 3, 7)]
		broken[row.name, "periodic_beside_hogs"] = ["lag_kept", "ineligible"]
		broken["base", "periodic_beside_hogs"] = ["lag_kept"]
		result, boots = measured()
		assert result["by"] == ["ineligible"] and result["found"] and boots == one_seed
		broken["base", "periodic_beside_hogs"] = broken[row.name, "periodic_beside_hogs"]
		# A rule that the second seed alone breaks.
		broken[row.name, "idle_beside_busy", 2] = ["lag_bounded"]
		result, boots = measured(periodic_beside_hogs=[11, 12, 11])
		assert result["by"] == ["lag_bounded"] and boots[-1] == (2, "idle_beside_busy"), (result, boots)
		broken["base", "idle_beside_busy"] = ["lag_bounded"]
		same = ["periodic_beside_hogs", "idle_beside_busy"]
		result, boots = measured()
		assert not result["found"] and not matrix.is_reached(result) and [boot[0] for boot in boots] == [1, 2, 2, 2]
	END
}

# bats test_tags=slow
@test "bug matrix: whether the first lines name the function that was changed" {
	in_python <<-'END'
		import corpus, matrix

		rows, texts = {row.name: row for row in corpus.ROWS}, matrix.rule_texts()
		def named(name, *by):
		    return matrix.names_function(rows[name], {"by": list(by)}, "6.12", texts)
		assert named("lag-lost-at-sleep", "woken_on_idle", "lag_kept") == "yes" # place_entity
		assert named("weights-shifted", "weight_of_nice") == "no" # sched_prio_to_weight, not set_load_weight
		assert named("order-by-vruntime", "later_deadline") == "yes" # a break of the pick's rule
		assert named("burst-in-microseconds", ["cgroup_burst", "slice_mean_us", -32, True]) == "a metric"
		assert named("burst-in-microseconds") is None
	END
}

# bats test_tags=slow
@test "bug matrix: a null change boots what any bug boots; a death counts if base lives; another failure is no verdict" {
	in_python <<-'END'
		import json, pathlib, threading
		import corpus, matrix
		from bench_support import NotHere

		rows = {row.name: row for row in corpus.ROWS}
		boots = corpus.first_boots(rows["null-fork-1024"])
		assert set(boots[0][0]) == set().union(*corpus.FIRST.values()) and len(set(boots[0][0])) == len(boots[0][0]), boots
		assert [(tuple(workloads), guest) for workloads, guest in boots[1:]] == [corpus.FIRST_GUESTS[need] for need in "SAT"], boots

		class Fake(matrix.Matrix):
		    def __init__(self, outcomes):
		        self.base_turn, self.outcomes, self.results = threading.Lock(), outcomes, pathlib.Path("results")
		        self.results.mkdir(exist_ok=True)
		    def boot(self, name, last_seed, workloads, guest=()):
		        return (name, *self.outcomes.get((name, guest), (0, 1.0, "")))

		named = {}
		matrix.broken = lambda directory: named.get(directory, [])
		row = rows["balance-ignores-mask"] # boots two guests
		four = corpus.FIRST_GUESTS["A"][1]
		died = (6, 1.0, "picknext: vm: the guest's kernel panicked: Kernel panic - not syncing: Fatal exception")
		for message in (died[2], "picknext: vm: the guest's kernel died: NULL pointer", "picknext: vm: bug dies: NULL pointer, 1 of 1 boots"):
		    assert Fake({(row.name, ()): (6, 1.0, message)}).judge_rules(row)["by"] == ["the guest died"], message
		refused = "picknext: bug, seed 1: the job in the guest failed (status 3): chaos: the kernel refuses nice -20: Invalid argument"
		assert Fake({(row.name, ()): (6, 1.0, refused)}).judge_rules(row)["by"] == ["the kernel refuses a workload"]
		for outcomes in ({(row.name, four): died, ("base", four): died}, {(row.name, four): (4, 1.0, "no space left")}):
		    try:
		        result = Fake(outcomes).judge_rules(row)
		    except NotHere:
		        continue
		    raise AssertionError(result)
		# Base is judged once for each boot; its breaks have a line of their own.
		pathlib.Path("results/base.json").unlink()
		named.update({"base": ["rr_turns"], row.name: ["rr_turns"]})
		result = Fake({}).judge_rules(row)
		assert not result["found"] and not result["is_complete"]
		of_base = json.loads(pathlib.Path("results/base.json").read_text())
		assert of_base == {"affinity_churn": ["rr_turns"], "affinity_churn --cpus 4": ["rr_turns"]}, of_base
		table = matrix.table({row.name: result}, {"w": [], **of_base}, "7.3")
		assert "base, false alarms: something is named in 2 of 3 boots: rr_turns\n" in table, table
		absent, unmeasured = (table.split(f"\n{start}: ")[1].split("\n")[0].split(", ") for start in ("not in 7.3", "not measured"))
		assert sorted([row.name, *absent, *unmeasured]) == sorted(row.name for row in rows.values() if not row.is_blind)
		# All names of rules are shown, and where; two metrics of many are.
		assert matrix.describe({"by": ["a", "b", "c"], "guest": ["--cpus", "4"]}) == "a, b, c (with --cpus 4)"
		assert matrix.describe({"by": [["w", "m", 5, True]] * 4}) == "m of w +5 %, m of w +5 % and 2 more"
		# A group that other words have chosen already is no unknown name, and adds nothing.
		assert len(matrix.chosen_rows("nulls,null-number", "7.3")) == 10
	END
}

# bats test_tags=slow
@test "bug matrix: a blind row boots mixes and chaos, and if neither finds it, is probed; of those for the end there are counts alone" {
	in_python <<-'END'
		import pathlib, threading
		import corpus, matrix

		blind = {group: [row for row in corpus.ROWS if row.group == group] for group in ("blind-tuning", "blind-final")}
		row, final = (next(row for row in rows if row.is_mutant) for rows in blind.values())
		assert not {row.name for row in matrix.chosen_rows("all,tuning,nulls,held-out", "7.3") if row.is_blind}
		assert [chosen.group for chosen in matrix.chosen_rows("mutant-*", "7.3")] == ["blind-tuning"] * sum(row.is_mutant for row in blind["blind-tuning"])
		assert sorted(row.name for row in matrix.chosen_rows("blind-final", "7.3")) == sorted(row.name for row in blind["blind-final"])

		class Fake(matrix.Matrix):
		    def __init__(self, said):
		        self.base_turn, self.results, self.image, self.said = threading.Lock(), pathlib.Path("."), None, said
		    def boot(self, name, last_seed, workloads, guest=(), is_probe=False):
		        directory = pathlib.Path(name, workloads[0], *(["probe"] if is_probe else []))
		        (directory / "console").mkdir(parents=True, exist_ok=True)
		        (directory / "console/run1.log").write_text(self.said)
		        return directory, 0, 1.0, ""

		matrix.broken = lambda directory: []
		matrix.select_bug.number_of = lambda image, name: 12
		results = {each.name: Fake(said).judge_rules(each) for each, said in ((row, "picknext: bug 12 reached"), (final, "picknext: bug 123 reached"))}
		assert [result["parts"]["probe"] for result in results.values()] == ["reached", "not reached"], results
		table = matrix.table(results, None, "7.3")
		assert f"| {row.name} (" in table and f"| {final.name}" not in table, table
		assert "blind rows to tune with, mutants: 0 of 1 (95 % interval: 0 to 97 %) found, 0 of 1 (" in table, table
		assert "blind rows that nobody looked at, both: 0 of 1 (95 % interval: 0 to 97 %) found, 0 of 0 (" in table, table
		assert "blind rows to tune with, by the mixes alone: 0; by chaos alone: 0; by both: 0\n" in table, table
		named = {(row.name, "chaos"): ["rr_turns"], (final.name, "chaos"): ["lag_kept"], (final.name, corpus.first_workloads(final)[0]): ["rr_turns"]}
		matrix.broken = lambda directory: named.get(directory.parts[:2], [])
		results = {each.name: Fake("").judge_rules(each) for each in (row, final)}
		assert [(result["by"], "probe" in result["parts"]) for result in results.values()] == [(["rr_turns"], False), (["lag_kept", "rr_turns"], False)], results
		table = matrix.table(results, None, "7.3")
		assert "blind rows to tune with, by the mixes alone: 0; by chaos alone: 1; by both: 0\n" in table, table
		assert "blind rows that nobody looked at, by the mixes alone: 0; by chaos alone: 0; by both: 1\n" in table, table
		assert [round(bound, 3) for bound in matrix.interval(2, 22)] == [0.011, 0.292]
	END
}

# bats test_tags=slow
@test "bug corpus: mutants of a function, each with its operator" {
	in_python <<-'END'
		import mutants
		text = "static u64 f(int count)\n{\n\tu64 delta = 1, other;\n\n\t/* if (this) */\n\tif (count > 1 && g())\n\t\tdelta = min(delta, LIMIT);\n\telse\n\t\treset(count);\n\treturn delta;\n}\n"
		found = [(operator, text[begin:end], new) for operator, begin, end, new in mutants.places(
		    text, text.index("{"), len(text), {mutants.COUNT: set(), mutants.AMOUNT: set()})]
		assert found == [
		    ("negated condition", "(count > 1 && g())", "(BUG == !(count > 1 && g()))"),
		    ("relational operator", "(count > 1 && g())", "(BUG ? ((count >= 1 && g())) : ((count > 1 && g())))"),
		    ("off by one", "(count > 1 && g())", "(BUG ? ((count > 2 && g())) : ((count > 1 && g())))"),
		    ("dropped statement", "delta = min(delta, LIMIT);", "{ if (!BUG) delta = min(delta, LIMIT); }"),
		    ("dropped statement", "reset(count);", "{ if (!BUG) reset(count); }"),
		    ("half", "min(delta, LIMIT)", "(BUG ? ((min(delta, LIMIT)) / 2) : (min(delta, LIMIT)))"),
		    ("double", "min(delta, LIMIT)", "(BUG ? ((min(delta, LIMIT)) * 2) : (min(delta, LIMIT)))"),
		    ("min and max", "min(delta, LIMIT)", "(BUG ? (max(delta, LIMIT)) : (min(delta, LIMIT)))")], found
		compiled = mutants.compiled("a\n#ifdef CONFIG_A\nb\n#else\nc\n#endif\n#if defined(CONFIG_A)\nd\n#endif\ne\n", {"CONFIG_A"})
		assert [line for line, here in zip("a.b.c..d.e", compiled) if here] == ["a", "b", "e"], compiled
	END
}
