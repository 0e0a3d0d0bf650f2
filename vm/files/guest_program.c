/* SPDX-License-Identifier: MIT
 *
 * Adds the dependencies of a program. */
#include "vm/files/guest_program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/program_path.h"
#include "vm/files/elf_program.h"

#define OBJECTS_MAX     512
#define SCRIPT_DEPTH    4
#define SCRIPT_LINE_MAX 256

/* A program and its libraries, in the order in which the dynamic linker loads them. */
struct object {
	struct library_asker asker;
	char *name; /* as in DT_NEEDED; "" for the program */
	char *path;
};

struct loading {
	struct guest_files *guest_files;
	const char *program;
	bool moved;
	struct object *objects; /* OBJECTS_MAX allocated: pointers between them stay valid */
	size_t count;
	char interpreter[PATH_MAX];
};

static bool is_object(const struct loading *loading, const char *name)
{
	for (size_t i = 0; i < loading->count; i++)
		if (strcmp(loading->objects[i].name, name) == 0)
			return true;
	return false;
}

static bool is_loaded(const struct loading *loading, const char *name)
{
	const char *slash = strrchr(loading->interpreter, '/');

	if (slash && strcmp(slash + 1, name) == 0)
		return true;
	/* musl's linker is also the C library. */
	if (slash && strncmp(slash + 1, "ld-musl-", 8) == 0 && strncmp(name, "libc.", 5) == 0)
		return true;
	return is_object(loading, name);
}

static enum status keep_object(struct loading *loading, const char *path, const char *name,
			       const struct library_asker *asker, struct error *err)
{
	const char *slash = strrchr(path, '/');

	if (loading->count == OBJECTS_MAX)
		return error_set(err, STATUS_UNSUPPORTED, loading->program, "needs more than %d shared libraries",
				 OBJECTS_MAX);
	struct object *object = &loading->objects[loading->count++];
	object->name = xstrdup(name);
	object->path = xstrdup(path);
	object->asker.asker = asker;
	object->asker.origin = slash > path ? xstrndup(path, (size_t)(slash - path)) : xstrdup("/");
	return STATUS_OK;
}

/* The path in the guest of a library in the working directory; false if it keeps its path. */
static bool is_moved(const struct loading *loading, const char *path, char *guest)
{
	char base[PATH_MAX];

	if (!loading->guest_files->is_relative || !guest_files_find_base(loading->guest_files, base))
		return false;
	size_t length = strcmp(base, "/") == 0 ? 0 : strlen(base);
	if (strncmp(path, base, length) != 0 || path[length] != '/')
		return false;
	return snprintf(guest, PATH_MAX, "%s%s", GUEST_FILES_START, path + length) < PATH_MAX;
}

static enum status place_library(const struct loading *loading, const char *path, const char *guest, struct error *err)
{
	char real[PATH_MAX];

	if (strcmp(path, guest) == 0)
		return guest_files_place_file(loading->guest_files, path, err);
	if (!realpath(path, real))
		return error_system(err, errno, path, "cannot add");
	return guest_files_place(loading->guest_files, GUEST_FILE_REGULAR, guest, real, guest_files_is_executable(real),
				 err);
}

/* STATUS_END if there is no such library. */
static enum status load_library(struct loading *loading, const char *name, const struct library_asker *asker,
				struct error *err)
{
	char path[PATH_MAX], clean[PATH_MAX], guest[PATH_MAX], directory[PATH_MAX];
	bool own;

	if (is_loaded(loading, name))
		return STATUS_OK;
	if (!library_find(&loading->guest_files->search, loading->guest_files->machine, asker, name, path, &own))
		return STATUS_END;
	if (!guest_files_clean_path(path, clean, true))
		return error_set(err, STATUS_USAGE, path, "path is too long");
	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(clean, '/') - clean), clean);
	bool usual = library_directory_is_usual(directory);
	const char *place = !usual && is_moved(loading, clean, guest) ? guest : path;
	if (!usual && (!own || loading->moved))
		guest_files_remember(&loading->guest_files->libraries, place == guest ? guest : clean);
	enum status status = place_library(loading, path, place, err);
	return status == STATUS_OK ? keep_object(loading, path, name, asker, err) : status;
}

static enum status report_missing(const struct loading *loading, const struct object *object, const char *name,
				  struct error *err)
{
	bool other = object != loading->objects;

