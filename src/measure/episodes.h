/* SPDX-License-Identifier: MIT
 *
 * Open episodes: since when a task has been in some condition that has not ended yet. */
#ifndef MEASURE_EPISODES_H
#define MEASURE_EPISODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct episode {
	uint32_t task; /* number in the struct task_states */
	uint32_t cpu;  /* a CPU chosen by the analysis */
	uint64_t since_ns;
	/* For analyses that name a responsible task: the current one with its start, and the one that was responsible
	 * for the longest time. */
	uint32_t blamed, blamed_cpu, longest_blamed;
	uint64_t blamed_since_ns, longest_blamed_ns;
	int32_t prio, blamed_prio,
	    longest_blamed_prio; /* priorities of task and of the blamed tasks, if the analysis uses them */
};

/* A zeroed struct is empty. */
struct episodes {
	struct episode *open; /* unordered */
	uint32_t count;
	size_t capacity;
	uint32_t *places; /* by task: index in open + 1, or 0 */
	uint32_t tasks;
};

/* The task's open episode, or NULL. */
static inline struct episode *episodes_find(const struct episodes *episodes, uint32_t task)
{
	if (task >= episodes->tasks || episodes->places[task] == 0)
		return NULL;
	return &episodes->open[episodes->places[task] - 1];
}

/* Opens an episode; the task must not have an open one. */
struct episode *episodes_open(struct episodes *episodes, uint32_t task, uint64_t since_ns);
/* Removes the task's open episode, if any. Later episodes in open may change their positions. */
void episodes_close(struct episodes *episodes, uint32_t task);
void episodes_close_all(struct episodes *episodes);
void episodes_free(struct episodes *episodes);

/* The longest of all offered episodes, longest first; of equal ones, those offered earlier. */
#define LONGEST_MAX 10
struct longest_episode {
	uint64_t duration_ns, since_ns;
	uint32_t run, task, comm, cpu, blamed, blamed_comm;
};
struct longest_episodes {
	struct longest_episode list[LONGEST_MAX];
	uint32_t count;
};
void longest_episodes_offer(struct longest_episodes *longest, const struct longest_episode *episode);

#endif
