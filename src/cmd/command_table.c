/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

/* clang-format off */
const struct command_group command_table[] = {
    {"Compare kernels", {
	&command_vm,
	&command_compare,
	&command_report,
	&command_verify,
	&command_diff,
	&command_fetch,
    }},
    {"Record this machine", {
	&command_record,
	&command_mark,
	&command_monitor,
	&command_overhead,
	&command_collect,
	&command_all,
	&command_run,
	&command_list,
    }},
    {"Read a trace", {
	&command_check,
	&command_check_rule,
	&command_why,
	&command_stat,
	&command_latency,
	&command_timeline,
	&command_migrations,
	&command_affinity,
	&command_inversions,
	&command_idle_waiting,
    }},
    {"Make data", {
	&command_build,
	&command_split,
	&command_export,
    }},
    {"Other", {
	&command_help,
	&command_completion,
	&command_version,
	&command_initramfs,
	&command_parse,
	&command_complete,
    }},
    {NULL, {NULL}},
};
/* clang-format on */
