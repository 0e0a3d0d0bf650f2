/* SPDX-License-Identifier: MIT */
#include "export/cpu_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/switch_line.h"

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

static enum status make_room(struct cpu_map *map, uint32_t task_count, struct error *err)
{
	if (map->task_count >= task_count)
		return STATUS_OK;
	uint32_t count = task_count + task_count / 2;
	struct cpu_map_task *tasks = realloc(map->tasks, count * sizeof(*tasks));
	if (!tasks)
		return error_system(err, ENOMEM, NULL, "cannot hold %" PRIu32 " tasks", count);
	memset(tasks + map->task_count, 0xff, (count - map->task_count) * sizeof(*tasks));
	map->tasks = tasks;
	map->task_count = count;
	return STATUS_OK;
}

void cpu_map_heading(struct buffer *out)
{
	buffer_text(out, "# one column per CPU, from CPU 0; * just switched, . idle, - unknown, x offline\n");
}

static void add_cell(struct cpu_map *map, const struct task_states *states, uint32_t cpu, bool switched,
		     struct buffer *out)
{
	char code[3] = "- ";
	uint32_t current = states->cpus[cpu].current;

	if (task_cpu_is_offline(&states->cpus[cpu])) {
		code[0] = 'x';
	} else if (current != TASK_NONE && states->tasks[current].is_idle) {
		code[0] = '.';
	} else if (current != TASK_NONE) {
		struct cpu_map_task *task = &map->tasks[current];
		if (task->code == UINT32_MAX)
			task->code = map->next_code++;
		cpu_map_code(task->code, code);
	}
	const char cell[4] = {' ', switched ? '*' : ' ', code[0], code[1]};
	buffer_add(out, cell, sizeof(cell));
}

/* A name or PID that changed, for example at exec, is printed again. */
static void add_legend(struct cpu_map *map, const struct task_states *states, uint32_t cpu, struct buffer *out)
{
	uint32_t current = states->cpus[cpu].current;
	char code[3];

	if (current == TASK_NONE || states->tasks[current].is_idle)
		return;
	const struct task *task = &states->tasks[current];
	if (map->tasks[current].comm == task->comm && map->tasks[current].pid == task->pid)
		return;
	map->tasks[current].comm = task->comm;
	map->tasks[current].pid = task->pid;
	cpu_map_code(map->tasks[current].code, code);
	buffer_printf(out, "  %s => ", code);
	comm_add_padded(&states->comms.comms[task->comm], 0, out);
	buffer_printf(out, ":%" PRId32, task->pid);
}

enum status cpu_map_add(struct cpu_map *map, const struct task_states *states, uint32_t cpu, uint64_t time_ns,
			struct buffer *out, struct error *err)
{
	enum status status = make_room(map, states->task_count, err);

	if (status != STATUS_OK)
		return status;
	switch_line_time(time_ns, out);
	buffer_text(out, " |");
	for (uint32_t i = 0; i < states->cpu_count; i++)
		if (!map->wants_cpu || map->wants_cpu(map->context, i))
			add_cell(map, states, i, i == cpu, out);
	for (uint32_t i = 0; i < states->cpu_count; i++)
		if (!map->wants_cpu || map->wants_cpu(map->context, i))
			add_legend(map, states, i, out);
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	buffer_text(out, "\n");
	return STATUS_OK;
}

void cpu_map_free(struct cpu_map *map)
{
	free(map->tasks);
	*map = (struct cpu_map){0};
}
