/* SPDX-License-Identifier: MIT */
#include "vm/protocol/guest_progress.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define WORDS_MAX       8
#define SECONDS_MAX     1e9
#define SAFE_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+~-"

struct words {
	const char *items[WORDS_MAX];
	size_t count;
};

/* Splits text in place; count is WORDS_MAX + 1 if there are more words than fit. */
static void split_words(char *text, struct words *words)
{
	words->count = 0;
	for (char *word = text; *word;) {
		size_t length = strcspn(word, " ");
		char *end = word + length;
		if (words->count == WORDS_MAX) {
			words->count++;
			return;
		}
		words->items[words->count++] = word;
		if (!*end)
			return;
		*end = '\0';
		word = end + 1;
	}
}

static bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	return number_parse_u64(text, value) && *value <= max;
}

static bool parse_u32(const char *text, uint32_t *value)
{
	uint64_t wide;

	if (!parse_number(text, UINT32_MAX, &wide))
		return false;
	*value = (uint32_t)wide;
	return true;
}

static bool parse_name(const char *text, struct guest_line *line)
{
	size_t length = strlen(text);

	if (length == 0 || length >= sizeof(line->name) || text[0] == '.' || strspn(text, SAFE_CHARACTERS) != length)
		return false;
	memcpy(line->name, text, length + 1);
	return true;
}

static bool parse_checksum(const char *text, uint32_t *checksum)
{
	static const char digits[] = "0123456789abcdef";

	*checksum = 0;
	if (strlen(text) != 8)
		return false;
	for (; *text; text++) {
		const char *digit = strchr(digits, *text);
		if (!digit)
			return false;
		*checksum = *checksum << 4 | (uint32_t)(digit - digits);
	}
	return true;
}

static bool parse_progress(const struct words *words, struct guest_line *line)
{
	return words->count == 7 && parse_u32(words->items[1], &line->done) && parse_u32(words->items[2], &line->of) &&
	       parse_u32(words->items[3], &line->run) && parse_name(words->items[4], line) &&
	       number_parse_u64(words->items[5], &line->events) &&
	       number_parse_real(words->items[6], &line->seconds_left) && line->seconds_left >= -1 &&
	       line->seconds_left <= SECONDS_MAX && line->done <= line->of;
}

static enum guest_line_kind parse_words(const struct words *words, struct guest_line *line)
{
	const char *kind = words->count ? words->items[0] : "";
	uint64_t value = 0;

	if (strcmp(kind, "hello") == 0 && words->count == 2 && parse_name(words->items[1], line))
		return GUEST_LINE_HELLO;
	if (strcmp(kind, "progress") == 0 && parse_progress(words, line))
		return GUEST_LINE_PROGRESS;
	if (strcmp(kind, "sending") == 0 && words->count == 3 && parse_name(words->items[1], line) &&
	    number_parse_u64(words->items[2], &line->size))
		return GUEST_LINE_SENDING;
	if (strcmp(kind, "trace") == 0 && words->count == 4 && parse_name(words->items[1], line) &&
	    number_parse_u64(words->items[2], &line->size) && parse_checksum(words->items[3], &line->checksum))
		return GUEST_LINE_TRACE;
	if (strcmp(kind, "clock") == 0 && words->count == 2 && number_parse_u64(words->items[1], &line->size))
		return GUEST_LINE_CLOCK;
	if (strcmp(kind, "done") == 0 && words->count == 2 && parse_number(words->items[1], 255, &value)) {
		line->exit_status = (int)value;
		return GUEST_LINE_DONE;
	}
	return GUEST_LINE_UNKNOWN;
}

void guest_line_parse(const char *bytes, size_t length, struct guest_line *line)
{
	static const char problem[] = "problem ", note[] = "note ";
	char words_text[GUEST_LINE_MAX + 1];
	struct words words;
	struct guest_line parsed = {.seconds_left = -1};

	if (length > GUEST_LINE_MAX)
		length = GUEST_LINE_MAX;
	for (size_t i = 0; i < length; i++)
		parsed.text[i] = bytes[i] ? bytes[i] : '?';
	memcpy(words_text, parsed.text, sizeof(words_text));
	if (strncmp(parsed.text, problem, sizeof(problem) - 1) == 0) {
		parsed.kind = GUEST_LINE_PROBLEM;
		memmove(parsed.text, parsed.text + sizeof(problem) - 1, sizeof(parsed.text) - sizeof(problem) + 1);
	} else if (strncmp(parsed.text, note, sizeof(note) - 1) == 0) {
		parsed.kind = GUEST_LINE_NOTE;
		memmove(parsed.text, parsed.text + sizeof(note) - 1, sizeof(parsed.text) - sizeof(note) + 1);
	} else {
		split_words(words_text, &words);
		parsed.kind = parse_words(&words, &parsed);
	}
	*line = parsed;
}

size_t guest_lines_add(struct guest_lines *lines, const char *bytes, size_t length, struct guest_line *line,
		       bool *whole)
{
	const char *newline = length ? memchr(bytes, '\n', length) : NULL;
	size_t span = newline ? (size_t)(newline - bytes) : length;
	size_t room = GUEST_LINE_MAX - lines->length;

	*whole = newline != NULL;
	if (span)
		memcpy(lines->bytes + lines->length, bytes, span < room ? span : room);
	lines->length += span < room ? span : room;
	if (!newline)
		return length;
	guest_line_parse(lines->bytes, lines->length, line);
	lines->length = 0;
	return span + 1;
}

size_t guest_line_format(const struct guest_line *line, char *text, size_t size)
{
	int length = 0;

	switch (line->kind) {
	case GUEST_LINE_HELLO:
		length = snprintf(text, size, "hello %s\n", line->name);
		break;
	case GUEST_LINE_PROGRESS:
		length = snprintf(text, size, "progress %u %u %u %s %llu %.0f\n", line->done, line->of, line->run,
				  line->name, (unsigned long long)line->events,
				  line->seconds_left < 0 ? -1.0 : line->seconds_left);
		break;
	case GUEST_LINE_SENDING:
		length = snprintf(text, size, "sending %s %llu\n", line->name, (unsigned long long)line->size);
		break;
	case GUEST_LINE_TRACE:
		length = snprintf(text, size, "trace %s %llu %08x\n", line->name, (unsigned long long)line->size,
				  line->checksum);
		break;
	case GUEST_LINE_PROBLEM:
		length = snprintf(text, size, "problem %.*s\n", GUEST_LINE_MAX - 16, line->text);
		break;
	case GUEST_LINE_NOTE:
		length = snprintf(text, size, "note %.*s\n", GUEST_LINE_MAX - 16, line->text);
		break;
	case GUEST_LINE_CLOCK:
		length = snprintf(text, size, "clock %llu\n", (unsigned long long)line->size);
		break;
	case GUEST_LINE_DONE:
		length = snprintf(text, size, "done %d\n", line->exit_status);
		break;
	case GUEST_LINE_UNKNOWN:
		break;
	}
	if (length <= 0 || size < 2)
		return 0;
	size_t written = (size_t)length < size ? (size_t)length : size - 1;
	for (size_t i = 0; i + 1 < written; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	text[written - 1] = '\n';
	return written;
}
