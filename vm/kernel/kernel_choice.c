/* SPDX-License-Identifier: MIT */
#include "vm/kernel/kernel_choice.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/file.h"
#include "vm/kernel/architecture.h"
#include "vm/kernel/kernel_image.h"

#define FETCHED      "kernels" /* of the cache: picknext fetch kernel */
#define MAKEFILE_MAX (1u << 20)

/* --- Kinds of paths --- */

static bool exists(const char *directory, const char *name, mode_t kind)
{
	char path[PATH_MAX];
	struct stat info;

	return file_join(path, sizeof(path), directory, name, NULL) == STATUS_OK && stat(path, &info) == 0 &&
	       (info.st_mode & S_IFMT) == kind;
}

static bool is_source(const char *directory)
{
	struct buffer text = {0};
	char path[PATH_MAX];

	bool is = exists(directory, "Kbuild", S_IFREG) &&
		  file_join(path, sizeof(path), directory, "Makefile", NULL) == STATUS_OK &&
		  file_read(path, MAKEFILE_MAX, &text, NULL) == STATUS_OK && text.data &&
		  strstr(text.data, "\nPATCHLEVEL =") &&
		  (strncmp(text.data, "VERSION =", 9) == 0 || strstr(text.data, "\nVERSION ="));
	buffer_free(&text);
	return is;
}

bool kernel_tree_is(const char *directory)
{
	char source[PATH_MAX];

	return is_source(directory) ||
	       (exists(directory, "Makefile", S_IFREG) &&
		file_join(source, sizeof(source), directory, "source", NULL) == STATUS_OK && is_source(source));
}

bool kernel_tree_of(const char *image, char tree[PATH_MAX], char source[PATH_MAX])
{
	char path[PATH_MAX];

	if (!realpath(image, path))
		return false;
	if (!kernel_tree_above(path, tree)) {
		if (!file_name_ends(path, "/vmlinux"))
			return false;
		snprintf(tree, PATH_MAX, "%.*s", (int)(strlen(path) - strlen("/vmlinux")), path);
	}
	if (!kernel_tree_is(tree))
		return false;
	if (is_source(tree))
		return snprintf(source, PATH_MAX, "%s", tree) < PATH_MAX;
	return file_join(source, PATH_MAX, tree, "source", NULL) == STATUS_OK;
}

/* --- The image in a directory --- */

struct search {
	const char *top;
	char *image;        /* the first one */
	struct stat file;   /* of it */
	char all[512];      /* their paths, separated by ", " */
	unsigned int found; /* different files */
};

static void look_at(struct search *search, const char *path)
{
	struct stat info;
	size_t used = strlen(search->all);

	if (stat(path, &info) < 0 || !S_ISREG(info.st_mode))
		return;
	/* Skip a link to the same image, such as /boot/vmlinuz. */
	if (search->found > 0 && info.st_dev == search->file.st_dev && info.st_ino == search->file.st_ino)
		return;
	if (search->found++ == 0) {
		search->file = info;
		snprintf(search->image, PATH_MAX, "%s", path);
	}
	snprintf(search->all + used, sizeof(search->all) - used, "%s%s", used ? ", " : "", path);
}

/* Looks at TOP/PLACE/NAME (with below: NAME/BELOW) for each NAME that starts with begin. */
static void look_in(struct search *search, const char *place, const char *begin, const char *below)
{
	char directory[PATH_MAX], path[PATH_MAX], file[PATH_MAX];
	struct dirent **list = NULL;

	if (file_join(directory, sizeof(directory), search->top, place, NULL) != STATUS_OK)
		return;
	int count = scandir(directory, &list, NULL, versionsort);
	for (int i = 0; i < count; i++) {
		if (list[i]->d_name[0] != '.' && strncmp(list[i]->d_name, begin, strlen(begin)) == 0 &&
		    file_join(path, sizeof(path), directory, list[i]->d_name, NULL) == STATUS_OK &&
		    file_join(file, sizeof(file), path, below, NULL) == STATUS_OK)
			look_at(search, below[0] ? file : path);
		free(list[i]);
	}
	free(list);
}

/* The best image of each architecture. */
static void look_for_built(struct search *search)
{
	char path[PATH_MAX];

	for (unsigned int i = 0; i < architecture_count; i++)
		for (const char *const *name = architectures[i].images; *name; name++)
			if (exists(search->top, *name, S_IFREG) &&
			    file_join(path, sizeof(path), search->top, *name, NULL) == STATUS_OK) {
				look_at(search, path);
				break;
			}
}

