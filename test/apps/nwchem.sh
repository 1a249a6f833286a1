#!/bin/bash
# NWChem, which does all its communication by one-sided calls (Global Arrays over ARMCI-MPI): two energies of water.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/apps/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# energy SETUP:PROCESSES INPUT METHOD EXPECTED: NWChem's energy by this method is the expected one, to 1e-6 hartree.
energy()
{
    local found

    run "$1" 120 nwchem.openmpi "$top/contrib/nwchem/$2"
    found=$(awk -v line="Total $3 energy =" 'index($0, line) { print $NF }' "$scratch/out" | tail -n 1)
    [ -n "$found" ] || wrong "$1" "no energy"
    awk -v a="$found" -v b="$4" 'BEGIN { d = a - b; exit !(d < 1e-6 && d > -1e-6) }' ||
        wrong "$1" "the $3 energy is $found, and $4 is right"
}

need nwchem.openmpi nwchem-openmpi
for where in $(possible one:2 one:4 hosts:2 hosts:4 mixed:4); do
    energy "$where" water.nw SCF -76.010504991
    energy "$where" water_dft.nw DFT -76.408731347
done
conclude
