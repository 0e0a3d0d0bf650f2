/* SPDX-License-Identifier: MIT
 *
 * The record of one cell, DIR/SET/cells/runN.json. It is the last thing that is written of a cell, after its files in
 * DIR/SET/raw: a cell without it is not there. It has the form of a vm.json with one boot, and the list of its files.
 */
#ifndef VM_PLAN_CELL_RECORD_H
#define VM_PLAN_CELL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/sha256.h"
#include "vm/plan/boot_records.h"

#define CELLS_DIRECTORY "cells"

struct cell_file {
	char name[256];
	uint64_t bytes;
	char sha256[SHA256_TEXT_SIZE];
};

struct cell_record {
	char identity[SHA256_TEXT_SIZE]; /* of its set */
	struct boot_record boot;
	struct cell_file *files;
	size_t file_count;
};

/* DIR/SET/cells/runN.json */
enum status cell_record_path(const char *directory, uint32_t run, char *path, size_t size, struct error *err);
/* The runs that have a record, ascending, to be freed. A directory without records has none. */
enum status cell_record_runs(const char *directory, uint32_t **runs, size_t *count, struct error *err);

/* Adds the array "files": the complete files of the run in raw, by name, as they are on disk. Only those of a good boot
 * are hashed: an interruption ends that. */
enum status cell_files_write(const char *raw, const struct boot_record *boot, struct json_writer *json,
			     struct error *err);

/* False: it is none of that run. Free the record also then. */
bool cell_record_read(const struct json_value *json, uint32_t run, struct cell_record *record);
/* The same of its file; false also if there is none. */
bool cell_record_load(const char *directory, uint32_t run, struct cell_record *record);
void cell_record_free(struct cell_record *record);

/* The first of its files that is missing in raw or has another size; NULL: all are there. */
const struct cell_file *cell_record_missing(const struct cell_record *record, const char *raw);
/* Whether the boot ended well, and all of its files are in raw. */
bool cell_record_is_whole(const struct cell_record *record, const char *raw);

/* Removes the files of run in raw: NAME_runN.dat and those beside it. */
void cell_files_remove(const char *raw, uint32_t run);

#endif
