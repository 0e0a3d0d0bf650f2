/* SPDX-License-Identifier: MIT
 *
 * Which tasks are in the middle of something that has begun and not yet ended, and since when. */
#ifndef ANALYSIS_EPISODES_H
#define ANALYSIS_EPISODES_H

#include <stdbool.h>
#include <stdint.h>

struct episode {
	uint32_t task; /* number in the struct task_states */
	uint32_t cpu;  /* a CPU that the analysis notes with it */
	uint64_t since_ns;
	/* For an analysis that asks who is to blame: who is now and since when, and who was for the longest time. */
	uint32_t blamed, blamed_cpu, longest_blamed;
	uint64_t blamed_since_ns, longest_blamed_ns;
};

/* A zeroed struct has none. */
struct episodes {
	struct episode *open; /* in no order */
	uint32_t count, capacity;
	uint32_t *places; /* by task: index in open + 1, or 0 */
	uint32_t tasks;
};

/* The task's open episode, or NULL. */
struct episode *episodes_find(const struct episodes *episodes, uint32_t task);
/* Opens one that is not open yet; NULL when memory ran out. */
struct episode *episodes_open(struct episodes *episodes, uint32_t task, uint64_t since_ns);
/* Takes an open one out. Episodes behind it in open may change places. */
void episodes_close(struct episodes *episodes, uint32_t task);
void episodes_close_all(struct episodes *episodes);
void episodes_free(struct episodes *episodes);

/* The longest of all that were offered, longest first; of equals the earlier offered. */
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
