/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/nearest_name.h"
#include "base/number.h"
#include "workloads/mix.h"

const char *const mix_policy_names[] = {"other", "batch", "idle", "fifo", "rr", "deadline", NULL};

static const char label_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";

/* --- The words of roles and groups, as rows --- */

enum word_kind {
	WORD_TIME,
	WORD_NUMBER,
	WORD_SIGNED,
	WORD_POLICY,
	WORD_CPUS,
	WORD_NAME,
	WORD_PATH,
	WORD_QUOTA,
	WORD_CLAMP,
	WORD_NUMBER_OR_ONE /* without a value it is 1 */
};

struct word {
	const char *name;
	const char *argument;
	enum word_kind kind;
	size_t offset;
	double min, max; /* of times in ns, of numbers */
	const char *meaning;
};

#define ROLE(member)  offsetof(struct mix_role, member)
#define GROUP(member) offsetof(struct mix_group, member)
#define US            1e3
#define MS            1e6
#define S             1e9

static const struct word role_words[] = {
    {"run", "TIME", WORD_TIME, ROLE(run_ns), US, 100 * S,
     "CPU time of a cycle; a role without any word of cycles computes until the end"},
    {"sleep", "TIME", WORD_TIME, ROLE(sleep_ns), US, 100 * S, "pause after a cycle"},
    {"every", "TIME", WORD_TIME, ROLE(every_ns), 10 * US, 100 * S,
     "instead of sleep: a cycle starts at each multiple of this time; missed ones are skipped"},
    {"jitter", "PERCENT", WORD_NUMBER, ROLE(jitter_percent), 1, 100,
     "run, sleep and child vary by up to this percentage, depending on the seed"},
    {"yields", "N", WORD_NUMBER, ROLE(yields), 1, 100000, "calls of sched_yield() after the run"},
    {"forks", "N", WORD_NUMBER, ROLE(forks), 1, 64, "child processes per cycle; the task waits for their end"},
    {"child", "TIME", WORD_TIME, ROLE(child_ns), US, 10 * S, "CPU time of each child process"},
    {"wake", "ROLE", WORD_NAME, ROLE(wake), 0, 0,
     "wake ROLE at the end of a cycle, by a pipe; each cycle of ROLE waits for such a wakeup"},
    {"cpus", "LIST", WORD_CPUS, ROLE(cpus), 0, 0,
     "CPUs that its tasks may use, as indexes into the CPUs of the run: 0, 0-1, 0+2"},
    {"churn", "N", WORD_NUMBER_OR_ONE, ROLE(churn), 1, 64,
     "after each cycle a task binds itself to the next N of its CPUs (default: 1)"},
    {"signals", "TIME", WORD_TIME, ROLE(signal_ns), 10 * US, 10 * S,
     "interval of a timer signal, which interrupts the task's sleep for a moment"},
    {"memory", "MB", WORD_NUMBER, ROLE(memory_mb), 1, 256,
     "memory of each task, in MB: a cycle writes to each page of it, after the run"},
    {"policy", "POLICY", WORD_POLICY, ROLE(policy), 0, 0, "other (default), batch, idle, fifo, rr, deadline"},
    {"nice", "N", WORD_SIGNED, ROLE(nice), -20, 19, "nice value, for policy other or batch"},
    {"slice", "TIME", WORD_TIME, ROLE(slice_ns), 100 * US, 100 * MS,
     "custom slice, for policy other or batch; Linux 6.12 or later"},
    {"priority", "N", WORD_NUMBER, ROLE(priority), 1, 99, "real-time priority, for policy fifo or rr (default: 1)"},
    {"budget", "TIME", WORD_TIME, ROLE(budget_ns), 10 * US, S,
     "for policy deadline: CPU time per period; the period is every=TIME"},
    {"deadline", "TIME", WORD_TIME, ROLE(deadline_ns), 10 * US, S,
     "for policy deadline: relative deadline (default: the period)"},
    {"clamp", "MIN/MAX", WORD_CLAMP, ROLE(clamp_min), 0, 1024,
     "utilization clamps (uclamp), of 1024; a kernel with UCLAMP_TASK"},
    {"group", "GROUP", WORD_PATH, ROLE(group), 0, 0, "cgroup of its tasks; it needs an entry 'group GROUP'"},
    {0},
};

