/* SPDX-License-Identifier: MIT
 *
 * The record of one run, DIR/SET/cells/runN.json. It is the last thing that is written of a run, after its files in
 * DIR/SET/raw: a run without it is not there. It has the form of a vm.json with one boot, and the list of its files.
 *
 * vm.json of a set is made from the records of its cells: what the launch was, from the one with the lowest number, and
 * the boots of all. So its bytes depend on the cells alone, not on who made them and in which order. */
#ifndef VM_PLAN_RUN_RECORD_H
#define VM_PLAN_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "vm/plan/run_outcomes.h"

#define CELLS_DIRECTORY "cells"

struct run_file {
	char name[256];
	uint64_t bytes;
	char sha256[SHA256_TEXT_SIZE];
};

struct run_record {
	char identity[SHA256_TEXT_SIZE]; /* of its set */
	struct run_outcome outcome;
	struct run_file *files;
	size_t file_count;
};

/* DIR/SET/cells/runN.json */
enum status run_record_path(const char *directory, uint32_t run, char *path, size_t size, struct error *err);
/* The runs that have a record, ascending, to be freed. A directory without records has none. */
enum status run_record_runs(const char *directory, uint32_t **runs, size_t *count, struct error *err);

/* Adds the array "files": the complete files of the run in raw, by name, as they are on disk. Only those of a good boot
 * are hashed: an interruption ends that. */
enum status run_files_write(const char *raw, const struct run_outcome *boot, struct json_writer *json,
			    struct error *err);

/* False: it is none of that run. Free the record also then. */
bool run_record_read(const struct json_value *json, uint32_t run, struct run_record *record);
/* The same of its file; false also if there is none. */
bool run_record_load(const char *directory, uint32_t run, struct run_record *record);
void run_record_free(struct run_record *record);

/* The first of its files that is missing in raw or has another size; NULL: all are there. */
const struct run_file *run_record_missing(const struct run_record *record, const char *raw);
/* Whether the boot ended well, and all of its files are in raw. */
bool run_record_is_whole(const struct run_record *record, const char *raw);

/* Removes the files of run in raw: NAME_runN.dat and those beside it. */
void run_files_remove(const char *raw, uint32_t run);

/* What the records of a set say; those that cannot be read are left out. Starts zeroed. */
struct set_record {
	struct json_value *first; /* the record of the lowest run, or NULL */
	struct run_outcomes boots;
};

/* Free it also after errors. */
enum status set_record_read(const char *directory, struct set_record *set, struct error *err);
void set_record_free(struct set_record *set);
/* The text of vm.json; empty without records. */
enum status set_record_make(const char *directory, struct buffer *text, struct error *err);
/* Writes DIR/SET/vm.json, unless it has these bytes. *changed (may be NULL): whether it was written. */
enum status set_record_write(const char *directory, bool *changed, struct error *err);

#endif
