/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/format/event_text.h"
#include "trace/format/print_format.h"

#define WIDTH_MAX     256u
#define PIECES_CACHED 4u /* per event; sched_switch has two */

struct compiler {
	struct event_text *text;
	struct text_span string;    /* rest of the format string */
	struct text_span arguments; /* rest of ", ARGUMENT, ..." */
	size_t literal_length;
	unsigned int cached; /* expressions whose texts are cached */
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool take_char(struct text_span *span, char wanted)
{
	if (span->length == 0 || *span->text != wanted)
		return false;
	span->text++;
	span->length--;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void trim_span(struct text_span *span)
{
	while (span->length && is_blank(*span->text))
		take_char(span, *span->text);
	while (span->length && is_blank(span->text[span->length - 1]))
		span->length--;
}

static struct text_span take_word(struct text_span *span)
{
	struct text_span word = {span->text, 0};

	while (word.length < span->length && is_word(span->text[word.length]))
		word.length++;
	span->text += word.length;
	span->length -= word.length;
	return word;
}

static struct event_piece *new_piece(struct compiler *compiler, enum piece_kind kind)
{
	if (compiler->text->piece_count == PIECES_MAX)
		return NULL;
	struct event_piece *piece = &compiler->text->pieces[compiler->text->piece_count++];
	*piece = (struct event_piece){.kind = kind};
	return piece;
}

/* Adds one character of the format string to the current literal. */
static bool add_literal(struct compiler *compiler, char c)
{
	struct event_text *text = compiler->text;
	struct event_piece *piece = text->piece_count ? &text->pieces[text->piece_count - 1] : NULL;

	if (!piece || piece->kind != PIECE_LITERAL) {
		piece = new_piece(compiler, PIECE_LITERAL);
		if (!piece)
			return false;
		piece->literal = (struct text_span){text->literals + compiler->literal_length, 0};
	}
	text->literals[compiler->literal_length++] = c;
	piece->literal.length++;
	return true;
}

static bool add_escape(struct compiler *compiler)
{
	static const char from[] = "nt\"\\'?";
	static const char to[] = "\n\t\"\\'?";

	if (compiler->string.length == 0)
		return false;
	const char *found = memchr(from, *compiler->string.text, sizeof(from) - 1);
	if (!found)
		return false;
	take_char(&compiler->string, *found);
	return add_literal(compiler, to[found - from]);
}

/* Flags, width and length of a conversion, up to its letter. */
static bool take_specification(struct text_span *string, struct event_piece *piece)
{
	for (;;) {
		if (take_char(string, '-'))
			piece->left = true;
		else if (take_char(string, '0'))
			piece->zeros = true;
		else if (take_char(string, '#'))
			piece->alternate = true;
		else
			break;
	}
	while (string->length && *string->text >= '0' && *string->text <= '9' && piece->width <= WIDTH_MAX) {
		piece->width = piece->width * 10 + (uint32_t)(*string->text - '0');
		take_char(string, *string->text);
	}
	piece->argument_size = 4;
	if (text_span_take(string, "hh"))
		piece->argument_size = 1;
	else if (take_char(string, 'h'))
		piece->argument_size = 2;
	else if (text_span_take(string, "ll") || take_char(string, 'l') || take_char(string, 'z') ||
		 take_char(string, 'L'))
		piece->argument_size = 8;
	if (string->length == 0 || piece->width > WIDTH_MAX)
		return false;
	piece->conversion = *string->text;
	return take_char(string, piece->conversion);
}

static bool find_field(const struct compiler *compiler, struct text_span name, struct event_field *field)
{
	char text[64];

	if (name.length == 0 || name.length >= sizeof(text))
		return false;
	memcpy(text, name.text, name.length);
	text[name.length] = '\0';
	return event_format_field(compiler->text->format, text, field, NULL) == STATUS_OK;
}

/* Bytes of a value after a cast to this type: "u8", "unsigned long", "s64"... */
static uint32_t cast_size(const char *type, size_t length)
{
	static const struct {
		const char *word;
		uint32_t size;
	} words[] = {{"64", 8}, {"long", 8}, {"32", 4}, {"16", 2}, {"short", 2}, {"8", 1}, {"char", 1}, {"bool", 1}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(type, length, words[i].word, strlen(words[i].word)))
			return words[i].size;
	return 4;
}

/* "REC->NAME", also in brackets and after casts such as (unsigned long) that do not truncate it; "__get_str(NAME)". */
static bool take_simple(const struct compiler *compiler, struct text_span argument, struct event_field *field)
{
	uint32_t size = 8;

	trim_span(&argument);
	while (argument.length > 2 && *argument.text == '(') {
		const char *close = memchr(argument.text, ')', argument.length);
		if (!close)
			return false;
		bool is_cast = true;
		for (const char *at = argument.text + 1; at < close; at++)
			is_cast &= is_word(*at) || *at == ' ';
		if (is_cast && cast_size(argument.text, (size_t)(close - argument.text)) < size)
			size = cast_size(argument.text, (size_t)(close - argument.text));
		if (is_cast && close < argument.text + argument.length - 1) {
			argument.length -= (size_t)(close + 1 - argument.text);
			argument.text = close + 1;
		} else if (argument.text[argument.length - 1] == ')') {
			argument.text++;
			argument.length -= 2;
		} else {
			return false;
		}
		trim_span(&argument);
	}
	bool is_string = text_span_take(&argument, "__get_str(") || text_span_take(&argument, "__get_rel_str(");
	if (!is_string && !text_span_take(&argument, "REC->"))
		return false;
	struct text_span name = take_word(&argument);
	if (is_string && !take_char(&argument, ')'))
		return false;
	return argument.length == 0 && find_field(compiler, name, field) &&
	       (field->array != FIELD_SINGLE || field->size <= size);
}

static bool is_number(const struct event_field *field)
{
	return field->array == FIELD_SINGLE &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

/* A text that depends on one field. */
static bool compile_expression(struct compiler *compiler, struct text_span argument, struct event_piece *piece)
{
	const char *found = memmem(argument.text, argument.length, "REC->", 5);
	char name[64];

	if (!found)
		return false;
	struct text_span rest = {found + 5, (size_t)(argument.text + argument.length - found) - 5};
	struct text_span word = take_word(&rest);
	if (!find_field(compiler, word, &piece->field) || !is_number(&piece->field) || word.length >= sizeof(name))
		return false;
	memcpy(name, word.text, word.length);
	name[word.length] = '\0';
	piece->kind = PIECE_EXPRESSION;
	if (compiler->cached < PIECES_CACHED) {
		piece->texts = xcalloc(1, sizeof(*piece->texts));
		compiler->cached++;
	}
	return print_expression_compile(argument, name, "", &piece->expression, NULL) == STATUS_OK;
}

static bool compile_conversion(struct compiler *compiler)
{
	struct text_span argument;
	struct event_piece *piece = new_piece(compiler, PIECE_NUMBER);

	if (!piece || !take_specification(&compiler->string, piece) ||
	    !print_format_take_argument(&compiler->arguments, &argument))
		return false;
	bool is_simple = take_simple(compiler, argument, &piece->field);
	switch (piece->conversion) {
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		return is_simple && is_number(&piece->field);
	case 'c':
		piece->kind = PIECE_CHARACTER;
		return is_simple && is_number(&piece->field);
	case 's':
		piece->kind = PIECE_STRING;
		if (is_simple && !is_number(&piece->field))
			return piece->field.array != FIELD_SINGLE;
		return compile_expression(compiler, argument, piece);
	default:
		return false;
	}
}

static bool compile_print_format(struct compiler *compiler)
{
	compiler->arguments = compiler->text->format->print_format;
	if (!print_format_take_string(&compiler->arguments, &compiler->string))
		return false;
	while (compiler->string.length) {
		char c = *compiler->string.text;
		bool good;
		take_char(&compiler->string, c);
		if (c == '\\')
			good = add_escape(compiler);
		else if (c == '%' && !take_char(&compiler->string, '%'))
			good = compile_conversion(compiler);
		else
			good = add_literal(compiler, c);
		if (!good)
			return false;
	}
	/* Concatenated literals ("A" "B") are not supported: only the first part was parsed. */
	trim_span(&compiler->arguments);
	return compiler->arguments.length == 0;
}

struct event_text *event_text_compile(const struct event_format *format)
{
	struct event_text *text = xcalloc(1, sizeof(*text));
	struct compiler compiler = {.text = text};

	text->literals = xmalloc(format->print_format.length + 1);
	text->format = format;
	text->is_mark = text_span_is(format->system, "ftrace") && text_span_is(format->name, "print") &&
			event_format_field(format, "buf", &text->mark, NULL) == STATUS_OK;
	text->by_fields = !text->is_mark && !compile_print_format(&compiler);
	return text;
}

void event_text_free(struct event_text *text)
{
	if (!text)
		return;
	for (size_t i = 0; i < text->piece_count; i++) {
		print_expression_free(text->pieces[i].expression);
		free(text->pieces[i].texts);
	}
	free(text->literals);
	free(text);
}
