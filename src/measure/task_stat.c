/* SPDX-License-Identifier: MIT */
#include "measure/task_stat.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static __attribute__((noinline, cold)) struct stat_cpu *add_cpu(struct task_stat *stat, uint32_t cpu)
{
	stat->cpus = array_extend(stat->cpus, stat->cpu_count, cpu + 1ul, sizeof(*stat->cpus));
	stat->cpu_count = cpu + 1;
	return &stat->cpus[cpu];
}

static inline struct stat_cpu *find_cpu(struct task_stat *stat, uint32_t cpu)
{
	return cpu < stat->cpu_count ? &stat->cpus[cpu] : add_cpu(stat, cpu);
}

static void count_slice(struct task_stat *stat, const struct pass *pass, const struct task_slice *slice)
{
	const struct task *task = &pass->states.tasks[slice->task];
	uint64_t length = slice->end_ns - slice->start_ns;

	if (!pass_wants_cpu(pass, slice->cpu))
		return;
	struct stat_cpu *cpu = find_cpu(stat, slice->cpu);
	cpu->switches += !slice->end_cut;
	*(task->is_idle ? &cpu->idle_ns : &cpu->busy_ns) += length;
	struct stat_account *account = groups_want(&stat->groups, task)
					   ? groups_account(&stat->groups, pass, slice->task, slice->comm, slice->cpu)
					   : NULL;
	if (!account)
		return;
	account->cpu_ns += length;
	if (slice->end_cut)
		return;
	/* An idle task always has state R, but it leaves only because another task is runnable: never involuntarily. */
	account->voluntary += task->is_idle || !leave_reason_is_runnable(slice->out);
	account->runnable += !task->is_idle && slice->out == LEAVE_RUNNABLE;
	account->preempted += !task->is_idle && slice->out == LEAVE_PREEMPTED;
	if (!slice->start_cut)
		distribution_add(&account->slices, length);
}

static enum status count_cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	(void)err;
	count_slice(context, pass, slice);
	return STATUS_OK;
}

/* The account for the CPU and the task's present name; NULL if the task or the CPU is not counted. */
static struct stat_account *find_account(struct task_stat *stat, const struct pass *pass, uint32_t task, uint32_t cpu)
{
	return groups_account(&stat->groups, pass, task, pass->states.tasks[task].comm, cpu);
}

static void count_wakeup(struct task_stat *stat, const struct pass *pass, const struct task_step *step)
{
	struct stat_account *account = find_account(stat, pass, step->wakeup.task, step->wakeup.target_cpu);

	if (account)
		*(step->changes & STEP_SPURIOUS ? &account->spurious : &account->wakeups) += 1;
}

static void count_migration(struct task_stat *stat, const struct pass *pass, const struct task_step *step)
{
	struct stat_account *account = find_account(stat, pass, step->migration.task, step->migration.to_cpu);

	if (account)
		account->migrations++;
}

/* A migration that was counted, once its cause is known. */
static enum status count_cause(void *context, const struct pass *pass, const struct migration *migration,
			       struct error *err)
{
	struct stat_account *account = NULL;

	(void)err;
	if (migration->cause == MIGRATION_PULL || migration->cause == MIGRATION_ACTIVE)
		account = find_account(context, pass, migration->number, migration->to_cpu);
	if (account && migration->cause == MIGRATION_PULL)
		account->pulls[migration->pull]++;
	else if (account)
		account->active_balances++;
	return STATUS_OK;
}

/* The account of a task that ran on the CPU at some time; NULL if it is not counted. */
static struct stat_account *find_wanted(struct task_stat *stat, const struct pass *pass, uint32_t task, uint32_t cpu)
{
	if (task == TASK_NONE || !groups_want(&stat->groups, &pass->states.tasks[task]))
		return NULL;
	return find_account(stat, pass, task, cpu);
}

static void count_missing(struct task_stat *stat, const struct pass *pass, const struct task_missing_switch *missing)
{
	const uint64_t either_ns = missing->until_ns - missing->since_ns;

	if (!pass_wants_cpu(pass, missing->cpu))
		return;
	find_cpu(stat, missing->cpu)->switches++;
	find_wanted(stat, pass, missing->before,
		    missing->cpu); /* creates the account, so that the next one does not move it */
	struct stat_account *after = find_wanted(stat, pass, missing->after, missing->cpu);
	struct stat_account *before = find_wanted(stat, pass, missing->before, missing->cpu);
	if (before) {
		before->voluntary += pass->states.tasks[missing->before].is_idle;
		*(before == after ? &before->cpu_ns : &before->either_ns) += either_ns;
	}
	if (!after)
		return;
	after->either_ns += before == after ? 0 : either_ns;
	after->starts_missing++;
}

static enum status count_step(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct task_stat *stat = context;
	uint64_t throttled_ns;

	(void)err;
	if (stat->has_waits || stat->groups.by == GROUP_CGROUP)
		groups_step(&stat->groups, pass, event, step);
	for (unsigned int i = 0; i < step->slice_count; i++)
		count_slice(stat, pass, &step->slices[i]);
	if (step->changes & STEP_SWITCH_MISSING)
		count_missing(stat, pass, &step->missing);
	if (stat->has_waits)
		latency_count_waits(&stat->groups, offsetof(struct stat_account, waits), pass, event, step,
				    &throttled_ns);
	if (step->changes & STEP_WAKEUP)
		count_wakeup(stat, pass, step);
	if (step->changes & STEP_MIGRATION)
		count_migration(stat, pass, step);
	return STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct task_stat *stat = context;

	(void)err;
	groups_begin_trace(&stat->groups, pass);
	return STATUS_OK;
}

static enum status end_run(void *context, const struct pass *pass, struct error *err)
{
	struct task_stat *stat = context;

	(void)err;
	stat->run_ns = array_reserve(stat->run_ns, &stat->run_count, pass->run.number + 1, sizeof(*stat->run_ns));
	stat->run_ns[pass->run.number] = pass->trace.quality.duration_ns;
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
	stat->migrations.consumer = (struct migration_consumer){
	    .pass = {.context = stat, .begin = begin_trace, .step = count_step, .cut = count_cut, .end = end_run},
	    .take = count_cause,
	};
	return migration_reader_consumer(&stat->migrations);
}

uint64_t task_stat_duration(const struct task_stat *stat, const struct pass *pass, uint32_t key)
{
	uint32_t run;

	if (!groups_have_pids(&stat->groups) || !groups_run(&stat->groups, &pass->states, key, &run))
		return pass->summary.duration_ns;
	return stat->run_ns[run];
}

void task_stat_free(struct task_stat *stat)
{
	migration_reader_free(&stat->migrations);
	groups_free(&stat->groups, stat->has_waits ? free_account_with_waits : free_account);
	free(stat->cpus);
	free(stat->run_ns);
}
