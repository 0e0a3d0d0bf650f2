/* SPDX-License-Identifier: MIT
 *
 * The cache and the hashes that are remembered in it. */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/file.h"
#include "base/file_hash.h"
#include "support/own_directory.h"
#include "support/unit.h"

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABD "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"

static char file[256];

static int set_up(void **state)
{
	assert_int_equal(own_directory_enter(state), 0);
	snprintf(file, sizeof(file), "%s/file", own_directory);
	setenv("XDG_CACHE_HOME", own_directory, 1);
	return 0;
}

/* Writes the file in place, so that it keeps its inode, and dates it. */
static void put(const char *text, time_t when)
{
	struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static const char *hash(void)
{
	static char text[SHA256_TEXT_SIZE];

	assert_int_equal(file_hash(file, text, NULL), STATUS_OK);
	return text;
}

TEST_WITH(unchanged_files_are_not_read_again, set_up, own_directory_leave)
{
	time_t past = time(NULL) - 100;

	put("abc", past);
	assert_string_equal(hash(), ABC);
	put("abd", past); /* the same size and time */
	assert_string_equal(hash(), ABC);
	put("abd", past + 1);
	assert_string_equal(hash(), ABD);
	put("abc", past);
	assert_string_equal(hash(), ABC);
}

TEST_WITH(fresh_files_are_not_remembered, set_up, own_directory_leave)
{
	time_t now = time(NULL) + 50;

	put("abc", now);
	assert_string_equal(hash(), ABC);
	put("abd", now);
	assert_string_equal(hash(), ABD);
}

TEST_WITH(another_inode_is_another_file, set_up, own_directory_leave)
{
	time_t past = time(NULL) - 100;
	char other[256];

	put("abc", past);
	assert_string_equal(hash(), ABC);
	snprintf(other, sizeof(other), "%s/other", own_directory);
	assert_int_equal(rename(file, other), 0);
	put("abd", past);
	assert_string_equal(hash(), ABD);
}

TEST_WITH(a_damaged_cache_is_made_anew, set_up, own_directory_leave)
{
	time_t past = time(NULL) - 100;
	char path[256];

	put("abc", past);
	assert_true(cache_path("hashes.json", path, sizeof(path)));
	for (size_t i = 0; i < 3; i++) {
		static const char *const damage[] = {"{\"", "[1, 2]", "{\"a\": {}, \"b\": 1}"};
		assert_int_equal(file_replace(path, damage[i], strlen(damage[i]), NULL), STATUS_OK);
		assert_string_equal(hash(), ABC);
	}
	put("abd", past);
	assert_string_equal(hash(), ABC);
}

TEST_WITH(without_a_cache_files_are_read, set_up, own_directory_leave)
{
	time_t past = time(NULL) - 100;
	char path[256];

	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_false(cache_path("hashes.json", path, sizeof(path)));
	put("abc", past);
	assert_string_equal(hash(), ABC);
	put("abd", past);
	assert_string_equal(hash(), ABD);
}

TEST_WITH(others_cannot_fill_the_cache, set_up, own_directory_leave)
{
	char path[256], directory[256];
	struct stat found;

	umask(0);
	assert_true(cache_path("kernels/one", path, sizeof(path)));
	snprintf(directory, sizeof(directory), "%s/picknext", own_directory);
	assert_int_equal(stat(directory, &found), 0);
	assert_int_equal(found.st_mode & 07777, 0700);
	assert_int_equal(chmod(directory, 0777), 0);
	assert_false(cache_path("kernels/one", path, sizeof(path)));
	assert_true(cache_distrusted(path, sizeof(path)));
	assert_string_equal(path, directory);
	assert_int_equal(chmod(directory, 0700), 0);
	assert_false(cache_distrusted(path, sizeof(path)));
	/* One that cannot be read is there, too. Root can read all: as another user. */
	const uid_t user = getuid();
	assert_int_equal(chmod(directory, 0), 0);
	assert_int_equal(setresuid(user ? user : 65534, user ? user : 65534, user), 0);
	const bool is_distrusted = cache_distrusted(path, sizeof(path));
	assert_int_equal(setresuid(user, user, user), 0);
	assert_true(is_distrusted);
	assert_int_equal(chmod(directory, 0700), 0);
	snprintf(directory, sizeof(directory), "%s/picknext/kernels", own_directory);
	assert_int_equal(rmdir(directory), 0);
	assert_int_equal(symlink("/tmp", directory), 0);
	assert_false(cache_path("kernels/one", path, sizeof(path)));
}
