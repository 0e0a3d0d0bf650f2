/* SPDX-License-Identifier: MIT
 *
 * Which files an output may replace. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/output_file.h"
#include "base/output_stream.h"
#include "support/own_directory.h"
#include "support/unit.h"

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_holds(const char *path, const char *expected)
{
	struct buffer text = {0};

	assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

static enum status write_text(const char *path, const char *text)
{
	return output_write(path, text, strlen(text), NULL);
}

static const char trace[] = "\x17\x08\x44tracing6";
static const char kernel_text[] = "# tracer: nop\n";
static const char run[] = "{\n  \"trace_id\": \"a_run0\"\n}\n";
static const char csv[] = "pid,comm,switches\n1,init,20\n";

TEST(what_was_recorded_stays)
{
	put("a.dat", trace);
	put("a.json", run);
	put("z", kernel_text);
	assert_int_equal(write_text("a.dat", csv), STATUS_USAGE);
	assert_int_equal(write_text("a.json", csv), STATUS_USAGE);
	assert_int_equal(write_text("z", csv), STATUS_USAGE);
	assert_int_equal(output_check("a.dat", NULL), STATUS_USAGE);
	assert_holds("a.dat", trace);
	assert_holds("a.json", run);
	assert_int_equal(output_replace("a.json", "{}", 2, NULL), STATUS_OK);
	assert_holds("a.json", "{}");
	assert_int_not_equal(access("a.json.partial", F_OK), 0);
	unlink("a.dat");
	assert_int_equal(write_text("a.json", csv), STATUS_OK); /* no run's */
}

/* Outside of a set, their names are free. */
TEST(records_of_a_set_stay)
{
	static const char *const records[] = {"vm.json", "boots/run1.json"};

	put("vm.json", run);
	assert_int_equal(write_text("vm.json", csv), STATUS_OK);
	mkdir("boots", 0777);
	for (size_t i = 0; i < 2; i++) {
		put(records[i], run);
		assert_int_equal(output_check(records[i], NULL), STATUS_USAGE);
		assert_int_equal(write_text(records[i], csv), STATUS_USAGE);
		assert_holds(records[i], run);
	}
	assert_int_equal(symlink("boots/run1.json", "link"), 0);
	assert_int_equal(output_check("link", NULL), STATUS_USAGE);
	assert_int_equal(output_check("boots/other.json", NULL), STATUS_OK);
	unlink("link");
}

TEST(anything_else_is_replaced)
{
	put("x", "my notes\n");
	assert_int_equal(write_text("x", csv), STATUS_OK);
	assert_holds("x", csv);
	put("x", "");
	assert_int_equal(write_text("x", csv), STATUS_OK);
	assert_holds("x", csv);
}

TEST(a_temporary_name_that_is_taken_stays)
{
	unlink("z");
	put("z.partial", "mine");
	assert_int_equal(write_text("z", csv), STATUS_OK);
	assert_holds("z.partial", "mine");
	assert_holds("z", csv);
}

TEST(links_and_directories)
{
	put("a.dat", trace);
	unlink("link");
	assert_int_equal(symlink("a.dat", "link"), 0);
	assert_int_equal(write_text("link", csv), STATUS_USAGE);
	unlink("link");
	assert_int_equal(link("a.dat", "link"), 0);
	assert_int_equal(write_text("link", csv), STATUS_USAGE);
	mkdir("directory", 0700);
	assert_int_equal(output_check("directory", NULL), STATUS_USAGE);
	assert_int_equal(output_replace("directory", "", 0, NULL), STATUS_USAGE);
	assert_int_equal(output_check("none/x", NULL), STATUS_OK);
	assert_int_equal(write_text("/dev/null", csv), STATUS_OK);
}

/* The names of records are known to whoever made the directory. */
TEST(a_record_replaces_a_link_and_a_device)
{
	struct stat info;

	put("victim", "mine");
	unlink("vm.json");
	assert_int_equal(symlink("victim", "vm.json"), 0);
	assert_int_equal(output_replace_record("vm.json", "{}", 2, NULL), STATUS_OK);
	assert_holds("victim", "mine");
	assert_holds("vm.json", "{}");
	unlink("vm.json");
	assert_int_equal(symlink("/dev/full", "vm.json"), 0);
	assert_int_equal(output_replace_record("vm.json", "{}", 2, NULL), STATUS_OK);
	assert_int_equal(lstat("vm.json", &info), 0);
	assert_true(S_ISREG(info.st_mode));
	unlink("vm.json");
	assert_int_equal(mkfifo("vm.json", 0600), 0);
	assert_int_equal(output_replace_record("vm.json", "{}", 2, NULL), STATUS_OK);
	assert_holds("vm.json", "{}");
	unlink("vm.json");
}

TEST(two_outputs_are_two_files)
{
	put("one", csv);
	unlink("two");
	assert_int_equal(symlink("one", "two"), 0);
	assert_int_equal(output_check_pair("one", "-o", "two", "--json", NULL), STATUS_USAGE);
	assert_int_equal(output_check_pair("new", "-o", "./new", "--json", NULL), STATUS_USAGE);
	assert_int_equal(output_check_pair("-", "-o", "/dev/stdout", "--json", NULL), STATUS_USAGE);
	assert_int_equal(output_check_pair("new", "-o", "newer", "--json", NULL), STATUS_OK);
	assert_int_equal(output_check_pair("/dev/null", "-o", "/dev/null", "--json", NULL), STATUS_OK);
	assert_int_equal(output_check_pair("new", "-o", NULL, "--json", NULL), STATUS_OK);
}

TESTS_WITH(own_directory_enter, own_directory_leave)
