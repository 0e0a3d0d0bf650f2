/* SPDX-License-Identifier: MIT */
#include "compare/reach.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/memory.h"

#define LINES_MAX 8 /* of places, and of reasons */

/* --- Counts --- */

static struct reach_place *find_place(struct reach *reach, const char *name)
{
	for (size_t i = 0; i < reach->count; i++)
		if (strcmp(reach->places[i].name, name) == 0)
			return &reach->places[i];
	return NULL;
}

static void list_places(struct reach *reach)
{
	for (size_t run = 0; run < reach->runs.count; run++) {
		const struct run_metadata *metadata = &reach->runs.items[run].metadata;
		for (size_t i = 0; i < metadata->function_count; i++) {
			const char *name = metadata->functions[i].name;
			if (!name || find_place(reach, name))
				continue;
			reach->places = xreallocarray(reach->places, reach->count + 1, sizeof(*reach->places));
			reach->places[reach->count++] = (struct reach_place){
			    .name = name,
			    .is_line = strchr(name, ':') != NULL,
			    .is_caller = strchr(name, '/') && !strchr(name, ':'),
			};
		}
	}
}

/* A .part. copy is called by another copy, or by functions into which the rest of the function was inlined. */
static bool is_part(const struct run_function *function)
{
	return function->symbol && strstr(function->symbol, ".part.");
}

/* Whether an earlier run has this workload. */
static bool has_run_before(const struct reach *reach, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (strcmp(reach->runs.items[i].workload, reach->runs.items[run].workload) == 0)
			return true;
	return false;
}

/* Adds how often a run executed a place, and notes the most copies of it and why one is not counted. False: not known.
 */
static bool count_in(const struct run_metadata *metadata, struct reach_place *place, uint64_t *executed)
{
	uint64_t whole = 0, parts = 0;
	size_t copies = 0, uncounted = 0;

	for (size_t i = 0; i < metadata->function_count; i++) {
		const struct run_function *function = &metadata->functions[i];
		if (!function->name || strcmp(function->name, place->name) != 0)
			continue;
		copies++;
		uncounted += !function->is_counted;
		if (function->is_counted)
			*(is_part(function) ? &parts : &whole) += function->executed;
		else if (!place->reason)
			place->reason = function->reason;
	}
	place->copies = copies > place->copies ? copies : place->copies;
	place->uncounted = uncounted > place->uncounted ? uncounted : place->uncounted;
	*executed += whole > parts ? whole : parts;
	return copies > uncounted;
}

/* The same for all runs of a workload. */
static bool count_in_workload(const struct reach *reach, const char *workload, struct reach_place *place,
			      uint64_t *executed)
{
	bool is_counted = false;

	*executed = 0;
	for (size_t run = 0; run < reach->runs.count; run++)
		if (run_is_of(&reach->runs.items[run], workload))
			is_counted |= count_in(&reach->runs.items[run].metadata, place, executed);
	return is_counted;
}

static void count_place(struct reach *reach, struct reach_place *place)
{
	uint64_t most = 0;

	for (size_t run = 0; run < reach->runs.count; run++) {
		const char *workload = reach->runs.items[run].workload;
		uint64_t executed;
		if (has_run_before(reach, run) || !count_in_workload(reach, workload, place, &executed))
			continue;
		place->is_counted = true;
		place->executed += executed;
		place->workloads += executed > 0;
		if (executed > most)
			place->most = workload;
		most = executed > most ? executed : most;
	}
}

/* Whether the place is part of the change: with lines, functions only show what is near. */
static bool is_of_change(const struct reach *reach, const struct reach_place *place)
{
	return place->is_counted && !place->is_caller && place->is_line == reach->has_lines;
}

static bool workload_reaches(const struct reach *reach, const char *workload)
{
	uint64_t executed;

	for (size_t i = 0; i < reach->count; i++)
		if (is_of_change(reach, &reach->places[i]) &&
		    count_in_workload(reach, workload, &reach->places[i], &executed) && executed)
			return true;
	return false;
}

