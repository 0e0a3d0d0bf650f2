/* SPDX-License-Identifier: MIT */
#include "manual/completion.h"

#include <string.h>

#include "manual/subject.h"

static void add_word(const char *word, size_t length, struct buffer *out)
{
	buffer_add(out, word, length);
	buffer_text(out, "\n");
}

static void add_name(const char *name, struct buffer *out)
{
	add_word(name, strlen(name), out);
}

/* Adds a word, and the first clause of its help, on one line. */
static void add_described(const char *dashes, const char *name, const char *help, struct buffer *out)
{
	buffer_printf(out, "%s%s\t", dashes, name);
	for (; *help && *help != ';'; help++)
		buffer_add(out, *help == '\n' ? " " : help, 1);
	buffer_text(out, "\n");
}

static void add_files(struct buffer *out)
{
	buffer_text(out, ":files\n");
}

void completion_add_word(const char *word, const char *description, struct buffer *out)
{
	if (description)
		add_described("", word, description, out);
	else
		add_name(word, out);
}

static const struct completion_values *find_values(const struct completion_values *values, const char *option)
{
	while (values->option && strcmp(values->option, option) != 0)
		values++;
	return values->option ? values : NULL;
}

static void add_known_values(const struct completion_values *known, struct buffer *out)
{
	if (known->or_files)
		add_files(out);
	known->add(out);
}

static void add_commands(const struct command_group *groups, struct buffer *out)
{
	for (; groups->title; groups++)
		for (const struct command *const *command = groups->commands; *command; command++)
			if (!(*command)->hidden)
				add_described("", (*command)->name, (*command)->summary, out);
}

static void add_topics(struct buffer *out)
{
	for (const struct topic *topic = topic_table; topic->name; topic++)
		add_described("", topic->name, topic->summary, out);
}

/* Adds each word of a text such as "a|b", up to the first other character. */
static void add_choices(const char *choices, struct buffer *out)
{
	for (;;) {
		size_t length = strcspn(choices, "| ]");
		add_word(choices, length, out);
		if (choices[length] != '|')
			return;
		choices += length + 1;
	}
}

/* Adds the words in lower case of a usage line, such as "kernel LINE... | qemu": the user types these as they are. */
static void add_typed_words(const char *operands, struct buffer *out)
{
	while (*operands) {
		size_t length = strcspn(operands, "| ");
		if (*operands >= 'a' && *operands <= 'z')
			add_word(operands, length, out);
		operands += length + (operands[length] != '\0');
	}
}

static bool names_file(const char *text)
{
	static const char *const names[] = {"FILE", "DIR", "IMAGE", "PATH", "PROGRAM", "WHAT", "A B"};

	for (size_t i = 0; text && i < sizeof(names) / sizeof(*names); i++)
		if (strstr(text, names[i]))
			return true;
	return false;
}

static void add_values(const struct option *option, const struct completion_values *values, struct buffer *out)
{
	const struct completion_values *known = find_values(values, option->name);

	if (option->kind == OPTION_CHOICE || option->kind == OPTION_SET)
		add_choices(option->choices, out);
	else if (known)
		add_known_values(known, out);
	else if (names_file(option->argument))
		add_files(out);
}

static void add_options(const struct option *options, struct buffer *out)
{
	for (const struct option *option = NULL; (option = option_next_shown(options, option));)
		if (!option_is_title(option))
			add_described("--", option->name, option->help, out);
}

static void add_operands(const struct command_group *groups, const struct completion_values *values,
			 const struct command *command, struct buffer *out)
{
	const char *operands = command->operands;
	const struct completion_values *known = find_values(values, operands);

	if (strncmp(operands, "[-- ", 4) == 0) {
		add_name("--", out);
	} else if (names_file(operands)) {
		add_files(out);
	} else if (known) {
		add_known_values(known, out);
	} else if (strcmp(operands, "[COMMAND|TOPIC]") == 0) {
		add_commands(groups, out);
		add_topics(out);
	} else if (*operands >= 'a' && *operands <= 'z') {
		add_typed_words(operands, out);
	}
}

/* The option that a word such as --name, --name=value or -n means; NULL for any other word. */
static const struct option *find_option(const struct command *command, const char *word)
{
	bool is_long = strncmp(word, "--", 2) == 0;
	size_t length = strcspn(word, "=");

	for (const struct option *option = command->options; option && option->name; option++)
		if (!option->hidden &&
		    (is_long ? length - 2 == strlen(option->name) && memcmp(word + 2, option->name, length - 2) == 0
			     : word[0] == '-' && word[1] == option->letter && word[1] && !word[2]))
			return option;
	return NULL;
}

/* The option whose value the last word is, or NULL. bash splits words at each =. */
static const struct option *find_option_before(const struct command *command, char *const *words, size_t count)
{
	size_t at = count - 1;
	bool is_attached = strncmp(words[at], "--", 2) == 0 && strchr(words[at], '=');

	if (!is_attached) {
		at -= strcmp(words[at], "=") != 0;
		is_attached = at > 1 && strcmp(words[at], "=") == 0;
		if (is_attached) {
			at--;
			at -= words[at][0] != '-';
		}
	}
	const struct option *option = find_option(command, words[at]);
	return option && (is_attached ? option_takes_value(option) : option_needs_value(option)) ? option : NULL;
}

static const char *last_word(const struct command *subcommand)
{
	return strrchr(subcommand->name, ' ') + 1;
}

static void add_arguments(const struct command_group *groups, const struct completion_values *values,
			  const struct command *command, char *const *words, size_t count, struct buffer *out)
{
	const char *current = words[count - 1];
	const struct command *subcommand = command->subcommand;

	if (subcommand && count > 2 && strcmp(words[1], last_word(subcommand)) == 0) {
		command = subcommand;
		subcommand = NULL;
	}
	const struct option *option = find_option_before(command, words, count);
	if (option) {
		add_values(option, values, out);
		return;
	}
	if (*current == '-') {
		add_options(command->options, out);
		return;
	}
	add_operands(groups, values, command, out);
	if (subcommand && count == 2)
		add_described("", last_word(subcommand), subcommand->summary, out);
}

void completion_add(const struct command_group *groups, const struct completion_values *values, char *const *words,
		    size_t count, struct buffer *out)
{
	if (count < 2) {
		add_commands(groups, out);
		add_described("--", "help", "list commands and topics", out);
		add_described("--", "version", "print the version", out);
		return;
	}
	for (size_t i = 1; i + 1 < count; i++)
		if (strcmp(words[i], "--") == 0) {
			buffer_printf(out, ":command %zu\n", i + 2);
			return;
		}
	const struct command *command = subject_command(groups, words[0]);
	if (command)
		add_arguments(groups, values, command, words, count, out);
}
