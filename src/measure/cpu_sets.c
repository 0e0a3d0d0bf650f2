/* SPDX-License-Identifier: MIT */
#include "measure/cpu_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void cpu_sets_reserve(struct cpu_sets *sets, uint32_t task, uint32_t cpu)
{
	uint32_t word = cpu / 64;
	uint32_t each = sets->words_each ? sets->words_each : 1;
	uint32_t tasks = sets->tasks;

	if (word < sets->words_each && task < tasks)
		return;
	while (each <= word)
		each *= 2;
	if (task >= tasks)
		tasks = task < 32 ? 64 : task + task / 2 + 1;
	uint64_t *words = xcalloc((size_t)tasks * each, sizeof(*words));
	for (uint32_t i = 0; i < sets->tasks; i++)
		memcpy(words + (size_t)i * each, sets->words + (size_t)i * sets->words_each,
		       sets->words_each * sizeof(*words));
	free(sets->words);
	*sets = (struct cpu_sets){.words = words, .words_each = each, .tasks = tasks};
}

void cpu_sets_merge(struct cpu_sets *sets, uint32_t to, const struct cpu_sets *others, uint32_t task)
{
	for (uint32_t cpu = 0; cpu < others->words_each * 64; cpu++)
		if (cpu_sets_have(others, task, cpu))
			cpu_sets_add(sets, to, cpu);
}

/* Appends part; if it does not fit, ends the text in "..." and returns false. */
static bool append(char *text, size_t size, size_t *length, const char *part)
{
	size_t more = strlen(part);

	if (*length + more + 4 > size) {
		memcpy(text + *length, "...", 4);
		return false;
	}
	memcpy(text + *length, part, more + 1);
	*length += more;
	return true;
}

void cpu_sets_list(const struct cpu_sets *sets, uint32_t task, char *text, size_t size)
{
	size_t length = 0;
	char part[32];

	*text = '\0';
	for (uint32_t cpu = 0; cpu < sets->words_each * 64; cpu++) {
		if (!cpu_sets_have(sets, task, cpu))
			continue;
		uint32_t last = cpu;
		while (cpu_sets_have(sets, task, last + 1))
			last++;
		if (last == cpu)
			snprintf(part, sizeof(part), "%s%u", length ? "," : "", cpu);
		else
			snprintf(part, sizeof(part), "%s%u-%u", length ? "," : "", cpu, last);
		if (!append(text, size, &length, part))
			return;
		cpu = last;
	}
}

void cpu_sets_mask(const struct cpu_sets *sets, uint32_t task, char *text, size_t size)
{
	size_t length = 0;
	char part[16];

	*text = '\0';
	for (uint32_t i = sets->words_each * 2; i-- > 0;) {
		uint64_t word = task < sets->tasks ? sets->words[(size_t)task * sets->words_each + i / 2] : 0;
		uint32_t half = (uint32_t)(i % 2 ? word >> 32 : word);
		if (length == 0 && half == 0 && i > 0)
			continue;
		snprintf(part, sizeof(part), length ? ",%08x" : "%x", half);
		if (!append(text, size, &length, part))
			return;
	}
}

void cpu_sets_free(struct cpu_sets *sets)
{
	free(sets->words);
	*sets = (struct cpu_sets){0};
}
