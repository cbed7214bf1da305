/*
 * interp - CPython in a template and in a box
 *
 * Theory of operation.  interp_warm() does everything that can be done before
 * an order is known: start CPython, run prelude.py (which loads modules and
 * makes them work without files), build the namespaces, then take away every
 * way to load more.  What is left for a run is: parse, check, compile,
 * evaluate, and write the claim.
 *
 * A box runs one order and ends with _exit(), so nothing is ever undone
 * here; only a rehearsal, which goes through the very same functions with a
 * scratch slate, puts things back.
 */
#include "sandbox/python/tree.h"

#include "sandbox/python/interp.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>

#include "sandbox/base/near.h"
#include "sandbox/python/capture.h"
#include "sandbox/python/context.h"
#include "sandbox/python/error.h"
#include "sandbox/python/fence.h"
#include "sandbox/python/guard.h"
#include "sandbox/python/hide.h"
#include "sandbox/python/imports.h"
#include "sandbox/python/nursery.h"
#include "sandbox/python/prelude.h"
#include "sandbox/python/program.h"
#include "sandbox/python/quiet.h"
#include "sandbox/python/rules.h"
#include "sandbox/python/supply.h"
#include "sandbox/python/text.h"
#include "sandbox/python/validate.h"
#include "sandbox/python/value.h"
#include "sandbox/wire/claim.h"

#define SCRATCH_OUTPUT 4096
#define SCRATCH_RETURN 1024

static const struct profile *profile;
static PyThreadState *thread; /* for interp_note_where(), in a signal */
static PyObject *builtins_dict; /* what programs get as builtins */
static PyObject *main_dict; /* of __main__: the program's globals */
static PyObject *random_seed; /* random.seed(), where there is one */
static PyObject *name_underscore;
static PyObject *name_builtins;
static char *value_room; /* made in the template: a box may have no memory */
static size_t value_max;
static NEAR struct buf claim_buf;

/* --- the template -------------------------------------------------------- */

/*
 * CPython looks for the text of a line when it reports a syntax error or a
 * warning, by opening the file the code came from.  There is none.
 */
static int
refuse_open(const char *event, PyObject *args, void *unused)
{
    PyObject *path;

    (void)unused;
    if (event[0] != 'o' || strcmp(event, "open") != 0)
        return 0;
    if (!PyTuple_Check(args) || PyTuple_GET_SIZE(args) < 1)
        return 0;
    path = PyTuple_GET_ITEM(args, 0);
    if (!PyUnicode_Check(path) || PyUnicode_GET_LENGTH(path) < 1 ||
        PyUnicode_READ_CHAR(path, 0) != '<')
        return 0;
    PyErr_SetString(PyExc_FileNotFoundError, "there is no such file");
    return -1;
}

static int
say(char *problem, size_t size, const char *what, const char *why)
{
    (void)snprintf(problem, size, "%s: %s", what, why ? why : "unknown");
    return -1;
}

/* The pending exception in one line, for the operator's log. */
static int
say_exception(char *problem, size_t size, const char *what)
{
    struct claim c = { 0 };
    char line[400];

    error_tell(NULL, &c);
    (void)snprintf(line, sizeof(line), "%.*s: %.*s (line %u)", (int)c.type.len,
        c.type.data, (int)c.message.len, c.message.data, c.line);
    return say(problem, size, what, line);
}

static PyStatus
configure(PyConfig *config)
{
    PyStatus status;

    config->site_import = 0;
    config->install_signal_handlers = 0;
    config->write_bytecode = 0;
    config->use_environment = 0;
    config->parse_argv = 0;
    config->module_search_paths_set = 1;
    status = PyConfig_SetString(config, &config->home, L"/usr");
    if (!PyStatus_Exception(status))
        status = PyConfig_SetString(
            config, &config->program_name, L"/usr/bin/python3");
    if (!PyStatus_Exception(status))
        status = PyConfig_SetString(
            config, &config->executable, L"/usr/bin/python3");
    if (!PyStatus_Exception(status))
        status = PyWideStringList_Append(
            &config->module_search_paths, L"/usr/lib/python3.11");
    if (!PyStatus_Exception(status))
        status = PyWideStringList_Append(
            &config->module_search_paths, L"/usr/lib/python3.11/lib-dynload");
    return status;
}

