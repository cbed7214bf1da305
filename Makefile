# Glovebox.  `make help` lists what can be made.
#
# Programs: glovebox (the app), glovebox-sandbox (warden, template, box) and
# gloveboxctl (the operator's command).  Objects and programs go to build/;
# BUILD=dir builds elsewhere, VARIANT=asan|tsan|test|cover|fuzz|conformance with
# other flags.

VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
VARIANT  ?= release
BUILD    ?= build/$(VARIANT)
CC       := gcc
ifeq ($(VARIANT),conformance)
  VERSION := $(VERSION)+conformance
endif

# --- flags, by purpose -------------------------------------------------------
WARNINGS  := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
             -Wmissing-prototypes -Wold-style-definition -Wformat=2 \
             -Wwrite-strings -Wvla -Wpointer-arith -Wundef -Wcast-qual \
             -Wimplicit-fallthrough -Wnull-dereference -Wduplicated-cond \
             -Wlogical-op -Wdouble-promotion
HARDENING := -fstack-protector-strong -fstack-clash-protection -fcf-protection \
             -fPIE -D_FORTIFY_SOURCE=2 -fno-strict-aliasing \
             -ftrivial-auto-var-init=zero
HARD_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code
SANITIZE  :=
SAN_LINK  :=
OPTIMIZE  := -O2 -g
DEFINES   := -D_GNU_SOURCE -DGLOVEBOX_VERSION='"$(VERSION)"'

ifeq ($(VARIANT),asan)
  SANITIZE  := -fsanitize=address,undefined -fno-omit-frame-pointer \
               -fno-sanitize-recover=all
  # As shared libraries each hides where the other is to report to.
  SAN_LINK  := -static-libasan -static-libubsan
  HARDENING := -fPIE
  OPTIMIZE  := -O1 -g
  WATCHED   := $(BUILD)/tests/sanitize/programs.o
endif
ifeq ($(VARIANT),tsan)
  SANITIZE  := -fsanitize=thread
  HARDENING := -fPIE
  OPTIMIZE  := -O1 -g
  WATCHED   := $(BUILD)/tests/sanitize/programs.o
endif
ifeq ($(VARIANT),test)
  DEFINES   += -DGLOVEBOX_TEST_PROFILES=1 -DGLOVEBOX_TEST_HOOKS=1
endif
# With what the official MCP suite wants to find; serves this machine only.
ifeq ($(VARIANT),conformance)
  DEFINES   += -DGLOVEBOX_CONFORMANCE=1
endif
ifeq ($(VARIANT),cover)
  # Kept by tests/cover/counters.c, since a box can write no file.
  SANITIZE  := --coverage -fprofile-update=atomic \
               -fprofile-info-section=gcov_info
  COVER_DIR ?= $(abspath $(BUILD))/counters
  COVER_OBJ := $(BUILD)/tests/cover/counters.o
  COVER_LD  := $(COVER_OBJ) -Wl,--wrap=_exit
  HARDENING := -fPIE
  OPTIMIZE  := -O0 -g
  DEFINES   += -DGLOVEBOX_TEST_HOOKS=1
endif

# What a sanitizer adds to the code leads this warning astray.
ifneq ($(WATCHED),)
  WARNINGS  := $(filter-out -Wnull-dereference,$(WARNINGS))
endif

# libFuzzer is clang's, which does not know all of gcc's warnings.
ifeq ($(VARIANT),fuzz)
  CC        := clang
  WARNINGS  := -Wall -Wextra -Werror -Wshadow -Wvla
  SANITIZE  := -fsanitize=fuzzer-no-link,address,undefined \
               -fno-sanitize-recover=all -fno-omit-frame-pointer
  HARDENING := -fPIE
  OPTIMIZE  := -O1 -g
endif

# The interpreter is Debian's, whatever else is on the PATH.
PKG_CONFIG := PKG_CONFIG_PATH= pkg-config
PY_CFLAGS  := $(shell $(PKG_CONFIG) --cflags python-3.11-embed 2>/dev/null)
# Linked statically: the parser's C interface is not in the shared library.
# Exported (-E), because extension modules look for their symbols in us.
PY_STATIC  := $(shell $(PKG_CONFIG) --variable=prefix python-3.11-embed \
              2>/dev/null)/lib/python3.11/config-3.11-$(shell $(CC) \
              -print-multiarch)/libpython3.11-pic.a
PY_LIBS    := -Wl,-E -Wl,--whole-archive $(PY_STATIC) \
              -Wl,--no-whole-archive -lexpat -lz -lm -ldl
