#!/bin/bash
# Why UCX does not start, with osc_ucp_survive: UCX knows one of a setting's two names, and warns of the other. That is
# not the reason. A library makes each second creation of a worker fail.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >"$scratch/fails.c" <<'EOF'
#include <dlfcn.h>

int ucp_worker_create(void *context, const void *params, void **worker_p);
int ucp_worker_create(void *context, const void *params, void **worker_p)
{
    static int made;
    int (*create)(void *, const void *, void **) = dlsym(dlopen("libucp.so.0", RTLD_NOW), "ucp_worker_create");

    return 0 != made++ % 2 ? -3 : create(context, params, worker_p); /* UCS_ERR_IO_ERROR */
}
EOF
quietly "$mpicc" -shared -fPIC -o "$scratch/libfails.so" "$scratch/fails.c" -ldl
run_window "$components" --mca pml ob1 --mca osc ucp --mca osc_ucp_node 0 --mca osc_ucp_survive 1 \
    -x UCX_TLS=tcp,self -x LD_PRELOAD="$scratch/libfails.so"
if [ "$(lines 'UCX does not start: Input/output error')" -eq 0 ] || [ "$(lines CONN_NB)" -ne 0 ]; then
    cat "$scratch/out"
    fail "the line should say what UCX returned"
fi
