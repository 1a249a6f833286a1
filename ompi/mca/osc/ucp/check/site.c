/* Where the program makes a call: the frame is found by unwinding, and found again by its place on the stack.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/site.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "base/threads.h"
#include "check/library.h"
#include "check/symbol.h"

#define SITES 1024u /**< remembered; a power of 2 */
#define WAYS  256u  /**< functions of Open MPI that call us; a power of 2 */

/** A return address in the program. */
typedef struct known_t {
    const void         *at;
    ompi_osc_ucp_site_t site;
} known_t;

/** A return address in Open MPI, and how far above our frame its caller's return address was. A guess for the next
 *  time: what is there counts only if it is a known site. */
typedef struct way_t {
    const void *from;
    ptrdiff_t   above; /**< bytes; 0: not known */
} way_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static known_t         known[SITES];
static way_t           ways[WAYS];

static uint32_t slot_of(const void *address, uint32_t slots)
{
    return (uint32_t) (((uintptr_t) address * 0x9e3779b97f4a7c15u) >> 40) & (slots - 1);
}

/** What stands behind the last slash. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return NULL == slash ? path : slash + 1;
}

/** The name of a loaded binary; the program's own has none in the linker's list. */
static const char *binary_name(const char *path)
{
    static char own[256];
    ssize_t     len;

    if (NULL != path && '\0' != *path) {
        return name_of(path);
    }
    if ('\0' == own[0]) {
        len = readlink("/proc/self/exe", own, sizeof(own) - 1);
        own[len < 0 ? 0 : len] = '\0';
    }
    return name_of(own);
}

/** FNV-1a; never 0. */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; '\0' != *name; name++) {
        hash = (hash ^ (uint8_t) *name) * 16777619u;
    }
    return 0 == hash ? 1 : hash;
}

/** Does a binary belong to Open MPI, or to us? */
static bool is_ours(const char *name)
{
    static const char *const beginnings[] = { "libmpi", "libopen-", "mca_", "libosc_ucp", "libucp", "libucs" };
    size_t i;

    for (i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        if (0 == strncmp(name, beginnings[i], strlen(beginnings[i]))) {
            return true;
        }
    }
    return false;
}

/** A binary that is looked for, by an address in it or by its hash. */
typedef struct binary_t {
    uintptr_t address;   /**< 0: none */
    uint32_t  hash;      /**< 0: none; else the one that was found */
    uintptr_t base;      /**< found */
    char      name[100]; /**< found */
    char      path[256]; /**< found */
    bool      program;   /**< found: it is no library of ours */
} binary_t;

static bool has_address(const struct dl_phdr_info *info, uintptr_t address)
{
    int i;

    for (i = 0; i < info->dlpi_phnum; i++) {
        if (PT_LOAD == info->dlpi_phdr[i].p_type &&
            address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz) {
            return true;
        }
    }
    return false;
}

static int binary_look(struct dl_phdr_info *info, size_t size, void *context)
{
    binary_t   *binary = context;
    const char *name   = binary_name(info->dlpi_name);

    (void) size;
    if (0 != binary->address ? !has_address(info, binary->address) : binary->hash != hash_of(name)) {
        return 0;
    }
    binary->hash    = hash_of(name);
    binary->base    = info->dlpi_addr;
    binary->program = !is_ours(name);
    snprintf(binary->name, sizeof(binary->name), "%.99s", name);
    snprintf(binary->path, sizeof(binary->path), "%.255s",
             NULL == info->dlpi_name || '\0' == *info->dlpi_name ? "/proc/self/exe" : info->dlpi_name);
    return 1;
}

/** The stack, from the inside. */
typedef struct unwound_t {
    const void         *from;  /**< where our function returns to */
    bool                above; /**< past it */
    const void         *at;    /**< the program's return address; NULL: not found */
    const void *const  *slot;  /**< where it should lie on the stack */
    ompi_osc_ucp_site_t site;
} unwound_t;

