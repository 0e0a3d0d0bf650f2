/* SPDX-License-Identifier: MIT
 *
 * Files of a guest for the names that a user gives: programs with all they need, and nothing twice. The libraries are
 * made by tests/support/elf_recipe.h, so that those of this machine do not matter. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/elf_recipe.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/files/guest_file_request.h"

static char top[PATH_MAX];

static const char *under(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 8];

	assert_true(snprintf(path, PATH_MAX, "%.3000s/%s", top, name) < PATH_MAX);
	return path;
}

static int set_up(void **state)
{
	unsetenv("LD_LIBRARY_PATH");
	return own_directory_enter(state) || !realpath(".", top);
}

static void make_file(const char *name, const void *bytes, size_t length, mode_t mode)
{
	char directory[PATH_MAX];
	const char *path = under(name);

	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(path, '/') - path), path);
	assert_int_equal(file_make_directories(directory, NULL), STATUS_OK);
	assert_int_equal(file_replace(path, bytes, length, NULL), STATUS_OK);
	assert_int_equal(chmod(path, mode), 0);
}

static void make_elf(const char *name, const struct elf_recipe *recipe)
{
	unsigned char bytes[RECIPE_ELF_LENGTH];

	recipe_elf(recipe, bytes);
	make_file(name, bytes, sizeof(bytes), 0755);
}

static void make_text(const char *name, const char *text, mode_t mode)
{
	make_file(name, text, strlen(text), mode);
}

static const struct guest_file *at(const struct guest_files *guest_files, const char *guest)
{
	for (size_t i = 0; i < guest_files->count; i++)
		if (strcmp(guest_files->items[i].guest, guest + 1) == 0)
			return &guest_files->items[i];
	return NULL;
}

static void has_file(const struct guest_files *guest_files, const char *guest, const char *from)
{
	const struct guest_file *item = at(guest_files, guest);

	if (!item)
		fail_msg("%s is not among what was added", guest);
	assert_int_equal(item->kind, GUEST_FILE_REGULAR);
	assert_string_equal(item->from, from);
}

static const struct elf_recipe plain = {.needed = {NULL}};

TEST_WITH(a_program_brings_its_libraries, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	const struct elf_recipe program = {.runpath = "$ORIGIN/../lib", .needed = {"libone.so.1"}};
	const struct elf_recipe one = {.runpath = "${ORIGIN}/deep", .needed = {"libtwo.so", "libone.so.1"}};

	make_elf("bin/program", &program);
	make_elf("lib/libone.so.1.5", &one);
	assert_int_equal(symlink("libone.so.1.5", under("lib/libone.so.1")), 0);
	make_elf("lib/deep/libtwo.so", &plain);
	assert_int_equal(guest_files_add(&guest_files, under("bin/program"), NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	assert_int_equal(guest_files.count, 4);
	has_file(&guest_files, under("bin/program"), under("bin/program"));
	has_file(&guest_files, under("lib/libone.so.1.5"), under("lib/libone.so.1.5"));
	has_file(&guest_files, under("lib/deep/libtwo.so"), under("lib/deep/libtwo.so"));
	const struct guest_file *link = at(&guest_files, under("lib/libone.so.1"));
	assert_non_null(link);
	assert_int_equal(link->kind, GUEST_FILE_LINK);
	assert_string_equal(link->from, under("lib/libone.so.1.5"));
	assert_int_equal(guest_files.bytes, 3 * RECIPE_ELF_LENGTH);
	/* the guest's linker finds them as this machine's does */
	assert_int_equal(guest_files.libraries.count, 0);
	assert_string_equal(guest_files.programs.items[0], under("bin"));
	assert_null(guest_files.directory);
	guest_files_free(&guest_files);
}

TEST_WITH(a_missing_library_is_named_with_who_needs_it, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	struct error err = {0};
	const struct elf_recipe program = {.runpath = "$ORIGIN", .needed = {"libone.so"}};
	const struct elf_recipe one = {.needed = {"libnowhere.so.7"}};

	make_elf("program", &program);
	make_elf("libone.so", &one);
	assert_int_equal(guest_files_add(&guest_files, under("program"), &err), STATUS_SYSTEM);
	assert_string_equal(err.where, under("program"));
	assert_non_null(strstr(err.what, "libnowhere.so.7 for "));
	assert_non_null(strstr(err.what, under("libone.so")));
	guest_files_free(&guest_files);
}

