/* Notified access for Python: a module for mpi4py's windows, datatypes, operations and requests. See docs/notified.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A module is of one Python, so it is compiled where it is used. A buffer is anything contiguous with Python's buffer
 * interface, or [buffer, datatype]; the target has as many elements of the same datatype. As with mpi4py, the buffers of
 * operations without a request must stay until a flush.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <mpi4py/mpi4py.h>
#include <osc_ucp_ext.h>

#include <limits.h>
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

/** The datatype of a format of one element, as the module struct has them. NULL handle: none is known. */
static MPI_Datatype type_of(const char *format)
{
    static const char  known[] = "cbBhHiIlLqQfd";
    const MPI_Datatype types[] = {
        MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG,
        MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE
    };
    const char        *found;

    format += '@' == *format || '=' == *format;
    found = '\0' != format[0] && '\0' == format[1] ? strchr(known, format[0]) : NULL;
    return NULL == found ? MPI_DATATYPE_NULL : types[found - known];
}

/** How many elements there are. */
static int buffer_count(buffer_t *buffer)
{
    int size = 0;

    if (MPI_DATATYPE_NULL == buffer->type || MPI_SUCCESS != MPI_Type_size(buffer->type, &size) || size <= 0 ||
        0 != buffer->view.len % size || buffer->view.len / size > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "a buffer must be a whole number of elements: say of which, [buffer, datatype]");
        return 0;
    }
    buffer->count = (int) (buffer->view.len / size);
    return 1;
}

/** Take `spec`, a buffer or [buffer, datatype]. *object_p is the buffer. Returns 0 with an exception set. */
static int buffer_take(PyObject *spec, int flags, buffer_t *buffer, PyObject **object_p)
{
    int           pair   = (PyList_Check(spec) || PyTuple_Check(spec)) && 2 == PySequence_Size(spec);
    PyObject     *object = pair ? PySequence_Fast_GET_ITEM(spec, 0) : spec;
    MPI_Datatype *type   = pair ? PyMPIDatatype_Get(PySequence_Fast_GET_ITEM(spec, 1)) : NULL;

    if ((pair && NULL == type) ||
        0 != PyObject_GetBuffer(object, &buffer->view, PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT | flags)) {
        return 0;
    }
    buffer->type = pair ? *type : type_of(NULL == buffer->view.format ? "B" : buffer->view.format);
    if (!buffer_count(buffer)) {
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

/** mpi4py's request, which keeps the buffers. */
static PyObject *request_object(const operation_t *operation)
{
    PyObject *request = PyMPIRequest_New(*operation->request);
    PyObject *kept    = NULL == request ? NULL : Py_BuildValue("(NN)",
        PyMemoryView_FromObject(operation->origin_object),
        PyMemoryView_FromObject(NULL == operation->result_object ? operation->origin_object
                                                                 : operation->result_object));

    if (NULL != kept) {
        Py_XSETREF(((struct PyMPIRequestObject *) request)->ob_buf, kept);
    }
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

static PyObject *operate(int kind, int with_request, PyObject *args)
{
    MPI_Request request   = MPI_REQUEST_NULL;
    operation_t operation = { .kind = kind, .request = with_request ? &request : NULL };
    PyObject   *outcome;
    int         rc;

    if (!operation_parse(&operation, args)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    rc = with_request ? issue_request(&operation) : issue_plain(&operation);
    Py_END_ALLOW_THREADS
    outcome = with_request && MPI_SUCCESS == rc ? request_object(&operation) : none_or_failed(rc);
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
