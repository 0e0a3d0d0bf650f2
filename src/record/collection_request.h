/* SPDX-License-Identifier: MIT
 *
 * The request for a collection: one struct and one table of options for collect, all, overhead, vm and its guests. */
#ifndef RECORD_COLLECTION_REQUEST_H
#define RECORD_COLLECTION_REQUEST_H

#include "base/arguments.h"
#include "base/build.h"
#include "base/options.h"
#include "record/scheduler_session.h"
#include "record/tracefs/keys.h"
#include "record/tracefs/session.h"
#include "workloads/runner/workload.h"

#define COLLECTION_WORKLOADS_MAX 64

/* Defaults of collect and all. */
#define COLLECTION_RUNS      3
#define COLLECTION_RUNS_HELP "recordings of each workload (default: 3)"
#define COLLECTION_SCALE     "1"
#define GUEST_SCALE          "small" /* of vm */
#define COLLECTION_CLOCK     "mono"
#define COLLECTION_DRAIN_MS  50

struct collection_progress {
	const char *workload;
	unsigned int run;             /* as in the file's name */
	unsigned int done, of;        /* runs finished, runs in all */
	uint64_t events_so_far;       /* in the current run */
	double seconds_left_estimate; /* < 0: not known yet */
};

/* A finished run. */
struct collection_run {
	const char *id;                     /* "cpu_bound_4p_run1" */
	const char *dat_path, *json_path;   /* complete; NULL if it was not traced */
	const struct workload_result *work; /* a command may have failed */
};

/* Not to be copied: workloads may point to command_workload. */
struct collection_request {
	/* Options; 0 or NULL: not given. */
	const char *names;    /* of workloads: "a,b,exec:NAME"; NULL: the command, or else all workloads */
	char *const *command; /* NULL-terminated; NULL: none */
	uint64_t runs;        /* of each workload */
	const char *size;     /* "0.5", "small" or "small:0.5" */
	double duration_s;
	struct option_list events; /* recorded instead of the scheduler's */
	const char *drain;
	const char *scratch;             /* for io_mixed; temporary directories are made in raw_directory */
	const char *keys;                /* of keys_choose() */
	struct capture_settings capture; /* clock, buffer_size_kb, migration_stacks */
	struct scheduler_choice scheduler;
	/* Set by collection_request_resolve(). */
	const struct workload *workloads[COLLECTION_WORKLOADS_MAX];
	size_t workload_count;
	struct workload command_workload;
	char command_name[64], command_category[64], command_line[512];
	double scale, small;   /* small > 0: workloads with a small_scale run at small * small_scale instead of scale */
	unsigned int drain_ms; /* interval of readouts during a run; 0: only after it */
	/* Set by the code that collects. */
	const char *raw_directory;   /* created if it does not exist */
	unsigned int first_run;      /* the runs are numbered from it */
	bool fixed_work;             /* of workload_request */
	bool untraced;               /* nothing is written */
	const char *identity;        /* of a deterministic guest, recorded with the run's number as seed; or NULL */
	const struct recipe *recipe; /* recorded; or NULL */
	const char *accelerator;     /* in a guest: "tcg", "kvm", recorded unchanged; else NULL */
	/* Each may be NULL. run_done is called outside of traced windows; an error from it ends the collection. */
	void (*progress)(void *context, const struct collection_progress *progress);
	enum status (*run_done)(void *context, const struct collection_run *run, struct error *err);
	void *context;
};

#define KEYS_OPTION_ROW(type, member)                                                                                  \
	OPTION_CHOICES(type, member, "keys", KEYS_CHOICES, .argument = "WHICH", .bare = "yes",                         \
		       .help = HELP("record the scheduler's keys too (vruntime, deadline, weight,\n"                   \
				    "lag; see picknext help events), so that each pick can be\n"                       \
				    "explained; costs 8,000 to 10,000 instructions per event.\n"                       \
				    "if-possible (default of vm without -w): record them unless the\n"                 \
				    "kernel cannot, or a guest runs in real time"))

#define EVENTS_OPTION_ROW(type, member)                                                                                \
	OPTION(type, member, "events", .letter = 'e', .argument = "NAMES",                                             \
	       .help = "tracepoints, separated by commas: NAME, SYSTEM:NAME or SYSTEM,\n"                              \
		       "with the wildcards * and ? (default: sched_switch,\n"                                          \
		       "sched_wakeup,sched_wakeup_new,sched_migrate_task,\n"                                           \
		       "sched_pi_setprio); can be given several times")

#define SCALE_OPTION_ROW(type, member, default)                                                                        \
	OPTION(type, member, "scale", .argument = "F|small[:F]", .fallback = default,                                  \
	       .help = HELP("multiply loops and durations of the workloads by F; small: use each\n"                    \
			    "workload's small size, which takes seconds even in an emulated\n"                         \
			    "guest; small:F: multiply the small size by F"))

/* member has a struct capture_settings named capture. */
#define BUFFER_OPTION_ROW(type, member)                                                                                \
	OPTION(type, member.capture.buffer_size_kb, "buffer-size", .letter = 'b', .argument = "KB", .unit = "KB",      \
	       .help = HELP("trace buffer per CPU; an event takes about 56 bytes"), .fallback = "16384", .min = 8,     \
	       .max = 1ull << 32)
#define STACKS_OPTION_ROW(type, member)                                                                                \
	OPTION(type, member.capture.migration_stacks, "migration-stacks",                                              \
	       .help = HELP("record the kernel stack of each migration, which shows its\n"                             \
			    "cause (picknext migrations)"))

