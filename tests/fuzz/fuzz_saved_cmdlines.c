/* SPDX-License-Identifier: MIT
 *
 * The text of saved_cmdlines: each name that is found lies within it and is no longer than the kernel keeps. */
#include <stdlib.h>
#include <string.h>

#include "export/task_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COMM_LENGTH_MAX 15

static void check_name(const struct task_names *names, int32_t pid, const uint8_t *data, size_t size)
{
	struct text_span name = task_names_find(names, pid);
	const uint8_t *at = (const uint8_t *)name.text;

	if (text_span_is(name, "<...>") || text_span_is(name, "<idle>") || text_span_is(name, "<XXX>"))
		return;
	if (at < data || at > data + size || name.length > size - (size_t)(at - data) || name.length > COMM_LENGTH_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text_span rest = {(const char *)data, size};
	struct text_span line;
	struct task_names names;

	task_names_parse(rest, &names);
	while (text_span_line(&rest, &line)) {
		uint32_t pid = 0;
		for (size_t i = 0; i < line.length && line.text[i] >= '0' && line.text[i] <= '9'; i++)
			pid = pid * 10 + (uint32_t)(line.text[i] - '0');
		check_name(&names, (int32_t)pid, data, size);
	}
	check_name(&names, 1, data, size);
	check_name(&names, INT32_MAX, data, size);
	task_names_free(&names);
	return 0;
}
