/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/memory.h"
#include "runs/metadata.h"

#define METADATA_SIZE_MAX ((size_t)4 << 20)

static enum status refuse_key(const char *path, const char *key, const char *wanted, struct error *err)
{
	error_set(err, STATUS_CORRUPT, path, "the value of \"%s\" is not %s", key, wanted);
	return error_remedy(err, "correct or remove the file; without it the labels come from the name of the trace");
}

/* --- Values that may be missing --- */

static const char *text_of(const struct json_value *object, const char *key)
{
	return json_member_text(object, key, NULL);
}

static double real_of(const struct json_value *object, const char *key, double otherwise)
{
	const struct json_value *value = json_member(object, key);

	return value && value->kind == JSON_NUMBER && isfinite(value->number) ? value->number : otherwise;
}

static uint64_t count_of(const struct json_value *object, const char *key)
{
	uint64_t count = 0;

	return json_member_u64(object, key, &count) ? count : 0;
}

/* Seconds with up to nine decimals; 0 unless they fit. */
static uint64_t ns_of(const struct json_value *object, const char *key)
{
	double seconds = real_of(object, key, 0);

	return seconds > 0 && seconds < 1.8e10 ? (uint64_t)llround(seconds * 1e9) : 0;
}

static size_t count_items(const struct json_value *list)
{
	size_t count = 0;

	for (const struct json_value *item = list ? list->child : NULL; item; item = item->next)
		count++;
	return count;
}

static const struct json_value *list_of(const struct json_value *object, const char *key, enum json_kind kind)
{
	const struct json_value *list = json_member(object, key);

	return list && list->kind == kind ? list : NULL;
}

static pid_t pid_of(const struct json_value *value)
{
	bool is_pid = value && value->kind == JSON_NUMBER && value->number >= 1 && value->number <= INT32_MAX;

	return is_pid ? (pid_t)value->number : 0;
}

/* --- Labels and losses: checked --- */

static enum status read_label(const struct json_value *json, const char *key, const char *path, const char **text,
			      struct error *err)
{
	const struct json_value *value = json_member(json, key);

	if (value && value->kind != JSON_TEXT)
		return refuse_key(path, key, "a text", err);
	*text = value ? value->text : NULL;
	return STATUS_OK;
}

static enum status read_count(const struct json_value *object, const char *key, const char *path, uint64_t *count,
			      struct error *err)
{
	if (json_member(object, key) && !json_member_u64(object, key, count))
		return refuse_key(path, key, "a count", err);
	return STATUS_OK;
}

static enum status read_buffer(const struct json_value *json, const char *path, struct ring_stats *buffer,
			       struct error *err)
{
	const struct {
		const char *key;
		uint64_t *count;
	} counts[] = {{"overrun", &buffer->overrun},
		      {"commit_overrun", &buffer->commit_overrun},
		      {"dropped_events", &buffer->dropped_events}};
	enum status status = STATUS_OK;
	uint64_t cpu;

	if (!json_member_u64(json, "cpu", &cpu) || cpu > UINT32_MAX)
		return refuse_key(path, "cpu", "the number of a CPU", err);
	buffer->cpu = (uint32_t)cpu;
	buffer->entries = count_of(json, "entries");
	buffer->has_overwritten = json_member_u64(json, "overwritten", &buffer->overwritten);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && status == STATUS_OK; i++)
		status = read_count(json, counts[i].key, path, counts[i].count, err);
	return status;
}

static enum status read_buffers(const struct json_value *json, const char *path, struct run_metadata *metadata,
				struct error *err)
{
	const struct json_value *buffers = json_member(json, "buffers");
	enum status status = STATUS_OK;

	if (!buffers || buffers->kind == JSON_NULL)
		return STATUS_OK;
	if (buffers->kind != JSON_ARRAY)
		return refuse_key(path, "buffers", "an array", err);
	metadata->buffers = xcalloc(count_items(buffers) + 1, sizeof(*metadata->buffers));
	for (const struct json_value *item = buffers->child; item && status == STATUS_OK; item = item->next)
		status = read_buffer(item, path, &metadata->buffers[metadata->buffer_count++], err);
	return status;
}

