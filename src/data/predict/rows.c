/* SPDX-License-Identifier: MIT */
#include "data/predict/rows.h"

#include <errno.h>
#include <string.h>

#include "base/copy.h"
#include "data/csv_read.h"
#include "data/decision_csv.h"
#include "data/predict/fields.h"
#include "trace/task.h"

#define NAME_SIZE 128

static enum status corrupt(const struct predict_reader *reader, const char *what, struct error *err)
{
	return error_set(err, STATUS_CORRUPT, reader->name, "line %llu: %s", (unsigned long long)reader->line, what);
}

static bool is_decisions(const char *text, size_t length, bool has_weights)
{
	struct buffer header = {0};

	decision_add_header(has_weights, &header);
	/* Others write lines without CR. */
	size_t named = header.length < 2 ? 0 : header.length - 2;
	const char *end = text + named;
	bool is = !header.failed && length >= named && memcmp(text, header.data, named) == 0 &&
		  (length == named || *end == '\n' || (length > named + 1 && memcmp(end, "\r\n", 2) == 0));
	buffer_free(&header);
	return is;
}

/* Names of columns have no quotes. */
static size_t count_columns(const char *text, const char *end)
{
	size_t count = 1;

	for (; text < end; text++)
		count += *text == ',';
	return count;
}

enum status predict_reader_open(struct predict_reader *reader, const void *bytes, size_t length, const char *name,
				struct predict_texts *texts, struct error *err)
{
	const char *text = bytes;
	const char *newline = length ? memchr(text, '\n', length) : NULL;

	*reader = (struct predict_reader){.name = name, .texts = texts};
	for (int has_weights = 0; has_weights < 2 && length; has_weights++)
		if (is_decisions(text, length, has_weights)) {
			reader->kind = PREDICT_DECISIONS;
			reader->wanted.columns = reader->wanted.kept = decision_column_count(has_weights);
		}
	if (reader->kind == PREDICT_SWITCHES && !csv_is_dataset(bytes, length)) {
		error_set(err, STATUS_UNSUPPORTED, name, "not a dataset");
		return error_remedy(err, "make one with picknext build");
	}
	if (reader->kind == PREDICT_SWITCHES) /* an extended dataset has further columns */
		reader->wanted =
		    (struct fields_wanted){count_columns(text, newline ? newline : text + length), CSV_COLUMNS};
	reader->next = (struct fields_cursor){newline ? newline + 1 : text + length, text + length, 2};
	return STATUS_OK;
}

static enum status split_line(struct predict_reader *reader, struct csv_text *fields, struct error *err)
{
	reader->line = reader->next.line;
	switch (fields_split(&reader->next, reader->wanted, fields)) {
	case FIELDS_OPEN_QUOTE:
		return corrupt(reader, "a quote is not closed", err);
	case FIELDS_TEXT_AFTER_QUOTE:
		return corrupt(reader, "text after a closing quote", err);
	case FIELDS_WRONG_NUMBER:
		return corrupt(reader, "wrong number of fields", err);
	default:
		return STATUS_OK;
	}
}

/* The field without its quotes, unless it has more of them inside. */
static struct csv_text without_quotes(const struct csv_text *field)
{
	if (field->length < 2 || *field->bytes != '"' || memchr(field->bytes + 1, '"', field->length - 2))
		return *field;
	return (struct csv_text){field->bytes + 1, field->length - 2};
}

static bool parse_digits(const struct csv_text *text, uint64_t max, uint64_t *value)
{
	*value = 0;
	if (!text->length || text->length > 19)
		return false;
	for (size_t i = 0; i < text->length; i++) {
		if (text->bytes[i] < '0' || text->bytes[i] > '9')
			return false;
		*value = *value * 10 + (uint64_t)(text->bytes[i] - '0');
	}
	return *value <= max;
}

static bool parse_number(const struct csv_text *field, uint64_t max, uint64_t *value)
{
	const struct csv_text text = without_quotes(field);

	return parse_digits(&text, max, value);
}

/* An empty field leaves the value as it is. */
static bool parse_if_any(const struct csv_text *field, uint64_t max, uint64_t *value)
{
	const struct csv_text text = without_quotes(field);

	return !text.length || parse_digits(&text, max, value);
}

static uint32_t number_text(struct text_table *table, const struct csv_text *field)
{
	const struct csv_text plain = without_quotes(field);
	char text[NAME_SIZE];

	if (!plain.length || *plain.bytes != '"')
		return text_table_number(table, plain.bytes, plain.length);
	size_t length = csv_unquote(field, text, sizeof(text));
	return length == SIZE_MAX ? text_table_number(table, field->bytes, field->length)
				  : text_table_number(table, text, length);
}

