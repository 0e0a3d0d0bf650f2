/* SPDX-License-Identifier: MIT
 *
 * Everything that a boot needs from this machine: kernel, modules, initramfs, engine. */
#ifndef VM_LAUNCH_LAUNCH_INPUTS_H
#define VM_LAUNCH_LAUNCH_INPUTS_H

#include "base/error.h"

struct launch;

/* Finds it all, once per kernel, and checks what can be checked without booting. */
enum status launch_find_inputs(struct launch *launch, struct error *err);

#endif
