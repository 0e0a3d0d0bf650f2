/* SPDX-License-Identifier: MIT */
#include "export/json_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "trace/event_rows.h"

/* Adds ,"KEY":"NAME" */
static void add_name(const char *key, const char *name, size_t length, struct buffer *line)
{
	struct json_writer value = {.out = line};

	buffer_printf(line, ",\"%s\":", key);
	json_bytes(&value, NULL, name, length);
}

static void add_state(const struct sched_source *source, uint64_t prev_state, const char *key, struct buffer *line)
{
	char state[32];

	sched_source_state_text(source, prev_state, state, sizeof(state));
	add_name(key, state, strlen(state), line);
}

/* Adds ,"KEY":VALUE. member: points to the event's member. */
static void add_field(const struct sched_source *source, const struct event_row_field *field, const void *member,
		      struct buffer *line)
{
	const struct sched_comm *comm = member;
	const struct sched_text *text = member;

	switch (field->type) {
	case EVENT_NUMBER:
		buffer_printf(line, ",\"%s\":%" PRIu32, field->name, *(const uint32_t *)member);
		break;
	case EVENT_SIGNED:
		buffer_printf(line, ",\"%s\":%" PRId32, field->name, *(const int32_t *)member);
		break;
	case EVENT_LONG:
		buffer_printf(line, ",\"%s\":%" PRIu64, field->name, *(const uint64_t *)member);
		break;
	case EVENT_STATE:
		add_state(source, *(const uint64_t *)member, field->name, line);
		break;
	case EVENT_NAME:
		add_name(field->name, comm->bytes, comm->length, line);
		break;
	case EVENT_TEXT:
		add_name(field->name, text->text, text->length, line);
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
		for (const struct event_row_field *field = event_rows[event->kind].fields; field->name; field++)
			add_field(source, field, (const char *)event + field->member, line);
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
