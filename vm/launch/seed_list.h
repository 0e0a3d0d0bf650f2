/* SPDX-License-Identifier: MIT
 *
 * Seeds as they are named on a command line: "1-10", "3", "1-3,7,20-22". */
#ifndef VM_LAUNCH_SEED_LIST_H
#define VM_LAUNCH_SEED_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SEED_LIST_MAX 1000
#define SEED_MAX      999999u

struct seed_list {
	uint32_t seeds[SEED_LIST_MAX]; /* in the order given, each once */
	size_t count;
};

/* STATUS_USAGE names what is wrong with it. */
enum status seed_list_parse(const char *text, struct seed_list *list, struct error *err);

#endif
