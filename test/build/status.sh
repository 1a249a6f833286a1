#!/bin/bash
# osc_ucp_status shows who waits for whom in a running job, and how fast it moves data; it says in one line why it shows
# nothing. Nobody else can look at a job, and nothing is left when one is killed.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

quietly "$mpicc" -O -o "$scratch/watched" "$top/test/build/watchdog.c"
status_program=$(made_with status_bindir)/osc_ucp_status
[ -x "$status_program" ] || fail "make install has put no program at $status_program"
export TMPDIR=$scratch/session OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
mkdir "$TMPDIR"

# begin CASE KIND SECONDS [OPTION...]: test/build/watchdog.c with 3 processes in the background, or as many as
# "processes" says.
begin()
{
    "$within" 60 "$mpirun" -np "${processes:-3}" --oversubscribe --mca mpi_yield_when_idle 1 --mca osc ucp "${@:4}" \
        "$scratch/watched" "$1" "$2" "$3" >"$scratch/job" 2>&1 </dev/null &
    job=$!
}

# The job ends by itself.
finish()
{
    wait "$job" || fail "the job: $(cat "$scratch/job")"
    job=
}

# osc_ucp_status of the job that runs, with the options "$@"; status is its exit status. What it prints is in
# $scratch/out.
look()
{
    status=0
    "${as_user[@]}" timeout 60 "${program:-$status_program}" "$@" >"$scratch/out" 2>&1 </dev/null || status=$?
}

# Look until a line matches each of the patterns "$@", in one table, or the job ends.
shows()
{
    local pattern

    while kill -0 "$job" 2>/dev/null; do
        look --pid "$job"
        for pattern in "$@"; do
            grep -qE -- "$pattern" "$scratch/out" || continue 2
        done
        ! grep -q '[^[:print:]]' "$scratch/out" || fail "control characters: $(cat -A "$scratch/out")"
        return
    done
    fail "no table with $*: $(cat "$scratch/out" "$scratch/job")"
}

# The case $1 with windows of kind $2; the rest goes to mpirun.
case_of()
{
    local rank=' +[0-9]+ +[0-9]+ +[0-9]+ ' ago='waits [0-9.]+ s for'

    begin "$1" "$2" 4 --mca osc_ucp_status 1 "${@:3}"
    case $1 in
    held)
        shows "^job [0-9]+ \([0-9]+\): watched, 3 processes on " \
            "^ +[01]$rank.* halo +MPI_Win_lock +$ago the lock of rank 0, held exclusively by rank 2 for [0-9.]+ s$" \
            "^ +2$rank.* halo +\(MPI_Win_flush\) +computes, .*; has the exclusive lock of rank 0 for [0-9.]+ s$" ;;
    fence)
        shows "^ +0$rank.* halo +MPI_Win_fence +$ago rank 2$" "^ +2$rank.* \(MPI_Win_fence\) +computes, " ;;
    post)
        shows "^ +0$rank.* halo +MPI_Win_start +$ago MPI_Win_post of rank 2$" ;;
    complete)
        shows "^ +0$rank.* halo +MPI_Win_wait +$ago MPI_Win_complete of rank 2$" ;;
    flush)
        shows "^ +2$rank.* is stopped, and SIGCONT continues it; has MPI_Win_lock_all for " ;;
    esac
    finish
}

processes=3 as_user=()
for name in held fence post complete flush; do
    case_of $name allocate
done
case_of held create
case_of held allocate --mca osc_ucp_node 0
case_of fence shared

# A thousand puts a second of 4 bytes, or less; four times as many bytes. The job is chosen by its number, too.
begin rate allocate 8 --mca osc_ucp_status 1
rates='{ if ($1 == 0 && $3 > 100 && $3 <= 1000 && $4 > 3.9 * $3 && $4 < 4.1 * $3) n++ } END { exit n == 0 }'
until look --pid "$job"; awk "$rates" "$scratch/out"; do
    kill -0 "$job" 2>/dev/null || fail "no rates as expected: $(cat "$scratch/out" "$scratch/job")"
done
number=$(sed -n 's/^job \([0-9]*\) .*/\1/p' "$scratch/out")
look --job "$number" --watch 0.5
[ "$(lines "^job $number ")" -ge 2 ] && [ "$(tail -n 1 "$scratch/out")" = "the job has ended" ] &&
    ! grep -q '[^[:print:]]' "$scratch/out" || fail "--watch: $(cat -A "$scratch/out")"
finish

# One line that says why there is nothing to show.
says()
{
    local pattern=$1

    shift
    look "$@"
    [ "$status" -eq "$expected" ] && [ "$(lines '')" -eq 1 ] && [ "$(lines "^osc_ucp_status: $pattern")" -eq 1 ] ||
        fail "status $status instead of $expected, and not '$pattern': $(cat "$scratch/out")"
}

expected=1
says "you have no job on this node that uses osc/ucp with or below this process$" --pid $$
says "there is no process 2147483647 on this node$" --pid 2147483647
expected=2
says "--watch needs a number .* not 'x'$" --watch x
says "there is no use for 'x': " x
expected=1
# Two jobs without: each is told of the one that is asked for, not of the other one, whose processes are found later.
begin held allocate 10
first=$job
begin held allocate 10
for each in "$job" "$first"; do
    until look --pid "$each"
        [ "$(lines 'process [0-9]+ uses osc/ucp, but without osc_ucp_status, or it has')" -eq 1 ]; do
        kill -0 "$each" 2>/dev/null || fail "a job without osc_ucp_status: $(cat "$scratch/out" "$scratch/job")"
    done
    [ "$status" -eq 1 ] || fail "status $status, but nothing was shown"
done
wait "$first" || fail "the job: $(cat "$scratch/job")"
finish

# The file of another version is not read, but its processes can be counted. Any name can be a program's.
name=$scratch/'sl) e
ep'
cp "$(command -v sleep)" "$name"
"$name" 30 7>"$scratch/osc_ucp_watchdog.other" &
job=$!
until look --pid "$job"; [ "$status" -eq 0 ]; do
    kill -0 "$job" || fail "another version: $(cat "$scratch/out")"
done
[ "$(lines '')" -eq 2 ] && [ "$(lines '^job: sl\) e, 1 process on ')" -eq 1 ] &&
    [ "$(lines '^  its osc/ucp is not of the version of this program, ')" -eq 1 ] ||
    fail "another version: $(cat "$scratch/out")"
kill "$job"
job=

# All are killed: the file has no name any more. While they run, only the user can open it, and look.
begin held allocate 30 --mca osc_ucp_status 1
shows "held exclusively by rank 2"
pid=$(awk '$1 == 2 { print $2 }' "$scratch/out")
file=$(find "/proc/$pid/fd" -lname '*osc_ucp_watchdog.*')
[ "$(stat -Lc '%a %u %h' "$file")" = "600 $(id -u) 0" ] || fail "the file: $(stat -L "$file")"
if [ "$(id -u)" -eq 0 ]; then
    make_user
    program=$home/osc_ucp_status
    cp "$status_program" "$program"
    says "process $pid belongs to user root: nobody else can look at its job$" --pid "$pid"
    says "you have no job on this node that uses osc/ucp$"
    as_user=() program=
fi
below=("$job")
descendants "$job"
{
    kill -9 "${below[@]}"
    wait "$job" || true
} 2>/dev/null
job=
[ -z "$(find "$TMPDIR" -name 'osc_ucp*')" ] || fail "left: $(find "$TMPDIR" -name 'osc_ucp*')"
