# SPDX-License-Identifier: MIT
# One Makefile for the whole tree; `make help` lists the targets.
#
# Variables a packager may set (on the command line or in the environment):
#   CC CXX AR HOSTCXX CPPFLAGS CFLAGS CXXFLAGS LDFLAGS EXTRA_CFLAGS EXTRA_LDFLAGS
#   PREFIX DESTDIR, or as squashfs-tools recipes do: INSTALL_PREFIX INSTALL_DIR INSTALL_MANPAGES_DIR
#   GZIP_SUPPORT XZ_SUPPORT LZO_SUPPORT LZ4_SUPPORT ZSTD_SUPPORT LZMA_XZ_SUPPORT XATTR_SUPPORT
#   COMP_DEFAULT BUILD WERROR
# `make all` runs no program it has built, so it cross-compiles.

BUILD ?= build

GZIP_SUPPORT ?= 1
XZ_SUPPORT ?= 1
LZO_SUPPORT ?= 1
LZ4_SUPPORT ?= 1
ZSTD_SUPPORT ?= 1
LZMA_XZ_SUPPORT ?= 1
XATTR_SUPPORT ?= 1
COMP_DEFAULT ?= gzip

PREFIX ?= /usr/local
INSTALL_PREFIX ?= $(PREFIX)
INSTALL_DIR ?= $(INSTALL_PREFIX)/bin
INSTALL_MANPAGES_DIR ?= $(INSTALL_PREFIX)/share/man/man1
COMPLETIONS_DIR ?= $(INSTALL_PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS_DIR ?= $(INSTALL_PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS_DIR ?= $(INSTALL_PREFIX)/share/fish/vendor_completions.d
MAN5_DIR = $(patsubst %/man1,%,$(INSTALL_MANPAGES_DIR))/man5
MAN8_DIR = $(patsubst %/man1,%,$(INSTALL_MANPAGES_DIR))/man8

# The names under which the one binary is linked.
TOOLS := mksquashfs sqfstar fsck.squashfs

# --- tools and flags ----------------------------------------------------------------------------

# Recipes written for squashfs-tools, which is C, set CC and not CXX: derive the missing ones.
ifeq ($(origin CXX),default)
ifeq ($(origin CC),default)
CXX := g++
else
CXX := $(patsubst %gcc,%g++,$(patsubst %clang,%clang++,$(CC)))
ifeq ($(origin AR),default)
AR := $(or $(patsubst %-gcc,%-ar,$(filter %-gcc,$(CC))),ar)
endif
endif
endif
FUZZ_CXX ?= clang++

CFLAGS ?= -O2
CXXFLAGS ?= $(CFLAGS)

SWITCHES := GZIP XZ LZO LZ4 ZSTD LZMA_XZ XATTR
enabled = $(if $(filter 1,$($1_SUPPORT)),1,0)
DEFINES := $(foreach s,$(SWITCHES),-D$s_SUPPORT=$(call enabled,$s)) \
  -DCOMP_DEFAULT='"$(COMP_DEFAULT)"' -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
# g++ 12 reports values inside std::optional as "maybe uninitialized" where they are not: off.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-maybe-uninitialized
OUR_FLAGS := -std=c++20 -I. $(DEFINES) $(WARNINGS) -pthread

only_if = $(if $(filter 1,$(foreach s,$1,$(call enabled,$s))),$2)
LIBS := $(call only_if,GZIP,-ldeflate -lz) $(call only_if,XZ LZMA_XZ,-llzma) \
  $(call only_if,LZO,-llzo2) $(call only_if,LZ4,-llz4) $(call only_if,ZSTD,-lzstd) -larchive

VARIANTS := release debug asan ubsan tsan fuzz
VARIANT_FLAGS_release :=
VARIANT_FLAGS_debug := -O0 -g
VARIANT_FLAGS_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address
VARIANT_FLAGS_ubsan := -O1 -g -fno-omit-frame-pointer -fsanitize=undefined -fno-sanitize-recover=all
VARIANT_FLAGS_tsan := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
VARIANT_FLAGS_fuzz := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link
VARIANT_CXX_fuzz = $(FUZZ_CXX)

# --- sources --------------------------------------------------------------------------------------

LIBRARY_FOLDERS := base squashfs-format compressors xattr fragments reader writer verifier cli
LIBRARY_SOURCES := $(filter-out cli/main.cc,$(sort $(wildcard $(addsuffix /*.cc,$(LIBRARY_FOLDERS)))))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*_test.cc))
# Each of these is a GoogleTest program of its own: they are slow, or replace global functions.
SINGLE_TESTS := $(sort $(patsubst tests/%.cc,%,$(wildcard tests/*_test.cc)))
SUPPORT_SOURCES := $(sort $(wildcard tests/support/*.cc))
FUZZERS := $(sort $(patsubst tests/fuzz/%.cc,%,$(wildcard tests/fuzz/fuzz_*.cc)))
BENCHES := $(sort $(patsubst bench/%.cc,%,$(wildcard bench/*.cc)))
MAN1 := $(sort $(wildcard man/*.1))
MAN5 := $(sort $(wildcard man/*.5))
MAN8 := $(sort $(wildcard man/*.8))

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: FORCE
FORCE:

# --- rules, once per variant ------------------------------------------------------------------------

# $1 variant. Programs of the release variant go to $(BUILD)/bin, of the others to $(BUILD)/$1/bin.
define variant_rules
CXX_$1 = $$(or $$(VARIANT_CXX_$1),$$(CXX))
BIN_$1 := $(BUILD)$(if $(filter-out release,$1),/$1)/bin
COMPILE_$1 = $$(CXX_$1) $$(CPPFLAGS) $$(OUR_FLAGS) $$(CXXFLAGS) $$(VARIANT_FLAGS_$1) $$(EXTRA_CFLAGS)
LINK_$1 = $$(CXX_$1) $$(CXXFLAGS) $$(VARIANT_FLAGS_$1) -pthread $$(LDFLAGS) $$(EXTRA_LDFLAGS)
objects_$1 = $$(patsubst %.cc,$(BUILD)/$1/%.o,$$1)
LIBRARY_$1 := $(BUILD)/$1/libsquashkit.a
UNIT_PROGRAM_$1 := $(BUILD)/$1/tests/unit_tests
TEST_PROGRAMS_$1 := $$(if $(UNIT_SOURCES),$(BUILD)/$1/tests/unit_tests) $(SINGLE_TESTS:%=$(BUILD)/$1/tests/%)
REGRESS_PROGRAMS_$1 := $(FUZZERS:%=$(BUILD)/$1/regress/%)
PROGRAMS_$1 := $$(addprefix $$(BIN_$1)/,squashkit $(TOOLS))

# A change of compiler or flags rebuilds. -Werror stays out: it changes no object.
$(BUILD)/$1/flags: FORCE
	@mkdir -p $$(@D)
	@printf '%s\n' '$$(subst ','\'',$$(COMPILE_$1) | $$(LINK_$1) $$(LIBS))' >$$@.new
	@cmp -s $$@.new $$@ && rm $$@.new || mv $$@.new $$@

$(BUILD)/$1/%.o: %.cc $(BUILD)/$1/flags
	@mkdir -p $$(@D)
	$$(COMPILE_$1) $$(if $$(filter 1,$$(WERROR)),-Werror) -MMD -MP -c -o $$@ $$<

# The archive is made anew, so that a source that is gone leaves no member behind.
$$(LIBRARY_$1): $$(call objects_$1,$(LIBRARY_SOURCES)) $(BUILD)/$1/flags
	@rm -f $$@
	$$(AR) rcs $$@ $$(filter %.o,$$^)

$$(BIN_$1)/squashkit: $$(call objects_$1,cli/main.cc) $$(LIBRARY_$1)
	@mkdir -p $$(@D)
	$$(LINK_$1) -o $$@ $$^ $$(LIBS)

$$(addprefix $$(BIN_$1)/,$(TOOLS)): | $$(BIN_$1)/squashkit
	ln -sf squashkit $$@

$$(UNIT_PROGRAM_$1): $$(call objects_$1,$(UNIT_SOURCES) $(SUPPORT_SOURCES)) $$(LIBRARY_$1)
	@mkdir -p $$(@D)
	$$(LINK_$1) -o $$@ $$^ -lgtest_main -lgtest $$(LIBS)

$(SINGLE_TESTS:%=$(BUILD)/$1/tests/%): $(BUILD)/$1/tests/%: $(BUILD)/$1/tests/%.o \
    $$(call objects_$1,$(SUPPORT_SOURCES)) $$(LIBRARY_$1)
	$$(LINK_$1) -o $$@ $$^ -lgtest_main -lgtest $$(LIBS)

$(FUZZERS:%=$(BUILD)/$1/regress/%): $(BUILD)/$1/regress/%: $(BUILD)/$1/tests/fuzz/%.o \
    $(BUILD)/$1/tests/fuzz/regress.o $$(call objects_$1,$(SUPPORT_SOURCES)) $$(LIBRARY_$1)
	@mkdir -p $$(@D)
	$$(LINK_$1) -o $$@ $$^ -lgtest $$(LIBS)

.SECONDARY: $(SINGLE_TESTS:%=$(BUILD)/$1/tests/%.o)
-include $$(patsubst %.o,%.d,$$(call objects_$1,$(LIBRARY_SOURCES) cli/main.cc man/generate.cc $(UNIT_SOURCES) \
  $(SUPPORT_SOURCES) $(SINGLE_TESTS:%=tests/%.cc) $(FUZZERS:%=tests/fuzz/%.cc) tests/fuzz/regress.cc))
endef
$(foreach v,$(VARIANTS),$(eval $(call variant_rules,$v)))

$(FUZZERS:%=$(BUILD)/fuzz/bin/%): $(BUILD)/fuzz/bin/%: $(BUILD)/fuzz/tests/fuzz/%.o \
    $(call objects_fuzz,$(SUPPORT_SOURCES)) $(LIBRARY_fuzz)
	@mkdir -p $(@D)
	$(LINK_fuzz) -fsanitize=fuzzer -o $@ $^ -lgtest $(LIBS)

$(BENCHES:%=$(BUILD)/bench/%): $(BUILD)/bench/%: $(BUILD)/release/bench/%.o $(LIBRARY_release)
	@mkdir -p $(@D)
	$(LINK_release) -o $@ $^ $(LIBS)

$(BUILD)/release/generate: $(call objects_release,man/generate.cc) $(LIBRARY_release)
	$(LINK_release) -o $@ $^ $(LIBS)

# The lister is linked statically: it is also the first process of the guest kernel's initramfs.
$(BUILD)/guest/tree_lister: tests/kernel/tree_lister.cc $(BUILD)/release/flags
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(OUR_FLAGS) -O2 -static -o $@ $<

# --- what people call -----------------------------------------------------------------------------

.PHONY: all debug demo check check-full check-asan check-ubsan check-tsan check-faults run-tests \
  fuzz lint tidy format man bench corpora deps install uninstall clean help
.PHONY: $(VARIANTS:%=programs-%) $(VARIANTS:%=tests-%)

all: $(PROGRAMS_release)  ## build the programs into build/bin (the default)

debug: $(PROGRAMS_debug)  ## build unoptimised programs with symbols into build/debug/bin

$(foreach v,$(VARIANTS),$(eval programs-$v: $(PROGRAMS_$v)))
$(foreach v,$(VARIANTS),$(eval tests-$v: $(PROGRAMS_$v) $(TEST_PROGRAMS_$v) $(REGRESS_PROGRAMS_$v) \
  $(if $(wildcard tests/kernel/tree_lister.cc),$(BUILD)/guest/tree_lister)))

# What is called by hand on a fresh machine starts with `deps`, then compiles on all processors.
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
SUBMAKE = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))
install_deps = $(SUBMAKE) deps DEPS="$1"

# $1 variant, $2 arguments of tests/run.sh. Builds first; the summary is the last line printed.
define run_suites
@$(call install_deps,build test)
@$(SUBMAKE) WERROR=1 tests-$1
@BUILD='$(abspath $(BUILD))' BIN='$(abspath $(BIN_$1))' VARIANT=$1 \
  GTEST_PROGRAMS='$(abspath $(TEST_PROGRAMS_$1))' REGRESS_PROGRAMS='$(abspath $(REGRESS_PROGRAMS_$1))' \
  tests/run.sh $2 $(SUITES)
endef

demo:  ## build, then pack, verify, mount and compare a small tree
	@$(call install_deps,build demo)
	@$(SUBMAKE) all
	@BIN='$(abspath $(BIN_release))' tests/support/demo.sh

check:  ## run the test suites (under 3 minutes); SUITES="unit_tests lint" runs those alone
	$(call run_suites,release)

check-full:  ## all suites in full: every compressor and block size, large files, tidy
	$(call run_suites,release,--full)
	@$(SUBMAKE) tidy

check-asan:  ## the suites under the address sanitizer
	$(call run_suites,asan)

check-ubsan:  ## the suites under the undefined-behaviour sanitizer
	$(call run_suites,ubsan)

check-tsan:  ## the suites under the thread sanitizer
	$(call run_suites,tsan)

check-faults: SUITES := unit_tests
check-faults:  ## the unit tests, with their loops of faults, under the address sanitizer
	$(call run_suites,asan,--full)

T ?= 60
RUNS ?= -1
fuzz:  ## fuzz each target for T=60 seconds or RUNS=n executions; FUZZERS=fuzz_verify picks one
	@$(call install_deps,build fuzz)
	@$(SUBMAKE) $(FUZZERS:%=$(BUILD)/fuzz/bin/%)
	@BUILD='$(abspath $(BUILD))' T=$(T) RUNS=$(RUNS) tests/support/fuzz.sh $(FUZZERS)

lint:  ## format, sizes, layers, licence lines, paths in the documents
	@$(call install_deps,lint)
	@tests/lint.sh
	@tests/layering.sh

tidy:  ## clang-tidy over the sources (minutes)
	@$(call install_deps,build lint tidy)
	@printf '%s\n' $(LIBRARY_SOURCES) $(wildcard cli/main.cc) | \
	  xargs -P $(JOBS) -n 4 sh -c 'clang-tidy --quiet "$$@" -- $(subst ','\'',$(OUR_FLAGS)) 2>/dev/null' sh

FORMATTED = $(foreach d,$(LIBRARY_FOLDERS) man bench tests tests/*,$(wildcard $d/*.cc $d/*.h))
format:  ## lay out all sources with clang-format
	@$(call install_deps,lint)
	clang-format -i $(sort $(FORMATTED))

man: $(BUILD)/release/generate  ## make the manual pages and shell completion from the option tables
	'$<' mksquashfs man/mksquashfs.in man/mksquashfs.1
	'$<' fsck.squashfs man/fsck.squashfs.in man/fsck.squashfs.8
	'$<' sqfstar man/sqfstar.in man/sqfstar.1
	'$<' bash docs/completions/squashkit.bash
	'$<' zsh docs/completions/_squashkit
	'$<' fish docs/completions/squashkit.fish

CORPORA ?= $(BUILD)/corpora
bench:  ## measure against the installed mksquashfs; BENCH_ARGS="--tree DIR --runs 3 --floor ..."
	@$(call install_deps,build bench)
	@$(SUBMAKE) all $(BENCHES:%=$(BUILD)/bench/%)
	@bench/compare.py --ours '$(BIN_release)/mksquashfs' --corpora '$(CORPORA)' $(BENCH_ARGS)

corpora:  ## make the trees that `bench` measures, in CORPORA=build/corpora; WHICH="embedded many"
	@$(call install_deps,bench)
	@bench/corpora.sh '$(CORPORA)' $(WHICH)

# Debian packages per purpose. Only what is not installed is asked for, and only then is the network
# touched.
DEPS ?= build
PACKAGES_build := g++ $(call only_if,GZIP,libdeflate-dev zlib1g-dev) $(call only_if,XZ LZMA_XZ,liblzma-dev) \
  $(call only_if,LZO,liblzo2-dev) $(call only_if,LZ4,liblz4-dev) $(call only_if,ZSTD,libzstd-dev) libxxhash-dev \
  libarchive-dev
PACKAGES_demo := python3
PACKAGES_lint := clang-format python3 shellcheck mandoc
PACKAGES_test := $(PACKAGES_lint) libgtest-dev binutils attr libcap2-bin fakeroot squashfs-tools \
  squashfs-tools-ng squashfuse libarchive-tools qemu-system-x86 bzip2 lz4 xz-utils zstd
PACKAGES_tidy := clang-tidy
PACKAGES_fuzz := clang libgtest-dev
PACKAGES_bench := python3 squashfs-tools squashfs-tools-ng mmdebstrap
deps:  ## install the Debian packages that are missing; DEPS="build test lint tidy fuzz bench" picks
	@.ci/deps.sh $(sort $(foreach d,$(DEPS),$(PACKAGES_$d)))

install: all  ## install below PREFIX=/usr/local, staged in DESTDIR
	install -d '$(DESTDIR)$(INSTALL_DIR)'
	install -m 755 '$(BIN_release)/squashkit' '$(DESTDIR)$(INSTALL_DIR)/squashkit'
	set -e; for tool in $(TOOLS); do ln -sf squashkit '$(DESTDIR)$(INSTALL_DIR)'/$$tool; done
	install -d '$(DESTDIR)$(COMPLETIONS_DIR)' '$(DESTDIR)$(ZSH_COMPLETIONS_DIR)' '$(DESTDIR)$(FISH_COMPLETIONS_DIR)'
	install -m 644 docs/completions/squashkit.bash '$(DESTDIR)$(COMPLETIONS_DIR)/mksquashfs'
	install -m 644 docs/completions/_squashkit '$(DESTDIR)$(ZSH_COMPLETIONS_DIR)/_squashkit'
	install -m 644 docs/completions/squashkit.fish '$(DESTDIR)$(FISH_COMPLETIONS_DIR)/mksquashfs.fish'
	set -e; for tool in $(filter-out mksquashfs,$(TOOLS)); do \
	  ln -sf mksquashfs '$(DESTDIR)$(COMPLETIONS_DIR)'/$$tool; \
	  ln -sf mksquashfs.fish '$(DESTDIR)$(FISH_COMPLETIONS_DIR)'/$$tool.fish; done
ifneq ($(MAN1),)
	install -d '$(DESTDIR)$(INSTALL_MANPAGES_DIR)'
	install -m 644 $(MAN1) '$(DESTDIR)$(INSTALL_MANPAGES_DIR)'
endif
ifneq ($(MAN5),)
	install -d '$(DESTDIR)$(MAN5_DIR)'
	install -m 644 $(MAN5) '$(DESTDIR)$(MAN5_DIR)'
endif
ifneq ($(MAN8),)
	install -d '$(DESTDIR)$(MAN8_DIR)'
	install -m 644 $(MAN8) '$(DESTDIR)$(MAN8_DIR)'
endif

uninstall:  ## remove what `install` put there
	rm -f $(foreach f,squashkit $(TOOLS),'$(DESTDIR)$(INSTALL_DIR)/$f') \
	  $(foreach f,$(TOOLS),'$(DESTDIR)$(COMPLETIONS_DIR)/$f' '$(DESTDIR)$(FISH_COMPLETIONS_DIR)/$f.fish') \
	  '$(DESTDIR)$(ZSH_COMPLETIONS_DIR)/_squashkit' \
	  $(foreach f,$(notdir $(MAN5)),'$(DESTDIR)$(MAN5_DIR)/$f') \
	  $(foreach f,$(notdir $(MAN1)),'$(DESTDIR)$(INSTALL_MANPAGES_DIR)/$f') \
	  $(foreach f,$(notdir $(MAN8)),'$(DESTDIR)$(MAN8_DIR)/$f')

clean:  ## remove everything that was built
	rm -rf '$(BUILD)'

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  \1|\2/p' Makefile | sort | awk -F'|' '{printf "%-16s %s\n", $$1, $$2}'
