/* SPDX-License-Identifier: MIT */
#include "trace/decode.h"

#include <string.h>

static bool is_usable(const struct event_field *field, enum event_field_type type, uint32_t common_length)
{
	bool is_located = field->array == FIELD_DATA_LOC || field->array == FIELD_REL_LOC;

	switch (type) {
	case EVENT_NAME:
		return text_span_is(field->type, "char") && field->array != FIELD_SINGLE &&
		       (!is_located || field->size == 4);
	case EVENT_TEXT:
		return text_span_is(field->type, "char") && field->offset >= common_length;
	default:
		return field->array == FIELD_SINGLE &&
		       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
	}
}

/* Finds the field, and extends *min_length to its end. A text has no fixed end: it extends to the end of its record. */
static enum status find_field(const struct event_format *format, const char *name, enum event_field_type type,
			      uint32_t common_length, struct event_place *place, uint32_t *min_length,
			      struct error *err)
{
	struct event_field field;
	enum status status = event_format_field(format, name, &field, err);

	if (status != STATUS_OK)
		return status;
	if (!is_usable(&field, type, common_length))
		return error_set(err, STATUS_UNSUPPORTED, NULL, "field %s of event %.*s has an unsupported type", name,
				 format->name.length > 64 ? 64 : (int)format->name.length, format->name.text);
	*place = (struct event_place){field.offset, field.size, field.is_signed, field.array};
	if (type != EVENT_TEXT && *min_length < field.offset + field.size)
		*min_length = field.offset + field.size;
	return STATUS_OK;
}

static bool is_plain(const struct event_place *place, enum event_field_type type)
{
	switch (type) {
	case EVENT_NUMBER:
	case EVENT_SIGNED:
		return place->size == 4;
	case EVENT_LONG:
	case EVENT_STATE:
		return place->size == 8;
	case EVENT_NAME:
		return place->array == FIELD_ARRAY && place->size >= SCHED_COMM_SIZE;
	default:
		return false;
	}
}

static enum status make_layout(const struct event_format *format, const struct event_row *row, uint32_t common_length,
			       struct event_layout *layout, struct error *err)
{
	*layout = (struct event_layout){.known = true, .plain = row->is_frequent, .id = format->id};
	for (size_t i = 0; row->fields[i].name; i++) {
		const struct event_row_field *field = &row->fields[i];
		enum status status = find_field(format, field->name, field->type, common_length, &layout->places[i],
						&layout->min_length, field->is_optional ? NULL : err);
		if (status != STATUS_OK && !field->is_optional)
			return status;
		layout->plain = layout->plain && is_plain(&layout->places[i], field->type);
	}
	return STATUS_OK;
}

/* The common fields at the start of every event. */
static enum status find_common(const struct event_format *format, struct sched_decoder *decoder, struct error *err)
{
	uint32_t *length = &decoder->common_length;
	enum status status = find_field(format, "common_type", EVENT_NUMBER, 0, &decoder->type, length, err);

	if (status == STATUS_OK)
		status = find_field(format, "common_pid", EVENT_NUMBER, 0, &decoder->common_pid, length, err);
	if (status == STATUS_OK)
		find_field(format, "common_flags", EVENT_NUMBER, 0, &decoder->common_flags, length, NULL);
	return status;
}

static enum status find_event(const struct event_format_table *events, const struct event_row *row, bool is_needed,
			      struct sched_decoder *decoder, struct event_layout *layout, struct error *err)
{
	const struct event_format *format = event_format_find(events, row->system, row->name);
	enum status status = STATUS_OK;

	if (!format && is_needed) {
		error_set(err, STATUS_UNSUPPORTED, NULL, "holds no %s events", row->name);
		return error_remedy(err, "record them: picknext collect, or trace-cmd record -e sched");
	}
	if (!format)
		return STATUS_OK;
	if (decoder->common_length == 0)
		status = find_common(format, decoder, err);
	if (status != STATUS_OK)
		return status;
	bool is_extra = row->use == EVENT_EXTRA;
	status = make_layout(format, row, decoder->common_length, layout, is_extra ? NULL : err);
	if (status == STATUS_OK || !is_extra)
		return status;
	*layout = (struct event_layout){0};
	return STATUS_OK;
}

enum status sched_decoder_make(const struct event_format_table *events, bool needs_switch,
			       struct sched_decoder *decoder, struct error *err)
{
	enum status status = STATUS_OK;

	*decoder = (struct sched_decoder){0};
	for (int kind = 0; kind < SCHED_EVENT_ROWS && status == STATUS_OK; kind++)
		status = find_event(events, &event_rows[kind], needs_switch && event_rows[kind].use == EVENT_NEEDED,
				    decoder, &decoder->layouts[kind], err);
	if (status == STATUS_OK && decoder->common_length == 0)
		status = events->count ? find_common(&events->formats[0], decoder, err)
				       : error_set(err, STATUS_UNSUPPORTED, NULL, "holds no events");
	if (status != STATUS_OK)
		return status;
	for (int kind = 0; kind < SCHED_EVENT_ROWS; kind++)
		if (decoder->layouts[kind].plain)
			decoder->kinds[decoder->layouts[kind].id % SCHED_KIND_SLOTS] = (uint8_t)kind;
	decoder->plain = decoder->type.size == 2 && decoder->common_pid.size == 4 && decoder->common_flags.size == 1;
	return STATUS_OK;
}

static enum sched_event_kind kind_of(const struct sched_decoder *decoder, uint64_t id)
{
	for (int kind = 0; kind < SCHED_EVENT_ROWS; kind++)
		if (decoder->layouts[kind].id == id && decoder->layouts[kind].known)
			return (enum sched_event_kind)kind;
	return SCHED_OTHER_EVENT;
}

enum status sched_decode(const struct sched_decoder *decoder, const struct ring_record *record,
			 struct sched_event *event, struct error *err)
{
	const uint8_t *data = record->data;

	if (record->length < decoder->common_length)
		return error_set(err, STATUS_CORRUPT, NULL, "a record of %u bytes is too short for any event",
				 record->length);
	event->kind = kind_of(decoder, decode_number(&decoder->type, data));
	event->common_pid = (int32_t)decode_number(&decoder->common_pid, data);
	event->context =
	    (uint8_t)(decoder->common_flags.size ? decode_context(decode_number(&decoder->common_flags, data))
						 : SCHED_CONTEXT_UNKNOWN);
	if (event->kind == SCHED_OTHER_EVENT)
		return STATUS_OK;
	const struct event_layout *layout = &decoder->layouts[event->kind];
	const struct event_row *row = &event_rows[event->kind];
	bool is_long_enough = record->length >= layout->min_length;
	if (is_long_enough && event_row_decode(layout, record, event))
		return STATUS_OK;
	if (row->use == EVENT_EXTRA) {
		event->kind = SCHED_OTHER_EVENT;
		return STATUS_OK;
	}
	if (!is_long_enough)
		return error_set(err, STATUS_CORRUPT, NULL, "a record of %u bytes is too short for %s", record->length,
				 row->name);
	return error_set(err, STATUS_CORRUPT, NULL, "a task's name is outside of its %s record", row->name);
}
