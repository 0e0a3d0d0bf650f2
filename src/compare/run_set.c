/* SPDX-License-Identifier: MIT */
#include "compare/run_set.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "compare/run_metrics_reader.h"
#include "compare/run_set_names.h"
#include "trace/input.h"
#include "workloads/table.h"

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot keep so many runs");
}

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The number behind the last "_run"; 0 where there is none. */
static uint64_t number_of(const char *id)
{
	uint64_t number = 0;
	const char *found = NULL;

	for (const char *at = strstr(id, "_run"); at; at = strstr(at + 1, "_run"))
		found = at + 4;
	for (; found && *found >= '0' && *found <= '9' && number < UINT64_MAX / 10 - 1; found++)
		number = number * 10 + (uint64_t)(*found - '0');
	return number;
}

static void free_run(struct recorded_run *run)
{
	free(run->id);
	free(run->path);
	free(run->workload);
	free(run->category);
	free(run->roots);
	for (size_t i = 0; i < FACT_COUNT; i++)
		free(run->facts[i]);
	run_metadata_free(&run->metadata);
	run_metrics_free(&run->metrics);
}

static void free_set(struct run_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free_run(&set->runs[i]);
	free(set->runs);
	free(set->operand);
	free(set->label);
}

void run_sets_free(struct run_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		free_set(&sets->items[i]);
	free(sets->items);
	*sets = (struct run_sets){0};
}

static enum status refuse_lossy(const struct recorded_run *run, struct error *err)
{
	error_set(err, STATUS_LOST, run->path, "lost events: its figures are not to be trusted");
	return error_remedy(err, "record it again, leave it out, or give --allow-lossy");
}

/* Moves the labels and the metadata out of found. */
static enum status take_run(struct run_set *set, struct run *found, const struct run_set_options *options,
			    struct error *err)
{
	struct recorded_run *run = &set->runs[set->count];
	struct run_setting setting;
	enum status status = STATUS_OK;

	*run = (struct recorded_run){.id = found->id,
				     .path = found->path,
				     .workload = found->workload_type,
				     .category = found->category,
				     .metadata = found->metadata,
				     .number = number_of(found->id)};
	found->id = found->path = found->workload_type = found->category = NULL;
	found->metadata = (struct run_metadata){0};
	set->count++;
	status = run_setting_make(run, &setting) ? run_read(run, &setting, err) : no_memory(err);
	run->is_lossy = run->is_lossy || loss_any(&found->loss);
	if (status == STATUS_OK && run->is_lossy && !options->allow_lossy)
		status = refuse_lossy(run, err);
	return status;
}

static enum status none_wanted(const struct run_list *traces, const char *path, struct error *err)
{
	struct buffer names = {0};

	for (size_t i = 0; i < traces->count; i++) {
		const char *name = traces->items[i].workload_type;
		if (!i || strcmp(name, traces->items[i - 1].workload_type) != 0)
			buffer_printf(&names, "%s%s", i ? ", " : "", name);
	}
	error_set(err, STATUS_USAGE, path, "has none of the workloads that were asked for");
	error_remedy(err, "it has %.400s", names.failed ? "others" : names.data);
	buffer_free(&names);
	return STATUS_USAGE;
}

static bool any_wanted(const struct run_list *runs, const struct run_set_options *options)
{
	for (size_t i = 0; i < runs->count; i++)
		if (!options->wants || options->wants(options->context, runs->items[i].workload_type))
			return true;
	return false;
}

static enum status read_directory(struct run_set *set, const char *path, const struct run_set_options *options,
				  struct error *err)
{
	char raw[PATH_MAX];
	struct run_list traces;
	enum status status = run_directory_of(path, raw, err);

	if (status == STATUS_OK)
		status = run_list_find(raw, NULL, &traces, err);
	if (status != STATUS_OK)
		return status;
	status = run_list_read_metadata(&traces, err);
	set->runs = calloc(traces.count, sizeof(*set->runs));
	if (status == STATUS_OK && !set->runs)
		status = no_memory(err);
	if (status == STATUS_OK && !any_wanted(&traces, options))
		status = none_wanted(&traces, path, err);
	for (size_t i = 0; i < traces.count && status == STATUS_OK; i++) {
		if (options->wants && !options->wants(options->context, traces.items[i].workload_type))
			continue;
		message_progress("reading %s: %zu of %zu", path, i + 1, traces.count);
		status = take_run(set, &traces.items[i], options, err);
	}
	message_progress_end();
	run_list_free(&traces);
	return status;
}

