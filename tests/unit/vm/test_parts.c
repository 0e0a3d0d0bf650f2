/* SPDX-License-Identifier: MIT
 *
 * The launcher's parts that start nothing: command lines, the console's log, the machine's description. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/file.h"
#include "support/unit.h"
#include "vm/engine/channels.h"
#include "vm/engine/emulator.h"
#include "vm/engine/private_directory.h"
#include "vm/launch/accelerator.h"
#include "vm/launch/console.h"
#include "vm/launch/supervise.h"

/* --- Command lines --- */

TEST(quoted_as_a_shell_reads_it)
{
	struct arguments line = {0};
	struct buffer text = {0};

	arguments_add(&line, "/usr/bin/qemu");
	arguments_option(&line, "-append", "a=%d b", 7);
	arguments_add(&line, "it's `x` $y \"z\"");
	arguments_add(&line, "%s", "");
	arguments_add(&line, "plain,one=two:/three");
	arguments_quote(&line, " ", &text);
	assert_string_equal(text.data, "/usr/bin/qemu -append 'a=7 b' 'it'\\''s `x` $y \"z\"' '' plain,one=two:/three");
	assert_int_equal(line.count, 6);
	assert_null(line.items[6]);
	arguments_free(&line);
	buffer_free(&text);
}

TEST(control_characters_stay_on_the_line)
{
	struct arguments line = {0};
	struct buffer text = {0};

	arguments_add(&line, "a\n\t7'\\b");
	arguments_add(&line, "\033[1m\xff\xc3\xa9");
	arguments_add(&line, "\xc3\xa9 b\\");
	arguments_add(&line, "\xe2\x80\xae"
			     "b"); /* U+202E: reorders what follows */
	arguments_quote(&line, " ", &text);
	assert_string_equal(text.data,
			    "$'a\\012\\0117\\047\\134b' $'\\033[1m\\377\xc3\xa9' '\xc3\xa9 b\\' $'\\342\\200\\256b'");
	arguments_free(&line);
	buffer_free(&text);
}

TEST(a_line_grows)
{
	struct arguments line = {0};
	char expected[16];

	for (int i = 0; i < 1000; i++)
		arguments_add(&line, "%d", i);
	assert_int_equal(line.count, 1000);
	for (int i = 0; i < 1000; i++) {
		snprintf(expected, sizeof(expected), "%d", i);
		assert_string_equal(line.items[i], expected);
	}
	assert_null(line.items[1000]);
	arguments_free(&line);
	assert_int_equal(line.count, 0);
}

static bool has(const struct arguments *line, const char *item)
{
	for (size_t i = 0; i < line->count; i++)
		if (strcmp(line->items[i], item) == 0)
			return true;
	return false;
}

TEST(the_last_cpu_is_isolated)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .qemu_major = 7};
	struct machine machine = {.engine = &engine, .directory = "/d", .cpus = 4, .nohz_full = true, .append = "x=1"};
	struct buffer line = {0};

	machine_kernel_line(&machine, &line);
	assert_string_equal(line.data, "loglevel=7 panic=-1 oops=panic tsc=reliable no_timer_check "
				       "isolcpus=managed_irq,domain,4 irqaffinity=0-3 nohz_full=4 x=1");
	buffer_clear(&line);
	machine.cpus = 1;
	machine_kernel_line(&machine, &line);
	assert_non_null(strstr(line.data, " isolcpus=managed_irq,domain,1 irqaffinity=0 nohz_full=1 "));
	buffer_clear(&line);
	machine.no_isolated_cpu = true;
	machine_kernel_line(&machine, &line);
	assert_null(strstr(line.data, "isolcpus"));
	assert_int_equal(machine_all_cpus(&machine), 1);
	buffer_free(&line);
}

