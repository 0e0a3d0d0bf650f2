/* SPDX-License-Identifier: MIT */
#include "record/host_facts.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

static void set_machine(struct host_facts *facts)
{
	struct run_host *host = &facts->host;
	const struct host_machine *machine = &facts->machine;
	bool has_command_line = file_read_line("/proc/cmdline", facts->command_line, sizeof(facts->command_line));

	host->command_line = has_command_line ? facts->command_line : NULL;
	host->preemption = machine->preemption;
	host->hz = machine->hz;
	host->clocksource = text_or_null(machine->clocksource);
	host->mitigations = text_or_null(machine->mitigations);
	for (size_t i = 0; i < machine->tunable_count; i++)
		facts->tunables[i] = (struct run_tunable){machine->tunables[i].name, machine->tunables[i].value};
	host->topology = (struct run_topology){
	    .smt = text_or_null(machine->topology.smt),
	    .llc = text_or_null(machine->topology.llc),
	    .node = text_or_null(machine->topology.node),
	    .capacity = text_or_null(machine->topology.capacity),
	    .domains = text_or_null(machine->topology.domains),
	};
	host->tunables = facts->tunables;
	host->tunable_count = machine->tunable_count;
}

/* The build ID among the kernel's ELF notes: each has three words (sizes of name and contents, type), then both, padded
 * to words. */
static void read_build_id(char text[BUILD_ID_TEXT_SIZE])
{
	enum { TYPE_BUILD_ID = 3, HEADER = 12 };
	struct buffer notes = {0};
	struct error err;
	uint32_t words[3];

	text[0] = '\0';
	if (file_read("/sys/kernel/notes", 65536, &notes, &err) != STATUS_OK)
		notes.length = 0;
	for (size_t at = 0; at + HEADER <= notes.length;) {
		memcpy(words, notes.data + at, sizeof(words));
		const size_t contents = at + HEADER + (((size_t)words[0] + 3) & ~(size_t)3);
		if (contents + words[1] > notes.length)
			break;
		if (words[2] == TYPE_BUILD_ID && words[0] == 4 && memcmp(notes.data + at + HEADER, "GNU", 4) == 0)
			for (uint32_t i = 0; i < words[1] && 2 * i + 2 < BUILD_ID_TEXT_SIZE; i++)
				snprintf(text + 2 * i, 3, "%02x", (unsigned char)notes.data[contents + i]);
		at = contents + (((size_t)words[1] + 3) & ~(size_t)3);
	}
	buffer_free(&notes);
}

void host_facts_read(struct host_facts *facts, const struct cpu_layout *cpus)
{
	host_machine_read(&facts->machine);
	uname(&facts->system);
	utc_text_now(facts->collected_at);
	read_build_id(facts->build_id);
	cpu_model_read(facts->cpu_model);
	facts->host = (struct run_host){
	    .collected_at = facts->collected_at,
	    .hostname = facts->system.nodename,
	    .kernel = facts->system.release,
	    .kernel_version = facts->system.version,
	    .kernel_build_id = text_or_null(facts->build_id),
	    .architecture = facts->system.machine,
	    .cpu_model = text_or_null(facts->cpu_model),
	    .cpu_count = (unsigned int)CPU_COUNT(&cpus->online),
	    .cpus_online = cpus->online,
	    .cpus_isolated = cpus->isolated,
	    .cpus_workload = cpus->workload,
	    .tracer_cpu = cpus->tracer_cpu,
	};
	set_machine(facts);
}

/* The initial PID namespace has this number on every kernel since 3.8. */
bool has_kernel_pids(void)
{
	static const char first[] = "pid:[4026531836]";
	char name[64];
	ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name));

	return length == (ssize_t)sizeof(first) - 1 && memcmp(name, first, sizeof(first) - 1) == 0;
}
