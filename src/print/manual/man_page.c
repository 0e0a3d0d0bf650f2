/* SPDX-License-Identifier: MIT */
#include "print/manual/man_page.h"

#include <stdio.h>
#include <string.h>

#include "base/build.h"
#include "base/command.h"
#include "base/wrap.h"

/* --- Texts as roff, with the macros of man(7): every byte is printed as it is --- */

enum font { FONT_BOLD = 'B', FONT_ITALIC = 'I' };

#define LINE_BYTES 78u

/* Characters that roff would take for a command or print as a typographic one. */
static void add_byte(char byte, struct buffer *out)
{
	static const struct {
		char byte;
		const char *escape;
	} escapes[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++)
		if (escapes[i].byte == byte) {
			buffer_text(out, escapes[i].escape);
			return;
		}
	buffer_add(out, &byte, 1);
}

/* In a font, within a line. */
static void add_font(enum font font, const char *text, struct buffer *out)
{
	buffer_printf(out, "\\f%c", font);
	for (; *text; text++)
		add_byte(*text, out);
	buffer_text(out, "\\fR");
}

/* The words of a part of a string, in lines of at most 80 bytes. */
static void add_words(const char *text, size_t length, struct buffer *out)
{
	const char *end = text + length;
	struct buffer word = {0};
	size_t column = 0;

	while (text < end) {
		size_t bytes = strcspn(text, " \n");
		if (bytes > (size_t)(end - text))
			bytes = (size_t)(end - text);
		buffer_clear(&word);
		for (size_t i = 0; i < bytes; i++)
			add_byte(text[i], &word);
		if (word.length && column) {
			bool fits = column + 1 + word.length <= LINE_BYTES;
			buffer_text(out, fits ? " " : "\n");
			column = fits ? column + 1 : 0;
		}
		if (word.length && column == 0 && *text == '.')
			buffer_text(out, "\\&");
		buffer_add(out, word.data, word.length);
		column += word.length;
		text += bytes + (text + bytes < end);
	}
	buffer_text(out, "\n");
	buffer_free(&word);
}

/* A macro with one argument: .SH "EXIT STATUS". */
static void add_macro(const char *macro, const char *text, size_t length, struct buffer *out)
{
	buffer_printf(out, ".%s \"", macro);
	for (size_t i = 0; i < length; i++)
		if (text[i] == '"')
			buffer_text(out, "\\(dq");
		else
			add_byte(text[i], out);
	buffer_text(out, "\"\n");
}

/* A line that is not filled. */
static void add_line(const char *text, size_t length, struct buffer *out)
{
	size_t begin = out->length;

	if (length && *text == '.')
		buffer_text(out, "\\&");
	for (size_t i = 0; i < length; i++) {
		/* A backslash at the end of a line continues it. */
		if (out->length - begin >= LINE_BYTES - 4) {
			buffer_text(out, "\\\n");
			begin = out->length;
		}
		add_byte(text[i], out);
	}
	buffer_text(out, "\n");
}

/* Ends indented lines that are not filled. */
static void end_lines(struct buffer *out)
{
	buffer_text(out, ".EE\n.RE\n");
}

static bool is_heading(const struct paragraph *paragraph)
{
	bool capitals = false;

	if (paragraph->column)
		return false;
	for (size_t i = 0; i < paragraph->length; i++) {
		if (paragraph->begin[i] >= 'a' && paragraph->begin[i] <= 'z')
			return false;
		capitals |= paragraph->begin[i] >= 'A' && paragraph->begin[i] <= 'Z';
	}
	return capitals;
}

/* The kept line is the first column of a row whose text is the next line. */
static bool is_first_column(const struct paragraph *paragraph, const char *rest)
{
	struct paragraph next;

	return paragraph->kept && wrap_next(&rest, &next) && next.column && !next.kept &&
	       next.column == strspn(next.begin, " ");
}

enum place { PLACE_START, PLACE_PARAGRAPH, PLACE_ROW, PLACE_LINES, PLACE_GAP };

static void add_plain(const struct paragraph *paragraph, enum place *place, struct buffer *out)
{
	if (is_heading(paragraph)) {
		add_macro("SH", paragraph->begin, paragraph->length, out);
		*place = PLACE_START;
		return;
	}
	if (*place != PLACE_START)
		buffer_text(out, *place == PLACE_PARAGRAPH ? ".br\n" : ".PP\n");
	add_words(paragraph->begin, paragraph->length, out);
	*place = PLACE_PARAGRAPH;
}

