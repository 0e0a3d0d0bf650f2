/* SPDX-License-Identifier: MIT */
#include "live/migrations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/output_file.h"
#include "measure/migration_periods.h"
#include "record/live.h"
#include "record/stack_symbols.h"

/* Interval between two readings of the buffers, which hold thousands of migrations. */
enum { READ_MS = 250 };

struct live_counts {
	const struct live_migrations *wanted;
	int fd;
	const char *path; /* of the output, for messages */
	struct live *live;
	struct kernel_symbols symbols;
	struct buffer symbol_lines; /* memory to which symbols points */
	struct migrations *migrations;
	struct migration_periods periods;
	uint32_t *cpus;  /* all CPUs, for the fields of the statistics */
	uint64_t end_ns; /* later migrations are not counted; UINT64_MAX: no end */
	uint64_t count;  /* number of migrations */
	uint64_t lost;   /* lost events since the start */
	struct buffer out;
};

/* A file holds the statistics of one run: existing contents are neither overwritten nor extended. */
static enum status open_output(struct live_counts *counts, struct error *err)
{
	const char *output = counts->wanted->output;
	struct stat info;

	counts->path = "standard output";
	counts->fd = STDOUT_FILENO;
	if (!output || strcmp(output, "-") == 0)
		return STATUS_OK;
	counts->path = output;
	enum status status = output_check(output, err);
	if (status == STATUS_OK)
		status = output_open_stream(output, &counts->fd, err);
	if (status != STATUS_OK || counts->fd >= 0)
		return status;
	/* The file grows for hours, so it is written in place. */
	counts->fd = open(output, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (counts->fd < 0 || fstat(counts->fd, &info) < 0)
		return error_system(err, errno, output, "cannot write");
	if (S_ISREG(info.st_mode) && info.st_size > 0) {
		if (!counts->wanted->reset) {
			error_set(err, STATUS_USAGE, output, "is not empty, and was not changed");
			return error_remedy(err, "--reset empties it first");
		}
		if (ftruncate(counts->fd, 0) < 0)
			return error_system(err, errno, output, "cannot empty");
	}
	file_give_open_to_sudo_user(counts->fd);
	return STATUS_OK;
}

static enum status write_out(struct live_counts *counts, struct error *err)
{
	enum status status = STATUS_OK;

	if (counts->out.length)
		status = file_write_all(counts->fd, counts->out.data, counts->out.length, counts->path, err);
	buffer_clear(&counts->out);
	return status;
}

static enum status read_symbols(struct live_counts *counts, struct error *err)
{
	if (counts->wanted->no_stacks)
		return STATUS_OK;
	enum status status = stack_symbols_of_causes(&counts->symbol_lines, err);
	if (status == STATUS_OK && counts->symbol_lines.length)
		kernel_symbols_make((struct text_span){counts->symbol_lines.data, counts->symbol_lines.length},
				    &counts->symbols);
	return status;
}

/* Reports the memory use before counting starts. */
static void report_size(const struct live_counts *counts)
{
	const struct live_migrations *wanted = counts->wanted;
	unsigned int cpus = counts->live->cpu_count;
	uint64_t page_size = sched_stream_trace(counts->live->stream)->page_size;
	uint64_t own = migrations_memory(counts->migrations, cpus) + migration_periods_memory(&counts->periods) +
		       counts->symbol_lines.capacity + cpus * page_size;
	char until[48] = "until Ctrl+C";

	if (wanted->hours > 0)
		snprintf(until, sizeof(until), "for %g hours", wanted->hours);
	message_info("counting migrations every %llu ms %s, in %llu KB of memory and %u times %llu KB of trace buffer",
		     (unsigned long long)counts->periods.period_ms, until, (unsigned long long)(own + 1023) / 1024,
		     cpus, (unsigned long long)wanted->buffer_size_kb);
}

static enum status begin_counts(struct live_counts *counts, struct error *err)
{
	const struct live_migrations *wanted = counts->wanted;
	uint64_t start_ns = counts->live->start_ns;
	uint32_t cpu_count = counts->live->cpu_count;
	uint64_t since_us;

	counts->end_ns = wanted->hours > 0 ? start_ns + (uint64_t)(wanted->hours * 3600e9) : UINT64_MAX;
	counts->migrations = migrations_open(counts->live->stream, &counts->symbols, true);
	counts->cpus = xcalloc(cpu_count, sizeof(*counts->cpus));
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		counts->cpus[cpu] = cpu;
	counts->periods = (struct migration_periods){.period_ms = wanted->period_ms ? wanted->period_ms : 1000,
						     .fields = wanted->fields,
						     .cpus = counts->cpus,
						     .cpu_count = cpu_count};
	enum status status = migration_periods_begin(&counts->periods, start_ns, err);
	if (status != STATUS_OK)
		return status;
	report_size(counts);
	since_us = (clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000;
	migration_periods_header(&counts->periods, clock_ns(CLOCK_REALTIME) / 1000 - since_us, &counts->out);
	return write_out(counts, err);
}

static void count_decided(struct live_counts *counts)
{
	struct migration migration;

	while (migrations_next(counts->migrations, &migration)) {
		if (migration.ts_ns >= counts->end_ns)
			continue;
		counts->count++;
		migration_periods_add(&counts->periods, &migration, &counts->out);
	}
}

/* Counts all available events up to the end. */
static enum status count_events(struct live_counts *counts, struct error *err)
{
	struct sched_event event;
	enum status status;

