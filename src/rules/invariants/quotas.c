/* SPDX-License-Identifier: MIT
 *
 * cpu.max: what the tasks of a group run, on all CPUs, against its quota, which the end of throttling shows. Whatever
 * the code of throttling is like, a group gets its quota each period and no more. Its CPUs take quota in shares, and
 * run on when it is used up. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

#include <string.h>

/* Further groups with a quota, and further queues, are not judged. */
#define QUOTAS_MAX 32
#define QUEUES_MAX 128

struct quota {
	uint64_t owner; /* its struct task_group */
	uint64_t quota_ns, period_ns, burst_ns, share_ns;
	uint32_t running;  /* CPUs that run its tasks */
	uint64_t since_ns; /* what follows is as of then */
	uint64_t ran_ns;   /* its CPU time so far */
	rule_wide over;    /* ns * period_ns: CPU time beyond quota / period, in the window that has most of it */
	uint64_t longest_ns, entity; /* run of a task; a group's entity, to name it */
};

struct quotas {
	struct quota quotas[QUOTAS_MAX];
	uint32_t count;
	/* Queues of the groups, of which a task's path shows some. */
	struct {
		uint64_t queue;
		uint32_t quotas;
	} queues[QUEUES_MAX];
	uint32_t queue_count;
};

/* Groups with a quota are a bit each. */
struct quota_cpu {
	uint32_t quotas;                  /* of the running task */
	uint64_t began_ns;                /* when it began to run */
	uint64_t idle_since_ns;           /* 0: it is not, or not known */
	uint64_t idle_ran_ns[QUOTAS_MAX]; /* what each had run then */
};

struct quota_task {
	uint32_t quotas; /* that hold for it */
};

/* --- What ran --- */

/* Brings the CPU time of a group up to date. */
static void settle(struct quota *quota, uint64_t now_ns)
{
	const uint64_t past_ns = time_between(quota->since_ns, now_ns);

	quota->ran_ns += past_ns * quota->running;
	quota->over = beyond_rate(quota->over, past_ns, quota->running, quota->quota_ns, quota->period_ns);
	quota->since_ns = now_ns;
}

static uint64_t ran_until(const struct quota *quota, uint64_t now_ns)
{
	return quota->ran_ns + time_between(quota->since_ns, now_ns) * quota->running;
}

static uint32_t quotas_of_queues(const struct quotas *quotas, const struct queues *queues, const struct key_path *task)
{
	struct key_path path = *task;
	uint32_t found = 0;

	queues_extend(queues, &path);
	for (uint32_t i = 0; i < path.depth; i++)
		for (uint32_t j = 0; j < quotas->queue_count; j++)
			if (quotas->queues[j].queue == path.queues[i])
				found |= quotas->queues[j].quotas;
	return found;
}

static uint32_t quotas_of_groups(const struct quotas *quotas, const struct key_groups *groups)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < groups->count; i++)
		for (uint32_t j = 0; j < quotas->count; j++)
			found |= (uint32_t)(quotas->quotas[j].owner == groups->ids[i]) << j;
	return found;
}

/* A CPU begins to run a task for which these quotas hold. */
static void set_running(struct family_state *state, const struct machine *machine, uint32_t number, uint32_t running)
{
	struct quotas *quotas = state_of_trace(state);
	struct quota_cpu *cpu = state_of_cpu(state, number);
	const uint64_t ran_ns = time_between(cpu->began_ns, machine->now_ns);

	for (uint32_t i = 0; i < quotas->count; i++) {
		struct quota *quota = &quotas->quotas[i];
		if (!((cpu->quotas | running) >> i & 1))
			continue;
		settle(quota, machine->now_ns);
		quota->running += (running >> i & 1);
		quota->running -= (cpu->quotas >> i & 1);
		if ((cpu->quotas >> i & 1) && ran_ns > quota->longest_ns)
			quota->longest_ns = ran_ns;
	}
	cpu->quotas = running;
	cpu->began_ns = machine->now_ns;
}

/* --- Not more than the quota --- */

/* CPU time that its CPUs may have taken and not used, or used and not paid back yet: a task runs on to the next tick,
 * and from 6.18 on to its return from the kernel, but no longer than one of its runs. */
static uint64_t in_flight(const struct sight *sight, const struct quota *quota, const struct quota_cpu *cpu)
{
	const uint64_t tick_ns = machine_tick_ns(sight->machine) + CLOCK_NS;
	const uint64_t ran_ns = cpu->quotas ? time_between(cpu->began_ns, sight->machine->now_ns) : 0;
	uint64_t most_ns = quota->longest_ns > tick_ns ? quota->longest_ns : tick_ns, cpus = 0;

	most_ns = ran_ns > most_ns ? ran_ns : most_ns;
	for (uint32_t i = 0; i < sight->machine->cpu_count; i++)
		cpus += !machine_is_isolated(sight->machine, i);
	return cpus * (quota->share_ns + most_ns);
}

