/* SPDX-License-Identifier: MIT */
#include "compare/run_gate.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pattern.h"
#include "compare/run_reader.h"

static bool is_value_name(const struct option_list *values, const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < values->count; i++)
		if (strncmp(values->items[i], name, length) == 0 && values->items[i][length] == '=')
			return true;
	return false;
}

enum status run_gate_parse(const char *text, const char *option, const struct option_list *values,
			   struct compare_gate *gate, struct error *err)
{
	struct run_sets none = {0};
	const struct metric *metric = NULL;
	enum status status = compare_gate_parse(text, option, gate, err);

	if (status == STATUS_OK)
		status = run_sets_list(NULL, 0, NULL, &none, err);
	if (status == STATUS_OK && !is_value_name(values, gate->condition.name))
		status = comparison_find_metric(&none, option, gate->condition.name, &metric, err);
	run_sets_free(&none);
	if (status != STATUS_OK || !gate->is_change)
		return status;
	gate->is_change = false;
	if (metric && strcmp(metric->unit, "%") == 0)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, option, "'%s' tests a change, and one run has none", text);
	return error_remedy(err, "write a value of %s, without %%", gate->condition.name);
}

/* *value: NaN if the gate is not for its workload, or the run does not have the metric. */
static enum status read_value(const struct compare_gate *gate, const char *trace, const struct run_set_options *options,
			      double *value, struct error *err)
{
	char *operands[] = {(char *)(uintptr_t)trace};
	struct run_sets sets = {0};
	enum status status = run_sets_list(operands, 1, options, &sets, err);

	const struct metric *metric = status == STATUS_OK ? run_sets_metric(&sets, gate->condition.name) : NULL;
	*value = NAN;
	if (metric && pattern_fits(gate->condition.subject, sets.items[0].runs[0].workload)) {
		status = run_sets_read(&sets, true, 1, err);
		if (status == STATUS_OK)
			*value = run_value(&sets.items[0].runs[0], NULL, metric);
	}
	run_sets_free(&sets);
	return status;
}

static enum status judge_trace(const struct compare_gate *gate, const char *directory, const char *name,
			       const struct run_set_options *options, char *reason, size_t size, struct error *err)
{
	const struct metric *metric = metric_find(gate->condition.name); /* NULL: a value, without unit */
	char path[PATH_MAX];
	double value = NAN;
	enum status status = file_join(path, sizeof(path), directory, name, err);

	if (status == STATUS_OK)
		status = read_value(gate, path, options, &value, err);
	if (!isnan(value) && condition_meets(&gate->condition, value))
		snprintf(reason, size, "%.*s: %s is %.6g%s%s, '%s' fires", (int)(strlen(name) - 4), name,
			 gate->condition.name, value, metric && metric->unit[0] ? " " : "", metric ? metric->unit : "",
			 gate->condition.text);
	return status;
}

/* "cpu_bound_4p_run3.dat" of run 3. */
static bool is_trace_of(const char *name, uint32_t run)
{
	char end[32];

	snprintf(end, sizeof(end), "_run%u.dat", run);
	return file_name_ends(name, end);
}

enum status run_gate_judge(const struct compare_gate *gate, const char *directory, uint32_t run,
			   const struct run_set_options *options, char *reason, size_t size, struct error *err)
{
	struct dirent **list = NULL;
	enum status status = STATUS_OK;
	int count = scandir(directory, &list, NULL, alphasort);

	reason[0] = '\0';
	if (count < 0)
		return error_system(err, errno, directory, "cannot open");
	for (int i = 0; i < count; i++) {
		if (status == STATUS_OK && !reason[0] && is_trace_of(list[i]->d_name, run))
			status = judge_trace(gate, directory, list[i]->d_name, options, reason, size, err);
		free(list[i]);
	}
	free(list);
	return status;
}
