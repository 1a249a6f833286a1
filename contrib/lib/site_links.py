# Checks the site that contrib/docs made: each link leads to a file of the site, and to a place in it; whoever reads the
# site loads nothing from elsewhere.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: site_links.py FOLDER

import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "object": "data", "source": "src"}
IN_CSS = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")
IN_SCRIPT = re.compile(r"""(?:fetch|import|importScripts)\s*\(\s*["'](?:https?:)?//""")


class Page(html.parser.HTMLParser):
    """The places of a page, and what it links to and loads."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.loads = {""}, [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if "a" == tag and attributes.get("href"):
            self.links.append(attributes["href"])
        elif attributes.get(LOADS.get(tag)):
            self.loads.append(attributes[LOADS[tag]])


def is_elsewhere(target):
    return target.startswith("//") or urllib.parse.urlsplit(target).scheme not in ("", "data")


def nowhere(site, pages, path, target):
    """Why this target of the page at "path" leads nowhere, or None."""
    parts = urllib.parse.urlsplit(target)
    if "data" == parts.scheme:
        return None
    to = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
    if not to.is_file() or not to.is_relative_to(site):
        return "there is no such file"
    if to in pages and urllib.parse.unquote(parts.fragment) not in pages[to].places:
        return "the page has no such place"
    return None


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong, links = [], 0
    for path, page in pages.items():
        name = path.relative_to(site)
        wrong += [f"{name}: loads {target}" for target in page.loads if is_elsewhere(target)]
        for target in [t for t in page.links + page.loads if not is_elsewhere(t)]:
            why = nowhere(site, pages, path, target)
            wrong += [f"{name}: {target}: {why}"] if why else []
            links += 1
    for path in site.rglob("*.css"):
        wrong += [f"{path.relative_to(site)}: loads {target}" for target in IN_CSS.findall(path.read_text())]
    for path in site.rglob("*.js"):
        wrong += [f"{path.relative_to(site)}: loads from elsewhere" for _ in IN_SCRIPT.findall(path.read_text())]
    print(*wrong, f"{len(pages)} pages, {links} links", sep="\n")
    sys.exit(1 if wrong or not links else 0)


main()
