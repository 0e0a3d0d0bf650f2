/* SPDX-License-Identifier: MIT */
#include "measure/role_account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A mix has at most 16 of each. Further ones in the metadata are ignored. */
enum { ROLES_MAX = 32, GROUPS_MAX = 32 };
enum { NO_ROLE, NO_GROUP = -1 }; /* a role is stored as its index plus 1 */
enum { WANTS_ALWAYS_PERCENT = 90, WHOLE_QUOTA_PERCENT = 95 };
#define PERIOD_MIN_NS 1000000 /* the kernel's minimum */

/* The cgroup that contains all cgroups of a mix. Tasks without a cgroup compete with it. */
static const struct run_cgroup base_group = {.path = "", .weight = 100};

struct role_task {
	uint64_t ran_ns, waited_ns, since_ns;
	uint8_t state; /* enum task_state */
	uint8_t role;
};

struct group {
	const struct run_cgroup *settings;
	int parent; /* NO_GROUP: none */
	/* Number of its tasks, and of those in its child groups, that run or wait now. */
	uint32_t running, waiting;
	/* The quota period: */
	uint64_t period_end_ns, got_ns, wanted_ns, owed_ns;
	uint64_t periods, whole_periods;
	uint64_t waits_since_ns, longest_wait_ns;
	bool waits;
};

struct role_account {
	const struct run_role *roles;
	uint32_t role_count, group_count;
	int role_group[ROLES_MAX];
	bool is_pinned[ROLES_MAX];
	struct group groups[GROUPS_MAX]; /* the first one is base_group */
	uint8_t *comm_roles;             /* by comm number: role + 1; 0: not looked up yet */
	uint32_t comm_count;
	struct role_task *tasks; /* by task number */
	uint32_t task_count;
	uint64_t begin_ns, now_ns, runs_outside;
	bool has_begun;
};

/* --- Set-up --- */

/* The group with this path; NO_GROUP if it is not a group of the mix. */
static int find_group(const struct role_account *account, const char *path, size_t length)
{
	for (uint32_t i = 0; i < account->group_count; i++)
		if (strlen(account->groups[i].settings->path) == length &&
		    memcmp(account->groups[i].settings->path, path, length) == 0)
			return (int)i;
	return NO_GROUP;
}

static int find_parent(const struct role_account *account, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? find_group(account, path, (size_t)(slash - path)) : 0;
}

struct role_account *role_account_begin(const struct run_work *work)
{
	if (!work->role_count)
		return NULL;
	struct role_account *account = xcalloc(1, sizeof(*account));
	account->roles = work->roles;
	account->role_count = work->role_count < ROLES_MAX ? (uint32_t)work->role_count : ROLES_MAX;
	account->groups[account->group_count++] = (struct group){.settings = &base_group, .parent = NO_GROUP};
	for (size_t i = 0; i < work->cgroup_count && account->group_count < GROUPS_MAX; i++)
		if (work->cgroups[i].path)
			account->groups[account->group_count++].settings = &work->cgroups[i];
	for (uint32_t i = 1; i < account->group_count; i++)
		account->groups[i].parent = find_parent(account, account->groups[i].settings->path);
	for (uint32_t i = 0; i < account->role_count; i++) {
		const char *path = account->roles[i].cgroup;
		account->role_group[i] = path ? find_group(account, path, strlen(path)) : NO_GROUP;
		account->is_pinned[i] = CPU_COUNT(&account->roles[i].cpus) > 0;
	}
	return account;
}

void role_account_free(struct role_account *account)
{
	if (!account)
		return;
	free(account->comm_roles);
	free(account->tasks);
	free(account);
}

/* --- Tasks --- */

/* The role's words after its count, from a mix such as "3 mover run=500us churn=2; 2 hog"; length 0 if it has none. */
static const char *words_of(const char *mix, const char *role, size_t *length)
{
	for (const char *part = mix; part; part = strchr(part, ';') ? strchr(part, ';') + 1 : NULL) {
		const char *name = part + strspn(part, " 0123456789");
		*length = strcspn(name, ";");
		if (strncmp(name, role, strlen(role)) == 0 && strchr(" ;", name[strlen(role)]))
			return name;
	}
	*length = 0;
	return mix;
}

