/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/nearest_name.h"
#include "base/number.h"

const struct option options_common[] = {
    {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .help = "print only errors and warnings"},
    {.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, .help = "print more about what happens"},
    {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "show this help"},
    {.name = NULL},
};

bool option_is_title(const struct option *option)
{
	return !option->name[0];
}

bool option_takes_value(const struct option *option)
{
	return option->kind != OPTION_FLAG;
}

bool option_needs_value(const struct option *option)
{
	return option_takes_value(option) && !option->bare;
}

struct parse {
	const struct command *command;
	void *values;
	struct operands *operands;
	struct arguments *selected; /* options are added to it instead of stored, except those of omitted; or NULL */
	unsigned int omitted;
	struct error *err;
};

static const struct option *find_in(const struct option *table, const char *name, size_t length, char letter)
{
	for (; table && table->name; table++)
		if (letter ? table->letter == letter
			   : length > 0 && strlen(table->name) == length && memcmp(table->name, name, length) == 0)
			return table;
	return NULL;
}

static bool is_common(const struct option *option)
{
	return find_in(options_common, option->name, strlen(option->name), 0) == option;
}

static const struct option *skip_hidden(const struct option *option)
{
	while (option->name && option->hidden && !option_is_title(option))
		option++;
	return option->name ? option : NULL;
}

const struct option *option_next_shown(const struct option *options, const struct option *previous)
{
	const struct option *start = previous ? previous + 1 : options;
	const struct option *next = start ? skip_hidden(start) : NULL;

	return next || (previous && is_common(previous)) ? next : skip_hidden(options_common);
}

/* By its name, or by its letter unless that is 0. */
static const struct option *find_option(const struct parse *parse, const char *name, size_t length, char letter)
{
	const struct option *own = find_in(parse->command->options, name, length, letter);

	return own ? own : find_in(options_common, name, length, letter);
}

static void *value_of(const struct parse *parse, const struct option *option)
{
	return (char *)parse->values + option->offset;
}

static void describe_expected(const struct option *option, char *text, size_t size)
{
	const char *unit = option->unit ? option->unit : "";
	const char *space = option->unit ? " " : "";

	if (option->kind == OPTION_CHOICE || option->kind == OPTION_SET)
		snprintf(text, size, "%s of %s", option->kind == OPTION_SET ? "some" : "one", option->choices);
	else if (option->kind == OPTION_SIGNED)
		snprintf(text, size, "a whole number");
	else if (option->kind == OPTION_REAL && (option->real_min != 0 || option->real_max != 0))
		snprintf(text, size, "a number from %.15g to %.15g%s%s", option->real_min, option->real_max, space,
			 unit);
	else if (option->kind == OPTION_REAL)
		snprintf(text, size, "a number%s%s", option->unit ? " in " : "", unit);
	else if (option->max)
		snprintf(text, size, "a whole number from %llu to %llu%s%s", (unsigned long long)option->min,
			 (unsigned long long)option->max, space, unit);
	else
		snprintf(text, size, "a whole number of at least %llu%s%s", (unsigned long long)option->min, space,
			 unit);
}

/* The number of the word among choices, from 0; -1: none. */
static int find_choice(const char *choices, const char *word, size_t length)
{
	for (int number = 0; *choices; number++) {
		const size_t size = strcspn(choices, "|");
		if (length && size == length && memcmp(choices, word, length) == 0)
			return number;
		choices += size + (choices[size] == '|');
	}
	return -1;
}

/* A value with a unit must be whole in the option's unit: with MB, 2G is 2048 and 0.5M is an error. */
static bool parse_whole(const struct option *option, const char *value, uint64_t *number)
{
	double real;

	if (number_parse_u64(value, number))
		return true;
	if (!option->unit || !number_parse_with_unit(value, option->unit, &real) || real < 0 || real >= 0x1p63 ||
	    real != floor(real))
		return false;
	*number = (uint64_t)real;
	return true;
}

static bool store_number(const struct option *option, const char *value, void *to)
{
	uint64_t number;

	if (!parse_whole(option, value, &number) || number < option->min || (option->max && number > option->max))
		return false;
	*(uint64_t *)to = number;
	return true;
}

static bool store_real(const struct option *option, const char *value, void *to)
{
	double number;
	bool bounded = option->real_min != 0 || option->real_max != 0;

	if (option->unit ? !number_parse_with_unit(value, option->unit, &number) : !number_parse_real(value, &number))
		return false;
	if (bounded && (number < option->real_min || number > option->real_max))
		return false;
	*(double *)to = number;
	return true;
}

static bool store_text(const struct option *option, const char *value, const char **to)
{
	if (option->once && *to)
		return false;
	*to = value;
	return true;
}

