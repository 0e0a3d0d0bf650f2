/* SPDX-License-Identifier: MIT
 *
 * Checks that the parts of a mix fit together. */
#include <stdio.h>
#include <string.h>

#include "workloads/mix.h"

static bool is_real_time(const struct mix_role *role)
{
	return role->policy == MIX_FIFO || role->policy == MIX_RR;
}

static bool is_fair(const struct mix_role *role)
{
	return role->policy == MIX_OTHER || role->policy == MIX_BATCH;
}

bool mix_role_only_computes(const struct mix_role *role)
{
	return !role->run_ns && !role->sleep_ns && !role->every_ns && !role->yields && !role->forks && !role->churn &&
	       !role->wake[0] && !role->is_woken && !role->signal_ns;
}

/* The first rule that a role breaks; NULL: none. */
static const char *broken_rule(const struct mix_role *role)
{
	const bool is_deadline = role->policy == MIX_DEADLINE;
	const uint64_t deadline_ns = role->deadline_ns ? role->deadline_ns : role->every_ns;
	const struct {
		bool is_broken;
		const char *rule;
	} rules[] = {
	    {role->sleep_ns && role->every_ns, "sleep and every are mutually exclusive"},
	    {role->is_woken && role->every_ns, "a role that is woken has no period (every)"},
	    {role->priority && !is_real_time(role), "priority needs policy=fifo or policy=rr"},
	    {role->nice && !is_fair(role), "nice needs policy=other or policy=batch"},
	    {role->slice_ns && !is_fair(role), "slice needs policy=other or policy=batch"},
	    {(role->budget_ns || role->deadline_ns) && !is_deadline, "budget and deadline need policy=deadline"},
	    {is_deadline && !(role->budget_ns && role->every_ns), "policy=deadline needs budget and every"},
	    {is_deadline && (role->budget_ns > deadline_ns || deadline_ns > role->every_ns),
	     "expected budget <= deadline <= every"},
	    {is_deadline && (role->forks || role->churn || CPU_COUNT(&role->cpus)),
	     "policy=deadline excludes forks, cpus and churn: the kernel refuses them"},
	    {role->child_ns && !role->forks, "child needs forks"},
	    {role->jitter_percent && !role->run_ns && !role->sleep_ns && !role->child_ns,
	     "jitter needs run, sleep or child"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].is_broken)
			return rules[i].rule;
	return NULL;
}