/* Rows of an option table; member is the struct collection_request within type. scale_default: of --scale. */
#define COLLECTION_OPTION_ROWS(type, member, scale_default)                                                            \
	OPTION(type, member.names, "workload", .letter = 'w', .argument = "NAMES", .once = true,                       \
	       .help = HELP("workloads to run, separated by commas (default: see picknext list);\n"                    \
			    "exec:NAME[:CATEGORY] runs COMMAND; the dataset has it under this name\n"                  \
			    "and category (default category: recorded)")),                                             \
	    BUFFER_OPTION_ROW(type, member), SCALE_OPTION_ROW(type, member.size, scale_default),                       \
	    OPTION(type, member.duration_s, "duration", .argument = "S", .unit = "s",                                  \
		   .help = HELP("run time of timed workloads; overrides --scale"), .real_min = 0.01,                   \
		   .real_max = 1000000),                                                                               \
	    OPTION(type, member.drain, "drain", .argument = "MS",                                                      \
		   .help = HELP("read the buffers every MS milliseconds during a run, so that it can\n"                \
				"record more than they hold (default: 50; 0 with --scheduler);\n"                      \
				"0: read only after the run: picknext sleeps meanwhile, and events\n"                  \
				"that do not fit are lost")),                                                          \
	    STACKS_OPTION_ROW(type, member), EVENTS_OPTION_ROW(type, member.events),                                   \
	    KEYS_OPTION_ROW(type, member.keys),                                                                        \
	    OPTION(type, member.scheduler.stop_on_ejection, "stop-on-ejection",                                        \
		   .help = HELP("end after a run whose scheduler was ejected (--scheduler); without\n"                 \
				"it, the scheduler is started again for the next run"))

/* The row of --runs; vm has another one, because it takes a range, and a guest makes one run. */
#define COLLECTION_RUNS_ROW(type, member)                                                                              \
	OPTION(type, member.runs, "runs", .letter = 'r', .argument = "N", .help = COLLECTION_RUNS_HELP, .min = 1,      \
	       .scope = OPTION_OF_CALL, .max = 100000)

/* The row of --count; vm hides it, because --reached needs it. More fields may follow. */
#define COUNT_OPTION_ROW(type, member, ...)                                                                            \
	OPTION(type, member.capture.counted, "count", .argument = "FUNCTIONS",                                         \
	       .help = HELP("count how often each run executes these functions of the kernel\n"                        \
			    "(kprobes; names separated by commas, or NAME@SYMBOL+OFFSET for\n"                         \
			    "one instruction): functions in its JSON. Slows them down"),                               \
	       __VA_ARGS__)

/* The row of --scheduler; vm has another one, because it takes several. */
#define COLLECTION_SCHEDULER_ROW(type, member)                                                                         \
	OPTION(type, member.scheduler.text, "scheduler", .argument = "SCHEDULER",                                      \
	       .help = HELP("run under a sched_ext scheduler: none, builtin:NAME (picknext\n"                          \
			    "list --schedulers), or 'PROGRAM ARGUMENTS', which is started before the\n"                \
			    "first run (picknext help sched_ext)"))

/* The row of --clock; guests use the default. */
#define COLLECTION_CLOCK_ROW(type, member)                                                                             \
	OPTION(type, member.capture.clock, "clock", .argument = "NAME",                                                \
	       .help = HELP("trace clock: mono is the same on all CPUs and in other logs of\n"                         \
			    "the machine; local, the kernel's default, differs per CPU; counter,\n"                    \
			    "uptime and x86-tsc do not count nanoseconds and cannot be analysed"),                     \
	       .fallback = COLLECTION_CLOCK)

/* The row of --scratch; vm has none, because a guest makes its own scratch device. */
#define COLLECTION_SCRATCH_ROW(type, member)                                                                           \
	OPTION(type, member.scratch, "scratch", .argument = "PATH",                                                    \
	       .help = HELP("directory or /dev/nullbN that io_mixed writes to (default: a\n"                           \
			    "temporary directory in that of the recordings)"))

/* The capture settings of a request, with the events and keys that this kernel has. */
struct collection_capture {
	struct capture_settings settings; /* of the request, with its events and keys */
	struct keys keys;
	struct event_names event_names;
};

/* The depth of the cgroups of a workload: one for the run, and those of a mix below it. */
unsigned int collection_group_levels(const struct workload *workload);
/* Returns the errors of keys_choose() and capture_choose_events(). The caller frees *capture, also after an error. */
enum status collection_capture_choose(const struct collection_request *request, struct collection_capture *capture,
				      struct error *err);
void collection_capture_free(struct collection_capture *capture);

/* Sets the command from the operands. STATUS_USAGE if they do not follow "--": most likely a workload's name without
 * -w.
 */
enum status collection_request_set_command(struct collection_request *request, const struct operands *operands,
					   struct error *err);
/* Derives the workloads, sizes and scheduler from the options. STATUS_USAGE names the wrong option. */
enum status collection_request_resolve(struct collection_request *request, struct error *err);
void collection_request_free(struct collection_request *request);

/* The request of workload number index; the caller fills in cpus, seed and scratch. */
struct workload_request collection_request_work(const struct collection_request *request, size_t index);

/* In the words of a recipe: replaces the name of a mix file by the mix itself, so that guests and other machines do not
 * need the file. The words must have been parsed before. */
void collection_resolve_mixes(struct arguments *words);

#endif
