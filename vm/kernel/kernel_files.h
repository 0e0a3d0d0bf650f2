/* SPDX-License-Identifier: MIT
 *
 * A kernel image with its modules and its configuration. */
#ifndef VM_KERNEL_KERNEL_FILES_H
#define VM_KERNEL_KERNEL_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/kernel/kernel_image.h"

struct kernel_files {
	char path[PATH_MAX]; /* the image */
	char boot[PATH_MAX]; /* the same, or its unpacked kernel in the cache if its kind is KERNEL_PACKED */
	struct kernel_image image;
	char modules[PATH_MAX];     /* .../lib/modules/RELEASE, which holds kernel/ and modules.builtin; "": none */
	char config_path[PATH_MAX]; /* "": none found */
	struct buffer config;       /* its text */
};

/* Parses the image and finds its modules and configuration. modules: --guest modules, either .../lib/modules/RELEASE
 * itself or a directory that holds lib/modules/RELEASE, or usr/lib/modules/RELEASE, or NULL to search by the image's
 * path: DIR/boot/vmlinuz-R              DIR/lib/modules/R or DIR/usr/lib/modules/R (DIR may be the root directory)
 *   DIR/usr/lib/modules/R/vmlinuz   that directory
 *   TREE/arch/x86/boot/bzImage      none: a kernel tree has drivers built in (vng --build)
 *   any other image                 the host's /lib/modules/R
 * The configuration is config-R beside the image, config in the modules directory, or .config of the tree.
 * STATUS_USAGE if a given directory has no modules of this release; the error names its contents. Free with
 * kernel_files_free(). */
enum status kernel_files_find(const char *path, const char *modules, struct kernel_files *files, struct error *err);
void kernel_files_free(struct kernel_files *files);

/* The value of CONFIG_name (name without CONFIG_): 'y', 'm', 'n' if it is not set, 0 without configuration. */
char kernel_config(const struct kernel_files *files, const char *name);

#endif