/* The labels of a single trace, whose JSON lies beside it, in directory. trace is to be freed whatever comes of it. */
static enum status label_file(const char *path, char directory[PATH_MAX], struct run *trace, struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	bool is_input = strcmp(path, "-") == 0;

	*trace = (struct run){.id = strndup(base, length), .path = strdup(path)};
	snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path + (slash == path)) : 1, slash ? path : ".");
	if (!trace->id || !trace->path)
		return no_memory(err);
	if (!is_input && access(path, F_OK) < 0)
		return error_system(err, errno, path, "cannot open");
	return run_read_metadata(trace, is_input ? NULL : directory, err);
}

/* called: what the trace is taken to be of, whatever it is called; NULL: its label. */
static enum status read_file(struct run_set *set, const char *path, const char *called,
			     const struct run_set_options *options, struct error *err)
{
	char directory[PATH_MAX];
	struct run trace;
	enum status status = label_file(path, directory, &trace, err);

	set->runs = calloc(1, sizeof(*set->runs));
	if (status == STATUS_OK && called) {
		free(trace.workload_type);
		trace.workload_type = strdup(called);
	}
	if (status == STATUS_OK && (!set->runs || !trace.workload_type))
		status = no_memory(err);
	if (status == STATUS_OK && options->wants && !options->wants(options->context, trace.workload_type)) {
		const struct run_list all = {.items = &trace, .count = 1};
		status = none_wanted(&all, path, err);
	}
	if (status == STATUS_OK)
		status = take_run(set, &trace, options, err);
	run_free(&trace);
	return status;
}

/* All operands are single traces, one or more of them runs of the same workload of picknext, and the others are of
 * none: the name of that. Else NULL. What cannot be read is told where it is read. */
static const char *find_common(char *const *operands, size_t count, bool *others)
{
	const char *name = NULL;
	bool is_one = true;

	*others = false;
	for (size_t i = 0; i < count && is_one; i++) {
		char directory[PATH_MAX];
		struct run trace;
		struct error failure = {0};
		const struct workload *workload = NULL;
		if (is_directory(operands[i]))
			return NULL;
		if (label_file(operands[i], directory, &trace, &failure) == STATUS_OK)
			workload = workload_find(trace.workload_type);
		run_free(&trace);
		*others |= !workload;
		is_one = !workload || !name || strcmp(workload->name, name) == 0;
		name = workload ? workload->name : name;
	}
	return is_one ? name : NULL;
}

static size_t rank_of(const char *workload)
{
	size_t rank = 0;

	while (workload_table[rank] && strcmp(workload_table[rank]->name, workload) != 0)
		rank++;
	return rank;
}

static int compare_runs(const void *left, const void *right)
{
	const struct recorded_run *a = left;
	const struct recorded_run *b = right;
	size_t rank_a = rank_of(a->workload);
	size_t rank_b = rank_of(b->workload);

	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	int order = strcmp(a->workload, b->workload);
	if (order == 0 && a->number != b->number)
		order = a->number < b->number ? -1 : 1;
	return order ? order : strcmp(a->id, b->id);
}

static enum status read_set(const char *path, const char *called, const struct run_set_options *options,
			    struct run_sets *sets, struct error *err)
{
	struct run_set *grown = realloc(sets->items, (sets->count + 1) * sizeof(*grown));

	if (!grown)
		return no_memory(err);
	sets->items = grown;
	struct run_set *set = &grown[sets->count++];
	*set = (struct run_set){.operand = strdup(path)};
	if (!set->operand)
		return no_memory(err);
	enum status status =
	    is_directory(path) ? read_directory(set, path, options, err) : read_file(set, path, called, options, err);
	if (status == STATUS_OK)
		qsort(set->runs, set->count, sizeof(*set->runs), compare_runs);
	return status;
}

/* --- A directory of directories --- */

static bool has_raw(const char *directory, const char *name)
{
	char path[PATH_MAX];
	char raw[PATH_MAX];

	return name[0] != '.' && file_join(path, sizeof(path), directory, name, NULL) == STATUS_OK &&
	       file_join(raw, sizeof(raw), path, "raw", NULL) == STATUS_OK && run_directory_has_traces(raw);
}

struct directory_names {
	char **items;
	size_t count;
};

static int compare_versions(const void *left, const void *right)
{
	return strverscmp(*(char *const *)left, *(char *const *)right);
}

