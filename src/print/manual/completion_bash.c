/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "print/manual/completion_shells.h"
#include "print/manual/value_kind.h"

static const char beginning[] = "# bash completion of picknext, made by: picknext completion bash\n"
				"\n"
				"_picknext_words()\n"
				"{\n"
				"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
				"}\n"
				"\n"
				"# The last of several words that commas separate.\n"
				"_picknext_list()\n"
				"{\n"
				"\tlocal before=\n"
				"\t[[ $2 != *,* ]] || before=${2%,*},\n"
				"\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${2##*,}\")\n"
				"}\n"
				"\n"
				"_picknext_files()\n"
				"{\n"
				"\tcompopt -o filenames 2>/dev/null\n"
				"\tmapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
				"}\n"
				"\n"
				"# A program and its arguments, from word $1 on.\n"
				"_picknext_command_line()\n"
				"{\n"
				"\tif declare -F _command_offset >/dev/null; then\n"
				"\t\t_command_offset \"$1\"\n"
				"\telif ((COMP_CWORD == $1)); then\n"
				"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
				"\telse\n"
				"\t\t_picknext_files \"${COMP_WORDS[COMP_CWORD]}\"\n"
				"\tfi\n"
				"}\n"
				"\n"
				"# Sets options, operands and subcommand, and completes the value of the option before "
				"the cursor; false if there is none.\n"
				"_picknext_option_value()\n"
				"{\n"
				"\tcase $1 in\n";

static const char end[] =
    "\t*)\n"
    "\t\treturn 1\n"
    "\t\t;;\n"
    "\tesac\n"
    "}\n"
    "\n"
    "_picknext()\n"
    "{\n"
    "\tlocal current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} at=$((COMP_CWORD - 1)) i\n"
    "\tlocal options='' operands='' subcommand=''\n"
    "\tCOMPREPLY=()\n"
    "\tif ((COMP_CWORD == 1)); then\n"
    "\t\t_picknext_words \"$_picknext_commands --help --version\" \"$current\"\n"
    "\t\treturn\n"
    "\tfi\n"
    "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
    "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
    "\t\t\t_picknext_command_line $((i + 1))\n"
    "\t\t\treturn\n"
    "\t\tfi\n"
    "\tdone\n"
    "\tif ((COMP_CWORD > 2)) && [[ \" $_picknext_subcommands \" == *\" $command-${COMP_WORDS[2]} \"* ]]; then\n"
    "\t\tcommand=\"$command ${COMP_WORDS[2]}\"\n"
    "\tfi\n"
    "\t# bash takes = for a word of its own: --option=VALUE, --option LABEL=VALUE.\n"
    "\tif [[ $current == = ]]; then\n"
    "\t\tcurrent=\n"
    "\t\tat=$COMP_CWORD\n"
    "\tfi\n"
    "\tif [[ ${COMP_WORDS[at]} == = ]]; then\n"
    "\t\tat=$((at - 1))\n"
    "\t\t[[ ${COMP_WORDS[at]} == -* ]] || at=$((at - 1))\n"
    "\tfi\n"
    "\t_picknext_option_value \"$command\" \"${COMP_WORDS[at]}\" \"$current\" && return\n"
    "\tif [[ $current == -* ]]; then\n"
    "\t\t_picknext_words \"$options\" \"$current\"\n"
    "\telif [[ $operands == files ]]; then\n"
    "\t\t_picknext_files \"$current\"\n"
    "\t\tif [[ $subcommand && $COMP_CWORD -eq 2 && $subcommand == \"$current\"* ]]; then\n"
    "\t\t\tCOMPREPLY+=(\"$subcommand\")\n"
    "\t\tfi\n"
    "\telse\n"
    "\t\t_picknext_words \"$operands\" \"$current\"\n"
    "\tfi\n"
    "}\n"
    "complete -F _picknext picknext\n";

static void add_command_name(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	(void)groups;
	if (!strchr(command->name, ' '))
		buffer_printf(out, " %s", command->name);
}

static void add_names(const struct option *table, struct buffer *out)
{
	for (; table && table->name; table++)
		if (!table->hidden)
			buffer_printf(out, " --%s", table->name);
}

static void add_value(const struct option *option, struct buffer *out)
{
	struct buffer words = {0};
	enum value_kind kind = value_kind_of_option(option, &words);

	buffer_printf(out, "\t\t--%s", option->name);
	if (option->letter)
		buffer_printf(out, " | -%c", option->letter);
	buffer_text(out, ") ");
	if (kind == VALUE_FILE)
		buffer_text(out, "_picknext_files \"$3\" ;;\n");
	else if (kind == VALUE_FREE)
		buffer_text(out, ";;\n");
	else
		buffer_printf(out, "_picknext_%s '%s' \"$3\" ;;\n", kind == VALUE_WORDS ? "words" : "list", words.data);
	buffer_free(&words);
}

static void add_operands(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	struct buffer words = {0};
	enum value_kind kind = value_kind_of_operands(groups, command, &words);

	if (kind == VALUE_FILE)
		buffer_text(out, "\t\toperands=files\n");
	if (command->subcommand)
		buffer_printf(out, "\t\tsubcommand=%s\n", completion_last_word(command->subcommand));
	if (kind == VALUE_WORDS)
		buffer_printf(out, "\t\toperands='%s'\n", words.data);
	else if (kind == VALUE_COMMAND_LINE)
		buffer_text(out, "\t\toperands=--\n");
	buffer_free(&words);
}

static void add_command(const struct command_group *groups, const struct command *command, struct buffer *out)
{
	buffer_printf(out, "\t'%s')\n\t\toptions='", command->name);
	add_names(command->options, out);
	add_names(options_common, out);
	buffer_text(out, "'\n");
	add_operands(groups, command, out);
	buffer_text(out, "\t\tcase $2 in\n");
	for (const struct option *option = command->options; option && option->name; option++)
		if (!option->hidden && option_takes_value(option))
			add_value(option, out);
	buffer_text(out, "\t\t*) return 1 ;;\n\t\tesac\n\t\t;;\n");
}

void completion_add_bash(const struct command_group *groups, struct buffer *out)
{
	buffer_text(out, beginning);
	completion_each_command(groups, add_command, out);
	buffer_text(out, end);
	buffer_text(out, "_picknext_commands='");
	completion_each_command(groups, add_command_name, out);
	buffer_text(out, "'\n_picknext_subcommands='");
	completion_each_command(groups, completion_add_subcommand, out);
	buffer_text(out, "'\n");
}
