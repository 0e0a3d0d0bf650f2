/* SPDX-License-Identifier: MIT */
#include "trace/role_table.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A task in the order by which tasks of the same name are numbered. */
struct newborn {
	char name[SCHED_COMM_SIZE + 1];
	uint64_t born_ns; /* 0: before the trace */
	int32_t pid;
	uint32_t task;
};

static bool is_plain(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       (byte && strchr("._:/+-", byte));
}

static void clean_name(const struct sched_comm *comm, char name[SCHED_COMM_SIZE + 1])
{
	for (uint8_t i = 0; i < comm->length; i++)
		name[i] = is_plain(comm->bytes[i]) ? comm->bytes[i] : '_';
	name[comm->length] = '\0';
	if (!comm->length)
		strcpy(name, "_");
}

static void cut_class(char *name)
{
	size_t length = strcspn(name, "/:");

	while (length > 1 && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	if (length)
		name[length] = '\0';
}

static int compare_newborns(const void *left, const void *right)
{
	const struct newborn *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order == 0 && a->born_ns != b->born_ns)
		order = a->born_ns < b->born_ns ? -1 : 1;
	if (order == 0 && a->pid != b->pid)
		order = a->pid < b->pid ? -1 : 1;
	if (order == 0)
		order = a->task < b->task ? -1 : a->task > b->task;
	return order;
}

/* Fills in the roles without a number; the others become newborns. Returns their count. */
static uint32_t sort_out(struct role_table *table, const struct task_states *states, struct newborn *newborns)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct task *task = &states->tasks[i];
		const struct sched_comm *comm = task_comm(states, i);
		struct newborn *newborn = &newborns[count];
		clean_name(comm, newborn->name);
		if (task->is_idle) {
			strcpy(table->roles[i], "idle");
		} else if (task->is_kernel || comm_is_kernel_thread(comm)) {
			cut_class(newborn->name);
			snprintf(table->roles[i], ROLE_SIZE, "%s", newborn->name);
		} else {
			newborn->born_ns = task->is_born ? task->born_ns : 0;
			newborn->pid = task->pid;
			newborn->task = i;
			count++;
		}
	}
	return count;
}

void role_table_make(struct role_table *table, const struct task_states *states)
{
	struct newborn *newborns = xcalloc(states->task_count + 1, sizeof(*newborns));
	uint32_t number = 0;

	*table = (struct role_table){.roles = xcalloc(states->task_count + 1, ROLE_SIZE), .count = states->task_count};
	uint32_t count = sort_out(table, states, newborns);
	qsort(newborns, count, sizeof(*newborns), compare_newborns);
	for (uint32_t i = 0; i < count; i++) {
		number = i && strcmp(newborns[i].name, newborns[i - 1].name) == 0 ? number + 1 : 1;
		snprintf(table->roles[newborns[i].task], ROLE_SIZE, "%s#%u", newborns[i].name, number);
	}
	free(newborns);
}

void role_table_free(struct role_table *table)
{
	free(table->roles);
	*table = (struct role_table){0};
}

const char *role_of(const struct role_table *table, uint32_t task)
{
	return task - table->first < table->count ? table->roles[task - table->first] : "?";
}

bool role_matches(const char *role, const char *pattern)
{
	char name[ROLE_SIZE] = "";

	if (fnmatch(pattern, role, 0) == 0)
		return true;
	memcpy(name, role, strcspn(role, "#"));
	return fnmatch(pattern, name, 0) == 0;
}
