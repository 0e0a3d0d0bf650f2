/* SPDX-License-Identifier: MIT */
#include "measure/latency.h"

#include <stdlib.h>

static struct wait_account *find_account(struct groups *groups, size_t offset, const struct pass *pass, uint32_t task,
					 uint32_t comm, uint32_t cpu)
{
	char *account = groups_account(groups, pass, task, comm, cpu);

	return account ? (struct wait_account *)(void *)(account + offset) : NULL;
}

static void add_wait(struct wait_account *account, const struct pass *pass, const struct task_wait *wait,
		     uint64_t throttled_ns, bool is_throttling_known)
{
	const uint64_t length = wait->end_ns - wait->since_ns - throttled_ns;

	account->throttled_ns += throttled_ns;
	account->throttled_unknown += !is_throttling_known;
	if (account->waits.count == 0 || length > account->waits.max) {
		account->longest_at_ns = pass_since_start(pass, wait->end_ns);
		account->longest_ts_ns = wait->end_ns;
		account->longest_run = pass->run.number;
	}
	distribution_add(&account->waits, length);
}

/* Counts a wait of unknown length; accounts may be NULL. */
static void add_unknown(struct groups *groups, struct wait_account *accounts, enum wait_kind kind)
{
	if (!accounts)
		return;
	accounts[kind].unknown++;
	groups->has_unknown_waits = true;
}

bool latency_count_waits(struct groups *groups, size_t offset, const struct pass *pass, const struct sched_event *event,
			 const struct task_step *step, uint64_t *throttled_ns)
{
	const struct task *tasks = pass->states.tasks;
	const struct task_missing_switch *missing = &step->missing;
	const struct task_wait *wait = &step->wait;
	struct wait_account *accounts;

	if (step->changes & STEP_SWITCH_MISSING && missing->ends_wait) {
		accounts = find_account(groups, offset, pass, missing->after, tasks[missing->after].comm, missing->cpu);
		add_unknown(groups, accounts, wait_kind_of(missing->cause));
	}
	if (step->changes & STEP_WAIT_LOST) {
		accounts = find_account(groups, offset, pass, step->started, tasks[step->started].comm, event->cpu);
		for (int kind = 0; kind < WAIT_KINDS; kind++) /* the wait may be of any kind */
			add_unknown(groups, accounts, (enum wait_kind)kind);
	}
	if (!(step->changes & (STEP_WAIT | STEP_WAIT_FALSE)))
		return false;
	accounts = find_account(groups, offset, pass, wait->task, wait->comm, wait->cpu);
	if (step->changes & STEP_WAIT_FALSE) {
		add_unknown(groups, accounts, wait_kind_of(wait->cause));
		return false;
	}
	if (!accounts)
		return false;
	const bool is_known = cgroups_throttled_ns(&groups->cgroups, &pass->states, wait, throttled_ns);
	groups->has_throttled = groups->has_throttled || *throttled_ns;
	add_wait(&accounts[wait_kind_of(wait->cause)], pass, wait, *throttled_ns, is_known);
	return true;
}

static unsigned int octave_of(uint64_t length_ns)
{
	uint64_t us = length_ns / 1000;
	unsigned int octave = us ? 64 - (unsigned int)__builtin_clzll(us) : 0;

	return octave < LATENCY_OCTAVES ? octave : LATENCY_OCTAVES - 1;
}

static enum status count_wait(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct latency *latency = context;
	const struct task_wait *wait = &step->wait;
	uint64_t throttled_ns;

	(void)err;
	groups_step(&latency->groups, pass, event, step);
	if (!latency_count_waits(&latency->groups, 0, pass, event, step, &throttled_ns))
		return STATUS_OK;
	const enum wait_kind kind = wait_kind_of(wait->cause);
	latency->octaves[kind][octave_of(wait->end_ns - wait->since_ns - throttled_ns)]++;
	latency->counts[kind]++;
	return STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct latency *latency = context;

	(void)err;
	groups_begin_trace(&latency->groups, pass);
	return STATUS_OK;
}

static void free_account(void *account)
{
	for (int kind = 0; kind < WAIT_KINDS; kind++)
		distribution_free(&((struct wait_account *)account)[kind].waits);
}

void latency_begin(struct latency *latency, const struct group_options *options)
{
	*latency = (struct latency){0};
	groups_begin(&latency->groups, options, sizeof(struct wait_account[WAIT_KINDS]));
}

struct pass_consumer latency_consumer(struct latency *latency)
{
	return (struct pass_consumer){.context = latency, .begin = begin_trace, .step = count_wait};
}

void latency_free(struct latency *latency)
{
	groups_free(&latency->groups, free_account);
}
