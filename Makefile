# Builds vef (build/vef; build/vef-mpi is the same for several processes under mpiexec), its capture libraries (build/libvefcapture*.so: one for each MPI library that is
# installed) and the programs that measure machines for `vef fit` (build/vefpingpong*).
#
#   make               all three, optimised      make test          the whole suite
#   make demo          the demonstration         make check-asan    the suite under ASan and UBSan
#   make harmless      programs, plain beside captured: nothing may differ
#   make bench         measurements; BASE=FOLDER: beside another checkout's
#   make install PREFIX=/usr/local     make uninstall; LIBDIR=, DOCDIR=, PYTHONDIR=, DESTDIR=: docs/install.md
#   make dist          build/vef-VERSION.tar.gz      make deb       Debian packages, build/deb/*.deb
#   make examples      build/examples/*          make format, make format-check
#   make docs          docs/reference.md, docs/results/papers.md, capture/CALLS.md, examples/networks/all-keys.yaml; make pictures: docs/pictures/
#   make fuzz          a reader of files under clang's libFuzzer: TARGET=trace|log|text|goal|dumpi|paraver|vef-text|chakra|json|yaml|simgrid-ti SECONDS=60
#   make validation    docs/results/validation.md, peers.md: measurements of papers and simulators; takes hours, goes on
#                      where it was stopped; make validation ROWS="rt-32x16 rtt-32x16" for some
#   make accuracy      docs/results/accuracy.md: predicted against measured times on this machine; ten minutes
#   make cluster       build/cluster: measured times on networks of Linux namespaces, and predictions (root; bench/cluster/cluster.sh)
#   make collectives   docs/results/collectives.md: single collectives on two tori beside published ones
#   make tpu           docs/results/twisted-tori-in-production.md: Google's twisted tori; ten minutes, goes on where it was stopped
#   make flow          docs/results/flow.md: the flow model beside the router model
#   make published     docs/results/published.md: throughputs and sizes of modern networks beside published ones
#   make verification  docs/results/verification.md: every routing on every topology proven, at two sizes; ten minutes
#
# Each sees first that the packages it needs are here (common/packages.sh). Every .c file of a room
# belongs to it, so a new file needs no edit here: one test program is built from each
# tests/*/test_*.c, one measurement from each bench/*.c, both linked with every room of the program
# but its main, and one example from each examples/*.c and *.f90. `make test ONLY="mapping trace"`
# runs the tests whose path holds one of the words.

BUILD   ?= build
PREFIX  ?= /usr/local
# lib, lib64 or Debian's lib/x86_64-linux-gnu of PREFIX: the program looks there (cli/installed.c).
LIBDIR  ?= $(PREFIX)/lib
DOCDIR  ?= $(PREFIX)/share/doc/vef
# Where shells look for completions.
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
COMPLETIONS := $(BASHDIR)/vef $(ZSHDIR)/_vef $(FISHDIR)/vef.fish
# The Python package finds the program and libvef in the prefix that holds it.
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
CC      ?= cc
# The MPI libraries that are installed, of those of capture/libraries/libraries.def, by their compiler wrappers.
# Debian's names tell them apart; elsewhere the plain ones may be either's.
MPICC_mpich   ?= $(shell command -v mpicc.mpich || { mpicc -show 2>/dev/null | grep -q -e -lmpich && echo mpicc; })
MPICC_openmpi ?= $(shell command -v mpicc.openmpi || { mpicc --showme:version 2>/dev/null | grep -q 'Open MPI' && echo mpicc; })
MPIS := $(or $(strip $(foreach mpi,mpich openmpi,$(if $(MPICC_$(mpi)),$(mpi)))),mpich)
# The one of the examples and of tests that need only one.
MPI     := $(firstword $(MPIS))
MPICC   ?= $(or $(MPICC_$(MPI)),mpicc.mpich)
MPIEXEC ?= $(patsubst mpicc%,mpiexec%,$(notdir $(MPICC)))
MPIFORT ?= $(patsubst mpicc%,mpifort%,$(notdir $(MPICC)))
export CC MPICC MPIEXEC MPIFORT MPIS
# The capture libraries: that of the standard ABI needs no MPI library to be built.
ABIS := $(MPIS) abi

