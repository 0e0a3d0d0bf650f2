/* SPDX-License-Identifier: MIT */
#include "vm/plan/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "vm/plan/seed_list.h"

#define SHARDS_MAX 1000000

enum status cell_choice_parse(const char *text, struct cell_choice *choice, struct error *err)
{
	const char *slash = strchr(text, '/');
	char first[24];

	choice->only_missing = strcmp(text, "missing") == 0;
	if (strlen(text) == CELL_ID_SIZE - 1 && strspn(text, "0123456789abcdef") == CELL_ID_SIZE - 1)
		choice->id = text;
	if (choice->only_missing || choice->id)
		return STATUS_OK;
	if (slash && (size_t)(slash - text) < sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(slash - text), text);
		if (number_parse_u64(first, &choice->shard) && number_parse_u64(slash + 1, &choice->shards) &&
		    choice->shard > 0 && choice->shard <= choice->shards && choice->shards <= SHARDS_MAX)
			return STATUS_OK;
	}
	error_set(err, STATUS_USAGE, "--cells", "'%s' is no part of the cells", text);
	return error_remedy(err, "1/4 is the first of four parts, 4/4 the last; an ID of --plan is one cell");
}

bool cell_choice_is_all(const struct cell_choice *choice)
{
	return choice->shards == 0 && !choice->id;
}

bool cell_choice_has(const struct cell_choice *choice, size_t place, const char *id)
{
	return (choice->shards == 0 || place % choice->shards == choice->shard - 1) &&
	       (!choice->id || strcmp(choice->id, id) == 0) && !(choice->left_out && choice->left_out[place]);
}

struct plan_set *plan_add(struct plan *plan, const char *name, const char *identity, bool deterministic)
{
	plan->sets = xreallocarray(plan->sets, plan->count + 1, sizeof(*plan->sets));
	struct plan_set *set = &plan->sets[plan->count++];
	*set = (struct plan_set){.deterministic = deterministic};
	snprintf(set->name, sizeof(set->name), "%s", name);
	snprintf(set->identity, sizeof(set->identity), "%s", identity);
	return set;
}

static int by_number(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

uint32_t *plan_set_sort_runs(const struct plan_set *set)
{
	uint32_t *sorted = xcalloc(set->run_count + 1, sizeof(*sorted));

	if (set->run_count == 0)
		return sorted;
	memcpy(sorted, set->runs, set->run_count * sizeof(*sorted));
	qsort(sorted, set->run_count, sizeof(*sorted), by_number);
	return sorted;
}

bool plan_has_run(const uint32_t *sorted, size_t count, uint32_t run)
{
	return count && bsearch(&run, sorted, count, sizeof(*sorted), by_number) != NULL;
}

void plan_set_add_runs(struct plan_set *set, const uint32_t *runs, size_t count)
{
	const size_t before = set->run_count;
	uint32_t *sorted = plan_set_sort_runs(set);

	set->runs = xreallocarray(set->runs, before + count + 1, sizeof(*set->runs));
	for (size_t i = 0; i < count; i++)
		if (!plan_has_run(sorted, before, runs[i]))
			set->runs[set->run_count++] = runs[i];
	free(sorted);
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		recipe_free(&plan->sets[i].recipe);
		free(plan->sets[i].runs);
	}
	free(plan->sets);
	*plan = (struct plan){0};
}

/* --- Commands --- */

/* Guests on wall-clock time number their runs from 0. A command of picknext vm takes SEED_LIST_MAX runs: of a plan
 * with more, only the one that it makes. */
static void write_runs(const struct plan_set *set, uint32_t run, struct buffer *out)
{
	const bool has_all = set->run_count <= SEED_LIST_MAX;
	uint32_t last = run;

	for (size_t i = 0; has_all && i < set->run_count; i++)
		last = set->runs[i] > last ? set->runs[i] : last;
	if (!set->deterministic) {
		buffer_printf(out, " --runs=%llu", (unsigned long long)last + 1);
		return;
	}
	buffer_text(out, " --seeds=");
	if (has_all)
		seed_list_write(set->runs, set->run_count, out);
	else
		seed_list_write(&run, 1, out);
}

