/* SPDX-License-Identifier: MIT
 *
 * The private directory of a boot: where it is made, and how it is removed. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/unit.h"
#include "vm/engine/private_directory.h"

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

/* A directory that others can write to is not used: they could replace the private one in it. */
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
