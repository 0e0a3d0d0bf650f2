/* SPDX-License-Identifier: MIT */
#include "trace/trace_scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/memory.h"

static int compare_pids(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left;
	int32_t b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

/* The next number in the list that can be a PID; false at its end. */
static bool next_pid(struct text_span *list, int32_t *pid)
{
	size_t at = 0;

	while (at < list->length) {
		uint64_t value = 0;
		size_t digits = 0;
		while (at < list->length && (list->text[at] < '0' || list->text[at] > '9'))
			at++;
		for (; at < list->length && list->text[at] >= '0' && list->text[at] <= '9'; at++, digits++)
			value = value > INT32_MAX ? value : value * 10 + (uint64_t)(list->text[at] - '0');
		if (digits && value > 0 && value <= INT32_MAX) {
			*pid = (int32_t)value;
			list->text += at;
			list->length -= at;
			return true;
		}
	}
	return false;
}

static void read_offline(struct text_span list, cpu_set_t *set)
{
	char text[4096];

	CPU_ZERO(set);
	while (list.length && *list.text == ' ') {
		list.text++;
		list.length--;
	}
	if (list.length == 0 || list.length >= sizeof(text))
		return;
	memcpy(text, list.text, list.length);
	text[list.length] = '\0';
	if (!cpu_list_parse(text, set))
		CPU_ZERO(set);
}

void trace_scope_open(struct trace_scope *scope, const struct tracedat *trace)
{
	struct text_span list = trace->followed;
	size_t capacity = list.length / 2 + 1; /* each number and the space before it */
	int32_t pid;

	*scope = (struct trace_scope){.followed_only = trace->followed_only};
	read_offline(trace->offline_cpus, &scope->offline);
	if (!scope->followed_only)
		return;
	scope->followed = xcalloc(capacity, sizeof(*scope->followed));
	while (scope->followed_count < capacity && next_pid(&list, &pid))
		scope->followed[scope->followed_count++] = pid;
	qsort(scope->followed, scope->followed_count, sizeof(*scope->followed), compare_pids);
}

void trace_scope_free(struct trace_scope *scope)
{
	free(scope->followed);
	*scope = (struct trace_scope){0};
}

bool trace_scope_begins_offline(const struct trace_scope *scope, uint32_t cpu)
{
	return scope && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &scope->offline);
}

bool trace_scope_has(const struct trace_scope *scope, int32_t pid)
{
	if (!trace_scope_is_part(scope))
		return true;
	return bsearch(&pid, scope->followed, scope->followed_count, sizeof(*scope->followed), compare_pids) != NULL;
}
