/* SPDX-License-Identifier: MIT */
#include "vm/plan/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "vm/plan/cell_list.h"
#include "vm/plan/seed_list.h"

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
static void make_command(const struct plan *plan, const struct plan_set *set, struct plan_command *command)
{
	char *program[] = {program_invocation_name, NULL};
	struct recipe recipe = {0};
	size_t dashes = 0;

	recipe_copy(&set->recipe, &recipe);
	recipe_add_option(&recipe, "--output-dir=%s", plan->directory);
	char **items = recipe.words.items;
	while (dashes < recipe.words.count && strcmp(items[dashes], "--") != 0)
		dashes++;
	arguments_quote(&(struct arguments){.items = program, .count = 1}, " ", &command->options);
	write_words(items, dashes, &command->options);
	write_words(items + dashes, recipe.words.count - dashes, &command->operands);
	if (set->run_count && set->run_count <= SEED_LIST_MAX)
		write_runs(set, 0, &command->runs);
	recipe_free(&recipe);
}

struct plan_command *plan_commands_make(const struct plan *plan)
{
	struct plan_command *commands = xcalloc(plan->count + 1, sizeof(*commands));

	for (size_t i = 0; i < plan->count; i++)
		make_command(plan, &plan->sets[i], &commands[i]);
	return commands;
}

void plan_commands_free(struct plan_command *commands, const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		buffer_free(&commands[i].options);
		buffer_free(&commands[i].runs);
		buffer_free(&commands[i].operands);
	}
	free(commands);
}

void plan_command_write(const struct plan_command *command, const struct plan_set *set, uint32_t run, const char *id,
			struct buffer *out)
{
	buffer_add(out, command->options.data, command->options.length);
	if (command->runs.length)
		buffer_add(out, command->runs.data, command->runs.length);
	else
		write_runs(set, run, out);
	buffer_printf(out, " --cells=%s", id);
	if (command->operands.length)
		buffer_add(out, command->operands.data, command->operands.length);
}

/* --- The list --- */

struct listing {
	const struct plan *plan;
	struct cell *cells;
	size_t count;
	struct plan_command *commands;
};

static void end_listing(struct listing *listing)
{
	plan_commands_free(listing->commands, listing->plan);
	free(listing->cells);
}

static void begin_listing(const struct plan *plan, struct listing *listing)
{
	struct set_runs *runs = xcalloc(plan->count + 1, sizeof(*runs));

	*listing = (struct listing){.plan = plan, .commands = plan_commands_make(plan)};
	for (size_t i = 0; i < plan->count; i++)
		runs[i] = (struct set_runs){plan->sets[i].runs, plan->sets[i].run_count};
	listing->cells = cell_list_make(runs, plan->count, &listing->count);
	free(runs);
}

static bool choose_cell(const struct listing *listing, size_t place, const struct cell_choice *choice, char *id)
{
	const struct cell *cell = &listing->cells[place];
	const struct plan_set *set = &listing->plan->sets[cell->set];

	cell_id_make(set->name, set->identity, cell->run, id);
	return cell_choice_has(choice, place, id);
}

void plan_write_text(const struct plan *plan, const struct cell_choice *choice, struct buffer *out)
{
	struct listing listing;
	char id[CELL_ID_SIZE];

	begin_listing(plan, &listing);
	for (size_t i = 0; i < listing.count; i++) {
		const struct cell *cell = &listing.cells[i];
		if (!choose_cell(&listing, i, choice, id))
			continue;
		plan_command_write(&listing.commands[cell->set], &plan->sets[cell->set], cell->run, id, out);
		buffer_text(out, "  # ");
		escape_line_add(plan->sets[cell->set].name, strlen(plan->sets[cell->set].name), out);
		buffer_printf(out, ", %s %u\n", plan->sets[cell->set].deterministic ? "seed" : "run", cell->run);
	}
	end_listing(&listing);
}

void plan_write_json(const struct plan *plan, const struct cell_choice *choice, struct buffer *out)
{
	struct json_writer json = {.out = out};
	struct buffer command = {0};
	struct listing listing;
	char id[CELL_ID_SIZE];

	begin_listing(plan, &listing);
	json_object_begin(&json, NULL);
	json_array_begin(&json, "cells");
	for (size_t i = 0; i < listing.count; i++) {
		const struct cell *cell = &listing.cells[i];
		if (!choose_cell(&listing, i, choice, id))
			continue;
		buffer_clear(&command);
		plan_command_write(&listing.commands[cell->set], &plan->sets[cell->set], cell->run, id, &command);
		json_object_begin(&json, NULL);
		json_text(&json, "id", id);
		json_text(&json, "set", plan->sets[cell->set].name);
		json_u64(&json, "run", cell->run);
		json_bytes(&json, "command", command.data, command.length);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	buffer_free(&command);
	end_listing(&listing);
}
