#!/bin/bash
# contrib/quickstart --user: a user without root gets the component from the tarball into the home folder, and two
# examples run over it. Each step is one line with its time. Without an mpicc it says so.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_user sudo apt-get git autoconf automake

make_tarball
quietly user tar --no-same-owner -xf "$scratch/$tarball.tar.gz"

mkdir "$scratch/tools"
for tool in bash sh env dirname basename mkdir grep sed wc head tail rm mktemp cat id nproc; do
    ln -s "$(command -v $tool)" "$scratch/tools/$tool"
done
if user env PATH="$scratch/tools" "$tarball/contrib/quickstart" --user >"$scratch/log" 2>&1 ||
    ! grep -q '^quickstart: there is no mpicc in the path' "$scratch/log"; then
    fail "without mpicc it should say so: $(cat "$scratch/log")"
fi

# An MPI that comes first in the path and is not Open MPI.
mkdir "$scratch/other"
for tool in mpicc mpirun; do
    printf '#!/bin/sh\nexit 1\n' >"$scratch/other/$tool"
    chmod +x "$scratch/other/$tool"
done
if user env PATH="$scratch/other:$scratch/tools" "$tarball/contrib/quickstart" --user >"$scratch/log" 2>&1 ||
    ! grep -q '^quickstart: configure failed: all of its output is in ' "$scratch/log"; then
    fail "with another MPI alone it should say that configure failed: $(cat "$scratch/log")"
fi

# mpicc of one Open MPI, and before it in the path mpirun of another.
mkdir "$scratch/older"
printf '#!/bin/sh\necho "mpirun (Open MPI) 3.1.3"\n' >"$scratch/older/mpirun"
chmod +x "$scratch/older/mpirun"
if user env PATH="$scratch/older:$(dirname "$mpicc"):$PATH" "$tarball/contrib/quickstart" --user >"$scratch/log" 2>&1 ||
    [ "$(grep -c '^quickstart: two MPIs in the path: .*/older/mpirun of 3\.1\.3: ' "$scratch/log")" -ne 1 ]; then
    fail "with two MPIs it should say so: $(cat "$scratch/log")"
fi
[ -z "$(find "$home/$tarball/build" -name config.log)" ] || fail "with two MPIs it should not go on"

# Open MPI's mpirun that does not find its own texts, as Ubuntu 26.04's: it names no version.
mkdir "$scratch/wordless"
printf '#!/bin/sh\necho "    /usr/share/prte/help-schizo-ompi.txt: No such file or directory"\n' \
    >"$scratch/wordless/mpirun.openmpi"
chmod +x "$scratch/wordless/mpirun.openmpi"

# Without optimization, which takes time and changes nothing here.
quietly user env CFLAGS=-O0 PATH="$scratch/wordless:$scratch/other:$PATH" "$tarball/contrib/quickstart" --user -n 3
called=$(find "$home" -maxdepth 1 -name 'called-*' -printf '%f ')
[ -z "$called" ] || fail "a user's quickstart needs: $called"
for number in 1 2 3 4 5; do
    grep -qE "^quickstart: $number of 5  .* \.\.\. [0-9]+\.[0-9] s$" "$scratch/log" ||
        fail "step $number is not one line with its time: $(cat "$scratch/log")"
done
[ "$(grep -c '^quickstart: ' "$scratch/log")" -eq 5 ] || fail "there are other lines: $(cat "$scratch/log")"
grep -q '^It works: 1000 items done' "$scratch/log" || fail "no result: $(cat "$scratch/log")"
grep -q '^Next:' "$scratch/log" || fail "it does not say what to do next: $(cat "$scratch/log")"
[ -f "$home/.openmpi/components/mca_osc_ucp.so" ] || fail "nothing was installed into the home folder"

remove=$(sed -n 's/^  \(make .* uninstall\) .*/\1/p' "$scratch/log")
quietly user bash -c "$remove"
[ ! -e "$home/.openmpi/components/mca_osc_ucp.so" ] || fail "'$remove' left the component"
