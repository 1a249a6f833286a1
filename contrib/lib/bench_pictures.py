# The pictures that contrib/bench makes of its results, with gnuplot.
#
# SPDX-License-Identifier: BSD-3-Clause

import collections
import os
import subprocess

from bench_results import LIMITS, NAMES, PEERS, headlines, title

COLOURS = {"ucp": "#d62728", "sm": "#1f77b4", "rdma": "#2ca02c", "ucx": "#9467bd", "pt2pt": "#8c564b",
           "mpich": "#ff7f0e", "memcpy": "#7f7f7f", "bare": "#bcbd22", "message": "#17becf"}
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
           f'set multiplot layout {rows},2 title "{title(place)}" noenhanced', "set logscale xy", "set grid",
           f"set key {'top left' if 'latency' == group else 'bottom right'} samplen 1.5",
           'set format x "%.0b %BB"', "set xtics 8,8,4194304", *PLAIN]
    for case in operations:
        label = "microseconds, lower is better" if "latency" == group else "MB/s, higher is better"
        out += [f'set title "{case.split(".")[1].replace("_", " ")}: {label}" noenhanced']
        curves = []
        for name in ("message" if "two" == place[0] or "create" == place[2] else "memcpy", *PEERS, "ucp"): # on top
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
           "set key outside top horizontal", "set xtics rotate by -35 noenhanced",
           'set ylabel "microseconds, lower is better"', f'set title "{title(place)}" noenhanced', "set bmargin 8", *PLAIN,
           "$bars << EOD"]
    for case, size in cases:
        values = [results.get(place, case, size, name) for name in names]
        out.append(f'"{case.replace("_", " ")}" ' +
                   " ".join(f"{value.median:.6g}" if value and value.median > 0 else "NaN" for value in values))
    bars = [f"$bars using {i + 2}:xtic(1) lc rgb '{COLOURS[name]}' title '{NAMES[name]}'"
            for i, name in enumerate(names)]
    return "\n".join([*out, "EOD", "plot " + ", ".join(bars)])


def overview(results, file):
    """The picture of the HEADLINES: two bars each."""
    found = list(headlines(results))
    if not found:
        return
    out = ['set terminal svg size 1000,560 font "sans,12" background "white"', f'set output "{file}"',
           'set title "osc/ucp and the best of the others: microseconds, lower is better"',
           "set style data histograms", "set style fill solid", "set boxwidth 0.9",
           "set logscale y", "set grid y", "set key top left",
           "set xtics rotate by -25", 'set ylabel "microseconds"', "set bmargin 11", "set rmargin 14", *PLAIN,
           "$bars << EOD",
           *(f'"{words}" {ours.median:.6g} {theirs.median:.6g}' for words, ours, theirs, _, _ in found), "EOD",
           f"plot $bars using 2:xtic(1) lc rgb '{COLOURS['ucp']}' title 'osc/ucp', "
           f"$bars using 3 lc rgb '{COLOURS['memcpy']}' title 'the best of the others'"]
    subprocess.run(["gnuplot"], input="\n".join(out), text=True, check=True)