WARN    := -Wall -Wextra -Wshadow -Wconversion -Werror
OPT     ?= -O2
CFLAGS  ?= $(OPT) -g
FFLAGS  ?= $(OPT) -g
STD     := -std=c17 -D_GNU_SOURCE -I. -Ilib $(WARN)
# With the optional libraries that are here (OPTIONAL, below), for the programs that use them.
LIBS     = -lyaml -lyajl -lz -lm -lpthread -Wl,--as-needed $(foreach library,$(OPTIONAL),\
           $(if $(shell cat $(BUILD)/$(library).flags 2>/dev/null),$($(library)_LIBS))) -Wl,--no-as-needed
# What a wrapper would add: our own compiler and flags compile MPI code too. Asked once, when used.
MPI_FLAGS_OF = $(or $(FLAGS_$(1)),$(eval FLAGS_$(1) := $$(filter -I% -L% -l% -pthread,$$(shell $(1) -show)))$(FLAGS_$(1)))
MPI_FLAGS    = $(call MPI_FLAGS_OF,$(MPICC))

# Against mistakes that the tests do not find: tests/common/test_hardening.sh. `make HARDEN=` does without. Not with a
# sanitizer, which checks more, nor without optimisation, which _FORTIFY_SOURCE needs.
HARDEN  ?= -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
HARDEN_LINK ?= -Wl,-z,relro,-z,now
# Small stacks (ulimit -s 64, threads of captured programs): large buffers are elsewhere.
FRAMES  := $(if $(WARN),-Wframe-larger-than=16600)
ifdef SANITIZE
HARDEN  :=
FRAMES  :=
SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
# `make V=1` shows the commands, `make -s` nothing.
SAY := @:
ifneq ($(V),1)
Q   := @
ifeq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
SAY := @echo "  build"
endif
endif
ifneq ($(filter -O0,$(CFLAGS)),)
HARDEN  :=
endif
COMPILE := $(CC) $(STD) $(CPPFLAGS) $(HARDEN) $(CFLAGS) $(SANITIZER)
# Objects of other flags, or of another Makefile, are compiled again.
FLAGS := $(BUILD)/flags
ifneq ($(file <$(FLAGS)),$(COMPILE))
$(shell mkdir -p $(BUILD))
$(file >$(FLAGS),$(COMPILE))
endif
LINK    := $(CC) $(CFLAGS) $(SANITIZER) $(HARDEN_LINK) $(LDFLAGS)

ROOMS   := $(wildcard common traces workloads netmodel mappings replay interchange study lib cli)
# cli/mpi/ is the only part of the program that includes mpi.h: of vef-mpi, in place of cli/ranks.c.
SOURCES := $(sort $(filter-out cli/mpi/%,$(shell find $(ROOMS) -name '*.c')))
OBJECTS := $(SOURCES:%.c=$(BUILD)/obj/%.o)
# Not in the library: a new commit changes version.o, and tests need not be linked again for it.
MAIN    := $(BUILD)/obj/cli/main.o $(BUILD)/obj/cli/version.o
LIBRARY := $(BUILD)/rooms.a

