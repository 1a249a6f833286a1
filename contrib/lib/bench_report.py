# What contrib/bench makes of its results: tables of ratios, plots, the bounds that hold or not, docs/performance.md.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# A ratio is osc/ucp's time (or bytes) over the other's: below 1 is better.

import collections
import csv
import os
import re
import statistics
import subprocess

LIMITS = ("memcpy", "bare", "message")
PEERS = ("sm", "rdma", "ucx", "pt2pt", "mpich")
NAMES = {"ucp": "osc/ucp", "sm": "osc/sm", "rdma": "osc/rdma", "ucx": "osc/ucx", "pt2pt": "osc/pt2pt",
         "mpich": "MPICH", "memcpy": "memcpy", "bare": "UCX put", "message": "UCX message"}
COLOURS = {"ucp": "#d62728", "sm": "#1f77b4", "rdma": "#2ca02c", "ucx": "#9467bd", "pt2pt": "#8c564b",
           "mpich": "#ff7f0e", "memcpy": "#7f7f7f", "bare": "#bcbd22", "message": "#17becf"}
SETUPS = {"one": "One host", "unbound": "One host, processes not bound to cores", "two": "Two hosts, tcp",
          "mixed": "Two hosts with two processes each, tcp"}
SHOWN_SIZES = {8, 64, 4096, 1048576}  # in tables, of those that go by size

Value = collections.namedtuple("Value", "median low high unit")


