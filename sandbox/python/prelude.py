"""What a template does in Python, once, before it is sealed.

Run by interp.c with three names: `wanted` (modules of the profile), `rules`
(whether the language rules apply) and `source_lines` (the program's lines).
Nothing in here is reachable from a program of `restricted`.
"""
import sys
import _imp
import _frozen_importlib as bootstrap
import _frozen_importlib_external as external

# Loaded lazily by something that a program may use.  With the file system
# gone, what is not here cannot be had.
HELPERS = """
    _strptime unicodedata calendar locale linecache traceback warnings copyreg
    heapq bisect copy weakref types contextlib keyword operator reprlib
    numbers tracemalloc stringprep gc
""".split()

CODECS = """
    aliases ascii base64_codec big5 charmap cp1250 cp1251 cp1252 cp1253 cp1254
    cp437 cp850 cp866 cp932 cp949 euc_jp euc_kr gb18030 gb2312 gbk hex_codec
    idna iso2022_jp iso8859_1 iso8859_15 iso8859_2 iso8859_5 iso8859_7
    iso8859_9 johab koi8_r koi8_u latin_1 mac_roman punycode quopri_codec
    raw_unicode_escape rot_13 shift_jis unicode_escape utf_16 utf_16_be
    utf_16_le utf_32 utf_32_be utf_32_le utf_7 utf_8 utf_8_sig uu_codec
    zlib_codec
""".split()

# Only where the whole library is offered.
STANDARD_HELPERS = """
    _blake2 _md5 _pydecimal _pyio _sha1 _sha256 _sha3 _sha512 _sitebuiltins
    asyncio.base_events asyncio.runners
    asyncio.selector_events binascii bz2 cmd code codeop concurrent.futures
    concurrent.futures.thread configparser dis doctest email.message
    faulthandler filecmp fileinput getopt gettext grp gzip html.entities importlib importlib.abc
    importlib.machinery importlib.util logging.handlers lzma mimetypes ntpath
    opcode optparse pickletools plistlib pwd pyclbr quopri runpy sched select
    stat symtable tabnanny tarfile unittest.async_case unittest.case
    unittest.loader unittest.main unittest.result unittest.runner
    unittest.signals unittest.suite unittest.util urllib.error
    xml.dom.minidom xml.sax.saxutils zipfile
""".split()


def hide_paths():
    """Code of the library is called <json.decoder>, not by its path: no path
    of the host in a traceback, and nobody tries to read the file."""
    plain = external.SourceFileLoader.get_code

    def get_code(self, fullname):
        code = plain(self, fullname)
        _imp._fix_co_filename(code, f"<{fullname}>")
        return code

    external.SourceFileLoader.get_code = get_code
    for module in list(sys.modules.values()):
        for thing in list(vars(module).values()):
            code = getattr(thing, "__code__", None)
            if code and not code.co_filename.startswith("<"):
                _imp._fix_co_filename(code, f"<{module.__name__}>")

    def restore():
        external.SourceFileLoader.get_code = plain
    return restore


def load(names, must=True):
    for name in names:
        try:
            __import__(name)
        except ImportError:
            if must:
                raise


def zone_data():
    """Every time zone's file, by name, read once."""
    import os
    root = "/usr/share/zoneinfo"
    found = {}
    same = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in ("posix", "right")]
        for file in files:
            path = os.path.join(folder, file)
            with open(path, "rb") as f:
                data = f.read()
            if data[:4] == b"TZif":
                name = os.path.relpath(path, root)
                found[name] = same.setdefault(data, data)
    return found


def load_zoneinfo():
    """zoneinfo with its data in memory.  Its C half keeps find_tzfile from
    the moment it is loaded, so _tzpath must be changed before."""
    import importlib.util
    spec = importlib.util.find_spec("zoneinfo")
    place = spec.submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location(
        "zoneinfo._tzpath", place + "/_tzpath.py")
    tzpath = importlib.util.module_from_spec(spec)
    sys.modules["zoneinfo._tzpath"] = tzpath
    spec.loader.exec_module(tzpath)
    zones = zone_data()

    zones.pop("posixrules", None)

    def find_tzfile(key):
        tzpath._validate_tzfile_path(key)
        return None

    def available_timezones():
        return set(zones)

    def load_tzdata(key):
        import io
        data = zones.get(key)
        if data is None:
            raise common.ZoneInfoNotFoundError(
                f"No time zone found with key {key}")
        return io.BytesIO(data)

    tzpath.find_tzfile = find_tzfile
    tzpath.available_timezones = available_timezones
    import zoneinfo
    from zoneinfo import _common as common
    common.load_tzdata = load_tzdata
    zoneinfo._tzpath = tzpath
    zoneinfo.available_timezones = available_timezones
    zoneinfo.ZoneInfo("UTC")


