#!/bin/bash
# The checker on a collection of small programs, correct and mistaken, and on examples/mistakes: no correct program is
# blamed, and of the mistakes no fewer are found than the bounds below say. Then the same again, compiled so that the
# checker sees loads and stores, with the program loads, whose mistakes only that shows.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

# usage: collection.sh [PROGRAM...]   (default: all programs of this folder, and the examples; prints what is missed)
here=$top/test/check
examples=$top/examples/mistakes

# The examples, and what finds each.
declare -A example_kinds=(
    [barrier_without_flush]=put-get [buffer_reused]=buffer-changed [counter_read_by_get]=accumulate-get
    [flush_local_is_not_enough]=put-put [nostore_but_stored]=assert-lies [request_forgotten]=request-lost
    [result_used_early]=buffer-shared [store_beside_put]=put-store [two_operations]=accumulate-accumulate
    [two_puts]=put-put
)

# Mistakes that must be found, of a hundred: what was measured, less what depends on chance.
least_percent=81
least_examples=9

options=(--oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp --mca osc_ucp_check 1 --mca osc_ucp_check_limit 0
    --mca osc_ucp_check_format json)
# Beside real time, what the program's messages order.
order=$build/preload/.libs/libosc_ucp_check.so
preload=()
[ ! -e "$order" ] || preload=(-x LD_PRELOAD="$order")
# The same where loads and stores are seen.
loads=$build/preload/.libs/libosc_ucp_loads.so
least_percent_loads=93
found=0 missed=0 false=0

# compile NAME SOURCE FLAG...: into $scratch/NAME.
compile()
{
    local name=$1 source=$2

    shift 2
    case $source in
    *.c) quietly "$mpicc" -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror "$@" -o "$scratch/$name" "$source" ;;
    *) (cd "$scratch" && quietly "$(dirname "$mpicc")/mpifort" -cpp -O1 -g -Wall "$@" -o "$scratch/$name" "$source") ;;
    esac
}

# The same, so that the checker sees loads and stores.
compile_loads()
{
    local name=$1 source=$2 compiler=$mpicc

    [[ $source == *.c ]] || compiler=$(dirname "$mpicc")/mpifort
    compile "$name.o" "$source" -c -fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset \
        "${volatile[@]}"
    quietly "$compiler" -o "$scratch/$name" "$scratch/$name.o" "$loads" -Wl,-rpath,"${loads%/*}"
}

# run NAME PROCESSES ARGUMENT...: its output is in $scratch/NAME.out, findings in $scratch/NAME.json.
run()
{
    local name=$1 processes=$2 status=0

    shift 2
    : >"$scratch/$name.json"
    OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT "$within" 60 "$mpirun" -np "$processes" \
        "${options[@]}" "${preload[@]}" --mca osc_ucp_check_file "$scratch/$name.json" "$scratch/$name" "$@" \
        >"$scratch/$name.out" 2>"$scratch/$name.err" </dev/null || status=$?
    [ $status -eq 0 ] || {
        show "$scratch/$name.out"
        show "$scratch/$name.err"
        fail "$name ended with status $status"
    }
}

# kinds NAME WINDOW: the kinds of findings in that window (a pattern), each in a line; "error" if a call has failed.
kinds()
{
    sed -n "/\"window\":\"$2\"/s/.*\"kind\":\"\([^\"]*\)\".*/\1/p" "$scratch/$1.json"
    ! grep -qx "error $2" "$scratch/$1.out" || echo error
}

