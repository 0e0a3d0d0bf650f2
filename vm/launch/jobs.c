/* SPDX-License-Identifier: MIT */
#include "vm/launch/jobs.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/number.h"

#define SAMPLE_MS      100
#define SAMPLES_MAX    5 /* the most idle one counts, so that a load that just ends does not */
#define STAT_BYTES_MAX (4u << 20)
#define GUEST_EXTRA_MB 128 /* QEMU's own */

static void add_cpu(const char *line, uint64_t *all, uint64_t *idle)
{
	uint64_t ticks[8];

	if (sscanf(line,
		   "%*s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
		return;
	for (size_t i = 0; i < 8; i++)
		*all += ticks[i];
	*idle += ticks[3] + ticks[4]; /* idle, iowait */
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

void jobs_parse_stat(const char *text, const cpu_set_t *allowed, uint64_t *all, uint64_t *idle)
{
	*all = *idle = 0;
	for (const char *line = text; line; line = next_line(line)) {
		char *end;
		if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
			continue;
		unsigned long cpu = strtoul(line + 3, &end, 10);
		if (cpu < CPU_SETSIZE && *end == ' ' && CPU_ISSET(cpu, allowed))
			add_cpu(line, all, idle);
	}
}

static void read_stat(const cpu_set_t *allowed, uint64_t *all, uint64_t *idle)
{
	struct buffer text = {0};

	*all = *idle = 0;
	if (file_read("/proc/stat", STAT_BYTES_MAX, &text, NULL) == STATUS_OK)
		jobs_parse_stat(text.data, allowed, all, idle);
	buffer_free(&text);
}

static uint64_t read_available_mb(void)
{
	struct buffer text = {0};
	uint64_t kb = 0;

	if (file_read("/proc/meminfo", STAT_BYTES_MAX, &text, NULL) == STATUS_OK) {
		const char *line = strstr(text.data, "MemAvailable:");
		kb = line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) : 0;
	}
	buffer_free(&text);
	return kb / 1024;
}

/* The memory that the container's control group (v2) may still use. */
static uint64_t read_group_mb(void)
{
	char line[64];
	uint64_t limit, used;

	if (!file_read_line("/sys/fs/cgroup/memory.max", line, sizeof(line)) || !number_parse_u64(line, &limit) ||
	    !file_read_line("/sys/fs/cgroup/memory.current", line, sizeof(line)) || !number_parse_u64(line, &used))
		return UINT64_MAX;
	return used < limit ? (limit - used) >> 20 : 0;
}

static double sample_idle_cpus(const cpu_set_t *allowed, unsigned int cpus)
{
	uint64_t all_before, idle_before, all, idle;

	read_stat(allowed, &all_before, &idle_before);
	interrupt_sleep(SAMPLE_MS, NULL);
	read_stat(allowed, &all, &idle);
	if (all <= all_before || idle < idle_before)
		return cpus;
	return (double)(idle - idle_before) / (double)(all - all_before) * cpus;
}

unsigned int jobs_host_cpus(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? (unsigned int)CPU_COUNT(&allowed) : 1;
}

/* Samples this machine for a tenth of a second. */
static void read_host(struct jobs_host *host)
{
	cpu_set_t allowed;
	uint64_t group_mb = read_group_mb();

	CPU_ZERO(&allowed);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		CPU_SET(0, &allowed);
	*host = (struct jobs_host){.cpus = (unsigned int)CPU_COUNT(&allowed), .available_mb = read_available_mb()};
	if (group_mb < host->available_mb)
		host->available_mb = group_mb;
	for (int i = 0; i < SAMPLES_MAX && host->idle_cpus + 0.5 < host->cpus; i++) {
		double idle_cpus = sample_idle_cpus(&allowed, host->cpus);
		if (idle_cpus > host->idle_cpus)
			host->idle_cpus = idle_cpus;
	}
}

unsigned int jobs_default(const struct jobs_host *host, uint64_t memory_mb)
{
	uint64_t by_memory = host->available_mb / (memory_mb + GUEST_EXTRA_MB);
	double by_cpus = host->idle_cpus + 0.5; /* a CPU that is half idle counts */
	unsigned int jobs = by_cpus >= host->cpus ? host->cpus : (unsigned int)by_cpus;

	if (jobs > by_memory)
		jobs = (unsigned int)by_memory;
	return jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : jobs;
}

unsigned int jobs_choose(uint64_t wanted, bool deterministic, uint64_t memory_mb)
{
	struct jobs_host host;

	if (wanted)
		return wanted > JOBS_MAX ? JOBS_MAX : (unsigned int)wanted;
	if (!deterministic)
		return 1;
	read_host(&host);
	return jobs_default(&host, memory_mb);
}
