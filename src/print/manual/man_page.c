/* SPDX-License-Identifier: MIT */
#include "print/manual/man_page.h"

#include <stdio.h>
#include <string.h>

#include "base/build.h"
#include "base/command.h"
#include "base/wrap.h"
#include "print/manual/roff.h"

#define NAME_SIZE 64

/* "picknext-migrations-extract", "picknext-metrics" or "picknext". */
static void page_name(const struct subject *subject, char name[NAME_SIZE])
{
	const char *word = subject->command ? subject->command->name : subject->topic ? subject->topic->name : NULL;

	snprintf(name, NAME_SIZE, "picknext%s%s", word ? "-" : "", word ? word : "");
	for (char *space = strchr(name, ' '); space; space = strchr(name, ' '))
		*space = '-';
}

static char page_section(const struct subject *subject)
{
	return subject->topic ? '7' : '1';
}

static void add_text(const char *text, struct buffer *out)
{
	roff_add_words(text, strlen(text), out);
}

static void add_section(const char *heading, struct buffer *out)
{
	roff_add_macro("SH", heading, strlen(heading), out);
}

static void add_title(const struct subject *subject, const char *summary, struct buffer *out)
{
	char name[NAME_SIZE];

	page_name(subject, name);
	buffer_text(out, ".TH ");
	for (const char *byte = name; *byte; byte++)
		buffer_printf(out, "%s%c", *byte == '-' ? "\\" : "",
			      *byte >= 'a' && *byte <= 'z' ? *byte - 'a' + 'A' : *byte);
	buffer_printf(out, " %c %s \"picknext %s\" \"picknext manual\"\n", page_section(subject), build_date,
		      build_version);
	add_section("NAME", out);
	for (const char *byte = name; *byte; byte++)
		buffer_printf(out, "%s%c", *byte == '-' ? "\\" : "", *byte);
	buffer_text(out, " \\-\n");
	add_text(summary, out);
}

static void add_option(const struct option *option, struct buffer *out)
{
	char word[72];
	char text[OPTION_TEXT_SIZE];
	const char *argument = !option_takes_value(option) ? NULL : option->argument ? option->argument : "VALUE";

	buffer_text(out, ".TP\n");
	if (option->letter) {
		snprintf(word, sizeof(word), "-%c", option->letter);
		roff_add_inline(ROFF_BOLD, word, strlen(word), out);
		buffer_text(out, ", ");
	}
	snprintf(word, sizeof(word), "--%s", option->name);
	roff_add_inline(ROFF_BOLD, word, strlen(word), out);
	if (argument) {
		buffer_text(out, " ");
		roff_add_inline(ROFF_ITALIC, argument, strlen(argument), out);
	}
	buffer_text(out, "\n");
	option_describe(option, text);
	add_text(text, out);
}

static void add_options(const struct command *command, struct buffer *out)
{
	add_section("OPTIONS", out);
	for (const struct option *option = NULL; (option = option_next_shown(command->options, option));)
		if (option_is_title(option))
			roff_add_macro("SS", option->help, strlen(option->help), out);
		else
			add_option(option, out);
}

static void add_examples(const char *text, struct buffer *out)
{
	struct example example;

	add_section("EXAMPLES", out);
	buffer_text(out, ".EX\n");
	while (wrap_next_example(&text, &example)) {
		size_t indent = strspn(example.command, " ");
		if (example.comment)
			roff_add_line(example.comment, example.comment_length, out);
		roff_add_line(example.command + indent, example.command_length - indent, out);
	}
	buffer_text(out, ".EE\n");
}

static void add_see_also(const struct command *command, struct buffer *out)
{
	char word[NAME_SIZE];

	add_section("SEE ALSO", out);
	if (command && command->subcommand) {
		page_name(&(struct subject){.command = command->subcommand}, word);
		roff_add_inline(ROFF_BOLD, word, strlen(word), out);
		buffer_text(out, "(1),\n");
	}
	if (command)
		buffer_text(out, "\\fBpicknext\\fR(1),\n");
	for (const struct topic *topic = topic_table; topic->name; topic++) {
		page_name(&(struct subject){.topic = topic}, word);
		roff_add_inline(ROFF_BOLD, word, strlen(word), out);
		buffer_printf(out, "(7)%s\n", topic[1].name ? "," : "");
	}
}

