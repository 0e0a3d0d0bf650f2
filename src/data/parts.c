/* SPDX-License-Identifier: MIT */
#include "data/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/ordered.h"
#include "base/output_file.h"

#define CHUNK_BYTES ((size_t)256 << 10)

/* --- Which pieces are a part --- */

static bool add_part(struct parts *parts, size_t split, size_t first)
{
	struct part *grown = realloc(parts->items, (parts->count + 1) * sizeof(*grown));

	if (!grown)
		return false;
	parts->items = grown;
	grown[parts->count++] = (struct part){.split = split, .first = first};
	return true;
}

/* As many pieces as fit. */
static bool divide_split(const struct parts_request *request, size_t split, struct parts *parts)
{
	const struct pieces *pieces = &request->pieces[split];
	const size_t before = parts->count;
	bool made = add_part(parts, split, 0);

	for (size_t i = 0; made && i < pieces->count; i++) {
		if (parts->items[parts->count - 1].rows + pieces->items[i].rows > request->rows_max)
			made = add_part(parts, split, i);
		if (!made)
			break;
		struct part *part = &parts->items[parts->count - 1];
		part->count++;
		part->rows += pieces->items[i].rows;
		part->bytes += pieces->items[i].bytes;
	}
	for (size_t i = before; made && i < parts->count; i++)
		snprintf(parts->items[i].name, PARTS_NAME_SIZE, "%s-%05zu-of-%05zu.csv", request->splits[split],
			 i - before, parts->count - before);
	return made;
}

/* --- Making them --- */

struct making {
	const struct parts_request *request;
	struct parts *parts;
};

/* Hashes a file, and adds its bytes to the first one. */
static enum status pass_piece(const char *path, int fd, int first, struct sha256 *hash, struct error *err)
{
	uint8_t *chunk = malloc(CHUNK_BYTES);
	enum status status = chunk ? STATUS_OK : error_system(err, ENOMEM, path, "cannot read again");
	ssize_t got = 1;

	while (status == STATUS_OK && got > 0) {
		got = read(fd, chunk, CHUNK_BYTES);
		if (got < 0)
			status = errno == EINTR ? interrupt_check(err) : error_system(err, errno, path, "cannot read");
		if (got < 0 && status == STATUS_OK)
			got = 1;
		else if (got > 0) {
			sha256_add(hash, chunk, (size_t)got);
			status = fd == first ? STATUS_OK : file_write_all(first, chunk, (size_t)got, path, err);
		}
		if (status == STATUS_OK)
			status = interrupt_check(err);
	}
	free(chunk);
	return status;
}

static enum status add_piece(const char *path, int *first, struct sha256 *hash, struct error *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return error_system(err, errno, path, "cannot open");
	if (*first < 0) {
		*first = fd;
		return pass_piece(path, fd, fd, hash, err);
	}
	enum status status = pass_piece(path, fd, *first, hash, err);
	close(fd);
	unlink(path);
	return status;
}

static enum status make_part(void *context, size_t item, void **result, struct error *err)
{
	const struct making *making = context;
	struct part *part = &making->parts->items[item];
	const struct piece *pieces = making->request->pieces[part->split].items + part->first;
	char path[PATH_MAX];
	struct sha256 hash;
	int fd = -1;
	enum status status = file_join(path, sizeof(path), making->request->directory, part->name, err);

	(void)result;
	sha256_begin(&hash);
	for (size_t i = 0; i < part->count && status == STATUS_OK; i++)
		status = add_piece(pieces[i].path, &fd, &hash, err);
	sha256_end(&hash, part->sha256);
	if (fd >= 0 && close(fd) < 0 && status == STATUS_OK)
		status = error_system(err, errno, path, "cannot write");
	if (status == STATUS_OK && rename(pieces[0].path, path) < 0)
		status = error_system(err, errno, path, "cannot move into the output directory");
	return status;
}

static enum status take_part(void *context, size_t item, void *result, enum status made, struct error *err)
{
	(void)context;
	(void)item;
	(void)result;
	(void)err;
	return made;
}

