/* SPDX-License-Identifier: MIT */
#include "measure/run_account.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct blocked_task {
	uint64_t since_ns;
	uint32_t epoch;
	uint8_t use; /* enum time_use; 0: not blocked, or the start is unknown */
};

static struct name_account *name_of(struct run_account *account, uint32_t comm, uint32_t task)
{
	uint32_t at = comm * 2 + (account->descendants && !descendants_has(account->descendants, task));

	account->names = array_reserve(account->names, &account->name_count, comm * 2 + 2, sizeof(*account->names));
	return &account->names[at];
}

static void add_time(struct run_account *account, uint32_t comm, uint32_t task, enum time_use use, uint64_t length_ns)
{
	name_of(account, comm, task)->time_ns[use] += length_ns;
}

static uint32_t shown_cpu(uint32_t cpu)
{
	return cpu < RUN_ACCOUNT_CPUS ? cpu : RUN_ACCOUNT_CPUS - 1;
}

static void begin_blocked(struct run_account *account, const struct task_states *states, const struct task_slice *slice)
{
	account->blocked =
	    array_reserve(account->blocked, &account->blocked_count, slice->task + 1, sizeof(*account->blocked));
	struct blocked_task *blocked = &account->blocked[slice->task];
	*blocked = (struct blocked_task){.since_ns = slice->end_ns, .epoch = states->epoch};
	if (!states->open_gaps && !leave_reason_is_runnable(slice->out) && slice->out != LEAVE_DEAD)
		blocked->use = slice->out == LEAVE_UNINTERRUPTIBLE ? TIME_UNINTERRUPTIBLE : TIME_BLOCKED;
}

static void end_blocked(struct run_account *account, const struct task_states *states, uint32_t task, uint64_t ts_ns)
{
	struct blocked_task *blocked = task < account->blocked_count ? &account->blocked[task] : NULL;

	if (!blocked)
		return;
	if (blocked->use && blocked->epoch == states->epoch && !states->open_gaps && ts_ns > blocked->since_ns)
		add_time(account, states->tasks[task].comm, task, (enum time_use)blocked->use,
			 ts_ns - blocked->since_ns);
	blocked->use = 0;
}

static void widen_bins(struct run_account *account)
{
	for (uint32_t i = 0; i < RUN_ACCOUNT_BINS; i++) {
		bool is_kept = i < RUN_ACCOUNT_BINS / 2;
		for (int cause = 0; cause < MIGRATION_CAUSES; cause++) {
			uint64_t *bins = account->bins[cause];
			bins[i] = is_kept ? bins[2 * i] + bins[2 * i + 1] : 0;
		}
		account->load_ns[i] = is_kept ? account->load_ns[2 * i] + account->load_ns[2 * i + 1] : 0;
	}
	account->bin_ns *= 2;
}

static void fit_bins(struct run_account *account, uint64_t since_start_ns)
{
	if (account->bin_ns == 0)
		account->bin_ns = 1000000;
	while (since_start_ns / account->bin_ns >= RUN_ACCOUNT_BINS)
		widen_bins(account);
}

/* Adds the time in which a task ran or waited. */
static void add_load(struct run_account *account, const struct task_states *states, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = from_ns > states->first_ns ? from_ns - states->first_ns : 0;
	uint64_t to = to_ns > states->first_ns ? to_ns - states->first_ns : 0;

	fit_bins(account, to);
	while (from < to) {
		uint64_t room =
		    account->bin_ns - from % account->bin_ns; /* the end of the last bin may exceed 64 bits */
		uint64_t part = to - from < room ? to - from : room;
		account->load_ns[from / account->bin_ns] += part;
		from += part;
	}
}

void run_account_slice(struct run_account *account, const struct task_states *states, const struct task_slice *slice)
{
	const struct task *task = &states->tasks[slice->task];
	struct name_account *name = name_of(account, slice->comm, slice->task);
	uint32_t cpu = shown_cpu(slice->cpu);
	uint64_t length = slice->end_ns - slice->start_ns;

	if (!task->is_idle)
		add_load(account, states, slice->start_ns, slice->end_ns);
	name->is_idle = task->is_idle;
	name->is_kernel = task->is_kernel;
	name->time_ns[TIME_RUNNING] += length;
	name->cpu_ns = array_reserve(name->cpu_ns, &name->cpu_count, cpu + 1, sizeof(*name->cpu_ns));
	name->cpu_ns[cpu] += length;
	if (account->cpu_count <= cpu)
		account->cpu_count = cpu + 1;
	if (!task->is_idle && !slice->end_cut)
		begin_blocked(account, states, slice);
}

