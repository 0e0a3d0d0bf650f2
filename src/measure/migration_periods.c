/* SPDX-License-Identifier: MIT */
#include "measure/migration_periods.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t pair_count(const struct migration_periods *periods)
{
	return periods->fields & PERIOD_CPU_PAIRS ? (size_t)periods->cpu_count * periods->cpu_count : 0;
}

enum status migration_periods_begin(struct migration_periods *periods, uint64_t start_ns, struct error *err)
{
	if (periods->fields & PERIOD_CPU_PAIRS && periods->cpu_count > PERIOD_PAIR_CPUS_MAX) {
		error_set(err, STATUS_USAGE, "--period-cpu-pair", "%u CPUs make too many pairs", periods->cpu_count);
		return error_remedy(err, "choose at most %d with --cpu", PERIOD_PAIR_CPUS_MAX);
	}
	periods->from = xcalloc(periods->cpu_count + 1, sizeof(uint64_t));
	periods->to = xcalloc(periods->cpu_count + 1, sizeof(uint64_t));
	periods->pairs = xcalloc(pair_count(periods) + 1, sizeof(uint64_t));
	periods->start_ns = start_ns;
	return STATUS_OK;
}

uint64_t migration_periods_memory(const struct migration_periods *periods)
{
	return sizeof(*periods) + (2 * (periods->cpu_count + 1) + pair_count(periods) + 1) * sizeof(uint64_t);
}

void migration_periods_free(struct migration_periods *periods)
{
	free(periods->from);
	free(periods->to);
	free(periods->pairs);
	periods->from = periods->to = periods->pairs = NULL;
}

/* Writes either the names of the fields, for the header, or the numbers of a line, so that both have the same order. */
struct field_writer {
	struct buffer *out;
	bool names; /* otherwise numbers */
	unsigned int number;
};

static void add_field(struct field_writer *writer, uint64_t value, const char *name, uint32_t first, uint32_t second)
{
	writer->number++;
	if (!writer->names) {
		buffer_printf(writer->out, " %" PRIu64, value);
		return;
	}
	/* Each % in a name is replaced by a CPU number. */
	buffer_printf(writer->out, "# field %u ", writer->number);
	for (; *name; name++) {
		if (*name != '%') {
			buffer_add(writer->out, name, 1);
			continue;
		}
		buffer_printf(writer->out, "%" PRIu32, first);
		first = second;
	}
	buffer_text(writer->out, "\n");
}

static void add_fields(const struct migration_periods *periods, bool names, struct buffer *out)
{
	struct field_writer writer = {.out = out, .names = names, .number = 1};
	uint32_t count = periods->cpu_count;
	uint64_t all = 0;

	for (int cause = 0; cause < MIGRATION_CAUSES; cause++)
		all += periods->causes[cause];
	if (periods->fields & PERIOD_ALL)
		add_field(&writer, all, "migrate", 0, 0);
	for (int cause = 0; cause < MIGRATION_CAUSES && periods->fields & PERIOD_CAUSES; cause++)
		add_field(&writer, periods->causes[cause], migration_cause_name((enum migration_cause)cause), 0, 0);
	for (uint32_t i = 0; i < count && periods->fields & PERIOD_CPUS; i++)
		add_field(&writer, periods->from[i], "from_cpu_%", periods->cpus[i], 0);
	for (uint32_t i = 0; i < count && periods->fields & PERIOD_CPUS; i++)
		add_field(&writer, periods->to[i], "to_cpu_%", periods->cpus[i], 0);
	for (uint32_t i = 0; i < count && periods->fields & PERIOD_CPU_PAIRS; i++)
		for (uint32_t k = 0; k < count; k++)
			if (i != k)
				add_field(&writer, periods->pairs[(size_t)i * count + k], "cpu_%_to_%",
					  periods->cpus[i], periods->cpus[k]);
	add_field(&writer, periods->lost, "lost", 0, 0);
}

static void add_seconds(uint64_t ts_ns, struct buffer *out)
{
	buffer_printf(out, "%" PRIu64 ".%09" PRIu64, ts_ns / 1000000000, ts_ns % 1000000000);
}

void migration_periods_header(const struct migration_periods *periods, uint64_t wall_us, struct buffer *out)
{
	buffer_printf(out,
		      "# version 1.0.0\n"
		      "# period_msec %" PRIu64 "\n"
		      "# gettimeofday %" PRIu64 " %06" PRIu64 "\n"
		      "# begins ",
		      periods->period_ms, wall_us / 1000000, wall_us % 1000000);
	add_seconds(periods->start_ns, out);
	buffer_text(out, " s of the trace clock; a line has the time at the end of its period\n");
	if (!wall_us)
		buffer_text(out, "# the time of day is not known\n");
	buffer_text(out, "# ts_field 1\n");
	add_fields(periods, true, out);
}

static void add_line(const struct migration_periods *periods, uint64_t ts_ns, struct buffer *out)
{
	add_seconds(ts_ns, out);
	add_fields(periods, false, out);
	buffer_text(out, "\n");
}

bool migration_periods_reach(const struct migration_periods *periods, uint64_t ts_ns)
{
	const uint64_t max = 100000000;

	return ts_ns <= periods->start_ns ||
	       periods->lines + (ts_ns - periods->start_ns) / 1000000 / periods->period_ms <= max;
}

void migration_periods_until(struct migration_periods *periods, uint64_t ts_ns, struct buffer *out)
{
	uint64_t period_ns = periods->period_ms * 1000000;

	while (ts_ns >= periods->start_ns && ts_ns - periods->start_ns >= period_ns) {
		periods->start_ns += period_ns;
		add_line(periods, periods->start_ns, out);
		periods->lines++;
		memset(periods->causes, 0, sizeof(periods->causes));
		memset(periods->from, 0, periods->cpu_count * sizeof(uint64_t));
		memset(periods->to, 0, periods->cpu_count * sizeof(uint64_t));
		memset(periods->pairs, 0, pair_count(periods) * sizeof(uint64_t));
		periods->lost = 0;
	}
}

/* Index of the CPU among those with fields; cpu_count if it has no field. */
static uint32_t place(const struct migration_periods *periods, uint32_t cpu)
{
	uint32_t low = 0;
	uint32_t high = periods->cpu_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (periods->cpus[middle] < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < periods->cpu_count && periods->cpus[low] == cpu ? low : periods->cpu_count;
}

void migration_periods_add(struct migration_periods *periods, const struct migration *migration, struct buffer *out)
{
	uint32_t from = place(periods, migration->from_cpu);
	uint32_t to = place(periods, migration->to_cpu);

	migration_periods_until(periods, migration->ts_ns, out);
	periods->causes[migration->cause]++;
	if (from < periods->cpu_count)
		periods->from[from]++;
	if (to < periods->cpu_count)
		periods->to[to]++;
	if (from < periods->cpu_count && to < periods->cpu_count && periods->fields & PERIOD_CPU_PAIRS)
		periods->pairs[(size_t)from * periods->cpu_count + to]++;
}

void migration_periods_lost(struct migration_periods *periods, uint64_t events)
{
	periods->lost += events;
}

void migration_periods_end(struct migration_periods *periods, uint64_t ts_ns, struct buffer *out)
{
	uint64_t length_ms;

	migration_periods_until(periods, ts_ns, out);
	length_ms = ts_ns > periods->start_ns ? (ts_ns - periods->start_ns) / 1000000 : 0;
	buffer_printf(out, "# ends within a period, after %" PRIu64 " of its %" PRIu64 " ms: ", length_ms,
		      periods->period_ms);
	add_line(periods, ts_ns, out);
}
