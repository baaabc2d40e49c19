# Builds vef (build/vef) and its capture library (build/libvefcapture.so).
#
#   make            both, optimised            make test        the whole suite
#   make demo       the demonstration          make check-asan  the suite under ASan and UBSan
#   make bench      the measurements           make install PREFIX=/usr/local
#
# Every .c file of a room belongs to it, so a new file needs no edit here; one test program is built
# from each tests/*/test_*.c, linked with every room of the program but its main.

BUILD   ?= build
PREFIX  ?= /usr/local
CC      ?= cc
MPICC   ?= mpicc.mpich
MPIFORT ?= mpifort.mpich

WARN    := -Wall -Wextra -Wshadow -Wconversion -Werror
OPT     ?= -O2
CFLAGS  ?= $(OPT) -g
STD     := -std=c17 -D_GNU_SOURCE -I. $(WARN)
LIBS    := -lyaml -lz -lm

ifdef SANITIZE
CFLAGS  += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
endif

ROOMS   := common traces netmodel mappings replay cli
SOURCES := $(sort $(shell find $(ROOMS) -name '*.c'))
OBJECTS := $(SOURCES:%.c=$(BUILD)/obj/%.o)
MAIN    := $(BUILD)/obj/cli/main.o

CAPTURE_SOURCES := $(sort $(shell find capture traces common -name '*.c'))
CAPTURE_OBJECTS := $(CAPTURE_SOURCES:%.c=$(BUILD)/pic/%.o)

TEST_SOURCES  := $(sort $(shell find tests -name 'test_*.c'))
TESTS         := $(TEST_SOURCES:%.c=$(BUILD)/%)
SUPPORT       := $(sort $(filter-out $(TEST_SOURCES),$(shell find tests -name '*.c' -not -path 'tests/mpi/*')))
SUPPORT_OBJECTS := $(SUPPORT:%.c=$(BUILD)/obj/%.o)

.PHONY: all
all: $(BUILD)/vef $(BUILD)/libvefcapture.so

$(BUILD)/vef: $(OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libvefcapture.so: $(CAPTURE_OBJECTS)
	$(MPICC) -shared $(CFLAGS) $(LDFLAGS) -o $@ $^ -lyaml -lz -lpthread

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(MPICC) $(STD) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(SUPPORT_OBJECTS) $(filter-out $(MAIN),$(OBJECTS))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

.PHONY: test
test: all $(TESTS)
	tests/run $(BUILD)

.PHONY: check-asan
check-asan:
	$(MAKE) BUILD=build/asan SANITIZE=1 OPT=-O1 test

.PHONY: install
install: all
	install -D -m 755 $(BUILD)/vef $(DESTDIR)$(PREFIX)/bin/vef
	install -D -m 755 $(BUILD)/libvefcapture.so $(DESTDIR)$(PREFIX)/lib/vef/libvefcapture.so

.PHONY: format clean
format:
	clang-format -i $$(git ls-files '*.c' '*.h')
clean:
	rm -rf $(BUILD)

.SECONDARY:
-include $(OBJECTS:.o=.d) $(CAPTURE_OBJECTS:.o=.d) $(TEST_SOURCES:%.c=$(BUILD)/obj/%.d)