/* In any window: the burst, a quota at its beginning and one a period. */
static enum invariant_result check_kept(const struct sight *sight, const struct family_state *state,
					struct evidence *evidence)
{
	const struct quotas *quotas = state_of_trace(state);
	const struct quota_cpu *cpu = state_of_cpu(state, sight->cpu);
	enum invariant_result result = INVARIANT_NOT_JUDGED;

	if (!machine_tick_ns(sight->machine))
		return INVARIANT_NOT_JUDGED;
	for (uint32_t i = 0; i < quotas->count && result != INVARIANT_BROKEN; i++) {
		struct quota quota = quotas->quotas[i];
		if (!(cpu->quotas >> i & 1))
			continue;
		settle(&quota, sight->machine->now_ns);
		evidence->group = quota.entity;
		result = expect_max(evidence, "CPU time of the group beyond its quota", UNIT_CPU_NS,
				    (int64_t)(quota.over / (rule_wide)quota.period_ns),
				    with_rounding(2 * quota.quota_ns + quota.burst_ns + in_flight(sight, &quota, cpu)));
	}
	return result;
}

/* --- Not less, if it waits on an idle CPU --- */

/* A task has waited on a CPU that was idle: what its group was owed meanwhile, and has not run on other CPUs. */
static enum invariant_result check_given(const struct sight *sight, const struct family_state *state,
					 struct evidence *evidence)
{
	const struct quotas *quotas = state_of_trace(state);
	const struct quota_cpu *cpu = state_of_cpu(state, sight->cpu);
	const struct switch_sight *at = sight->switched;
	const struct quota_task *task = state_of_task(state, sight->machine, at->event->switched.next.pid);
	const uint64_t now_ns = sight->machine->now_ns;

	/* With quotas of several levels it may be another one that keeps the task from running. */
	if (!task || !task->quotas || sight->machine->has_deep_groups || (task->quotas & (task->quotas - 1)) ||
	    !cpu->idle_since_ns || !at->next_waits_since_ns || at->next_has_moved || !machine_tick_ns(sight->machine))
		return INVARIANT_NOT_JUDGED;
	const uint32_t number = (uint32_t)__builtin_ctz(task->quotas);
	const struct quota *quota = &quotas->quotas[number];
	const uint64_t from_ns =
	    at->next_waits_since_ns > cpu->idle_since_ns ? at->next_waits_since_ns : cpu->idle_since_ns;
	const uint64_t ran_ns = ran_until(quota, now_ns) - cpu->idle_ran_ns[number];
	const uint64_t due_ns =
	    (uint64_t)((rule_wide)time_between(from_ns, now_ns) * quota->quota_ns / quota->period_ns);
	evidence->group = quota->entity;
	return expect_max(evidence, "quota of the group that it has not run while its task waited on an idle CPU",
			  UNIT_CPU_NS, due_ns > ran_ns ? (int64_t)(due_ns - ran_ns) : 0,
			  with_rounding(2 * quota->quota_ns + in_flight(sight, quota, cpu)));
}

/* --- What is followed --- */

/* Another quota may hold for them, and may have done so all the time. */
static void forget_tasks(struct family_state *state, const struct machine *machine)
{
	for (uint32_t i = 0; i < machine->cpu_count; i++)
		((struct quota_cpu *)state_of_cpu(state, i))->idle_since_ns = 0;
	if (state->tasks)
		memset(state->tasks, 0, machine->task_capacity * sizeof(struct quota_task));
}

static void note_quota(struct family_state *state, const struct sight *sight)
{
	struct quotas *quotas = state_of_trace(state);
	const uint64_t queue = sight->keys->unthrottled.queue;
	struct key_path path = {.depth = 1, .levels = 1, .queues = {queue}};
	struct quota now = {.owner = sight->keys->unthrottled.owner,
			    .quota_ns = sight->keys->unthrottled.quota_ns,
			    .period_ns = known_period(sight->keys->unthrottled.period_ns),
			    .burst_ns = sight->keys->unthrottled.burst_ns,
			    .share_ns = sight->keys->unthrottled.share_ns,
			    .since_ns = sight->machine->now_ns};
	uint32_t i = 0;

	if (!now.period_ns || now.quota_ns > now.period_ns * sight->machine->cpu_count)
		return;
	while (i < quotas->count && quotas->quotas[i].owner != now.owner)
		i++;
	if (i == QUOTAS_MAX)
		return;
	queues_extend(&sight->machine->queues, &path);
	struct quota *quota = &quotas->quotas[i];
	if (i == quotas->count) {
		*quota = now;
		quotas->count++;
		forget_tasks(state, sight->machine);
	}
	quota->entity = path.depth > 1 ? path.entities[1].id : quota->entity;
	uint32_t j = 0;
	while (j < quotas->queue_count && quotas->queues[j].queue != queue)
		j++;
	if (j < QUEUES_MAX) {
		quotas->queues[j].queue = queue;
		quotas->queues[j].quotas = UINT32_C(1) << i;
		quotas->queue_count += j == quotas->queue_count;
	}
}

