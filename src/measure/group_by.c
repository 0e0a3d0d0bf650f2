/* SPDX-License-Identifier: MIT */
#include "measure/group_by.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const by_words[] = {"task", "comm", "role", "cgroup", "process", "cpu"}; /* enum group_by */

enum status group_options_check(struct group_options *options, struct pass_options *pass, struct error *err)
{
	if (strcmp(options->by, "role") == 0)
		pass->with_roles = true;
	return task_choice_check(&options->tasks, pass, err);
}

void groups_begin(struct groups *groups, const struct group_options *options, size_t account_size)
{
	*groups = (struct groups){.options = options, .account_size = account_size};
	while (strcmp(options->by, by_words[groups->by]) != 0)
		groups->by++;
	groups->first_key = options->merge_kworkers && groups->by != GROUP_CPU;
}

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

void groups_begin_trace(struct groups *groups, const struct pass *pass)
{
	cgroups_begin(&groups->cgroups, pass, groups->by == GROUP_CGROUP);
	if (groups->by == GROUP_PROCESS)
		processes_begin(&groups->processes, pass);
}

/* The number of a label; *is_new: its text is to be set. */
static uint32_t add_label(struct groups *groups, uint64_t id, bool *is_new)
{
	const uint32_t known = groups->label_ids.count, number = id_map_add(&groups->label_ids, id);

	groups->labels = array_grow(groups->labels, &groups->label_capacity, number + 1ul, sizeof(*groups->labels));
	*is_new = number == known;
	return number;
}

static uint32_t process_label(struct groups *groups, const struct pass *pass, uint32_t task)
{
	const struct task *of = &pass->states.tasks[task];
	const char *name;
	bool is_new;
	const int32_t pid = processes_find(&groups->processes, of, &name);
	const uint32_t number = add_label(groups, pid ? (uint64_t)of->run << 32 | (uint32_t)pid : 0, &is_new);

	groups->leaders = array_grow(groups->leaders, &groups->leader_capacity, number + 1ul, sizeof(*groups->leaders));
	if (is_new) {
		groups->labels[number] = xstrdup(name);
		groups->leaders[number] = TASK_NONE;
	}
	if (of->pid == pid)
		groups->leaders[number] = task;
	return number;
}

bool groups_run(const struct groups *groups, const struct task_states *states, uint32_t key, uint32_t *run)
{
	const uint32_t number = key - groups->first_key;

	if (groups_is_kworkers(groups, key))
		return false;
	*run = groups->by == GROUP_TASK ? states->tasks[number].run : (uint32_t)(groups->label_ids.ids[number] >> 32);
	return groups->by == GROUP_TASK || groups_process(groups, number);
}

uint32_t groups_label(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm)
{
	const char *path =
	    groups->by == GROUP_CGROUP ? cgroups_path(&groups->cgroups, &pass->states, task, comm) : NULL;
	const char *label = groups->by == GROUP_ROLE ? role_of(pass->states.roles, task) : path ? path : "";
	uint64_t hash = HASH_START;
	bool is_new;

	if (groups->by == GROUP_PROCESS)
		return process_label(groups, pass, task);
	for (const char *at = label; *at; at++)
		hash = (hash ^ (unsigned char)*at) * HASH_PRIME;
	while (true) {
		const uint32_t number = add_label(groups, hash, &is_new);
		if (is_new)
			groups->labels[number] = xstrdup(label);
		if (strcmp(groups->labels[number], label) == 0)
			return number;
		hash++;
	}
}

void groups_free(struct groups *groups, void (*free_account)(void *account))
{
	for (uint32_t key = 0; key < groups->count && free_account; key++)
		free_account(groups_at(groups, key));
	free(groups->accounts);
	free(groups->tasks);
	free(groups->last_keys);
	id_map_free(&groups->pairs);
	for (uint32_t i = 0; i < groups->label_ids.count; i++)
		free(groups->labels[i]);
	id_map_free(&groups->label_ids);
	free(groups->labels);
	free(groups->leaders);
	task_texts_free(&groups->processes);
	cgroups_free(&groups->cgroups);
	*groups = (struct groups){0};
}

