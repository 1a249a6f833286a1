# What the tests with applications share. Each is a script that runs one unmodified application over osc/ucp, on one
# host and on several, checks its result, and exits 0 (passed), 77 (skipped, the reason printed last) or something else.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034

# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

apps=$top/test/apps
tried=
mkdir "$scratch/run"

# need PROGRAM PACKAGE: skip the test if there is no such program.
need()
{
    command -v "$1" >/dev/null || skip "there is no $1: install $2"
}

# Print those of the set-ups SETUP:PROCESSES that this machine allows. SETUP is
#   one     all processes on one host
#   hosts   a host for each process
#   mixed   two hosts with half of the processes each
possible()
{
    local each

    for each in "$@"; do
        if [[ $each == one:* || -z $no_hosts ]]; then
            echo "$each"
        fi
    done
}

# run SETUP:PROCESSES SECONDS COMMAND...: run it over osc/ucp and nothing else in an empty folder, $scratch/run. Leaves
# what it prints in $scratch/out, and Open MPI's messages in $scratch/messages. All must end well and use osc/ucp.
run()
{
    local where=$1 seconds=$2 processes=${1#*:} launch=()
    local options=(--oversubscribe --mca osc ucp --mca osc_base_verbose 10)

    shift 2
    case $where in
    hosts:*) launch=("$top/contrib/two-hosts" -n "$processes") ;;
    mixed:*) launch=(env PER_HOST=$((processes / 2)) "$top/contrib/two-hosts" -n 2) ;;
    esac
    if [ "$processes" -gt "$(nproc)" ]; then
        options+=(--mca mpi_yield_when_idle 1)
    fi
    rm -rf "$scratch/run"
    mkdir "$scratch/run"
    status=0
    (cd "$scratch/run" && OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT \
        "$within" "$seconds" "${launch[@]}" "$mpirun" -np "$processes" "${options[@]}" "$@" \
        >"$scratch/out" 2>"$scratch/messages" </dev/null) || status=$?
    case $status in
    0) used "$where" "$processes" ;;
    124 | 137) wrong "$where" "it did not end within $seconds seconds" ;;
    *) wrong "$where" "it ended with status $status" ;;
    esac
    [[ ", $tried," == *", $where,"* ]] || tried="$tried${tried:+, }$where"
}

# Every one of $2 processes has loaded osc/ucp and nothing else to serve its windows, and that has served some.
used()
{
    local opened

    opened=$(sed -n 's/.*components_open: found loaded component //p' "$scratch/messages" | sort | uniq -c |
        awk '{ print $2 "*" $1 }' | paste -s -d ' ')
    [ "$opened" = "ucp*$2" ] || wrong "$1" "not all processes had osc/ucp and nothing else: $opened"
    grep -q 'osc/ucp: window' "$scratch/messages" || wrong "$1" "osc/ucp served no window"
}

# wrong SETUP:PROCESSES WHAT: show the end of what was printed, and fail.
wrong()
{
    show "$scratch/out"
    grep -v -e 'osc/ucp: window' -e 'mca: base: components_' "$scratch/messages" | tail -n 200
    fail "on $1: $2"
}

# expect_line SETUP:PROCESSES PATTERN: a line of $scratch/out matches.
expect_line()
{
    grep -qE -- "$2" "$scratch/out" || wrong "$1" "it did not print: $2"
}

# The last line of a test that passed.
conclude()
{
    echo "on $tried${no_hosts:+; not across hosts: $no_hosts}"
}

# Why there can be no hosts, or nothing.
if no_hosts=$("$top/contrib/two-hosts" true 2>&1); then
    no_hosts=
fi
