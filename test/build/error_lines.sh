#!/bin/bash
# docs/errors.md explains each text that the sources can print, and none that they cannot; other documents have those of
# the watchdog, of the report and of osc_ucp_status's table. docs/checker.md quotes reports of the checker as they are
# printed. A new text, a changed one and a lost entry are seen.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

check()
{
    python3 -B "$top/contrib/lib/error_lines.py" "$@" >"$scratch/log"
}

# seen WHAT FILE COMMAND...: after sed COMMAND in the copy of a file, the check says WHAT.
seen()
{
    local what=$1 file=$scratch/tree/$2

    cp "$file" "$scratch/kept"
    sed -i "$3" "$file"
    ! cmp -s "$file" "$scratch/kept" || fail "$2 has no place for this change: $3"
    ! check "$scratch/tree" || fail "not seen: $what"
    grep -qF -- "$what" "$scratch/log" || fail "it should say '$what': $(cat "$scratch/log")"
    cp "$scratch/kept" "$file"
}

command -v python3 >/dev/null || skip "there is no python3"
check || fail "docs/errors.md and the sources differ: $(cat "$scratch/log")"
[ "$(sed -n '$ s/ texts$//p' "$scratch/log")" -ge 90 ] || fail "hardly a text was found: $(cat "$scratch/log")"

mkdir -p "$scratch/tree/docs" "$scratch/tree/${component%/*}" "$scratch/tree/${transport%/*}"
cp -r "$top/$component" "$scratch/tree/$component"
cp -r "$top/$transport" "$scratch/tree/$transport"
cp -r "$top"/{ext,preload,status,convert} "$scratch/tree"
cp "$top"/docs/{checker,errors,report,status,watchdog}.md "$scratch/tree/docs"
check "$scratch/tree" || fail "the copy should be right: $(cat "$scratch/log")"
seen "no entry in docs/errors.md: rank ... has a new error" $component/path/nic.c \
    's/^static int nic_attach/static const char *added = "rank %d has " "a new error";\n&/'
seen "no entry in docs/errors.md: window ... made anew" $component/report/report.c \
    's/window %llu made by .*,/window %llu made anew",/'
seen "no entry in docs/errors.md: osc_ucp_ext: ... wants a window of" ext/find.c \
    's/needs a window of/wants a window of/'
seen "no entry in docs/errors.md: no attached memory starts at ..." $component/call/attach.c \
    's/no attached memory begins at/no attached memory starts at/'
seen "no entry in docs/errors.md: no attached memory begins at ..." docs/errors.md '/no attached memory begins at/d'
seen "no entry in docs/errors.md: leave out all assertions" $component/check/nostore.c \
    's/leave out the assertion/leave out all assertions/'
seen "no entry in docs/errors.md: the tables cannot be written" status/main.c \
    's/the table cannot be written/the tables cannot be written/'
seen "no entry in docs/errors.md: OTF2 cannot make an archive ..." convert/archive.c \
    's/cannot make the archive/cannot make an archive/'
seen "not in docs/status.md: is halted, and" status/table.c 's/is stopped, and/is halted, and/'
seen "not in docs/watchdog.md: for the lock of" docs/watchdog.md 's/for the lock of/for a lock of/'
seen "not in docs/report.md: and ... windows beyond" $component/report/report.c 's/windows more/windows beyond/'
seen "docs/checker.md: in no source: nothing sorts two operations on the same bytes" docs/checker.md \
    's/nothing orders two operations/nothing sorts two operations/'
# shellcheck disable=SC2016  # Markdown
seen "docs/errors.md: in no source: it was removed" docs/errors.md 's/`` it is damaged ``/`` it was removed ``/'
