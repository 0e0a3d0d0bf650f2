/* SPDX-License-Identifier: MIT
 *
 * A compact map of the tasks on each CPU, like perf sched map: one column per CPU, one line per switch, two
 * characters per task, explained at their first use. Pure. */
#ifndef EXPORT_CPU_MAP_H
#define EXPORT_CPU_MAP_H

#include "base/buffer.h"
#include "base/error.h"
#include "trace/task_states.h"

struct cpu_map_task {
	char code[3]; /* "" before its first use */
	bool is_told; /* comm and pid were printed, and are the last ones printed */
	uint32_t comm;
	int32_t pid;
};

/* A zeroed struct is empty. */
struct cpu_map {
	struct cpu_map_task *tasks; /* by task number */
	uint32_t task_count;
	uint32_t next_code;
	bool (*wants_cpu)(const void *context, uint32_t cpu); /* NULL: all */
	const void *context;
};

/* Adds the line for a switch on this CPU; call it after task_states_step(). */
void cpu_map_add(struct cpu_map *map, const struct task_states *states, uint32_t cpu, uint64_t time_ns,
		 struct buffer *out);
void cpu_map_heading(struct buffer *out);
void cpu_map_free(struct cpu_map *map);

/* The two characters of task number code: A0 to Z0, A1 to Z9, a0 to z9, then two letters; "??" after these are used
 * up. */
void cpu_map_code(uint32_t code, char text[3]);

#endif
