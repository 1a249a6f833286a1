/* The communication calls that Open MPI calls, with MPI's own arguments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They return OMPI_SUCCESS, an OMPI_ERR_ code or an MPI error class, which Open MPI raises at the window. The R calls
 * are the bodies: the plain calls pass no request.
 */

#ifndef OSC_UCP_CALLS_H
#define OSC_UCP_CALLS_H

#include "base/host.h"

/* call/query.c */

int ompi_osc_ucp_shared_query(ompi_win_t *win, int rank, size_t *size, ompi_osc_ucp_unit_t *disp_unit, void *baseptr);

/* call/attach.c */

int ompi_osc_ucp_attach(ompi_win_t *win, void *base, size_t size);
int ompi_osc_ucp_detach(ompi_win_t *win, const void *base);

/* call/put_get.c, call/accumulate.c */

int ompi_osc_ucp_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win);
int ompi_osc_ucp_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win);
int ompi_osc_ucp_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *op, ompi_win_t *win);
int ompi_osc_ucp_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win);
int ompi_osc_ucp_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win);
int ompi_osc_ucp_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win);
int ompi_osc_ucp_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p);
int ompi_osc_ucp_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p);
int ompi_osc_ucp_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win, ompi_request_t **request_p);
int ompi_osc_ucp_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                 void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                 int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                 ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p);

#endif /* OSC_UCP_CALLS_H */
