#!/bin/bash
# Once a peer's memory is mapped, operations on it, flushes and locks make no system call. Only Open MPI's progress,
# which one of 1024 synchronization calls looks at, may poll, or ask epoll.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v strace >/dev/null || skip "there is no strace"
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
quietly "$mpicc" -O -o "$scratch/direct" "$top/test/build/direct.c"

allowed=68 # 70,000 synchronization calls / 1024
for window in allocate shared; do
    # One command for both processes: mpirun of Open MPI 5.0.7 crashes if there are two.
    # shellcheck disable=SC2016  # for the shell of each process
    quietly "$within" 100 "$mpirun" --oversubscribe --mca osc ucp -np 2 sh -c '
        [ 0 != "$OMPI_COMM_WORLD_RANK" ] || exec strace -o "$2/calls" "$2/direct" "$1"
        exec "$2/direct" "$1"' sh $window "$scratch"
    [ "$(grep -cE '^write\(-1, "(begin|end)"' "$scratch/calls")" = 2 ] || fail "the program's marks are missing"
    calls=$(sed -n '/^write(-1, "begin"/,/^write(-1, "end"/p' "$scratch/calls" | sed '1d;$d')
    others=$(grep -vE '^(poll|epoll_wait)\(' <<<"$calls" || true)
    [ -z "$others" ] || fail "system calls on the direct path of a window of $window: $(head -n 10 <<<"$others")"
    polls=$(wc -l <<<"$calls")
    [ "$polls" -le $allowed ] || fail "$polls polls on a window of $window, more than $allowed"
done
