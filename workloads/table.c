/* SPDX-License-Identifier: MIT */
#include "workloads/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest_name.h"
#include "workloads/mix_tasks.h"
#include "workloads/rows.h"

#define POINTER(name) &(name),
static const struct workload *const programs[] = {WORKLOAD_ROWS(POINTER)};

#define PROGRAMS (sizeof(programs) / sizeof(*programs))

const struct workload *workload_at(size_t number)
{
	return number < PROGRAMS ? programs[number] : mixes_at(number - PROGRAMS);
}

const struct workload *workload_find(const char *name)
{
	const struct workload *workload;

	for (size_t i = 0; (workload = workload_at(i)); i++)
		if (strcmp(workload->name, name) == 0)
			break;
	return workload;
}

static const char *nearest_workload(const char *misspelled)
{
	const char *names[WORKLOADS_MAX + 1] = {NULL};

	for (size_t i = 0; i < WORKLOADS_MAX && workload_at(i); i++)
		names[i] = workload_at(i)->name;
	return nearest_name(misspelled, names);
}

/* Mixes of the user, kept until the program ends. */
struct own_mix {
	struct own_mix *next;
	struct mix_workload made;
};

/* Equal words are one workload. */
static const struct workload *keep_mix(const struct mix *mix)
{
	static struct own_mix *first;
	struct own_mix *one = xcalloc(1, sizeof(*one));

	one->made.mix = *mix;
	const char *name = mix->label[0] ? one->made.mix.label : "mix";
	workload_of_mix(&one->made, name, "mix", "own mix", "as its words define");
	for (struct own_mix *other = first; other; other = other->next) {
		if (strcmp(other->made.parameters, one->made.parameters) != 0)
			continue;
		mix_workload_free(&one->made);
		free(one);
		return &other->made.workload;
	}
	one->next = first;
	first = one;
	return &one->made.workload;
}

static enum status require_mix(const char *name, const struct workload **workload, struct error *err)
{
	struct mix mix;
	enum status status = mix_parse_name(name, &mix, err);

	if (status != STATUS_OK)
		return status;
	if (mix.label[0] && workload_find(mix.label)) {
		error_set(err, STATUS_USAGE, "mix", "'%s' is the name of a built-in workload", mix.label);
		return error_remedy(err, "choose another name: name NAME;");
	}
	*workload = keep_mix(&mix);
	return STATUS_OK;
}

enum status workload_require(const char *name, const char *where, const struct workload **workload, struct error *err)
{
	*workload = NULL;
	if (mix_is_one(name))
		return require_mix(name, workload, err);
	*workload = workload_find(name);
	if (*workload)
		return STATUS_OK;
	const char *near = nearest_workload(name);
	error_set(err, STATUS_USAGE, where, "unknown workload '%s'", name);
	if (near)
		return error_remedy(err, "did you mean '%s'? (picknext list shows all)", near);
	return error_remedy(err, "picknext list shows all");
}
