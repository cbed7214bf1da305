# Glovebox.  `make help` lists what can be made.
#
# Programs: glovebox (the app), glovebox-sandbox (warden, template, box) and
# gloveboxctl (the operator's command).  Objects and programs go to build/;
# BUILD=dir builds elsewhere, VARIANT=asan|tsan|test|cover with other flags.

VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
VARIANT  ?= release
BUILD    ?= build/$(VARIANT)
CC       := gcc

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
OPTIMIZE  := -O2 -g
DEFINES   := -D_GNU_SOURCE -DGLOVEBOX_VERSION='"$(VERSION)"'

ifeq ($(VARIANT),asan)
  SANITIZE  := -fsanitize=address,undefined -fno-omit-frame-pointer
  HARDENING := -fPIE
  OPTIMIZE  := -O1 -g
  DEFINES   += -DGLOVEBOX_SANITIZED=1
endif
ifeq ($(VARIANT),tsan)
  SANITIZE  := -fsanitize=thread
  HARDENING := -fPIE
  OPTIMIZE  := -O1 -g
  DEFINES   += -DGLOVEBOX_SANITIZED=1
endif
ifeq ($(VARIANT),test)
  DEFINES   += -DGLOVEBOX_TEST_PROFILES=1 -DGLOVEBOX_TEST_HOOKS=1
endif
ifeq ($(VARIANT),cover)
  SANITIZE  := --coverage -fprofile-update=atomic
  HARDENING := -fPIE
  OPTIMIZE  := -O0 -g
  DEFINES   += -DGLOVEBOX_TEST_HOOKS=1
endif

# The interpreter is Debian's, whatever else is on the PATH.
PKG_CONFIG := PKG_CONFIG_PATH= pkg-config
PY_CFLAGS  := $(shell $(PKG_CONFIG) --cflags python-3.11-embed 2>/dev/null)
PY_LIBS    := $(shell $(PKG_CONFIG) --libs python-3.11-embed 2>/dev/null)
SECCOMP    := $(shell $(PKG_CONFIG) --libs libseccomp 2>/dev/null)
JSONC_C    := $(shell $(PKG_CONFIG) --cflags json-c 2>/dev/null)
JSONC      := $(shell $(PKG_CONFIG) --libs json-c 2>/dev/null)
CHECK      := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

CFLAGS  := -std=gnu17 -I. -include sandbox/base/banned.h $(OPTIMIZE) \
           $(WARNINGS) $(HARDENING) $(SANITIZE) $(DEFINES)
LDFLAGS := $(HARD_LINK) $(SANITIZE)

# --- sources, by room --------------------------------------------------------
BASE_SRC    := $(wildcard sandbox/base/*.c sandbox/wire/*.c)
PYTHON_SRC  := $(wildcard sandbox/python/*.c)
SANDBOX_SRC := $(filter-out sandbox/main.c,$(wildcard sandbox/*.c)) \
               $(wildcard sandbox/confine/*.c) $(PYTHON_SRC)
APP_SRC     := $(filter-out fcgi-app/main.c,$(wildcard fcgi-app/*.c)) \
               $(wildcard fcgi-app/json/*.c)
CTL_SRC     := $(wildcard fcgi-app/ctl/*.c)
UNIT_SRC    := $(wildcard tests/unit/*.c)
CONFINE_SRC := $(wildcard tests/confine/*.c)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))

PROGRAMS := $(BUILD)/glovebox $(BUILD)/glovebox-sandbox $(BUILD)/gloveboxctl

.PHONY: all
all: $(PROGRAMS)

$(BUILD)/glovebox: $(call obj,fcgi-app/main.c $(APP_SRC) $(BASE_SRC))
	$(CC) $(LDFLAGS) -o $@ $^ -lfcgi $(JSONC) -lpthread

$(BUILD)/gloveboxctl: $(call obj,$(CTL_SRC) $(APP_SRC) $(BASE_SRC))
	$(CC) $(LDFLAGS) -o $@ $^ -lfcgi $(JSONC) -lpthread

$(BUILD)/glovebox-sandbox: $(call obj,sandbox/main.c $(SANDBOX_SRC) $(BASE_SRC))
	$(CC) $(LDFLAGS) -o $@ $^ $(PY_LIBS) $(SECCOMP)

$(BUILD)/unit: $(call obj,$(UNIT_SRC) $(APP_SRC) $(SANDBOX_SRC) $(BASE_SRC))
	$(CC) $(LDFLAGS) -o $@ $^ -lfcgi $(JSONC) $(PY_LIBS) $(SECCOMP) \
	    $(CHECK) -lpthread

$(BUILD)/sandbox/python/%.o: CFLAGS += $(PY_CFLAGS)
$(BUILD)/fcgi-app/%.o $(BUILD)/tests/%.o: CFLAGS += $(JSONC_C)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
