#!/bin/bash
# contrib/yardsticks finds, builds and runs suites of all forms that it knows, here stand-ins of a few programs, and
# counts what passed. contrib/mtt's file is one that MTT's Python client can read, and its commands do the same.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2016  # what make expands
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

suites=$scratch/suites

# put FILE: standard input goes there.
put()
{
    mkdir -p "$(dirname "$suites/$1")"
    cat >"$suites/$1"
}

# program FILE STATEMENTS: an MPI program that makes a window by the component that was asked for.
program()
{
    put "$1" <<END
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Win win;
    void *base;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    (void) argc;
    $2
    MPI_Finalize();
    return 0;
}
END
}

# makefile FILE: builds all sources beside it.
makefile()
{
    printf '%s\n' 'all: $(basename $(wildcard *.c))' '%: %.c' '	mpicc -o $@ $<' | put "$1"
}

configure()
{
    { echo "#!/bin/sh"; cat; } | put "$1/configure"
    chmod +x "$suites/$1/configure"
}

make_mpich()
{
    program mpich-testsuite/rma/good.c 'if (0 == rank) { printf(" No Errors\n"); }'
    program mpich-testsuite/rma/silent.c ''
    program mpich-testsuite/rma/known.c 'return 1;'
    program mpich-testsuite/rma/late.c 'sleep(100);'
    program mpich-testsuite/rma/lines.c \
        'if (0 == rank && 0 == strcmp(argv[1], "-n=4") && NULL != getenv("EXTRA")) { printf(" No Errors\n"); }'
    makefile mpich-testsuite/rma/Makefile
    printf '%s\n' "# comment" "good 2" "good 3 mpiversion=3.0" "silent 2" "known 2 xfail=ticket1" "late 2 timeLimit=5" \
        "lines 2 arg=-n=4 env=EXTRA=1" "missing 2" | put mpich-testsuite/rma/testlist.in
    echo 'cp rma/testlist.in rma/testlist' | configure mpich-testsuite
}

# Its second test fails with one of the four methods; the third is expected to fail.
make_armci()
{
    put armci/src/armci.h </dev/null
    program armci/tests/one.c ''
    program armci/tests/two.c 'char *m = getenv("ARMCI_IOV_METHOD"); if (m && 0 == strcmp(m, "BATCHED")) { exit(1); }'
    program armci/tests/three.c 'return 1;'
    configure armci <<'END'
cat >Makefile <<'EOF'
XFAIL_TESTS = tests/three
TESTS = tests/one tests/two $(XFAIL_TESTS)
all:
check:
	mpicc -o tests/one tests/one.c && mpicc -o tests/two tests/two.c
EOF
END
}

make_others()
{
    program public/one-sided/first.c 'if (0 != strcmp(getenv("OMPI_MCA_osc"), "ucp")) { return 1; }'
    program public/one-sided/other.c 'return 77;'
    makefile public/one-sided/Makefile
    program imb/src_cpp/imb.c 'printf("# Benchmarking %s\n", argv[argc - 1]);'
    printf 'IMB-RMA:\n\t$(CC) -o $@ src_cpp/imb.c\n' | put imb/Makefile
    program osu/c/mpi/one-sided/osu_put_latency.c \
        'if (0 == rank && 0 != strcmp(argv[argc - 1], "dynamic")) { printf("8  1.25\n"); }'
    printf 'all:\n\tcd c/mpi/one-sided && $(CC) -o osu_put_latency osu_put_latency.c\n' | put osu/Makefile.in
    echo 'sed "s/.(CC)/mpicc/" Makefile.in >Makefile' | configure osu
}

# try COMMAND...: yardsticks, as contrib/ of a tree that has nothing else. Sets status; the output is $scratch/out.
try()
{
    status=0
    PATH=$scratch/tree/contrib:$(dirname "$mpicc"):$PATH \
        OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT \
        "$@" >"$scratch/out" 2>&1 </dev/null || status=$?
}

# says STATUS LINE...: it ended so, and says these lines.
says()
{
    local line

    [ "$status" -eq "$1" ] || fail "status $status, expected $1: $(cat "$scratch/out")"
    for line in "${@:2}"; do
        grep -qxF -- "$line" "$scratch/out" || fail "no line '$line': $(cat "$scratch/out")"
    done
}

