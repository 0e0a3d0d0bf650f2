/* SPDX-License-Identifier: MIT
 *
 * picknext migrations --list: one line per migration, written while the trace is read. The text lines are not a struct
 * table, because that needs all rows to compute its widths. */
#include <inttypes.h>

#include "cmd/migrations/forms.h"
#include "export/switch_line.h"
#include "print/terminal.h"

/* Widths: the columns up to CAUSE; the columns among them that may be left out; the longest cause and function. */
enum {
	COLUMNS_WIDTH = 52,
	NUMBERS_WIDTH = 14,
	CAUSE_WIDTH = 14,
	FUNCTION_WIDTH = 32,
	NAME_WIDTH = 16,
	NAME_WIDTH_MIN = 6
};

struct listing {
	struct analysis_stream stream;
	struct table row; /* of CSV and JSON */
	struct migration_reader reader;
	/* Columns for which the terminal has room. */
	bool has_numbers, has_functions;
	unsigned int name_width;
};

static void choose_columns(struct listing *listing, unsigned int width)
{
	const unsigned int needed = COLUMNS_WIDTH - NUMBERS_WIDTH + CAUSE_WIDTH - 2;

	listing->has_numbers = width == 0 || width >= COLUMNS_WIDTH + CAUSE_WIDTH;
	listing->has_functions = width == 0 || width >= COLUMNS_WIDTH + CAUSE_WIDTH + FUNCTION_WIDTH;
	listing->name_width = NAME_WIDTH;
	if (width && width < needed)
		listing->name_width =
		    needed - width < NAME_WIDTH - NAME_WIDTH_MIN ? NAME_WIDTH - (needed - width) : NAME_WIDTH_MIN;
}

static void add_text(const struct listing *listing, const struct migration *migration, uint64_t since_ns,
		     struct buffer *out)
{
	switch_line_time(since_ns, out);
	buffer_text(out, listing->has_numbers ? "  " : " ");
	if (listing->name_width == NAME_WIDTH)
		comm_add_padded(&migration->task.comm, NAME_WIDTH, out);
	else
		switch_line_name(&migration->task.comm, listing->name_width, out);
	if (listing->has_numbers)
		buffer_printf(out, " %7" PRId32 " %4" PRId32, migration->task.pid, migration->task.prio);
	buffer_printf(out, " %*" PRIu32 " %3" PRIu32 "%s", listing->has_numbers ? 5 : 4, migration->from_cpu,
		      migration->to_cpu, listing->has_numbers ? "  " : " ");
	migration_add_cause(migration, out);
	if (migration->function && listing->has_functions)
		buffer_printf(out, " %s", migration->function);
	buffer_text(out, "\n");
}

static void add_heading(const struct listing *listing, struct buffer *out)
{
	const bool has_stacks = migrations_have_stacks(listing->reader.migrations);
	const bool lacks_functions = has_stacks && !listing->has_functions;

	if (!listing->has_numbers || lacks_functions)
		buffer_printf(out, "# Left out at this width: %s%s%s\n", listing->has_numbers ? "" : "PID, PRIO",
			      !listing->has_numbers && lacks_functions ? ", " : "", lacks_functions ? "FUNCTION" : "");
	buffer_printf(out, "%9s%s%-*s", "TIME ms", listing->has_numbers ? "  " : " ", (int)listing->name_width, "NAME");
	if (listing->has_numbers)
		buffer_printf(out, " %7s %4s", "PID", "PRIO");
	buffer_printf(out, " %*s %3s%s%s\n", listing->has_numbers ? 5 : 4, "FROM", "TO",
		      listing->has_numbers ? "  " : " ", has_stacks && !lacks_functions ? "CAUSE, FUNCTION" : "CAUSE");
}

static const struct table_column columns[] = {
    {.key = "run", .kind = TABLE_NUMBER},
    {.key = "ts_ns", .kind = TABLE_NUMBER},
    {.key = "comm", .kind = TABLE_TEXT},
    {.key = "pid", .kind = TABLE_SIGNED},
    {.key = "prio", .kind = TABLE_SIGNED},
    {.key = "from_cpu", .kind = TABLE_NUMBER},
    {.key = "to_cpu", .kind = TABLE_NUMBER},
    {.key = "cause", .kind = TABLE_TEXT},
    {.key = "exact", .kind = TABLE_BOOLEAN},
    {.key = "function", .kind = TABLE_TEXT},
    {.key = "cpu", .kind = TABLE_NUMBER},
    {.key = "by_pid", .kind = TABLE_SIGNED},
    {.key = "by_trace", .kind = TABLE_TEXT},
    {.key = "pull", .kind = TABLE_TEXT},
    {.key = NULL},
};

static void fill_row(const struct migration *migration, uint32_t run, struct table *table)
{
	TABLE_NUMBERS(table, run, migration->ts_ns);
	table_text(table, migration->task.comm.bytes, migration->task.comm.length);
	table_signed(table, migration->task.pid);
	table_signed(table, migration->task.prio);
	TABLE_NUMBERS(table, migration->from_cpu, migration->to_cpu);
	table_string(table, migration_cause_name(migration->cause));
	table_number(table, migration->exact);
	table_string(table, migration->function);
	table_number(table, migration->cpu);
	table_signed(table, migration->by_pid);
	table_string(table, migration_cause_name(migration->traced));
	table_string(table, migration->cause == MIGRATION_PULL ? pull_kind_name(migration->pull) : NULL);
}

static enum status list_migration(void *context, const struct pass *pass, const struct migration *migration,
				  struct error *err)
{
	struct listing *listing = context;
	struct analysis_stream *stream = &listing->stream;

	if (analysis_is_text(stream->options))
		add_text(listing, migration, migration->ts_ns - pass->run.first_ns, &stream->sink.pending);
	else
		fill_row(migration, pass->run.number, &listing->row);
	if (stream->options->json)
		table_write_json_rows(&listing->row, &stream->json);
	if (stream->options->csv)
		table_write_csv_rows(&listing->row, &stream->sink.pending);
	return output_stream_write_if_full(&stream->sink, err);
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct listing *listing = context;
	struct analysis_stream *stream = &listing->stream;

	if (!analysis_is_text(stream->options))
		return STATUS_OK;
	analysis_stream_name_trace(stream, pass);
	add_heading(listing, &stream->sink.pending);
	return output_stream_write_if_full(&stream->sink, err);
}

enum status migrations_list(const struct migrations_options *values, const struct operands *operands, struct pass *pass,
			    struct error *err)
{
	struct listing listing = {
	    .reader.consumer = {.pass = {.context = &listing, .begin = begin_trace, .warn = analysis_warn},
				.take = list_migration}};
	struct analysis_stream *stream = &listing.stream;
	enum status status = analysis_stream_open(stream, &values->analysis, "migrations", NULL, err);

	if (status != STATUS_OK)
		return status;
	choose_columns(&listing, values->analysis.pass.output ? 0 : terminal_width());
	listing.row = table_of(columns);
	if (values->analysis.csv)
		table_write_csv_heading(&listing.row, &stream->sink.pending);
	status =
	    migration_reader_read(&listing.reader, &values->analysis.pass, operands->items, operands->count, pass, err);
	table_free(&listing.row);
	return analysis_stream_close(stream, pass, status, err);
}
