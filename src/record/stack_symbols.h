/* SPDX-License-Identifier: MIT
 *
 * The names behind the addresses of kernel stacks: those that occur in a trace, taken from the running kernel. */
#ifndef RECORD_STACK_SYMBOLS_H
#define RECORD_STACK_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

#define STACK_ADDRESSES_MOST 4096

/* The symbols of the running kernel that these addresses (sorted) lie in, as lines of /proc/kallsyms in order of
 * address. found: how many addresses have one; 0 where the kernel hides its addresses (kptr_restrict). */
enum status stack_symbols_read(const uint64_t *addresses, size_t count, struct buffer *lines, size_t *found,
			       struct error *err);

/* The functions of the running kernel that tell the causes of migrations, with what lies behind each of them; none
 * where the kernel hides its addresses. */
enum status stack_symbols_of_causes(struct buffer *lines, struct error *err);

/* Writes the symbols that occur in the stacks of this trace, just recorded, into the room that its header has for
 * them (capture/dat_file.h); does nothing where there is none. Warns where names cannot be had. */
enum status stack_symbols_store(const char *path, struct error *err);

#endif
