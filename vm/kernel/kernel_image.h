/* SPDX-License-Identifier: MIT
 *
 * Identifies a kernel image by its contents. The image is untrusted input: every value is checked before use. Formats:
 * Documentation/arch/x86/boot.rst, Documentation/arch/arm64/booting.rst, ELF-64, and the kernel's
 * drivers/firmware/efi/libstub/zboot-header.S. */
#ifndef VM_KERNEL_KERNEL_IMAGE_H
#define VM_KERNEL_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/kernel/architecture.h"

enum kernel_image_kind {
	KERNEL_BZIMAGE,
	KERNEL_ELF,    /* vmlinux */
	KERNEL_IMAGE,  /* Image of arm64: a program without a header of its own format */
	KERNEL_PACKED, /* Image.gz, or an EFI zboot image: all but the payload is known when it is unpacked */
};

struct kernel_image {
	enum kernel_image_kind kind;
	const struct architecture *architecture; /* NULL: KERNEL_PACKED */
	char version[256]; /* "6.1.0-50-amd64 (debian-kernel@...) #1 SMP ..." with other bytes replaced; may be empty */
	char release[65];  /* its first word, usable as a directory name; "": the image has none */
	/* KERNEL_BZIMAGE, KERNEL_PACKED: position of the compressed kernel (checked: within the file); 0, 0 if the boot
	 * protocol is too old */
	uint64_t payload_offset, payload_length;
};

/* Parses length bytes. STATUS_UNSUPPORTED if they are no image of a kernel that QEMU boots; the error names the likely
 * kind. STATUS_CORRUPT for inconsistent or truncated images. where names the image in errors. */
enum status kernel_image_parse(const uint8_t *bytes, size_t length, const char *where, struct kernel_image *image,
			       struct error *err);

/* The same for a file. */
enum status kernel_image_read(const char *path, struct kernel_image *image, struct error *err);

/* True if the bytes start with the ELF magic number. */
bool elf_is(const void *bytes, size_t length);

/* True if text is a release that can name a directory: 1 to 64 of [A-Za-z0-9._+~-], not starting with a dot. */
bool kernel_release_is_safe(const char *text);

#endif