TEST(processors_by_accelerator_and_version)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .qemu_major = 7};
	struct machine machine = {.engine = &engine, .directory = "/d", .cpus = 2};
	struct arguments line = {0};

	machine_common_options(&machine, &line);
	assert_true(has(&line, "tcg,thread=single"));
	assert_true(has(&line, "qemu64,-cx16"));
	arguments_free(&line);
	engine.qemu_major = 10;
	machine_common_options(&machine, &line);
	assert_true(has(&line, "qemu64"));
	arguments_free(&line);
	machine.accelerator = ACCELERATOR_KVM;
	machine_common_options(&machine, &line);
	assert_true(has(&line, "kvm"));
	assert_true(has(&line, "host,migratable=off,kvm-steal-time=off"));
	assert_false(has(&line, "tcg,thread=single"));
	arguments_free(&line);
}

/* The size of QEMU's cache of translated code changes traces, and by default it depends on the host's memory. */
TEST(deterministic_guests_do_not_depend_on_the_memory_of_the_host)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .qemu_major = 10};
	struct machine machine = {.engine = &engine,
				  .directory = "/d",
				  .cpus = 2,
				  .deterministic = true,
				  .code_cache_mb = MACHINE_CODE_CACHE_MB};
	struct arguments line = {0};

	machine_common_options(&machine, &line);
	assert_true(has(&line, "tcg,thread=single,tb-size=1024"));
	arguments_free(&line);
}

TEST(cpus_beyond_the_host)
{
	struct machine machine = {.cpus = 2, .accelerator = ACCELERATOR_KVM};

	assert_true(machine_exceeds(&machine, 2));
	assert_false(machine_exceeds(&machine, 3));
	machine.no_isolated_cpu = true;
	assert_false(machine_exceeds(&machine, 2));
	machine = (struct machine){.cpus = 8, .accelerator = ACCELERATOR_TCG};
	assert_false(machine_exceeds(&machine, 2)); /* one thread for all */
}

/* vng asks "strings" for the release of a kernel. */
TEST(vng_on_a_host_without_binutils)
{
	struct emulator engine = {.kind = ENGINE_VNG, .qemu_major = 7, .vng = "/v"};
	struct arguments line = {0}, environment = {0};
	char directory[] = "/tmp/picknext-vng-XXXXXX", command[200], said[64] = "";
	const char *path = getenv("PATH");

	assert_non_null(mkdtemp(directory));
	struct machine machine = {.engine = &engine, .directory = directory, .cpus = 2};
	setenv("PATH", "/none", 1);
	assert_int_equal(emulator_vng_prepare(directory, "6.1.9$(id)", NULL), STATUS_OK);
	emulator_vng_command(&machine, &line, &environment);
	setenv("PATH", path, 1);
	snprintf(command, sizeof(command), "PATH=%s/bin:/none", directory);
	assert_true(has(&environment, command));
	snprintf(command, sizeof(command), "%s/bin/strings /a/kernel", directory);
	FILE *strings = popen(command, "r");
	assert_non_null(strings);
	assert_non_null(fgets(said, sizeof(said), strings));
	pclose(strings);
	assert_string_equal(said, "Linux version 6.1.9$(id) \n");
	arguments_free(&line);
	arguments_free(&environment);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	assert_int_equal(system(command), 0);
}