static int find_role(const struct mix *mix, const char *name)
{
	for (unsigned int i = 0; i < mix->role_count; i++)
		if (strcmp(mix->roles[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int find_group(const struct mix *mix, const char *path)
{
	for (unsigned int i = 0; i < mix->group_count; i++)
		if (strcmp(mix->groups[i].path, path) == 0)
			return (int)i;
	return -1;
}

static enum status check_names(struct mix *mix, const char *where, struct error *err)
{
	mix->tasks = 0;
	for (unsigned int i = 0; i < mix->role_count; i++) {
		struct mix_role *role = &mix->roles[i];
		if (find_role(mix, role->name) != (int)i)
			return error_set(err, STATUS_USAGE, where, "role '%s' is given twice", role->name);
		role->wakes = role->wake[0] ? find_role(mix, role->wake) : -1;
		role->in_group = role->group[0] ? find_group(mix, role->group) : -1;
		role->first_task = mix->tasks;
		mix->tasks += role->count;
		if (role->wake[0] && (role->wakes < 0 || role->wakes == (int)i))
			return error_set(err, STATUS_USAGE, where, "role '%s': wake=%s names no other role", role->name,
					 role->wake);
		if (role->group[0] && role->in_group < 0) {
			error_set(err, STATUS_USAGE, where, "role '%s': there is no group '%s'", role->name,
				  role->group);
			return error_remedy(err, "add 'group %s;' before it", role->group);
		}
	}
	if (mix->tasks > MIX_TASKS_MAX)
		return error_set(err, STATUS_USAGE, where, "%u tasks: at most %d", mix->tasks, MIX_TASKS_MAX);
	return STATUS_OK;
}

/* True for the first role of a ring of roles that wake each other: it starts the ring. */
static bool begins_a_ring(const struct mix *mix, int number)
{
	int at = number;

	for (unsigned int steps = 0; steps < mix->role_count; steps++) {
		at = mix->roles[at].wakes;
		if (at < 0 || at <= number)
			return at == number;
	}
	return false;
}

static enum status check_roles(struct mix *mix, const char *where, struct error *err)
{
	for (unsigned int i = 0; i < mix->role_count; i++)
		if (mix->roles[i].wakes >= 0)
			mix->roles[mix->roles[i].wakes].is_woken = true;
	for (unsigned int i = 0; i < mix->role_count; i++) {
		struct mix_role *role = &mix->roles[i];
		const char *rule = broken_rule(role);
		if (rule)
			return error_set(err, STATUS_USAGE, where, "role '%s': %s", role->name, rule);
		role->starts = begins_a_ring(mix, (int)i);
		if (is_real_time(role) && !role->priority)
			role->priority = 1;
	}
	return STATUS_OK;
}

/* The number of the group that this one is in; -1: none. False if it has no entry before this one. */
static bool find_parent(const struct mix *mix, unsigned int number, int *parent)
{
	char path[MIX_PATH_SIZE];

	snprintf(path, sizeof(path), "%s", mix->groups[number].path);
	char *slash = strrchr(path, '/');
	*parent = -1;
	if (!slash)
		return true;
	*slash = '\0';
	*parent = find_group(mix, path);
	return *parent >= 0 && *parent < (int)number;
}

static enum status check_groups(struct mix *mix, const char *where, struct error *err)
{
	for (unsigned int i = 0; i < mix->role_count; i++)
		if (mix->roles[i].in_group >= 0)
			mix->groups[mix->roles[i].in_group].has_tasks = true;
	for (unsigned int i = 0; i < mix->group_count; i++) {
		struct mix_group *group = &mix->groups[i];
		if (find_group(mix, group->path) != (int)i)
			return error_set(err, STATUS_USAGE, where, "group '%s' is given twice", group->path);
		if (!find_parent(mix, i, &group->parent))
			return error_set(err, STATUS_USAGE, where, "group '%s': its parent needs an entry before it",
					 group->path);
		if (group->parent >= 0 && mix->groups[group->parent].has_tasks)
			return error_set(err, STATUS_USAGE, where,
					 "group '%s' has tasks and a child group: cgroup v2 allows only one of them",
					 mix->groups[group->parent].path);
		if (group->burst_ns > group->quota_ns)
			return error_set(err, STATUS_USAGE, where, "group '%s': burst must not exceed quota",
					 group->path);
	}
	return STATUS_OK;
}

enum status mix_check(struct mix *mix, const char *where, struct error *err)
{
	if (mix->role_count == 0) {
		error_set(err, STATUS_USAGE, where, "a mix needs a role");
		return error_remedy(err, "such as '4 burn; 1 periodic run=1ms every=5ms' (picknext help mixes)");
	}
	enum status status = check_names(mix, where, err);
	if (status == STATUS_OK)
		status = check_roles(mix, where, err);
	return status == STATUS_OK ? check_groups(mix, where, err) : status;
}

/* The CPU of the run that has this number, from 0; -1: there are fewer. */
static int nth_cpu(const cpu_set_t *cpus, unsigned int number)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, cpus) && number-- == 0)
			return cpu;
	return -1;
}

bool mix_role_cpus(const struct mix_role *role, const cpu_set_t *run, cpu_set_t *cpus)
{
	CPU_ZERO(cpus);
	for (unsigned int number = 0; number < CPU_SETSIZE; number++) {
		const int cpu = nth_cpu(run, number);
		if (CPU_COUNT(&role->cpus) && !CPU_ISSET(number, &role->cpus))
			continue;
		if (cpu < 0)
			return !CPU_COUNT(&role->cpus);
		CPU_SET((size_t)cpu, cpus);
	}
	return true;
}
