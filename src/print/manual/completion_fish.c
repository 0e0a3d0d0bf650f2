/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "print/manual/completion_shells.h"
#include "print/manual/value_kind.h"

static const char beginning[] =
    "# fish completion of picknext, made by: picknext completion fish\n"
    "\n"
    "# True in the options and operands of a command: the words before the cursor are picknext COMMAND..., without "
    "--.\n"
    "function __picknext_in\n"
    "    set -l words (commandline -opc)\n"
    "    set -e words[1]\n"
    "    contains -- -- $words; and return 1\n"
    "    set -l count (count $argv)\n"
    "    test (count $words) -ge $count; or return 1\n"
    "    test \"$words[1..$count]\" = \"$argv\"; or return 1\n"
    "    set -l next \"$words[1] $words[2]\"\n"
    "    test $count -eq 2; or not contains -- $next $__picknext_subcommands\n"
    "end\n"
    "\n"
    "function __picknext_needs_command\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "\n"
    "# The words after --: another program's command line.\n"
    "function __picknext_command_line\n"
    "    set -l words (commandline -opc)\n"
    "    set -l dashes (contains -i -- -- $words); or return\n"
    "    set -l line (string escape -- $words[(math $dashes + 1)..-1]) (commandline -ct)\n"
    "    complete -C (string join ' ' -- $line)\n"
    "end\n"
    "\n"
    "function __picknext_after_dashes\n"
    "    contains -- -- (commandline -opc)\n"
    "end\n"
    "\n"
    "complete -c picknext -f\n"
    "complete -c picknext -n __picknext_after_dashes -a '(__picknext_command_line)'\n"
    "complete -c picknext -n __picknext_needs_command -l help -s h -d 'list commands and topics'\n"
    "complete -c picknext -n __picknext_needs_command -l version -s V -d 'print the version'\n";

static void add_description(const char *help, struct buffer *out)
{
	buffer_text(out, " -d '");
	completion_add_clause(help, "\\", "\\'", out);
	buffer_text(out, "'\n");
}

static void add_line(const struct command *command, struct buffer *out)
{
	buffer_printf(out, "complete -c picknext -n '__picknext_in %s'", command->name);
}

static void add_list_function(const char *name, const struct buffer *words, struct buffer *out)
{
	buffer_printf(out, "function __picknext_list_%s\n    printf '%%s\\n' %s\nend\n", name, words->data);
}

static void add_value(const struct option *option, enum value_kind kind, const struct buffer *words, struct buffer *out)
{
	if (kind == VALUE_FILE)
		buffer_text(out, " -r -F");
	else if (kind == VALUE_WORDS)
		buffer_printf(out, " -x -a '%s'", words->data);
	else if (kind == VALUE_WORD_LIST)
		buffer_printf(out, " -x -a '(__fish_complete_list , __picknext_list_%s)'", option->name);
	else
		buffer_text(out, " -x");
}

static void add_option(const struct command *command, const struct option *option, struct buffer *out)
{
	struct buffer words = {0};
	enum value_kind kind = value_kind_of_option(option, &words);

	if (kind == VALUE_WORD_LIST)
		add_list_function(option->name, &words, out);
	add_line(command, out);
	buffer_printf(out, " -l %s", option->name);
	if (option->letter)
		buffer_printf(out, " -s %c", option->letter);
	if (option_takes_value(option))
		add_value(option, kind, &words, out);
	add_description(option->help, out);
	buffer_free(&words);
}

static void add_options(const struct command *command, const struct option *table, struct buffer *out)
{
	for (; table && table->name; table++)
		if (!table->hidden)
			add_option(command, table, out);
}

static void add_command(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	struct buffer words = {0};
	enum value_kind kind = value_kind_of_operands(groups, command, &words);

	if (!strchr(command->name, ' ')) {
		buffer_printf(out, "complete -c picknext -n __picknext_needs_command -a %s", command->name);
		add_description(command->summary, out);
	}
	if (kind == VALUE_FILE || kind == VALUE_WORDS)
		add_line(command, out);
	if (kind == VALUE_FILE)
		buffer_text(out, " -F\n");
	else if (kind == VALUE_WORDS)
		buffer_printf(out, " -a '%s'\n", words.data);
	if (command->subcommand) {
		add_line(command, out);
		buffer_printf(out, " -a '%s'", completion_last_word(command->subcommand));
		add_description(command->subcommand->summary, out);
	}
	add_options(command, command->options, out);
	add_options(command, options_common, out);
	buffer_free(&words);
}

static void add_subcommand(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	(void)groups;
	if (!command->subcommand)
		return;
	buffer_printf(out, " '%s'", command->subcommand->name);
}

void completion_add_fish(const struct command_group *groups, struct buffer *out)
{
	buffer_text(out, beginning);
	buffer_text(out, "set -g __picknext_subcommands");
	completion_each_command(groups, add_subcommand, out);
	buffer_text(out, "\n");
	completion_each_command(groups, add_command, out);
}
