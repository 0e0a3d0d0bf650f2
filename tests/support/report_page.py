#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_page.py KIND FILE...: what must hold of a page that picknext report wrote.
contained: nothing in it loads or runs anything, and its markup is whole. svg: each FILE is such an XML of one chart.
text WORD: the words that a reader sees hold WORD. browser: the same in Chromium, and how it looks there."""
import os
import sys
import time
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

VOID = {"meta", "link", "br", "rect", "path", "circle", "line", "input"}
OPTIONAL = {"p", "li", "td", "th", "tr", "thead", "tbody"}
# The elements of a page; any other came in with the data.
KNOWN = VOID | OPTIONAL | set("html head body title style header nav main section footer h1 h2 h3 h4 a span abbr strong div "
                              "table caption details summary figure ul svg desc text tspan g defs pattern "
                              "clippath b code foreignobject".split())


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.style, self.charts, self.ids = [], [], "", 0, set()

    def handle_starttag(self, tag, attributes):
        assert tag in KNOWN, f"<{tag}> at {self.getpos()}"
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name, self.getpos())
            assert name not in ("src", "srcset", "srcdoc", "action", "data", "background"), (tag, name)
            if name in ("href", "xlink:href"):
                assert value.startswith("#") or (tag, value) == ("link", "data:,"), (tag, value)
            if name == "style":
                self.style += value
            if name == "id":
                assert value not in self.ids, "id twice: " + value
                self.ids.add(value)
        self.charts += tag == "svg"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open and self.open[-1] == tag, f"</{tag}> at {self.getpos()} within {self.open[-3:]}"
        self.open.pop()

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.text.append(data)


def parse(path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    assert not page.open, page.open
    return page


def check_contained(path, charts="5"):
    page = parse(path)
    assert page.charts >= int(charts), page.charts
    for word in ("url(", "@import", "expression(", "javascript:"):
        assert word not in page.style, word
    for line in open(path, encoding="utf-8"):
        assert "://" not in line.replace("http://www.w3.org/2000/svg", ""), line[:200]


def check_svg(*paths):
    for path in paths:
        root = tree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg", path
        kinds = {element.tag.split("}")[1] for element in root.iter()}
        assert {"title", "desc", "style"} <= kinds and "script" not in kinds, (path, kinds)
        for element in root.iter():
            for name in element.attrib:
                assert not name.startswith("on") and "href" not in name, (path, name)
        assert root.find("{*}title").text and root.find("{*}desc").text, path


def check_text(path, *words):
    text = "".join(parse(path).text)
    for word in words:
        assert word in text, word


CHARTS = """[...document.querySelectorAll("svg")].map(chart => {
    const box = chart.getBoundingClientRect(), choices = chart.querySelectorAll("input").length, title = document.getElementById(
        (chart.getAttribute("aria-labelledby") || "").split(" ")[0]);
    return {id: chart.id, width: box.width, height: box.height, name: title ? title.textContent : "",
            role: chart.getAttribute("role"), expected: choices ? "group" : "img", axis: chart.querySelectorAll("text").length,
            cut: [...chart.querySelectorAll("text")].filter(text => {
                const at = text.getBBox(), room = chart.viewBox.baseVal;
                return at.x < -1 || at.x + at.width > room.width + 1 || at.y < -1 || at.y + at.height > room.height + 1;
            }).map(text => text.textContent)}})"""
# Text that cannot be told from what is behind it: the contrast of WCAG, of all text that is not in a chart.
CONTRAST = """(() => {
    const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
    const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
        if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
    return [...document.querySelectorAll("p,li,td,th,a,summary,span,h1,h2,h3")].filter(e => e.textContent.trim() &&
        e.getBoundingClientRect().width > 1).map(e => { const a = light(parse(getComputedStyle(e).color)),
        b = light(behind(e)); return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e.textContent.slice(0, 40)]; })
        .filter(([ratio]) => ratio < 4.5).slice(0, 5)})()"""


def check_browser(path, *pictures):
    from chromium import Chromium
    with Chromium() as browser:
        for scripts in (True, False):
            browser.allow_scripts(scripts)
            for width, dark in ((1280, False), (390, True), (390, False), (1280, True)):
                browser.view(width, dark=dark)
                browser.open(path)
                assert browser.requests() == ["file://" + os.path.abspath(path)], browser.requests()
                assert browser.complaints() == [], browser.complaints()
                browser.evaluate('document.querySelectorAll("details").forEach(details => details.open = true)')
                size = browser.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                assert size[0] <= size[1] == width, size
                charts = browser.evaluate(CHARTS)
                assert len(charts) >= 5
                for chart in charts:
                    assert chart["width"] > 100 and chart["height"] > 40, chart
                    assert chart["name"] and chart["role"] == chart["expected"] and chart["axis"] > 2, chart
                    assert chart["cut"] == [], chart
                faint = browser.evaluate(CONTRAST)
                assert faint == [], faint
                shade = browser.evaluate("getComputedStyle(document.body).backgroundColor")
                assert (shade == "rgb(255, 255, 255)") != dark, shade
        browser.allow_scripts(True)
        browser.view(1280)
        browser.open(path)
        hidden = browser.evaluate('document.querySelectorAll("details:not([open])").length')
        assert hidden > 0
        # A link to a workload opens it.
        last = browser.evaluate('[...document.querySelectorAll("nav a")].filter(a => /^#w/.test(a.hash)).pop().hash')
        browser.evaluate(f'location.hash = "{last}"')
        browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert browser.evaluate(f'document.querySelector("{last}").closest("details").open')
        assert browser.evaluate(f'document.querySelector("{last} svg").getBoundingClientRect().width') > 100
        # A link to a wait opens the timeline around it.
        wait = browser.evaluate('document.querySelector(`a[href*="-wait-"]`).hash')
        browser.evaluate(f'location.hash = "{wait}"')
        browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert browser.evaluate(f'document.querySelector("{wait}").getBoundingClientRect().height') > 40, wait
        # On paper everything is there, what is folded on the screen too.
        browser.view(800, media="print")
        browser.open(path)
        browser.evaluate('document.querySelectorAll("details.f").forEach(details => details.open = true)')
        assert all(chart["height"] > 40 for chart in browser.evaluate(CHARTS))
        for picture in pictures:
            name = os.path.basename(picture)
            browser.view(390 if "390" in name else 1280, dark="dark" in name)
            browser.open(path)
            browser.pdf(picture) if picture.endswith(".pdf") else browser.screenshot(picture)


SHOWN = '[...document.querySelectorAll(".kt")].filter(e => getComputedStyle(e).display != "none").map(e => e.textContent)'


def check_notes(path):
    """Without scripts, the candidates of one switch are shown: under the pointer, or where it was touched."""
    from chromium import Chromium
    with Chromium() as browser:
        browser.allow_scripts(False)
        for width in (1280, 390):
            browser.view(width)
            browser.open(path)
            found = browser.evaluate("""(() => { document.querySelector("g.k").closest("svg").scrollIntoView();
                return [...document.querySelectorAll("g.k")].map(each => { const box = each.querySelector("path").getBoundingClientRect();
                    return {text: each.querySelector(".kt").textContent, wide: box.width,
                            x: box.x + box.width / 2, y: box.y + box.height / 2}; })})()""")
            assert len(found) > 20 and browser.evaluate(SHOWN) == [], len(found)
            chosen = [each for each in found if each["wide"] > 4 and each["x"] < width - 40][2:4]
            assert all("candidate" in each["text"] for each in chosen), chosen
            at = [{"x": each["x"], "y": each["y"]} for each in chosen]
            browser.call("Input.dispatchMouseEvent", type="mouseMoved", **at[0])
            assert browser.evaluate(SHOWN) == [chosen[0]["text"]]
            browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
            assert browser.evaluate(SHOWN) == []
            browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at[1]])
            browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            time.sleep(0.5)  # of a tap; timers of a page need scripts
            assert browser.evaluate(SHOWN) == [chosen[1]["text"]]


def check_fits(path):
    """On a screen of 1280 pixels no table has to be scrolled, of 1160 none with verdicts."""
    from chromium import Chromium
    with Chromium() as browser:
        for width, words in (1280, ""), (1160, "interval"):
            browser.view(width)
            browser.open(path)
            browser.evaluate('document.querySelectorAll("details").forEach(details => details.open = true)')
            cut = browser.evaluate("""[...document.querySelectorAll(".scroll")].filter(box =>
                box.scrollWidth > box.clientWidth + 1).map(box => box.textContent.slice(0, 90))""")
            assert [table for table in cut if words in table] == [], cut


kind, *arguments = sys.argv[1:]
{"contained": check_contained, "svg": check_svg, "text": check_text, "browser": check_browser,
 "fits": check_fits, "notes": check_notes}[kind](*arguments)
