/* SPDX-License-Identifier: MIT
 *
 * The boots that a command needs, in their order. A cell is one run of one set; a set is one choice of everything else:
 * the kernel, and whatever other dimensions a command has. */
#ifndef VM_PLAN_CELL_LIST_H
#define VM_PLAN_CELL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CELL_ID_SIZE 17 /* 16 hexadecimal digits and the NUL */

struct cell {
	size_t set; /* its index */
	uint32_t run;
};

struct set_runs {
	const uint32_t *runs;
	size_t count;
};

/* The first run of each set, then the second of each, and so on: a drift of the host meets all sets alike, what ends
 * early has runs of all, and further runs at the end of the lists are at the end of the cells. Returns an array of
 * *count cells to be freed. */
struct cell *cell_list_make(const struct set_runs *sets, size_t set_count, size_t *count);

/* The name of a cell wherever it is made: a hash of its identity, which is the name of its set, the inputs of the set
 * (vm/launch/identity.h) and its run. */
void cell_id_make(const char *set, const char *identity, uint32_t run, char id[CELL_ID_SIZE]);

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
bool cell_choice_has(const struct cell_choice *choice, size_t place, const char *id);

#endif
