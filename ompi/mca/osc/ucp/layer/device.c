/* The layer for buffers in device memory, which the processor must not touch: calls get images of them in the host.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Windows have this layer if UCX knows such memory. A call with an image waits for local completion, because results
 * have to be copied back. For windows in device memory see service/target_addr.h.
 */

#include "base/threads.h"
#include "layer/layer.h"
#include "op/layout_type.h"
#include "reach/reach.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** An image has the same address as its buffer, modulo so many bytes. */
#define ALIGNMENT 64

/** A buffer of a call, and its image if it is in device memory. */
typedef struct image_t {
    char                 *address; /**< what the call below gets: the buffer, or the same position in the image */
    char                 *buffer;
    char                 *memory;  /**< of the image, malloc'd; NULL: there is none */
    ompi_osc_ucp_layout_t layout;  /**< of the buffer; empty if there is no image */
} image_t;

/** The buffers of a call: the origin's data, the result, and what compare_and_swap compares with. */
typedef struct images_t {
    image_t origin, result, compare;
} images_t;

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_DEVICE);
}

static void image_init(image_t *image, const void *buffer)
{
    image->address = image->buffer = (char *) buffer;
    image->memory  = NULL;
    ompi_osc_ucp_layout_contiguous(&image->layout, 0, 0);
}

/** Copy between buffer and image, run by run: memory between the runs may not be the program's. */
static int image_copy(const image_t *image, char *to, const char *from)
{
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    uint64_t                   len;
    int                        rc = OMPI_SUCCESS;

    ompi_osc_ucp_layout_iter_init(&iter, &image->layout, 0);
    while (OMPI_SUCCESS == rc && ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &len)) {
        rc = opal_common_ucp_devices->copy(to + disp, from + disp, len);
    }
    return rc;
}

/** Make the image of a buffer in device memory. That of a result is filled too: bytes that the call does not write must
 *  stay as they are when it is copied back. */
static int image_make(image_t *image, size_t count, ompi_datatype_t *type)
{
    uintptr_t first;
    int       rc;

    if (0 == count || 0 == type->super.size || !opal_common_ucp_on_device(image->buffer + type->super.true_lb)) {
        return OMPI_SUCCESS;
    }
    rc = ompi_osc_ucp_layout_of_bytes(type, count, &image->layout);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    first         = (uintptr_t) (image->buffer + image->layout.lb) % ALIGNMENT;
    image->memory = aligned_alloc(ALIGNMENT, ((size_t) (image->layout.ub - image->layout.lb) + first + ALIGNMENT - 1) /
                                                 ALIGNMENT * ALIGNMENT);
    if (NULL == image->memory) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    image->address = image->memory + first - image->layout.lb;
    return image_copy(image, image->address, image->buffer);
}

static void image_free(image_t *image)
{
    free(image->memory);
    ompi_osc_ucp_layout_fini(&image->layout);
}

static void images_init(images_t *images, const void *origin, void *result, const void *compare)
{
    image_init(&images->origin, origin);
    image_init(&images->result, result);
    image_init(&images->compare, compare);
}

/** Wait for the local completion of a call that succeeded. Its request, if there is one, is complete then. */
static int call_finish(ompi_win_t *win, int target, ompi_request_t **request_p)
{
    int rc = OMPI_SUCCESS;

    if (NULL != request_p) {
        rc = ompi_request_wait(request_p, MPI_STATUS_IGNORE);
        if (OMPI_SUCCESS != rc && MPI_REQUEST_NULL != *request_p) {
            (void) ompi_request_free(request_p);
        }
        *request_p = &ompi_request_empty;
    } else {
        ompi_osc_ucp_enter();
        ompi_osc_ucp_peer_wait_local(ompi_osc_ucp_peer(ompi_osc_ucp_window(win), target));
        ompi_osc_ucp_leave();
    }
    return rc;
}

/** Finish a call, with outcome `rc` so far: wait, copy the result back, and free the images. Returns the outcome. */
static int images_finish(images_t *images, int rc, ompi_win_t *win, int target, ompi_request_t **request_p)
{
    if (OMPI_SUCCESS == rc &&
        (NULL != images->origin.memory || NULL != images->result.memory || NULL != images->compare.memory)) {
        rc = call_finish(win, target, request_p);
    }
    if (OMPI_SUCCESS == rc && NULL != images->result.memory) {
        rc = image_copy(&images->result, images->result.buffer, images->result.address);
    }
    image_free(&images->origin);
    image_free(&images->result);
    image_free(&images->compare);
    return rc;
}

/** Put (`get` is false) or get. */
static int transfer(bool get, void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                    ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                    ompi_request_t **request_p)
{
    images_t images;
    image_t *image = get ? &images.result : &images.origin;
    int      rc;

    images_init(&images, get ? NULL : origin, get ? origin : NULL, NULL);
    rc = image_make(image, (size_t) origin_count, origin_type);
    if (OMPI_SUCCESS == rc && get) {
        rc = below(win)->osc_rget(image->address, origin_count, origin_type, target, disp, target_count, target_type,
                                  win, request_p);
    } else if (OMPI_SUCCESS == rc) {
        rc = below(win)->osc_rput(image->address, origin_count, origin_type, target, disp, target_count, target_type,
                                  win, request_p);
    }
    return images_finish(&images, rc, win, target, request_p);
}

static int rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                ompi_request_t **request_p)
{
    return transfer(false, (void *) origin, origin_count, origin_type, target, disp, target_count, target_type, win,
                    request_p);
}

static int put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
               ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    return rput(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

static int rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                ompi_request_t **request_p)
{
    return transfer(true, origin, origin_count, origin_type, target, disp, target_count, target_type, win, request_p);
}

