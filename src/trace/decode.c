/* SPDX-License-Identifier: MIT */
#include "trace/decode.h"

#include <string.h>

#include "trace/decode_plain.h"

/* The fields of each event, in the order that decode_*() below expects. */
static const struct {
	const char *name;
	const char *names[2];
	const char *numbers[5];
} wanted[SCHED_PI_SETPRIO + 1] = {
    [SCHED_SWITCH] = {"sched_switch",
		      {"prev_comm", "next_comm"},
		      {"prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio"}},
    [SCHED_WAKEUP] = {"sched_wakeup", {"comm"}, {"pid", "prio", "target_cpu"}},
    [SCHED_WAKEUP_NEW] = {"sched_wakeup_new", {"comm"}, {"pid", "prio", "target_cpu"}},
    [SCHED_MIGRATE] = {"sched_migrate_task", {"comm"}, {"pid", "prio", "orig_cpu", "dest_cpu"}},
    [SCHED_PI_SETPRIO] = {"sched_pi_setprio", {"comm"}, {"pid", "newprio", "oldprio"}},
};

static void need(uint32_t *min_length, uint32_t offset, uint32_t size)
{
	if (*min_length < offset + size)
		*min_length = offset + size;
}

static enum status unusable(const struct event_format *format, const char *name, struct error *err)
{
	int length = format->name.length > 64 ? 64 : (int)format->name.length;

	return error_set(err, STATUS_UNSUPPORTED, NULL, "field %s of event %.*s has an unsupported type", name, length,
			 format->name.text);
}

static enum status find_number(const struct event_format *format, const char *name, struct sched_number *number,
			       uint32_t *min_length, struct error *err)
{
	struct event_field field;
	enum status status = event_format_field(format, name, &field, err);

	if (status != STATUS_OK)
		return status;
	if (field.array != FIELD_SINGLE || (field.size != 1 && field.size != 2 && field.size != 4 && field.size != 8))
		return unusable(format, name, err);
	*number = (struct sched_number){field.offset, (uint8_t)field.size, field.is_signed};
	need(min_length, field.offset, field.size);
	return STATUS_OK;
}

static enum status find_name(const struct event_format *format, const char *name, struct sched_name *found,
			     uint32_t *min_length, struct error *err)
{
	struct event_field field;
	enum status status = event_format_field(format, name, &field, err);

	if (status != STATUS_OK)
		return status;
	bool located = field.array == FIELD_DATA_LOC || field.array == FIELD_REL_LOC;
	if (!text_span_is(field.type, "char") || field.array == FIELD_SINGLE || (located && field.size != 4))
		return unusable(format, name, err);
	*found = (struct sched_name){field.offset, field.size, field.array};
	need(min_length, field.offset, field.size);
	return STATUS_OK;
}

static bool is_plain(const struct sched_layout *layout, enum sched_event_kind kind)
{
	for (size_t i = 0; i < 5 && wanted[kind].numbers[i]; i++)
		if (layout->numbers[i].size != (kind == SCHED_SWITCH && i == 2 ? 8 : 4))
			return false;
	for (size_t i = 0; i < 2 && wanted[kind].names[i]; i++)
		if (layout->names[i].array != FIELD_ARRAY || layout->names[i].size < SCHED_COMM_SIZE)
			return false;
	return true;
}

static enum status make_layout(const struct event_format *format, enum sched_event_kind kind,
			       struct sched_layout *layout, struct error *err)
{
	enum status status = STATUS_OK;

	layout->known = true;
	layout->id = format->id;
	for (size_t i = 0; i < 2 && wanted[kind].names[i] && status == STATUS_OK; i++)
		status = find_name(format, wanted[kind].names[i], &layout->names[i], &layout->min_length, err);
	for (size_t i = 0; i < 5 && wanted[kind].numbers[i] && status == STATUS_OK; i++)
		status = find_number(format, wanted[kind].numbers[i], &layout->numbers[i], &layout->min_length, err);
	layout->plain = is_plain(layout, kind);
	return status;
}

/* Other writers than trace_marker use the same event, for example trace_printk(). An unknown format is ignored: marks
 * are optional. */
static void find_marks(const struct event_format_table *events, struct sched_decoder *decoder)
{
	const struct event_format *format = event_format_find(events, "ftrace", "print");
	struct event_field text;

	if (!format || event_format_field(format, "buf", &text, NULL) != STATUS_OK ||
	    !text_span_is(text.type, "char") || text.offset < decoder->common_length)
		return;
	decoder->has_marks = true;
	decoder->mark_id = format->id;
	decoder->mark_text = text.offset;
}

