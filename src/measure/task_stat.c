/* SPDX-License-Identifier: MIT */
#include "measure/task_stat.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot count so many tasks");
}

static __attribute__((noinline, cold)) struct stat_cpu *add_cpu(struct task_stat *stat, uint32_t cpu)
{
	struct stat_cpu *cpus = realloc(stat->cpus, (cpu + 1) * sizeof(*cpus));

	if (!cpus)
		return NULL;
	memset(cpus + stat->cpu_count, 0, (cpu + 1 - stat->cpu_count) * sizeof(*cpus));
	stat->cpus = cpus;
	stat->cpu_count = cpu + 1;
	return &cpus[cpu];
}

static inline struct stat_cpu *find_cpu(struct task_stat *stat, uint32_t cpu)
{
	return cpu < stat->cpu_count ? &stat->cpus[cpu] : add_cpu(stat, cpu);
}

static enum status count_slice(struct task_stat *stat, const struct pass *pass, const struct task_slice *slice,
			       struct error *err)
{
	const struct task *task = &pass->states.tasks[slice->task];
	uint64_t length = slice->end_ns - slice->start_ns;

	if (!pass_wants_cpu(pass, slice->cpu))
		return STATUS_OK;
	struct stat_cpu *cpu = find_cpu(stat, slice->cpu);
	if (!cpu)
		return no_memory(err);
	cpu->switches += !slice->end_cut;
	*(task->is_idle ? &cpu->idle_ns : &cpu->busy_ns) += length;
	if (!groups_want(&stat->groups, task))
		return STATUS_OK;
	struct stat_account *account = groups_find(&stat->groups, pass, slice->task, slice->comm, slice->cpu);
	if (!account)
		return no_memory(err);
	account->cpu_ns += length;
	if (slice->end_cut)
		return STATUS_OK;
	/* An idle task always has state R, and leaves only because another task is runnable. */
	account->voluntary += task->is_idle || !leave_reason_is_runnable(slice->out);
	account->runnable += !task->is_idle && slice->out == LEAVE_RUNNABLE;
	account->preempted += !task->is_idle && slice->out == LEAVE_PREEMPTED;
	if (!slice->start_cut)
		distribution_add(&account->slices, length);
	return STATUS_OK;
}

static enum status count_cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	return count_slice(context, pass, slice, err);
}

static enum status count_wakeup(struct task_stat *stat, const struct pass *pass, const struct task_step *step,
				struct error *err)
{
	const struct task *task = &pass->states.tasks[step->wakeup.task];

	if (!pass_wants_cpu(pass, step->wakeup.target_cpu))
		return STATUS_OK;
	struct stat_account *account =
	    groups_find(&stat->groups, pass, step->wakeup.task, task->comm, step->wakeup.target_cpu);
	if (!account)
		return no_memory(err);
	if (step->what & STEP_SPURIOUS)
		account->spurious++;
	else
		account->wakeups++;
	return STATUS_OK;
}

static enum status count_migration(struct task_stat *stat, const struct pass *pass, const struct task_step *step,
				   struct error *err)
{
	const struct task *task = &pass->states.tasks[step->migration.task];

	if (!pass_wants_cpu(pass, step->migration.to_cpu))
		return STATUS_OK;
	struct stat_account *account =
	    groups_find(&stat->groups, pass, step->migration.task, task->comm, step->migration.to_cpu);
	if (!account)
		return no_memory(err);
	account->migrations++;
	return STATUS_OK;
}

static enum status count_wait(struct task_stat *stat, const struct pass *pass, const struct task_wait *wait,
			      struct error *err)
{
	if (!pass_wants_cpu(pass, wait->cpu))
		return STATUS_OK;
	struct stat_account *account = groups_find(&stat->groups, pass, wait->task, wait->comm, wait->cpu);
	if (!account)
		return no_memory(err);
	wait_account_add(account->waits, pass, wait);
	return STATUS_OK;
}

static enum status count_step(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct task_stat *stat = context;
	enum status status = STATUS_OK;

	(void)event;
	for (unsigned int i = 0; i < step->slice_count && status == STATUS_OK; i++)
		status = count_slice(stat, pass, &step->slices[i], err);
	if (status == STATUS_OK && step->what & STEP_WAIT && stat->has_waits)
		status = count_wait(stat, pass, &step->wait, err);
	if (status == STATUS_OK && step->what & STEP_WAKEUP)
		status = count_wakeup(stat, pass, step, err);
	if (status == STATUS_OK && step->what & STEP_MIGRATION)
		status = count_migration(stat, pass, step, err);
	return status;
}

static enum status end_run(void *context, const struct pass *pass, struct error *err)
{
	struct task_stat *stat = context;

	(void)err;
	groups_end_run(&stat->groups, pass);
	return STATUS_OK;
}

static void free_account(void *account)
{
	distribution_free(&((struct stat_account *)account)->slices);
}

static void free_account_with_waits(void *account)
{
	struct stat_account *mine = account;

	free_account(account);
	for (int kind = 0; kind < WAIT_KINDS; kind++)
		distribution_free(&mine->waits[kind].waits);
}

void task_stat_begin(struct task_stat *stat, const struct group_options *options, bool has_waits)
{
	*stat = (struct task_stat){.has_waits = has_waits};
	groups_begin(&stat->groups, options,
		     has_waits ? sizeof(struct stat_account) : offsetof(struct stat_account, waits));
}

struct pass_consumer task_stat_consumer(struct task_stat *stat)
{
	return (struct pass_consumer){.context = stat, .step = count_step, .cut = count_cut, .end = end_run};
}

void task_stat_free(struct task_stat *stat)
{
	groups_free(&stat->groups, stat->has_waits ? free_account_with_waits : free_account);
	free(stat->cpus);
}