static void read_losses(const struct json_value *json, struct losses *losses)
{
	const struct json_value *list = list_of(json, "losses", JSON_ARRAY);
	size_t count = count_items(list);

	losses->items = array_grow(NULL, &losses->capacity, count, sizeof(*losses->items));
	for (const struct json_value *item = list ? list->child : NULL; item; item = item->next) {
		uint64_t cpu;
		if (json_member_u64(item, "cpu", &cpu) && cpu <= UINT32_MAX)
			losses->items[losses->count++] = (struct loss){.cpu = (uint32_t)cpu,
								       .events = count_of(item, "events"),
								       .after_ns = ns_of(item, "after"),
								       .before_ns = ns_of(item, "before")};
	}
}

/* --- The machine --- */

static void read_tunables(const struct json_value *json, struct run_host *host)
{
	const struct json_value *tunables = list_of(json, "scheduler_tunables", JSON_OBJECT);

	host->tunables = xcalloc(count_items(tunables) + 1, sizeof(*host->tunables));
	for (const struct json_value *item = tunables ? tunables->child : NULL; item; item = item->next)
		if (item->kind == JSON_TEXT || item->kind == JSON_NUMBER)
			host->tunables[host->tunable_count++] = (struct run_tunable){item->key, item->text};
}

static void read_cpu_list(const struct json_value *json, const char *key, cpu_set_t *set)
{
	const char *text = text_of(json, key);

	if (!text || !cpu_list_parse(text, set))
		CPU_ZERO(set);
}

static void read_cpus(const struct json_value *json, struct run_host *host)
{
	const struct json_value *tracer = json_member(json, "cpu_tracer");
	uint64_t cpu;

	host->cpu_count = (unsigned int)count_of(json, "num_cpus");
	read_cpu_list(json, "cpus_online", &host->cpus_online);
	read_cpu_list(json, "cpus_isolated", &host->cpus_isolated);
	read_cpu_list(json, "cpus_workload", &host->cpus_workload);
	host->tracer_cpu = json_member_u64(json, "cpu_tracer", &cpu) && cpu <= INT_MAX ? (int)cpu : -1;
	host->has_tracer_cpu = tracer && (tracer->kind == JSON_NULL || host->tracer_cpu >= 0);
}

static void read_host(const struct json_value *json, struct run_host *host)
{
	const struct {
		const char *key;
		const char **text;
	} texts[] = {
	    {"collected_at", &host->collected_at},
	    {"hostname", &host->hostname},
	    {"kernel", &host->kernel},
	    {"kernel_version", &host->kernel_version},
	    {"architecture", &host->architecture},
	    {"kernel_command_line", &host->command_line},
	    {"preemption", &host->preemption},
	    {"clocksource", &host->clocksource},
	    {"mitigations", &host->mitigations},
	    {"picknext_version", &host->picknext_version},
	    {"picknext_commit", &host->picknext_commit},
	};
	uint64_t hz = count_of(json, "hz");

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i].text = text_of(json, texts[i].key);
	host->hz = hz <= UINT_MAX ? (unsigned int)hz : 0;
	read_cpus(json, host);
	read_tunables(json, host);
}

static void read_scheduler(const struct json_value *json, struct run_scheduler *scheduler)
{
	const struct json_value *object = list_of(json, "scheduler", JSON_OBJECT);
	const struct json_value *events = list_of(object, "events", JSON_OBJECT);
	const struct json_value *all = json_member(object, "switch_all");

	*scheduler = (struct run_scheduler){
	    .is_known = object,
	    .given = text_of(object, "given"),
	    .ops = text_of(object, "ops"),
	    .subs = text_of(object, "sub_ops"),
	    .state = text_of(object, "state"),
	    .enable_seq = count_of(object, "enable_seq"),
	    .enable_seq_after = count_of(object, "enable_seq_after"),
	    .switch_all = all && all->kind == JSON_BOOL && all->number != 0,
	    .nr_rejected = count_of(object, "nr_rejected"),
	    .isolation = text_of(object, "isolation"),
	    .tracer_policy = text_of(object, "tracer_policy"),
	    .ejection = text_of(object, "ejection"),
	    .events = xcalloc(count_items(events) + 1, sizeof(*scheduler->events)),
	};
	for (const struct json_value *item = events ? events->child : NULL; item; item = item->next)
		if (item->kind == JSON_NUMBER && item->number >= 0 && item->number < 0x1p64)
			scheduler->events[scheduler->event_count++] =
			    (struct run_scheduler_event){item->key, (uint64_t)item->number};
}

