/* SPDX-License-Identifier: MIT
 *
 * Running a command, and its help. */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include "base/options.h"

/* Parses the arguments, argv[0] being the command's name, and runs the command on them, or prints the help or the
 * error. groups is passed on to run(). Returns the exit code. */
int command_run_arguments(const struct command_group *groups, const struct command *command, int argc, char **argv);

/* Prints the help of a command to standard output. */
void command_print_help(const struct command *command);

/* How its value follows an option in help: " KB", "[=WHICH]" or, of a flag, "". */
#define OPTION_ARGUMENT_SIZE 64
void option_argument(const struct option *option, char text[OPTION_ARGUMENT_SIZE]);

/* The help of one option: its sentence, its choices and its default. */
#define OPTION_TEXT_SIZE 512
void option_describe(const struct option *option, char text[OPTION_TEXT_SIZE]);

#endif
