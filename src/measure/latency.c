/* SPDX-License-Identifier: MIT */
#include "measure/latency.h"

#include <stdlib.h>

void wait_account_add(struct wait_account accounts[WAIT_KINDS], const struct pass *pass, const struct task_wait *wait)
{
	struct wait_account *account = &accounts[wait_kind_of(wait->cause)];
	uint64_t length = wait->end_ns - wait->since_ns;

	if (account->waits.count == 0 || length > account->waits.max) {
		account->longest_at_ns = pass_since_start(pass, wait->end_ns);
		account->longest_ts_ns = wait->end_ns;
		account->longest_run = pass->run.number;
	}
	distribution_add(&account->waits, length);
}

void wait_account_add_unknown(struct wait_account accounts[WAIT_KINDS], const struct task_missing_switch *missing)
{
	accounts[wait_kind_of(missing->cause)].unknown++;
}

void wait_account_add_lost(struct wait_account accounts[WAIT_KINDS])
{
	for (int kind = 0; kind < WAIT_KINDS; kind++)
		accounts[kind].unknown++;
}

static void count_lost(struct latency *latency, const struct pass *pass, uint32_t task, uint32_t cpu)
{
	const uint32_t comm = pass->states.tasks[task].comm;

	if (pass_wants_cpu(pass, cpu) && groups_choose(&latency->groups, pass, task, comm))
		wait_account_add_lost(groups_find(&latency->groups, pass, task, comm, cpu));
}

static unsigned int octave_of(uint64_t length_ns)
{
	uint64_t us = length_ns / 1000;
	unsigned int octave = us ? 64 - (unsigned int)__builtin_clzll(us) : 0;

	return octave < LATENCY_OCTAVES ? octave : LATENCY_OCTAVES - 1;
}

static void count_unknown(struct latency *latency, const struct pass *pass, const struct task_missing_switch *missing)
{
	const uint32_t comm = pass->states.tasks[missing->after].comm;

	if (!missing->ends_wait || !pass_wants_cpu(pass, missing->cpu) ||
	    !groups_choose(&latency->groups, pass, missing->after, comm))
		return;
	struct wait_account *waits = groups_find(&latency->groups, pass, missing->after, comm, missing->cpu);
	wait_account_add_unknown(waits, missing);
}

static enum status count_wait(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct latency *latency = context;
	const struct task_wait *wait = &step->wait;

	(void)err;
	if (step->changes & STEP_SWITCH_MISSING)
		count_unknown(latency, pass, &step->missing);
	if (step->changes & STEP_WAIT_LOST)
		count_lost(latency, pass, step->started, event->cpu);
	if (!(step->changes & STEP_WAIT) || !pass_wants_cpu(pass, wait->cpu) ||
	    !groups_choose(&latency->groups, pass, wait->task, wait->comm))
		return STATUS_OK;
	struct wait_account *waits = groups_find(&latency->groups, pass, wait->task, wait->comm, wait->cpu);
	wait_account_add(waits, pass, wait);
	enum wait_kind kind = wait_kind_of(wait->cause);
	latency->octaves[kind][octave_of(wait->end_ns - wait->since_ns)]++;
	latency->counts[kind]++;
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
	return (struct pass_consumer){.context = latency, .step = count_wait};
}

void latency_free(struct latency *latency)
{
	groups_free(&latency->groups, free_account);
}