/* What a short boot says of KVM, and of this kernel, this moment or this host's memory. */
TEST(a_probe_says_what_lasts)
{
	static const struct {
		enum guest_end end;
		const char *console, *engine, *why;
		bool is_lasting;
	} cases[] = {
	    {GUEST_DONE, "up\n", "", "was up", true},
	    {GUEST_NOT_BOOTED, "", "", "hung", true},
	    {GUEST_NOT_BOOTED, "Linux version\n", "", "boot-timeout", false},
	    {GUEST_PANICKED, "x\nKernel panic - not syncing: why\n", "", "Kernel panic - not syncing: why", false},
	    {GUEST_LEFT_EARLY, "", "first\nqemu: kvm: no luck\n", "QEMU ended after", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct console console = {.file = -1}, engine_log = {.file = -1};
		const struct supervision on = {.console = &console, .engine_log = &engine_log, .end = cases[i].end};
		struct accelerator_choice choice = {0};
		bool is_lasting;
		console_add(&console, cases[i].console, strlen(cases[i].console));
		console_add(&engine_log, cases[i].engine, strlen(cases[i].engine));
		assert_int_equal(accelerator_judge(&on, &choice, &is_lasting, NULL), STATUS_OK);
		assert_int_equal(choice.accelerator, i == 0 ? ACCELERATOR_KVM : ACCELERATOR_TCG);
		assert_non_null(strstr(choice.why, cases[i].why));
		/* The last words of QEMU are for those who ask. */
		assert_null(strstr(choice.why, "luck"));
		assert_non_null(strstr(choice.why, "KVM was tried"));
		assert_int_equal(is_lasting, cases[i].is_lasting);
	}
}

TEST(a_probe_without_memory_says_nothing_of_kvm)
{
	static const char words[] = "qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory\n";
	struct console console = {.file = -1}, engine_log = {.file = -1};
	const struct supervision on = {.console = &console, .engine_log = &engine_log, .end = GUEST_LEFT_EARLY};
	struct accelerator_choice choice = {0};
	struct error err = {0};
	bool is_lasting;

	console_add(&engine_log, words, strlen(words));
	assert_int_equal(accelerator_judge(&on, &choice, &is_lasting, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOMEM);
	assert_false(is_lasting);
}

/* Nothing of virtio, whose requests complete when the host gets round to them, and no clock but the instructions. */
TEST(a_deterministic_machine)
{
	struct emulator engine = {.kind = ENGINE_QEMU, .qemu_major = 10, .qemu = "/usr/bin/qemu"};
	struct machine machine = {.engine = &engine, .directory = "/d", .cpus = 2, .deterministic = true, .seed = 12};
	struct arguments line = {0};

	emulator_qemu_command(&machine, &line);
	assert_true(has(&line, "shift=0,sleep=off,align=off"));
	assert_true(has(&line, "base=2020-01-01T00:00:00,clock=vm"));
	assert_true(has(&line, "12"));
	assert_true(has(&line, "file,id=picknext-console,path=/d/console"));
	assert_true(has(&line, "ivshmem-plain,memdev=picknext-shared-memory"));
	assert_true(has(&line, "isa-debugcon,iobase=0xe9,chardev=picknext-progress"));
	for (size_t i = 0; i < line.count; i++)
		assert_null(strstr(line.items[i], "virtio"));
	assert_non_null(strstr(line.items[line.count - 1], "mitigations=off"));
	assert_int_equal(machine_channels(&machine), 1u << CHANNEL_PROGRESS);
	arguments_free(&line);
}

TEST(channels_by_engine)
{
	struct emulator engine = {.kind = ENGINE_QEMU};
	struct machine machine = {.engine = &engine};

	assert_int_equal(machine_channels(&machine), (1u << CHANNEL_ENGINE) - 1 - (1u << CHANNEL_CONSOLE));
	machine.shared_memory = true;
	assert_int_equal(machine_channels(&machine), 1u << CHANNEL_PROGRESS);
	engine.kind = ENGINE_VNG;
	assert_int_equal(machine_channels(&machine), 1u << CHANNEL_PROGRESS);
	machine.shell = true;
	assert_int_equal(machine_channels(&machine), 1u << CHANNEL_CONSOLE | 1u << CHANNEL_PROGRESS);
}

/* vng builds a shell line from what it gets: nothing in it may mean something to a shell. */
TEST(nothing_for_a_shell_to_take_apart)
{
	struct emulator engine = {.kind = ENGINE_VNG, .vng = "/opt/vng"};
	struct machine machine = {.engine = &engine,
				  .directory = "/tmp/picknext-vm-abc123",
				  .cpus = 2,
				  .memory_mb = 512,
				  .share = SHARE_VIRTIOFS,
				  .shared_memory = true,
				  .scratch_disk = true};
	struct arguments line = {0}, environment = {0};

	emulator_vng_command(&machine, &line, &environment);
	for (size_t i = 0; i < line.count; i++)
		assert_null(strpbrk(line.items[i], "$`\"'\\;&|<>()*?[]{}~#!\n"));
	arguments_free(&line);
	arguments_free(&environment);
}

/* --- The console --- */

static void add_text(struct console *console, const char *text)
{
	console_add(console, text, strlen(text));
}

TEST(console_is_kept_whole_and_shown_escaped)
{
	char path[] = "/tmp/picknext-test-console-XXXXXX";
	struct console console;
	struct buffer kept = {0};
	char lines[1024];

	close(mkstemp(path));
	console_open(&console, path);
	add_text(&console, "one\r\ntwo\033[31m\r\n");
	add_text(&console, "th");
	add_text(&console, "ree\x9b\x01\n\n");
	console_last_lines(&console, 2, lines, sizeof(lines));
	assert_string_equal(lines, "  | two\\x1b[31m\n  | three\\x9b\\x01\n");
	console_last_lines(&console, 100, lines, sizeof(lines));
	assert_string_equal(lines, "  | one\n  | two\\x1b[31m\n  | three\\x9b\\x01\n");
	console_close(&console);
	assert_int_equal(file_read(path, 4096, &kept, NULL), STATUS_OK);
	assert_string_equal(kept.data, "one\r\ntwo\033[31m\r\nthree\x9b\x01\n\n");
	buffer_free(&kept);
	unlink(path);
}

TEST(a_panic_is_seen_however_it_is_cut)
{
	static const char text[] =
	    "[    1.0] x\r\n[    2.0] Kernel panic - not syncing: Attempted to \033kill init!\r\n"
	    "[    2.1] Kernel panic - not syncing: second\r\n";
	struct console console;

	for (size_t step = 1; step < sizeof(text); step++) {
		console_open(&console, "/dev/null/none");
		for (size_t i = 0; i < sizeof(text) - 1; i += step)
			console_add(&console, text + i, step < sizeof(text) - 1 - i ? step : sizeof(text) - 1 - i);
		assert_string_equal(console.panic, "Kernel panic - not syncing: Attempted to \\x1bkill init!");
		console_close(&console);
	}
}

TEST(a_flood_keeps_the_tail)
{
	struct console console;
	char lines[CONSOLE_TAIL * 2];
	char line[64];

	console_open(&console, "/dev/null/none");
	assert_int_not_equal(console.write_errnum, 0);
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof(line), "line %d\n", i);
		add_text(&console, line);
	}
	console_last_lines(&console, 3, lines, sizeof(lines));
	assert_string_equal(lines, "  | line 99997\n  | line 99998\n  | line 99999\n");
	/* no newline for long, in pieces larger than the tail */
	char *flood = calloc(1, 3 * CONSOLE_TAIL);
	assert_non_null(flood);
	memset(flood, 'z', 3 * CONSOLE_TAIL);
	console_add(&console, flood, 3 * CONSOLE_TAIL);
	console_last_lines(&console, 5, lines, sizeof(lines));
	assert_int_equal(strspn(lines + 4, "z"), CONSOLE_TAIL);
	console_last_lines(&console, 5, lines, 32); /* a small text is cut, not overrun */
	assert_true(strlen(lines) < 32);
	free(flood);
	console_close(&console);
}