static _Unwind_Reason_Code frame_look(struct _Unwind_Context *context, void *arg)
{
    unwound_t *unwound = arg;
    uintptr_t  address = _Unwind_GetIP(context);
    binary_t   binary  = { .address = address };

    unwound->above = unwound->above || address == (uintptr_t) unwound->from;
    if (!unwound->above) {
        return _URC_NO_REASON;
    }
    if (0 == address || 0 == dl_iterate_phdr(binary_look, &binary)) {
        return _URC_END_OF_STACK;
    }
    if (!binary.program) {
        return _URC_NO_REASON;
    }
    unwound->at   = (const void *) address;
    unwound->slot = (const void *const *) _Unwind_GetCFA(context) - 1;
    unwound->site = (ompi_osc_ucp_site_t) { .module = binary.hash, .offset = (uint32_t) (address - 1 - binary.base) };
    return _URC_END_OF_STACK;
}

/** The site, if it has been found there before. Under the mutex. */
static bool recall(const void *from, const void *frame, ompi_osc_ucp_site_t *site)
{
    const way_t   *way = &ways[slot_of(from, WAYS)];
    const void    *at;
    const known_t *one;

    if (from != way->from || 0 == way->above) {
        return false;
    }
    at    = *(const void *const *) ((const char *) frame + way->above);
    one   = &known[slot_of(at, SITES)];
    *site = one->site;
    return NULL != at && at == one->at;
}

ompi_osc_ucp_site_t ompi_osc_ucp_site_find(const void *from, const void *frame)
{
    unwound_t           unwound = { .from = from };
    ompi_osc_ucp_site_t site    = { 0, 0 };
    bool                found;

    if (ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_library_take(&mutex);
    }
    found = recall(from, frame, &site);
    if (ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_library_give(&mutex);
    }
    if (found) {
        return site;
    }
    (void) _Unwind_Backtrace(frame_look, &unwound);
    if (NULL != unwound.at) {
        ompi_osc_ucp_library_take(&mutex);
        known[slot_of(unwound.at, SITES)] = (known_t) { .at = unwound.at, .site = unwound.site };
        ways[slot_of(from, WAYS)]         = (way_t) {
            .from = from, .above = *unwound.slot == unwound.at ? (const char *) unwound.slot - (const char *) frame : 0
        };
        ompi_osc_ucp_library_give(&mutex);
    }
    return unwound.site;
}

ompi_osc_ucp_site_t ompi_osc_ucp_site_of(const void *at)
{
    static known_t      places[SITES]; /* apart from those that calls of MPI may read without the mutex */
    binary_t            binary = { .address = (uintptr_t) at };
    known_t            *one    = &places[slot_of(at, SITES)];
    ompi_osc_ucp_site_t site   = { 0, 0 };

    ompi_osc_ucp_library_take(&mutex);
    if (at != one->at && 0 != dl_iterate_phdr(binary_look, &binary)) {
        *one = (known_t) {
            .at = at, .site = { .module = binary.hash, .offset = (uint32_t) ((uintptr_t) at - 1 - binary.base) }
        };
    }
    if (at == one->at) {
        site = one->site;
    }
    ompi_osc_ucp_library_give(&mutex);
    return site;
}

static _Unwind_Reason_Code frame_interrupts(struct _Unwind_Context *context, void *unused)
{
    int interrupted = 0;

    (void) unused;
    (void) _Unwind_GetIPInfo(context, &interrupted);
    return 0 == interrupted ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

bool ompi_osc_ucp_site_in_handler(void)
{
    return _URC_END_OF_STACK != _Unwind_Backtrace(frame_interrupts, NULL);
}

void ompi_osc_ucp_site_text(ompi_osc_ucp_site_t site, char *text)
{
    binary_t binary = { .hash = site.module };
    char     function[50];
    uint64_t behind;

    if (0 == site.module) {
        snprintf(text, OMPI_OSC_UCP_SITE_TEXT, "unknown");
        return;
    }
    if (0 == dl_iterate_phdr(binary_look, &binary)) {
        snprintf(text, OMPI_OSC_UCP_SITE_TEXT, "?+0x%x", (unsigned) site.offset);
        return;
    }
    if (!ompi_osc_ucp_symbol_find(binary.path, site.offset, function, sizeof(function), &behind)) {
        snprintf(text, OMPI_OSC_UCP_SITE_TEXT, "%s+0x%x", binary.name, (unsigned) site.offset);
        return;
    }
    snprintf(text, OMPI_OSC_UCP_SITE_TEXT, "%s+0x%lx (%s+0x%x)", function, (unsigned long) behind, binary.name,
             (unsigned) site.offset);
}