enum role_binding role_binding(const struct run_work *work, const struct run_role *role)
{
	static const char word[] = " churn";
	size_t length;

	if (CPU_COUNT(&role->cpus) > 0)
		return ROLE_BOUND;
	if (!role->name || !work->parameters)
		return ROLE_FREE;
	const char *words = words_of(work->parameters, role->name, &length);
	const char *churn = memmem(words, length, word, strlen(word));
	return churn ? ROLE_BINDS_ITSELF : ROLE_FREE;
}

static uint8_t find_role(const struct role_account *account, const struct sched_comm *comm)
{
	const struct run_role *role = run_role_of(account->roles, account->role_count, comm->bytes, comm->length);

	return role ? (uint8_t)(role - account->roles + 1) : NO_ROLE;
}

static uint8_t role_of_comm(struct role_account *account, const struct task_states *states, uint32_t comm)
{
	account->comm_roles =
	    array_reserve(account->comm_roles, &account->comm_count, comm + 1, sizeof(*account->comm_roles));
	if (!account->comm_roles[comm])
		account->comm_roles[comm] = (uint8_t)(find_role(account, &states->comms.comms[comm]) + 1);
	return (uint8_t)(account->comm_roles[comm] - 1);
}

/* sign: 1 or -1. */
static void count_in_groups(struct role_account *account, const struct role_task *task, uint32_t sign)
{
	if (task->role == NO_ROLE)
		return;
	for (int i = account->role_group[task->role - 1]; i != NO_GROUP; i = account->groups[i].parent) {
		account->groups[i].running += task->state == TASK_RUNNING ? sign : 0;
		account->groups[i].waiting += task->state == TASK_RUNNABLE ? sign : 0;
	}
}

/* Adds the time since its last update. */
static void add_time(struct role_task *task, uint64_t ts_ns)
{
	const uint64_t elapsed = ts_ns > task->since_ns ? ts_ns - task->since_ns : 0;

	task->ran_ns += task->state == TASK_RUNNING ? elapsed : 0;
	task->waited_ns += task->state == TASK_RUNNABLE ? elapsed : 0;
	task->since_ns = ts_ns;
}

static void update_task(struct role_account *account, const struct task_states *states, uint32_t number)
{
	const struct task *now = &states->tasks[number];
	const uint8_t role = now->is_idle ? NO_ROLE : role_of_comm(account, states, now->comm);

	account->tasks = array_reserve(account->tasks, &account->task_count, number + 1, sizeof(*account->tasks));
	struct role_task *task = &account->tasks[number];
	add_time(task, account->now_ns);
	count_in_groups(account, task, -1u);
	if (task->role != role)
		*task = (struct role_task){.role = role, .since_ns = account->now_ns};
	task->state = (uint8_t)task_state_of(states, now);
	count_in_groups(account, task, 1);
}

/* --- Groups with a quota --- */

static bool has_quota(const struct group *group)
{
	return group->settings->quota_ns && group->settings->period_ns >= PERIOD_MIN_NS;
}

static void add_to_period(struct group *group, uint64_t ns)
{
	group->got_ns += ns * group->running;
	group->wanted_ns += ns * (group->running + group->waiting);
}

/* Ends count periods, all like the current one. The kernel stops a group only at a tick, and subtracts the time beyond
 * its quota from the next periods. */
static void end_periods(struct group *group, uint64_t count)
{
	const uint64_t quota_ns = group->settings->quota_ns, got_ns = group->got_ns + group->owed_ns;

	if (group->wanted_ns >= quota_ns) {
		group->periods += count;
		if ((double)got_ns * 100 >= (double)quota_ns * WHOLE_QUOTA_PERCENT)
			group->whole_periods += count;
	}
	group->owed_ns = got_ns < quota_ns ? 0 : got_ns - quota_ns < quota_ns ? got_ns - quota_ns : quota_ns;
	group->got_ns = group->wanted_ns = 0;
	group->period_end_ns += count * group->settings->period_ns;
}

