#!/bin/bash
# Which component serves a window: osc/ucp if nothing is said, or by name; not if it is switched off. And it prints
# nothing unless asked to.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# expect SERVED ARGUMENT...: so many processes are served by osc/ucp.
expect()
{
    local served=$1

    shift
    run_window "$components" --mca osc_base_verbose 10 "$@"
    if [ $status -ne 0 ] || [ "$(lines 'window made$')" -ne 2 ] || [ "$(lines 'osc/ucp: window')" -ne "$served" ]; then
        cat "$scratch/out"
        fail "with '$*', osc/ucp should serve $served processes; status $status"
    fi
}

expect 2
expect 2 --mca osc ucp
expect 0 --mca osc ^ucp
expect 0 --mca osc_ucp_priority 1

run_window "$components"
[ "$(sort "$scratch/out")" = "$(printf 'rank 0: window made\nrank 1: window made')" ] ||
    fail "a run prints more than the program does: $(cat "$scratch/out")"
