/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"

TEST(a_file_is_replaced_whole)
{
	struct error err = {0};
	struct buffer read = {0};
	struct stat info;

	assert_int_equal(file_replace("a", "first", 5, &err), STATUS_OK);
	assert_int_equal(file_replace("a", "second\0x", 8, &err), STATUS_OK);
	buffer_text(&read, "before ");
	assert_int_equal(file_read("a", 8, &read, &err), STATUS_OK);
	assert_int_equal(read.length, 15);
	assert_memory_equal(read.data, "before second\0x", 16);
	assert_int_equal(stat("a.new", &info), -1);
	buffer_free(&read);
	assert_int_equal(file_replace("none/a", "x", 1, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
	assert_int_equal(mkdir("taken", 0755), 0);
	assert_int_equal(file_replace("taken", "x", 1, &err), STATUS_SYSTEM);
	assert_int_equal(stat("taken.new", &info), -1);
}

/* /dev/null is not to become a file where root writes to it. A link stands for the device, in case it does. */
TEST(what_is_no_file_is_written_to)
{
	struct error err = {0};
	struct stat info;
	char text[8] = "";

	assert_int_equal(mkfifo("pipe", 0600), 0);
	int reader = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(file_replace("pipe", "bytes", 5, &err), STATUS_OK);
	assert_int_equal(read(reader, text, sizeof(text)), 5);
	assert_memory_equal(text, "bytes", 5);
	close(reader);
	assert_int_equal(lstat("pipe", &info), 0);
	assert_true(S_ISFIFO(info.st_mode));
	assert_int_equal(symlink("/dev/full", "full"), 0);
	assert_int_equal(file_replace("full", "bytes", 5, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOSPC);
	assert_int_equal(lstat("full", &info), 0);
	assert_true(S_ISLNK(info.st_mode));
}

TEST(a_temporary_that_is_a_link_is_not_followed)
{
	struct error err = {0};
	struct stat info;

	assert_int_equal(symlink("victim", "linked.new"), 0);
	assert_int_equal(file_replace("linked", "x", 1, &err), STATUS_OK);
	assert_int_equal(stat("victim", &info), -1);
	/* nor one that is another name of a file */
	assert_int_equal(file_replace("precious", "kept", 4, &err), STATUS_OK);
	assert_int_equal(link("precious", "linked.new"), 0);
	assert_int_equal(file_replace("linked", "x", 1, &err), STATUS_OK);
	assert_int_equal(stat("precious", &info), 0);
	assert_int_equal(info.st_size, 4);
	assert_int_equal(mkdir("linked.new", 0700), 0);
	assert_int_equal(file_replace("linked", "x", 1, &err), STATUS_SYSTEM);
	assert_int_equal(rmdir("linked.new"), 0);
}

TEST(reading_has_a_limit_and_names_what_is_missing)
{
	struct error err = {0};
	struct buffer read = {0};

	assert_int_equal(file_replace("long", "123456789", 9, &err), STATUS_OK);
	assert_int_equal(file_read("long", 8, &read, &err), STATUS_UNSUPPORTED);
	assert_string_equal(err.what, "longer than 8 bytes");
	buffer_clear(&read);
	assert_int_equal(file_read("long", 9, &read, &err), STATUS_OK);
	assert_int_equal(file_read("missing", 9, &read, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
	assert_int_equal(file_read(".", 9, &read, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, EISDIR);
	buffer_clear(&read);
	/* The size of such a file is 0 by stat. */
	assert_int_equal(file_read("/proc/self/status", 1 << 20, &read, &err), STATUS_OK);
	assert_non_null(strstr(read.data, "Pid:"));
	buffer_free(&read);
}

/* Nobody writes to the pipe: the read does not wait. */
TEST(only_regular_files_of_others_are_read)
{
	struct error err = {0};
	struct buffer read = {0};

	assert_int_equal(mkfifo("unread", 0600), 0);
	assert_int_equal(file_read_regular("unread", 9, &read, &err), STATUS_UNSUPPORTED);
	assert_string_equal(err.what, "not a regular file");
	assert_int_equal(file_read_regular("/dev/zero", 9, &read, &err), STATUS_UNSUPPORTED);
	assert_int_equal(file_read_regular(".", 9, &read, &err), STATUS_UNSUPPORTED);
	assert_int_equal(file_read_regular("missing", 9, &read, &err), STATUS_SYSTEM);
	assert_int_equal(file_replace("own", "text", 4, &err), STATUS_OK);
	assert_int_equal(file_read_regular("own", 9, &read, &err), STATUS_OK);
	assert_string_equal(read.data, "text");
	buffer_free(&read);
}

TEST(a_line_is_the_first_one_and_fits)
{
	struct error err = {0};
	char line[5];

	assert_int_equal(file_replace("lines", "abc\ndef\n", 8, &err), STATUS_OK);
	assert_true(file_read_line("lines", line, sizeof(line)));
	assert_string_equal(line, "abc");
	assert_int_equal(file_replace("lines", "abcdefgh", 8, &err), STATUS_OK);
	assert_true(file_read_line("lines", line, sizeof(line)));
	assert_string_equal(line, "abcd");
	assert_int_equal(file_replace("lines", "", 0, &err), STATUS_OK);
	assert_true(file_read_line("lines", line, sizeof(line)));
	assert_string_equal(line, "");
	assert_false(file_read_line("missing", line, sizeof(line)));
	assert_false(file_read_line("lines", line, 0));
}

TEST(directories_are_made_with_their_parents)
{
	struct error err = {0};
	struct stat info;
	char too_long[PATH_MAX + 2];

	assert_int_equal(file_make_directories("x/y//z/", &err), STATUS_OK);
	assert_int_equal(stat("x/y/z", &info), 0);
	assert_int_equal(file_make_directories("x/y/z", &err), STATUS_OK);
	assert_int_equal(file_make_directories("/", &err), STATUS_OK);
	assert_int_equal(file_make_directories(".", &err), STATUS_OK);
	assert_int_equal(file_replace("plain", "x", 1, &err), STATUS_OK);
	assert_int_equal(file_make_directories("plain/y", &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOTDIR);
	assert_string_equal(err.where, "plain");
	assert_int_equal(file_make_directories("", &err), STATUS_USAGE);
	memset(too_long, 'x', sizeof(too_long));
	too_long[sizeof(too_long) - 1] = '\0';
	assert_int_equal(file_make_directories(too_long, &err), STATUS_USAGE);
}

TEST(joined_paths_have_one_slash_and_fit)
{
	struct error err = {0};
	char path[8];

	assert_int_equal(file_join(path, sizeof(path), "a", "b", &err), STATUS_OK);
	assert_string_equal(path, "a/b");
	assert_int_equal(file_join(path, sizeof(path), "a/", "b", &err), STATUS_OK);
	assert_string_equal(path, "a/b");
	assert_int_equal(file_join(path, sizeof(path), "/", "b", &err), STATUS_OK);
	assert_string_equal(path, "/b");
	assert_int_equal(file_join(path, sizeof(path), "abc", "def", &err), STATUS_OK);
	assert_int_equal(file_join(path, sizeof(path), "abcd", "def", &err), STATUS_USAGE);
}

TEST(only_regular_files_are_mapped)
{
	struct error err = {0};
	struct mapping mapping;

	assert_int_equal(file_replace("mapped", "bytes", 5, &err), STATUS_OK);
	assert_int_equal(file_map("mapped", &mapping, &err), STATUS_OK);
	assert_int_equal(mapping.length, 5);
	assert_memory_equal(mapping.bytes, "bytes", 5);
	file_map_forget(&mapping);
	assert_memory_equal(mapping.bytes, "bytes", 5);
	file_unmap(&mapping);
	assert_null(mapping.bytes);
	file_unmap(&mapping);
	assert_int_equal(file_replace("empty", "", 0, &err), STATUS_OK);
	assert_int_equal(file_map("empty", &mapping, &err), STATUS_OK);
	assert_null(mapping.bytes);
	file_map_forget(&mapping);
	file_unmap(&mapping);
	assert_int_equal(file_map(".", &mapping, &err), STATUS_UNSUPPORTED);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(file_map("fifo", &mapping, &err), STATUS_UNSUPPORTED);
	assert_int_equal(file_map("missing", &mapping, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
}

/* Bytes of files that are mapped and in memory: the third number of statm, in pages. */
static long resident_of_files(void)
{
	char text[128] = "";
	int fd = open("/proc/self/statm", O_RDONLY);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	assert_true(got > 0);
	return strtol(strchr(strchr(text, ' ') + 1, ' '), NULL, 10) * sysconf(_SC_PAGESIZE);
}

TEST(what_a_mapping_filled_is_let_go_of)
{
	enum { SIZE = 32 << 20 };
	struct error err = {0};
	struct mapping mapping;
	char *bytes = calloc(1, SIZE);
	long sum = 0;

	assert_non_null(bytes);
	bytes[SIZE - 1] = 7;
	assert_int_equal(file_replace("large", bytes, SIZE, &err), STATUS_OK);
	free(bytes);
	assert_int_equal(file_map("large", &mapping, &err), STATUS_OK);
	for (size_t at = 0; at < SIZE; at += 1024)
		sum += mapping.bytes[at];
	long filled = resident_of_files();
	file_map_forget(&mapping);
	/* Half of it: what else of files comes and goes meanwhile is less. */
	assert_true(filled - resident_of_files() > SIZE / 2);
	assert_int_equal(sum + mapping.bytes[SIZE - 1], 7);
	file_unmap(&mapping);

	/* Bytes that are no file's stay what they are. */
	char own[] = "own bytes";
	mapping = (struct mapping){.bytes = (const uint8_t *)own, .length = sizeof(own)};
	file_map_forget(&mapping);
	assert_string_equal(own, "own bytes");
}

/* A pipe that is read slowly takes a part at a time; all of it must come out at the other end. */
TEST(short_writes_are_gone_on_with)
{
	static char bytes[1 << 20];
	struct error err = {0};
	int ends[2];
	size_t got = 0;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 % 251);
	assert_int_equal(pipe(ends), 0);
	pid_t writer = fork();
	if (writer == 0) {
		close(ends[0]);
		_exit(file_write_all(ends[1], bytes, sizeof(bytes), "pipe", &err) == STATUS_OK ? 0 : 1);
	}
	close(ends[1]);
	for (;;) {
		char part[777];
		ssize_t length = read(ends[0], part, sizeof(part));
		assert_true(length >= 0);
		if (length == 0)
			break;
		assert_memory_equal(part, bytes + got, (size_t)length);
		got += (size_t)length;
	}
	int code;
	close(ends[0]);
	assert_int_equal(waitpid(writer, &code, 0), writer);
	assert_int_equal(code, 0);
	assert_int_equal(got, sizeof(bytes));
}

TEST(a_full_device_is_told)
{
	struct error err = {0};
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		skip();
	assert_int_equal(file_write_all(fd, "x", 1, "/dev/full", &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOSPC);
	close(fd);
}

TEST(only_a_sudo_user_is_given_files)
{
	struct error err = {0};
	struct stat info;

	if (geteuid() != 0)
		skip();
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "5678", 1);
	assert_int_equal(file_replace("given", "x", 1, &err), STATUS_OK);
	assert_int_equal(stat("given", &info), 0);
	assert_true(info.st_uid == 1234 && info.st_gid == 5678);
	assert_int_equal(symlink("kept", "link"), 0);
	unsetenv("SUDO_UID");
	assert_int_equal(file_replace("kept", "x", 1, &err), STATUS_OK);
	static const char *const refused[] = {"0", "-1", "4294967295", "x", ""};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		setenv("SUDO_UID", refused[i], 1);
		file_give_to_sudo_user("kept");
	}
	setenv("SUDO_UID", "1234", 1);
	file_give_to_sudo_user("link");
	assert_int_equal(stat("kept", &info), 0);
	assert_int_equal(info.st_uid, 0);
	assert_int_equal(lstat("link", &info), 0);
	assert_int_equal(info.st_uid, 1234);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

static int begin(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	return own_directory_enter(state);
}

TESTS_WITH(begin, own_directory_leave)
