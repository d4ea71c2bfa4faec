# recourse. `make demo` and `make test` do all the set-up by themselves; `make help` lists the rest.

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

VERSION := 0.1.0
SOVERSION := 0
B := build
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
ifneq ($(words $(B)),1)
$(error B is '$(B)': make takes no folder with blanks in its name)
endif
ifeq ($(origin CC),default)
CC := gcc
endif
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
AR := ar

# SANITIZE=address,undefined and COVERAGE=1 build a tree of their own: give B as well.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
OPTIMIZE := $(if $(COVERAGE),-O0 --coverage,$(if $(SANITIZE),-O1,-O2))
SANITIZER := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
COMMON := -std=c11 -D_GNU_SOURCE -DRECOURSE_VERSION='"$(VERSION)"' -g -fPIC -fno-semantic-interposition -fvisibility=default -pthread \
          $(OPTIMIZE) $(SANITIZER) -Iinclude -I. -I$(B)
DEPFLAGS = -MMD -MP
# Expanded when a recipe runs, so that `deps` has had its turn.
LIB_PACKAGES := libcurl libssl libcrypto
LIBS = $(shell pkg-config --libs $(LIB_PACKAGES)) -pthread
CLI_LIBS = $(shell pkg-config --libs libcjson) $(LIBS)
UNIT_LIBS = $(shell pkg-config --libs cunit) $(CLI_LIBS)

# One line a step; V=1 shows the commands.
say = $(if $(V),,@printf '  %-8s %s\n' $(1) $@;)
quiet := $(if $(V),,@)

# ---- what there is ----

