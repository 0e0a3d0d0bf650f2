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

/* Distinct addresses, by open addressing. Zeroed: empty. */
struct stack_addresses {
	uint64_t slots[2 * STACK_ADDRESSES_MAX];
	size_t count;
};

/* Ignores 0, and new addresses once there are STACK_ADDRESSES_MAX. */
void stack_addresses_add(struct stack_addresses *addresses, uint64_t address);

/* The symbols of the running kernel that contain these addresses, as lines of /proc/kallsyms in order of address; none
 * can be added afterwards. found: how many addresses have one; 0 if the kernel hides its addresses (kptr_restrict). */
enum status stack_symbols_read(struct stack_addresses *addresses, struct buffer *lines, size_t *found,
			       struct error *err);

/* The functions of the running kernel that show causes of migrations, each followed by a line for its end; none if
 * the kernel hides its addresses. */
enum status stack_symbols_of_causes(struct buffer *lines, struct error *err);

#endif
