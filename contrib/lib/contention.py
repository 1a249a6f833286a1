# contrib/scale --contention runs this: it has 4 to 64 processes contend for locks and counters, with each component.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# A run with more processes and one with the fewest, the base, are a pair: one follows the other. In each round each
# component has one pair of each size, and the order changes. A share is the median of the ratios of pairs. Each pair is a
# line of contention.json, so that a table can be made of several runs.

import argparse
import json
import os
import statistics
import sys

import jobs
import scale
from bench_results import Ratio, interval, with_interval

BEGIN, END = "<!-- contrib/scale --contention writes from here -->", "<!-- to here: contention -->"


def arguments():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(prog="contrib/scale --contention", usage="see the head of contrib/scale")
    parser.add_argument("--contention", action="store_true")
    parser.add_argument("--processes", type=lambda text: [int(word) for word in text.split(",")],
                        default=[4, 8, 16, 32, 64])
    parser.add_argument("--component", type=words, default=["ucp", "sm", "rdma"])
    parser.add_argument("--case", type=words, default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--read", nargs="+", metavar="FILE")
    parser.add_argument("--output")
    parser.add_argument("--write-docs", action="store_true")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--mpirun", required=True)
    return parser.parse_args()


def run(options, processes, component):
    """By case: operations in a second, longest operation, fewest of a process. Empty if the run has failed."""
    words = [options.mpirun, "-x", "TEST_ENDED", "-np", str(processes), "--oversubscribe", "--bind-to", "none",
             "--mca", "osc", component, "--mca", "pml", "ob1", os.path.join(options.programs, "contention"),
             str(options.seconds), *options.case]
    rows, wrong = scale.run(words, 300)
    print(f"{processes} processes, {component}: {wrong or 'done'}", file=sys.stderr, flush=True)
    return {case: [float(value) for value in values] for case, *values in rows}


def collect(options):
    """Run all pairs: component, processes, the results of the base, and those of these processes."""
    base, *others = options.processes
    pairs = []
    with open(os.path.join(options.output or options.programs, "contention.json"), "w") as file:
        for number in range(options.rounds):
            for component in options.component[:: 1 if number % 2 == 0 else -1]:
                for processes in others:
                    order = [base, processes][:: 1 if number % 2 == 0 else -1]
                    found = {size: run(options, size, component) for size in order}
                    pairs.append((component, processes, found[base], found[processes]))
                    print(json.dumps(pairs[-1]), file=file, flush=True)
    return pairs


def read(names):
    pairs = []
    for name in names:
        with open(name) as file:
            pairs += [json.loads(line) for line in file]
    return pairs


def by_size(options, pairs):
    """The same by component and processes."""
    sorted_pairs = {}
    for component, processes, *pair in pairs:
        if component in options.component and processes in options.processes:
            sorted_pairs.setdefault((component, processes), []).append(pair)
    return sorted_pairs


def measured(rows):
    """Operations in a second, and the longest one."""
    if not rows:
        return "failed"
    rate = statistics.median(row[0] for row in rows) / 1000
    return ((f"{rate:.0f}" if rate >= 100 else f"{rate:.2g}") + f", {max(row[1] for row in rows) * 1000:.0f} ms"
            + (", one process had none" if min(row[2] for row in rows) < 2 else ""))


def cell(pairs, case):
    """What the processes had, and their share of what the base had."""
    both = [(base[case][0], more[case][0]) for base, more in pairs if case in base and case in more]
    failed = sum(case not in base for base, _ in pairs)
    text = measured([more[case] for _, more in pairs if case in more])
    if both:
        shares = [more / base for base, more in both]
        text += f" ({with_interval(Ratio(statistics.median(shares), *interval(shares)))})"
    return text + (f", {failed} runs of the base have failed" if failed else "")


def table(options, pairs):
    base, *others = options.processes
    lines = ["| case | processes | " + " | ".join(f"osc/{name}" for name in options.component) + " |",
             "|---" * (2 + len(options.component)) + "|"]
    cases = dict.fromkeys(case for found in pairs.values() for pair in found for rows in pair for case in rows)
    for case in cases:
        first = [measured([rows[case] for size in others for rows, _ in pairs.get((name, size), []) if case in rows])
                 for name in options.component]
        lines.append(f"| {case} | {base} | " + " | ".join(first) + " |")
        for size in others:
            cells = [cell(pairs.get((name, size), []), case) for name in options.component]
            lines.append(f"| {case} | {size} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    jobs.end_with_signals()
    options = arguments()
    text = table(options, by_size(options, read(options.read) if options.read else collect(options)))
    print(text)
    if options.write_docs:
        name = os.path.join(scale.TOP, "docs/scale.md")
        with open(name) as file:
            page = file.read()
        head, rest = page.split(BEGIN)
        with open(name, "w") as file:
            file.write(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


main()
