#!/bin/bash
# An error that ends the job prints one line that says what is wrong. One that is returned prints nothing, but with
# osc_base_verbose 1.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >"$scratch/mistake.c" <<'EOF'
#include <mpi.h>

int main(int argc, char **argv)
{
    long memory[4], value = 0;
    int rank;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof(memory), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "halo");
    if (argc > 1) {
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    }
    MPI_Win_fence(0, win);
    if (0 == rank) {
        MPI_Put(&value, 1, MPI_LONG, 1, 4, 1, MPI_LONG, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
EOF
quietly "$mpicc" -include "$top/test/mpi/lib/ended.h" -o "$scratch/mistake" "$scratch/mistake.c"

line='osc/ucp: MPI_Put, target 1, window "halo" of MPI_Win_create: displacement 4 times 8 bytes and 8 bytes of data '
line+='reach from byte 32 to 40, but the window has 32 bytes there'

# Run the program with arguments "$@" of mpirun's; it must end with or without an error, and print the line so often.
expect()
{
    local ends=$1 times=$2

    shift 2
    run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
        "$mpirun" -np 2 --oversubscribe --mca osc ucp "$@"
    if [ "$ends" = well ] && [ "$status" -ne 0 ] || [ "$ends" = ill ] && [ "$status" -eq 0 ] ||
        [ "$(lines "$line\$")" -ne "$times" ]; then
        cat "$scratch/out"
        fail "status $status; $*: the line should be printed $times times: $line"
    fi
}

expect ill 1 "$scratch/mistake"
expect well 0 "$scratch/mistake" returns
[ ! -s "$scratch/out" ] || fail "an error that is returned prints: $(cat "$scratch/out")"
expect well 1 --mca osc_base_verbose 1 "$scratch/mistake" returns

# Only rank 0 knows why there is no window, and takes its time to print it: the others do not end the job before.
cat >"$scratch/alone.c" <<'EOF2'
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int file, const void *data, size_t bytes)
{
    if (NULL != memmem(data, bytes, "osc/ucp: ", 9)) {
        usleep(500000);
    }
    return syscall(SYS_write, file, data, bytes);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(0 == rank ? (char *) UINTPTR_MAX - 8 : (char *) &rank, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Finalize();
    return 0;
}
EOF2
quietly "$mpicc" -rdynamic -o "$scratch/alone" "$scratch/alone.c"
line='osc/ucp: MPI_Win_create cannot create a window of 2 processes: a size of [0-9]+ bytes at .*'
expect ill 1 "$scratch/alone"
