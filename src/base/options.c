/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/number.h"
#include "base/wrap.h"

const struct option options_common[] = {
    {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .help = "print only errors and warnings"},
    {.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, .help = "print more about what happens"},
    {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "show this help"},
    {.name = NULL},
};

struct parse {
	const struct command *command;
	void *values;
	struct operands *operands;
	struct error *err;
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t edit_distance(const char *a, const char *b)
{
	size_t row[64];
	size_t width = strlen(b);

	if (width >= 64)
		return SIZE_MAX;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			size_t above = row[j];
			size_t change = diagonal + (a[i - 1] != b[j - 1]);
			row[j] = smaller(change, smaller(above, row[j - 1]) + 1);
			diagonal = above;
		}
	}
	return row[width];
}

/* True if word is the start of name, or name with letters left out: "cmp" of "compare". */
static bool abbreviates(const char *word, const char *name)
{
	if (strlen(word) < 3 || *word != *name)
		return false;
	for (; *word && *name; name++)
		word += *word == *name;
	return *word == '\0';
}

const char *nearest_name(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t least = strlen(word) / 3 + 2;

	for (; *names; names++) {
		size_t distance = edit_distance(word, *names);
		if (abbreviates(word, *names))
			distance = smaller(distance, 1);
		if (distance < least) {
			least = distance;
			best = *names;
		}
	}
	return best;
}

bool option_is_title(const struct option *option)
{
	return !option->name[0];
}

static const struct option *find_option(const struct option *table, const char *name, size_t length, char letter)
{
	for (; table && table->name; table++)
		if (letter ? table->letter == letter
			   : length > 0 && strlen(table->name) == length && memcmp(table->name, name, length) == 0)
			return table;
	return NULL;
}

bool option_takes_value(const struct option *option)
{
	return option->kind != OPTION_FLAG;
}

static void *value_of(const struct parse *parse, const struct option *option)
{
	return (char *)parse->values + option->offset;
}

static void describe_expected(const struct option *option, char *text, size_t size)
{
	const char *unit = option->unit ? option->unit : "";
	const char *space = option->unit ? " " : "";

	if (option->kind == OPTION_CHOICE)
		snprintf(text, size, "one of %s", option->choices);
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

/* The current word if value is a former word, else value. */
static const char *current_choice(const struct option *option, const char *value)
{
	size_t length = strlen(value);
	const char *old = option->old_choice;

	return old && strncmp(old, value, length) == 0 && old[length] == '=' ? old + length + 1 : value;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t length = strlen(value);

	while (length && choices && *choices) {
		size_t word = strcspn(choices, "|");
		if (word == length && memcmp(choices, value, length) == 0)
			return true;
		choices += word + (choices[word] == '|');
	}
	return false;
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
		value = current_choice(option, value);
		if (!is_choice(option->choices, value))
			return false;
		*(const char **)to = value;
		return true;
	case OPTION_LIST:
		return store_list(value, to);
	}
	return false;
}

static enum status apply_value(const struct parse *parse, const struct option *option, const char *value)
{
	char where[64];
	char wanted[256];

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

	for (const struct option *o = parse->command->options; o && o->name && count < 60; o++)
		if (!o->hidden)
			names[count++] = o->name;
	for (const struct option *o = options_common; o->name; o++)
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

static enum status report_missing_value(const struct parse *parse, const struct option *option)
{
	return error_set(parse->err, STATUS_USAGE, NULL, "--%s needs a value: --%s %s", option->name, option->name,
			 option->argument ? option->argument : "VALUE");
}

/* Parses one option at argv[*index], with its value from the same or the next argument. */
static enum status parse_long(const struct parse *parse, int argc, char **argv, int *index)
{
	const char *name = argv[*index] + 2;
	size_t length = strcspn(name, "=");
	const char *value = name[length] == '=' ? name + length + 1 : NULL;
	const struct option *option = find_option(parse->command->options, name, length, 0);
	const struct option *common = option ? NULL : find_option(options_common, name, length, 0);

