/* The MCA parameters: their values, and the table with their help texts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/params.h"

ompi_osc_ucp_params_t ompi_osc_ucp_params = {
    .priority       = 120,
    .async_progress = OMPI_OSC_UCP_ASYNC_AUTO,
    .service_cpus   = "all",
    .direct         = 1,
    .node           = 1,
    .kernel_copy    = 1,
    .rdma           = OMPI_OSC_UCP_RDMA_AUTO,
    .rdma_segment   = 1024,
    .atomic_domain  = OMPI_OSC_UCP_DOMAIN_AUTO,
    .trace_records  = 100000,
    .check_limit    = 20,
    .check_records  = 2048,
    .check_format   = OMPI_OSC_UCP_CHECK_TEXT
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

static const mca_base_var_enum_value_t format_values[] = {
    { OMPI_OSC_UCP_CHECK_TEXT, "text" },
    { OMPI_OSC_UCP_CHECK_JSON, "json" },
    { OMPI_OSC_UCP_CHECK_SARIF, "sarif" },
    { 0, NULL }
};

typedef struct parameter_t {
    const char                      *name;
    void                            *value;  /**< an int, or a char * */
    const mca_base_var_enum_value_t *values; /**< names of the values; NULL: a plain number, or a text */
    mca_base_var_info_lvl_t          level;
    const char                      *help;
} parameter_t;

static const parameter_t numbers[] = {
    { "priority", &ompi_osc_ucp_params.priority, NULL, OPAL_INFO_LVL_9,
      "Priority of osc/ucp. The one-sided component with the highest priority serves a window (osc/rdma has 101, "
      "osc/sm 100, osc/ucx 60). 0: it serves only windows that no other component can make, such as those of one "
      "process. '--mca osc ^ucp' switches osc/ucp off, and '--mca osc ucp' all others (default: 120)" },
    { "report", &ompi_osc_ucp_params.report, NULL, OPAL_INFO_LVL_3,
      "1: print a report at the end of the job: for each window, how many operations and bytes went by load and "
      "store, by RDMA and by messages, and how long synchronization calls took. 2: also for what and for whom calls "
      "waited, and advice what to change. 0: no report (default: 0)" },
    { "async_progress", &ompi_osc_ucp_params.async_progress, async_values, OPAL_INFO_LVL_4,
      "Whether a thread of each process answers the requests of others while the program computes. auto: while "
      "there is a window that may need it (not with the info key no_locks, nor for windows of one node that lie "
      "in shared memory). never: others wait until the process calls MPI. always: while there is a window of "
      "several processes that uses UCX (default: auto)" },
    { "survive", &ompi_osc_ucp_params.survive, NULL, OPAL_INFO_LVL_5,
      "1: when a process dies, the others may go on. Synchronizing calls on windows of that process return "
      "MPI_ERR_WIN within a second; other windows work as before. It needs 'mpirun --enable-recovery' (in Open MPI "
      "5.0 and newer, '--with-ft ulfm'), without which mpirun ends the job. It costs speed: everything goes by "
      "messages over the network (tcp on one node, too), nothing through shared memory or RDMA. "
      "MPI_Win_allocate_shared fails, and each process keeps a connection to every other process of its windows. "
      "0: mpirun ends the job (default: 0)" },
    { "exchange_addresses", &ompi_osc_ucp_params.exchange_addresses, NULL, OPAL_INFO_LVL_9,
      "1: all processes of a window exchange their network addresses when it is made. 0: a process asks the "
      "launcher for another's address at first contact; where the launcher has no PMIx, 1 is used (default: 0)" },
    { "watchdog", &ompi_osc_ucp_params.watchdog, NULL, OPAL_INFO_LVL_3,
      "A process that waits for more than this many seconds in a call on a window prints for whom and for what, with "
      "all processes in between: who holds the lock, who has not come to a fence, whether they wait in a cycle. It "
      "prints once for each such cause. 0: off (default: 0)" },
    { "watchdog_signal", &ompi_osc_ucp_params.watchdog_signal, NULL, OPAL_INFO_LVL_5,
      "Number of a signal, such as 10 (SIGUSR1): processes that get it while they wait in a call on a window print "
      "the same at once. mpirun passes SIGUSR1 and SIGUSR2 on to all processes. 0: none (default: 0)" },
    { "status", &ompi_osc_ucp_params.status, NULL, OPAL_INFO_LVL_3,
      "1: the program osc_ucp_status, called on the same node by the same user, shows what each process of the running "
      "job does in calls on windows: for whom it waits and since when, and how many operations and bytes it moves. 0: "
      "off (default: 0)" },
    { "trace_operations", &ompi_osc_ucp_params.trace_operations, NULL, OPAL_INFO_LVL_3,
      "1: osc_ucp_trace has each communication call, too, with its target, bytes, displacement, type and operation. "
      "0: it counts them only (default: 0)" },
    { "trace_records", &ompi_osc_ucp_params.trace_records, NULL, OPAL_INFO_LVL_5,
      "Most calls and epochs of a process that osc_ucp_trace has, of about 200 bytes each. Later ones are dropped, and "
      "counted (default: 100000)" },
    { "check", &ompi_osc_ucp_params.check, NULL, OPAL_INFO_LVL_3,
      "1: look for mistakes in how the program uses windows, such as two operations that nothing orders on the same "
      "bytes, and tell each once, with both calls. All processes of a window need the same value. The program is "
      "slower then. 0: off (default: 0)" },
    { "check_limit", &ompi_osc_ucp_params.check_limit, NULL, OPAL_INFO_LVL_5,
      "Most mistakes that each process tells; more are counted. 0: all (default: 20)" },
    { "check_records", &ompi_osc_ucp_params.check_records, NULL, OPAL_INFO_LVL_5,
      "Operations of each window that osc_ucp_check remembers at a process, of about 400 bytes each: pending ones of "
      "its own, and the last ones on its memory (default: 2048)" },
    { "check_format", &ompi_osc_ucp_params.check_format, format_values, OPAL_INFO_LVL_5,
      "How mistakes are told. text: for people. json: one object in a line for each. sarif: the same, as a SARIF log "
      "in one line for each (default: text)" },
    { "check_exit", &ompi_osc_ucp_params.check_exit, NULL, OPAL_INFO_LVL_5,
      "Exit status of a process that has found a mistake and would have ended with 0; mpirun ends with it, too. 0: "
      "the status is the program's (default: 0)" },
    { "check_schedule", &ompi_osc_ucp_params.check_schedule, NULL, OPAL_INFO_LVL_3,
      "A seed: communication calls are delayed until the program makes the call that must complete them, and are then "
      "carried out in pieces and in a random order. A correct program does not notice. A mistake that mostly has no "
      "effect may have one. It needs no osc_ucp_check. Negative: another seed in each job. 0: off (default: 0)" },
    { "direct", &ompi_osc_ucp_params.direct, NULL, OPAL_INFO_LVL_9,
      "1: where possible, processes load and store the window memory of others on the same node. 0: they reach it "
      "like memory on other nodes; for tests and comparisons. MPI_Win_allocate_shared is not affected (default: 1)" },
    { "node", &ompi_osc_ucp_params.node, NULL, OPAL_INFO_LVL_9,
      "1: a window whose processes share a node has a segment of its own, and starts neither UCX nor a thread, if "
      "load and store or the kernel's copies (osc_ucp_kernel_copy) reach its memory. 0: it is made like a window that "
      "spans nodes; for tests and comparisons (default: 1)" },
    { "kernel_copy", &ompi_osc_ucp_params.kernel_copy, NULL, OPAL_INFO_LVL_9,
      "1: on one node, where that is allowed, the operating system's kernel copies between a process and memory of "
      "others in windows of MPI_Win_create and dynamic ones (process_vm_readv, process_vm_writev), and the target "
      "takes no part. 0: the kernel never copies, and operations go by message (default: 1)" },
    { "rdma", &ompi_osc_ucp_params.rdma, rdma_values, OPAL_INFO_LVL_9,
      "When put and get are put and get operations of UCX. auto: where the network (or shared memory) carries them "
      "out without the target's help. never: they always go by message. always: also where UCX itself sends messages "
      "for them; for tests (default: auto)" },
    { "rdma_segment", &ompi_osc_ucp_params.rdma_segment, NULL, OPAL_INFO_LVL_9,
      "A put or get of scattered data is one network operation for each piece if the pieces have at least this "
      "many bytes on average; else the data are packed into messages (default: 1024)" },
    { "atomic_domain", &ompi_osc_ucp_params.atomic_domain, domain_values, OPAL_INFO_LVL_9,
      "What makes accumulates atomic. cpu: the processors. nic: the network, for integers of 4 and 8 bytes, "
      "wherever UCX offers that to all processes of a window. auto: nic if a network device does it (default: "
      "auto)" },
};

