/* SPDX-License-Identifier: MIT
 *
 * A kernel and what lies beside it: its modules and its configuration. */
#ifndef VM_KERNEL_KERNEL_FILES_H
#define VM_KERNEL_KERNEL_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "vm/kernel/kernel_image.h"

struct kernel_files {
	char path[PATH_MAX]; /* the image */
	struct kernel_image image;
	char modules[PATH_MAX]; /* .../lib/modules/RELEASE, which holds kernel/ and modules.builtin; "" where none */
	char config_path[PATH_MAX]; /* "" where none was found */
	struct buffer config;       /* its text */
};

/* Parses the image and looks around. modules: --modules, either .../lib/modules/RELEASE itself or a directory that
 * holds lib/modules/RELEASE, or usr/lib/modules/RELEASE, or NULL for where modules are found beside the image:
 *   DIR/boot/vmlinuz-R              DIR/lib/modules/R or DIR/usr/lib/modules/R (DIR may be the root directory)
 *   DIR/usr/lib/modules/R/vmlinuz   that directory
 *   TREE/arch/x86/boot/bzImage      none: what a kernel tree needs is built in (vng --build)
 * and else the machine's own /lib/modules/R. The configuration is config-R beside the image, config in the modules
 * directory, or .config of the tree. A given directory without modules of this release is STATUS_USAGE and says what
 * it holds instead. Free with kernel_files_free(). */
enum status kernel_files_find(const char *path, const char *modules, struct kernel_files *files, struct error *err);
void kernel_files_free(struct kernel_files *files);

/* What the configuration says of CONFIG_name (name without CONFIG_): 'y', 'm', 'n' where it is not set, 0 where there
 * is no configuration. */
char kernel_config(const struct kernel_files *files, const char *name);

#endif
