# contrib/scale runs this: it counts, fits the model, and prints how far the model's prediction is off.
#
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import csv
import os
import statistics
import subprocess
import sys
import time

import jobs
import scale_report
from scale_model import FIELDS, Row

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETUPS = {"one": 1, "apart": 1, "hosts2": 2, "hosts4": 4, "hosts8": 8}  # how many hosts
APART = ["--mca", "osc_ucp_node", "0", "-x", "UCX_TLS=tcp,self", "-x", "UCX_NET_DEVICES=lo"]

# Each line is one job: connections that an early case has opened are there for the later ones, so that what is to be
# counted alone comes first.
JOBS = [["create", "fence", "fence neighbours", "pscw"], ["incast"], ["lock_all", "flush_all", "all to all"]]


def arguments():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(prog="contrib/scale", usage="see the head of contrib/scale", add_help=False)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--processes", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--setup", type=words, default=list(SETUPS))
    parser.add_argument("--fit", type=int, default=32)
    parser.add_argument("--repeat", type=int)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--read", nargs="+", metavar="FILE")
    parser.add_argument("--output")
    parser.add_argument("--write-docs", action="store_true")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--mpirun", required=True)
    options = parser.parse_args()
    options.processes = options.processes or ([2, 4, 8, 16, 32, 64, 128] if options.full else [2, 4, 8, 16, 32])
    options.output = options.output or options.programs
    for name in options.setup:
        if name not in SETUPS:
            sys.exit(f"scale: no set-up {name}, there are: {' '.join(SETUPS)}")
    return options


def command(options, setup, processes, cases):
    hosts = SETUPS[setup]
    below = ["env", f"PER_HOST={processes // hosts}", os.path.join(TOP, "contrib/two-hosts"), "-n", str(hosts)]
    return [*(below if hosts > 1 else []), options.mpirun, "-x", "TEST_ENDED", "-np", str(processes), "--oversubscribe",
            *(["--bind-to", "none"] if hosts == 1 else []), "--mca", "mpi_yield_when_idle", "1", "--mca", "osc", "ucp",
            "--mca", "pml", "ob1", *(APART if "apart" == setup else []),
            os.path.join(options.programs, "scale"), *cases]


def run(words, seconds):
    """The fields of the rows that a job prints, and how it has ended, or None if well. If it fails, the rest of its
    output is on stderr: with stacks, if it was a hang."""
    job = subprocess.Popen([os.path.join(TOP, "test/lib/within"), "-r", str(seconds), *words],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace",
                           start_new_session=True)
    try:
        lines = job.communicate()[0].splitlines()
    finally:
        jobs.end(job)
    if 0 != job.returncode:
        print(*(line for line in lines if not line.startswith("row,")), sep="\n", file=sys.stderr)
        return [], f"no end within {seconds} s" if 124 == job.returncode else f"exit status {job.returncode}"
    return [line.split(",")[1:] for line in lines if line.startswith("row,")], None


def repeat(options):
    """Run all cases many times, and say how each run has ended; how many have not ended well."""
    failed = 0
    for setup in options.setup:
        for processes in options.processes:
            if not possible(setup, processes):
                continue
            for number in range(1, options.repeat + 1):
                begin = time.time()
                rows, wrong = run(command(options, setup, processes, sum(JOBS, [])), options.seconds)
                wrong = wrong or (None if rows else "nothing was counted")
                print(f"{setup}, {processes} processes, run {number} of {options.repeat}: {wrong or 'ended well'}"
                      f" ({time.time() - begin:.0f} s)", flush=True)
                failed += wrong is not None
    print(f"{failed} runs have failed")
    return failed


def possible(setup, processes):
    return 1 == SETUPS[setup] or processes >= 2 * SETUPS[setup]


def count(options, setup, processes, cases):
    """Run a job several times. The medians of its rows, and how many runs failed: the memory of a process sometimes
    grows by some hundred KiB more."""
    found, failed = {}, 0
    for _ in range(options.rounds):
        begin = time.time()
        counted, wrong = run(command(options, setup, processes, cases), options.seconds)
        print(f"{setup}, {processes} processes, {', '.join(cases)}: {wrong or 'counted'} ({time.time() - begin:.0f} s)",
              file=sys.stderr, flush=True)
        failed += wrong is not None
        for *key, mean, most in counted:
            found.setdefault(tuple(key), []).append((float(mean), float(most)))
    return [[*key, *(f"{statistics.median(column):.6g}" for column in zip(*values))]
            for key, values in found.items()], failed


def collect(options):
    """Run all jobs; the rows, also in scale.csv, and how many runs failed."""
    rows, failed = [], 0
    with open(os.path.join(options.output, "scale.csv"), "w") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(FIELDS)
        for setup in options.setup:
            for processes in options.processes:
                if not possible(setup, processes):
                    continue
                for cases in JOBS:
                    counted, wrong = count(options, setup, processes, cases)
                    failed += wrong
                    for fields in counted:
                        values = [setup, str(processes), *fields]
                        table.writerow(values)
                        rows.append(Row.of(values))
                    file.flush()
    return rows, failed


def read(names):
    rows = []
    for name in names:
        with open(name) as file:
            rows += [Row.of(values) for values in csv.reader(file) if values and values[0] in SETUPS]
    return rows


def main():
    jobs.end_with_signals()
    options = arguments()
    if options.repeat:
        sys.exit(1 if repeat(options) else 0)
    rows, failed = (read(options.read), 0) if options.read else collect(options)
    bad = scale_report.print_all(rows, options.fit)
    if options.write_docs:
        scale_report.write_docs(rows, options.fit, os.path.join(TOP, "docs"))
    else:
        scale_report.pictures(rows, options.output)
    sys.exit(1 if failed or bad else 0)


if __name__ == "__main__":
    main()
