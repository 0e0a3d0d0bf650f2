/* SPDX-License-Identifier: MIT */
#include "measure/task_choice.h"

#include <fnmatch.h>
#include <string.h>

#include "base/number.h"

enum status task_choice_check(struct task_choice *choice, struct pass_options *options, struct error *err)
{
	for (size_t i = 0; i < choice->pids.count; i++) {
		uint64_t pid;
		if (!number_parse_u64(choice->pids.items[i], &pid) || pid > INT32_MAX)
			return error_set(err, STATUS_USAGE, "--pid", "'%s' is not a PID", choice->pids.items[i]);
		choice->pid_numbers[i] = (int32_t)pid;
	}
	if (choice->roles.count)
		options->with_roles = true;
	return STATUS_OK;
}

static bool comm_matches(const struct sched_comm *comm, const char *pattern)
{
	char name[SCHED_COMM_SIZE + 1];

	memcpy(name, comm->bytes, comm->length);
	name[comm->length] = '\0';
	return fnmatch(pattern, name, 0) == 0;
}

bool task_choice_has_named(const struct task_choice *choice, int32_t pid, const struct sched_comm *comm)
{
	for (size_t i = 0; i < choice->pids.count; i++)
		if (choice->pid_numbers[i] == pid)
			return true;
	for (size_t i = 0; i < choice->comms.count; i++)
		if (comm_matches(comm, choice->comms.items[i]))
			return true;
	return task_choice_is_all(choice);
}

bool task_choice_knows_name(const struct task_states *states, const char *pattern)
{
	for (uint32_t i = 0; i < states->comms.count; i++)
		if (comm_matches(&states->comms.comms[i], pattern))
			return true;
	return false;
}

bool task_choice_knows_pid(const struct task_states *states, int32_t pid)
{
	for (uint32_t i = 0; i < states->task_count; i++)
		if (states->tasks[i].pid == pid)
			return true;
	return false;
}

static bool has_role(const struct task_choice *choice, const struct task_states *states, uint32_t task)
{
	for (size_t i = 0; i < choice->roles.count && states->roles; i++)
		if (role_matches(role_of(states->roles, task), choice->roles.items[i]))
			return true;
	return false;
}

bool task_choice_has(const struct task_choice *choice, const struct task_states *states, uint32_t task, uint32_t comm)
{
	return task_choice_is_all(choice) || has_role(choice, states, task) ||
	       task_choice_has_named(choice, states->tasks[task].pid, &states->comms.comms[comm]);
}

bool task_choice_has_switch(const struct task_choice *choice, const struct task_states *states,
			    const struct sched_event *event, const struct task_step *step)
{
	const struct sched_task *prev = &event->switched.prev, *next = &event->switched.next;

	return task_choice_has_named(choice, prev->pid, &prev->comm) ||
	       task_choice_has_named(choice, next->pid, &next->comm) ||
	       (step->slice_count && has_role(choice, states, step->slices[step->slice_count - 1].task)) ||
	       (step->changes & STEP_RUN && has_role(choice, states, step->started));
}
