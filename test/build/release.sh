#!/bin/bash
# A release: all files name one version and the license; the tarball has all files and no other, and its signed checksum
# is checked as a user does.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Files that cannot have a comment, and data.
no_license='^(LICENSE|contrib/debian/(changelog|copyright|source/format|.*\.docs)|test/fuzz/corpus/.*|'
no_license+='.*\.(svg|png|csv))$'

quietly "$top/contrib/release" --check
git -C "$top" ls-files >/dev/null 2>&1 ||
    skip "the version is right everywhere; the rest needs git, and a checkout of this user's"
mapfile -t files < <(git -C "$top" ls-files)
[ ${#files[@]} -ge 500 ] || fail "git lists hardly a file"
# shellcheck disable=SC2015
without=$(cd "$top" && printf '%s\0' "${files[@]}" | grep -zvE "$no_license" |
    xargs -0 grep -L 'SPDX-License-Identifier: BSD-3-Clause' || true)
[ -z "$without" ] || fail "without SPDX-License-Identifier: $without"

# A checkout of its own, as the one that is tested may have changes: they are committed in the copy.
git clone -q "$top" "$scratch/clone"
(cd "$top" && ls -d "${files[@]}" 2>/dev/null) >"$scratch/there" || true
tar -C "$top" -T "$scratch/there" -cf - | tar -C "$scratch/clone" -xf -
cd "$scratch/clone"
git add -u
git add -f --pathspec-from-file="$scratch/there"
touch contrib/not-in-git
# As if the first tarball were made in the moment of the commit, and the second one later.
GIT_COMMITTER_DATE="@$(($(date +%s) + 4)) +0000" \
    git -c user.name=test -c user.email=test@example.org commit -q --allow-empty -m "what is tested"
sign=()
if command -v gpg >/dev/null; then
    export GNUPGHOME=$scratch/gnupg
    mkdir -m 700 "$GNUPGHOME"
    quietly gpg --batch --passphrase '' --quick-generate-key test@example.org ed25519 sign never
    sign=(--sign test@example.org)
fi
quietly contrib/release "${sign[@]}" "$scratch/out"
echo >>NEWS.md
! contrib/release "$scratch/changed" >"$scratch/log" 2>&1 || fail "a release is made of what is not committed"
git checkout -q NEWS.md
sed -i 's/\(mv osc-ucp\)-[0-9]*/\1-98/' contrib/debian/README
! contrib/release --check >"$scratch/log" 2>&1 || fail "another version is not seen"
git checkout -q contrib/debian/README
echo "See osc-ucp-98.7.6.tar.gz" >>docs/install.md
! contrib/release --check >"$scratch/log" 2>&1 || fail "another version is not seen where none has to be"
grep -q "docs/install.md:.*osc-ucp-98.7.6" "$scratch/log" || fail "another version: $(cat "$scratch/log")"
git checkout -q docs/install.md
(umask 077 && quietly contrib/release "$scratch/again")
if ! cmp "$scratch/out/"*.tar.gz "$scratch/again/"*.tar.gz; then
    for folder in out again; do
        tar -tvzf "$scratch/$folder/"*.tar.gz >"$scratch/$folder.list"
        tar -C "$scratch/$folder" -xzf "$scratch/$folder/"*.tar.gz
    done
    diff "$scratch/out.list" "$scratch/again.list" || true
    diff -r -x '*.tar.gz' "$scratch/out" "$scratch/again" | head -n 40 || true
    fail "another umask makes another tarball of the same commit"
fi
cd "$scratch/out"
quietly sha256sum --check SHA256SUMS
if [ ${#sign[@]} -gt 0 ]; then
    quietly gpg --verify SHA256SUMS.asc SHA256SUMS
    echo "changed" >>SHA256SUMS
    ! gpg --verify SHA256SUMS.asc SHA256SUMS >"$scratch/log" 2>&1 || fail "a changed checksum has a good signature"
fi

# All files of git but what serves git and CI, and of others only what Autotools make.
tarball=osc-ucp-$(made_with VERSION)
tar -tf "$tarball.tar.gz" | sed -n "s,^$tarball/\(.*[^/]\)$,\1,p" | sort >"$scratch/inside"
git -C "$scratch/clone" ls-files | grep -vE '^\.(gitignore$|ci/|github/)' | sort >"$scratch/expected"
lost=$(comm -13 "$scratch/inside" "$scratch/expected")
[ -z "$lost" ] || fail "not in the tarball: $lost"
more=$(comm -23 "$scratch/inside" "$scratch/expected" |
    grep -vE '^(configure|aclocal\.m4|build-aux/.*|m4/l.*\.m4|(.*/)?Makefile\.in)$' || true)
[ -z "$more" ] || fail "in the tarball, but not in git: $more"
[ ${#sign[@]} -gt 0 ] || skip "the rest passed, but nothing was signed: there is no gpg"
