/* SPDX-License-Identifier: MIT
 *
 * Every command's descriptor; each is defined in the file of its name. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "base/options.h"

/* All commands, in the groups and the order in which the manual shows them. */
extern const struct command_group command_table[];

extern const struct command command_affinity;
extern const struct command command_all;
extern const struct command command_build;
extern const struct command command_check;
extern const struct command command_check_rule;
extern const struct command command_why;
extern const struct command command_collect;
extern const struct command command_diff;
extern const struct command command_compare;
extern const struct command command_export;
extern const struct command command_fetch;
extern const struct command command_help;
extern const struct command command_completion;
extern const struct command command_complete;
extern const struct command command_idle_waiting;
extern const struct command command_initramfs;
extern const struct command command_inversions;
extern const struct command command_latency;
extern const struct command command_list;
extern const struct command command_mark;
extern const struct command command_migrations;
extern const struct command command_monitor;
extern const struct command command_overhead;
extern const struct command command_parse;
extern const struct command command_record;
extern const struct command command_report;
extern const struct command command_run;
extern const struct command command_stat;
extern const struct command command_timeline;
extern const struct command command_split;
extern const struct command command_verify;
extern const struct command command_version;
extern const struct command command_vm;

#endif
