/* SPDX-License-Identifier: MIT
 *
 * What differs between architectures of guests: a row each. The kernel image chooses the row. */
#ifndef VM_KERNEL_ARCHITECTURE_H
#define VM_KERNEL_ARCHITECTURE_H

#include <stdbool.h>

/* QEMU's CPU models by mode. */
enum processor_mode {
	PROCESSOR_KVM,
	PROCESSOR_TCG_OLD, /* wall-clock, QEMU before version 10 */
	PROCESSOR_TCG,     /* wall-clock */
	PROCESSOR_DETERMINISTIC,
	PROCESSOR_MODES
};

#define ARCHITECTURE_IMAGES   3
#define ARCHITECTURE_FIRMWARE 5

struct architecture {
	const char *name;         /* "x86-64", for messages */
	const char *uname;        /* the kernel's name: uname -m */
	const char *debian;       /* Debian's name: picknext fetch --arch */
	const char *libraries;    /* Debian's directory of shared libraries, below lib and usr/lib */
	const char *initramfs;    /* beside picknext */
	unsigned int elf_machine; /* of its programs: EM_X86_64 */
	/* Images of a kernel tree, the best first; NULL-terminated. */
	const char *images[ARCHITECTURE_IMAGES + 1];
	bool boots_elf; /* QEMU boots its vmlinux */

	const char *qemu, *qemu_package;
	const char *fetched_qemu; /* of picknext fetch qemu, beside the binary or in the cache */
	const char *machine;      /* QEMU's -M */
	struct {
		const char *name;
		const char *with_topology; /* added if --topology is given */
	} processors[PROCESSOR_MODES];
	/* Firmware that runs before the kernel, in QEMU's ../share; NULL-terminated. */
	const char *firmware[ARCHITECTURE_FIRMWARE + 1];
	bool has_topology;     /* --topology numa, llc, smt */
	bool has_device_tree;  /* --topology big, little */
	bool has_vng;          /* virtme-ng boots it here */
	bool lacks_cmpxchg16b; /* before QEMU 10: it corrupts kernels that use it */

	const char *console; /* the kernel's name of the serial port */
	/* Kernel arguments of all guests and of deterministic ones: each with a space before it. */
	const char *arguments, *deterministic_arguments;
};

extern const struct architecture architectures[];
extern const unsigned int architecture_count;

/* If image is TREE/ and an image of an architecture, copies TREE (PATH_MAX bytes) and returns true. */
bool kernel_tree_above(const char *image, char *tree);
/* NULL: none of the table. */
const struct architecture *architecture_of_elf(unsigned int machine);
/* True if programs of the architecture run here, so that KVM can. */
bool architecture_is_host(const struct architecture *architecture);

#endif
