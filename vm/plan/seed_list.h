/* SPDX-License-Identifier: MIT
 *
 * Seeds as given on a command line: "1-10", "3", "1-3,7,20-22". */
#ifndef VM_PLAN_SEED_LIST_H
#define VM_PLAN_SEED_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

#define SEED_LIST_MAX 1000
#define SEED_MAX      999999u

struct seed_list {
	uint32_t seeds[SEED_LIST_MAX]; /* in the order given, each once */
	size_t count;
};

/* STATUS_USAGE if text is not a list of seeds. */
enum status seed_list_parse(const char *text, struct seed_list *list, struct error *err);
/* Adds seeds as such a text, in their order. */
void seed_list_write(const uint32_t *seeds, size_t count, struct buffer *out);

#endif