void reach_make(struct run_list *runs, struct reach *reach)
{
	*reach = (struct reach){.runs = *runs};
	*runs = (struct run_list){0};
	list_places(reach);
	for (size_t i = 0; i < reach->count; i++)
		count_place(reach, &reach->places[i]);
	for (size_t i = 0; i < reach->count; i++)
		reach->has_lines = reach->has_lines || (reach->places[i].is_line && reach->places[i].is_counted);
	for (size_t i = 0; i < reach->count; i++) {
		const bool is_of = is_of_change(reach, &reach->places[i]);
		reach->executed += is_of ? reach->places[i].executed : 0;
		reach->is_known = reach->is_known || is_of;
	}
	for (size_t run = 0; run < reach->runs.count; run++) {
		if (has_run_before(reach, run))
			continue;
		reach->workloads++;
		reach->reached += workload_reaches(reach, reach->runs.items[run].workload);
	}
}

static bool find_set(const char *directory, char set[PATH_MAX])
{
	DIR *list = opendir(directory);
	bool found = false;

	for (struct dirent *entry; list && !found && (entry = readdir(list));)
		found = entry->d_name[0] != '.' && run_directory_has_set(directory, entry->d_name) &&
			file_join(set, PATH_MAX, directory, entry->d_name, NULL) == STATUS_OK;
	if (list)
		closedir(list);
	return found;
}

enum status reach_read(const char *directory, struct reach *reach, struct error *err)
{
	char path[PATH_MAX], set[PATH_MAX], raw[PATH_MAX];
	struct run_list runs = {0};

	*reach = (struct reach){.count = 0};
	if (file_join(path, sizeof(path), directory, REACH_DIRECTORY, NULL) != STATUS_OK || !find_set(path, set))
		return STATUS_OK;
	enum status status = run_directory_of(set, raw, err);
	if (status == STATUS_OK)
		status = run_list_find(raw, NULL, &runs, err);
	if (status == STATUS_OK)
		status = run_list_read_metadata(&runs, err);
	if (status == STATUS_OK)
		reach_make(&runs, reach);
	run_list_free(&runs);
	return status;
}

void reach_free(struct reach *reach)
{
	free(reach->places);
	run_list_free(&reach->runs);
	*reach = (struct reach){.count = 0};
}

/* --- Words --- */