/* RPATH counts for libraries of libraries, RUNPATH does not; and not beside a RUNPATH. */
TEST_WITH(rpath_is_handed_down, set_up, own_directory_leave)
{
	static const struct {
		const char *rpath, *runpath, *library_runpath;
		enum status expected;
	} cases[] = {
	    {"$ORIGIN", NULL, NULL, STATUS_OK},
	    {NULL, "$ORIGIN", NULL, STATUS_SYSTEM},
	    {"$ORIGIN", NULL, "/nowhere", STATUS_SYSTEM},
	    {"$ORIGIN", "$ORIGIN", NULL, STATUS_SYSTEM},
	    {"relative:$PLATFORM/x:$ORIGIN", NULL, NULL, STATUS_OK},
	};

	make_elf("libtwo.so", &plain);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct guest_files guest_files = {0};
		const struct elf_recipe program = {
		    .rpath = cases[i].rpath, .runpath = cases[i].runpath, .needed = {"libone.so"}};
		const struct elf_recipe one = {.runpath = cases[i].library_runpath, .needed = {"libtwo.so"}};
		make_elf("program", &program);
		make_elf("libone.so", &one);
		assert_int_equal(guest_files_add(&guest_files, under("program"), NULL), cases[i].expected);
		guest_files_free(&guest_files);
	}
}

TEST_WITH(the_guest_is_told_where_unusual_libraries_are, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	const struct elf_recipe program = {.needed = {"libmine.so"}};
	const struct elf_recipe wrong = {.needed = {NULL}};
	unsigned char bytes[RECIPE_ELF_LENGTH];
	char list[2 * PATH_MAX];

	make_elf("program", &program);
	make_elf("second/libmine.so", &plain);
	/* one of another machine in an earlier directory is passed over */
	recipe_elf(&wrong, bytes);
	bytes[18] = EM_386;
	make_file("first/libmine.so", bytes, sizeof(bytes), 0755);
	snprintf(list, sizeof(list), "%s:%s", under("first"), under("second"));
	setenv("LD_LIBRARY_PATH", list, 1);
	assert_int_equal(guest_files_add(&guest_files, under("program"), NULL), STATUS_OK);
	unsetenv("LD_LIBRARY_PATH");
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	has_file(&guest_files, under("second/libmine.so"), under("second/libmine.so"));
	assert_int_equal(guest_files.count, 2);
	assert_int_equal(guest_files.libraries.count, 1);
	assert_string_equal(guest_files.libraries.items[0], under("second"));
	guest_files_free(&guest_files);
}

