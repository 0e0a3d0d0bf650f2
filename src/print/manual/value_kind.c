/* SPDX-License-Identifier: MIT */
#include "print/manual/value_kind.h"

#include <string.h>

#include "compare/metric.h"
#include "print/manual/topic.h"
#include "workloads/table.h"

static void add_word(const char *word, size_t length, struct buffer *words)
{
	if (words->length)
		buffer_text(words, " ");
	buffer_add(words, word, length);
}

static void add_name(const char *name, struct buffer *words)
{
	add_word(name, strlen(name), words);
}

/* "a|b" as two words, up to the first other character. */
static void add_choices(const char *choices, struct buffer *words)
{
	for (;;) {
		size_t length = strcspn(choices, "| ]");
		add_word(choices, length, words);
		if (choices[length] != '|')
			return;
		choices += length + 1;
	}
}

/* The words in lower case of a usage line, such as "kernel LINE... | qemu": these are typed as they are. */
static void add_typed_words(const char *operands, struct buffer *words)
{
	while (*operands) {
		size_t length = strcspn(operands, "| ");
		if (*operands >= 'a' && *operands <= 'z')
			add_word(operands, length, words);
		operands += length + (operands[length] != '\0');
	}
}

static void add_workloads(struct buffer *words)
{
	for (const struct workload *const *workload = workload_table; *workload; workload++)
		add_name((*workload)->name, words);
}

static void add_metrics(struct buffer *words)
{
	for (const struct metric *metric = metric_table; metric->name; metric++)
		add_name(metric->name, words);
}

static void add_subjects(const struct command_group *groups, struct buffer *words)
{
	for (; groups->title; groups++)
		for (const struct command *const *command = groups->commands; *command; command++)
			if (!(*command)->hidden)
				add_name((*command)->name, words);
	for (const struct topic *topic = topic_table; topic->name; topic++)
		add_name(topic->name, words);
}

static bool names_file(const char *text)
{
	static const char *const names[] = {"FILE", "DIR", "IMAGE", "PATH", "PROGRAM", "WHAT", "A B"};

	for (size_t i = 0; text && i < sizeof(names) / sizeof(*names); i++)
		if (strstr(text, names[i]))
			return true;
	return false;
}

enum value_kind value_kind_of_option(const struct option *option, struct buffer *words)
{
	if (option->kind == OPTION_CHOICE) {
		add_choices(option->choices, words);
		return VALUE_WORDS;
	}
	if (strcmp(option->name, "workload") == 0 || strcmp(option->name, "as") == 0) {
		add_workloads(words);
		return VALUE_WORD_LIST;
	}
	if (strcmp(option->name, "metric") == 0 || strcmp(option->name, "fail-if") == 0) {
		add_metrics(words);
		return VALUE_WORD_LIST;
	}
	return names_file(option->argument) ? VALUE_FILE : VALUE_FREE;
}

enum value_kind value_kind_of_operands(const struct command_group *groups, const struct command *command,
				       struct buffer *words)
{
	const char *operands = command->operands;

	if (strncmp(operands, "[-- ", 4) == 0)
		return VALUE_COMMAND_LINE;
	if (names_file(operands))
		return VALUE_FILE;
	if (strcmp(operands, "NAME") == 0)
		add_workloads(words);
	else if (strcmp(operands, "[COMMAND|TOPIC]") == 0)
		add_subjects(groups, words);
	else if (*operands >= 'a' && *operands <= 'z')
		add_typed_words(operands, words);
	else
		return VALUE_FREE;
	return VALUE_WORDS;
}
