/* Every MCA parameter: its value, and the table with its help text.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/params.h"

ompi_osc_ucp_params_t ompi_osc_ucp_params = {
    .priority       = 120,
    .async_progress = OMPI_OSC_UCP_ASYNC_AUTO,
    .service_cpus   = "all",
    .direct         = 1,
    .kernel_copy    = 8192,
    .rdma           = OMPI_OSC_UCP_RDMA_AUTO,
    .rdma_segment   = 1024,
    .atomic_domain  = OMPI_OSC_UCP_DOMAIN_AUTO
};

static const mca_base_var_enum_value_t rdma_values[] = {
    { OMPI_OSC_UCP_RDMA_NEVER, "never" },
    { OMPI_OSC_UCP_RDMA_AUTO, "auto" },
    { OMPI_OSC_UCP_RDMA_ALWAYS, "always" },
    { 0, NULL }
};

static const mca_base_var_enum_value_t domain_values[] = {
    { OMPI_OSC_UCP_DOMAIN_AUTO, "auto" },
    { OMPI_OSC_UCP_DOMAIN_CPU, "cpu" },
    { OMPI_OSC_UCP_DOMAIN_NIC, "nic" },
    { 0, NULL }
};

static const mca_base_var_enum_value_t async_values[] = {
    { OMPI_OSC_UCP_ASYNC_NEVER, "never" },
    { OMPI_OSC_UCP_ASYNC_AUTO, "auto" },
    { OMPI_OSC_UCP_ASYNC_ALWAYS, "always" },
    { 0, NULL }
};

static const struct {
    const char                      *name;
    int                             *value;
    const mca_base_var_enum_value_t *values; /**< words that stand for the numbers; NULL: a number */
    mca_base_var_info_lvl_t          level;
    const char                      *help;
} parameters[] = {
    { "priority", &ompi_osc_ucp_params.priority, NULL, OPAL_INFO_LVL_9,
      "How eagerly osc/ucp offers itself for a window: among the one-sided components that are installed, the one with "
      "the highest priority serves it (osc/rdma has 101, osc/sm 100, osc/ucx 60). To switch osc/ucp off use "
      "'--mca osc ^ucp', to use nothing else '--mca osc ucp' (default: 120)" },
    { "report", &ompi_osc_ucp_params.report, NULL, OPAL_INFO_LVL_3,
      "1: print at the end of the job, for each window, how many operations and bytes went which way, and how long "
      "calls waited (default: 0)" },
    { "async_progress", &ompi_osc_ucp_params.async_progress, async_values, OPAL_INFO_LVL_4,
      "Whether a thread of each process answers what other processes want of its windows while it computes. auto: while "
      "there is a window that may need it (not with the info key no_locks, nor for MPI_Win_allocate_shared). never: "
      "others wait until the process calls MPI. always: while there is a window of several processes (default: auto)" },
    { "survive", &ompi_osc_ucp_params.survive, NULL, OPAL_INFO_LVL_5,
      "1: when a process of a window dies the others may go on: calls that synchronize on its windows return MPI_ERR_WIN, "
      "within a second, and other windows work as before. Needs 'mpirun --enable-recovery', without which mpirun ends the "
      "job. It costs speed: nothing goes through shared memory or RDMA, all by messages over the network (tcp on one "
      "node, too), MPI_Win_allocate_shared fails, and each process keeps a connection to every other one of its windows. "
      "0: mpirun ends the job (default: 0)" },
    { "exchange_addresses", &ompi_osc_ucp_params.exchange_addresses, NULL, OPAL_INFO_LVL_9,
      "1: all processes tell each other their network addresses when a window is made. 0: a process asks the launcher "
      "for another's address when it first talks to it; where the launcher has no PMIx, 1 is used (default: 0)" },
    { "direct", &ompi_osc_ucp_params.direct, NULL, OPAL_INFO_LVL_9,
      "1: the memory of a process on the same node is read and written directly, where it can be. 0: it is reached as "
      "that of other nodes is; for tests and comparisons. MPI_Win_allocate_shared is not affected (default: 1)" },
    { "kernel_copy", &ompi_osc_ucp_params.kernel_copy, NULL, OPAL_INFO_LVL_9,
      "A put or get of at least this many bytes, in one piece, to a window of MPI_Win_create of a process on the same "
      "node is copied by the operating system's kernel (process_vm_writev), where that is allowed; so are accumulates, "
      "and all operations on dynamic windows, of more than 8192 bytes. Shorter ones, which share messages, are faster "
      "without. 0: never (default: 8192)" },
    { "rdma", &ompi_osc_ucp_params.rdma, rdma_values, OPAL_INFO_LVL_9,
      "When put and get are left to UCX. auto: where the network (or shared memory) carries them out without the "
      "target's help. never: by messages always. always: also where UCX sends messages of its own for them; for tests "
      "(default: auto)" },
    { "rdma_segment", &ompi_osc_ucp_params.rdma_segment, NULL, OPAL_INFO_LVL_9,
      "A put or get of scattered data goes piece by piece over the network if its pieces have this many bytes on "
      "average, and else packed into messages (default: 1024)" },
    { "atomic_domain", &ompi_osc_ucp_params.atomic_domain, domain_values, OPAL_INFO_LVL_9,
      "What makes accumulates atomic. cpu: the processors. nic: the network, for integers of 4 and 8 bytes, wherever "
      "UCX offers that to all processes of a window. auto: nic if a network device does it (default: auto)" },
};

static int register_one(const mca_base_component_t *component, size_t i)
{
    mca_base_var_enum_t *words = NULL;
    int                  rc;

    if (NULL != parameters[i].values &&
        OPAL_SUCCESS != mca_base_var_enum_create(parameters[i].name, parameters[i].values, &words)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = mca_base_component_var_register(component, parameters[i].name,
                                         parameters[i].help, MCA_BASE_VAR_TYPE_INT, words, 0,
                                         MCA_BASE_VAR_FLAG_SETTABLE, parameters[i].level, MCA_BASE_VAR_SCOPE_GROUP,
                                         parameters[i].value);
    if (NULL != words) {
        OBJ_RELEASE(words);
    }
    return rc;
}

static int register_service_cpus(const mca_base_component_t *component)
{
    return mca_base_component_var_register(
        component, "service_cpus",
        "Where the thread that answers other processes may run. all: on every processor that the job may use, whatever "
        "mpirun binds the process to: the operating system finds an idle one. program: where the process itself may run. "
        "Or a list such as 0-3,8. By itself it leaves, for a while, one where it keeps a process that asks from running "
        "(default: all)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, MCA_BASE_VAR_FLAG_SETTABLE, OPAL_INFO_LVL_5, MCA_BASE_VAR_SCOPE_GROUP,
        &ompi_osc_ucp_params.service_cpus);
}

int ompi_osc_ucp_params_register(const mca_base_component_t *component)
{
    size_t i;
    int    rc = register_service_cpus(component);

    for (i = 0; rc >= 0 && i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        rc = register_one(component, i);
    }
    return rc < 0 ? rc : OMPI_SUCCESS;
}
