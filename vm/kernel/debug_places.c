/* SPDX-License-Identifier: MIT */
#include "vm/kernel/debug_places.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/filter.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/number.h"

#define OUTPUT_BYTES_MAX ((size_t)4 << 20)
/* With the other words of a job. */
#define WORDS_MAX       384
#define WORDS_BYTES_MAX 32768

static const char mark[] = "@picknext ";

static void add_word(struct debug_places *places, const char *name, uint32_t line, const char *symbol)
{
	struct buffer word = {0};

	buffer_text(&word, name);
	if (line)
		buffer_printf(&word, ":%u", line);
	if (symbol)
		buffer_printf(&word, "@%s", symbol);
	if (places->words.length + word.length < WORDS_BYTES_MAX && places->count++ < WORDS_MAX)
		buffer_printf(&places->words, "%s%s", places->words.length ? "," : "", word.data);
	buffer_free(&word);
}

/* --- The questions --- */

/* Nothing in the tree is executed: it may have come from others. */
static void begin_command(struct arguments *command)
{
	static const char *const words[] = {"gdb",
					    "-nx",
					    "-batch",
					    "-iex",
					    "set auto-load off",
					    "-iex",
					    "set debuginfod enabled off",
					    "-iex",
					    "set width 0",
					    "-iex",
					    "set breakpoint pending off"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		arguments_add(command, "%s", words[i]);
}

static void end_command(struct arguments *command, const char *vmlinux)
{
	/* Else its exit code is that of the last command. */
	arguments_option(command, "-ex", "quit 0");
	arguments_add(command, "%s", vmlinux);
}

/* "info line" shows all copies of a function, but one of a line; breakpoints show all of a line. */
void debug_places_command(const struct source_change *change, const char *vmlinux, struct arguments *command)
{
	begin_command(command);
	for (size_t i = 0; i < change->count; i++) {
		if (!source_change_names(change, i))
			continue;
		arguments_option(command, "-ex", "echo \\n%s%zu\\n", mark, i);
		arguments_option(command, "-ex", "info line %s", change->places[i].function);
	}
	arguments_option(command, "-ex", "echo \\n%s%zu\\n", mark, change->count);
	for (size_t i = 0; i < change->count; i++)
		if (change->places[i].line)
			arguments_option(command, "-ex", "break %s:%u", change->places[i].file, change->places[i].line);
	arguments_option(command, "-ex", "info breakpoints");
	end_command(command, vmlinux);
}

void debug_places_symbols_command(const struct debug_places *places, const char *vmlinux, struct arguments *command)
{
	begin_command(command);
	arguments_add(command, "-readnever");
	for (size_t i = 0; i < places->address_count; i++) {
		arguments_option(command, "-ex", "echo \\n%s%zu\\n", mark, i);
		arguments_option(command, "-ex", "info symbol 0x%llx",
				 (unsigned long long)places->addresses[i].address);
	}
	end_command(command, vmlinux);
}

/* --- The answers --- */

#define SYMBOL_SIZE 128

/* "@picknext 5": the number of the question that the next lines answer. */
static bool read_mark(const char *line, size_t *number)
{
	uint64_t value;

	if (strncmp(line, mark, sizeof(mark) - 1) != 0 || !number_parse_u64(line + sizeof(mark) - 1, &value))
		return false;
	*number = value < SIZE_MAX ? (size_t)value : SIZE_MAX;
	return true;
}

/* Copies the next line, cut, without its newline. */
static bool next_line(const char **text, const char *end, char line[512])
{
	if (*text == end)
		return false;
	const char *newline = memchr(*text, '\n', (size_t)(end - *text));
	const size_t length = (size_t)((newline ? newline : end) - *text);
	snprintf(line, 512, "%.*s", (int)(length < 511 ? length : 511), *text);
	*text += length + (newline != NULL);
	return true;
}

/* "place_entity", "place_entity+67" */
static bool is_symbol(const char *text)
{
	const size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");

	if (name == 0 || (text[0] >= '0' && text[0] <= '9'))
		return false;
	text += name;
	return !*text || (*text == '+' && text[1] && strspn(text + 1, "0123456789") == strlen(text + 1));
}

/* `Line 690 of "kernel/sched/fair.c" starts at address 0xffffffff810b5a03 <place_entity+67> and ends at ...` */
static bool read_line_answer(const char *line, char symbol[SYMBOL_SIZE])
{
	const char *at = strstr(line, " starts at address ");

	return at && sscanf(at, " starts at address %*[0-9a-fx] <%127[^>]>", symbol) == 1 && is_symbol(symbol);
}

/* "place_entity + 67 in section .text", "place_entity in section .text" */
static bool read_symbol_answer(const char *line, char symbol[SYMBOL_SIZE])
{
	char name[SYMBOL_SIZE - 24];
	unsigned int offset = 0;

	if (!strstr(line, " in section ") || sscanf(line, "%103s + %u", name, &offset) < 1)
		return false;
	snprintf(symbol, SYMBOL_SIZE, offset ? "%s+%u" : "%s", name, offset);
	return is_symbol(symbol);
}

struct question {
	bool is_answered, has_own_symbol;
	size_t place;
	char into[256]; /* functions that have a copy of an inlined one: " a, b" */
};

/* A function that is inlined everywhere has no symbol, so only its copies are counted. */
static void end_question(const struct source_change *change, const struct question *question,
			 struct debug_places *places)
{
	if (question->place >= change->count || !source_change_names(change, question->place))
		return;
	const char *function = change->places[question->place].function;
	if (question->has_own_symbol || !question->is_answered)
		add_word(places, function, 0, NULL);
	else
		arguments_add(&places->inlined, "%s() is inlined into%s", function, question->into);
}

static void add_into(struct question *question, const char *symbol)
{
	const size_t used = strlen(question->into), length = strcspn(symbol, "+.");
	char name[130];

	snprintf(name, sizeof(name), " %.*s", (int)length, symbol);
	const char *found = strstr(question->into, name);
	if ((!found || (found[length + 1] && found[length + 1] != ',')) && used + length + 3 < sizeof(question->into))
		snprintf(question->into + used, sizeof(question->into) - used, "%s%s", used ? "," : "", name);
}

static void take_function(const struct source_change *change, struct question *question, const char *symbol,
			  struct debug_places *places)
{
	const char *function = change->places[question->place].function;
	const size_t length = strlen(function);

	question->is_answered = true;
	if (strncmp(symbol, function, length) == 0 && strchr(".+", symbol[length])) {
		question->has_own_symbol = true;
		return;
	}
	add_into(question, symbol);
	add_word(places, function, 0, symbol);
}

static void add_address(struct debug_places *places, size_t place, uint64_t address)
{
	for (size_t i = 0; i < places->address_count; i++)
		if (places->addresses[i].place == place && places->addresses[i].address == address)
			return;
	if (places->address_count == WORDS_MAX)
		return;
	places->addresses = xreallocarray(places->addresses, places->address_count + 1, sizeof(*places->addresses));
	places->addresses[places->address_count].place = place;
	places->addresses[places->address_count++].address = address;
}

/* "1.1  y  0xffffffff810b5a03 in lag at ./kernel/sched/fair.c:5": of a line without code it has another line. */
static void take_breakpoint(const struct source_change *change, const char *line, struct debug_places *places)
{
	const char *number = strstr(line, " 0x"), *at = number ? strstr(number, " at ") : NULL;
	const char *colon = at ? strrchr(at, ':') : NULL;
	unsigned long long address;
	uint64_t line_number;

	if (!colon || sscanf(number, " 0x%llx", &address) != 1 || !number_parse_u64(colon + 1, &line_number))
		return;
	for (size_t i = 0; i < change->count; i++) {
		const struct source_place *place = &change->places[i];
		const size_t length = strlen(place->file);
		if (place->line == line_number && (size_t)(colon - at) > length + 3 &&
		    strncmp(colon - length, place->file, length) == 0 && strchr(" /", colon[-(ptrdiff_t)length - 1]))
			add_address(places, i, address);
	}
}

void debug_places_read(const struct source_change *change, const char *text, size_t length, struct debug_places *places)
{
	struct question question = {.place = SIZE_MAX};
	const char *end = text + length;
	char line[512], symbol[SYMBOL_SIZE];
	size_t number;

	while (next_line(&text, end, line)) {
		if (read_mark(line, &number)) {
			end_question(change, &question, places);
			question = (struct question){.place = number};
		} else if (question.place == change->count) {
			take_breakpoint(change, line, places);
		} else if (question.place < change->count && source_change_names(change, question.place) &&
			   read_line_answer(line, symbol)) {
			take_function(change, &question, symbol, places);
		}
	}
	end_question(change, &question, places);
}

void debug_places_read_symbols(const struct source_change *change, const char *text, size_t length,
			       struct debug_places *places)
{
	const char *end = text + length;
	char line[512], symbol[SYMBOL_SIZE];
	size_t number = SIZE_MAX;

	while (next_line(&text, end, line))
		if (!read_mark(line, &number) && number < places->address_count && read_symbol_answer(line, symbol)) {
			const struct source_place *place = &change->places[places->addresses[number].place];
			add_word(places, place->file, place->line, symbol);
			places->lines++;
			number = SIZE_MAX;
		}
}

/* --- gdb --- */

/* STATUS_INTERRUPTED after a signal; other errors are a reason to do without it. */
static enum status run_gdb(struct arguments *command, const char *vmlinux, struct buffer *output,
			   struct debug_places *places, struct error *err)
{
	struct error reason = {0};
	enum status status =
	    filter_through((const char *const *)command->items, "", 0, OUTPUT_BYTES_MAX, output, vmlinux, &reason);

	arguments_free(command);
	buffer_text(output, "");
	if (status == STATUS_OK)
		return STATUS_OK;
	if (status == STATUS_INTERRUPTED)
		*err = reason;
	else
		buffer_text(&places->without,
			    reason.errnum == ENOENT ? "gdb is not installed" : "gdb cannot read vmlinux");
	return status;
}

static enum status ask_gdb(const struct source_change *change, const char *vmlinux, struct debug_places *places,
			   struct error *err)
{
	struct arguments command = {0};
	struct buffer output = {0};

	message_detail("gdb looks up the change in %s", vmlinux);
	debug_places_command(change, vmlinux, &command);
	enum status status = run_gdb(&command, vmlinux, &output, places, err);
	if (status == STATUS_OK)
		debug_places_read(change, output.data, output.length, places);
	if (status == STATUS_OK && places->address_count) {
		buffer_clear(&output);
		debug_places_symbols_command(places, vmlinux, &command);
		status = run_gdb(&command, vmlinux, &output, places, err);
		if (status == STATUS_OK)
			debug_places_read_symbols(change, output.data, output.length, places);
	}
	buffer_free(&output);
	return status == STATUS_INTERRUPTED ? status : STATUS_OK;
}

/* --- Both --- */

static void add_functions(const struct source_change *change, struct debug_places *places)
{
	for (size_t i = 0; i < change->count; i++)
		if (source_change_names(change, i))
			add_word(places, change->places[i].function, 0, NULL);
}

static size_t count_without_code(const struct source_change *change, const struct debug_places *places)
{
	size_t count = 0;

	for (size_t i = 0; i < change->count && places->lines; i++) {
		bool has_code = !change->places[i].line || !change->places[i].function[0];
		for (size_t at = 0; at < places->address_count; at++)
			has_code = has_code || places->addresses[at].place == i;
		count += !has_code;
	}
	return count;
}

enum status debug_places_find(const struct source_change *change, const char *tree, struct debug_places *places,
			      struct error *err)
{
	char vmlinux[PATH_MAX];
	enum status status = STATUS_OK;

	*places = (struct debug_places){.lines = 0};
	if (!tree)
		buffer_text(&places->without, "the kernel is no tree with a vmlinux");
	else if (file_join(vmlinux, sizeof(vmlinux), tree, "vmlinux", NULL) != STATUS_OK || access(vmlinux, R_OK) < 0)
		buffer_printf(&places->without, "%s has no vmlinux", tree);
	else
		status = ask_gdb(change, vmlinux, places, err);
	if (status == STATUS_OK && places->without.length && places->count == 0)
		add_functions(change, places);
	else if (status == STATUS_OK && places->lines == 0 && places->without.length == 0)
		buffer_text(&places->without,
			    "vmlinux has no instructions of the changed lines, or no debug information "
			    "(CONFIG_DEBUG_INFO)");
	places->without_code = count_without_code(change, places);
	return status;
}

void debug_places_free(struct debug_places *places)
{
	buffer_free(&places->words);
	buffer_free(&places->without);
	arguments_free(&places->inlined);
	free(places->addresses);
	*places = (struct debug_places){.lines = 0};
}
