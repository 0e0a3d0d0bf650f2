/* SPDX-License-Identifier: MIT */
#include "export/cpu_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/switch_line.h"

#define CELL 4 /* width of a CPU's column */

void cpu_map_code(uint32_t code, char text[3])
{
	const uint32_t with_digit = 2 * 26 * 10;

	if (code < with_digit) {
		text[0] = (char)((code < with_digit / 2 ? 'A' : 'a') + code % 26);
		text[1] = (char)('0' + code / 26 % 10);
	} else if (code - with_digit < 26 * 52) {
		uint32_t second = (code - with_digit) % 52;
		text[0] = (char)('A' + (code - with_digit) / 52);
		text[1] = (char)(second < 26 ? 'A' + second : 'a' + second - 26);
	} else {
		text[0] = text[1] = '?';
	}
	text[2] = '\0';
}

void cpu_map_heading(struct buffer *out)
{
	buffer_text(out, "# one column per CPU, from CPU 0; * just switched, . idle, - unknown, x offline\n");
}

/* Writes the four characters of a CPU. *is_new: the task's name or PID was not printed yet, or has changed, for example
 * at exec. */
static inline char *put_cell(struct cpu_map *map, const struct task_states *states, uint32_t number, bool switched,
			     char *to, bool *is_new)
{
	const struct task_cpu *cpu = &states->cpus[number];

	to[0] = ' ';
	to[1] = switched ? '*' : ' ';
	to[2] = task_cpu_is_offline(cpu) ? 'x' : '-';
	to[3] = ' ';
	if (cpu->current == TASK_NONE)
		return to + CELL;
	const struct task *it = &states->tasks[cpu->current];
	if (it->is_idle) {
		to[2] = '.';
		return to + CELL;
	}
	struct cpu_map_task *task = &map->tasks[cpu->current];
	if (!task->code[0])
		cpu_map_code(map->next_code++, task->code);
	memcpy(to + 2, task->code, 2);
	*is_new |= !task->is_told || task->comm != it->comm || task->pid != it->pid;
	return to + CELL;
}

static void add_legend(struct cpu_map *map, const struct task_states *states, uint32_t cpu, struct buffer *out)
{
	uint32_t current = states->cpus[cpu].current;

	if (current == TASK_NONE || states->tasks[current].is_idle)
		return;
	const struct task *it = &states->tasks[current];
	struct cpu_map_task *task = &map->tasks[current];
	if (task->is_told && task->comm == it->comm && task->pid == it->pid)
		return;
	task->is_told = true;
	task->comm = it->comm;
	task->pid = it->pid;
	buffer_printf(out, "  %s => ", task->code);
	comm_add_padded(&states->comms.comms[it->comm], 0, out);
	buffer_printf(out, ":%" PRId32, it->pid);
}

static inline bool wants_cpu(const struct cpu_map *map, uint32_t cpu)
{
	return !map->wants_cpu || map->wants_cpu(map->context, cpu);
}

static void add_legends(struct cpu_map *map, const struct task_states *states, struct buffer *out)
{
	for (uint32_t i = 0; i < states->cpu_count; i++)
		if (wants_cpu(map, i))
			add_legend(map, states, i, out);
}

void cpu_map_add(struct cpu_map *map, const struct task_states *states, uint32_t cpu, uint64_t time_ns,
		 struct buffer *out)
{
	bool is_new = false;

	map->tasks = array_reserve(map->tasks, &map->task_count, states->task_count, sizeof(*map->tasks));
	switch_line_time(time_ns, out);
	char *to = buffer_reserve(out, 2 + (size_t)CELL * states->cpu_count);
	*to++ = ' ';
	*to++ = '|';
	for (uint32_t i = 0; i < states->cpu_count; i++)
		if (wants_cpu(map, i))
			to = put_cell(map, states, i, i == cpu, to, &is_new);
	out->length = (size_t)(to - out->data);
	if (is_new)
		add_legends(map, states, out);
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	buffer_add(out, "\n", 1);
}

void cpu_map_free(struct cpu_map *map)
{
	free(map->tasks);
	*map = (struct cpu_map){0};
}
