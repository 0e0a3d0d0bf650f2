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
#include "measure/task_choice.h"
#include "print/table.h"
#include "trace/pass.h"

struct analysis_options {
	struct pass_options pass;
	bool json, csv;
	const char *instance;
	const struct task_choice *tasks; /* NULL: all; a name or PID that no task has is reported */
};

/* The row of every command that reads traces; member is a const char *. cmd/command.c applies it to all of them. */
#define INSTANCE_OPTION "instance"
#define OPTION_INSTANCE(type, member)                                                                                  \
	OPTION(type, member, INSTANCE_OPTION, .argument = "NAME",                                                      \
	       .help = "read the buffer of this instance of a trace.dat of trace-cmd record -B")

/* Rows of an option table; member is the struct analysis_options within type. */
#define ANALYSIS_OPTION_ROWS(type, member)                                                                             \
	OPTION(type, member.json, "json", .help = "write JSON instead of a table"),                                    \
	    OPTION(type, member.csv, "csv", .help = "write CSV instead of a table"),                                   \
	    OPTION(type, member.pass.output, "output", .letter = 'o', .argument = "FILE",                              \
		   .help = "write to FILE instead of standard output"),                                                \
	    OPTION_INSTANCE(type, member.instance),                                                                    \
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

/* The operands of every analysis, and the beginning of its help text. */
#define ANALYSIS_OPERANDS "[FILE|DIR|-]..."
/* The row of a command with these operands. Its option values begin with a struct analysis_options. */
#define ANALYSIS_COMMAND(type, function)                                                                               \
	.operands = ANALYSIS_OPERANDS, .operands_max = SIZE_MAX, .options = options, .values_size = sizeof(type),      \
	.run = (function)
#define ANALYSIS_DETAILS                                                                                               \
	"Reads trace.dat files and the kernel's text traces, directories of them (DIR/raw if there is one), or -\n"    \
	"for standard input; without an operand picknext.dat. Several traces are counted together as one. A narrow\n"  \
	"terminal hides columns that do not fit; pipes, CSV and JSON have all of them."

static inline bool analysis_is_text(const struct analysis_options *options)
{
	return !options->json && !options->csv;
}

/* Prints a warning of a pass. */
void analysis_warn(const char *text);
/* Calls pass_read() with these options. */
enum status analysis_read(const struct analysis_options *options, const struct operands *operands,
			  const struct pass_consumer *consumer, struct pass *pass, struct error *err);
/* STATUS_USAGE if the options contradict each other or the output must not be replaced. analysis_read() checks it
 * itself. */
enum status analysis_check_options(const struct analysis_options *options, struct error *err);

/* Writes tables in the form that the options choose, and frees them. Text: each table under its title (if any), and the
 * summary at the end. CSV: the first table that is not extra; the summary goes to standard error. JSON: one object,
 * with the summary under "trace" and an array under each name. */
struct analysis_table {
	const char *name; /* JSON key */
	const char *title;
	struct table table;
	bool has_quality;          /* only for the first table: its title reports what is wrong with the traces */
	bool is_extra, needs_rows; /* is_extra: not the one in CSV; needs_rows: not in text if it is empty */
};
struct analysis_table analysis_table_of(const char *name, const char *title, const struct table_column *columns);
enum status analysis_print(const struct analysis_options *options, const struct pass *pass,
			   struct analysis_table *tables, size_t count, struct error *err);

/* Adds two cells: the task's name, a number in states->comms, and its PID; both empty for TASK_NONE. */
void table_task(struct table *table, const struct task_states *states, uint32_t task, uint32_t comm);

/* Rows that are written while the traces are read: text, a JSON object with an array of rows and the summary, or CSV.
 */
struct analysis_stream {
	const struct analysis_options *options;
	struct output_stream sink; /* rows of text and CSV are added to sink.pending */
	struct json_writer json;
};
/* key: name of the array in JSON. heading: of CSV, without its newline; NULL if the caller adds it. Needs no
 * analysis_stream_close() after a failure. */
enum status analysis_stream_open(struct analysis_stream *stream, const struct analysis_options *options,
				 const char *key, const char *heading, struct error *err);
/* Text: "# PATH", the line before the rows of a trace. */
void analysis_stream_name_trace(struct analysis_stream *stream, const struct pass *pass);
/* status: result of the pass. Writes the summary if it is STATUS_OK; otherwise drops the output, except rows before a
 * corrupt page on standard output. Returns status, or the error of the last write. */
enum status analysis_stream_close(struct analysis_stream *stream, const struct pass *pass, enum status status,
				  struct error *err);

/* A command that reads the traces once and then prints; returns the exit code. values: the option values; state: filled
 * by the consumer. */
typedef enum status analysis_printer(void *state, const void *values, const struct pass *pass, struct error *err);
int analysis_run(const struct call *call, const struct pass_consumer *consumer, analysis_printer *print, void *state);

/* Ends a command: frees *pass, reports the error, and returns the exit code. */
int analysis_exit(struct pass *pass, enum status status, const struct error *err);

#endif