# What MTT's client does with its file: a section has a plugin and a parent; a command is split at spaces, and started
# where the parent's sources are, here $suites.
mtt()
{
    python3 -B - "$top/contrib/mtt/osc-ucp.ini" "$1" <<'END'
import configparser, sys

file = configparser.ConfigParser()
file.optionxform = str
file.read(sys.argv[1])
sections = {name.removeprefix("ASIS "): file[name] for name in file.sections()}
plugins = {"TestGet": {"Git", "FetchTarball"}, "TestBuild": {"Shell"}, "Reporter": {"TextFile", "JunitXML"}}
for name, section in sections.items():
    stage, _, suite = name.partition(":")
    if stage in plugins:
        assert section["plugin"] in plugins[stage], f"{name}: {section['plugin']}"
    if "TestGet" == stage:
        assert section["url"].startswith("https://"), name
        assert section["url"].endswith(".tar.gz") == ("FetchTarball" == section["plugin"]), name
    if "TestBuild" == stage:
        assert f"TestGet:{suite}" == section["parent"] and section["parent"] in sections, name
        if suite == sys.argv[2]:
            print(section["command"])
END
}

command -v python3 >/dev/null || skip "there is no python3"
mkdir -p "$scratch/tree"
cp -r "$top/contrib" "$scratch/tree"
make_mpich
make_armci
make_others

try yardsticks --installed --suites mpich,armci,ompi --components ucp "$suites"
says 1 "| MPICH's RMA programs | 6 | 3 passed, 2 failed (1 too long), 1 not built |" \
    "| ARMCI-MPI's tests | 8 | 7 passed, 1 failed |" "| Open MPI's public tests | 2 | 1 passed, 0 failed, 1 skipped |" \
    "- mpich silent: failed" "- mpich late: too long" "- armci tests/two iov-batched: failed" \
    "11 passed, 3 failed, 2 skipped"
try yardsticks --installed --suites osu --components ucp,sm "$suites"
says 1 "| OSU micro-benchmarks, one-sided | 3 | 2 passed, 1 failed | 2 passed, 1 failed |" \
    "- osu osu_put_latency dynamic: failed; also with sm" "2 passed, 1 failed, 0 skipped"
try yardsticks --installed --suites imb --components ucp --programs '*put_all' "$suites"
says 0 "| Intel MPI Benchmarks, IMB-RMA | 2 | 2 passed, 0 failed |" "2 passed, 0 failed, 0 skipped"
try yardsticks --installed --components nonsense "$suites"
says 1
grep -q "Open MPI finds no osc/nonsense" "$scratch/out" || fail "an unknown component: $(cat "$scratch/out")"
[ ! -e "$suites/imb/IMB-RMA" ] || fail "the sources were changed"

# What it runs ends with it.
: >"$scratch/out"
PATH=$(dirname "$mpicc"):$PATH OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT \
    "$scratch/tree/contrib/yardsticks" --installed --again --suites mpich --components ucp --programs late "$suites" \
    >"$scratch/out" 2>&1 </dev/null &
yardsticks=$!
rank_runs()
{
    readlink /proc/[0-9]*/exe | grep -qF "$scratch/tree/build/yardsticks/mpich/"
}
until rank_runs || ! kill -0 $yardsticks 2>/dev/null; do
    sleep 0.1
done
rank_runs || fail "no program ran: $(cat "$scratch/out")"
status=0
kill -TERM $yardsticks
wait $yardsticks || status=$?
[ "$status" -eq 143 ] || fail "status $status after SIGTERM: $(cat "$scratch/out")"
! rank_runs || fail "a program goes on after SIGTERM"

# mtt_says SUITE FOLDER STATUS LINE OPTION...: its command there, with these options, ends so and says this line.
mtt_says()
{
    local command

    mtt "$1" | grep -qE -- "--suites ${1,,} " || fail "contrib/mtt has no command for $1"
    read -ra command < <(mtt "$1")
    cd "$suites/$2"
    try "${command[@]}" "${@:5}"
    says "$3" "$4"
}
mtt_says MPICH mpich-testsuite 1 "3 passed, 2 failed, 1 skipped" --components ucp
mtt_says ARMCI armci 1 "7 passed, 1 failed, 0 skipped" --components ucp
mtt_says OMPI public 0 "1 passed, 0 failed, 1 skipped"
grep -qE '^\| suite .*\| osc/ucp \| osc/' "$scratch/out" || fail "no table against others: $(cat "$scratch/out")"
mtt_says IMB imb 0 "2 passed, 0 failed, 0 skipped" --components ucp --programs '*put_all'
mtt_says OSU osu 1 "2 passed, 1 failed, 0 skipped" --components ucp
