#!/bin/bash
# contrib/two-hosts: hosts with names of their own, the command's status, several at a time, and nothing left behind,
# however it ends.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export TMPDIR=$scratch/tmp
mkdir "$TMPDIR" "$scratch/here"

# Run "$@" in a folder of its own, by which it and all that it starts are found again.
inside()
{
    (cd "$scratch/here" && "$@")
}

left()
{
    find /proc/[0-9]* -maxdepth 1 -name cwd -lname "$scratch/here" 2>/dev/null || true
    ls "$TMPDIR"
}

# Within five seconds of an idle machine, no process and no file is left. $1 says after what.
nothing_left()
{
    local begun=$SECONDS

    while [ -n "$(left)" ]; do
        [ $((SECONDS - begun)) -le "$(grown 5)" ] || fail "$1, two-hosts left: $(left)"
        sleep 0.1
    done
}

two_hosts=$top/contrib/two-hosts
status=0
said=$(inside "$two_hosts" true 2>&1) || status=$?
if [ "$status" -eq 77 ]; then
    skip "$said"
fi
[ "$status" -eq 0 ] || fail "two-hosts true: $said"
nothing_left "in the end"

status=0
inside "$two_hosts" sh -c 'sleep 1000 & exit 5' || status=$?
[ "$status" -eq 5 ] || fail "the command's status is 5, and that of two-hosts $status"
nothing_left "after a command that failed"

PER_HOST=2 inside "$two_hosts" -n 3 "$mpirun" -np 6 hostname >"$scratch/first" 2>/dev/null &
inside "$two_hosts" "$mpirun" -np 2 hostname >"$scratch/second" 2>/dev/null
wait $!
[ "$(sort "$scratch/first" | paste -s -d ' ')" = "h0 h0 h1 h1 h2 h2" ] || fail "first: $(cat "$scratch/first")"
[ "$(sort "$scratch/second" | paste -s -d ' ')" = "h0 h1" ] || fail "second: $(cat "$scratch/second")"
nothing_left "after two at a time"

# The head is killed as soon as it has a folder.
mkdir "$scratch/bin"
cat >"$scratch/bin/mkdir" <<EOF
#!/bin/sh
$(command -v mkdir) "\$@" || exit
for folder; do :; done
case \$folder in
*/two-hosts.*.*/*) ;;
*/two-hosts.*.*) head=\${folder##*/two-hosts.}; kill -KILL "\${head%.*}" ;;
esac
EOF
chmod +x "$scratch/bin/mkdir"
PATH=$scratch/bin:$PATH inside "$two_hosts" sleep 1000 >/dev/null 2>&1 && fail "two-hosts was not killed"
nothing_left "after SIGKILL when the folder was made"

for signal in TERM KILL; do
    for seconds in 0.1 0.3 2; do
        inside timeout -s $signal $seconds "$two_hosts" "$mpirun" -np 2 sleep 1000 >/dev/null 2>&1 || true
        nothing_left "after SIG$signal and $seconds seconds"
    done
done
