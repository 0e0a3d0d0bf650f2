/* SPDX-License-Identifier: MIT
 *
 * One pass over a sequence of traces: decodes events, tracks every task, selects the time window of the options, passes
 * each event to a consumer, and grades the quality of the traces. */
#ifndef TRACE_PASS_H
#define TRACE_PASS_H

#include <sched.h>

#include "base/json.h"
#include "runs/run.h"
#include "trace/input.h"
#include "trace/quality.h"
#include "trace/role_table.h"
#include "trace/source.h"
#include "trace/task_states.h"
#include "trace/trace_watch.h"

/* A zeroed struct reads whole traces. */
struct pass_options {
	const char *cpus; /* a list such as "0,2-3"; NULL: all */
	double from, to;  /* seconds since the trace's first event; to 0: no end */
	const char *from_mark, *to_mark;
	const char *output; /* output file: STATUS_USAGE if it is one of the traces */
	bool with_roles;    /* states.roles is set: each trace is read twice */
	const struct run
	    *described; /* of the trace, if its metadata was read before; NULL: pass_described() reads it */
};

/* Totals over all traces, for the last line of every analysis. */
struct pass_summary {
	uint32_t runs;
	uint32_t cpus;        /* CPUs with events, maximum over traces */
	uint64_t events;      /* within the window */
	uint64_t duration_ns; /* sum of the windows of all traces */
	uint64_t lost_events, lost_places;
	bool lost_unknown; /* a loss of unknown size exists */
	uint32_t lossy_runs, truncated_runs;
	uint32_t wakeless_runs; /* traces read to their end that have no SCHED_WAKEUP */
	uint32_t followed_runs; /* traces with events of followed tasks only: trace_scope.h */
	uint64_t backward_events, backward_max_ns;
	uint64_t malformed_lines;
	enum quality_grade grade; /* of the worst trace */
	struct quality_finding worst;
	uint32_t worst_run;      /* number of that trace */
	uint32_t untrusted_runs; /* traces of QUALITY_BAD */
	bool is_of_part; /* the consumer stopped before the end of a trace: grade is that of the part that was read */
};

/* The current trace. */
struct pass_run {
	const char *path;
	uint32_t number;     /* from 0 */
	uint64_t first_ns;   /* its first event; --from is relative to it */
	bool has_wakeups;    /* a SCHED_WAKEUP so far, in the window or before */
	struct input *input; /* open: begin() may read it in another pass */
	struct sched_source *source;
	struct pass_metadata *metadata; /* private: pass_described() */
};

struct pass {
	struct task_states states; /* states.faults belong to the summary */
	struct pass_summary summary;
	struct pass_run run;
	struct trace_watch trace; /* the quality of the current trace; complete when consumer->end is called */
	char **paths;             /* of all traces so far, by number */
	bool all_cpus;
	uint64_t cpu_set[TASK_CPUS_MAX / 64];
	bool is_over; /* the window ended before the trace */
	/* Private. */
	const struct pass_options *options;
	const struct pass_consumer *consumer;
	uint64_t from_ns, to_ns; /* since the first event; UINT64_MAX no end */
	bool has_end;            /* the window may end before the trace does */
	bool is_open;            /* the window has begun */
	uint64_t end_ns;         /* of the window, if is_over */
	struct role_table roles; /* of the current trace */
	cpu_set_t cpus;          /* CPUs of all traces */
	size_t path_count, path_capacity;
};

/* Receives everything within the window. Must filter by CPU itself: pass_wants_cpu(). */
struct pass_consumer {
	void *context;
	/* Each event within the window, and its effect on task states. */
	enum status (*step)(void *context, const struct pass *pass, const struct sched_event *event,
			    const struct task_step *step, struct error *err);
	/* A slice cut by the end of the trace or window; may be NULL. */
	enum status (*cut)(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err);
	/* Before the first event of a trace, and after its last; both may be NULL. */
	enum status (*begin)(void *context, const struct pass *pass, struct error *err);
	enum status (*end)(void *context, const struct pass *pass, struct error *err);
	/* Called after the last event, for a finding that the trace itself does not show; QUALITY_GOOD if there is
	 * none. May be NULL. */
	void (*judge)(const struct pass *pass, struct quality_finding *finding);
	/* The trace pass->run.path is corrupt or unsupported; see err. STATUS_OK continues with the next trace, any
	 * other status ends the pass. NULL: the pass ends. */
	enum status (*failed)(void *context, const struct pass *pass, struct error *err);
	/* Prints a warning about the current trace; NULL: there are none. */
	void (*warn)(const char *text);
};

