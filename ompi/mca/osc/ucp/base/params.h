/* The values of the MCA parameters.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_PARAMS_H
#define OSC_UCP_PARAMS_H

#include "base/host.h"

/** osc_ucp_rdma: when put and get are native operations of UCX. */
enum { OMPI_OSC_UCP_RDMA_NEVER, OMPI_OSC_UCP_RDMA_AUTO, OMPI_OSC_UCP_RDMA_ALWAYS };

/** osc_ucp_atomic_domain: who makes accumulates atomic. */
enum { OMPI_OSC_UCP_DOMAIN_AUTO, OMPI_OSC_UCP_DOMAIN_CPU, OMPI_OSC_UCP_DOMAIN_NIC };

/** osc_ucp_async_progress: when the service thread runs, which answers peers while the program computes. */
enum {
    OMPI_OSC_UCP_ASYNC_NEVER,
    OMPI_OSC_UCP_ASYNC_AUTO,  /**< while a window may need it */
    OMPI_OSC_UCP_ASYNC_ALWAYS /**< while there is a window of several processes */
};

/** osc_ucp_check_format: how findings are told. */
enum { OMPI_OSC_UCP_CHECK_TEXT, OMPI_OSC_UCP_CHECK_JSON, OMPI_OSC_UCP_CHECK_SARIF };

/** Each field is named after its parameter. Written in MPI_Init; osc_ucp_survive overrides some then
 *  (layer/survive.c). */
typedef struct ompi_osc_ucp_params_t {
    int   priority;
    int   direct;
    int   node;
    int   rdma;
    int   rdma_segment; /**< bytes */
    int   atomic_domain;
    int   exchange_addresses;
    int   report;
    int   async_progress;
    char *service_cpus;
    int   survive;
    int   kernel_copy; /**< 0: the kernel never copies */
    int   watchdog;        /**< seconds; 0: off */
    int   watchdog_signal; /**< number of a signal; 0: none */
    int   status;          /**< 0: off */
    char *trace;           /**< name of a file; NULL or empty: off */
    int   trace_operations;
    int   trace_records;   /**< of a process */
    int   check;           /**< 0: off */
    int   check_limit;     /**< findings that a process tells; 0: all */
    int   check_records;   /**< operations of a window that a process remembers, positive */
    int   check_format;    /**< OMPI_OSC_UCP_CHECK_ */
    int   check_exit;      /**< status of a process that has found something; 0: unchanged */
    int   check_schedule;  /**< a seed; 0: off */
    char *check_file;      /**< name of a file; NULL or empty: standard error */
    char *check_suppress;  /**< name of a file; NULL or empty: none */
} ompi_osc_ucp_params_t;

extern ompi_osc_ucp_params_t ompi_osc_ucp_params;

/** Does the user want all calls watched: by the watchdog, or by the program osc_ucp_status? */
static inline bool ompi_osc_ucp_watched_wanted(void)
{
    return ompi_osc_ucp_params.watchdog > 0 || ompi_osc_ucp_params.watchdog_signal > 0 ||
           ompi_osc_ucp_params.status > 0;
}

/** Register all parameters with Open MPI, which sets their values. Returns an OMPI_ code. */
int ompi_osc_ucp_params_register(const mca_base_component_t *component);

#endif /* OSC_UCP_PARAMS_H */
