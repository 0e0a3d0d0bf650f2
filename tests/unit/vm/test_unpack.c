/* SPDX-License-Identifier: MIT
 *
 * Unpacked kernels in the cache: made once, found by the image's bytes, and not more than needed. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/kernel/unpack.h"

#define KERNEL "\177ELF of a kernel"

static char image_path[256];

static int set_up(void **state)
{
	assert_int_equal(own_directory_enter(state), 0);
	snprintf(image_path, sizeof(image_path), "%s/image", own_directory);
	setenv("XDG_CACHE_HOME", own_directory, 1);
	return 0;
}

/* The image is all payload, not compressed. */
static enum status unpack_once(const char *bytes, char *unpacked)
{
	struct kernel_image image = {.kind = KERNEL_BZIMAGE, .payload_length = strlen(bytes)};

	assert_int_equal(file_replace(image_path, bytes, strlen(bytes), NULL), STATUS_OK);
	return kernel_image_unpack_once(image_path, &image, unpacked, NULL);
}

TEST_WITH(an_image_is_unpacked_once, set_up, own_directory_leave)
{
	char first[PATH_MAX], again[PATH_MAX], other[PATH_MAX];
	struct buffer bytes = {0};

	assert_int_equal(unpack_once(KERNEL, first), STATUS_OK);
	assert_int_equal(file_replace(first, "what is here", 12, NULL), STATUS_OK);
	assert_int_equal(unpack_once(KERNEL, again), STATUS_OK);
	assert_string_equal(again, first);
	assert_int_equal(file_read(again, 100, &bytes, NULL), STATUS_OK);
	assert_string_equal(bytes.data, "what is here");
	buffer_free(&bytes);
	assert_int_equal(unpack_once(KERNEL " 2", other), STATUS_OK);
	assert_string_not_equal(other, first);
}

TEST_WITH(what_cannot_be_unpacked_is_not_kept, set_up, own_directory_leave)
{
	char path[PATH_MAX];

	assert_int_equal(unpack_once("no ELF file", path), STATUS_UNSUPPORTED);
	assert_int_equal(access(path, F_OK), -1);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_int_equal(unpack_once(KERNEL, path), STATUS_UNSUPPORTED);
}

/* With a script in the place of zstd, and a PATH without it that may not be searched. */
TEST_WITH(a_program_of_the_cache_unpacks_if_none_is_in_path, set_up, own_directory_leave)
{
	static const char script[] = "#!/bin/sh\nexec /bin/cat\n";
	static const uint8_t packed[] = "\x28\xb5\x2f\xfd of zstd";
	struct buffer before = {0}, out = {0};

	buffer_printf(&before, "%s", getenv("PATH"));
	assert_int_equal(mkdir("denied", 0), 0);
	setenv("PATH", "denied:nowhere", 1);
	enum status without = unpack(packed, sizeof(packed), 100, &out, "x", NULL);
	file_make_directories("picknext/tools/usr/bin", NULL);
	file_replace("picknext/tools/usr/bin/zstd", script, sizeof(script) - 1, NULL);
	chmod("picknext", 0700);
	chmod("picknext/tools/usr/bin/zstd", 0755);
	enum status with = unpack(packed, sizeof(packed), 100, &out, "x", NULL);
	setenv("PATH", before.data, 1);
	assert_int_equal(without, STATUS_SYSTEM);
	assert_int_equal(with, STATUS_OK);
	assert_int_equal(out.length, sizeof(packed));
	buffer_free(&before);
	buffer_free(&out);
}

/* Gives the file the time of day 2 of the epoch, and later ones. */
static void make_old(const char *path, int days)
{
	struct timespec times[2] = {{.tv_sec = days * 86400}, {.tv_sec = days * 86400}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST_WITH(the_oldest_of_more_than_eight_goes, set_up, own_directory_leave)
{
	char paths[10][PATH_MAX], text[64];

	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), KERNEL " %d", i);
		assert_int_equal(unpack_once(text, paths[i]), STATUS_OK);
		if (i < 5)
			make_old(paths[i], 10 - i);
	}
	/* The ninth made number 4 go, the tenth number 3. */
	for (int i = 0; i < 10; i++)
		assert_int_equal(access(paths[i], F_OK), i == 4 || i == 3 ? -1 : 0);
}
