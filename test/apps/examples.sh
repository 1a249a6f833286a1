#!/bin/bash
# The examples: each builds without a warning, runs with 2, 3 and 4 processes, and prints what its head says. A wrong
# result fails: some of them, or with FULL set all, are run with a fault that is put into a copy.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/apps/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

examples=$top/examples
python=/usr/bin/python3
missing=

# A fault for each program: a change of one line after which the result is wrong, whatever the order of events.
faults='
shared_counter.c       s/counter = 0;/counter = 1;/
halo_pscw.f90          s/columns_left + 1)/columns_left)/
matrix_by_get.py       s/left @ right/right @ left/
halo_fence.c           s/below, 0, N/below, 1, N/
halo_flush.c           s/(s % 2) + side/(s % 2) + 1 - side/
notified_halo.c        s/(s % 2) + side, 1/(s % 2) + 1 - side, 1/
notified_queue.c       s/= p + 1 + (int/= p + 2 + (int/
notified_gaspi.c       s/me, n + 1)/me, n)/
notified_shmem.c       s/sizeof(int64_t), i/sizeof(int32_t), i/
hash_table.c           s/one = 1;/one = 2;/
work_stealing.c        s/visited++/visited += 0 != node/
producer_consumer.f90  s/i \* i\]/i * i + 1]/
global_array.py        s/MPI.SUM/MPI.REPLACE/
'
# of these, whatever FULL says: one in each language
few=3

# The names of the examples that this system can run; what it lacks goes into missing.
find_programs()
{
    local name

    programs=("$examples"/*.c)
    echo 'use mpi_f08
    end' >"$scratch/f08.f90"
    if (cd "$scratch" && "$(dirname "$mpicc")/mpifort" -c f08.f90) >/dev/null 2>&1; then
        programs+=("$examples"/*.f90)
    else
        missing="Fortran (no gfortran, or no mpi_f08)"
    fi
    if $python -c 'import mpi4py, numpy' 2>/dev/null; then
        programs+=("$examples"/*.py)
    else
        missing="$missing${missing:+ and }Python (no python3-mpi4py, or no python3-numpy)"
    fi
}

# What the head of the file says that it prints.
output_of()
{
    sed -nE 's,^[ !#]\*? output:  ,,p' "$1"
}

# check_head FILE: it has a run line and an output line, a row in README.md and a fault.
check_head()
{
    local name=${1##*/}

    [ -n "$(output_of "$1")" ] || fail "$name does not say what it prints"
    grep -qE "^[ !#]\*? run:     .*mpirun -np 4 .*${name%.*}" "$1" || fail "$name does not say how it is run"
    grep -q "Why this synchronization: " "$1" || fail "$name does not say why it synchronizes so"
    grep -q "^| \[$name\]($name) |" "$examples/README.md" || fail "$name has no row in examples/README.md"
    grep -q "^$name " <<<"$faults" || fail "$name has no fault in test/apps/examples.sh"
}

# compile FILE...: into $scratch/bin.
compile()
{
    local file names=()

    for file in "$@"; do
        [[ $file == *.py ]] || names+=("$(basename "${file%.*}")")
    done
    # make takes the sources from the folder of its Makefile
    quietly make -C "$scratch/bin" -f "$(dirname "$1")/Makefile" EXAMPLES="${names[*]}" MPICC="$mpicc" \
        NOTIFY="-I$top/ext -L$build/ext/.libs -Wl,-rpath,$build/ext/.libs -losc_ucp_ext" \
        MPIFORT="$(dirname "$mpicc")/mpifort" CFLAGS="-O2 -Wall -Wextra" FFLAGS="-O2 -Wall"
    ! grep -i warning "$scratch/log" || fail "the examples have warnings"
}

# try SETUP:PROCESSES FILE: run it over osc/ucp; it prints $output and nothing else.
try()
{
    case $2 in
    *.py) run "$1" 60 "$python" -B "$2" ;;
    *) run "$1" 60 "$scratch/bin/$(basename "${2%.*}")" ;;
    esac
    [ "$(cat "$scratch/out")" = "$output" ] || wrong "$1" "${2##*/} should print: $output"
}

# The fault of program $1 is seen.
try_fault()
{
    local name=$1 change

    change=$(sed -n "s/^$name  *//p" <<<"$faults")
    sed "$change" "$examples/$name" >"$scratch/faulty/$name"
    ! cmp -s "$examples/$name" "$scratch/faulty/$name" || fail "$name: the fault is in no line: $change"
    [[ $name == *.py ]] || compile "$scratch/faulty/$name"
    output=$(output_of "$examples/$name")
    if (try one:2 "$scratch/faulty/$name") >"$scratch/said" 2>&1; then
        fail "$name does not see that its result is wrong: $change"
    fi
    if ! grep -q '^on one:2: it ended with status' "$scratch/said" || ! grep -q '^wrong' "$scratch/out"; then
        fail "$name with '$change' should find a wrong result: $(cat "$scratch/said")"
    fi
}

mkdir "$scratch/bin" "$scratch/faulty"
cp "$examples/Makefile" "$scratch/faulty"
for program in "$examples"/*.c "$examples"/*.f90 "$examples"/*.py; do
    check_head "$program"
done
find_programs
compile "${programs[@]}"
setups=(one:2 one:3 one:4)
[ -z "${FULL-}" ] || setups+=(hosts:3 mixed:4)
for program in "${programs[@]}"; do
    output=$(output_of "$program")
    for where in $(possible "${setups[@]}"); do
        try "$where" "$program"
    done
done
[ -z "${FULL-}" ] || few=99
# shellcheck disable=SC2013  # words without spaces
for name in $(awk 'NF > 0 { print $1 }' <<<"$faults" | head -n $few); do
    [[ " ${programs[*]} " != *"/$name "* ]] || try_fault "$name"
done
[ -z "$missing" ] || skip "the others passed, but not run were those in $missing"
conclude
