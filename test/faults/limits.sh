#!/bin/bash
# Where a machine or a site is stingy, windows work by another path, or all processes get an MPI error (limits.c).
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: limits.sh [--full]   (or FULL=1: also windows of 8 GiB)
#
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

quietly "$mpicc" -O -o "$scratch/limits" "$top/test/faults/limits.c"
export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
works=$(printf '%s works\n' create allocate shared dynamic)
no_shared=$(printf '%s\n' "create works" "allocate works" "shared fails" "dynamic works")
lean=$(printf '%s\n' "create fails" "allocate works" "shared works" "dynamic fails") # they need no UCX
all_fail=$(printf '%s fails\n' create allocate shared dynamic)
tried=0 cannot=()

# Is $1 one of the outcomes that may be?
expected()
{
    local one

    for one in "${outcomes[@]}"; do
        [ "$1" != "$one" ] || return 0
    done
    return 1
}

# Try $1 (a name), whose outcome must be one of those in "outcomes"; the rest are the command line from mpirun on, or
# what starts it. The component may print no more than 8 lines.
try()
{
    local name=$1 outcome lines

    shift
    run_ranks "$scratch/out" "${seconds:-60}" "$@"
    outcome=$(grep -aoE '(create|allocate|shared|dynamic) (works|fails)$' "$scratch/out" || true)
    lines=$(grep -ac '^.*osc/ucp' "$scratch/out" || true)
    tried=$((tried + 1))
    { [ "$status" -eq 0 ] && expected "$outcome" && [ "$lines" -le 8 ]; } || {
        show "$scratch/out"
        fail "$name: exit status $status, $lines lines of osc/ucp"
    }
}

# Can "$@" be done here? If not, what $1 names is left out, and said so.
can()
{
    local name=$1

    shift
    "$@" >/dev/null 2>&1 </dev/null || {
        cannot+=("$name")
        return 1
    }
}

run=("$mpirun" -np 2 --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp)

outcomes=("$works")
try "no locked memory" bash -c 'ulimit -l 0 && exec "$@"' bash "${run[@]}" "$scratch/limits"
try "a home that cannot be written to" env HOME=/proc "${run[@]}" "$scratch/limits"
try "no copies by the kernel" "${run[@]}" "$scratch/limits" copies
try "64 processes" "${run[@]}" -np 64 "$scratch/limits"

outcomes=("$works" "$lean")
try "no more file descriptors" "${run[@]}" "$scratch/limits" files
outcomes=("$all_fail" "$(printf '%s\n' "create fails" "allocate fails" "shared fails" "dynamic works")")
try "no more address space" "${run[@]}" "$scratch/limits" space

# A /dev/shm of 256 KiB, which Open MPI itself shall not need.
if can "a full /dev/shm" unshare --mount mount -t tmpfs -o size=256k tmpfs /dev/shm; then
    small=(unshare --mount --propagation private bash -c 'mount -t tmpfs -o size=256k tmpfs /dev/shm && exec "$@"' bash)
    outcomes=("$works")
    for tls in all posix,self,tcp; do
        try "a full /dev/shm, UCX_TLS=$tls" "${small[@]}" "${run[@]}" --mca btl self,tcp -x UCX_TLS=$tls \
            "$scratch/limits"
    done
fi

# Each process as in a container of its own.
if can "containers" unshare --mount --ipc --uts --pid --fork mount -t tmpfs tmpfs /dev/shm; then
    outcomes=("$works" "$no_shared")
    cat >"$scratch/container" <<'CONTAINER'
mount -t tmpfs tmpfs /dev/shm
[ -z "$names" ] || hostname "$names$OMPI_COMM_WORLD_RANK"
exec "$@"
CONTAINER
    try "no shared memory between processes" "${run[@]}" --mca btl self,tcp \
        unshare --mount --ipc --propagation private bash "$scratch/container" "$scratch/limits"
    try "process ids of their own" "${run[@]}" --mca btl self,tcp \
        unshare --mount --ipc --propagation private --pid --fork bash "$scratch/container" "$scratch/limits"
    outcomes=("$works")
    # shellcheck disable=SC2016  # it is for the inner shell
    try "different host names on one host" env names=host "${run[@]}" unshare --uts bash -c \
        'hostname "$names$OMPI_COMM_WORLD_RANK" && exec "$@"' bash "$scratch/limits"
fi

if [ "${1:-}" = --full ] || [ -n "${FULL:-}" ]; then
    outcomes=("$(printf '%s\n' "create works" "allocate works")")
    seconds=280
    if [ "$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)" -lt 12 ]; then
        cannot+=("windows of 8 GiB")
    else
        try "windows of 8 GiB" "${run[@]}" "$scratch/limits" big
    fi
fi
echo "on $tried limits$([ ${#cannot[@]} -eq 0 ] || printf ', not possible here: %s' "${cannot[*]}")"