static enum status refuse_directory(const struct search *search, struct error *err)
{
	if (search->found > 1) {
		error_set(err, STATUS_USAGE, search->top, "holds %u kernels: %s", search->found, search->all);
		return error_remedy(err, "give one of them with --kernel");
	}
	if (kernel_tree_is(search->top)) {
		error_set(err, STATUS_SYSTEM, search->top, "this kernel tree is not built yet: no %s",
			  architectures[0].images[0]);
		return error_remedy(err, "run make there; after make O=DIR, give DIR");
	}
	error_set(err, STATUS_SYSTEM, search->top,
		  "holds no kernel: neither %s nor vmlinuz*, boot/vmlinuz* or lib/modules/RELEASE/vmlinuz",
		  architectures[0].images[0]);
	return error_remedy(
	    err, "give a bzImage, a kernel tree after make bzImage, or a directory of picknext fetch kernel");
}

/* A release line for picknext fetch kernel, such as 6.12 or 7, perhaps with a flavour: 6.12-arm64. *flavour: ""
 * without.
 */
static bool is_release_line(const char *name, const char **flavour)
{
	const size_t length = strspn(name, "0123456789.");

	*flavour = name[length] == '-' ? name + length + 1 : "";
	for (unsigned int i = 0; i < architecture_count; i++)
		if (strstr(*flavour, architectures[i].debian))
			return name[0] != '.' && length;
	return name[0] != '.' && name[length] == '\0';
}

/* path becomes the directory of a fetched kernel if it is the name of one. */
static enum status find_fetched(const char **path, char found[PATH_MAX], struct error *err)
{
	char name[sizeof(FETCHED) + 65];
	const char *flavour;

	if (access(*path, F_OK) == 0 || !kernel_release_is_safe(*path))
		return STATUS_OK;
	snprintf(name, sizeof(name), FETCHED "/%.64s", *path);
	if (cache_find(name, found, PATH_MAX)) {
		*path = found;
	} else if (is_release_line(*path, &flavour) && cache_distrusted(found, PATH_MAX)) {
		error_set(err, STATUS_SYSTEM, *path, "No such file, and the kernels in %s are not used", found);
		return error_remedy(err,
				    "that directory must be yours, readable, and not writable for others: chown or "
				    "chmod it, or name your own with XDG_CACHE_HOME");
	} else if (is_release_line(*path, &flavour)) {
		error_set(err, STATUS_SYSTEM, *path, "No such file, and no kernel of that line was fetched");
		return error_remedy(err, "picknext fetch kernel %s%s%s%.*s gets Debian's", *flavour ? "--flavour " : "",
				    flavour, *flavour ? " " : "", (int)strcspn(*path, "-"), *path);
	}
	return STATUS_OK;
}

/* Shells expand ~/ only at the beginning of a word without quotes, so not in LABEL=~/linux: path becomes the path below
 * HOME. */
static enum status expand_home(const char **path, char expanded[PATH_MAX], struct error *err)
{
	const char *home = getenv("HOME");

	if (strncmp(*path, "~/", 2) != 0 || access(*path, F_OK) == 0 || !home || !home[0])
		return STATUS_OK;
	enum status status = file_join(expanded, PATH_MAX, home, *path + 2, err);
	*path = expanded;
	return status;
}

enum status kernel_image_find(const char *path, char *image, struct error *err)
{
	char expanded[PATH_MAX], fetched[PATH_MAX];

	if (strlen(path) >= PATH_MAX)
		return error_set(err, STATUS_USAGE, NULL, "path of the kernel is too long");
	enum status status = expand_home(&path, expanded, err);
	if (status == STATUS_OK)
		status = find_fetched(&path, fetched, err);
	if (status != STATUS_OK)
		return status;
	struct search search = {.top = path, .image = image};
	strcpy(image, path);
	if (!file_is_directory(path))
		return STATUS_OK;
	look_for_built(&search);
	/* In a kernel tree, a vmlinuz is not the result of its build. */
	if (search.found == 0 && !kernel_tree_is(path)) {
		look_in(&search, "", "vmlinuz", "");
		look_in(&search, "boot", "vmlinuz", "");
		look_in(&search, "lib/modules", "", "vmlinuz");
		look_in(&search, "usr/lib/modules", "", "vmlinuz");
	}
	return search.found == 1 ? STATUS_OK : refuse_directory(&search, err);
}

