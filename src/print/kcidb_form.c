/* SPDX-License-Identifier: MIT
 *
 * A comparison as a report for KernelCI's database, in its schema 5.3. Each set is a build of a checkout of its own.
 * With gates each of them is a test; without, each metric of each set is a measurement without a verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/sha256.h"
#include "compare/run_facts.h"
#include "print/ci_source.h"
#include "print/forms.h"
#include "print/result_list.h"

#define PATH_ROOT   "picknext"
#define ID_DIGITS   32
#define DECIMALS    9
#define EXCERPT_MAX 16000 /* the schema allows 16384 characters */

struct id {
	char text[CI_ORIGIN_MAX + 1 + ID_DIGITS + 1];
};

static void add_part(struct sha256 *hash, const char *text)
{
	sha256_add(hash, text, strlen(text) + 1);
}

static struct id end_id(const char *origin, struct sha256 *hash)
{
	char text[SHA256_TEXT_SIZE];
	struct id id;

	sha256_end(hash, text);
	snprintf(id.text, sizeof(id.text), "%s:%.*s", origin, ID_DIGITS, text);
	return id;
}

/* The kernel under test, of which the commit is. */
static bool is_last_set(const struct compare_output *output, size_t number)
{
	return number + 1 == output->rows->sets->count;
}

/* Depends on what the set is and which runs it has: another comparison of the same set has the same. */
static struct id set_id(const struct compare_output *output, size_t number, const char *kind)
{
	static const enum environment_fact facts[] = {FACT_KERNEL, FACT_KERNEL_VERSION, FACT_IDENTITY, FACT_ACCELERATOR,
						      FACT_COMMAND_LINE};
	const struct run_set *set = &output->rows->sets->items[number];
	struct sha256 hash;
	char value[512];

	sha256_begin(&hash);
	add_part(&hash, kind);
	add_part(&hash, set->label);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		run_set_fact(set, NULL, facts[i], value, sizeof(value));
		add_part(&hash, value);
	}
	if (is_last_set(output, number))
		add_part(&hash, output->source->commit);
	return end_id(output->source->origin, &hash);
}

static struct id test_id(const struct compare_output *output, size_t set, const char *path, const char *name,
			 const struct comparison_sample *sample)
{
	struct id build = set_id(output, set, "build");
	struct sha256 hash;
	char value[64];

	sha256_begin(&hash);
	add_part(&hash, build.text);
	add_part(&hash, path);
	add_part(&hash, name);
	for (size_t i = 0; i < sample->count; i++) {
		snprintf(value, sizeof(value), "%.17g", sample->values[i]);
		add_part(&hash, value);
	}
	return end_id(output->source->origin, &hash);
}

/* "picknext.hackbench_pipe_small.slice_p50_us"; the schema allows letters, digits, _ and - between the dots. */
static void make_path(const char *workload, const char *metric, char *path, size_t size)
{
	snprintf(path, size, PATH_ROOT ".%.200s.%s", workload[0] ? workload : "-", metric);
	for (char *at = path + sizeof(PATH_ROOT); *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *at) &&
		    at != strrchr(path, '.'))
			*at = '_';
}

static void add_fact(const struct run_set *set, const char *key, enum environment_fact fact, struct json_writer *json)
{
	char value[512];

	run_set_fact(set, NULL, fact, value, sizeof(value));
	json_text(json, key, value);
}

static void add_checkout(const struct compare_output *output, size_t number, struct json_writer *json)
{
	const struct run_set *set = &output->rows->sets->items[number];
	const struct ci_source *source = output->source;

	json_object_begin(json, NULL);
	json_text(json, "id", set_id(output, number, "checkout").text);
	json_text(json, "origin", source->origin);
	if (is_last_set(output, number) && source->repository[0])
		json_text(json, "git_repository_url", source->repository);
	if (is_last_set(output, number) && source->commit[0])
		json_text(json, "git_commit_hash", source->commit);
	json_text(json, "comment", set->label);
	json_object_begin(json, "misc");
	add_fact(set, "release", FACT_KERNEL, json);
	add_fact(set, "version", FACT_KERNEL_VERSION, json);
	json_object_end(json);
	json_object_end(json);
}

