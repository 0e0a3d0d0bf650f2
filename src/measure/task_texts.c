/* SPDX-License-Identifier: MIT */
#include "measure/task_texts.h"

#include <stdlib.h>

#include "base/memory.h"

static void add_pids(struct task_text_map *map, const char *text, const char *pids)
{
	enum { PID_MAX = 1 << 22 };
	char *at = (char *)(uintptr_t)pids;

	while (*at) {
		const unsigned long first = strtoul(at, &at, 10), last = *at == '-' ? strtoul(at + 1, &at, 10) : first;
		for (unsigned long pid = first; pid <= last && map->listed < PID_MAX; pid++, map->listed++) {
			const uint32_t number = id_map_add(&map->pids, pid);
			map->texts = array_grow(map->texts, &map->capacity, number + 1ul, sizeof(*map->texts));
			map->texts[number] = text;
		}
		if (*at != ',')
			return;
		at++;
	}
}

void task_texts_add(struct task_text_map *map, const struct run_tunable *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_pids(map, rows[i].name, rows[i].value);
}

static const char *find_text(const struct task_text_map *map, int32_t pid)
{
	const uint32_t number = id_map_find(&map->pids, (uint32_t)pid);

	return number == ID_MAP_NONE ? NULL : map->texts[number];
}

void task_texts_find(const struct task_texts *texts, const struct task *task, const char **before, const char **after)
{
	*before = task->is_born ? NULL : find_text(&texts->before, task->pid);
	*after = find_text(&texts->after, task->pid);
}

void task_texts_free(struct task_texts *texts)
{
	id_map_free(&texts->before.pids);
	id_map_free(&texts->after.pids);
	free(texts->before.texts);
	free(texts->after.texts);
	*texts = (struct task_texts){0};
}
