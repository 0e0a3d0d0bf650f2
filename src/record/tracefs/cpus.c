/* SPDX-License-Identifier: MIT */
#include "record/tracefs/cpus.h"

#include <errno.h>
#include <stdio.h>

#include "base/cpu_list.h"
#include "base/file.h"

static const char cpu_directory[] = "/sys/devices/system/cpu/";

void cpu_layout_decide(struct cpu_layout *layout)
{
	cpu_set_t both;
	cpu_set_t rest;

	CPU_AND(&both, &layout->online, &layout->isolated);
	CPU_XOR(&rest, &layout->online, &both);
	layout->tracer_cpu = -1;
	if (CPU_COUNT(&both) == 0 || CPU_COUNT(&rest) == 0) {
		layout->workload = layout->original;
		return;
	}
	layout->workload = rest;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &both))
			layout->tracer_cpu = (int)cpu;
}

static enum status read_list(const char *name, cpu_set_t *set, struct error *err)
{
	char path[128];
	char text[4096];

	snprintf(path, sizeof(path), "%s%s", cpu_directory, name);
	if (!file_read_line(path, text, sizeof(text)))
		return error_system(err, errno, path, "cannot read");
	if (!cpu_list_parse(text, set))
		return error_set(err, STATUS_UNSUPPORTED, path, "not a list of CPU numbers below %d: '%.100s'",
				 CPU_SETSIZE, text);
	return STATUS_OK;
}

enum status cpu_layout_read(struct cpu_layout *layout, struct error *err)
{
	cpu_set_t present;

	*layout = (struct cpu_layout){0};
	enum status status = read_list("online", &layout->online, err);
	if (status == STATUS_OK)
		status = read_list("present", &present, err);
	/* Kernels without CONFIG_CPU_ISOLATION have no such file and isolate no CPU. */
	if (status == STATUS_OK && read_list("isolated", &layout->isolated, NULL) != STATUS_OK)
		CPU_ZERO(&layout->isolated);
	if (status == STATUS_OK && sched_getaffinity(0, sizeof(layout->original), &layout->original) < 0)
		status = error_system(err, errno, NULL, "cannot read the affinity of picknext");
	if (status != STATUS_OK)
		return status;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &present) || CPU_ISSET(cpu, &layout->online))
			layout->count = cpu + 1;
	cpu_layout_decide(layout);
	return STATUS_OK;
}

void cpus_offline_text(unsigned int count, char *text, size_t size)
{
	cpu_set_t set;

	text[0] = '\0';
	if (read_list("online", &set, NULL) != STATUS_OK)
		return;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (cpu >= count || CPU_ISSET(cpu, &set))
			CPU_CLR(cpu, &set);
		else
			CPU_SET(cpu, &set);
	}
	if (CPU_COUNT(&set) == 0)
		return;
	text[0] = ' ';
	cpu_list_text(&set, text + 1, size - 1);
}

enum status cpu_layout_pin(struct cpu_layout *layout, struct error *err)
{
	cpu_set_t set;

	if (layout->tracer_cpu < 0)
		return STATUS_OK;
	CPU_ZERO(&set);
	CPU_SET((unsigned int)layout->tracer_cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		return STATUS_OK;
	int reason = errno;
	int cpu = layout->tracer_cpu;
	layout->tracer_cpu = -1;
	return error_system(err, reason, NULL, "cannot move the tracer to the isolated CPU %d", cpu);
}

void cpu_layout_unpin(const struct cpu_layout *layout)
{
	/* On failure picknext stays on the tracer's CPU: slower, but correct. */
	if (layout->tracer_cpu >= 0)
		(void)sched_setaffinity(0, sizeof(layout->original), &layout->original);
}
