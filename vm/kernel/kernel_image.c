/* SPDX-License-Identifier: MIT */
#include "vm/kernel/kernel_image.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* Offsets into the setup header, Documentation/arch/x86/boot.rst. */
#define SETUP_SECTORS        0x1f1
#define SETUP_BOOT_FLAG      0x1fe
#define SETUP_MAGIC          0x202
#define SETUP_PROTOCOL       0x206
#define SETUP_VERSION        0x20e
#define SETUP_XLOADFLAGS     0x236
#define SETUP_PAYLOAD        0x248
#define SETUP_PAYLOAD_LENGTH 0x24c
#define SETUP_END            0x250
#define SECTOR               512
#define PROTOCOL_PAYLOAD     0x208 /* since 2.08 the header has the payload's offset */
#define PROTOCOL_XLOADFLAGS  0x20c
#define XLF_KERNEL_64        1

/* Offsets of an arm64 Image, and of an EFI zboot image. */
#define IMAGE_MAGIC          56
#define ZBOOT_MAGIC          4
#define ZBOOT_PAYLOAD        8
#define ZBOOT_PAYLOAD_LENGTH 12
#define ZBOOT_END            64

#define VERSION_PREFIX "Linux version "

static uint32_t get16(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t get32(const uint8_t *bytes)
{
	return get16(bytes) | get16(bytes + 2) << 16;
}

#define MAGIC(text) text, sizeof(text) - 1

/* Other files that users may give to --kernel. */
static const struct {
	const char *magic;
	size_t length;
	const char *kind;
} strangers[] = {
    {MAGIC("\xfd"
	   "7zXZ\0"),
     "an xz file"},
    {MAGIC("\x28\xb5\x2f\xfd"), "a zstd file"},
    {MAGIC("BZh"), "a bzip2 file"},
    {MAGIC("070701"), "a cpio archive (an initramfs?)"},
    {MAGIC("070702"), "a cpio archive (an initramfs?)"},
    {MAGIC("!<arch>\ndebian"), "a Debian package; unpack it with dpkg-deb -x"},
    {MAGIC("!<arch>"), "an ar archive"},
    {MAGIC("QFI\xfb"), "a qcow2 disk image"},
    {MAGIC("#!"), "a script"},
    {MAGIC("PK\3\4"), "a zip file"},
    {MAGIC("MZ"), "an EFI program without a Linux setup header (a kernel of another architecture?)"},
    {MAGIC("#\n# Automatically generated file"), "a kernel configuration"},
};

static const char *guess_stranger(const uint8_t *bytes, size_t length)
{
	size_t printable = 0, seen = length < 512 ? length : 512;

	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
		if (length >= strangers[i].length && memcmp(bytes, strangers[i].magic, strangers[i].length) == 0)
			return strangers[i].kind;
	if (length == 0)
		return "an empty file";
	if (length >= 512 && get16(bytes + SETUP_BOOT_FLAG) == 0xaa55)
		return "a disk image";
	for (size_t i = 0; i < seen; i++)
		printable +=
		    (bytes[i] >= ' ' && bytes[i] < 0x7f) || bytes[i] == '\n' || bytes[i] == '\t' || bytes[i] == '\r';
	return printable == seen ? "a text file" : "data of an unknown kind";
}

static enum status no_kernel(const char *where, const char *looks_like, struct error *err)
{
	error_set(err, STATUS_UNSUPPORTED, where, "not a kernel: it looks like %s", looks_like);
	return error_remedy(err,
			    "give /boot/vmlinuz-*, arch/x86/boot/bzImage, arch/arm64/boot/Image, or an x86-64 vmlinux");
}

bool elf_is(const void *bytes, size_t length)
{
	return length >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

bool kernel_release_is_safe(const char *text)
{
	size_t length = strlen(text);

	return length >= 1 && length <= 64 && text[0] != '.' && text[0] != '-' &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+~-") == length;
}

/* Copies the version text, at most length bytes, and the release at its beginning. */
static void copy_version(struct kernel_image *image, const uint8_t *bytes, size_t length)
{
	size_t i = 0;

	for (; i < length && i < sizeof(image->version) - 1 && bytes[i] && bytes[i] != '\n'; i++)
		image->version[i] = (char)(bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : '?');
	image->version[i] = '\0';
	size_t word = strcspn(image->version, " ");
	if (word >= sizeof(image->release))
		return;
	memcpy(image->release, image->version, word);
	image->release[word] = '\0';
	if (!kernel_release_is_safe(image->release))
		image->release[0] = '\0';
}

static enum status parse_bzimage(const uint8_t *bytes, size_t length, const char *where, struct kernel_image *image,
				 struct error *err)
{
	uint32_t protocol = get16(bytes + SETUP_PROTOCOL);
	uint64_t setup_sectors = bytes[SETUP_SECTORS] ? bytes[SETUP_SECTORS] : 4;
	uint64_t code = (setup_sectors + 1) * SECTOR;
	uint64_t version = get16(bytes + SETUP_VERSION) + (uint64_t)SECTOR;

	image->kind = KERNEL_BZIMAGE;
	image->architecture = architecture_of_elf(EM_X86_64);
	if (length <= code)
		return error_set(err, STATUS_CORRUPT, where,
				 "kernel image is truncated: %zu bytes, but its setup code has %llu", length,
				 (unsigned long long)code);
	if (protocol >= PROTOCOL_XLOADFLAGS && !(get16(bytes + SETUP_XLOADFLAGS) & XLF_KERNEL_64))
		return no_kernel(where, "a 32-bit x86 kernel", err);
	if (version > SECTOR && version < code)
		copy_version(image, bytes + version, (size_t)(code - version));
	if (protocol < PROTOCOL_PAYLOAD)
		return STATUS_OK;
	uint64_t offset = code + get32(bytes + SETUP_PAYLOAD);
	uint64_t payload = get32(bytes + SETUP_PAYLOAD_LENGTH);
	if (offset > length || payload > length - offset)
		return error_set(err, STATUS_CORRUPT, where,
				 "kernel image is truncated: %zu bytes, but its compressed kernel ends at byte %llu",
				 length, (unsigned long long)(offset + payload));
	image->payload_offset = offset;
	image->payload_length = payload;
	return STATUS_OK;
}

static enum status find_version(const uint8_t *bytes, size_t length, const char *where, enum kernel_image_kind kind,
				struct kernel_image *image, struct error *err)
{
	const char *prefix = VERSION_PREFIX;
	size_t prefix_length = strlen(prefix);
	for (const uint8_t *from = bytes, *end = bytes + length;;) {
		const uint8_t *found = memmem(from, (size_t)(end - from), prefix, prefix_length);
		if (!found)
			return no_kernel(where, "a program that is not Linux", err);
		from = found + prefix_length;
		/* The image also has a format string "Linux version %s". */
		if (from < end && *from >= '0' && *from <= '9') {
			image->kind = kind;
			copy_version(image, from, (size_t)(end - from));
			return STATUS_OK;
		}
	}
}

static enum status parse_elf(const uint8_t *bytes, size_t length, const char *where, struct kernel_image *image,
			     struct error *err)
{
	Elf64_Ehdr header;

	if (length < sizeof(header))
		return error_set(err, STATUS_CORRUPT, where, "ELF file is truncated: %zu bytes", length);
	memcpy(&header, bytes, sizeof(header));
	image->architecture = architecture_of_elf(header.e_machine);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || !image->architecture)
		return no_kernel(where, "an ELF file for another architecture than x86-64 and arm64", err);
	if (header.e_type == ET_REL)
		return no_kernel(where, "an ELF object (a kernel module?)", err);
	if (!image->architecture->boots_elf) {
		error_set(err, STATUS_UNSUPPORTED, where, "QEMU cannot boot a vmlinux of %s",
			  image->architecture->name);
		return error_remedy(err, "give %s", image->architecture->images[0]);
	}
	return find_version(bytes, length, where, KERNEL_ELF, image, err);
}

static enum status parse_packed(size_t length, uint64_t offset, uint64_t payload, const char *where,
				struct kernel_image *image, struct error *err)
{
	image->kind = KERNEL_PACKED;
	if (offset > length || payload > length - offset || payload == 0)
		return error_set(err, STATUS_CORRUPT, where,
				 "kernel image is truncated: %zu bytes, but its compressed kernel ends at byte %llu",
				 length, (unsigned long long)(offset + payload));
	image->payload_offset = offset;
	image->payload_length = payload;
	return STATUS_OK;
}

enum status kernel_image_parse(const uint8_t *bytes, size_t length, const char *where, struct kernel_image *image,
			       struct error *err)
{
	*image = (struct kernel_image){0};
	if (elf_is(bytes, length))
		return parse_elf(bytes, length, where, image, err);
	if (length >= SETUP_END && get16(bytes + SETUP_BOOT_FLAG) == 0xaa55 &&
	    memcmp(bytes + SETUP_MAGIC, "HdrS", 4) == 0)
		return parse_bzimage(bytes, length, where, image, err);
	if (length >= IMAGE_MAGIC + 4 && memcmp(bytes + IMAGE_MAGIC, "ARMd", 4) == 0) {
		image->architecture = architecture_of_elf(EM_AARCH64);
		return find_version(bytes, length, where, KERNEL_IMAGE, image, err);
	}
	if (length >= ZBOOT_END && memcmp(bytes, "MZ", 2) == 0 && memcmp(bytes + ZBOOT_MAGIC, "zimg", 4) == 0)
		return parse_packed(length, get32(bytes + ZBOOT_PAYLOAD), get32(bytes + ZBOOT_PAYLOAD_LENGTH), where,
				    image, err);
	if (length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0)
		return parse_packed(length, 0, length, where, image, err);
	return no_kernel(where, guess_stranger(bytes, length), err);
}

enum status kernel_image_read(const char *path, struct kernel_image *image, struct error *err)
{
	struct mapping mapping;
	enum status status = file_map(path, &mapping, err);

	*image = (struct kernel_image){0};
	if (status == STATUS_SYSTEM && access(path, F_OK) < 0)
		error_remedy(err, "give -k an image, a kernel tree after make, or the name of a fetched one (6.12); "
				  "repeat -k for each kernel");
	if (status != STATUS_OK)
		return status;
	status = kernel_image_parse(mapping.bytes, mapping.length, path, image, err);
	file_unmap(&mapping);
	return status;
}
