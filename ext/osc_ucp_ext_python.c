/* Notified access for Python: a module for mpi4py's windows, datatypes, operations and requests. See docs/notified.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A module is of one Python, so it is compiled where it is used. A buffer is anything contiguous with Python's buffer
 * interface, [buffer, datatype] or [buffer, count, datatype]; the target has as many elements of the same datatype. As
 * with mpi4py, the buffers of operations without a request must stay until a flush.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <mpi4py/mpi4py.h>
#include <osc_ucp_ext.h>

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE };

/** An error of MPI as mpi4py's exception. Returns NULL. */
static PyObject *failed(int rc)
{
    PyObject *mpi       = PyImport_ImportModule("mpi4py.MPI");
    PyObject *exception = NULL == mpi ? NULL : PyObject_GetAttrString(mpi, "Exception");
    PyObject *code      = PyLong_FromLong(rc);

    if (NULL != exception && NULL != code) {
        PyErr_SetObject(exception, code);
    }
    Py_XDECREF(code);
    Py_XDECREF(exception);
    Py_XDECREF(mpi);
    return NULL;
}

static PyObject *none_or_failed(int rc)
{
    if (MPI_SUCCESS != rc) {
        return failed(rc);
    }
    Py_RETURN_NONE;
}

static PyObject *number_or_failed(int rc, long long value)
{
    return MPI_SUCCESS == rc ? PyLong_FromLongLong(value) : failed(rc);
}

/** For PyArg_ParseTuple. */
static int to_window(PyObject *object, void *window)
{
    const MPI_Win *win = PyMPIWin_Get(object);

    if (NULL != win) {
        *(MPI_Win *) window = *win;
    }
    return NULL != win;
}

static int to_op(PyObject *object, void *op)
{
    const MPI_Op *mpi_op = PyMPIOp_Get(object);

    if (NULL != mpi_op) {
        *(MPI_Op *) op = *mpi_op;
    }
    return NULL != mpi_op;
}

/* Buffers. */

typedef struct buffer_t {
    Py_buffer    view;
    MPI_Datatype type;
    int          count;
} buffer_t;

/** The datatype of a format of one element, as the module struct and numpy have them. NULL handle: none is known. */
static MPI_Datatype type_of(const char *format)
{
    const struct {
        const char  *format;
        MPI_Datatype type;
    } known[] = {
        { "c", MPI_CHAR }, { "b", MPI_SIGNED_CHAR }, { "B", MPI_UNSIGNED_CHAR }, { "?", MPI_C_BOOL },
        { "h", MPI_SHORT }, { "H", MPI_UNSIGNED_SHORT }, { "i", MPI_INT }, { "I", MPI_UNSIGNED }, { "l", MPI_LONG },
        { "L", MPI_UNSIGNED_LONG }, { "q", MPI_LONG_LONG }, { "Q", MPI_UNSIGNED_LONG_LONG }, { "f", MPI_FLOAT },
        { "d", MPI_DOUBLE }, { "g", MPI_LONG_DOUBLE }, { "Zf", MPI_C_FLOAT_COMPLEX }, { "Zd", MPI_C_DOUBLE_COMPLEX }
    };

    format += '@' == *format || '=' == *format || ('<' == *format && PY_LITTLE_ENDIAN);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (0 == strcmp(known[i].format, format)) {
            return known[i].type;
        }
    }
    return MPI_DATATYPE_NULL;
}

static int refused(const char *why)
{
    PyErr_SetString(PyExc_ValueError, why);
    return 0;
}

/** The datatype of a plain buffer. A format with '=' or '<' may have another size than C's type of that letter. */
static int buffer_type(buffer_t *buffer)
{
    int size = 0;

    buffer->type = type_of(NULL == buffer->view.format ? "B" : buffer->view.format);
    return MPI_DATATYPE_NULL != buffer->type && MPI_SUCCESS == MPI_Type_size(buffer->type, &size) &&
                   size == buffer->view.itemsize
               ? 1 : refused("it is not known what elements the buffer has: say [buffer, datatype]");
}

/** Set how many elements there are, unless `count` says so. All must be in the buffer, gaps included. */
static int buffer_count(buffer_t *buffer, Py_ssize_t count)
{
    MPI_Count lb = 0, extent = 0, true_lb = 0, true_extent = 0, len = buffer->view.len;

    if (MPI_DATATYPE_NULL == buffer->type ||
        MPI_SUCCESS != MPI_Type_get_extent_x(buffer->type, &lb, &extent) ||
        MPI_SUCCESS != MPI_Type_get_true_extent_x(buffer->type, &true_lb, &true_extent) || extent <= 0) {
        return refused("this datatype gives no number of elements");
    }
    if (count < 0 && 0 != len % extent) {
        return refused("a buffer must be a whole number of elements: say of which, [buffer, datatype]");
    }
    count = count < 0 ? (Py_ssize_t) (len / extent) : count;
    if (count > INT_MAX) {
        return refused("a buffer has at most 2147483647 elements");
    }
    if (count > 0 && (true_lb < 0 || (count - 1) * extent + true_lb + true_extent > len)) {
        return refused("the elements reach out of the buffer: say how many there are, [buffer, count, datatype]");
    }
    buffer->count = (int) count;
    return 1;
}

