/* SPDX-License-Identifier: MIT */
#include "cmd/run_choice.h"

#include "base/file.h"
#include "base/number.h"
#include "runs/run_list.h"

enum status run_choice_parse(struct run_choice *choice, const char *run, struct error *err)
{
	choice->has_run = run;
	if (run && !number_parse_u64(run, &choice->run))
		return error_set(err, STATUS_USAGE, "--run", "'%s' is not the number of a run", run);
	return STATUS_OK;
}

static bool is_chosen(const struct run *run, const struct run *first, const struct run_choice *choice)
{
	return run->number == (choice->has_run ? choice->run : first->number) && run_is_of(run, choice->workload);
}

/* The one run of the directory that is chosen. */
static enum status find_run(const char *directory, const struct run_list *list, const struct run_choice *choice,
			    const struct run **found, struct error *err)
{
	*found = NULL;
	for (size_t i = 0; i < list->count; i++) {
		const struct run *run = &list->items[i];
		if (!is_chosen(run, &list->items[0], choice))
			continue;
		if (*found) {
			error_set(err, STATUS_USAGE, directory, "has several such runs: %s and %s", (*found)->id,
				  run->id);
			return error_remedy(err, "choose one with --workload and --run");
		}
		*found = run;
	}
	if (*found)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, directory, "has no such run");
	return error_remedy(err, "picknext check %s names its runs", directory);
}

static enum status open_directory(const char *directory, const struct run_choice *choice, struct run *run,
				  struct error *err)
{
	struct run_list list = {0};
	const struct run *found;
	char raw[PATH_MAX];
	enum status status = run_directory_of(directory, raw, err);

	if (status == STATUS_OK)
		status = run_list_find(raw, NULL, &list, err);
	if (status == STATUS_OK)
		status = run_list_read_metadata(&list, err);
	if (status == STATUS_OK)
		status = find_run(directory, &list, choice, &found, err);
	if (status == STATUS_OK)
		status = run_open(run, found->path, err);
	run_list_free(&list);
	return status;
}

enum status run_choice_open(const char *operand, const struct run_choice *choice, struct run *run, struct error *err)
{
	return file_is_directory(operand) ? open_directory(operand, choice, run, err) : run_open(run, operand, err);
}
