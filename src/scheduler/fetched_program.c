/* SPDX-License-Identifier: MIT */
#include "scheduler/fetched_program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/program_path.h"

enum status scheduler_find_fetched(struct scheduler_spec *spec, struct error *err)
{
	char *program = spec->kind == SCHEDULER_PROGRAM ? spec->words.items[0] : NULL;
	char name[NAME_MAX + 1], path[PATH_MAX];

	if (!program || strchr(program, '/') || program_find(program, path, sizeof(path)))
		return STATUS_OK;
	snprintf(name, sizeof(name), "schedulers/%s", program);
	if (!cache_find(name, path, sizeof(path)))
		return STATUS_OK;
	char *found = strdup(path);
	if (!found)
		return error_system(err, ENOMEM, "--scheduler", "cannot read it");
	free(program);
	spec->words.items[0] = found;
	return STATUS_OK;
}
