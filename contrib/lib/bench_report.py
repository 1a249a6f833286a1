# What contrib/bench makes of its results: tables of ratios, the bounds that hold or not, docs/performance.md.
#
# SPDX-License-Identifier: BSD-3-Clause

import collections
import csv
import math
import os
import re
import shutil

from bench_pictures import overview, plots
from bench_results import (LIMITS, NAMES, PEERS, SETUPS, Results, compare, function, headlines, number, size_name,
                           title, to_best, with_interval, with_unit)

MOST_LISTED = 20
SHOWN_SIZES = {8, 64, 4096, 1048576}  # in tables, of those that go by size


def table(results, place):
    """A Markdown table of a place's cases: times in microseconds unless they have a unit."""
    columns = [name for name in results.columns()
               if any(results.get(place, *each, name) for each in results.cases(place))]
    others = [name for name in columns if name not in NAMES]
    yield "| | " + " | ".join([*(NAMES.get(name, name) for name in columns), "to the best", "to the limit",
                               *(f"to {name}" for name in others)]) + " |"
    yield "|---|" + "---:|" * (len(columns) + 2 + len(others))
    for case, size in results.cases(place):
        if case.split(".")[0] in ("latency", "rate") and size not in SHOWN_SIZES or case.startswith("operations."):
            continue
        ours, limit = results.get(place, case, size, "ucp"), results.limit(place, case, size)
        values = {name: results.get(place, case, size, name) for name in columns}
        winner = min((value.median for value in values.values() if value), default=None)
        cells = []
        for name, value in values.items():
            broken = results.broken.get((*place, name, case)) or results.broken.get((*place, name, case.split(".")[0]))
            wins = value and value.median == winner and "ratio" != value.unit
            cells.append(f"**{with_unit(value)}**" if wins else with_unit(value) if value else broken or "–")
        ratio = to_best(results, place, case, size)
        cells.append(with_interval(ratio) if ratio and ours.unit != "ratio" else "")
        cells.append(f"{compare(ours, limit[1]).median:.2f} ({NAMES[limit[0]]})" if ours and limit else "")
        cells += [with_interval(compare(ours, values[name])) if ours and values[name] else "" for name in others]
        what = case if case.split(".")[0] not in ("latency", "rate", "types") else f"{case}, {size_name(size)}"
        yield f"| {what.replace('_', ' ')} | " + " | ".join(cells) + " |"


def operations(results, place):
    """Tables of operations by element types, for each size: osc/ucp's ratio to the best of the others."""
    cases = {(case, size): to_best(results, place, case, size) for case, size in results.cases(place)
             if case.startswith("operations.")}
    names = [case.split(".")[1:] for case, _ in cases]
    kinds, types = list(dict.fromkeys(kind for kind, _ in names)), list(dict.fromkeys(type_ for _, type_ in names))
    for size in sorted({size for _, size in cases}):
        yield f"Accumulates of {size_name(size)}, {title(place)}: osc/ucp's time over that of the best of the others"
        yield ""
        yield "| | " + " | ".join(kinds) + " |"
        yield "|---|" + "---:|" * len(kinds)
        for type_ in types:
            cells = [cases.get((f"operations.{kind}.{type_}", size)) for kind in kinds]
            yield f"| {type_.replace('_', ' ')} | " + " | ".join(
                ("**{:.2f}**" if "behind" == verdict(cell) else "{:.2f}").format(cell.median) if cell else ""
                for cell in cells) + " |"
        yield ""


def broken_lines(results):
    for place in results.places():
        broken = [f"{NAMES.get(name, name)} {what} in {case}" for (*where, name, case), what in results.broken.items()
                  if tuple(where) == place]
        if broken:
            yield f"Broken ({title(place)}): " + "; ".join(broken) + "."
            yield ""


def all_tables(results):
    for place in results.places():
        yield f"### {title(place)}"
        yield ""
        yield from table(results, place)
        yield ""
        yield from operations(results, place)
    yield from broken_lines(results)


def verdict(ratio):
    """Only an interval that is clear of 1 by a twentieth tells."""
    return "behind" if ratio.low > 1.05 else "ahead" if ratio.high < 0.95 else "even"


def verdicts(results, place):
    """By (case, bytes): the verdict and the Ratio."""
    found = {}
    for case, size in results.cases(place):
        ratio = to_best(results, place, case, size)
        if ratio and "ratio" != results.get(place, case, size, "ucp").unit and not case.startswith("unused."):
            found[case, size] = verdict(ratio), ratio
    return found


def case_name(case, size):
    return case.replace("_", " ") + (f" {size_name(size)}" if size > 8 else "")


