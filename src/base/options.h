/* SPDX-License-Identifier: MIT
 *
 * One table per command defines its options: parsing and help both come from it. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum option_kind {
	OPTION_FLAG,   /* bool: given or not */
	OPTION_TEXT,   /* const char *: as given; NULL if not given and without fallback */
	OPTION_NUMBER, /* uint64_t, from min to max */
	OPTION_SIGNED, /* int64_t, whole */
	OPTION_REAL,   /* double, from real_min to real_max */
	OPTION_CHOICE, /* const char *: one of the words of choices, separated by | */
	OPTION_SET,    /* uint32_t: words of choices, separated by commas; bit n is set for word n (from 0) */
	OPTION_LIST,   /* struct option_list: every occurrence, in order */
};

#define OPTION_LIST_MAX 64

struct option_list {
	const char *items[OPTION_LIST_MAX];
	size_t count;
};

/* Options belong to scopes. options_select() can leave out the options of some scopes. */
enum option_scope {
	OPTION_OF_CALL = 1,  /* which runs this call makes, where to, how many at a time; results do not depend on it */
	OPTION_OF_SET = 2,   /* the dimensions of a comparison: a set of runs has one of each */
	OPTION_OF_HOST = 4,  /* the virtual machine; the program inside does not read it */
	OPTION_RESOLVED = 8, /* depends on the machine: the maker of a recipe adds the resolved value instead */
};

/* A row with name NULL ends a table. offset is the value's offset in the command's own struct. fallback is the default:
 * it is parsed like a given value and shown in the help. */
struct option {
	const char *name;     /* without the dashes */
	const char *argument; /* name of the value in the help: "KB" */
	const char *help;     /* one sentence, no full stop; may hold \n */
	const char *fallback; /* or NULL */
	/* The value if the option is given without one; others follow it after "=" only. NULL: it needs one. */
	const char *bare;
	union {
		const char *choices; /* OPTION_CHOICE, OPTION_SET */
		struct {
			uint64_t min, max; /* OPTION_NUMBER; max 0 means no limit */
		};
		struct {
			double real_min, real_max; /* OPTION_REAL; both 0 mean no limit */
		};
	};
	/* OPTION_NUMBER and OPTION_REAL: the unit of the value and of a number without one ("ms", "s", "KB", "MB").
	 * Values may then carry another unit of the same kind, such as 1s or 2G. NULL: a plain number. */
	const char *unit;
	uint16_t offset;
	uint8_t scope; /* enum option_scope: where the option does not matter; 0: it matters everywhere */
	char letter;   /* the one-letter form, or 0 */
	enum option_kind kind : 8;
	bool hidden; /* parsed, but not shown: for example a former name of an option, with the same offset */
	bool once;   /* OPTION_TEXT without fallback: a second one is an error; else the last one counts */
};

/* Rows of a table of options whose values are members of the command's struct, type. The kind follows from the member's
 * C type. The rest are designated fields: .letter, .argument, .help and so on. */
#define OPTION(type, member, word, ...)                                                                                \
	{                                                                                                              \
		.name = (word), .offset = offsetof(type, member), .kind = OPTION_KIND(((type *)0)->member),            \
		__VA_ARGS__                                                                                            \
	}
#define OPTION_CHOICES(type, member, word, words, ...)                                                                 \
	{                                                                                                              \
		.name = (word), .offset = offsetof(type, member), .kind = OPTION_CHOICE, .choices = (words),           \
		__VA_ARGS__                                                                                            \
	}
/* The title of the options that follow, in help and manual pages. */
#define OPTION_TITLE(text)                                                                                             \
	{                                                                                                              \
		.name = "", .help = (text), .hidden = true                                                             \
	}
#define OPTION_KIND(value)                                                                                             \
	_Generic((value), bool : OPTION_FLAG, const char * : OPTION_TEXT, uint64_t : OPTION_NUMBER,                    \
		 int64_t : OPTION_SIGNED, uint32_t : OPTION_SET, double : OPTION_REAL, struct option_list : OPTION_LIST)

struct operands {
	char **items; /* within argv, NULL-terminated */
	size_t count;
	bool help;         /* --help was given: print options_help and return 0 */
	bool after_dashes; /* the operands follow -- */
};

struct command;

/* Commands that the list of all commands shows under one title. A title of NULL ends a table of groups. */
#define COMMAND_GROUP_MAX 12
struct command_group {
	const char *title;
	const struct command *commands[COMMAND_GROUP_MAX + 1]; /* NULL-terminated */
};

/* The argument of a command's run(): parsed values, without --help. */
struct buffer;

struct call {
	const struct command *command;
	const struct command_group *groups; /* all commands, for those that describe them; may be NULL */
	void *values;
	struct operands operands;
	char *const *words; /* as given, NULL-terminated: the command's name, options, operands */
};

/* operands: the operands in the usage line, such as "NAME" or "[-- COMMAND...]", or "" for none. operands_min and
 * operands_max are the limits of their number (SIZE_MAX: no limit). --help shows details and examples. */
struct command {
	const char *name;
	const char *summary; /* one line, shown by picknext help */
	const char *operands;
	size_t operands_min, operands_max;
	const char *details;
	void (*add_rows)(struct buffer *out); /* after details: paragraphs from a table of the command; or NULL */
	const char *examples;                 /* lines of "  picknext ...   # what it does" */
	const struct option *options;
	size_t values_size;               /* of the struct that the options are offsets in */
	const struct command *subcommand; /* run instead if the first argument is the last word of its name; or NULL */
	int (*run)(const struct call *call); /* returns the exit code */
	bool hidden;
};

/* Parses argv[1..] into values. Options and operands may be mixed; "--" ends the options, and so does the
 * first operand if command->operands starts with "[--". Every command has -h/--help, -q/--quiet and -v/--verbose; the
 * last two set the level of base/message.h. A wrong option or value is STATUS_USAGE: the error names it, the expected
 * values, and the nearest known name if there is one. */
enum status options_parse(const struct command *command, void *values, int argc, char **argv, struct operands *operands,
			  struct error *err);

/* Adds the words to out in one form: words[0] (the name of the command), each option as --name or --name=value, except
 * those whose scope has a bit of omitted, and the operands after "--". Errors are those of options_parse() for an
 * unknown option or a missing value. */
struct arguments;
enum status options_select(const struct command *command, char *const *words, unsigned int omitted,
			   struct arguments *out, struct error *err);

/* The options that every command has, after its own. */
extern const struct option options_common[];
bool option_is_title(const struct option *option);
/* The option or title after previous (NULL: the first) that help shows, of a command's options and then of
 * options_common; NULL after the last. */
const struct option *option_next_shown(const struct option *options, const struct option *previous);
bool option_takes_value(const struct option *option);
/* True if the next word is its value. */
bool option_needs_value(const struct option *option);

#endif
