#!/bin/bash
# What contrib/quickstart and contrib/check say and do when packages are missing: a user whom sudo refuses, an Open MPI
# that is of no use, packages that only some tests need, apt's lists that have to be fetched first.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tools=$scratch/tools state=$scratch/state
mkdir "$tools" "$state"

# tool NAME: a stand-in, from standard input, which finds $state.
tool()
{
    { echo "#!/bin/bash"; echo "state=$state"; cat; } >"$tools/$1"
    chmod +x "$tools/$1"
}

tool id <<<'echo 1000'
tool dpkg-query <<'END'
grep -qx "${@: -1}" "$state/installed" && echo -n installed
END
tool apt-cache <<'END'
grep -qx "$2" "$state/known" || exit 0
version=1.0
if [ "$2" = libopenmpi-dev ]; then
    version=$(cat "$state/openmpi")
fi
printf '%s:\n  Installed: (none)\n  Candidate: %s\n' "$2" "$version"
END
tool sudo <<'END'
if [ -e "$state/refused" ]; then
    echo "Sorry, user nobody is not allowed to execute that" >&2
    exit 1
fi
exec "$@"
END
tool apt-get <<'END'
case " $* " in
*" update "*) cat "$state/archive" >"$state/known"; echo updated >>"$state/did" ;;
*" --no-install-recommends "*) printf '%s\n' "${@:7}" | tee -a "$state/installed" >>"$state/did" ;;
esac
END

# Run "$@" of setup.sh with the stand-ins. Sets status; what it says is in $scratch/out, what was done in $state/did.
try()
{
    : >"$state/did"
    status=0
    PATH=$tools:$PATH program=try log=$scratch/log bash -euc '. "$0"; "$@"; echo went on' \
        "$top/contrib/lib/setup.sh" "$@" >"$scratch/out" 2>&1 </dev/null || status=$?
}

# expect WHAT STATUS PATTERN DONE: so it has ended, a line matches, and apt-get has done this.
expect()
{
    if [ "$status" -ne "$2" ] || [ "$(lines "$3")" -lt 1 ] || [ "$(paste -sd " " "$state/did")" != "$4" ]; then
        cat "$scratch/out" "$state/did"
        fail "$1: status $status; expected status $2, a line '$3', and apt-get to do '$4'"
    fi
}

printf '%s\n' libopenmpi-dev gdb >"$state/archive"
: >"$state/installed"
: >"$state/known"
echo 4.1.4-3 >"$state/openmpi"
touch "$state/refused"
try need_packages gdb
expect "sudo refuses" 69 "^try: .*sudo does not let you install them: as root, apt-get install gdb$" ""
[ "$(lines 'apt-get update')" -eq 0 ] || fail "it was sudo that failed, not apt: $(cat "$scratch/out")"
cp "$state/archive" "$state/known"
try want_packages gdb
expect "sudo refuses what is optional" 0 "^went on$" ""
rm "$state/refused"

echo 3.1.3-11 >"$state/openmpi"
try need_packages gdb libopenmpi-dev
expect "an old Open MPI" 69 "Open MPI is 3.1.3-11, .*nothing was installed$" ""
echo 1:5.0.7-1 >"$state/openmpi"
: >"$state/known"
try need_packages gdb libopenmpi-dev
expect "empty lists" 0 "^went on$" "updated gdb libopenmpi-dev"
try need_packages gdb libopenmpi-dev
expect "all there" 0 "^went on$" ""
: >"$state/installed"
: >"$state/known"
try want_packages gdb nonsense
expect "no such package" 0 "^try: apt has no nonsense$" "updated gdb"
