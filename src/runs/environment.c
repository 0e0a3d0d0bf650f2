/* SPDX-License-Identifier: MIT */
#include "compare/run_metrics_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/json.h"

#define METADATA_MOST ((size_t)4 << 20)

const struct environment_fact_kind environment_facts[FACT_COUNT] = {
    [FACT_KERNEL] = {"kernel", "kernel", false},
    [FACT_KERNEL_VERSION] = {"kernel_version", "kernel build", false},
    [FACT_ARCHITECTURE] = {"architecture", "architecture", true},
    [FACT_HZ] = {"hz", "HZ", true},
    [FACT_PREEMPTION] = {"preemption", "preemption mode", true},
    [FACT_MITIGATIONS] = {"mitigations", "mitigations", true},
    [FACT_CPUS] = {"cpus_workload", "CPUs of the workload", true},
    [FACT_TRACER_CPU] = {"cpu_tracer", "CPU of the tracer", true},
    [FACT_CLOCKSOURCE] = {"clocksource", "clock source", true},
    [FACT_TRACE_CLOCK] = {"trace_clock", "trace clock", true},
    [FACT_ACCELERATOR] = {"accelerator", "accelerator", true},
    [FACT_DETERMINISTIC] = {"deterministic", "deterministic", true},
    [FACT_IDENTITY] = {"identity", "identity", false},
    [FACT_SCALE] = {"scale", "scale", true},
    [FACT_SCRATCH] = {"scratch", "scratch device", true},
    [FACT_TUNABLES] = {"scheduler_tunables", "scheduler tunables", false},
    [FACT_COMMAND_LINE] = {"kernel_command_line", "kernel command line", false},
    [FACT_PICKNEXT] = {"picknext_version", "picknext", false},
};

/* As it is written, without zeros at the end of a fraction. */
static void add_number(struct buffer *text, const char *number)
{
	size_t length = strlen(number);

	if (strchr(number, '.') && !strpbrk(number, "eE")) {
		while (number[length - 1] == '0')
			length--;
		length -= number[length - 1] == '.';
	}
	buffer_add(text, number, length);
}

static void add_value(struct buffer *text, const struct json_value *value)
{
	switch (value->kind) {
	case JSON_TEXT:
		buffer_text(text, value->text);
		break;
	case JSON_NUMBER:
		add_number(text, value->text);
		break;
	case JSON_BOOL:
		buffer_text(text, value->number != 0 ? "yes" : "no");
		break;
	case JSON_OBJECT:
	case JSON_ARRAY:
		for (const struct json_value *item = value->child; item; item = item->next) {
			if (item->key && strcmp(item->key, "path") == 0)
				continue; /* of a file that was there for a moment */
			if (text->length)
				buffer_text(text, " ");
			if (value->kind == JSON_OBJECT)
				buffer_printf(text, "%s=", item->key);
			add_value(text, item);
		}
		break;
	case JSON_NULL:
		break;
	}
}

static bool take_text(struct recorded_run *run, enum environment_fact fact, struct buffer *text)
{
	if (!text->failed && text->length) {
		free(run->facts[fact]);
		run->facts[fact] = strdup(text->data);
		text->failed = !run->facts[fact];
	}
	bool ok = !text->failed;
	buffer_free(text);
	return ok;
}

static bool take_fact(struct recorded_run *run, enum environment_fact fact, const struct json_value *value)
{
	struct buffer text = {0};

	if (value)
		add_value(&text, value);
	return take_text(run, fact, &text);
}

/* The last word of the kernel's command line that begins so. */
static bool take_argument(struct recorded_run *run, const char *line, const char *argument)
{
	struct buffer text = {0};
	const char *found = NULL;

	for (const char *at = strstr(line, argument); at; at = strstr(at + 1, argument))
		if (at == line || at[-1] == ' ')
			found = at + strlen(argument);
	if (found)
		buffer_add(&text, found, strcspn(found, " "));
	else
		buffer_text(&text, "default");
	return take_text(run, FACT_MITIGATIONS, &text);
}

static bool take_deterministic(struct recorded_run *run, const struct json_value *given)
{
	struct buffer text = {0};

	buffer_text(&text, given && given->kind == JSON_OBJECT ? "yes" : "no");
	return take_text(run, FACT_DETERMINISTIC, &text) &&
	       take_fact(run, FACT_IDENTITY, json_member(given, "identity"));
}

static bool take_version(struct recorded_run *run, const struct json_value *json)
{
	struct buffer text = {0};
	const char *version = json_member_text(json, "picknext_version", NULL);
	const char *commit = json_member_text(json, "picknext_commit", NULL);

	if (version)
		buffer_printf(&text, "%s%s%s", version, commit ? " " : "", commit ? commit : "");
	return take_text(run, FACT_PICKNEXT, &text);
}

static bool take_word(struct recorded_run *run, enum environment_fact fact, const char *word)
{
	struct buffer text = {0};

	buffer_text(&text, word);
	return take_text(run, fact, &text);
}