/** What a list says about the buffer at its begin. *count_p is -1 if it does not say that. */
static int list_read(PyObject *list, Py_ssize_t n, buffer_t *buffer, Py_ssize_t *count_p)
{
    const MPI_Datatype *type = PyMPIDatatype_Get(PySequence_Fast_GET_ITEM(list, n - 1));

    if (NULL == type) {
        return 0;
    }
    buffer->type = *type;
    *count_p     = -1;
    if (3 == n) {
        *count_p = PyNumber_AsSsize_t(PySequence_Fast_GET_ITEM(list, 1), PyExc_ValueError);
        if (*count_p < 0) {
            return PyErr_Occurred() ? 0 : refused("the number of elements is negative");
        }
    }
    return 1;
}

/** Take `spec`, a buffer or a list of it and of what it has. *object_p is the buffer. Returns 0 with an exception
 *  set. */
static int buffer_take(PyObject *spec, int flags, buffer_t *buffer, PyObject **object_p)
{
    Py_ssize_t n      = PyList_Check(spec) || PyTuple_Check(spec) ? PySequence_Size(spec) : 0;
    bool       list   = 2 == n || 3 == n;
    PyObject  *object = list ? PySequence_Fast_GET_ITEM(spec, 0) : spec;
    Py_ssize_t count  = -1;

    if ((list && !list_read(spec, n, buffer, &count)) ||
        0 != PyObject_GetBuffer(object, &buffer->view, PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT | flags)) {
        return 0;
    }
    if ((!list && !buffer_type(buffer)) || !buffer_count(buffer, count)) {
        PyBuffer_Release(&buffer->view);
        return 0;
    }
    *object_p = object;
    return 1;
}

/* Operations. */

typedef struct operation_t {
    int          kind;
    MPI_Win      win;
    PyObject    *origin_object, *result_object;
    buffer_t     origin, result;
    int          target, index;
    MPI_Aint     disp;
    MPI_Op       op;
    MPI_Request *request; /**< NULL: without */
} operation_t;

static int issue_plain(const operation_t *o)
{
    void *data = o->origin.view.buf;
    int   n    = o->origin.count;

    switch (o->kind) {
    case PUT:
        return MPIX_Put_notify(data, n, o->origin.type, o->target, o->disp, n, o->origin.type, o->index, o->win);
    case GET:
        return MPIX_Get_notify(data, n, o->origin.type, o->target, o->disp, n, o->origin.type, o->index, o->win);
    case ACCUMULATE:
        return MPIX_Accumulate_notify(data, n, o->origin.type, o->target, o->disp, n, o->origin.type, o->op, o->index,
                                      o->win);
    default:
        return MPIX_Get_accumulate_notify(data, n, o->origin.type, o->result.view.buf, o->result.count, o->result.type,
                                          o->target, o->disp, n, o->origin.type, o->op, o->index, o->win);
    }
}

static int issue_request(const operation_t *o)
{
    void *data = o->origin.view.buf;
    int   n    = o->origin.count;

    switch (o->kind) {
    case PUT:
        return MPIX_Rput_notify(data, n, o->origin.type, o->target, o->disp, n, o->origin.type, o->index, o->win,
                                o->request);
    case GET:
        return MPIX_Rget_notify(data, n, o->origin.type, o->target, o->disp, n, o->origin.type, o->index, o->win,
                                o->request);
    case ACCUMULATE:
        return MPIX_Raccumulate_notify(data, n, o->origin.type, o->target, o->disp, n, o->origin.type, o->op, o->index,
                                       o->win, o->request);
    default:
        return MPIX_Rget_accumulate_notify(data, n, o->origin.type, o->result.view.buf, o->result.count,
                                           o->result.type, o->target, o->disp, n, o->origin.type, o->op, o->index,
                                           o->win, o->request);
    }
}

/** What a request keeps: the buffers. */
static PyObject *buffers_kept(const operation_t *operation)
{
    return Py_BuildValue("(NN)", PyMemoryView_FromObject(operation->origin_object),
                         PyMemoryView_FromObject(NULL == operation->result_object ? operation->origin_object
                                                                                  : operation->result_object));
}

