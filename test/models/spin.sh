#!/bin/bash
# Checks the models of this folder: all orders of their steps.
#
# SPDX-License-Identifier: BSD-3-Clause

set -eu

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v spin >/dev/null; then
    echo "spin is not installed (on Debian, apt install spin)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Have Spin execute model $1, with the other arguments as its options. False: it found an error, told in pan.log. A
# claim that something happens in the end (ltl) is checked under weak fairness: every process that can always do a step
# does one at some time.
holds()
{
    local model=$1 compile=(-O1 -DSAFETY) run=()

    # The compiler optimizes for longer than these run.
    [[ $* != "lock.pml -DOTHER="* ]] || compile=(-O0 -DSAFETY)
    shift
    if ${CC:-gcc} -E -P -x c "$@" "$here/$model" | grep -q '^ltl '; then
        compile=(-O1 -DNFAIR=3) run=(-a -f)
    fi
    spin "$@" -a "$here/$model" >spin.log || { cat spin.log; exit 1; }
    ${CC:-gcc} "${compile[@]}" -o pan pan.c 2>gcc.log || { cat gcc.log; exit 1; }
    ./pan "${run[@]}" -m1000000 >pan.log
    if grep -q 'max search depth too small' pan.log; then
        cat pan.log
        exit 1
    fi
    grep -q 'errors: 0' pan.log
}

check()
{
    if ! holds "$@"; then
        echo "$*:"
        cat pan.log
        ./pan -r 2>/dev/null | tail -n 60 || true
        exit 1
    fi
    echo "$*: $(sed -n 's/ states, stored.*/ states/p' pan.log)"
}

# The model must be able to show this error.
refute()
{
    if holds "$@" || ! grep -q 'errors: [1-9]' pan.log; then
        cat pan.log
        echo "$*: no error was found, but there is one"
        exit 1
    fi
    echo "$*: an error, as it should be"
}

for patience in PATIENT IMPATIENT; do
    for other in writer reader joiner; do
        check lock.pml -DOTHER=$other -DEXCLUSIVE=0 -DJOINS=0 -D$patience
        check lock.pml -DOTHER=$other -DEXCLUSIVE=1 -DJOINS=0 -D$patience
        check lock.pml -DOTHER=$other -DEXCLUSIVE=0 -DJOINS=1 -D$patience
    done
done
for far in 0 1; do
    check lock.pml -DCYCLE -DFAR=$far
    refute lock.pml -DCYCLE -DFAR=$far -DPATIENT
done
check lock.pml -DSTREAM -DPATIENT
refute lock.pml -DSTREAM -DPATIENT -DHASTY
for transport in SIGNAL LEVEL; do
    check hand_over.pml -D$transport -DPROGRAMS=1 -DFOREVER
    check hand_over.pml -D$transport -DPROGRAMS=1 -DPOLLS=2
done
check handoff.pml
refute handoff.pml -DSTORE
refute handoff.pml -DEARLY
check stream.pml
refute stream.pml -DLEAVE
refute stream.pml -DSTORE
refute stream.pml -DBOTH
if [ -n "${FULL:-}" ]; then
    check hand_over.pml -DLEVEL -DPROGRAMS=2 -DPOLLS=1
fi