static const struct word group_words[] = {
    {"weight", "N", WORD_NUMBER, GROUP(weight), 1, 10000, "of a group: cpu.weight (default: 100)"},
    {"quota", "TIME/TIME", WORD_QUOTA, GROUP(quota_ns), MS, S, "of a group: CPU time per period (cpu.max)"},
    {"burst", "TIME", WORD_TIME, GROUP(burst_ns), MS, S,
     "of a group with a quota: max unused CPU time that later periods may use (cpu.max.burst)"},
    {0},
};

const char *mix_word(size_t number, struct buffer *meaning)
{
	static char text[64];
	const size_t roles = sizeof(role_words) / sizeof(*role_words) - 1;
	const struct word *word = number < roles ? &role_words[number] : &group_words[number - roles];

	if (!word->name)
		return NULL;
	buffer_text(meaning, word->meaning);
	snprintf(text, sizeof(text), word->kind == WORD_NUMBER_OR_ONE ? "%s[=%s]" : "%s=%s", word->name,
		 word->argument);
	return text;
}

/* --- Reading --- */

struct reading {
	struct mix *mix;
	const char *where;
	struct error *err;
	char item[96]; /* "role 'burn'", for errors */
	char text[MIX_TEXT_MAX + 1];
};

static enum status refuse(const struct reading *reading, const char *word, const char *what)
{
	return error_set(reading->err, STATUS_USAGE, reading->where, "%s%s'%.60s': %s", reading->item,
			 reading->item[0] ? ": " : "", word, what);
}

