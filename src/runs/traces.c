/* SPDX-License-Identifier: MIT */
#include "runs/traces.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "dataset/notice.h"
#include "runs/metadata_read.h"

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

static enum status out_of_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot list the traces");
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

/* Names as Python orders them, where each ends in .txt: so that "a-b" comes before "a", and a trace has its
 * place whether it is text or binary. Of two with one stem, the binary one comes first. */
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

static enum status list_entries(DIR *directory, const char *path, const struct dataset_listener *listener,
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
				return out_of_memory(err);
		} else if (ends_with(name, ".incomplete", &stem_length)) {
			notice_warning(listener, "%s/%s: did not arrive whole, left out", path, name);
		}
	}
}

static enum status name_another(const char *option, struct error *err)
{
	return error_remedy(err, "record some with picknext collect, or name another directory%s%s",
			    option ? " with " : "", option ? option : "");
}

static enum status list_directory(const char *path, const char *option, const struct dataset_listener *listener,
				  struct listing *listing, struct error *err)
{
	DIR *directory = opendir(path);

	if (!directory) {
		error_system(err, errno, path, "cannot open the directory of raw traces");
		return name_another(option, err);
	}
	enum status status = list_entries(directory, path, listener, listing, err);
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

/* text up to the last occurrence of mark; all of it where there is none. */
static char *before_last(const char *text, const char *mark)
{
	size_t length = strlen(text);
	const char *last = NULL;

	for (const char *at = strstr(text, mark); at; at = strstr(at + 1, mark))
		last = at;
	return strndup(text, last ? (size_t)(last - text) : length);
}

enum status trace_take_labels(const char *directory, struct trace *trace, struct error *err)
{
	enum status status = directory ? metadata_read(directory, trace, err) : STATUS_OK;

	if (status != STATUS_OK)
		return status;
	if (!trace->workload_type)
		trace->workload_type = trace->has_metadata ? strdup(trace->id) : before_last(trace->id, "_run");
	if (!trace->category && trace->workload_type)
		trace->category = trace->has_metadata ? strdup("unknown") : before_last(trace->workload_type, "_");
	return trace->category ? STATUS_OK : out_of_memory(err);
}

static enum status take_trace(const char *raw_directory, const struct found *found, struct trace *trace,
			      struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), raw_directory, found->name, err);

	if (status != STATUS_OK)
		return status;
	trace->is_text = found->is_text;
	trace->path = strdup(path);
	trace->id = strndup(found->name, found->stem_length);
	if (!trace->path || !trace->id)
		return out_of_memory(err);
	return trace_take_labels(raw_directory, trace, err);
}

static bool same_stem(const struct found *a, const struct found *b)
{
	return a->stem_length == b->stem_length && memcmp(a->name, b->name, a->stem_length) == 0;
}

static enum status take_listing(const char *raw_directory, const struct listing *listing,
				const struct dataset_listener *listener, struct traces *traces, struct error *err)
{
	traces->items = calloc(listing->count, sizeof(*traces->items));
	if (!traces->items)
		return out_of_memory(err);
	for (size_t i = 0; i < listing->count; i++) {
		const struct found *found = &listing->items[i];
		if (i > 0 && same_stem(found, found - 1)) {
			notice_warning(listener, "%s/%s: left out, since %s says the same to the nanosecond",
				       raw_directory, found->name, found[-1].name);
			continue;
		}
		enum status status = take_trace(raw_directory, found, &traces->items[traces->count++], err);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static enum status number_categories(struct traces *traces, struct error *err)
{
	char **names = calloc(traces->count, sizeof(*names));

	traces->categories = names;
	if (!names)
		return out_of_memory(err);
	for (size_t i = 0; i < traces->count; i++)
		names[i] = traces->items[i].category;
	qsort(names, traces->count, sizeof(*names), compare_texts);
	for (size_t i = 0; i < traces->count; i++)
		if (i == 0 || strcmp(names[i], names[traces->category_count - 1]) != 0)
			names[traces->category_count++] = names[i];
	for (size_t i = 0; i < traces->count; i++) {
		char **found =
		    bsearch(&traces->items[i].category, names, traces->category_count, sizeof(*names), compare_texts);
		traces->items[i].category_index = (size_t)(found - names);
	}
	return STATUS_OK;
}

enum status traces_find(const char *raw_directory, const char *option, const struct dataset_listener *listener,
			struct traces *traces, struct error *err)
{
	struct listing listing = {0};

	*traces = (struct traces){0};
	enum status status = list_directory(raw_directory, option, listener, &listing, err);
	if (status == STATUS_OK && listing.count == 0) {
		error_set(err, STATUS_UNSUPPORTED, raw_directory, "holds no trace (no .dat, no .txt)");
		status = name_another(option, err);
	}
	if (status == STATUS_OK)
		status = take_listing(raw_directory, &listing, listener, traces, err);
	if (status == STATUS_OK)
		status = number_categories(traces, err);
	free_listing(&listing);
	if (status != STATUS_OK)
		traces_free(traces);
	return status;
}

void trace_free(struct trace *trace)
{
	free(trace->id);
	free(trace->path);
	free(trace->workload_type);
	free(trace->category);
	loss_free(&trace->loss);
}

void traces_free(struct traces *traces)
{
	for (size_t i = 0; i < traces->count; i++)
		trace_free(&traces->items[i]);
	free(traces->items);
	free(traces->categories);
	*traces = (struct traces){0};
}
