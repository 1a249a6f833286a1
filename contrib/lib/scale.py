# contrib/scale runs this: it counts, fits the model, and prints how far the model's prediction is off.
#
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import csv
import os
import signal
import subprocess
import sys
import time

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
    parser.add_argument("--seconds", type=int, default=600)
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
    return [*(below if hosts > 1 else []), options.mpirun, "-np", str(processes), "--oversubscribe",
            *(["--bind-to", "none"] if hosts == 1 else []), "--mca", "mpi_yield_when_idle", "1", "--mca", "osc", "ucp",
            "--mca", "pml", "ob1", *(APART if "apart" == setup else []),
            os.path.join(options.programs, "scale"), *cases]


def run(words, seconds):
    """The lines that a job prints, and what went wrong, or None."""
    job = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           errors="replace", start_new_session=True)
    try:
        out, errors = job.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        for sign in signal.SIGTERM, signal.SIGKILL:
            os.killpg(job.pid, sign)
            time.sleep(5)
        job.communicate()
        return [], f"it did not end within {seconds} s"
    if 0 != job.returncode:
        return [], f"exit status {job.returncode}: {' '.join(errors.split())[-600:]}"
    return out.splitlines(), None


def collect(options):
    """Run all jobs; the rows, also in scale.csv, and how many jobs failed."""
    rows, failed = [], 0
    with open(os.path.join(options.output, "scale.csv"), "w") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(FIELDS)
        for setup in options.setup:
            for processes in options.processes:
                if processes < 2 * SETUPS[setup] and SETUPS[setup] > 1:
                    continue
                for cases in JOBS:
                    begin = time.time()
                    lines, wrong = run(command(options, setup, processes, cases), options.seconds)
                    print(f"{setup}, {processes} processes, {', '.join(cases)}: {wrong or 'counted'}"
                          f" ({time.time() - begin:.0f} s)", file=sys.stderr, flush=True)
                    failed += wrong is not None
                    for line in lines:
                        if line.startswith("row,"):
                            values = [setup, str(processes), *line.split(",")[1:]]
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
    options = arguments()
    rows, failed = (read(options.read), 0) if options.read else collect(options)
    bad = scale_report.print_all(rows, options.fit)
    if options.write_docs:
        scale_report.write_docs(rows, options.fit, os.path.join(TOP, "docs"))
    else:
        scale_report.pictures(rows, options.output)
    sys.exit(1 if failed or bad else 0)


if __name__ == "__main__":
    main()
