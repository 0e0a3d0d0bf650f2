/* SPDX-License-Identifier: MIT
 *
 * Kernel images, made here field by field as Documentation/arch/x86/boot.rst has them. */
#include "support/unit.h"
#include "vm/kernel/kernel_image.h"

#define IMAGE_LENGTH 8192
#define SETUP_LENGTH 2048 /* (3 + 1) sectors */

static void put(uint8_t *to, uint64_t value, unsigned int width)
{
	for (; width--; value >>= 8)
		*to++ = (uint8_t)value;
}

/* A bzImage of protocol 2.15 whose payload of 100 bytes begins 64 bytes behind the setup code. */
static void make_bzimage(uint8_t *image)
{
	memset(image, 0, IMAGE_LENGTH);
	image[0x1f1] = 3;
	put(image + 0x1fe, 0xaa55, 2);
	memcpy(image + 0x202, "HdrS", 4);
	put(image + 0x206, 0x20f, 2);
	put(image + 0x20e, 0x400 - 0x200, 2);
	put(image + 0x236, 1, 2);
	put(image + 0x248, 64, 4);
	put(image + 0x24c, 100, 4);
	strcpy((char *)image + 0x400, "6.1.0-50-amd64 (someone@somewhere) #1 SMP");
	memcpy(image + SETUP_LENGTH + 64,
	       "\xfd"
	       "7zXZ\0",
	       6);
}

static enum status parse(const uint8_t *bytes, size_t length, struct kernel_image *image, struct error *err)
{
	/* Exactly as many bytes as there are, so that ASan sees what is read beyond them. */
	uint8_t *copy = malloc(length ? length : 1);

	assert_non_null(copy);
	if (length)
		memcpy(copy, bytes, length);
	*err = (struct error){0};
	enum status status = kernel_image_parse(copy, length, "image", image, err);
	free(copy);
	return status;
}

TEST(reads_a_bzimage)
{
	uint8_t bytes[IMAGE_LENGTH];
	struct kernel_image image;
	struct error err;

	make_bzimage(bytes);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
	assert_int_equal(image.kind, KERNEL_BZIMAGE);
	assert_string_equal(image.release, "6.1.0-50-amd64");
	assert_string_equal(image.version, "6.1.0-50-amd64 (someone@somewhere) #1 SMP");
	assert_int_equal(image.payload_offset, SETUP_LENGTH + 64);
	assert_int_equal(image.payload_length, 100);
}

TEST(refuses_one_cut_short)
{
	uint8_t bytes[IMAGE_LENGTH];
	struct kernel_image image;
	struct error err;

	make_bzimage(bytes);
	assert_int_equal(parse(bytes, SETUP_LENGTH + 64 + 99, &image, &err), STATUS_CORRUPT);
	assert_int_equal(parse(bytes, SETUP_LENGTH, &image, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.what, "truncated"));
	assert_int_equal(parse(bytes, SETUP_LENGTH + 64 + 100, &image, &err), STATUS_OK);
	for (size_t length = 0; length < SETUP_LENGTH; length++)
		assert_int_not_equal(parse(bytes, length, &image, &err), STATUS_OK);
}

TEST(checks_offsets)
{
	uint8_t bytes[IMAGE_LENGTH];
	struct kernel_image image;
	struct error err;

	make_bzimage(bytes);
	put(bytes + 0x248, 0xffffffff, 4);
	put(bytes + 0x24c, 0xffffffff, 4);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_CORRUPT);
	make_bzimage(bytes);
	put(bytes + 0x20e, 0xffff, 2); /* a version text outside of the setup code is not read */
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
	assert_string_equal(image.release, "");
	make_bzimage(bytes);
	memset(bytes + 0x400, 'a', SETUP_LENGTH - 0x400); /* no end */
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
	assert_string_equal(image.release, "");
	assert_int_equal(strlen(image.version), sizeof(image.version) - 1);
}

TEST(release_names_no_other_place)
{
	static const char *const bad[] = {"../../etc #1", "/etc", ".hidden", "-o", "a\x1b[31mb", ""};
	uint8_t bytes[IMAGE_LENGTH];
	struct kernel_image image;
	struct error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		make_bzimage(bytes);
		strcpy((char *)bytes + 0x400, bad[i]);
		assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
		if (image.release[0])
			fail_msg("took '%s' for a release", image.release);
		assert_null(strchr(image.version, 0x1b));
	}
	assert_true(kernel_release_is_safe("6.12.95+deb12-amd64"));
	assert_true(kernel_release_is_safe("7.0.0-rc1~next_20260101"));
	assert_false(kernel_release_is_safe("a/b"));
}

