/* The functions that Open MPI calls: MPI's own, with their arguments as MPI has them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They return OMPI_SUCCESS, an OMPI_ERR_ code or an MPI error class; the caller raises it at the window. R calls are
 * their plain calls' bodies, with a request.
 */

#ifndef OSC_UCP_MODULE_H
#define OSC_UCP_MODULE_H

#include "osc_ucp_compat.h"

/* osc_ucp_module.c */

/** What a window's module has, unless others take their place. */
extern const ompi_osc_base_module_t ompi_osc_ucp_module_template;

/** Have the communication calls of a window's module be those of `calls`, which needs to have no others. */
void ompi_osc_ucp_module_communicate(ompi_osc_base_module_t *module, const ompi_osc_base_module_t *calls);

/* osc_ucp_window.c */

int ompi_osc_ucp_select(ompi_win_t *win, void **base, size_t size, int disp_unit, ompi_communicator_t *comm,
                        opal_info_t *info, int flavor, int *model);
int ompi_osc_ucp_free(ompi_win_t *win);

/* osc_ucp_query.c */

int ompi_osc_ucp_shared_query(ompi_win_t *win, int rank, size_t *size, int *disp_unit, void *baseptr);

/* osc_ucp_dynamic.c */

int  ompi_osc_ucp_attach(ompi_win_t *win, void *base, size_t size);
int  ompi_osc_ucp_detach(ompi_win_t *win, const void *base);

/* osc_ucp_put_get.c, osc_ucp_accumulate.c */

int ompi_osc_ucp_put(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_win_t *win);
int ompi_osc_ucp_get(void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                     int target_count, ompi_datatype_t *target_type, ompi_win_t *win);
int ompi_osc_ucp_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                            ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                            ompi_win_t *win);
int ompi_osc_ucp_get_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, void *result,
                                int result_count, ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                int target_count, ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win);
int ompi_osc_ucp_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win);
int ompi_osc_ucp_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win);
int ompi_osc_ucp_rput(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p);
int ompi_osc_ucp_rget(void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                      int target_count, ompi_datatype_t *target_type, ompi_win_t *win, ompi_request_t **request_p);
int ompi_osc_ucp_raccumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                             ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                             ompi_win_t *win, ompi_request_t **request_p);
int ompi_osc_ucp_rget_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, void *result,
                                 int result_count, ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                 int target_count, ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p);

/* osc_ucp_flush.c */

int ompi_osc_ucp_flush(int target, ompi_win_t *win);
int ompi_osc_ucp_flush_all(ompi_win_t *win);
int ompi_osc_ucp_flush_local(int target, ompi_win_t *win);
int ompi_osc_ucp_flush_local_all(ompi_win_t *win);
int ompi_osc_ucp_sync(ompi_win_t *win);

/* osc_ucp_fence.c, osc_ucp_pscw.c, osc_ucp_lock.c */

int ompi_osc_ucp_fence(int assert, ompi_win_t *win);
int ompi_osc_ucp_start(ompi_group_t *group, int assert, ompi_win_t *win);
int ompi_osc_ucp_complete(ompi_win_t *win);
int ompi_osc_ucp_post(ompi_group_t *group, int assert, ompi_win_t *win);
int ompi_osc_ucp_wait(ompi_win_t *win);
int ompi_osc_ucp_test(ompi_win_t *win, int *flag);
int ompi_osc_ucp_lock(int lock_type, int target, int assert, ompi_win_t *win);
int ompi_osc_ucp_unlock(int target, ompi_win_t *win);
int ompi_osc_ucp_lock_all(int assert, ompi_win_t *win);
int ompi_osc_ucp_unlock_all(ompi_win_t *win);

#endif /* OSC_UCP_MODULE_H */