/* Records the new key of the task. */
static void count_task(struct groups *groups, uint32_t task, uint32_t key)
{
	groups->last_keys =
	    array_reserve(groups->last_keys, &groups->last_key_count, task + 1, sizeof(*groups->last_keys));
	groups->last_keys[task] = key + 1;
	const uint32_t pairs = groups->pairs.count;
	groups->tasks[key].count += id_map_add(&groups->pairs, (uint64_t)key << 32 | task) == pairs;
}

static bool is_kworker(const struct sched_comm *comm)
{
	return comm->length > 8 && memcmp(comm->bytes, "kworker/", 8) == 0;
}

uint32_t groups_key(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm, uint32_t cpu)
{
	if (groups->first_key && is_kworker(&pass->states.comms.comms[comm]))
		return 0;
	return groups_natural_key(groups, pass, task, comm, cpu);
}

void *groups_make(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm, uint32_t cpu)
{
	uint32_t key = groups_key(groups, pass, task, comm, cpu);

	uint32_t count = groups->count;
	groups->accounts = array_reserve(groups->accounts, &count, key + 1, groups->account_size);
	groups->tasks = array_reserve(groups->tasks, &groups->count, key + 1, sizeof(*groups->tasks));
	groups->tasks[key].is_used = true;
	groups->tasks[key].comm = comm;
	if (task >= groups->last_key_count || groups->last_keys[task] != key + 1)
		count_task(groups, task, key);
	return groups_at(groups, key);
}

void groups_end_run(struct groups *groups, const struct pass *pass)
{
	const struct task_states *states = &pass->states;

	groups->has_lives = true;
	for (uint32_t i = 0; i < states->task_count; i++) {
		const struct task *task = &states->tasks[i];
		if (task->run != states->run || task->state != TASK_DEAD || !task->is_born ||
		    task->died_ns < states->window_ns)
			continue;
		uint32_t key = groups_key(groups, pass, i, task->comm, 0);
		if (groups->by == GROUP_CPU || key >= groups->count || !groups->tasks[key].is_used)
			continue;
		groups->tasks[key].ended++;
		groups->tasks[key].lifespans_ns += task->died_ns - task->born_ns;
	}
}

struct sort_item {
	uint64_t value;
	uint32_t key;
};

static int compare_items(const void *left, const void *right)
{
	const struct sort_item *a = left;
	const struct sort_item *b = right;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return a->key < b->key ? -1 : a->key > b->key;
}

void groups_sort(const struct groups *groups, uint64_t (*sort_key)(const void *account),
		 bool (*counts)(const void *account), struct group_list *list)
{
	uint64_t top = groups->options->top;
	struct sort_item *items = xcalloc(groups->count + 1ul, sizeof(*items));

	*list = (struct group_list){.keys = xcalloc(groups->count + 1ul, sizeof(*list->keys))};
	for (uint32_t key = 0; key < groups->count; key++)
		if (groups->tasks[key].is_used && (!counts || counts(groups_at(groups, key))))
			items[list->all++] = (struct sort_item){
			    groups->by == GROUP_CPU ? UINT32_MAX - key : sort_key(groups_at(groups, key)), key};
	qsort(items, list->all, sizeof(*items), compare_items);
	list->count = top && top < list->all ? (uint32_t)top : list->all;
	for (uint32_t i = 0; i < list->count; i++)
		list->keys[i] = items[i].key;
	free(items);
}

const char *group_key(const struct groups *groups)
{
	static const char *const names[] = {"tasks", "comms", "roles", "cgroups", "processes", "cpus"};

	return names[groups->by];
}

void group_title(const struct groups *groups, const struct group_list *list, const char *what, const char *max,
		 char *text, size_t size)
{
	static const char *const names[] = {"task", "name", "role", "cgroup", "process", "CPU"};
	const char *name = names[groups->by];

	if (list->count < list->all && groups->by == GROUP_CPU)
		snprintf(text, size, "%s: the first %u of %u CPUs", what, list->count, list->all);
	else if (list->count < list->all && list->count == 1)
		snprintf(text, size, "%s: the %s with the %s, of %u", what, name, max, list->all);
	else if (list->count < list->all)
		snprintf(text, size, "%s: the %u %s%s with the %s, of %u", what, list->count, name,
			 groups->by == GROUP_PROCESS ? "es" : "s", max, list->all);
	else
		snprintf(text, size, "%s per %s", what, name);
}