static bool store_set(const struct option *option, const char *value, uint32_t *to)
{
	for (;; value++) {
		const size_t length = strcspn(value, ",");
		const int number = find_choice(option->choices, value, length);
		if (number < 0)
			return false;
		*to |= UINT32_C(1) << number;
		value += length;
		if (!*value)
			return true;
	}
}

static bool store_list(const char *value, struct option_list *list)
{
	if (list->count == OPTION_LIST_MAX)
		return false;
	list->items[list->count++] = value;
	return true;
}

static bool store_value(const struct option *option, const char *value, void *to)
{
	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return true;
	case OPTION_TEXT:
		return store_text(option, value, to);
	case OPTION_NUMBER:
		return store_number(option, value, to);
	case OPTION_SIGNED:
		return number_parse_i64(value, to);
	case OPTION_REAL:
		return store_real(option, value, to);
	case OPTION_CHOICE:
		if (find_choice(option->choices, value, strlen(value)) < 0)
			return false;
		*(const char **)to = value;
		return true;
	case OPTION_SET:
		return store_set(option, value, to);
	case OPTION_LIST:
		return store_list(value, to);
	}
	return false;
}

static void select_option(const struct parse *parse, const struct option *option, const char *value)
{
	if (option->scope & parse->omitted)
		return;
	if (option_takes_value(option))
		arguments_add(parse->selected, "--%s=%s", option->name, value);
	else
		arguments_add(parse->selected, "--%s", option->name);
}

static enum status apply_value(const struct parse *parse, const struct option *option, const char *value)
{
	char where[64];
	char wanted[256];

	if (parse->selected) {
		select_option(parse, option, value);
		return STATUS_OK;
	}
	if (store_value(option, value, value_of(parse, option)))
		return STATUS_OK;
	snprintf(where, sizeof(where), "--%s", option->name);
	if (option->once && option->kind == OPTION_TEXT)
		return error_set(parse->err, STATUS_USAGE, where, "is given twice: '%s' and '%s'",
				 *(const char **)value_of(parse, option), value);
	if (option->kind == OPTION_LIST)
		return error_set(parse->err, STATUS_USAGE, NULL, "%s is given more than %d times", where,
				 OPTION_LIST_MAX);
	describe_expected(option, wanted, sizeof(wanted));
	return error_set(parse->err, STATUS_USAGE, where, "expected %s, not '%s'", wanted, value);
}

static void apply_common(const struct parse *parse, const struct option *option)
{
	if (parse->selected)
		return;
	if (option->letter == 'h')
		parse->operands->help = true;
	else
		message_set_level(option->letter == 'q' ? MESSAGE_QUIET : MESSAGE_VERBOSE);
}

static enum status report_unknown(const struct parse *parse, const char *given)
{
	const char *names[64];
	size_t count = 0;
	char word[64];

	for (const struct option *o = NULL; count < 63 && (o = option_next_shown(parse->command->options, o));)
		if (!option_is_title(o))
			names[count++] = o->name;
	names[count] = NULL;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(given + 2 * (given[1] == '-'), "="),
		 given + 2 * (given[1] == '-'));
	const char *near = given[1] == '-' ? nearest_name(word, names) : NULL;
	error_set(parse->err, STATUS_USAGE, parse->command->name, "unknown option '%s'", given);
	if (near)
		return error_remedy(parse->err, "did you mean --%s? (picknext %s --help lists all)", near,
				    parse->command->name);
	return error_remedy(parse->err, "picknext %s --help lists all", parse->command->name);
}

/* Applies an option whose value is attached, or the next argument. */
static enum status apply_option(const struct parse *parse, const struct option *option, const char *attached, int argc,
				char **argv, int *index)
{
	const char *value = attached, *next = *index + 1 < argc ? argv[*index + 1] : NULL;

	if (is_common(option)) {
		apply_common(parse, option);
		return STATUS_OK;
	}
	if (!value && option->bare && option->choices && next && find_choice(option->choices, next, strlen(next)) >= 0)
		return error_set(parse->err, STATUS_USAGE, NULL, "--%s %s: a value of this option follows '=': --%s=%s",
				 option->name, next, option->name, next);
	if (!value && !option_needs_value(option))
		return apply_value(parse, option, option->bare ? option->bare : "");
	if (!value && next) {
		value = next;
		++*index;
	}
	if (value)
		return apply_value(parse, option, value);
	return error_set(parse->err, STATUS_USAGE, NULL, "--%s needs a value: --%s %s", option->name, option->name,
			 option->argument ? option->argument : "VALUE");
}

