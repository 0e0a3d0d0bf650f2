/* SPDX-License-Identifier: MIT */
#include "trace/key_mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char separators[] = " ,";

void key_mark_write(const struct key_mark *mark, char text[KEY_MARK_SIZE])
{
	int length = snprintf(text, KEY_MARK_SIZE,
			      "picknext keys: hz=%" PRIu64 " base_slice_ns=%" PRIu64 " wakeup_granularity_ns=%" PRIu64
			      " features=%s",
			      mark->hz, mark->base_slice_ns, mark->wakeup_granularity_ns, mark->features);

	for (char *at = strstr(text, "features="); at && at < text + length; at++)
		if (*at == ' ')
			*at = ',';
}

bool key_mark_read(const char *text, size_t length, struct key_mark *mark)
{
	char line[KEY_MARK_SIZE];

	if (length >= sizeof(line))
		return false;
	memcpy(line, text, length);
	line[length] = '\0';
	*mark = (struct key_mark){.hz = 0};
	return sscanf(line,
		      "picknext keys: hz=%" SCNu64 " base_slice_ns=%" SCNu64 " wakeup_granularity_ns=%" SCNu64
		      " features=%767s",
		      &mark->hz, &mark->base_slice_ns, &mark->wakeup_granularity_ns, mark->features) >= 3;
}

bool key_mark_has(const struct key_mark *mark, const char *feature)
{
	const size_t length = strlen(feature);

	for (const char *at = mark->features; *(at += strspn(at, separators)); at += strcspn(at, separators))
		if (strcspn(at, separators) == length && memcmp(at, feature, length) == 0)
			return true;
	return false;
}