	if (!option && !common)
		return report_unknown(parse, argv[*index]);
	if (common || !option_takes_value(option)) {
		if (value)
			return error_set(parse->err, STATUS_USAGE, NULL, "%s takes no value", argv[*index]);
		if (common)
			apply_common(parse, common);
		return common ? STATUS_OK : apply_value(parse, option, "");
	}
	if (!value && *index + 1 < argc)
		value = argv[++*index];
	return value ? apply_value(parse, option, value) : report_missing_value(parse, option);
}

/* Parses the letters of one argument: several flags, or an option with its value attached. */
static enum status parse_letters(const struct parse *parse, int argc, char **argv, int *index)
{
	for (const char *letter = argv[*index] + 1; *letter; letter++) {
		const struct option *option = find_option(parse->command->options, NULL, 0, *letter);
		const struct option *common = option ? NULL : find_option(options_common, NULL, 0, *letter);
		enum status status = STATUS_OK;
		if (!option && !common)
			return report_unknown(parse, argv[*index]);
		if (common) {
			apply_common(parse, common);
		} else if (!option_takes_value(option)) {
			status = apply_value(parse, option, "");
		} else {
			const char *value = letter[1] ? letter + 1 : *index + 1 < argc ? argv[++*index] : NULL;
			return value ? apply_value(parse, option, value) : report_missing_value(parse, option);
		}
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
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

enum status options_parse(const struct command *command, void *values, int argc, char **argv, struct operands *operands,
			  struct error *err)
{
	struct parse parse = {command, values, operands, err};
	bool ends_at_operand = command->operands && strncmp(command->operands, "[--", 3) == 0;
	enum status status = apply_fallbacks(&parse);
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
			status = parse_long(&parse, argc, argv, &i);
		} else {
			status = parse_letters(&parse, argc, argv, &i);
		}
	}
	for (; i < argc && status == STATUS_OK; i++)
		operands->items[kept++] = argv[i];
	if (status != STATUS_OK)
		return status;
	operands->items[kept] = NULL;
	operands->count = (size_t)kept;
	return check_operands(&parse);
}

#define HELP_COLUMN 30u

void option_describe(const struct option *option, char text[OPTION_TEXT_SIZE])
{
	bool chooses = option->kind == OPTION_CHOICE;

	snprintf(text, OPTION_TEXT_SIZE, "%s%s%s%s%s%s", option->help, chooses ? ": " : "",
		 chooses ? option->choices : "", option->fallback ? " (default: " : "",
		 option->fallback ? option->fallback : "", option->fallback ? ")" : "");
}

static void print_option(const struct option *option)
{
	char left[64];
	char text[OPTION_TEXT_SIZE];
	const char *argument = !option_takes_value(option) ? "" : option->argument ? option->argument : "VALUE";

	if (option->letter)
		snprintf(left, sizeof(left), "-%c, --%s%s%s", option->letter, option->name, *argument ? " " : "",
			 argument);
	else
		snprintf(left, sizeof(left), "    --%s%s%s", option->name, *argument ? " " : "", argument);
	if (strlen(left) > 26)
		printf("  %s\n%*s", left, (int)HELP_COLUMN, "");
	else
		printf("  %-28s", left);
	option_describe(option, text);
	wrap_words(text, strlen(text), HELP_COLUMN, HELP_COLUMN);
	putchar('\n');
}

void options_help(const struct command *command)
{
	bool titled = false;
	size_t column = (size_t)printf("picknext %s: ", command->name);

	wrap_words(command->summary, strlen(command->summary), column, column);
	printf("\n\nUsage: picknext %s [options]%s%s\n", command->name, *command->operands ? " " : "",
	       command->operands);
	if (command->details) {
		putchar('\n');
		wrap_paragraphs(command->details);
	}
	printf("\nOptions:\n");
	for (const struct option *option = command->options; option && option->name; option++)
		if (option_is_title(option)) {
			printf("\n%s:\n", option->help);
			titled = true;
		} else if (!option->hidden) {
			print_option(option);
		}
	if (titled)
		printf("\nOf every command:\n");
	for (const struct option *option = options_common; option->name; option++)
		print_option(option);
	if (command->examples) {
		printf("\nExamples:\n");
		wrap_examples(command->examples);
	}
}

static bool names_subcommand(const struct command *command, const char *word)
{
	return command->subcommand && word && strcmp(strrchr(command->subcommand->name, ' ') + 1, word) == 0;
}

int command_run_arguments(const struct command_group *groups, const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	int exit_code = 0;

	if (names_subcommand(command, argv[1]))
		return command_run_arguments(groups, command->subcommand, argc - 1, argv + 1);
	struct call call = {.command = command, .groups = groups, .values = xcalloc(1, command->values_size)};
	if (options_parse(command, call.values, argc, argv, &call.operands, &err) != STATUS_OK)
		exit_code = message_error(&err);
	else if (call.operands.help)
		options_help(command);
	else
		exit_code = command->run(&call);
	free(call.values);
	return exit_code;
}
