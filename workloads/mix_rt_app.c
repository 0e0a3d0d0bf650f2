/* SPDX-License-Identifier: MIT
 *
 * rt-app's JSON (doc/tutorial.txt of rt-app), as far as its meaning is that of a mix. Everything else is refused by
 * name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "workloads/mix.h"

struct reading {
	const char *path;
	struct mix *mix;
	struct error *err;
	unsigned int policy; /* default_policy */
};

static enum status refuse(const struct reading *reading, const char *task, const char *key, const char *why)
{
	error_set(reading->err, STATUS_UNSUPPORTED, reading->path, "rt-app: %s%s\"%.60s\" %s", task ? task : "",
		  task ? ": " : "", key ? key : "", why);
	return error_remedy(reading->err, "write it in the words of picknext help mixes");
}

static bool is_one_of(const char *key, const char *const *keys)
{
	while (*keys && strcmp(*keys, key) != 0)
		keys++;
	return *keys;
}

/* A number from min to max. */
static bool read_number(const struct json_value *value, double min, double max, double *number)
{
	*number = value->number;
	return value->kind == JSON_NUMBER && value->number >= min && value->number <= max;
}

static bool read_us(const struct json_value *value, uint64_t *ns)
{
	double us;

	if (!read_number(value, 1, 1e8, &us))
		return false;
	*ns = (uint64_t)(us * 1e3);
	return true;
}

static bool read_policy(const struct json_value *value, unsigned int *policy)
{
	static const char *const names[] = {"SCHED_OTHER", "SCHED_BATCH", "SCHED_IDLE",
					    "SCHED_FIFO",  "SCHED_RR",    "SCHED_DEADLINE"};

	for (*policy = 0; *policy < sizeof(names) / sizeof(*names) && value->kind == JSON_TEXT; ++*policy)
		if (strcmp(value->text, names[*policy]) == 0)
			return true;
	return false;
}

static bool read_cpus(const struct json_value *value, cpu_set_t *cpus)
{
	double cpu;

	CPU_ZERO(cpus);
	for (const struct json_value *item = value->child; item; item = item->next) {
		if (!read_number(item, 0, CPU_SETSIZE - 1, &cpu) || cpu != floor(cpu))
			return false;
		CPU_SET((size_t)cpu, cpus);
	}
	return value->kind == JSON_ARRAY && CPU_COUNT(cpus);
}

/* {"ref": ..., "period": US}, private to each task. */
static bool read_timer(const struct json_value *value, struct mix_role *role)
{
	const char *reference = json_member_text(value, "ref", "");

	for (const struct json_value *member = value->child; member; member = member->next)
		if (strcmp(member->key, "ref") != 0 && strcmp(member->key, "period") != 0)
			return false;
	return strcmp(reference, "unique") == 0 && json_member(value, "period") &&
	       read_us(json_member(value, "period"), &role->every_ns);
}

static bool read_nice_or_priority(const struct json_value *value, struct mix_role *role)
{
	const bool is_real_time = role->policy == MIX_FIFO || role->policy == MIX_RR;
	double number;

	if (!read_number(value, is_real_time ? 1 : -20, is_real_time ? 99 : 19, &number) || number != floor(number))
		return false;
	if (is_real_time)
		role->priority = (unsigned int)number;
	else
		role->nice = (int)number;
	return true;
}

static bool is_forever(const struct json_value *value)
{
	return value->kind == JSON_NUMBER && value->number == -1;
}

static bool read_count(const struct json_value *value, unsigned int *count)
{
	double number;

	if (!read_number(value, 1, MIX_TASKS_MAX, &number) || number != floor(number))
		return false;
	*count = (unsigned int)number;
	return true;
}

/* False if the key or its value has no meaning in a mix. */
static bool read_member(const struct json_value *member, struct mix_role *role)
{
	const char *key = member->key;

	if (strcmp(key, "policy") == 0)
		return true; /* read before the others */
	if (strcmp(key, "instance") == 0)
		return read_count(member, &role->count);
	if (strcmp(key, "loop") == 0)
		return is_forever(member);
	if (strcmp(key, "priority") == 0)
		return read_nice_or_priority(member, role);
	if (strcmp(key, "cpus") == 0)
		return read_cpus(member, &role->cpus);
	if (strcmp(key, "run") == 0)
		return !role->run_ns && !role->sleep_ns && !role->every_ns && read_us(member, &role->run_ns);
	if (strcmp(key, "sleep") == 0)
		return read_us(member, &role->sleep_ns);
	if (strcmp(key, "timer") == 0)
		return read_timer(member, role);
	if (strcmp(key, "dl-runtime") == 0)
		return read_us(member, &role->budget_ns);
	if (strcmp(key, "dl-deadline") == 0)
		return read_us(member, &role->deadline_ns);
	return false;
}