/** mpi4py's request. Takes over `kept`. */
static PyObject *request_object(MPI_Request handle, PyObject *kept)
{
    PyObject *request = PyMPIRequest_New(handle);

    if (NULL == request) {
        Py_DECREF(kept);
        return NULL;
    }
    Py_XSETREF(((struct PyMPIRequestObject *) request)->ob_buf, kept);
    return request;
}

static int operation_parse(operation_t *o, PyObject *args)
{
    PyObject *origin, *result = NULL;
    int       flags = GET == o->kind ? PyBUF_WRITABLE : 0;

    if (!(o->kind < ACCUMULATE ? PyArg_ParseTuple(args, "O&Oini", to_window, &o->win, &origin, &o->target, &o->disp,
                                                  &o->index)
          : ACCUMULATE == o->kind
              ? PyArg_ParseTuple(args, "O&OiniO&", to_window, &o->win, &origin, &o->target, &o->disp, &o->index,
                                 to_op, &o->op)
              : PyArg_ParseTuple(args, "O&OOiniO&", to_window, &o->win, &origin, &result, &o->target, &o->disp,
                                 &o->index, to_op, &o->op))) {
        return 0;
    }
    if (!buffer_take(origin, flags, &o->origin, &o->origin_object)) {
        return 0;
    }
    if (NULL != result && !buffer_take(result, PyBUF_WRITABLE, &o->result, &o->result_object)) {
        PyBuffer_Release(&o->origin.view);
        return 0;
    }
    return 1;
}

static PyObject *operation_run(operation_t *operation)
{
    int rc;

    Py_BEGIN_ALLOW_THREADS
    rc = NULL != operation->request ? issue_request(operation) : issue_plain(operation);
    Py_END_ALLOW_THREADS
    return none_or_failed(rc);
}

/** All that may fail without an error of MPI comes before the operation. */
static PyObject *operation_run_request(operation_t *operation)
{
    PyObject *kept = buffers_kept(operation), *none;

    if (NULL == kept) {
        return NULL;
    }
    none = operation_run(operation);
    if (NULL == none) {
        Py_DECREF(kept);
        return NULL;
    }
    Py_DECREF(none);
    return request_object(*operation->request, kept);
}

static PyObject *operate(int kind, int with_request, PyObject *args)
{
    MPI_Request request   = MPI_REQUEST_NULL;
    operation_t operation = { .kind = kind, .request = with_request ? &request : NULL };
    PyObject   *outcome;

    if (!operation_parse(&operation, args)) {
        return NULL;
    }
    outcome = with_request ? operation_run_request(&operation) : operation_run(&operation);
    PyBuffer_Release(&operation.origin.view);
    if (NULL != operation.result_object) {
        PyBuffer_Release(&operation.result.view);
    }
    return outcome;
}

#define OPERATION(name, kind, with_request) \
    static PyObject *name(PyObject *self, PyObject *args) \
    { \
        (void) self; \
        return operate(kind, with_request, args); \
    }

OPERATION(put_notify, PUT, 0)
OPERATION(get_notify, GET, 0)
OPERATION(accumulate_notify, ACCUMULATE, 0)
OPERATION(get_accumulate_notify, GET_ACCUMULATE, 0)
OPERATION(rput_notify, PUT, 1)
OPERATION(rget_notify, GET, 1)
OPERATION(raccumulate_notify, ACCUMULATE, 1)
OPERATION(rget_accumulate_notify, GET_ACCUMULATE, 1)

/* Counters. */

