/* Has calls of the component fail: to be preloaded into an MPI program, which chooses when (inject.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only calls whose return address lies in mca_osc_ucp.so are counted, fail, and have what they return tracked: what
 * UCX, Open MPI and the C library do for themselves is not touched. Linked with UCX and Open MPI, so that the functions
 * behind these are found.
 */

#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <ucp/api/ucp.h>

#define PUBLIC __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void  __libc_free(void *block);

static struct {
    uintptr_t    first, last; /**< the component's addresses */
    long         calls, at, run;
    bool         counting;
    inject_how_t how;
    inject_hit_t hit;
} inject;

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

/** Is the caller the component? Known from the first arming on: until then nothing is. */
static bool is_ours(const void *caller)
{
    uintptr_t address = (uintptr_t) caller;

    return address >= __atomic_load_n(&inject.first, __ATOMIC_ACQUIRE) && address < inject.last;
}

/** Shall this call fail? */
static bool fails(const char *call, const void *caller)
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
    inject.how   = how;
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

/** An object of UCX or Open MPI was made (1) or has ended (-1). */
static void object(const void *caller, int change)
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

#define CALLER __builtin_return_address(0)

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

#define NEXT(function) ((__typeof__(&function)) dlsym(RTLD_NEXT, #function))

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

/* Open MPI's functions, as far as they can fail: their arguments are none of ours. */

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

/* UCX. */

static ucs_status_t status_now(void)
{
    return INJECT_NO_MEMORY == inject.how ? UCS_ERR_NO_MEMORY : UCS_ERR_CONNECTION_RESET;
}

