/* SPDX-License-Identifier: MIT
 *
 * Which files an output may replace, also if another process puts a file there at the last moment. */
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/output_file.h"

static const char *appears_at; /* before the next renameat2(), a file of somebody else is put there */

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* In place of libc's. */
long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))(uintptr_t)dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_renameat2 && appears_at) {
		put("other", "precious");
		assert_int_equal(rename("other", appears_at), 0);
		appears_at = NULL;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void assert_holds(const char *path, const char *expected)
{
	struct buffer text = {0};

	assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

static enum status write_as(const char *path, enum output_kind kind, const char *text)
{
	return output_write(path, kind, text, strlen(text), NULL);
}

static const char trace[] = "\x17\x08\x44tracing6";
static const char run[] = "{\n  \"trace_id\": \"a_run0\"\n}\n";
static const char csv[] = "pid,comm,switches\n1,init,20\n";
static const char json[] = "{\n  \"trace\": {\n    \"traces\": 1\n  }\n}\n";
static const char text[] = "Per CPU\nCPU  switches\n  0        12\n\n240 events, 0.014688 s, 2 CPUs, no events lost\n";

static void what_belongs_to_a_run_stays(void **state)
{
	const char *const results[] = {csv, json, text};

	(void)state;
	put("a.dat", trace);
	put("a.json", run);
	put("a.log", "said\n");
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(write_as("a.dat", OUTPUT_RESULT, results[i]), STATUS_USAGE);
		assert_int_equal(write_as("a.json", OUTPUT_RESULT, results[i]), STATUS_USAGE);
		assert_int_equal(write_as("a.log", OUTPUT_RESULT, results[i]), STATUS_USAGE);
	}
	assert_int_equal(write_as("a.json", OUTPUT_TRACE, trace), STATUS_USAGE);
	assert_int_equal(write_as("a.dat", OUTPUT_RUN, run), STATUS_USAGE);
	assert_int_equal(output_check("a.dat", OUTPUT_RESULT, NULL, NULL), STATUS_USAGE);
	assert_holds("a.dat", trace);
	assert_holds("a.json", run);
	assert_holds("a.log", "said\n");
	assert_int_equal(write_as("a.dat", OUTPUT_TRACE, trace), STATUS_OK);
	assert_int_equal(write_as("a.json", OUTPUT_RUN, run), STATUS_OK);
	assert_int_not_equal(access("a.json.partial", F_OK), 0);
}

static void a_result_replaces_its_like(void **state)
{
	static const struct {
		const char *first, *again;
	} same[] = {
	    {csv, "pid,comm,switches\n2,\"a,b\",7\n"},
	    {json, "{\n  \"trace\": {\n    \"traces\": 22\n  }\n}\n"},
	    {text, "Per CPU\nCPU   switches\n  0       1200\n\n1,240 events, 12.5 s, 16 CPUs, no events lost\n"},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		unlink("x");
		assert_int_equal(write_as("x", OUTPUT_RESULT, same[i].first), STATUS_OK);
		assert_int_equal(write_as("x", OUTPUT_RESULT, same[i].again), STATUS_OK);
		assert_holds("x", same[i].again);
		for (size_t other = 0; other < 3; other++)
			if (other != i)
				assert_int_equal(write_as("x", OUTPUT_RESULT, same[other].first), STATUS_USAGE);
	}
	put("x", "my notes, which took years to write\nand more\n");
	assert_int_equal(write_as("x", OUTPUT_RESULT, text), STATUS_USAGE);
	put("x", "name,first,last\nA,B,C\n");
	assert_int_equal(write_as("x", OUTPUT_RESULT, csv), STATUS_USAGE);
	put("x", "");
	assert_int_equal(write_as("x", OUTPUT_RESULT, csv), STATUS_OK);
}

static void a_file_that_appears_stays(void **state)
{
	(void)state;
	unlink("y");
	appears_at = "y";
	assert_int_equal(write_as("y", OUTPUT_RESULT, csv), STATUS_USAGE);
	assert_null(appears_at);
	assert_holds("y", "precious");
	assert_int_not_equal(access("y.partial", F_OK), 0);
	put("y", csv);
	appears_at = "y";
	assert_int_equal(write_as("y", OUTPUT_RESULT, csv), STATUS_USAGE);
	assert_holds("y", "precious");
}

static void a_temporary_name_that_is_taken_stays(void **state)
{
	(void)state;
	unlink("z");
	put("z.partial", "mine");
	assert_int_equal(write_as("z", OUTPUT_RESULT, csv), STATUS_OK);
	assert_holds("z.partial", "mine");
	assert_holds("z", csv);
}

static void links_and_directories(void **state)
{
	(void)state;
	put("a.json", run);
	unlink("link");
	assert_int_equal(symlink("a.json", "link"), 0);
	assert_int_equal(write_as("link", OUTPUT_RESULT, json), STATUS_USAGE);
	unlink("link");
	assert_int_equal(link("a.json", "link"), 0);
	assert_int_equal(write_as("link", OUTPUT_RESULT, json), STATUS_USAGE);
	mkdir("directory", 0700);
	assert_int_equal(output_check("directory", OUTPUT_RESULT, NULL, NULL), STATUS_USAGE);
	assert_int_equal(output_check("none/x", OUTPUT_RESULT, NULL, NULL), STATUS_OK);
	assert_int_equal(write_as("/dev/null", OUTPUT_RESULT, json), STATUS_OK);
}

static void two_outputs_are_two_files(void **state)
{
	(void)state;
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

/* Last: it stays in force. */
static void force_replaces_any_file_but_no_directory(void **state)
{
	(void)state;
	put("x", "my notes, which took years to write\n");
	output_allow_replacing();
	assert_int_equal(write_as("x", OUTPUT_RESULT, csv), STATUS_OK);
	assert_int_equal(output_check("directory", OUTPUT_RESULT, NULL, NULL), STATUS_USAGE);
}

static int enter(void **state)
{
	char directory[] = "/tmp/test_output_file-XXXXXX";

	*state = mkdtemp(directory) ? strdup(directory) : NULL;
	return *state && chdir(*state) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	static const char *const names[] = {"a.dat", "a.json", "a.log", "x",   "y",
					    "z",     "link",   "one",   "two", "z.partial"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	rmdir("directory");
	int result = chdir("/") == 0 ? rmdir(*state) : -1;
	free(*state);
	return result;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_belongs_to_a_run_stays),
	    cmocka_unit_test(a_result_replaces_its_like),
	    cmocka_unit_test(a_file_that_appears_stays),
	    cmocka_unit_test(a_temporary_name_that_is_taken_stays),
	    cmocka_unit_test(links_and_directories),
	    cmocka_unit_test(two_outputs_are_two_files),
	    cmocka_unit_test(force_replaces_any_file_but_no_directory),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
