/* SPDX-License-Identifier: MIT
 *
 * The inputs of a deterministic run other than its seed: if identity and seed are the same, the traces are the same. */
#ifndef VM_LAUNCH_IDENTITY_H
#define VM_LAUNCH_IDENTITY_H

#include "base/json.h"
#include "base/sha256.h"

struct boot;

enum identity_part {
	IDENTITY_QEMU_VERSION,
	IDENTITY_QEMU,      /* the program */
	IDENTITY_FIRMWARE,  /* QEMU's, for this machine */
	IDENTITY_MACHINE,   /* QEMU's options and the kernel's command line */
	IDENTITY_KERNEL,    /* as booted: unpacked, if possible */
	IDENTITY_INITRAMFS, /* the base archive: BusyBox, picknext, /init */
	IDENTITY_JOB,       /* modules, arguments, guest_files */
	IDENTITY_PARTS,
};

struct identity {
	char parts[IDENTITY_PARTS][SHA256_TEXT_SIZE]; /* the version as text, hashes of the others */
	char whole[SHA256_TEXT_SIZE];                 /* of the parts */
	char added_files[SHA256_TEXT_SIZE]; /* of the job without modules, for comparisons; "": none. Not read */
};

/* In messages: "the version of QEMU". */
const char *identity_part_name(enum identity_part part);

/* Call it after boot_place_kernel(). */
enum status identity_find(const struct boot *boot, struct identity *identity, struct error *err);

/* Members of an object; missing ones are "". */
void identity_write(const struct identity *identity, struct json_writer *json);
void identity_read(const struct json_value *object, struct identity *identity);

#endif
