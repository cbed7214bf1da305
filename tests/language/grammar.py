#!/usr/bin/python3
"""Random programs that look for a way out of the restricted language.

    grammar.py --build DIR [--programs N] [--seed S]... [--boxes N] [--print]

DIR has the driver `try`, built with test hooks and test profiles.  Each
program is a walk through WAYS, from something that any program has (a
function, a generator, a module, an exception...) to the canary
(tests/language/canary.h), each step written in one of many STYLES (an
attribute, getattr() with a name put together, a class pattern, a format
string...), wrapped in CARRIERS (a lambda, a decorator, a default argument, a
finally block...) and NOISE.  Then

  restricted       not one program may touch the canary, or crash
  raw              the rules are off: most programs must touch it, or a
                   program that does not says nothing
  restricted, with every rule taken out: some must touch it (the fence stops
                   the others), so that what holds them back is the rules and
                   not the profile

With --boxes, a sample also runs in real boxes, of `restricted` and of `raw`;
there the canary is the real eval().  A seed makes the same programs again;
without one, 1 and a random one, which is printed.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

CANARY = "<canary>"
REFUSED = 3

# --- what to look for ----------------------------------------------------------
#
# kind: [(what it becomes, how)].  `how` is the name of an attribute (then any
# style will do), or an expression with %s where the object stands.

WAYS = {
    "function": [("dict", "__globals__"), ("dict", "__builtins__"),
                 ("dict", "%s.__getattribute__('__globals__')"),
                 ("function", "__call__.__self__"), ("class", "__class__")],
    "library function": [("dict", "__globals__"), ("dict", "__builtins__")],
    "c function": [("module", "__self__"),
                   ("module", "%s.__reduce__.__self__.__self__")],
    "method": [("function", "__func__"), ("object", "__self__")],
    "object": [("class", "__class__"), ("class", "type(%s)"),
               ("library function", "%s.__reduce_ex__(2)[0]"),
               ("dict", "%s.__init__.__globals__"),
               ("function", "__init__.__func__"),
               ("dict", "%s._run.__globals__")],
    "class": [("base", "%s.__mro__[-1]"), ("base", "__base__"),
              ("base", "%s.__bases__[0]"), ("base", "%s.mro()[-1]"),
              ("base", "type.mro(%s)[-1]"), ("function", "__init__"),
              ("function", "%s.__dict__['__init__']"),
              ("function", "_run")],
    "base": [("classes", "%s.__subclasses__()"),
             ("classes", "type.__subclasses__(%s)"),
             ("classes", "type(%s).__subclasses__(%s)")],
    "classes": [("canary", "[c for c in %s if 'Canary' in str(c)][0]"),
                ("canary", "[c for c in %s if '<' in str(c)][0]"),
                ("canary", "max(%s, key=lambda c: '<canary>' in str(c))"),
                ("canary", "next(filter(lambda c: '<can' in repr(c), %s))")],
    "generator": [("frame", "gi_frame"), ("frame", "%s.gi_frame.f_back"),
                  ("function", "%s.gi_code.co_consts[0]")],
    "coroutine": [("frame", "cr_frame")],
    "async generator": [("frame", "ag_frame")],
    "exception": [("traceback", "__traceback__"),
                  ("traceback", "%s.with_traceback.__self__.__traceback__")],
    "traceback": [("frame", "tb_frame"), ("frame", "%s.tb_next.tb_frame")],
    "frame": [("dict", "f_globals"), ("dict", "f_builtins"),
              ("dict", "%s.f_back.f_globals"), ("frame", "f_back"),
              ("dict", "f_locals")],
    "facade": [("dict", "__dict__"), ("module", "__loader__.__init__"),
               ("module", "_sys"), ("module", "sys"),
               ("module", "%s.__spec__.loader")],
    "module": [("dict", "__dict__"),
               ("canary", "getattr(%s, '<can' + 'ary>')"),
               ("dict", "vars(%s)")],
    "dict": [("canary", "%s['<canary>']"), ("canary", "%s.get('<canary>')"),
             ("canary", "{**%s}['<canary>']"),
             ("canary", "[v for k, v in %s.items() if k[:1] == '<'][0]"),
             ("canary", "dict(%s)['<can' + 'ary>']"),
             ("namespace", "%s['__builtins__']"),
             ("module", "%s['sys']")],
    "namespace": [("canary", "(%s if type(%s) is dict else %s.__dict__)"
                   "['<canary>']")],
    "property": [("function", "fget")],
    "bound super": [("object", "__self__"), ("class", "__thisclass__")],
    "cell": [("function", "cell_contents")],
    "kept": [("function", "obj")],
}

# What any program has: statements before, the expression, its kind.
STARTS = [
    ("def {v}(): pass", "{v}", "function"),
    ("def {v}(a=1, *b, **c): return a", "{v}", "function"),
    ("", "(lambda: 0)", "function"),
    ("class {v}:\n    def __init__(self): pass\n"
     "    def _run(self): return 1", "{v}()", "object"),
    ("class {v}:\n    def __init__(self): pass\n"
     "    def _run(self): return 1", "{v}", "class"),
    ("class {v}:\n    def __init__(self): pass", "{v}().__init__", "method"),
    ("class {v}:\n    def run(self): return 1", "{v}().run", "method"),
    ("class {v}:\n    @property\n    def a(self): return 1",
     "{v}.a", "property"),
    ("class {v}:\n    def run(self): return super()", "{v}().run()",
     "bound super"),
    ("", "()", "object"), ("", "''", "object"), ("", "0", "object"),
    ("", "object", "base"), ("", "type", "class"), ("", "str", "class"),
    ("", "len", "c function"), ("", "print", "c function"),
    ("", "isinstance", "c function"), ("", "getattr", "c function"),
    ("import math", "math.floor", "c function"),
    ("import json", "json.dumps", "library function"),
    ("import json", "json.JSONEncoder.default", "library function"),
    ("import json", "json.JSONDecoder().decode", "method"),
    ("import re", "re.compile", "library function"),
    ("import collections", "collections.namedtuple", "library function"),
    ("import collections", "collections.OrderedDict", "class"),
    ("import typing", "typing.cast", "library function"),
    ("import functools", "functools.wraps", "library function"),
    ("import functools", "functools.total_ordering", "library function"),
    ("import json", "json", "facade"), ("import re", "re", "facade"),
    ("import collections", "collections", "facade"),
    ("import typing", "typing", "facade"),
    ("import functools", "functools", "facade"),
    ("", "(x for x in [1])", "generator"),
    ("def {v}():\n    yield 1", "{v}()", "generator"),
    ("async def {v}(): return 1", "{v}()", "coroutine"),
    ("async def {v}():\n    yield 1", "{v}()", "async generator"),
    ("try:\n    1 / 0\nexcept Exception as e:\n    {v} = e", "{v}",
     "exception"),
    ("def {v}_f(): raise ValueError(1)\ntry:\n    {v}_f()\n"
     "except ValueError as e:\n    {v} = e", "{v}", "exception"),
    ("class {v}_c:\n    def __enter__(self): return self\n"
     "    def __exit__(self, t, v, tb):\n        global {v}\n"
     "        {v} = tb\n        return True\nwith {v}_c():\n    1 / 0",
     "{v}", "traceback"),
    ("def {v}_f():\n    a = lambda: 1\n    return lambda: a\n", "{v}_f()"
     ".__closure__[0]", "cell"),
    ("try:\n    (lambda: 0).nothing\nexcept AttributeError as e:\n"
     "    {v} = e", "{v}", "kept"),
    ("", "__builtins__", "namespace"),
    ("", "globals()", "dict"), ("", "vars()", "dict"),
    ("", "locals()", "dict"),
    ("", "eval('globals()')", "dict"),
    ("import sys", "sys", "module"),
    ("", "__import__('sys')", "module"),
    ("from sys import modules as {v}", "{v}['sys']", "module"),
    ("def {v}(d):\n    d.update(globals())\n    return d", "{v}({{}})",
     "dict"),
    ("import json\n{v} = []\nclass {v}_e(json.JSONEncoder):\n"
     "    def default(self, o):\n        {v}.append(self)\n"
     "        return 1\njson.dumps(object(), cls={v}_e)", "{v}[0]",
     "object"),
    ("import functools\n{v} = functools.partial(len)", "{v}.func",
     "c function"),
    ("import functools\n@functools.lru_cache\ndef {v}(): pass",
     "{v}.__wrapped__", "function"),
]


# --- how an attribute is read --------------------------------------------------


def text_of(r, name):
    """The name as an expression that is a str."""
    cut = r.randrange(len(name))
    return r.choice([
        repr(name),
        f"{name[:cut]!r} + {name[cut:]!r}",
        f"''.join({list(name)!r})",
        f"{name[::-1]!r}[::-1]",
        f"'%s' % {name!r}",
        f"str({name!r})",
        f"{name.upper()!r}.lower()" if name == name.lower() else repr(name),
        f"bytes({list(name.encode())!r}).decode()",
        f"type('S', (str,), {{}})({name!r})",
    ])


def wide(r, name):
    """Letters that the parser takes for those of the name."""
    at = r.choice([i for i, c in enumerate(name) if c.isalpha()])
    return name[:at] + chr(ord(name[at]) - 0x20 + 0xFF00) + name[at + 1:]


STYLES = [
    (8, lambda p, e, a: f"{e}.{a}"),
    (2, lambda p, e, a: f"({e}).{wide(p.r, a)}"),
    (2, lambda p, e, a: f"getattr({e}, {text_of(p.r, a)})"),
    (1, lambda p, e, a: f"getattr({e}, {text_of(p.r, a)}, None)"),
    (1, lambda p, e, a: f"object.__getattribute__({e}, {text_of(p.r, a)})"),
    (1, lambda p, e, a: f"type({e}).__getattribute__({e}, {a!r})"),
    (1, lambda p, e, a: f"list(map(getattr, [{e}], [{text_of(p.r, a)}]))[0]"),
    (1, lambda p, e, a: f"max([{e}], key=lambda o: 1).{a}"),
    (1, lambda p, e, a: f"(lambda o=({e}).{a}: o)()"),
    (1, lambda p, e, a: f"[o.{a} for o in [{e}]][0]"),
    (1, lambda p, e, a: f"next(o.{a} for o in ({e},))"),
    (1, lambda p, e, a: p.partial(e, a)),
    (1, lambda p, e, a: p.reduce(e, a)),
    (2, lambda p, e, a: p.pattern(e, a)),
    (2, lambda p, e, a: p.match_args(e, a)),
    (1, lambda p, e, a: p.class_body(e, a)),
    (1, lambda p, e, a: p.descriptor(e, a)),
    (1, lambda p, e, a: p.subclass(e, a)),
    (1, lambda p, e, a: f"vars({e})[{a!r}]"),
    (1, lambda p, e, a: f"eval({'o.' + a!r}, {{'o': {e}}})"),
]

# Those that the validator cannot judge: the name is known when it runs.
LATE_STYLES = [
    (3, lambda p, e, a: f"getattr({e}, {text_of(p.r, a)})"),
    (1, lambda p, e, a: f"getattr({e}, {text_of(p.r, a)}, None)"),
    (1, lambda p, e, a: f"list(map(getattr, [{e}], [{text_of(p.r, a)}]))[0]"),
    (1, lambda p, e, a: p.partial(e, a)),
    (1, lambda p, e, a: p.reduce(e, a)),
    (3, lambda p, e, a: p.match_args(e, a)),
    (1, lambda p, e, a: p.called_back(e, a)),
]
# What the validator would see.
EARLY = re.compile(r"\.__|__(builtins|import)__|\b(globals|vars|locals|eval|"
                   r"sys)\b|\.(gi|cr|ag|tb|f|co)_|\._|\.mro\b")

# How what was found is used.  Every one of these the canary notices.
TOUCHES = ["{x}()", "str({x})", "print({x})", "f'{{{x}}}'", "'%s' % ({x},)",
           "'{{}}'.format({x})", "{x} == 1", "hash({x})", "{x}.a",
           "[{x}] == [1]", "{{{x}: 1}}", "repr([{x}])", "getattr({x}, 'a')"]

# Statements around the one that matters; {s} is it, {v} a new name.
CARRIERS = [
    "{s}", "{s}", "{s}",
    "def {v}():\n{S}\n{v}()",
    "def {v}(a):\n{S}\n    return a\n{v}(1)",
    "class {v}:\n{S}",
    "class {v}:\n    def run(self):\n{SS}\n{v}().run()",
    "try:\n{S}\nfinally:\n    pass",
    "try:\n    raise ValueError\nexcept ValueError:\n{S}",
    "try:\n    pass\nelse:\n    pass\nfinally:\n{S}",
    "for {v} in range(1):\n{S}",
    "while True:\n{S}\n    break",
    "if 1:\n{S}",
    "match 1:\n    case {v}:\n{SS}",
    "def {v}():\n    yield 1\n{S}\nlist({v}())",
    "async def {v}():\n{S}\ntry:\n    {v}().send(None)\n"
    "except StopIteration:\n    pass",
    "def {v}(f):\n{S}\n    return f\n@{v}\ndef {v}_g(): pass",
    "class {v}:\n    def __enter__(self): return self\n"
    "    def __exit__(self, *a):\n{SS}\nwith {v}():\n    pass",
    "class {v}:\n    def __getattr__(self, n):\n{SS}\n        return 1\n"
    "{v}().x",
    "class {v}:\n    def __init_subclass__(cls):\n{SS}\nclass {v}_d({v}): pass",
    "class {v}:\n    def __set_name__(self, o, n):\n{SS}\n"
    "class {v}_d:\n    x = {v}()",
    "class {v}(type):\n    def __new__(m, n, b, d):\n{SS}\n"
    "        return type.__new__(m, n, b, d)\nclass {v}_d(metaclass={v}): pass",
    "sorted([2, 1], key=lambda {v}_k: 1)\n{s}",
    "import re\ndef {v}(m):\n{S}\n    return ''\nre.sub('a', {v}, 'a')",
    "import functools\n@functools.lru_cache\ndef {v}():\n{S}\n{v}()",
    "import functools\n@functools.singledispatch\ndef {v}(a):\n{S}\n{v}(1)",
    "import json\nclass {v}(json.JSONEncoder):\n    def default(self, o):\n"
    "{SS}\n        return 1\njson.dumps([object()], cls={v})",
]

NOISE = ["{v} = [n * n for n in range(3)]", "{v} = {{'a': 1, 'b': [2]}}",
         "{v} = 'text'.upper()", "print('{v}')", "{v} = sum([1, 2])",
         "{v}: int = 3", "import math", "from collections import Counter",
         "class {v}:\n    x = 1", "def {v}(): return 1",
         "{v} = lambda a: a", "assert True", "pass",
         "{v} = (1, *(2, 3))", "{v} = f'{{1 + 1}}'"]


def weighted(r, table):
    return r.choices([f for _, f in table], [w for w, _ in table])[0]


def indent(text, by):
    return "\n".join(" " * by + line for line in text.split("\n"))


class Program:
    """One of them, as text; the same for the same random numbers."""

    def __init__(self, r, canary=CANARY, touches=TOUCHES):
        self.r = r
        self.lines = []  # what must stand before the expression
        self.names = 0
        self.canary = canary
        # Half of them keep everything from the validator that they can.
        self.is_late = r.random() < 0.5
        start, expression, kind = r.choice(
            [s for s in STARTS if self.may(s[0] + " " + s[1])])
        v = self.name()
        if start:
            self.lines.append(start.format(v=v))
        expression = expression.format(v=v)
        for _ in range(9):
            ways = [w for w in WAYS.get(kind, []) if self.may(w[1])]
            if not ways:
                break
            kind, how = r.choice(ways)
            expression = self.step(expression, how)
        self.found = kind == "canary"
        self.text = self.wrap(self.use(expression, touches))

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def may(self, text):
        return not (self.is_late and EARLY.search(text))

    def step(self, expression, how):
        if "%s" in how:
            how = how.replace("<canary>", self.canary)
            how = how.replace("<can'", self.canary[:4] + "'")
            how = how.replace("'ary>'", f"'{self.canary[4:]}'")
            return how.replace("%s", self.short(expression))
        for name in how.split("."):
            styles = LATE_STYLES if self.is_late else STYLES
            expression = weighted(self.r, styles)(
                self, self.short(expression), name)
        return expression

    def short(self, expression):
        """Sometimes a variable of its own, by one of many ways to bind."""
        if len(expression) < 12 or self.r.random() < 0.5:
            return expression
        v = self.name()
        self.lines.append(self.r.choice([
            f"{v} = {expression}", f"({v} := {expression})",
            f"for {v} in [{expression}]: pass",
            f"[{v}, *_] = [{expression}, 1]",
            f"def {v}_f(a={expression}): return a\n{v} = {v}_f()",
            f"{v}: ({expression}) = {expression}",
            f"try:\n    {v} = {expression}\nexcept KeyError:\n    raise",
        ]))
        return v

    # The styles that need more than an expression.

    def partial(self, e, a):
        self.lines.append("import functools")
        return f"functools.partial(getattr, {e})({text_of(self.r, a)})"

    def reduce(self, e, a):
        self.lines.append("import functools")
        return f"functools.reduce(getattr, [{text_of(self.r, a)}], {e})"

    def called_back(self, e, a):
        """A function of the library calls getattr() for the program."""
        self.lines.append("import itertools, functools, re, collections")
        name = text_of(self.r, a)
        return self.r.choice([
            f"next(itertools.starmap(getattr, [({e}, {name})]))",
            f"list(itertools.accumulate([{e}, {name}], getattr))[1]",
            f"functools.partial(getattr, {e}, {name})()",
            f"collections.defaultdict(lambda: getattr({e}, {name}))[0]",
            f"functools.cached_property(lambda o: getattr({e}, {name}))"
            f".func(0)",
            f"functools.partialmethod(getattr, {name}).func({e}, {name})",
        ])

    def pattern(self, e, a):
        v = self.name()
        self.lines.append(f"match {e}:\n    case object({a}={v}): pass")
        return v

    def match_args(self, e, a):
        v = self.name()
        self.lines.append(
            f"class {v}_m(type):\n"
            f"    def __instancecheck__(cls, o): return True\n"
            f"class {v}_c(metaclass={v}_m):\n"
            f"    __match_args__ = ({text_of(self.r, a)},)\n"
            f"match {e}:\n    case {v}_c({v}): pass")
        return v

    def class_body(self, e, a):
        v = self.name()
        self.lines.append(f"class {v}:\n    x = {e}.{a}")
        return f"{v}.x"

    def descriptor(self, e, a):
        v = self.name()
        self.lines.append(f"class {v}:\n"
                          f"    x = property(lambda self: {e}.{a})")
        return f"{v}().x"

    def subclass(self, e, a):
        v = self.name()
        self.lines.append(
            f"class {v}:\n    def __getattr__(self, n):\n"
            f"        return getattr({e}, n)")
        return f"{v}().{a}"

    def use(self, expression, touches):
        if self.r.random() < 0.15:
            return self.formatted(touches)
        v = self.name()
        touch = self.r.choice(touches).format(x=v)
        return f"{v} = {expression}\n{touch}"

    def formatted(self, touches):
        """A whole walk inside a format string, which ends in a text."""
        v = self.name()
        walk = self.r.choice(
            ["0.__globals__[C]", "0.__builtins__[C]",
             "0.__init__.__globals__[C]", "x.__globals__[C]",
             "0.__class__.__init__.__globals__[C]"])
        walk = walk.replace("C", self.canary)
        self.lines.append(
            f"class {v}:\n    def __init__(self): pass\n"
            f"def {v}_f(): pass")
        target = f"{v}()" if "__init__" in walk else f"{v}_f"
        argument = f"x={target}" if walk[0] == "x" else target
        text = self.r.choice([
            f"'{{{walk}}}'.format({argument})",
            f"str.format('{{{walk}!r}}', {argument})",
            f"('{{' + {walk!r} + '}}').format({argument})",
            f"getattr('{{{walk}}}', 'format')({argument})",
            f"'{{{walk}}}'.format_map({{'x': {target}, '0': {target}}})",
            f"'{{:{{{walk}}}}}'.format(1, {argument})",
        ])
        return text if touches is TOUCHES else f"print({text})"

    def wrap(self, last):
        text = last
        for _ in range(self.r.choice([0, 1, 1, 2])):
            carrier = self.r.choice(CARRIERS)
            text = carrier.format(s=text, S=indent(text, 4),
                                  SS=indent(text, 8), v=self.name())
        lines = [*self.lines]
        for _ in range(self.r.randrange(3)):
            noise = self.r.choice(NOISE).format(v=self.name())
            lines.insert(self.r.randrange(len(lines) + 1), noise)
        return "\n".join([*lines, text]) + "\n"


def programs(seed, count, **how):
    r = random.Random(seed)
    made = []
    while len(made) < count:
        p = Program(r, **how)
        if p.found:
            made.append(p.text)
    return made


# --- running them --------------------------------------------------------------


def try_all(driver, paths, *options):
    """What became of each, several hundred to a driver, two at a time."""
    size = max(1, min(400, len(paths) // (os.cpu_count() or 1) + 1))
    chunks = [paths[i:i + size] for i in range(0, len(paths), size)]
    answers = []
    for at in range(0, len(chunks), os.cpu_count()):
        group = [subprocess.Popen(
            [driver, "-y", "-t", "20", *options, *chunk],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for chunk in chunks[at:at + os.cpu_count()]]
        for child in group:
            out, err = child.communicate()
            if child.returncode:
                sys.exit(f"{driver}: {err.decode(errors='replace')}")
            answers += [json.loads(line.decode(errors="replace"))
                        for line in out.splitlines()]
    return answers


class Report:
    def __init__(self):
        self.failed = False

    def line(self, holds, name, text, *more):
        self.failed |= not holds
        print(f"{'ok' if holds else 'not ok'} grammar {name} - {text}")
        for line in more if not holds else ():
            print(indent(line, 4))
        sys.stdout.flush()


def show(made, at):
    return "\n".join(f"{made[i]}" for i in at[:3])


def check_seed(driver, seed, count, report):
    made = programs(seed, count)
    with tempfile.TemporaryDirectory(prefix="glovebox-grammar.") as room:
        paths = []
        for i, text in enumerate(made):
            paths.append(f"{room}/{i}.py")
            pathlib.Path(paths[-1]).write_text(text)
        held = try_all(driver, paths)
        free = try_all(driver, paths, "-p", "raw")
        bare = try_all(driver, paths[:count // 2], "-x", "all")
    escaped = [i for i, a in enumerate(held) if a["canary"]]
    broken = [i for i, a in enumerate(held) if a["signal"] or a["exit"]]
    refused = sum(a["kind"] == REFUSED for a in held)
    report.line(not escaped and len(held) == count, f"restricted seed {seed}",
                f"{len(escaped)} of {count} programs touch the canary; the "
                f"validator refused {refused}, {count - refused} ran",
                show(made, escaped))
    report.line(not broken, f"unharmed seed {seed}",
                f"{len(broken)} of {count} programs crash or hang",
                show(made, broken))
    reached = sum(a["canary"] > 0 for a in free)
    report.line(reached * 4 >= count, f"raw seed {seed}",
                f"with no rules {reached} of {count} touch it")
    reached = sum(a["canary"] > 0 for a in bare)
    report.line(reached > 0, f"rules_off seed {seed}",
                f"restricted without its rules: {reached} of {len(bare)}")
    report.line((count - refused) * 5 >= count, f"runs seed {seed}",
                f"{count - refused} of {count} are past the validator and "
                f"stopped, or harmless, when they run")


MARK = "canary 42"


def check_boxes(build, seed, count, report):
    """In real boxes the canary is eval() itself, which prints the mark."""
    made = programs(seed, count, canary="eval", touches=[
        "{x}(\"print('canary ' + str(6 * 7))\")"])
    made = [p.replace("'Canary' in", "'nothing' in") for p in made]
    with tempfile.TemporaryDirectory(prefix="glovebox-grammar.") as room:
        paths = []
        for i, text in enumerate(made):
            paths.append(f"{room}/{i}.py")
            pathlib.Path(paths[-1]).write_text(text)
        reached = {p: ask(build, p, paths) for p in ("restricted", "raw")}
    for profile, answers in reached.items():
        reached[profile] = [i for i, a in enumerate(answers)
                            if MARK in a["stdout"]]
        ends = collections.Counter(a["verdict"] for a in answers)
        if set(ends) != {"ended"} or len(answers) != count:
            report.line(False, f"boxes {profile}", f"ends: {dict(ends)}")
    report.line(not reached["restricted"], f"boxes restricted seed {seed}",
                f"{len(reached['restricted'])} of {count} programs reach "
                f"eval()", show(made, reached["restricted"]))
    report.line(len(reached["raw"]) * 20 >= count, f"boxes raw seed {seed}",
                f"with no rules {len(reached['raw'])} of {count} reach it")


def ask(build, profile, paths):
    done = subprocess.run(
        [f"{build}/ask", "-p", profile], input="\n".join(paths) + "\n",
        capture_output=True, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"ask: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--boxes", type=int, default=0)
    parser.add_argument("--print", action="store_true", help="only show them")
    args = parser.parse_args()
    seeds = args.seed or [1, random.SystemRandom().randrange(10 ** 9)]
    if args.print:
        print("\n# ---\n".join(programs(seeds[0], args.programs)))
        return
    report = Report()
    for seed in seeds:
        check_seed(f"{args.build}/try", seed, args.programs, report)
    if args.boxes:
        check_boxes(args.build, seeds[0], args.boxes, report)
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
