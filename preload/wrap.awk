# Write the functions that stand before MPI's: for each declaration in preprocessed headers, what functions.table says.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# awk -f wrap.awk functions.table RS=';' HEADERS

FNR == NR && FILENAME ~ /functions\.table$/ {
    if ($0 !~ /^#/ && NF == 2) {
        patterns[++rows] = "^(" $1 ")$"
        kinds[rows] = $2
    }
    next
}

# A declaration without the attributes that stand in it.
function bare(text,    at, end, depth, char)
{
    while (0 != (at = index(text, "__attribute__"))) {
        depth = 0
        for (end = at + length("__attribute__"); end <= length(text); end++) {
            char = substr(text, end, 1)
            depth += ("(" == char) - (")" == char)
            if (0 == depth && ")" == char) {
                break
            }
        }
        text = substr(text, 1, at - 1) " " substr(text, end + 1)
    }
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    return text
}

function kind_of(name,    short, i)
{
    short = name
    sub(/^MPIX?_/, "", short)
    sub(/_c$/, "", short)
    for (i = 1; i <= rows; i++) {
        if (short ~ patterns[i]) {
            return kinds[i]
        }
    }
    return "all"
}

# The names of the parameters: args, has[NAME], and that of the communicator.
function parameters_read(text,    i, n, parts, part)
{
    split("", has)
    args = communicator = ""
    n = "void" == text ? 0 : split(text, parts, ",")
    for (i = 1; i <= n; i++) {
        part = parts[i]
        gsub(/\[[^]]*\]/, "", part)
        sub(/ *$/, "", part)
        sub(/^.*[ *]/, "", part)
        has[part] = index(parts[i], "*") || index(parts[i], "[") ? "pointer" : "value"
        communicator = parts[i] ~ /^ ?MPI_Comm [a-z_]+$/ ? part : communicator
        args = args (1 == i ? "" : ", ") part
    }
}

# Does this Open MPI declare the function without something that the kind needs? That is not expected.
function lacks(kind)
{
    return (kind ~ /^(receive|ssend|collect|window|receive_request|ssend_request)$/ && "" == communicator) || \
           (kind ~ /^receive/ && !("source" in has)) || (kind ~ /^ssend/ && !("dest" in has)) || \
           ("receive" == kind && !("status" in has)) || (kind ~ /_request$/ && !("request" in has)) || \
           ("complete" == kind && !("request" in has) && !("array_of_requests" in has)) || \
           ("window" == kind && !("win" in has))
}

# Has the call completed or found something?
function happened()
{
    return "flag" in has ? "MPI_SUCCESS == rc && 0 != *flag" : "outcount" in has ? "MPI_SUCCESS == rc && 0 != *outcount" : "1"
}

function before(kind)
{
    if ("complete" == kind) {
        if ("array_of_requests" in has) {
            print "    around_begin(hooks, &requests, " ("incount" in has ? "incount" : "count") ", array_of_requests);"
        } else {
            print "    around_begin(hooks, &requests, 1, " ("pointer" == has["request"] ? "" : "&") "request);"
        }
        return
    }
    if ("free" == kind) {
        print "    around_forget(hooks, request);"
        return
    }
    print "    hooks->tell();"
    if ("receive" == kind) {
        print "    status = MPI_STATUS_IGNORE == status ? &own : status;"
    }
}

function after(kind)
{
    if ("complete" == kind) {
        print "    around_end(hooks, &requests, " ("array_of_requests" in has ? "array_of_requests" : \
              "pointer" == has["request"] ? "request" : "&request") ", rc, " happened() ");"
    } else if ("receive" == kind) {
        print "    if (MPI_SUCCESS != rc || (" happened() ")) {"
        print "        around_heard(hooks, rc, " communicator ", source, status);\n    }"
    } else if ("ssend" == kind) {
        print "    around_heard(hooks, rc, " communicator ", dest, NULL);"
    } else if (kind ~ /_request$/) {
        print "    if (MPI_SUCCESS == rc) {"
        print "        " ("any_request" == kind ? "around_forget(hooks, request);" : \
              "around_note(hooks, *request, " ("send_request" == kind ? "MCA_OSC_UCP_ORDER_NONE" : \
              "hooks->process(" communicator ", " ("ssend_request" == kind ? "dest" : "source") ")") ");")
        print "    } else {\n        hooks->hear(MCA_OSC_UCP_ORDER_ALL);\n    }"
    } else if ("collect" == kind) {
        print "    around_collected(hooks, rc, " communicator ", " ("root" in has ? "root" : 0) ", " rooted ");"
    } else if ("all" == kind) {
        print "    hooks->hear(MCA_OSC_UCP_ORDER_ALL);"
        if ("pointer" == has["request"]) {
            print "    if (MPI_SUCCESS == rc) {\n        around_forget(hooks, request);\n    }"
        }
    }
}

# What must be known when a checker comes later, too. The first window of the program brings it.
function wrap_always(kind)
{
    print "\n    if (NULL != hooks) {\n        hooks->tell();\n    }"
    print "    rc = mpi.call(" args ");"
    if ("window" == kind) {
        print "    around_window(rc, " communicator ", win);"
    } else {
        print "    around_off();"
    }
    print "    return rc;\n}"
}

function wrap(name, text, kind)
{
    print "\nint " name "(" text ")\n{"
    print "    static void *next;"
    print "    union {\n        void *found;\n        __typeof__(&" name ") call;\n    } mpi;"
    print "    const mca_osc_ucp_order_hooks_t *hooks = around_enter(&next, \"" name "\", &mpi.found);"
    print "    int rc;"
    if ("complete" == kind) {
        print "    around_requests_t requests;"
    } else if ("receive" == kind) {
        print "    MPI_Status own;"
    }
    if ("window" == kind || "off" == kind) {
        wrap_always(kind)
        return
    }
    print "\n    if (NULL == hooks) {\n        return mpi.call(" args ");\n    }"
    before(kind)
    print "    rc = mpi.call(" args ");"
    after(kind)
    print "    return rc;\n}"
}

BEGIN {
    print "/* Written by preload/wrap.awk. */\n\n#include \"preload/around.h\"\n\n#include <mpi-ext.h>"
}

{
    text = bare($0)
    sub(/^extern /, "", text)
    if (text !~ /^int P?MPIX?_[A-Za-z0-9_]+ ?\(.*\)[^)]*$/ || text ~ /\.\.\./) {
        next
    }
    name = text
    sub(/^int /, "", name)
    sub(/ ?\(.*$/, "", name)
    plain = name
    sub(/^P/, "", plain)
    kind = kind_of(plain)
    if ("local" == kind || name in done) {
        next
    }
    done[name] = 1
    sub(/^[^(]*\( ?/, "", text)
    sub(/ ?\)[^)]*$/, "", text)
    parameters_read(text)
    kind = lacks(kind) ? "all" : kind
    short = plain
    rooted = short ~ /^MPI_(Bcast|Scatterv?)(_c)?$/ ? 1 : short ~ /^MPI_(Reduce|Gatherv?)(_c)?$/ ? -1 : 0
    wrap(name, text, kind)
}