static int get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
               ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    return rget(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

/** Make the images of an accumulate. MPI_NO_OP reads no origin; `result_type` is NULL if nothing is fetched. */
static int accumulate_images(images_t *images, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type, const ompi_op_t *op)
{
    int rc = OMPI_SUCCESS;

    if (&ompi_mpi_op_no_op.op != op) {
        rc = image_make(&images->origin, (size_t) origin_count, origin_type);
    }
    if (OMPI_SUCCESS == rc && NULL != result_type) {
        rc = image_make(&images->result, (size_t) result_count, result_type);
    }
    return rc;
}

static int rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                           void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type, int target,
                           ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                           ompi_op_t *op, ompi_win_t *win, ompi_request_t **request_p)
{
    images_t images;
    int      rc;

    images_init(&images, origin, result, NULL);
    rc = accumulate_images(&images, origin_count, origin_type, result_count, result_type, op);
    if (OMPI_SUCCESS == rc) {
        rc = below(win)->osc_rget_accumulate(images.origin.address, origin_count, origin_type, images.result.address,
                                             result_count, result_type, target, disp, target_count, target_type, op,
                                             win, request_p);
    }
    return images_finish(&images, rc, win, target, request_p);
}

static int raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                       ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                       ompi_win_t *win, ompi_request_t **request_p)
{
    return rget_accumulate(origin, origin_count, origin_type, NULL, 0, NULL, target, disp, target_count, target_type,
                           op, win, request_p);
}

static int accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                      ompi_win_t *win)
{
    return raccumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op, win, NULL);
}

static int get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                          void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type, int target,
                          ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                          ompi_op_t *op, ompi_win_t *win)
{
    return rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, target, disp,
                           target_count, target_type, op, win, NULL);
}

static int fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                        ompi_op_t *op, ompi_win_t *win)
{
    images_t images;
    int      rc;

    images_init(&images, origin, result, NULL);
    rc = accumulate_images(&images, 1, type, 1, type, op);
    if (OMPI_SUCCESS == rc) {
        rc = below(win)->osc_fetch_and_op(images.origin.address, images.result.address, type, target, disp, op, win);
    }
    return images_finish(&images, rc, win, target, NULL);
}

static int compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type, int target,
                            ptrdiff_t disp, ompi_win_t *win)
{
    images_t images;
    int      rc;

    images_init(&images, origin, result, compare);
    rc = image_make(&images.origin, 1, type);
    if (OMPI_SUCCESS == rc) {
        rc = image_make(&images.compare, 1, type);
    }
    if (OMPI_SUCCESS == rc) {
        rc = image_make(&images.result, 1, type);
    }
    if (OMPI_SUCCESS == rc) {
        rc = below(win)->osc_compare_and_swap(images.origin.address, images.compare.address, images.result.address,
                                              type, target, disp, win);
    }
    return images_finish(&images, rc, win, target, NULL);
}

bool ompi_osc_ucp_devices_serve(ompi_osc_ucp_window_t *window)
{
    static const ompi_osc_base_module_t functions = {
        .osc_put              = put,
        .osc_get              = get,
        .osc_accumulate       = accumulate,
        .osc_compare_and_swap = compare_and_swap,
        .osc_fetch_and_op     = fetch_and_op,
        .osc_get_accumulate   = get_accumulate,
        .osc_rput             = rput,
        .osc_rget             = rget,
        .osc_raccumulate      = raccumulate,
        .osc_rget_accumulate  = rget_accumulate
    };

    return ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_DEVICE, &functions);
}

/** A library that every program for a kind of GPU has loaded, and the driver's file that is there if there is such a
 *  GPU. Open MPI and UCX themselves load the libraries of AMD and Intel in any program, if they are installed. */
static const struct {
    const char *library, *driver; /**< driver: NULL: not asked for */
} devices_known[] = {
    { "/libcuda.so", NULL }, { "/libcudart.so", NULL },
    { "/libamdhip64.so", "/dev/kfd" }, { "/libhsa-runtime64.so", "/dev/kfd" },
    { "/libze_loader.so", "/dev/dri" }
};

/** How many libraries had been loaded when none of them told of a GPU; atomic. They are not looked at again until there
 *  are more. */
static unsigned long long looked_at;

/** What library_is returns, and then dl_iterate_phdr. */
enum { NONE, FOUND, AS_BEFORE };

/** Does this loaded library tell that there may be memory of a GPU? *loaded_p: how many have been loaded. */
static int library_is(struct dl_phdr_info *info, size_t size, void *loaded_p)
{
    const char *file = strrchr(info->dlpi_name, '/');
    size_t      i;

    (void) size;
    if (info->dlpi_adds == __atomic_load_n(&looked_at, __ATOMIC_RELAXED)) {
        return AS_BEFORE;
    }
    *(unsigned long long *) loaded_p = info->dlpi_adds;
    for (i = 0; NULL != file && i < sizeof(devices_known) / sizeof(devices_known[0]); i++) {
        if (0 == strncmp(file, devices_known[i].library, strlen(devices_known[i].library)) &&
            (NULL == devices_known[i].driver || 0 == access(devices_known[i].driver, F_OK))) {
            return FOUND;
        }
    }
    return NONE;
}

bool ompi_osc_ucp_devices_possible(void)
{
    unsigned long long loaded = 0;
    int                found;

    if (opal_common_ucp_devices->exist()) {
        return true;
    }
    found = dl_iterate_phdr(library_is, &loaded);
    if (NONE == found) {
        __atomic_store_n(&looked_at, loaded, __ATOMIC_RELAXED);
    }
    return FOUND == found;
}
