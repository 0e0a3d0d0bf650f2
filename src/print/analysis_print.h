/* SPDX-License-Identifier: MIT
 *
 * The common options of the commands that analyse traces, and the output of their results. */
#ifndef PRINT_ANALYSIS_PRINT_H
#define PRINT_ANALYSIS_PRINT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/options.h"
#include "base/output_stream.h"
#include "print/table.h"
#include "trace/pass.h"

struct analysis_options {
	struct pass_options pass;
	bool json, csv;
};

/* Rows of an option table; member is the struct analysis_options within type. */
#define ANALYSIS_OPTION_ROWS(type, member)                                                                             \
	OPTION(type, member.json, "json", .help = "write JSON instead of a table"),                                    \
	    OPTION(type, member.csv, "csv", .help = "write CSV instead of a table"),                                   \
	    OPTION(type, member.pass.output, "output", .letter = 'o', .argument = "FILE",                              \
		   .help = "write to FILE instead of standard output"),                                                \
	    OPTION(type, member.pass.cpus, "cpu", .argument = "LIST",                                                  \
		   .help = "only events on these CPUs, such as 0,2-3"),                                                \
	    OPTION(type, member.pass.from, "from", .argument = "SECONDS", .unit = "s", .real_max = 1e9,                \
		   .help = "only events from this time on, counted from the first event"),                             \
	    OPTION(type, member.pass.to, "to", .argument = "SECONDS", .unit = "s", .real_min = 1e-9, .real_max = 1e9,  \
		   .help = "only events before this time"),                                                            \
	    OPTION(type, member.pass.from_mark, "from-mark", .argument = "TEXT",                                       \
		   .help = "only events after the first mark with this text"),                                         \
	    OPTION(type, member.pass.to_mark, "to-mark", .argument = "TEXT",                                           \
		   .help = "only events before the first mark with this text (after --from-mark, if given)")

/* The operands of every analysis, and the beginning of its details. */
#define ANALYSIS_OPERANDS "[FILE|DIR|-]..."
#define ANALYSIS_DETAILS                                                                                               \
	"Reads trace.dat files and the kernel's text traces, directories of them (DIR/raw if there is one), or -\n"    \
	"for standard input; without an operand picknext.dat. Several traces are counted together as one. A narrow\n"  \
	"terminal hides columns that do not fit; pipes, CSV and JSON have all of them."

static inline bool analysis_is_text(const struct analysis_options *options)
{
	return !options->json && !options->csv;
}

/* pass_read() with these options. */
enum status analysis_read(const struct analysis_options *options, const struct operands *operands,
			  const struct pass_consumer *consumer, struct pass *pass, struct error *err);
/* STATUS_USAGE if the options contradict each other or the output must not be replaced. analysis_read() checks it
 * itself. */
enum status analysis_check_options(const struct analysis_options *options, struct error *err);

/* Writes tables in the form that the options choose, and frees them. Text: each table under its title (if any), and the
 * summary at the end. CSV: the first table that is not extra, with the summary on standard error. JSON: one object,
 * with the summary under "trace" and an array under each name. */
struct analysis_table {
	const char *name; /* JSON key */
	const char *title;
	struct table table;
	bool has_quality;          /* of the first: its title says what is wrong with the traces */
	bool is_extra, needs_rows; /* not the one in CSV; not in text if it is empty */
};
struct analysis_table analysis_table_of(const char *name, const char *title, const struct table_column *columns);
enum status analysis_print(const struct analysis_options *options, const struct pass *pass,
			   struct analysis_table *tables, size_t count, struct error *err);

/* The next two cells: the task's name, a number in states->comms, and its PID; empty for TASK_NONE. */
void table_task(struct table *table, const struct task_states *states, uint32_t task, uint32_t comm);

/* Rows that are written while the traces are read: text, a JSON object with an array of rows and the summary, or CSV.
 */
struct analysis_stream {
	const struct analysis_options *options;
	struct output_stream sink; /* rows of text and CSV are added to sink.pending */
	struct json_writer json;
};
/* key: of the array in JSON. heading: of CSV, without its newline; NULL if the caller adds it. Needs no
 * analysis_stream_close() after a failure. */
enum status analysis_stream_open(struct analysis_stream *stream, const struct analysis_options *options,
				 const char *key, const char *heading, struct error *err);
/* Text: "# PATH", the line before the rows of a trace. */
void analysis_stream_name_trace(struct analysis_stream *stream, const struct pass *pass);
/* status: of the pass. Writes the summary if it is STATUS_OK; otherwise drops the output, except rows before a corrupt
 * page on standard output. Returns status, or the error of the last write. */
enum status analysis_stream_close(struct analysis_stream *stream, const struct pass *pass, enum status status,
				  struct error *err);

/* The end of a command: frees *pass, reports the error, and returns the exit code. */
int analysis_exit(struct pass *pass, enum status status, const struct error *err);

#endif
