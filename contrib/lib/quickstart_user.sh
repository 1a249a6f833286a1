# contrib/quickstart --user: builds osc/ucp with what is there, installs it for this user alone, and runs two examples.
# To be sourced by contrib/quickstart.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154

user_build=$build/user
user_components=$HOME/.openmpi/components
steps=5

# step WHAT COMMAND...: one line with what is done, and how long it took.
step()
{
    local what=$1 begin=${EPOCHREALTIME/[.,]/} tenths

    number=$((number + 1))
    shift
    printf '%s: %d of %d  %s ... ' "$program" "$number" "$steps" "$what"
    open_line=true
    "$@"
    open_line=false
    tenths=$(((${EPOCHREALTIME/[.,]/} - begin) / 100000))
    echo "$((tenths / 10)).$((tenths % 10)) s"
}

# What autogen.sh and configure need. What else may be missing, configure says.
find_tools()
{
    local tool

    command -v mpicc.openmpi mpicc >/dev/null ||
        die "there is no mpicc in the path: load Open MPI's module, or add its bin folder to PATH"
    find_run
    if [ ! -e "$top/configure" ]; then
        for tool in autoconf automake libtoolize; do
            command -v $tool >/dev/null ||
                die "there is no $tool, which a git checkout needs: take a release's tarball, which needs none"
        done
        build_step autogen.sh "$top/autogen.sh"
    fi
}

# Sets run, the mpirun that this user starts programs with. Where a mpirun and the mpicc that configure takes are of two
# MPIs, no program of this user would run with what is built here.
find_run()
{
    local suffix='' built started printed

    mpicc --showme:incdirs >/dev/null 2>&1 || suffix=.openmpi
    run=mpirun$suffix
    built=$(mpicc$suffix --showme:version 2>/dev/null | sed -n '1s/.*Open MPI \([^ ]*\).*/\1/p')
    printed=$($run --version 2>&1 || true)
    case $printed in
    *help-schizo-ompi*) started=$built ;; # Ubuntu 26.04: the Open MPI that does not find its own texts
    *) started=$(sed -n '1s/.*(Open.*) //p' <<<"$printed") ;;
    esac
    [ -z "$built" ] || [ "$built" = "$started" ] ||
        die "two MPIs in the path: $(command -v mpicc$suffix) is of Open MPI $built," \
            "$(command -v $run || echo $run) of ${started:-another MPI or none}: load one Open MPI's module alone"
}

# Sets mpicc and mpirun: those of the Open MPI that configure found, which need not be the first MPI in the path.
configure_for_user()
{
    local bin

    mkdir -p "$user_build"
    (cd "$user_build" && build_step configure "$top/configure" --disable-werror \
        --with-component-dir="$user_components")
    mpicc=$(sed -n 's/^OMPI_MPICC = //p' "$user_build/Makefile")
    bin=$(dirname "$mpicc")
    mpirun=$bin/mpirun
    [ ! -x "$bin/mpirun.openmpi" ] || mpirun=$bin/mpirun.openmpi
}

# Sets advice: what make install says if mpirun will not look there.
install_for_user()
{
    local begin

    begin=$(wc -l <"$log")
    build_step "make install" make -C "$user_build" install
    advice=$(tail -n "+$((begin + 1))" "$log" | grep '^mpirun of this system' || true)
}

# Run the two examples, and see that osc/ucp served them. $processes of them.
run_examples()
{
    local name

    mkdir -p "$user_build/examples"
    build_step "the examples" make -C "$user_build/examples" -f "$top/examples/Makefile" MPICC="$mpicc" \
        EXAMPLES="shared_counter halo_fence"
    for name in shared_counter halo_fence; do
        run_example $name
    done
}

run_example()
{
    local output=$user_build/examples/$1.out options=(--oversubscribe --mca osc_base_verbose 10) found=()

    if [ "$processes" -gt "$(nproc)" ]; then
        options+=(--mca mpi_yield_when_idle 1)
    fi
    # Its own folder comes first only where mpirun does not look by itself.
    [ -z "$advice" ] || found=(env OMPI_MCA_mca_base_component_path="$user_components:SYSTEM_DEFAULT:USER_DEFAULT")
    "$top/test/lib/within" 60 "${found[@]}" "$mpirun" -np "$processes" "${options[@]}" \
        "$user_build/examples/$1" >"$output" 2>&1 </dev/null || {
        cat "$output" >>"$log"
        die "examples/$1 failed: its output is in $output"
    }
    grep -q 'osc/ucp: window' "$output" ||
        die "examples/$1 ran, but not over osc/ucp: its output is in $output"
}

# What quickstart does for a user without root.
quickstart_for_user()
{
    local number=0 mpicc mpirun run version advice=

    step "looking for what is needed" find_tools
    step "looking for Open MPI and UCX, and configuring" configure_for_user
    version=$("$mpicc" --showme:version | sed -n '1s/.*Open MPI \([^ ]*\).*/\1/p')
    step "building for Open MPI $version in $user_build" build_step make make -C "$user_build" -j "$(nproc)"
    step "installing into $user_components" install_for_user
    step "running two examples with $processes processes over osc/ucp" run_examples
    cat <<END

It works: $(grep -h ' items done' "$user_build/examples/shared_counter.out")

Next:
  $run your program as ever: Open MPI now chooses osc/ucp for it.${advice:+ But first:
  $advice}
  $run --mca osc_ucp_report 1 ...     shows what osc/ucp did, at the end of the job
  $run --mca osc ^ucp ...             runs without it
  man -M $(dirname "$user_components")/share/man osc_ucp      explains all parameters
  less $top/examples/README.md          programs to copy
  make -C $user_build uninstall         removes it again
END
}
