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

/* Copies the value of the first "NAME : VALUE" between text and end; "?" if there is none. */
static void copy_value(const char *text, const char *end, const char *name, char *value, size_t size)
{
	const char *found = memmem(text, (size_t)(end - text), name, strlen(name));
	const char *from = found ? memchr(found, ':', (size_t)(end - found)) : NULL;

	snprintf(value, size, "?");
	if (from) {
		from += 1 + strspn(from + 1, " ");
		snprintf(value, size, "%.*s", (int)strcspn(from, "\n"), from);
	}
}

/* arm64 has numbers per CPU, and CPUs of several kinds: implementer, part, and the revision in Arm's notation, rXpY. */
static void list_arm_parts(const char *text, char model[CPU_MODEL_SIZE])
{
	size_t length = 0;

	for (const char *at = strstr(text, "CPU implementer"), *next; at; at = next) {
		char maker[16], variant[16], part[16], revision[16], kind[CPU_MODEL_SIZE];
		next = strstr(at + 1, "CPU implementer");
		const char *end = next ? next : at + strlen(at);
		copy_value(at, end, "CPU implementer", maker, sizeof(maker));
		copy_value(at, end, "CPU variant", variant, sizeof(variant));
		copy_value(at, end, "CPU part", part, sizeof(part));
		copy_value(at, end, "CPU revision", revision, sizeof(revision));
		snprintf(kind, sizeof(kind), "implementer %s part %s r%lup%s", maker, part, strtoul(variant, NULL, 16),
			 revision);
		if (length < CPU_MODEL_SIZE && !strstr(model, kind))
			length +=
			    (size_t)snprintf(model + length, CPU_MODEL_SIZE - length, "%s%s", length ? ", " : "", kind);
	}
}

void cpu_model_from(const char *text, char model[CPU_MODEL_SIZE])
{
	const char *name = strstr(text, "model name");

	model[0] = '\0';
	if (name)
		copy_value(name, name + strlen(name), "model name", model, CPU_MODEL_SIZE);
	else
		list_arm_parts(text, model);
}

void cpu_model_read(char model[CPU_MODEL_SIZE])
{
	struct buffer info = {0};

	model[0] = '\0';
	if (file_read("/proc/cpuinfo", 1 << 22, &info, NULL) == STATUS_OK && info.data)
		cpu_model_from(info.data, model);
	buffer_free(&info);
}
