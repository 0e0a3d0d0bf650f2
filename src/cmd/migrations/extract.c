/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/number.h"
#include "cmd/migrations/forms.h"
#include "measure/stat_series.h"
#include "print/print.h"

struct extract_options {
	const char *extract, *field_num;
	uint64_t field_name;
	bool min, max;
};

static const struct option options[] = {
    OPTION(struct extract_options, extract, "extract", .letter = 'e', .argument = "FIELD",
	   .help = "one line per period: its time, and the rate per second of FIELD\n(a number or a name)"),
    OPTION(struct extract_options, min, "min-field", .help = "the number of the first field"),
    OPTION(struct extract_options, max, "max-field", .help = "the number of the last field"),
    OPTION(struct extract_options, field_name, "field-name", .argument = "N", .help = "the name of field N", .min = 1,
	   .max = STAT_FIELD_MAX),
    OPTION(struct extract_options, field_num, "field-num", .argument = "NAME",
	   .help = "the number of the field of this name"),
    {.name = NULL},
};

struct extraction {
	const struct extract_options *values;
	struct stat_series series;
	bool found; /* a field was found by --field-name */
};

static enum status check_written(int printed, struct error *err)
{
	return printed >= 0 ? STATUS_OK : error_system(err, errno, "standard output", "cannot write");
}

static enum status print_point(void *context, const char *time, uint64_t value, double per_second, struct error *err)
{
	(void)context;
	(void)value;
	return check_written(printf("%s %.3f\n", time, per_second), err);
}

static enum status print_field(void *context, uint32_t number, const char *name, struct error *err)
{
	struct extraction *extraction = context;
	const struct extract_options *values = extraction->values;
	char text[4 * STAT_NAME_MAX];

	escape_line(name, strlen(name), text, sizeof(text));
	if (values->field_name && number == values->field_name && !extraction->found) {
		extraction->found = true;
		return check_written(printf("%s\n", text), err);
	}
	if (values->field_name || values->field_num || values->min || values->max)
		return STATUS_OK;
	return check_written(printf("%u %s\n", number, text), err);
}

static enum status read_series(struct stat_series *series, FILE *file, const char *name, struct error *err)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length = 0;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && (length = getline(&line, &size, file)) >= 0)
		status = stat_series_line(series, line, (size_t)length, err);
	free(line);
	if (status != STATUS_OK)
		return status;
	if (feof(file))
		return stat_series_end(series, err);
	const int reason = errno;
	status = interrupt_check(err);
	return status == STATUS_OK ? error_system(err, reason, name, "cannot read") : status;
}

static enum status extract_series(struct extraction *extraction, const char *path, struct error *err)
{
	const struct extract_options *values = extraction->values;
	struct stat_series *series = &extraction->series;
	bool is_standard_input = strcmp(path, "-") == 0;
	const struct stat_taker taker = {
	    .context = extraction,
	    .field = values->extract ? NULL : print_field,
	    .point = values->extract ? print_point : NULL,
	};
	uint64_t number = 0;
	FILE *file = is_standard_input ? stdin : fopen(path, "re");

	if (!file)
		return error_system(err, errno, path, "cannot open");
	const char *wanted = values->extract ? values->extract : values->field_num;
	if (values->extract && number_parse_u64(wanted, &number) && number && number <= STAT_FIELD_MAX)
		series->number = (uint32_t)number;
	else
		series->name = wanted;
	stat_series_begin(series, is_standard_input ? "standard input" : path, &taker);
	enum status status = read_series(series, file, path, err);
	if (!is_standard_input)
		fclose(file);
	if (status == STATUS_OK && values->field_name && !extraction->found)
		return error_set(err, STATUS_USAGE, path, "has no field %llu", (unsigned long long)values->field_name);
	if (status == STATUS_OK && values->field_num)
		printf("%u\n", series->number);
	if (status == STATUS_OK && (values->min || values->max))
		printf("%u\n", values->min ? series->min_field : series->max_field);
	return status;
}

static int run_extract(const struct call *call)
{
	struct extract_options *values = call->values;
	struct extraction extraction = {.values = values};
	struct error err = {0};

	if (!!values->extract + !!values->field_num + !!values->field_name + values->min + values->max > 1) {
		error_set(&err, STATUS_USAGE, NULL, "the options of migrations extract are mutually exclusive");
		return message_error(&err);
	}
	interrupt_catch();
	enum status status = extract_series(&extraction, call->operands.items[0], &err);
	return status == STATUS_OK ? 0 : print_failure(&err);
}

const struct command command_migrations_extract = {
    .name = "migrations extract",
    .summary = "extract one series from migration statistics, for plotting",
    .operands = "FILE|-",
    .operands_min = 1,
    .operands_max = 1,
    .details =
	"Reads the output of picknext migrations --period or --live. Without an option it lists the fields: the\n"
	"number of each and its name. Rates are by the file's period; a period that was cut short is left out.",
    .examples = "  picknext migrations --period 100 trace.dat > stat\n"
		"  picknext migrations extract stat                      # 2 migrate, 3 wakeup, ...\n"
		"  picknext migrations extract --extract migrate stat > migrate.xy\n"
		"  gnuplot -p -e \"plot 'migrate.xy' with lines\"",
    .options = options,
    .values_size = sizeof(struct extract_options),
    .run = run_extract,
};