/* Other quotas, or other groups. */
static void forget(struct family_state *state, const struct machine *machine)
{
	memset(state->trace, 0, sizeof(struct quotas));
	memset(state->cpus, 0, machine->cpu_count * sizeof(struct quota_cpu));
	forget_tasks(state, machine);
}

/* The task gets another group, or perhaps another class, for which no quota holds. */
static void note_change_of_task(struct family_state *state, const struct sight *sight)
{
	const struct key_event *keys = sight->keys;
	struct quota_task *task = state_of_task(state, sight->machine, keys->change.pid);

	if (task && keys->change.what == CHANGE_GROUP)
		task->quotas = 0;
	for (uint32_t i = 0; i < sight->machine->cpu_count; i++)
		if (sight->machine->cpus[i].pid == keys->change.pid)
			set_running(state, sight->machine, i, 0);
}

static void note_change(struct family_state *state, const struct sight *sight)
{
	if (!sight->keys || sight->keys->kind == KEY_GROUPS_CHANGE || sight->keys->kind == KEY_HOTPLUG)
		forget(state, sight->machine);
	else if (sight->keys->kind == KEY_CHANGE &&
		 (sight->keys->change.what == CHANGE_GROUP || sight->keys->change.what == CHANGE_ATTRIBUTES))
		note_change_of_task(state, sight);
}

static void note_switch(struct family_state *state, const struct sight *sight)
{
	struct quotas *quotas = state_of_trace(state);
	struct quota_cpu *cpu = state_of_cpu(state, sight->cpu);
	const struct key_event *keys = &sight->switched->keys;
	const int32_t next_pid = sight->switched->event->switched.next.pid;
	struct quota_task *prev = state_of_task(state, sight->machine, sight->switched->event->switched.prev.pid);
	const struct quota_task *next = state_of_task(state, sight->machine, next_pid);

	if (prev)
		prev->quotas = quotas_of_queues(quotas, &sight->machine->queues, &keys->switched.prev) |
			       quotas_of_groups(quotas, &keys->switched.prev_groups);
	set_running(state, sight->machine, sight->cpu, next && keys->switched.next.depth ? next->quotas : 0);
	cpu->idle_since_ns = 0;
	if (rule_class_of(&sight->switched->event->switched.next) == CLASS_IDLE) {
		cpu->idle_since_ns = sight->machine->now_ns;
		for (uint32_t i = 0; i < quotas->count; i++)
			cpu->idle_ran_ns[i] = ran_until(&quotas->quotas[i], sight->machine->now_ns);
	}
}

static void note_enqueue(struct family_state *state, const struct sight *sight)
{
	const struct quotas *quotas = state_of_trace(state);
	const struct key_event *keys = &sight->wakeup->event;
	struct quota_task *task = state_of_task(state, sight->machine, keys->enqueued.pid);

	task->quotas = quotas_of_queues(quotas, &sight->machine->queues, &keys->enqueued.task) |
		       quotas_of_groups(quotas, &keys->enqueued.groups);
}

static void note(struct family_state *state, const struct sight *sight)
{
	if (sight->kind == SEEN_SWITCH)
		note_switch(state, sight);
	else if (sight->kind == SEEN_ENQUEUE)
		note_enqueue(state, sight);
	else if (sight->kind == SEEN_UNTHROTTLE)
		note_quota(state, sight);
	else if (sight->kind == SEEN_CHANGE)
		note_change(state, sight);
}

/* Each quota that is written, and each change of a task. */
#define QUOTA_FIELDS                                                                                                   \
	"keys_unthrottle.quota keys_unthrottle.period keys_unthrottle.share_us keys_quota.caller keys_regroup.pid"

static const struct invariant_row rows[] = {
    {"quota_kept", "a group runs for at most its quota each period, and its burst", "CPU time beyond the quota",
     FAIR_C "__account_cfs_rq_runtime, __refill_cfs_bandwidth_runtime", "groups with cpu.max", QUOTA_FIELDS, SEEN_OUT,
     STOPS_LONG, check_kept},
    {"quota_given", "a task waits on an idle CPU only while its group has used its quota", "quota that is not given",
     FAIR_C "distribute_cfs_runtime, __assign_cfs_rq_runtime", "groups with cpu.max, without one around them",
     QUOTA_FIELDS, SEEN_IN, STOPS_LONG, check_given},
};

const struct invariant_family quotas_family = {ROWS_OF(rows), sizeof(struct quotas), sizeof(struct quota_cpu),
					       sizeof(struct quota_task), .note = note};