PUBLIC ucs_status_t ucp_config_read(const char *prefix, const char *file, ucp_config_t **config_p)
{
    ucs_status_t status = fails("ucp_config_read", CALLER) ? status_now()
                                                           : NEXT(ucp_config_read)(prefix, file, config_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_config_release(ucp_config_t *config)
{
    object(CALLER, -1);
    NEXT(ucp_config_release)(config);
}

PUBLIC ucs_status_t ucp_init_version(unsigned major, unsigned minor, const ucp_params_t *params,
                                     const ucp_config_t *config, ucp_context_h *context_p)
{
    ucs_status_t status = fails("ucp_init", CALLER) ? status_now()
                                                    : NEXT(ucp_init_version)(major, minor, params, config, context_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC ucs_status_t ucp_context_query(ucp_context_h context, ucp_context_attr_t *attr)
{
    return fails("ucp_context_query", CALLER) ? status_now() : NEXT(ucp_context_query)(context, attr);
}

PUBLIC void ucp_cleanup(ucp_context_h context)
{
    object(CALLER, -1);
    NEXT(ucp_cleanup)(context);
}

PUBLIC ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params, ucp_worker_h *worker_p)
{
    ucs_status_t status = fails("ucp_worker_create", CALLER) ? status_now()
                                                             : NEXT(ucp_worker_create)(context, params, worker_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_worker_destroy(ucp_worker_h worker)
{
    object(CALLER, -1);
    NEXT(ucp_worker_destroy)(worker);
}

PUBLIC ucs_status_t ucp_worker_set_am_recv_handler(ucp_worker_h worker, const ucp_am_handler_param_t *param)
{
    return fails("ucp_worker_set_am_recv_handler", CALLER) ? status_now()
                                                           : NEXT(ucp_worker_set_am_recv_handler)(worker, param);
}

PUBLIC ucs_status_t ucp_worker_get_address(ucp_worker_h worker, ucp_address_t **address_p, size_t *len_p)
{
    return fails("ucp_worker_get_address", CALLER) ? status_now()
                                                   : NEXT(ucp_worker_get_address)(worker, address_p, len_p);
}

PUBLIC ucs_status_t ucp_worker_get_efd(ucp_worker_h worker, int *fd_p)
{
    return fails("ucp_worker_get_efd", CALLER) ? status_now() : NEXT(ucp_worker_get_efd)(worker, fd_p);
}

PUBLIC ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t *params, ucp_mem_h *memory_p)
{
    ucs_status_t status = fails("ucp_mem_map", CALLER) ? status_now() : NEXT(ucp_mem_map)(context, params, memory_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC ucs_status_t ucp_mem_unmap(ucp_context_h context, ucp_mem_h memory)
{
    object(CALLER, -1);
    return NEXT(ucp_mem_unmap)(context, memory);
}

PUBLIC ucs_status_t ucp_mem_query(const ucp_mem_h memory, ucp_mem_attr_t *attr)
{
    return fails("ucp_mem_query", CALLER) ? status_now() : NEXT(ucp_mem_query)(memory, attr);
}

PUBLIC ucs_status_t ucp_rkey_pack(ucp_context_h context, ucp_mem_h memory, void **key_p, size_t *len_p)
{
    ucs_status_t status = fails("ucp_rkey_pack", CALLER) ? status_now()
                                                         : NEXT(ucp_rkey_pack)(context, memory, key_p, len_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_rkey_buffer_release(void *key)
{
    object(CALLER, -1);
    NEXT(ucp_rkey_buffer_release)(key);
}

PUBLIC ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep_p)
{
    return fails("ucp_ep_create", CALLER) ? status_now() : NEXT(ucp_ep_create)(worker, params, ep_p);
}

PUBLIC ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h ep, const void *key, ucp_rkey_h *rkey_p)
{
    ucs_status_t status = fails("ucp_ep_rkey_unpack", CALLER) ? status_now()
                                                              : NEXT(ucp_ep_rkey_unpack)(ep, key, rkey_p);

    object(CALLER, UCS_OK == status);
    return status;
}

PUBLIC void ucp_rkey_destroy(ucp_rkey_h rkey)
{
    object(CALLER, -1);
    NEXT(ucp_rkey_destroy)(rkey);
}

PUBLIC ucs_status_t ucp_rkey_ptr(ucp_rkey_h rkey, uint64_t remote, void **address_p)
{
    return fails("ucp_rkey_ptr", CALLER) ? status_now() : NEXT(ucp_rkey_ptr)(rkey, remote, address_p);
}

PUBLIC ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header, size_t header_len,
                                        const void *buffer, size_t count, const ucp_request_param_t *param)
{
    return fails("ucp_am_send_nbx", CALLER)
               ? UCS_STATUS_PTR(status_now())
               : NEXT(ucp_am_send_nbx)(ep, id, header, header_len, buffer, count, param);
}

PUBLIC ucs_status_ptr_t ucp_am_recv_data_nbx(ucp_worker_h worker, void *data, void *buffer, size_t count,
                                             const ucp_request_param_t *param)
{
    return fails("ucp_am_recv_data_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                                 : NEXT(ucp_am_recv_data_nbx)(worker, data, buffer, count, param);
}

PUBLIC ucs_status_ptr_t ucp_put_nbx(ucp_ep_h ep, const void *buffer, size_t count, uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param)
{
    return fails("ucp_put_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                        : NEXT(ucp_put_nbx)(ep, buffer, count, remote, rkey, param);
}

PUBLIC ucs_status_ptr_t ucp_get_nbx(ucp_ep_h ep, void *buffer, size_t count, uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param)
{
    return fails("ucp_get_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                        : NEXT(ucp_get_nbx)(ep, buffer, count, remote, rkey, param);
}

PUBLIC ucs_status_ptr_t ucp_atomic_op_nbx(ucp_ep_h ep, ucp_atomic_op_t op, const void *buffer, size_t count,
                                          uint64_t remote, ucp_rkey_h rkey, const ucp_request_param_t *param)
{
    return fails("ucp_atomic_op_nbx", CALLER) ? UCS_STATUS_PTR(status_now())
                                              : NEXT(ucp_atomic_op_nbx)(ep, op, buffer, count, remote, rkey, param);
}

PUBLIC ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
    return fails("ucp_ep_flush_nbx", CALLER) ? UCS_STATUS_PTR(status_now()) : NEXT(ucp_ep_flush_nbx)(ep, param);
}
