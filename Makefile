# picknext: all output is under build/. `make help` lists the targets.

VERSION = 0.3.0
B = build

CC = musl-gcc
HOSTCC = gcc
STRIP = strip
# One optimisation level for all files. An exception needs a measured gain, named in its commit.
CFLAGS = -O2 -g
WARNINGS = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
FLAGS = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(WARNINGS) -Isrc -I. -I$(B)/include
# The same source gives the same bytes: no paths, no build id, sorted objects.
STATIC_FLAGS = $(FLAGS) -ffunction-sections -fdata-sections "-ffile-prefix-map=$(CURDIR)=." -fno-pie \
	-fno-asynchronous-unwind-tables
STATIC_LINK = -static -no-pie -Wl,--gc-sections -Wl,--build-id=none
CHECK_FLAGS = $(FLAGS) -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

# vm/preload/ is loaded into QEMU; it is not part of the binary.
SOURCES = $(sort $(wildcard src/*/*.c src/*/*/*.c workloads/*.c workloads/runner/*.c vm/*.c \
	$(addprefix vm/,$(addsuffix /*.c,protocol kernel files engine plan launch))))
OBJECTS = $(SOURCES:%.c=$(B)/obj/%.o) $(B)/obj/src/main.o
CHECK_OBJECTS = $(SOURCES:%.c=$(B)/check/%.o)
UNIT_TESTS = $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/*/test_*.c)))
BUSYBOX = $(firstword $(wildcard /bin/busybox /usr/bin/busybox))

# These goals install missing packages themselves.
ifneq ($(filter-out demo test quick unit fuzz help clean,$(or $(MAKECMDGOALS),all)),)
ifeq ($(shell command -v $(CC)),)
$(error no $(CC) on this machine; as root: apt-get install gcc libc6-dev musl-tools busybox-static)
endif
endif

all: $(B)/picknext $(B)/initramfs.cpio.gz $(B)/lockstep.so

help:
	@echo 'make             build build/picknext, build/initramfs.cpio.gz and build/lockstep.so'
	@echo 'make demo        boot two kernels, trace workloads, and compare them'
	@echo 'make quick       unit tests of what changed, golden files, command line; under a minute'
	@echo 'make test T=NAME one unit program, bats file, kind of test, or the bats tests whose names contain NAME'
	@echo 'make test        every test; closes with N passed, N failed, N skipped (see tests/README.md)'
	@echo 'make unit        the unit tests alone'
	@echo 'make bench       speed compared with other tools, as a table; BENCH=dataset,text runs some parts'
	@echo 'make fuzz        run each fuzz target for FUZZ_SECONDS (60)'
	@echo 'make checks      formatting, layering, warnings, shell scripts, static binary'
	@echo 'make install     install into $$(DESTDIR)$$(PREFIX), default /usr/local, with manual pages and completions'
	@echo 'make deb         a Debian package, in build/packages; make release: an archive of the release'
	@echo 'make clean       remove compiled files; keeps the fetched kernels, QEMU and vng'

$(B)/picknext: $(B)/picknext.debug
	$(STRIP) -s -o $@ $<

$(B)/picknext.debug: $(OBJECTS)
	$(CC) $(STATIC_LINK) -o $@ $(OBJECTS) -lm

# Depends on the Makefile: other flags give other bytes.
$(B)/obj/%.o: %.c Makefile | $(B)/include/base/version.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(STATIC_FLAGS) -MMD -MP -c -o $@ $<

