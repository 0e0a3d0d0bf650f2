/* SPDX-License-Identifier: MIT */
#include "cmd/vm/reached.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "cmd/command.h"
#include "runs/recorded_set.h"
#include "vm/kernel/change_words.h"
#include "vm/kernel/debug_places.h"
#include "vm/kernel/kernel_choice.h"

#define SET_NAME    "counts"
#define CALLERS_MAX 64

/* The patched kernel. */
static const struct vm_set *last_set(const struct vm_session *session)
{
	return &session->sets[session->count - 1];
}

/* --- What is counted --- */

static size_t count_outside(const struct source_change *change)
{
	size_t count = 0;

	for (size_t i = 0; i < change->count; i++)
		count += !change->places[i].function[0];
	return count;
}

/* Warns of changes that are not counted. */
static void warn_of_gaps(const struct source_change *change, const struct debug_places *places)
{
	const size_t outside = count_outside(change);
	const bool has_lines = change->is_patched || outside;
	char text[300];

	if (change->absent[0]) {
		escape_line(change->absent, strlen(change->absent), text, sizeof(text));
		message_warning("--reached: the kernel's tree does not have all changes of %s; their functions and "
				"lines are those of the patch",
				text);
	}
	if (change->is_cut)
		message_warning("--reached: only the first %d changed places are counted", SOURCE_PLACES_MAX);
	if (places->without.length && has_lines)
		message_warning("--reached: functions are counted, not lines: %s", places->without.data);
	if (places->without_code)
		message_warning("--reached: %zu changed line%s instructions of %s own: not counted",
				places->without_code, places->without_code == 1 ? " has no" : "s have no",
				places->without_code == 1 ? "its" : "their");
	if (outside)
		message_warning("--reached: %zu changed line%s outside of functions, or in an unknown function: not "
				"counted",
				outside, outside == 1 ? " is" : "s are");
	for (size_t i = 0; i < places->inlined.count; i++)
		message_info("--reached: %s; these copies are counted", places->inlined.items[i]);
}

/* Callers show which workloads come near a change that none reaches. */
static void add_callers(const struct source_change *change, const char *source, struct buffer *words)
{
	struct arguments callers = {0};

	source_change_callers(change, source, &callers);
	for (size_t i = 0; i < callers.count && i < CALLERS_MAX; i++)
		buffer_printf(words, ",%s@%s", callers.items[i], strrchr(callers.items[i], '/') + 1);
	arguments_free(&callers);
}

/* tree and source may be NULL. */
static enum status find_places(const struct source_change *change, const char *tree, const char *source,
			       struct reached_request *request, struct error *err)
{
	struct debug_places places;
	enum status status = debug_places_find(change, tree, &places, err);

	if (status == STATUS_OK)
		warn_of_gaps(change, &places);
	if (status == STATUS_OK && places.words.length == 0) {
		error_set(err, STATUS_USAGE, "--reached", "no function of the kernel is known for this change");
		status = error_remedy(err, "name the functions, such as --reached place_entity,update_curr");
	}
	if (status == STATUS_OK && source)
		add_callers(change, source, &places.words);
	if (status == STATUS_OK)
		message_detail("--reached counts %s", places.words.data);
	request->words = status == STATUS_OK ? xstrdup(places.words.data) : NULL;
	debug_places_free(&places);
	return status;
}

enum status reached_find(const struct vm_session *session, struct reached_request *request, struct error *err)
{
	const struct option_list *wanted = &session->options->reached;
	struct source_change change = {0};
	char tree[PATH_MAX], source[PATH_MAX];
	enum status status = STATUS_OK;

	*request = (struct reached_request){0};
	if (wanted->count == 0)
		return STATUS_OK;
	const bool has_tree = kernel_tree_of(last_set(session)->kernel.image, tree, source);
	for (size_t i = 0; i < wanted->count && status == STATUS_OK; i++)
		status = change_words_add(&change, wanted->items[i], has_tree ? source : NULL, err);
	if (status == STATUS_OK)
		status = find_places(&change, has_tree ? tree : NULL, has_tree ? source : NULL, request, err);
	source_change_free(&change);
	return status;
}

void reached_free(struct reached_request *request)
{
	free(request->words);
	*request = (struct reached_request){0};
}

/* --- The boot --- */

/* DIR/SET/reached */
static enum status name_directory(const struct vm_session *session, char directory[PATH_MAX], struct error *err)
{
	char set[PATH_MAX];
	enum status status =
	    file_join(set, sizeof(set), session->options->launch.output, last_set(session)->kernel.set, err);