static void add_command(const struct command *command, struct buffer *out)
{
	add_title(&(struct subject){.command = command}, command->summary, out);
	add_section("SYNOPSIS", out);
	roff_add_inline(ROFF_BOLD, "picknext ", 9, out);
	roff_add_inline(ROFF_BOLD, command->name, strlen(command->name), out);
	buffer_text(out, "\n[\\fIoptions\\fR]\n");
	if (*command->operands)
		add_text(command->operands, out);
	if (command->details) {
		add_section("DESCRIPTION", out);
		roff_add_text(command->details, out);
	}
	if (command->add_rows) {
		struct buffer rows = {0};
		command->add_rows(&rows);
		buffer_text(out, ".PP\n");
		roff_add_text(rows.data, out);
		buffer_free(&rows);
	}
	add_options(command, out);
	if (command->examples)
		add_examples(command->examples, out);
	add_see_also(command, out);
}

static void add_topic(const struct topic *topic, struct buffer *out)
{
	struct buffer text = {0};

	add_title(&(struct subject){.topic = topic}, topic->summary, out);
	add_section("DESCRIPTION", out);
	topic_add_text(topic, &text);
	buffer_text(&text, "");
	if (text.data)
		roff_add_text(text.data, out);
	buffer_free(&text);
	add_section("SEE ALSO", out);
	buffer_text(out, "\\fBpicknext\\fR(1)\n");
}

static void add_program(const struct command_group *groups, struct buffer *out)
{
	add_title(&(struct subject){0}, "record what the Linux scheduler decides, and compare kernels", out);
	add_section("SYNOPSIS", out);
	buffer_text(out, "\\fBpicknext\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n");
	add_section("DESCRIPTION", out);
	add_text("picknext records the decisions of the Linux scheduler, in a virtual machine or on this machine, and "
		 "turns them into data for comparing kernels and for training models.",
		 out);
	add_text("Each command has a page of its own, picknext-COMMAND(1), and each topic one in section 7. "
		 "picknext help prints the same texts.",
		 out);
	for (; groups->title; groups++) {
		roff_add_macro("SS", groups->title, strlen(groups->title), out);
		for (const struct command *const *command = groups->commands; *command; command++)
			if (!(*command)->hidden) {
				buffer_text(out, ".TP\n");
				roff_add_inline(ROFF_BOLD, (*command)->name, strlen((*command)->name), out);
				buffer_text(out, "\n");
				add_text((*command)->summary, out);
			}
	}
	add_section("EXIT STATUS", out);
	for (const struct exit_code *code = exit_code_table; code->codes; code++) {
		buffer_text(out, ".TP\n");
		add_text(code->codes, out);
		add_text(code->meaning, out);
	}
	add_see_also(NULL, out);
}

void man_page_add(const struct command_group *groups, const struct subject *subject, struct buffer *out)
{
	if (subject->command)
		add_command(subject->command, out);
	else if (subject->topic)
		add_topic(subject->topic, out);
	else
		add_program(groups, out);
}

static void add_list_line(const struct subject *subject, struct buffer *out)
{
	char name[NAME_SIZE];
	const char *word = subject->command ? subject->command->name : subject->topic ? subject->topic->name : NULL;

	page_name(subject, name);
	buffer_printf(out, "%s.%c%s%s\n", name, page_section(subject), word ? " " : "", word ? word : "");
}

void man_page_add_list(const struct command_group *groups, struct buffer *out)
{
	add_list_line(&(struct subject){0}, out);
	for (; groups->title; groups++)
		for (const struct command *const *command = groups->commands; *command; command++) {
			if ((*command)->hidden)
				continue;
			add_list_line(&(struct subject){.command = *command}, out);
			if ((*command)->subcommand)
				add_list_line(&(struct subject){.command = (*command)->subcommand}, out);
		}
	for (const struct topic *topic = topic_table; topic->name; topic++)
		add_list_line(&(struct subject){.topic = topic}, out);
}
