/* SPDX-License-Identifier: MIT
 *
 * The record of one boot of picknext vm, DIR/SET/boots/runN.json: how it ended, and its files. It is written last,
 * after the files of the boot in DIR/SET/raw: a run without it does not count. */
#ifndef RUNS_RUN_RECORD_H
#define RUNS_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"

#define BOOTS_DIRECTORY "boots"

/* How a boot ended. */
struct run_outcome {
	uint32_t run;           /* the seed of a deterministic guest */
	char end[16];           /* "done", "panicked", ... */
	char error[1024];       /* ""; for the user */
	char died_before[1024]; /* how the guest died before its first run, after which it was started again; or "" */
	char fault[256];        /* what the kernel reported on its console: a warning, a stall; or "" */
	int job_exit;           /* of the job in the guest, or -1 */
	uint64_t traces, incomplete_files, refused_files, bytes;
	char started_at[UTC_TEXT_SIZE];
	double boot_s, total_s; /* boot_s: NaN if it did not come up */
	double virtual_s;       /* the guest's own time; deterministic */
	bool vcpu_time_known;   /* not of a deterministic guest */
	uint64_t vcpu_run_ns,
	    vcpu_wait_ns; /* time that the guest's CPUs ran on, and waited for, host CPUs (vm/engine/host_wait.h) */
	double host_wait_share; /* share of waiting; set by writing and reading */
};

/* Writes its members into the current object, except the number of the run. */
void run_outcome_write(const struct run_outcome *outcome, bool deterministic, struct json_writer *json);
/* True if the boot ended well and left traces. */
bool run_outcome_is_good(const struct run_outcome *outcome);
/* The share of time that the guest's CPUs waited for a host CPU; NaN: not known. */
double run_outcome_wait_share(const struct run_outcome *outcome);

/* Starts zeroed. */
struct run_outcomes {
	struct run_outcome *items; /* ascending by run */
	size_t count;
};

/* Adds outcome; replaces that of the same run. */
void run_outcomes_put(struct run_outcomes *outcomes, const struct run_outcome *outcome);
const struct run_outcome *run_outcomes_find(const struct run_outcomes *outcomes, uint32_t run); /* or NULL */
/* Sums up all boots; end and errors are those of the first boot that has one. */
void run_outcomes_sum(const struct run_outcomes *outcomes, struct run_outcome *sum);
void run_outcomes_free(struct run_outcomes *outcomes);

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

/* DIR/SET/boots/runN.json */
enum status run_record_path(const char *directory, uint32_t run, char *path, size_t size, struct error *err);
/* The runs that have a record, in ascending order; the caller frees them. None if there are no records. */
enum status run_record_runs(const char *directory, uint32_t **runs, size_t *count, struct error *err);

/* False if it is not a record of that run. The document is untrusted. Free the record in either case. */
bool run_record_read(const struct json_value *json, uint32_t run, struct run_record *record);
/* The same for the file of the run; false also if there is none. */
bool run_record_load(const char *directory, uint32_t run, struct run_record *record);
void run_record_free(struct run_record *record);
/* Adds the outcomes of all records of a set; unreadable ones are left out. */
enum status run_outcomes_load(const char *directory, struct run_outcomes *outcomes, struct error *err);

/* The first of its files that is missing in raw or has another size; NULL: all are there. */
const struct run_file *run_record_missing(const struct run_record *record, const char *raw);
/* True if the boot ended well and all of its files are in raw. */
bool run_record_is_whole(const struct run_record *record, const char *raw);

/* Adds the array "files": the complete files of the run in raw, by name, as they are on disk. Only those of a good boot
 * are hashed; a signal interrupts that. */
enum status run_files_write(const char *raw, const struct run_outcome *boot, struct json_writer *json,
			    struct error *err);
/* Removes the files of run in raw: NAME_runN.dat and those beside it. */
void run_files_remove(const char *raw, uint32_t run);

#endif