/* --- The private directory --- */

TEST(a_dead_ones_directory_is_removed)
{
	char base[] = "/tmp/pn-unit-XXXXXX";
	char stale[128], file[160], fresh[128];
	struct private_directory first = {.lock = -1}, second = {.lock = -1};

	assert_non_null(mkdtemp(base));
	unsetenv("XDG_RUNTIME_DIR");
	setenv("TMPDIR", base, 1);
	snprintf(stale, sizeof(stale), "%s/picknext-vm-dead00", base);
	snprintf(fresh, sizeof(fresh), "%s/picknext-vm-making", base);
	assert_int_equal(mkdir(stale, 0700) + mkdir(fresh, 0700), 0);
	snprintf(file, sizeof(file), "%s/lock", stale);
	assert_int_equal(file_replace(file, "", 0, NULL), STATUS_OK);
	assert_int_equal(private_directory_make(&first, NULL), STATUS_OK);
	assert_int_not_equal(access(stale, F_OK), 0); /* its lock was nobody's */
	assert_int_equal(access(fresh, F_OK), 0);     /* perhaps being made right now */
	assert_int_equal(private_directory_make(&second, NULL), STATUS_OK);
	assert_int_equal(access(first.path, F_OK), 0); /* in use */
	assert_string_not_equal(first.path, second.path);
	private_directory_remove(&second);
	private_directory_remove(&first);
	private_directory_remove(&first); /* again does nothing */
	rmdir(fresh);
	assert_int_equal(rmdir(base), 0); /* nothing else is left */
}

