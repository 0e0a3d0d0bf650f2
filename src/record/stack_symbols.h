/* SPDX-License-Identifier: MIT
 *
 * Names for the addresses in kernel stacks, from the running kernel. */
#ifndef RECORD_STACK_SYMBOLS_H
#define RECORD_STACK_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

#define STACK_ADDRESSES_MAX 4096

/* The symbols of the running kernel that contain these addresses (sorted), as lines of /proc/kallsyms in order of
 * address. found: how many addresses have one; 0 if the kernel hides its addresses (kptr_restrict). */
enum status stack_symbols_read(const uint64_t *addresses, size_t count, struct buffer *lines, size_t *found,
			       struct error *err);

/* The functions of the running kernel that show causes of migrations, each followed by a line for its end; none if
 * the kernel hides its addresses. */
enum status stack_symbols_of_causes(struct buffer *lines, struct error *err);

/* Writes the symbols that occur in the stacks of this trace into the space that its header has for them
 * (record/tracefs/dat_file.h), if any. Warns if the kernel hides its addresses. */
enum status stack_symbols_store(const char *path, struct error *err);

#endif
