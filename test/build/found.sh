#!/bin/bash
# After sudo make install, and with what it says, mpirun finds the component for root and for users, in an environment
# that says nothing. What is installed is seen only in a mount namespace, and gone with it.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ "${1-}" != --inside ]; then
    [ "$(id -u)" -eq 0 ] || skip "only root installs for everybody"
    unshare --mount true 2>/dev/null || skip "this machine does not allow mount namespaces"
    exec unshare --mount --propagation private bash "$0" --inside
fi

# Folder $1 of the system, whose changes only we see.
private_copy()
{
    local copy

    copy=$scratch/private$1
    mkdir -p "$copy"
    cp -a "$1/." "$copy"
    mount --bind "$copy" "$1"
}

# Run window.c as "$@" does; osc/ucp serves its window.
expect_found()
{
    local status=0

    "$@" "$mpirun" -np 2 --oversubscribe --mca osc ucp --mca osc_base_verbose 10 "$scratch/window" \
        >"$scratch/out" 2>&1 </dev/null || status=$?
    if [ $status -ne 0 ] || [ "$(lines 'osc/ucp: window')" -ne 1 ]; then
        cat "$scratch/out"
        fail "mpirun does not find what make install installed: $*"
    fi
}

ompi_info=$(dirname "$mpicc")/ompi_info
folder=$("$ompi_info" --parsable --path pkglibdir | cut -d: -f3)
private_copy "$folder"
private_copy "$("$ompi_info" --parsable --path sysconfdir | cut -d: -f3)"
rm -f "$folder/mca_osc_ucp.so"
chmod 755 "$scratch"
mkdir -m 777 "$scratch/tmp"
"$mpicc" -o "$scratch/window" "$top/test/build/window.c"

cd "$scratch" # the user may not be allowed into the folder that this was started in, and mpirun crashes there
quietly make -C "$build" install componentdir="$folder"
follow_advice
expect_found env -i HOME="$HOME" PATH="$PATH" TMPDIR="$scratch/tmp" OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
expect_found setpriv --reuid 65534 --regid 65534 --clear-groups env -i HOME="$scratch/tmp" PATH="$PATH" \
    TMPDIR="$scratch/tmp"