static enum status write_manifest(const struct parts_request *request, const struct parts *parts, struct error *err)
{
	char path[PATH_MAX];
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	enum status status = file_join(path, sizeof(path), request->directory, PARTS_MANIFEST, err);

	json_object_begin(&json, NULL);
	json_u64(&json, "part_rows", request->rows_max);
	json_array_begin(&json, "parts");
	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];
		json_object_begin(&json, NULL);
		json_text(&json, "file", part->name);
		json_text(&json, "split", request->splits[part->split]);
		json_bool(&json, "header", part->first == 0);
		json_u64(&json, "rows", part->rows);
		json_u64(&json, "bytes", part->bytes);
		json_text(&json, "sha256", part->sha256);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	if (status == STATUS_OK)
		status = text.failed ? error_system(err, ENOMEM, path, "cannot write")
				     : file_replace(path, text.data, text.length, err);
	buffer_free(&text);
	return status;
}

enum status parts_make(const struct parts_request *request, struct parts *parts, struct error *err)
{
	struct making making = {request, parts};
	const struct ordered_work work = {.context = &making, .make = make_part, .take = take_part};
	bool divided = true;

	*parts = (struct parts){0};
	for (size_t split = 0; request->splits[split] && divided; split++)
		divided = divide_split(request, split, parts);
	if (!divided)
		return error_system(err, ENOMEM, request->directory, "cannot keep so many parts");
	enum status status = ordered_run(&work, parts->count, request->jobs, err);
	return status == STATUS_OK ? write_manifest(request, parts, err) : status;
}

void parts_free(struct parts *parts)
{
	free(parts->items);
	*parts = (struct parts){0};
}

/* --- A directory of them --- */

/* "train-00000-of-00016.csv" */
static bool is_part_name(const char *name, const char *const *splits)
{
	for (; *splits; splits++) {
		size_t length = strlen(*splits);
		int end = 0;
		if (strncmp(name, *splits, length) != 0)
			continue;
		sscanf(name + length, "-%*[0-9]-of-%*[0-9].csv%n", &end);
		if (end > 0 && name[length + (size_t)end] == '\0')
			return true;
	}
	return false;
}

static const char *find_foreign(DIR *entries, const char *const *splits, char *name)
{
	for (const struct dirent *entry; (entry = readdir(entries));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    strcmp(entry->d_name, PARTS_MANIFEST) == 0 || is_part_name(entry->d_name, splits))
			continue;
		snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
		return name;
	}
	return NULL;
}

bool parts_are_there(const char *path)
{
	char manifest[PATH_MAX];

	return file_join(manifest, sizeof(manifest), path, PARTS_MANIFEST, NULL) == STATUS_OK &&
	       access(manifest, F_OK) == 0;
}

enum status parts_check(const char *path, const char *const *splits, struct error *err)
{
	char manifest[PATH_MAX], name[NAME_MAX + 1];
	DIR *entries = opendir(path);

	if (!entries && errno == ENOENT)
		return STATUS_OK;
	if (!entries) {
		error_system(err, errno, path, "cannot be replaced by the parts of the dataset");
		return error_remedy(err, "choose another directory with -o");
	}
	bool is_foreign = find_foreign(entries, splits, name);
	closedir(entries);
	enum status status = file_join(manifest, sizeof(manifest), path, PARTS_MANIFEST, err);
	if (is_foreign && status == STATUS_OK) {
		error_set(err, STATUS_USAGE, path, "has a file that build did not write: %.200s", name);
		return error_remedy(err, "move it elsewhere, or choose another directory with -o");
	}
	return status == STATUS_OK ? output_check(manifest, err) : status;
}

void parts_remove(const char *path, const char *const *splits)
{
	DIR *entries = opendir(path);

	if (!entries)
		return;
	for (const struct dirent *entry; (entry = readdir(entries));)
		if (strcmp(entry->d_name, PARTS_MANIFEST) == 0 || is_part_name(entry->d_name, splits))
			unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
	rmdir(path);
}
