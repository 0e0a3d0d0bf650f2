/* SPDX-License-Identifier: MIT
 *
 * How often the kernel executes some functions or lines during a recording (--count): kprobes, of which it counts the
 * hits (kprobe_profile); a filter keeps their events out of the trace. */
#ifndef RECORD_TRACEFS_FUNCTION_COUNTS_H
#define RECORD_TRACEFS_FUNCTION_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define FUNCTION_COUNTS_MAX     512
#define FUNCTION_COUNT_TEXT_MAX 255 /* bytes of a name */

struct function_count {
	char name[FUNCTION_COUNT_TEXT_MAX + 1];   /* of the request: "update_entity_lag", "kernel/sched/fair.c:690" */
	char symbol[FUNCTION_COUNT_TEXT_MAX + 1]; /* probed: "update_entity_lag.isra.0", "place_entity+67" */
	bool is_instruction;                      /* SYMBOL+OFFSET, which has no copies */
	bool has_symbol;                          /* the kernel has it */
	char reason[160];                         /* why it cannot be counted; "": it is counted */
	char event[16];
	uint64_t executed, before; /* in the recording; until it began */
};

struct function_counts {
	struct function_count *items;
	size_t count;
};

/* Reads "FUNCTION,NAME@FUNCTION,NAME@FUNCTION+OFFSET,...". NAME is that of what is counted there, such as a line or a
 * function that was inlined. NULL: none. STATUS_USAGE names --count. */
enum status function_counts_parse(const char *text, struct function_counts *counts, struct error *err);
/* Notes the symbol of a line of /proc/kallsyms, and adds it if it is a copy of a function that the compiler made, such
 * as NAME.isra.0. Pure. */
void function_counts_take_symbol(struct function_counts *counts, const char *line);
void function_counts_free(struct function_counts *counts);

/* Defines and enables the probes in the group and the instance; those that the kernel refuses have a reason.
 * STATUS_UNSUPPORTED without KPROBE_EVENTS; STATUS_SYSTEM if access is refused. */
enum status function_counts_define(struct function_counts *counts, const char *tracefs, const char *directory,
				   const char *group, struct error *err);
/* At the beginning and at the end of a recording. */
void function_counts_begin(struct function_counts *counts, const char *tracefs, const char *group);
void function_counts_end(struct function_counts *counts, const char *tracefs, const char *group);

#endif
