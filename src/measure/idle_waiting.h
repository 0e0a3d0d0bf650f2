/* SPDX-License-Identifier: MIT
 *
 * Time in which a task waited runnable while another CPU that it may use was idle. A work-conserving scheduler would
 * have run the task. The metric follows Lozi et al., "The Linux Scheduler: a Decade of Wasted Cores" (EuroSys 2016). A
 * stretch begins when a task waits for one CPU while another is idle. It ends when the task runs or leaves, or when no
 * such CPU is idle. A trace does not record the allowed CPUs of a task: the CPUs that it used before count (it ran
 * there, or was woken or moved there) or, with any_cpu, all CPUs. */
#ifndef MEASURE_IDLE_WAITING_H
#define MEASURE_IDLE_WAITING_H

#include "measure/cpu_sets.h"
#include "measure/distribution.h"
#include "measure/episodes.h"
#include "runs/cpu_levels.h"
#include "trace/pass.h"

/* Longer than new tasks and wakeups need to find a CPU, and as long as a tick at 400 HZ. */
#define IDLE_WAITING_LONG_NS 2500000

struct idle_waiting {
	uint64_t threshold_ns; /* shorter stretches do not count */
	/* Bit mask of the CPUs to consider, 64 per word. NULL: all. */
	const uint64_t *cpus;
	/* Distance of CPUs; NULL: cache_ns is not computed. */
	const struct cpu_levels *levels;
	/* True if the task's waits count; NULL: all tasks count. */
	bool (*counts)(void *context, const struct task_states *states, uint32_t task);
	/* True if the task may use the CPU; NULL: it may use the CPUs that it used before. */
	bool (*may_use)(void *context, const struct task_states *states, uint32_t task, uint32_t cpu);
	void *context;
	/* Results: distributions of stretches in nanoseconds, by the CPU that the task waited for. */
	struct distribution *by_cpu;
	uint64_t *idle_ns; /* time the CPU was idle */
	uint32_t cpu_count;
	struct distribution all;
	uint64_t long_sum_ns; /* sum of the stretches of IDLE_WAITING_LONG_NS or more */
	uint64_t cache_ns;    /* part of ended stretches in which the nearest idle CPU shared a cache */
	struct longest_episodes longest;
	/* Internal. */
	struct cpu_sets used;
	struct episodes episodes;
	bool *is_idle;
	uint32_t idle_count, run;
	bool started;
};

/* Processes the result of task_states_step() for an event of the CPU at now_ns. now_ns may be relative to the start of
 * the run; times of the results are then relative, too. */
void idle_waiting_step(struct idle_waiting *waiting, const struct task_states *states, uint32_t cpu, uint64_t now_ns,
		       const struct task_step *step);
/* Processes a slice from task_states_end_cpu(). Call it before idle_waiting_end(). */
void idle_waiting_cut(struct idle_waiting *waiting, const struct task_states *states, const struct task_slice *slice);
/* A may_use() that allows all CPUs. */
bool idle_waiting_any_cpu(void *context, const struct task_states *states, uint32_t task, uint32_t cpu);
/* True if the task may use the CPU, as far as it is known. */
bool idle_waiting_may_use(const struct idle_waiting *waiting, const struct task_states *states, uint32_t task,
			  uint32_t cpu);
/* Ends the run at ts_ns: open stretches count up to then. */
void idle_waiting_end(struct idle_waiting *waiting, const struct task_states *states, uint64_t ts_ns);
/* The consumer that fills *waiting in a pass. Times are since the start of each run. */
struct pass_consumer idle_waiting_consumer(struct idle_waiting *waiting);
/* True if the CPU is one of the pass and has a result, even if that is 0. */
bool idle_waiting_has_cpu(const struct idle_waiting *waiting, const struct pass *pass, uint32_t cpu);
/* The part of open and ended stretches up to now_ns in which the nearest idle CPU shared a cache; 0 without levels. */
uint64_t idle_waiting_cache_ns(const struct idle_waiting *waiting, uint64_t now_ns);
void idle_waiting_free(struct idle_waiting *waiting);

#endif
