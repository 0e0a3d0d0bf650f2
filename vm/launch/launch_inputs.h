/* SPDX-License-Identifier: MIT
 *
 * All inputs of a boot from the host: kernel, modules, initramfs, engine. */
#ifndef VM_LAUNCH_LAUNCH_INPUTS_H
#define VM_LAUNCH_LAUNCH_INPUTS_H

#include "base/error.h"

struct launch;

/* Finds them once per kernel, and checks what can be checked without booting. */
enum status launch_find_inputs(struct launch *launch, struct error *err);

#endif
