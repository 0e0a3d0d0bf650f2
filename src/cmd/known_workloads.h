/* SPDX-License-Identifier: MIT
 *
 * The built-in workloads for compare and report, and the common options of both. */
#ifndef CMD_KNOWN_WORKLOADS_H
#define CMD_KNOWN_WORKLOADS_H

#include "base/options.h"
#include "compare/run_set.h"

/* Sets workloads, workload_count, as, and the filter for patterns, which must outlive *options. STATUS_USAGE if as is
 * empty. */
enum status run_set_options_make(const struct option_list *patterns, const char *as, struct run_set_options *options,
				 struct error *err);

/* Rows of an option table: members of type are struct option_list workloads, const char *as, bool allow_failed,
 * different_commands. */
#define RUN_SET_OPTION_ROWS(type, workloads_member, as_member, failed_member, commands_member)                         \
	OPTION(type, workloads_member, "workload", .letter = 'w', .argument = "NAME",                                  \
	       .help = "only these workloads, separated by commas; * matches any\ntext, ? any character"),             \
	    OPTION(type, as_member, "as", .argument = "WORKLOAD",                                                      \
		   .help = "lone traces are runs of WORKLOAD, whatever their names"),                                  \
	    OPTION(type, commands_member, "different-commands",                                                        \
		   .help = "compare runs of a workload whose commands have other arguments"),                          \
	    OPTION(type, failed_member, "allow-failed",                                                                \
		   .help = "include runs whose command failed or was killed, and\nreport them")

#endif
