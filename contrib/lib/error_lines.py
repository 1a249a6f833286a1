# Checks that docs/errors.md has an entry for each text of the sources, as it names them: an ellipsis for each value.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Every string of two words counts, whatever function it is given to, so that no error line is overlooked. Left out are
# static assertions and the files in ELSEWHERE, whose texts other documents explain; but not what these files print by
# PRINTS.
#
# usage: error_lines.py [FOLDER]    (default: the tree that this is in)

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["opal/mca/common/ucp", "ompi/mca/osc/ucp", "ext"]
PRINTS = ["opal_output", "opal_output_verbose"]
ELSEWHERE = {
    "ompi/mca/osc/ucp/base/params.c": "help texts: docs/parameters.md",
    "ompi/mca/osc/ucp/base/events.c": "descriptions of events of MPI_T",
    "ompi/mca/osc/ucp/base/record.c": "words of the watchdog's graph and of osc_ucp_status",
    "ompi/mca/osc/ucp/report/graph_text.c": "the watchdog's graph: docs/watchdog.md",
    "ompi/mca/osc/ucp/base/trace.c": "the trace's contents: docs/trace.md",
    "ompi/mca/osc/ucp/layer/trace.c": "the trace's contents",
    "ompi/mca/osc/ucp/report/trace_matrix.c": "the trace's matrix, an SVG picture",
    "ompi/mca/osc/ucp/check/verify.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/buffers.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/across.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/epochs.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/nostore.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/misuse.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/memory.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/requests.c": "what osc_ucp_check tells",
    "ompi/mca/osc/ucp/check/format.c": "what osc_ucp_check tells: docs/errors.md has its kinds",
    "ompi/mca/osc/ucp/report/pvars.c": "descriptions of performance variables",
    "ompi/mca/osc/ucp/report/report.c": "the report: docs/report.md",
    "ompi/mca/osc/ucp/report/causes_text.c": "the report",
    "ompi/mca/osc/ucp/report/rules.c": "the report",
    "ext/osc_ucp_ext_python.c": "what Python's help() shows",
}
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\]|\\.)+\'|\bPRI[a-zA-Z]\d+\b|\s+|[\w]+|.', re.S)
VALUE = "\x01"  # stands for a PRI macro
CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?(?:[a-zA-Z]|" + VALUE + ")")
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
    """All texts of the sources below "top", each with the file that it is in."""
    for path in sorted(path for folder in FOLDERS for path in (top / folder).rglob("*.[ch]")):
        name = str(path.relative_to(top))
        for first, text in strings(NOT_CODE.sub("", path.read_text())):
            if name in ELSEWHERE and first not in PRINTS:
                continue
            if "_Static_assert" != first and re.search(r"[a-z]+ [a-z]+", normal(text)):
                yield normal(text), name


def entries_of(document):
    """The texts that the document explains: the first column of its tables, in backquotes."""
    return re.findall(r"^\| `` ?(.+?) ?`` \|", document.read_text(), re.M)


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TOP)
    texts, entries = dict(texts_of(top)), entries_of(top / "docs/errors.md")
    wrong = [f"{name}: no entry in docs/errors.md: {text}" for text, name in texts.items() if text not in entries]
    wrong += [f"docs/errors.md: in no source: {text}" for text in entries if text not in texts]
    wrong += [f"docs/errors.md: twice: {text}" for text in set(entries) if entries.count(text) > 1]
    wrong += [f"contrib/lib/error_lines.py: there is no {name}" for name in ELSEWHERE if not (top / name).exists()]
    print(*wrong, f"{len(texts)} texts", sep="\n")
    sys.exit(1 if wrong else 0)


main()