static bool is_plain(const char *text)
{
	return text[0] && strcmp(text, "unknown") != 0 &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static void add_build(const struct compare_output *output, size_t number, struct json_writer *json)
{
	const struct comparison_rows *rows = output->rows;
	const struct run_set *set = &rows->sets->items[number];
	char architecture[64];

	run_set_fact(set, NULL, FACT_ARCHITECTURE, architecture, sizeof(architecture));
	json_object_begin(json, NULL);
	json_text(json, "id", set_id(output, number, "build").text);
	json_text(json, "checkout_id", set_id(output, number, "checkout").text);
	json_text(json, "origin", output->source->origin);
	json_text(json, "comment", set->label);
	if (is_plain(architecture))
		json_text(json, "architecture", architecture);
	json_text(json, "status", "PASS");
	if (rows->counts[number].verdicts[VERDICT_NOT_EXERCISED]) {
		json_object_begin(json, "misc");
		json_u64(json, "metrics_not_exercised", rows->counts[number].verdicts[VERDICT_NOT_EXERCISED]);
		json_object_end(json);
	}
	json_object_end(json);
}

static void add_number(const struct comparison_sample *sample, const char *unit, struct json_writer *json)
{
	if (!isfinite(sample->median))
		return;
	json_object_begin(json, "number");
	json_real(json, "value", sample->median, DECIMALS);
	if (unit[0])
		json_text(json, "unit", unit);
	json_object_end(json);
}

static void add_environment(const struct run_set *set, struct json_writer *json)
{
	json_object_begin(json, "environment");
	json_object_begin(json, "misc");
	for (enum environment_fact fact = 0; fact < COMPARED_FACTS; fact++)
		add_fact(set, compared_field(fact)->key, fact, json);
	json_object_end(json);
	json_object_end(json);
}

static void add_finite(struct json_writer *json, const char *key, double value)
{
	if (isfinite(value))
		json_real(json, key, value, DECIMALS);
}

static void add_change(const struct comparison_cell *cell, struct json_writer *json)
{
	const struct comparison *against = &cell->against;

	json_object_begin(json, "misc");
	json_u64(json, "runs", cell->sample.count);
	add_finite(json, "change", against->change);
	add_finite(json, "low", against->low);
	add_finite(json, "high", against->high);
	add_finite(json, "p", against->p);
	json_text(json, "verdict", comparison_verdict_text(against->verdict));
	json_object_end(json);
}

static void add_test(const struct compare_output *output, const struct comparison_row *row, size_t set,
		     const char *name, const char *status, const char *excerpt, struct json_writer *json)
{
	const struct run_set *tested = &output->rows->sets->items[set];
	const struct metric *metric = row->metric;
	char path[512];

	make_path(output->rows->workloads[row->workload].name, metric->name, path, sizeof(path));
	json_object_begin(json, NULL);
	json_text(json, "id", test_id(output, set, path, name, &row->cells[set].sample).text);
	json_text(json, "origin", output->source->origin);
	json_text(json, "build_id", set_id(output, set, "build").text);
	json_text(json, "path", path);
	json_text(json, "comment", name);
	json_text(json, "status", status);
	add_number(&row->cells[set].sample, metric->unit, json);
	if (excerpt[0])
		json_bytes(json, "log_excerpt", excerpt, strnlen(excerpt, EXCERPT_MAX));
	add_environment(tested, json);
	add_change(&row->cells[set], json);
	json_object_end(json);
}

static void add_gates(const struct compare_output *output, struct json_writer *json)
{
	static const char *const statuses[] = {
	    [PASSED] = "PASS", [FAILED] = "FAIL", [INCONCLUSIVE] = "ERROR", [SKIPPED] = "SKIP"};
	struct compare_result result;
	char excerpt[sizeof(result.reason) + sizeof(result.repeat) + 16];

	for (size_t at = 0; compare_next_result(output, COMPARE_ALL_WORKLOADS, &at, &result);) {
		snprintf(excerpt, sizeof(excerpt), "%s%s%s", result.reason, result.repeat[0] ? "\nrepeat: " : "",
			 result.repeat);
		add_test(output, result.row, result.set, result.name, statuses[result.outcome], excerpt, json);
	}
}

static void add_measurements(const struct compare_output *output, struct json_writer *json)
{
	const struct comparison_rows *rows = output->rows;

	for (size_t i = 0; i < rows->row_count; i++)
		for (size_t set = 0; set < rows->sets->count && !rows->rows[i].is_excluded; set++)
			if (isfinite(rows->rows[i].cells[set].sample.median) &&
			    comparison_is_exercised(rows, &rows->rows[i]))
				add_test(output, &rows->rows[i], set, rows->rows[i].metric->heading, "DONE", "", json);
}

void compare_write_kcidb(const struct compare_output *output, struct buffer *out)
{
	const struct run_sets *sets = output->rows->sets;
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_object_begin(&json, "version");
	json_u64(&json, "major", 5);
	json_u64(&json, "minor", 3);
	json_object_end(&json);
	json_array_begin(&json, "checkouts");
	for (size_t i = 0; i < sets->count; i++)
		add_checkout(output, i, &json);
	json_array_end(&json);
	json_array_begin(&json, "builds");
	for (size_t i = 0; i < sets->count; i++)
		add_build(output, i, &json);
	json_array_end(&json);
	json_array_begin(&json, "tests");
	if (output->gates->count)
		add_gates(output, &json);
	else
		add_measurements(output, &json);
	json_array_end(&json);
	json_object_end(&json);
}
