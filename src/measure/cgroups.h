/* SPDX-License-Identifier: MIT
 *
 * The cgroups of the tasks of a trace: the path of each, and when it is throttled because it has used its quota
 * (cpu.max). Keys show which queue a task is on, the queues above, and when throttling begins and ends; the run's
 * metadata have the paths of a mix, or those of the host's tasks before and after the recording. What neither shows is
 * unknown. A trace with throttling, or whose paths are wanted, is read once more, before its first event: only the end
 * of throttling shows that it has begun. In other traces no task was throttled, and no key is read. Memory grows with
 * the number of throttlings. */
#ifndef MEASURE_CGROUPS_H
#define MEASURE_CGROUPS_H

#include "base/id_map.h"
#include "measure/task_texts.h"
#include "rules/key_events.h"
#include "trace/pass.h"

struct cgroups {
	bool knows_groups;     /* keys show on which queue a task is */
	bool knows_throttling; /* the trace has the events that show it, too */
	/* Internal. */
	bool is_followed; /* queues and members are filled */
	struct key_events keys;
	bool stays_queued; /* from Linux 6.17 on a task of a throttled group may go on running in the kernel */
	/* From 6.18 on it leaves its queue when it returns to user space, and until then waits like any other. */
	bool throttles_tasks;
	uint64_t base_ns; /* what happened before is not known: the first event, or the latest loss */
	struct id_map queue_ids, pid_ids;
	struct cgroup_queue *queues;   /* by number in queue_ids */
	struct cgroup_member *members; /* by number in pid_ids */
	size_t queue_capacity, member_capacity;
	const struct pass *described_by; /* for paths; NULL: they are not wanted */
	struct task_texts paths;         /* of the host's tasks */
	int32_t command_pid;             /* of the command that was recorded; 0: none */
};

/* Starts a trace, after an earlier one; zero *cgroups before the first. wants_paths: cgroups_path() will be called. If
 * the trace is damaged, the pass will report it. */
void cgroups_begin(struct cgroups *cgroups, const struct pass *pass, bool wants_paths);
/* An event of the trace, after task_states_step(). */
void cgroups_step(struct cgroups *cgroups, const struct pass *pass, const struct sched_event *event,
		  const struct task_step *step);
void cgroups_free(struct cgroups *cgroups);

/* The path of the task under this name (a number in states->comms): "/" for the root, as in its mix ("web/batch"), or
 * that of the host ("/system.slice/cron.service"). NULL: unknown. It is valid until the trace ends. */
const char *cgroups_path(const struct cgroups *cgroups, const struct task_states *states, uint32_t task, uint32_t comm);

/* The parts of a wait in which a cgroup of the task was throttled, in the order of time. */
#define THROTTLED_SPANS_MAX 64
struct throttled_spans {
	bool is_known; /* else there may be others */
	uint32_t count;
	struct {
		uint64_t from_ns, to_ns;
	} spans[THROTTLED_SPANS_MAX];
};
/* Call it in the step that ends the wait, after cgroups_step(). */
void cgroups_throttled(const struct cgroups *cgroups, const struct task_states *states, const struct task_wait *wait,
		       struct throttled_spans *spans);
/* Their sum. */
uint64_t throttled_ns(const struct throttled_spans *spans);
/* The sum for a wait; false if it is not known. */
bool cgroups_throttled_ns(const struct cgroups *cgroups, const struct task_states *states, const struct task_wait *wait,
			  uint64_t *ns);

#endif