# Rewritten only if its content changes, to avoid needless rebuilds. Checks that run side by side may all make it.
$(B)/include/base/version.h: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; ci/version-header $(VERSION) > $$new && if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# The texts of the manual, as rows of a C table.
TOPICS = $(sort $(wildcard src/print/manual/topics/*.txt))
$(B)/include/print/manual/topic_texts.h: $(TOPICS) ci/topic-texts
	@mkdir -p $(@D)
	@ci/topic-texts $(TOPICS) >$@.new && mv $@.new $@

TOPIC_OBJECTS = $(foreach kind,obj check fuzz-objects,$(B)/$(kind)/src/print/manual/topic.o)
$(TOPIC_OBJECTS): $(B)/include/print/manual/topic_texts.h

$(B)/initramfs.cpio.gz: $(B)/picknext initramfs/init initramfs/manifest
	@test -n '$(BUSYBOX)' || { echo 'make: no busybox for the initramfs; as root: apt-get install busybox-static' >&2; exit 1; }
	$(B)/picknext initramfs --manifest initramfs/manifest --busybox $(BUSYBOX) -o $@

# Loaded into the installed QEMU, which is not built with musl: uses HOSTCC.
$(B)/lockstep.so: vm/preload/lockstep.c Makefile
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -D_GNU_SOURCE -O2 $(WARNINGS) "-ffile-prefix-map=$(CURDIR)=." -Wl,--build-id=none -shared -fPIC -s -o $@ $< -ldl

$(B)/check/%.o: %.c | $(B)/include/base/version.h
	@mkdir -p $(@D)
	$(HOSTCC) $(CHECK_FLAGS) -MMD -MP -c -o $@ $<

$(B)/libpicknext-check.a: $(CHECK_OBJECTS)
	@rm -f $@
	ar rcsD $@ $(CHECK_OBJECTS)

# The whole command under ASan and UBSan, for tests with arbitrary input files.
$(B)/tools/picknext-sanitized: src/main.c $(B)/libpicknext-check.a
	@mkdir -p $(@D)
	$(HOSTCC) $(CHECK_FLAGS) -MMD -MP -o $@ $< $(B)/libpicknext-check.a -lm -lpthread

$(B)/unit/%: tests/unit/%.c $(B)/libpicknext-check.a
	@mkdir -p $(@D)
	$(HOSTCC) $(CHECK_FLAGS) -Itests -MMD -MP -o $@ $< $(B)/libpicknext-check.a -lcmocka -lm -lpthread

# Programs with which command line tests make and print traces.
$(B)/tools/%: tests/tools/%.c $(B)/libpicknext-check.a
	@mkdir -p $(@D)
	$(HOSTCC) $(CHECK_FLAGS) -Itests -MMD -MP -o $@ $< $(B)/libpicknext-check.a -lm -lpthread

# The same for tests inside a guest: static, and linked with picknext's own objects.
$(B)/guest-tools/%: tests/guest-tools/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) -O2 $(STATIC_FLAGS) -Itests -MMD -MP $(STATIC_LINK) -s -o $@ $< $(filter-out %/main.o,$(OBJECTS)) -lm

# Programs of make bench: static, and linked with picknext's own objects to measure their speed.
$(B)/bench-tools/%: tests/bench/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) -O2 $(STATIC_FLAGS) $(STATIC_LINK) -s -o $@ $< $(filter-out %/main.o,$(OBJECTS)) -lm

BENCH_TOOLS = $(patsubst tests/bench/%.c,$(B)/bench-tools/%,$(sort $(wildcard tests/bench/*.c)))

# BENCH=readout,dataset chooses; BENCH_OPTIONS=--quick makes a small table fast.
bench-tools: all $(BENCH_TOOLS)

bench:
	@$(MAKE) -s bench-tools >&2
	@tests/bench/bench.py $(if $(BENCH),--only $(BENCH)) $(BENCH_OPTIONS)

TEST_TOOLS = $(B)/tools/picknext-sanitized $(patsubst tests/tools/%.c,$(B)/tools/%,$(sort $(wildcard tests/tools/*.c)))
GUEST_TOOLS = $(patsubst tests/guest-tools/%.c,$(B)/guest-tools/%,$(sort $(wildcard tests/guest-tools/*.c)))

unit-tests: $(UNIT_TESTS)
test-tools: $(TEST_TOOLS)
guest-tools: $(GUEST_TOOLS)
unit-programs: unit-tests test-tools guest-tools

unit:
	@tests/run unit

# Each tests/fuzz/fuzz_NAME.c twice: replaying the committed corpus (part of make test), and fuzzing for real.
FUZZ_NAMES = $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_FLAGS = $(FLAGS) -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_OBJECTS = $(SOURCES:%.c=$(B)/fuzz-objects/%.o)
FUZZ_SECONDS = 60

FUZZ_HEADERS = $(wildcard tests/fuzz/*.h tests/support/*.h)
$(B)/fuzz-replay/%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(FUZZ_HEADERS) $(B)/libpicknext-check.a
	@mkdir -p $(@D)
	$(HOSTCC) $(CHECK_FLAGS) -Itests -o $@ $< tests/fuzz/replay.c $(B)/libpicknext-check.a -lm -lpthread

fuzz-replay: $(FUZZ_NAMES:%=$(B)/fuzz-replay/%)

$(B)/fuzz-objects/%.o: %.c | $(B)/include/base/version.h
	@mkdir -p $(@D)
	clang $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<

$(B)/libpicknext-fuzz.a: $(FUZZ_OBJECTS)
	@rm -f $@
	ar rcsD $@ $(FUZZ_OBJECTS)

$(B)/fuzz/%: tests/fuzz/fuzz_%.c $(FUZZ_HEADERS) $(B)/libpicknext-fuzz.a
	@mkdir -p $(@D)
	clang $(FUZZ_FLAGS) -Itests -fsanitize=fuzzer -o $@ $< $(B)/libpicknext-fuzz.a -lm -lpthread

fuzz-build: $(FUZZ_NAMES:%=$(B)/fuzz/%)

# Regenerates the committed binary inputs.
fuzz-corpus: $(B)/libpicknext-check.a
	$(HOSTCC) $(CHECK_FLAGS) -Itests -o $(B)/make-corpus tests/fuzz/make_corpus.c $(B)/libpicknext-check.a -lm -lpthread
	$(B)/make-corpus tests/fuzz/corpus

# New inputs go to build/fuzz-found/NAME; copy useful ones to tests/fuzz/corpus/NAME by hand. Writes the table
# build/fuzz-report.md.
fuzz:
	@ci/need build fuzzing
	@$(MAKE) -s fuzz-build
	@tests/fuzz/run $(FUZZ_SECONDS)

checks: all
	@ci/checks

test:
	@tests/run $(if $(T),only '$(T)')

quick:
	@tests/run quick

demo:
	@vm/demo

# Debian's zsh reads site-functions of /usr/local alone, and vendor-completions of /usr.
INSTALL_TO = $(DESTDIR)$(or $(PREFIX),/usr/local)
ZSH_DIRECTORY = $(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
install: all
	install -D -m 755 $(B)/picknext "$(INSTALL_TO)/bin/picknext"
	install -D -m 644 $(B)/initramfs.cpio.gz "$(INSTALL_TO)/lib/picknext/initramfs.cpio.gz"
	install -D -m 644 $(B)/lockstep.so "$(INSTALL_TO)/lib/picknext/lockstep.so"
	install -m 755 vm/fetch-kernel vm/fetch-qemu vm/fetch-vng "$(INSTALL_TO)/lib/picknext"
	install -m 644 vm/private-apt.sh "$(INSTALL_TO)/lib/picknext"
	@$(MAKE) -s install-manual

install-manual: $(B)/picknext
	@rm -rf $(B)/man && ci/man-pages $(B)/picknext $(B)/man
	install -d "$(INSTALL_TO)/share/man/man1" "$(INSTALL_TO)/share/man/man7"
	install -m 644 $(B)/man/man1/* "$(INSTALL_TO)/share/man/man1"
	install -m 644 $(B)/man/man7/* "$(INSTALL_TO)/share/man/man7"
	@for shell in bash zsh fish; do $(B)/picknext completion $$shell >$(B)/man/$$shell || exit; done
	install -D -m 644 $(B)/man/bash "$(INSTALL_TO)/share/bash-completion/completions/picknext"
	install -D -m 644 $(B)/man/zsh "$(INSTALL_TO)/share/zsh/$(ZSH_DIRECTORY)/_picknext"
	install -D -m 644 $(B)/man/fish "$(INSTALL_TO)/share/fish/vendor_completions.d/picknext.fish"

# The same source and SOURCE_DATE_EPOCH give the same bytes.
deb: all
	@ci/make-deb

release: all
	@ci/make-release

clean:
	rm -rf $(B)/man $(B)/obj $(B)/check $(B)/unit $(B)/tools $(B)/guest-tools $(B)/bench-tools $(B)/fuzz $(B)/fuzz-objects $(B)/fuzz-replay $(B)/include $(B)/picknext $(B)/picknext.debug $(B)/libpicknext-check.a $(B)/initramfs.cpio.gz $(B)/lockstep.so

-include $(shell find $(B)/obj $(B)/check $(B)/unit $(B)/guest-tools $(B)/fuzz-objects -name '*.d' 2>/dev/null)


# Intermediate files that are kept between runs.
.SECONDARY: $(FUZZ_OBJECTS) $(CHECK_OBJECTS)
.PHONY: all help unit unit-tests test-tools guest-tools unit-programs quick fuzz-replay fuzz-build fuzz-corpus fuzz checks test bench bench-tools demo install install-manual deb release clean FORCE
FORCE:
