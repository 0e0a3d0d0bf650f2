/* SPDX-License-Identifier: MIT */
#include "base/message.h"
#include "base/nearest_name.h"
#include "base/options.h"
#include "support/unit.h"

struct values {
	bool flag;
	const char *text, *choice, *keys;
	uint64_t number;
	int64_t whole;
	double real, wait_ms;
	uint64_t memory_mb;
	struct option_list list;
	const char *source;
};

static const struct option table[] = {
    {.name = "flag", .letter = 'f', .kind = OPTION_FLAG, .offset = offsetof(struct values, flag), .help = "a flag"},
    {.name = "text", .letter = 't', .kind = OPTION_TEXT, .offset = offsetof(struct values, text), .argument = "TEXT"},
    {.name = "choice",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct values, choice),
     .choices = "auto|qemu|vng",
     .fallback = "auto"},
    OPTION_CHOICES(struct values, keys, "keys", "yes|no", .bare = "yes"),
    {.name = "number",
     .letter = 'n',
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct values, number),
     .min = 1,
     .max = 100,
     .fallback = "3"},
    {.name = "whole", .kind = OPTION_SIGNED, .offset = offsetof(struct values, whole), .fallback = "-42"},
    {.name = "real", .kind = OPTION_REAL, .offset = offsetof(struct values, real), .real_max = 1, .fallback = "0.8"},
    {.name = "list", .letter = 'l', .kind = OPTION_LIST, .offset = offsetof(struct values, list)},
    {.name = "memory",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct values, memory_mb),
     .unit = "MB",
     .min = 64,
     .max = 65536},
    {.name = "wait", .kind = OPTION_REAL, .offset = offsetof(struct values, wait_ms), .unit = "ms", .real_max = 60000},
    OPTION(struct values, source, "source", .once = true),
    OPTION_TITLE("A title"),
    {.name = "secret", .kind = OPTION_FLAG, .offset = offsetof(struct values, flag), .hidden = true},
    {.name = NULL},
};

static const struct command plain = {.name = "try", .operands = "", .options = table};
static const struct command with_operands = {
    .name = "try", .operands = "NAME...", .operands_min = 1, .operands_max = 2, .options = table};
static const struct command runner = {
    .name = "try", .operands = "[-- COMMAND...]", .operands_max = SIZE_MAX, .options = table};

/* The result of the last parse; arguments are given as one text, separated by single spaces. */
struct outcome {
	struct values values;
	struct operands operands;
	struct error err;
	enum status status;
	char line[256];
	char *argv[32];
};

static void parse(const struct command *command, const char *arguments, struct outcome *outcome)
{
	int argc = 1;

	*outcome = (struct outcome){0};
	outcome->argv[0] = outcome->line;
	strcpy(outcome->line, "try ");
	strcat(outcome->line, arguments);
	for (char *at = outcome->line; *at; at++) {
		if (*at != ' ')
			continue;
		*at = '\0';
		if (at[1])
			outcome->argv[argc++] = at + 1;
	}
	outcome->status =
	    options_parse(command, &outcome->values, argc, outcome->argv, &outcome->operands, &outcome->err);
}

TEST(fallbacks_stand_where_nothing_is_given)
{
	struct outcome got;

	parse(&plain, "", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_false(got.values.flag);
	assert_null(got.values.text);
	assert_string_equal(got.values.choice, "auto");
	assert_int_equal(got.values.number, 3);
	assert_int_equal(got.values.whole, -42);
	assert_true(got.values.real == 0.8);
	assert_int_equal(got.values.list.count, 0);
	assert_int_equal(got.operands.count, 0);
}

TEST(every_form_of_giving_a_value_is_taken)
{
	struct outcome got;

	parse(&plain, "--number 7 --text=a=b --flag --real=1 --whole -9 --choice vng -l x -ly --list=z", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_int_equal(got.values.number, 7);
	assert_string_equal(got.values.text, "a=b");
	assert_true(got.values.flag);
	assert_true(got.values.real == 1);
	assert_int_equal(got.values.whole, -9);
	assert_string_equal(got.values.choice, "vng");
	assert_int_equal(got.values.list.count, 3);
	assert_string_equal(got.values.list.items[2], "z");
	parse(&plain, "-fn8 -t -x", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_int_equal(got.values.number, 8);
	assert_true(got.values.flag);
	assert_string_equal(got.values.text, "-x");
	parse(&plain, "-n 5 -n 6", &got);
	assert_int_equal(got.values.number, 6);
	parse(&plain, "--text=", &got);
	assert_string_equal(got.values.text, "");
}

TEST(the_value_of_a_bare_option_follows_an_equals_sign_only)
{
	struct outcome got;

	parse(&plain, "--keys", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_string_equal(got.values.keys, "yes");
	parse(&runner, "--keys no", &got);
	assert_int_equal(got.status, STATUS_USAGE);
	assert_non_null(strstr(got.err.what, "--keys=no"));
	parse(&runner, "--keys -- no", &got);
	assert_string_equal(got.values.keys, "yes");
	assert_string_equal(got.operands.items[0], "no");
	parse(&plain, "--keys=no", &got);
	assert_string_equal(got.values.keys, "no");
	parse(&plain, "--keys=", &got);
	assert_int_equal(got.status, STATUS_USAGE);
}

TEST(an_option_for_once_is_refused_twice)
{
	struct outcome got;

	parse(&plain, "--source a --text b --text c", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_string_equal(got.values.source, "a");
	assert_string_equal(got.values.text, "c");
	parse(&plain, "--source a --source b", &got);
	assert_int_equal(got.status, STATUS_USAGE);
}

TEST(values_carry_units_and_old_words)
{
	struct outcome got;

	parse(&plain, "--memory 2G --wait 0.5s --choice qemu", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_int_equal(got.values.memory_mb, 2048);
	assert_true(got.values.wait_ms == 500);
	assert_string_equal(got.values.choice, "qemu");
	parse(&plain, "--memory 512 --wait 20", &got);
	assert_int_equal(got.values.memory_mb, 512);
	assert_true(got.values.wait_ms == 20);
}

TEST(wrong_values_name_themselves_and_what_was_expected)
{
	static const struct {
		const char *arguments, *text;
	} wrong[] = {
	    {"--number 0", "--number: expected a whole number from 1 to 100, not '0'"},
	    {"--number=101", "--number: expected a whole number from 1 to 100, not '101'"},
	    {"-n x", "--number: expected a whole number from 1 to 100, not 'x'"},
	    {"--whole 1.5", "--whole: expected a whole number, not '1.5'"},
	    {"--real 1.1", "--real: expected a number from 0 to 1, not '1.1'"},
	    {"--real nan", "--real: expected a number from 0 to 1, not 'nan'"},
	    {"--choice qem", "--choice: expected one of auto|qemu|vng, not 'qem'"},
	    {"--choice auto|qemu", "--choice: expected one of auto|qemu|vng, not 'auto|qemu'"},
	    {"--memory 0.5M", "--memory: expected a whole number from 64 to 65536 MB, not '0.5M'"},
	    {"--memory 1s", "--memory: expected a whole number from 64 to 65536 MB, not '1s'"},
	    {"--memory 100G", "--memory: expected a whole number from 64 to 65536 MB, not '100G'"},
	    {"--wait 2h", "--wait: expected a number from 0 to 60000 ms, not '2h'"},
	    {"--choice kvm", "--choice: expected one of auto|qemu|vng, not 'kvm'"},
	    {"--number", "--number needs a value: --number VALUE"},
	    {"-t", "--text needs a value: --text TEXT"},
	    {"--flag=1", "--flag=1 takes no value"},
	    {"--help=1", "--help=1 takes no value"},
	    {"--numbr 1", "try: unknown option '--numbr'; did you mean --number? (picknext try --help lists all)"},
	    {"--zzzzzz", "try: unknown option '--zzzzzz'; picknext try --help lists all"},
	    {"-fz", "try: unknown option '-fz'; picknext try --help lists all"},
	    {"surplus", "try: unexpected argument 'surplus'; see picknext try --help"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct outcome got;
		char text[1024];
		parse(&plain, wrong[i].arguments, &got);
		assert_int_equal(got.status, STATUS_USAGE);
		error_text(&got.err, text, sizeof(text));
		assert_string_equal(text, wrong[i].text);
	}
}

TEST(a_hidden_option_is_taken_but_not_suggested)
{
	struct outcome got;

	parse(&plain, "--secret", &got);
	assert_true(got.status == STATUS_OK && got.values.flag);
	parse(&plain, "--secrett", &got);
	assert_null(strstr(got.err.remedy, "did you mean"));
}

TEST(operands_may_stand_anywhere)
{
	struct outcome got;

	parse(&with_operands, "a -f b", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_true(got.values.flag);
	assert_int_equal(got.operands.count, 2);
	assert_string_equal(got.operands.items[0], "a");
	assert_string_equal(got.operands.items[1], "b");
	assert_null(got.operands.items[2]);
	parse(&with_operands, "-- -f -", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_false(got.values.flag);
	assert_string_equal(got.operands.items[0], "-f");
	assert_true(got.operands.after_dashes);
	parse(&with_operands, "", &got);
	assert_int_equal(got.status, STATUS_USAGE);
	assert_string_equal(got.err.what, "missing argument: NAME...");
	parse(&with_operands, "a b c", &got);
	assert_int_equal(got.status, STATUS_USAGE);
	assert_string_equal(got.err.what, "unexpected argument 'c'");
	parse(&with_operands, "--help", &got);
	assert_true(got.status == STATUS_OK && got.operands.help);
}

TEST(a_command_to_run_keeps_its_own_options)
{
	struct outcome got;

	parse(&runner, "-f -- sh -c x", &got);
	assert_int_equal(got.operands.count, 3);
	assert_string_equal(got.operands.items[1], "-c");
	parse(&runner, "-f sh --bogus", &got);
	assert_int_equal(got.status, STATUS_OK);
	assert_int_equal(got.operands.count, 2);
	assert_string_equal(got.operands.items[1], "--bogus");
	assert_false(got.operands.after_dashes);
}

TEST(quiet_and_verbose_set_the_level)
{
	struct outcome got;

	parse(&plain, "-q", &got);
	assert_int_equal(message_level(), MESSAGE_QUIET);
	parse(&plain, "--verbose", &got);
	assert_int_equal(message_level(), MESSAGE_VERBOSE);
	message_set_level(MESSAGE_NORMAL);
}

TEST(a_list_that_is_full_is_said)
{
	char *argv[2 * OPTION_LIST_MAX + 4] = {(char[]){"try"}};
	char letter[] = "-l";
	char value[] = "x";
	struct values values = {0};
	struct operands operands;
	struct error err = {0};
	int argc = 1;

	for (int i = 0; i < OPTION_LIST_MAX; i++) {
		argv[argc++] = letter;
		argv[argc++] = value;
	}
	assert_int_equal(options_parse(&plain, &values, argc, argv, &operands, &err), STATUS_OK);
	assert_int_equal(values.list.count, OPTION_LIST_MAX);
	argv[1] = letter; /* parsing has put the operands there, none */
	argv[argc++] = letter;
	argv[argc++] = value;
	values = (struct values){0};
	assert_int_equal(options_parse(&plain, &values, argc, argv, &operands, &err), STATUS_USAGE);
	assert_string_equal(err.what, "--list is given more than 64 times");
}

TEST(the_nearest_name_is_one_that_can_be_meant)
{
	static const char *const names[] = {
	    "hackbench_pipe_small", "cpu_bound_4p", "cpu_bound_8p", "build", "vm", "compare", NULL};

	assert_string_equal(nearest_name("biuld", names), "build");
	assert_string_equal(nearest_name("cmp", names), "compare");
	assert_null(nearest_name("cme_ra", names));
	assert_string_equal(nearest_name("hackbench", names), "hackbench_pipe_small");
	assert_string_equal(nearest_name("cpu_bound_4", names), "cpu_bound_4p");
	assert_null(nearest_name("zzzzz", names));
	assert_null(nearest_name("", names));
	assert_null(nearest_name("a_word_that_is_longer_than_any_name_and_longer_than_the_row_of_the_table", names));
}
