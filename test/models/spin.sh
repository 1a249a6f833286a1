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

# Check model $1, with the other arguments as options of spin. A claim that something happens in the end (ltl) is
# checked under weak fairness: every process that can always do a step does one at some time.
check()
{
    local model=$1 compile=(-DSAFETY) run=()

    shift
    if grep -q '^ltl ' "$here/$model"; then
        compile=(-DNFAIR=3) run=(-a -f)
    fi
    spin "$@" -a "$here/$model" >spin.log || { cat spin.log; exit 1; }
    ${CC:-gcc} -O2 "${compile[@]}" -o pan pan.c 2>gcc.log || { cat gcc.log; exit 1; }
    ./pan "${run[@]}" -m1000000 >pan.log
    if ! grep -q 'errors: 0' pan.log || grep -q 'max search depth too small' pan.log; then
        echo "$model $*:"
        cat pan.log
        ./pan -r 2>/dev/null | tail -n 60 || true
        exit 1
    fi
    echo "$model $*: $(sed -n 's/ states, stored.*/ states/p' pan.log)"
}

for other in writer reader joiner; do
    check lock.pml -DOTHER=$other -DEXCLUSIVE=0 -DJOINS=0
    check lock.pml -DOTHER=$other -DEXCLUSIVE=1 -DJOINS=0
    check lock.pml -DOTHER=$other -DEXCLUSIVE=0 -DJOINS=1
done
for transport in SIGNAL LEVEL; do
    check hand_over.pml -D$transport -DPROGRAMS=1 -DFOREVER
    check hand_over.pml -D$transport -DPROGRAMS=1 -DPOLLS=2
done
if [ -n "${FULL:-}" ]; then
    check hand_over.pml -DLEVEL -DPROGRAMS=2 -DPOLLS=1
fi
