/* SPDX-License-Identifier: MIT */
#include "print/live_migrations.h"

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

/* How often the buffers are read: they hold thousands of migrations. */
enum { READ_MS = 250 };

struct live_counts {
	const struct live_migrations *wanted;
	int fd;
	const char *path; /* of the output, for messages */
	struct live *live;
	struct kernel_symbols symbols;
	struct buffer symbol_lines; /* the storage of symbols */
	struct migrations *migrations;
	struct migration_periods periods;
	uint32_t *cpus;  /* all, for periods */
	uint64_t end_ns; /* later migrations do not count; UINT64_MAX: no end */
	uint64_t count;  /* of migrations */
	uint64_t lost;   /* events, from the start */
	struct buffer out;
};

/* A file holds the statistics of one run: existing contents are neither overwritten nor extended. */
static enum status open_output(struct live_counts *of, struct error *err)
{
	const char *output = of->wanted->output;
	struct stat info;

	of->path = "standard output";
	of->fd = STDOUT_FILENO;
	if (!output || strcmp(output, "-") == 0)
		return STATUS_OK;
	of->path = output;
	enum status status = output_check(output, err);
	if (status == STATUS_OK)
		status = output_open_stream(output, &of->fd, err);
	if (status != STATUS_OK || of->fd >= 0)
		return status;
	/* It grows for hours, so it is written in place. */
	of->fd = open(output, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (of->fd < 0 || fstat(of->fd, &info) < 0)
		return error_system(err, errno, output, "cannot write");
	if (S_ISREG(info.st_mode) && info.st_size > 0) {
		if (!of->wanted->reset) {
			error_set(err, STATUS_USAGE, output, "is not empty, and was not changed");
			return error_remedy(err, "--reset empties it first");
		}
		if (ftruncate(of->fd, 0) < 0)
			return error_system(err, errno, output, "cannot empty");
	}
	file_give_open_to_sudo_user(of->fd);
	return STATUS_OK;
}

static enum status write_out(struct live_counts *of, struct error *err)
{
	enum status status = STATUS_OK;

	if (of->out.length)
		status = file_write_all(of->fd, of->out.data, of->out.length, of->path, err);
	buffer_clear(&of->out);
	return status;
}

static enum status read_symbols(struct live_counts *of, struct error *err)
{
	if (of->wanted->no_stacks)
		return STATUS_OK;
	enum status status = stack_symbols_of_causes(&of->symbol_lines, err);
	if (status == STATUS_OK && of->symbol_lines.length)
		kernel_symbols_make((struct text_span){of->symbol_lines.data, of->symbol_lines.length}, &of->symbols);
	return status;
}

/* Reports the memory in use before counting starts. */
static void report_size(const struct live_counts *of)
{
	const struct live_migrations *wanted = of->wanted;
	unsigned int cpus = of->live->cpu_count;
	uint64_t page_size = sched_stream_trace(of->live->stream)->page_size;
	uint64_t own = migrations_memory(of->migrations, cpus) + migration_periods_memory(&of->periods) +
		       of->symbol_lines.capacity + cpus * page_size;
	char until[48] = "until Ctrl+C";

	if (wanted->hours > 0)
		snprintf(until, sizeof(until), "for %g hours", wanted->hours);
	message_info("counting migrations every %llu ms %s, in %llu KB of memory and %u times %llu KB of trace buffer",
		     (unsigned long long)of->periods.period_ms, until, (unsigned long long)(own + 1023) / 1024, cpus,
		     (unsigned long long)wanted->buffer_size_kb);
}

static enum status begin_counts(struct live_counts *of, struct error *err)
{
	const struct live_migrations *wanted = of->wanted;
	uint64_t start_ns = of->live->start_ns;
	uint32_t cpu_count = of->live->cpu_count;
	uint64_t since_us;

	of->end_ns = wanted->hours > 0 ? start_ns + (uint64_t)(wanted->hours * 3600e9) : UINT64_MAX;
	of->migrations = migrations_open(of->live->stream, &of->symbols, true);
	of->cpus = xcalloc(cpu_count, sizeof(*of->cpus));
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		of->cpus[cpu] = cpu;
	of->periods = (struct migration_periods){.period_ms = wanted->period_ms ? wanted->period_ms : 1000,
						 .fields = wanted->fields,
						 .cpus = of->cpus,
						 .cpu_count = cpu_count};
	enum status status = migration_periods_begin(&of->periods, start_ns, err);
	if (status != STATUS_OK)
		return status;
	report_size(of);
	since_us = (clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000;
	migration_periods_header(&of->periods, clock_ns(CLOCK_REALTIME) / 1000 - since_us, NULL, &of->out);
	return write_out(of, err);
}

static void count_decided(struct live_counts *of)
{
	struct migration migration;

	while (migrations_next(of->migrations, &migration)) {
		if (migration.ts_ns >= of->end_ns)
			continue;
		of->count++;
		migration_periods_add(&of->periods, &migration, &of->out);
	}
}

/* Counts all available events up to the end. */
static enum status count_events(struct live_counts *of, struct error *err)
{
	struct sched_event event;
	enum status status;