# libvef, for other programs: what the functions of lib/ need. Only they are visible (lib/libvef.map). The number of its
# interface is that of its name, libvef.so.0: another one does not run programs that were built with this one.
LIBVEF_NUMBER  := 0
LIBVEF_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard lib/*.c)))
LIBVEF         := $(BUILD)/libvef.so.$(LIBVEF_NUMBER)
$(LIBVEF_OBJECTS): private COMPILE += -fvisibility=hidden

# A capture library is all of capture/ but the measuring program and the preloaded library, and what it uses of traces/
# and common/. Its objects are in a folder of its MPI library.
PINGPONG        := capture/measure/pingpong.c
PINGPONGS       := $(MPIS:%=$(BUILD)/vefpingpong-%)
PRELOAD_SOURCES := $(wildcard capture/preload/*.c) capture/clock/moment.c common/system/descriptor.c
PRELOAD_OBJECTS := $(PRELOAD_SOURCES:%.c=$(BUILD)/obj/%.o)
CAPTURE_SOURCES := $(sort $(filter-out $(PINGPONG) capture/preload/% capture/clock/moment.c,$(shell find $(wildcard capture) -name '*.c')))
CAPTURE_OBJECTS  = $(CAPTURE_SOURCES:%.c=$(BUILD)/$(1)/%.o)
CAPTURES        := $(BUILD)/libvefcapture.so $(ABIS:%=$(BUILD)/libvefcapture-%.so)

TEST_SOURCES    := $(sort $(shell find tests -name 'test_*.c'))
TESTS           := $(TEST_SOURCES:%.c=$(BUILD)/%)
SUPPORT         := $(sort $(filter-out $(TEST_SOURCES),$(shell find tests -name '*.c' -not -path 'tests/mpi/*' -not -path 'tests/plugins/*' -not -path 'tests/harmless/*' -not -path 'tests/memory/*' -not -name guard.c)))
SUPPORT_OBJECTS := $(SUPPORT:%.c=$(BUILD)/obj/%.o)

EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/*.c)) \
            $(patsubst %.f90,$(BUILD)/%,$(wildcard examples/*.f90))
BENCHES  := $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))

.PHONY: all
all: $(BUILD)/vef $(BUILD)/vef-mpi $(CAPTURES) $(BUILD)/vefpingpong $(PINGPONGS) $(BUILD)/libvef.so $(BUILD)/libvef.a

# The packages that the goals of this run need.
NEEDS := compiler mpi yaml yajl zlib
ifneq ($(filter test check-asan,$(MAKECMDGOALS)),)
NEEDS += cmocka fortran cxx pkgconf scotch otf2 libdw rsvg
else ifneq ($(filter demo examples,$(MAKECMDGOALS)),)
NEEDS += fortran
endif
.PHONY: packages
packages:
	@common/packages.sh $(NEEDS)

# Optional libraries: their flags, and the sources that are compiled with them where the library is here.
# That is asked every time, after packages were installed, and written when the answer is another one.
OPTIONAL     := scotch otf2 libdw
scotch_FLAGS := -DVEF_HAVE_SCOTCH -isystem /usr/include/scotch
scotch_LIBS  := -lscotch
scotch_USERS := netmodel/analysis/partition.c mappings/optimisers/scotch.c
otf2_FLAGS   := -DVEF_HAVE_OTF2
otf2_LIBS    := -lopen-trace-format2
otf2_USERS   := $(wildcard interchange/otf2/*.c) tests/interchange/test_otf2.c tests/interchange/test_otf2_eztrace.c
libdw_FLAGS  := -DVEF_HAVE_LIBDW
libdw_LIBS   := -ldw
libdw_USERS  := traces/merge/resolve.c

.PHONY: ask
define optional
$(BUILD)/$(1).flags: ask | packages
	@mkdir -p $$(@D)
	@flags=; if common/packages.sh has $(1); then flags='$$($(1)_FLAGS)'; fi; \
	[ -f $$@ ] && [ "$$$$(cat $$@)" = "$$$$flags" ] || echo "$$$$flags" >$$@
$(patsubst %.c,$(BUILD)/obj/%.o,$($(1)_USERS)): $(BUILD)/$(1).flags
$(patsubst %.c,$(BUILD)/obj/%.o,$($(1)_USERS)): private COMPILE += $$$$(cat $(BUILD)/$(1).flags)
endef
$(foreach library,$(OPTIONAL),$(eval $(call optional,$(library))))

# The version of results (vef study): a checksum of the sources that results depend on.
RESULT_SOURCES := $(sort $(shell find common traces netmodel mappings replay cli/load cli/map cli/topology -name '*.[ch]' -o -name '*.def'))
DIGEST := $(BUILD)/sources.digest
$(DIGEST): $(RESULT_SOURCES)
	@mkdir -p $(@D)
	@cat $(RESULT_SOURCES) | cksum | awk '{printf "%08x\n", $$1}' >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; touch $@; else mv $@.new $@; fi
OF_DIGEST := $(BUILD)/obj/cli/version.o
$(OF_DIGEST): $(DIGEST)
$(OF_DIGEST): private COMPILE += -DVEF_SOURCES='"'$$(cat $(DIGEST))'"'

# Plug-ins (docs/plugins.md) are compiled with the headers that the variants in these folders include, and vef
# exports what those declare. build/plugin/ holds them as they are installed; their checksum is the number of the
# interface, which vef compares when it loads a plug-in.
PLUGIN_ROOMS   := netmodel/topology netmodel/routing netmodel/traffic mappings
PLUGIN_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(shell find $(PLUGIN_ROOMS) -name '*.c')))
PLUGIN_NUMBER  := $(BUILD)/plugin.number
PLUGIN_NAMES   := $(BUILD)/plugin.names
$(PLUGIN_NUMBER): $(PLUGIN_OBJECTS) common/plugin/plugin.h common/plugin/headers.sh
	$(SAY) $(BUILD)/plugin
	$(Q)sh common/plugin/headers.sh $(BUILD)/plugin $@ $(PLUGIN_OBJECTS:.o=.d)
OF_PLUGIN := $(BUILD)/obj/common/plugin/library.o
$(OF_PLUGIN): $(PLUGIN_NUMBER)
$(OF_PLUGIN): private COMPILE += -DVEF_PLUGIN_INTERFACE=$$(cat $(PLUGIN_NUMBER))
# The names, and the two forms in which linkers take them: of the program, and of libvef.so, whose own interface is a
# version of its own.
$(PLUGIN_NAMES): $(LIBRARY) lib/libvef.map common/plugin/names.sh
	$(SAY) $@
	$(Q)CC="$(CC)" sh common/plugin/names.sh $(BUILD)/plugin $(LIBRARY) >$@
	$(Q){ echo '{'; sed 's/$$/;/' $@; echo '};'; } >$(BUILD)/plugin.list
	$(Q){ cat lib/libvef.map; echo 'VEF_PLUGIN {'; echo '    global:'; sed 's/.*/        &;/' $@; echo '};'; } >$(BUILD)/libvef.map
	$(Q)sed 's/^/-Wl,-u,/' $@ >$(BUILD)/plugin.needs

