/* SPDX-License-Identifier: MIT */
#include "base/condition.h"

#include <stddef.h>
#include <string.h>

/* Copies the text without leading and trailing spaces. */
static bool trim(const char *from, size_t length, char *to, size_t size)
{
	while (length && *from == ' ')
		from++, length--;
	while (length && from[length - 1] == ' ')
		length--;
	if (length >= size)
		return false;
	memmove(to, from, length);
	to[length] = '\0';
	return true;
}

/* A subject may contain any of the special characters; names of values and numbers contain none. */
static const char *last_operator(const char *text)
{
	const char *found = NULL;

	for (const char *at = text; *at; at++)
		if (*at == '<' || *at == '>')
			found = at;
	return found;
}

/* "SUBJECT: NAME" up to end; the last colon divides it. False if a name is too long. */
static bool split_names(const char *text, const char *end, struct condition *condition)
{
	const char *start = end;

	while (start > text && start[-1] != ':')
		start--;
	if (start > text && !trim(text, (size_t)(start - text) - 1, condition->subject, sizeof(condition->subject)))
		return false;
	return trim(start, (size_t)(end - start), condition->name, sizeof(condition->name));
}

const char *condition_split(const char *text, struct condition *condition)
{
	const char *sign = last_operator(text);

	*condition = (struct condition){.text = text, .subject = "*"};
	if (!sign)
		return "has no <, <=, > or >=";
	condition->is_less = sign[0] == '<';
	condition->equals = sign[1] == '=';
	const char *number = sign + 1 + condition->equals;
	number += strspn(number, " ");
	number += number[0] == '+' && number[1] != '-';
	if (!trim(number, strlen(number), condition->number, sizeof(condition->number)) || !condition->number[0])
		return "does not end in a number";
	return split_names(text, sign, condition) ? NULL : "is too long";
}

bool condition_meets(const struct condition *condition, double value)
{
	if (condition->equals && value == condition->limit)
		return true;
	return condition->is_less ? value < condition->limit : value > condition->limit;
}

int condition_operator(const struct condition *condition)
{
	return (int)(last_operator(condition->text) - condition->text);
}