SECCOMP    := $(shell $(PKG_CONFIG) --libs libseccomp 2>/dev/null)
JSONC_C    := $(shell $(PKG_CONFIG) --cflags json-c 2>/dev/null)
JSONC      := $(shell $(PKG_CONFIG) --libs json-c 2>/dev/null)
CHECK      := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

CFLAGS  := -std=gnu17 -I. -include sandbox/base/banned.h $(OPTIMIZE) \
           $(WARNINGS) $(HARDENING) $(SANITIZE) $(DEFINES)
LDFLAGS := $(HARD_LINK) $(SANITIZE) $(SAN_LINK) $(COVER_LD)
# Gaps beside code and constants, and what every box writes in one place.
LARGE_LINK := -Wl,-T,sandbox/large.ld

# --- sources, by room --------------------------------------------------------
BASE_SRC    := $(wildcard sandbox/base/*.c sandbox/wire/*.c)
PYTHON_SRC  := $(wildcard sandbox/python/*.c)
SANDBOX_SRC := $(filter-out sandbox/main.c,$(wildcard sandbox/*.c)) \
               $(wildcard sandbox/confine/*.c) $(PYTHON_SRC)
APP_SRC     := $(filter-out fcgi-app/main.c,$(wildcard fcgi-app/*.c)) \
               $(filter-out fcgi-app/ctl/% fcgi-app/bridge/%, \
                 $(wildcard fcgi-app/*/*.c))