TEST(links_are_not_followed_when_removing)
{
	char base[] = "/tmp/pn-unit-XXXXXX";
	char inner[64], kept[64], link_path[96];

	assert_non_null(mkdtemp(base));
	snprintf(inner, sizeof(inner), "%s/inner", base);
	snprintf(kept, sizeof(kept), "%s/kept", base);
	snprintf(link_path, sizeof(link_path), "%s/link", inner);
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_int_equal(mkdir(kept, 0700), 0);
	assert_int_equal(symlink(kept, link_path), 0);
	directory_remove_all(inner);
	assert_int_not_equal(access(inner, F_OK), 0);
	assert_int_equal(access(kept, F_OK), 0);
	directory_remove_all(base);
	assert_int_not_equal(access(base, F_OK), 0);
}

/* Directories inside each other, so that their path is longer than a path can be; the innermost has a file, and its
 * owner may do nothing in it. */
static void make_deep(const char *base)
{
	char name[201];
	int at = open(base, O_RDONLY | O_DIRECTORY);

	memset(name, 'd', 200);
	name[200] = '\0';
	for (int i = 0; i < 40; i++) {
		assert_int_equal(mkdirat(at, name, 0700), 0);
		int inner = openat(at, name, O_RDONLY | O_DIRECTORY);
		assert_true(inner >= 0);
		close(at);
		at = inner;
	}
	close(openat(at, "file", O_WRONLY | O_CREAT, 0600));
	assert_int_equal(mkdirat(at, ".moved-0", 0700), 0);
	assert_int_equal(fchmod(at, 0), 0);
	close(at);
}

TEST(what_a_guest_made_is_removed)
{
	char base[] = "/tmp/pn-unit-XXXXXX";
	char path[64];

	assert_non_null(mkdtemp(base));
	make_deep(base);
	/* names that removing could use itself */
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/.moved-%d", base, i);
		assert_int_equal(i == 1 ? file_replace(path, "", 0, NULL) : file_make_directories(path, NULL),
				 STATUS_OK);
	}
	assert_int_equal(file_replace(strcat(path, "/file"), "", 0, NULL), STATUS_OK);
	directory_remove_all(base);
	assert_int_not_equal(access(base, F_OK), 0);
}

/* What others can write to is not used: they could put another directory in the place of the private one. */
TEST(private_directory_is_where_others_cannot_write)
{
	char base[] = "/tmp/pn-unit-XXXXXX";
	struct private_directory directory;

	assert_non_null(mkdtemp(base));
	setenv("TMPDIR", base, 1);
	unsetenv("XDG_RUNTIME_DIR");
	for (int i = 0; i < 4; i++) {
		static const mode_t modes[] = {0700, 0777, 0770, 01777};
		assert_int_equal(chmod(base, modes[i]), 0);
		private_directory_name_only(&directory);
		assert_int_equal(strncmp(directory.path, base, strlen(base)) == 0, i == 0 || i == 3);
	}
	if (geteuid() == 0) {
		assert_int_equal(chown(base, 12, 12), 0);
		private_directory_name_only(&directory);
		assert_int_not_equal(strncmp(directory.path, base, strlen(base)), 0);
	}
	unsetenv("TMPDIR");
	assert_int_equal(rmdir(base), 0);
}
