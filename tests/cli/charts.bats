#!/usr/bin/env bats
# The charts by themselves, drawn under sanitizers from made-up data: hostile names, too much data, none.

top=$BATS_TEST_DIRNAME/../..
draw=$top/build/tools/draw_charts

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p one two
}

@test "charts: each is a well-formed file with a title, a description and an accessible name" {
	"$draw" one
	[ "$(find one -name '*.svg' | wc -l)" -eq 11 ]
	python3 - one/*.svg <<-'END'
		import sys, xml.etree.ElementTree as tree
		svg = "{http://www.w3.org/2000/svg}"
		for path in sys.argv[1:]:
		    root = tree.parse(path).getroot()
		    assert root.tag == svg + "svg" and root.get("role") == "img", path
		    named = root.get("aria-labelledby").split()
		    ids = {e.get("id"): e.text for e in root.iter() if e.get("id")}
		    assert [bool(ids[i]) for i in named] == [True, True], path
		    assert {e.tag for e in root.iter()} <= {svg + t for t in
		        ("svg", "title", "desc", "style", "path", "text", "pattern", "g")}, path
		    left, top, width, height = map(float, root.get("viewBox").split())
		    for e in root.iter(svg + "text"):
		        assert 0 <= float(e.get("x")) <= width and 0 <= float(e.get("y")) <= height, (path, e.text)
	END
}

@test "charts: the same data give the same bytes, and no chart is large" {
	"$draw" one
	"$draw" two
	diff -r one two
	[ -z "$(find one -size +100k)" ]
}

@test "charts: a name that is markup stays text" {
	"$draw" one
	grep -q '&lt;script&gt;alert(1)&lt;/script&gt; \\xff\\x01&amp;&quot;&#39;' one/curves.svg
	run grep -l '<script' one/*.svg
	[ "$status" -eq 1 ]
}

# To see what changed: build/tools/draw_charts DIR, and look at DIR/*.svg in a browser; then copy as below.
@test "charts: small ones are, but for their style, what was looked at" {
	"$draw" one
	for name in curves shares matrix intervals history; do
		sed 's|<style>.*</style>||' "one/$name.svg" >"two/$name.svg"
		diff "$top/tests/golden/charts/$name.svg" "two/$name.svg"
	done
}
