/* SPDX-License-Identifier: MIT
 *
 * What a command of picknext vm shall make: the runs of each set, and how any machine makes one of them. Each set keeps
 * its part in DIR/SET/plan.json, so that a directory can be checked wherever its cells came from. */
#ifndef VM_PLAN_PLAN_H
#define VM_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "runs/recipe.h"

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

#define PLAN_NAME     "plan.json" /* in DIR/SET */
#define PLAN_RUNS_MAX 1000000     /* of a set, in a file */

struct plan_set {
	char name[80], identity[SHA256_TEXT_SIZE];
	bool deterministic;
	struct recipe recipe; /* of picknext vm, for all sets of the command */
	uint32_t *runs;
	size_t run_count;
};

struct plan {
	struct plan_set *sets;
	size_t count;
	const char *directory; /* where commands make the cells: the -o of picknext vm */
};

/* Adds an empty set. */
struct plan_set *plan_add(struct plan *plan, const char *name, const char *identity, bool deterministic);
void plan_set_add_runs(struct plan_set *set, const uint32_t *runs, size_t count); /* those that it does not have */
/* The runs in ascending order, to be freed, and whether a run is among count such. */
uint32_t *plan_set_sort_runs(const struct plan_set *set);
bool plan_has_run(const uint32_t *sorted, size_t count, uint32_t run);
void plan_free(struct plan *plan);

/* One run of one set. */
struct cell {
	size_t set; /* its index */
	uint32_t run;
	char id[CELL_ID_SIZE]; /* of the name and identity of the set and the run, wherever it is made */
};

/* The first run of each set, then the second of each, and so on: a drift of the host meets all sets alike, what ends
 * early has runs of all, and further runs at the end of the lists are at the end of the cells. Returns an array of
 * *count cells to be freed. */
struct cell *plan_cells(const struct plan *plan, size_t *count);
/* Adds the command that makes one cell, quoted for a shell, without a newline. */
void plan_command_write(const struct plan *plan, const struct cell *cell, struct buffer *out);
/* One cell a line: its command, and as a comment its set and run; only those of choice. JSON: "cells", an array of
 * objects with id, set, run and command. */
void plan_write_text(const struct plan *plan, const struct cell_choice *choice, struct buffer *out);
void plan_write_json(const struct plan *plan, const struct cell_choice *choice, struct buffer *out);

/* Writes DIR/SET/plan.json. The runs of one that is there with the same identity are kept. */
enum status plan_set_keep(const char *directory, const struct plan_set *set, struct error *err);
/* Adds the plan of a document, which may come from others, or of a file; STATUS_CORRUPT if it is none,
 * STATUS_UNSUPPORTED if an earlier version made it. */
enum status plan_read_set(const struct json_value *json, const char *where, struct plan *plan, struct error *err);
enum status plan_load_set(const char *path, struct plan *plan, struct error *err);
/* The plans of DIR/SET, by name; *plan is empty if there are none. Free it also after errors. */
enum status plan_load(const char *directory, struct plan *plan, struct error *err);

#endif
