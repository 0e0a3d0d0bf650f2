/* SPDX-License-Identifier: MIT */
#include "runs/run_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/interrupt.h"

/* One file of the directory. */
struct found {
	char *name;
	size_t stem_length;
	bool is_text;
};

struct listing {
	struct found *items;
	size_t count, capacity;
};

static enum status refuse_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot list the traces");
}

static void warn(const struct run_list_options *options, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(const struct run_list_options *options, const char *format, ...)
{
	char text[PATH_MAX + 256];
	va_list arguments;

	if (!options || !options->warning)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	options->warning(options->context, text);
}

static bool ends_with(const char *name, const char *ending, size_t *stem_length)
{
	size_t length = strlen(name);
	size_t tail = strlen(ending);

	if (length <= tail || strcmp(name + length - tail, ending) != 0)
		return false;
	*stem_length = length - tail;
	return true;
}

static bool list_file(struct listing *listing, const char *name, size_t stem_length, bool is_text)
{
	if (listing->count == listing->capacity) {
		size_t capacity = listing->capacity ? 2 * listing->capacity : 64;
		struct found *items = realloc(listing->items, capacity * sizeof(*items));
		if (!items)
			return false;
		listing->items = items;
		listing->capacity = capacity;
	}
	char *copy = strdup(name);
	if (!copy)
		return false;
	listing->items[listing->count++] = (struct found){copy, stem_length, is_text};
	return true;
}

/* Orders names as Python does if each ends in .txt: "a-b" comes before "a", and a trace keeps its place whether it is
 * text or binary. Of two with one stem, the binary one comes first. */
static int compare_found(const void *left, const void *right)
{
	static const char ending[] = ".txt";
	const struct found *a = left;
	const struct found *b = right;

	for (size_t i = 0;; i++) {
		bool a_ended = i >= a->stem_length + sizeof(ending) - 1;
		bool b_ended = i >= b->stem_length + sizeof(ending) - 1;
		if (a_ended || b_ended)
			return a_ended && b_ended ? a->is_text - b->is_text : b_ended - a_ended;
		int of_a = (unsigned char)(i < a->stem_length ? a->name[i] : ending[i - a->stem_length]);
		int of_b = (unsigned char)(i < b->stem_length ? b->name[i] : ending[i - b->stem_length]);
		if (of_a != of_b)
			return of_a - of_b;
	}
}

static enum status list_entries(DIR *directory, const char *path, const struct run_list_options *options,
				struct listing *listing, struct error *err)
{
	for (;;) {
		size_t stem_length;
		errno = 0;
		const struct dirent *entry = readdir(directory);
		if (!entry)
			return errno ? error_system(err, errno, path, "cannot list") : STATUS_OK;
		const char *name = entry->d_name;
		if (name[0] == '.')
			continue;
		bool is_text = ends_with(name, ".txt", &stem_length);
		if (is_text || ends_with(name, ".dat", &stem_length)) {
			if (!list_file(listing, name, stem_length, is_text))
				return refuse_memory(err);
		} else if (ends_with(name, ".incomplete", &stem_length)) {
			warn(options, "%s/%s: incomplete, left out", path, name);
		}
	}
}

static enum status name_another(const struct run_list_options *options, struct error *err)
{
	const char *option = options ? options->option : NULL;

	return error_remedy(err, "record some with picknext collect, or name another directory%s%s",
			    option ? " with " : "", option ? option : "");
}

static enum status list_directory(const char *path, const struct run_list_options *options, struct listing *listing,
				  struct error *err)
{
	DIR *directory = opendir(path);

	if (!directory) {
		error_system(err, errno, path, "cannot open the directory of raw traces");
		return name_another(options, err);
	}
	enum status status = list_entries(directory, path, options, listing, err);
	closedir(directory);
	if (status == STATUS_OK && listing->count)
		qsort(listing->items, listing->count, sizeof(*listing->items), compare_found);
	return status;
}

static void free_listing(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->items[i].name);
	free(listing->items);
}

/* text up to the last occurrence of mark; all of it if there is none. */
static char *text_before_last(const char *text, const char *mark)
{
	size_t length = strlen(text);
	const char *last = NULL;

	for (const char *at = strstr(text, mark); at; at = strstr(at + 1, mark))
		last = at;
	return strndup(text, last ? (size_t)(last - text) : length);
}

static enum status set_labels(struct run *run, struct error *err)
{
	const struct run_metadata *metadata = &run->metadata;
	bool has_metadata = metadata->document;