static void add_time(struct buffer *out, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	buffer_printf(out, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
}

static void add_bound(const struct word *word, double value, struct buffer *out)
{
	if (word->kind == WORD_TIME || word->kind == WORD_QUOTA)
		add_time(out, (uint64_t)value);
	else
		buffer_printf(out, "%.0f", value);
}

static enum status refuse_value(const struct reading *reading, const struct word *word, const char *given)
{
	struct buffer expected = {0};

	if (word->kind == WORD_POLICY)
		buffer_text(&expected, "expected other, batch, idle, fifo, rr or deadline");
	else if (word->kind == WORD_CPUS)
		buffer_text(&expected, "expected numbers of CPUs, such as 0, 0-1 or 0+2");
	else if (word->kind == WORD_NAME || word->kind == WORD_PATH)
		buffer_text(&expected, "expected a name");
	else if (word->kind == WORD_CLAMP)
		buffer_text(&expected, "expected min/max of 1024, such as 200/600");
	else {
		buffer_text(&expected, word->kind == WORD_QUOTA  ? "expected a time per period, such as 5ms/20ms, each "
				       : word->kind == WORD_TIME ? "expected a time with its unit, "
								 : "expected a whole number, ");
		add_bound(word, word->min, &expected);
		buffer_text(&expected, " to ");
		add_bound(word, word->max, &expected);
	}
	enum status status = refuse(reading, given, expected.data);
	buffer_free(&expected);
	return status;
}

static bool read_time(const struct word *word, const char *text, uint64_t *ns)
{
	double value;

	/* A time needs a unit. */
	if (!*text || !isalpha((unsigned char)text[strlen(text) - 1]) || !number_parse_with_unit(text, "ns", &value) ||
	    !(value >= word->min && value <= word->max))
		return false;
	*ns = (uint64_t)(value + 0.5);
	return true;
}

static bool read_quota(const struct word *word, char *text, struct mix_group *group)
{
	char *slash = strchr(text, '/');

	if (!slash)
		return false;
	*slash = '\0';
	bool is_read = read_time(word, text, &group->quota_ns) && read_time(word, slash + 1, &group->period_ns);
	*slash = '/';
	return is_read;
}

static bool read_clamp(const struct word *word, char *text, struct mix_role *role)
{
	char *slash = strchr(text, '/');
	uint64_t min, max;

	if (!slash)
		return false;
	*slash = '\0';
	if (!number_parse_u64(text, &min) || !number_parse_u64(slash + 1, &max) || min > max || max == 0 ||
	    (double)max > word->max)
		return false;
	role->clamp_min = (unsigned int)min;
	role->clamp_max = (unsigned int)max;
	return true;
}

static bool read_number(const struct word *word, char *text, unsigned int *number)
{
	uint64_t value;
	size_t length = strlen(text);

	if (word->offset == ROLE(jitter_percent) && length && text[length - 1] == '%')
		text[length - 1] = '\0';
	if (!number_parse_u64(text, &value) || (double)value < word->min || (double)value > word->max)
		return false;
	*number = (unsigned int)value;
	return true;
}

static bool read_signed(const struct word *word, const char *text, int *number)
{
	int64_t value;

	if (!number_parse_i64(text, &value) || (double)value < word->min || (double)value > word->max)
		return false;
	*number = (int)value;
	return true;
}

static bool read_policy(const char *text, unsigned int *policy)
{
	for (*policy = 0; mix_policy_names[*policy]; ++*policy)
		if (strcmp(mix_policy_names[*policy], text) == 0)
			return true;
	*policy = MIX_OTHER;
	return false;
}

static bool read_cpus(char *text, cpu_set_t *cpus)
{
	for (char *at = text; *at; at++)
		if (*at == '+')
			*at = ',';
	return cpu_list_parse(text, cpus) && CPU_COUNT(cpus) > 0;
}

/* A name starts with a letter: a number is the task count of a role. */
static bool is_name(const char *text, size_t length)
{
	return isalpha((unsigned char)*text) && strspn(text, label_letters) >= length;
}

static bool read_name(const char *text, char *name, size_t size)
{
	if (strlen(text) >= size || !is_name(text, strlen(text)))
		return false;
	snprintf(name, size, "%s", text);
	return true;
}

static bool read_path(const char *text, char *path)
{
	const char *part = text;

	for (size_t length; is_name(part, length = strcspn(part, "/")); part += length + 1) {
		if (part[length])
			continue;
		snprintf(path, MIX_PATH_SIZE, "%.*s", MIX_PATH_SIZE - 1, text);
		return strlen(text) < MIX_PATH_SIZE;
	}
	return false;
}

static bool read_value(const struct word *word, char *text, void *base)
{
	void *at = (char *)base + word->offset;

	switch (word->kind) {
	case WORD_TIME:
		return read_time(word, text, at);
	case WORD_NUMBER:
	case WORD_NUMBER_OR_ONE:
		return read_number(word, text, at);
	case WORD_SIGNED:
		return read_signed(word, text, at);
	case WORD_POLICY:
		return read_policy(text, at);
	case WORD_CPUS:
		return read_cpus(text, at);
	case WORD_NAME:
		return read_name(text, at, MIX_NAME_SIZE);
	case WORD_PATH:
		return read_path(text, at);
	case WORD_QUOTA:
		return read_quota(word, text, base);
	case WORD_CLAMP:
		return read_clamp(word, text, base);
	}
	return false;
}

static enum status refuse_word(const struct reading *reading, const struct word *words, const char *given)
{
	const char *names[sizeof(role_words) / sizeof(*role_words)] = {NULL};
	size_t count = 0;

	for (const struct word *word = words; word->name; word++)
		names[count++] = word->name;
	const char *near = nearest_name(given, names);
	refuse(reading, given, "not a word of a mix");
	if (near)
		return error_remedy(reading->err, "did you mean '%s'? (picknext help mixes)", near);
	return error_remedy(reading->err, "picknext help mixes shows all words");
}

/* One "name=value" or name alone. */
static enum status read_word(const struct reading *reading, const struct word *words, char *given, void *base,
			     uint64_t *seen)
{
	const size_t length = strcspn(given, "=");
	const char *value = given[length] ? given + length + 1 : NULL;
	const struct word *word = words;
	char copy[256];

	while (word->name && !(strncmp(word->name, given, length) == 0 && !word->name[length]))
		word++;
	if (!word->name) {
		given[length] = '\0';
		return refuse_word(reading, words, given);
	}
	if (*seen & UINT64_C(1) << (word - words))
		return refuse(reading, given, "given twice");
	*seen |= UINT64_C(1) << (word - words);
	if (!value && word->kind == WORD_NUMBER_OR_ONE)
		value = "1";
	snprintf(copy, sizeof(copy), "%s", value ? value : "");
	if (!value || strlen(value) >= sizeof(copy) || !read_value(word, copy, base))
		return refuse_value(reading, word, given);
	return STATUS_OK;
}

static enum status read_words(const struct reading *reading, const struct word *words, char **rest, void *base)
{
	enum status status = STATUS_OK;
	uint64_t seen = 0;

	for (char *word; status == STATUS_OK && (word = strtok_r(NULL, " \t\r", rest));)
		status = read_word(reading, words, word, base, &seen);
	return status;
}

static enum status read_group(struct reading *reading, char **rest)
{
	struct mix *mix = reading->mix;
	const char *path = strtok_r(NULL, " \t\r", rest);

	if (mix->group_count == MIX_GROUPS_MAX)
		return error_set(reading->err, STATUS_USAGE, reading->where, "more than %d groups", MIX_GROUPS_MAX);
	struct mix_group *group = &mix->groups[mix->group_count++];
	*group = (struct mix_group){.weight = 100};
	if (!path || !read_path(path, group->path))
		return refuse(reading, path ? path : "group", "expected the name of a group, such as web or web/batch");
	snprintf(reading->item, sizeof(reading->item), "group '%s'", group->path);
	return read_words(reading, group_words, rest, group);
}

static enum status read_role(struct reading *reading, const char *first, char **rest)
{
	struct mix *mix = reading->mix;
	uint64_t count = 1;
	bool has_count = isdigit((unsigned char)*first);
	const char *name = has_count ? strtok_r(NULL, " \t\r", rest) : first;

	if (mix->role_count == MIX_ROLES_MAX)
		return error_set(reading->err, STATUS_USAGE, reading->where, "more than %d roles", MIX_ROLES_MAX);
	struct mix_role *role = &mix->roles[mix->role_count++];
	*role = (struct mix_role){.count = 1};
	if (has_count && (!number_parse_u64(first, &count) || count == 0 || count > MIX_TASKS_MAX))
		return refuse(reading, first, "not a number of tasks, from 1 to 256");
	role->count = (unsigned int)count;
	if (!name || !read_name(name, role->name, sizeof(role->name)))
		return refuse(reading, name ? name : first,
			      "expected the name of a role: at most 15 letters, digits, '_', '-', '+', '.'");
	snprintf(reading->item, sizeof(reading->item), "role '%s'", role->name);
	return read_words(reading, role_words, rest, role);
}

static enum status read_seconds(const struct reading *reading, char **rest)
{
	static const struct word word = {.name = "for", .kind = WORD_TIME, .min = 10 * MS, .max = 1000 * S};
	const char *text = strtok_r(NULL, " \t\r", rest);
	uint64_t ns;

	if (!text || !read_time(&word, text, &ns) || strtok_r(NULL, " \t\r", rest))
		return refuse_value(reading, &word, text ? text : "for");
	reading->mix->seconds = (double)ns / 1e9;
	return STATUS_OK;
}

static enum status read_label(const struct reading *reading, char **rest)
{
	const char *text = strtok_r(NULL, " \t\r", rest);

	if (!text || !read_name(text, reading->mix->label, MIX_LABEL_SIZE) || strtok_r(NULL, " \t\r", rest))
		return refuse(reading, text ? text : "name",
			      "expected one name: at most 31 letters, digits, '_', '-', '+', '.'");
	return STATUS_OK;
}

bool mix_read_label(const char *text, struct mix *mix)
{
	return read_name(text, mix->label, sizeof(mix->label));
}

static enum status read_item(struct reading *reading, char *item)
{
	char *rest;
	const char *first = strtok_r(item, " \t\r", &rest);

	reading->item[0] = '\0';
	if (!first)
		return STATUS_OK;
	if (strcmp(first, "for") == 0)
		return read_seconds(reading, &rest);
	if (strcmp(first, "name") == 0)
		return read_label(reading, &rest);
	return strcmp(first, "group") == 0 ? read_group(reading, &rest) : read_role(reading, first, &rest);
}

enum status mix_parse(const char *text, const char *where, struct mix *mix, struct error *err)
{
	struct reading reading = {.mix = mix, .where = where, .err = err};
	enum status status = STATUS_OK;
	char *rest;

	*mix = (struct mix){.seconds = MIX_SECONDS};
	if (strlen(text) > MIX_TEXT_MAX)
		return error_set(err, STATUS_USAGE, where, "a mix has at most %d characters", MIX_TEXT_MAX);
	snprintf(reading.text, sizeof(reading.text), "%s", text);
	for (char *item = strtok_r(reading.text, ";\n", &rest); item && status == STATUS_OK;
	     item = strtok_r(NULL, ";\n", &rest))
		status = read_item(&reading, item);
	return status == STATUS_OK ? mix_check(mix, where, err) : status;
}

/* --- Writing --- */

static void add_cpus(const cpu_set_t *cpus, struct buffer *out)
{
	char text[4096];

	cpu_list_text(cpus, text, sizeof(text));
	for (char *at = text; *at; at++)
		if (*at == ',')
			*at = '+';
	buffer_text(out, text);
}

static bool is_default(const struct word *word, const void *base)
{
	const void *at = (const char *)base + word->offset;

	switch (word->kind) {
	case WORD_TIME:
	case WORD_QUOTA:
		return *(const uint64_t *)at == 0;
	case WORD_CLAMP:
		return ((const struct mix_role *)base)->clamp_max == 0;
	case WORD_CPUS:
		return CPU_COUNT((const cpu_set_t *)at) == 0;
	case WORD_NAME:
	case WORD_PATH:
		return *(const char *)at == '\0';
	default:
		return *(const int *)at == 0 || (word->offset == GROUP(weight) && word->kind == WORD_NUMBER &&
						 word->max == group_words[0].max && *(const int *)at == 100);
	}
}

static void add_value(const struct word *word, const void *base, struct buffer *out)
{
	const void *at = (const char *)base + word->offset;
	const struct mix_group *group = base;
	const struct mix_role *role = base;

	if (word->kind == WORD_TIME)
		add_time(out, *(const uint64_t *)at);
	else if (word->kind == WORD_CPUS)
		add_cpus(at, out);
	else if (word->kind == WORD_POLICY)
		buffer_text(out, mix_policy_names[*(const unsigned int *)at]);
	else if (word->kind == WORD_NAME || word->kind == WORD_PATH)
		buffer_text(out, at);
	else if (word->kind == WORD_QUOTA) {
		add_time(out, group->quota_ns);
		buffer_text(out, "/");
		add_time(out, group->period_ns);
	} else if (word->kind == WORD_CLAMP)
		buffer_printf(out, "%u/%u", role->clamp_min, role->clamp_max);
	else
		buffer_printf(out, "%d", *(const int *)at);
}

static void add_words(const struct word *words, const void *base, struct buffer *out)
{
	for (const struct word *word = words; word->name; word++) {
		if (is_default(word, base))
			continue;
		buffer_printf(out, " %s", word->name);
		if (word->kind == WORD_NUMBER_OR_ONE && *(const unsigned int *)((const char *)base + word->offset) == 1)
			continue;
		buffer_text(out, "=");
		add_value(word, base, out);
	}
}

void mix_write(const struct mix *mix, struct buffer *out)
{
	if (mix->label[0])
		buffer_printf(out, "name %s; ", mix->label);
	if (mix->seconds != MIX_SECONDS) {
		buffer_text(out, "for ");
		add_time(out, (uint64_t)(mix->seconds * 1e9 + 0.5));
		buffer_text(out, "; ");
	}
	for (unsigned int i = 0; i < mix->group_count; i++) {
		buffer_printf(out, "group %s", mix->groups[i].path);
		add_words(group_words, &mix->groups[i], out);
		buffer_text(out, "; ");
	}
	for (unsigned int i = 0; i < mix->role_count; i++) {
		buffer_printf(out, "%s%u %s", i ? "; " : "", mix->roles[i].count, mix->roles[i].name);
		add_words(role_words, &mix->roles[i], out);
	}
}
