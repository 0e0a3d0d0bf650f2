/* SPDX-License-Identifier: MIT */
#include "trace/key_mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char separators[] = " ,";

void key_mark_write(const struct key_mark *mark, char text[KEY_MARK_SIZE])
{
	int length =
	    snprintf(text, KEY_MARK_SIZE,
		     "picknext keys: hz=%" PRIu64 " base_slice_ns=%" PRIu64 " wakeup_granularity_ns=%" PRIu64
		     " isolated=0x%" PRIx64 " rr_slice_ms=%" PRIu64 " rt_runtime_us=%" PRIu64 " shared_cache=0x%" PRIx64
		     " unequal_cpus=%" PRIu64 " features=%s",
		     mark->hz, mark->base_slice_ns, mark->wakeup_granularity_ns, mark->isolated, mark->rr_slice_ms,
		     mark->rt_runtime_us, mark->shared_cache, mark->unequal_cpus, mark->features);

	for (char *at = strstr(text, "features="); at && at < text + length; at++)
		if (*at == ' ')
			*at = ',';
}

/* The number after the word; 0 if the line has no such word. */
static uint64_t number_of(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	return at ? strtoull(at + strlen(word), NULL, 0) : 0;
}

bool key_mark_read(const char *text, size_t length, struct key_mark *mark)
{
	static const char start[] = "picknext keys: hz=", features[] = " features=";
	char line[KEY_MARK_SIZE];

	if (length >= sizeof(line) || length < strlen(start) || memcmp(text, start, strlen(start)) != 0)
		return false;
	memcpy(line, text, length);
	line[length] = '\0';
	*mark = (struct key_mark){
	    .hz = number_of(line, " hz="),
	    .base_slice_ns = number_of(line, " base_slice_ns="),
	    .wakeup_granularity_ns = number_of(line, " wakeup_granularity_ns="),
	    .isolated = number_of(line, " isolated="),
	    .rr_slice_ms = number_of(line, " rr_slice_ms="),
	    .rt_runtime_us = number_of(line, " rt_runtime_us="),
	    .shared_cache = number_of(line, " shared_cache="),
	    .unequal_cpus = number_of(line, " unequal_cpus="),
	};
	const char *at = strstr(line, features);
	if (at)
		snprintf(mark->features, sizeof(mark->features), "%.*s", (int)strcspn(at + strlen(features), " \n"),
			 at + strlen(features));
	return true;
}

static const char missed_start[] = "picknext keys missed: ";

void key_mark_write_missed(uint64_t missed, char text[KEY_MARK_SIZE])
{
	snprintf(text, KEY_MARK_SIZE, "%s%" PRIu64, missed_start, missed);
}

uint64_t key_mark_read_missed(const char *text, size_t length)
{
	char line[KEY_MARK_SIZE];
	const size_t start = sizeof(missed_start) - 1;

	if (length >= sizeof(line) || length < start || memcmp(text, missed_start, start) != 0)
		return 0;
	memcpy(line, text, length);
	line[length] = '\0';
	return strtoull(line + start, NULL, 10);
}

bool key_mark_has(const struct key_mark *mark, const char *feature)
{
	const size_t length = strlen(feature);

	for (const char *at = mark->features; (at = strstr(at, feature)); at += length)
		if ((at == mark->features || strchr(separators, at[-1])) && strchr(separators, at[length]))
			return true; /* strchr finds the end of the text, too */
	return false;
}
