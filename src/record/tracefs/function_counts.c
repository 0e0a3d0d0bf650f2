/* SPDX-License-Identifier: MIT */
#include "record/tracefs/function_counts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "record/tracefs/dynamic_events.h"
#include "record/tracefs/tracefs.h"

#define WORD_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

/* --- The request --- */

static struct function_count *add_count(struct function_counts *counts)
{
	counts->items = xreallocarray(counts->items, counts->count + 1, sizeof(*counts->items));
	struct function_count *one = &counts->items[counts->count++];
	*one = (struct function_count){.executed = 0};
	snprintf(one->event, sizeof(one->event), "count_%zu", counts->count);
	return one;
}

/* "SYMBOL" or "SYMBOL+OFFSET" */
static bool is_symbol(const char *text, size_t length)
{
	const size_t name = strspn(text, WORD_CHARACTERS);

	if (name == 0 || name > length || length > FUNCTION_COUNT_TEXT_MAX || (text[0] >= '0' && text[0] <= '9'))
		return false;
	return name == length || (text[name] == '+' && length > name + 1 &&
				  strspn(text + name + 1, "0123456789abcdefx") >= length - name - 1);
}

/* "FUNCTION" or "NAME@SYMBOL+OFFSET" */
static bool parse_count(const char *text, size_t length, struct function_counts *counts)
{
	const char *at = memchr(text, '@', length);
	const char *symbol = at ? at + 1 : text;
	const size_t name_length = at ? (size_t)(at - text) : length;

	if (!is_symbol(symbol, length - (size_t)(symbol - text)) || name_length == 0 ||
	    name_length > FUNCTION_COUNT_TEXT_MAX || strspn(text, WORD_CHARACTERS "/:-+") < name_length)
		return false;
	struct function_count *one = add_count(counts);
	snprintf(one->name, sizeof(one->name), "%.*s", (int)name_length, text);
	snprintf(one->symbol, sizeof(one->symbol), "%.*s", (int)(length - (size_t)(symbol - text)), symbol);
	one->is_instruction = strchr(one->symbol, '+');
	return true;
}

enum status function_counts_parse(const char *text, struct function_counts *counts, struct error *err)
{
	*counts = (struct function_counts){0};
	for (size_t length; text; text = text[length] ? text + length + 1 : NULL) {
		length = strcspn(text, ",");
		if (!parse_count(text, length, counts)) {
			function_counts_free(counts);
			error_set(err, STATUS_USAGE, "--count", "'%.*s' is not the name of a function of the kernel",
				  (int)length, text);
			return error_remedy(err, "give names such as place_entity,update_curr, or NAME@SYMBOL+OFFSET");
		}
		if (counts->count > FUNCTION_COUNTS_MAX) {
			function_counts_free(counts);
			return error_set(err, STATUS_USAGE, "--count", "more than %d functions", FUNCTION_COUNTS_MAX);
		}
	}
	return STATUS_OK;
}

void function_counts_free(struct function_counts *counts)
{
	free(counts->items);
	*counts = (struct function_counts){0};
}

/* --- The compiler's copies of a function --- */

static bool is_copy(const char *symbol, const char *name)
{
	static const char *const suffixes[] = {".isra.", ".constprop.", ".part.", ".llvm."};
	const size_t length = strlen(name);

	/* NAME.cold is a part of NAME that is seldom executed. */
	if (strncmp(symbol, name, length) != 0 || strstr(symbol, ".cold"))
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (strncmp(symbol + length, suffixes[i], strlen(suffixes[i])) == 0)
			return true;
	return false;
}

static bool has_symbol(const struct function_counts *counts, const char *name, const char *symbol)
{
	for (size_t i = 0; i < counts->count; i++)
		if (strcmp(counts->items[i].name, name) == 0 && strcmp(counts->items[i].symbol, symbol) == 0)
			return true;
	return false;
}

static void add_copy(struct function_counts *counts, size_t of, const char *symbol)
{
	if (counts->count == FUNCTION_COUNTS_MAX || has_symbol(counts, counts->items[of].name, symbol))
		return;
	struct function_count *copy = add_count(counts);
	memcpy(copy->name, counts->items[of].name, sizeof(copy->name));
	memcpy(copy->symbol, symbol, strlen(symbol) + 1);
	copy->has_symbol = true;
}

void function_counts_take_symbol(struct function_counts *counts, const char *line)
{
	const size_t requested = counts->count;
	char symbol[FUNCTION_COUNT_TEXT_MAX + 2], kind;

	if (sscanf(line, "%*[0-9a-f] %c %256s", &kind, symbol) != 2 || !strchr("tTwW", kind) ||
	    strlen(symbol) > FUNCTION_COUNT_TEXT_MAX)
		return;
	for (size_t i = 0; i < requested; i++) {
		struct function_count *one = &counts->items[i];
		const size_t length = strcspn(one->symbol, "+");
		one->has_symbol |= strlen(symbol) == length && memcmp(one->symbol, symbol, length) == 0;
		if (!one->is_instruction && is_copy(symbol, one->symbol))
			add_copy(counts, i, symbol);
	}
}

static void take_symbols(struct function_counts *counts)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[600];

	while (file && fgets(line, sizeof(line), file))
		function_counts_take_symbol(counts, line);
	if (file)
		fclose(file);
}

/* --- The probes --- */