static enum time_use wait_use(enum wait_cause cause)
{
	return cause == WAIT_WAKEUP || cause == WAIT_NEW ? TIME_AFTER_WAKEUP : TIME_AFTER_PREEMPTION;
}

void run_account_step(struct run_account *account, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step)
{
	/* Before the slice: a task may be switched in without a wakeup. */
	if (step->changes & STEP_RUN)
		end_blocked(account, states, step->started, event->ts_ns);
	for (unsigned int i = 0; i < step->slice_count; i++)
		run_account_slice(account, states, &step->slices[i]);
	if (step->changes & STEP_WAIT) {
		add_load(account, states, step->wait.since_ns, step->wait.end_ns);
		add_time(account, step->wait.comm, step->wait.task, wait_use(step->wait.cause),
			 step->wait.end_ns - step->wait.since_ns);
	}
	if (step->changes & STEP_WAKEUP && !(step->changes & STEP_SPURIOUS))
		end_blocked(account, states, step->wakeup.task, event->ts_ns);
}

void run_account_migration(struct run_account *account, enum migration_cause cause, uint32_t from_cpu, uint32_t to_cpu,
			   uint64_t since_start_ns)
{
	uint32_t from = shown_cpu(from_cpu), to = shown_cpu(to_cpu);

	fit_bins(account, since_start_ns);
	account->bins[cause][since_start_ns / account->bin_ns]++;
	account->pairs[from * RUN_ACCOUNT_CPUS + to]++;
	account->migrations++;
	if (account->cpu_count <= (from > to ? from : to))
		account->cpu_count = (from > to ? from : to) + 1;
}

/* Adds the wait of a task that still waits when the run ends. */
static void end_wait(struct run_account *account, const struct task_states *states, uint32_t number, uint64_t ts_ns)
{
	const struct task *task = &states->tasks[number];

	if (task_state_of(states, task) != TASK_RUNNABLE || ts_ns <= task->since_ns)
		return;
	add_load(account, states, task->since_ns, ts_ns);
	add_time(account, task->comm, number, wait_use((enum wait_cause)task->cause), ts_ns - task->since_ns);
}

void run_account_end(struct run_account *account, const struct task_states *states, uint64_t ts_ns,
		     uint64_t duration_ns)
{
	for (uint32_t i = account->first_task; i < states->task_count; i++) {
		const struct task *task = &states->tasks[i];
		struct name_account *name = name_of(account, task->comm, i);
		if (!task->was_seen || task->is_idle)
			continue;
		name->tasks++;
		name->is_kernel = name->is_kernel || task->is_kernel;
		end_wait(account, states, i, ts_ns);
		end_blocked(account, states, i, ts_ns);
	}
	account->first_task = states->task_count;
	account->runs++;
	if (account->longest_ns < duration_ns)
		account->longest_ns = duration_ns;
	fit_bins(account, duration_ns);
}

static void add_bins(struct run_account *account, const struct run_account *more)
{
	if (account->bin_ns == 0)
		account->bin_ns = more->bin_ns;
	while (account->bin_ns < more->bin_ns)
		widen_bins(account);
	/* Both widths are a millisecond times a power of two. */
	uint64_t ratio = more->bin_ns ? account->bin_ns / more->bin_ns : 1;
	for (uint32_t i = 0; i < RUN_ACCOUNT_BINS; i++) {
		for (int cause = 0; cause < MIGRATION_CAUSES; cause++)
			account->bins[cause][i / ratio] += more->bins[cause][i];
		account->load_ns[i / ratio] += more->load_ns[i];
	}
}

void run_account_add(struct run_account *account, const struct run_account *more)
{
	add_bins(account, more);
	for (size_t i = 0; i < sizeof(account->pairs) / sizeof(account->pairs[0]); i++)
		account->pairs[i] += more->pairs[i];
	account->migrations += more->migrations;
	account->runs += more->runs;
	if (account->cpu_count < more->cpu_count)
		account->cpu_count = more->cpu_count;
	if (account->longest_ns < more->longest_ns)
		account->longest_ns = more->longest_ns;
}

void run_account_free(struct run_account *account)
{
	for (uint32_t i = 0; i < account->name_count; i++)
		free(account->names[i].cpu_ns);
	free(account->names);
	free(account->blocked);
}
