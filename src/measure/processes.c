/* SPDX-License-Identifier: MIT */
#include "measure/processes.h"

#include <stdlib.h>
#include <string.h>

#include "runs/run.h"

void processes_begin(struct task_texts *processes, const struct pass *pass)
{
	const struct run *run = pass_described(pass);

	task_texts_free(processes);
	if (!run)
		return;
	const struct run_recording *recording = &run->metadata.recording;
	task_texts_add(&processes->before, recording->processes_before, recording->process_count_before);
	task_texts_add(&processes->after, recording->processes_after, recording->process_count_after);
}

/* Reads "PID NAME". */
static int32_t read_process(const char *text, int32_t pid, const char **name)
{
	char *end;

	*name = "";
	if (!text || strcmp(text, RUN_SINGLE_THREADED) == 0)
		return text ? pid : 0;
	const long process = strtol(text, &end, 10);
	if (process <= 0 || process > INT32_MAX || *end != ' ')
		return 0;
	*name = end + 1;
	return (int32_t)process;
}

int32_t processes_find(const struct task_texts *processes, const struct task *task, const char **name)
{
	const char *before, *after, *former_name;

	task_texts_find(processes, task, &before, &after);
	const int32_t former = read_process(before, task->pid, &former_name),
		      latter = read_process(after, task->pid, name);
	if (former && latter && former != latter) /* the PID was used again */
		return 0;
	if (!**name)
		*name = former_name;
	return latter ? latter : former;
}