# judge PROGRAM: count its cases by what was expected and what was found. A finding of a kind that does not name the
# mistake is false in a mistaken program, too.
judge()
{
    local program=$1 word name kind told wrong own_found=0 own_missed=() own_false=0 correct=0

    while read -r word name kind; do
        [ case = "$word" ] || continue
        [ -n "$kind" ] || fail "$program: not a line that this script knows: $word $name"
        told=$(kinds "$program" "$name")
        wrong=$(grep -vxE "$kind" <<<"$told" | tr '\n' ' ')
        if [ correct = "$kind" ]; then
            correct=$((correct + 1))
        elif grep -qxE "$kind" <<<"$told"; then
            own_found=$((own_found + 1))
        else
            own_missed+=("$name")
        fi
        if [ -n "${wrong// /}" ]; then
            own_false=$((own_false + 1))
            echo "FALSE $program $name: $wrong, and not $kind"
        fi
    done <"$scratch/$program.out"
    [ $((own_found + ${#own_missed[@]} + correct)) -gt 0 ] || fail "$program has no cases"
    echo "$program: $own_found found, ${#own_missed[@]} missed, $own_false false, with $correct correct ones"
    [ ${#own_missed[@]} -eq 0 ] || echo "    missed: ${own_missed[*]}"
    found=$((found + own_found)) missed=$((missed + ${#own_missed[@]})) false=$((false + own_false))
}

# An example is a mistake, of the kind above and no other; with -DCURED it is a correct program.
try_example()
{
    local name=$1 source

    source=$(ls "$examples/$name".*)
    compile "$name" "$source"
    compile "$name.cured" "$source" -DCURED
    run "$name" 3
    run "$name.cured" 3
    if [ -s "$scratch/$name.cured.json" ]; then
        echo "FALSE example $name, cured: $(cat "$scratch/$name.cured.json")"
        false=$((false + 1))
    fi
    if [ "${example_kinds[$name]}" = "$(kinds "$name" '[^"]*' | sort -u)" ]; then
        examples_found=$((examples_found + 1))
    else
        examples_missed+=("$name")
    fi
}

programs=("$@")
if [ $# -eq 0 ]; then
    programs=(conflicts order local misuse flavors)
    echo 'use mpi_f08
    end' >"$scratch/f08.f90"
    if (cd "$scratch" && "$(dirname "$mpicc")/mpifort" -c f08.f90) >/dev/null 2>&1; then
        programs+=(fortran)
    fi
fi

# try COMPILE SUFFIX PROGRAM...: compile the programs, run them, and count what is found.
try()
{
    local compile=$1 suffix=$2 program

    shift 2
    for program; do
        "$compile" "$program$suffix" "$(ls "$here/$program".[cf]*)" &
    done
    for program; do
        wait -n || fail "not all programs could be compiled"
    done
    for program; do
        run "$program$suffix" 3
        judge "$program$suffix"
    done
}

# enough PERCENT WHAT
enough()
{
    local percent

    [ $false -eq 0 ] || fail "$false programs are blamed for what they do not do"
    if [ $# -eq 2 ]; then
        percent=$((100 * found / (found + missed)))
        [ $percent -ge "$1" ] || fail "$percent % of the mistakes are found, less than $1 %"
        echo "$percent % of $((found + missed)) mistakes$2; no false report"
    fi
}

try compile '' "${programs[@]}"
examples_found=0 examples_missed=()
if [ $# -eq 0 ]; then
    for example in "$examples"/*.[cf]*; do
        example=${example##*/}
        try_example "${example%.*}"
    done
    echo "examples: $examples_found found, ${#examples_missed[@]} missed"
    [ ${#examples_missed[@]} -eq 0 ] || echo "    missed: ${examples_missed[*]}"
fi
if [ $# -eq 0 ]; then
    [ $examples_found -ge $least_examples ] ||
        fail "$examples_found of the mistakes in examples are found, less than $least_examples"
    enough $least_percent ", and $examples_found of the examples'"
else
    enough
fi

[ -e "$loads" ] || skip "no library of loads and stores was built"
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
"$mpicc" -fsanitize=thread -c -o "$scratch/empty.o" "$scratch/empty.c" >"$scratch/log" 2>&1 ||
    skip "the compiler has no -fsanitize=thread"
volatile=()
! "$mpicc" --param tsan-distinguish-volatile=1 -c -o "$scratch/empty.o" "$scratch/empty.c" >"$scratch/log" 2>&1 ||
    volatile=(--param tsan-distinguish-volatile=1)
found=0 missed=0
preload=()
if [ $# -eq 0 ]; then
    programs=(loads "${programs[@]}")
fi
try compile_loads .loads "${programs[@]}"
if [ $# -eq 0 ]; then
    enough $least_percent_loads ' where loads and stores are seen'
else
    enough
fi