static PyObject *set_num_notify(PyObject *self, PyObject *args)
{
    MPI_Win win;
    int     n, rc;

    (void) self;
    if (!PyArg_ParseTuple(args, "O&i", to_window, &win, &n)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    rc = MPIX_Win_set_num_notify(win, MPI_INFO_NULL, n);
    Py_END_ALLOW_THREADS
    return none_or_failed(rc);
}

static PyObject *get_num_notify(PyObject *self, PyObject *args)
{
    MPI_Win win;
    int     target, n = 0, rc;

    (void) self;
    if (!PyArg_ParseTuple(args, "O&i", to_window, &win, &target)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    rc = MPIX_Win_get_num_notify(win, target, &n);
    Py_END_ALLOW_THREADS
    return number_or_failed(rc, n);
}

static PyObject *value_with(PyObject *args, int reset)
{
    MPI_Win   win;
    MPI_Count value = 0;
    int       index, rc;

    if (!PyArg_ParseTuple(args, "O&i", to_window, &win, &index)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    rc = reset ? MPIX_Win_reset_notify_value(win, index, &value) : MPIX_Win_get_notify_value(win, index, &value);
    Py_END_ALLOW_THREADS
    return number_or_failed(rc, value);
}

static PyObject *get_notify_value(PyObject *self, PyObject *args)
{
    (void) self;
    return value_with(args, 0);
}

static PyObject *reset_notify_value(PyObject *self, PyObject *args)
{
    (void) self;
    return value_with(args, 1);
}

static PyObject *notify_threshold(PyObject *self, PyObject *args)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win     win;
    long long   threshold;
    int         index, rc;

    (void) self;
    if (!PyArg_ParseTuple(args, "O&iL", to_window, &win, &index, &threshold)) {
        return NULL;
    }
    rc = MPIX_Win_notify_threshold(win, index, threshold, &request);
    return MPI_SUCCESS == rc ? PyMPIRequest_New(request) : failed(rc);
}

static PyObject *notify_wait(PyObject *self, PyObject *args)
{
    MPI_Win   win;
    MPI_Count value = 0;
    long long threshold;
    int       index, rc;

    (void) self;
    if (!PyArg_ParseTuple(args, "O&iL", to_window, &win, &index, &threshold)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    rc = MPIX_Win_notify_wait(win, index, threshold, &value);
    Py_END_ALLOW_THREADS
    return number_or_failed(rc, value);
}

static PyObject *notify_limits(PyObject *self, PyObject *args)
{
    MPI_Count value_ub = 0;
    MPI_Win   win;
    int       sb = 0, ub = 0;

    (void) self;
    if (!PyArg_ParseTuple(args, "O&", to_window, &win)) {
        return NULL;
    }
    (void) MPIX_Win_notify_limits(win, &sb, &ub, &value_ub);
    return Py_BuildValue("iiL", sb, ub, (long long) value_ub);
}

static PyObject *notify_supported(PyObject *self, PyObject *args)
{
    MPI_Win win;
    int     flag = 0;

    (void) self;
    if (!PyArg_ParseTuple(args, "O&", to_window, &win)) {
        return NULL;
    }
    (void) MPIX_Win_notify_supported(win, &flag);
    return PyBool_FromLong(flag);
}

static PyObject *err_rma_notification(PyObject *self, PyObject *args)
{
    (void) self;
    (void) args;
    return PyLong_FromLong(MPIX_ERR_RMA_NOTIFICATION);
}

static PyMethodDef methods[] = {
    { "Put_notify", put_notify, METH_VARARGS, "(win, origin, rank, disp, index)" },
    { "Get_notify", get_notify, METH_VARARGS, "(win, origin, rank, disp, index)" },
    { "Accumulate_notify", accumulate_notify, METH_VARARGS, "(win, origin, rank, disp, index, op)" },
    { "Get_accumulate_notify", get_accumulate_notify, METH_VARARGS, "(win, origin, result, rank, disp, index, op)" },
    { "Rput_notify", rput_notify, METH_VARARGS, "(win, origin, rank, disp, index): a request" },
    { "Rget_notify", rget_notify, METH_VARARGS, "(win, origin, rank, disp, index): a request" },
    { "Raccumulate_notify", raccumulate_notify, METH_VARARGS, "(win, origin, rank, disp, index, op): a request" },
    { "Rget_accumulate_notify", rget_accumulate_notify, METH_VARARGS,
      "(win, origin, result, rank, disp, index, op): a request" },
    { "Win_set_num_notify", set_num_notify, METH_VARARGS, "(win, n): collective" },
    { "Win_get_num_notify", get_num_notify, METH_VARARGS, "(win, rank): how many counters it has" },
    { "Win_get_notify_value", get_notify_value, METH_VARARGS, "(win, index): the value of an own counter" },
    { "Win_reset_notify_value", reset_notify_value, METH_VARARGS, "(win, index): the same, and it is 0 then" },
    { "Win_notify_threshold", notify_threshold, METH_VARARGS, "(win, index, threshold): a request" },
    { "Win_notify_wait", notify_wait, METH_VARARGS, "(win, index, threshold): the value that it has then" },
    { "Win_notify_supported", notify_supported, METH_VARARGS, "(win)" },
    { "Win_notify_limits", notify_limits, METH_VARARGS, "(win): num_sb, num_ub, value_ub" },
    { "err_rma_notification", err_rma_notification, METH_NOARGS, "the class of errors for a wrong index" },
    { NULL, NULL, 0, NULL }
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "osc_ucp_ext", .m_doc = "Notified access for windows of osc/ucp", .m_size = -1,
    .m_methods = methods
};

PyMODINIT_FUNC PyInit_osc_ucp_ext(void)
{
    return import_mpi4py() < 0 ? NULL : PyModule_Create(&module);
}