/* Parses one option at argv[*index], with its value from the same or the next argument. */
static enum status parse_long(const struct parse *parse, int argc, char **argv, int *index)
{
	const char *name = argv[*index] + 2;
	size_t length = strcspn(name, "=");
	const char *value = name[length] == '=' ? name + length + 1 : NULL;
	const struct option *option = find_option(parse, name, length, 0);

	if (!option)
		return report_unknown(parse, argv[*index]);
	if (value && !option_takes_value(option))
		return error_set(parse->err, STATUS_USAGE, NULL, "%s takes no value", argv[*index]);
	return apply_option(parse, option, value, argc, argv, index);
}

/* Parses the letters of one argument: several flags, or an option with its value attached. */
static enum status parse_letters(const struct parse *parse, int argc, char **argv, int *index)
{
	const char *given = argv[*index];
	enum status status = STATUS_OK;
	bool takes_value = false;

	for (const char *letter = given + 1; *letter && !takes_value && status == STATUS_OK; letter++) {
		const struct option *option = find_option(parse, NULL, 0, *letter);
		if (!option)
			return report_unknown(parse, given);
		takes_value = option_needs_value(option);
		status = apply_option(parse, option, takes_value && letter[1] ? letter + 1 : NULL, argc, argv, index);
	}
	return status;
}

/* The words of a usage line from the first operand that is missing. */
static const char *find_missing_operands(const char *words, size_t given)
{
	for (; given && strchr(words, ' '); given--)
		words = strchr(words, ' ') + 1;
	return words;
}

static enum status check_operands(const struct parse *parse)
{
	const struct command *command = parse->command;
	size_t count = parse->operands->count;

	if (parse->operands->help || (count >= command->operands_min && count <= command->operands_max))
		return STATUS_OK;
	if (count > command->operands_max)
		error_set(parse->err, STATUS_USAGE, command->name, "unexpected argument '%s'",
			  parse->operands->items[command->operands_max]);
	else
		error_set(parse->err, STATUS_USAGE, command->name, "missing argument: %s",
			  find_missing_operands(command->operands, count));
	return error_remedy(parse->err, "see picknext %s --help", command->name);
}

static enum status apply_fallbacks(const struct parse *parse)
{
	for (const struct option *option = parse->command->options; option && option->name; option++) {
		enum status status = option->fallback ? apply_value(parse, option, option->fallback) : STATUS_OK;
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

/* argv[1..argc - 1]; the operands are moved to its beginning. */
static enum status parse_words(const struct parse *parse, int argc, char **argv)
{
	struct operands *operands = parse->operands;
	const bool ends_at_operand = parse->command->operands && strncmp(parse->command->operands, "[--", 3) == 0;
	enum status status = STATUS_OK;
	int kept = 0;
	int i;

	*operands = (struct operands){.items = argv + 1};
	for (i = 1; i < argc && status == STATUS_OK; i++) {
		if (strcmp(argv[i], "--") == 0) {
			operands->after_dashes = true;
			i++;
			break;
		}
		if (argv[i][0] != '-' || argv[i][1] == '\0') {
			if (ends_at_operand)
				break;
			operands->items[kept++] = argv[i];
		} else if (argv[i][1] == '-') {
			status = parse_long(parse, argc, argv, &i);
		} else {
			status = parse_letters(parse, argc, argv, &i);
		}
	}
	for (; i < argc && status == STATUS_OK; i++)
		operands->items[kept++] = argv[i];
	operands->items[kept] = NULL;
	operands->count = (size_t)kept;
	return status;
}

enum status options_parse(const struct command *command, void *values, int argc, char **argv, struct operands *operands,
			  struct error *err)
{
	const struct parse parse = {.command = command, .values = values, .operands = operands, .err = err};
	enum status status = apply_fallbacks(&parse);

	if (status == STATUS_OK)
		status = parse_words(&parse, argc, argv);
	return status == STATUS_OK ? check_operands(&parse) : status;
}

static char **copy_words(char *const *words, int *count)
{
	*count = 0;
	while (words[*count])
		++*count;
	char **copy = xcalloc((size_t)*count + 1, sizeof(*copy));
	memcpy(copy, words, (size_t)*count * sizeof(*copy));
	return copy;
}

enum status options_select(const struct command *command, char *const *words, unsigned int omitted,
			   struct arguments *out, struct error *err)
{
	struct operands operands;
	const struct parse parse = {
	    .command = command, .operands = &operands, .selected = out, .omitted = omitted, .err = err};
	int argc;
	char **argv = copy_words(words, &argc);

	arguments_add(out, "%s", words[0]);
	enum status status = parse_words(&parse, argc, argv);
	if (status == STATUS_OK && operands.count)
		arguments_add(out, "--");
	for (size_t i = 0; status == STATUS_OK && i < operands.count; i++)
		arguments_add(out, "%s", operands.items[i]);
	free(argv);
	return status;
}
