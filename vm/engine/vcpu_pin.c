/* SPDX-License-Identifier: MIT */
#include "vm/engine/vcpu_pin.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/file.h"

/* False if too few of the core's threads are allowed. */
static bool take_core(const cpu_set_t *core, const cpu_set_t *allowed, unsigned int threads, struct vcpu_pin *pin)
{
	cpu_set_t usable;
	unsigned int taken = 0;

	CPU_AND(&usable, core, allowed);
	if ((unsigned int)CPU_COUNT(&usable) < threads)
		return false;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (taken < threads && CPU_ISSET(cpu, &usable)) {
			if (pin->count < VCPUS_MAX)
				pin->cpus[pin->count++] = cpu;
			taken++;
		} else if (CPU_ISSET(cpu, core)) {
			CPU_SET(cpu, &pin->siblings);
		}
	}
	return true;
}

enum status vcpu_pin_choose(const struct cpu_topology *host, const cpu_set_t *allowed, unsigned int count,
			    unsigned int threads, struct vcpu_pin *pin, struct error *err)
{
	const unsigned int needed = (count + threads - 1) / threads;
	unsigned int cores = 0;
	char list[4096];
	cpu_set_t core;

	*pin = (struct vcpu_pin){0};
	for (const char *text = host->smt; *text && cores < needed;) {
		const size_t length = strcspn(text, " ");
		snprintf(list, sizeof(list), "%.*s", (int)length, text);
		text += length + (text[length] == ' ');
		if (cpu_list_parse(list, &core) && take_core(&core, allowed, threads, pin))
			cores++;
	}
	if (cores < needed) {
		error_set(err, STATUS_SYSTEM, "--guest pin",
			  "the guest needs %u cores%s of this machine, and picknext may use %u", needed,
			  threads > 1 ? " with as many hardware threads as its own" : "", cores);
		return error_remedy(err, "give the guest fewer --cpus, or omit --guest pin=yes");
	}
	/* The core of the last CPU may have more threads than are left. */
	for (; pin->count > count; pin->count--)
		CPU_SET(pin->cpus[pin->count - 1], &pin->siblings);
	return STATUS_OK;
}

enum status vcpu_pin_choose_here(unsigned int count, unsigned int threads, struct vcpu_pin *pin, struct error *err)
{
	struct cpu_topology host;
	cpu_set_t allowed;

	cpu_topology_read("", &host);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return error_system(err, errno, NULL, "cannot read the affinity of picknext");
	return vcpu_pin_choose(&host, &allowed, count, threads, pin, err);
}

/* Reads the number of a thread "CPU 0/KVM". */
static bool read_number(const char *directory, const char *thread, unsigned int *number)
{
	char path[300], name[32];

	return snprintf(path, sizeof(path), "%s/%s/comm", directory, thread) < (int)sizeof(path) &&
	       file_read_line(path, name, sizeof(name)) && sscanf(name, "CPU %u/KVM", number) == 1;
}

enum status vcpu_pin_bind(const struct vcpu_pin *pin, const char *directory, struct error *err)
{
	DIR *list = opendir(directory);
	unsigned int number, bound = 0;
	cpu_set_t cpu;

	for (struct dirent *entry; list && (entry = readdir(list));) {
		if (entry->d_name[0] == '.' || !read_number(directory, entry->d_name, &number) || number >= pin->count)
			continue;
		CPU_ZERO(&cpu);
		CPU_SET(pin->cpus[number], &cpu);
		bound += sched_setaffinity((pid_t)strtol(entry->d_name, NULL, 10), sizeof(cpu), &cpu) == 0;
	}
	if (list)
		closedir(list);
	if (bound == pin->count)
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, "--guest pin",
		  "%u of the guest's %u CPUs could be bound to a CPU of this machine", bound, pin->count);
	return error_remedy(err, "omit --guest pin=yes");
}

void vcpu_pin_text(const struct vcpu_pin *pin, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < pin->count && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%u", i ? "," : "", pin->cpus[i]);
}