/* A whole pass over the operands of a command: traces, directories of traces (DIR/raw if it exists, else DIR), and "-",
 * standard input; the default is picknext.dat. STATUS_USAGE if no trace has a CPU of options->cpus. options NULL: whole
 * traces. Call pass_free() even after a failure. Errors name the trace. */
enum status pass_read(const struct pass_options *options, char *const *paths, size_t count,
		      const struct pass_consumer *consumer, struct pass *pass, struct error *err);
/* The same over open traces, which stay open. */
enum status pass_read_inputs(const struct pass_options *options, struct input *inputs, size_t count,
			     const struct pass_consumer *consumer, struct pass *pass, struct error *err);
void pass_free(struct pass *pass);

/* The run of the current trace, with its metadata; NULL if there is none, or if it cannot be read. It is read by the
 * first call, and valid until the next trace begins. */
const struct run *pass_described(const struct pass *pass);

/* The summary, shown at the end of every analysis: "407,312 events, 3.204 s, 4 CPUs, no events lost", and as the JSON
 * object "trace". */
void pass_summary_text(const struct pass *pass, char *text, size_t size);
/* For the first line, if a trace is truncated. */
void pass_truncation_text(const struct pass *pass, char *text, size_t size);
void pass_summary_add_json(const struct pass *pass, struct json_writer *json);

/* For the begin() of a consumer that needs the events of all tasks. STATUS_UNSUPPORTED with a remedy if the current
 * trace has only events of followed tasks. what: the result that needs them, in the plural, for the message. */
enum status pass_need_all_tasks(const struct pass *pass, const char *what, struct error *err);

static inline bool pass_wants_cpu(const struct pass *pass, uint32_t cpu)
{
	return pass->all_cpus || cpu_mask_has(pass->cpu_set, cpu);
}

/* False if a trace has no sched_wakeup events: counts of wakeups, and of waits after them, are then unknown, rather
 * than 0. Call it at the end of the pass. */
static inline bool pass_shows_wakeups(const struct pass *pass)
{
	return pass->summary.wakeless_runs == 0;
}

/* True if the tasks that ran on the CPUs first to last of --cpu are known for enough of the time
 * (quality_has_enough()): after lost events they are not. Rates and shares of the time are otherwise unknown. Call it
 * at the end of the pass. */
bool pass_shows_running(const struct pass *pass, uint32_t first, uint32_t last);

/* True if there are wakeups, and the tasks that waited for the CPUs first to last of --cpu are known for enough of the
 * time (quality_has_enough()); *hidden_ns: the time for which they are not known, after lost events. Call it at the end
 * of the pass. */
bool pass_shows_waiting(const struct pass *pass, uint32_t first, uint32_t last, uint64_t *hidden_ns);

/* True if the window begins with the trace: counts since the beginning of the trace are then the same as without a
 * window. */
static inline bool pass_begins_with_trace(const struct pass *pass)
{
	return pass->from_ns == 0 && !pass->options->from_mark;
}

/* Times since the first event of the trace, comparable between traces: of an event, and of the end of the trace or
 * window. */
static inline uint64_t pass_since_start(const struct pass *pass, uint64_t ts_ns)
{
	return ts_ns > pass->run.first_ns ? ts_ns - pass->run.first_ns : 0;
}

static inline uint64_t pass_end(const struct pass *pass)
{
	if (pass->is_over && pass->to_ns != UINT64_MAX)
		return pass->to_ns;
	return pass_since_start(pass, pass->states.last_ns);
}

#endif
