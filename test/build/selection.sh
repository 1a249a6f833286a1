#!/bin/bash
# Which component serves a window: osc/ucp if nothing is said, or by name; not if it is switched off. And it prints
# nothing unless asked to.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# expect WINDOWS ARGUMENT...: so many windows are served by osc/ucp, which names each once.
expect()
{
    local windows=$1

    shift
    run_window "$components" --mca osc_base_verbose 10 "$@"
    if [ "$status" -ne 0 ] || [ "$(lines 'window made$')" -ne 2 ] ||
        [ "$(lines 'osc/ucp: window')" -ne "$windows" ]; then
        cat "$scratch/out"
        fail "with '$*', osc/ucp should serve $windows windows; status $status"
    fi
}

expect 1
expect 1 --mca osc ucp
expect 0 --mca osc ^ucp
expect 0 --mca osc_ucp_priority 1
expect 0 --mca osc_ucp_priority 0
expect 1 --mca osc_ucp_priority 0 --mca osc ^rdma,pt2pt,ucx

# Open MPI's own osc/ucx is left out: from 5.0.10 on it prints an error in each process (docs/versions.md).
run_window "$components" --mca osc ^ucx
[ "$(sort "$scratch/out")" = "$(printf 'rank 0: window made\nrank 1: window made')" ] ||
    fail "a run prints more than the program does: $(cat "$scratch/out")"

# The user's own copy comes behind the system's. That is told, if asked; the other way round there is nothing to tell.
mkdir -p "$scratch/home/.openmpi/components" "$scratch/system"
cp "$components/mca_osc_ucp.so" "$scratch/home/.openmpi/components"
cp "$components/mca_osc_ucp.so" "$scratch/system"
export HOME=$scratch/home
told="osc/ucp: $scratch/system/mca_osc_ucp.so is loaded, and $HOME/.openmpi/components/mca_osc_ucp.so is not"
run_window "$scratch/system" --mca osc_base_verbose 10
[ "$(lines "$told")" -eq 2 ] || fail "both should tell that the user's copy is not used: $(cat "$scratch/out")"
run_window "$HOME/.openmpi/components:$scratch/system" --mca osc_base_verbose 10
[ "$(lines 'is loaded, and')" -eq 0 ] || fail "the user's copy comes first: $(cat "$scratch/out")"
