/* SPDX-License-Identifier: MIT */
#include "export/json_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "trace/event_rows.h"

/* ,"KEY":"NAME" */
static void add_name(const char *key, const char *name, size_t length, struct buffer *line)
{
	struct json_writer value = {.out = line};

	buffer_printf(line, ",\"%s\":", key);
	json_bytes(&value, NULL, name, length);
}

/* prefix: "prev_" and "next_" of a switch, else "". */
static void add_task(const char *prefix, const struct sched_task *task, struct buffer *line)
{
	char key[16];

	snprintf(key, sizeof(key), "%scomm", prefix);
	add_name(key, task->comm.bytes, task->comm.length, line);
	buffer_printf(line, ",\"%spid\":%" PRId32 ",\"%sprio\":%" PRId32, prefix, task->pid, prefix, task->prio);
}

static void add_switch(const struct sched_source *source, const struct sched_event *event, struct buffer *line)
{
	char state[32];

	sched_source_state_text(source, event->switched.prev_state, state, sizeof(state));
	add_task("prev_", &event->switched.prev, line);
	add_name("prev_state", state, strlen(state), line);
	add_task("next_", &event->switched.next, line);
}

static void add_fields(const struct sched_source *source, const struct sched_event *event, struct buffer *line)
{
	switch (event->kind) {
	case SCHED_SWITCH:
		add_switch(source, event, line);
		break;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
	case SCHED_WAKING:
		add_task("", &event->wakeup.task, line);
		buffer_printf(line, ",\"target_cpu\":%" PRIu32, event->wakeup.target_cpu);
		break;
	case SCHED_MIGRATE:
		add_task("", &event->migrate.task, line);
		buffer_printf(line, ",\"orig_cpu\":%" PRIu32 ",\"dest_cpu\":%" PRIu32, event->migrate.from_cpu,
			      event->migrate.to_cpu);
		break;
	case SCHED_PI_SETPRIO:
		add_task("", &event->set_prio.task, line);
		buffer_printf(line, ",\"oldprio\":%" PRId32, event->set_prio.old_prio);
		break;
	case SCHED_MARK:
		add_name("buf", event->mark.text, event->mark.length, line);
		break;
	default:
		break;
	}
}

/* A loss of unknown size has no "events". */
static void add_loss(const struct sched_event *event, struct buffer *line)
{
	if (event->lost.count_known)
		buffer_printf(line, ",\"events\":%" PRIu64, event->lost.count);
}

static void add_line(const struct sched_source *source, const struct sched_event *event, struct buffer *line)
{
	const bool is_loss = event->kind == SCHED_LOST;

	buffer_printf(line, "{\"ts_ns\":%" PRIu64 ",\"cpu\":%" PRIu32 ",\"event\":\"%s\"", event->ts_ns, event->cpu,
		      is_loss ? "lost" : event_rows[event->kind].name);
	if (is_loss)
		add_loss(event, line);
	else
		add_fields(source, event, line);
	buffer_text(line, "}\n");
}

enum status json_lines_write(struct input *input, struct sched_source *source, struct output_stream *out,
			     uint64_t *events, struct error *err)
{
	struct sched_event event;
	enum status status;

	*events = 0;
	while ((status = sched_source_next(source, &event, err)) == STATUS_OK) {
		if (event.kind == SCHED_OTHER_EVENT || event.kind == SCHED_GAP)
			continue;
		add_line(source, &event, &out->pending);
		status = output_stream_write_if_full(out, err);
		++*events;
		if (status == STATUS_OK)
			status = input_step(input, err);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}
