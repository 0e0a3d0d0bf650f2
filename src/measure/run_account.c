/* SPDX-License-Identifier: MIT */
#include "measure/run_account.h"

#include <stdlib.h>
#include <string.h>

struct blocked_task {
	uint64_t since_ns;
	uint32_t epoch;
	uint8_t use; /* enum time_use; 0: not blocked, or the start is unknown */
};

/* Grows the array of *count items to at least need items; new ones are zeroed. NULL if memory runs out. */
static void *grown(void *items, uint32_t *count, uint32_t need, size_t size)
{
	uint32_t capacity = need > *count * 2 ? need : *count * 2;

	if (need <= *count)
		return items;
	char *array = realloc(items, capacity * size);
	if (!array)
		return NULL;
	memset(array + *count * size, 0, (capacity - *count) * size);
	*count = capacity;
	return array;
}

static struct name_account *name_of(struct run_account *account, uint32_t comm, uint32_t task)
{
	uint32_t at = comm * 2 + (account->descendants && !descendants_has(account->descendants, task));
	struct name_account *names = grown(account->names, &account->name_count, comm * 2 + 2, sizeof(*names));

	if (!names)
		return NULL;
	account->names = names;
	return &names[at];
}

static bool add_time(struct run_account *account, uint32_t comm, uint32_t task, enum time_use use, uint64_t length_ns)
{
	struct name_account *name = name_of(account, comm, task);

	if (name)
		name->time_ns[use] += length_ns;
	return name;
}

static struct blocked_task *blocked_of(struct run_account *account, uint32_t task)
{
	struct blocked_task *blocked = grown(account->blocked, &account->blocked_count, task + 1, sizeof(*blocked));

	if (!blocked)
		return NULL;
	account->blocked = blocked;
	return &blocked[task];
}

static uint64_t *cpu_of(struct name_account *name, uint32_t cpu)
{
	uint64_t *cpu_ns = grown(name->cpu_ns, &name->cpu_count, cpu + 1, sizeof(*cpu_ns));

	if (!cpu_ns)
		return NULL;
	name->cpu_ns = cpu_ns;
	return &cpu_ns[cpu];
}

static uint32_t shown_cpu(uint32_t cpu)
{
	return cpu < RUN_ACCOUNT_CPUS ? cpu : RUN_ACCOUNT_CPUS - 1;
}

static bool begin_blocked(struct run_account *account, const struct task_states *states, const struct task_slice *slice)
{
	struct blocked_task *blocked = blocked_of(account, slice->task);

	if (!blocked)
		return false;
	*blocked = (struct blocked_task){.since_ns = slice->end_ns, .epoch = states->epoch};
	if (!states->open_gaps && !leave_reason_is_runnable(slice->out) && slice->out != LEAVE_DEAD)
		blocked->use = slice->out == LEAVE_UNINTERRUPTIBLE ? TIME_UNINTERRUPTIBLE : TIME_BLOCKED;
	return true;
}

static bool end_blocked(struct run_account *account, const struct task_states *states, uint32_t task, uint64_t ts_ns)
{
	struct blocked_task *blocked = task < account->blocked_count ? &account->blocked[task] : NULL;
	bool ok = true;

	if (blocked && blocked->use && blocked->epoch == states->epoch && !states->open_gaps &&
	    ts_ns > blocked->since_ns)
		ok = add_time(account, states->tasks[task].comm, task, blocked->use, ts_ns - blocked->since_ns);
	if (blocked)
		blocked->use = 0;
	return ok;
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

bool run_account_slice(struct run_account *account, const struct task_states *states, const struct task_slice *slice)
{
	const struct task *task = &states->tasks[slice->task];
	struct name_account *name = name_of(account, slice->comm, slice->task);
	uint32_t cpu = shown_cpu(slice->cpu);
	uint64_t length = slice->end_ns - slice->start_ns;

	uint64_t *cpu_ns = name ? cpu_of(name, cpu) : NULL;

	if (!cpu_ns)
		return false;
	if (!task->is_idle)
		add_load(account, states, slice->start_ns, slice->end_ns);
	name->is_idle = task->is_idle;
	name->is_kernel = task->is_kernel;
	name->time_ns[TIME_RUNNING] += length;
	*cpu_ns += length;
	if (account->cpu_count <= cpu)
		account->cpu_count = cpu + 1;
	return task->is_idle || slice->end_cut || begin_blocked(account, states, slice);
}

bool run_account_step(struct run_account *account, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step)
{
	bool ok = true;

	/* Before the slice: a task may be switched in without a wakeup. */
	if (step->what & STEP_RUN)
		ok = end_blocked(account, states, step->started, event->ts_ns);
	for (unsigned int i = 0; ok && i < step->slice_count; i++)
		ok = run_account_slice(account, states, &step->slices[i]);
	if (ok && step->what & STEP_WAIT) {
		add_load(account, states, step->wait.since_ns, step->wait.end_ns);
		bool woken = step->wait.cause == WAIT_WAKEUP || step->wait.cause == WAIT_NEW;
		ok = add_time(account, step->wait.comm, step->wait.task,
			      woken ? TIME_AFTER_WAKEUP : TIME_AFTER_PREEMPTION,
			      step->wait.end_ns - step->wait.since_ns);
	}
	if (ok && step->what & STEP_WAKEUP && !(step->what & STEP_SPURIOUS))
		ok = end_blocked(account, states, step->wakeup.task, event->ts_ns);
	return ok;
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
static bool end_wait(struct run_account *account, const struct task_states *states, uint32_t number, uint64_t ts_ns)
{
	const struct task *task = &states->tasks[number];

	if (task_state_of(states, task) != TASK_RUNNABLE || ts_ns <= task->since_ns)
		return true;
	add_load(account, states, task->since_ns, ts_ns);
	return add_time(account, task->comm, number,
			task->cause == WAIT_WAKEUP || task->cause == WAIT_NEW ? TIME_AFTER_WAKEUP
									      : TIME_AFTER_PREEMPTION,
			ts_ns - task->since_ns);
}

bool run_account_end(struct run_account *account, const struct task_states *states, uint64_t ts_ns,
		     uint64_t duration_ns)
{
	bool ok = true;

	for (uint32_t i = account->first_task; ok && i < states->task_count; i++) {
		const struct task *task = &states->tasks[i];
		struct name_account *name = name_of(account, task->comm, i);
		if (!name)
			return false;
		if (!task->was_seen || task->is_idle)
			continue;
		name->tasks++;
		name->is_kernel = name->is_kernel || task->is_kernel;
		ok = end_wait(account, states, i, ts_ns) && end_blocked(account, states, i, ts_ns);
	}
	account->first_task = states->task_count;
	account->runs++;
	if (account->longest_ns < duration_ns)
		account->longest_ns = duration_ns;
	fit_bins(account, duration_ns);
	return ok;
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