/* --- What ran --- */

static void read_command(const struct json_value *json, struct run_command *command)
{
	const struct json_value *arguments = list_of(json, "command", JSON_ARRAY);
	double code = real_of(json, "command_exit_code", NAN);
	size_t count = 0;

	command->pid = pid_of(json_member(json, "command_pid"));
	command->has_exit_code = code >= INT_MIN && code <= INT_MAX && code == trunc(code);
	command->exit_code = command->has_exit_code ? (int)code : 0;
	if (!arguments)
		return;
	char **texts = xcalloc(count_items(arguments) + 1, sizeof(*texts));
	command->arguments = texts;
	for (const struct json_value *item = arguments->child; item; item = item->next)
		if (item->kind == JSON_TEXT)
			texts[count++] = item->text;
}

static void read_work(const struct json_value *json, struct run_metadata *metadata)
{
	struct run_work *work = &metadata->work;
	const struct json_value *scratch = json_member(json, "scratch");
	const struct json_value *accelerator = json_member(json, "accelerator");

	metadata->has_work = text_of(json, "work_unit");
	*work = (struct run_work){
	    .parameters = text_of(json, "parameters"),
	    .scale = real_of(json, "scale", (double)NAN),
	    .loops = count_of(json, "loops"),
	    .timed_s = real_of(json, "timed_seconds", (double)NAN),
	    .tasks = count_of(json, "tasks"),
	    .work_done = count_of(json, "work_done"),
	    .work_unit = text_of(json, "work_unit"),
	    .elapsed_s = real_of(json, "elapsed_seconds", 0),
	    .voluntary_switches = count_of(json, "voluntary_switches"),
	    .involuntary_switches = count_of(json, "involuntary_switches"),
	    .accelerator = text_of(json, "accelerator"),
	    .scratch = {text_of(scratch, "kind"), text_of(scratch, "path"), text_of(scratch, "file_system")},
	};
	metadata->has_accelerator = accelerator && (accelerator->kind == JSON_NULL || work->accelerator);
}

static void read_recording(const struct json_value *json, struct run_metadata *metadata)
{
	struct run_recording *recording = &metadata->recording;
	const struct json_value *threads = list_of(json, "threads", JSON_ARRAY);
	const struct json_value *names = list_of(json, "event_names", JSON_ARRAY);

	recording->ended_by = text_of(json, "ended_by");
	recording->flight_s = real_of(json, "flight_seconds", 0);
	recording->complete_ns = ns_of(json, "complete_from");
	recording->marks = count_of(json, "marks");
	metadata->has_recording = recording->ended_by;
	recording->threads = xcalloc(count_items(threads) + 1, sizeof(*recording->threads));
	recording->event_names = xcalloc(count_items(names) + 1, sizeof(*recording->event_names));
	for (const struct json_value *item = threads ? threads->child : NULL; item; item = item->next)
		if (pid_of(item))
			recording->threads[recording->thread_count++] = pid_of(item);
	for (const struct json_value *item = names ? names->child : NULL; item; item = item->next)
		if (item->kind == JSON_TEXT)
			recording->event_names[recording->event_count++] = item->text;
}

/* 0 is a value: a run that did nothing. */
static enum status read_throughput(const struct json_value *json, const char *path, struct run_metadata *metadata,
				   struct error *err)
{
	const struct json_value *value = json_member(json, "work_per_second");

	if (!value || value->kind == JSON_NULL)
		return STATUS_OK;
	if (value->kind != JSON_NUMBER || !isfinite(value->number) || value->number < 0)
		return refuse_key(path, "work_per_second", "a number from 0 on", err);
	metadata->work_per_second = value->number + 0.0; /* no -0 */
	return STATUS_OK;
}

static void read_added(const struct json_value *json, struct run_metadata *metadata)
{
	const struct json_value *deterministic = list_of(json, "deterministic", JSON_OBJECT);
	double share = real_of(json, "host_wait_share", (double)NAN);

	metadata->host_wait_share = share >= 0 && share <= 1 ? share : (double)NAN;
	metadata->is_deterministic = deterministic;
	metadata->identity = text_of(deterministic, "identity");
}

