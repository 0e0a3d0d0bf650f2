/* SPDX-License-Identifier: MIT
 *
 * What the commands that analyse traces have in common: which traces, which part of them, in which form the figures
 * are printed, and how far they can be trusted. */
#ifndef TRACE_PASS_H
#define TRACE_PASS_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/options.h"
#include "sched/source.h"
#include "sched/task_states.h"
#include "term/table.h"
#include "trace/input.h"
#include "trace/quality.h"

struct analysis_options {
	bool json, csv;
	const char *output;
	const char *cpus;
	double from, to; /* seconds from the trace's first event; to 0: no end */
	const char *from_mark, *to_mark;
};

/* Rows of an option table; member is the struct analysis_options within type. */
#define ANALYSIS_OPTION_ROWS(type, member)                                                                             \
	{.name = "json",                                                                                               \
	 .kind = OPTION_FLAG,                                                                                          \
	 .offset = offsetof(type, member.json),                                                                        \
	 .help = "write JSON instead of a table"},                                                                     \
	    {.name = "csv",                                                                                            \
	     .kind = OPTION_FLAG,                                                                                      \
	     .offset = offsetof(type, member.csv),                                                                     \
	     .help = "write CSV instead of a table"},                                                                  \
	    {.name = "output",                                                                                         \
	     .letter = 'o',                                                                                            \
	     .kind = OPTION_TEXT,                                                                                      \
	     .offset = offsetof(type, member.output),                                                                  \
	     .argument = "FILE",                                                                                       \
	     .help = "write it to FILE instead of standard output"},                                                   \
	    {.name = "cpu",                                                                                            \
	     .kind = OPTION_TEXT,                                                                                      \
	     .offset = offsetof(type, member.cpus),                                                                    \
	     .argument = "LIST",                                                                                       \
	     .help = "only what happens on these CPUs, such as 0,2-3"},                                                \
	    {.name = "from",                                                                                           \
	     .kind = OPTION_REAL,                                                                                      \
	     .offset = offsetof(type, member.from),                                                                    \
	     .argument = "SECONDS",                                                                                    \
	     .real_most = 1e9,                                                                                         \
	     .help = "only what happens from then on, counted from the first event"},                                  \
	    {.name = "to",                                                                                             \
	     .kind = OPTION_REAL,                                                                                      \
	     .offset = offsetof(type, member.to),                                                                      \
	     .argument = "SECONDS",                                                                                    \
	     .real_most = 1e9,                                                                                         \
	     .help = "only what happens before"},                                                                      \
	    {.name = "from-mark",                                                                                      \
	     .kind = OPTION_TEXT,                                                                                      \
	     .offset = offsetof(type, member.from_mark),                                                               \
	     .argument = "TEXT",                                                                                       \
	     .help = "only what happens behind the first mark of this text"},                                          \
	{                                                                                                              \
		.name = "to-mark", .kind = OPTION_TEXT, .offset = offsetof(type, member.to_mark), .argument = "TEXT",  \
		.help = "only what happens before the first mark of this text (behind the other)"                      \
	}

/* What reading the traces found: the one-line verdict. */
struct analysis_quality {
	uint32_t runs;
	uint32_t cpus;        /* that had events, in the run that had most */
	uint64_t events;      /* within the window */
	uint64_t duration_ns; /* of the windows, summed over runs */
	uint64_t lost_events, lost_places;
	bool lost_unknown; /* of some loss the number of events is not known */
	uint32_t lossy_runs, truncated_runs;
	uint64_t backward_events, backward_most_ns;
	uint64_t malformed_lines;
	enum quality_grade grade; /* of the worst run */
	struct quality_finding worst;
};

/* The trace that is being read. */
struct analysis_run {
	const char *path;
	uint32_t number;   /* from 0 */
	uint64_t first_ns; /* its first event: what --from counts from */
	struct sched_source *source;
};

struct analysis {
	struct task_states machine; /* machine.faults belong to the verdict */
	struct analysis_quality quality;
	struct analysis_run run;
	struct trace_quality trace; /* of the current run; complete when its end is told */
	bool all_cpus;
	uint64_t cpu_set[TASK_CPUS_MOST / 64];
	/* The driver's own. */
	const struct analysis_options *options;
	const struct analysis_consumer *consumer;
	uint64_t from_ns, to_ns; /* since the first event; UINT64_MAX no end */
	bool is_open, is_over;   /* the window */
	uint64_t end_ns;         /* where it ended */
	struct task_faults faults_before;
	uint64_t whole_since_ns; /* the last loss */
};