TEST_WITH(origin_is_where_a_link_leads_to, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	const struct elf_recipe program = {.runpath = "$ORIGIN", .needed = {"libone.so"}};

	make_elf("package/program", &program);
	make_elf("package/libone.so", &plain);
	make_text("bin/other", "", 0644);
	assert_int_equal(symlink("../package/program", under("bin/program")), 0);
	assert_int_equal(guest_files_add(&guest_files, under("bin/program"), NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	has_file(&guest_files, under("package/program"), under("package/program"));
	assert_int_equal(at(&guest_files, under("bin/program"))->kind, GUEST_FILE_LINK);
	guest_files_free(&guest_files);
}

TEST_WITH(another_place_takes_the_libraries_along, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	const struct elf_recipe program = {.runpath = "$ORIGIN", .needed = {"libone.so"}};
	char text[2 * PATH_MAX];

	make_elf("program", &program);
	make_elf("libone.so", &plain);
	snprintf(text, sizeof(text), "%s:/opt/tools//./mine", under("program"));
	assert_int_equal(guest_files_add(&guest_files, text, NULL), STATUS_OK);
	snprintf(text, sizeof(text), "%s:/data/", under("libone.so"));
	assert_int_equal(guest_files_add(&guest_files, text, NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	has_file(&guest_files, "/opt/tools/mine", under("program"));
	has_file(&guest_files, "/data/libone.so", under("libone.so"));
	has_file(&guest_files, under("libone.so"), under("libone.so"));
	assert_string_equal(guest_files.libraries.items[0], top);
	assert_string_equal(guest_files.programs.items[0], "/opt/tools");
	guest_files_free(&guest_files);
}

TEST_WITH(a_script_brings_its_interpreter, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	char text[PATH_MAX + 64], *path = strdup(getenv("PATH"));

	make_elf("bin/interpreter", &plain);
	make_elf("bin/env", &plain);
	snprintf(text, sizeof(text), "#! %s -S A=1 interpreter -x\nprint 1\n", under("bin/env"));
	make_text("script", text, 0755);
	setenv("PATH", under("bin"), 1);
	enum status status = guest_files_add_command(&guest_files, under("script"), NULL);
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(status, STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	assert_int_equal(guest_files.count, 3);
	has_file(&guest_files, under("bin/env"), under("bin/env"));
	has_file(&guest_files, under("bin/interpreter"), under("bin/interpreter"));
	has_file(&guest_files, under("script"), under("script"));
	guest_files_free(&guest_files);
}

TEST_WITH(the_shell_is_the_guests_own, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};

	make_text("script", "#!/bin/sh\n", 0755);
	assert_int_equal(guest_files_add_command(&guest_files, "./script", NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	assert_int_equal(guest_files.count, 1);
	has_file(&guest_files, "/root/script", under("script"));
	guest_files_free(&guest_files);
}

TEST_WITH(scripts_without_an_interpreter_are_told, set_up, own_directory_leave)
{
	static const struct {
		const char *text, *what;
		enum status status;
	} cases[] = {
	    {"#!/nowhere/perl\n", "needs /nowhere/perl", STATUS_SYSTEM},
	    {"#!perl\n", "must be an absolute path", STATUS_UNSUPPORTED},
	    {"#!\n", "must be an absolute path", STATUS_UNSUPPORTED},
	    {"echo hello\n", "neither an ELF program nor a script", STATUS_UNSUPPORTED},
	    {"", "neither an ELF program nor a script", STATUS_UNSUPPORTED},
	};
	struct guest_files guest_files = {0};
	struct error err;
	char text[PATH_MAX + 16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_text("script", cases[i].text, 0755);
		assert_int_equal(guest_files_add_command(&guest_files, "./script", &err), cases[i].status);
		assert_non_null(strstr(err.what, cases[i].what));
	}
	snprintf(text, sizeof(text), "#!%s\n", under("script"));
	make_text("script", text, 0755);
	assert_int_equal(guest_files_add_command(&guest_files, "./script", &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "too many levels"));
	guest_files_free(&guest_files);
}

TEST_WITH(a_directory_comes_whole, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	const struct guest_file *item;

	make_text("tree/a/b/file", "12345", 0600);
	make_text("tree/a/run", "#!/nowhere\n", 0700);
	assert_int_equal(symlink("../../../etc/passwd", under("tree/a/away")), 0);
	assert_int_equal(mkdir(under("tree/empty"), 0700), 0);
	assert_int_equal(mkfifo(under("tree/fifo"), 0600), 0);
	assert_int_equal(guest_files_add(&guest_files, "tree:/t", NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	assert_int_equal(guest_files.count, 7);
	assert_int_equal(guest_files.bytes, 5 + 11);
	item = at(&guest_files, "/t/a/b/file");
	assert_true(item && !item->executable);
	item = at(&guest_files, "/t/a/run");
	assert_true(item && item->executable);
	item = at(&guest_files, "/t/a/away");
	assert_true(item && item->kind == GUEST_FILE_LINK);
	assert_string_equal(item->from, "../../../etc/passwd");
	assert_int_equal(at(&guest_files, "/t/empty")->kind, GUEST_FILE_DIRECTORY);
	assert_null(at(&guest_files, "/t/fifo"));
	guest_files_free(&guest_files);
}

TEST_WITH(places_that_cannot_be, set_up, own_directory_leave)
{
	static const char *const texts[] = {"some-file:/init",
					    "some-file:/bin/busybox",
					    "some-file:/proc/x",
					    "some-file:/dev/null",
					    "some-file:/job/y",
					    "some-file:/tmp",
					    "some-file:/a/../b",
					    "some-file:rel/ative",
					    "some-file:",

					    "nowhere",
					    "nowhere:/x",
					    "some-file:/modules/z.ko",
					    ""};
	struct guest_files guest_files = {0};

	make_text("some-file", "x", 0644);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct error err = {0};
		assert_int_not_equal(guest_files_add(&guest_files, texts[i], &err), STATUS_OK);
		assert_true(err.what[0]);
	}
	assert_int_equal(guest_files_add(&guest_files, "some-file:/jobs/y", NULL), STATUS_OK);
	assert_int_equal(guest_files_add(&guest_files, "some-file:/bin/some-file", NULL), STATUS_OK);
	guest_files_free(&guest_files);
}

TEST_WITH(two_files_for_one_place_are_refused, set_up, own_directory_leave)
{
	static const char *const seconds[] = {"two:/place", "two:/place/below"};

	make_text("one", "1", 0644);
	make_text("two", "2", 0644);
	for (size_t i = 0; i < 2; i++) {
		struct guest_files guest_files = {0};
		struct error err = {0};
		assert_int_equal(guest_files_add(&guest_files, "one:/place", NULL), STATUS_OK);
		assert_int_equal(guest_files_add(&guest_files, "one:/place", NULL), STATUS_OK);
		assert_int_equal(guest_files_add(&guest_files, "one:/place-and-more", NULL), STATUS_OK);
		assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
		assert_int_equal(guest_files.count, 2);
		assert_int_equal(guest_files_add(&guest_files, seconds[i], NULL), STATUS_OK);
		assert_int_equal(guest_files_finish(&guest_files, &err), STATUS_USAGE);
		assert_non_null(strstr(err.what, "would be /place"));
		guest_files_free(&guest_files);
	}
}

TEST_WITH(a_command_that_was_added_is_not_added_twice, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};

	make_elf("program", &plain);
	assert_int_equal(guest_files_add(&guest_files, "./program:/opt/some-name", NULL), STATUS_OK);
	assert_int_equal(guest_files_add_command(&guest_files, "some-name", NULL), STATUS_OK);
	assert_int_equal(guest_files_add_command(&guest_files, "/opt/some-name", NULL), STATUS_OK);
	assert_null(guest_files.expected);
	assert_int_equal(guest_files_add_command(&guest_files, "no-such-program", NULL), STATUS_OK);
	assert_string_equal(guest_files.expected, "no-such-program");
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	assert_int_equal(guest_files.count, 1);
	assert_int_equal(guest_files_add_command(&guest_files, "/opt/other", NULL), STATUS_SYSTEM);
	guest_files_free(&guest_files);
}

TEST_WITH(the_same_files_give_the_same_bytes, set_up, own_directory_leave)
{
	struct buffer archives[2] = {{0}};

	if (system("command -v cpio >/dev/null") != 0)
		skip();
	make_text("dir/b", "bb", 0640);
	make_text("dir/a", "a", 0755);
	make_text("dir-c", "c", 0644);
	for (int i = 0; i < 2; i++) {
		struct guest_files guest_files = {0};
		struct cpio_writer cpio = {.out = &archives[i]};
		assert_int_equal(guest_files_add(&guest_files, i ? "dir:/x/dir" : "dir-c:/x/dir-c", NULL), STATUS_OK);
		assert_int_equal(guest_files_add(&guest_files, i ? "dir-c:/x/dir-c" : "dir:/x/dir", NULL), STATUS_OK);
		assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
		assert_int_equal(guest_files_write(&guest_files, &cpio, NULL), STATUS_OK);
		assert_int_equal(cpio_end(&cpio, "archive", NULL), STATUS_OK);
		guest_files_free(&guest_files);
		/* neither times nor modes of this machine matter */
		assert_int_equal(chmod(under("dir/b"), 0600), 0);
	}
	assert_int_equal(archives[0].length, archives[1].length);
	assert_memory_equal(archives[0].data, archives[1].data, archives[0].length);
	make_file("archive", archives[0].data, archives[0].length, 0644);
	assert_int_equal(system("cpio --quiet -t < archive | tr '\\n' ' ' > list && "
				"[ \"$(cat list)\" = 'x x/dir x/dir/a x/dir/b x/dir-c ' ] && "
				"cpio --quiet -i --to-stdout x/dir/b < archive | grep -qx bb"),
			 0);
	buffer_free(&archives[0]);
	buffer_free(&archives[1]);
}

TEST_WITH(what_lies_in_a_directory_brings_its_libraries, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};
	const struct elf_recipe module = {.runpath = "$ORIGIN/..", .needed = {"libnowhere.so", "libone.so"}};
	const struct elf_recipe other = {.runpath = "$ORIGIN/..", .needed = {"libtwo.so"}};

	make_elf("modules/a.so", &module);
	make_elf("modules/b.so", &other);
	make_text("modules/script", "#!/nowhere/interpreter\n", 0755);
	make_elf("libone.so", &plain);
	make_elf("libtwo.so", &plain);
	assert_int_equal(guest_files_add(&guest_files, "./modules", NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	has_file(&guest_files, "/root/modules/a.so", under("modules/a.so"));
	has_file(&guest_files, "/root/libtwo.so", under("libtwo.so"));
	assert_string_equal(guest_files.libraries.items[0], "/root");
	guest_files_free(&guest_files);
}

/* A program with its library, a directory, a file: the bytes for the guest. */
static void make_archive(struct buffer *archive)
{
	static const char *const texts[] = {"./tool", "data", "data/a:/opt/a"};
	struct guest_files guest_files = {0};
	struct cpio_writer cpio = {.out = archive};
	struct buffer lists = {0};

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(guest_files_expect(&guest_files, texts[i], NULL), STATUS_OK);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(guest_files_add(&guest_files, texts[i], NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	assert_null(guest_files.directory);
	assert_int_equal(guest_files_write(&guest_files, &cpio, NULL), STATUS_OK);
	assert_int_equal(cpio_end(&cpio, "archive", NULL), STATUS_OK);
	arguments_quote(&guest_files.programs, ":", &lists);
	arguments_quote(&guest_files.libraries, ":", &lists);
	buffer_add(archive, lists.data, lists.length);
	buffer_free(&lists);
	guest_files_free(&guest_files);
}

TEST_WITH(working_directory_does_not_matter, set_up, own_directory_leave)
{
	const struct elf_recipe tool = {.runpath = "$ORIGIN/lib", .needed = {"libown.so"}};
	static const char *const places[] = {"one", "two/deeper"};
	struct buffer archives[2] = {{0}};
	char name[64];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/tool", places[i]);
		make_elf(name, &tool);
		snprintf(name, sizeof(name), "%s/lib/libown.so", places[i]);
		make_elf(name, &plain);
		/* in either order on disk */
		for (int file = 0; file < 8; file++) {
			snprintf(name, sizeof(name), "%s/data/%c", places[i], i ? 'h' - file : 'a' + file);
			make_text(name, "text", i ? 0644 : 0600);
		}
		assert_int_equal(chdir(under(places[i])), 0);
		make_archive(&archives[i]);
	}
	assert_int_equal(archives[0].length, archives[1].length);
	assert_memory_equal(archives[0].data, archives[1].data, archives[0].length);
	assert_null(memmem(archives[0].data, archives[0].length, top, strlen(top)));
	buffer_free(&archives[0]);
	buffer_free(&archives[1]);
	assert_int_equal(chdir(top), 0);
}

TEST_WITH(path_that_leads_out_keeps_directory, set_up, own_directory_leave)
{
	struct guest_files guest_files = {0};

	make_text("beside", "text", 0644);
	make_text("in/here", "text", 0644);
	assert_int_equal(chdir(under("in")), 0);
	assert_int_equal(guest_files_expect(&guest_files, "../beside:/opt/x", NULL), STATUS_OK);
	assert_null(guest_files.directory);
	assert_int_equal(guest_files_expect(&guest_files, "../beside", NULL), STATUS_OK);
	assert_string_equal(guest_files.directory, under("in"));
	assert_int_equal(guest_files_add(&guest_files, "here", NULL), STATUS_OK);
	assert_int_equal(guest_files_add(&guest_files, "../beside", NULL), STATUS_OK);
	assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
	has_file(&guest_files, under("in/here"), under("in/here"));
	has_file(&guest_files, under("beside"), under("beside"));
	guest_files_free(&guest_files);
	assert_int_equal(chdir(top), 0);
}

TEST_WITH(order_of_one_directory_in_path_does_not_matter, set_up, own_directory_leave)
{
	char *path = strdup(getenv("PATH")), text[3 * PATH_MAX];

	make_elf("real/tool", &plain);
	assert_int_equal(symlink("real", under("link")), 0);
	for (int i = 0; i < 2; i++) {
		struct guest_files guest_files = {0};
		snprintf(text, sizeof(text), "%s:%s", under(i ? "link" : "real"), under(i ? "real" : "link"));
		setenv("PATH", text, 1);
		assert_int_equal(guest_files_add(&guest_files, "tool", NULL), STATUS_OK);
		assert_int_equal(guest_files_finish(&guest_files, NULL), STATUS_OK);
		assert_int_equal(guest_files.count, 1);
		has_file(&guest_files, under("real/tool"), under("real/tool"));
		assert_string_equal(guest_files.programs.items[0], under("real"));
		guest_files_free(&guest_files);
	}
	setenv("PATH", path, 1);
	free(path);
}
