/* Makes calls of the component fail. It is preloaded into an MPI program, which chooses when (inject.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only calls whose return address lies in mca_osc_ucp.so are counted, fail, and have their results tracked. Calls that
 * UCX, Open MPI and the C library make for themselves are not touched. It is linked with UCX and Open MPI, so that it
 * finds the functions that it stands for. This file has the choice, the table of what is live, and the calls of the C
 * library and Open MPI; inject_ucx.c has UCX's.
 */

#include "inject_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void  __libc_free(void *block);

static struct {
    uintptr_t    first, last; /**< the component's addresses */
    long         calls, at, run;
    bool         counting;
    inject_hit_t hit;
} inject;

inject_how_t inject_how;

/* Which calls. */

static int object_find(struct dl_phdr_info *info, size_t size, void *arg)
{
    int i;

    (void) size;
    (void) arg;
    if (NULL == strstr(info->dlpi_name, "mca_osc_ucp.so")) {
        return 0;
    }
    inject.first = info->dlpi_addr;
    for (i = 0; i < info->dlpi_phnum; i++) {
        if (PT_LOAD == info->dlpi_phdr[i].p_type) {
            inject.last = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1;
}

/** Is the caller the component? Its addresses are known from the first arming on; until then the answer is no. */
static bool is_ours(const void *caller)
{
    uintptr_t address = (uintptr_t) caller;

    return address >= __atomic_load_n(&inject.first, __ATOMIC_ACQUIRE) && address < inject.last;
}

bool fails(const char *call, const void *caller)
{
    long number;

    if (!__atomic_load_n(&inject.counting, __ATOMIC_ACQUIRE) || !is_ours(caller)) {
        return false;
    }
    number = __atomic_add_fetch(&inject.calls, 1, __ATOMIC_ACQ_REL);
    if (0 == inject.at || number < inject.at || number - inject.at >= inject.run) {
        return false;
    }
    if (number == inject.at) {
        inject.hit.offset = (uintptr_t) caller - inject.first;
        inject.hit.call   = call;
    }
    return true;
}

PUBLIC void inject_arm(long at, long run, inject_how_t how)
{
    if (0 == inject.first) {
        dl_iterate_phdr(object_find, NULL);
    }
    inject.calls = 0;
    inject.at    = at;
    inject.run   = run;
    inject_how   = how;
    inject.hit   = (inject_hit_t) { NULL, 0 };
    __atomic_store_n(&inject.counting, true, __ATOMIC_RELEASE);
}

PUBLIC long inject_disarm(inject_hit_t *hit)
{
    __atomic_store_n(&inject.counting, false, __ATOMIC_RELEASE);
    *hit = inject.hit;
    return inject.calls;
}

/* What is live: a table of addresses, found by linear probing; freed entries stay as marks. */

#define ENTRIES (1u << 18)
#define GONE    ((void *) 1)

static struct {
    pthread_mutex_t lock;
    void           *address[ENTRIES];
    size_t          size[ENTRIES];
    inject_live_t   live;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned hash_of(const void *address)
{
    return (unsigned) ((uintptr_t) address >> 4) * 2654435761u % ENTRIES;
}

static void track(const void *caller, void *address, size_t size)
{
    unsigned i;

    if (NULL == address || !is_ours(caller)) {
        return;
    }
    pthread_mutex_lock(&table.lock);
    for (i = hash_of(address); NULL != table.address[i] && GONE != table.address[i]; i = (i + 1) % ENTRIES) {
        continue;
    }
    table.address[i] = address;
    table.size[i]    = size;
    table.live.blocks++;
    table.live.bytes += (long) size;
    pthread_mutex_unlock(&table.lock);
}

static void forget(void *address)
{
    unsigned i;

    if (NULL == address || 0 == table.live.blocks) {
        return;
    }
    pthread_mutex_lock(&table.lock);
    for (i = hash_of(address); NULL != table.address[i]; i = (i + 1) % ENTRIES) {
        if (address == table.address[i]) {
            table.address[i] = GONE;
            table.live.blocks--;
            table.live.bytes -= (long) table.size[i];
            break;
        }
    }
    pthread_mutex_unlock(&table.lock);
}

void object(const void *caller, int change)
{
    if (is_ours(caller)) {
        __atomic_add_fetch(&table.live.objects, change, __ATOMIC_RELAXED);
    }
}

PUBLIC void inject_live(inject_live_t *live)
{
    pthread_mutex_lock(&table.lock);
    *live = table.live;
    pthread_mutex_unlock(&table.lock);
}

/* Memory. */

PUBLIC void *malloc(size_t size)
{
    void *block = NULL;

    if (!fails("malloc", CALLER)) {
        block = __libc_malloc(size);
        track(CALLER, block, size);
    }
    return block;
}

PUBLIC void *calloc(size_t n, size_t size)
{
    void *block = NULL;

    if (!fails("calloc", CALLER)) {
        block = __libc_calloc(n, size);
        track(CALLER, block, n * size);
    }
    return block;
}

PUBLIC void *realloc(void *old, size_t size)
{
    void *block = NULL;

    if (!fails("realloc", CALLER)) {
        block = __libc_realloc(old, size);
        if (NULL != block) {
            forget(old);
            track(CALLER, block, size);
        }
    }
    return block;
}

PUBLIC int posix_memalign(void **block_p, size_t alignment, size_t size)
{
    void *block = fails("posix_memalign", CALLER) ? NULL : __libc_memalign(alignment, size);

    if (NULL == block) {
        return ENOMEM;
    }
    *block_p = block;
    track(CALLER, block, size);
    return 0;
}

PUBLIC char *strdup(const char *text)
{
    char *copy = fails("strdup", CALLER) ? NULL : __libc_malloc(strlen(text) + 1);

    track(CALLER, copy, strlen(text) + 1);
    return NULL == copy ? NULL : strcpy(copy, text);
}

PUBLIC int asprintf(char **text_p, const char *format, ...)
{
    va_list args;
    int     len = -1;

    va_start(args, format);
    if (!fails("asprintf", CALLER)) {
        len = vasprintf(text_p, format, args);
        track(CALLER, *text_p, (size_t) len + 1);
    }
    va_end(args);
    return len;
}

PUBLIC void free(void *block)
{
    forget(block);
    __libc_free(block);
}

/* Everything else: by the function behind this one. */

PUBLIC void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
    return fails("tsearch", CALLER) ? NULL : NEXT(tsearch)(key, root, compare);
}

PUBLIC FILE *open_memstream(char **text_p, size_t *len_p)
{
    return fails("open_memstream", CALLER) ? NULL : NEXT(open_memstream)(text_p, len_p);
}

PUBLIC int eventfd(unsigned value, int flags)
{
    return fails("eventfd", CALLER) ? -1 : NEXT(eventfd)(value, flags);
}

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    return fails("pthread_create", CALLER) ? EAGAIN : NEXT(pthread_create)(thread, attr, start, arg);
}

PUBLIC ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long nhere, const struct iovec *there,
                                unsigned long nthere, unsigned long flags)
{
    return fails("process_vm_readv", CALLER) ? -1 : NEXT(process_vm_readv)(pid, here, nhere, there, nthere, flags);
}

