# Checks that docs/errors.md has an entry for each text of the sources, as it names them: an ellipsis for each value.
# And that reports of the checker which docs/checker.md quotes are what the sources print.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Every string of two words counts, whatever function it is given to, so that no error line is overlooked. Left out are
# static assertions, what --help prints, and two kinds of files, but not what these print by PRINTS: ELSEWHERE, whose
# texts must be in the document that is named there, and OTHERS, whose texts are no lines about what happened.
#
# usage: error_lines.py [FOLDER]    (default: the tree that this is in)

import pathlib
import re
import sys

ERRORS = "docs/errors.md"
CHECKER = "docs/checker.md"
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["opal/mca/common/ucp", "ompi/mca/osc/ucp", "ext", "preload", "status", "convert"]
PRINTS = ["opal_output", "opal_output_verbose"]
ELSEWHERE = {
    "ompi/mca/osc/ucp/base/record.c": "docs/watchdog.md",
    "ompi/mca/osc/ucp/report/graph_text.c": "docs/watchdog.md",
    "ompi/mca/osc/ucp/report/report.c": "docs/report.md",
    "ompi/mca/osc/ucp/report/causes_text.c": "docs/report.md",
    "status/table.c": "docs/status.md",
}
OTHERS = {
    "ompi/mca/osc/ucp/report/rules.c": "advice, which says itself what to do",
    "ompi/mca/osc/ucp/base/params.c": "help texts, of which contrib/parameters makes docs/parameters.md",
    "ompi/mca/osc/ucp/base/events.c": "descriptions of events, which tools show",
    "ompi/mca/osc/ucp/report/pvars.c": "descriptions of performance variables, which tools show",
    "ompi/mca/osc/ucp/base/trace.c": "the trace's contents",
    "ompi/mca/osc/ucp/base/trace_text.c": "the trace's contents",
    "ompi/mca/osc/ucp/layer/trace.c": "the trace's contents",
    "ompi/mca/osc/ucp/layer/trace_operations.c": "the trace's contents",
    "ompi/mca/osc/ucp/report/trace_matrix.c": "an SVG picture",
    "ext/osc_ucp_ext_python.c": "what Python's help() shows",
}
HELP = "NAME  "  # begins what --help prints
OF_OTF2 = "archive_must"  # its texts stand in the line "OTF2 cannot ..."
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\]|\\.)+\'|\bPRI[a-zA-Z]\d+\b|\s+|[\w]+|.', re.S)
VALUE = "\x01"  # stands for a PRI macro
CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?(?:[a-zA-Z]|" + VALUE + ")")
TWO_WORDS = re.compile(r"\w+ [a-z]+")
NOT_CODE = re.compile(r"^\s*#\s*(?:include|error|pragma)\b.*$", re.M)


def strings(text):
    """Runs of string literals, with PRI macros in them, and the word that begins the statement."""
    run, first = None, None
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.startswith(("/*", "//")) or token.isspace():
            continue
        if token.startswith('"'):
            run = (run or "") + match[1]
        elif run is not None and token.startswith("PRI"):
            run += VALUE
        else:
            if run is not None:
                yield first, run
                run = None
            if token in ";{}":
                first = None
            elif first is None or "_Static_assert" == token:
                first = token
    if run is not None:
        yield first, run


def normal(text):
    """As a reader sees it: the prefix that all lines share is left out, and each value is an ellipsis."""
    text = text.replace("%%", "\0").replace("\\n", "").replace('\\"', '"')
    text = re.sub(r"\.{4,}", "...", CONVERSION.sub("...", text)).replace("\0", "%")
    return re.sub(r"^osc/ucp: ", "", text).strip(" ,;:")


def texts_of(top):
    """All texts of the sources below "top", each with the file that it is in and the document that must have it."""
    for path in sorted(path for folder in FOLDERS for path in (top / folder).rglob("*.[ch]")):
        name = str(path.relative_to(top))
        for first, text in strings(NOT_CODE.sub("", path.read_text())):
            if first in ("_Static_assert", OF_OTF2) or not TWO_WORDS.search(normal(text)):
                continue
            if normal(text).startswith(HELP):
                continue
            if first in PRINTS or name not in {**ELSEWHERE, **OTHERS}:
                yield normal(text), name, ERRORS
            elif name in ELSEWHERE:
                yield normal(text), name, ELSEWHERE[name]


def entries_of(document):
    """The texts that the document explains: the first column of its tables, in backquotes."""
    return re.findall(r"^\| `` ?(.+?) ?`` \|", document.read_text(), re.M)


def has(document, text):
    """Whether the document has the text, whatever stands there for its values."""
    words = " ".join(document.read_text().replace("`", "").split())
    return all(part.strip(" ,;:()'") in words for part in text.split("..."))


def quotes_of(document):
    """What the document quotes of the checker's reports: the text of the first line, why, and cure."""
    return re.findall(r"^    osc/ucp: +(?:check: [\w-]+|why|cure): (.+?)(?:, window .*)?$", document.read_text(), re.M)


def prints(text, line):
    """Whether the text, with some values, is the line."""
    return re.fullmatch(".+".join(map(re.escape, text.split("..."))), line)


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TOP)
    found, entries = list(texts_of(top)), entries_of(top / ERRORS)
    texts = {text: name for text, name, document in found if ERRORS == document}
    wrong = [f"{name}: no entry in {ERRORS}: {text}" for text, name in texts.items() if text not in entries]
    wrong += [f"{name}: not in {document}: {text}" for text, name, document in found
              if ERRORS != document and not has(top / document, text)]
    wrong += [f"{CHECKER}: in no source: {line}" for line in quotes_of(top / CHECKER)
              if not any(prints(text, line) for text in texts)]
    wrong += [f"{ERRORS}: in no source: {text}" for text in entries if text not in texts]
    wrong += [f"{ERRORS}: twice: {text}" for text in set(entries) if entries.count(text) > 1]
    wrong += [f"contrib/lib/error_lines.py: there is no {name}" for name in [*ELSEWHERE, *OTHERS]
              if not (top / name).exists()]
    print(*wrong, f"{len(texts)} texts", sep="\n")
    sys.exit(1 if wrong else 0)


main()