/* Gets what happens within the window. cpu filters are the consumer's: analysis_wants_cpu(). */
struct analysis_consumer {
	void *context;
	/* Each event within the window, with what it meant. */
	enum status (*step)(void *context, const struct analysis *analysis, const struct sched_event *event,
			    const struct task_step *step, struct error *err);
	/* A slice that the end of the run or of the window cut short; may be NULL. */
	enum status (*cut)(void *context, const struct analysis *analysis, const struct task_slice *slice,
			   struct error *err);
	/* A run begins (source is open, no event was read) and is over; both may be NULL. */
	enum status (*begin)(void *context, const struct analysis *analysis, struct error *err);
	enum status (*end)(void *context, const struct analysis *analysis, struct error *err);
	/* A trace is corrupt or of no known kind, and err says how; what it returns goes on with the next (STATUS_OK)
	 * or ends the work. NULL ends it. analysis.run.path is the trace. */
	enum status (*failed)(void *context, const struct analysis *analysis, struct error *err);
};

/* Reads all operands: traces, directories of them (DIR/raw where there is one, else DIR), "-"; picknext.dat where there
 * are none. Fills *analysis, which is to be freed with analysis_free() whatever comes of it. Errors name the trace. */
enum status analysis_read(const struct analysis_options *options, const struct operands *operands,
			  const struct analysis_consumer *consumer, struct analysis *analysis, struct error *err);
/* The same of traces that are open already, and stay so. */
enum status analysis_read_inputs(const struct analysis_options *options, struct input *inputs, size_t count,
				 const struct analysis_consumer *consumer, struct analysis *analysis,
				 struct error *err);
void analysis_free(struct analysis *analysis);

static inline bool analysis_wants_cpu(const struct analysis *analysis, uint32_t cpu)
{
	return analysis->all_cpus || (cpu < TASK_CPUS_MOST && analysis->cpu_set[cpu / 64] >> cpu % 64 & 1);
}

/* What every analysis says in its operands and its details. */
#define ANALYSIS_OPERANDS "[FILE|DIR|-]..."
#define ANALYSIS_DETAILS                                                                                               \
	"Reads trace.dat files and the kernel's text traces, directories of them (DIR/raw where there is one), or -\n" \
	"for standard input; picknext.dat where nothing is named. Several traces are taken together as one. A "        \
	"narrow\n"                                                                                                     \
	"terminal hides columns that do not fit; pipes, CSV and JSON have all."

/* Times since the first event of the run, which those of several runs can be compared by: of an event, and of the end
 * of the run or of the window. */
static inline uint64_t analysis_since_start(const struct analysis *analysis, uint64_t ts_ns)
{
	return ts_ns > analysis->run.first_ns ? ts_ns - analysis->run.first_ns : 0;
}

static inline uint64_t analysis_end(const struct analysis *analysis)
{
	if (analysis->is_over && analysis->to_ns != UINT64_MAX)
		return analysis->to_ns;
	return analysis_since_start(analysis, analysis->machine.last_ns);
}

/* "Figures from 407,312 events, 3.204 s, 4 CPUs; nothing lost". */
void analysis_verdict(const struct analysis *analysis, char *text, size_t size);

/* Writes tables in the form that was asked for: people get each under its title (if any) and the verdict at the end;
 * CSV is the first table alone, with the verdict on standard error; JSON is one object: the verdict's figures under
 * "trace", and an array under each name. */
struct analysis_table {
	const char *name; /* JSON key */
	const char *title;
	const struct table *table;
};
enum status analysis_print(const struct analysis *analysis, const struct analysis_table *tables, size_t count,
			   struct error *err);
/* For what a command prints by itself: the object "trace" of the verdict, and out to --output or standard output. */
void analysis_add_verdict(const struct analysis *analysis, struct json_writer *json);
enum status analysis_write(const struct analysis_options *options, struct buffer *out, struct error *err);

/* What a command ends with: frees *analysis, tells the error, and gives the exit code. */
int analysis_exit(struct analysis *analysis, enum status status, const struct error *err);

#endif
