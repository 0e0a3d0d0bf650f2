/* SPDX-License-Identifier: MIT
 *
 * What the files of picknext diff share. Two passes: the first reads both traces whole, in the order of time, and finds
 * which task of one is which of the other; then each CPU is read by itself, side by side in both. */
#ifndef CMD_DIFF_H
#define CMD_DIFF_H

#include "analysis/agreement.h"
#include "analysis/task_match.h"
#include "cmd/analysis_print.h"
#include "cmd/task_choice.h"

#define DIFF_CONTEXT_MOST 200

struct diff_options {
	struct analysis_options analysis;
	struct task_choice tasks_wanted; /* by name alone */
	uint64_t context, window;
	const char *events, *by;
	bool exact, tasks;
};

/* Where the sequences of a CPU part: the first event that is another, or none where the trace has no more there. */
struct diff_parting {
	bool has[2];
	uint64_t ts_ns[2];
	char words[2][160];
};

struct diff_cpu {
	uint32_t cpu;
	struct agreement agreement;
	struct diff_parting parting;
};

struct diff {
	const struct diff_options *options;
	bool all_events, by_name;
	struct input inputs[2];
	struct pass pass;
	/* Of each run, what the first pass found: */
	struct {
		bool has_events;
		uint64_t first_ns;       /* of the trace: what times count from */
		uint64_t from_ns, to_ns; /* the window's first and last event */
		uint64_t *counts;        /* per CPU: events that are compared */
		uint64_t events;         /* all of them */
	} runs[2];
	uint64_t *starts_ns; /* of each task */
	uint32_t start_count, start_capacity;
	struct task_match match;
	/* CPUs on which either has events: */
	struct diff_cpu *cpus;
	uint32_t cpu_count;
	/* As long as both go the same way: how far their times, each since its first event, are apart. */
	bool times_differ;
	uint64_t drift_most_ns;
	const struct diff_cpu *first; /* the CPU that they part on first, or NULL */
};

/* The events of one CPU of one trace, as numbers that are the same for the same decision in both. */
struct diff_cursor {
	struct diff *diff;
	int run;
	uint32_t cpu;
	struct tracedat one; /* the trace, with this CPU alone */
	struct sched_source *source;
	struct sched_event event; /* the last that was read */
	uint64_t symbol;
	uint64_t read; /* how many */
	bool is_over;
};

enum status diff_cursor_open(struct diff *diff, int run, uint32_t cpu, struct diff_cursor *cursor, struct error *err);
void diff_cursor_close(struct diff_cursor *cursor);
/* The next of them into cursor->event; STATUS_END. */
enum status diff_cursor_next(struct diff_cursor *cursor, struct error *err);
/* The event in words, with the numbers of tasks that share their name. */
void diff_cursor_words(const struct diff_cursor *cursor, struct buffer *out);

/* Whether the event is one of those that are compared. */
bool diff_wants(const struct diff *diff, const struct sched_event *event);
/* Compares all CPUs. */
enum status diff_compare(struct diff *diff, struct error *err);
/* Writes the result in the form that was asked for. */
enum status diff_print(struct diff *diff, struct error *err);

#endif