# What `vef version` prints: the version, the commit, and which of the libraries above this build has.
VERSION := $(shell cat VERSION)
BUILT   := $(BUILD)/built.h
$(BUILT): ask VERSION $(OPTIONAL:%=$(BUILD)/%.flags)
	@mkdir -p $(@D)
	@{ echo '#define VEF_BUILT_VERSION "$(VERSION)"'; \
	echo "#define VEF_BUILT_COMMIT \"$$(sh packaging/commit.sh)\""; \
	echo '#define VEF_BUILT_OPTIONAL' $(foreach library,$(OPTIONAL),'{"$(library)",' "$$(grep -q . $(BUILD)/$(library).flags && echo true || echo false)},"); \
	echo '#define VEF_BUILT_CAPTURE $(ABIS:%="%",)'; } >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/obj/cli/version.o: $(BUILT)
$(BUILD)/obj/cli/version.o: private COMPILE += -I$(BUILD)
$(BUILD)/obj/lib/failure.o: VERSION
$(BUILD)/obj/lib/failure.o: private COMPILE += -DVEF_BUILT_VERSION='"$(VERSION)"'
# Where the program looks for capture libraries beside PREFIX/lib (cli/installed.c).
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
$(BUILD)/obj/cli/installed.o: private COMPILE += $(MULTIARCH:%=-DVEF_MULTIARCH='"%"')

