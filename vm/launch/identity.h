/* SPDX-License-Identifier: MIT
 *
 * What a deterministic run is a result of, beside its seed: where all of this is the same, the traces are. */
#ifndef VM_LAUNCH_IDENTITY_H
#define VM_LAUNCH_IDENTITY_H

#include "base/json.h"
#include "base/sha256.h"
#include "vm/launch/boot.h"

enum identity_part {
	IDENTITY_QEMU_VERSION,
	IDENTITY_QEMU,      /* its program */
	IDENTITY_FIRMWARE,  /* that it starts the machine with */
	IDENTITY_MACHINE,   /* its options, and the kernel's command line */
	IDENTITY_KERNEL,    /* as it is booted: unpacked, where that is done here */
	IDENTITY_INITRAMFS, /* the base archive: BusyBox, picknext, /init */
	IDENTITY_JOB,       /* modules, arguments, guest_files */
	IDENTITY_PARTS,
};

struct identity {
	char parts[IDENTITY_PARTS][SHA256_TEXT_SIZE]; /* the version in words, of the others a hash */
	char whole[SHA256_TEXT_SIZE];                 /* of the parts */
};

/* "qemu_version": a key of vm.json; "the version of QEMU": in a sentence. */
const char *identity_part_key(enum identity_part part);
const char *identity_part_name(enum identity_part part);

/* Of a boot that was prepared. */
enum status identity_find(const struct boot *boot, struct identity *identity, struct error *err);

/* Members of an object; those that cannot be read stay "". */
void identity_write(const struct identity *identity, struct json_writer *json);
void identity_read(const struct json_value *object, struct identity *identity);

/* Adds the object "deterministic" with seed and identity to the metadata of each run of this seed in raw that has none
 * yet. What the guest wrote stays as it is otherwise. */
enum status identity_mark_runs(const char *raw, const struct identity *identity, uint32_t seed, struct error *err);

#endif
