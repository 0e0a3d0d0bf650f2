/* SPDX-License-Identifier: MIT */
#include "export/task_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define COMM_LENGTH_MAX 15u               /* TASK_COMM_LEN without its NUL */
#define PID_MAX         (4 * 1024 * 1024) /* PID_MAX_LIMIT of a 64-bit kernel; also bounds the table */

/* Takes "PID " at the start of a line. */
static bool take_pid(struct text_span line, int32_t *pid, size_t *name_at)
{
	size_t at = 0;
	int64_t value = 0;

	for (; at < line.length && line.text[at] >= '0' && line.text[at] <= '9'; at++) {
		value = value * 10 + (line.text[at] - '0');
		if (value > PID_MAX)
			return false;
	}
	if (at == 0 || at >= line.length || line.text[at] != ' ')
		return false;
	*pid = (int32_t)value;
	*name_at = at + 1;
	return true;
}

static size_t slot_of(const struct task_names *names, int32_t pid)
{
	size_t slot = hash_words((uint32_t)pid, 0) & names->mask;

	while (names->slots[slot].pid != 0 && names->slots[slot].pid != pid)
		slot = (slot + 1) & names->mask;
	return slot;
}

/* From start to the end of the line, limited to the length of a kernel task name. */
static struct text_span cut_name(const char *start, struct text_span line)
{
	size_t length = (size_t)(line.text + line.length - start);

	return (struct text_span){start, length < COMM_LENGTH_MAX ? length : COMM_LENGTH_MAX};
}

/* Returns the slot of the name, for continuation lines, or NULL. */
static struct task_name *add(struct task_names *names, int32_t pid, struct text_span name)
{
	struct task_name *slot = &names->slots[slot_of(names, pid)];

	if (pid == 0 || slot->pid != 0)
		return NULL;
	*slot = (struct task_name){pid, name};
	return slot;
}

void task_names_parse(struct text_span text, struct task_names *names)
{
	struct text_span rest = text;
	struct text_span line;
	struct task_name *current = NULL;
	size_t lines = 1;
	size_t slots = 16;

	for (size_t at = 0; at < text.length; at++)
		lines += text.text[at] == '\n';
	while (slots < lines * 2 && slots < 2 * PID_MAX)
		slots *= 2;
	hash_begin();
	names->mask = slots - 1;
	names->slots = xcalloc(slots, sizeof(*names->slots));
	while (text_span_line(&rest, &line)) {
		int32_t pid;
		size_t at;
		if (take_pid(line, &pid, &at)) {
			current = add(names, pid, cut_name(line.text + at, line));
		} else if (current) {
			current->name = cut_name(current->name.text, line);
		}
	}
}

struct text_span task_names_find(const struct task_names *names, int32_t pid)
{
	if (pid == 0)
		return (struct text_span){"<idle>", 6};
	if (pid < 0)
		return (struct text_span){"<XXX>", 5};
	const struct task_name *slot = &names->slots[slot_of(names, pid)];
	if (slot->pid == 0)
		return (struct text_span){"<...>", 5};
	return slot->name;
}

void task_names_free(struct task_names *names)
{
	free(names->slots);
	*names = (struct task_names){0};
}