static void add_row(const struct paragraph *paragraph, enum place *place, struct buffer *out)
{
	size_t indent = strspn(paragraph->begin, " ");
	size_t end = paragraph->column;

	while (end > indent && paragraph->begin[end - 1] == ' ')
		end--;
	if (end > indent) {
		buffer_text(out, ".TP\n");
		add_words(paragraph->begin + indent, end - indent, out);
	}
	add_words(paragraph->begin + paragraph->column, paragraph->length - paragraph->column, out);
	*place = PLACE_ROW;
}

static void add_kept(const struct paragraph *paragraph, bool is_term, enum place *place, struct buffer *out)
{
	if (is_term) {
		buffer_text(out, ".TP\n");
		add_words(paragraph->begin, paragraph->length, out);
		*place = PLACE_ROW;
		return;
	}
	if (*place != PLACE_LINES) {
		buffer_text(out, *place == PLACE_START ? "" : ".PP\n");
		buffer_text(out, ".RS 4\n.EX\n");
	}
	add_line(paragraph->begin + 2, paragraph->length - 2, out);
	*place = PLACE_LINES;
}

/* The body of a section: paragraphs, rows and lines as base/wrap.h defines them. Paragraphs in capitals are headings of
 * sections. */
static void add_body(const char *text, struct buffer *out)
{
	enum place place = PLACE_START;
	struct paragraph paragraph;

	while (wrap_next(&text, &paragraph)) {
		bool is_term = is_first_column(&paragraph, text);
		if (place == PLACE_LINES && (!paragraph.kept || is_term)) {
			end_lines(out);
			place = PLACE_GAP;
		}
		if (paragraph.length == 0)
			place = place == PLACE_START ? PLACE_START : PLACE_GAP;
		else if (paragraph.kept)
			add_kept(&paragraph, is_term, &place, out);
		else if (paragraph.column)
			add_row(&paragraph, &place, out);
		else
			add_plain(&paragraph, &place, out);
	}
	if (place == PLACE_LINES)
		end_lines(out);
}

/* --- Pages --- */

#define NAME_SIZE 64

/* "picknext-migrations-extract", "picknext-metrics" or "picknext". */
static void page_name(const struct subject *subject, char name[NAME_SIZE])
{
	const char *word = subject->command ? subject->command->name : subject->topic ? subject->topic->name : NULL;

	snprintf(name, NAME_SIZE, "picknext%s%s", word ? "-" : "", word ? word : "");
	for (char *space = strchr(name, ' '); space; space = strchr(name, ' '))
		*space = '-';
}

static char page_section(const struct subject *subject)
{
	return subject->topic ? '7' : '1';
}

static void add_text(const char *text, struct buffer *out)
{
	add_words(text, strlen(text), out);
}

static void add_section(const char *heading, struct buffer *out)
{
	add_macro("SH", heading, strlen(heading), out);
}

static void add_title(const struct subject *subject, const char *summary, struct buffer *out)
{
	char name[NAME_SIZE];

	page_name(subject, name);
	buffer_text(out, ".TH ");
	for (const char *byte = name; *byte; byte++)
		buffer_printf(out, "%s%c", *byte == '-' ? "\\" : "",
			      *byte >= 'a' && *byte <= 'z' ? *byte - 'a' + 'A' : *byte);
	buffer_printf(out, " %c %s \"picknext %s\" \"picknext manual\"\n", page_section(subject), build_date,
		      build_version);
	add_section("NAME", out);
	for (const char *byte = name; *byte; byte++)
		buffer_printf(out, "%s%c", *byte == '-' ? "\\" : "", *byte);
	buffer_text(out, " \\-\n");
	add_text(summary, out);
}

static void add_option(const struct option *option, struct buffer *out)
{
	char word[72];
	char text[OPTION_TEXT_SIZE];
	char argument[OPTION_ARGUMENT_SIZE];

	buffer_text(out, ".TP\n");
	if (option->letter) {
		snprintf(word, sizeof(word), "-%c", option->letter);
		add_font(FONT_BOLD, word, out);
		buffer_text(out, ", ");
	}
	snprintf(word, sizeof(word), "--%s", option->name);
	add_font(FONT_BOLD, word, out);
	option_argument(option, argument);
	if (*argument)
		add_font(FONT_ITALIC, argument, out);
	buffer_text(out, "\n");
	option_describe(option, text);
	add_text(text, out);
}

static void add_options(const struct command *command, struct buffer *out)
{
	add_section("OPTIONS", out);
	for (const struct option *option = NULL; (option = option_next_shown(command->options, option));)
		if (option_is_title(option))
			add_macro("SS", option->help, strlen(option->help), out);
		else
			add_option(option, out);
}

static void add_examples(const char *text, struct buffer *out)
{
	struct example example;

	add_section("EXAMPLES", out);
	buffer_text(out, ".EX\n");
	while (wrap_next_example(&text, &example)) {
		size_t indent = strspn(example.command, " ");
		if (example.comment)
			add_line(example.comment, example.comment_length, out);
		add_line(example.command + indent, example.command_length - indent, out);
	}
	buffer_text(out, ".EE\n");
}

