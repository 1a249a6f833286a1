#!/bin/bash
# The library for notified access, as it is installed: pkg-config and CMake find it, a C++ program uses it, and on
# windows of another component each call is refused, in one line.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v g++ >/dev/null || skip "there is no g++"
command -v pkg-config >/dev/null || skip "there is no pkg-config"

lib=$(made_with ext_libdir)
[ -e "$lib/libosc_ucp_ext.so" ] || fail "make install has put no library into $lib"

# run OSC...: with that component, and what else goes to mpirun.
run()
{
    run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
        "$mpirun" -np 2 --oversubscribe --mca osc "$@"
    [ "$status" -eq 0 ] || fail "with --mca osc $1: $(cat "$scratch/out")"
}

read -ra mpi_compile < <("$mpicc" --showme:compile)
read -ra mpi_link < <("$mpicc" --showme:link)
read -ra flags < <(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs osc_ucp_ext)
quietly g++ -std=c++11 -Wall -Wextra -Werror -DOMPI_SKIP_MPICXX "${mpi_compile[@]}" -o "$scratch/ext" \
    "$top/test/build/ext.cc" "${flags[@]}" "${mpi_link[@]}"
run ucp "$scratch/ext"
[ "$(lines '^notified access: supported$')" -eq 1 ] || fail "with osc/ucp: $(cat "$scratch/out")"
run ucp --mca osc_ucp_watchdog 1 "$scratch/ext" late
[ "$(lines '^osc/ucp:   rank 0 waits in MPIX_Win_notify_wait .*, for notifications, of no certain process$')" -gt 0 ] ||
    fail "the watchdog: $(cat "$scratch/out")"
run ^ucp,ucx "$scratch/ext"
[ "$(lines '^notified access: refused$')" -eq 1 ] || fail "with another component: $(cat "$scratch/out")"
[ "$(lines '^osc_ucp_ext: .* run with --mca osc ucp')" -eq 2 ] ||
    fail "not one line for each process: $(cat "$scratch/out")"

command -v cmake >/dev/null || skip "the rest passed, but there is no cmake"
mkdir "$scratch/cmake"
cp "$top/test/build/ext.cc" "$scratch/cmake"
cat >"$scratch/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(ext CXX)
find_package(osc_ucp_ext CONFIG REQUIRED)
add_executable(ext ext.cc)
separate_arguments(MPI_COMPILE)
separate_arguments(MPI_LINK)
target_compile_options(ext PRIVATE ${MPI_COMPILE} -DOMPI_SKIP_MPICXX)
target_link_libraries(ext osc_ucp_ext::osc_ucp_ext ${MPI_LINK})
END
quietly cmake -S "$scratch/cmake" -B "$scratch/cmake/build" -Dosc_ucp_ext_DIR="$lib/cmake/osc_ucp_ext" \
    -DMPI_COMPILE="${mpi_compile[*]}" -DMPI_LINK="${mpi_link[*]}"
quietly cmake --build "$scratch/cmake/build"
run ucp "$scratch/cmake/build/ext"
[ "$(lines '^notified access: supported$')" -eq 1 ] || fail "built by CMake: $(cat "$scratch/out")"