static void pass_time(struct group *group, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t period_ns = group->settings->period_ns;

	if (to_ns < group->period_end_ns) {
		add_to_period(group, to_ns - from_ns);
		return;
	}
	add_to_period(group, group->period_end_ns - from_ns);
	end_periods(group, 1);
	const uint64_t begin_ns = group->period_end_ns - period_ns, more = (to_ns - begin_ns) / period_ns;
	if (more) {
		add_to_period(group, period_ns);
		end_periods(group, more);
	}
	add_to_period(group, (to_ns - begin_ns) % period_ns);
}

static void note_group_wait(struct group *group, uint64_t since_ns, uint64_t ts_ns)
{
	const uint64_t length_ns = ts_ns > since_ns ? ts_ns - since_ns : 0;

	if (has_quota(group) && length_ns > group->longest_wait_ns)
		group->longest_wait_ns = length_ns;
}

static void update_group_wait(struct group *group, uint64_t ts_ns)
{
	const bool waits = group->waiting && !group->running;

	if (waits == group->waits)
		return;
	if (group->waits)
		note_group_wait(group, group->waits_since_ns, ts_ns);
	group->waits = waits;
	group->waits_since_ns = ts_ns;
}

/* --- The part --- */

static void advance(struct role_account *account, uint64_t ts_ns)
{
	if (ts_ns <= account->now_ns)
		return;
	for (uint32_t i = 0; i < account->group_count; i++)
		if (has_quota(&account->groups[i]))
			pass_time(&account->groups[i], account->now_ns, ts_ns);
	account->now_ns = ts_ns;
}

void role_account_restart(struct role_account *account, uint64_t ts_ns)
{
	if (!account)
		return;
	if (account->has_begun)
		advance(account, ts_ns);
	account->has_begun = true;
	account->begin_ns = account->now_ns = ts_ns;
	account->runs_outside = 0;
	for (uint32_t i = 0; i < account->task_count; i++) {
		struct role_task *task = &account->tasks[i];
		*task = (struct role_task){.state = task->state, .role = task->role, .since_ns = ts_ns};
	}
	for (uint32_t i = 0; i < account->group_count; i++) {
		struct group *group = &account->groups[i];
		group->period_end_ns = ts_ns + group->settings->period_ns;
		group->got_ns = group->wanted_ns = group->owed_ns = 0;
		group->periods = group->whole_periods = 0;
		group->longest_wait_ns = 0;
		group->waits_since_ns = ts_ns;
	}
}

static void note_run(struct role_account *account, uint32_t task, uint32_t cpu)
{
	const uint8_t role = account->tasks[task].role;

	if (role == NO_ROLE || !account->is_pinned[role - 1])
		return;
	account->runs_outside += cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &account->roles[role - 1].cpus);
}

void role_account_step(struct role_account *account, const struct task_states *states, const struct sched_event *event,
		       const struct task_step *step)
{
	uint32_t tasks[STEP_TASKS_MAX];

	if (!account)
		return;
	if (!account->has_begun)
		role_account_restart(account, event->ts_ns);
	advance(account, event->ts_ns);
	const unsigned int count = step_tasks(step, tasks);
	for (unsigned int i = 0; i < count; i++)
		update_task(account, states, tasks[i]);
	/* The switch to the current task may be missing. */
	if (states->cpus[event->cpu].current != TASK_NONE)
		update_task(account, states, states->cpus[event->cpu].current);
	for (uint32_t i = 0; step->changes & STEP_LOSS && i < account->task_count && i < states->task_count; i++)
		update_task(account, states, i);
	if (step->changes & STEP_RUN)
		note_run(account, step->started, event->cpu);
	for (uint32_t i = 0; i < account->group_count; i++)
		update_group_wait(&account->groups[i], account->now_ns);
}