void kernel_fetched_list(void (*name)(void *context, const char *name), void *context)
{
	char kernels[PATH_MAX], image[PATH_MAX];
	struct dirent **list = NULL;
	int count = cache_find(FETCHED, kernels, sizeof(kernels)) ? scandir(kernels, &list, NULL, versionsort) : 0;

	for (int i = 0; i < count; i++) {
		if (kernel_image_find(list[i]->d_name, image, NULL) == STATUS_OK &&
		    strncmp(image, kernels, strlen(kernels)) == 0)
			name(context, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

bool kernel_fetched_name(const char *image, char *name, size_t size)
{
	char kernels[PATH_MAX], found[PATH_MAX];

	if (!cache_find(FETCHED, kernels, sizeof(kernels)))
		return false;
	size_t length = strlen(kernels);
	if (strncmp(image, kernels, length) != 0 || image[length] != '/')
		return false;
	image += length + 1;
	size_t word = strcspn(image, "/");
	if (!image[word] || word >= size)
		return false;
	snprintf(name, size, "%.*s", (int)word, image);
	/* -k finds this image by that name here. */
	return kernel_image_find(name, found, NULL) == STATUS_OK && strcmp(found + length + 1, image) == 0 &&
	       strncmp(found, kernels, length) == 0;
}

/* --- Labels --- */

/* Names with another meaning: a set's traces, and the report of a comparison. */
static bool is_reserved(const char *name)
{
	return strcmp(name, "raw") == 0 || strcmp(name, "report.html") == 0;
}

bool set_name_is_safe(const char *text)
{
	return kernel_release_is_safe(text) && !is_reserved(text);
}

static enum status refuse_label(const char *label, struct error *err)
{
	error_set(err, STATUS_USAGE, "--kernel", "'%s' cannot be a label: a label names a directory", label);
	return error_remedy(err, "use 1 to 64 characters of A-Z a-z 0-9 _ + ~ . -, the first one not . or -");
}

enum status kernel_choice_parse(const char *argument, struct kernel_choice *choice, struct error *err)
{
	const char *equals = strchr(argument, '=');
	size_t length = equals ? (size_t)(equals - argument) : 0;
	char label[256];

	*choice = (struct kernel_choice){0};
	if (!equals || access(argument, F_OK) == 0 || memchr(argument, '/', length))
		return kernel_image_find(argument, choice->image, err);
	snprintf(label, sizeof(label), "%.*s", (int)(length < sizeof(label) ? length : sizeof(label) - 1), argument);
	if (!set_name_is_safe(label))
		return refuse_label(label, err);
	if (!equals[1]) {
		error_set(err, STATUS_USAGE, "--kernel", "no kernel after '%s'", argument);
		return error_remedy(err, "give it as %sIMAGE or %sDIR", argument, argument);
	}
	memcpy(choice->label, label, length + 1);
	return kernel_image_find(equals + 1, choice->image, err);
}

static enum status check_label(const struct kernel_choice *choices, size_t index, struct error *err)
{
	for (size_t i = 0; i < index && choices[index].label[0]; i++) {
		if (strcmp(choices[i].label, choices[index].label) != 0)
			continue;
		error_set(err, STATUS_USAGE, "--kernel", "two sets cannot have the label %s", choices[index].label);
		return error_remedy(err, "give each kernel a label of its own");
	}
	return STATUS_OK;
}

enum status kernel_choices_parse(const char *const *arguments, size_t count, struct kernel_choice *choices,
				 struct error *err)
{
	enum status status = STATUS_OK;

	if (count == 0 && !kernel_tree_is(".")) {
		error_set(err, STATUS_USAGE, NULL, "no kernel given, and this directory is no kernel tree");
		return error_remedy(err,
				    "give one with --kernel IMAGE or DIR; picknext fetch kernel 6.12 gets Debian's");
	}
	if (count == 0)
		return kernel_choice_parse(".", choices, err);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		status = kernel_choice_parse(arguments[i], &choices[i], err);
		if (status == STATUS_OK)
			status = check_label(choices, i, err);
	}
	return status;
}

/* --- Names of sets --- */

static bool is_used(const struct kernel_choice *choices, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(choices[i].set, name) == 0)
			return true;
	return is_reserved(name);
}

void kernel_choices_name(struct kernel_choice *choices, const char *const *releases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		snprintf(choices[i].set, sizeof(choices[i].set), "%s", choices[i].label);
	for (size_t i = 0; i < count; i++) {
		char name[SET_NAME_SIZE];
		if (choices[i].label[0])
			continue;
		snprintf(name, sizeof(name), "%.64s", releases[i]);
		for (unsigned int number = 2; is_used(choices, count, name); number++)
			snprintf(name, sizeof(name), "%.64s-%u", releases[i], number);
		strcpy(choices[i].set, name);
	}
}
