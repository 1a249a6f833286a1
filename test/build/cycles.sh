#!/bin/bash
# No object of the transport or of the component needs another that needs it, directly or in a circle.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test/build/cycles.sh [LIBRARY]...
#
# LIBRARY is a convenience library in $BUILD, by default those of the two folders. It holds the objects that are linked;
# others may lie beside it. An object needs another if it uses a function or a variable of the other's.

# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Read what nm tells of one library, as lines "library[object]: symbol type ...". Print each cycle, with the symbols
# that make it. The status is 1 if there is one, and 2 if nothing needs anything, so that nothing was tested.
find_cycles()
{
    awk -v library="$1" '
        {
            object = $1
            gsub(/^.*\[|\.o\]:$/, "", object)
            sub(/lib[a-z_]*_la-/, "", object) # what is before that differs where two folders have the same name
            if (!(object in number)) {
                number[object] = ++objects
                name[objects] = object
            }
            if ($3 ~ /^[Uwv]$/) {
                user[++uses] = number[object]
                used[uses] = $2
            } else {
                owner[$2] = number[object]
            }
        }
        END {
            for (i = 1; i <= uses; i++) {
                if (used[i] in owner && owner[used[i]] != user[i]) {
                    symbols[user[i], owner[used[i]]] = symbols[user[i], owner[used[i]]] " " used[i]
                    reaches[user[i], owner[used[i]]] = ++found
                }
            }
            for (via = 1; via <= objects; via++) {
                for (i = 1; i <= objects; i++) {
                    for (j = 1; (i, via) in reaches && j <= objects; j++) {
                        if ((via, j) in reaches) {
                            reaches[i, j]
                        }
                    }
                }
            }
            for (i = 1; i <= objects; i++) {
                members = calls = ""
                size = 0
                for (j = 1; j <= objects && !(i in told); j++) {
                    if ((i, j) in reaches && (j, i) in reaches) {
                        members = members " " name[j]
                        cycle[j] = i
                        size++
                    }
                }
                for (j = 1; j <= objects && size > 0; j++) {
                    for (k = 1; k <= objects && cycle[j] == i; k++) {
                        if (cycle[k] == i && (j, k) in symbols) {
                            calls = calls "\n    " name[j] " needs " name[k] ":" symbols[j, k]
                        }
                        told[j]
                    }
                }
                if (size > 0) {
                    print library ": a cycle of " size " of " objects " objects:" members calls
                    cycles++
                }
            }
            exit cycles > 0 ? 1 : found == 0 ? 2 : 0
        }'
}

if [ $# -eq 0 ]; then
    set -- opal/mca/common/ucp/.libs/libcommon_ucp.a ompi/mca/osc/ucp/.libs/libosc_ucp.a
fi
failed=0
for library in "$@"; do
    [ -e "$build/$library" ] || fail "there is no $library in $build"
    (cd "$build/$(dirname "$library")" && nm -A -P -g "$(basename "$library")") >"$scratch/symbols" ||
        fail "nm cannot read $library"
    status=0
    find_cycles "$(basename "$library")" <"$scratch/symbols" || status=$?
    [ "$status" -le 1 ] || fail "$library has no objects, or none that needs another (status $status)"
    [ "$status" -eq 0 ] || failed=1
done
exit $failed
