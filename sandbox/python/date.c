/* date - dates, times and spans of time as JSON text */
#include "sandbox/python/date.h"

#include <datetime.h>

#include "sandbox/python/value.h"

static PyTypeObject *zone_type; /* datetime.timezone */
static PyTypeObject *zoneinfo_type;

int
date_warm(void)
{
    PyDateTime_IMPORT;
    if (!PyDateTimeAPI && PyErr_ExceptionMatches(PyExc_ImportError))
        PyErr_Clear();
    if (PyErr_Occurred() ||
        value_find_type("datetime", "timezone", &zone_type) < 0)
        return -1;
    return value_find_type("zoneinfo", "ZoneInfo", &zoneinfo_type);
}

static PyObject *
zone_text(PyObject *value, PyObject *zone)
{
    if (zone == Py_None ||
        (Py_TYPE(zone) != zone_type &&
            (!zoneinfo_type || Py_TYPE(zone) != zoneinfo_type)))
        return PyUnicode_FromString("");
    if (PyDateTime_Check(value))
        return PyObject_CallMethod(zone, "utcoffset", "O", value);
    return PyObject_CallMethod(zone, "utcoffset", "O", Py_None);
}

static void
offset_text(PyObject *offset, char *room, size_t size)
{
    int seconds;
    char sign = '+';

    room[0] = '\0';
    if (!offset || !PyDelta_Check(offset)) {
        PyErr_Clear();
        return;
    }
    seconds = PyDateTime_DELTA_GET_DAYS(offset) * 86400 +
              PyDateTime_DELTA_GET_SECONDS(offset);
    if (seconds < 0) {
        sign = '-';
        seconds = -seconds;
    }
    (void)snprintf(
        room, size, "%c%02d:%02d", sign, seconds / 3600, seconds / 60 % 60);
}

static enum put
put_clock(struct out *o, const char *date, PyObject *zone_offset, int h, int m,
    int s, int us)
{
    char room[96], zone[16], fraction[16] = "";

    offset_text(zone_offset, zone, sizeof(zone));
    Py_XDECREF(zone_offset);
    if (us)
        (void)snprintf(fraction, sizeof(fraction), ".%06d", us);
    (void)snprintf(room, sizeof(room), "\"%s%02d:%02d:%02d%s%s\"", date, h, m,
        s, fraction, zone);
    return put_ascii(o, room);
}

bool
date_is_like(PyObject *v)
{
    return PyDateTimeAPI &&
           (PyDate_Check(v) || PyTime_Check(v) || PyDelta_Check(v));
}

enum put
date_put(struct out *o, PyObject *v)
{
    char date[32];

    if (PyDelta_Check(v))
        return put_float(o, PyDateTime_DELTA_GET_DAYS(v) * 86400.0 +
                                PyDateTime_DELTA_GET_SECONDS(v) +
                                PyDateTime_DELTA_GET_MICROSECONDS(v) / 1e6);
    if (PyTime_Check(v))
        return put_clock(o, "", zone_text(v, PyDateTime_TIME_GET_TZINFO(v)),
            PyDateTime_TIME_GET_HOUR(v), PyDateTime_TIME_GET_MINUTE(v),
            PyDateTime_TIME_GET_SECOND(v), PyDateTime_TIME_GET_MICROSECOND(v));
    (void)snprintf(date, sizeof(date), "%04d-%02d-%02dT",
        PyDateTime_GET_YEAR(v), PyDateTime_GET_MONTH(v), PyDateTime_GET_DAY(v));
    if (PyDateTime_Check(v))
        return put_clock(o, date, zone_text(v, PyDateTime_DATE_GET_TZINFO(v)),
            PyDateTime_DATE_GET_HOUR(v), PyDateTime_DATE_GET_MINUTE(v),
            PyDateTime_DATE_GET_SECOND(v), PyDateTime_DATE_GET_MICROSECOND(v));
    date[10] = '\0';
    return put_new_str(o, PyUnicode_FromString(date));
}