	if (metadata->workload_name)
		run->workload_type = strdup(metadata->workload_name);
	else
		run->workload_type = has_metadata ? strdup(run->id) : text_before_last(run->id, "_run");
	if (metadata->category)
		run->category = strdup(metadata->category);
	else if (run->workload_type)
		run->category = has_metadata ? strdup("unknown") : text_before_last(run->workload_type, "_");
	run_metadata_add_losses(metadata, &run->losses);
	if (!run->workload_type || !run->category)
		return refuse_memory(err);
	return STATUS_OK;
}

enum status run_read_metadata(struct run *run, const char *directory, struct error *err)
{
	char path[PATH_MAX];
	struct buffer name = {0};
	enum status status = STATUS_OK;

	if (directory) {
		buffer_printf(&name, "%s.json", run->id);
		status = name.failed ? refuse_memory(err) : file_join(path, sizeof(path), directory, name.data, err);
		buffer_free(&name);
		if (status == STATUS_OK)
			status = run_metadata_read(path, &run->metadata, err);
	}
	return status == STATUS_OK ? set_labels(run, err) : status;
}

/* The trace is in the directory of its JSON file. */
enum status run_list_read_metadata(struct run_list *list, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
		struct run *run = &list->items[i];
		char *slash = strrchr(run->path, '/');
		*slash = '\0';
		status = run_read_metadata(run, run->path, err);
		if (status == STATUS_OK)
			status = interrupt_check(err);
		*slash = '/';
	}
	return status;
}

static enum status add_run(const char *directory, const struct found *found, struct run *run, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, found->name, err);

	if (status != STATUS_OK)
		return status;
	*run = (struct run){
	    .path = strdup(path), .id = strndup(found->name, found->stem_length), .is_text = found->is_text};
	return run->path && run->id ? STATUS_OK : refuse_memory(err);
}

static bool has_same_stem(const struct found *a, const struct found *b)
{
	return a->stem_length == b->stem_length && memcmp(a->name, b->name, a->stem_length) == 0;
}

static enum status add_runs(const char *directory, const struct listing *listing,
			    const struct run_list_options *options, struct run_list *list, struct error *err)
{
	list->items = calloc(listing->count, sizeof(*list->items));
	if (!list->items)
		return refuse_memory(err);
	for (size_t i = 0; i < listing->count; i++) {
		const struct found *found = &listing->items[i];
		if (i > 0 && has_same_stem(found, found - 1)) {
			warn(options, "%s/%s: left out, since %s has the same events with nanoseconds", directory,
			     found->name, found[-1].name);
			continue;
		}
		enum status status = add_run(directory, found, &list->items[list->count++], err);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

enum status run_list_find(const char *directory, const struct run_list_options *options, struct run_list *list,
			  struct error *err)
{
	struct listing listing = {0};

	*list = (struct run_list){0};
	enum status status = list_directory(directory, options, &listing, err);
	if (status == STATUS_OK && listing.count == 0) {
		error_set(err, STATUS_UNSUPPORTED, directory, "holds no trace (no .dat, no .txt)");
		status = name_another(options, err);
	}
	if (status == STATUS_OK)
		status = add_runs(directory, &listing, options, list, err);
	free_listing(&listing);
	if (status != STATUS_OK)
		run_list_free(list);
	return status;
}

enum status run_directory_of(const char *directory, char raw[PATH_MAX], struct error *err)
{
	struct stat info;
	enum status status = file_join(raw, PATH_MAX, directory, "raw", err);

	if (status == STATUS_OK && (stat(raw, &info) < 0 || !S_ISDIR(info.st_mode)))
		snprintf(raw, PATH_MAX, "%s", directory);
	return status;
}

bool run_directory_has_traces(const char *directory)
{
	DIR *entries = opendir(directory);
	bool found = false;

	if (!entries)
		return false;
	for (const struct dirent *entry; !found && (entry = readdir(entries));) {
		size_t stem_length;
		found = entry->d_name[0] != '.' && (ends_with(entry->d_name, ".dat", &stem_length) ||
						    ends_with(entry->d_name, ".txt", &stem_length));
	}
	closedir(entries);
	return found;
}

void run_free(struct run *run)
{
	free(run->id);
	free(run->path);
	free(run->workload_type);
	free(run->category);
	losses_free(&run->losses);
	run_metadata_free(&run->metadata);
}

void run_list_free(struct run_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		run_free(&list->items[i]);
	free(list->items);
	*list = (struct run_list){0};
}
