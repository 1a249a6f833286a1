/* System V shared memory that UCX allocates is for this user only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX gives it mode 0660, and no parameter changes that: any member of the user's group could write into the queues of
 * UCX and the windows of a job. UCX allocates at any time, such as when its queues grow. A mode that is changed
 * afterwards would come too late. So libucs calls our shmget: its entry for that function, in the table through which a
 * shared library calls others, is replaced. If it has no such entry, it makes no such memory.
 */

#include "common_ucp_sysv.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common_ucp_ucx.h"

typedef int (*shmget_fn_t)(key_t key, size_t size, int flags);

/** The entry, once it is found. */
static struct {
    shmget_fn_t *at;        /**< NULL: there is none */
    shmget_fn_t  before;    /**< what was there */
    bool         read_only; /**< the loader has protected it */
} entry;

/** Does not call what was there before: at its first call that looks for the function, and overwrites the entry. */
static int shmget_private(key_t key, size_t size, int flags)
{
    return shmget(key, size, flags & ~(S_IRWXG | S_IRWXO));
}

/** What the dynamic section says of a library's calls of others. */
typedef struct imports_t {
    uintptr_t         base; /**< where the library is loaded */
    const ElfW(Sym)  *symbols;
    const char       *names;
    const ElfW(Rela) *calls;
    size_t            bytes; /**< of `calls` */
} imports_t;

/** An address of the dynamic section, which the loader may have relocated or not. */
static const void *imports_at(const imports_t *imports, uintptr_t address)
{
    return (const void *) (address < imports->base ? address + imports->base : address);
}

static void imports_read(imports_t *imports, const ElfW(Dyn) *dynamic)
{
    for (; DT_NULL != dynamic->d_tag; dynamic++) {
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            imports->symbols = imports_at(imports, dynamic->d_un.d_ptr);
            break;
        case DT_STRTAB:
            imports->names = imports_at(imports, dynamic->d_un.d_ptr);
            break;
        case DT_JMPREL:
            imports->calls = imports_at(imports, dynamic->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            imports->bytes = dynamic->d_un.d_val;
            break;
        }
    }
}

static shmget_fn_t *imports_find(const imports_t *imports, const char *name)
{
    const ElfW(Rela) *call;
    uint32_t          symbol;

    for (call = imports->calls; (const char *) call < (const char *) imports->calls + imports->bytes; call++) {
        symbol = (uint32_t) (call->r_info >> (8 == sizeof(void *) ? 32 : 8));
        if (0 == strcmp(imports->names + imports->symbols[symbol].st_name, name)) {
            return (shmget_fn_t *) (imports->base + call->r_offset);
        }
    }
    return NULL;
}

static bool is_in(const struct dl_phdr_info *info, const ElfW(Phdr) *header, uintptr_t address)
{
    return address - info->dlpi_addr - header->p_vaddr < header->p_memsz;
}

/** Is this loaded object libucs? Then find its entry, and end the search. */
static int object_look(struct dl_phdr_info *info, size_t size, void *arg)
{
    const ElfW(Phdr) *headers = info->dlpi_phdr, *protected = NULL;
    imports_t         imports = { .base = info->dlpi_addr };
    bool              found   = false;
    int               i;

    (void) size;
    (void) arg;
    for (i = 0; i < info->dlpi_phnum; i++) {
        switch (headers[i].p_type) {
        case PT_LOAD:
            found = found || is_in(info, &headers[i], (uintptr_t) ucs_log_push_handler);
            break;
        case PT_DYNAMIC:
            imports_read(&imports, (const void *) (info->dlpi_addr + headers[i].p_vaddr));
            break;
        case PT_GNU_RELRO:
            protected = &headers[i];
            break;
        }
    }
    if (found) {
        entry.at        = imports_find(&imports, "shmget");
        entry.read_only = NULL != protected && is_in(info, protected, (uintptr_t) entry.at);
    }
    return found;
}

/** False: the kernel does not let us write to the entry. */
static bool entry_set(shmget_fn_t function)
{
    size_t bytes = (size_t) sysconf(_SC_PAGESIZE);
    void  *page  = (void *) ((uintptr_t) entry.at & ~(bytes - 1));

    if (entry.read_only && 0 != mprotect(page, bytes, PROT_READ | PROT_WRITE)) {
        return false;
    }
    __atomic_store_n(entry.at, function, __ATOMIC_RELAXED);
    if (entry.read_only) {
        (void) mprotect(page, bytes, PROT_READ);
    }
    return true;
}

bool opal_common_ucp_sysv_protect(void)
{
    (void) dl_iterate_phdr(object_look, NULL);
    if (NULL == entry.at) {
        return true;
    }
    entry.before = *entry.at;
    return entry_set(shmget_private);
}

void opal_common_ucp_sysv_release(void)
{
    if (NULL != entry.at && shmget_private == *entry.at) {
        (void) entry_set(entry.before);
    }
}
