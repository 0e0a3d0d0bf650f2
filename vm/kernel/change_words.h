/* SPDX-License-Identifier: MIT
 *
 * The words of --reached: patches, functions and FILE:LINE. */
#ifndef VM_KERNEL_CHANGE_WORDS_H
#define VM_KERNEL_CHANGE_WORDS_H

#include "base/error.h"
#include "vm/kernel/source_change.h"

/* Adds words separated by commas: functions, FILE:LINE, or a patch file, whose name has a dot or a slash. tree: the
 * kernel's source, in which the lines of patches are searched and functions are read that enclose a line; or NULL.
 * STATUS_USAGE names --reached for something else, and for a file without a change. */
enum status change_words_add(struct source_change *change, const char *words, const char *tree, struct error *err);

#endif