POLICIES := $(patsubst spec/%.policy.md,%,$(wildcard spec/*.policy.md))
objects = $(patsubst %.c,$(B)/obj/%.o,$(wildcard $(1)/*.c)) $(patsubst %.rl,$(B)/obj/rl/%.o,$(wildcard $(1)/*.rl))

CORE_OBJECTS := $(call objects,src/core)
GEN_OBJECTS := $(filter-out %/compile_main.o,$(call objects,gen))
POLICY_OBJECTS := $(patsubst %,$(B)/obj/policies/%.o,$(POLICIES) builtin)
# The verifier of records walks the model: it goes with the command, not into the library.
VERIFY_OBJECTS := $(filter $(B)/obj/src/audit/verify%,$(call objects,src/audit))
AUDIT_OBJECTS := $(filter-out $(VERIFY_OBJECTS),$(call objects,src/audit))
LIB_OBJECTS := $(CORE_OBJECTS) $(foreach d,io policy tools dialect spans run,$(call objects,src/$(d))) $(AUDIT_OBJECTS) $(POLICY_OBJECTS)
CLI_OBJECTS := $(call objects,src/cli) $(VERIFY_OBJECTS) $(B)/obj/embedded/page.o $(B)/obj/embedded/policies.o
UNIT_TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
UNIT_OBJECTS := $(filter-out $(B)/obj/tests/unit/test_%.o,$(call objects,tests/unit))
POLICY_TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/policy/test_*.c))
RUN_TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/run/test_*.c))
RUN_OBJECTS := $(filter-out $(B)/obj/tests/run/test_%.o,$(call objects,tests/run))
SIM_OBJECTS := $(filter-out %/main.o %/test_sim.o,$(call objects,tests/sim))
SERVER_OBJECTS := $(filter-out %main.o,$(call objects,tests/server))
FUZZERS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
EXAMPLES := $(patsubst examples/%.c,$(B)/%,$(wildcard examples/embed_*.c examples/host_*.c))
SHELL_TESTS := $(wildcard tests/cli/test_*.sh tests/run/test_*.sh tests/install/test_*.sh)
HEADERS := $(wildcard include/recourse/*.h)
SOURCES := $(wildcard src/*/*.c gen/*.c)
POLICY_HEADERS := $(patsubst %,$(B)/policies/%.h,$(POLICIES))
# What Ragel has made, directly or for a policy: a release brings it along.
GENERATED := $(patsubst %.rl,$(B)/rl/%.c,$(wildcard src/*/*.rl gen/*.rl)) $(POLICY_HEADERS) \
             $(POLICY_HEADERS:.h=.c) $(POLICY_HEADERS:.h=.rl) $(B)/policies/builtin.c
LIBRARY := $(B)/librecourse.so.$(VERSION)
INSTALLED := $(B)/recourse $(B)/librecourse.a $(B)/librecourse.so $(B)/man/recourse.1

.PHONY: all deps demo test test-threads simulate cases vectors faults interop interop-deps check review web web-deps lint sanitize tsan fuzz coverage
.PHONY: install uninstall dist distcheck clean help programs
all: $(INSTALLED) $(EXAMPLES)

help:
	@printf '%s\n' 'make demo      a turn of tool calls against a faulty server, and what became of each' \
	  'make test      every test; the last line counts them' \
	  'make simulate  a million calls on a simulated port, and what has to hold; SEEDS=N for more, FROM=N begins elsewhere' \
	  'make load      10,000 calls open at once, and 1,000 messages a second to one program for a minute; none may be lost' \
	  'make cases     failures that users reported, through the command; what is not run yet, and why' \
	  'make vectors   published numbers of other systems'"'"' retries, and README'"'"'s table of them' \
	  'make faults    memory, writes, processes and connections that fail; FULL=1 for all, PLAN="run alloc:17" for one' \
	  'make interop   against other people'"'"'s MCP servers and the conformance suite, from npm; make interop-deps installs them' \
	  'make all       build/recourse, build/librecourse.a and .so, the man pages, the examples' \
	  'make install   into PREFIX (/usr/local) under DESTDIR; BINDIR, LIBDIR, INCLUDEDIR, DATADIR, MANDIR; make uninstall' \
	  'make deps      installs what is missing (Debian packages; as root or through sudo)' \
	  'make review    spec/review/: what each policy can do; make check says when it is stale' \
	  'make check     policies, exported symbols, headers; make lint: analysers' \
	  'make sanitize  tests under ASan and UBSan; make tsan: those with threads under TSan' \
	  'make web       the pages of explain and audit show, tested in a browser, which it installs' \
	  'make bench     what it costs, beside what others cost; ONLY="runner peers" for parts; make bench-deps first' \
	  'make plot      CPU of a call against the number of calls: tests/bench/cost.svg' \
	  'make fuzz      each fuzz target for FUZZ_SECONDS (20), with clang; -j2: two at a time' \
	  'make coverage  lines of src/ and gen/ that the tests run' \
	  'make dist      build/dist/recourse-$(VERSION).tar.gz, to be built without Ragel; make distcheck builds and tests it' \
	  'make clean     removes build/'

deps:
	@tools/deps

# ---- compiling ----

$(B)/obj/%.o: %.c | deps
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(COMMON) $(WARNINGS) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

$(B)/obj/src/cli/main.o: Makefile # has the version

$(B)/rl/%.c: %.rl | deps
	@mkdir -p $(@D)
	$(call say,ragel)tools/shipped $(B) $< $@ || ragel -C -G2 -L $< -o $@

# Ragel's own output: its style is not ours to warn about.
$(B)/obj/rl/%.o: $(B)/rl/%.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(COMMON) -w $(DEPFLAGS) $(CFLAGS) -c $< -o $@

$(B)/policies/%.c $(B)/policies/%.h $(B)/policies/%.rl &: spec/%.policy.md $(B)/policyc
	$(call say,policy)tools/shipped $(B) $< $(@D)/$*.c $(@D)/$*.h $(@D)/$*.rl || $(B)/policyc $< -o $(@D)

# Other systems' policies, for tests/policy/test_vectors, and Ragel's code of each. A release does without that.
VECTORS := $(patsubst tests/policies/%.policy.md,%,$(wildcard tests/policies/*.policy.md)) \
           $(shell sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p' tests/policies/variants)
COMPILED_VECTORS := $(if $(wildcard generated),,$(VECTORS))
$(B)/vectors/%.policy.md: tools/variant tests/policies/variants $(wildcard tests/policies/*.policy.md)
	@mkdir -p $(@D)
	$(quiet)tools/variant $* >$@
$(B)/vectors/%.c $(B)/vectors/%.h $(B)/vectors/%.rl &: $(B)/vectors/%.policy.md $(B)/policyc
	$(call say,policy)$(B)/policyc $< -o $(@D) 2>$(B)/vectors/$*.log || { cat $(B)/vectors/$*.log >&2; exit 1; }
$(B)/vectors/table.c: tools/variant tests/policies/variants $(wildcard tests/policies/*.policy.md)
	@mkdir -p $(@D)
	$(quiet)tools/variant --table $(COMPILED_VECTORS) >$@
$(B)/obj/vectors/%.o: $(B)/vectors/%.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(COMMON) $(WARNINGS) $(DEPFLAGS) $(CFLAGS) -c $< -o $@
$(B)/tests/policy/test_vectors: $(patsubst %,$(B)/obj/vectors/%.o,$(COMPILED_VECTORS) table) | $(VECTORS:%=$(B)/vectors/%.policy.md)

$(B)/obj/policies/%.o: $(B)/policies/%.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(COMMON) $(WARNINGS) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

$(B)/policies/builtin.c: tools/builtin $(POLICY_HEADERS)
	$(quiet)tools/builtin $(POLICIES) >$@

# Files that the command has in it: the texts of the built-in policies, and its pages.
$(B)/embedded/policies.c: tools/embed $(POLICIES:%=spec/%.policy.md)
	@mkdir -p $(@D)
	$(quiet)tools/embed src/cli/policy_text.h policy_text $(filter-out $<,$^) >$@

$(B)/embedded/page.c: tools/embed $(wildcard src/cli/page/*)
	@mkdir -p $(@D)
	$(quiet)tools/embed src/cli/page_frame.h page_file $(filter-out $<,$^) >$@

$(B)/obj/embedded/%.o: $(B)/embedded/%.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(COMMON) $(WARNINGS) $(DEPFLAGS) $(CFLAGS) -c $< -o $@

# ---- linking ----

link = $(call say,link)$(CC) $(COMMON) $(CFLAGS) $(1) $(LDFLAGS) -o $@ $(2)

$(B)/libcore.a: $(CORE_OBJECTS)
$(B)/libgen.a: $(GEN_OBJECTS)
$(B)/librecourse.a: $(LIB_OBJECTS)
$(B)/libunit.a: $(UNIT_OBJECTS) $(RUN_OBJECTS) $(SERVER_OBJECTS)
$(B)/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,ar)$(AR) rcsD $@ $^

$(B)/policyc: $(B)/obj/gen/compile_main.o $(B)/libgen.a $(B)/libcore.a
	$(call link,$^,$(shell pkg-config --libs libcrypto))

SHARED := -shared -Wl,-soname,librecourse.so.$(SOVERSION) -Wl,--version-script,tools/librecourse.map
$(LIBRARY): $(LIB_OBJECTS) tools/librecourse.map
	$(call link,$(SHARED) $(filter %.o,$^),$(LIBS))

$(B)/librecourse.so: $(LIBRARY)
	@ln -sf $(<F) $(B)/librecourse.so.$(SOVERSION)
	@ln -sf librecourse.so.$(SOVERSION) $@

$(B)/recourse: $(CLI_OBJECTS) $(B)/libgen.a $(B)/librecourse.a
	$(call link,$^,$(CLI_LIBS))

$(UNIT_TESTS): $(B)/tests/%: $(B)/obj/tests/%.o $(B)/libunit.a $(B)/libcli.a $(B)/libgen.a $(B)/librecourse.a
	@mkdir -p $(@D)
	$(call link,$^,$(UNIT_LIBS))

$(POLICY_TESTS): $(B)/tests/%: $(B)/obj/tests/%.o $(B)/libunit.a $(B)/libcli.a $(B)/libgen.a $(B)/librecourse.a
	@mkdir -p $(@D)
	$(call link,$^,$(UNIT_LIBS))

$(B)/tests/sim/sim: $(B)/obj/tests/sim/main.o
$(B)/tests/sim/test_sim: $(B)/obj/tests/sim/test_sim.o
$(B)/tests/sim/sim $(B)/tests/sim/test_sim: $(SIM_OBJECTS) $(B)/libunit.a $(B)/libgen.a $(B)/librecourse.a
	@mkdir -p $(@D)
	$(call link,$(filter %.o,$^) $(filter %.a,$^),$(UNIT_LIBS))

$(RUN_TESTS): $(B)/tests/%: $(B)/obj/tests/%.o $(B)/libunit.a $(B)/libgen.a $(B)/librecourse.a
	@mkdir -p $(@D)
	$(call link,$^,$(UNIT_LIBS))

$(B)/man/recourse.1: tools/man tools/man.awk $(B)/recourse
	$(call say,man)tools/man $(B)/recourse $(@D) $(VERSION)

# The command without its main, for the tests of its parts.
$(B)/libcli.a: $(filter-out %/main.o,$(CLI_OBJECTS))

# Each fuzz target with a plain main that replays its seeds; and with libFuzzer's, for `fuzz`.
FUZZ_LIBRARIES := $(B)/libunit.a $(B)/libcli.a $(B)/libgen.a $(B)/librecourse.a
$(FUZZERS): $(B)/tests/%: $(B)/obj/tests/%.o $(B)/obj/tests/fuzz/replay.o $(FUZZ_LIBRARIES)
	@mkdir -p $(@D)
	$(call link,$^,$(UNIT_LIBS))

$(B)/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(FUZZ_LIBRARIES)
	$(call link,-fsanitize=fuzzer $^,$(UNIT_LIBS))

$(B)/faulty-server: $(B)/obj/tests/server/main.o $(SERVER_OBJECTS)
	$(call link,$^,-pthread)

$(B)/mcp-server: $(B)/obj/tests/server/mcp_main.o $(SERVER_OBJECTS)
	$(call link,$^,-pthread)

$(B)/tests/unit/test_mcp_server_stdio $(B)/tests/run/test_mcp_stdio $(B)/tests/run/test_field $(B)/tests/run/test_load: | $(B)/mcp-server

$(B)/demo: $(call objects,tests/demo) $(SERVER_OBJECTS)
	$(call link,$^,$(CLI_LIBS))

$(B)/embed_poll: $(B)/obj/examples/embed_poll.o $(B)/librecourse.a
	$(call link,$^,$(LIBS))

$(B)/host_%: $(B)/obj/examples/host_%.o $(B)/obj/examples/agent.o $(B)/obj/examples/agent_text.o $(B)/librecourse.a
	$(call link,$^,$(LIBS))

# The generated C and core, and nothing else.
$(B)/embed_core: $(B)/obj/examples/embed_core.o $(B)/obj/policies/lightspeed.o $(B)/libcore.a
	$(call link,$^,)

# ---- running ----

demo: $(B)/recourse $(B)/demo
	@$(B)/demo $(B)/recourse

SIM_TEST := $(B)/tests/sim/test_sim
programs: all $(UNIT_TESTS) $(POLICY_TESTS) $(RUN_TESTS) $(SIM_TEST) $(B)/tests/sim/sim $(FUZZERS) $(B)/faulty-server $(B)/mcp-server $(B)/demo

test: programs
	@B=$(B) RECOURSE=$(B)/recourse CC='$(CC)' CXX='$(CXX)' tests/all $(UNIT_TESTS) $(POLICY_TESTS) $(RUN_TESTS) $(SIM_TEST) $(FUZZERS) $(SHELL_TESTS)

# SEEDS=N: so many worlds; else as many as make a million calls. FROM=N: the first seed.
FROM := 1
simulate: $(B)/tests/sim/sim
	@$(B)/tests/sim/sim --from $(FROM) $(if $(SEEDS),--seeds $(SEEDS),--calls 1000000)

# Each line of tests/cases/field.jsonl and mcp.jsonl; part of `test`.
cases: $(B)/recourse $(B)/tests/run/test_field
	@RECOURSE=$(B)/recourse $(B)/tests/run/test_field

# Other systems' published numbers on policies that say the same, and README's table of them; part of `test`.
vectors: $(B)/tests/policy/test_vectors
	@B=$(B) $(B)/tests/policy/test_vectors --table

# Programs in which calls of libc fail, one after the other; FULL=1: each of them. PLAN="run alloc:17+" makes one, and shows what comes of it.
FAULT := $(B)/tests/fault
$(FAULT)/preload.so: tests/fault/preload.c | deps
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(COMMON) $(filter-out -Wpedantic,$(WARNINGS)) -shared $< -o $@ -ldl
$(FAULT)/fault: $(B)/obj/tests/fault/main.o $(B)/obj/tests/fault/programs.o $(SERVER_OBJECTS)
	@mkdir -p $(@D)
	$(call link,$^,-pthread)
faults: $(FAULT)/fault $(FAULT)/preload.so $(B)/recourse $(B)/embed_poll $(B)/mcp-server
	@$(FAULT)/fault $(B) $(if $(FULL),--full) $(PLAN)

# Needs the network the first time, and then no more. RECOURSE=... tests another command than the one built.
interop-deps:
	@tests/interop/deps $(B)/interop

interop: $(B)/recourse interop-deps
	@B=$(B) tests/all $(wildcard tests/interop/test_*.sh)

check: all
	@B=$(B) CC="$(CC)" CXX="$(CXX)" tools/check $(POLICIES)

# What each policy can do, as text that is committed: a change of a policy shows there.
review: $(B)/recourse
	@B=$(B) tools/review $(POLICIES)

# The page in headless Chromium, against `recourse simulate`; screenshots are left in build/web/shots.
web-deps: | deps
	@tests/web/deps $(B)/web

web: $(B)/recourse | web-deps
	@node tests/web/page.mjs $(B)/recourse $(B)/web $(POLICIES:%=spec/%.policy.md)
	@node tests/web/log.mjs $(B)/recourse $(B)/web

lint: check
	@tools/lint "$(B)" $(SOURCES)

sanitize:
	$(MAKE) B=$(B)/sanitize SANITIZE=address,undefined test

# What has threads: functions, hosts of several threads, servers beside a runner.
THREAD_TESTS := $(patsubst %,$(B)/tests/%,$(addprefix unit/test_,function threads host_threads policy_replace port server \
    mcp_server) $(addprefix run/test_,bounds sockets mcp mcp_modern mcp_stdio))
test-threads: $(THREAD_TESTS)
	@B=$(B) tests/all $(THREAD_TESTS)

tsan:
	$(MAKE) B=$(B)/tsan SANITIZE=thread test-threads

coverage:
	$(MAKE) B=$(B)/coverage COVERAGE=1 test
	@tools/coverage $(B)/coverage

# A tree of its own, and each target by itself there: with -j2 two at a time, each with its output in one piece.
FUZZ_TARGETS := $(notdir $(FUZZERS))
.PHONY: $(FUZZ_TARGETS)
fuzz:
	@command -v clang >/dev/null || { echo 'fuzz: clang is missing; apt-get install clang' >&2; exit 1; }
	+@$(MAKE) --no-print-directory --output-sync=target B=$(B)/fuzz CC=clang SANITIZE=address,undefined \
	    CFLAGS=-fsanitize=fuzzer-no-link $(FUZZ_TARGETS)

$(FUZZ_TARGETS): %: $(B)/%
	@tools/fuzz $<

INSTALL = B='$(B)' VERSION=$(VERSION) SOVERSION=$(SOVERSION) PACKAGES='$(LIB_PACKAGES)' DESTDIR='$(DESTDIR)' \
    PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' \
    MANDIR='$(MANDIR)' PKGCONFIGDIR='$(PKGCONFIGDIR)' tools/install
install: $(INSTALLED)
	$(quiet)$(INSTALL) install $(POLICIES)

uninstall:
	$(quiet)$(INSTALL) uninstall $(POLICIES)

dist: $(GENERATED)
	$(quiet)tools/dist $(B) $(VERSION) $(GENERATED)

distcheck: dist $(B)/embed_core
	$(quiet)MAKE='$(MAKE)' CC='$(CC)' tools/distcheck $(B) $(VERSION)

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- load: LOAD="CALLS SECONDS A-SECOND" for other figures than "10000 60 1000" ----

$(B)/tests/load/load: $(B)/obj/tests/load/main.o $(B)/libunit.a $(B)/libgen.a $(B)/librecourse.a
	@mkdir -p $(@D)
	$(call link,$^,$(UNIT_LIBS))

.PHONY: load
load: $(B)/tests/load/load $(B)/mcp-server
	@$(B)/tests/load/load $(LOAD)

# ---- the bench: `make bench`, or parts of it: `make bench ONLY="runner peers"` ----

BENCH := $(addprefix $(B)/bench/,bench server bare runner waiting step match audit)
PCRE2 = $(shell pkg-config --silence-errors $(1) libpcre2-8)
$(B)/bench/%.c $(B)/bench/%.h $(B)/bench/%.rl &: tests/bench/%.policy.md $(B)/policyc
	@mkdir -p $(@D)
	$(call say,policy)$(B)/policyc $< -o $(B)/bench 2>$(B)/bench/$*.log || { cat $(B)/bench/$*.log >&2; exit 1; }
$(B)/obj/bench/%.o: $(B)/bench/%.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(COMMON) $(WARNINGS) $(DEPFLAGS) $(CFLAGS) -c $< -o $@
$(B)/obj/tests/bench/match.o: CFLAGS += $(if $(call PCRE2,--libs),-DBENCH_PCRE2 $(call PCRE2,--cflags))
$(B)/bench/bench: $(patsubst %,$(B)/obj/tests/bench/%.o,main table process parts_run parts_scale parts_mcp parts_local parts_audit)
$(B)/bench/runner: $(B)/obj/bench/bench.o
$(B)/bench/waiting: $(B)/obj/bench/waiting.o
$(B)/bench/audit: $(B)/obj/tests/bench/audit.o $(B)/libcli.a $(B)/libgen.a
$(filter-out %/bench,$(BENCH)): $(B)/bench/%: $(B)/obj/tests/bench/%.o $(B)/librecourse.a
$(BENCH):
	@mkdir -p $(@D)
	$(call link,$(filter %.o,$^) $(filter %.a,$^),$(call PCRE2,--libs) $(LIBS) -lm)

.PHONY: bench bench-deps plot
# CPU of a call at 100,000 calls against that at 100, and the plot that README shows: about a minute. BENCH_ROUNDS=N for more than 5.
plot: all $(BENCH)
	@BENCH_ROUNDS=$${BENCH_ROUNDS:-5} BENCH_PLOT=tests/bench/cost.svg $(B)/bench/bench $(B)/bench scale

bench-deps: | deps
	@tests/bench/deps $(B)/bench
	@rm -f $(B)/obj/tests/bench/match.o # which is another one with PCRE2

bench: all $(BENCH) $(B)/mcp-server
	@$(B)/bench/bench $(B)/bench $(ONLY)
