/* SPDX-License-Identifier: MIT */
#include "vm/plan/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "vm/plan/cell_list.h"

struct plan_set *plan_add(struct plan *plan, const char *name, const char *identity, bool deterministic)
{
	plan->sets = xreallocarray(plan->sets, plan->count + 1, sizeof(*plan->sets));
	struct plan_set *set = &plan->sets[plan->count++];
	*set = (struct plan_set){.deterministic = deterministic};
	snprintf(set->name, sizeof(set->name), "%s", name);
	snprintf(set->identity, sizeof(set->identity), "%s", identity);
	return set;
}

static bool has_run(const struct plan_set *set, size_t count, uint32_t run)
{
	for (size_t i = 0; i < count; i++)
		if (set->runs[i] == run)
			return true;
	return false;
}

void plan_set_add_runs(struct plan_set *set, const uint32_t *runs, size_t count)
{
	const size_t before = set->run_count;

	set->runs = xreallocarray(set->runs, before + count + 1, sizeof(*set->runs));
	for (size_t i = 0; i < count; i++)
		if (!has_run(set, before, runs[i]))
			set->runs[set->run_count++] = runs[i];
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

/* "1-10,12" */
static void write_ranges(const uint32_t *runs, size_t count, struct buffer *out)
{
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;
		while (end < count && runs[end] == runs[end - 1] + 1)
			end++;
		buffer_printf(out, "%s%u", i ? "," : "", runs[i]);
		if (end - i > 1)
			buffer_printf(out, "-%u", runs[end - 1]);
		i = end;
	}
}

/* Guests on wall-clock time number their runs from 0. */
static void add_runs(const struct plan_set *set, struct recipe *recipe)
{
	struct buffer ranges = {0};
	uint32_t last = 0;

	for (size_t i = 0; i < set->run_count; i++)
		last = set->runs[i] > last ? set->runs[i] : last;
	write_ranges(set->runs, set->run_count, &ranges);
	if (set->deterministic)
		recipe_add_option(recipe, "--seeds=%s", ranges.data);
	else
		recipe_add_option(recipe, "--runs=%llu", (unsigned long long)last + 1);
	buffer_free(&ranges);
}

/* The command that makes all cells of the set. */
static void make_command(const struct plan *plan, size_t index, struct recipe *command)
{
	const struct plan_set *set = &plan->sets[index];

	*command = (struct recipe){0};
	recipe_copy(&set->recipe, command);
	recipe_add_option(command, "--output-dir=%s", plan->directory);
	if (set->run_count)
		add_runs(set, command);
}

/* Not a program that a plan names: it may come from others. */
static void write_command(const struct recipe *command, const char *id, struct buffer *out)
{
	struct recipe one = {0};
	struct arguments program = {0};

	recipe_copy(command, &one);
	recipe_add_option(&one, "--cells=%s", id);
	arguments_add(&program, "%s", program_invocation_name);
	arguments_quote(&program, " ", out);
	buffer_text(out, " ");
	arguments_quote(&one.words, " ", out);
	arguments_free(&program);
	recipe_free(&one);
}

void plan_cell_command(const struct plan *plan, size_t set, const char *id, struct buffer *out)
{
	struct recipe command;

	make_command(plan, set, &command);
	write_command(&command, id, out);
	recipe_free(&command);
}

/* --- The list --- */

struct listing {
	const struct plan *plan;
	struct cell *cells;
	size_t count;
	struct recipe *commands; /* of each set */
};

static void end_listing(struct listing *listing)
{
	for (size_t i = 0; i < listing->plan->count; i++)
		recipe_free(&listing->commands[i]);
	free(listing->commands);
	free(listing->cells);
}

static void begin_listing(const struct plan *plan, struct listing *listing)
{
	struct set_runs *runs = xcalloc(plan->count + 1, sizeof(*runs));

	*listing = (struct listing){.plan = plan, .commands = xcalloc(plan->count + 1, sizeof(*listing->commands))};
	for (size_t i = 0; i < plan->count; i++) {
		runs[i] = (struct set_runs){plan->sets[i].runs, plan->sets[i].run_count};
		make_command(plan, i, &listing->commands[i]);
	}
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
		write_command(&listing.commands[cell->set], id, out);
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
		write_command(&listing.commands[cell->set], id, &command);
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