static void read_counts(const struct json_value *json, struct run_metadata *metadata)
{
	uint64_t drain_ms = count_of(json, "drain_ms");
	const struct json_value *realtime = json_member(json, "drain_realtime");

	metadata->trace_id = text_of(json, "trace_id");
	metadata->description = text_of(json, "description");
	metadata->start_s = real_of(json, "start_time", 0);
	metadata->duration_s = real_of(json, "duration_seconds", 0);
	metadata->switches = count_of(json, "sched_switch_events");
	metadata->events = count_of(json, "events");
	metadata->buffer_size_kb = count_of(json, "buffer_size_kb");
	metadata->trace_clock = text_of(json, "trace_clock");
	metadata->drain_realtime = realtime && realtime->kind == JSON_BOOL && realtime->number != 0;
	metadata->drain_ms = drain_ms <= UINT_MAX ? (unsigned int)drain_ms : 0;
}

static enum status read_document(const char *path, struct run_metadata *metadata, struct error *err)
{
	const struct json_value *json = metadata->document;

	if (json->kind != JSON_OBJECT)
		return error_set(err, STATUS_CORRUPT, path, "line 1: not a JSON object");
	enum status status = read_label(json, "workload_name", path, &metadata->workload_name, err);
	if (status == STATUS_OK)
		status = read_label(json, "category", path, &metadata->category, err);
	if (status == STATUS_OK)
		status = read_buffers(json, path, metadata, err);
	if (status == STATUS_OK)
		status = read_count(json, "lost_events", path, &metadata->lost_events, err);
	if (status == STATUS_OK)
		status = read_throughput(json, path, metadata, err);
	if (status != STATUS_OK)
		return status;
	read_counts(json, metadata);
	read_work(json, metadata);
	read_added(json, metadata);
	read_losses(json, &metadata->losses);
	read_host(json, &metadata->host);
	read_scheduler(json, &metadata->scheduler);
	read_command(json, &metadata->command);
	read_recording(json, metadata);
	return STATUS_OK;
}

static void clear_metadata(struct run_metadata *metadata)
{
	*metadata = (struct run_metadata){.host.tracer_cpu = -1,
					  .work = {.scale = (double)NAN, .timed_s = (double)NAN},
					  .work_per_second = (double)NAN,
					  .host_wait_share = (double)NAN};
}

enum status run_metadata_parse(const char *text, size_t length, const char *path, struct run_metadata *metadata,
			       struct error *err)
{
	clear_metadata(metadata);
	enum status status = json_parse(text, length, path, &metadata->document, err);
	if (status == STATUS_OK)
		status = read_document(path, metadata, err);
	else if (status == STATUS_CORRUPT)
		error_remedy(err, "correct or remove the file; without it the labels come from the name of the trace");
	return status;
}

enum status run_metadata_read(const char *path, struct run_metadata *metadata, struct error *err)
{
	struct buffer text = {0};
	struct error failure = {0};

	clear_metadata(metadata);
	enum status status = file_read(path, METADATA_SIZE_MAX, &text, &failure);
	if (status == STATUS_OK)
		status = run_metadata_parse(text.data, text.length, path, metadata, &failure);
	else if (status == STATUS_SYSTEM && failure.errnum == ENOENT)
		status = STATUS_OK;
	if (status != STATUS_OK && err)
		*err = failure;
	buffer_free(&text);
	return status;
}

void run_metadata_free(struct run_metadata *metadata)
{
	losses_free(&metadata->losses);
	free(metadata->buffers);
	free(metadata->host.tunables);
	free((void *)(uintptr_t)metadata->command.arguments);
	free(metadata->recording.threads);
	free(metadata->recording.event_names);
	free(metadata->scheduler.events);
	json_free(metadata->document);
	clear_metadata(metadata);
}

void run_metadata_add_losses(const struct run_metadata *metadata, struct losses *losses)
{
	for (size_t i = 0; i < metadata->buffer_count; i++) {
		const struct ring_stats *buffer = &metadata->buffers[i];
		uint64_t lost = ring_stats_lost(buffer);
		if (lost)
			losses_add(losses, &(struct loss){.cpu = buffer->cpu, .events = lost});
	}
	uint64_t known = losses_events(losses);
	if (metadata->lost_events > known)
		losses_add(losses, &(struct loss){.cpu = LOSS_CPU_UNKNOWN, .events = metadata->lost_events - known});
}
