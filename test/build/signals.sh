#!/bin/bash
# What contrib's scripts run ends with them: a signal to one of them alone leaves no job behind.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Processes are found by the seconds that they sleep for, which another run of this test has not.
seconds=1000$$

# As contrib/check and contrib/quickstart run jobs: behind a pipe, several in the background, and alone.
cat >"$scratch/caller" <<END
set -eu
program=caller
. "$top/contrib/lib/setup.sh"
scratch=\$(mktemp -d "$scratch/of-caller.XXXXXX")
job=("$within" 1000 sleep \$2.\$1)
case \$1 in
1) "\${job[@]}" | cat ;;
2) { "\${job[@]}" | cat; "\${job[@]}"; } &
   background=(\$!)
   wait ;;
3) "\${job[@]}" || true ;;
esac
END

# ended SIGNAL STATUS PATTERN COMMAND...: once a process matches PATTERN the command gets SIGNAL. It ends with STATUS,
# and that process ends, too.
ended()
{
    local signal=$1 expected=$2 pattern=$3 begun

    shift 3
    env --default-signal=HUP,TERM "$@" >"$scratch/out" 2>&1 </dev/null & # whoever runs this may ignore them
    begun=$!
    job=$begun # ended if this test is
    until pgrep -f -- "$pattern" >"$scratch/found"; do
        kill -0 $begun 2>/dev/null || fail "$*: nothing was begun: $(cat "$scratch/out")"
        sleep 0.1
    done
    kill -"$signal" $begun
    status=0
    wait $begun || status=$?
    job=
    [ "$status" -eq "$expected" ] || fail "$* with $signal: status $status: $(cat "$scratch/out")"
    begun=$SECONDS
    while pgrep -f -- "$pattern" >"$scratch/found"; do
        if [ $((SECONDS - begun)) -gt "$(grown 5)" ]; then
            pkill -f -- "$pattern"
            fail "$* with $signal: left was process $(cat "$scratch/found")"
        fi
        sleep 0.1
    done
}

for way in 1 2 3; do
    ended TERM 143 "sleep $seconds\.$way" bash "$scratch/caller" $way $seconds
    ended HUP 129 "sleep $seconds\.$way" bash "$scratch/caller" $way $seconds
    [ -z "$(find "$scratch" -name 'of-caller.*')" ] || fail "the caller's folder is left"
done
ended TERM 143 "$build/test/mpi/.*/soak$" "$top/contrib/soak" --minutes 1
