#!/bin/bash
# --mca osc_ucp_check 1: how mistakes are told, where, how often, and with which exit status.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v python3 >/dev/null || skip "there is no python3"
quietly "$mpicc" -O0 -o "$scratch/checked" "$top/test/build/checker.c"
file=$scratch/findings

# run ARGUMENT OPTION...: the program by two processes; with mistakes if the argument is "". Output: $scratch/out.
run()
{
    rm -f "$file"
    # shellcheck disable=SC2086  # no argument is none
    run_ranks "$scratch/out" 60 env OMPI_MCA_mca_base_component_path="$components:SYSTEM_DEFAULT:USER_DEFAULT" \
        "$mpirun" -np 2 --oversubscribe --mca osc ucp "${@:2}" "$scratch/checked" $1
}

# expect COUNT PATTERN [FILE]: so many lines of the output, or of the file.
expect()
{
    local found

    found=$(grep -cE -- "$2" "${3:-$scratch/out}" || true)
    [ "$found" -eq "$1" ] || fail "$found lines '$2', and not $1: $(cat "${3:-$scratch/out}")"
}

on=(--mca osc_ucp_check 1)
run ""
expect 0 "osc/ucp"
run correct "${on[@]}" --mca osc_ucp_check_exit 3
expect 0 "osc/ucp"
[ "$status" -eq 0 ] || fail "status $status of a correct program"

# Once for each pair of calls: rank 0 makes one, and rank 1 three. One block is one write.
run "" "${on[@]}"
[ "$status" -eq 0 ] || fail "status $status: $(cat "$scratch/out")"
expect 4 "osc/ucp: check: put-put: .* window 'halo \"1\"' of MPI_Win_allocate, target 0, bytes "
expect 2 "check: put-put: .*, bytes 8 to 15\$"
expect 8 "osc/ucp:   rank [01]: MPI_Put, bytes .*, at mistakes[+]0x.* [(]checked[+]0x"
expect 4 "osc/ucp:   cure: "
expect 1 "check: mistakes found at this process: 1\$"
expect 1 "check: mistakes found at this process: 3\$"
awk '/check: put-put/ { left = 4; next } left-- > 0 && !/^osc\/ucp:   / { exit 1 }' "$scratch/out" ||
    fail "blocks are mixed: $(cat "$scratch/out")"

run "" "${on[@]}" --mca osc_ucp_check_limit 1 --mca osc_ucp_check_exit 3
expect 2 "check: put-put: "
expect 1 "check: 3 mistakes were found at this process, and 2 of them not told"
[ "$status" -eq 3 ] || fail "status $status, and not 3"

cat >"$scratch/suppress" <<'EOF'
# comment
get-*
put-put halo* mistakes*   # all of them
EOF
run "" "${on[@]}" --mca osc_ucp_check_suppress "$scratch/suppress" --mca osc_ucp_check_exit 3
expect 0 "osc/ucp"
[ "$status" -eq 0 ] || fail "status $status of what is suppressed"
echo "put-put other*" >"$scratch/suppress"
run "" "${on[@]}" --mca osc_ucp_check_suppress "$scratch/suppress" --mca osc_ucp_check_file "$file"
expect 0 "put-put"
expect 4 "check: put-put: " "$file"

run "" "${on[@]}" --mca osc_ucp_check_format json --mca osc_ucp_check_file "$file"
quietly python3 - "$file" <<'EOF'
import json, sys
found = [json.loads(line) for line in open(sys.argv[1])]
assert len(found) == 4 and all(one["kind"] == "put-put" and one["window"] == 'halo "1"' for one in found), found
first = [one for one in found if one["accesses"][0]["rank"] == 0][0]
assert (first["first"], first["last"], first["target"]) == (8, 15, 0), first
assert [one["what"] for one in first["accesses"]] == ["MPI_Put"] * 2, first
EOF
run "" "${on[@]}" --mca osc_ucp_check_format sarif --mca osc_ucp_check_file "$file"
quietly python3 - "$file" <<'EOF'
import json, sys
log = json.load(open(sys.argv[1]))
results = log["runs"][0]["results"]
assert log["version"] == "2.1.0" and len(results) == 4, log
assert all(one["ruleId"] == "put-put" and "MPI_Put" in one["message"]["text"] for one in results), results
EOF

run "" "${on[@]}" --mca osc_ucp_check_file "$scratch/none/findings" --mca osc_ucp_check_suppress "$scratch/none/x"
expect 2 "osc_ucp_check_file .* cannot be opened: No such file or directory"
expect 2 "osc_ucp_check_suppress .* cannot be read: No such file or directory"
expect 4 "check: put-put: "
