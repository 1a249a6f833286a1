#!/bin/bash
# NetPIPE in its one-sided mode: put, get and put in both directions, between fences, and its integrity check.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/apps/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Its mode without fences is left out: it waits, without calling MPI, for a put that nothing has completed, which MPI
# does not promise and NetPIPE itself calls uncertain. And it has no integrity check for get.
need NPopenmpi2 netpipe-openmpi
quietly "$mpicc" -shared -fPIC -o "$scratch/info.so" "$apps/netpipe_info.c"
for where in $(possible one:2 hosts:2); do
    for mode in "" -g -2 -i; do
        # shellcheck disable=SC2086  # a mode may be no word at all
        run "$where" 60 -x LD_PRELOAD="$scratch/info.so" NPopenmpi2 -u 65536 -n 10 -o result $mode
        cat "$scratch/messages" >>"$scratch/out"
        if [ "$mode" = -i ]; then
            [ "$(lines 'Integrity check passed')" -gt 20 ] || wrong "$where" "not all integrity checks passed"
        fi
        [ "$(wc -l <"$scratch/run/result")" -gt 20 ] || wrong "$where" "the mode '$mode' ended early"
    done
done
conclude