	while ((status = live_next(counts->live, &event, err)) == STATUS_OK) {
		status = migrations_step(counts->migrations, NULL, &event, NULL, err);
		if (status != STATUS_OK)
			return status;
		count_decided(counts);
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static void count_losses(struct live_counts *counts)
{
	uint64_t lost = live_lost(counts->live);

	migration_periods_lost(&counts->periods, lost - counts->lost);
	counts->lost = lost;
}

/* The end of the current period. */
static uint64_t due_ns(const struct live_counts *counts)
{
	return counts->periods.start_ns + counts->periods.period_ms * 1000000;
}

/* The time up to which migrations have been counted. */
static uint64_t counted_ns(const struct live_counts *counts)
{
	uint64_t now_ns = counts->live->now_ns;

	return now_ns < counts->end_ns ? now_ns : counts->end_ns;
}

static enum status begin_live(void *context, struct live *live, struct error *err)
{
	struct live_counts *counts = context;

	counts->live = live;
	/* Tested after an operation that needs root, because the kernel always hides its addresses from other users. */
	if (!counts->wanted->no_stacks && counts->symbols.count == 0)
		message_warning("the kernel hides its addresses: causes are unknown; "
				"sysctl kernel.kptr_restrict=0 shows them");
	return begin_counts(counts, err);
}

static int wait_ms(void *context)
{
	const struct live_counts *counts = context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t left_ms = due_ns(counts) > now_ns ? (due_ns(counts) - now_ns) / 1000000 + 1 : 0;

	return left_ms < READ_MS ? (int)left_ms : READ_MS;
}

static bool is_done(void *context)
{
	const struct live_counts *counts = context;

	return counts->live->now_ns >= counts->end_ns;
}

static enum status count_interval(void *context, struct error *err)
{
	struct live_counts *counts = context;
	enum status status = count_events(counts, err);

	if (status != STATUS_OK || counts->live->now_ns < due_ns(counts))
		return status;
	count_losses(counts);
	migration_periods_until(&counts->periods, counted_ns(counts), &counts->out);
	return write_out(counts, err);
}

static enum status end_live(void *context, struct error *err)
{
	struct live_counts *counts = context;
	enum status status = count_events(counts, err);

	if (status != STATUS_OK)
		return status;
	count_losses(counts);
	if (counts->live->now_ns < counts->end_ns || counts->periods.start_ns < counts->end_ns)
		migration_periods_end(&counts->periods, counted_ns(counts), &counts->out);
	message_info("%s: %llu migration%s in %llu period%s, %llu events lost", counts->path,
		     (unsigned long long)counts->count, counts->count == 1 ? "" : "s",
		     (unsigned long long)counts->periods.lines, counts->periods.lines == 1 ? "" : "s",
		     (unsigned long long)counts->lost);
	if (counts->lost)
		message_warning("%s: counts are too low if the field lost is not 0: the trace buffer was full; raise "
				"--buffer-size (now %llu KB per CPU)",
				counts->path, (unsigned long long)counts->wanted->buffer_size_kb);
	return write_out(counts, err);
}

static enum status count_migrations(struct live_counts *counts, struct error *err)
{
	static const struct capture_event events[] = {{"sched", "sched_migrate_task"}, {"sched", "sched_wakeup_new"}};
	static const struct live_consumer consumer = {
	    .begin = begin_live, .interval_ms = wait_ms, .read = count_interval, .is_done = is_done, .end = end_live};
	const struct capture_settings settings = {
	    .buffer_size_kb = counts->wanted->buffer_size_kb,
	    .events = events,
	    .event_count = sizeof(events) / sizeof(*events),
	    .migration_stacks = !counts->wanted->no_stacks,
	};

	return live_run(&settings, &consumer, counts, err);
}

enum status live_migrations_run(const struct live_migrations *wanted, struct error *err)
{
	struct live_counts counts = {.wanted = wanted, .fd = -1};
	enum status status = open_output(&counts, err);

	if (status == STATUS_OK)
		status = read_symbols(&counts, err);
	if (status == STATUS_OK)
		status = count_migrations(&counts, err);
	migrations_close(counts.migrations);
	migration_periods_free(&counts.periods);
	free(counts.cpus);
	kernel_symbols_free(&counts.symbols);
	buffer_free(&counts.symbol_lines);
	buffer_free(&counts.out);
	if (counts.fd > STDOUT_FILENO)
		close(counts.fd);
	return status;
}