BRIDGE_SRC  := $(wildcard fcgi-app/bridge/*.c)
CTL_SRC     := $(wildcard fcgi-app/ctl/*.c) $(BRIDGE_SRC)
UNIT_SRC    := $(wildcard tests/unit/*.c)
SUPPORT_SRC := $(wildcard tests/support/*.c)
CONFINE_SRC := $(wildcard tests/confine/*.c)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))

PROGRAMS := $(BUILD)/glovebox $(BUILD)/glovebox-sandbox $(BUILD)/gloveboxctl

.PHONY: all
all: $(PROGRAMS)

$(BUILD)/glovebox: $(call obj,fcgi-app/main.c $(APP_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ -lfcgi $(JSONC) -lm -lpthread

$(BUILD)/gloveboxctl: $(call obj,$(CTL_SRC) $(APP_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ -lfcgi $(JSONC) -lm -lpthread

$(BUILD)/glovebox-sandbox: sandbox/large.ld
$(BUILD)/glovebox-sandbox: $(call obj,sandbox/main.c $(SANDBOX_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) $(LARGE_LINK) -o $@ $(filter %.o,$^) \
	    $(PY_LIBS) $(SECCOMP)

$(BUILD)/unit: sandbox/large.ld
$(BUILD)/unit: $(call obj,$(UNIT_SRC) $(SUPPORT_SRC) $(APP_SRC) \
               $(filter-out fcgi-app/ctl/main.c,$(CTL_SRC)) \
               $(SANDBOX_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) $(LARGE_LINK) -o $@ $(filter %.o,$^) \
	    -lfcgi $(JSONC) $(PY_LIBS) $(SECCOMP) $(CHECK) -lpthread

$(BUILD)/confine: $(call obj,$(CONFINE_SRC) $(SUPPORT_SRC) $(BASE_SRC) \
                  $(wildcard sandbox/confine/*.c))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(SECCOMP) $(CHECK)

$(BUILD)/ask: $(call obj,tests/language/ask.c $(SUPPORT_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^

$(BUILD)/try: $(call obj,tests/language/try.c tests/language/canary.c \
              tests/language/starve.c $(PYTHON_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(PY_LIBS)

$(BUILD)/sandbox/python/%.o: CFLAGS += $(PY_CFLAGS)
# The driver of `try -f`, in a directory of its own: BUILD=dir FAILING=1.
ifeq ($(FAILING),1)
  CFLAGS += -DGLOVEBOX_FAILING=1
endif
$(BUILD)/tests/language/canary.o $(BUILD)/tests/language/starve.o \
$(BUILD)/tests/unit/test_nursery.o: \
    CFLAGS += $(PY_CFLAGS)
$(BUILD)/sandbox/python/prelude.o: CFLAGS += -I$(BUILD)/sandbox/python
$(BUILD)/sandbox/python/prelude.o: $(BUILD)/sandbox/python/prelude.inc

$(BUILD)/fcgi-app/openapi.o: CFLAGS += -I$(BUILD)/fcgi-app
$(BUILD)/fcgi-app/openapi.o: $(BUILD)/fcgi-app/openapi.inc

$(BUILD)/sandbox/python/prelude.inc: sandbox/python/prelude.py
$(BUILD)/fcgi-app/openapi.inc: docs/openapi.json
%.inc:
	@mkdir -p $(@D)
	$(call quiet,GEN )od -An -v -tu1 $< | sed 's/\([0-9][0-9]*\)/\1,/g' > $@

$(BUILD)/fcgi-app/%.o $(BUILD)/tests/%.o: CFLAGS += $(JSONC_C)
$(BUILD)/tests/support/%.o: CFLAGS += \
    -DCLIENT_PROGRAM='"$(abspath $(BUILD))/glovebox-sandbox"'

# With a fault in it, to show that it is found: tests/sanitize/run.
$(BUILD)/planted: $(call obj,tests/sanitize/planted.c)
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ -lpthread

# Programs that are watched: tests/sanitize/programs.c.
ifneq ($(WATCHED),)
$(PROGRAMS) $(BUILD)/planted: $(WATCHED)
$(PROGRAMS) $(BUILD)/planted: LDFLAGS += -Wl,--wrap=posix_spawn
$(WATCHED): CFLAGS += -DREPORTS='"$(abspath $(BUILD))/reports"' \
    -DRELEASED='"$(abspath build/release)/glovebox-sandbox"'
endif

ifneq ($(COVER_OBJ),)
$(PROGRAMS) $(BUILD)/unit $(BUILD)/confine $(BUILD)/try $(BUILD)/ask: | \
    $(COVER_OBJ)
$(COVER_OBJ): CFLAGS := $(filter-out $(SANITIZE),$(CFLAGS)) \
    -DCOVER_DIR='"$(COVER_DIR)"'
endif

# V=1 shows the commands themselves.
ifeq ($(V),1)
  quiet :=
else
  quiet = @echo '  $(1) $@';
endif

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call quiet,CC  )$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# --- tests -------------------------------------------------------------------
.PHONY: check check-unit check-confine check-language check-escape check-flow
.PHONY: check-asan
check: check-unit check-confine check-language check-escape check-flow

check-unit: $(BUILD)/unit $(PROGRAMS)
	$(BUILD)/unit

check-confine: $(BUILD)/confine $(PROGRAMS)
	$(BUILD)/confine

# With test hooks: a rule can be taken out to show what it holds back.
# The driver has test hooks, to take a rule out; CPython's own tests run in
# boxes of the programs as they are released.
check-language: $(BUILD)/ask $(PROGRAMS)
	$(MAKE) VARIANT=test BUILD=$(BUILD)/hooks $(BUILD)/hooks/try
	$(MAKE) VARIANT=test BUILD=$(BUILD)/failing FAILING=1 \
	    $(BUILD)/failing/try
	/usr/bin/python3 tests/language/run.py --build $(BUILD)/hooks
	/usr/bin/python3 tests/language/cpython.py --build $(BUILD)

# Random programs that look for a way out; a sample of them in real boxes.
# GRAMMAR=--programs=100000 for long.
GRAMMAR ?= --boxes=200
.PHONY: check-grammar
check-grammar:
	$(MAKE) VARIANT=test BUILD=build/test all build/test/try build/test/ask
	/usr/bin/python3 tests/language/grammar.py --build build/test $(GRAMMAR)

# In the test build: the profile `raw`, and steps that can be made to fail.
check-escape:
	$(MAKE) VARIANT=test all
	/usr/bin/python3 tests/escape/run.py --build build/test

# Guards taken out one at a time: a test must notice.  All of them, with the
# table in docs/TESTING.md; a sample for ./ops/test.
.PHONY: mutate check-mutate
mutate:
	/usr/bin/python3 tests/mutate/run.py --write

check-mutate:
	/usr/bin/python3 tests/mutate/run.py --short filter namespaces calls

.PHONY: check-leftovers
check-leftovers:
	/usr/bin/python3 tests/support/test_leftovers.py

check-flow: $(PROGRAMS) $(BUILD)/load
	/usr/bin/python3 tests/flow/run.py --build $(BUILD) --jobs 2

# Their long forms: times are held to what is promised, every phase is tried.
.PHONY: check-resources check-faults
LONG_resources := resources.
LONG_faults := faults. shortages. kernels. clocks. upstreams.silence
check-resources check-faults: check-%: $(PROGRAMS)
	GLOVEBOX_LONG=yes /usr/bin/python3 tests/flow/run.py --build $(BUILD) \
	    $(LONG_$*)

# The official tools of MCP; the suite also wants a build with fixtures.
.PHONY: check-mcp
check-mcp: $(PROGRAMS)
	$(MAKE) VARIANT=conformance BUILD=build/conformance all
	/usr/bin/python3 tests/mcp/run.py --build $(BUILD) \
	    --fixtures build/conformance

# The functions, then app, gloveboxctl and warden; no box can run under them.
check-asan:
	$(MAKE) VARIANT=asan build/asan/unit
	ASAN_OPTIONS=detect_leaks=1 build/asan/unit
	tests/sanitize/run asan $(SANITIZE_CLAIMS)

.PHONY: check-tsan check-valgrind cover
check-tsan:
	tests/sanitize/run tsan $(SANITIZE_CLAIMS)

check-valgrind:
	tests/sanitize/run valgrind $(SANITIZE_CLAIMS)

cover:
	tests/cover/run

# Everything in its long form; the figures go to docs/TESTING.md.  See
# tests/proof/run for PROOF_SCALE, PROOF_FUZZ_SECONDS and others.
.PHONY: proof
proof: $(PROGRAMS)
	tests/proof/run $(addprefix --only=,$(PROOF_STEPS))

# Every tests/fuzz/fuzz_NAME.c, linked with those parts of both programs that it
# uses; the ones that need the interpreter are named here.
FUZZERS      := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PYTHON  := fuzz_context fuzz_program
FUZZ_SRC     := $(BASE_SRC) $(APP_SRC) $(BRIDGE_SRC) $(PYTHON_SRC) \
                sandbox/lane.c sandbox/harvest.c sandbox/glance.c sandbox/watch.c
FUZZ_BUILD   := build/fuzz
FUZZ_SECONDS ?= 60
FUZZ         ?=

$(BUILD)/parts.a: $(call obj,$(FUZZ_SRC))
	$(call quiet,AR  )rm -f $@ && ar rcs $@ $^

$(addprefix $(BUILD)/,$(FUZZERS)): $(BUILD)/fuzz_%: \
        $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/parts.a
	$(call quiet,LINK)$(CC) -pie $(SANITIZE) -fsanitize=fuzzer -o $@ $^ \
	    -lfcgi $(JSONC) $(FUZZ_LIBS) -lm -lpthread
$(addprefix $(BUILD)/,$(FUZZ_PYTHON)): FUZZ_LIBS := $(PY_LIBS)
$(patsubst %,$(BUILD)/tests/fuzz/%.o,$(FUZZ_PYTHON)): CFLAGS += $(PY_CFLAGS)

.PHONY: fuzz fuzzers
fuzzers: $(addprefix $(BUILD)/,$(FUZZERS))

fuzz:
	$(MAKE) VARIANT=fuzz BUILD=$(FUZZ_BUILD) fuzzers
	tests/fuzz/run --build $(FUZZ_BUILD) --seconds $(FUZZ_SECONDS) $(FUZZ)

# Results go to $(BUILD)/bench; bench-record keeps them in docs/bench.
.PHONY: bench bench-record
BENCH ?=
bench: $(PROGRAMS) $(BUILD)/load $(BUILD)/floor
	ops/packages bench
	/usr/bin/python3 tests/bench/bench.py --build $(BUILD) $(BENCH)
	/usr/bin/python3 tests/bench/growth.py --build $(BUILD)

bench-record: bench
	install -d docs/bench
	install -m 644 $(BUILD)/bench/* docs/bench

$(BUILD)/load: $(call obj,tests/bench/load.c $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^

$(BUILD)/floor: $(call obj,tests/bench/floor.c $(PYTHON_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(PY_LIBS)

# Ten times more than can be run, for half a minute; needs an idle machine.
.PHONY: overload overload-record
OVERLOAD_SECONDS ?= 30
overload-record: OVERLOAD = --record
overload overload-record: $(PROGRAMS) $(BUILD)/load
	/usr/bin/python3 tests/flow/overload.py --build $(BUILD) \
	    --seconds $(OVERLOAD_SECONDS) $(OVERLOAD)

# A hundred thousand runs; SOAK_RUNS=1000 for a taste.
.PHONY: soak
SOAK_RUNS ?= 100000
$(BUILD)/soak: $(call obj,tests/bench/soak.c $(SUPPORT_SRC) $(BASE_SRC))
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^

soak: $(BUILD)/soak $(PROGRAMS)
	$(BUILD)/soak $(SOAK_RUNS)

# --- looking at the text -----------------------------------------------------
C_FILES := $(wildcard fcgi-app/*.[ch] fcgi-app/*/*.[ch] sandbox/*.[ch] \
           sandbox/*/*.[ch] tests/*/*.[ch])

.PHONY: lint format
lint:
	tests/lint/run

format:
	clang-format -i $(C_FILES)

# --- installing --------------------------------------------------------------
BINDIR     := $(DESTDIR)$(PREFIX)/bin
LIBEXECDIR := $(DESTDIR)$(PREFIX)/libexec/glovebox
SHAREDIR   := $(DESTDIR)$(PREFIX)/share/glovebox
DOCDIR     := $(DESTDIR)$(PREFIX)/share/doc/glovebox
ETCDIR     := $(DESTDIR)/etc/glovebox

.PHONY: install uninstall releasable
# Whatever BUILD names: what is installed is what is released.
releasable: $(PROGRAMS)
	@[ "$$($(BUILD)/gloveboxctl version)" = "gloveboxctl $(VERSION)" ] && \
	    [ "$(VARIANT)" != conformance ] || { \
	    echo '$(BUILD) is a build for tests and is not installed' >&2; exit 1; }

install: $(PROGRAMS) releasable
	install -d $(BINDIR) $(LIBEXECDIR) $(SHAREDIR)/nginx $(SHAREDIR)/ops \
	    $(DOCDIR)/decisions $(ETCDIR)
	install -m 755 $(BUILD)/glovebox $(BUILD)/gloveboxctl $(BINDIR)
	install -m 755 $(BUILD)/glovebox-sandbox $(LIBEXECDIR)
	install -m 644 $(wildcard nginx/*) $(SHAREDIR)/nginx
	install -m 755 ops/render ops/renew $(SHAREDIR)/ops
	install -m 644 ops/lib.sh $(SHAREDIR)/ops
	install -m 640 ops/glovebox.conf $(ETCDIR)/glovebox.conf.example
	install -m 644 README.md $(wildcard docs/*.md) docs/openapi.json $(DOCDIR)
	install -m 644 $(wildcard docs/decisions/*.md) $(DOCDIR)/decisions

uninstall:
	rm -f $(BINDIR)/glovebox $(BINDIR)/gloveboxctl
	rm -rf $(LIBEXECDIR) $(SHAREDIR) $(DOCDIR)
	rm -f $(ETCDIR)/glovebox.conf.example

.PHONY: deb check-deb
deb: $(PROGRAMS)
	ops/debian/build $(abspath $(BUILD)) $(VERSION) $(abspath $(BUILD))

# On a clean Debian with a systemd of its own; as root, with Debian's archive.
check-deb: deb
	ops/packages deb
	/usr/bin/python3 tests/debian/run.py $(BUILD)/glovebox_$(VERSION)_*.deb

# Built and run without Docker; as root, with Debian's archive.
.PHONY: check-image
check-image:
	ops/packages image
	unshare --mount /usr/bin/python3 tests/image/run.py

.PHONY: clean
clean:
	rm -rf build

.PHONY: help
help:
	@echo 'make                the three programs, in $(BUILD)'
	@echo 'make check          unit, confinement, language, escape and flow tests'
	@echo 'make check-unit     one of them; also -confine, -language, -escape, -flow,'
	@echo '                    and -mcp, the official tools of MCP'
	@echo 'make check-resources  resources and faults in their long forms;'
	@echo '                    also check-faults'
	@echo 'make check-asan     unit and flow tests under ASan and UBSan'
	@echo 'make check-tsan     flow tests under TSan; also -valgrind'
	@echo 'make check-deb      the Debian package on a clean system with systemd'
	@echo 'make check-image    the container image, built and run'
	@echo 'make check-grammar  random programs against the validator'
	@echo 'make cover          lines and branches that the tests run'
	@echo 'make proof          everything in its long form; PROOF_SCALE=0.01 for less'
	@echo 'make fuzz           every fuzzer, FUZZ_SECONDS=60 each'
	@echo 'make bench          speed and memory, as ratios within one run'
	@echo 'make bench-record   likewise, and keep the results in docs/bench'
	@echo 'make mutate         take each guard out: a test must notice'
	@echo 'make overload       ten times overload for OVERLOAD_SECONDS=30;'
	@echo '                    overload-record keeps the table in OPERATIONS.md'
	@echo 'make soak           SOAK_RUNS=100000 runs in a row: nothing may grow'
	@echo 'make lint           format, layers, banned calls, headers, documents'
	@echo 'make format         apply .clang-format'
	@echo 'make install        DESTDIR= PREFIX=/usr/local'
	@echo 'make deb            a Debian package, in $(BUILD)'
	@echo 'make VARIANT=asan   also tsan, test, cover, conformance: other flags'
	@echo 'The two commands most people need: ./ops/up and ./ops/test'
