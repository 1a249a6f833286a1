# contrib/scale --contention runs this: it has 4 to 64 processes contend for locks and counters, with each component.
#
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import os
import statistics
import sys

import scale

BEGIN, END = "<!-- contrib/scale --contention writes from here -->", "<!-- to here: contention -->"


def arguments():
    parser = argparse.ArgumentParser(prog="contrib/scale --contention", usage="see the head of contrib/scale")
    parser.add_argument("--contention", action="store_true")
    parser.add_argument("--processes", type=lambda text: [int(word) for word in text.split(",")],
                        default=[4, 16, 32, 64])
    parser.add_argument("--component", type=lambda text: text.split(","), default=["ucp", "sm", "rdma"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--write-docs", action="store_true")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--mpirun", required=True)
    return parser.parse_args()


def collect(options):
    """By case, processes and component: (operations in a second, longest operation, fewest of a process), by round."""
    results = {}
    for number in range(options.rounds):
        for processes in options.processes:
            for component in options.component:
                words = [options.mpirun, "-np", str(processes), "--oversubscribe", "--bind-to", "none", "--mca", "osc",
                         component, "--mca", "pml", "ob1", os.path.join(options.programs, "contention"),
                         str(options.seconds)]
                lines, wrong = scale.run(words, 300)
                print(f"round {number + 1}, {processes} processes, {component}: {wrong or 'done'}", file=sys.stderr,
                      flush=True)
                for line in lines:
                    case, *values = line.split(",")
                    key = case, processes, component
                    results.setdefault(key, []).append([float(value) for value in values])
    return results


def cell(rounds, base):
    """Operations in a second, in how far that is the base's, and the longest one."""
    if not rounds:
        return "failed"
    rate = statistics.median(values[0] for values in rounds)
    longest = max(values[1] for values in rounds)
    few = min(values[2] for values in rounds)
    return ((f"{rate / 1000:.0f}" if rate >= 100000 else f"{rate / 1000:.2g}") + (f" ({rate / base:.2g})" if base else "") + f", {longest * 1000:.0f} ms"
            + (", one process had none" if few < 2 else ""))


def table(options, results):
    lines = ["| case | processes | " + " | ".join(f"osc/{name}" for name in options.component) + " |",
             "|---" * (2 + len(options.component)) + "|"]
    for case in dict.fromkeys(case for case, _, _ in results):
        base = {}
        for processes in options.processes:
            cells = []
            for name in options.component:
                rounds = results.get((case, processes, name), [])
                cells.append(cell(rounds, base.get(name)))
                if rounds and name not in base:
                    base[name] = statistics.median(values[0] for values in rounds)
            lines.append(f"| {case} | {processes} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    options = arguments()
    text = table(options, collect(options))
    print(text)
    if options.write_docs:
        name = os.path.join(scale.TOP, "docs/scale.md")
        with open(name) as file:
            page = file.read()
        head, rest = page.split(BEGIN)
        with open(name, "w") as file:
            file.write(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


main()
