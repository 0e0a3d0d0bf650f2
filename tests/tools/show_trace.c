/* SPDX-License-Identifier: MIT
 *
 * show_trace FILE: every event as "[CPU] SECONDS: NAME: TEXT" with the text of the event's print fmt, as
 * trace-cmd report -N -t shows it, to be compared with that. */
#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

static void show_task(const char *prefix, const struct sched_task *task)
{
	printf("%scomm=%.*s %spid=%d %sprio=%d", prefix, (int)task->comm.length, task->comm.bytes, prefix, task->pid,
	       prefix, task->prio);
}

static void show_switch(const struct sched_stream *stream, const struct sched_event *event)
{
	char text[64];

	sched_state_text(stream, event->switched.prev_state, text, sizeof(text));
	printf("sched_switch: ");
	show_task("prev_", &event->switched.prev);
	printf(" prev_state=%s ==> ", text);
	show_task("next_", &event->switched.next);
	printf("\n");
}

static void show(const struct sched_stream *stream, const struct sched_event *event)
{
	if (event->kind == SCHED_LOST) {
		printf("CPU:%u [", event->cpu);
		if (event->lost.count_known)
			printf("%" PRIu64 " ", event->lost.count);
		printf("EVENTS DROPPED]\n");
		return;
	}
	printf("[%03u] %" PRIu64 ".%09" PRIu64 ": ", event->cpu, event->ts_ns / 1000000000, event->ts_ns % 1000000000);
	switch (event->kind) {
	case SCHED_SWITCH:
		show_switch(stream, event);
		break;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		printf("%s: ", event->kind == SCHED_WAKEUP ? "sched_wakeup" : "sched_wakeup_new");
		show_task("", &event->wakeup.task);
		printf(" target_cpu=%03u\n", event->wakeup.target_cpu);
		break;
	case SCHED_MIGRATE:
		printf("sched_migrate_task: ");
		show_task("", &event->migrate.task);
		printf(" orig_cpu=%u dest_cpu=%u\n", event->migrate.from_cpu, event->migrate.to_cpu);
		break;
	default:
		printf("other, of %d\n", event->common_pid);
		break;
	}
}

static enum status show_all(const struct tracedat *trace, const char *name, struct error *err)
{
	struct sched_stream *stream;
	struct sched_event event;
	enum status status = sched_stream_open(trace, name, &stream, err);

	if (status != STATUS_OK)
		return status;
	while ((status = sched_stream_next(stream, &event, err)) == STATUS_OK)
		show(stream, &event);
	sched_stream_close(stream);
	return status == STATUS_END ? STATUS_OK : status;
}

int main(int argc, char **argv)
{
	struct mapping file;
	struct tracedat trace;
	struct error err = {0};
	char text[1600];

	if (argc != 2)
		return 2;
	enum status status = file_map(argv[1], &file, &err);
	if (status == STATUS_OK) {
		status = tracedat_parse(file.bytes, file.length, argv[1], &trace, &err);
		if (status == STATUS_OK) {
			status = show_all(&trace, argv[1], &err);
			tracedat_free(&trace);
		}
		file_unmap(&file);
	}
	if (status == STATUS_OK)
		return 0;
	error_text(&err, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
	return error_exit_code(&err);
}