static const parameter_t texts[] = {
    { "service_cpus", &ompi_osc_ucp_params.service_cpus, NULL, OPAL_INFO_LVL_5,
      "Where the thread that answers other processes may run. all: on every processor that the job may use, "
      "whatever mpirun binds the process to: the operating system finds an idle one. program: where the process "
      "itself may run. Or a list such as 0-3,8. If the thread delays an origin on a processor, it stays away "
      "from it for a while (default: all)" },
    { "trace", &ompi_osc_ucp_params.trace, NULL, OPAL_INFO_LVL_3,
      "Name of a file, which gets all calls and epochs on windows of all processes, with their times, for "
      "ui.perfetto.dev or chrome://tracing. FILE.csv and FILE.svg beside it tell which process has done how many "
      "operations on which, with how many bytes. Empty: off (default: empty)" },
    { "check_file", &ompi_osc_ucp_params.check_file, NULL, OPAL_INFO_LVL_3,
      "Name of a file to which all processes append what osc_ucp_check finds. Empty: standard error (default: empty)" },
    { "check_suppress", &ompi_osc_ucp_params.check_suppress, NULL, OPAL_INFO_LVL_5,
      "Name of a file with mistakes that osc_ucp_check does not tell, one in a line: a kind, the name of a window, and "
      "a call site, each with * and ? as in names of files, separated by blanks. A # begins a comment. Empty: none "
      "(default: empty)" },
};

static int register_one(const mca_base_component_t *component, const parameter_t *parameter, mca_base_var_type_t type)
{
    mca_base_var_enum_t *words = NULL;
    int                  rc;

    if (NULL != parameter->values &&
        OPAL_SUCCESS != mca_base_var_enum_create(parameter->name, parameter->values, &words)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = mca_base_component_var_register(component, parameter->name, parameter->help, type, words, 0,
                                         MCA_BASE_VAR_FLAG_SETTABLE, parameter->level, MCA_BASE_VAR_SCOPE_GROUP,
                                         parameter->value);
    if (NULL != words) {
        OBJ_RELEASE(words);
    }
    return rc;
}

int ompi_osc_ucp_params_register(const mca_base_component_t *component)
{
    size_t i;
    int    rc = OMPI_SUCCESS;

    for (i = 0; rc >= 0 && i < sizeof(texts) / sizeof(texts[0]); i++) {
        rc = register_one(component, &texts[i], MCA_BASE_VAR_TYPE_STRING);
    }
    for (i = 0; rc >= 0 && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        rc = register_one(component, &numbers[i], MCA_BASE_VAR_TYPE_INT);
    }
    return rc < 0 ? rc : OMPI_SUCCESS;
}
