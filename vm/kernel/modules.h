/* SPDX-License-Identifier: MIT
 *
 * The modules that a guest needs from a kernel's modules directory, in the order to load them. */
#ifndef VM_KERNEL_MODULES_H
#define VM_KERNEL_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/kernel/kernel_files.h"

/* Features of a guest that need modules. */
enum module_feature {
	FEATURE_PCI = 1 << 0,        /* virtio over PCI: everything below needs it */
	FEATURE_PORT = 1 << 1,       /* virtio-serial ports */
	FEATURE_9P = 1 << 2,         /* 9p over virtio */
	FEATURE_VIRTIOFS = 1 << 3,   /* fuse, virtiofs */
	FEATURE_NULL_BLOCK = 1 << 4, /* null_blk, the scratch device */
	FEATURE_VIRTIO_BLOCK = 1 << 5,
	FEATURE_ALL = (1 << 6) - 1,
	FEATURE_CPU_FREQUENCY = 1 << 6, /* operating points of CPUs: only for guests whose device tree has some */
};

struct module {
	char name[64];         /* the kernel's name for it, with '_' */
	struct buffer bytes;   /* unpacked */
	unsigned int features; /* enum module_feature: those that need it */
};

struct module_set {
	struct module *modules; /* each after everything it depends on */
	size_t count;
	unsigned int available; /* features of this kernel: loadable and in this set, or built in */
	unsigned int assumed; /* of these, assumed to be built in: there is no file, modules.builtin or configuration */
	char missing[512];    /* missing features, "9p (9pnet_virtio), null-blk (null_blk)"; or "" */
};

/* Fills set with the modules of the wanted features (enum module_feature). A feature with a missing module is left out
 * completely, without an error: the caller checks set->available, and reports set->missing if it needs the feature.
 * Dependencies come from each module's own .modinfo; compressed modules are unpacked by the host's xz, zstd or gzip.
 * Errors: a module that is not an ELF file or is truncated (STATUS_CORRUPT, named), an unpacker that is not installed
 * (STATUS_SYSTEM, with the package to install). Free with modules_free(), after errors too. */
enum status modules_collect(const struct kernel_files *files, unsigned int wanted, struct module_set *set,
			    struct error *err);
/* Removes modules that no wanted feature needs. */
void modules_keep(struct module_set *set, unsigned int wanted);
void modules_free(struct module_set *set);

#endif
