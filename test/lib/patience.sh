# How test scripts run jobs: a time limit that grows with the load of the machine, the stacks of all processes when it
# is hit, and Open MPI's own races recognized. To be sourced; needs bash 5.1.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

# All processors of the machine: the numbers that the kernel tells are those of the whole machine, too.
patience_cores=$(getconf _NPROCESSORS_ONLN)
job= # what run_within runs

# mpirun of Open MPI 5.0 and newer hands mca_base_component_path to PMIx, too, which complains about Open MPI's folders,
# unless its own is named. Without any it crashes.
pmix_folder=$(pkg-config --variable=libdir pmix 2>/dev/null)/pmix
[ ! -d "$pmix_folder" ] || export PMIX_MCA_mca_base_component_path=$pmix_folder

# As Debian's /etc/openmpi says for Open MPI 4.1 and 5.0. In 6.0 each process of a test sleeps for a second, as
# libfabric looks for a network that is not here (Intel's).
export OMPI_MCA_btl=${OMPI_MCA_btl-^uct,openib,ofi}

# Append to "below" all processes below process $1, in the order of their start. Forks nothing.
descendants()
{
    local children child file

    for file in /proc/"$1"/task/*/children; do
        { read -r -a children <"$file" || true; } 2>/dev/null
        for child in ${children[@]+"${children[@]}"}; do
            below+=("$child")
            descendants "$child"
        done
        children=()
    done
}

# Sets others: how many threads of the machine run or want to, without this shell and those of job $1 and below. 0 if
# there is a processor for each.
count_others()
{
    local below=("$1") running process file text own=0

    others=0
    read -r _ _ _ running _ </proc/loadavg
    running=$((${running%/*} - 1))
    [ "$running" -gt "$patience_cores" ] || return 0
    descendants "$1"
    for process in "${below[@]}"; do
        for file in /proc/"$process"/task/*/stat; do
            { read -r text <"$file" || text=; } 2>/dev/null
            text=${text##*) }
            [ "${text:0:1}" != R ] || own=$((own + 1))
        done
    done
    others=$((running > own ? running - own : 0))
}

# Others get so many times our share of a processor: with `nice -n 10` nine times, if they have none. A hang must be
# found nevertheless.
patience_share=$([ "$(nice)" -lt 10 ] && echo 1 || echo 4)

# Wait for job $1, a child, for at most $2 seconds, and set status to its exit status. False: the limit is hit. A
# second counts less the more threads of others there are for each processor: a slow machine is not a fault.
outlast()
{
    local spent=0 last=${EPOCHREALTIME/[.,]/} now timer ended others

    while [ $spent -lt $(($2 * 1000000)) ]; do
        sleep 1 &
        timer=$!
        status=0 ended=
        wait -n -p ended "$1" "$timer" || status=$?
        if [ "$ended" != "$timer" ]; then
            kill "$timer" 2>/dev/null || true
            wait "$timer" 2>/dev/null || true
            return 0
        fi
        count_others "$1"
        now=${EPOCHREALTIME/[.,]/}
        spent=$((spent + (now - last) * patience_cores / (patience_cores + patience_share * others)))
        last=$now
    done
    return 1
}

# Print $1 seconds as what they are while the machine has its present load.
grown()
{
    awk -v seconds="$1" -v cores="$patience_cores" '{ print int(seconds * (1 + $1 / cores)) }' /proc/loadavg
}

# The stacks of all threads of all ranks below $1: mpirun, or two-hosts, whose hosts' processes are below it too.
print_stacks()
{
    local below=() rank

    if ! command -v gdb >/dev/null; then
        echo "no stacks: gdb is not installed (apt-get install gdb)"
        return
    fi
    descendants "$1"
    for rank in ${below[@]+"${below[@]}"}; do
        grep -qs '/libmpi\.' "/proc/$rank/maps" || continue
        echo "---- stacks of process $rank: $(tr '\0' ' ' <"/proc/$rank/cmdline")"
        timeout 120 gdb -p "$rank" -batch -nx -iex "set debuginfod enabled off" -ex "thread apply all bt" 2>&1 |
            grep -E '^(Thread |#|ptrace)' || true
    done
}

# Ask $1, mpirun or what starts it, to clean up behind itself; what is still there after three seconds is killed.
end_job()
{
    local below=("$1")

    descendants "$1"
    kill -TERM "$1" 2>/dev/null || true
    for _ in 1 2 3; do
        kill -0 "$1" 2>/dev/null || break
        sleep 1
    done
    kill -KILL "${below[@]}" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# run_within SECONDS COMMAND...: sets status to the command's, or to 124 if the limit is hit. Then the stacks of its
# processes are on stderr, and it has been ended.
run_within()
{
    local seconds=$1

    shift
    "$@" &
    job=$!
    if ! outlast "$job" "$seconds"; then
        {
            echo "time limit of $seconds seconds hit (of an idle machine; load now $(cut -d ' ' -f 1-3 /proc/loadavg))"
            print_stacks "$job"
        } >&2
        end_job "$job"
        status=124
    fi
    job=
}

# Two errors of Open MPI 4.1. Is one of them all that is wrong in a run with output $1? Each process that was not ended
# by a signal has left in folder $2 what it knows (test/mpi/lib/ended.h).
openmpi_erred()
{
    mpirun_erred "$@" || thread_erred "$@"
}

# The event thread of a process sometimes crashes in MPI_Finalize (docs/upstream.md). All stacks of crashes are that
# thread's, and all processes were in MPI_Finalize, or behind it.
thread_erred()
{
    local well='^(in MPI_Finalize|exit status 0, MPI finalized), of [0-9]+$' crashes

    grep -q ' exited on signal 11 ' "$1" && cat "$2"/* 2>/dev/null | grep -q '^in MPI_Finalize' || return 1
    crashes=$(grep -c '\*\*\* Process received signal \*\*\*' "$1")
    [ "$crashes" -eq "$(grep -cE '^\[.*\] \[ *[0-9]+\] .*\(.*event_base_loop\+' "$1")" ] &&
        ! grep -qE '^\[.*\] \[ *[0-9]+\] .*(mca_osc_ucp|libmpi)\.so' "$1" && ! cat "$2"/* | grep -qvE "$well"
}

# mpirun sometimes takes a process that has ended for one that did so without MPI_Finalize. It then ends the others, and
# fails. The accused one has finalized MPI and ended with 0. So have all others that left word, or they were about to.
mpirun_erred()
{
    local accused well='exit status 0, MPI finalized'

    grep -q '^node .* exiting improperly\. There are three reasons' "$1" || return 1
    accused=$(sed -n 's/^mpirun has exited due to process rank \([0-9]*\) with PID .*/\1/p' "$1" | head -n 1)
    [ -n "$accused" ] && cat "$2/$accused".* 2>/dev/null | grep -qE "^$well, of [0-9]+$" &&
        ! cat "$2"/* | grep -qvE "^(in MPI_Finalize|$well), of [0-9]+$"
}

# How the processes ended that left word in folder $1: a line for each exit status, and one for those without a word.
# mpirun tells of one only.
print_ended()
{
    if [ -z "$(ls "$1")" ]; then
        echo "ended: no process has left word: all were killed"
        return
    fi
    cat "$1"/* | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\), of [0-9?]*$/ended: \1 processes: \2/'
    awk -v names="$(cd "$1" && echo *)" '
        BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) { sub(/\..*/, "", name[i]); told[name[i]] = 1 } }
        { size = $NF }
        END { for (i = 0; i < size; i++) if (!(i in told)) silent = silent " " i
              if (silent) print "ended: without a word, as if killed: rank" silent }' "$1"/*
}

# run_ranks OUTPUT SECONDS COMMAND...: run_within, for MPI programs that include ended.h; all that is printed goes into
# file OUTPUT, and how the processes ended if they did not all end well. Repeated once if openmpi_erred. Sets tries to
# the number of runs.
run_ranks()
{
    local output=$1 ended

    shift
    ended=$(mktemp -d)
    export TEST_ENDED=$ended
    # shellcheck disable=SC2034  # for the caller
    for tries in 1 2; do
        rm -f "$ended"/*
        run_within "$@" >"$output" 2>&1 </dev/null
        { [ 0 != "$status" ] && openmpi_erred "$output" "$ended"; } || break
    done
    [[ $status = 0 || $status = 77 ]] || print_ended "$ended" >>"$output"
    unset TEST_ENDED
    rm -rf "$ended"
}
