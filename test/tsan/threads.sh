#!/bin/bash
# The component under ThreadSanitizer: programs with threads, and the service thread of targets that compute, sleep and
# wait. Nothing may be reported.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Only the component is instrumented. The programs are not: a window's memory is what they and the service thread share,
# and what keeps these apart there is the program's synchronization, by messages of other processes, which the sanitizer
# does not see.
#
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

flags="-O1 -g -fsanitize=thread -fno-omit-frame-pointer"
echo 'int main(void) { return 0; }' >"$scratch/none.c"
# shellcheck disable=SC2086  # several words
"$mpicc" $flags -o "$scratch/none" "$scratch/none.c" >/dev/null 2>&1 || skip "this compiler has no ThreadSanitizer"

mkdir "$scratch/build"
cd "$scratch/build"
# It does not know fences, and gcc says so; none of ours orders two threads of one process.
quietly "$top/configure" --with-component-dir="$scratch/components" CFLAGS="$flags -Wno-tsan" LDFLAGS=-fsanitize=thread
quietly make -j "$(nproc)" install
nm -D "$scratch/components/mca_osc_ucp.so" | grep -q __tsan_func_entry || fail "the component is not instrumented"

# UCX's hooks of memory calls are entered by threads that the sanitizer has already ended.
export TSAN_OPTIONS="log_path=$scratch/report exitcode=66 suppressions=$top/test/tsan/suppressions"
export UCX_MEM_EVENTS=n UCX_MEM_MMAP_HOOK_MODE=none
export PMIX_MCA_gds=hash # PMIx maps shared memory at fixed addresses, which the sanitizer uses itself
export OMPI_MCA_mca_base_component_path=$scratch/components:SYSTEM_DEFAULT:USER_DEFAULT

# shellcheck disable=SC2086  # several words
quietly "$mpicc" $flags -I"$top/ompi/mca/osc/ucp" -o "$scratch/lockword" "$top/test/tsan/lockword.c" -lpthread
"$within" 100 "$scratch/lockword" && ! compgen -G "$scratch/report.*" >/dev/null ||
    fail "the lock word: $(cat "$scratch"/report.*)"
# shellcheck disable=SC2086  # several words
quietly "$mpicc" $flags -I"$top/ompi/mca/osc/ucp" -o "$scratch/sources" "$top/test/tsan/sources.c" \
    "$scratch"/build/ompi/mca/osc/ucp/base/.libs/libosc_ucp_la-{wait,threads}.o -lpthread
"$within" 100 "$scratch/sources" && ! compgen -G "$scratch/report.*" >/dev/null ||
    fail "the sources of progress: $(cat "$scratch"/report.*)"

# look PROGRAM PROCESSES TRANSPORTS: node for lean windows. Sets status; there may be reports.
look()
{
    local launch=(-x "UCX_TLS=$3" --mca osc_ucp_node 0)

    [ node != "$3" ] || launch=()
    status=0
    if [ ! -e "$scratch/$1" ]; then
        quietly "$mpicc" -std=gnu11 -O1 -g -I"$top/test/mpi/lib" -I"$top/ext" -c -o "$scratch/$1.o" \
            "$top"/test/mpi/*/"$1.c"
        quietly "$mpicc" -fsanitize=thread -o "$scratch/$1" "$scratch/$1.o" -lpthread \
            -Wl,--as-needed -L"$scratch/build/ext/.libs" "-Wl,-rpath,$scratch/build/ext/.libs" -losc_ucp_ext
    fi
    "$within" 100 "$mpirun" -np "$2" --oversubscribe --mca osc ucp --mca pml ob1 --mca mpi_yield_when_idle 1 \
        "${launch[@]}" -x TSAN_OPTIONS -x UCX_MEM_EVENTS -x UCX_MEM_MMAP_HOOK_MODE "$scratch/$1" \
        >"$scratch/out" 2>&1 </dev/null || status=$?
}

# The same; nothing may be reported.
run()
{
    look "$@"
    if [ $status -ne 0 ] || compgen -G "$scratch/report.*" >/dev/null; then
        cat "$scratch/out" "$scratch"/report.* 2>/dev/null || true
        fail "$1, $2 processes, $3: status $status"
    fi
}

# A race must be reported, also by a process that mpirun has started: two threads of a program write the same.
cat >"$scratch/race.c" <<'END'
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int shared;

static void *count(void *none)
{
    for (int i = 0; i < 1000; i++) {
        shared++;
        usleep(10);
    }
    return none;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int given;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
END
# shellcheck disable=SC2086  # several words
quietly "$mpicc" $flags -o "$scratch/race" "$scratch/race.c" -lpthread
look race 2 node
if [ $status -eq 0 ] || ! cat "$scratch"/report.* 2>/dev/null | grep -q 'WARNING: ThreadSanitizer: data race'; then
    cat "$scratch/out" "$scratch"/report.* 2>/dev/null || true
    fail "a program with a data race: status $status, or no report"
fi
rm -f "$scratch"/report.*

run threads 2 node
run threads 2 sm,self
run threads 2 tcp,self
run regress_lock_threads 2 sm,self
run threads_epochs 2 node
run threads_epochs 2 sm,self
run threads_random 2 node
run threads_random 2 sm,self
run notify_streams_threads 2 node
run notify_threads 2 node
run notify_threads 2 sm,self
run notify_threads 2 tcp,self
run progress 2 sm,self
run progress 2 tcp,self
run progress_states 4 sm,self
run progress_chain 3 sm,self
