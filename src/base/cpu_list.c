/* SPDX-License-Identifier: MIT */
#include "base/cpu_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* Reads one number at *text and moves *text past it. */
static bool parse_cpu(const char **text, unsigned int *cpu)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	unsigned long value = strtoul(*text, &end, 10);
	if (value >= CPU_SETSIZE)
		return false;
	*cpu = (unsigned int)value;
	*text = end;
	return true;
}

bool cpu_list_parse(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	while (*text && *text != '\n') {
		unsigned int first;
		if (!parse_cpu(&text, &first))
			return false;
		unsigned int last = first;
		if (*text == '-') {
			text++;
			if (!parse_cpu(&text, &last) || last < first)
				return false;
		}
		for (unsigned int cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		if (*text == ',' && text[1] != '\0' && text[1] != '\n')
			text++;
		else if (*text && *text != '\n')
			return false;
	}
	return true;
}

void cpu_list_text(const cpu_set_t *set, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && length < size; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		unsigned int last = cpu;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		const char *comma = length ? "," : "";
		int added = last > cpu ? snprintf(text + length, size - length, "%s%u-%u", comma, cpu, last)
				       : snprintf(text + length, size - length, "%s%u", comma, cpu);
		length += (size_t)added;
		cpu = last;
	}
}

void cpu_model_read(char text[CPU_MODEL_SIZE])
{
	struct buffer info = {0};

	text[0] = '\0';
	if (file_read("/proc/cpuinfo", 1 << 22, &info, NULL) == STATUS_OK) {
		const char *found = strstr(info.data, "model name");
		const char *value = found ? strstr(found, ": ") : NULL;
		if (value)
			snprintf(text, CPU_MODEL_SIZE, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
	}
	buffer_free(&info);
}
