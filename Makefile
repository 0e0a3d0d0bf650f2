# picknext: all output is under build/. `make help` lists the targets.

VERSION = 0.3.0

.DEFAULT_GOAL = all

# The architecture of the programs, by the kernel's name, and Debian's name of its tools. ARCH=arm64 builds below
# build/arm64, with Debian's cross compiler and what ci/cross-tools gets. Only the initramfs is in build: the picknext
# there boots guests of each architecture.
MACHINE := $(patsubst aarch64,arm64,$(shell uname -m))
ARCH = $(MACHINE)
tools_x86_64 = x86_64-linux-gnu
tools_arm64 = aarch64-linux-gnu
ARCHITECTURES = x86_64 arm64
ifeq ($(ARCH),$(MACHINE))
B = build
CC = musl-gcc
HOSTCC = gcc
STRIP = strip
BUSYBOX = $(firstword $(wildcard /bin/busybox /usr/bin/busybox))
else
B = build/$(ARCH)
CC = $(B)/cross/musl-gcc
HOSTCC = $(tools_$(ARCH))-gcc
STRIP = $(tools_$(ARCH))-strip
BUSYBOX = $(B)/cross/busybox
endif
# Runs on this machine.
PICKNEXT = build/picknext
INITRAMFS = build/initramfs-$(ARCH).cpio.gz

# CPPFLAGS and LDFLAGS are the caller's alone. One optimisation level for all files. An exception needs a measured gain,
# named in its commit.
CFLAGS ?= -O2 -g
prefix = $(or $(PREFIX),/usr/local)
bindir = $(prefix)/bin
datadir = $(prefix)/share
mandir = $(datadir)/man
docdir = $(datadir)/doc/picknext
# The program looks for its scripts and for what it boots in ../lib/picknext, seen from its own directory.
libdir = $(patsubst %/,%,$(dir $(bindir)))/lib
WARNINGS = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
# WERROR=-Werror, as the tests build: every warning is an error.
FLAGS = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(WARNINGS) $(WERROR) -Isrc -I. -I$(B)/include
# The same source gives the same bytes: no paths, no build id, sorted objects.
STATIC_FLAGS = $(FLAGS) -ffunction-sections -fdata-sections "-ffile-prefix-map=$(CURDIR)=." -fno-pie \
	-fno-asynchronous-unwind-tables
STATIC_LINK = -static -no-pie -Wl,--gc-sections -Wl,--build-id=none
# Programs of the tests, by clang, whose warnings are errors there; those of gcc are errors of the program's own build. Without
# optimisation they compile in little more than half the time, and few tests compute for long.
CHECK_CC = clang
CHECK_LEVEL = -O0
CHECK_FLAGS = $(FLAGS) $(CHECK_LEVEL) -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

# V=1 shows whole commands, make -s nothing.
ifneq ($(V),1)
quiet = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo '  $1  $@';)
endif

# vm/preload/ is loaded into QEMU; it is not part of the binary.
SOURCES = $(sort $(wildcard src/*/*.c src/*/*/*.c workloads/*.c workloads/runner/*.c vm/*.c \
	$(addprefix vm/,$(addsuffix /*.c,protocol kernel files engine plan launch))))
OBJECTS = $(SOURCES:%.c=$(B)/obj/%.o) $(B)/obj/src/main.o
# linked_TEST, so that make test T=NAME compiles only what it needs, and differs_in_guest.
$(B)/linked.mk: ci/linked $(shell find src vm workloads tests -name '*.[ch]')
	@mkdir -p $(@D)
	@ci/linked >$@.$$$$ && mv $@.$$$$ $@
-include $(B)/linked.mk
# The guest's program: the files that run there, without texts of help and without the version.
GUEST_SOURCES = src/guest_main.c src/cmd/mark.c src/cmd/run.c src/print/print.c \
	$(filter src/base/% src/runs/% src/trace/% src/record/% src/scheduler/% src/guest/% workloads/% vm/protocol/%,$(SOURCES))
GUEST_OBJECTS = $(foreach source,$(GUEST_SOURCES),$(B)/$(if $(filter $(source),src/guest_main.c $(differs_in_guest)),guest,obj)/$(source:.c=.o))
CHECK_OBJECTS = $(SOURCES:%.c=$(B)/check/%.o)
UNIT_TESTS = $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/*/test_*.c)))

