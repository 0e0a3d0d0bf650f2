/* SPDX-License-Identifier: MIT */
#include "export/task_table.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

static struct seen_task *slot_of(struct seen_task *slots, size_t size, int32_t pid)
{
	size_t slot = hash_words((uint32_t)pid, 0) & (size - 1);

	while (slots[slot].pid != 0 && slots[slot].pid != pid)
		slot = (slot + 1) & (size - 1);
	return &slots[slot];
}

static void grow_table(struct task_table *table)
{
	size_t size = table->size ? table->size * 2 : 1024;
	struct seen_task *slots = xcalloc(size, sizeof(*slots));

	hash_begin();
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].pid != 0)
			*slot_of(slots, size, table->slots[i].pid) = table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->size = size;
}

void task_table_note(struct task_table *table, const struct sched_task *task)
{
	if (task->pid == 0)
		return;
	if (table->count * 2 >= table->size && table->count < TASK_TABLE_MAX)
		grow_table(table);
	struct seen_task *slot = slot_of(table->slots, table->size, task->pid);
	if (slot->pid == 0) {
		if (table->count == TASK_TABLE_MAX) {
			table->left_out++;
			return;
		}
		table->count++;
	}
	slot->pid = task->pid;
	slot->comm = task->comm;
}

static int by_pid(const void *left, const void *right)
{
	int32_t a = ((const struct seen_task *)left)->pid;
	int32_t b = ((const struct seen_task *)right)->pid;

	return (a > b) - (a < b);
}

void task_table_sort(struct task_table *table)
{
	if (table->size)
		qsort(table->slots, table->size, sizeof(*table->slots), by_pid);
}

void task_table_free(struct task_table *table)
{
	free(table->slots);
	*table = (struct task_table){0};
}