/* Whether a list of the kernel has the symbol's function, in the format of its lines. */
static bool is_listed(const char *path, const char *format, const char *symbol, bool *is_read)
{
	FILE *file = fopen(path, "re");
	char line[600], name[sizeof(line)];
	const size_t length = strcspn(symbol, "+");
	bool found = false;

	*is_read = false;
	while (file && !found && fgets(line, sizeof(line), file)) {
		*is_read = true;
		found = sscanf(line, format, name) == 1 && strlen(name) == length && memcmp(name, symbol, length) == 0;
	}
	if (file)
		fclose(file);
	return found;
}

/* "0xffff...-0xffff... NAME" */
static bool is_blacklisted(const char *symbol)
{
	bool is_read;

	return is_listed("/sys/kernel/debug/kprobes/blacklist", "%*s %599s", symbol, &is_read);
}

/* The list has what can be traced: "NAME" or "NAME [MODULE]". */
static bool is_notrace(const char *tracefs, const char *symbol)
{
	char path[PATH_MAX];
	bool is_read;

	return file_join(path, sizeof(path), tracefs, "available_filter_functions", NULL) == STATUS_OK &&
	       !is_listed(path, "%599s", symbol, &is_read) && is_read;
}

static void set_reason(struct function_count *one, const char *tracefs, const struct error *refusal)
{
	if (!one->has_symbol)
		snprintf(one->reason, sizeof(one->reason),
			 "the kernel has no such symbol: inlined, not built, or of a module that is not loaded");
	else if (is_blacklisted(one->symbol))
		snprintf(one->reason, sizeof(one->reason), "the kernel allows no probe of it (noinstr or NOKPROBE)");
	else if (is_notrace(tracefs, one->symbol))
		snprintf(one->reason, sizeof(one->reason),
			 "the kernel allows no probe of it (notrace, as all functions declared inline)");
	else
		dynamic_events_reason(tracefs, refusal, one->reason, sizeof(one->reason));
}

static enum status enable_probe(const struct function_count *one, const char *directory, const char *group,
				struct error *err)
{
	char file[256];

	/* No task has such a number. */
	snprintf(file, sizeof(file), "events/%s/%s/filter", group, one->event);
	enum status status = tracefs_write(directory, file, "common_pid < 0", err);
	snprintf(file, sizeof(file), "events/%s/%s/enable", group, one->event);
	return status == STATUS_OK ? tracefs_write(directory, file, "1", err) : status;
}

static enum status define_probe(struct function_count *one, const char *tracefs, const char *directory,
				const char *group, struct error *err)
{
	struct error refusal = {0};
	const struct key_probe probe = {'p', one->symbol};

	one->reason[0] = '\0';
	if (dynamic_events_define(tracefs, group, one->event, &probe, &refusal) == STATUS_OK) {
		if (enable_probe(one, directory, group, &refusal) != STATUS_OK)
			set_reason(one, tracefs, &refusal);
		return STATUS_OK;
	}
	if (refusal.errnum != EPERM && refusal.errnum != EACCES) {
		set_reason(one, tracefs, &refusal);
		return STATUS_OK;
	}
	if (err)
		*err = refusal;
	return STATUS_SYSTEM;
}

/* A function without a symbol of its own has copies only. */
static void drop_covered(struct function_counts *counts)
{
	size_t kept = 0;

	for (size_t i = 0; i < counts->count; i++) {
		bool is_covered = false;
		for (size_t copy = 0; counts->items[i].reason[0] && copy < counts->count; copy++)
			is_covered = is_covered || (!counts->items[copy].reason[0] &&
						    strcmp(counts->items[copy].name, counts->items[i].name) == 0);
		if (!is_covered)
			counts->items[kept++] = counts->items[i];
	}
	counts->count = kept;
}

enum status function_counts_define(struct function_counts *counts, const char *tracefs, const char *directory,
				   const char *group, struct error *err)
{
	enum status status = STATUS_OK;

	if (counts->count && !tracefs_has(tracefs, "kprobe_profile")) {
		error_set(err, STATUS_UNSUPPORTED, "--count", "this kernel was built without KPROBE_EVENTS");
		return error_remedy(err, "build it with KPROBES and KPROBE_EVENTS");
	}
	if (counts->count)
		take_symbols(counts);
	for (size_t i = 0; i < counts->count && status == STATUS_OK; i++)
		status = define_probe(&counts->items[i], tracefs, directory, group, err);
	if (status == STATUS_OK)
		drop_covered(counts);
	return status;
}

/* --- The counts --- */

/* A missed hit is one that another probe's handler did not see. */
static void read_counts(struct function_counts *counts, const char *tracefs, const char *group)
{
	struct dynamic_count *read = xcalloc(counts->count + 1, sizeof(*read));

	for (size_t i = 0; i < counts->count; i++)
		read[i].name = counts->items[i].event;
	dynamic_events_count(tracefs, group, read, counts->count);
	for (size_t i = 0; i < counts->count; i++)
		counts->items[i].executed = read[i].hits + read[i].missed;
	free(read);
}

void function_counts_begin(struct function_counts *counts, const char *tracefs, const char *group)
{
	if (counts->count == 0)
		return;
	read_counts(counts, tracefs, group);
	for (size_t i = 0; i < counts->count; i++)
		counts->items[i].before = counts->items[i].executed;
}

void function_counts_end(struct function_counts *counts, const char *tracefs, const char *group)
{
	if (counts->count == 0)
		return;
	read_counts(counts, tracefs, group);
	for (size_t i = 0; i < counts->count; i++)
		counts->items[i].executed -= counts->items[i].before;
}