/* The common fields at the start of every event. */
static enum status find_common(const struct event_format *format, struct sched_decoder *decoder, struct error *err)
{
	enum status status = find_number(format, "common_type", &decoder->type, &decoder->common_length, err);

	if (status == STATUS_OK)
		status = find_number(format, "common_pid", &decoder->common_pid, &decoder->common_length, err);
	if (status == STATUS_OK &&
	    find_number(format, "common_flags", &decoder->common_flags, &decoder->common_length, NULL) != STATUS_OK)
		decoder->common_flags.size = 0;
	return status;
}

enum status sched_decoder_make(const struct event_format_table *events, bool needs_switch,
			       struct sched_decoder *decoder, struct error *err)
{
	*decoder = (struct sched_decoder){0};
	for (int kind = SCHED_SWITCH; kind <= SCHED_PI_SETPRIO; kind++) {
		const struct event_format *format = event_format_find(events, "sched", wanted[kind].name);
		enum status status = STATUS_OK;
		if (!format && kind == SCHED_SWITCH && needs_switch) {
			error_set(err, STATUS_UNSUPPORTED, NULL, "holds no sched_switch events");
			error_remedy(err, "record them: picknext collect, or trace-cmd record -e sched");
			return STATUS_UNSUPPORTED;
		}
		if (!format)
			continue;
		if (decoder->common_length == 0)
			status = find_common(format, decoder, err);
		if (status == STATUS_OK)
			status = make_layout(format, (enum sched_event_kind)kind, &decoder->layouts[kind], err);
		if (status != STATUS_OK)
			return status;
	}
	if (decoder->common_length == 0) {
		enum status status = events->count ? find_common(&events->formats[0], decoder, err)
						   : error_set(err, STATUS_UNSUPPORTED, NULL, "holds no events");
		if (status != STATUS_OK)
			return status;
	}
	find_marks(events, decoder);
	for (int kind = SCHED_SWITCH; kind <= SCHED_PI_SETPRIO; kind++)
		if (decoder->layouts[kind].known)
			decoder->kinds[decoder->layouts[kind].id % SCHED_KIND_SLOTS] = (uint8_t)kind;
	decoder->plain = decoder->type.size == 2 && decoder->common_pid.size == 4 && decoder->common_flags.size == 1;
	return STATUS_OK;
}

/* The caller has checked the length of the record. */
static inline uint64_t load(struct sched_number number, const uint8_t *data)
{
	const uint8_t *from = data + number.offset;
	uint16_t half;
	uint32_t word;
	uint64_t whole;

	switch (number.size) {
	case 4:
		memcpy(&word, from, sizeof(word));
		return number.is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
	case 8:
		memcpy(&whole, from, sizeof(whole));
		return whole;
	case 2:
		memcpy(&half, from, sizeof(half));
		return number.is_signed ? (uint64_t)(int64_t)(int16_t)half : half;
	default:
		return number.is_signed ? (uint64_t)(int64_t)(int8_t)*from : *from;
	}
}

static void copy_name(const uint8_t *from, size_t size, struct sched_comm *comm)
{
	if (size >= SCHED_COMM_SIZE) {
		decode_plain_name(from, comm);
		return;
	}
	const uint8_t *end = size ? memchr(from, '\0', size) : NULL;
	comm->length = (uint8_t)(end ? (size_t)(end - from) : size);
	memset(comm->bytes, 0, sizeof(comm->bytes));
	if (comm->length)
		memcpy(comm->bytes, from, comm->length);
}

/* False if a __data_loc or __rel_loc name is outside of the record. */
static bool load_name(struct sched_name name, const struct ring_record *record, struct sched_comm *comm)
{
	if (name.array == FIELD_ARRAY) {
		copy_name(record->data + name.offset, name.size, comm);
		return true;
	}
	uint32_t word;
	memcpy(&word, record->data + name.offset, sizeof(word));
	uint32_t offset = word & 0xffff;
	uint32_t size = word >> 16;
	if (name.array == FIELD_REL_LOC)
		offset += name.offset + 4;
	if (offset > record->length || size > record->length - offset)
		return false;
	copy_name(record->data + offset, size, comm);
	return true;
}