class Results:
    """Medians over the rounds, by (setup, processes, flavour, case, bytes) and component."""

    def __init__(self, files, best=False):
        """With `best`, the best of the rounds is taken for the median."""
        self.header = []
        rows = collections.defaultdict(list)
        self.broken = {}
        self.components = {}
        for name in files:
            with open(name) as stream:
                lines = stream.read().splitlines()
            self.header += [line[2:] for line in lines if line.startswith("# ") and line[2:] not in self.header]
            for row in csv.DictReader(line for line in lines if not line.startswith("# ")):
                where = row["setup"], int(row["processes"]), row["flavour"]
                if row["unit"] in ("crashes", "fails", "hangs", "wrong"):
                    self.broken[(*where, row["component"], row["case"])] = row["unit"]
                    continue
                flavour = "" if row["component"] in LIMITS else where[2]
                rows[(*where[:2], flavour, row["case"], int(row["bytes"]), row["component"])].append(row)
        self.values = collections.defaultdict(dict)
        for (*key, component), found in rows.items():
            medians = sorted(float(row["median"]) for row in found)
            low, high = (medians[len(medians) // 4], medians[-1 - len(medians) // 4]) if len(medians) > 2 else \
                (float(found[0]["low"]), float(found[0]["high"]))
            middle = min(float(row["low"]) for row in found) if best else statistics.median(medians)
            self.values[tuple(key)][component] = Value(middle, low, high, found[0]["unit"])
            self.components[component] = True

    def places(self):
        """(setup, processes, flavour) in the order of their names in SETUPS."""
        found = {key[:3] for key in self.values if key[2]} | {key[:3] for key in self.broken}
        return sorted(found, key=lambda place: (list(SETUPS).index(place[0]), place[1], place[2]))

    def cases(self, place):
        """(case, bytes) in the order of the run."""
        return [key[3:] for key in self.values if key[:3] == place]

    def get(self, place, case, size, component):
        flavour = "" if component in LIMITS else place[2]
        return self.values.get((place[0], place[1], flavour, case, size), {}).get(component)

    def columns(self):
        """osc/ucp, its variants, the peers."""
        return ["ucp", *(name for name in self.components if name not in NAMES), *PEERS]

    def best(self, place, case, size, peers=PEERS):
        """The best peer's name, or None."""
        found = {name: self.get(place, case, size, name) for name in peers}
        found = {name: value for name, value in found.items() if value and value.median > 0}
        return min(found, key=lambda name: found[name].median) if found else None

    def limit(self, place, case, size):
        """What can be had at most for such a case: (name, value) or None."""
        group, _, operation = case.partition(".")
        mapped = "two" != place[0] and place[2] in ("allocate", "shared")
        get = "get" == operation
        kind = ("memcpy" if size >= 65536 or "types" == group else "bare") if mapped else "message"
        if "types" == group:
            like = case if "types.strided_put" == case and mapped else "types.contiguous_put"
        elif "latency" == group and "get_accumulate" != operation:
            like = "latency.get" if get and "memcpy" != kind else "latency.put"
            if "bare" == kind and operation in ("fetch_and_op", "compare_and_swap"):
                like = "latency.fetch_and_op"
        elif "rate" == group and "fetch_and_op" != operation:
            like = "rate.put"
        elif case.startswith("epochs.lock") and not mapped:
            like, size = "latency.put", 8
        else:
            return None
        value = self.get(place, like, size, kind)
        return (kind, value) if value else None


def number(value):
    """Three digits, or more."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def with_unit(value):
    return number(value.median) + {"us": "", "ratio": " x", "B": " B"}.get(value.unit, "")


def size_name(size):
    if size >= 1 << 20:
        return f"{size >> 20} MiB"
    return f"{size >> 10} KiB" if size >= 1024 and size % 1024 == 0 else f"{size} B"


def table(results, place):
    """A Markdown table of a place's cases: times in microseconds unless they have a unit."""
    columns = [name for name in results.columns()
               if any(results.get(place, *each, name) for each in results.cases(place))]
    yield "| | " + " | ".join(NAMES.get(name, name) for name in columns) + " | to the best | to the limit |"
    yield "|---|" + "---:|" * (len(columns) + 2)
    for case, size in results.cases(place):
        if case.split(".")[0] in ("latency", "rate") and size not in SHOWN_SIZES:
            continue
        ours, best, limit = results.get(place, case, size, "ucp"), results.best(place, case, size), \
            results.limit(place, case, size)
        cells = []
        for name in columns:
            value = results.get(place, case, size, name)
            broken = results.broken.get((*place, name, case)) or results.broken.get((*place, name, case.split(".")[0]))
            cells.append((f"**{with_unit(value)}**" if name == best else with_unit(value)) if value else broken or "–")
        cells.append(f"{ours.median / results.get(place, case, size, best).median:.2f}"
                     if ours and best and ours.unit != "ratio" else "")
        cells.append(f"{ours.median / limit[1].median:.2f} ({NAMES[limit[0]]})" if ours and limit else "")
        what = case if case.split(".")[0] not in ("latency", "rate", "types") else f"{case}, {size_name(size)}"
        yield f"| {what.replace('_', ' ')} | " + " | ".join(cells) + " |"


def all_tables(results):
    for place in results.places():
        setup, processes, flavour = place
        yield f"### {SETUPS[setup]}, {processes} processes, windows of MPI_Win_{function(flavour)}"
        yield ""
        yield from table(results, place)
        broken = [f"{NAMES.get(name, name)} {what} in {case}" for (*where, name, case), what in results.broken.items()
                  if tuple(where) == place]
        if broken:
            yield ""
            yield "Broken: " + "; ".join(broken) + "."
        yield ""


def to_best(results, place, case, size):
    """osc/ucp's time over that of the best of the others, or None."""
    ours, best = results.get(place, case, size, "ucp"), results.best(place, case, size)
    return ours.median / results.get(place, case, size, best).median if ours and best else None


def summary(results, by_best):
    """For each place, where osc/ucp is behind the best of the others by more than a twentieth, the furthest first; with
    the ratio that `by_best`, the best rounds, gives."""
    for place in results.places():
        ahead, even, behind = 0, 0, []
        for case, size in results.cases(place):
            ours, ratio = results.get(place, case, size, "ucp"), to_best(results, place, case, size)
            if ratio is None or "ratio" == ours.unit or case.startswith("unused."):
                continue
            ahead += ratio < 0.95
            even += 0.95 <= ratio <= 1.05
            if ratio > 1.05:
                what = case.replace("_", " ") + (f" {size_name(size)}" if size > 8 else "")
                behind.append((ratio, f"{what} {ratio:.2f} ({to_best(by_best, place, case, size):.2f})"))
        listed = ", ".join(text for _, text in sorted(behind, reverse=True))
        yield f"- {SETUPS[place[0]]}, {place[1]} processes, MPI_Win_{function(place[2])}: ahead in {ahead}, even in " \
            f"{even}, behind in {len(behind)}{': ' + listed if listed else ''}"


def function(flavour):
    return {"dynamic": "create_dynamic", "shared": "allocate_shared"}.get(flavour, flavour)


# ---- bounds ----

def check_bounds(results, name, by_best=None):
    """Lines that tell each bound of the table `name`, whether it holds, and how many do not; where one does not, also
    what `by_best`, the best rounds, gives."""
    lines, exceeded = [], 0
    with open(name) as stream:
        bounds = [line.split("#")[0].split() for line in stream]
    setups = {place[0] for place in results.places()}
    for words in filter(lambda words: words and words[0] in setups, bounds):
        setup, flavour, processes, case, size, against, bound = words
        place, size = (setup, int(processes), flavour), int(size)
        ours = results.get(place, case, size, "ucp")
        theirs = reference(results, place, case, size, against)
        what = f"{setup} {flavour} x{processes} {case} {size_name(size)}"
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
            value = ours.median / theirs.median
            said = f"{value:.2f} of {against} ({number(ours.median)} to {number(theirs.median)} {ours.unit}), " \
                f"at most {bound}"
        holds = value <= float(bound)
        exceeded += not holds
        if not holds and by_best and "-" != against and not bound.startswith("+"):
            ratio = by_best.get(place, case, size, "ucp").median / reference(by_best, place, case, size, against).median
            said += f"; {ratio:.2f} by the best rounds"
        lines.append(f"{'holds   ' if holds else 'EXCEEDED'}      {what}: {said}")
    return lines, exceeded


def reference(results, place, case, size, against):
    """What a bound is against: best or several,components (the best of them), or component[/case[/bytes]]."""
    component, _, rest = against.partition("/")
    if "best" == component or "," in component:
        component = results.best(place, case, size, PEERS if "best" == component else component.split(","))
    other, _, bytes_ = rest.partition("/")
    return results.get(place, other or case, int(bytes_ or size), component) if component else None


# ---- plots ----

PLAIN = ("unset mxtics", "unset mytics", "set tics scale 0")  # what gnuplot would draw besides is most of the file


def plots(results, folder):
    """Draw what there is; the files' names by place."""
    drawn = collections.defaultdict(list)
    for place in results.places():
        name = f"{place[0]}-{place[2]}-{place[1]}"
        if place[1] > 4:
            continue
        for kind, script in (("latency", lines_plot(results, place, "latency")),
                             ("rate", lines_plot(results, place, "rate")), ("epochs", bars_plot(results, place))):
            if script:
                file = f"{name}-{kind}.svg"
                subprocess.run(["gnuplot"], input=f'set output "{os.path.join(folder, file)}"\n{script}', text=True,
                               check=True)
                drawn[place].append((kind, file))
    return drawn


def lines_plot(results, place, group):
    """One panel for each operation that goes by size: log-log, a line for each component."""
    operations = list(dict.fromkeys(case for case, _ in results.cases(place) if case.startswith(group + ".")))
    sizes = {case: sorted(size for other, size in results.cases(place) if other == case) for case in operations}
    operations = [case for case in operations if len(sizes[case]) > 2]
    if not operations:
        return None
    rows = (len(operations) + 1) // 2
    out = [f'set terminal svg size 1000,{60 + 340 * rows} font "sans,11" background "white"',
           f"set multiplot layout {rows},2", "set logscale xy", "set grid",
           f"set key {'top left' if 'latency' == group else 'bottom right'} samplen 1.5",
           'set format x "%.0b %B"', "set xtics 8,8,4194304", *PLAIN]
    for case in operations:
        label = "microseconds" if "latency" == group else "MB/s"
        out += [f'set title "{case.split(".")[1].replace("_", " ")}: {label}" noenhanced']
        curves = []
        for name in ("ucp", *PEERS, "message" if "two" == place[0] or "create" == place[2] else "memcpy"):
            like = f"{group}.put" if name in LIMITS else case
            points = [(size, results.get(place, like, size, name)) for size in sizes[case]]
            points = [(size, value.median if "latency" == group else size / value.median) for size, value in points
                      if value and value.median > 0]
            if points:
                block = f"${name}_{case.split('.')[1]}"
                out += [f"{block} << EOD", *(f"{size} {value:.6g}" for size, value in points), "EOD"]
                style = "dt 2 lw 1.5" if name in LIMITS else "lw 2"
                curves.append(f"{block} with lines {style} lc rgb '{COLOURS[name]}' title '{NAMES[name]}'")
        out.append("plot " + ", ".join(curves) if curves else "set multiplot next")
    return "\n".join(out)


def bars_plot(results, place):
    """Epochs, types, busy targets and applications: a bar for each component, log."""
    cases = [(case, size) for case, size in results.cases(place)
             if case.split(".")[0] in ("epochs", "types", "applications", "busy", "contention", "threads") and
             not case.endswith((".slowdown", ".serving", ".p99"))]
    names = [name for name in ("ucp", *PEERS) if any(results.get(place, *each, name) for each in cases)]
    if len(cases) < 3:
        return None
    out = [f'set terminal svg size {max(700, 200 + 60 * len(cases))},460 font "sans,11" background "white"',
           "set style data histograms", "set style fill solid", "set boxwidth 1", "set logscale y", "set grid y",
           "set key outside top horizontal", "set xtics rotate by -35 noenhanced", 'set ylabel "microseconds"',
           "set bmargin 8", *PLAIN,
           "$bars << EOD"]
    for case, size in cases:
        values = [results.get(place, case, size, name) for name in names]
        out.append(f'"{case}" ' + " ".join(f"{value.median:.6g}" if value and value.median > 0 else "NaN"
                                           for value in values))
    bars = [f"$bars using {i + 2}:xtic(1) lc rgb '{COLOURS[name]}' title '{NAMES[name]}'"
            for i, name in enumerate(names)]
    return "\n".join([*out, "EOD", "plot " + ", ".join(bars)])


# ---- all of it ----

def shown_arguments(words):
    """The options as the user gave them."""
    hidden = {words.index(name) + i for name in ("--programs", "--mpirun", "--output") if name in words for i in (0, 1)}
    return [word for i, word in enumerate(words) if i not in hidden]


def write_docs(results, by_best, top, bounds):
    page = os.path.join(top, "docs/performance.md")
    folder = os.path.join(top, "docs/performance")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    lines = ["Measured with:", "", *(f"- {line}" for line in results.header), "",
             "Ahead of, even with (5 %), or behind the best of the others, and in parentheses by the best rounds:", "",
             *summary(results, by_best), ""]
    if bounds:
        lines += ["What is aimed at (`test/bench/targets.table`):", "", "```", *bounds, "```", ""]
    lines += all_tables(results)
    for place, files in plots(results, folder).items():
        lines += [f"### Pictures: {SETUPS[place[0]].lower()}, {place[1]} processes, MPI_Win_{function(place[2])}", ""]
        lines += [line for kind, file in files for line in (f"![{kind}](performance/{file})", "")]
    with open(page) as stream:
        text = stream.read()
    text = re.sub(r"(<!-- results: begin[^\n]*\n).*(<!-- results: end)",
                  lambda match: match[1] + "\n" + "\n".join(lines) + "\n" + match[2], text, flags=re.DOTALL)
    with open(page, "w") as stream:
        stream.write(text)
    print(f"written: {page} and the pictures in {folder}")


def report(options, top):
    results, by_best = Results(options.read), Results(options.read, best=True)
    print("\n".join([*all_tables(results), *summary(results, by_best)]))
    bounds, exceeded = check_bounds(results, options.bounds, by_best) if options.bounds else ([], 0)
    for line in bounds:
        print(line)
    if options.write_docs:
        write_docs(results, by_best, top, bounds)
    else:
        drawn = plots(results, options.output)
        if drawn:
            print(f"plots: {options.output}/*.svg")
    return 1 if exceeded and options.strict else 0
