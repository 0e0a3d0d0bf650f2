/* SPDX-License-Identifier: MIT
 *
 * Accounts of any kind, one per task, name, role, cgroup, process or CPU (--by). */
#ifndef MEASURE_GROUP_BY_H
#define MEASURE_GROUP_BY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "measure/cgroups.h"
#include "measure/processes.h"
#include "measure/task_choice.h"
#include "trace/pass.h"

struct group_options {
	const char *by;
	uint64_t top;
	bool no_idle, merge_kworkers;
	struct task_choice tasks; /* the tasks to count, by their name at the time */
};

enum group_by { GROUP_TASK, GROUP_COMM, GROUP_ROLE, GROUP_CGROUP, GROUP_PROCESS, GROUP_CPU };

struct group_tasks {
	bool is_used;
	uint32_t count; /* tasks seen under the key */
	uint32_t comm;  /* with merged kworkers: last other name of a task that may have been a kworker for a time */
	uint64_t ended, lifespans_ns;
};

struct groups {
	const struct group_options *options;
	enum group_by by;
	size_t account_size;
	/* A key is a task number, a name number, the number of a label or a CPU, plus first_key. */
	uint32_t first_key; /* 1: key 0 is all kworkers */
	/* By key: */
	char *accounts;
	struct group_tasks *tasks;
	uint32_t count;
	/* By task number: its last key, plus 1. */
	uint32_t *last_keys;
	uint32_t last_key_count;
	struct id_map pairs; /* pairs of task and key: key << 32 | task */
	/* Labels: roles; paths of cgroups, of which "" is an unknown one; or names of processes. */
	struct id_map label_ids; /* numbers, by a hash of their text; of processes by run << 32 | PID, 0: unknown */
	char **labels;           /* by number */
	uint32_t *leaders;       /* tasks that are the leaders of processes, by number; TASK_NONE: not seen */
	size_t label_capacity, leader_capacity;
	struct cgroups cgroups;      /* of the current trace: groups_begin_trace() */
	struct task_texts processes; /* the same */
	bool has_throttled;          /* a task was throttled: set by those who count it */
	bool has_unknown_waits;      /* likewise, of waits whose length is unknown */
	bool has_lives;              /* groups_end_run() was called */
};

/* task_choice_check(); and with --by role, makes the pass compute roles. */
enum status group_options_check(struct group_options *options, struct pass_options *pass, struct error *err);
void groups_begin(struct groups *groups, const struct group_options *options, size_t account_size);
/* free_account frees the memory of an account; may be NULL. */
void groups_free(struct groups *groups, void (*free_account)(void *account));

/* Idle tasks have no account with --by cpu, and are in no cgroup or process. */
static inline bool groups_want(const struct groups *groups, const struct task *task)
{
	return !task->is_idle || (!groups->options->no_idle && groups->by < GROUP_CGROUP);
}

static inline void *groups_at(const struct groups *groups, uint32_t key)
{
	return groups->accounts + key * groups->account_size;
}

static inline bool groups_is_kworkers(const struct groups *groups, uint32_t key)
{
	return key < groups->first_key;
}

/* At the begin of each trace, and in each step before its accounts are looked up: for cgroups and throttling. */
void groups_begin_trace(struct groups *groups, const struct pass *pass);
static inline void groups_step(struct groups *groups, const struct pass *pass, const struct sched_event *event,
			       const struct task_step *step)
{
	if (groups->cgroups.knows_groups)
		cgroups_step(&groups->cgroups, pass, event, step);
}

/* Whether a group is of one run, and has a PID. */
static inline bool groups_have_pids(const struct groups *groups)
{
	return groups->by == GROUP_TASK || groups->by == GROUP_PROCESS;
}
/* The run of such a group; false for merged kworkers and unknown processes, which are of all runs. */
bool groups_run(const struct groups *groups, const struct task_states *states, uint32_t key, uint32_t *run);

/* The number of the task's role, cgroup or process. */
uint32_t groups_label(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm);

/* NULL: the cgroup, or the name of the process's leader, is unknown. */
static inline const char *groups_label_text(const struct groups *groups, uint32_t number)
{
	return groups->labels[number][0] ? groups->labels[number] : NULL;
}

/* The PID of a process; 0: unknown. */
static inline uint32_t groups_process(const struct groups *groups, uint32_t number)
{
	return (uint32_t)groups->label_ids.ids[number];
}

/* Whether tables for people have the throttled time. */
static inline bool groups_show_throttled(const struct groups *groups)
{
	return groups->has_throttled || groups->by == GROUP_CGROUP;
}

/* The key of a task, if kworkers are not merged or it is none. */
static inline uint32_t groups_natural_key(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm,
					  uint32_t cpu)
{
	return groups->first_key + (groups->by == GROUP_TASK   ? task
				    : groups->by == GROUP_COMM ? comm
				    : groups->by == GROUP_CPU  ? cpu
							       : groups_label(groups, pass, task, comm));
}

/* The key of a task, with kworkers as the options say. */
uint32_t groups_key(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm, uint32_t cpu);

void *groups_make(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm, uint32_t cpu);

/* The account for task, comm and cpu; initially zeroed. */
static inline void *groups_find(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm,
				uint32_t cpu)
{
	uint32_t key = groups_natural_key(groups, pass, task, comm, cpu);
	bool needs_name =
	    groups->first_key && groups->by == GROUP_TASK; /* a kworker can have had another name before */

	/* Fast path: the account of the task's last key. */
	if (task < groups->last_key_count && groups->last_keys[task] == key + 1 && !needs_name)
		return groups_at(groups, key);
	return groups_make(groups, pass, task, comm, cpu);
}

/* Like groups_find(), but NULL if the CPU, or the task under this name, is not counted. */
static inline void *groups_account(struct groups *groups, const struct pass *pass, uint32_t task, uint32_t comm,
				   uint32_t cpu)
{
	const struct task_choice *tasks = &groups->options->tasks;

	if (!pass_wants_cpu(pass, cpu) ||
	    !(task_choice_is_all(tasks) || task_choice_has(tasks, &pass->states, task, comm)))
		return NULL;
	return groups_find(groups, pass, task, comm, cpu);
}

/* At the end of each run: adds the lifespans of its tasks. */
void groups_end_run(struct groups *groups, const struct pass *pass);

/* The keys in use for which counts() is true (NULL: all), at most --top of them. Sorted by sort_key, largest first;
 * CPUs by number. */
struct group_list {
	uint32_t *keys; /* to be freed */
	uint32_t count, all;
};
void groups_sort(const struct groups *groups, uint64_t (*sort_key)(const void *account),
		 bool (*counts)(const void *account), struct group_list *list);

/* "Work: the 20 tasks with the most CPU time, of 135", or "Work per task" if all are listed. */
void group_title(const struct groups *groups, const struct group_list *list, const char *what, const char *max,
		 char *text, size_t size);
/* "tasks", "comms", "roles", "cgroups", "processes", "cpus": for JSON. */
const char *group_key(const struct groups *groups);

#endif