/* What a JSON says by null, or shorter than people can know. */
static bool put_in_words(struct recorded_run *run, const struct json_value *json)
{
	static const struct {
		enum environment_fact fact;
		const char *word;
	} nulls[] = {{FACT_ACCELERATOR, "none, not a guest"}, {FACT_TRACER_CPU, "none of its own"}};
	const struct json_value *scratch = json_member(json, environment_facts[FACT_SCRATCH].name);
	const char *kind = json_member_text(scratch, "kind", NULL);
	const char *system = json_member_text(scratch, "file_system", NULL);
	struct buffer text = {0};

	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++) {
		const struct json_value *value = json_member(json, environment_facts[nulls[i].fact].name);
		if (value && value->kind == JSON_NULL && !take_word(run, nulls[i].fact, nulls[i].word))
			return false;
	}
	if (run->facts[FACT_PREEMPTION] && strcmp(run->facts[FACT_PREEMPTION], "dynamic") == 0 &&
	    !take_word(run, FACT_PREEMPTION, "chosen at boot, not known"))
		return false;
	if (kind)
		buffer_printf(&text, "%s%s%s", kind, system ? " on " : "", system ? system : "");
	return take_text(run, FACT_SCRATCH, &text);
}

static bool take_facts(struct recorded_run *run, const struct json_value *json)
{
	const char *line = json_member_text(json, "kernel_command_line", NULL);
	bool ok = true;

	for (enum environment_fact fact = 0; fact < FACT_COUNT && ok; fact++)
		if (fact != FACT_DETERMINISTIC && fact != FACT_IDENTITY && fact != FACT_PICKNEXT)
			ok = take_fact(run, fact, json_member(json, environment_facts[fact].name));
	if (ok && line && !run->facts[FACT_MITIGATIONS])
		ok = take_argument(run, line, "mitigations=");
	return ok && put_in_words(run, json) && take_version(run, json) &&
	       take_deterministic(run, json_member(json, "deterministic"));
}

static int compare_pids(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left;
	int32_t b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

static void add_root(struct recorded_run *run, const struct json_value *pid)
{
	if (pid && pid->kind == JSON_NUMBER && pid->number >= 1 && pid->number <= INT32_MAX)
		run->roots[run->root_count++] = (int32_t)pid->number;
}

/* The command, or the threads that record --pid was given. A flight recording begins behind the birth of most of what
 * they made: it has none. False when memory ran out. */
static bool take_roots(struct recorded_run *run, const struct json_value *json)
{
	const struct json_value *threads = json_member(json, "threads");
	const struct json_value *flight = json_member(json, "flight_seconds");
	size_t most = 1;

	if (flight && flight->kind == JSON_NUMBER)
		return true;
	threads = threads && threads->kind == JSON_ARRAY ? threads->child : NULL;
	for (const struct json_value *thread = threads; thread; thread = thread->next)
		most++;
	run->roots = calloc(most, sizeof(*run->roots));
	if (!run->roots)
		return false;
	add_root(run, json_member(json, "command_pid"));
	for (const struct json_value *thread = threads; thread; thread = thread->next)
		add_root(run, thread);
	qsort(run->roots, run->root_count, sizeof(*run->roots), compare_pids);
	return true;
}

static void take_setting(const struct json_value *json, struct run_setting *setting)
{
	const struct json_value *throughput = json_member(json, "work_per_second");
	const char *cpus = json_member_text(json, "cpus_workload", NULL);
	cpu_set_t set;

	if (throughput && throughput->kind == JSON_NUMBER && throughput->number > 0 && isfinite(throughput->number))
		setting->throughput = throughput->number;
	if (!cpus || !cpu_list_parse(cpus, &set) || CPU_COUNT(&set) == 0)
		return;
	setting->has_cpus = true;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			setting->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static void take_host_wait(struct recorded_run *run, const struct json_value *json)
{
	const struct json_value *share = json_member(json, "host_wait_share");

	if (share && share->kind == JSON_NUMBER && share->number >= 0 && share->number <= 1)
		run->host_wait_share = share->number;
}

enum status environment_read(const char *path, struct recorded_run *run, struct run_setting *setting, struct error *err)
{
	struct buffer text = {0};
	struct json_value *json = NULL;
	struct error failure = {0};

	*setting = (struct run_setting){.throughput = NAN};
	run->host_wait_share = NAN;
	enum status status = file_read(path, METADATA_MOST, &text, &failure);
	run->has_metadata = status == STATUS_OK;
	if (status == STATUS_OK)
		status = json_parse(text.data, text.length, path, &json, &failure);
	if (status == STATUS_OK) {
		take_setting(json, setting);
		take_host_wait(run, json);
		if (!take_facts(run, json) || !take_roots(run, json))
			status = error_system(&failure, ENOMEM, path, "cannot keep what it says");
	} else if (status == STATUS_SYSTEM && failure.errnum == ENOENT) {
		status = STATUS_OK;
	}
	if (status != STATUS_OK && err)
		*err = failure;
	json_free(json);
	buffer_free(&text);
	return status;
}