/* 14,322 */
static void add_number(uint64_t number, struct buffer *out)
{
	char digits[32];
	const int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);

	for (int i = 0; i < length; i++)
		buffer_printf(out, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

static void add_executions(uint64_t executed, size_t reached, size_t workloads, struct buffer *out)
{
	buffer_text(out, "executed ");
	add_number(executed, out);
	buffer_printf(out, " time%s in %zu of %zu workload%s", executed == 1 ? "" : "s", reached, workloads,
		      workloads == 1 ? "" : "s");
}

void reach_add_sum(const struct reach *reach, struct buffer *out)
{
	add_executions(reach->executed, reach->reached, reach->workloads, out);
}

static void add_name(const char *name, struct buffer *out)
{
	escape_line_add(name, strlen(name), out);
}

static void begin_line(const char *label, struct buffer *out)
{
	if (!label)
		return;
	add_name(label, out);
	buffer_text(out, ": ");
}

static bool is_named(const struct reach_place *place, bool is_line)
{
	return place->is_counted && !place->is_caller && place->is_line == is_line;
}

static size_t count_named(const struct reach *reach, bool is_line)
{
	size_t count = 0;

	for (size_t i = 0; i < reach->count; i++)
		count += is_named(&reach->places[i], is_line);
	return count;
}

/* "update_entity_lag() and place_entity()" */
static void add_names(const struct reach *reach, bool is_line, struct buffer *out)
{
	const size_t count = count_named(reach, is_line);
	size_t shown = 0;

	for (size_t i = 0; i < reach->count && shown < LINES_MAX; i++) {
		const struct reach_place *place = &reach->places[i];
		if (!is_named(place, is_line))
			continue;
		buffer_text(out, shown == 0 ? "" : shown + 1 == count ? " and " : ", ");
		add_name(place->name, out);
		buffer_text(out, is_line ? "" : "()");
		shown++;
	}
	if (count > shown)
		buffer_printf(out, " and %zu more", count - shown);
}

/* "; 1 of 3 copies of kernel/sched/fair.c:690 cannot be counted" */
static void add_uncounted_copies(const struct reach *reach, struct buffer *out)
{
	const struct reach_place *first = NULL;
	size_t places = 0;

	for (size_t i = 0; i < reach->count; i++) {
		const struct reach_place *place = &reach->places[i];
		if (!is_of_change(reach, place) || !place->uncounted)
			continue;
		first = first ? first : place;
		places++;
	}
	if (!first)
		return;
	buffer_printf(out, "; %zu of %zu copies of ", first->uncounted, first->copies);
	add_name(first->name, out);
	buffer_text(out, first->is_line ? "" : "()");
	if (places > 1)
		buffer_printf(out, ", and some of %zu more,", places - 1);
	buffer_text(out, " cannot be counted");
}

static void add_first_line(const struct reach *reach, const char *label, struct buffer *out)
{
	begin_line(label, out);
	buffer_text(out, "your change is in ");
	add_names(reach, count_named(reach, false) == 0, out);
	buffer_printf(out, ": %s", reach->has_lines ? "its lines that could be counted were " : "");
	if (reach->executed)
		reach_add_sum(reach, out);
	else if (reach->workloads == 1)
		buffer_text(out, "never executed by this workload: a result without "
				 "differences says nothing about it");
	else
		buffer_printf(out,
			      "never executed by these %zu workloads: a result without "
			      "differences says nothing about it",
			      reach->workloads);
	add_uncounted_copies(reach, out);
	buffer_text(out, "\n");
}

static void add_place(const struct reach *reach, const struct reach_place *place, struct buffer *out)
{
	const char *slash = place->is_caller ? strchr(place->name, '/') : NULL;

	buffer_text(out, "  ");
	add_name(slash ? slash + 1 : place->name, out);
	buffer_text(out, place->is_line ? "" : "()");
	if (slash) {
		buffer_text(out, ", which calls ");
		escape_line_add(place->name, (size_t)(slash - place->name), out);
		buffer_text(out, "()");
	}
	buffer_text(out, ": ");
	if (place->executed)
		add_executions(place->executed, place->workloads, reach->workloads, out);
	else
		buffer_text(out, "never executed");
	if (place->most && place->workloads > 1) {
		buffer_text(out, ", most often in ");
		add_name(place->most, out);
	}
	buffer_text(out, "\n");
}

/* Each place of several. If none was reached, callers show what comes near. */
static void add_places(const struct reach *reach, struct buffer *out)
{
	const size_t counted = count_named(reach, false) + count_named(reach, true);
	size_t shown = 0;

	for (size_t i = 0; i < reach->count; i++) {
		const struct reach_place *place = &reach->places[i];
		if (!place->is_counted || (place->is_caller ? reach->executed > 0 : counted < 2))
			continue;
		if (shown++ == LINES_MAX) {
			buffer_text(out, "  and more (compare --json)\n");
			break;
		}
		add_place(reach, place, out);
	}
}

static void add_uncounted(const struct reach *reach, const char *label, struct buffer *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < reach->count && shown < LINES_MAX; i++) {
		const struct reach_place *place = &reach->places[i];
		if (place->is_counted || place->is_caller)
			continue;
		begin_line(label, out);
		buffer_text(out, "cannot be counted: ");
		add_name(place->name, out);
		buffer_text(out, place->is_line ? "" : "()");
		if (place->reason) {
			buffer_text(out, ": ");
			add_name(place->reason, out);
		}
		buffer_text(out, "\n");
		shown++;
	}
}

void reach_add_lines(const struct reach *reach, const char *label, struct buffer *out)
{
	if (reach->is_known) {
		add_first_line(reach, label, out);
		add_places(reach, out);
	} else if (reach->count) {
		begin_line(label, out);
		buffer_text(out, "whether these workloads reach your change is not known\n");
	}
	add_uncounted(reach, label, out);
}
