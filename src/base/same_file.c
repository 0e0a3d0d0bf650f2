/* SPDX-License-Identifier: MIT */
#include "base/same_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"

struct identity {
	dev_t device;
	ino_t inode;
	size_t place; /* in the list */
};

static int compare_identities(const void *left, const void *right)
{
	const struct identity *a = left;
	const struct identity *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

void same_file_find(const char *const *paths, size_t count, size_t *first, size_t *second)
{
	struct identity *files = xcalloc(count + 1, sizeof(*files));
	size_t found = 0;
	struct stat info;

	*first = *second = count;
	for (size_t i = 0; i < count; i++)
		if (stat(paths[i], &info) == 0 && S_ISREG(info.st_mode))
			files[found++] = (struct identity){info.st_dev, info.st_ino, i};
	qsort(files, found, sizeof(*files), compare_identities);
	for (size_t i = 1; i < found; i++) {
		bool is_same = files[i].device == files[i - 1].device && files[i].inode == files[i - 1].inode;
		if (!is_same || files[i].place >= *second)
			continue;
		*first = files[i - 1].place;
		*second = files[i].place;
	}
	free(files);
}
