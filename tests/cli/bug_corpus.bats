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

@test "bug corpus: names are unique, each edit asks for its bug, a third is held out, nulls are not" {
	in_python <<-'END'
		import corpus
		rows = corpus.ROWS
		bugs = [row for row in rows if not row.is_null]
		assert len({row.name for row in rows}) == len(rows)
		assert len(bugs) >= 40 and len(rows) - len(bugs) == 10
		for row in rows:
		    assert set(row.needs) <= set(corpus.NEEDS), row.name
		    for line, edits in row.edits.items():
		        assert edits and line in corpus.LINES, row.name
		        assert row.name == "null-number" or all("BUG" in edit.new for edit in edits), row.name
		        assert not any("BUG" in edit.old for edit in edits), row.name
		held = sum(row.is_held_out for row in bugs)
		assert 0.25 < held / len(bugs) < 0.42, held
		assert not any(row.is_held_out for row in rows if row.is_null)
	END
}

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

@test "bug corpus: select_bug.py changes the number and nothing else, and refuses a kernel without a selector" {
	printf 'before%spicknext bug number: \0\0\0\0\0\0\0after' '' >kernel
	printf '{"one": 300}' >kernel.json
	"$BUGS/select_bug.py" kernel one -o copy
	"$BUGS/select_bug.py" kernel base -o base
	cmp kernel base
	[ "$(cmp -l kernel copy | wc -l)" -eq 2 ]
	python3 -c 'data = open("copy", "rb").read(); at = data.index(b"picknext bug") + 24; assert data[at:at + 4] == b"\x2c\1\0\0", data'
	run ! "$BUGS/select_bug.py" kernel two -o other
	printf 'no selector' >plain
	printf '{"one": 1}' >plain.json
	run ! "$BUGS/select_bug.py" plain one -o other
}

@test "bug corpus: rows that need a special workload reach that alone, others the rest" {
	in_python <<-'END'
		import corpus
		workloads = ["half_idle", "custom_slices", "cgroup_quota", "rt_rr", "deadline"]
		reached = {row.name: corpus.reached_workloads(row, workloads) for row in corpus.ROWS}
		assert reached["no-wakeup-preemption"] == reached["null-number"] == ["half_idle"]
		assert reached["quota-half-charged"] == ["cgroup_quota"] and reached["rr-never-rotates"] == ["rt_rr"]
		assert reached["min-slice-not-propagated"] == ["custom_slices", "cgroup_quota"]
		assert reached["idle-task-keeps-its-slice"] == []
	END
}

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

@test "bug matrix: a bug and base boot the same workloads before each comparison; the first boot is no part of the verdict" {
	in_python <<-'END'
		import threading
		import corpus, matrix

		def metric(workload, other, p):
		    return {"workload": workload, "metric": "m", "floor": 1, "sets": [
		        {"values": [10, 11, 12], "median": 11},
		        {"values": other, "median": other[0], "p_family": p, "change": 5.0, "is_percent": True, "verdict": "worse"}]}

		class Fake(matrix.Matrix):
		    def __init__(self, second):
		        self.workloads, self.base_turn, self.second, self.boots = ["half_idle", "pipeline"], threading.Lock(), second, []
		    def boot(self, name, last_seed, workloads, jobs=1):
		        self.boots.append((name, last_seed, tuple(workloads)))
		        return (name, last_seed, tuple(workloads)), 0, 1.0, ""
		    def compare(self, base, other):
		        assert base[0] == "base" and base[1] == matrix.SEEDS and base[2] == other[2], (base, other)
		        both = len(other[2]) == 2
		        return [metric("half_idle", [13], 0.5), metric("pipeline", [40], 0.5)] if both else [metric("pipeline", self.second, 0.001)]

		matrix.identical = lambda base, other, workloads: []
		row = next(row for row in corpus.ROWS if row.name == "no-wakeup-preemption")
		found = Fake([40] * 6)
		assert found.measure(row)["found"]
		assert [boot[1:] for boot in found.boots if boot[0] == row.name] == [
		    (1, ("half_idle", "pipeline")), (3, ("pipeline",)), (6, ("pipeline",))]
		chance = Fake([11, 12, 11])
		assert not chance.measure(row)["found"] and chance.boots[-1][1] == 3
	END
}
