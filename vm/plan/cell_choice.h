/* SPDX-License-Identifier: MIT
 *
 * Which cells of a command are wanted: --cells. */
#ifndef VM_PLAN_CELL_CHOICE_H
#define VM_PLAN_CELL_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CELL_ID_SIZE 17 /* 16 hexadecimal digits and the NUL */

/* A part of the cells of a command; zeroed: all. */
struct cell_choice {
	uint64_t shard, shards; /* every cell whose place is shard - 1, shard - 1 + shards, ...; 0: all */
	const char *id;         /* only this one; or NULL */
	bool only_missing;      /* of a list: those that do not exist */
	const bool *left_out;   /* by place; or NULL */
};

/* "K/N", an ID, or "missing". STATUS_USAGE if text is none; text must outlive choice. */
enum status cell_choice_parse(const char *text, struct cell_choice *choice, struct error *err);
bool cell_choice_is_all(const struct cell_choice *choice);
/* Whether it has the cell at this place of the list. */
bool cell_choice_has(const struct cell_choice *choice, size_t place, const char *id);

#endif
