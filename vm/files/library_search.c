/* SPDX-License-Identifier: MIT */
#include "vm/files/library_search.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "vm/files/elf_program.h"
#include "vm/kernel/architecture.h"

#define CONF           "/etc/ld.so.conf"
#define CONF_MAX       65536
#define CONF_DEPTH_MAX 8

/* After those of Debian and Ubuntu, which are named after the architecture. */
static const char *const usual[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
static const char *const above_named[] = {"/lib/", "/usr/lib/"};

bool library_directory_is_usual(const char *directory)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strcmp(usual[i], directory) == 0)
			return true;
	for (size_t i = 0; i < sizeof(above_named) / sizeof(above_named[0]); i++) {
		const size_t length = strlen(above_named[i]);
		for (unsigned int at = 0; at < architecture_count; at++)
			if (strncmp(directory, above_named[i], length) == 0 &&
			    strcmp(directory + length, architectures[at].libraries) == 0)
				return true;
	}
	return false;
}

static void read_conf(struct library_search *search, const char *path, unsigned int depth);

/* At most one '*': ld.so.conf.d's "*.conf". glob(3) would link the user database into the program. */
static bool matches(const char *name, const char *pattern)
{
	size_t before = strcspn(pattern, "*"), length = strlen(name);
	size_t after = pattern[before] ? strlen(pattern + before + 1) : 0;

	if (!pattern[before])
		return strcmp(name, pattern) == 0;
	return name[0] != '.' && length >= before + after && memcmp(name, pattern, before) == 0 &&
	       memcmp(name + length - after, pattern + before + 1, after) == 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void include(struct library_search *search, const char *pattern, unsigned int depth)
{
	struct arguments found = {0};
	char directory[PATH_MAX];
	DIR *list = NULL;

	int length = snprintf(directory, sizeof(directory), "%s%s", pattern[0] == '/' ? "" : "/etc/", pattern);
	char *slash = strrchr(directory, '/');
	*slash = '\0';
	if (depth < CONF_DEPTH_MAX && length < PATH_MAX)
		list = opendir(directory);
	for (struct dirent *entry; list && (entry = readdir(list));)
		if (matches(entry->d_name, slash + 1))
			arguments_add(&found, "%s/%s", directory, entry->d_name);
	if (list)
		closedir(list);
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), compare_texts);
	for (size_t i = 0; i < found.count; i++)
		read_conf(search, found.items[i], depth + 1);
	arguments_free(&found);
}

/* Unreadable files are skipped: a library that is missing because of them is reported later. */
static void read_conf(struct library_search *search, const char *path, unsigned int depth)
{
	struct buffer text = {0};
	char *rest;

	if (file_read(path, CONF_MAX, &text, NULL) == STATUS_OK)
		for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			line[strcspn(line, "#")] = '\0';
			line += strspn(line, " \t");
			size_t length = strlen(line);
			while (length && strchr(" \t\r/", line[length - 1]))
				line[--length] = '\0';
			if (strncmp(line, "include", 7) == 0 && strchr(" \t", line[7]))
				include(search, line + 7 + strspn(line + 7, " \t"), depth);
			else if (line[0] == '/')
				arguments_add(&search->directories, "%s", line);
		}
	buffer_free(&text);
}

void library_search_open(struct library_search *search)
{
	const char *list = getenv("LD_LIBRARY_PATH");

	for (; list && *list; list += strcspn(list, ":;"), list += *list != '\0') {
		size_t length = strcspn(list, ":;");
		if (list[0] == '/')
			arguments_add(&search->directories, "%.*s", (int)length, list);
	}
	read_conf(search, CONF, 0);
	for (unsigned int at = 0; at < architecture_count; at++)
		for (size_t i = 0; i < sizeof(above_named) / sizeof(above_named[0]); i++)
			arguments_add(&search->directories, "%s%s", above_named[i], architectures[at].libraries);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		arguments_add(&search->directories, "%s", usual[i]);
}

static bool is_library(const char *path, unsigned int machine)
{
	struct mapping mapping;
	struct elf_program program;

	if (file_map(path, &mapping, NULL) != STATUS_OK)
		return false;
	bool is = elf_program_read(mapping.bytes, mapping.length, path, &program, NULL) == STATUS_OK &&
		  program.machine == machine;
	file_unmap(&mapping);
	return is;
}

/* Expands $ORIGIN or ${ORIGIN} in one directory of a list; false if it has another variable, or the result is not an
 * absolute path. */
static bool expand(const char *from, size_t length, const char *origin, char *to, size_t size)
{
	size_t used = 0;

	while (length) {
		size_t name = strncmp(from, "$ORIGIN", 7) == 0 ? 7 : strncmp(from, "${ORIGIN}", 9) == 0 ? 9 : 0;
		size_t plain = strcspn(from, "$");
		size_t span = name ? name : plain < length ? plain : length;
		if (span == 0 || span > length)
			return false;
		int put = snprintf(to + used, size - used, "%.*s", name ? PATH_MAX : (int)span, name ? origin : from);
		if (put < 0 || (size_t)put >= size - used)
			return false;
		used += (size_t)put;
		from += span;
		length -= span;
	}
	return used && to[0] == '/';
}

static bool find_in_list(const char *list, unsigned int machine, const char *origin, const char *name, char *path)
{
	char directory[PATH_MAX];

	for (; list && *list; list += strcspn(list, ":"), list += *list == ':')
		if (expand(list, strcspn(list, ":"), origin, directory, sizeof(directory)) &&
		    file_join(path, PATH_MAX, directory, name, NULL) == STATUS_OK && is_library(path, machine))
			return true;
	return false;
}

bool library_find(const struct library_search *search, unsigned int machine, const struct library_asker *asker,
		  const char *name, char *path, bool *own)
{
	*own = false;
	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return name[0] == '/' && strlen(name) < PATH_MAX && is_library(path, machine);
	}
	*own = true;
	/* RPATH applies to dependencies of dependencies too; it is ignored if the asker has RUNPATH. */
	for (const struct library_asker *at = asker; at && !asker->runpath; at = at->asker)
		if (!at->runpath && find_in_list(at->rpath, machine, at->origin, name, path))
			return true;
	if (find_in_list(asker->runpath, machine, asker->origin, name, path))
		return true;
	*own = false;
	for (size_t i = 0; i < search->directories.count; i++)
		if (file_join(path, PATH_MAX, search->directories.items[i], name, NULL) == STATUS_OK &&
		    is_library(path, machine))
			return true;
	return false;
}