/* The directories below that have a directory raw with traces. False when memory runs out. */
static bool list_sets(const char *directory, struct directory_names *names)
{
	DIR *entries = opendir(directory);
	bool ok = true;

	*names = (struct directory_names){0};
	for (const struct dirent *entry; entries && ok && (entry = readdir(entries));) {
		if (!has_raw(directory, entry->d_name))
			continue;
		char **grown = realloc(names->items, (names->count + 1) * sizeof(*grown));
		ok = grown;
		if (!grown)
			break;
		names->items = grown;
		grown[names->count] = strdup(entry->d_name);
		ok = grown[names->count];
		names->count += ok;
	}
	if (entries)
		closedir(entries);
	if (names->count > 1)
		qsort(names->items, names->count, sizeof(*names->items), compare_versions);
	return ok;
}

static enum status read_operand(const char *operand, const char *called, const struct run_set_options *options,
				struct run_sets *sets, struct error *err)
{
	char path[PATH_MAX];
	struct directory_names names = {0};
	enum status status = STATUS_OK;

	if (!is_directory(operand) || run_directory_of(operand, path, NULL) != STATUS_OK ||
	    run_directory_has_traces(path))
		return read_set(operand, called, options, sets, err);
	if (!list_sets(operand, &names))
		status = no_memory(err);
	else if (names.count == 0)
		status = read_set(operand, NULL, options, sets, err);
	for (size_t i = 0; i < names.count && status == STATUS_OK; i++) {
		status = file_join(path, sizeof(path), operand, names.items[i], err);
		if (status == STATUS_OK)
			status = read_set(path, NULL, options, sets, err);
	}
	for (size_t i = 0; i < names.count; i++)
		free(names.items[i]);
	free(names.items);
	return status;
}

enum status run_sets_read(char *const *operands, size_t count, const struct run_set_options *options,
			  struct run_sets *sets, struct error *err)
{
	enum status status = STATUS_OK;

	bool others;
	const char *called = find_common(operands, count, &others);

	*sets = (struct run_sets){.taken_as_one = called && others};
	interrupt_catch();
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = read_operand(operands[i], called, options, sets, err);
	if (status == STATUS_OK && (!run_sets_label(sets) || !run_sets_take_as_one(sets)))
		status = no_memory(err);
	return status;
}

enum status run_sets_spare(const struct run_sets *sets, const char *path, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t set = 0; set < sets->count && path; set++)
		for (size_t i = 0; i < sets->items[set].count && status == STATUS_OK; i++)
			status = input_refuse_overwriting(sets->items[set].runs[i].path, path, err);
	return status;
}

/* --- Facts --- */

void run_set_fact(const struct run_set *set, const char *workload, enum environment_fact fact, char *text, size_t size)
{
	size_t length = 0;

	snprintf(text, size, "unknown");
	for (size_t i = 0; i < set->count; i++) {
		const char *value = set->runs[i].facts[fact];
		bool is_new = value && (!workload || strcmp(set->runs[i].workload, workload) == 0);
		for (size_t earlier = 0; earlier < i && is_new; earlier++) {
			const char *other = set->runs[earlier].facts[fact];
			is_new = (workload && strcmp(set->runs[earlier].workload, workload) != 0) || !other ||
				 strcmp(value, other) != 0;
		}
		if (!is_new)
			continue;
		int more = snprintf(text + length, size - length, "%s%s", length ? ", " : "", value);
		if (more < 0 || (size_t)more >= size - length) {
			if (size > 4)
				memcpy(text + size - 4, "...", 4);
			return;
		}
		length += (size_t)more;
	}
}

bool run_set_has_metadata(const struct run_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->runs[i].has_metadata)
			return true;
	return false;
}

/* Whether it counts that a set does not say: not where nothing of it is known, and workloads that write nothing have no
 * device to do so. */
static bool must_know(const struct run_set *set, enum environment_fact fact)
{
	return environment_facts[fact].matters && fact != FACT_SCRATCH && run_set_has_metadata(set);
}

bool run_sets_differ(const struct run_sets *sets, enum environment_fact fact)
{
	char texts[2][512];

	for (size_t i = 1; i < sets->count; i++) {
		const struct run_set *const pair[] = {&sets->items[0], &sets->items[i]};
		bool counts = true;
		for (unsigned int side = 0; side < 2; side++) {
			run_set_fact(pair[side], NULL, fact, texts[side], sizeof(texts[side]));
			counts &= strcmp(texts[side], "unknown") != 0 || must_know(pair[side], fact);
		}
		if (counts && strcmp(texts[0], texts[1]) != 0)
			return true;
	}
	return false;
}