	error_set(err, STATUS_SYSTEM, loading->program, "needs the shared library %s%s%s, which is not on the host",
		  name, other ? " for " : "", other ? object->path : "");
	return error_remedy(err, "install it, or set LD_LIBRARY_PATH to its directory");
}

static enum status load_what_it_needs(struct loading *loading, struct object *object, struct error *err)
{
	struct mapping mapping;
	struct elf_program program;
	size_t at = 0;
	enum status status = file_map(object->path, &mapping, err);

	if (status != STATUS_OK)
		return status;
	status = elf_program_read(mapping.bytes, mapping.length, object->path, &program, err);
	if (status == STATUS_OK && !loading->guest_files->machine) {
		loading->guest_files->machine = program.machine;
		loading->guest_files->machine_of = xstrdup(object->path);
	}
	if (status == STATUS_OK)
		status = elf_program_check(&program, loading->guest_files->machine, object->path, err);
	if (status == STATUS_OK) {
		object->asker.rpath = program.rpath ? xstrdup(program.rpath) : NULL;
		object->asker.runpath = program.runpath ? xstrdup(program.runpath) : NULL;
		if (object == loading->objects && program.interpreter)
			snprintf(loading->interpreter, sizeof(loading->interpreter), "%s", program.interpreter);
	}
	while (status == STATUS_OK) {
		const char *name = elf_program_needed(&program, &at);
		if (!name)
			break;
		status = load_library(loading, name, &object->asker, err);
		if (status == STATUS_END)
			status = report_missing(loading, object, name, err);
	}
	file_unmap(&mapping);
	return status;
}

/* At its own path, or that of another machine where its libraries are: it has its own path in the guest. */
static bool find_interpreter(const struct loading *loading, char *found, struct mapping *mapping)
{
	const char *path = loading->interpreter;
	bool own;

	snprintf(found, PATH_MAX, "%s", path);
	return path[0] == '/' && (file_map(found, mapping, NULL) == STATUS_OK ||
				  (library_find(&loading->guest_files->search, loading->guest_files->machine,
						&loading->objects[0].asker, strrchr(path, '/') + 1, found, &own) &&
				   file_map(found, mapping, NULL) == STATUS_OK));
}

static enum status add_interpreter(struct loading *loading, struct error *err)
{
	const char *path = loading->interpreter;
	char found[PATH_MAX];
	struct mapping mapping;
	struct elf_program program;

	if (!path[0])
		return STATUS_OK;
	if (!find_interpreter(loading, found, &mapping)) {
		error_set(err, STATUS_SYSTEM, loading->program, "needs the dynamic linker %s, which is not on the host",
			  path);
		return error_remedy(err, "install it, or set LD_LIBRARY_PATH to its directory");
	}
	enum status status = elf_program_read(mapping.bytes, mapping.length, found, &program, err);
	file_unmap(&mapping);
	return status == STATUS_OK ? place_library(loading, found, path, err) : status;
}

static enum status need_libraries(struct guest_files *guest_files, const char *path, bool moved, struct error *err)
{
	struct loading loading = {.guest_files = guest_files, .program = path, .moved = moved};
	char real[PATH_MAX];

	loading.objects = xcalloc(OBJECTS_MAX, sizeof(*loading.objects));
	if (guest_files->search.directories.count == 0)
		library_search_open(&guest_files->search);
	/* The linker gets the program's real path from the kernel: $ORIGIN. */
	loading.program = realpath(path, real) ? real : path;
	enum status status = keep_object(&loading, loading.program, "", NULL, err);
	for (size_t i = 0; status == STATUS_OK && i < loading.count; i++)
		status = load_what_it_needs(&loading, &loading.objects[i], err);
	if (status == STATUS_OK)
		status = add_interpreter(&loading, err);
	/* glibc loads it with dlopen() when a thread is cancelled. */
	if (status == STATUS_OK && is_object(&loading, "libc.so.6")) {
		status = load_library(&loading, "libgcc_s.so.1", &loading.objects[0].asker, err);
		status = status == STATUS_END ? STATUS_OK : status;
	}
	for (size_t i = 0; i < loading.count; i++) {
		free(loading.objects[i].name);
		free(loading.objects[i].path);
		free(loading.objects[i].asker.origin);
		free(loading.objects[i].asker.rpath);
		free(loading.objects[i].asker.runpath);
	}
	free(loading.objects);
	return status;
}

/* --- Scripts --- */

static enum status need_interpreter(struct guest_files *guest_files, const char *script, char *line, unsigned int depth,
				    struct error *err);

