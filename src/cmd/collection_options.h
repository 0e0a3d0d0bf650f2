/* SPDX-License-Identifier: MIT
 *
 * The options of a collection, written once for collect, all, guest and vm. */
#ifndef CMD_COLLECTION_OPTIONS_H
#define CMD_COLLECTION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "record/collection.h"

#define COLLECTION_WORKLOADS_MOST 64
#define COLLECTION_RUNS           3

struct collection_options {
	const char *workloads; /* "a,b,exec:NAME", or NULL for all, or for the command alone */
	const char *category;  /* of the command's runs */
	char *const *command;  /* after --: NULL-terminated; NULL: none */
	uint64_t runs;         /* 0: not given */
	uint64_t buffer_size_kb;
	double scale;
	double duration_s; /* 0: not given */
	const char *clock;
	uint64_t drain_ms;
	bool no_drain;
	const char *scratch; /* or NULL */
	bool migration_stacks;
};

/* Rows of an option table; member is the struct collection_options within type. */
#define COLLECTION_OPTION_ROWS(type, member)                                                                           \
	{.name = "workload",                                                                                           \
	 .letter = 'w',                                                                                                \
	 .kind = OPTION_TEXT,                                                                                          \
	 .offset = offsetof(type, member.workloads),                                                                   \
	 .argument = "NAMES",                                                                                          \
	 .help = "workloads to run, separated by commas; all without this;\n"                                          \
		 "exec:NAME is COMMAND, with NAME as its label in the dataset"},                                       \
	    {.name = "category",                                                                                       \
	     .kind = OPTION_TEXT,                                                                                      \
	     .offset = offsetof(type, member.category),                                                                \
	     .argument = "NAME",                                                                                       \
	     .help = "category of COMMAND in the dataset",                                                             \
	     .fallback = "recorded"},                                                                                  \
	    {.name = "runs",                                                                                           \
	     .letter = 'r',                                                                                            \
	     .kind = OPTION_NUMBER,                                                                                    \
	     .offset = offsetof(type, member.runs),                                                                    \
	     .argument = "N",                                                                                          \
	     .help = "recordings of each workload (default: 3)",                                                       \
	     .least = 1,                                                                                               \
	     .most = 100000},                                                                                          \
	    {.name = "buffer-size",                                                                                    \
	     .letter = 'b',                                                                                            \
	     .kind = OPTION_NUMBER,                                                                                    \
	     .offset = offsetof(type, member.buffer_size_kb),                                                          \
	     .argument = "KB",                                                                                         \
	     .help = "trace buffer of each CPU; an event takes about 56 bytes",                                        \
	     .fallback = "16384",                                                                                      \
	     .least = 8,                                                                                               \
	     .most = 1ull << 32},                                                                                      \
	    {.name = "scale",                                                                                          \
	     .kind = OPTION_REAL,                                                                                      \
	     .offset = offsetof(type, member.scale),                                                                   \
	     .argument = "F",                                                                                          \
	     .help = "multiply loops and durations of the workloads by F",                                             \
	     .fallback = "1",                                                                                          \
	     .real_least = 0.0001,                                                                                     \
	     .real_most = 10000},                                                                                      \
	    {.name = "duration",                                                                                       \
	     .kind = OPTION_REAL,                                                                                      \
	     .offset = offsetof(type, member.duration_s),                                                              \
	     .argument = "S",                                                                                          \
	     .help = "seconds that timed workloads run; --scale is not for them then",                                 \
	     .real_least = 0.01,                                                                                       \
	     .real_most = 1000000},                                                                                    \
	    {.name = "clock",                                                                                          \
	     .kind = OPTION_TEXT,                                                                                      \
	     .offset = offsetof(type, member.clock),                                                                   \
	     .argument = "NAME",                                                                                       \
	     .help = "trace clock: mono is one time for all CPUs and for other logs\n"                                 \
		     "of the machine; local, the kernel's default, is each CPU's own",                                 \
	     .fallback = "mono"},                                                                                      \
	    {.name = "drain",                                                                                          \
	     .kind = OPTION_NUMBER,                                                                                    \
	     .offset = offsetof(type, member.drain_ms),                                                                \
	     .argument = "MS",                                                                                         \
	     .help = "read the buffers out every MS milliseconds while a workload\n"                                   \
		     "runs, so that a run can outgrow them",                                                           \
	     .fallback = "50",                                                                                         \
	     .least = 1,                                                                                               \
	     .most = 60000},                                                                                           \
	    {.name = "no-drain",                                                                                       \
	     .kind = OPTION_FLAG,                                                                                      \
	     .offset = offsetof(type, member.no_drain),                                                                \
	     .help = "read the buffers out after the workload only: nothing of the\n"                                  \
		     "tracer runs meanwhile, and what does not fit is lost"},                                          \
	{                                                                                                              \
		.name = "migration-stacks", .kind = OPTION_FLAG, .offset = offsetof(type, member.migration_stacks),    \
		.help = "record the kernel's stack at each migration, for the function\n"                              \
			"behind it (picknext migrations)"                                                              \
	}

/* The row of --scratch; a guest makes a scratch device of its own, so vm has none. */
#define COLLECTION_SCRATCH_ROW(type, member)                                                                           \
	{                                                                                                              \
		.name = "scratch", .kind = OPTION_TEXT, .offset = offsetof(type, member.scratch), .argument = "PATH",  \
		.help = "where io_mixed writes: a directory, or /dev/nullbN; without\n"                                \
			"this a temporary directory beside the traces"                                                 \
	}

/* Room for the parts of a request that options name by text. */
struct collection_choice {
	const struct workload *workloads[COLLECTION_WORKLOADS_MOST];
	struct workload command;
	char command_name[64], command_line[512];
	char clock[32];
};

/* Takes the operands of a command line as options->command. STATUS_USAGE if they do not follow "--": most likely a
 * workload's name without -w. */
enum status collection_options_command(const struct operands *operands, struct collection_options *options,
				       struct error *err);
/* Fills the request's workloads, runs, buffer size, scale, duration, clock and scratch; the rest is unchanged.
 * STATUS_USAGE names the option and what is wrong. */
enum status collection_options_apply(const struct collection_options *options, struct collection_choice *choice,
				     struct collection_request *request, struct error *err);

#endif
