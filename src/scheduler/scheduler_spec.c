/* SPDX-License-Identifier: MIT */
#include "scheduler/scheduler_spec.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/number.h"
#include "base/program_path.h"

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

	for (const char *at = text; *at; at++)
		if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
			return error_set(err, STATUS_USAGE, "--scheduler", "has a control character");
	for (text += strspn(text, " \t"); *text && status == STATUS_OK; text += strspn(text, " \t")) {
		if (!read_word(&text, &word))
			status = error_set(err, STATUS_USAGE, "--scheduler", "a quote is not closed");
		else
			arguments_add(words, "%s", word.length ? word.data : "");
	}
	buffer_free(&word);
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

static enum status parse_slice(const char *text, uint64_t *slice_ns, struct error *err)
{
	static const char key[] = "slice=";
	double slice;

	if (strncmp(text, key, sizeof(key) - 1) != 0)
		return error_set(err, STATUS_USAGE, "--scheduler", "%s is not slice=TIME", text);
	if (!number_parse_with_unit(text + sizeof(key) - 1, "us", &slice) || slice * 1000 < SLICE_MIN_NS ||
	    slice * 1000 > SLICE_MAX_NS)
		return error_set(err, STATUS_USAGE, "--scheduler", "%s: a slice is a time from 1 us to 1 s", text);
	*slice_ns = (uint64_t)(slice + 0.5) * 1000;
	return STATUS_OK;
}

/* NAME or NAME,slice=TIME. */
static enum status parse_builtin(char *word, struct scheduler_spec *spec, struct error *err)
{
	char *slice = strchr(word, ',');

	if (slice)
		*slice++ = '\0';
	for (const struct builtin_scheduler *one = builtin_scheduler_table; one->name; one++)
		if (strcmp(one->name, word) == 0)
			spec->builtin = one;
	if (!spec->builtin)
		return refuse_name(word, err);
	return slice ? parse_slice(slice, &spec->slice_ns, err) : STATUS_OK;
}

static enum status interpret_words(struct scheduler_spec *spec, struct error *err)
{
	char *name = spec->words.count ? spec->words.items[0] : NULL;

	if (!name || !*name)
		return error_set(err, STATUS_USAGE, "--scheduler", "names no scheduler");
	/* A name with ':' is a program only if it has a path. */
	bool is_name = strcmp(name, "none") == 0 || (strchr(name, ':') && !strchr(name, '/'));
	spec->kind = !is_name ? SCHEDULER_PROGRAM : strchr(name, ':') ? SCHEDULER_BUILTIN : SCHEDULER_NONE;
	if (is_name && spec->words.count > 1)
		return error_set(err, STATUS_USAGE, "--scheduler", "%s takes no arguments", name);
	if (spec->kind == SCHEDULER_BUILTIN)
		return parse_builtin(name, spec, err);
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

/* Quotes the word for read_word(): without backslashes, a quote is between quotes of the other kind. */
static void add_word(const char *word, struct buffer *out)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";

	if (*word && word[strspn(word, plain)] == '\0') {
		buffer_text(out, word);
		return;
	}
	buffer_text(out, "'");
	for (; *word; word++) {
		if (*word == '\'')
			buffer_text(out, "'\"'\"'");
		else
			buffer_add(out, word, 1);
	}
	buffer_text(out, "'");
}

void scheduler_spec_text(const struct scheduler_spec *spec, struct buffer *out)
{
	for (size_t i = 0; i < spec->words.count; i++) {
		buffer_text(out, i ? " " : "");
		add_word(spec->words.items[i], out);
	}
	if (spec->kind != SCHEDULER_PROGRAM)
		buffer_text(out, spec->kind == SCHEDULER_NONE ? "none" : spec->builtin->name);
	if (spec->slice_ns)
		buffer_printf(out, ",slice=%" PRIu64 "us", spec->slice_ns / 1000);
}

void scheduler_spec_free(struct scheduler_spec *spec)
{
	arguments_free(&spec->words);
	*spec = (struct scheduler_spec){0};
}

bool scheduler_spec_find_fetched(const struct scheduler_spec *spec, char *path, size_t size)
{
	const char *program = spec->kind == SCHEDULER_PROGRAM ? spec->words.items[0] : NULL;
	char name[NAME_MAX + 1];

	if (!program || strchr(program, '/') || program_find(program, path, size))
		return false;
	snprintf(name, sizeof(name), "schedulers/%s", program);
	return cache_find(name, path, size);
}