# These goals look for missing packages themselves.
ifneq ($(filter-out demo test quick unit fuzz help debian clean,$(or $(MAKECMDGOALS),all)),)
ifeq ($(if $(filter $(B)/cross/%,$(CC)),cross,$(shell command -v $(CC))),)
$(error no $(CC) on this machine; as root: apt-get install gcc libc6-dev musl-tools busybox-static)
endif
endif

# An initramfs of another architecture that was built once is kept up to date.
all: $(B)/picknext $(INITRAMFS) $(B)/lockstep.so $(wildcard build/initramfs-*.cpio.gz)

help:
	@echo 'make             build build/picknext, what guests boot (initramfs-$(MACHINE).cpio.gz), and build/lockstep.so'
	@echo 'make guests      build what guests of all architectures boot: needs a cross compiler (ci/need guests)'
	@echo 'make ARCH=arm64  build the program for another architecture, in build/arm64'
	@echo 'make demo        boot two kernels, trace workloads, and compare them'
	@echo 'make quick       unit tests of what changed, golden files, command line; a minute'
	@echo 'make test T=NAME one unit program, bats file, kind of test, or the bats tests whose names contain NAME'
	@echo 'make test        every test; closes with N passed, N failed, N skipped (see tests/README.md)'
	@echo 'make unit        the unit tests alone'
	@echo 'make bench       speed compared with other tools, as a table; BENCH=dataset,text runs some parts'
	@echo 'make fuzz        run each fuzz target for FUZZ_SECONDS (60)'
	@echo 'make checks      formatting, layering, warnings, shell scripts, static binary'
	@echo 'make install     install into $$(DESTDIR)$$(prefix), default /usr/local, with manual pages and completions'
	@echo 'make deb         a Debian package, in build/packages; make release: an archive of the release; both for ARCH'
	@echo 'make debian      write debian/, for dpkg-buildpackage here'
	@echo 'make clean       remove compiled files; keeps the fetched kernels, QEMU and vng'
	@echo 'V=1 shows whole commands; CC, CFLAGS, CPPFLAGS, LDFLAGS, prefix, bindir, mandir, docdir and DESTDIR work as usual'

$(B)/picknext: $(B)/picknext.debug
	$(call quiet,STRIP)$(STRIP) -s -o $@ $<

$(B)/picknext.debug: $(OBJECTS)
	$(call quiet,LINK )$(CC) $(CFLAGS) $(LDFLAGS) $(STATIC_LINK) -o $@ $(OBJECTS) -lm

ifneq ($(ARCH),$(MACHINE))
$(B)/cross/musl-gcc: ci/cross-tools
	@mkdir -p $(B)
	@ci/cross-tools $(ARCH) $(B)/cross

$(B)/cross/busybox: $(B)/cross/musl-gcc ;
$(OBJECTS) $(GUEST_OBJECTS): | $(filter $(B)/cross/%,$(CC))

# The program that runs here; what it depends on is known without ARCH.
$(PICKNEXT): FORCE
	@$(MAKE) ARCH=$(MACHINE) $@
else
$(ARCHITECTURES:%=build/%/picknext): build/%/picknext: FORCE | $(PICKNEXT)
	@$(MAKE) ARCH=$* $@
endif

# Other flags give other bytes. Rewritten only if they change; the first flags are those of objects that are there.
FLAGS_NOW = $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(filter-out $(WERROR),$(STATIC_FLAGS) $(STATIC_LINK) $(HOSTCC) $(CHECK_CC) $(CHECK_FLAGS))
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; printf '%s\n' '$(FLAGS_NOW)' >$$new; [ -e $@ ] || touch -d 2000-01-01 $$new; \
		if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# The version is order-only: a file that includes it depends on it by its .d file.
$(B)/obj/%.o: %.c $(B)/flags | $(B)/include/base/version.h
	@mkdir -p $(@D)
	$(call quiet,CC   )$(CC) $(CPPFLAGS) $(CFLAGS) $(STATIC_FLAGS) -MMD -MP -c -o $@ $<

