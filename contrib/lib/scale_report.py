# What contrib/scale prints, and its pictures, with gnuplot.
#
# SPDX-License-Identifier: BSD-3-Clause

import os
import re
import shutil
import subprocess

from scale_model import Model

# What is reported of a case, by phase. What is left out is 0, or follows from the rest.
AGAIN = ("messages", "bytes", "replies", "locks")
FIRST = ("fence", "incast", "incast target", "lock_all", "all to all") # others find connections of earlier cases
TOTAL = ("connections", "descriptors", "mappings", "heap KiB", "resident KiB")
PER_WINDOW = ("heap KiB", "resident KiB", "mappings", "descriptors")
WORDS = {"one": "one host, as users have it", "apart": "one host, all by tcp: a host for each process",
         "hosts2": "2 hosts", "hosts4": "4 hosts", "hosts8": "8 hosts"}
COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#ff7f0e", "#17becf", "#7f7f7f", "#bcbd22")
BEGIN, END = "<!-- contrib/scale writes from here -->", "<!-- to here -->"


def wanted(row):
    if row.case in ("create", "free"):
        return "again" == row.phase and row.quantity in PER_WINDOW and ("create" == row.case or row.mean > 0)
    if "total" == row.phase:
        return row.quantity in TOTAL and row.case in FIRST
    return "again" == row.phase and row.quantity in AGAIN


def series(rows):
    """(set-up, case, phase, quantity): its rows, in the order of the file."""
    groups = {}
    for row in filter(wanted, rows):
        groups.setdefault((row.setup, row.case, row.phase, row.quantity), []).append(row)
    return groups


def off(row, predicted):
    """How far the prediction is off, relative to the count: to one message, and to what Open MPI itself may take, at
    least."""
    least = 1
    if row.quantity.endswith("KiB"):
        least = 1024 if "total" == row.phase else 4
    return abs(predicted - row.mean) / max(row.mean, least)


class Fit:
    """The model of one series, and the row of each larger number of processes where it is off most."""

    def __init__(self, rows, most):
        # The first connection brings UCX's buffers, so that no connection at all is a case of its own.
        rows = [row for row in rows if "total" != row.phase or row.k > 0 or all(other.k == 0 for other in rows)]
        few = [row for row in rows if row.processes <= most]
        self.rows = rows
        self.model = Model(few) if len(few) > 1 else None
        self.worst = {}
        for row in rows:
            if self.model and row.processes > most:
                known = self.worst.get(row.processes)
                if known is None or off(row, self.model.predict(row)) > off(known, self.model.predict(known)):
                    self.worst[row.processes] = row

    def errors(self):
        return [off(row, self.model.predict(row)) for row in self.worst.values()]


def print_all(rows, most):
    """The models, and prediction against count. Returns how many counts are off by more than 20 percent."""
    bad = total = 0
    for key, group in series(rows).items():
        fit = Fit(group, most)
        if not fit.model:
            continue
        setup, case, phase, quantity = key
        print(f"{setup:7} {case:17} {quantity:13} {phase:6} = {fit.model}")
        for processes, row in sorted(fit.worst.items()):
            error, total = off(row, fit.model.predict(row)), total + 1
            bad += error > 0.2
            print(f"        P={processes} k={row.k}: predicted {fit.model.predict(row):.4g}, counted {row.mean:.4g}"
                  f" (most: {row.max:.4g}), off by {100 * error:.0f} %{' EXCEEDED' if error > 0.2 else ''}")
    if total:
        print(f"{total - bad} of {total} predictions are within 20 percent of the count")
    return bad


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def doc_table(rows, most, setup):
    """A table with a line for each case and quantity: the model, counts, and the prediction's error."""
    groups = {key: group for key, group in series(rows).items() if key[0] == setup}
    columns = [count for count in (4, 16, 32, 64, 128) if any(row.processes == count for row in rows
                                                             if row.setup == setup)]
    out = [f"### {WORDS[setup][0].upper()}{WORDS[setup][1:]}", "",
           "| case | what | model | " + " | ".join(f"P={count}" for count in columns) + " | off |",
           "|---|---|---|" + "---|" * (len(columns) + 1)]
    for (_, case, phase, quantity), group in groups.items():
        fit = Fit(group, most)
        if not fit.model or not any(row.mean for row in group):
            continue
        k = max((row.k for row in group if row.processes == columns[min(1, len(columns) - 1)]), default=0)
        cells = []
        for count in columns:
            there = [row for row in group if row.processes == count]
            row = next((row for row in there if row.k == k), there[-1] if there else None)
            cells.append("" if row is None else number(row.mean) + (f" (k={row.k})" if len({r.k for r in group}) > 1
                                                                    else ""))
        worst = max(fit.errors(), default=None)
        out.append(f"| {case} | {quantity}{' in all' if 'total' == phase else ''} | {fit.model} | " +
                   " | ".join(cells) + f" | {'' if worst is None else f'{100 * worst:.0f} %'} |")
    return out + [""]


def plot(rows, setup, quantity, phase, file):
    """Log-log, a line for each case."""
    groups = {key[1]: group for key, group in series(rows).items()
              if key[0] == setup and key[2] == phase and key[3] == quantity}
    out = ['set terminal svg size 800,480 font "sans,12" background "white"', f'set output "{file}"',
           "set logscale xy 2", "set grid", "set key outside right", 'set xlabel "processes"',
           f'set ylabel "{quantity} for each process"', f'set title "{WORDS[setup]}" noenhanced']
    curves = []
    for case, group in groups.items():
        points = {}
        for row in group:
            points[row.processes] = row.mean # the largest k, which comes last
        points = [(count, mean) for count, mean in points.items() if mean > 0]
        if len(points) > 1:
            block = "$" + re.sub(r"\W", "_", case)
            out += [f"{block} << EOD", *(f"{count} {mean:.6g}" for count, mean in points), "EOD"]
            curves.append(f"{block} with linespoints lw 2 pt 7 ps 0.5 lc rgb '{COLOURS[len(curves) % len(COLOURS)]}' "
                          f"title '{case}' noenhanced")
    if curves:
        subprocess.run(["gnuplot"], input="\n".join([*out, "plot " + ", ".join(curves)]), text=True, check=True)
    return bool(curves)


def pictures(rows, folder):
    """Draw what there is; the files' names and what they show."""
    drawn = []
    if shutil.which("gnuplot") is None:
        return drawn
    os.makedirs(folder, exist_ok=True)
    for setup in dict.fromkeys(row.setup for row in rows):
        for quantity, phase in ("messages", "again"), ("connections", "total"), ("heap KiB", "total"):
            name = f"{setup}-{quantity.split()[0]}.svg"
            if plot(rows, setup, quantity, phase, os.path.join(folder, name)):
                drawn.append((name, f"{quantity}, {WORDS[setup]}"))
    return drawn


def write_docs(rows, most, docs):
    """Replace what stands between the marks in docs/scale.md."""
    page = os.path.join(docs, "scale.md")
    with open(page) as file:
        text = file.read()
    out = []
    for setup in dict.fromkeys(row.setup for row in rows):
        out += doc_table(rows, most, setup)
    out += [f"![{words}](scale/{name})" for name, words in pictures(rows, os.path.join(docs, "scale"))]
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(page, "w") as file:
        file.write(before + BEGIN + "\n\n" + "\n".join(out) + "\n\n" + END + after)
