/* SPDX-License-Identifier: MIT */
#include "vm/launch/skipped_workloads.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "base, seed 3: NAME_run3 is skipped: REASON" as "NAME is skipped: REASON" */
static bool parse_warning(const char *warning, uint32_t run, char *text, size_t size)
{
	char of_run[64];

	snprintf(of_run, sizeof(of_run), "_run%u", run);
	const char *skipped = strstr(warning, " is skipped: ");
	const char *name = skipped;
	while (name && name > warning && name[-1] != ' ')
		name--;
	const size_t length = name ? (size_t)(skipped - name) : 0;
	if (length <= strlen(of_run) || strncmp(skipped - strlen(of_run), of_run, strlen(of_run)) != 0)
		return false;
	snprintf(text, size, "%.*s%s", (int)(length - strlen(of_run)), name, skipped);
	return true;
}

static bool is_same(const char *one, const char *other)
{
	for (; *one == *other; one++, other++) {
		if (!*one)
			return true;
		if (*one != '\'')
			continue;
		const char *end = strchr(one + 1, '\''), *other_end = strchr(other + 1, '\'');
		if (end && other_end) {
			one = end;
			other = other_end;
		}
	}
	return false;
}

const struct skipped_workload *skipped_workloads_add(struct skipped_workloads *skipped, uint32_t run,
						     const char *warning)
{
	char text[sizeof(skipped->items[0].text)];
	size_t at = 0;

	if (!parse_warning(warning, run, text, sizeof(text)))
		return NULL;
	while (at < skipped->count && !is_same(skipped->items[at].text, text))
		at++;
	if (at == SKIPPED_WORKLOADS_MAX)
		return NULL;
	if (at == skipped->count)
		memcpy(skipped->items[skipped->count++].text, text, sizeof(text));
	skipped->items[at].boots++;
	return &skipped->items[at];
}