static void write_words(char **items, size_t count, struct buffer *out)
{
	const struct arguments words = {.items = items, .count = count};

	if (count == 0)
		return;
	buffer_text(out, " ");
	arguments_quote(&words, " ", out);
}

/* Not a program that a plan names: it may come from others. */
void plan_command_write(const struct plan *plan, const struct cell *cell, struct buffer *out)
{
	const struct plan_set *set = &plan->sets[cell->set];
	const struct arguments *words = &set->recipe.words;
	char *program[] = {program_invocation_name, NULL};
	struct arguments output = {0};
	size_t dashes = 0;

	while (dashes < words->count && strcmp(words->items[dashes], "--") != 0)
		dashes++;
	arguments_quote(&(struct arguments){.items = program, .count = 1}, " ", out);
	write_words(words->items, dashes, out);
	arguments_add(&output, "--output-dir=%s", plan->directory);
	write_words(output.items, output.count, out);
	arguments_free(&output);
	write_runs(set, cell->run, out);
	buffer_printf(out, " --cells=%s", cell->id);
	write_words(words->items + dashes, words->count - dashes, out);
}

/* --- The cells --- */

static void make_id(const struct plan_set *set, struct cell *cell)
{
	struct sha256 hash;
	char text[SHA256_TEXT_SIZE];
	int length = snprintf(text, sizeof(text), "%u", cell->run);

	sha256_begin(&hash);
	sha256_add(&hash, set->name, strlen(set->name) + 1);
	sha256_add(&hash, set->identity, strlen(set->identity) + 1);
	sha256_add(&hash, text, (size_t)length);
	sha256_end(&hash, text);
	snprintf(cell->id, CELL_ID_SIZE, "%.*s", CELL_ID_SIZE - 1, text);
}

struct cell *plan_cells(const struct plan *plan, size_t *count)
{
	size_t rounds = 0, all = 0;

	for (size_t i = 0; i < plan->count; i++) {
		all += plan->sets[i].run_count;
		rounds = plan->sets[i].run_count > rounds ? plan->sets[i].run_count : rounds;
	}
	struct cell *cells = xcalloc(all + 1, sizeof(*cells));
	*count = 0;
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < plan->count; i++) {
			if (round >= plan->sets[i].run_count)
				continue;
			struct cell *cell = &cells[(*count)++];
			*cell = (struct cell){.set = i, .run = plan->sets[i].runs[round]};
			make_id(&plan->sets[i], cell);
		}
	return cells;
}

void plan_write_text(const struct plan *plan, const struct cell_choice *choice, struct buffer *out)
{
	size_t count;
	struct cell *cells = plan_cells(plan, &count);

	for (size_t i = 0; i < count; i++) {
		const struct plan_set *set = &plan->sets[cells[i].set];
		if (!cell_choice_has(choice, i, cells[i].id))
			continue;
		plan_command_write(plan, &cells[i], out);
		buffer_text(out, "  # ");
		escape_line_add(set->name, strlen(set->name), out);
		buffer_printf(out, ", %s %u\n", set->deterministic ? "seed" : "run", cells[i].run);
	}
	free(cells);
}

void plan_write_json(const struct plan *plan, const struct cell_choice *choice, struct buffer *out)
{
	struct json_writer json = {.out = out};
	struct buffer command = {0};
	size_t count;
	struct cell *cells = plan_cells(plan, &count);

	json_object_begin(&json, NULL);
	json_array_begin(&json, "cells");
	for (size_t i = 0; i < count; i++) {
		if (!cell_choice_has(choice, i, cells[i].id))
			continue;
		buffer_clear(&command);
		plan_command_write(plan, &cells[i], &command);
		json_object_begin(&json, NULL);
		json_text(&json, "id", cells[i].id);
		json_text(&json, "set", plan->sets[cells[i].set].name);
		json_u64(&json, "run", cells[i].run);
		json_bytes(&json, "command", command.data, command.length);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	buffer_free(&command);
	free(cells);
}
