/* SPDX-License-Identifier: MIT
 *
 * Files beside a kernel image, in the layouts that people have. */
#include <unistd.h>

#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"
#include "vm/kernel/kernel_files.h"

#define RELEASE "9.9.9-test"

static const char *under(const char *name)
{
	static char paths[4][600];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", own_directory, name);
	return path;
}

static void add(const char *name, const void *bytes, size_t length)
{
	char directory[600];

	snprintf(directory, sizeof(directory), "%s", under(name));
	*strrchr(directory, '/') = '\0';
	assert_int_equal(file_make_directories(directory, NULL), STATUS_OK);
	assert_int_equal(file_replace(under(name), bytes, length, NULL), STATUS_OK);
}

static void add_text(const char *name, const char *text)
{
	add(name, text, strlen(text));
}

/* The least bzImage that tells a release. */
static void add_kernel(const char *name, const char *release)
{
	uint8_t image[4096] = {0};

	image[0x1f1] = 3;
	image[0x1fe] = 0x55;
	image[0x1ff] = 0xaa;
	memcpy(image + 0x202, "HdrS", 4);
	image[0x206] = 0x0f;
	image[0x207] = 0x02;
	image[0x20f] = 0x02; /* version text at 0x200 + 0x200 */
	image[0x236] = 1;
	snprintf((char *)image + 0x400, 100, "%s (me) #1", release);
	add(name, image, sizeof(image));
}

static void assert_found(const char *kernel, const char *given, const char *modules, const char *config)
{
	struct kernel_files files;
	struct error err = {0};

	if (kernel_files_find(kernel, given, &files, &err) != STATUS_OK)
		fail_msg("%s: %s", err.where, err.what);
	assert_string_equal(files.modules, modules);
	assert_string_equal(files.config_path, config);
	kernel_files_free(&files);
}

TEST_WITH(debian_package, own_directory_enter, own_directory_leave)
{
	add_kernel("boot/vmlinuz-" RELEASE, RELEASE);
	add_text("boot/config-" RELEASE, "CONFIG_A=y\nCONFIG_AB=m\n# CONFIG_C is not set\nCONFIG_D=\"text\"");
	add_text("lib/modules/" RELEASE "/modules.builtin", "");
	assert_found(under("boot/vmlinuz-" RELEASE), NULL, under("lib/modules/" RELEASE),
		     under("boot/config-" RELEASE));
	/* by a link from elsewhere, as /vmlinuz is one */
	assert_int_equal(symlink(under("boot/vmlinuz-" RELEASE), under("vmlinuz")), 0);
	assert_found(under("vmlinuz"), NULL, under("lib/modules/" RELEASE), under("boot/config-" RELEASE));

	struct kernel_files files;
	assert_int_equal(kernel_files_find(under("vmlinuz"), NULL, &files, NULL), STATUS_OK);
	assert_int_equal(kernel_config(&files, "A"), 'y');
	assert_int_equal(kernel_config(&files, "AB"), 'm');
	assert_int_equal(kernel_config(&files, "B"), 'n');
	assert_int_equal(kernel_config(&files, "C"), 'n');
	assert_int_equal(kernel_config(&files, "D"), 'n');
	kernel_files_free(&files);
}

TEST_WITH(newer_debian_package, own_directory_enter, own_directory_leave)
{
	add_kernel("usr/lib/modules/" RELEASE "/vmlinuz", RELEASE);
	add_text("usr/lib/modules/" RELEASE "/config", "CONFIG_A=y\n");
	add_text("usr/lib/modules/" RELEASE "/kernel/x.ko", "");
	assert_found(under("usr/lib/modules/" RELEASE "/vmlinuz"), NULL, under("usr/lib/modules/" RELEASE),
		     under("usr/lib/modules/" RELEASE "/config"));
}

TEST_WITH(kernel_tree, own_directory_enter, own_directory_leave)
{
	add_kernel("linux/arch/x86/boot/bzImage", RELEASE);
	add_text("linux/.config", "CONFIG_VIRTIO_PCI=y\n");
	assert_found(under("linux/arch/x86/boot/bzImage"), NULL, "", under("linux/.config"));
}

TEST_WITH(image_alone, own_directory_enter, own_directory_leave)
{
	struct kernel_files files;

	add_kernel("here/bzImage", RELEASE);
	assert_found(under("here/bzImage"), NULL, "", "");
	assert_int_equal(kernel_files_find(under("here/bzImage"), NULL, &files, NULL), STATUS_OK);
	assert_int_equal(kernel_config(&files, "A"), 0);
	kernel_files_free(&files);
}

TEST_WITH(given_modules, own_directory_enter, own_directory_leave)
{
	struct kernel_files files;
	struct error err = {0};

	add_kernel("bzImage", RELEASE);
	add_text("root/lib/modules/" RELEASE "/modules.order", "");
	assert_found(under("bzImage"), under("root"), under("root/lib/modules/" RELEASE), "");
	assert_found(under("bzImage"), under("root/lib/modules"), under("root/lib/modules/" RELEASE), "");
	/* the directory itself, with or without a slash behind it */
	assert_found(under("bzImage"), under("root/lib/modules/" RELEASE), under("root/lib/modules/" RELEASE), "");
	assert_found(under("bzImage"), under("root/lib/modules/" RELEASE "//"), under("root/lib/modules/" RELEASE), "");

	add_text("other/lib/modules/1.2.3/modules.order", "");
	assert_int_equal(kernel_files_find(under("bzImage"), under("other"), &files, &err), STATUS_USAGE);
	assert_non_null(strstr(err.what, "1.2.3"));
	assert_non_null(strstr(err.what, RELEASE));
	assert_int_equal(kernel_files_find(under("bzImage"), under("other/lib/modules/1.2.3"), &files, &err),
			 STATUS_USAGE);
	assert_int_equal(kernel_files_find(under("bzImage"), under("nowhere"), &files, &err), STATUS_USAGE);
	assert_non_null(strstr(err.what, "holds no kernel modules"));
}

TEST_WITH(no_image, own_directory_enter, own_directory_leave)
{
	struct kernel_files files;
	struct error err = {0};

	assert_int_equal(kernel_files_find(under("nothing"), NULL, &files, &err), STATUS_SYSTEM);
	assert_int_equal(kernel_files_find(own_directory, NULL, &files, &err), STATUS_UNSUPPORTED);
	add_text("text", "hello\n");
	assert_int_equal(kernel_files_find(under("text"), NULL, &files, &err), STATUS_UNSUPPORTED);
	assert_string_equal(err.where, under("text"));
}