	return status == STATUS_OK ? file_join(directory, PATH_MAX, set, REACH_DIRECTORY, err) : status;
}

/* Whether the boot that is there counted something else. */
static bool counted_others(const char *directory, const char *word)
{
	char path[PATH_MAX];
	struct recorded_set recorded;
	bool found = false;

	if (file_join(path, sizeof(path), directory, SET_NAME, NULL) != STATUS_OK)
		return false;
	const bool is_read = recorded_set_read(path, &recorded, NULL) == STATUS_OK && recorded.document;
	for (size_t i = 0; i < recorded.recipe.words.count && is_read; i++)
		found = found || strcmp(recorded.recipe.words.items[i], word) == 0;
	recorded_set_free(&recorded);
	return is_read && !found;
}

/* Drops the words of the options that the boot has others of. */
static void drop_words(struct arguments *words)
{
	static const char *const dropped[] = {"--kernel=", "--keys=", "--count="};
	size_t kept = 0;
	bool is_command = false;

	for (size_t i = 0; i < words->count; i++) {
		bool is_dropped = false;
		is_command = is_command || strcmp(words->items[i], "--") == 0;
		for (size_t at = 0; at < sizeof(dropped) / sizeof(dropped[0]) && !is_command; at++)
			is_dropped = is_dropped || strncmp(words->items[i], dropped[at], strlen(dropped[at])) == 0;
		if (is_dropped)
			free(words->items[i]);
		else
			words->items[kept++] = words->items[i];
	}
	words->count = kept;
	words->items[kept] = NULL;
}

static void make_words(const struct vm_session *session, const char *directory, const char *counted,
		       struct recipe *recipe)
{
	const struct launch_options *launch = &session->options->launch;
	const struct vm_set *set = last_set(session);

	recipe_copy(&set->recipe, recipe);
	drop_words(&recipe->words);
	recipe_add_option(recipe, "--kernel=" SET_NAME "=%s", set->kernel.image);
	recipe_add_option(recipe, "--keys=no");
	recipe_add_option(recipe, "--count=%s", counted);
	recipe_add_option(recipe, "--output-dir=%s", directory);
	recipe_add_option(recipe, "--mode=%s", launch->deterministic ? "deterministic" : launch->mode);
	if (launch->deterministic)
		recipe_add_option(recipe, "--seeds=%u", session->runs.seeds[0]);
	else
		recipe_add_option(recipe, "--runs=1");
	recipe_add_option(recipe, "--no-results");
	recipe_add_option(recipe, message_level() == MESSAGE_VERBOSE ? "--verbose" : "--quiet");
	char *word = xasprintf("--count=%s", counted);
	if (launch->force || counted_others(directory, word))
		recipe_add_option(recipe, "--force");
	free(word);
}

/* A comparison prints them again, as its first lines. */
static void print_lines(char *lines, bool is_compared)
{
	char *rest = NULL;

	for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (is_compared)
			message_info("%s", line);
		else
			puts(line);
	fflush(stdout);
}

static void print_reach(const struct vm_session *session)
{
	const struct vm_set *set = last_set(session);
	char directory[PATH_MAX];
	struct buffer text = {0};
	struct reach reach;

	if (file_join(directory, sizeof(directory), session->options->launch.output, set->kernel.set, NULL) !=
		STATUS_OK ||
	    reach_read(directory, &reach, NULL) != STATUS_OK)
		return;
	reach_add_lines(&reach, set->kernel.set, &text);
	if (text.length)
		print_lines(text.data, session->count > 1 && !session->options->no_results);
	buffer_free(&text);
	reach_free(&reach);
}

int reached_boot(const struct call *call, const struct vm_session *session, const struct reached_request *request)
{
	const enum message_level level = message_level();
	char directory[PATH_MAX];
	struct recipe recipe = {0};
	struct error err;

	if (name_directory(session, directory, &err) != STATUS_OK)
		return message_error(&err);
	message_info("one more boot of %s counts how often the workloads execute the change",
		     last_set(session)->kernel.set);
	make_words(session, directory, request->words, &recipe);
	const int exit_code =
	    command_run_arguments(call->groups, call->command, (int)recipe.words.count, recipe.words.items);
	message_set_level(level);
	recipe_free(&recipe);
	if (exit_code == 0)
		print_reach(session);
	return exit_code;
}