PUBLIC ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long nhere, const struct iovec *there,
                                 unsigned long nthere, unsigned long flags)
{
    return fails("process_vm_writev", CALLER) ? -1 : NEXT(process_vm_writev)(pid, here, nhere, there, nthere, flags);
}

/* Open MPI's functions that can fail, with their arguments passed on. */

#define OPAL_ERR_OUT_OF_RESOURCE (-2)

int   opal_progress_register(void *callback);
int   opal_shmem_segment_create(void *segment, const char *file, size_t size);
void *opal_shmem_segment_attach(void *segment);
int   opal_shmem_segment_detach(void *segment);
int   opal_infosubscribe_subscribe(void *object, char *key, char *value, void *callback);
int   opal_info_set(void *info, const char *key, const char *value);
int   opal_hash_table_init(void *table, size_t size);
int   opal_hash_table_set_value_uint64(void *table, uint64_t key, void *value);
int   ompi_group_translate_ranks(void *from, int n, const int *ranks, void *to, int *translated);

PUBLIC int opal_progress_register(void *callback)
{
    return fails("opal_progress_register", CALLER) ? OPAL_ERR_OUT_OF_RESOURCE : NEXT(opal_progress_register)(callback);
}

PUBLIC int opal_shmem_segment_create(void *segment, const char *file, size_t size)
{
    return fails("opal_shmem_segment_create", CALLER) ? OPAL_ERR_OUT_OF_RESOURCE
                                                      : NEXT(opal_shmem_segment_create)(segment, file, size);
}

PUBLIC void *opal_shmem_segment_attach(void *segment)
{
    void *address = fails("opal_shmem_segment_attach", CALLER) ? NULL : NEXT(opal_shmem_segment_attach)(segment);

    object(CALLER, NULL != address);
    return address;
}

PUBLIC int opal_shmem_segment_detach(void *segment)
{
    object(CALLER, -1);
    return NEXT(opal_shmem_segment_detach)(segment);
}

PUBLIC int opal_infosubscribe_subscribe(void *object_, char *key, char *value, void *callback)
{
    return fails("opal_infosubscribe_subscribe", CALLER)
               ? OPAL_ERR_OUT_OF_RESOURCE
               : NEXT(opal_infosubscribe_subscribe)(object_, key, value, callback);
}

PUBLIC int opal_info_set(void *info, const char *key, const char *value)
{
    return fails("opal_info_set", CALLER) ? OPAL_ERR_OUT_OF_RESOURCE : NEXT(opal_info_set)(info, key, value);
}

PUBLIC int opal_hash_table_init(void *table_, size_t size)
{
    return fails("opal_hash_table_init", CALLER) ? OPAL_ERR_OUT_OF_RESOURCE : NEXT(opal_hash_table_init)(table_, size);
}

PUBLIC int opal_hash_table_set_value_uint64(void *table_, uint64_t key, void *value)
{
    return fails("opal_hash_table_set_value_uint64", CALLER)
               ? OPAL_ERR_OUT_OF_RESOURCE
               : NEXT(opal_hash_table_set_value_uint64)(table_, key, value);
}

PUBLIC int ompi_group_translate_ranks(void *from, int n, const int *ranks, void *to, int *translated)
{
    return fails("ompi_group_translate_ranks", CALLER)
               ? OPAL_ERR_OUT_OF_RESOURCE
               : NEXT(ompi_group_translate_ranks)(from, n, ranks, to, translated);
}