/* --- Shares --- */

/* A competitor at one level: a cgroup, or the tasks of a role that always want a CPU. Times in nanoseconds. */
struct rival {
	int parent; /* group, or NO_GROUP */
	double weight;
	double fixed_ns; /* CPU time of the tasks that do not always want a CPU */
	double max_ns;   /* CPU time that it can use at most, including fixed_ns */
	double got_ns, fair_ns;
	bool is_settled;
};

struct shares {
	struct rival rivals[ROLES_MAX + GROUPS_MAX]; /* the roles first */
	uint32_t role_count, count;
	double all_ns;
	uint32_t wanting_roles;
};

double role_weight(const struct run_role *role, int nice)
{
	if (role && role->policy && strcmp(role->policy, "idle") == 0)
		return 3; /* as in the kernel (WEIGHT_IDLEPRIO) */
	return 1024 * pow(1.25, -nice);
}

static bool is_divided(const struct run_role *role)
{
	const char *policy = role->policy ? role->policy : "other";

	return CPU_COUNT(&role->cpus) == 0 &&
	       (strcmp(policy, "other") == 0 || strcmp(policy, "batch") == 0 || strcmp(policy, "idle") == 0);
}

static void add_task(const struct role_account *account, const struct role_task *task, struct shares *shares)
{
	const double length_ns = (double)(account->now_ns - account->begin_ns);
	const struct run_role *role = &account->roles[task->role - 1];
	struct rival *rival = &shares->rivals[task->role - 1];
	const double ran_ns = (double)task->ran_ns;
	const bool wants_always =
	    (ran_ns + (double)task->waited_ns) * 100 >= length_ns * WANTS_ALWAYS_PERCENT && is_divided(role);

	rival->got_ns += ran_ns;
	shares->all_ns += ran_ns;
	if (!wants_always) {
		rival->fixed_ns += ran_ns;
		rival->max_ns += ran_ns;
		return;
	}
	shares->wanting_roles += rival->weight == 0;
	rival->weight += role_weight(role, role->nice);
	rival->max_ns += length_ns;
}

/* Adds a member's times to its parent group. Groups come after their parents, so call it from the last group on. */
static void add_to_group(const struct role_account *account, const struct rival *member, struct shares *shares)
{
	if (member->parent == NO_GROUP)
		return;
	struct rival *rival = &shares->rivals[shares->role_count + (uint32_t)member->parent];
	const struct run_cgroup *group = account->groups[member->parent].settings;
	const double length_ns = (double)(account->now_ns - account->begin_ns);
	const double limit_ns = has_quota(&account->groups[member->parent])
				    ? length_ns * (double)group->quota_ns / (double)group->period_ns
				    : (double)INFINITY;

	rival->got_ns += member->got_ns;
	rival->max_ns = fmin(rival->max_ns + member->max_ns, limit_ns);
}

static void gather_shares(const struct role_account *account, struct shares *shares)
{
	*shares =
	    (struct shares){.role_count = account->role_count, .count = account->role_count + account->group_count};
	for (uint32_t i = 0; i < account->role_count; i++)
		shares->rivals[i].parent = account->role_group[i];
	for (uint32_t i = 0; i < account->group_count; i++) {
		shares->rivals[account->role_count + i].parent = account->groups[i].parent;
		shares->rivals[account->role_count + i].weight = account->groups[i].settings->weight * 10.24;
	}
	for (uint32_t i = 0; i < account->task_count; i++)
		if (account->tasks[i].role != NO_ROLE)
			add_task(account, &account->tasks[i], shares);
	for (uint32_t i = 0; i < account->role_count; i++)
		add_to_group(account, &shares->rivals[i], shares);
	for (uint32_t i = shares->count; i-- > account->role_count;)
		add_to_group(account, &shares->rivals[i], shares);
}