static enum status read_members(const struct reading *reading, const struct json_value *object, struct mix_role *role)
{
	uint64_t period_ns;

	for (const struct json_value *member = object->child; member; member = member->next) {
		const char *key = member->key;
		/* Read by read_task(). */
		if (strcmp(key, "phases") == 0)
			continue;
		bool is_period = strcmp(key, "dl-period") == 0;
		if (is_period ? !read_us(member, &period_ns) : !read_member(member, role))
			return refuse(reading, role->name, key, "is not understood with this value, or here");
		if (is_period && role->every_ns && role->every_ns != period_ns)
			return refuse(reading, role->name, key, "differs from the period of the timer");
		if (is_period)
			role->every_ns = period_ns;
	}
	return STATUS_OK;
}

static enum status read_task(const struct reading *reading, const struct json_value *task, struct mix_role *role)
{
	const struct json_value *policy = json_member(task, "policy");
	const struct json_value *phases = json_member(task, "phases");
	const size_t length = strlen(task->key);

	*role = (struct mix_role){.count = 1, .policy = reading->policy};
	if (length >= sizeof(role->name) || task->kind != JSON_OBJECT)
		return refuse(reading, NULL, task->key, "is not a task with a name of at most 15 bytes");
	memcpy(role->name, task->key, length + 1);
	if (policy && !read_policy(policy, &role->policy))
		return refuse(reading, role->name, "policy",
			      "is not one of SCHED_OTHER, BATCH, IDLE, FIFO, RR, DEADLINE");
	if (phases && !(phases->kind == JSON_OBJECT && phases->child && !phases->child->next &&
			phases->child->kind == JSON_OBJECT))
		return refuse(reading, role->name, "phases", "has several phases");
	enum status status = read_members(reading, task, role);
	return status == STATUS_OK && phases ? read_members(reading, phases->child, role) : status;
}

static enum status read_tasks(const struct reading *reading, const struct json_value *tasks)
{
	struct mix *mix = reading->mix;
	enum status status = STATUS_OK;

	if (!tasks || tasks->kind != JSON_OBJECT)
		return refuse(reading, NULL, "tasks", "is not an object of tasks");
	for (const struct json_value *task = tasks->child; task && status == STATUS_OK; task = task->next) {
		if (mix->role_count == MIX_ROLES_MAX)
			return refuse(reading, NULL, task->key, "is one task too many: at most 16");
		status = read_task(reading, task, &mix->roles[mix->role_count++]);
	}
	return status;
}

/* rt-app's own settings of its log files do not change what its tasks do. */
static enum status read_global(struct reading *reading, const struct json_value *global)
{
	static const char *const about_logs[] = {"calibration",  "ftrace",   "gnuplot",    "logdir",
						 "log_basename", "log_size", "lock_pages", NULL};
	double seconds;

	for (const struct json_value *member = global ? global->child : NULL; member; member = member->next) {
		if (is_one_of(member->key, about_logs))
			continue;
		if (strcmp(member->key, "duration") == 0 && read_number(member, 1, 1000, &seconds))
			reading->mix->seconds = seconds;
		else if (strcmp(member->key, "default_policy") != 0 || !read_policy(member, &reading->policy))
			return refuse(reading, "global", member->key, "is not understood, or not with this value");
	}
	return STATUS_OK;
}

enum status mix_read_rt_app(const struct json_value *document, const char *path, struct mix *mix, struct error *err)
{
	struct reading reading = {.path = path, .mix = mix, .err = err};
	struct buffer words = {0};

	*mix = (struct mix){.seconds = MIX_SECONDS};
	for (const struct json_value *member = document->child; member; member = member->next)
		if (strcmp(member->key, "tasks") != 0 && strcmp(member->key, "global") != 0)
			return refuse(&reading, NULL, member->key, "is not understood");
	enum status status = read_global(&reading, json_member(document, "global"));
	if (status == STATUS_OK)
		status = read_tasks(&reading, json_member(document, "tasks"));
	if (status != STATUS_OK)
		return status;
	/* The words have the same limits whoever wrote them. */
	mix_write(mix, &words);
	status = words.length ? mix_parse(words.data, path, mix, err) : mix_check(mix, path, err);
	buffer_free(&words);
	return status;
}