def summary_row(what, found):
    """A row of the summary, if anything was found; returns how many are ahead, even and behind."""
    count = collections.Counter(word for word, _ in found.values())
    behind = sorted(((ratio, case) for case, (word, ratio) in found.items() if "behind" == word), reverse=True)
    listed = ", ".join(f"{case_name(*case)} {with_interval(ratio)}" for ratio, case in behind[:MOST_LISTED])
    more = f" and {len(behind) - MOST_LISTED} more" if len(behind) > MOST_LISTED else ""
    if found:
        yield f"| {what} | {count['ahead']} | {count['even']} | {count['behind']} | {listed}{more} |"
    return count


def summary(results):
    """For each set-up a table: where osc/ucp is ahead of, even with or behind the best of the others."""
    total = collections.Counter()
    for setup in dict.fromkeys(place[0] for place in results.places()):
        yield from (f"**{SETUPS[setup]}**", "", "| windows | ahead | even | behind | behind in (the furthest first) |",
                    "|---|---:|---:|---:|---|")
        for place in filter(lambda place: place[0] == setup, results.places()):
            found = verdicts(results, place)
            for what in ("", ", operations by types"):
                words = {case: word for case, word in found.items() if case[0].startswith("operations.") == bool(what)}
                total += yield from summary_row(f"MPI_Win_{function(place[2])}, {place[1]} processes{what}", words)
        yield ""
    yield f"ahead: {total['ahead']}, even: {total['even']}, behind: {total['behind']}"


def agreement(first, second):
    """Lines that tell how far two runs agree: the intervals of a row overlap, or its verdicts are the same."""
    rows, differ = 0, []
    for place in first.places():
        others = verdicts(second, place)
        for case, (word, ratio) in verdicts(first, place).items():
            if case in others:
                rows += 1
                other_word, other = others[case]
                if word != other_word and (ratio.low > other.high or other.low > ratio.high):
                    differ.append(f"{' '.join(map(str, place))} {case_name(*case)}: {with_interval(ratio)} {word}, "
                                  f"{with_interval(other)} {other_word}")
    yield from differ
    yield f"{rows - len(differ)} of {rows} rows agree"


# ---- bounds ----

def bounds_of(results, name):
    """The lines of the table `name` that are about what was measured. CASE* stands for all that begin with CASE."""
    with open(name) as stream:
        lines = [line.split("#")[0].split() for line in stream]
    setups = {place[0] for place in results.places()}
    for setup, flavour, processes, case, size, *rest in filter(lambda words: words and words[0] in setups, lines):
        cases = [case] if not case.endswith("*") else [
            other for other, bytes_ in results.cases((setup, int(processes), flavour))
            if other.startswith(case[:-1]) and bytes_ == int(size)]
        for each in cases:
            yield setup, flavour, processes, each, size, *rest


def check_bounds(results, name):
    """Lines that tell each bound of the table `name`, whether it holds, and how many do not. One that the median
    exceeds, but not the whole interval, is left open."""
    lines, exceeded = [], 0
    for words in bounds_of(results, name):
        setup, flavour, processes, case, size, against, bound = words
        place, size = (setup, int(processes), flavour), int(size)
        ours = results.get(place, case, size, "ucp")
        theirs = reference(results, place, case, size, against)
        what, low = f"{setup} {flavour} x{processes} {case} {size_name(size)}", math.inf
        if not ours or not (theirs or "-" == against):
            lines.append(f"no result     {what}: {'osc/ucp' if not ours else against} is missing")
            exceeded += 1
            continue
        if "-" == against:
            value, said = ours.median, f"{number(ours.median)} {ours.unit}, at most {bound}"
        elif bound.startswith("+"):
            value = ours.median - theirs.median
            said = f"{number(ours.median)} {ours.unit}, at most {number(theirs.median)} {bound} ({against})"
        else:
            ratio = compare(ours, theirs)
            value, low = ratio.median, ratio.low
            said = f"{with_interval(ratio)} of {against} ({number(ours.median)} to {number(theirs.median)} " \
                f"{ours.unit}), at most {bound}"
        word = "holds" if value <= float(bound) else "EXCEEDED" if low > float(bound) else "open"
        exceeded += "EXCEEDED" == word
        lines.append(f"{word:14}{what}: {said}")
    return lines, exceeded


def reference(results, place, case, size, against):
    """What a bound is against: best or several,components (the best of them), or component[/case[/bytes]]."""
    component, _, rest = against.partition("/")
    if "best" == component or "," in component:
        component = results.best(place, case, size, PEERS if "best" == component else component.split(","))
    other, _, bytes_ = rest.partition("/")
    return results.get(place, other or case, int(bytes_ or size), component) if component else None