static void add_see_also(const struct command *command, struct buffer *out)
{
	char word[NAME_SIZE];

	add_section("SEE ALSO", out);
	if (command && command->subcommand) {
		page_name(&(struct subject){.command = command->subcommand}, word);
		add_font(FONT_BOLD, word, out);
		buffer_text(out, "(1),\n");
	}
	if (command)
		buffer_text(out, "\\fBpicknext\\fR(1),\n");
	for (const struct topic *topic = topic_table; topic->name; topic++) {
		page_name(&(struct subject){.topic = topic}, word);
		add_font(FONT_BOLD, word, out);
		buffer_printf(out, "(7)%s\n", topic[1].name ? "," : "");
	}
}

static void add_command(const struct command *command, struct buffer *out)
{
	add_title(&(struct subject){.command = command}, command->summary, out);
	add_section("SYNOPSIS", out);
	add_font(FONT_BOLD, "picknext ", out);
	add_font(FONT_BOLD, command->name, out);
	buffer_text(out, "\n[\\fIoptions\\fR]\n");
	if (*command->operands)
		add_text(command->operands, out);
	if (command->details) {
		add_section("DESCRIPTION", out);
		add_body(command->details, out);
	}
	if (command->add_rows) {
		struct buffer rows = {0};
		command->add_rows(&rows);
		buffer_text(out, ".PP\n");
		add_body(rows.data, out);
		buffer_free(&rows);
	}
	add_options(command, out);
	if (command->examples)
		add_examples(command->examples, out);
	add_see_also(command, out);
}

static void add_topic(const struct topic *topic, struct buffer *out)
{
	struct buffer text = {0};

	add_title(&(struct subject){.topic = topic}, topic->summary, out);
	add_section("DESCRIPTION", out);
	topic_add_text(topic, &text);
	buffer_text(&text, "");
	if (text.data)
		add_body(text.data, out);
	buffer_free(&text);
	add_section("SEE ALSO", out);
	buffer_text(out, "\\fBpicknext\\fR(1)\n");
}

static void add_program(const struct command_group *groups, struct buffer *out)
{
	add_title(&(struct subject){0}, "record what the Linux scheduler decides, and compare kernels", out);
	add_section("SYNOPSIS", out);
	buffer_text(out, "\\fBpicknext\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n");
	add_section("DESCRIPTION", out);
	add_text("picknext records the decisions of the Linux scheduler, in a virtual machine or on this machine, and "
		 "turns them into data for comparing kernels and for training models.",
		 out);
	add_text("Each command has a page of its own, picknext-COMMAND(1), and each topic one in section 7. "
		 "picknext help prints the same texts.",
		 out);
	for (; groups->title; groups++) {
		add_macro("SS", groups->title, strlen(groups->title), out);
		for (const struct command *const *command = groups->commands; *command; command++)
			if (!(*command)->hidden) {
				buffer_text(out, ".TP\n");
				add_font(FONT_BOLD, (*command)->name, out);
				buffer_text(out, "\n");
				add_text((*command)->summary, out);
			}
	}
	add_section("EXIT STATUS", out);
	for (const struct exit_code *code = exit_code_table; code->codes; code++) {
		buffer_text(out, ".TP\n");
		add_text(code->codes, out);
		add_text(code->meaning, out);
	}
	add_see_also(NULL, out);
}

void man_page_add(const struct command_group *groups, const struct subject *subject, struct buffer *out)
{
	if (subject->command)
		add_command(subject->command, out);
	else if (subject->topic)
		add_topic(subject->topic, out);
	else
		add_program(groups, out);
}

static void add_list_line(const struct subject *subject, struct buffer *out)
{
	char name[NAME_SIZE];
	const char *word = subject->command ? subject->command->name : subject->topic ? subject->topic->name : NULL;

	page_name(subject, name);
	buffer_printf(out, "%s.%c%s%s\n", name, page_section(subject), word ? " " : "", word ? word : "");
}

void man_page_add_list(const struct command_group *groups, struct buffer *out)
{
	add_list_line(&(struct subject){0}, out);
	for (; groups->title; groups++)
		for (const struct command *const *command = groups->commands; *command; command++) {
			if ((*command)->hidden)
				continue;
			add_list_line(&(struct subject){.command = *command}, out);
			if ((*command)->subcommand)
				add_list_line(&(struct subject){.command = (*command)->subcommand}, out);
		}
	for (const struct topic *topic = topic_table; topic->name; topic++)
		add_list_line(&(struct subject){.topic = topic}, out);
}
