#!/bin/bash
# A timer that is ended right after its fork, because its job has just ended, takes nothing of the script with it: bash
# runs the script's traps in it.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for ((i = 0; i < 100; i++)); do
    sleep 1 &
    kill $!
    wait $! || true
    [ -d "$scratch" ] || fail "the timer has removed the script's folder"
done 2>/dev/null # bash's remarks on processes that the timer does not have