static void decode_task(const struct sched_layout *layout, const uint8_t *data, struct sched_task *task)
{
	task->pid = (int32_t)load(layout->numbers[0], data);
	task->prio = (int32_t)load(layout->numbers[1], data);
}

static bool decode_switch(const struct sched_layout *layout, const struct ring_record *record,
			  struct sched_event *event)
{
	const uint8_t *data = record->data;

	decode_task(layout, data, &event->switched.prev);
	event->switched.prev_state = load(layout->numbers[2], data);
	event->switched.next.pid = (int32_t)load(layout->numbers[3], data);
	event->switched.next.prio = (int32_t)load(layout->numbers[4], data);
	return load_name(layout->names[0], record, &event->switched.prev.comm) &&
	       load_name(layout->names[1], record, &event->switched.next.comm);
}

/* The other events have a task and one or two further numbers. */
static bool decode_of_task(const struct sched_layout *layout, const struct ring_record *record, unsigned int count,
			   struct sched_task *task, uint32_t numbers[2])
{
	const uint8_t *data = record->data;

	decode_task(layout, data, task);
	for (unsigned int i = 0; i < count; i++)
		numbers[i] = (uint32_t)load(layout->numbers[2 + i], data);
	return load_name(layout->names[0], record, &task->comm);
}

static enum sched_event_kind kind_of(const struct sched_decoder *decoder, uint64_t id)
{
	for (int kind = SCHED_SWITCH; kind <= SCHED_PI_SETPRIO; kind++) {
		if (decoder->layouts[kind].id == id && decoder->layouts[kind].known)
			return (enum sched_event_kind)kind;
	}
	return decoder->has_marks && decoder->mark_id == id ? SCHED_MARK : SCHED_OTHER_EVENT;
}

static void decode_mark(uint32_t offset, const struct ring_record *record, struct sched_event *event)
{
	const char *text = (const char *)record->data + offset;
	size_t length = record->length > offset ? strnlen(text, record->length - offset) : 0;

	if (length && text[length - 1] == '\n')
		length--;
	event->mark.text = length ? text : "";
	event->mark.length = length;
}

static bool decode_fields(const struct sched_layout *layout, const struct ring_record *record,
			  struct sched_event *event)
{
	uint32_t numbers[2];

	if (event->kind == SCHED_SWITCH)
		return decode_switch(layout, record, event);
	bool is_migration = event->kind == SCHED_MIGRATE;
	struct sched_task *task = is_migration                      ? &event->migrate.task
				  : event->kind == SCHED_PI_SETPRIO ? &event->set_prio.task
								    : &event->wakeup.task;
	if (!decode_of_task(layout, record, is_migration ? 2 : 1, task, numbers))
		return false;
	if (is_migration) {
		event->migrate.from_cpu = numbers[0];
		event->migrate.to_cpu = numbers[1];
	} else if (event->kind == SCHED_PI_SETPRIO) {
		event->set_prio.old_prio = (int32_t)numbers[0];
	} else {
		event->wakeup.target_cpu = numbers[0];
	}
	return true;
}

enum status sched_decode(const struct sched_decoder *decoder, const struct ring_record *record,
			 struct sched_event *event, struct error *err)
{
	const uint8_t *data = record->data;

	if (record->length < decoder->common_length)
		return error_set(err, STATUS_CORRUPT, NULL, "a record of %u bytes is too short for any event",
				 record->length);
	event->kind = kind_of(decoder, load(decoder->type, data));
	event->common_pid = (int32_t)load(decoder->common_pid, data);
	event->context = (uint8_t)(decoder->common_flags.size ? decode_context(load(decoder->common_flags, data))
							      : SCHED_CONTEXT_UNKNOWN);
	if (event->kind == SCHED_MARK)
		decode_mark(decoder->mark_text, record, event);
	if (event->kind == SCHED_OTHER_EVENT || event->kind == SCHED_MARK)
		return STATUS_OK;
	const struct sched_layout *layout = &decoder->layouts[event->kind];
	if (record->length < layout->min_length)
		return error_set(err, STATUS_CORRUPT, NULL, "a record of %u bytes is too short for %s", record->length,
				 wanted[event->kind].name);
	if (!decode_fields(layout, record, event))
		return error_set(err, STATUS_CORRUPT, NULL, "a task's name is outside of its %s record",
				 wanted[event->kind].name);
	return STATUS_OK;
}
