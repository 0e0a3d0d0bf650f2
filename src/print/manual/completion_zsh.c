/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "print/manual/completion_shells.h"
#include "print/manual/value_kind.h"

static const char beginning[] = "#compdef picknext\n"
				"# zsh completion of picknext, made by: picknext completion zsh\n"
				"\n"
				"# A file, also after LABEL=.\n"
				"_picknext_files()\n"
				"{\n"
				"\tcompset -P '*='\n"
				"\t_files\n"
				"}\n"
				"\n"
				"_picknext_arguments()\n"
				"{\n"
				"\tcase $1 in\n";

static const char middle[] = "\tesac\n"
			     "}\n"
			     "\n"
			     "_picknext()\n"
			     "{\n"
			     "\tlocal command\n"
			     "\tlocal -a commands\n";

static const char end[] = "\t\t)\n"
			  "\t\t_describe -t commands command commands\n"
			  "\t\treturn\n"
			  "\tfi\n"
			  "\tinteger dashes=${words[(i)--]}\n"
			  "\tif ((dashes < CURRENT)); then\n"
			  "\t\t# Another program's command line.\n"
			  "\t\tshift $dashes words\n"
			  "\t\t((CURRENT -= dashes))\n"
			  "\t\t_normal\n"
			  "\t\treturn\n"
			  "\tfi\n"
			  "\tshift words\n"
			  "\t((CURRENT--))\n"
			  "\tcommand=$words[1]\n"
			  "\tif ((CURRENT > 2)) && [[ \" $subcommands \" == *\" $command-$words[2] \"* ]]; then\n"
			  "\t\tcommand=\"$command $words[2]\"\n"
			  "\t\tshift words\n"
			  "\t\t((CURRENT--))\n"
			  "\tfi\n"
			  "\t_picknext_arguments $command\n"
			  "}\n"
			  "\n"
			  "_picknext \"$@\"\n";

static void add_clause(const char *help, struct buffer *out)
{
	completion_add_clause(help, "[]:\\", "'\\''", out);
}

static void add_action(enum value_kind kind, const char *name, const struct buffer *words, struct buffer *out)
{
	if (kind == VALUE_FILE)
		buffer_text(out, "_picknext_files");
	else if (kind == VALUE_WORDS)
		buffer_printf(out, "(%s)", words->data);
	else if (kind == VALUE_WORD_LIST)
		buffer_printf(out, "_values -s , \"%s\" %s", name, words->data);
	else
		buffer_text(out, " ");
}

/* One form of an option: --name= or -n+. */
static void add_form(const struct option *option, const char *dashes, const char *name, size_t length,
		     struct buffer *out)
{
	struct buffer words = {0};
	bool takes_value = option_takes_value(option);

	buffer_text(out, " \\\n\t\t\t'");
	if (option->kind == OPTION_LIST)
		buffer_text(out, "*");
	else if (option->letter)
		buffer_printf(out, "(-%c --%s)", option->letter, option->name);
	buffer_printf(out, "%s%.*s%s[", dashes, (int)length, name, !takes_value ? "" : dashes[1] ? "=" : "+");
	add_clause(option->help, out);
	buffer_text(out, "]");
	if (takes_value) {
		buffer_text(out, ":");
		add_clause(option->argument ? option->argument : "VALUE", out);
		buffer_text(out, ":");
		add_action(value_kind_of_option(option, &words), option->name, &words, out);
	}
	buffer_text(out, "'");
	buffer_free(&words);
}

static void add_options(const struct option *table, struct buffer *out)
{
	for (; table && table->name; table++) {
		if (table->hidden)
			continue;
		add_form(table, "--", table->name, strlen(table->name), out);
		if (table->letter)
			add_form(table, "-", &table->letter, 1, out);
	}
}

static void add_operands(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	struct buffer words = {0};
	enum value_kind kind = value_kind_of_operands(groups, command, &words);

	if (kind == VALUE_COMMAND_LINE)
		buffer_text(out, " \\\n\t\t\t'*:: :_normal'");
	else if (kind != VALUE_FREE) {
		buffer_text(out, " \\\n\t\t\t'*: :");
		if (command->subcommand)
			buffer_printf(out, "_alternative \"commands:command:(%s)\" \"files:file:_picknext_files\"",
				      completion_last_word(command->subcommand));
		else
			add_action(kind, "", &words, out);
		buffer_text(out, "'");
	}
	buffer_free(&words);
}

static void add_command(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	buffer_printf(out, "\t('%s')\n\t\t_arguments -s -S", command->name);
	add_options(command->options, out);
	add_options(options_common, out);
	add_operands(groups, command, out);
	buffer_text(out, "\n\t\t;;\n");
}

static void add_summary(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	(void)groups;
	if (strchr(command->name, ' '))
		return;
	buffer_printf(out, "\t\t\t'%s:", command->name);
	add_clause(command->summary, out);
	buffer_text(out, "'\n");
}

void completion_add_zsh(const struct command_group *groups, struct buffer *out)
{
	buffer_text(out, beginning);
	completion_each_command(groups, add_command, out);
	buffer_text(out, middle);
	buffer_text(out, "\tlocal subcommands='");
	completion_each_command(groups, completion_add_subcommand, out);
	buffer_text(out, "'\n\tif ((CURRENT == 2)); then\n\t\tcommands=(\n");
	completion_each_command(groups, add_summary, out);
	buffer_text(out, end);
}
