#!/bin/bash
# Memory for a window is short: an MPI error on all processes, a line that says what was asked for and what is left, and
# then a smaller window works.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >"$scratch/short.c" <<'EOF'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* short KIND BYTES: three times, the last process asks for BYTES, in vain, and then all for 64 KiB. */
int main(int argc, char **argv)
{
    long long many = strtoll(argv[2], NULL, 0);
    int rank, size;
    char *base;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        for (int fits = 0; fits < 2; fits++) {
            MPI_Aint bytes = fits || size - 1 != rank ? 65536 : many;
            int rc = 's' == *argv[1]
                         ? MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)
                         : MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);

            printf("rank %d: %s\n", rank, MPI_SUCCESS == rc ? "made" : "not made");
            if (MPI_SUCCESS == rc) {
                memset(base, 1, 65536);
                MPI_Win_free(&win);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
EOF
quietly "$mpicc" -include "$top/test/mpi/lib/ended.h" -o "$scratch/short" "$scratch/short.c"

# short KIND BYTES LINE TIMES [ulimit's options]: LINE is printed TIMES times.
try()
{
    local kind=$1 bytes=$2 line=$3 times=$4

    shift 4
    run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
        bash -c "${*:+ulimit $*;} exec \"\$@\"" - "$mpirun" -np 2 --oversubscribe --mca osc ucp \
        --mca osc_base_verbose 1 "$scratch/short" "$kind" "$bytes"
    if [ "$status" -ne 0 ] || [ "$(lines ': made$')" -ne 6 ] || [ "$(lines ': not made$')" -ne 6 ] ||
        [ "$(lines "$line")" -ne "$times" ]; then
        cat "$scratch/out"
        fail "$kind of $bytes bytes $*: status $status; '$line' should be printed $times times"
    fi
}

huge=$((1 << 50))
left='are asked for; left are [0-9]+ MiB of memory, and [0-9]+ MiB in /dev/shm'
call='cannot create a window of 2 processes'
try allocate $huge "MPI_Win_allocate $call: memory is short: $huge bytes \(1073741824 MiB\) $left" 3
try allocate $huge "MPI_Win_allocate $call: rank 1 of it failed" 3
try shared $((1 << 62)) "MPI_Win_allocate_shared $call: the sum of its sizes is larger than any memory" 6
begin=$EPOCHSECONDS
try allocate $((1 << 34)) "$left.*the limit of the address space \(ulimit -v\) is 8192 MiB" 3 -v $((8 << 20))
# Files that could not be mapped do not stay: 16 GiB and some for the members.
[ -z "$(find /dev/shm -name 'osc_ucp.*' -size +16G -newermt "@$begin")" ] || fail "a file is left in /dev/shm"