def quiet_asyncio():
    """An event loop that needs no descriptor: nothing can become readable in
    a box, so waiting is sleeping."""
    import asyncio
    import selectors
    import signal
    import time
    from asyncio import events, selector_events

    class SleepSelector(selectors._BaseSelectorImpl):
        def select(self, timeout=None):
            if timeout is None:
                timeout = 3600.0
            if timeout > 0:
                time.sleep(timeout)
            return []

    class EventLoop(selector_events.BaseSelectorEventLoop):
        def __init__(self, selector=None):
            super().__init__(selector or SleepSelector())

        def _make_self_pipe(self):
            self._internal_fds = 0

        def _close_self_pipe(self):
            pass

        def _write_to_self(self):
            pass

    class Policy(events.BaseDefaultEventLoopPolicy):
        _loop_factory = EventLoop

    EventLoop.__name__ = EventLoop.__qualname__ = "SelectorEventLoop"
    asyncio.SelectorEventLoop = EventLoop
    asyncio.DefaultEventLoopPolicy = Policy
    asyncio.set_event_loop_policy(Policy())
    # asyncio.run() puts its own handler in the place of Python's.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    selectors.DefaultSelector = SleepSelector


def every_codec():
    import encodings
    import os
    names = os.listdir(os.path.dirname(encodings.__file__))
    load(["encodings." + n[:-3] for n in names if n.endswith(".py")],
         must=False)


def quiet_uuid():
    """No asking of the network for a node, no libuuid that asks a daemon."""
    import uuid
    uuid._generate_time_safe = None
    uuid._UuidCreate = None
    uuid._GETTERS = []


def quiet_platform():
    """Forget what was learned about this machine; start no program."""
    import platform
    platform._uname_cache = None
    platform._platform_cache.clear()
    platform._Processor.from_subprocess = staticmethod(str)


def quiet_inspect():
    """Text of functions comes from the line cache; no file is looked for."""
    import inspect
    import linecache
    stock = inspect.getsourcefile

    def getsourcefile(object):
        name = inspect.getfile(object)
        if name.startswith("<"):
            return name if name in linecache.cache else None
        return stock(object)

    inspect.getsourcefile = getsourcefile


def forget_files():
    """Modules do not say where they came from: nobody looks there."""
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        if not getattr(module, "__file__", None) or spec is None:
            continue
        for name in ("__file__", "__cached__"):
            if name in vars(module):
                delattr(module, name)
        module.__loader__ = spec.loader = None
        spec.origin = spec.cached = None
        spec.has_location = False
        if spec.submodule_search_locations is not None:
            module.__path__ = spec.submodule_search_locations = []


def use_openssl_once():
    """Its first use reads a configuration file."""
    import hashlib
    for name in hashlib.algorithms_guaranteed:
        try:
            hashlib.new(name)
        except ValueError:
            pass
    hashlib.pbkdf2_hmac("sha256", b"", b"", 1)


def program_in_linecache():
    """traceback.print_exc() finds the program's lines, made when asked."""
    import linecache
    name = "<sandbox>"

    class Cache(dict):
        def __contains__(self, key):
            return key == name or dict.__contains__(self, key)

        def __getitem__(self, key):
            if key == name:
                lines = source_lines()
                return (sum(map(len, lines)), None, lines, name)
            return dict.__getitem__(self, key)

        def get(self, key, default=None):
            return self[key] if key in self else default

        def clear(self):
            dict.clear(self)

    linecache.cache = Cache(linecache.cache)


def site_builtins():
    import builtins
    from _sitebuiltins import Quitter
    builtins.exit = Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = Quitter("quit", "Ctrl-D (i.e. EOF)")


def seal(offered):
    """No path, no finder: what is loaded is all there is."""
    class Nowhere:
        @staticmethod
        def find_spec(name, path=None, target=None):
            return None

        @staticmethod
        def invalidate_caches():
            pass

    bootstrap._ERR_MSG = (
        "No module named {!r} (this sandbox offers: "
        + ", ".join(sorted(offered)).replace("{", "").replace("}", "") + ")")
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    sys.meta_path[:] = [Nowhere]
    sys.argv[:] = [""]
    sys.executable = ""


def quiet_queue():
    import queue
    queue.SimpleQueue = queue._PySimpleQueue  # the C one waits in the kernel


def quiet_pdb():
    """Every doctest makes a debugger, which would read .pdbrc."""
    import pdb
    *others, readrc = pdb.Pdb.__init__.__defaults__
    pdb.Pdb.__init__.__defaults__ = (*others, False)


# What a module must be told before it works in a box without asking for more.
QUIET = {
    "asyncio": quiet_asyncio,
    "hashlib": use_openssl_once,
    "inspect": quiet_inspect,
    "pdb": quiet_pdb,
    "platform": quiet_platform,
    "queue": quiet_queue,
    "uuid": quiet_uuid,
}


def main():
    restore = hide_paths()
    load(HELPERS)
    load(["__future__", "_string"])
    load(["encodings." + name for name in CODECS], must=False)
    if "zoneinfo" in wanted:
        load_zoneinfo()
    load(wanted)
    if not rules:
        load(STANDARD_HELPERS, must=False)
        every_codec()
        site_builtins()
        program_in_linecache()
    for name, make_quiet in QUIET.items():
        if name in sys.modules:
            make_quiet()
    import datetime
    datetime.datetime.strptime("2000", "%Y")
    datetime.datetime.now().astimezone()
    "\u00fc.example".encode("idna")
    restore()
    forget_files()
    seal(wanted)


main()
