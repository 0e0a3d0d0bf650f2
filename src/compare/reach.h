/* SPDX-License-Identifier: MIT
 *
 * Whether the workloads reach a change of the kernel: what the boot of vm --reached counted, in SET/reached/NAME/raw.
 */
#ifndef COMPARE_REACH_H
#define COMPARE_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "runs/run_list.h"

#define REACH_DIRECTORY "reached"
#define REACH_GATE      "reached" /* the name of its gates */

/* A function or a line that was counted, or that could not be. */
struct reach_place {
	const char *name; /* "update_entity_lag", "kernel/sched/fair.c:690" */
	bool is_line, is_counted;
	bool is_caller;     /* "update_entity_lag/dequeue_entity": the second calls the changed function */
	uint64_t executed;  /* by all workloads */
	size_t workloads;   /* that executed it, whatever the number of their runs */
	size_t copies;      /* made by the compiler, inlined ones too */
	size_t uncounted;   /* of these */
	const char *most;   /* the one that executed it most often; NULL: none */
	const char *reason; /* why it is not counted; may be NULL */
};

struct reach {
	struct reach_place *places; /* in the order of the request */
	size_t count;
	size_t workloads;     /* that were run */
	bool has_lines;       /* lines are counted; functions only show what is near */
	size_t reached;       /* workloads that executed a changed line; without lines, a function */
	uint64_t executed;    /* how often */
	bool is_known;        /* anything is counted */
	struct run_list runs; /* private: has the names */
};

/* Reads it for the set in this directory. Without such a boot *reach is zeroed. Free it, after errors too. */
enum status reach_read(const char *directory, struct reach *reach, struct error *err);
/* The same of runs whose metadata was read, which it takes. */
void reach_make(struct run_list *runs, struct reach *reach);
void reach_free(struct reach *reach);

/* Adds lines, each with the label (NULL: none) and a newline: "your change is in update_entity_lag(): executed 14,322
 * times in 19 of 21 workloads"; what was not reached, and what could not be counted. Nothing without places. */
void reach_add_lines(const struct reach *reach, const char *label, struct buffer *out);
/* "executed 14,322 times in 19 of 21 workloads" */
void reach_add_sum(const struct reach *reach, struct buffer *out);

#endif
