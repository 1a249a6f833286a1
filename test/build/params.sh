#!/bin/bash
# ompi_info explains every parameter of the component.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
quietly "$(dirname "$mpicc")/ompi_info" --param osc ucp --level 9 --parsable
names=$(sed -n 's/^mca:osc:ucp:param:\([a-z_0-9]*\):value:.*/\1/p' "$scratch/log")
grep -q '^osc_ucp_priority$' <<<"$names" || fail "there is no parameter osc_ucp_priority: $(cat "$scratch/log")"
for name in $names; do
    grep -q "^mca:osc:ucp:param:$name:help:\"\?[[:alnum:]].\{10\}" "$scratch/log" || fail "$name has no help text"
done
