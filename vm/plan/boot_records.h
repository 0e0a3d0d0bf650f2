/* SPDX-License-Identifier: MIT
 *
 * The boots of a set of runs, as vm.json lists them: one for each run, by its number. */
#ifndef VM_PLAN_BOOT_RECORDS_H
#define VM_PLAN_BOOT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/utc.h"
#include "vm/engine/host_wait.h"

struct boot_record {
	uint32_t run;           /* the seed of a deterministic guest */
	char end[16];           /* "done", "panicked", ... */
	char error[1024];       /* ""; for the user */
	char died_before[1024]; /* how the guest died before its first run; it was started once more. Or "" */
	char fault[256];        /* what the kernel reported on its console: a warning, a stall; or "" */
	int job_exit;           /* of the job in the guest, or -1 */
	uint64_t traces, incomplete_files, refused_files, bytes;
	char started_at[UTC_TEXT_SIZE];
	double boot_s, total_s; /* boot_s: NaN if it did not come up */
	double virtual_s;       /* the guest's own time; deterministic */
	bool vcpu_time_known;   /* not of a deterministic guest */
	struct vcpu_time vcpu_time;
	double host_wait_share; /* of vcpu_time; set when it is written or read */
};

/* Starts zeroed. */
struct boot_records {
	struct boot_record *items; /* ascending by run */
	size_t count;
};

/* Adds it; replaces that of the same run. */
void boot_records_put(struct boot_records *records, const struct boot_record *record);
const struct boot_record *boot_records_find(const struct boot_records *records, uint32_t run); /* or NULL */
void boot_records_free(struct boot_records *records);

/* The array "boots" of vm.json; NULL is an empty one. Entries that are none are left out. */
void boot_records_read(struct boot_records *records, const struct json_value *boots);
void boot_records_write(const struct boot_records *records, bool deterministic, struct json_writer *json);
/* All boots as one, for the members of vm.json itself: sums; end and errors of the first boot that has one. */
void boot_records_sum(const struct boot_records *records, struct boot_record *sum);
/* The members of a boot other than its run. */
void boot_record_write(const struct boot_record *record, bool deterministic, struct json_writer *json);

/* Whether key is a member that boot_record_write() writes. */
bool boot_record_has_member(const char *key);
/* Whether the boot ended well and left traces. */
bool boot_record_is_good(const struct boot_record *record);

#endif
