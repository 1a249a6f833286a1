#!/bin/bash
# contrib/check keeps the rows of a failure together: whoever else keeps some has to end first.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Its functions, without what calls them.
sed -n '/^[a-z_]*()$/,/^}$/p' "$top/contrib/check" >"$scratch/functions"
# shellcheck disable=SC1091  # made here
. "$scratch/functions"
# shellcheck disable=SC2034  # for the functions
build=$scratch passed=0 failed=0 skipped=0
rows=$scratch/failures.log
printf '%s\n' "FAIL  program" "    why" "0 passed, 1 failed, 0 skipped" >"$scratch/log"
echo "why" >"$scratch/output"

for way in "add_failure program $scratch/output" "add_last $scratch/log nobody"; do
    : >"$rows"
    exec 8<"$rows"
    flock 8
    $way >/dev/null 8<&- &
    sleep 0.5
    [ ! -s "$rows" ] || fail "$way does not wait for others: $(cat "$rows")"
    exec 8<&-
    wait $!
    [ "$(sed 's/  */ /' "$rows")" = "$(printf '%s\n' "FAIL program" " why")" ] || fail "$way: $(cat "$rows")"
done
