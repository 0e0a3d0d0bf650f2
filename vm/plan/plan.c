/* SPDX-License-Identifier: MIT */
#include "vm/plan/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "vm/plan/cell_list.h"

struct plan_set *plan_add(struct plan *plan, const char *name, const char *identity, bool deterministic)
{
	struct plan_set *sets = realloc(plan->sets, (plan->count + 1) * sizeof(*sets));

	if (!sets)
		return NULL;
	plan->sets = sets;
	struct plan_set *set = &sets[plan->count++];
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

bool plan_set_add_runs(struct plan_set *set, const uint32_t *runs, size_t count)
{
	const size_t before = set->run_count;
	uint32_t *grown = realloc(set->runs, (before + count + 1) * sizeof(*grown));

	if (!grown)
		return false;
	set->runs = grown;
	for (size_t i = 0; i < count; i++)
		if (!has_run(set, before, runs[i]))
			set->runs[set->run_count++] = runs[i];
	return true;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		arguments_free(&plan->sets[i].options);
		arguments_free(&plan->sets[i].operands);
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
static void write_runs(const struct plan_set *set, struct buffer *out)
{
	uint32_t last = 0;

	if (set->deterministic) {
		buffer_text(out, " --seeds=");
		write_ranges(set->runs, set->run_count, out);
		return;
	}
	for (size_t i = 0; i < set->run_count; i++)
		last = set->runs[i] > last ? set->runs[i] : last;
	buffer_printf(out, " --runs=%llu", (unsigned long long)last + 1);
}

static void write_begin(const struct plan *plan, size_t index, struct buffer *out)
{
	const struct plan_set *set = &plan->sets[index];
	struct arguments place = {0};

	/* Not a program that a plan names: it may come from others. */
	arguments_add(&place, "%s", program_invocation_name);
	arguments_add(&place, "vm");
	for (size_t i = 0; i < set->options.count; i++)
		arguments_add(&place, "%s", set->options.items[i]);
	arguments_add(&place, "--output-dir=%s", plan->directory);
	arguments_quote(&place, " ", out);
	out->failed = out->failed || place.failed;
	arguments_free(&place);
	write_runs(set, out);
}

static void write_end(const struct plan_set *set, const char *id, struct buffer *out)
{
	buffer_printf(out, " --cell=%s", id);
	if (set->operands.count)
		buffer_text(out, " -- ");
	arguments_quote(&set->operands, " ", out);
}

void plan_cell_command(const struct plan *plan, size_t set, const char *id, struct buffer *out)
{
	write_begin(plan, set, out);
	write_end(&plan->sets[set], id, out);
}

/* --- The list --- */

struct listing {
	const struct plan *plan;
	struct cell *cells;
	size_t count;
	struct buffer *begins; /* of the commands of each set */
};

static void end_listing(struct listing *listing)
{
	for (size_t i = 0; listing->begins && i < listing->plan->count; i++)
		buffer_free(&listing->begins[i]);
	free(listing->begins);
	free(listing->cells);
}

static enum status begin_listing(const struct plan *plan, struct listing *listing, struct error *err)
{
	struct set_runs *runs = calloc(plan->count + 1, sizeof(*runs));

	*listing = (struct listing){.plan = plan, .begins = calloc(plan->count + 1, sizeof(*listing->begins))};
	for (size_t i = 0; runs && listing->begins && i < plan->count; i++) {
		runs[i] = (struct set_runs){plan->sets[i].runs, plan->sets[i].run_count};
		write_begin(plan, i, &listing->begins[i]);
	}
	listing->cells = runs && listing->begins ? cell_list_make(runs, plan->count, &listing->count) : NULL;
	free(runs);
	if (listing->cells)
		return STATUS_OK;
	end_listing(listing);
	return error_system(err, ENOMEM, NULL, "cannot list the cells");
}

static bool choose(const struct listing *listing, size_t place, const struct cell_choice *choice, char *id)
{
	const struct cell *cell = &listing->cells[place];
	const struct plan_set *set = &listing->plan->sets[cell->set];

	cell_id_make(set->name, set->identity, cell->run, id);
	return cell_choice_has(choice, place, id);
}

static void add_command(const struct listing *listing, const struct cell *cell, const char *id, struct buffer *out)
{
	const struct buffer *begin = &listing->begins[cell->set];

	buffer_add(out, begin->data, begin->length);
	write_end(&listing->plan->sets[cell->set], id, out);
}

enum status plan_write_text(const struct plan *plan, const struct cell_choice *choice, struct buffer *out,
			    struct error *err)
{
	struct listing listing;
	char id[CELL_ID_SIZE];
	enum status status = begin_listing(plan, &listing, err);

	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < listing.count; i++) {
		const struct cell *cell = &listing.cells[i];
		if (!choose(&listing, i, choice, id))
			continue;
		add_command(&listing, cell, id, out);
		buffer_text(out, "  # ");
		escape_line_add(plan->sets[cell->set].name, strlen(plan->sets[cell->set].name), out);
		buffer_printf(out, ", %s %u\n", plan->sets[cell->set].deterministic ? "seed" : "run", cell->run);
	}
	end_listing(&listing);
	return STATUS_OK;
}

enum status plan_write_json(const struct plan *plan, const struct cell_choice *choice, struct buffer *out,
			    struct error *err)
{
	struct json_writer json = {.out = out};
	struct buffer command = {0};
	struct listing listing;
	char id[CELL_ID_SIZE];
	enum status status = begin_listing(plan, &listing, err);

	if (status != STATUS_OK)
		return status;
	json_object_begin(&json, NULL);
	json_array_begin(&json, "cells");
	for (size_t i = 0; i < listing.count; i++) {
		const struct cell *cell = &listing.cells[i];
		if (!choose(&listing, i, choice, id))
			continue;
		buffer_clear(&command);
		add_command(&listing, cell, id, &command);
		json_object_begin(&json, NULL);
		json_text(&json, "id", id);
		json_text(&json, "set", plan->sets[cell->set].name);
		json_u64(&json, "run", cell->run);
		json_bytes(&json, "command", command.data, command.length);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	out->failed = out->failed || command.failed;
	buffer_free(&command);
	end_listing(&listing);
	return STATUS_OK;
}