/* Settles one rival that cannot use its share of ns by weight; false if there is none. */
static bool settle_small(struct shares *shares, int parent, double *ns, double *weight)
{
	for (uint32_t i = 0; i < shares->count; i++) {
		struct rival *rival = &shares->rivals[i];
		const double max_ns = rival->max_ns - rival->fixed_ns;
		if (rival->parent != parent || rival->is_settled || max_ns * *weight > *ns * rival->weight)
			continue;
		rival->is_settled = true;
		rival->fair_ns = rival->fixed_ns + max_ns;
		*ns = fmax(*ns - max_ns, 0);
		*weight -= rival->weight;
		return true;
	}
	return false;
}

/* Divides ns among the rivals of a level. */
static void divide(struct shares *shares, int parent, double ns)
{
	double weight = 0;

	for (uint32_t i = 0; i < shares->count; i++)
		if (shares->rivals[i].parent == parent) {
			weight += shares->rivals[i].weight;
			ns -= shares->rivals[i].fixed_ns;
		}
	ns = fmax(ns, 0);
	while (settle_small(shares, parent, &ns, &weight))
		;
	for (uint32_t i = 0; i < shares->count; i++) {
		struct rival *rival = &shares->rivals[i];
		if (rival->parent == parent && !rival->is_settled)
			rival->fair_ns = rival->fixed_ns + ns * rival->weight / weight;
		rival->is_settled |= rival->parent == parent;
	}
}

/* CPU time of these rivals beyond their fair share, in % of all. */
static double error_of(const struct shares *shares, uint32_t first, uint32_t count, const bool *counts)
{
	double beyond_ns = 0;

	for (uint32_t i = first; i < first + count; i++)
		if (!counts || counts[i - first])
			beyond_ns += fmax(shares->rivals[i].got_ns - shares->rivals[i].fair_ns, 0);
	return 100 * beyond_ns / shares->all_ns;
}

static void set_shares(const struct role_account *account, struct role_results *results)
{
	bool has_tasks[GROUPS_MAX] = {false};
	uint32_t groups = 0;
	struct shares shares;

	gather_shares(account, &shares);
	divide(&shares, NO_GROUP, shares.all_ns);
	for (uint32_t i = 0; i < account->group_count; i++)
		divide(&shares, (int)i, shares.rivals[shares.role_count + i].fair_ns);
	for (uint32_t i = 0; i < shares.role_count; i++) {
		const struct rival *role = &shares.rivals[i];
		if (role->parent == NO_GROUP || role->got_ns <= 0)
			continue;
		groups += !has_tasks[role->parent];
		has_tasks[role->parent] = true;
	}
	if (shares.all_ns > 0 && shares.wanting_roles >= 2)
		results->role_share_error = error_of(&shares, 0, shares.role_count, NULL);
	if (shares.all_ns > 0 && groups >= 2)
		results->cgroup_share_error = error_of(&shares, shares.role_count, account->group_count, has_tasks);
}

static void set_quota(struct role_account *account, struct role_results *results)
{
	uint64_t periods = 0, whole = 0;

	for (uint32_t i = 0; i < account->group_count; i++) {
		struct group *group = &account->groups[i];
		results->has_quota |= has_quota(group);
		if (group->waits)
			note_group_wait(group, group->waits_since_ns, account->now_ns);
		if (group->longest_wait_ns > results->longest_quota_wait_ns)
			results->longest_quota_wait_ns = group->longest_wait_ns;
		periods += group->periods;
		whole += group->whole_periods;
	}
	if (periods)
		results->quota_share = 100.0 * (double)whole / (double)periods;
}

void role_account_end(struct role_account *account, uint64_t ts_ns, struct role_results *results)
{
	*results = (struct role_results){.role_share_error = NAN, .cgroup_share_error = NAN, .quota_share = NAN};
	if (!account)
		return;
	advance(account, ts_ns);
	for (uint32_t i = 0; i < account->task_count; i++)
		add_time(&account->tasks[i], account->now_ns);
	for (uint32_t i = 0; i < account->role_count; i++)
		results->has_masks |= account->is_pinned[i];
	results->runs_outside = account->runs_outside;
	set_shares(account, results);
	set_quota(account, results);
}
