# Runs the suites of contrib/yardsticks, and prints what passed.
#
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import collections
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import jobs
import yardsticks_suites

PASSED, FAILED, LATE, SKIPPED, UNBUILT = "passed", "failed", "too long", "skipped", "not built"
NO_COMPONENTS = {"monitoring"}  # it wraps others


def say(*words):
    print("yardsticks:", *words, flush=True)


def die(*words):
    sys.exit("yardsticks: " + " ".join(words))


def read_arguments():
    parser = argparse.ArgumentParser(prog="contrib/yardsticks")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--suites", type=lambda text: text.split(","), default=[])
    parser.add_argument("--components", type=lambda text: text.split(","), default=[])
    parser.add_argument("--programs", default="*")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        die(f"there is no folder {arguments.folder}")
    return arguments


def choose_suites(arguments):
    found = yardsticks_suites.find_suites(arguments.folder)
    lost = [name for name in arguments.suites if name not in found]
    if lost or not found:
        die(f"{arguments.folder} has no sources of {', '.join(lost or yardsticks_suites.SUITES)}")
    return {name: place for name, place in found.items() if name in (arguments.suites or found)}


def choose_components(wanted):
    """Those of the user, or all that are installed, osc/ucp first."""
    done = subprocess.run(["ompi_info", "--parsable"], capture_output=True, text=True, check=False)
    there = set(re.findall(r"^mca:osc:([a-z0-9_]+):version:", done.stdout, re.M)) - NO_COMPONENTS
    lost = [name for name in wanted or ["ucp"] if name not in there]
    if lost:
        die(f"Open MPI finds no osc/{lost[0]}: {', '.join(sorted(there)) or 'nothing'} is what ompi_info lists")
    return wanted or sorted(there, key=lambda name: (name != "ucp", name))


def build(suite, place, arguments):
    """A copy of the sources, built anew, or, with --again, what is there."""
    output = arguments.output / suite
    folder = output / place.name
    if not arguments.again or not folder.is_dir():
        shutil.rmtree(output, ignore_errors=True)
        say(f"building {suite} in {folder}")
        shutil.copytree(place, folder, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        yardsticks_suites.SUITES[suite].build(folder, output / "build.log")
    return yardsticks_suites.SUITES[suite].programs(folder)


def judge(program, status, log):
    if yardsticks_suites.SKIPPED == status:
        return SKIPPED
    good = 0 == status and yardsticks_suites.says_passed(program, log.read_text(errors="replace"))
    return PASSED if good else FAILED


def run(program, component, arguments, log):
    """One program with one component; what it printed stays in the log."""
    if not os.access(program.command[0], os.X_OK):
        return UNBUILT
    command = [arguments.mpirun, "--oversubscribe", "-np", str(program.processes), "--mca", "osc", component,
               *program.command]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as file:
        job = subprocess.Popen(command, cwd=log.parent, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                               env=dict(os.environ, **program.environment), start_new_session=True)
        try:
            status = job.wait(program.seconds or arguments.seconds)
        except subprocess.TimeoutExpired:
            return LATE
        finally:
            jobs.end(job)
    return judge(program, status, log)


def run_suite(suite, programs, components, arguments):
    """How each program ended with each component."""
    results = {}
    for component in components:
        begin, counts = time.monotonic(), collections.Counter()
        for i, program in enumerate(programs):
            name = f"{i + 1}-" + re.sub(r"[^\w.-]+", "_", program.name)
            log = arguments.output / suite / "logs" / component / name / "output"
            results[program.name, i, component] = result = run(program, component, arguments, log)
            counts[result] += 1
            if result in (FAILED, LATE):
                say(f"osc/{component}: {suite} {program.name} -np {program.processes}: {result}: {log}")
        say(f"osc/{component}: {suite}: {count_text(counts)} in {time.monotonic() - begin:.0f} s")
    return results


def count_text(counts):
    failed = counts[FAILED] + counts[LATE]
    late = f" ({counts[LATE]} too long)" if counts[LATE] else ""
    others = "".join(f", {counts[what]} {what}" for what in (SKIPPED, UNBUILT) if counts[what])
    return f"{counts[PASSED]} passed, {failed} failed{late}{others}"


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def table(results, components):
    """A line for each suite, and a column for each component."""
    lines = [row("suite", "programs", *(f"osc/{name}" for name in components)), "|---" * (2 + len(components)) + "|"]
    for suite, of_suite in results.items():
        counts = {name: collections.Counter() for name in components}
        for (_, _, component), result in of_suite.items():
            counts[component][result] += 1
        lines.append(row(yardsticks_suites.SUITES[suite].title, str(len(of_suite) // len(components)),
                         *(count_text(counts[name]) for name in components)))
    return lines


def failures(results, component):
    """Programs that fail with this component, and with which others they fail as well."""
    lines = []
    for suite, of_suite in results.items():
        for (name, i, which), result in of_suite.items():
            if which == component and result in (FAILED, LATE):
                others = [c for (_, j, c), r in of_suite.items() if j == i and c != which and r in (FAILED, LATE)]
                also = f"; also with {', '.join(others)}" if others else ""
                lines.append(f"- {suite} {name}: {result}{also}")
    return lines


def report(results, components, output):
    lines = table(results, components)
    wrong = failures(results, components[0])
    if wrong:
        lines += ["", f"What failed with osc/{components[0]}:", "", *wrong]
    (output / "yardsticks.md").write_text("\n".join(lines) + "\n")
    print("", *lines, "", sep="\n")
    counts = collections.Counter(result for of_suite in results.values()
                                 for (_, _, component), result in of_suite.items() if component == components[0])
    failed = counts[FAILED] + counts[LATE]
    return counts[PASSED], failed, counts[SKIPPED] + counts[UNBUILT]


def main():
    jobs.end_with_signals()
    arguments = read_arguments()
    arguments.output = arguments.output.resolve()
    suites, components = choose_suites(arguments), choose_components(arguments.components)
    results, broken = {}, 0
    for suite, place in suites.items():
        try:
            programs = build(suite, place, arguments)
        except yardsticks_suites.CannotBuild as error:
            say(f"{suite}: {error}")
            broken += 1
            continue
        programs = [program for program in programs if fnmatch.fnmatch(program.name, arguments.programs)]
        say(f"{suite}: {len(programs)} programs")
        if programs:
            results[suite] = run_suite(suite, programs, components, arguments)
    passed, failed, skipped = report(results, components, arguments.output)
    print(f"{passed} passed, {failed + broken} failed, {skipped} skipped")
    sys.exit(0 if passed and not failed + broken else 1)


main()
