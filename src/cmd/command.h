/* SPDX-License-Identifier: MIT
 *
 * Runs a command and prints its help. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/options.h"

/* Parses the arguments, argv[0] being the command's name, and runs the command on them, or prints the help or the
 * error. groups is passed on to run(). Returns the exit code. */
int command_run_arguments(const struct command_group *groups, const struct command *command, int argc, char **argv);

/* Prints the help of a command to standard output. */
void command_print_help(const struct command *command);

#endif