static PyStatus
start_cpython(void)
{
    PyPreConfig pre;
    PyConfig config;
    PyStatus status;

    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    status = Py_PreInitialize(&pre);
    if (PyStatus_Exception(status))
        return status;
    if (PySys_AddAuditHook(refuse_open, NULL) < 0)
        return PyStatus_Error("audit hook");
    nursery_install();
    supply_watch(); /* on top of it, and taken off again */
    if (profile->has_language_rules) {
        hide_before_start();
        guard_before_start();
    }
    PyConfig_InitIsolatedConfig(&config);
    status = configure(&config);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

static PyObject *
source_lines(PyObject *self, PyObject *unused)
{
    PyObject *text, *lines;
    struct view v = error_source();

    (void)self;
    (void)unused;
    text = PyUnicode_DecodeUTF8(v.data, (Py_ssize_t)v.len, "replace");
    lines = text ? PyUnicode_Splitlines(text, 1) : NULL;
    Py_XDECREF(text);
    return lines;
}

static PyMethodDef source_lines_def = { "source_lines", source_lines,
    METH_NOARGS, NULL };

static int
run_prelude(PyObject *wanted)
{
    PyObject *g = PyDict_New();
    PyObject *lines = PyCFunction_New(&source_lines_def, NULL);
    PyObject *done = NULL;

    if (g && lines &&
        PyDict_SetItem(g, name_builtins, PyEval_GetBuiltins()) == 0 &&
        PyDict_SetItemString(g, "wanted", wanted) == 0 &&
        PyDict_SetItemString(g, "source_lines", lines) == 0 &&
        PyDict_SetItemString(
            g, "rules", profile->has_language_rules ? Py_True : Py_False) == 0)
        done = PyRun_String(prelude_text, Py_file_input, g, g);
    Py_XDECREF(lines);
    Py_XDECREF(g);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int
make_names(void)
{
    name_underscore = PyUnicode_InternFromString("_");
    name_builtins = PyUnicode_InternFromString("__builtins__");
    return name_underscore && name_builtins ? 0 : -1;
}

static int
find_seed(void)
{
    PyObject *m =
        _PyDict_GetItemStringWithError(PyImport_GetModuleDict(), "random");

    random_seed = m ? PyObject_GetAttrString(m, "seed") : NULL;
    return PyErr_Occurred() ? -1 : 0;
}

static int
make_rooms(const struct setup *s)
{
    size_t max = claim_max_bytes(s->return_bytes);

    value_max =
        s->return_bytes > SCRATCH_RETURN ? s->return_bytes : SCRATCH_RETURN;
    value_room = malloc(value_max);
    buf_init(&claim_buf, max > claim_max_bytes(SCRATCH_RETURN)
                             ? max
                             : claim_max_bytes(SCRATCH_RETURN));
    return value_room && buf_room(&claim_buf, claim_buf.max) ? 0 : -1;
}

static int
make_builtins(PyObject *wanted)
{
    if (quiet_warm() < 0)
        return -1;
    if (!profile->has_language_rules) {
        builtins_dict = Py_NewRef(PyEval_GetBuiltins());
        return 0;
    }
    builtins_dict = PyDict_New();
    if (!builtins_dict || guard_warm(builtins_dict, main_dict) < 0 ||
        imports_warm(wanted, builtins_dict) < 0 || fence_warm() < 0)
        return -1;
    return guard_mark_library();
}

/* __main__ with nothing in it but what a program may see. */
static int
make_main(PyObject *wanted)
{
    PyObject *m = PyImport_AddModule("__main__");
    PyObject *name = PyUnicode_InternFromString("__main__");
    int rc = 0;

    if (!m || !name)
        return -1;
    main_dict = PyModule_GetDict(m);
    if (make_builtins(wanted) < 0)
        return -1;
    if (profile->has_language_rules) {
        PyDict_Clear(main_dict);
        if (PyDict_SetItemString(main_dict, "__name__", name) < 0 ||
            PyDict_SetItem(main_dict, name_builtins, builtins_dict) < 0)
            rc = -1;
    }
    Py_DECREF(name);
    return rc;
}

/* Nothing can be loaded from now on, not even what is linked in. */
static void
seal(void)
{
    static struct _inittab none[] = { { NULL, NULL } };

    PyImport_Inittab = none;
    PyImport_FrozenModules = NULL;
    (void)PyGC_Collect();
}

static int
freeze(void)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *done = gc ? PyObject_CallMethod(gc, "freeze", NULL) : NULL;

    Py_XDECREF(done);
    Py_XDECREF(gc);
    return done ? 0 : -1;
}

static int
build(const struct setup *s, char *problem, size_t problem_size)
{
    PyStatus status;
    PyObject *wanted;

    status = start_cpython();
    if (PyStatus_Exception(status))
        return say(
            problem, problem_size, "CPython does not start", status.err_msg);
    thread = PyThreadState_Get();
    if (make_names() < 0 || program_warm() < 0 || error_warm() < 0 ||
        (wanted = imports_wanted(profile, s)) == NULL)
        return say_exception(problem, problem_size, "names");
    if (run_prelude(wanted) < 0)
        return say_exception(problem, problem_size, "loading modules");
    if (value_warm() < 0 || context_warm() < 0 || make_main(wanted) < 0 ||
        capture_warm() < 0 || find_seed() < 0)
        return say_exception(problem, problem_size, "building namespaces");
    Py_DECREF(wanted);
    if (make_rooms(s) < 0)
        return say(problem, problem_size, "rooms", "no memory");
    seal();
    if (freeze() < 0)
        return say_exception(problem, problem_size, "freezing");
    return 0;
}

int
interp_warm(const struct profile *p, const struct setup *s, char *problem,
    size_t problem_size)
{
    int rc;

    profile = p;
    (void)clearenv(); /* nothing of ours in os.environ, no locale */
    (void)setenv("TZ", "UTC0", 1);
    (void)setenv("HOME", "/", 1);
    tzset();
    rc = build(s, problem, problem_size);
    if (!supply_end() && rc == 0)
        return say(problem, problem_size, "warming up", "memory was refused");
    return rc;
}

const char *
interp_version(void)
{
    return PY_VERSION;
}

/* --- around the fork ----------------------------------------------------- */

/* Every box draws its own numbers: `random` keeps its state in memory. */
static int
reseed_random(void)
{
    PyObject *done = PyObject_CallNoArgs(random_seed);

    Py_XDECREF(done);
    return done ? 0 : -1;
}

int
interp_after_fork_box(void)
{
    nursery_open();
    return random_seed ? reseed_random() : 0;
}

/* --- a run --------------------------------------------------------------- */

struct run {
    const struct order *order;
    struct slate *slate;
    PyObject *globals;
    struct program program;
    struct claim claim;
};

static void
set_phase(struct run *r, enum slate_phase phase)
{
    slate_set_phase(r->slate, phase);
}

/* The text itself is no program: empty, or bytes that are no text. */
static void
refuse_text(struct run *r, const char *problem, uint32_t line)
{
    static char room[128];
    const struct rule_row *row = &rule_rows[problem ? RULE_PARSE : RULE_EMPTY];
    struct text message = { room, 0, sizeof(room) };

    if (!problem)
        text_adds(&message, row->message);
    else
        text_addf(&message, "Code failed to parse: %s", problem);
    if (line)
        text_addf(&message, " (line %u)", line);
    r->claim.kind = CLAIM_REFUSED;
    r->claim.type = view_of(row->name, strlen(row->name));
    r->claim.message = text_view(&message);
    r->claim.traceback = view_of(row->instead, strlen(row->instead));
    r->claim.line = line;
}

/* What the parser or the compiler did not like. */
static void
tell_bad_code(struct run *r)
{
    const struct rule_row *row = &rule_rows[RULE_PARSE];

    if (!profile->has_language_rules && r->order->kind == ORDER_RUN) {
        error_tell(NULL, &r->claim);
        return;
    }
    error_tell_parse(NULL, "Code failed to parse: ", &r->claim);
    r->claim.kind = CLAIM_REFUSED;
    r->claim.type = view_of(row->name, strlen(row->name));
}

static int
read_program(struct run *r)
{
    const char *problem = NULL;
    uint32_t line;

    if (program_read(&r->program, r->order->code, &problem, &line) < 0) {
        refuse_text(r, problem, line);
        return -1;
    }
    error_set_source(r->program.text, r->program.len);
    if (program_parse(&r->program) < 0) {
        tell_bad_code(r);
        return -1;
    }
    return 0;
}

/* The code object, or NULL with the claim made. */
static PyObject *
check_program(struct run *r)
{
    PyObject *code;

    if (read_program(r) < 0)
        return NULL;
    if (profile->has_language_rules &&
        validate_program(&r->program, r->order->ast_nodes, &r->claim) < 0)
        return NULL;
    code = program_keep_last(&r->program) < 0 ? NULL
                                              : program_compile(&r->program);
    if (!code)
        tell_bad_code(r);
    program_done(&r->program);
    return code;
}

/*
 * All that the validator would refuse.  When it finds nothing, the compiler
 * still may ('return' outside function).
 */
static void
tell_findings(struct run *r)
{
    size_t size =
        r->order->return_bytes < value_max ? r->order->return_bytes : value_max;
    struct claim none = { .kind = CLAIM_FINDINGS };
    size_t len = 2;

    if (read_program(r) == 0) {
        if (profile->has_language_rules)
            len = validate_findings(
                &r->program, r->order->ast_nodes, value_room, size);
        if (len > 2 || program_compile(&r->program)) {
            none.value = view_of(len > 2 ? value_room : "[]", len);
            r->claim = none;
            return;
        }
        tell_bad_code(r);
    }
    none.value =
        view_of(value_room, validate_one_finding(&r->claim, value_room, size));
    r->claim = none;
}

/* The global `_`; else the value of the last expression; else NULL. */
static PyObject *
return_value(PyObject *globals)
{
    PyObject *v = PyDict_GetItemWithError(globals, name_underscore);

    if (!v)
        v = PyDict_GetItemWithError(globals, program_result_name);
    PyErr_Clear();
    return v;
}

static void
tell_value(struct run *r)
{
    size_t max =
        r->order->return_bytes < value_max ? r->order->return_bytes : value_max;
    bool cut = false;
    size_t len;

    PyGC_Disable(); /* no finalizer may change what is being walked */
    len = value_to_json(return_value(r->globals), value_room, max, &cut);
    r->claim.kind = CLAIM_VALUE;
    r->claim.flags = cut ? CLAIM_VALUE_CUT : 0;
    r->claim.value = view_of(value_room, len);
}

/* sys.exit() and sys.exit(0) are ways to end well. */
static bool
ended_well(void)
{
    PyObject *type, *value, *tb, *code;
    bool well = false;

    if (!PyErr_ExceptionMatches(PyExc_SystemExit))
        return false;
    PyErr_Fetch(&type, &value, &tb);
    PyErr_NormalizeException(&type, &value, &tb);
    if (value && PyObject_TypeCheck(value, (PyTypeObject *)PyExc_SystemExit)) {
        code = ((PySystemExitObject *)value)->code;
        well = !code || code == Py_None ||
               (PyLong_CheckExact(code) && PyLong_AsLong(code) == 0);
    }
    PyErr_Clear();
    if (!well) {
        PyErr_Restore(type, value, tb);
        return false;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(tb);
    return true;
}

static void
run_code(struct run *r, PyObject *code)
{
    PyObject *done;

    set_phase(r, SLATE_RUNNING);
    done = PyEval_EvalCode(code, r->globals, r->globals);
    if (done || ended_well())
        tell_value(r);
    else
        error_tell(NULL, &r->claim);
    set_phase(r, SLATE_TELLING);
    Py_XDECREF(done);
}

static void
run_order(struct run *r)
{
    PyObject *code;

    set_phase(r, SLATE_CHECKING);
    if (r->order->kind == ORDER_FINDINGS) {
        tell_findings(r);
        return;
    }
    code = check_program(r);
    if (!code)
        return;
    if (context_into(r->order->context, r->globals, builtins_dict, &r->claim) <
        0) {
        if (r->claim.kind == CLAIM_NONE)
            error_tell(NULL, &r->claim);
        return;
    }
    if (r->order->kind == ORDER_CHECK) {
        r->claim.kind = CLAIM_VALUE;
        r->claim.value = view_of("null", 4);
        return;
    }
    run_code(r, code);
    Py_DECREF(code);
}

static void
tell(struct run *r)
{
    buf_reset(&claim_buf);
    claim_pack(&claim_buf, &r->claim);
    if (buf_ok(&claim_buf))
        slate_set_claim(r->slate, claim_buf.data, claim_buf.len);
}

void
interp_run(const struct order *o, struct slate *slate)
{
    struct run r = { .order = o, .slate = slate, .globals = main_dict };

    if (capture_begin(o, slate) < 0)
        error_tell(NULL, &r.claim);
    else
        run_order(&r);
    tell(&r);
}

/* --- the rehearsal ------------------------------------------------------- */

static const char rehearsal[] =
    "import json\n"
    "import re, math\n"
    "from collections import Counter\n"
    "class Item:\n"
    "    def __init__(self, name, price):\n"
    "        self.name, self._price = name, price\n"
    "    def total(self, count=1):\n"
    "        return round(self._price * count, 2)\n"
    "def sort(items):\n"
    "    out = [i for i in sorted(items, key=lambda i: i.name)]\n"
    "    try:\n"
    "        out[len(out)]\n"
    "    except IndexError as e:\n"
    "        text = f'{e!s:>40} {math.pi:.3f}'\n"
    "    return {i.name: i.total(3) for i in out}, text.strip()\n"
    "words, text = sort([Item('b', 2.5), Item('a', 1.25)])\n"
    "for n, (k, v) in enumerate(words.items()):\n"
    "    print(n, k, v, sep='\\t')\n"
    "_ = json.loads(json.dumps({'words': words, 'text': text}))\n";

static char scratch_bytes[2 * SCRATCH_OUTPUT];
static struct slate_head scratch_head;

static void
rehearse(struct slate *scratch)
{
    struct order o = {
        .kind = ORDER_RUN,
        .output_bytes = SCRATCH_OUTPUT,
        .return_bytes = SCRATCH_RETURN,
        .ast_nodes = 5000,
        .code = view_of(rehearsal, sizeof(rehearsal) - 1),
        .context = view_of("{\"limit\": 3}", 12),
    };
    struct run r = { .order = &o, .slate = scratch };

    r.globals = PyDict_Copy(main_dict);
    if (!r.globals || capture_begin(&o, scratch) < 0)
        PyErr_Clear();
    else
        run_order(&r);
    buf_reset(&claim_buf);
    claim_pack(&claim_buf, &r.claim);
    Py_XDECREF(r.globals);
    PyMem_Free(r.program.text);
    PyGC_Enable();
}

void
interp_rehearse(struct slate *slate)
{
    struct slate scratch = {
        .head = &scratch_head,
        .base = scratch_bytes,
        .layout = { .out_at = 0,
            .err_at = SCRATCH_OUTPUT,
            .output_bytes = SCRATCH_OUTPUT },
    };

    (void)slate;
    rehearse(&scratch);
    memset(scratch_bytes, 0, sizeof(scratch_bytes));
    error_set_source("", 0);
}

/* --- where it was -------------------------------------------------------- */

/* A str as UTF-8 into `room`, without the allocator. */
static void
copy_name(PyObject *name, char *room, size_t size)
{
    struct text t = { room, 0, size - 1 };

    text_add_str(&t, name);
    room[t.len] = '\0';
}

void
interp_note_where(struct slate *slate)
{
    const _PyInterpreterFrame *f;
    int line;

    if (!thread || !thread->cframe)
        return;
    for (f = thread->cframe->current_frame; f; f = f->previous)
        if (f->f_code && f->f_code->co_filename == program_filename)
            break;
    if (!f)
        return;
    line = PyCode_Addr2Line(
        f->f_code, _PyInterpreterFrame_LASTI(f) * (int)sizeof(_Py_CODEUNIT));
    slate->head->where_line = line > 0 ? (uint32_t)line : 0;
    copy_name(f->f_code->co_qualname, slate->head->where_name,
        sizeof(slate->head->where_name));
}
