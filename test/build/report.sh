#!/bin/bash
# --mca osc_ucp_report 1 prints what went which way, once for each kind of window; without it nothing is printed.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >"$scratch/puts.c" <<'EOF'
#include <mpi.h>

int main(int argc, char **argv)
{
    double value[2] = { 1, 2 }, *memory;
    int i, target;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    for (i = 0; i < 3; i++) {
        MPI_Win_allocate(1024, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        MPI_Win_set_name(win, "ha\nlo");
        MPI_Win_fence(0, win);
        for (target = 0; target < 2; target++) {
            MPI_Put(value, 2, MPI_DOUBLE, target, 0, 2, MPI_DOUBLE, win);
        }
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    }
    MPI_Finalize();
    return 0;
}
EOF
quietly "$mpicc" -O -include "$top/test/mpi/lib/ended.h" -o "$scratch/window" "$scratch/puts.c"

# reported WORD TLS [OPTION...]: over these transports, the puts to the other process are in the line that begins with
# WORD.
reported()
{
    run_window "$components" --mca osc ucp --mca osc_ucp_report 1 -x UCX_TLS="$2" "${@:3}"
    [ "$status" -eq 0 ] || fail "status $status: $(cat "$scratch/out")"
    [ "$(lines "^osc/ucp: MPI_Win_allocate 'ha\?lo', 2 processes, 1.0 KiB each, made 3 times$")" -eq 1 ] &&
        [ "$(lines '^osc/ucp:     own memory  *6  *6  *96 B$')" -eq 1 ] &&
        [ "$(lines "^osc/ucp:     $1  *6  *6  *96 B\$")" -eq 1 ] || fail "wrong report: $(cat "$scratch/out")"
}

reported load/store sm,self
reported load/store sm,self --mca osc_ucp_node 0
reported messages tcp,self --mca osc_ucp_node 0
reported messages tcp,self --mca osc_ucp_survive 1 --enable-recovery
run_window "$components" --mca osc ucp
[ ! -s "$scratch/out" ] || fail "printed without being asked: $(cat "$scratch/out")"

# Processes that share processors meet at one counter in a fence. What a call waits for later is no fence.
cat >"$scratch/crowded.c" <<'EOT'
#include <mpi.h>

int main(int argc, char **argv)
{
    static char memory[4096], here[4096];
    int i, rank, size;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock_all(0, win);
    for (i = 0; i < 5000; i++) {
        MPI_Get(here, sizeof(here), MPI_BYTE, (rank + 1) % size, 0, sizeof(here), MPI_BYTE, win);
        MPI_Win_flush((rank + 1) % size, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
EOT
quietly "$mpicc" -O -include "$top/test/mpi/lib/ended.h" -o "$scratch/crowded" "$scratch/crowded.c"
run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
    "$mpirun" -np 3 --oversubscribe --mca osc ucp --mca osc_ucp_report 2 --mca mpi_yield_when_idle 1 "$scratch/crowded"
[ "$status" -eq 0 ] || fail "status $status: $(cat "$scratch/out")"
[ "$(lines '^osc/ucp:       MPI_Win_flush ')" -eq 1 ] && [ "$(lines 'not known')" -eq 0 ] ||
    fail "wrong causes: $(cat "$scratch/out")"

# A lock around a single operation is advised against if the operation needs none. An exclusive one may keep others from
# what a put does; and what came before it, in the epoch of another lock, is not its own.
cat >"$scratch/locks.c" <<'EOT'
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int value = 1, *memory, i, update = 0 == strcmp(argv[1], "update"), nested = 0 == strcmp(argv[1], "nested");
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(1024, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (i = 0; i < 20000; i++) {
        if (nested) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
            MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
        }
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        if (update) {
            MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
        } else if (!nested) {
            MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        }
        MPI_Win_unlock(1, win);
        if (nested) {
            MPI_Win_unlock(0, win);
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
EOT
quietly "$mpicc" -O -include "$top/test/mpi/lib/ended.h" -o "$scratch/locks" "$scratch/locks.c"

# locked WHAT TIMES: advice about so many locks is given once; 0: none is.
locked()
{
    run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
        "$mpirun" -np 2 --oversubscribe --mca osc ucp --mca osc_ucp_report 2 --mca mpi_yield_when_idle 1 \
        "$scratch/locks" "$1"
    [ "$status" -eq 0 ] || fail "status $status: $(cat "$scratch/out")"
    [ "$(lines '^osc/ucp:       MPI_Win_unlock ')" -eq 1 ] &&
        [ "$(lines 'enclose a single operation')" -eq $(($2 > 0)) ] &&
        [ "$(lines "enclose a single operation, $2 times")" -eq $(($2 > 0)) ] ||
        fail "locks with $1: wrong advice: $(cat "$scratch/out")"
}

locked update 40000
locked put 0
locked nested 0

# Sizes are sampled. Of many windows with few operations each about as many are told as there were.
cat >"$scratch/many.c" <<'EOT'
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 1, *memory, rank, i, n;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < 300; i++) {
        MPI_Win_allocate(90 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
        for (n = 0; n < 90; n++) {
            MPI_Put(&value, 1, MPI_INT, 1 - rank, n, 1, MPI_INT, win);
        }
        MPI_Win_unlock(1 - rank, win);
        MPI_Win_free(&win);
    }
    MPI_Finalize();
    return 0;
}
EOT
quietly "$mpicc" -O -include "$top/test/mpi/lib/ended.h" -o "$scratch/many" "$scratch/many.c"
run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
    "$mpirun" -np 2 --oversubscribe --mca osc ucp --mca osc_ucp_report 2 --mca mpi_yield_when_idle 1 "$scratch/many"
told=$(sed -n 's/^osc\/ucp: .*sizes of puts: from 4 B \([0-9]*\)$/\1/p' "$scratch/out")
[ "$status" -eq 0 ] && [[ "$told" =~ ^[0-9]+$ ]] && [ "$told" -ge 50000 ] && [ "$told" -le 58000 ] ||
    fail "status $status: '$told' of 54000 puts: $(cat "$scratch/out")"
