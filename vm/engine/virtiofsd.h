/* SPDX-License-Identifier: MIT
 *
 * The daemon that serves a shared directory to kernels that have virtiofs and no 9p. */
#ifndef VM_ENGINE_VIRTIOFSD_H
#define VM_ENGINE_VIRTIOFSD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/engine/engine_process.h"

/* Looks for one that this user can run: the one in Rust, or, for root alone, the one that came with QEMU up to 7. */
bool virtiofsd_find(char *path, size_t size, bool *old);
/* Starts it for share, listening on DIRECTORY/virtiofsd, and returns when it listens. */
enum status virtiofsd_start(struct engine_process *process, const char *directory, const char *share,
			    struct error *err);

#endif