/* The same, sooner if it is the text that is expected; then that is this one. */
static uint32_t number_again(struct predict_text *expected, struct text_table *table, const struct csv_text *field)
{
	if (!expected->bytes || expected->length != field->length ||
	    !same_short(expected->bytes, field->bytes, field->length))
		*expected = (struct predict_text){field->bytes, field->length, number_text(table, field)};
	return expected->number;
}

/* Of a CPU, the task that comes and the one that leaves, which came last. */
struct pair {
	uint32_t next, prev;
};

static struct pair number_pair(struct predict_text *last, struct text_table *table, const struct csv_text *next,
			       const struct csv_text *prev)
{
	/* A new text has the number of its first appearance: next comes first. */
	struct pair pair = {.next = number_text(table, next)};

	pair.prev = number_again(last, table, prev);
	*last = (struct predict_text){next->bytes, next->length, pair.next};
	return pair;
}

/* The rest of a list of candidates. */
struct list {
	const char *at, *end;
};

static struct list list_of(const struct csv_text *field)
{
	const struct csv_text text = without_quotes(field);

	return (struct list){text.bytes, text.bytes + text.length};
}

static bool next_item(struct list *list, struct csv_text *item)
{
	const char *from = list->at;

	if (from >= list->end)
		return false;
	while (list->at < list->end && *list->at != ' ')
		list->at++;
	*item = (struct csv_text){from, (size_t)(list->at - from)};
	list->at += list->at < list->end;
	return true;
}

static bool read_numbers(const struct csv_text *field, uint32_t count, uint64_t *values)
{
	struct list list = list_of(field);
	struct csv_text item;
	uint32_t got = 0;

	for (; next_item(&list, &item); got++) {
		if (got == count)
			return false;
		if (item.length == 1 && *item.bytes == '-')
			values[got] = UINT64_MAX;
		else if (!parse_digits(&item, UINT64_MAX - 1, &values[got]))
			return false;
	}
	return got == count;
}

static bool read_prios(const struct csv_text *field, uint32_t count, int32_t *values)
{
	struct list list = list_of(field);
	struct csv_text item;
	uint32_t got = 0;
	uint64_t number;

	for (; next_item(&list, &item); got++) {
		bool is_negative = item.length > 1 && *item.bytes == '-';
		item.bytes += is_negative;
		item.length -= is_negative;
		if (got == count || !parse_digits(&item, 1000, &number))
			return false;
		values[got] = is_negative ? -(int32_t)number : (int32_t)number;
	}
	return got == count;
}

static bool read_candidates(struct predict_reader *reader, const struct csv_text *fields, struct predict_row *row)
{
	struct predict_candidates *candidates = &row->candidates;
	struct list list = list_of(&fields[DECISION_CANDIDATE_ROLES]);
	struct csv_text item;

	candidates->count = 0;
	while (next_item(&list, &item)) {
		if (candidates->count == DECISION_CANDIDATES_MAX)
			return false;
		uint32_t role = number_text(&reader->texts->roles, &item);
		if (role == TEXT_NONE)
			return false;
		candidates->roles[candidates->count++] = role;
	}
	return candidates->count && candidates->count <= row->waiting &&
	       (row->chosen == UINT32_MAX || row->chosen < candidates->count) &&
	       read_numbers(&fields[DECISION_CANDIDATE_RUNTIMES], candidates->count, candidates->runtime_ns) &&
	       read_numbers(&fields[DECISION_CANDIDATE_SLICES], candidates->count, candidates->slice_ns) &&
	       read_prios(&fields[DECISION_CANDIDATE_PRIOS], candidates->count, candidates->prios);
}

static enum status read_decision(struct predict_reader *reader, struct predict_row *row, struct error *err)
{
	struct csv_text fields[DECISION_ALL_COLUMNS];
	struct predict_texts *texts = reader->texts;
	uint64_t cpu, waiting, chosen = UINT32_MAX, slice = 0;

