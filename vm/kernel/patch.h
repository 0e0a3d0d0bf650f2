/* SPDX-License-Identifier: MIT
 *
 * A patch (unified diff): hostile input. */
#ifndef VM_KERNEL_PATCH_H
#define VM_KERNEL_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "vm/kernel/source_change.h"

/* Adds the places that the text of a patch changes; tree: as in change_words_add(). False if it has no change. */
bool patch_read(struct source_change *change, const char *text, size_t length, const char *tree);

#endif