# The page of vef report is built into the program (cli/report/page.c).
$(BUILD)/obj/cli/report/page.o: $(wildcard cli/report/*.js cli/report/page.* cli/report/vendor/*)

$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS))
$(LIBRARY):
	$(SAY) $@
	$(Q)rm -f $@ && ar rcsP $@ $^

$(OBJECTS) $(PRELOAD_OBJECTS) $(foreach mpi,$(ABIS),$(call CAPTURE_OBJECTS,$(mpi))): private COMPILE += $(FRAMES)

$(BUILD)/vef: $(MAIN) $(LIBRARY) $(PLUGIN_NAMES)
	$(SAY) $@
	$(Q)$(LINK) -pie -o $@ @$(BUILD)/plugin.needs -Wl,--dynamic-list=$(BUILD)/plugin.list $(MAIN) $(LIBRARY) $(LIBS)

$(BUILD)/obj/cli/mpi/ranks.o: private COMPILE += $(filter -I%,$(MPI_FLAGS))
$(BUILD)/vef-mpi: $(BUILD)/obj/cli/mpi/ranks.o $(MAIN) $(LIBRARY) $(PLUGIN_NAMES)
	$(SAY) $@
	$(Q)$(LINK) -pie -o $@ @$(BUILD)/plugin.needs -Wl,--dynamic-list=$(BUILD)/plugin.list $(filter %.o,$^) $(LIBRARY) $(LIBS) $(MPI_FLAGS)

# One object, in which the rooms' own names are no longer visible but for those that plug-ins use, so that they cannot
# clash with the user's.
$(LIBVEF): $(LIBVEF_OBJECTS) $(LIBRARY) $(PLUGIN_NAMES)
	$(SAY) $@
	$(Q)$(LINK) -shared -o $@ -Wl,-soname,$(@F) -Wl,--version-script=$(BUILD)/libvef.map -Wl,-Bsymbolic-functions -Wl,-z,defs @$(BUILD)/plugin.needs $(LIBVEF_OBJECTS) $(LIBRARY) $(LIBS)
$(BUILD)/libvef.so: $(LIBVEF)
	$(Q)ln -sf $(<F) $@
$(BUILD)/libvef.a: $(LIBVEF_OBJECTS) $(LIBRARY) $(PLUGIN_NAMES)
	$(SAY) $@
	$(Q)rm -f $@ && $(LD) -r -o $(BUILD)/libvef.o $$(sed 's/^/-u /' $(PLUGIN_NAMES)) $(LIBVEF_OBJECTS) $(LIBRARY) && \
	    { sed -n 's/^ *\(vef_.*\);$$/\1/p' lib/libvef.map; cat $(PLUGIN_NAMES); } >$(BUILD)/libvef.names && \
	    objcopy -w --localize-hidden --keep-global-symbols=$(BUILD)/libvef.names $(BUILD)/libvef.o && ar rcs $@ $(BUILD)/libvef.o

# The preloaded library is in shells and launchers too, so it needs nothing but the C library, and of that no checked
# functions, which others than glibc lack: a program with musl would not start. Capture libraries are
# not linked with MPI: they use the library that the program has.
$(PRELOAD_OBJECTS): private COMPILE += -U_FORTIFY_SOURCE -fvisibility=hidden
$(BUILD)/libvefcapture.so: $(PRELOAD_OBJECTS)
	$(SAY) $@
	$(Q)$(LINK) -shared -Wl,-z,defs $(if $(SANITIZE),,-Wl,-z,initfirst) -o $@ $^ -ldl -lpthread
MPI_HEADER = $(if $(filter abi,$(1)),-Icapture/libraries/abi,$(filter -I%,$(call MPI_FLAGS_OF,$(or $(MPICC_$(1)),$(MPICC)))))
define capture_library
$$(BUILD)/libvefcapture-$(1).so: $$(call CAPTURE_OBJECTS,$(1)) $$(BUILD)/obj/capture/clock/moment.o $$(LIBRARY) capture/capture.map
	$$(SAY) $$@
	$$(Q)$$(LINK) -shared -o $$@ -Wl,--version-script=capture/capture.map $$(filter-out %.map,$$^) -static-libgcc -lz -ldl -lpthread
$$(BUILD)/$(1)/undeclared_calls.h: capture/libraries/undeclared_calls.sh traces/calls.def capture/real.h | packages
	@mkdir -p $$(@D)
	@sh $$< $$(CC) $$(call MPI_HEADER,$(1)) >$$@.new && mv $$@.new $$@
$$(BUILD)/$(1)/%.o: %.c $$(BUILD)/$(1)/undeclared_calls.h $$(FLAGS) Makefile | packages
	@mkdir -p $$(@D)
	$$(SAY) "$$< ($(1))"
	$$(Q)$$(COMPILE) -fPIC -fvisibility=hidden -I$$(BUILD)/$(1) $$(call MPI_HEADER,$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach mpi,$(ABIS),$(eval $(call capture_library,$(mpi))))

# One for each MPI library, and the script that starts that of the launcher. Not sanitized: it would measure the
# sanitizer.
$(BUILD)/vefpingpong: capture/measure/vefpingpong.sh
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@
$(PINGPONGS): $(BUILD)/vefpingpong-%: $(PINGPONG) common/rng.h | packages
	@mkdir -p $(@D)
	$(SAY) $@
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(HARDEN) $(CFLAGS) -pie $(HARDEN_LINK) $(LDFLAGS) -o $@ $< $(call MPI_FLAGS_OF,$(or $(MPICC_$*),$(MPICC))) -lm

# All objects may become part of a shared library, whose map says which names are visible.
$(BUILD)/obj/%.o: %.c $(FLAGS) Makefile | packages
	@mkdir -p $(@D)
	$(SAY) $<
	$(Q)$(COMPILE) -fPIC -fno-semantic-interposition -MMD -MP -c -o $@ $<

# gold, where binutils has it, takes half the time of the usual linker, for some 160 programs, and a quarter without the
# debug information (`make FAST_LINK=` keeps it).
FAST_LINK := $(shell command -v ld.gold >/dev/null && echo -fuse-ld=gold) $(if $(SANITIZE),,-Wl,-S)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(SUPPORT_OBJECTS) $(LIBRARY)
	@mkdir -p $(@D)
	$(SAY) $@
	$(Q)$(LINK) $(FAST_LINK) -o $@ $^ -lcmocka $(LIBS)

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(SAY) $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

.PHONY: examples
examples: $(EXAMPLES)

$(BUILD)/examples/%: examples/%.c examples/example.h common/rng.h | packages
	@mkdir -p $(@D)
	$(SAY) $@
	$(Q)$(COMPILE) -o $@ $< $(MPI_FLAGS) -lm

$(BUILD)/examples/%: examples/%.f90 | packages
	@mkdir -p $(@D)
	$(SAY) $@
	$(Q)$(MPIFORT) -std=f2018 -Wall $(FFLAGS) -o $@ $<

.PHONY: demo
demo: all examples
	@examples/demo.sh $(BUILD)

# With ONLY, of the test programs those whose path holds one of its words.
WANTED = $(if $(ONLY),$(sort $(foreach word,$(ONLY),$(foreach test,$(TESTS),$(if $(findstring $(word),$(test).c),$(test))))),$(TESTS))
.PHONY: test
test: all examples $(WANTED) $(BUILD)/tests/guard
	@tests/run $(BUILD) $(ONLY)

# Every case of tests/harmless/table, plain beside captured, with each MPI library. ONLY="WORDS": cases with such names.
.PHONY: harmless
harmless: all
	@sh tests/harmless/run.sh $(BUILD) $(ONLY)

# tests/capture/test_sent.sh with all sizes for all numbers of ranks and arrangements on nodes.
.PHONY: sent
sent:
	VEF_SENT=complete VEF_TEST_LIMIT_S=300 $(MAKE) test ONLY=test_sent

.PHONY: check-asan
check-asan:
	VEF_TEST_LIMIT_S=300 $(MAKE) BUILD=build/asan SANITIZE=1 OPT=-O1 test

# The readers of files from outside (tests/fuzz/targets.c) under clang's libFuzzer, ASan and UBSan: make
# fuzz TARGET=goal SECONDS=600. What it finds stays in build/fuzz/TARGET, a crash in build/fuzz/crash-*.
TARGET  ?= trace
SECONDS ?= 60
FUZZER  := $(BUILD)/fuzzer
.PHONY: fuzz
fuzz:
	@command -v clang >/dev/null || { echo "make fuzz needs clang (Debian: clang)"; exit 2; }
	$(MAKE) BUILD=$(BUILD)/fuzz CC=clang WARN= \
	    CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' \
	    $(BUILD)/fuzz/fuzzer
	@mkdir -p $(BUILD)/fuzz/$(TARGET)
	VEF_FUZZ_TARGET=$(TARGET) $(BUILD)/fuzz/fuzzer -max_total_time=$(SECONDS) -max_len=20000 -timeout=20 \
	    -rss_limit_mb=4096 -artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/$(TARGET) tests/fuzz/corpus/$(TARGET)
$(FUZZER): $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/fuzz/test_%,$(wildcard tests/fuzz/*.c))) $(LIBRARY)
	$(SAY) $@
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LIBS)

# What users wait for, in this build and, with BASE=FOLDER (another checkout), in that one.
.PHONY: bench bench-programs
bench: all bench-programs
	@sh bench/compare.sh $(BUILD) $(BASE)
bench-programs: $(BENCHES)

# The pages of docs/ that the program writes itself; a test compares them with what it says. A page
# is replaced when it is whole.
.PHONY: docs
docs: all $(BUILD)/tests/papers/test_papers
	$(BUILD)/vef list all >$(BUILD)/page.md && mv $(BUILD)/page.md docs/reference.md
	$(BUILD)/vef list example >$(BUILD)/page.md && mv $(BUILD)/page.md examples/networks/all-keys.yaml
	$(BUILD)/tests/papers/test_papers --write >$(BUILD)/page.md && mv $(BUILD)/page.md docs/results/papers.md
	awk -f docs/wrap.awk -f capture/calls_page.awk traces/calls.def >$(BUILD)/page.md && mv $(BUILD)/page.md capture/CALLS.md

# The pictures of docs/; those of reports need chromium.
.PHONY: pictures
pictures: all examples
	sh docs/pictures.sh $(BUILD)

# The measurements of papers and of other simulators beside ours (tests/validation/validate.sh), after as many rows as were wanted.
# A page in docs/ is replaced by one on which no row is missing.
.PHONY: validation
validation: all
	@status=0; \
	sh tests/validation/validate.sh $(BUILD) $(ROWS) || status=1; \
	for name in validation peers; do page=$(BUILD)/validation/$$name.md; \
		sh tests/validation/validate.sh $(BUILD) --page $$name >$$page || exit 1; \
		if grep -q '^Not measured yet' $$page; then echo "the rows measured so far are on $$page; docs/results/$$name.md waits for all"; \
		else mv $$page docs/results/$$name.md; fi; \
	done; \
	exit $$status

.PHONY: published
published: all
	sh tests/validation/published.sh $(BUILD) >$(BUILD)/page.md && mv $(BUILD)/page.md docs/results/published.md
.PHONY: accuracy
accuracy: all examples
	sh bench/accuracy.sh $(BUILD) >$(BUILD)/page.md && mv $(BUILD)/page.md docs/results/accuracy.md

.PHONY: cluster
cluster: all
	sh bench/cluster/cluster.sh $(BUILD) $(BUILD)/cluster

.PHONY: collectives
collectives: all
	sh tests/validation/collectives.sh $(BUILD) >$(BUILD)/page.md && mv $(BUILD)/page.md docs/results/collectives.md
.PHONY: tpu
tpu: all
	sh tests/validation/tpu.sh $(BUILD) >$(BUILD)/page.md && mv $(BUILD)/page.md docs/results/twisted-tori-in-production.md
.PHONY: flow
flow: all
	sh tests/validation/flow.sh $(BUILD) >$(BUILD)/page.md && mv $(BUILD)/page.md docs/results/flow.md
.PHONY: verification
verification: $(BUILD)/bench/verification
	$< >$(BUILD)/page.md && mv $(BUILD)/page.md docs/results/verification.md

# Pages are installed with their folders, so that links between them hold.
PAGES := README.md CHANGELOG.md CONTRIBUTING.md examples/README.md examples/machines/README.md traces/FORMAT.md netmodel/MODEL.md capture/CALLS.md $(wildcard docs/*.md docs/results/*.md examples/notebooks/*.ipynb)
.PHONY: install uninstall
install: all
	for program in vef vef-mpi; do install -D -m 755 $(BUILD)/$$program $(DESTDIR)$(PREFIX)/bin/$$program || exit 1; done
	for library in $(notdir $(CAPTURES)) vefpingpong $(notdir $(PINGPONGS)); do install -D -m 755 $(BUILD)/$$library $(DESTDIR)$(LIBDIR)/vef/$$library || exit 1; done
	for file in $(PINGPONG) common/rng.h; do install -D -m 644 $$file $(DESTDIR)$(PREFIX)/share/vef/measure/$$file || exit 1; done
	install -D -m 644 $(LIBVEF) $(DESTDIR)$(LIBDIR)/$(notdir $(LIBVEF))
	ln -sf $(notdir $(LIBVEF)) $(DESTDIR)$(LIBDIR)/libvef.so
	install -D -m 644 $(BUILD)/libvef.a $(DESTDIR)$(LIBDIR)/libvef.a
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	@# libvef reads no JSON
	umask 022; for package in vef vef-plugin; do sed 's#@PREFIX@#$(PREFIX)#; s#@LIBDIR@#$(LIBDIR)#; s#@VERSION@#$(VERSION)#; s#@LIBS@#$(strip $(filter-out -lyajl,$(LIBS)))#' lib/$$package.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/$$package.pc || exit 1; done
	for header in $(notdir $(wildcard lib/vef/*.h)); do install -D -m 644 lib/vef/$$header $(DESTDIR)$(PREFIX)/include/vef/$$header || exit 1; done
	cd $(BUILD)/plugin && find * -type f | while read -r header; do install -D -m 644 $$header "$(abspath $(DESTDIR)$(PREFIX))/include/vef/plugin/$$header" || exit 1; done
	install -d $(DESTDIR)$(PREFIX)/share/vef/embed
	install -m 644 $(wildcard examples/embed/*) $(DESTDIR)$(PREFIX)/share/vef/embed
	for file in $(notdir $(wildcard lib/python/vef/*.py)) py.typed; do install -D -m 644 lib/python/vef/$$file $(DESTDIR)$(PYTHONDIR)/vef/$$file || exit 1; done
	install -D -m 644 capture/vef.h $(DESTDIR)$(PREFIX)/include/vef.h
	install -D -m 644 capture/vef.f90 $(DESTDIR)$(PREFIX)/include/vef.f90
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	umask 022; $(BUILD)/vef list man >$(DESTDIR)$(PREFIX)/share/man/man1/vef.1
	umask 022; echo '.so man1/vef.1' >$(DESTDIR)$(PREFIX)/share/man/man1/vef-mpi.1
	umask 022; for command in $$($(BUILD)/vef --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do \
	    $(BUILD)/vef list man $$command >$(DESTDIR)$(PREFIX)/share/man/man1/vef-$$command.1 || exit 1; done
	install -d $(addprefix $(DESTDIR),$(BASHDIR) $(ZSHDIR) $(FISHDIR))
	umask 022; set -- $(addprefix $(DESTDIR),$(COMPLETIONS)); for shell in bash zsh fish; do \
	    $(BUILD)/vef list completion $$shell >$$1 && shift || exit 1; done
	install -d $(DESTDIR)$(PREFIX)/share/vef/networks
	install -m 644 $(wildcard examples/networks/*.yaml examples/networks/*.txt) $(DESTDIR)$(PREFIX)/share/vef/networks
	install -d $(DESTDIR)$(PREFIX)/share/vef/workloads
	install -m 644 $(wildcard examples/workloads/*.yaml) $(DESTDIR)$(PREFIX)/share/vef/workloads
	install -d $(DESTDIR)$(PREFIX)/share/vef/machines
	install -m 644 $(wildcard examples/machines/*.yaml) $(DESTDIR)$(PREFIX)/share/vef/machines
	for page in $(PAGES) $(wildcard docs/pictures/*.svg docs/pictures/*.png); do install -D -m 644 $$page $(DESTDIR)$(DOCDIR)/$$page || exit 1; done

uninstall:
	rm -rf $(DESTDIR)$(LIBDIR)/vef $(DESTDIR)$(PREFIX)/share/vef $(DESTDIR)$(DOCDIR) $(DESTDIR)$(PREFIX)/include/vef $(DESTDIR)$(PYTHONDIR)/vef
	rm -f $(DESTDIR)$(LIBDIR)/libvef.so $(DESTDIR)$(LIBDIR)/$(notdir $(LIBVEF)) $(DESTDIR)$(LIBDIR)/libvef.a $(DESTDIR)$(LIBDIR)/pkgconfig/vef.pc $(DESTDIR)$(LIBDIR)/pkgconfig/vef-plugin.pc
	rm -f $(DESTDIR)$(PREFIX)/bin/vef $(DESTDIR)$(PREFIX)/bin/vef-mpi $(DESTDIR)$(PREFIX)/include/vef.h $(DESTDIR)$(PREFIX)/include/vef.f90
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/vef.1 $(DESTDIR)$(PREFIX)/share/man/man1/vef-*.1 $(addprefix $(DESTDIR),$(COMPLETIONS))

# A release of the last commit: the same bytes from the same commit (and the same gzip).
RELEASE := vef-$(VERSION)
.PHONY: dist deb
dist:
	@mkdir -p $(BUILD)
	git archive --prefix=$(RELEASE)/ HEAD | gzip -9n >$(BUILD)/$(RELEASE).tar.gz.new
	mv $(BUILD)/$(RELEASE).tar.gz.new $(BUILD)/$(RELEASE).tar.gz
deb:
	sh packaging/deb.sh $(BUILD) $(RELEASE)

.PHONY: format format-check clean
format:
	clang-format -i $$(git ls-files '*.c' '*.h')
format-check:
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')
clean:
	rm -rf $(BUILD)

.SECONDARY:
-include $(OBJECTS:.o=.d) $(foreach mpi,$(ABIS),$(patsubst %.o,%.d,$(call CAPTURE_OBJECTS,$(mpi)))) $(PRELOAD_OBJECTS:.o=.d) $(SUPPORT_OBJECTS:.o=.d) \
         $(TEST_SOURCES:%.c=$(BUILD)/obj/%.d) $(BENCHES:$(BUILD)/%=$(BUILD)/obj/%.d)
