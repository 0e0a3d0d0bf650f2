/* SPDX-License-Identifier: MIT */
#include "trace/format/state_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_token(struct text_span *rest, const char *token)
{
	while (rest->length && (*rest->text == ' ' || *rest->text == '\t' || *rest->text == '\n')) {
		rest->text++;
		rest->length--;
	}
	return text_span_take(rest, token);
}

/* Decimal, or hexadecimal after 0x. */
static bool take_number(struct text_span *rest, uint64_t *number)
{
	char digits[24] = "";
	char *end;

	take_token(rest, "");
	memcpy(digits, rest->text, rest->length < sizeof(digits) ? rest->length : sizeof(digits) - 1);
	if (*digits < '0' || *digits > '9')
		return false;
	*number = strtoull(digits, &end, 0);
	rest->text += end - digits;
	rest->length -= (size_t)(end - digits);
	while (text_span_take(rest, "u") || text_span_take(rest, "U") || text_span_take(rest, "l") ||
	       text_span_take(rest, "L"))
		;
	return true;
}

static bool take_string(struct text_span *rest, struct text_span *string)
{
	if (!take_token(rest, "\""))
		return false;
	const char *end = rest->length ? memchr(rest->text, '"', rest->length) : NULL;
	if (!end)
		return false;
	*string = (struct text_span){rest->text, (size_t)(end - rest->text)};
	rest->text = end + 1;
	rest->length -= string->length + 1;
	return true;
}

/* The text after the first occurrence of the word; empty if there is none. */
static struct text_span after_word(struct text_span text, const char *word)
{
	const char *found = text.length ? memmem(text.text, text.length, word, strlen(word)) : NULL;

	if (!found)
		return (struct text_span){"", 0};
	found += strlen(word);
	return (struct text_span){found, (size_t)(text.text + text.length - found)};
}

/* ", { NUMBER, "NAME" }" up to the closing bracket. */
static bool take_names(struct text_span *rest, struct state_names *names)
{
	for (; take_token(rest, ","); names->count++) {
		if (names->count == STATE_NAMES_MAX || !take_token(rest, "{") ||
		    !take_number(rest, &names->names[names->count].bits) || !take_token(rest, ",") ||
		    !take_string(rest, &names->names[names->count].name) || !take_token(rest, "}"))
			return false;
		names->mask |= names->names[names->count].bits;
	}
	return names->count && take_token(rest, ")");
}

enum status state_names_parse(const struct event_format *format, struct state_names *names, struct error *err)
{
	char where[128];
	int name_length = format->name.length > 64 ? 64 : (int)format->name.length;
	struct text_span rest = after_word(after_word(format->print_format, "prev_state=%s"), "__print_flags(");
	const char *quote = rest.length ? memchr(rest.text, '"', rest.length) : NULL;

	*names = (struct state_names){0};
	snprintf(where, sizeof(where), "format of event %.*s", name_length, format->name.text);
	if (!quote)
		return error_set(err, STATUS_UNSUPPORTED, where, "print fmt does not show prev_state");
	rest.length -= (size_t)(quote - rest.text);
	rest.text = quote;
	if (!take_string(&rest, &names->separator) || !take_names(&rest, names))
		return error_set(err, STATUS_CORRUPT, where,
				 "print fmt of prev_state has no list of names, at \"%.*s\"",
				 rest.length > 40 ? 40 : (int)rest.length, rest.text);
	for (unsigned int shift = 1; shift < 64; shift *= 2)
		names->mask |= names->mask >> shift;
	if (!take_token(&rest, ":") || !take_string(&rest, &names->none))
		names->none = (struct text_span){"", 0};
	if (after_word(rest, "? \"+\"").length)
		names->preempted = names->mask + 1;
	return STATUS_OK;
}

static size_t put_text(struct text_span from, char *text, size_t length, size_t size)
{
	for (size_t i = 0; i < from.length && length + 1 < size; i++)
		text[length++] = from.text[i];
	return length;
}

size_t state_names_text(const struct state_names *names, uint64_t state, char *text, size_t size)
{
	uint64_t bits = state & names->mask;
	char rest[24];
	size_t length = 0;

	if (size == 0)
		return 0;
	if (!bits)
		length = put_text(names->none, text, length, size);
	for (size_t i = 0; i < names->count && bits; i++) {
		if ((bits & names->names[i].bits) != names->names[i].bits)
			continue;
		bits &= ~names->names[i].bits;
		if (length)
			length = put_text(names->separator, text, length, size);
		length = put_text(names->names[i].name, text, length, size);
	}
	if (bits) {
		if (length)
			length = put_text(names->separator, text, length, size);
		const int digits = snprintf(rest, sizeof(rest), "0x%" PRIx64, bits);
		length = put_text((struct text_span){rest, (size_t)digits}, text, length, size);
	}
	if (state & names->preempted)
		length = put_text((struct text_span){"+", 1}, text, length, size);
	text[length] = '\0';
	return length;
}
