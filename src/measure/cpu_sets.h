/* SPDX-License-Identifier: MIT
 *
 * A set of CPUs per task, indexed by the task numbers of struct task_states. */
#ifndef MEASURE_CPU_SETS_H
#define MEASURE_CPU_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct holds empty sets. */
struct cpu_sets {
	uint64_t *words; /* words_each for every task */
	uint32_t words_each, tasks;
};

/* Makes room for the task and the CPU. */
void cpu_sets_reserve(struct cpu_sets *sets, uint32_t task, uint32_t cpu);

static inline bool cpu_sets_have(const struct cpu_sets *sets, uint32_t task, uint32_t cpu)
{
	if (task >= sets->tasks || cpu / 64 >= sets->words_each)
		return false;
	return sets->words[(size_t)task * sets->words_each + cpu / 64] >> cpu % 64 & 1;
}

static inline void cpu_sets_add(struct cpu_sets *sets, uint32_t task, uint32_t cpu)
{
	if (task >= sets->tasks || cpu / 64 >= sets->words_each)
		cpu_sets_reserve(sets, task, cpu);
	sets->words[(size_t)task * sets->words_each + cpu / 64] |= UINT64_C(1) << cpu % 64;
}

/* Adds the set of one task to that of another. */
void cpu_sets_merge(struct cpu_sets *sets, uint32_t to, const struct cpu_sets *others, uint32_t task);
/* Write the set as "0-1,3", and like the kernel's CPU masks (/proc/PID/status, Cpus_allowed): "b", "1,00000003". Texts
 * that do not fit end in "...". */
void cpu_sets_list(const struct cpu_sets *sets, uint32_t task, char *text, size_t size);
void cpu_sets_mask(const struct cpu_sets *sets, uint32_t task, char *text, size_t size);
void cpu_sets_free(struct cpu_sets *sets);

#endif
