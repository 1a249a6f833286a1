# Has Chromium look at the site that contrib/docs made: its title, its search box, the headings of its navigation, and a
# search for each line of docs/errors.md, which must lead to that page. No table of that page may need scrolling. Leaves a
# picture.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: site_look.py FOLDER    (its html/ is the site; site.png and site-search.png are made beside it)

import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 240
HEADINGS = ["Try", "Install", "Use", "Tune", "Debug", "Understand", "Contribute"]
# Searches one after the other in a frame, as a user's browser does, and ends with a list of those that did not lead to
# the page. A search is over when its results have a summary line, which ends with a full stop.
SEARCHES = """<!DOCTYPE html><title>searches</title><iframe id="frame"></iframe><pre id="lost"></pre><script>
const queries = QUERIES, frame = document.getElementById("frame"), lost = [];
function wait(done) {
    const page = frame.contentDocument, summary = page && page.querySelector("#search-results .search-summary, " +
        "#search-results > p");
    if (!summary || !/\\.$/.test(summary.textContent.trim())) {
        setTimeout(wait, 20, done);
    } else {
        done(page);
    }
}
function next(i) {
    if (i === queries.length) {
        document.getElementById("lost").textContent = "searched " + i + "\\n" + lost.join("\\n");
        return;
    }
    frame.onload = () => wait(page => {
        if (!page.querySelector('#search-results a[href*="PAGE"]')) {
            lost.push(queries[i]);
        }
        next(i + 1);
    });
    frame.src = "search.html?q=" + encodeURIComponent(queries[i]);
}
next(0);
</script>"""
# How many tables of the page there are, and how many are wider than their place on a common screen.
TABLES = """<!DOCTYPE html><title>tables</title><iframe id="frame" width="1280" height="900" src="PAGE"></iframe>
<pre id="seen"></pre><script>
function look() { // the theme's script puts the tables into boxes
    const tables = [...frame.contentDocument.querySelectorAll(".wy-table-responsive")];
    if (0 === tables.length) {
        setTimeout(look, 20);
    } else {
        seen.textContent = tables.length + " " + tables.filter(t => t.scrollWidth > t.clientWidth).length;
    }
}
onload = look;
</script>"""


def chromium(folder, *arguments):
    """What Chromium prints; it gets a home of its own, and no network."""
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
               "--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files",
               f"--user-data-dir={folder}/chromium", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if 0 != done.returncode:
        sys.exit(f"Chromium failed: {done.stderr}")
    return done.stdout


def page(folder, path, budget=5000):
    return chromium(folder, f"--virtual-time-budget={budget}", "--dump-dom", path.as_uri())


def missing_parts(text):
    """What the first page lacks."""
    headings = [html.unescape(h) for h in re.findall(r'class="caption-text">([^<]*)<', text)]
    wrong = [] if re.search(r"<title>[^<]*osc/ucp", text) else ["no title"]
    wrong += [] if re.search(r'<input[^>]*name="q"', text) else ["no search box"]
    return wrong + [f"no heading {h} in the navigation" for h in HEADINGS if h not in headings]


def error_lines():
    """Each line that docs/errors.md explains, without the values."""
    text = (TOP / "docs/errors.md").read_text()
    return [line.replace("...", " ") for line in re.findall(r"^\| `` ?(.+?) ?`` \|", text, re.M)]


def lost_lines(folder, site, lines):
    """The lines for which the site's search does not find the page."""
    searches = site / "searches.html"
    searches.write_text(SEARCHES.replace("QUERIES", json.dumps(lines)).replace("PAGE", "docs/errors.html"))
    try:
        text = page(folder, searches, 600000)
    finally:
        searches.unlink()
    found = re.search(r'<pre id="lost">searched (\d+)\n?([^<]*)</pre>', text)
    if not found or len(lines) != int(found[1]):
        return ["the searches did not end"]
    return [f"the search does not lead to docs/errors.html: {line}" for line in html.unescape(found[2]).splitlines()]


def wide_tables(folder, site):
    """Whether columns of docs/errors.html are out of sight."""
    tables = site / "tables.html"
    tables.write_text(TABLES.replace("PAGE", "docs/errors.html"))
    try:
        found = re.search(r'<pre id="seen">(\d+) (\d+)</pre>', page(folder, tables))
    finally:
        tables.unlink()
    if not found or 0 == int(found[1]):
        return ["docs/errors.html has no tables, or does not load"]
    return [f"docs/errors.html: {found[2]} tables are too wide"] if int(found[2]) else []


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    site, lines = folder / "html", error_lines()
    with tempfile.TemporaryDirectory() as home:
        wrong = missing_parts(page(home, site / "index.html"))
        wrong += wide_tables(home, site)
        wrong += lost_lines(home, site, lines)
        chromium(home, "--window-size=1280,900", f"--screenshot={folder}/site.png", (site / "index.html").as_uri())
    print(*wrong, f"{len(lines)} searches", sep="\n")
    sys.exit(1 if wrong or not lines else 0)


main()