static enum status need(struct guest_files *guest_files, const char *path, bool must, bool moved, unsigned int depth,
			struct error *err)
{
	struct mapping mapping;
	char line[SCRIPT_LINE_MAX];
	enum status status = file_map(path, &mapping, err);

	if (status != STATUS_OK)
		return status;
	bool is_elf = elf_is(mapping.bytes, mapping.length);
	bool is_script = mapping.length > 2 && memcmp(mapping.bytes, "#!", 2) == 0;
	if (is_script)
		snprintf(line, sizeof(line), "%.*s",
			 (int)(mapping.length < SCRIPT_LINE_MAX ? mapping.length : SCRIPT_LINE_MAX) - 2,
			 (const char *)mapping.bytes + 2);
	file_unmap(&mapping);
	if (is_script)
		return need_interpreter(guest_files, path, line, depth, err);
	if (is_elf) {
		struct error reason = {0};
		status = need_libraries(guest_files, path, moved, &reason);
		if (status != STATUS_OK && err)
			*err = reason;
		/* A program for another architecture may be a data file. */
		return status == STATUS_UNSUPPORTED && !must ? STATUS_OK : status;
	}
	if (!must)
		return STATUS_OK;
	return error_set(err, STATUS_UNSUPPORTED, path, "is neither an ELF program nor a script with #!");
}

bool guest_program_find(const char *program, char *path)
{
	char found[PATH_MAX], directory[PATH_MAX], real[PATH_MAX];

	if (!program_find(program, found, sizeof(found)))
		return false;
	const char *slash = strrchr(found, '/');
	snprintf(directory, sizeof(directory), "%.*s", slash > found ? (int)(slash - found) : 1, found);
	if (!realpath(directory, real))
		return false;
	int length = snprintf(path, PATH_MAX, "%s%s", strcmp(real, "/") == 0 ? "" : real, slash);
	return length > 0 && length < PATH_MAX;
}

static enum status add_found(struct guest_files *guest_files, const char *program, const char *script,
			     unsigned int depth, struct error *err)
{
	char path[PATH_MAX];
	bool found = program[0] == '/' ? snprintf(path, sizeof(path), "%s", program) < PATH_MAX
				       : guest_program_find(program, path);

	if (!found || path[0] != '/')
		return error_set(err, STATUS_SYSTEM, script, "needs %s, which is not on the host", program);
	/* The guest has its own. */
	if (strcmp(path, "/bin/sh") == 0)
		return STATUS_OK;
	if (depth == SCRIPT_DEPTH)
		return error_set(err, STATUS_UNSUPPORTED, script, "too many levels of script interpreters");
	enum status status = need(guest_files, path, true, false, depth + 1, err);
	if (status != STATUS_OK) {
		if (err && err->errnum == ENOENT)
			error_set(err, STATUS_SYSTEM, script, "needs %s, which is not on the host", program);
		return status;
	}
	return guest_files_place_file(guest_files, path, err);
}

static enum status need_interpreter(struct guest_files *guest_files, const char *script, char *line, unsigned int depth,
				    struct error *err)
{
	char *rest = NULL;

	line[strcspn(line, "\n")] = '\0';
	char *interpreter = strtok_r(line, " \t\r", &rest);
	if (!interpreter || interpreter[0] != '/')
		return error_set(err, STATUS_UNSUPPORTED, script,
				 "the interpreter in its first line must be an absolute path");
	enum status status = add_found(guest_files, interpreter, script, depth, err);
	if (status != STATUS_OK || strcmp(strrchr(interpreter, '/'), "/env") != 0)
		return status;
	char *word = strtok_r(NULL, " \t\r", &rest);
	while (word && (word[0] == '-' || strchr(word, '=')))
		word = strtok_r(NULL, " \t\r", &rest);
	return word ? add_found(guest_files, word, script, depth, err) : STATUS_OK;
}

enum status guest_program_add_needs(struct guest_files *guest_files, const char *path, bool must, bool moved,
				    struct error *err)
{
	return need(guest_files, path, must, moved, 0, err);
}

void guest_program_add_libraries(struct guest_files *guest_files, const char *path, bool moved)
{
	struct mapping mapping;

	if (file_map(path, &mapping, NULL) != STATUS_OK)
		return;
	bool is = elf_is(mapping.bytes, mapping.length);
	file_unmap(&mapping);
	if (is)
		need_libraries(guest_files, path, moved, NULL);
}
