/* SPDX-License-Identifier: MIT
 *
 * All commands, in the groups and the order in which the manual shows them. */
#ifndef CMD_COMMAND_TABLE_H
#define CMD_COMMAND_TABLE_H

#include "base/options.h"

extern const struct command_group command_table[];

#endif
