/* SPDX-License-Identifier: MIT
 *
 * The daemon that serves the shared directory to kernels with virtiofs but without 9p. */
#ifndef VM_ENGINE_VIRTIOFSD_H
#define VM_ENGINE_VIRTIOFSD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/engine/emulator_process.h"

/* Finds one that this user can run: the Rust version, or the one of QEMU up to 7 (old), which only root can run. */
bool virtiofsd_find(char *path, size_t size, bool *old);
/* Starts it for DIRECTORY/share, listening on DIRECTORY/virtiofsd, and returns once it listens. */
enum status virtiofsd_start(struct emulator_process *process, const char *directory, struct error *err);

#endif
