/* SPDX-License-Identifier: MIT */
#include "runs/run_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"

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

static void list_file(struct listing *listing, const char *name, size_t stem_length, bool is_text)
{
	listing->items = array_grow(listing->items, &listing->capacity, listing->count + 1, sizeof(*listing->items));
	listing->items[listing->count++] = (struct found){xstrdup(name), stem_length, is_text};
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
		if (is_text || ends_with(name, ".dat", &stem_length))
			list_file(listing, name, stem_length, is_text);
		else if (ends_with(name, ".incomplete", &stem_length))
			warn(options, "%s/%s: incomplete, left out", path, name);
	}
}

static enum status name_another(const struct run_list_options *options, struct error *err)
{
	const char *option = options ? options->option : NULL;

	if (option)
		return error_remedy(err, "record some with picknext collect, or name another directory with %s",
				    option);
	return error_remedy(err, "name a directory with traces, or one with a subdirectory raw of traces");
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

/* The JSON file is in the directory of the trace. */
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

/* False if it is not known of one of them. */
static bool is_other_kernel(const struct run_host *host, const struct run_host *first)
{
	return (host->kernel && first->kernel && strcmp(host->kernel, first->kernel) != 0) ||
	       (host->kernel_build_id && first->kernel_build_id &&
		strcmp(host->kernel_build_id, first->kernel_build_id) != 0);
}

const struct run *run_list_other_kernel(const struct run_list *list, const struct run *after, char *text, size_t size)
{
	const struct run *first = list->items;

	for (const struct run *run = after ? after + 1 : first; run < list->items + list->count; run++) {
		if (!is_other_kernel(&run->metadata.host, &first->metadata.host))
			continue;
		snprintf(text, size,
			 "is of another kernel (%.80s) than %.120s (%.80s): move %.120s to a directory of its own",
			 run->metadata.host.kernel, first->id, first->metadata.host.kernel, run->id);
		return run;
	}
	return NULL;
}

/* Adds a zeroed run. */
static struct run *add_run(struct run_list *list)
{
	list->items = array_grow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	struct run *run = &list->items[list->count++];
	*run = (struct run){0};
	return run;
}

static bool has_same_stem(const struct found *a, const struct found *b)
{
	return a->stem_length == b->stem_length && memcmp(a->name, b->name, a->stem_length) == 0;
}

static enum status add_runs(const char *directory, const struct listing *listing,
			    const struct run_list_options *options, struct run_list *list, struct error *err)
{
	for (size_t i = 0; i < listing->count; i++) {
		const struct found *found = &listing->items[i];
		char path[PATH_MAX];
		if (i > 0 && has_same_stem(found, found - 1)) {
			warn(options, "%s/%s: left out, since %s has the same events with nanoseconds", directory,
			     found->name, found[-1].name);
			continue;
		}
		enum status status = file_join(path, sizeof(path), directory, found->name, err);
		if (status == STATUS_OK)
			status = file_refuse_special(path, err);
		if (status != STATUS_OK)
			return status;
		struct run *run = add_run(list);
		run->path = xstrdup(path);
		run->id = xstrndup(found->name, found->stem_length);
		run->is_text = found->is_text;
	}
	return STATUS_OK;
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

bool run_directory_has_set(const char *directory, const char *name)
{
	char path[PATH_MAX], raw[PATH_MAX];

	return name[0] != '.' && file_join(path, sizeof(path), directory, name, NULL) == STATUS_OK &&
	       file_join(raw, sizeof(raw), path, "raw", NULL) == STATUS_OK && run_directory_has_traces(raw);
}

/* If the directory contains sets, such as of picknext vm -o DIR, the remedy names them. */
static enum status name_set(const char *directory, const struct run_list_options *options, struct error *err)
{
	enum { NAMED_MAX = 3 };
	struct dirent **entries = NULL;
	struct buffer names = {0};
	size_t sets = 0;
	const int count = scandir(directory, &entries, NULL, versionsort);

	for (int i = 0; i < count; i++) {
		if (run_directory_has_set(directory, entries[i]->d_name) && sets++ < NAMED_MAX)
			buffer_printf(&names, "%s%s/%s", names.length ? ", " : "", directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!sets)
		return name_another(options, err);
	error_remedy(err, "it is a directory of sets; name one of them: %s%s", names.data,
		     sets > NAMED_MAX ? ", ..." : "");
	buffer_free(&names);
	return err->status;
}

enum status run_list_find(const char *directory, const struct run_list_options *options, struct run_list *list,
			  struct error *err)
{
	struct listing listing = {0};
	enum status status = list_directory(directory, options, &listing, err);

	if (status == STATUS_OK && listing.count == 0) {
		error_set(err, STATUS_UNSUPPORTED, directory, "contains no traces (.dat or .txt)");
		status = name_set(directory, options, err);
	}
	if (status == STATUS_OK)
		status = add_runs(directory, &listing, options, list, err);
	for (size_t i = 0; i < listing.count; i++)
		free(listing.items[i].name);
	free(listing.items);
	if (status != STATUS_OK)
		run_list_free(list);
	return status;
}

enum status run_directory_of(const char *directory, char raw[PATH_MAX], struct error *err)
{
	enum status status = file_join(raw, PATH_MAX, directory, "raw", err);

	if (status == STATUS_OK && !file_is_directory(raw))
		snprintf(raw, PATH_MAX, "%s", directory);
	return status;
}

void run_list_free(struct run_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		run_free(&list->items[i]);
	free(list->items);
	*list = (struct run_list){0};
}