# ---- all of it ----

def remembered(results):
    yield "| microseconds | osc/ucp | the best of the others | ratio |"
    yield "|---|---:|---:|---:|"
    for words, ours, theirs, name, ratio in headlines(results):
        texts = with_unit(ours), with_unit(theirs)
        first = ours.median <= theirs.median
        yield f"| {words} | {'**' * first}{texts[0]}{'**' * first} | {'**' * (not first)}{texts[1]}" \
            f"{'**' * (not first)} ({NAMES[name]}) | {ratio.median:.2g} |"
    broken = collections.Counter(NAMES.get(name, name) for _, _, _, name, _ in results.broken)
    yield ""
    yield "Cases that crash, fail, give wrong data or take too long: " + \
        (", ".join(f"{name} {count}" for name, count in broken.most_common()) or "none") + \
        ("" if "osc/ucp" in broken else "; osc/ucp none") + "."


def shown_arguments(words):
    """The options as the user gave them."""
    hidden = {words.index(name) + i for name in ("--programs", "--mpirun", "--output") if name in words
              for i in (0, 1)}
    return [word for i, word in enumerate(words) if i not in hidden]


def write_csv(results, name):
    """All medians, osc/ucp's ratio to the best of the others with its interval, and the limit."""
    columns = [name for name in (*results.columns(), *LIMITS) if name in results.components]
    with open(name, "w") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["setup", "processes", "windows", "case", "bytes", "unit", *columns, "ratio", "low", "high"])
        for place in results.places():
            for case, size in results.cases(place):
                values = [results.get(place, case, size, component) for component in columns]
                ratio = to_best(results, place, case, size)
                table.writerow([*place, case, size, next(value.unit for value in values if value),
                                *(f"{value.median:.4g}" if value else "" for value in values),
                                *(f"{figure:.3g}" if math.isfinite(figure) else "" for figure in ratio or ())])


def system_name():
    """debian-12"""
    with open("/etc/os-release") as stream:
        fields = dict(line.strip().split("=", 1) for line in stream if "=" in line)
    return "-".join(fields[key].strip('"') for key in ("ID", "VERSION_ID") if key in fields)


def write_docs(results, top, bounds):
    """Fill those parts of docs/performance.md that are about the system that was measured."""
    system = next(line.split()[1] for line in results.header if line.startswith("system:"))
    page, folder = os.path.join(top, "docs/performance.md"), os.path.join(top, "docs/performance", system)
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    overview(results, os.path.join(folder, "overview.svg"))
    write_csv(results, os.path.join(folder, "results.csv"))
    lines = ["Measured with:", "", *(f"- {line}" for line in results.header), "", *summary(results), "",
             f"All figures, with intervals: [results.csv](performance/{system}/results.csv).", "",
             *broken_lines(results), ""]
    lines += [line for place in results.places() for line in operations(results, place)]
    if bounds:
        lines += ["What is aimed at (`test/bench/targets.table`):", "", "```", *bounds, "```", ""]
    for place, files in plots(results, folder).items():
        lines += [f"- {title(place)}: " + ", ".join(f"[{kind}](performance/{system}/{file})" for kind, file in files)]
    parts = {"top": [f"![overview](performance/{system}/overview.svg)", "", *remembered(results)], "results": lines}
    with open(page) as stream:
        text = stream.read()
    for part, written in parts.items():
        text = re.sub(rf"(<!-- {part} of {system}: begin[^\n]*\n).*(<!-- {part} of {system}: end)",
                      lambda match: match[1] + "\n" + "\n".join(written) + "\n\n" + match[2], text, flags=re.DOTALL)
    with open(page, "w") as stream:
        stream.write(text)
    print(f"written: the parts of {page} about {system}, and {folder}")


def report(options, top):
    results = Results(options.read)
    bounds, exceeded = check_bounds(results, options.bounds) if options.bounds else ([], 0)
    print("\n".join([*remembered(results), "", *summary(results), "", *all_tables(results)]))
    for line in [*bounds, *(line for line in results.header if line.startswith("warning"))]:
        print(line)
    print(list(summary(results))[-1])
    if options.write_docs:
        write_docs(results, top, bounds)
    elif shutil.which("gnuplot"):
        overview(results, os.path.join(options.output, "overview.svg"))
        plots(results, options.output)
        print(f"pictures: {options.output}/*.svg")
    return 1 if exceeded and options.strict else 0