	while ((status = live_next(of->live, &event, err)) == STATUS_OK) {
		status = migrations_step(of->migrations, NULL, &event, NULL, err);
		if (status != STATUS_OK)
			return status;
		count_decided(of);
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static void count_losses(struct live_counts *of)
{
	uint64_t lost = live_lost(of->live);

	migration_periods_lost(&of->periods, lost - of->lost);
	of->lost = lost;
}

/* The end of the current period. */
static uint64_t due_ns(const struct live_counts *of)
{
	return of->periods.start_ns + of->periods.period_ms * 1000000;
}

/* The time up to which migrations are counted by now. */
static uint64_t counted_ns(const struct live_counts *of)
{
	uint64_t now_ns = of->live->now_ns;

	return now_ns < of->end_ns ? now_ns : of->end_ns;
}

static enum status begin_live(void *context, struct live *live, struct error *err)
{
	struct live_counts *of = context;

	of->live = live;
	/* Checked after an operation that needs root: for other users the addresses are always hidden. */
	if (!of->wanted->no_stacks && of->symbols.count == 0)
		message_warning("the kernel hides its addresses: causes are unknown; "
				"sysctl kernel.kptr_restrict=0 shows them");
	return begin_counts(of, err);
}

static int wait_ms(void *context)
{
	const struct live_counts *of = context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t left_ms = due_ns(of) > now_ns ? (due_ns(of) - now_ns) / 1000000 + 1 : 0;

	return left_ms < READ_MS ? (int)left_ms : READ_MS;
}

static bool is_done(void *context)
{
	const struct live_counts *of = context;

	return of->live->now_ns >= of->end_ns;
}

static enum status count_interval(void *context, struct error *err)
{
	struct live_counts *of = context;
	enum status status = count_events(of, err);

	if (status != STATUS_OK || of->live->now_ns < due_ns(of))
		return status;
	count_losses(of);
	migration_periods_until(&of->periods, counted_ns(of), &of->out);
	return write_out(of, err);
}

static enum status end_live(void *context, struct error *err)
{
	struct live_counts *of = context;
	enum status status = count_events(of, err);

	if (status != STATUS_OK)
		return status;
	count_losses(of);
	if (of->live->now_ns < of->end_ns || of->periods.start_ns < of->end_ns)
		migration_periods_end(&of->periods, counted_ns(of), &of->out);
	message_info("%s: %llu migration%s in %llu period%s, %llu events lost", of->path, (unsigned long long)of->count,
		     of->count == 1 ? "" : "s", (unsigned long long)of->periods.lines,
		     of->periods.lines == 1 ? "" : "s", (unsigned long long)of->lost);
	if (of->lost)
		message_warning("%s: counts are too low if the field lost is not 0: the trace buffer was full; raise "
				"--buffer-size (now %llu KB per CPU)",
				of->path, (unsigned long long)of->wanted->buffer_size_kb);
	return write_out(of, err);
}

static enum status count_migrations(struct live_counts *of, struct error *err)
{
	static const struct capture_event events[] = {{"sched", "sched_migrate_task"}, {"sched", "sched_wakeup_new"}};
	static const struct live_consumer consumer = {
	    .begin = begin_live, .interval_ms = wait_ms, .read = count_interval, .is_done = is_done, .end = end_live};
	const struct capture_settings settings = {
	    .buffer_size_kb = of->wanted->buffer_size_kb,
	    .events = events,
	    .event_count = sizeof(events) / sizeof(*events),
	    .migration_stacks = !of->wanted->no_stacks,
	};

	return live_run(&settings, &consumer, of, err);
}

enum status live_migrations_run(const struct live_migrations *wanted, struct error *err)
{
	struct live_counts of = {.wanted = wanted, .fd = -1};
	enum status status = open_output(&of, err);

	if (status == STATUS_OK)
		status = read_symbols(&of, err);
	if (status == STATUS_OK)
		status = count_migrations(&of, err);
	migrations_close(of.migrations);
	migration_periods_free(&of.periods);
	free(of.cpus);
	kernel_symbols_free(&of.symbols);
	buffer_free(&of.symbol_lines);
	buffer_free(&of.out);
	if (of.fd > STDOUT_FILENO)
		close(of.fd);
	return status;
}
