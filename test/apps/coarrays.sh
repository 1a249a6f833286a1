#!/bin/bash
# Fortran coarrays (OpenCoarrays): allocatable ones, strided sections, components, events, locks, atomics, collectives.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/apps/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# With OpenCoarrays' compiler wrapper, which is next to its library, or as that would do it.
compile()
{
    local libs

    read -ra libs < <(pkg-config --libs caf-openmpi)
    if [ -x "${libs[0]#-L}/../bin/caf" ]; then
        quietly "${libs[0]#-L}/../bin/caf" -O -o coarrays "$apps/coarrays.f90"
    else
        quietly "$(dirname "$mpicc")/mpifort" -O -fcoarray=lib -o coarrays "$apps/coarrays.f90" "${libs[@]}"
    fi
}

need gfortran gfortran
pkg-config --exists caf-openmpi || skip "there is no OpenCoarrays: install libcoarrays-openmpi-dev"
cd "$scratch"
compile
for where in $(possible one:2 one:3 one:4 hosts:2 hosts:3 mixed:4); do
    run "$where" 60 "$scratch/coarrays"
    expect_line "$where" "^all right with ${where#*:} images$"
done
conclude