	enum status status = split_line(reader, fields, err);
	if (status != STATUS_OK)
		return status;
	if (!parse_number(&fields[DECISION_CPU], TASK_CPUS_MAX - 1, &cpu) ||
	    !parse_number(&fields[DECISION_CANDIDATES], UINT32_MAX, &waiting) ||
	    !parse_if_any(&fields[DECISION_CHOSEN], UINT32_MAX - 1, &chosen) ||
	    !parse_if_any(&fields[DECISION_BASE_SLICE], 1u << 31, &slice))
		return corrupt(reader, "cpu, candidates, chosen or base_slice_ns is not a number in its range", err);
	row->trace = number_again(&reader->labels[PREDICT_TRACE], &texts->traces, &fields[DECISION_TRACE_ID]);
	row->workload = number_again(&reader->labels[PREDICT_WORKLOAD], &texts->workloads, &fields[DECISION_WORKLOAD]);
	const struct csv_text scheduler = without_quotes(&fields[DECISION_SCHEDULER]);
	row->scheduler = scheduler.length
			     ? number_again(&reader->labels[PREDICT_SCHEDULER], &texts->schedulers, &scheduler)
			     : TEXT_NONE;
	row->cpu = (uint32_t)cpu;
	const struct pair names = number_pair(&reader->last_names[cpu % PREDICT_LAST_MAX], &texts->names,
					      &fields[DECISION_NEXT_NAME], &fields[DECISION_PREV_NAME]);
	const struct pair roles = number_pair(&reader->last_roles[cpu % PREDICT_LAST_MAX], &texts->roles,
					      &fields[DECISION_NEXT_ROLE], &fields[DECISION_PREV_ROLE]);
	row->name = names.next;
	row->prev_name = names.prev;
	row->role = roles.next;
	row->prev_role = roles.prev;
	row->waiting = (uint32_t)waiting;
	row->chosen = (uint32_t)chosen;
	row->base_slice_ns = slice;
	if (!read_candidates(reader, fields, row))
		return corrupt(reader, "the lists of candidates are not of the same length, or not numbers", err);
	return row->trace == TEXT_NONE || row->workload == TEXT_NONE || row->name == TEXT_NONE ||
		       row->prev_name == TEXT_NONE || row->role == TEXT_NONE || row->prev_role == TEXT_NONE ||
		       (scheduler.length && row->scheduler == TEXT_NONE)
		   ? error_system(err, ENOMEM, reader->name, "cannot keep the names")
		   : STATUS_OK;
}

static enum status read_switch(struct predict_reader *reader, struct predict_row *row, struct error *err)
{
	struct csv_text fields[CSV_COLUMNS];
	struct predict_texts *texts = reader->texts;
	uint64_t cpu;

	enum status status = split_line(reader, fields, err);
	if (status != STATUS_OK)
		return status;
	if (!parse_number(&fields[CSV_CPU], TASK_CPUS_MAX - 1, &cpu))
		return corrupt(reader, "cpu is not a number in its range", err);
	row->trace = number_again(&reader->labels[PREDICT_TRACE], &texts->traces, &fields[CSV_TRACE_ID]);
	row->workload = number_again(&reader->labels[PREDICT_WORKLOAD], &texts->workloads, &fields[CSV_WORKLOAD_TYPE]);
	row->cpu = (uint32_t)cpu;
	if (texts->by_pid) {
		row->name = number_text(&texts->names, &fields[CSV_PID]);
		row->prev_name = TEXT_NONE;
	} else {
		const struct pair names = number_pair(&reader->last_names[cpu % PREDICT_LAST_MAX], &texts->names,
						      &fields[CSV_TASK_NAME], &fields[CSV_PREV_COMM]);
		row->name = names.next;
		row->prev_name = names.prev;
	}
	row->scheduler = row->role = row->prev_role = TEXT_NONE;
	row->waiting = row->candidates.count = 0;
	row->chosen = UINT32_MAX;
	return row->trace == TEXT_NONE || row->workload == TEXT_NONE || row->name == TEXT_NONE ||
		       (row->prev_name == TEXT_NONE && !texts->by_pid)
		   ? error_system(err, ENOMEM, reader->name, "cannot keep the names")
		   : STATUS_OK;
}

enum status predict_reader_next(struct predict_reader *reader, struct predict_row *row, struct error *err)
{
	if (reader->next.at >= reader->next.end)
		return STATUS_END;
	return reader->kind == PREDICT_DECISIONS ? read_decision(reader, row, err) : read_switch(reader, row, err);
}

void predict_texts_free(struct predict_texts *texts)
{
	text_table_free(&texts->names);
	text_table_free(&texts->roles);
	text_table_free(&texts->workloads);
	text_table_free(&texts->traces);
	text_table_free(&texts->schedulers);
}
