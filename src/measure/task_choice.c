/* SPDX-License-Identifier: MIT */
#include "measure/task_choice.h"

#include <fnmatch.h>
#include <string.h>

#include "base/number.h"

enum status task_choice_check(struct task_choice *choice, struct error *err)
{
	for (size_t i = 0; i < choice->pids.count; i++) {
		uint64_t pid;
		if (!number_parse_u64(choice->pids.items[i], &pid) || pid > INT32_MAX)
			return error_set(err, STATUS_USAGE, "--pid", "'%s' is not a PID", choice->pids.items[i]);
		choice->pid_numbers[i] = (int32_t)pid;
	}
	return STATUS_OK;
}

bool task_choice_has_task(const struct task_choice *choice, int32_t pid, const struct sched_comm *comm)
{
	char name[SCHED_COMM_SIZE + 1];

	if (choice->pids.count + choice->comms.count == 0)
		return true;
	for (size_t i = 0; i < choice->pids.count; i++)
		if (choice->pid_numbers[i] == pid)
			return true;
	memcpy(name, comm->bytes, comm->length);
	name[comm->length] = '\0';
	for (size_t i = 0; i < choice->comms.count; i++)
		if (fnmatch(choice->comms.items[i], name, 0) == 0)
			return true;
	return false;
}

bool task_choice_has(const struct task_choice *choice, const struct sched_event *switched)
{
	const struct sched_task *prev = &switched->switched.prev, *next = &switched->switched.next;

	return task_choice_has_task(choice, prev->pid, &prev->comm) ||
	       task_choice_has_task(choice, next->pid, &next->comm);
}
