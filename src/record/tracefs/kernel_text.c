/* SPDX-License-Identifier: MIT */
#include "record/tracefs/kernel_text.h"

#include <stdlib.h>
#include <string.h>

/* The number after label at the start of a line. */
static bool labelled_number(const char *text, const char *label, uint64_t *value)
{
	size_t length = strlen(label);

	for (const char *line = text; *line;) {
		if (strncmp(line, label, length) == 0 && line[length] == ':') {
			const char *digits = line + length + 1 + strspn(line + length + 1, " ");
			char *end;
			if (*digits < '0' || *digits > '9')
				return false;
			*value = strtoull(digits, &end, 10);
			return *end == '\n' || *end == '\0';
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return false;
}

/* "now ts:  5776.891424": seconds and microseconds. Clocks that do not count nanoseconds are shown without a point. */
static uint64_t now_us(const char *text)
{
	const char *at = strstr(text, "now ts:");
	char *end;

	if (!at)
		return 0;
	uint64_t seconds = strtoull(at + sizeof("now ts:") - 1, &end, 10);
	return *end == '.' ? seconds * 1000000 + strtoull(end + 1, NULL, 10) : 0;
}

bool ring_stats_parse(const char *text, struct ring_stats *stats)
{
	*stats = (struct ring_stats){0};
	/* "read events" exists since Linux 3.7, "bytes" since 3.2; lost events can be computed without them. */
	labelled_number(text, "bytes", &stats->bytes);
	labelled_number(text, "read events", &stats->read_events);
	labelled_number(text, "commit overrun", &stats->commit_overrun);
	stats->now_us = now_us(text);
	return labelled_number(text, "entries", &stats->entries) && labelled_number(text, "overrun", &stats->overrun) &&
	       labelled_number(text, "dropped events", &stats->dropped_events);
}

uint64_t ring_stats_recorded(const struct ring_stats *stats)
{
	return stats->entries + stats->read_events;
}

void ring_stats_forget_overrun(char *text, size_t *length)
{
	static const char label[] = "\noverrun: ";
	char *digits = strstr(text, label);

	if (!digits)
		return;
	digits += sizeof(label) - 1;
	size_t count = strspn(digits, "0123456789");
	if (count == 0)
		return;
	*digits = '0';
	memmove(digits + 1, digits + count, *length - (size_t)(digits + count - text) + 1);
	*length -= count - 1;
}

bool marked_word(const char *text, char open, char close, char *word, size_t size)
{
	const char *begin = strchr(text, open);
	const char *end = begin ? strchr(begin, close) : NULL;

	if (!end || end == begin + 1 || (size_t)(end - begin) > size)
		return false;
	size_t length = (size_t)(end - begin) - 1;
	memcpy(word, begin + 1, length);
	word[length] = '\0';
	return true;
}