# The same source gives the same bytes, in the guest too: only code that runs there changes a deterministic run.
$(B)/picknext-guest: $(GUEST_OBJECTS)
	$(call quiet,LINK )$(CC) $(CFLAGS) $(LDFLAGS) $(STATIC_LINK) -s -o $@ $(GUEST_OBJECTS) -lm

$(B)/guest/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CC   )$(CC) $(CPPFLAGS) $(CFLAGS) $(filter-out -I$(B)/include,$(STATIC_FLAGS)) -DPICKNEXT_GUEST -MMD -MP -c -o $@ $<

# Rewritten only if its content changes, to avoid needless rebuilds. Checks that run side by side may all make it.
$(B)/include/base/version.h: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; ci/version-header $(VERSION) > $$new && if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

# The texts of the manual, as rows of a C table.
TOPICS = $(sort $(wildcard src/manual/topics/*.txt))
$(B)/include/manual/topic_texts.h: $(TOPICS) ci/topic-texts
	@mkdir -p $(@D)
	@ci/topic-texts $(TOPICS) >$@.new && mv $@.new $@

TOPIC_OBJECTS = $(foreach kind,obj check fuzz-objects,$(B)/$(kind)/src/manual/topic.o)
$(TOPIC_OBJECTS): $(B)/include/manual/topic_texts.h

$(INITRAMFS): $(B)/picknext-guest initramfs/init initramfs/manifest $(BUSYBOX) | $(PICKNEXT)
	@test -n '$(BUSYBOX)' || { echo 'make: no busybox for the initramfs; as root: apt-get install busybox-static' >&2; exit 1; }
	$(call quiet,PACK )$(PICKNEXT) initramfs --manifest initramfs/manifest --busybox $(BUSYBOX) --guest $(B)/picknext-guest -o $@

build/initramfs-%.cpio.gz: FORCE | $(PICKNEXT)
	@$(MAKE) ARCH=$* $@

guests: all $(ARCHITECTURES:%=build/initramfs-%.cpio.gz)

# Loaded into the installed QEMU, which is not built with musl: uses HOSTCC.
$(B)/lockstep.so: vm/preload/lockstep.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,LINK )$(HOSTCC) $(CPPFLAGS) $(CFLAGS) -std=c11 -D_GNU_SOURCE $(WARNINGS) "-ffile-prefix-map=$(CURDIR)=." \
		$(LDFLAGS) -Wl,--build-id=none -shared -fPIC -s -o $@ $< -ldl

$(B)/check/%.o: %.c $(B)/flags | $(B)/include/base/version.h
	@mkdir -p $(@D)
	$(call quiet,CC   )$(CHECK_CC) $(CHECK_FLAGS) -MMD -MP -c -o $@ $<

# Most of the time of unit tests that compute: twice as long without optimisation.
$(B)/check/src/compare/rank_sum.o $(B)/check/src/compare/family_test.o: CHECK_LEVEL = -O1

# The whole command under ASan and UBSan, for tests with arbitrary input files.
$(B)/tools/picknext-sanitized: src/main.c $(CHECK_OBJECTS)
	@mkdir -p $(@D)
	$(call quiet,LINK )$(CHECK_CC) $(CHECK_FLAGS) -fuse-ld=lld -MMD -MP -o $@ $< $(CHECK_OBJECTS) -lm -lpthread

linked = $(patsubst %.c,$(B)/check/%.o,$(linked_$1))

.SECONDEXPANSION:
$(B)/unit/%: tests/unit/%.c $$(call linked,tests/unit/$$*) $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,LINK )$(CHECK_CC) $(CHECK_FLAGS) -fuse-ld=lld -Itests -MMD -MP -o $@ $< $(filter %.o,$^) -lm -lpthread -lcmocka

# Programs with which command line tests make and print traces, and others for tests inside a guest: static, and linked with
# picknext's own objects.
$(B)/tools/%: tests/tools/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(call quiet,LINK )$(CC) -O2 $(STATIC_FLAGS) -Itests -MMD -MP $(STATIC_LINK) -s -o $@ $< $(filter-out %/main.o,$(OBJECTS)) -lm

$(B)/guest-tools/%: tests/guest-tools/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(call quiet,LINK )$(CC) -O2 $(STATIC_FLAGS) -Itests -MMD -MP $(STATIC_LINK) -s -o $@ $< $(filter-out %/main.o,$(OBJECTS)) -lm

# Programs of make bench: static, and linked with picknext's own objects to measure their speed.
$(B)/bench-tools/%: tests/bench/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(call quiet,LINK )$(CC) -O2 $(STATIC_FLAGS) $(STATIC_LINK) -s -o $@ $< $(filter-out %/main.o,$(OBJECTS)) -lm

BENCH_TOOLS = $(patsubst tests/bench/%.c,$(B)/bench-tools/%,$(sort $(wildcard tests/bench/*.c)))

# BENCH=readout,dataset chooses; BENCH_OPTIONS=--quick makes a small table fast.
bench-tools: all $(BENCH_TOOLS)

bench:
	@$(MAKE) -s bench-tools >&2
	@tests/bench/bench.py $(if $(BENCH),--only $(BENCH)) $(BENCH_OPTIONS)

TEST_TOOLS = $(patsubst tests/tools/%.c,$(B)/tools/%,$(sort $(wildcard tests/tools/*.c)))
GUEST_TOOLS = $(patsubst tests/guest-tools/%.c,$(B)/guest-tools/%,$(sort $(wildcard tests/guest-tools/*.c)))

unit-tests: $(UNIT_TESTS)
quick-tools: $(TEST_TOOLS)
test-tools: $(TEST_TOOLS) $(B)/tools/picknext-sanitized
guest-tools: $(GUEST_TOOLS)
unit-programs: unit-tests test-tools guest-tools

unit:
	@tests/run unit

# Each tests/fuzz/fuzz_NAME.c twice: replaying the committed corpus (part of make test), and fuzzing for real.
FUZZ_NAMES = $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_FLAGS = $(FLAGS) -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_OBJECTS = $(SOURCES:%.c=$(B)/fuzz-objects/%.o)
FUZZ_SECONDS = 60

$(B)/fuzz-replay/%.o: tests/fuzz/%.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CC   )$(CHECK_CC) $(CHECK_FLAGS) -Itests -MMD -MP -c -o $@ $<

$(B)/fuzz-replay/%: $(B)/fuzz-replay/fuzz_%.o $(B)/fuzz-replay/replay.o $$(call linked,tests/fuzz/fuzz_$$*)
	$(call quiet,LINK )$(CHECK_CC) $(CHECK_FLAGS) -fuse-ld=lld -o $@ $^ -lm -lpthread

fuzz-replay: $(FUZZ_NAMES:%=$(B)/fuzz-replay/%)

$(B)/fuzz-objects/%.o: %.c | $(B)/include/base/version.h
	@mkdir -p $(@D)
	$(call quiet,CC   )clang $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<

$(B)/libpicknext-fuzz.a: $(FUZZ_OBJECTS)
	@rm -f $@
	ar rcsD $@ $(FUZZ_OBJECTS)

$(B)/fuzz/%: tests/fuzz/fuzz_%.c $(B)/libpicknext-fuzz.a
	@mkdir -p $(@D)
	$(call quiet,LINK )clang $(FUZZ_FLAGS) -Itests -fsanitize=fuzzer -o $@ $< $(B)/libpicknext-fuzz.a -lm -lpthread

fuzz-build: $(FUZZ_NAMES:%=$(B)/fuzz/%)

# Regenerates the committed binary inputs.
fuzz-corpus: $(CHECK_OBJECTS)
	$(CHECK_CC) $(CHECK_FLAGS) -Itests -o $(B)/make-corpus tests/fuzz/make_corpus.c $(CHECK_OBJECTS) -lm -lpthread
	$(B)/make-corpus tests/fuzz/corpus
	tests/fuzz/make_vm_corpora.py

# New inputs go to build/fuzz-found/NAME; copy useful ones to tests/fuzz/corpus/NAME by hand. Writes the table
# build/fuzz-report.md.
fuzz:
	@ci/need build fuzzing
	@$(MAKE) -s fuzz-build
	@tests/fuzz/run $(FUZZ_SECONDS)

# The 1 % sample of the recommended dataset; build/kernels: picknext fetch kernel 6.1 6.12 7. The archive, of at most 20 MB, lacks
# all.csv, which is train.csv and the others after it.
sample: all
	PICKNEXT=$(B)/picknext KERNELS=$(B)/kernels workloads/recommended_set $(B)/sample
	cd $(B)/sample && tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --exclude=all.csv -c pick placement balance keys \
		| xz -6 -T1 >../sample.tar.xz.new && mv ../sample.tar.xz.new ../sample.tar.xz
	@ls -l $(B)/sample.tar.xz && [ $$(wc -c <$(B)/sample.tar.xz) -le 20000000 ]

checks: all
	@ci/checks

# As root, test and demo install the packages that they need, and say so; with INSTALL=0 they do not.
test:
	@INSTALL=$(or $(INSTALL),1) tests/run $(if $(T),only '$(T)')

quick:
	@tests/run quick

demo:
	@INSTALL=$(or $(INSTALL),1) vm/demo

# Debian's zsh reads site-functions of /usr/local alone, and vendor-completions of /usr.
ZSH_DIRECTORY = $(datadir)/zsh/$(if $(filter /usr,$(prefix)),vendor-completions,site-functions)
SCRIPTS = vm/fetch-kernel vm/fetch-qemu vm/fetch-schedulers vm/fetch-vng
install: all
	install -D -m 755 $(B)/picknext "$(DESTDIR)$(bindir)/picknext"
	install -d "$(DESTDIR)$(libdir)/picknext"
	install -m 644 build/initramfs-*.cpio.gz $(B)/lockstep.so vm/private-apt.sh "$(DESTDIR)$(libdir)/picknext"
	install -m 755 $(SCRIPTS) "$(DESTDIR)$(libdir)/picknext"
	@$(MAKE) -s install-manual
	@ci/install-documents "$(DESTDIR)$(docdir)"

$(B)/man: $(PICKNEXT) ci/man-pages ci/man-page.awk
	@rm -rf $@ $@.new && ci/man-pages $(PICKNEXT) $@.new
	@for shell in bash zsh fish; do $(PICKNEXT) completion $$shell >$@.new/$$shell || exit; done
	@mv $@.new $@

install-manual: $(B)/man
	install -d "$(DESTDIR)$(mandir)/man1" "$(DESTDIR)$(mandir)/man7"
	install -m 644 $(B)/man/man1/* "$(DESTDIR)$(mandir)/man1"
	install -m 644 $(B)/man/man7/* "$(DESTDIR)$(mandir)/man7"
	install -D -m 644 $(B)/man/bash "$(DESTDIR)$(datadir)/bash-completion/completions/picknext"
	install -D -m 644 $(B)/man/zsh "$(DESTDIR)$(ZSH_DIRECTORY)/_picknext"
	install -D -m 644 $(B)/man/fish "$(DESTDIR)$(datadir)/fish/vendor_completions.d/picknext.fish"

# For dpkg-buildpackage in this tree.
debian:
	@ci/write-debian

# The same source and SOURCE_DATE_EPOCH give the same bytes.
deb:
	@ci/make-deb --arch $(ARCH)

release: guests
	@ci/make-release --arch $(ARCH)

clean:
	rm -rf $(addprefix $(B)/,man obj guest check unit tools guest-tools bench-tools fuzz fuzz-objects fuzz-replay include flags \
		picknext picknext-guest picknext.debug linked.mk libpicknext-fuzz.a lockstep.so) build/initramfs-*.cpio.gz \
		$(filter-out %/cross,$(wildcard $(ARCHITECTURES:%=build/%/*)))

-include $(shell find $(addprefix $(B)/,obj guest check unit tools guest-tools fuzz-objects fuzz-replay) -name '*.d' 2>/dev/null)

# Intermediate files that are kept between runs.
.SECONDARY: $(FUZZ_OBJECTS) $(CHECK_OBJECTS) $(FUZZ_NAMES:%=$(B)/fuzz-replay/fuzz_%.o) $(B)/fuzz-replay/replay.o
.PHONY: all guests help unit unit-tests quick-tools test-tools guest-tools unit-programs quick fuzz-replay fuzz-build fuzz-corpus fuzz checks sample test bench bench-tools demo install install-manual debian deb release clean FORCE
FORCE:
