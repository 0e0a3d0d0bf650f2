/* SPDX-License-Identifier: MIT */
#include "scheduler/scheduler_spec.h"

#include <errno.h>
#include <string.h>

#include "base/options.h"

#define NAMES_MAX 16

/* The word that starts at *at, without its quotes, into word. False if a quote is not closed. */
static bool read_word(const char **at, struct buffer *word)
{
	char quote = '\0';

	buffer_clear(word);
	for (; **at && (quote || !strchr(" \t", **at)); (*at)++) {
		if (quote ? **at == quote : **at == '\'' || **at == '"')
			quote = quote ? '\0' : **at;
		else
			buffer_add(word, *at, 1);
	}
	return quote == '\0';
}

static enum status split_words(const char *text, struct arguments *words, struct error *err)
{
	struct buffer word = {0};
	enum status status = STATUS_OK;

	for (text += strspn(text, " \t"); *text && status == STATUS_OK; text += strspn(text, " \t")) {
		if (!read_word(&text, &word))
			status = error_set(err, STATUS_USAGE, "--scheduler", "a quote is not closed");
		else
			arguments_add(words, "%s", word.length ? word.data : "");
		words->failed = words->failed || word.failed;
	}
	buffer_free(&word);
	if (status == STATUS_OK && words->failed)
		status = error_system(err, ENOMEM, "--scheduler", "cannot be read");
	return status;
}

static enum status refuse_name(const char *name, struct error *err)
{
	const char *names[NAMES_MAX] = {"none"};
	size_t count = 1;

	for (size_t i = 0; builtin_scheduler_table[i].name && count < NAMES_MAX - 1; i++)
		names[count++] = builtin_scheduler_table[i].name;
	const char *near = nearest_name(name, names);
	error_set(err, STATUS_USAGE, "--scheduler", "picknext has no scheduler %s", name);
	return near ? error_remedy(err, "did you mean %s? picknext list --schedulers shows all", near)
		    : error_remedy(err, "picknext list --schedulers shows all; a program of that name needs its path");
}

static enum status find_builtin(const char *name, struct scheduler_spec *spec, struct error *err)
{
	for (const struct builtin_scheduler *one = builtin_scheduler_table; one->name; one++)
		if (strcmp(one->name, name) == 0)
			spec->builtin = one;
	return spec->builtin ? STATUS_OK : refuse_name(name, err);
}

static enum status interpret_words(struct scheduler_spec *spec, struct error *err)
{
	const char *name = spec->words.count ? spec->words.items[0] : "";

	if (!*name)
		return error_set(err, STATUS_USAGE, "--scheduler", "names no scheduler");
	/* No program in a search path has such a name; with a path it is one. */
	bool is_name = strcmp(name, "none") == 0 || (strchr(name, ':') && !strchr(name, '/'));
	spec->kind = !is_name ? SCHEDULER_PROGRAM : strchr(name, ':') ? SCHEDULER_BUILTIN : SCHEDULER_NONE;
	if (spec->kind == SCHEDULER_BUILTIN && find_builtin(name, spec, err) != STATUS_OK)
		return STATUS_USAGE;
	if (is_name && spec->words.count > 1)
		return error_set(err, STATUS_USAGE, "--scheduler", "%s takes no arguments", name);
	return STATUS_OK;
}

enum status scheduler_spec_parse(const char *text, struct scheduler_spec *spec, struct error *err)
{
	*spec = (struct scheduler_spec){0};
	enum status status = split_words(text, &spec->words, err);
	if (status == STATUS_OK)
		status = interpret_words(spec, err);
	if (status != STATUS_OK || spec->kind != SCHEDULER_PROGRAM) {
		arguments_free(&spec->words);
		spec->words = (struct arguments){0};
	}
	return status;
}

void scheduler_spec_text(const struct scheduler_spec *spec, struct buffer *out)
{
	if (spec->kind == SCHEDULER_PROGRAM)
		arguments_quote(&spec->words, " ", out);
	else
		buffer_text(out, spec->kind == SCHEDULER_NONE ? "none" : spec->builtin->name);
}

void scheduler_spec_free(struct scheduler_spec *spec)
{
	arguments_free(&spec->words);
	*spec = (struct scheduler_spec){0};
}
