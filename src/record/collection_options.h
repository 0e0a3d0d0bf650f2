/* SPDX-License-Identifier: MIT
 *
 * The options of a collection: one table for collect, all, guest and vm. */
#ifndef RECORD_COLLECTION_OPTIONS_H
#define RECORD_COLLECTION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/help.h"
#include "base/options.h"
#include "record/collection.h"
#include "record/collection_choice.h"

/* Defaults of collect and all. */
#define COLLECTION_RUNS      3
#define COLLECTION_RUNS_HELP "recordings of each workload (default: 3)"
#define COLLECTION_SCALE     "1"
#define COLLECTION_DRAIN_MS  50

struct collection_options {
	struct collection_wanted wanted;
	struct option_list events;
	uint64_t runs; /* 0: not given */
	uint64_t buffer_size_kb;
	double scale;      /* 0: not given */
	double small;      /* 0: not given */
	double duration_s; /* 0: not given */
	const char *clock;
	const char *drain;   /* NULL: not given */
	const char *scratch; /* or NULL */
	bool migration_stacks, keys;
	const char *scheduler; /* or NULL */
	bool stop_on_ejection;
};

#define KEYS_HELP                                                                                                      \
	"record the keys by which the scheduler chooses (vruntime, deadline,\n"                                        \
	"weight, lag; picknext record --help), so that each pick can be\nexplained"

#define EVENTS_OPTION_ROW(type, member)                                                                                \
	OPTION(type, member, "events", .letter = 'e', .argument = "NAMES",                                             \
	       .help = "tracepoints, separated by commas: NAME, SYSTEM:NAME or SYSTEM,\n"                              \
		       "with the wildcards * and ? (default: sched_switch,\n"                                          \
		       "sched_wakeup,sched_wakeup_new,sched_migrate_task,\n"                                           \
		       "sched_pi_setprio); can be given several times")

/* Rows of an option table; member is the struct collection_options within type. scale_default: of --scale, as text;
 * NULL: member.scale is 0 without it. */
#define COLLECTION_OPTION_ROWS(type, member, scale_default)                                                            \
	OPTION(type, member.wanted.workloads, "workload", .letter = 'w', .argument = "NAMES",                          \
	       .help = HELP("workloads to run, separated by commas (default: see picknext list);\n"                    \
			    "exec:NAME is COMMAND, labelled NAME in the dataset")),                                    \
	    OPTION(type, member.wanted.category, "category", .argument = "NAME",                                       \
		   .help = HELP("category of COMMAND in the dataset (default: recorded)")),                            \
	    OPTION(type, member.buffer_size_kb, "buffer-size", .letter = 'b', .argument = "KB", .unit = "KB",          \
		   .help = HELP("trace buffer per CPU; an event takes about 56 bytes"), .fallback = "16384", .min = 8, \
		   .max = 1ull << 32),                                                                                 \
	    OPTION(type, member.scale, "scale", .argument = "F",                                                       \
		   .help = HELP("multiply loops and durations of the workloads by F"), .fallback = scale_default,      \
		   .real_min = 0.0001, .real_max = 10000),                                                             \
	    OPTION(type, member.small, "small", .argument = "F",                                                       \
		   .help = HELP("instead of --scale: F times the small size of each workload, which\n"                 \
				"takes seconds even in an emulated guest (default of vm: 1)"),                         \
		   .real_min = 0.01, .real_max = 1000),                                                                \
	    OPTION(type, member.duration_s, "duration", .argument = "S", .unit = "s",                                  \
		   .help = HELP("run time of timed workloads; overrides --scale"), .real_min = 0.01,                   \
		   .real_max = 1000000),                                                                               \
	    OPTION(type, member.clock, "clock", .argument = "NAME",                                                    \
		   .help = HELP("trace clock: mono is the same on all CPUs and in other logs of\n"                     \
				"the machine; local, the kernel's default, differs per CPU"),                          \
		   .fallback = "mono"),                                                                                \
	    OPTION(type, member.drain, "drain", .argument = "MS",                                                      \
		   .help = HELP("read the buffers every MS milliseconds while a workload runs,\n"                      \
				"so that a run can exceed their size (default: 50); 0: only after\n"                   \
				"it, so that picknext sleeps, and events that do not fit are lost")),                  \
	    OPTION(type, member.migration_stacks, "migration-stacks",                                                  \
		   .help = HELP("record the kernel stack of each migration, which shows its\n"                         \
				"cause (picknext migrations)")),                                                       \
	    EVENTS_OPTION_ROW(type, member.events), OPTION(type, member.keys, "keys", .help = KEYS_HELP),              \
	    OPTION(type, member.stop_on_ejection, "stop-on-ejection",                                                  \
		   .help = HELP("end after a run whose scheduler was ejected, instead of starting\n"                   \
				"it anew for the next run (--scheduler)"))

/* The row of --runs; vm has another one, because it takes a range, and a guest makes one run. */
#define COLLECTION_RUNS_ROW(type, member)                                                                              \
	OPTION(type, member.runs, "runs", .letter = 'r', .argument = "N", .help = COLLECTION_RUNS_HELP, .min = 1,      \
	       .scope = OPTION_OF_CALL, .max = 100000)

/* The row of --scheduler; vm has another one, because it takes several. */
#define COLLECTION_SCHEDULER_ROW(type, member)                                                                         \
	OPTION(type, member.scheduler, "scheduler", .argument = "SCHEDULER",                                           \
	       .help = HELP("run under a scheduler of sched_ext: none, builtin:NAME (picknext\n"                       \
			    "list --schedulers), or 'PROGRAM ARGUMENTS', which is started before the\n"                \
			    "first run (picknext help sched_ext)"))

/* The row of --scratch; vm has none, because a guest makes its own scratch device. */
#define COLLECTION_SCRATCH_ROW(type, member)                                                                           \
	OPTION(type, member.scratch, "scratch", .argument = "PATH",                                                    \
	       .help = HELP("directory or /dev/nullbN that io_mixed writes to (default: a\n"                           \
			    "temporary directory in that of the recordings)"))

/* Sets options->wanted.command from the operands. STATUS_USAGE if they do not follow "--": most likely a
 * workload's name without -w. */
enum status collection_options_command(const struct operands *operands, struct collection_options *options,
				       struct error *err);
/* Fills the request's workloads, runs, buffer size, scale, duration, clock and scratch; the rest is unchanged.
 * STATUS_USAGE names the option and what is wrong. */
enum status collection_options_apply(const struct collection_options *options, struct collection_choice *choice,
				     struct collection_request *request, struct error *err);

#endif