TEST(old_protocols_tell_less)
{
	uint8_t bytes[IMAGE_LENGTH];
	struct kernel_image image;
	struct error err;

	make_bzimage(bytes);
	put(bytes + 0x206, 0x207, 2);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
	assert_int_equal(image.payload_length, 0);
	make_bzimage(bytes);
	put(bytes + 0x236, 0, 2);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "32-bit"));
}

static void make_elf(uint8_t *bytes, unsigned int type, unsigned int machine)
{
	memset(bytes, 0, IMAGE_LENGTH);
	memcpy(bytes,
	       "\x7f"
	       "ELF\2\1\1",
	       7);
	put(bytes + 16, type, 2);
	put(bytes + 18, machine, 2);
	strcpy((char *)bytes + 1000, "Linux version %s (%s)");
	strcpy((char *)bytes + 2000, "Linux version 6.12.0-rc3+ (me@here) (gcc)\n");
}

TEST(reads_a_vmlinux)
{
	uint8_t bytes[IMAGE_LENGTH];
	struct kernel_image image;
	struct error err;

	make_elf(bytes, 2, 62);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
	assert_int_equal(image.kind, KERNEL_ELF);
	assert_string_equal(image.release, "6.12.0-rc3+");
	assert_string_equal(image.version, "6.12.0-rc3+ (me@here) (gcc)");
	assert_int_equal(parse(bytes, 2000 + 14, &image, &err), STATUS_UNSUPPORTED);
	make_elf(bytes, 2, 243);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "another architecture"));
	make_elf(bytes, 2, 183);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "arm64"));
	assert_non_null(strstr(err.remedy, "arch/arm64/boot/Image"));
	make_elf(bytes, 1, 62);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "module"));
	assert_int_equal(parse(bytes, 20, &image, &err), STATUS_CORRUPT);
}

TEST(reads_an_image_of_arm64)
{
	uint8_t bytes[IMAGE_LENGTH] = "MZ";
	struct kernel_image image;
	struct error err;

	memcpy(bytes + 56, "ARMd", 4);
	strcpy((char *)bytes + 1000, "Linux version %s (%s)");
	strcpy((char *)bytes + 2000, "Linux version 6.12.0-rc3+ (me@here) (gcc)\n");
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
	assert_int_equal(image.kind, KERNEL_IMAGE);
	assert_string_equal(image.architecture->name, "arm64");
	assert_string_equal(image.release, "6.12.0-rc3+");
	assert_int_equal(parse(bytes, 60, &image, &err), STATUS_UNSUPPORTED);
	assert_int_equal(parse(bytes, 59, &image, &err), STATUS_UNSUPPORTED);
}

/* Image.gz, and zboot images, whose kernel is unpacked before more is known. */
TEST(finds_the_kernel_of_packed_images)
{
	uint8_t bytes[IMAGE_LENGTH] = "MZ\0\0zimg";
	struct kernel_image image;
	struct error err;

	put(bytes + 8, 512, 4);
	put(bytes + 12, sizeof(bytes) - 512, 4);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_OK);
	assert_int_equal(image.kind, KERNEL_PACKED);
	assert_int_equal(image.payload_offset, 512);
	assert_int_equal(image.payload_length, sizeof(bytes) - 512);
	assert_int_equal(parse(bytes, sizeof(bytes) - 1, &image, &err), STATUS_CORRUPT);
	put(bytes + 8, 0xffffffff, 4);
	put(bytes + 12, 0xffffffff, 4);
	assert_int_equal(parse(bytes, sizeof(bytes), &image, &err), STATUS_CORRUPT);
	assert_int_equal(parse((const uint8_t *)"\x1f\x8b\x08", 3, &image, &err), STATUS_OK);
	assert_int_equal(image.kind, KERNEL_PACKED);
	assert_int_equal(image.payload_length, 3);
}

TEST(says_what_it_is_instead)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *kind;
	} cases[] = {
	    {"", 0, "an empty file"},
	    {"#!/bin/sh\n", 10, "a script"},
	    {"hello, world\n", 13, "a text file"},
	    {"07070100", 8, "a cpio archive"},
	    {"!<arch>\ndebian-binary", 21, "a Debian package"},
	    {"QFI\xfb\0", 5, "a qcow2 disk image"},
	    {"\1\2\3", 3, "data of an unknown kind"},
	};
	struct kernel_image image;
	struct error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum status status = parse((const uint8_t *)cases[i].bytes, cases[i].length, &image, &err);
		assert_int_equal(status, STATUS_UNSUPPORTED);
		assert_non_null(strstr(err.what, "not a kernel"));
		if (!strstr(err.what, cases[i].kind))
			fail_msg("expected %s: %s", cases[i].kind, err.what);
		assert_true(err.remedy[0] != '\0');
	}
}
